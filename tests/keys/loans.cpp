// SPDX-License-Identifier: BSD-3-Clause
// Contributions that are read in the storage of the rank that has them: when they are, when they must not be, and that the result is always the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ranks.h"

namespace {

using conformance::Rank;

const conformance::Settings whenever_possible = { { "shared_memory.least", "0" }, { "path", "direct" }, { "check", "no" } };
constexpr int32_t n_owned = 5, n_shared = 3, n_points = n_owned + 2 * n_shared;

// Which ranks have any.
using HasCopies = bool (*)(int32_t rank);

bool everybody(int32_t) { return true; }

// Each rank has copies of the first points of the ranks above and below it, and adds what they hold to these.
class Cycle {
public:
    explicit Cycle(const Rank &self, int32_t source_stable = 1, int32_t n_sets = 1, HasCopies has_copies = everybody)
        : self_(self),
          has_copies_(has_copies) {
        std::vector<int32_t> ranks;
        std::vector<uint32_t> indices;
        for (uint32_t i = 0; i < n_shared && has_copies(self.rank); ++i)
            for (const int32_t from : { above(), below() }) {
                ranks.push_back(from);
                indices.push_back(i);
            }
        halo_star_desc star = HALO_STAR_DESC_INIT;
        star.n_points = n_points;
        star.n_leaves = static_cast<int64_t>(ranks.size());
        star.ranks = ranks.data();
        star.indices = indices.data();
        OK(halo_topology_create_star(self.context, &star, &topology_));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "load";
        desc.n_sets = n_sets;
        OK(halo_field_create(topology_, &desc, &field_));
        OK(halo_field_allocate(field_, -1));
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.kind = HALO_KIND_REVERSE;
        how.source_stable = source_stable;
        OK(halo_exchange_create(&field_, 1, &how, &exchange_));
    }
    ~Cycle() {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology_);
    }

    double *data(int32_t set = 0) const {
        void *storage = nullptr;
        OK(halo_field_data(field_, self_.rank, set, &storage));
        return static_cast<double *>(storage);
    }
    void fill(double *storage, int64_t time) const {
        for (int32_t i = 0; i < n_points; ++i) storage[i] = value(self_.rank, i, time);
    }
    void expect(const double *storage, int64_t time) const {
        for (int32_t i = 0; i < n_points; ++i) {
            double wanted = value(self_.rank, i, time);
            if (i < n_shared && has_copies_(below())) wanted += value(below(), n_owned + 2 * i, time);
            if (i < n_shared && has_copies_(above())) wanted += value(above(), n_owned + 2 * i + 1, time);
            EXPECT_EQ(storage[i], wanted) << "rank " << self_.rank << ", point " << i << ", time " << time;
        }
    }
    void exchange(double *storage, int64_t time, const halo_run *run = nullptr) const {
        fill(storage, time);
        OK(halo_exchange_start(exchange_, run, HALO_STREAM_NONE));
        OK(halo_context_barrier(self_.context));
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        expect(storage, time);
        OK(halo_context_barrier(self_.context));
    }
    // Rank 0 ends its run later than all others.
    void exchange_late(int64_t time, std::chrono::milliseconds late) const {
        fill(data(), time);
        OK(halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE));
        if (self_.rank == 0) std::this_thread::sleep_for(late);
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        expect(data(), time);
    }
    // In the first run the ranks tell each other where their storage is, in the second that they know.
    void know_each_other() const {
        for (int64_t time = 0; time < 2; ++time) {
            exchange(data(), time);
            EXPECT_TRUE(time == 1 || stats().messages_landed == 0);
        }
    }
    halo_exchange_stats stats() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(exchange_, &stats));
        return stats;
    }
    std::string described() const { return conformance::description_of(exchange_); }
    bool is_beside_rank_0() const { return self_.rank != 0 && (above() == 0 || below() == 0); }
    int64_t bytes_sent() const { return self_.size == 1 ? 0 : 2 * n_shared * static_cast<int64_t>(sizeof(double)); }
    int32_t n_peers() const { return std::min(self_.size - 1, 2); }
    halo_exchange *handle() const { return exchange_; }
    halo_field *field() const { return field_; }

private:
    int32_t above() const { return (self_.rank + 1) % self_.size; }
    int32_t below() const { return (self_.rank + self_.size - 1) % self_.size; }
    static double value(int64_t rank, int64_t point, int64_t time) { return static_cast<double>(time * 10000 + rank * 100 + point); }

    const Rank &self_;
    HasCopies has_copies_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

class Loans : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Loans, testing::ValuesIn(conformance::rank_counts()));

constexpr std::chrono::milliseconds very_late(30);

// Only what the caller keeps unchanged. Whether a peer reads in time depends on the machine, the result does not.
TEST_P(Loans, OnlyOfWhatStaysUnchanged) {
    conformance::run(GetParam(), whenever_possible, [](Rank &self) {
        for (const int32_t stable : { 0, 1 }) {
            const Cycle cycle(self, stable);
            cycle.know_each_other();
            for (int64_t time = 2; time < 40; ++time) {
                cycle.exchange(cycle.data(), time);
                EXPECT_TRUE(stable || cycle.stats().messages_landed == 0);
            }
        }
    });
}

