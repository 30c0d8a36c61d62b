// SPDX-License-Identifier: BSD-3-Clause
// Is it faster to go from storage to storage (put, get), or to pack messages that peers unpack? Depends on the machine and on how ghosts lie in cache
// lines, which the copies within a rank meet too. So the first runs of an exchange do the one and the other, and the whole work of a run is compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "base/clock.h"
#include "base/error.h"

namespace halo {

class PathTrial {
public:
    // Not measured: from storage to storage wherever it can be.
    PathTrial(bool measured, Clock clock) : clock_(clock), decided_(!measured) {}

    // Should this run go from storage to storage? All ranks try the same in the same run.
    bool direct(uint32_t epoch) const { return decided_ ? direct_ : epoch / runs_in_turn % 2 == 0; }

    // A run begins: what one that failed took does not count.
    void begin() { busy_ = 0; }
    // Work of this run: what it takes is added up until `end`.
    template <class Work>
    void timed(Work &&work) {
        if (decided_) return work();
        const double begin = clock_();
        work();
        busy_ += clock_() - begin;
    }
    // True: it has been decided now.
    bool end(uint32_t epoch) {
        if (decided_) return false;
        double &best = direct(epoch) ? copying_ : packing_;
        best = std::min(best, busy_);
        if (epoch < last_epoch) return false;
        direct_ = copying_ < clearly * packing_;
        return decided_ = true;
    }
    std::string describe() const {
        if (!decided_) return "being measured";
        if (packing_ == std::numeric_limits<double>::infinity()) return "as set";
        return format("%.2f us of work from storage to storage, %.2f us in messages", copying_ * 1e6, packing_ * 1e6);
    }

    static constexpr uint32_t last_epoch = 19; // two turns each; the first runs make tables

private:
    static constexpr uint32_t runs_in_turn = 4; // the first of each finds caches as the other way has left them
    static constexpr double clearly = 0.93;     // what follows a run may have to fetch its ghosts back from the peer's cache

    Clock clock_;
    bool decided_;
    bool direct_ = true;
    double busy_ = 0;
    double copying_ = std::numeric_limits<double>::infinity();
    double packing_ = std::numeric_limits<double>::infinity();
};

} // namespace halo
