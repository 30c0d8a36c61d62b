// SPDX-License-Identifier: BSD-3-Clause
// Streams of the late device: a queue of work each, done in order by a thread of its own, after a delay that nobody can count on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

namespace late {

// A point in a stream. It fires once the stream has come there, and then a little later.
class Recording {
public:
    void fire(bool failed);
    bool has_fired() const;
    bool has_failed() const;
    void wait();

private:
    mutable std::mutex mutex_;
    std::condition_variable fired_now_;
    bool fired_ = false;
    bool failed_ = false;
};

// Stands for its last recording; what waits for one before goes on waiting for that.
using Event = std::shared_ptr<Recording>;

class Stream {
public:
    Stream(uint64_t seed, int32_t most_microseconds);
    // Does what there is.
    ~Stream();

    void add(std::function<void()> work);
    // What fails, so much later, when the stream has come there. What is recorded behind it and before the next work fails too.
    void add_failing(std::chrono::microseconds delay);
    void synchronize();
    void record(Event &event);
    void wait(const Event &event);

private:
    struct Item {
        std::function<void()> act;
        bool is_work; // none of these has failed yet
    };
    void push(Item item);
    void run();
    void dawdle();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> queue_;
    uint64_t added_ = 0;
    uint64_t done_ = 0;
    bool ends_ = false;
    bool failing_ = false; // the thread's alone
    std::mt19937_64 random_;
    int32_t most_microseconds_;
    std::thread thread_; // last: it uses all else
};

} // namespace late
