// SPDX-License-Identifier: BSD-3-Clause
// Ranks that a bootstrap module brings together: what is gathered, and every way in which it fails. Here they are threads.
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "expect_failure.h"
#include "plugin/started_ranks.h"

namespace halo {
namespace {

// What the threads share. An exchange is complete when all have given to it.
struct Meeting {
    std::mutex mutex;
    std::vector<std::vector<std::string>> exchanges; // by number, then rank
    std::vector<int32_t> given;                      // to each
    int32_t n_ranks = 1;
    std::string fails_in_start, fails_in_test;
};
Meeting *meeting = nullptr;
thread_local int32_t this_rank = 0;
thread_local int32_t n_open = 0;

} // namespace
} // namespace halo

struct halo_ranks {
    const halo_host *host;
    size_t exchange = 0; // the next one
    size_t bytes = 0;
};

namespace halo {
namespace {

halo_status failed(const halo_ranks *ranks, const std::string &text) {
    ranks->host->report(ranks->host->core, text.c_str());
    return HALO_ERR_TRANSPORT;
}

halo_status open(const halo_host *host, halo_ranks **ranks) {
    *ranks = new halo_ranks{ host };
    ++n_open;
    return HALO_SUCCESS;
}
void close(halo_ranks *ranks) {
    --n_open;
    delete ranks;
}
void identify(const halo_ranks *, int32_t *rank, int32_t *n_ranks) {
    *rank = this_rank;
    *n_ranks = meeting->n_ranks;
}
halo_status start(halo_ranks *ranks, const void *mine, size_t bytes) {
    const std::lock_guard lock(meeting->mutex);
    if (!meeting->fails_in_start.empty()) return failed(ranks, meeting->fails_in_start);
    const size_t number = ranks->exchange++;
    if (meeting->exchanges.size() <= number) {
        meeting->exchanges.emplace_back(meeting->n_ranks);
        meeting->given.push_back(0);
    }
    meeting->exchanges[number][static_cast<size_t>(this_rank)].assign(static_cast<const char *>(mine), bytes);
    ++meeting->given[number];
    ranks->bytes = bytes;
    return HALO_SUCCESS;
}
halo_status test(halo_ranks *ranks, void *all, int32_t *done) {
    const std::lock_guard lock(meeting->mutex);
    if (!meeting->fails_in_test.empty()) return failed(ranks, meeting->fails_in_test);
    const size_t number = ranks->exchange - 1;
    *done = meeting->given[number] == meeting->n_ranks ? 1 : 0;
    for (size_t rank = 0; *done != 0 && rank < meeting->exchanges[number].size(); ++rank)
        std::memcpy(static_cast<char *>(all) + rank * ranks->bytes, meeting->exchanges[number][rank].data(), ranks->bytes);
    return HALO_SUCCESS;
}
int32_t query(const halo_host *, char *, size_t) { return 1; }

const halo_bootstrap_ops ops = { sizeof ops, open, close, identify, start, test };
const halo_bootstrap_plugin threads = { HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof threads, "threads", "1", query, &ops };

struct OneRank {
    std::string report;
    halo_host host{};
    std::vector<std::string> told;

