// SPDX-License-Identifier: BSD-3-Clause
// System calls of a function, counted from outside: it runs in a process of its own, which this one traces.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace transport_tests {

struct Traced {
    std::string why_not;           // "": it was permitted
    int exit_status = -1;          // the function's result; -1: it did not come to that
    double seconds = 0;            // between the marks
    std::map<long, int64_t> calls; // by number, of its first thread, between the marks

    int64_t n_waits() const; // to yield, or to sleep
    // All others, but for what asks the clock: that is no system call where the machine has a clock to be read.
    int64_t n_others() const;
    std::string text() const; // "3 of call 24, 1 of call 0"
};

Traced run_traced(const std::function<int()> &work);

// The marks, for the function.
void begin_counting();
void end_counting();

} // namespace transport_tests
