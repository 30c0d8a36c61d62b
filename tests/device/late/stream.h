// SPDX-License-Identifier: BSD-3-Clause
// Streams of the late device: a queue of work each, done in order by a thread of its own, after a delay that nobody can count on.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

namespace late {

// A point in a stream. It fires once the stream has come there, and then a little later.
class Recording {
public:
    enum class State : uint8_t { waits, fired, failed };

    void fire(bool failed);
    State state() const;
    void wait();

private:
    mutable std::mutex mutex_;
    std::condition_variable fired_now_;
    State state_ = State::waits;
};

// What other processes see of an event, in a file that they map: how many times it has been recorded, and up to which of them it has fired.
class EventPage {
public:
    // nullptr: there is none.
    static std::shared_ptr<EventPage> make();
    static std::shared_ptr<EventPage> open(int64_t process, int64_t file);
    ~EventPage();
    EventPage(const EventPage &) = delete;
    EventPage &operator=(const EventPage &) = delete;

    int64_t process() const { return process_; }
    int file() const { return file_; }
    uint64_t record() { return ++words().recorded; }
    uint64_t last() { return words().recorded; }
    void fire(uint64_t number);
    // Or it never will: its process has ended.
    bool has_fired(uint64_t number);

private:
    struct Words {
        std::atomic<uint64_t> recorded, fired;
    };
    EventPage(int64_t process, int file, void *words) : process_(process), file_(file), words_(words) {}
    static std::shared_ptr<EventPage> map(int64_t process, int file);
    Words &words() { return *static_cast<Words *>(words_); }

    int64_t process_; // whose event it is
    int file_;
    void *words_;
};

// Stands for its last recording; what waits for one before goes on waiting for that.
struct Event {
    std::shared_ptr<Recording> recording;
    std::shared_ptr<EventPage> page; // of one that others see
    bool is_others = false;
};

class Stream {
public:
    Stream(uint64_t seed, int32_t most_microseconds);
    // Does what there is.
    ~Stream();

    void add(std::function<void()> work);
    // What fails, so much later, when the stream has come there. What is recorded behind it and before the next work fails too.
    void add_failing(std::chrono::microseconds delay);
    // What is added from here on, until it is told otherwise, fails together.
    void go_together(bool together);
    void synchronize();
    void record(Event &event);
    void wait(const Event &event);

    std::atomic<bool> is_captured{ false }; // then nothing may be added

private:
    struct Item {
        std::function<void()> act;
        bool is_new; // nothing of it has failed yet
    };
    bool is_new() { return !std::exchange(is_in_piece_, together_); }
    void push(Item item);
    void run();
    void dawdle();
    bool is_ending();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> queue_;
    uint64_t added_ = 0;
    uint64_t done_ = 0;
    bool ends_ = false;
    bool together_ = false;    // what is added
    bool is_in_piece_ = false; // with what was added last
    bool failing_ = false;     // the thread's alone
    std::mt19937_64 random_;
    int32_t most_microseconds_;
    std::thread thread_; // last: it uses all else
};

} // namespace late
