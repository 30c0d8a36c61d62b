// SPDX-License-Identifier: BSD-3-Clause
// The time of what all ranks do together.
#pragma once

#include <chrono>

#include "session.h"

namespace bench {

constexpr double milliseconds = 1e3;
constexpr double microseconds = 1e6;

// Seconds of the slowest rank.
template <class Action>
double timed(const Session &session, Action &&action) {
    session.barrier();
    const auto begin = std::chrono::steady_clock::now();
    action();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    session.max({ &seconds, 1 });
    return seconds;
}

} // namespace bench
