// SPDX-License-Identifier: BSD-3-Clause
// When may each exchange run, and which may be one? Places: p is before stage p; of n stages, a place p < 0 is p + n of the turn before.
#pragma once

#include <vector>

#include "analysis/needs.h"

namespace halo {

// Both ends included.
struct Window {
    int64_t start = 0;  // earliest start: the values are there, and the ghosts are not used any more
    int64_t finish = 0; // latest finish: the next stage uses the ghosts
    bool once = false;  // before the first turn alone
};

std::vector<Window> windows(const Program &program, const Needs &needs);

struct Groups {
    std::vector<int32_t> of; // group of each window
    std::vector<Window> common;
};

// The fewest groups whose windows have a place in common. `turn`: places of a turn if it repeats, else 0. Those with `once` are a group of their own.
Groups group(const std::vector<Window> &windows, int64_t turn);

} // namespace halo
