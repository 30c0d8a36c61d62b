// SPDX-License-Identifier: BSD-3-Clause
// Which path values take to a rank of the same host: as set, when a peer may write ghosts itself, when it must not, and that the result is always the
// same.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "left_out.h"
#include "ranks.h"

namespace conformance {

namespace {

const conformance::LeftOutOnDevices left_out[] = {
    { "Paths.*", "of storage that ranks of a host share" },
    { "*Put.*", "of storage that ranks of a host share" },
};

const Settings whenever_possible = { { "shared_memory.least", "0" }, { "path", "direct" }, { "check", "no" } };
constexpr int64_t cells = 6, ghosts = 2, row = cells + 2 * ghosts;

// A line of parts around a ring, one on each rank. Its values tell the part, the cell and the time.
class Ring {
public:
    explicit Ring(const Rank &self, int32_t n_sets = 1) : self_(self) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1;
        blocks.n_blocks[0] = self.size;
        blocks.n_cells[0] = cells;
        blocks.periodic[0] = 1;
        OK(halo_topology_create_blocks(self.context, &blocks, &topology_));
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.name = "u";
        field.ghost_low[0] = field.ghost_high[0] = ghosts;
        field.n_sets = n_sets;
        OK(halo_field_create(topology_, &field, &field_));
        OK(halo_field_allocate(field_, -1));
        OK(halo_exchange_create(&field_, 1, nullptr, &exchange_));
    }
    ~Ring() { destroy(); }
    void destroy() {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology_);
    }

    double *data(int32_t set = 0) const {
        void *storage = nullptr;
        OK(halo_field_data(field_, self_.rank, set, &storage));
        return static_cast<double *>(storage);
    }
    static double value(int32_t part, int64_t cell, int64_t time) { return static_cast<double>(time * 10000 + int64_t{ 100 } * part + cell); }
    void fill(double *storage, int64_t time) const {
        std::fill_n(storage, row, -1.0);
        for (int64_t cell = 0; cell < cells; ++cell) storage[ghosts + cell] = value(self_.rank, cell, time);
    }
    void expect(const double *storage, int64_t time, int64_t depth = ghosts) const {
        const int32_t below = (self_.rank + self_.size - 1) % self_.size, above = (self_.rank + 1) % self_.size;
        for (int64_t g = 0; g < ghosts; ++g) {
            const bool near_low = g >= ghosts - depth, near_high = g < depth;
            EXPECT_EQ(storage[g], near_low ? value(below, cells - ghosts + g, time) : -1.0) << "rank " << self_.rank << " low " << g;
            EXPECT_EQ(storage[ghosts + cells + g], near_high ? value(above, g, time) : -1.0) << "rank " << self_.rank << " high " << g;
        }
    }
    // Rank 0 starts before all others do: they find its ghosts open.
    void start_in_order(const halo_run *run) const { start_in_order(exchange_, run); }
    void start_in_order(halo_exchange *exchange, const halo_run *run) const {
        if (self_.rank == 0) OK(halo_exchange_start(exchange, run, HALO_STREAM_NONE));
        OK(halo_context_barrier(self_.context));
        if (self_.rank != 0) OK(halo_exchange_start(exchange, run, HALO_STREAM_NONE));
    }
    void exchange(const halo_run *run) const {
        start_in_order(run);
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        OK(halo_context_barrier(self_.context));
    }
    int64_t landed() const { return stats(exchange_).messages_landed; }
    static halo_exchange_stats stats(const halo_exchange *exchange) {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(exchange, &stats));
        return stats;
    }
    std::string describe() const { return description_of(exchange_); }
    halo_exchange *handle() { return exchange_; }
    halo_field *field() const { return field_; }
    halo_topology *topology() const { return topology_; }

private:
    const Rank &self_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

