// SPDX-License-Identifier: BSD-3-Clause
// Is it faster to write into peers' ghosts (and to read in their storage), or to pack messages that they unpack? Depends on the machine and on how
// ghosts lie in cache lines, which the copies within a rank meet too. So the first runs do the one and the other, and the whole work of a run is
// compared.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace halo {

class LandingTrial {
public:
    // Setting shared_memory.ghosts: "auto", "always" or "never"
    explicit LandingTrial(const std::string &policy) : decided_(policy != "auto"), lands_(policy != "never") {}

    // Should this run go from storage to storage? All ranks try the same in the same run.
    bool lands(uint32_t epoch) const { return decided_ ? lands_ : epoch / runs_in_turn % 2 == 0; }

    // Work of this run: what it takes is added up until `end`.
    template <class Work>
    void timed(Work &&work) {
        if (decided_) return work();
        const auto begin = std::chrono::steady_clock::now();
        work();
        busy_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    // True: it has been decided now.
    bool end(uint32_t epoch) {
        if (decided_) return false;
        double &best = lands(epoch) ? landing_ : packing_;
        best = std::min(best, busy_);
        busy_ = 0;
        if (epoch < last_epoch) return false;
        lands_ = landing_ < clearly * packing_;
        return decided_ = true;
    }

private:
    static constexpr uint32_t runs_in_turn = 4; // the first of each finds caches as the other way has left them
    static constexpr double clearly = 0.93;     // what follows a run may have to fetch its ghosts back from the peer's cache
    static constexpr uint32_t last_epoch = 19;  // two turns each; the first runs make tables

    bool decided_;
    bool lands_;
    double busy_ = 0;
    double landing_ = std::numeric_limits<double>::infinity();
    double packing_ = std::numeric_limits<double>::infinity();
};

} // namespace halo
