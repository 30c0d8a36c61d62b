// SPDX-License-Identifier: BSD-3-Clause
// What ranks print, line by line. And the signals that must be seen while it cannot be printed.
#pragma once

#include <csignal>
#include <cstddef>
#include <string>

#include <sys/types.h>

namespace halo::launch {

// Those that end a job, and SIGCHLD, as something to wait for.
class Signals {
public:
    Signals();
    ~Signals();
    Signals(const Signals &) = delete;
    Signals &operator=(const Signals &) = delete;

    int descriptor() const { return descriptor_; }
    void drain();
    int stop() const { return stop_; } // the first one that ends the job; 0: none
    void stop_by(int signal) { stop_ = stop_ == 0 ? signal : stop_; }
    int n_stops() const { return n_stops_; }
    const sigset_t &of_children() const { return before_; } // what was blocked before

private:
    sigset_t before_;
    int descriptor_;
    int stop_ = 0;
    int n_stops_ = 0;
};

// Standard output or error.
class Sink {
public:
    Sink(int descriptor, Signals &signals) : descriptor_(descriptor), signals_(signals) {}

    // Of one rank; others' unfinished lines are ended first.
    void write(const std::string &text, const void *whose);

private:
    int descriptor_;
    Signals &signals_;
    const void *unfinished_ = nullptr; // whose line it is
    bool closed_ = false;
};

// One stream of one rank.
class Lines {
public:
    Lines(Sink &to, std::string prefix) : to_(to), prefix_(std::move(prefix)) {}

    void take(const char *data, size_t bytes);
    // There comes no more.
    void end();

private:
    void write(size_t bytes);

    Sink &to_;
    std::string prefix_; // empty: none
    std::string held_;   // of a line without an end
};

} // namespace halo::launch
