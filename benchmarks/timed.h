// SPDX-License-Identifier: BSD-3-Clause
// The time of what a rank does, or all do together.
#pragma once

#include <chrono>

#include "session.h"

namespace bench {

constexpr double milliseconds = 1e3;
constexpr double microseconds = 1e6;

// Of this rank alone.
template <class Action>
double seconds_of(Action &&action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Seconds of the slowest rank.
template <class Action>
double timed(const Session &session, Action &&action) {
    session.barrier();
    double seconds = seconds_of(action);
    session.max({ &seconds, 1 });
    return seconds;
}

} // namespace bench
