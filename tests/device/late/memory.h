// SPDX-License-Identifier: BSD-3-Clause
// Memory as the late device sees it: its own, which the host cannot touch, and blocks of the host's that it may.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "halo_plugin.h"

namespace late {

class Memory {
public:
    ~Memory();

    // nullptr: there is none. Own memory begins with a pattern, and behind it nothing is mapped.
    void *allocate_own(size_t bytes);
    // 1: others may open it, 2: and have it open.
    int release_own(void *pointer);
    // Where other instances find it; false: it is not the beginning of own memory, or has no file.
    bool tell(void *pointer, halo_ipc_handle &handle);
    // Memory of another instance; nullptr, and why.
    void *open_others(const halo_ipc_handle &handle, const char *&why);
    bool close_others(void *pointer);
    void add_pinned(void *pointer, size_t bytes);
    void remove_pinned(void *pointer);

    // The address by which the device reaches so many bytes; nullptr: it does not.
    void *reach(const void *pointer, size_t bytes = 1) const;
    bool owns(const void *pointer) const;

private:
    // Behind the memory, in a page of its own: who has it.
    struct Tail {
        std::atomic<int64_t> n_open; // instances that have opened it
    };
    struct Block {
        size_t bytes = 0;
        char *own = nullptr;     // where the device has it; nullptr: host memory
        char *mapped[2] = {};    // pages: programs', the device's
        size_t mapped_bytes = 0; // of each
        int file = -1;
        uint64_t number = 0; // of the file
        bool is_told = false;
        bool is_others = false;
        Tail *tail = nullptr;
    };
    bool map(Block &block, size_t usable);
    void *keep(const Block &block, size_t offset);
    static void unmap(const Block &block);

    mutable std::mutex mutex_;
    std::map<const char *, Block> blocks_; // by the address that programs have
};

} // namespace late
