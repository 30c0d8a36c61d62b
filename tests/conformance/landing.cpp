// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that a peer writes itself: when it does, when it must not, and that the result is always the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ranks.h"

namespace conformance {

namespace {

const Settings whenever_possible = { { "shared_memory.least", "0" }, { "shared_memory.ghosts", "always" }, { "check", "no" } };
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
    void start_in_order(const halo_run *run) const {
        if (self_.rank == 0) OK(halo_exchange_start(exchange_, run, HALO_STREAM_NONE));
        OK(halo_barrier(self_.context));
        if (self_.rank != 0) OK(halo_exchange_start(exchange_, run, HALO_STREAM_NONE));
    }
    void exchange(const halo_run *run) const {
        start_in_order(run);
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        OK(halo_barrier(self_.context));
    }
    int64_t landed() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_stats_get(exchange_, &stats));
        return stats.messages_landed;
    }
    halo_exchange *handle() { return exchange_; }
    halo_field *field() const { return field_; }

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

class Landing : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Landing, testing::ValuesIn(rank_counts()));

TEST_P(Landing, WhoComesLaterWritesIntoOpenGhosts) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        const Ring ring(self);
        know_each_other(ring);
        for (int64_t time = 2; time < 6; ++time) {
            const int64_t before = ring.landed();
            ring.fill(ring.data(), time);
            OK(halo_barrier(self.context));
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

TEST_P(Landing, NeverIfSettingSaysSo) {
    run(GetParam(), { { "shared_memory.least", "0" }, { "shared_memory.ghosts", "never" } }, [](Rank &self) {
        const Ring ring(self);
        know_each_other(ring);
        ring.fill(ring.data(), 2);
        ring.exchange(nullptr);
        ring.expect(ring.data(), 2);
        EXPECT_EQ(ring.landed(), 0);
    });
}

TEST_P(Landing, FollowsSetsAndPointersOfEachRun) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        const Ring ring(self, 2);
        know_each_other(ring);
        std::vector<double> own(row);
        for (int64_t time = 2; time < 11; ++time) {
            const int32_t set = time % 3 == 1;
            halo_run run = HALO_RUN_INIT;
            run.sets = &set;
            void *pointer = own.data();
            if (time % 3 == 2) run.data = &pointer; // not in shared memory: no other rank can reach it
            double *storage = time % 3 == 2 ? own.data() : ring.data(set);
            const int64_t before = ring.landed();
            ring.fill(storage, time);
            OK(halo_barrier(self.context));
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

TEST_P(Landing, NarrowedRunsAreMessages) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        const Ring ring(self);
        know_each_other(ring);
        halo_run narrowed = HALO_RUN_INIT;
        narrowed.depth = 1;
        ring.fill(ring.data(), 2);
        OK(halo_barrier(self.context));
        ring.exchange(&narrowed);
        ring.expect(ring.data(), 2, 1);
        EXPECT_EQ(ring.landed(), 0);
    });
}

TEST_P(Landing, FollowsANewLayout) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        const Ring ring(self);
        know_each_other(ring);
        ring.fill(ring.data(), 2);
        OK(halo_barrier(self.context));
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
        binding.layout = &layout;
        OK(halo_field_bind(ring.field(), self.rank, &binding));
        for (int64_t time = 3; time < 6; ++time) {
            double *storage = ring.data() + lead;
            const int64_t before = ring.landed();
            ring.fill(storage, time);
            OK(halo_barrier(self.context));
            ring.exchange(nullptr);
            ring.expect(storage, time);
            if (lands_on_rank_0(self)) {
                EXPECT_GT(ring.landed(), before);
            }
        }
    });
}

// A rank gives up its run; the others start it later, with the gate closed to them.
TEST_P(Landing, NobodyWritesIntoAnAbandonedRun) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        if (self.size == 1) return;
        Ring ring(self);
        know_each_other(ring);
        ring.fill(ring.data(), 2);
        OK(halo_barrier(self.context));
        if (self.rank == 0) {
            OK(halo_exchange_start(ring.handle(), nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_abandon(ring.handle()));
            ring.fill(ring.data(), 2);
        }
        OK(halo_barrier(self.context));
        if (self.rank != 0) OK(halo_exchange_start(ring.handle(), nullptr, HALO_STREAM_NONE));
        OK(halo_barrier(self.context));
        for (int64_t g = 0; g < ghosts && self.rank == 0; ++g) {
            EXPECT_EQ(ring.data()[g], -1.0);
            EXPECT_EQ(ring.data()[ghosts + cells + g], -1.0);
        }
        if (self.rank != 0) OK(halo_exchange_abandon(ring.handle()));
        OK(halo_barrier(self.context));
        ring.destroy();
    });
}

// The owned values may change as soon as start has returned, whichever way they went.
TEST_P(Landing, OwnedValuesMayChangeAfterStart) {
    run(GetParam(), whenever_possible, [](Rank &self) {
        Ring ring(self);
        know_each_other(ring);
        for (int64_t time = 2; time < 5; ++time) {
            ring.fill(ring.data(), time);
            OK(halo_barrier(self.context));
            ring.start_in_order(nullptr);
            std::fill_n(ring.data() + ghosts, cells, -7.0);
            OK(halo_exchange_finish(ring.handle(), HALO_STREAM_NONE));
            ring.expect(ring.data(), time);
            OK(halo_barrier(self.context));
        }
    });
}

} // namespace conformance
