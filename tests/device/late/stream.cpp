// SPDX-License-Identifier: BSD-3-Clause
#include "stream.h"

#include <chrono>
#include <utility>

namespace late {

void Recording::fire(bool failed) {
    const std::lock_guard lock(mutex_);
    fired_ = true;
    failed_ = failed;
    fired_now_.notify_all();
}

bool Recording::has_fired() const {
    const std::lock_guard lock(mutex_);
    return fired_;
}

bool Recording::has_failed() const {
    const std::lock_guard lock(mutex_);
    return failed_;
}

void Recording::wait() {
    std::unique_lock lock(mutex_);
    fired_now_.wait(lock, [&] { return fired_; });
}

Stream::Stream(uint64_t seed, int32_t most_microseconds) : random_(seed), most_microseconds_(most_microseconds), thread_([this] { run(); }) {}

Stream::~Stream() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

void Stream::push(Item item) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(item));
    ++added_;
    changed_.notify_all();
}

void Stream::add(std::function<void()> work) { push({ std::move(work), true }); }

void Stream::add_failing(std::chrono::microseconds delay) {
    push({ [this, delay] {
              std::this_thread::sleep_for(delay);
              failing_ = true;
          },
           false });
}

void Stream::synchronize() {
    std::unique_lock lock(mutex_);
    const uint64_t until = added_;
    changed_.wait(lock, [&] { return done_ >= until; });
}

void Stream::record(Event &event) {
    event = std::make_shared<Recording>();
    push({ [this, recording = event] {
              dawdle(); // what was before is done, and nobody knows yet
              recording->fire(failing_);
          },
           false });
}

void Stream::wait(const Event &event) {
    if (event) push({ [recording = event] { recording->wait(); }, false });
}

void Stream::dawdle() {
    const int32_t microseconds = std::uniform_int_distribution<int32_t>(0, most_microseconds_)(random_);
    if (microseconds > 0) std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

void Stream::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return ends_ || !queue_.empty(); });
        if (queue_.empty()) return;
        const Item item = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        dawdle();
        if (item.is_work) failing_ = false;
        item.act();
        lock.lock();
        ++done_;
        changed_.notify_all();
    }
}

} // namespace late
