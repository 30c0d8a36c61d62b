// SPDX-License-Identifier: BSD-3-Clause
// What MPI allows the calls of this module: by the thread level that MPI has, and until it is finalised.
#pragma once

#include <atomic>
#include <mutex>

namespace halo::mpi {

enum class Rule : int {
    none,       // MPI_THREAD_MULTIPLE; or one thread alone, which the core sees to
    one_by_one, // MPI_THREAD_SERIALIZED: contexts of different threads take turns
    finalized
};

inline constinit std::atomic<Rule> rule = Rule::none;

// While it lives, this thread may call MPI, if `allowed`.
class Turn {
public:
    Turn() {
        const Rule now = rule.load(std::memory_order_relaxed); // set by who initialises or finalises MPI, which no call of it may overlap
        if (now == Rule::none) [[likely]]
            return;
        allowed_ = now != Rule::finalized;
        if (allowed_) lock_ = std::unique_lock(mutex());
    }
    bool allowed() const { return allowed_; }

private:
    static std::mutex &mutex() {
        static auto *one = new std::mutex; // still needed while the process ends
        return *one;
    }

    std::unique_lock<std::mutex> lock_;
    bool allowed_ = true;
};

} // namespace halo::mpi
