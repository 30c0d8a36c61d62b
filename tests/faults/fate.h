// SPDX-License-Identifier: BSD-3-Clause
// What befalls one of some ranks that are processes, as a seed has it: it is killed, or stopped for a while.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "ring.h"

namespace conformance {

enum class Strike : uint8_t {
    kill,
    short_stop, // within the time limit of the others
    long_stop   // until others have given up, and some more
};

struct Fate {
    Strike strike;
    int32_t victim;
    std::chrono::microseconds moment; // after all have begun
    std::chrono::microseconds pause;  // of a short stop; of a long one, after the one who stops has given up
    Way way;
    int64_t n_values;
    double timeout_seconds;

    bool befalls(const Rank &rank) const { return rank.rank == victim; }
};

// `name`: kill, short_stop, long_stop.
Fate fate_of(const std::string &name, uint64_t seed, int32_t n_ranks);

// Lets a thread of the rank above the victim see to it. Collective.
class Striker {
public:
    Striker(const Rank &rank, const Fate &fate);
    ~Striker() { join(); }
    Striker(const Striker &) = delete;
    Striker &operator=(const Striker &) = delete;

    bool is_over() const { return over_; } // also where nothing is to be done
    void rank_has_given_up() { given_up_ = true; }
    void join() {
        if (thread_.joinable()) thread_.join();
    }

private:
    void strike(const Fate &fate, int64_t process);

    std::atomic<bool> given_up_ = false;
    std::atomic<bool> over_ = true;
    std::thread thread_;
};

} // namespace conformance