// A rank that allows or promises something else than the others takes messages, and sends them. Whatever it is, the result is the same.
TEST_P(Loans, OnlyToWhoReadsThem) {
    const struct {
        const char *key, *value;
        bool reads;
    } cases[] = { { "path", "message", false },
                  { "path", "slot", false },
                  { "path", "put", false },
                  { "path", "get", true },
                  { "path", "auto", true },
                  { "shared_memory", "no", false },
                  { "shared_memory.least", "1MiB", true } };
    static constexpr HasCopies ways[] = { everybody, [](int32_t rank) { return rank == 0; }, [](int32_t rank) { return rank != 0; } };
    for (const int32_t other : { 0, 1 })
        for (const auto &one : cases) {
            const auto settings = [&](int32_t rank) {
                conformance::Settings all = whenever_possible;
                if (rank == other) all.emplace_back(one.key, one.value);
                return all;
            };
            conformance::run_each(GetParam(), settings, [&](Rank &self) {
                for (const HasCopies has_copies : ways) {
                    const Cycle cycle(self, 1, 1, has_copies);
                    for (int64_t time = 0; time < 24; ++time) cycle.exchange(cycle.data(), time);
                    EXPECT_TRUE(self.rank != other || one.reads || cycle.stats().messages_landed == 0) << one.key << " " << one.value;
                }
            });
        }
}

TEST_P(Loans, AreDescribed) {
    const std::pair<const char *, const char *> cases[] = { { "get", "from storage to storage: as set" },
                                                            { "slot", "the storage of the two ranks is not memory that both see and use" } };
    for (const auto &[path, why] : cases) {
        const auto settings = [path = path](int32_t rank) {
            conformance::Settings all = whenever_possible;
            if (rank == 0) all.emplace_back("path", path);
            return all;
        };
        conformance::run_each(GetParam(), settings, [why = why](Rank &self) {
            const Cycle cycle(self, 1, 1, [](int32_t rank) { return rank == 1; });
            for (int64_t time = 0; time < 6; ++time) cycle.exchange(cycle.data(), time);
            if (self.size == 2 && self.rank == 1) {
                EXPECT_NE(cycle.described().find(why), std::string::npos) << cycle.described();
            }
        });
    }
}

// Nor to a rank that alone does not promise to keep its own values unchanged, nor by one that alone does.
TEST_P(Loans, OnlyBetweenThoseThatPromiseAlike) {
    conformance::run(GetParam(), whenever_possible, [](Rank &self) {
        for (const int32_t stable : { 0, 1 })
            for (const int32_t other : { 0, 1 }) {
                const Cycle cycle(self, self.rank == other ? stable : 1 - stable);
                for (int64_t time = 0; time < 24; ++time) cycle.exchange(cycle.data(), time);
                EXPECT_TRUE(self.rank != other || cycle.stats().messages_landed == 0);
            }
    });
}

// While rank 0 is late with the end of its run, its peers read what it has lent.
TEST_P(Loans, AreReadWhereTheyLie) {
    conformance::run(GetParam(), whenever_possible, [](Rank &self) {
        const Cycle cycle(self);
        cycle.know_each_other();
        for (int64_t time = 2; time < 5; ++time) {
            const int64_t before = cycle.stats().messages_landed;
            cycle.exchange_late(time, std::chrono::milliseconds(100));
            if (self.rank == 0) {
                EXPECT_EQ(cycle.stats().messages_landed - before, cycle.n_peers());
            }
            OK(halo_context_barrier(self.context));
        }
    });
}

// The peer does not wait for a late reader, it sends what it has lent. After a while it is not tried every time.
TEST_P(Loans, AreTakenBackFromALateReader) {
    conformance::run(GetParam(), whenever_possible, [](Rank &self) {
        const Cycle cycle(self);
        cycle.know_each_other();
        constexpr int64_t n_runs = 10;
        const halo_exchange_stats before = cycle.stats();
        for (int64_t time = 2; time < 2 + n_runs; ++time) {
            cycle.exchange_late(time, very_late);
            for (int32_t i = n_owned; i < n_points; ++i) cycle.data()[i] = -1; // the run is over: they may change
            OK(halo_context_barrier(self.context));
        }
        const halo_exchange_stats after = cycle.stats();
        const int64_t most = n_runs * cycle.n_peers(), more = after.messages_sent - before.messages_sent - most;
        EXPECT_LE(more, most);
        // Ranks that share a core may be late too.
        EXPECT_TRUE(more > 0 || !cycle.is_beside_rank_0()) << more << " messages sent after all";
        EXPECT_EQ(after.payload_bytes - before.payload_bytes, n_runs * cycle.bytes_sent()); // once, whichever way
    });
}

