// SPDX-License-Identifier: BSD-3-Clause
#include "comm/progress_thread.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

#include "comm/context.h"

namespace halo {

namespace {

using Steady = std::chrono::steady_clock;

constexpr double shortest_rest = 50e-6;   // seconds
constexpr unsigned long most_late = 1000; // nanoseconds by which a rest may be longer; by default as much again as the shortest
constexpr double longest_rest = 30e-3;    // of a context in which nothing is under way and nobody calls
constexpr double longest_while_in_use = 1e-3;
constexpr double least_doze = 2e-3;           // from here on the next call ends a rest
constexpr double share_of_silence = 1.0 / 32; // of the time since the last call, for what it does not know to be under way
constexpr int turns_while_under_way = 8;

double seconds_since(Steady::time_point then) { return std::chrono::duration<double>(Steady::now() - then).count(); }

// Signals are the program's threads' to take.
class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(const NoSignals &) = delete;
    NoSignals &operator=(const NoSignals &) = delete;

private:
    sigset_t before_{};
};

} // namespace

// All that there are in this process: a program may end it without destroying its contexts, and then what they call goes.
class ProgressThreads {
public:
    static ProgressThreads &all() {
        static auto *const one = new ProgressThreads; // still needed while the process ends
        return *one;
    }
    void add(ProgressThread &one) {
        const std::lock_guard lock(mutex_);
        threads_.push_back(&one);
    }
    void stop_and_remove(ProgressThread &one) noexcept {
        const std::lock_guard lock(mutex_);
        one.stop();
        threads_.erase(std::find(threads_.begin(), threads_.end(), &one));
    }

private:
    ProgressThreads() {
        std::atexit([] { all().stop(); });
    }
    void stop() noexcept {
        std::unique_lock lock(mutex_, std::defer_lock);
        if (getpid() == process_)
            lock.lock();
        else if (!lock.try_lock())
            return; // by a thread that has not come along
        for (ProgressThread *one : threads_)
            if (one->process_ == getpid()) one->stop();
    }

    std::mutex mutex_;
    std::vector<ProgressThread *> threads_;
    pid_t process_ = getpid();
};

ProgressThread::ProgressThread(Context &context) : context_(context), process_(getpid()) {
    ProgressThreads::all().add(*this);
    try {
        const NoSignals inherited;
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error &error) {
        ProgressThreads::all().stop_and_remove(*this);
        fail(HALO_ERR_MEMORY, "the setting progress_thread: the system gives no thread: %s", error.what());
    }
}

ProgressThread::~ProgressThread() { ProgressThreads::all().stop_and_remove(*this); }

void ProgressThread::begin() {
    {
        const std::lock_guard lock(mutex_);
        begun_ = true;
    }
    changed_.notify_one();
}

void ProgressThread::stop() noexcept {
    if (!thread_.joinable()) return;
    if (getpid() != process_ || thread_.get_id() == std::this_thread::get_id()) return thread_.detach();
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

bool ProgressThread::await_begin() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ || stops_; });
    return begun_;
}

void ProgressThread::run() noexcept {
    pthread_setname_np(pthread_self(), "halo_progress");
    prctl(PR_SET_TIMERSLACK, most_late);
    if (!await_begin()) return;
    uint32_t n_calls = 0;
    Steady::time_point last_call = Steady::now();
    while (!stops_) {
        if (const uint32_t now = n_calls_.load(std::memory_order_seq_cst); now != n_calls) {
            n_calls = now;
            last_call = Steady::now();
        }
        const Found found = look();
        if (found == Found::failure) break;
        const double longest = found == Found::under_way ? shortest_rest : found == Found::in_use ? longest_while_in_use : longest_rest;
        rest(std::clamp(seconds_since(last_call) * share_of_silence, shortest_rest, longest), n_calls);
    }
}

ProgressThread::Found ProgressThread::look() noexcept {
    CallLock &lock = context_.call_lock();
    if (!lock.try_enter()) return Found::in_use;
    Found found = Found::quiet;
    try {
        under_way_ = context_.progress_alone(under_way_ ? turns_while_under_way : 1);
        found = under_way_ ? Found::under_way : Found::quiet;
    } catch (...) {
        why_ended_ = present_error();
        has_ended_.store(true, std::memory_order_release);
        found = Found::failure;
    }
    lock.leave_own();
    return found;
}

// Who waits for a doze to end pays a call of the system: short rests are slept.
void ProgressThread::rest(double seconds, uint32_t n_calls) {
    const std::chrono::duration<double> time(seconds);
    if (seconds < least_doze) return std::this_thread::sleep_for(time);
    std::unique_lock lock(mutex_);
    dozes_.store(true, std::memory_order_seq_cst);
    changed_.wait_for(lock, time, [&] { return stops_ || n_calls_.load(std::memory_order_seq_cst) != n_calls; });
    dozes_.store(false, std::memory_order_seq_cst);
}

void ProgressThread::wake() noexcept {
    { const std::lock_guard lock(mutex_); } // it waits, or has not looked for calls yet
    changed_.notify_one();
}

// Of a transport that has ended, as MPI does, every call says so itself.
void ProgressThread::tell_the_end() noexcept {
    if (std::exchange(end_told_, true) || why_ended_->status() == HALO_ERR_STATE) return;
    context_.log().warn("the progress thread has ended: %s", why_ended_->what());
}

} // namespace halo
