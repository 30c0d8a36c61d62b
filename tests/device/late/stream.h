// SPDX-License-Identifier: BSD-3-Clause
// Streams of the late device: a queue of work each, done in order by a thread of its own, after a delay that nobody can count on.
#pragma once

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
class Event {
public:
    uint64_t record(); // the number of this recording
    uint64_t recorded() const;
    void fire(uint64_t number);
    bool has_fired() const; // the last recording; also if there is none
    void wait(uint64_t number);

private:
    mutable std::mutex mutex_;
    std::condition_variable fired_now_;
    uint64_t recorded_ = 0;
    uint64_t fired_ = 0;
};

class Stream {
public:
    Stream(uint64_t seed, int32_t most_microseconds);
    // Does what there is.
    ~Stream();

    void add(std::function<void()> work);
    void synchronize();
    void record(const std::shared_ptr<Event> &event);
    void wait(const std::shared_ptr<Event> &event);

private:
    void run();
    void dawdle();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> queue_;
    uint64_t added_ = 0;
    uint64_t done_ = 0;
    bool ends_ = false;
    std::mt19937_64 random_;
    int32_t most_microseconds_;
    std::thread thread_; // last: it uses all else
};

} // namespace late