// After a first run, in which the ranks get to know each other.
void know_each_other(const Ring &ring) {
    ring.fill(ring.data(), 1);
    ring.exchange(nullptr);
    ring.expect(ring.data(), 1);
    EXPECT_EQ(ring.landed(), 0);
}

bool lands_on_rank_0(const Rank &self) { return self.size > 1 && (self.rank == 1 || self.rank == self.size - 1); }

} // namespace

class Put : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Put, testing::ValuesIn(rank_counts()));

// What rank 1 of two says of itself after eight runs, in each of which it found the ghosts of rank 0 open.
std::string told_by_rank_1(const char *path) {
    std::string told;
    run(2, { { "shared_memory.least", "0" }, { "path", path }, { "check", "no" } }, [&](Rank &self) {
        const Ring ring(self);
        for (int64_t time = 1; time < 9; ++time) {
            ring.fill(ring.data(), time);
            OK(halo_context_barrier(self.context));
            ring.exchange(nullptr);
            ring.expect(ring.data(), time);
        }
        if (self.rank == 1) told = ring.describe();
    });
    return told;
}

TEST(Paths, AreForcedBySettingAndDescribed) {
    if (!threads() || !storage_is_shared()) GTEST_SKIP() << "ranks that share storage, as threads";
    const struct {
        const char *path;
        const char *most; // of the runs go this way; the first ones by message, until ranks know each other
        const char *why;
    } cases[] = { { "message", "message", "not put, as setting path; not get, as setting path" },
                  { "slot", "slot", "not put, as setting path; not get, as setting path" },
                  { "get", "slot", "not put, as setting path; not get, as values are moved, not combined" },
                  { "put", "put", "from storage to storage: as set" },
                  { "direct", "put", "from storage to storage: as set" } };
    for (const auto &one : cases) {
        const std::string told = told_by_rank_1(one.path);
        EXPECT_NE(told.find(": ghosts, full stencil; 8 runs\n"), std::string::npos) << told;
        EXPECT_NE(told.find("  from rank 0: 2 channels, at most 32 bytes; runs by message"), std::string::npos) << told;
        const size_t sent = told.find("  to rank 0: 2 channels, at most 32 bytes; runs by ");
        ASSERT_NE(sent, std::string::npos) << told;
        int message = 0, slot = 0, put = 0, get = 0;
        ASSERT_EQ(std::sscanf(told.c_str() + told.find("message", sent), "message %d, slot %d, put %d, get %d", &message, &slot, &put, &get), 4)
            << told;
        const std::map<std::string, int> counts{ { "message", message }, { "slot", slot }, { "put", put }, { "get", get } };
        EXPECT_EQ(message + slot + put + get, 8) << told;
        EXPECT_GE(counts.at(one.most), 4) << told;
        for (const auto &[path, n] : counts) EXPECT_TRUE(n == 0 || path == one.most || path == "message") << told;
        EXPECT_NE(told.find(one.why, sent), std::string::npos) << told;
    }
    EXPECT_NE(told_by_rank_1("auto").find("being measured"), std::string::npos);
}

TEST_P(Put, WhoComesLaterWritesIntoOpenGhosts) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        const Ring ring(self);
        know_each_other(ring);
        for (int64_t time = 2; time < 6; ++time) {
            const int64_t before = ring.landed();
            ring.fill(ring.data(), time);
            OK(halo_context_barrier(self.context));
            ring.exchange(nullptr);
            ring.expect(ring.data(), time);
            if (self.rank == 0) { // nobody was open yet
                EXPECT_EQ(ring.landed(), before);
            }
            if (lands_on_rank_0(self)) {
                EXPECT_GE(ring.landed(), before + 1);
            }
        }
    });
}

TEST_P(Put, NeverIfSettingSaysSo) {
    run(GetParam(), { { "shared_memory.least", "0" }, { "path", "slot" } }, [](Rank &self) {
        const Ring ring(self);
        know_each_other(ring);
        ring.fill(ring.data(), 2);
        ring.exchange(nullptr);
        ring.expect(ring.data(), 2);
        EXPECT_EQ(ring.landed(), 0);
    });
}

