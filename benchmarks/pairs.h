// SPDX-License-Identifier: BSD-3-Clause
// Two contenders in turn, A B B A A B B A..., so that what disturbs the machine disturbs both.
#pragma once

#include <functional>
#include <vector>

#include "session.h"
#include "statistics.h"

namespace bench {

// Per pair, seconds of each.
struct Pairs {
    std::vector<double> first, second;

    Estimate ratio() const;      // first / second
    Estimate difference() const; // first - second
};

// A turn answers its time; it is told whether it is the last of its contender.
using Turn = std::function<double(bool last)>;
Pairs alternate(int n_pairs, const Turn &first, const Turn &second);

// Times `action` `repetitions` times between barriers, `prepare` before each, and answers the median of the largest times of all ranks.
// One untimed repetition comes first.
double timed_turn(const Session &session, int repetitions, const std::function<void()> &prepare, const std::function<void()> &action);

// Calls of operator new in this process so far, whoever called.
int64_t heap_calls();

} // namespace bench
