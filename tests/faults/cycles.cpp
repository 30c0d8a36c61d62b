// SPDX-License-Identifier: BSD-3-Clause
// What is made and destroyed again and again costs as much the last time as the first, and leaves nothing behind: no memory, no descriptor, no
// mapping, no warning. Data go one way, so that the last credits come when their exchange is gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>

#include "kept.h"
#include "solver.h"

namespace conformance {

namespace {

constexpr int n_parts = 10;            // of the cycles: the last is compared with one in the middle, when lists of what is gone are full
constexpr int together = 25;           // cycles after which ranks wait for each other
constexpr double slower = 3;           // what noise may do to the fastest stretch of a part
constexpr int64_t more_bytes = 262144; // logs, texts and lists that grow once

SolverShape one_way(const Rank &rank, int32_t messages, int32_t receive) {
    SolverShape shape;
    shape.n_blocks = rank.size;
    shape.ghost_high = 0;
    shape.messages = messages;
    shape.receive = receive;
    return shape;
}

// Times of stretches of cycles, and what was there after each part of all.
class Parts {
public:
    explicit Parts(int64_t n_cycles) : n_cycles_(std::max<int64_t>(n_cycles, int64_t{ 2 } * n_parts * together)) { fastest_.fill(infinite); }

    int64_t n_cycles() const { return n_cycles_; }
    void add_stretch(int64_t last_cycle, double seconds) {
        double &fastest = fastest_[static_cast<size_t>(last_cycle * n_parts / n_cycles_)];
        fastest = std::min(fastest, seconds);
    }
    bool ends_part(int64_t cycle) const { return (cycle + 1) * n_parts / n_cycles_ != cycle * n_parts / n_cycles_; }
    void add_kept(const Kept &kept) { kept_.push_back(kept); }
    bool has_become_slow() const { return fastest_[n_parts - 1] > slower * fastest_[n_parts / 2]; }

    void expect_flat(const char *what, bool prints) const {
        const double first = fastest_[n_parts / 2], last = fastest_[n_parts - 1];
        const Kept before = kept_[n_parts / 2], after = kept_.back();
        if (prints)
            std::printf("%s: %lld cycles of %.1f us, then %.1f us; %lld bytes, %lld descriptors, %lld mappings more\n", what,
                        static_cast<long long>(n_cycles_), 1e6 * first / together, 1e6 * last / together,
                        static_cast<long long>(after.bytes - before.bytes), static_cast<long long>(after.descriptors - before.descriptors),
                        static_cast<long long>(after.mappings - before.mappings));
        if (has_become_slow()) stop("%s: a cycle has taken %g us, now %g us", what, 1e6 * first / together, 1e6 * last / together);
        if (after.bytes - before.bytes > more_bytes) stop("%s: %lld bytes are left", what, static_cast<long long>(after.bytes - before.bytes));
        if (after.descriptors > before.descriptors + n_parts) // the other rank may be counting too
            stop("%s: there were %lld descriptors, now %lld", what, static_cast<long long>(before.descriptors),
                 static_cast<long long>(after.descriptors));
        if (after.mappings > before.mappings + n_parts)
            stop("%s: there were %lld mappings, now %lld", what, static_cast<long long>(before.mappings), static_cast<long long>(after.mappings));
    }

private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();
    int64_t n_cycles_;
    std::array<double, n_parts> fastest_{};
    std::vector<Kept> kept_;
};

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// In stretches, of which the fastest counts for a part.
template <class Cycle>
void go_through(const Rank &rank, Parts &parts, int64_t first, int64_t last, const Cycle &cycle) {
    double begun = seconds_now();
    for (int64_t i = first; i < last; ++i) {
        cycle(i);
        if ((i + 1) % together == 0) {
            OK(halo_context_barrier(rank.context));
            parts.add_stretch(i, seconds_now() - begun);
            begun = seconds_now();
        }
        if (parts.ends_part(i)) {
            parts.add_kept(kept_between_cycles(rank));
            begun = seconds_now();
        }
    }
}

// On a busy machine two ranks may not get their cores together for a whole part: what has become slow stays so, and this does not.
template <class Cycle>
void expect_flat_cycles(const Rank &rank, const char *what, int64_t n_cycles, const Cycle &cycle) {
    constexpr int most_parts_more = 20;
    Parts parts(n_cycles);
    go_through(rank, parts, 0, parts.n_cycles(), cycle);
    for (int more = 0; more < most_parts_more; ++more) {
        int64_t n_slow = parts.has_become_slow() ? 1 : 0;
        OK(halo_context_allreduce(rank.context, &n_slow, &n_slow, 1, HALO_INT64, HALO_SUM));
        if (n_slow == 0) break;
        go_through(rank, parts, parts.n_cycles() - parts.n_cycles() / n_parts, parts.n_cycles(), cycle);
    }
    parts.expect_flat(what, prints(rank));
}

int64_t n_cycles() { return number_from("CYCLES", 2000); }

TEST(Cycles, OfTwoRunsThatGoOneWay) {
    run(2, {}, [](Rank &rank) {
        for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL })
            expect_flat_cycles(rank, messages == HALO_MESSAGES_AGGREGATE ? "aggregated" : "per channel", n_cycles(), [&](int64_t) {
                Solver solver(rank, one_way(rank, messages, HALO_RECEIVE_PROBED));
                solver.run();
                solver.run();
                solver.destroy();
            });
    });
}