// Rank 0 is set to another path than the others. Those still write into each other's ghosts.
TEST_P(Put, OnlyBetweenRanksThatAreSetToIt) {
    const std::pair<const char *, bool> cases[] = { { "message", false }, { "slot", false }, { "get", false }, { "put", true }, { "auto", true } };
    for (const auto &[path, puts] : cases) {
        const auto settings = [path = path](int32_t rank) {
            Settings all = whenever_possible;
            if (rank == 0) all.emplace_back("path", path);
            return all;
        };
        run_each(GetParam(), settings, [puts = puts](Rank &self) {
            const Ring ring(self);
            know_each_other(ring);
            for (int64_t time = 2; time < 24; ++time) {
                ring.fill(ring.data(), time);
                OK(halo_context_barrier(self.context));
                ring.exchange(nullptr);
                ring.expect(ring.data(), time);
            }
            if (lands_on_rank_0(self) && self.size == 2) {
                EXPECT_EQ(ring.landed() > 0, puts);
            }
            EXPECT_TRUE(self.rank != 0 || puts || ring.landed() == 0);
        });
    }
}

TEST_P(Put, FollowsSetsAndPointersOfEachRun) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        const Ring ring(self, 2);
        know_each_other(ring);
        std::vector<double> own(row);
        for (int64_t time = 2; time < 11; ++time) {
            const int32_t set = time % 3 == 1;
            halo_run run = HALO_RUN_INIT;
            run.n_fields = 1, run.sets = &set;
            void *pointer = own.data();
            if (time % 3 == 2) run.data = &pointer, run.n_data = 1; // not in shared memory: no other rank can reach it
            double *storage = time % 3 == 2 ? own.data() : ring.data(set);
            const int64_t before = ring.landed();
            ring.fill(storage, time);
            OK(halo_context_barrier(self.context));
            ring.exchange(&run);
            ring.expect(storage, time);
            if (time % 3 == 2) {
                EXPECT_EQ(ring.landed(), before);
            }
            if (time % 3 != 2 && lands_on_rank_0(self)) {
                EXPECT_GT(ring.landed(), before);
            }
        }
    });
}

TEST_P(Put, NarrowedRunsAreMessages) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        const Ring ring(self);
        know_each_other(ring);
        halo_run narrowed = HALO_RUN_INIT;
        narrowed.depth = 1;
        ring.fill(ring.data(), 2);
        OK(halo_context_barrier(self.context));
        ring.exchange(&narrowed);
        ring.expect(ring.data(), 2, 1);
        EXPECT_EQ(ring.landed(), 0);
    });
}

// The dense field is written into the peer's storage, what is not null of the sparse one comes with the message that says so. Also in check mode.
TEST_P(Put, SparseFieldsComeByMessageBesideIt) {
    for (const char *check : { "no", "yes" }) {
        Settings settings = whenever_possible;
        settings.back().second = check;
        run(GetParam(), settings, [](Rank &self) {
            Ring ring(self);
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = "rare";
            desc.ghost_low[0] = desc.ghost_high[0] = ghosts;
            desc.sparse = 1;
            desc.fill = -1;
            halo_field *rare = nullptr;
            OK(halo_field_create(ring.topology(), &desc, &rare));
            OK(halo_field_allocate(rare, self.rank));
            void *storage = nullptr;
            OK(halo_field_data(rare, self.rank, 0, &storage));
            auto *const values = static_cast<double *>(storage);
            std::array<halo_field *, 2> fields{ ring.field(), rare };
            halo_exchange *both = nullptr;
            OK(halo_exchange_create(fields.data(), 2, nullptr, &both));
            for (int64_t time = 1; time < 9; ++time) {
                const bool null = time % 3 == 0;
                ring.fill(ring.data(), time);
                ring.fill(values, time);
                if (null) std::fill_n(values + ghosts, cells, 0.0);
                OK(halo_context_barrier(self.context));
                ring.start_in_order(both, nullptr);
                OK(halo_exchange_finish(both, HALO_STREAM_NONE));
                ring.expect(ring.data(), time);
                if (!null) ring.expect(values, time);
                for (int64_t g = 0; g < ghosts && null; ++g) EXPECT_EQ(values[g], -1.0);
                OK(halo_context_barrier(self.context));
            }
            if (lands_on_rank_0(self)) {
                EXPECT_GE(Ring::stats(both).messages_landed, 4);
            }
            EXPECT_TRUE(self.size == 1 || Ring::stats(both).sparse_null == 4) << Ring::stats(both).sparse_null;
            OK(halo_exchange_destroy(&both));
            OK(halo_field_destroy(&rare));
        });
    }
}

