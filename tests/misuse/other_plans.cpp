// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose exchanges differ: what differs is named on every rank, with both values, whatever the number of fields and however short the timeout.
// And a peer that is late in the middle of a run of several rounds.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "halo.h"

namespace {

// A rank's share of a grid with one block a rank along each direction.
struct Grid {
    int32_t n_blocks[2] = { 2, 1 };
    int32_t periodic = 0;
    int n_fields = 1;
    int32_t ghost_low = 1;
    int32_t ghost_high = 1;
    int32_t ghosts_of_last = 1;
    halo_exchange_desc exchange = HALO_EXCHANGE_DESC_INIT;
};

std::string name_of(int field) {
    std::string name = "u";
    return name.append(std::to_string(field));
}

struct Rank {
    halo_context *context = nullptr;
    halo_topology *topology = nullptr;
    std::vector<halo_field *> fields;
    halo_exchange *x = nullptr;

    Rank(halo_inproc *group, int32_t rank, const Grid &grid) {
        EXPECT_EQ(halo_context_create_inproc(group, rank, nullptr, &context), HALO_SUCCESS) << halo_last_error();
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2;
        for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = grid.n_blocks[d], blocks.n_cells[d] = 4;
        blocks.periodic[0] = grid.periodic;
        EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &topology), HALO_SUCCESS) << halo_last_error();
        for (int i = 0; i < grid.n_fields; ++i) {
            const std::string name = name_of(i);
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = name.c_str();
            for (int d = 0; d < 2; ++d) desc.ghost_low[d] = grid.ghost_low, desc.ghost_high[d] = grid.ghost_high;
            if (i + 1 == grid.n_fields && i > 0) desc.ghost_low[0] = grid.ghosts_of_last;
            fields.push_back(nullptr);
            EXPECT_EQ(halo_field_create(topology, &desc, &fields.back()), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(halo_field_allocate(fields.back(), -1), HALO_SUCCESS) << halo_last_error();
        }
        EXPECT_EQ(halo_exchange_create(fields.data(), grid.n_fields, &grid.exchange, &x), HALO_SUCCESS) << halo_last_error();
    }
    ~Rank() {
        if (halo_exchange_destroy(&x) == HALO_BUSY) {
            EXPECT_EQ(halo_exchange_abandon(x), HALO_SUCCESS);
            EXPECT_EQ(halo_exchange_destroy(&x), HALO_SUCCESS);
        }
        for (halo_field *&field : fields) EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
        EXPECT_EQ(halo_topology_destroy(&topology), HALO_SUCCESS);
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS) << halo_last_error();
    }
    halo_status start(const halo_run *run = nullptr) const { return halo_exchange_start(x, run, HALO_STREAM_NONE); }
    halo_status finish() const { return halo_exchange_finish(x, HALO_STREAM_NONE); }
    halo_status exchange(const halo_run *run = nullptr) const {
        const halo_status status = start(run);
        return status == HALO_SUCCESS ? finish() : status;
    }
};