// The last rank gives up its second run: what was sent to it lies there, and no credit comes of it.
TEST(Cycles, OfRunsThatAreAbandoned) {
    run(2, {}, [](Rank &rank) {
        expect_flat_cycles(rank, "abandoned", n_cycles(), [&](int64_t) {
            Solver solver(rank, one_way(rank, HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED));
            solver.run();
            solver.fill();
            OK(solver.start());
            if (rank.size > 1 && rank.rank == rank.size - 1)
                OK(halo_exchange_abandon(solver.exchange));
            else
                OK(solver.finish());
            solver.destroy();
        });
    });
}

// The first rank cannot start its second run, and says so.
TEST(Cycles, OfRunsThatFail) {
    run(2, {}, [](Rank &rank) {
        expect_flat_cycles(rank, "failed", n_cycles(), [&](int64_t) {
            Solver solver(rank, one_way(rank, HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED));
            solver.run();
            solver.fill();
            if (rank.rank == 0) {
                solver.bind(false);
                expect_failure(solver.start(), HALO_ERR_UNBOUND, { "density", "no storage" });
            } else {
                OK(solver.start());
                if (rank.rank == 1)
                    expect_failure(solver.finish(), HALO_ERR_PEER, { "rank 0", "no storage" });
                else
                    OK(solver.finish());
            }
            solver.destroy();
        });
    });
}

std::atomic<int> n_warnings;

void count_warning(void *, int32_t level, const char *text) {
    if (level > 1) return;
    ++n_warnings;
    std::fprintf(stderr, "%s\n", text);
}

void use_context(halo_inproc *group, int32_t number) {
    Rank rank;
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    const halo_setting timeout{ "timeout", "60s" };
    options.settings = &timeout;
    options.n_settings = 1;
    options.log = count_warning;
    OK(group ? halo_context_create_inproc(group, number, &options, &rank.context) : halo_context_create(&options, &rank.context));
    OK(halo_context_rank(rank.context, &rank.rank, &rank.size));
    Solver solver(rank, one_way(rank, HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED));
    solver.run();
    solver.run();
    solver.destroy();
    OK(halo_context_destroy(&rank.context));
}

// One context after the other, while one lives.
TEST(Cycles, OfContexts) {
    n_warnings = 0;
    halo_inproc *group = nullptr;
    if (threads()) OK(halo_inproc_create(2, &group));
    run(2, {}, [&](Rank &rank) {
        expect_flat_cycles(rank, "contexts", number_from("CONTEXTS", 1000), [&](int64_t) { use_context(group, rank.rank); });
        if (n_warnings != 0) stop("%d warnings", n_warnings.load());
    });
    if (group) OK(halo_inproc_destroy(&group));
}

} // namespace

} // namespace conformance
