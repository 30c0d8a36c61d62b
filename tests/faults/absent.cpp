// SPDX-License-Identifier: BSD-3-Clause
// Ranks are threads, and one of them ends in the midst of its work, without a word and without giving anything back: the others name it within their
// time limit and a second, and all that they have made can be destroyed. (Where it ends within a call, see the deaths of tests/simulation.)
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "ring.h"
#include "shared_memory_left.h"

namespace conformance {

namespace {

constexpr int32_t n_ranks = 3;
constexpr double timeout_seconds = 0.3;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Absence {
    explicit Absence(uint64_t number) : way(ring_ways[number % ring_ways.size()]) {
        std::mt19937_64 random(number);
        victim = static_cast<int32_t>(random() % n_ranks);
        n_runs = static_cast<int>(random() % 40);
        has_started = random() % 2 == 0;
        n_values = random() % 2 == 0 ? 8 : 20000;
    }

    Way way;
    int32_t victim;
    int n_runs;       // before it ends
    bool has_started; // one more
    int64_t n_values;
};

// What a rank has, and leaves where it lies if it ends.
struct Member {
    Rank rank;
    std::unique_ptr<Ring> ring;

    void destroy() {
        ring->destroy();
        ring.reset();
        OK(halo_context_destroy(&rank.context));
    }
};

void open(Member &member, halo_inproc *group, int32_t number, const Absence &absence) {
    OK(make_context(group, number, { { "path", absence.way.path }, { "shared_memory.least", "0" }, { "check", "no" } }, &member.rank.context));
    member.rank.rank = number;
    member.rank.size = n_ranks;
    member.ring = std::make_unique<Ring>(member.rank, absence.way, absence.n_values);
    OK(halo_context_barrier(member.rank.context));
    for (int run = 0; run < absence.n_runs; ++run) OK(member.ring->run());
    OK(halo_context_barrier(member.rank.context));
    OK(halo_context_set(member.rank.context, "timeout", "0.3s"));
}

void run_until_it_fails(Ring &ring, const Absence &absence) {
    double last_success = now();
    while (ring.run() == HALO_SUCCESS) {
        ring.check();
        last_success = now();
    }
    const double seconds = now() - last_success;
    const std::string text = halo_last_error();
    if (seconds > timeout_seconds + 1) stop("that took %.3f s: %s", seconds, text.c_str());
    if (text.find("rank " + std::to_string(absence.victim)) == std::string::npos) stop("rank %d is not named: %s", absence.victim, text.c_str());
}

void take_part(Member &member, halo_inproc *group, int32_t number, const Absence &absence) {
    try {
        open(member, group, number, absence);
        if (number == absence.victim) {
            if (absence.has_started) OK(member.ring->start());
            return;
        }
        run_until_it_fails(*member.ring, absence);
        member.destroy();
    } catch (const Stop &reason) {
        ADD_FAILURE() << "rank " << number << ": " << reason.text;
    }
}

void try_absence(uint64_t number) {
    SCOPED_TRACE("ABSENT_FIRST=" + std::to_string(number));
    const Absence absence(number);
    Member members[n_ranks];
    halo_inproc *group = nullptr;
    OK(halo_inproc_create(n_ranks, &group));
    std::thread ranks[n_ranks];
    for (int32_t rank = 0; rank < n_ranks; ++rank) ranks[rank] = std::thread([&, rank] { take_part(members[rank], group, rank, absence); });
    for (std::thread &rank : ranks) rank.join();
    if (testing::Test::HasFailure()) return;
    members[absence.victim].destroy(); // what it has left is nobody's, and can be destroyed all the same
    OK(halo_inproc_destroy(&group));
    expect_no_shared_memory();
}

TEST(Absent, AThreadThatHasEndedIsNamedAndHoldsNothing) {
    const auto first = static_cast<uint64_t>(number_from("ABSENT_FIRST", 1));
    const auto n_trials = static_cast<uint64_t>(number_from("ABSENT_TRIALS", 24));
    for (uint64_t number = first; number < first + n_trials && !HasFailure(); ++number) try_absence(number);
}

} // namespace

} // namespace conformance
