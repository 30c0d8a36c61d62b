// SPDX-License-Identifier: BSD-3-Clause
// This process in its job, as PMIx has it: one for the process, from the first context on until it exits.
#pragma once

#include <pmix.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

#include "halo.h"

namespace halo::pmix {

// What went wrong, in words; empty: nothing.
struct Trouble {
    halo_status status = HALO_SUCCESS;
    std::string text;

    explicit operator bool() const { return status != HALO_SUCCESS; }
};

class Job {
public:
    static Job &instance();

    // For one context at a time. Begins PMIx, if that has not been done.
    Trouble enter();
    void leave();

    int32_t rank() const { return static_cast<int32_t>(me_.rank); }
    int32_t size() const { return size_; }

    // An allgather among all ranks; the last one is complete, or this is that one again.
    Trouble start(const void *mine, size_t bytes);
    Trouble test(void *all, bool &done);

private:
    // Outlives a wait that is given up: PMIx cannot take a fence back.
    struct Fence {
        std::atomic<bool> done{ false };
        pmix_status_t status = PMIX_SUCCESS;
    };

    Trouble begin();
    Trouble put(const std::string &key) const;
    Trouble fence();
    Trouble take_part(const std::string &key, uint32_t rank, std::byte *part) const;
    std::string key() const;

    std::mutex mutex_;
    bool in_use_ = false;
    pid_t begun_by_ = 0; // 0: PMIx has not begun
    pmix_proc_t me_{};
    int32_t size_ = 0;
    uint64_t exchanges_ = 0;
    std::shared_ptr<Fence> fence_; // of the exchange under way
    std::vector<std::byte> mine_;  // and what this rank has given to it
};

} // namespace halo::pmix