TEST_P(Put, FollowsANewLayout) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        const Ring ring(self);
        know_each_other(ring);
        ring.fill(ring.data(), 2);
        OK(halo_context_barrier(self.context));
        ring.exchange(nullptr);

        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(ring.field(), self.rank, &layout));
        const int64_t lead = 3 + self.rank; // on every rank another
        layout.first_owned += lead;
        layout.elements += lead;
        void *memory = nullptr;
        OK(halo_memory_allocate(self.context, HALO_MEMORY_SHARED, layout.elements * 8, &memory));
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = memory;
        binding.memory = HALO_MEMORY_SHARED; // the library would find out by itself
        binding.layout = &layout;
        OK(halo_field_bind(ring.field(), self.rank, &binding));
        for (int64_t time = 3; time < 6; ++time) {
            double *storage = ring.data() + lead;
            const int64_t before = ring.landed();
            ring.fill(storage, time);
            OK(halo_context_barrier(self.context));
            ring.exchange(nullptr);
            ring.expect(storage, time);
            if (lands_on_rank_0(self)) {
                EXPECT_GT(ring.landed(), before);
            }
        }
    });
}

// Two fields with the same points left out share the lists of their points, until one of them is bound with another layout: then each has its own to
// tell, in a block that was made for what was told first.
TEST_P(Put, FollowsANewLayoutOfOneOfTwoMappedFields) {
    if (GetParam() < 2) GTEST_SKIP() << "no peers";
    constexpr int64_t n = 600, all = 2 * n, step = 7; // no divisor of either
    run(GetParam(), whenever_possible, [&](Rank &self) {
        const int32_t below = (self.rank + self.size - 1) % self.size, above = (self.rank + 1) % self.size;
        const bool two = self.size == 2;
        const int32_t peers[] = { above, below };
        const int64_t send_offsets[] = { 0, n, n }, receive_offsets[] = { 0, two ? n : 0, n };
        std::vector<uint32_t> sent, received;
        for (uint32_t i = 0; i < n; ++i) sent.push_back(i), received.push_back(static_cast<uint32_t>(n) + i);
        halo_lists_desc lists = HALO_LISTS_DESC_INIT;
        lists.n_points = all, lists.n_peers = two ? 1 : 2, lists.peers = peers;
        lists.send_offsets = send_offsets, lists.send = sent.data(), lists.receive_offsets = receive_offsets, lists.receive = received.data();
        halo_topology *topology = nullptr;
        OK(halo_topology_create_lists(self.context, &lists, &topology));
        std::vector<int64_t> places;
        for (int64_t i = 0; i < all; ++i) places.push_back(i * step % all);
        halo_field *fields[2];
        for (int f = 0; f < 2; ++f) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = f == 0 ? "u" : "v";
            OK(halo_field_create(topology, &desc, &fields[f]));
            OK(halo_field_map_points(fields[f], self.rank, places.data(), all));
            void *memory = nullptr;
            OK(halo_memory_allocate(self.context, HALO_MEMORY_SHARED, all * 8, &memory));
            halo_binding binding = HALO_BINDING_INIT;
            binding.data = memory;
            OK(halo_field_bind(fields[f], self.rank, &binding));
        }
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(fields, 2, nullptr, &exchange));
        std::array<int64_t, 2> stride{ 1, 1 };
        for (int64_t time = 1; time < 10; ++time) {
            if (time == 5) {
                halo_layout layout = HALO_LAYOUT_INIT;
                OK(halo_field_layout(fields[1], self.rank, &layout));
                layout.stride[0] = stride[1] = 2;
                layout.elements = layout.stride[1] = layout.stride[2] = layout.component_stride = layout.place_stride = 2 * all;
                halo_binding binding = HALO_BINDING_INIT;
                binding.layout = &layout;
                OK(halo_memory_allocate(self.context, HALO_MEMORY_SHARED, layout.elements * 8, &binding.data));
                OK(halo_field_bind(fields[1], self.rank, &binding));
            }
            const auto value = [&](int32_t rank, size_t f, int64_t i) {
                return static_cast<double>(((time * 10 + rank) * 2 + static_cast<int64_t>(f)) * all + i);
            };
            const auto at = [&](size_t f, int64_t i) {
                void *data = nullptr;
                OK(halo_field_data(fields[f], self.rank, 0, &data));
                return static_cast<double *>(data) + places[static_cast<size_t>(i)] * stride[f];
            };
            for (size_t f = 0; f < 2; ++f)
                for (int64_t i = 0; i < all; ++i) *at(f, i) = i < n ? value(self.rank, f, i) : -1;
            OK(halo_context_barrier(self.context));
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
            for (size_t f = 0; f < 2; ++f)
                for (int64_t i = 0; i < n; ++i)
                    if (*at(f, n + i) != value(below, f, i))
                        stop("time %lld, field %zu, point %lld", static_cast<long long>(time), f, static_cast<long long>(i));
            OK(halo_context_barrier(self.context));
        }
        OK(halo_exchange_destroy(&exchange));
        for (halo_field *&field : fields) OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

// A rank gives up its run; the others start it later, with the gate closed to them.
TEST_P(Put, NobodyWritesIntoAnAbandonedRun) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        if (self.size == 1) return;
        Ring ring(self);
        know_each_other(ring);
        ring.fill(ring.data(), 2);
        OK(halo_context_barrier(self.context));
        if (self.rank == 0) {
            OK(halo_exchange_start(ring.handle(), nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_abandon(ring.handle()));
            ring.fill(ring.data(), 2);
        }
        OK(halo_context_barrier(self.context));
        if (self.rank != 0) OK(halo_exchange_start(ring.handle(), nullptr, HALO_STREAM_NONE));
        OK(halo_context_barrier(self.context));
        for (int64_t g = 0; g < ghosts && self.rank == 0; ++g) {
            EXPECT_EQ(ring.data()[g], -1.0);
            EXPECT_EQ(ring.data()[ghosts + cells + g], -1.0);
        }
        if (self.rank != 0) OK(halo_exchange_abandon(ring.handle()));
        OK(halo_context_barrier(self.context));
        ring.destroy();
    });
}

// The owned values may change as soon as start has returned, whichever way they went.
TEST_P(Put, OwnedValuesMayChangeAfterStart) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        Ring ring(self);
        know_each_other(ring);
        for (int64_t time = 2; time < 5; ++time) {
            ring.fill(ring.data(), time);
            OK(halo_context_barrier(self.context));
            ring.start_in_order(nullptr);
            std::fill_n(ring.data() + ghosts, cells, -7.0);
            OK(halo_exchange_finish(ring.handle(), HALO_STREAM_NONE));
            ring.expect(ring.data(), time);
            OK(halo_context_barrier(self.context));
        }
    });
}

} // namespace conformance
