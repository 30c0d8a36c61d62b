// SPDX-License-Identifier: BSD-3-Clause
// Seconds in start and finish, and those of them that peers are waited for.
//
// A look at the clock takes 20 to 50 ns, and a run of a few ghosts less than a microsecond: after a short run up to seven that do the same are not
// measured, but counted as long as that one. Waits that last, which differ from run to run, are measured in each.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace halo {

class RunTimes {
public:
    struct Seconds {
        double total = 0;
        double waited = 0;
    };

    explicit RunTimes(Clock clock) : clock_(clock) {}

    void begin_run();
    // One in phases of the caller's, which is not measured.
    void pass_run();
    // This run does not do what the last one did. Within work.
    void measure_after_all();
    template <class Work>
    void work(Work &&work) {
        if (measured_) begin_ = clock_();
        work();
        if (measured_) run_.total += clock_() - begin_;
    }
    // Within work.
    template <class Wait>
    void wait(Wait &&wait) {
        if (!measured_) return wait();
        const double begin = clock_();
        wait();
        run_.waited += clock_() - begin;
    }
    // What of a wait has been measured anyway.
    void add_long_wait(double seconds);
    Seconds sum() const { return { before_.total + run_.total, before_.waited + run_.waited }; }

private:
    static constexpr double most_of_short = 1e-5;
    static constexpr int unmeasured_in_a_row = 7;

    Clock clock_;
    double begin_ = 0;
    bool measured_ = false;
    int unmeasured_ = 0; // runs to come
    Seconds before_;     // this run
    Seconds run_;
    Seconds short_run_;
};

} // namespace halo
