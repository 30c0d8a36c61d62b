// SPDX-License-Identifier: BSD-3-Clause
// Which combinations the random cases over boxes have met. An empty cell of the printed table fails the program.
#pragma once

#include <map>
#include <set>
#include <string>

#include "box_case.h"

namespace conformance {

// With this many, and any first seed, every cell is met: case numbers pick them, not chance.
inline constexpr int64_t default_box_cases = 720;

class BoxCoverage {
public:
    void count(const BoxCase &made, int64_t number);
    // A join between turned index spaces.
    void count(const halo_join &join, int32_t n_dims, int32_t kind, bool vector);
    // Prints the tables; the number of empty cells.
    int print() const;
    bool any() const { return cases_ > 0; }
    bool complete() const { return std::ssize(numbers_) >= default_box_cases; }

private:
    int64_t cases_ = 0;
    bool joins_ = false;
    std::set<int64_t> numbers_; // rank counts share them
    std::map<std::string, int64_t> cells_;
};

// Counted by rank 0 of each run, one run after the other.
BoxCoverage &box_coverage();

} // namespace conformance
