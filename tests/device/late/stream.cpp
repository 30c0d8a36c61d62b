// SPDX-License-Identifier: BSD-3-Clause
#include "stream.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace late {

void Recording::fire(bool failed) {
    const std::lock_guard lock(mutex_);
    state_ = failed ? State::failed : State::fired;
    fired_now_.notify_all();
}

Recording::State Recording::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

void Recording::wait() {
    std::unique_lock lock(mutex_);
    fired_now_.wait(lock, [&] { return state_ != State::waits; });
}

namespace {

constexpr size_t bytes_of_page = 4096;

// Also when it is only waited for by its parent.
bool has_ended(int64_t process) {
    char path[64], text[512] = {};
    std::snprintf(path, sizeof path, "/proc/%lld/stat", static_cast<long long>(process));
    std::FILE *file = std::fopen(path, "re");
    if (!file) return true;
    const size_t n = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    const char *const behind_name = n > 0 ? std::strrchr(text, ')') : nullptr;
    return behind_name && behind_name[1] != '\0' && (behind_name[2] == 'Z' || behind_name[2] == 'X');
}

} // namespace

std::shared_ptr<EventPage> EventPage::map(int64_t process, int file) {
    void *const words = file < 0 ? MAP_FAILED : mmap(nullptr, bytes_of_page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (words != MAP_FAILED) return std::shared_ptr<EventPage>(new EventPage(process, file, words));
    if (file >= 0) close(file);
    return nullptr;
}

std::shared_ptr<EventPage> EventPage::make() {
    const int file = memfd_create("late event", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, bytes_of_page) != 0) return map(getpid(), (close(file), -1));
    return map(getpid(), file);
}

std::shared_ptr<EventPage> EventPage::open(int64_t process, int64_t file) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%lld/fd/%lld", static_cast<long long>(process), static_cast<long long>(file));
    return map(process, ::open(path, O_RDWR | O_CLOEXEC));
}

EventPage::~EventPage() {
    munmap(words_, bytes_of_page);
    close(file_);
}

void EventPage::fire(uint64_t number) {
    uint64_t now = words().fired;
    while (now < number && !words().fired.compare_exchange_weak(now, number)) {}
}

bool EventPage::has_fired(uint64_t number) { return words().fired >= number || (process_ != getpid() && has_ended(process_)); }

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
    if (is_captured) std::abort(); // it would break what the program records
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(item));
    ++added_;
    changed_.notify_all();
}

void Stream::add(std::function<void()> work) { push({ std::move(work), is_new() }); }

void Stream::go_together(bool together) {
    together_ = together;
    is_in_piece_ = false;
}

void Stream::add_failing(std::chrono::microseconds delay) {
    push({ [this, delay] {
              std::this_thread::sleep_for(delay);
              failing_ = true;
          },
           is_new() });
}

void Stream::synchronize() {
    std::unique_lock lock(mutex_);
    const uint64_t until = added_;
    changed_.wait(lock, [&] { return done_ >= until; });
}

void Stream::record(Event &event) {
    event.recording = std::make_shared<Recording>();
    const uint64_t number = event.page ? event.page->record() : 0;
    push({ [this, recording = event.recording, page = event.page, number] {
              dawdle(); // what was before is done, and nobody knows yet
              recording->fire(failing_);
              if (page) page->fire(number);
          },
           false });
}

void Stream::wait(const Event &event) {
    if (event.recording) push({ [recording = event.recording] { recording->wait(); }, false });
    if (!event.is_others) return;
    constexpr std::chrono::microseconds nap{ 20 };
    push({ [this, nap, page = event.page, number = event.page->last()] {
              while (!page->has_fired(number) && !is_ending()) std::this_thread::sleep_for(nap);
          },
           false });
}

bool Stream::is_ending() {
    const std::lock_guard lock(mutex_);
    return ends_;
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
        if (item.is_new) failing_ = false;
        item.act();
        lock.lock();
        ++done_;
        changed_.notify_all();
    }
}

} // namespace late
