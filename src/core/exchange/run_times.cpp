// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/run_times.h"

namespace halo {

void RunTimes::begin_run() {
    before_ = sum();
    if (measured_) {
        short_run_ = run_;
        unmeasured_ = run_.total > 0 && run_.total < most_of_short ? unmeasured_in_a_row : 0;
    }
    measured_ = unmeasured_ == 0;
    if (!measured_) --unmeasured_;
    run_ = measured_ ? Seconds() : short_run_;
}

void RunTimes::pass_run() {
    before_ = sum();
    run_ = {};
    measured_ = false;
    unmeasured_ = 0;
}

void RunTimes::measure_after_all() {
    if (measured_) return;
    run_ = {};
    measured_ = true;
    begin_ = clock_();
}

void RunTimes::add_long_wait(double seconds) {
    if (measured_) return;
    run_.total += seconds;
    run_.waited += seconds;
}

} // namespace halo