    OneRank() {
        host.struct_size = sizeof host;
        host.core = this;
        host.report = [](void *core, const char *text) { static_cast<OneRank *>(core)->report = text; };
    }
    StartedRanks come(double time_limit = 60, double warn_after = 0) {
        return StartedRanks({ &threads, "", "for this test" }, host, report, time_limit, warn_after,
                            [this](const std::string &text) { told.push_back(text); });
    }
};

// Runs it in a thread for each rank.
template <class Do>
void with_ranks(int32_t n, Do &&what) {
    Meeting among;
    among.n_ranks = n;
    meeting = &among;
    std::vector<std::thread> all;
    all.reserve(static_cast<size_t>(n));
    for (int32_t rank = 0; rank < n; ++rank)
        all.emplace_back([&, rank] {
            this_rank = rank;
            OneRank one;
            what(one, rank);
            EXPECT_EQ(n_open, 0);
        });
    for (std::thread &thread : all) thread.join();
    meeting = nullptr;
}

TEST(StartedRanks, AllIsGatheredAgainAndAgain) {
    for (const int32_t n : { 1, 2, 5 })
        with_ranks(n, [&](OneRank &one, int32_t rank) {
            StartedRanks ranks = one.come();
            EXPECT_EQ(ranks.given().rank, rank);
            EXPECT_EQ(ranks.given().n_ranks, n);
            EXPECT_EQ(ranks.text(), "the bootstrap threads: for this test");
            for (int32_t round = 0; round < 10; ++round) {
                const int32_t mine[2] = { rank, round };
                std::vector<int32_t> all(2 * static_cast<size_t>(n), -1);
                ASSERT_EQ(ranks.given().allgather(ranks.given().user, mine, sizeof mine, all.data()), HALO_SUCCESS);
                for (int32_t r = 0; r < n; ++r) {
                    EXPECT_EQ(all[2 * static_cast<size_t>(r)], r);
                    EXPECT_EQ(all[2 * static_cast<size_t>(r) + 1], round);
                }
            }
            EXPECT_EQ(ranks.together([&] { return rank + 7; }), rank + 7);
        });
}

// The first of two that fail is named to those that do not; these have their own text.
TEST(StartedRanks, WhatFailsOnOneFailsOnAll) {
    const std::string long_text(1000, '-');
    with_ranks(5, [&](OneRank &one, int32_t rank) {
        StartedRanks ranks = one.come();
        const auto doing = [&] {
            ranks.together([&] {
                if (rank == 2) fail(HALO_ERR_PLUGIN, "no wire: %s", long_text.c_str());
                if (rank == 3) fail(HALO_ERR_CONFIG, "no name");
                return 0;
            });
        };
        if (rank == 2)
            expect_failure(HALO_ERR_PLUGIN, { "no wire: ---", long_text.c_str() }, doing);
        else if (rank == 3)
            expect_failure(HALO_ERR_CONFIG, { "no name" }, doing);
        else
            expect_failure(HALO_ERR_PEER,
                           { "bootstrap threads: another rank has given it up", "first cause, on rank 2: HALO_ERR_PLUGIN: no wire: ---" }, doing);
    });
}

TEST(StartedRanks, TimeLimitAndWarnings) {
    Meeting among;
    among.n_ranks = 2; // the other one never comes
    meeting = &among;
    this_rank = 1;
    OneRank one;
    {
        StartedRanks ranks = one.come(0.3, 0.1);
        char all[2];
        expect_failure(HALO_TIMEOUT, { "timed out after 0.3 s: bootstrap threads, rank 1 of 2: not all ranks have come" },
                       [&] { ranks.allgather("x", 1, all); });
    }
    ASSERT_GE(one.told.size(), 1u);
    EXPECT_NE(one.told[0].find("waiting for 0 s: bootstrap threads, rank 1 of 2: not all ranks have come"), std::string::npos) << one.told[0];
    EXPECT_LE(one.told.size(), 2u); // the second when the wait has doubled
    Meeting another;
    another.n_ranks = 2;
    meeting = &another;
    {
        StartedRanks ranks = one.come(0.1); // who fails has his own text, even if nobody hears it
        expect_failure(HALO_ERR_PLUGIN, { "no wire" }, [&] { ranks.together([]() -> int { fail(HALO_ERR_PLUGIN, "no wire"); }); });
    }
    EXPECT_EQ(n_open, 0);
}

// A transport makes of it what it will; what is told is what happened.
TEST(StartedRanks, FailuresOfTheModule) {
    Meeting among;
    meeting = &among;
    this_rank = 0;
    OneRank one;
    char all[1];
    {
        StartedRanks ranks = one.come();
        among.fails_in_start = "the daemon has gone";
        expect_failure(HALO_ERR_TRANSPORT, { "bootstrap threads cannot exchange addresses: the daemon has gone" },
                       [&] { ranks.allgather("x", 1, all); });
        expect_failure(HALO_ERR_TRANSPORT, { "the daemon has gone" }, [&] {
            ranks.opens([&] {
                EXPECT_EQ(ranks.given().allgather(ranks.given().user, "x", 1, all), HALO_ERR_TRANSPORT);
                fail(HALO_ERR_PLUGIN, "cannot be opened");
            });
        });
        among.fails_in_start = "";
        among.fails_in_test = "no such key";
        expect_failure(HALO_ERR_TRANSPORT, { "cannot exchange addresses: no such key" }, [&] { ranks.allgather("x", 1, all); });
        EXPECT_EQ(n_open, 1);
    }
    this_rank = 3;
    expect_failure(HALO_ERR_PLUGIN, { "bootstrap threads tells of rank 3 of 1" }, [&] { one.come(); });
    EXPECT_EQ(n_open, 0);
}

} // namespace
} // namespace halo
