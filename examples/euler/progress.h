// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace euler {

/// Shows how far a run is: one line that is updated (live), or a new line for every tenth of the time (log).
class Progress {
public:
    Progress(const std::string &mode, double end_time, std::int64_t n_cells)
        : live_(mode == "live"),
          off_(mode == "none"),
          end_time_(end_time),
          n_cells_(n_cells) {}

    void show(std::int64_t step, double time, double dt) {
        const auto now = Clock::now();
        const bool last = time >= end_time_;
        const bool due = live_ ? seconds(now - shown_) >= 0.2 : time >= 0.1 * tenths_ * end_time_;
        if (off_ || !(due || last)) return;
        shown_ = now;
        tenths_ = static_cast<int>(10 * time / end_time_) + 1;
        const double rate = static_cast<double>(n_cells_ * step) / seconds(now - begun_);
        std::printf("%s  step %5lld   time %.4f of %.4f   dt %.2e   %6.2f Mzones/s%s", live_ ? "\r" : "", static_cast<long long>(step), time,
                    end_time_, dt, 1e-6 * rate, live_ && !last ? "" : "\n");
        std::fflush(stdout);
    }
    double elapsed() const { return seconds(Clock::now() - begun_); }

private:
    using Clock = std::chrono::steady_clock;
    static double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

    bool live_, off_;
    double end_time_;
    std::int64_t n_cells_;
    int tenths_ = 1; // the next to show
    Clock::time_point begun_ = Clock::now(), shown_ = begun_;
};

} // namespace euler
