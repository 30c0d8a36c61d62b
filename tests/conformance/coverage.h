// SPDX-License-Identifier: BSD-3-Clause
// Which combinations the random cases have met. An empty cell of the printed table fails the program.
#pragma once

#include <map>
#include <set>
#include <string>

#include "case.h"

namespace conformance {

// With this many, and any first seed, every cell is met: case numbers pick them, not chance.
inline constexpr int64_t default_cases = 180;

class Coverage {
public:
    void count(const Case &made);
    // Prints the tables; the number of empty cells.
    int print() const;
    bool any() const { return cases_ > 0; }
    // Enough different cases for every cell, however few rank counts there were.
    bool complete() const { return std::ssize(numbers_) >= default_cases; }

private:
    int64_t cases_ = 0;
    std::set<uint64_t> numbers_; // seeds seen: rank counts share them
    std::map<std::string, int64_t> cells_;
};

// Counted by rank 0 of each run, one run after the other.
Coverage &coverage();

} // namespace conformance