// A peer may take back what test has seen as lent: unpack gets its message.
TEST_P(Loans, WithPhases) {
    conformance::run(GetParam(), whenever_possible, [](Rank &self) {
        const Cycle cycle(self);
        cycle.know_each_other();
        const halo_run run = HALO_RUN_INIT;
        for (int64_t time = 2; time < 12; ++time) {
            cycle.fill(cycle.data(), time);
            OK(halo_exchange_post(cycle.handle(), &run));
            while (halo_exchange_send(cycle.handle(), HALO_STREAM_NONE) == HALO_BUSY) {}
            int32_t done = 0;
            while (!done) OK(halo_exchange_test(cycle.handle(), &done));
            if (self.rank == time % self.size) std::this_thread::sleep_for(very_late);
            OK(halo_exchange_unpack(cycle.handle(), HALO_STREAM_NONE));
            OK(halo_exchange_refine(cycle.handle(), HALO_STREAM_NONE));
            cycle.expect(cycle.data(), time);
            OK(halo_context_barrier(self.context));
        }
    });
}

TEST_P(Loans, FollowSetsAndPointersOfEachRun) {
    conformance::run(GetParam(), whenever_possible, [](Rank &self) {
        const Cycle cycle(self, 1, 2);
        cycle.know_each_other();
        std::vector<double> own(n_points);
        for (int64_t time = 2; time < 14; ++time) {
            const int32_t set = time % 3 == 1;
            halo_run run = HALO_RUN_INIT;
            run.n_fields = 1, run.sets = &set;
            void *pointer = own.data();
            if (time % 3 == 2) run.data = &pointer, run.n_data = 1; // not in shared memory: no other rank can reach it
            double *storage = time % 3 == 2 ? own.data() : cycle.data(set);
            const int64_t before = cycle.stats().messages_landed;
            cycle.exchange(storage, time, &run);
            if (time % 3 == 2) {
                EXPECT_EQ(cycle.stats().messages_landed, before);
            }
        }
    });
}

TEST_P(Loans, FollowANewLayout) {
    conformance::run(GetParam(), whenever_possible, [](Rank &self) {
        const Cycle cycle(self);
        cycle.know_each_other();
        for (int64_t time = 2; time < 8; ++time) {
            const int64_t lead = time / 2 + self.rank; // on every rank another
            if (time % 2 == 0) {
                halo_layout layout = HALO_LAYOUT_INIT;
                OK(halo_field_layout(cycle.field(), self.rank, &layout));
                layout.first_owned = lead;
                layout.elements = lead + n_points;
                void *memory = nullptr;
                OK(halo_memory_allocate(self.context, HALO_MEMORY_SHARED, layout.elements * 8, &memory));
                halo_binding binding = HALO_BINDING_INIT;
                binding.data = memory;
                binding.layout = &layout;
                OK(halo_field_bind(cycle.field(), self.rank, &binding));
            }
            double *storage = cycle.data() + lead;
            cycle.exchange(storage, time);
        }
    });
}

// Ranks have no storage in runs as chance has it. What they have lent, or were about to read, does not come into later runs.
TEST_P(Loans, EndWithARunThatFails) {
    conformance::run(GetParam(), whenever_possible, [](Rank &self) {
        const Cycle cycle(self);
        cycle.know_each_other();
        std::mt19937 random(7);
        for (int64_t time = 2; time < 150; ++time) {
            std::vector<bool> fails;
            for (int32_t rank = 0; rank < self.size; ++rank) fails.push_back(random() % 8 == 0);
            const bool calm = std::find(fails.begin(), fails.end(), true) == fails.end(), fails_here = fails[static_cast<size_t>(self.rank)];
            void *data = fails_here ? nullptr : cycle.data();
            halo_run run = HALO_RUN_INIT;
            run.data = &data, run.n_data = 1;
            cycle.fill(cycle.data(), time);
            halo_status status = halo_exchange_start(cycle.handle(), &run, HALO_STREAM_NONE);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(cycle.handle(), HALO_STREAM_NONE);
            if (status == HALO_SUCCESS) cycle.expect(cycle.data(), time);
            const bool allowed = fails_here ? status == HALO_ERR_UNBOUND : status == HALO_SUCCESS || (!calm && status == HALO_ERR_PEER);
            if (!allowed)
                conformance::stop("rank %d, time %d: %s: %s", self.rank, static_cast<int>(time), halo_status_name(status), halo_last_error());
        }
        cycle.exchange(cycle.data(), 150);
    });
}

// Whoever gives up its run still leaves to others what it has lent, and does not keep them.
TEST_P(Loans, SurviveWhoGivesUp) {
    conformance::run(GetParam(), whenever_possible, [](Rank &self) {
        const Cycle cycle(self);
        cycle.know_each_other();
        cycle.fill(cycle.data(), 2);
        OK(halo_exchange_start(cycle.handle(), nullptr, HALO_STREAM_NONE));
        OK(halo_context_barrier(self.context));
        if (self.rank == 0) OK(halo_exchange_abandon(cycle.handle()));
        OK(halo_context_barrier(self.context));
        if (self.rank == 0) return;
        OK(halo_exchange_finish(cycle.handle(), HALO_STREAM_NONE));
        cycle.expect(cycle.data(), 2);
    });
}

} // namespace
