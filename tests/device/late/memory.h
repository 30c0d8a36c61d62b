// SPDX-License-Identifier: BSD-3-Clause
// Memory as the late device sees it: its own, which the host cannot touch, and blocks of the host's that it may.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace late {

class Memory {
public:
    ~Memory();

    // nullptr: there is none. Own memory begins with a pattern, and behind it nothing is mapped.
    void *allocate_own(size_t bytes);
    void release_own(void *pointer);
    void add_pinned(void *pointer, size_t bytes);
    void remove_pinned(void *pointer);

    // The address by which the device reaches so many bytes; nullptr: it does not.
    void *reach(const void *pointer, size_t bytes = 1) const;
    bool owns(const void *pointer) const;

private:
    struct Block {
        size_t bytes = 0;
        char *own = nullptr;     // where the device has it; nullptr: host memory
        char *mapped[2] = {};    // pages: programs', the device's
        size_t mapped_bytes = 0; // of each
    };
    static void unmap(const Block &block);

    mutable std::mutex mutex_;
    std::map<const char *, Block> blocks_; // by the address that programs have
};

} // namespace late
