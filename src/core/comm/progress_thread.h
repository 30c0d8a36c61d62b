// SPDX-License-Identifier: BSD-3-Clause
// A thread of the context that lets messages come and go while the program computes (setting progress_thread).
//
// It works between the program's calls, never in one, and never waits for one to end: it finds the context free, or comes again. It looks often while
// something is under way, then more and more rarely, until the next call: an idle context costs it a few looks a second.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "base/error.h"

namespace halo {

class Context;

class ProgressThread {
public:
    // It does nothing before `begin`. HALO_ERR_MEMORY: the system does not give a thread.
    explicit ProgressThread(Context &context);
    ~ProgressThread();
    ProgressThread(const ProgressThread &) = delete;
    ProgressThread &operator=(const ProgressThread &) = delete;

    void begin();
    // The program has made a call, and is in it.
    void note_call() noexcept {
        n_calls_.fetch_add(1, std::memory_order_seq_cst);
        if (dozes_.load(std::memory_order_seq_cst)) [[unlikely]]
            wake();
        if (has_ended_.load(std::memory_order_acquire)) [[unlikely]]
            tell_the_end();
    }

private:
    friend class ProgressThreads;
    enum class Found : uint8_t { in_use, quiet, under_way, failure };

    void run() noexcept;
    bool await_begin();
    Found look() noexcept;
    void rest(double seconds, uint32_t n_calls);
    void wake() noexcept;
    void stop() noexcept;
    void tell_the_end() noexcept;

    Context &context_;
    std::mutex mutex_; // never held while the context works
    std::condition_variable changed_;
    bool begun_ = false;
    std::atomic<bool> stops_{ false };
    std::atomic<bool> dozes_{ false }; // it rests for long
    std::atomic<uint32_t> n_calls_{ 0 };
    std::atomic<bool> has_ended_{ false }; // by itself
    std::optional<Error> why_ended_;
    bool end_told_ = false;
    bool under_way_ = false; // when it looked last
    pid_t process_;          // one that is forked from it has no such thread
    std::thread thread_;
};

} // namespace halo
