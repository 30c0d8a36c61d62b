// SPDX-License-Identifier: BSD-3-Clause
// Ranks as fibers of one thread, under one scheduler and one simulated clock.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace simulation {

using Random = std::mt19937_64;

enum class Fault : uint8_t { none, stop, death, memory, reorder, unreachable, stop_in_storage };
inline constexpr int n_faults = 7;
const char *name_of(Fault fault);

// What ranks do rarely, by halo::Rare.
inline constexpr int n_rare = 5;
const char *name_of_rare(int what);

// What happens to one rank at one of its schedule points, at one of its allocations within the library, or where it is in a peer's storage. Reorder:
// for a while messages on some of its channels, one in two of (peer, lane, tag), are not delivered, while those on others are. Unreachable: for a
// while it cannot map memory of others.
struct Event {
    Fault fault = Fault::none;
    int32_t rank = 0;
    int64_t at = 0;
    double seconds = 0; // that it lasts
};

// Asked at each point.
class Scheduler {
public:
    virtual ~Scheduler() = default;
    // One of `ready`, which is not empty; `now` is running, or -1.
    virtual int32_t next(const std::vector<int32_t> &ready, int32_t now) = 0;
    // Has the network not delivered yet?
    virtual bool holds_back() = 0;
};

class RandomScheduler final : public Scheduler {
public:
    RandomScheduler(uint64_t seed, double switches, double delays) : random_(seed), switches_(switches), delays_(delays) {}
    int32_t next(const std::vector<int32_t> &ready, int32_t now) override;
    bool holds_back() override { return is(delays_); }

private:
    bool is(double chance) { return static_cast<double>(random_() >> 11) * 0x1p-53 < chance; }

    Random random_;
    double switches_, delays_;
};

struct Outcome {
    int64_t points = 0;
    double seconds = 0;                     // of simulated time
    std::array<int64_t, n_faults> faults{}; // that happened
    std::array<int64_t, n_rare> rare{};
    int64_t unread = 0; // messages sent and not received, but for inquiries, which nobody need answer
};

// Runs body(rank) on every rank. A rank that has died never runs again while others do; when they have ended, it unwinds what it holds.
Outcome run(int32_t n_ranks, Scheduler &scheduler, const std::vector<Event> &events, const std::function<void(int32_t)> &body);

// Of the rank that runs.
bool has_died();
// Of any.
bool any_has_died();
// A fault may happen from here on: points and allocations count from 0.
void begin_faults();
void sleep_for(double seconds);

// Allocations made while one lives are the library's: they may fail.
class InLibrary {
public:
    InLibrary();
    ~InLibrary();
    InLibrary(const InLibrary &) = delete;
    InLibrary &operator=(const InLibrary &) = delete;
};

int64_t n_live(); // allocations, of everybody

} // namespace simulation