void expect_text(const std::vector<std::string> &parts) {
    const std::string text = halo_last_error();
    for (const std::string &part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

void on_ranks(int32_t n, const std::function<void(halo_inproc *, int32_t)> &body) {
    halo_inproc *group = nullptr;
    ASSERT_EQ(halo_inproc_create(n, &group), HALO_SUCCESS);
    std::vector<std::thread> others;
    for (int32_t rank = 1; rank < n; ++rank) others.emplace_back(body, group, rank);
    body(group, 0);
    for (std::thread &other : others) other.join();
    EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS) << halo_last_error();
}

// ---- fields

// Of `n` fields the last has a ghost layer more on rank 1.
Grid many_fields(int n, int32_t rank, double timeout) {
    Grid grid;
    grid.n_fields = n;
    grid.ghosts_of_last = 1 + rank;
    grid.exchange.timeout_seconds = timeout;
    return grid;
}

// More of them than a handshake has room for, too.
TEST(ManyFields, GhostsOfTheLastDiffer) {
    for (const int n : { 2, 8, 40, 500 })
        on_ranks(2, [&](halo_inproc *group, int32_t rank) {
            const Rank end(group, rank, many_fields(n, rank, 10));
            EXPECT_EQ(end.exchange(), HALO_ERR_MISMATCH) << n;
            const std::string last = name_of(n - 1);
            expect_text({ "the plans of rank", "field " + last + ": 1 ghost layers on rank 0, 2+1, 1+1 on rank 1" });
            EXPECT_EQ(end.exchange(), HALO_ERR_MISMATCH) << n;
            expect_text({ "field " + last + ": 1 ghost layers on rank 0" });
        });
}

TEST(ManyFields, AreNamedHoweverShortTheTimeoutIs) {
    for (const int n : { 8, 40 })
        on_ranks(2, [&](halo_inproc *group, int32_t rank) {
            const Rank end(group, rank, many_fields(n, rank, 0.001));
            EXPECT_EQ(end.start(), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
            EXPECT_EQ(end.finish(), HALO_ERR_MISMATCH) << n;
            expect_text({ "field " + name_of(n - 1) + ": 1 ghost layers on rank 0, 2+1, 1+1 on rank 1" });
        });
}

struct Masks {
    const char *name;
    std::vector<int> left_out[2]; // by rank
    std::vector<std::string> words[2];
};

// More than a header has bits for: then it has a sum, out of which a few that differ can be found.
TEST(ManyFields, MasksThatDifferAreNamed) {
    constexpr int n = 40;
    const std::string one = "rank 0 runs 40 of 40 fields with u39, rank 1 39 of 40 fields without u39";
    const std::string two = "rank 0 runs 39 of 40 fields with u39 without u0, rank 1 39 of 40 fields with u0 without u39";
    const std::string three = "rank 0 runs 38 of 40 fields with u39 without u0, u33, rank 1 39 of 40 fields with u0, u33 without u39";
    const Masks variants[] = { { "one", { {}, { 39 } }, { { one }, { one } } },
                               { "two", { { 0 }, { 39 } }, { { two }, { two } } },
                               { "three", { { 0, 33 }, { 39 } }, { { three }, { three } } },
                               { "many",
                                 { { 0, 1, 2, 3 }, { 4, 5, 6, 7, 8 } },
                                 { { "rank 0 runs 36 of 40 fields, rank 1 others" }, { "rank 0 runs others", "rank 1 35 of 40 fields" } } } };
    for (const Masks &masks : variants)
        on_ranks(2, [&](halo_inproc *group, int32_t rank) {
            SCOPED_TRACE(masks.name);
            Grid grid;
            grid.n_fields = n;
            grid.exchange.timeout_seconds = 10;
            const Rank end(group, rank, grid);
            std::vector<int32_t> mask(n, 1);
            for (const int field : masks.left_out[rank]) mask[static_cast<size_t>(field)] = 0;
            halo_run run = HALO_RUN_INIT;
            run.n_fields = n, run.field_mask = mask.data();
            EXPECT_EQ(end.exchange(&run), HALO_ERR_MISMATCH);
            expect_text({ "run 1 is narrowed differently" });
            expect_text(masks.words[rank]);
            EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
        });
}

// A run without values on all ranks is one as any.
TEST(ManyFields, AMaskThatLeavesNoFieldDiffersFromOneThatLeavesSome) {
    for (const int n : { 3, 40 })
        on_ranks(2, [&](halo_inproc *group, int32_t rank) {
            Grid grid;
            grid.n_fields = n;
            grid.exchange.timeout_seconds = 10;
            const Rank end(group, rank, grid);
            const std::vector<int32_t> none(static_cast<size_t>(n), 0);
            halo_run nothing = HALO_RUN_INIT;
            nothing.n_fields = n, nothing.field_mask = none.data();
            EXPECT_EQ(end.exchange(&nothing), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(end.exchange(rank == 0 ? &nothing : nullptr), HALO_ERR_MISMATCH) << n;
            expect_text({ "run 2 is narrowed differently", "rank 0 runs no field" });
            EXPECT_EQ(end.exchange(&nothing), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
        });
}

// ---- rounds

class Rounds : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Messages, Rounds, testing::Values(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));

// Values flow upwards alone. The sweep along x has nobody; that along y waits for a peer that is two runs behind.
TEST_P(Rounds, APeerThatIsLateBetweenTwoRoundsIsWaitedForAgain) {
    std::atomic<bool> timed_out{ false };
    on_ranks(2, [&](halo_inproc *group, int32_t rank) {
        Grid grid;
        grid.n_blocks[0] = 1, grid.n_blocks[1] = 2;
        grid.ghost_high = 0;
        grid.exchange.pattern = HALO_PATTERN_SWEEPS;
        grid.exchange.source_stable = 1;
        grid.exchange.messages = GetParam();
        grid.exchange.timeout_seconds = rank == 0 ? 0.05 : 20;
        const Rank end(group, rank, grid);
        if (rank == 0) {
            for (halo_status status = end.exchange(); status != HALO_SUCCESS; status = end.finish()) ASSERT_EQ(status, HALO_TIMEOUT);
            for (int run = 1; run < 3; ++run) EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(end.start(), HALO_SUCCESS) << halo_last_error();
            for (int time = 0; time < 2; ++time) {
                EXPECT_EQ(end.finish(), HALO_TIMEOUT);
                expect_text({ "run 4: the last two runs have not been taken by rank 1" });
            }
            timed_out = true;
            halo_status status = HALO_TIMEOUT;
            while (status == HALO_TIMEOUT) status = end.finish();
            EXPECT_EQ(status, HALO_SUCCESS) << halo_last_error();
        } else {
            EXPECT_EQ(end.finish(), HALO_ERR_STATE);
            expect_text({ "finish is illegal: the exchange is idle" });
            EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
            while (!timed_out) std::this_thread::yield();
            for (int run = 1; run < 4; ++run) EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
        }
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
    });
}

// ---- ranks that do not look at each other

// Runs until the exchange fails, long before the time limit: whoever waits for a rank that never comes hears of it from others, without asking.
void run_until_it_fails(const Rank &end, int32_t rank, const std::vector<std::string> &words) {
    EXPECT_EQ(halo_context_set(end.context, "wait.ask_after", "0"), HALO_SUCCESS);
    halo_status status = HALO_SUCCESS;
    for (int run = 0; run < 8 && status == HALO_SUCCESS; ++run) status = end.exchange();
    EXPECT_TRUE(status == HALO_ERR_MISMATCH || status == HALO_ERR_PEER) << status;
    expect_text(words);
    expect_text({ "on rank 0" });
    if (status == HALO_ERR_PEER) expect_text({ "has no part in run", "first cause, on rank", "HALO_ERR_MISMATCH" });
    EXPECT_TRUE(end.exchange() != HALO_SUCCESS) << rank;
    expect_text(words);
    EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS) << halo_last_error();
}

// With the stencil of faces rank 0 never looks at rank 3, which waits for it. Ranks 1 and 2, which find the difference, have sent to rank 3 by then.
TEST_P(Rounds, AStencilThatDiffersIsNamedOnEveryRank) {
    on_ranks(4, [&](halo_inproc *group, int32_t rank) {
        Grid grid;
        grid.n_blocks[1] = 2;
        grid.exchange.messages = GetParam();
        grid.exchange.timeout_seconds = 20;
        if (rank == 0) grid.exchange.stencil = HALO_STENCIL_FACES;
        const Rank end(group, rank, grid);
        run_until_it_fails(end, rank, { "kind: ghosts, stencil of faces on rank 0, ghosts, full stencil on rank" });
    });
}

// Rank 0 waits for the last rank of the chain, which knows nothing of it.
TEST_P(Rounds, APeriodThatDiffersIsNamedOnEveryRank) {
    on_ranks(4, [&](halo_inproc *group, int32_t rank) {
        Grid grid;
        grid.n_blocks[0] = 4;
        grid.periodic = rank == 0;
        grid.exchange.messages = GetParam();
        grid.exchange.timeout_seconds = 20;
        const Rank end(group, rank, grid);
        run_until_it_fails(end, rank,
                           { "topology of field u0: 4x1 blocks of 4x4 cells, periodic along x on rank 0, 4x1 blocks of 4x4 cells on rank 1" });
    });
}

} // namespace
