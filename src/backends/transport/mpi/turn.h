// SPDX-License-Identifier: BSD-3-Clause
// What MPI allows the calls of this module: by the thread level that MPI has, and until it is finalised.
#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace halo::mpi {

enum class Rule : int {
    none,       // MPI_THREAD_MULTIPLE; or one thread alone, which the core sees to
    one_by_one, // MPI_THREAD_SERIALIZED: contexts of different threads take turns
    counted,    // MPI_THREAD_MULTIPLE, and contexts have threads of their own: who finalises MPI waits until they are out of it
    finalized
};

inline constinit std::atomic<Rule> rule = Rule::none;

// While it lives, this thread may call MPI, if `allowed`.
class Turn {
public:
    Turn() {
        // Set by who initialises or finalises MPI, which no call of it may overlap; `counted` before the threads begin that it is for.
        const Rule now = rule.load(std::memory_order_relaxed);
        if (now == Rule::none) [[likely]]
            return;
        if (now == Rule::one_by_one) alone_ = std::unique_lock(mutex());
        if (now == Rule::counted) among_others_ = std::shared_lock(mutex());
        allowed_ = rule.load(std::memory_order_relaxed) != Rule::finalized;
    }
    bool allowed() const { return allowed_; }

    // MPI is about to be finalised: no thread is in a turn any more, nor will be.
    static void end_all() {
        const std::unique_lock all_are_out(mutex());
        rule = Rule::finalized;
    }

private:
    static std::shared_mutex &mutex() {
        static auto *one = new std::shared_mutex; // still needed while the process ends
        return *one;
    }

    std::unique_lock<std::shared_mutex> alone_;
    std::shared_lock<std::shared_mutex> among_others_;
    bool allowed_ = true;
};

} // namespace halo::mpi
