// SPDX-License-Identifier: BSD-3-Clause
// What goes wrong between two ranks: one that does not come, one that fails, two that disagree. Errors name both; afterwards everything can
// go on, or be abandoned and destroyed.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "halo.h"
#include "halo_access.h"

namespace {

struct Options {
    int32_t ghosts = 1;
    int32_t n_components = 1;
    halo_type type = HALO_FLOAT64;
    const char *name = "u";
    int32_t messages = HALO_MESSAGES_AGGREGATE;
    int32_t kind = HALO_KIND_GHOSTS;
    halo_op op = HALO_SUM;
    double timeout = 10;
    bool allocate = true;
    halo_log_fn log = nullptr;
    void *log_user = nullptr;
};

// Rank's end of a ring of four blocks, two a rank.
struct Rank {
    halo_context *context = nullptr;
    halo_topology *ring = nullptr;
    halo_field *u = nullptr;
    halo_exchange *x = nullptr;

    Rank(halo_inproc *group, int32_t rank, const Options &options) {
        const halo_setting settings[] = { { "warn_after", "50ms" } };
        halo_context_options context_options = HALO_CONTEXT_OPTIONS_INIT;
        context_options.settings = settings;
        context_options.n_settings = 1;
        context_options.log = options.log ? options.log : [](void *, int32_t, const char *) {};
        context_options.log_user = options.log_user;
        EXPECT_EQ(halo_context_create_inproc(group, rank, &context_options, &context), HALO_SUCCESS) << halo_last_error();
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1;
        blocks.n_blocks[0] = 4;
        blocks.n_cells[0] = 8;
        blocks.periodic[0] = 1;
        EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &ring), HALO_SUCCESS);
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.name = options.name;
        field.type = options.type;
        field.n_components = options.n_components;
        field.ghost_low[0] = field.ghost_high[0] = options.ghosts;
        EXPECT_EQ(halo_field_create(ring, &field, &u), HALO_SUCCESS);
        if (options.allocate) {
            EXPECT_EQ(halo_field_allocate(u, -1), HALO_SUCCESS);
        }
        halo_exchange_desc exchange = HALO_EXCHANGE_DESC_INIT;
        exchange.messages = options.messages;
        exchange.kind = options.kind;
        exchange.op = options.op;
        exchange.timeout_seconds = options.timeout;
        EXPECT_EQ(halo_exchange_create(&u, 1, &exchange, &x), HALO_SUCCESS) << halo_last_error();
    }
    ~Rank() {
        if (halo_exchange_destroy(&x) == HALO_BUSY) {
            EXPECT_EQ(halo_exchange_abandon(x), HALO_SUCCESS);
            EXPECT_EQ(halo_exchange_destroy(&x), HALO_SUCCESS);
        }
        EXPECT_EQ(halo_field_destroy(&u), HALO_SUCCESS);
        EXPECT_EQ(halo_topology_destroy(&ring), HALO_SUCCESS);
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    }
    halo_status start(const halo_run *run = nullptr) const { return halo_exchange_start(x, run, HALO_STREAM_NONE); }
    halo_status finish() const { return halo_exchange_finish(x, HALO_STREAM_NONE); }
    halo_status exchange(const halo_run *run = nullptr) const {
        const halo_status status = start(run);
        return status == HALO_SUCCESS ? finish() : status;
    }
};

void expect_text(std::initializer_list<const char *> parts) {
    const std::string text = halo_last_error();
    for (const char *part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

void on_two_ranks(const std::function<void(halo_inproc *, int32_t)> &body) {
    halo_inproc *group = nullptr;
    ASSERT_EQ(halo_inproc_create(2, &group), HALO_SUCCESS);
    std::thread other([&] { body(group, 1); });
    body(group, 0);
    other.join();
    EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS) << halo_last_error();
}

class Policies : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Messages, Policies, testing::Values(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));

TEST_P(Policies, APeerThatIsLateIsNamedAndWaitedForAgain) {
    std::atomic<bool> timed_out{ false };
    std::atomic<int> warnings{ 0 };
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Options options;
        options.messages = GetParam();
        options.timeout = rank == 0 ? 0.3 : 20;
        options.log = [](void *user, int32_t level, const char *text) {
            *static_cast<std::atomic<int> *>(user) += level == 1 && std::string(text).find("rank 1") != std::string::npos;
        };
        options.log_user = &warnings;
        const Rank end(group, rank, options);
        if (rank == 0) {
            ASSERT_EQ(end.start(), HALO_SUCCESS);
            EXPECT_EQ(end.finish(), HALO_TIMEOUT);
            expect_text(
                { "over u", "run 1", "rank 1", "from rank 1 to rank 0", "stale", "not yet seen sending", "2 -> 1, field u, side x-", "8 bytes" });
            timed_out = true;
            halo_status status = HALO_TIMEOUT;
            while (status == HALO_TIMEOUT) status = end.finish();
            EXPECT_EQ(status, HALO_SUCCESS) << halo_last_error();
        } else {
            while (!timed_out) std::this_thread::yield();
            EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
        }
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
    });
    EXPECT_GT(warnings.load(), 0);
}

TEST_P(Policies, APeerThatNeverComesCanBeGivenUp) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Options options;
        options.messages = GetParam();
        options.timeout = 0.05;
        const Rank end(group, rank, options);
        if (rank == 0) {
            ASSERT_EQ(end.start(), HALO_SUCCESS);
            EXPECT_EQ(end.finish(), HALO_TIMEOUT);
            EXPECT_EQ(halo_exchange_abandon(end.x), HALO_SUCCESS);
            EXPECT_EQ(end.start(), HALO_ERR_STATE);
            expect_text({ "dead" });
        }
    });
}

TEST_P(Policies, ARankThatFailsMakesItsPeerFailAndBothGoOn) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Options options;
        options.messages = GetParam();
        options.allocate = rank == 0;
        const Rank end(group, rank, options);
        EXPECT_EQ(end.exchange(), rank == 0 ? HALO_ERR_PEER : HALO_ERR_UNBOUND);
        expect_text({ "field u, part 2 on rank 1 has no storage" });
        if (rank == 0)
            expect_text({ "rank 1 has no part in run 1; first cause, on rank 1: HALO_ERR_UNBOUND" });
        else
            EXPECT_EQ(halo_field_allocate(end.u, -1), HALO_SUCCESS);
        for (int again = 0; again < 3; ++again) EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
    });
}

// Also messages too long to be sent before they are awaited: what nobody unpacks is taken when the exchange goes.
TEST_P(Policies, NobodyWaitsForWhatWasSentInAFailedRun) {
    std::atomic<int> given_up{ 0 };
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Options options;
        options.messages = GetParam();
        options.allocate = rank == 0;
        options.n_components = 100'000;
        options.log = [](void *user, int32_t, const char *text) {
            *static_cast<std::atomic<int> *>(user) += std::string(text).find("gave up a message") != std::string::npos;
        };
        options.log_user = &given_up;
        const Rank end(group, rank, options);
        EXPECT_EQ(end.exchange(), rank == 0 ? HALO_ERR_PEER : HALO_ERR_UNBOUND);
    });
    EXPECT_EQ(given_up, 0);
}

TEST_P(Policies, APeerStillInARunThatFailedHoldsUpNobodysNext) {
    std::atomic<bool> begun{ false };
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Options options;
        options.messages = GetParam();
        options.allocate = rank == 0;
        options.timeout = rank == 0 ? 20 : 0.2;
        const Rank end(group, rank, options);
        if (rank == 0) {
            ASSERT_EQ(end.start(), HALO_SUCCESS);
            while (!begun) std::this_thread::yield();
            EXPECT_EQ(end.finish(), HALO_ERR_PEER);
            EXPECT_EQ(end.exchange(), HALO_SUCCESS) << halo_last_error();
        } else {
            EXPECT_EQ(end.start(), HALO_ERR_UNBOUND);
            EXPECT_EQ(halo_field_allocate(end.u, -1), HALO_SUCCESS);
            EXPECT_EQ(end.start(), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(end.finish(), HALO_TIMEOUT);
            begun = true;
            EXPECT_EQ(end.finish(), HALO_SUCCESS) << halo_last_error();
        }
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
    });
}

void expect_mismatch(const Options &zero, const Options &one, std::initializer_list<const char *> parts) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, rank == 0 ? zero : one);
        EXPECT_EQ(end.exchange(), HALO_ERR_MISMATCH) << halo_last_error();
        expect_text({ "the plans of rank", "rank 0", "rank 1" });
        expect_text(parts);
    });
}

TEST(BetweenRanks, OtherGhostWidths) {
    Options wide;
    wide.ghosts = 2;
    expect_mismatch({}, wide, { "field u: 1 ghost layers on rank 0, 2 on rank 1" });
}

TEST(BetweenRanks, OtherTypes) {
    Options narrow;
    narrow.type = HALO_INT64;
    expect_mismatch({}, narrow, { "field u: float64 values on rank 0, int64 on rank 1" });
}

TEST(BetweenRanks, OtherNames) {
    Options renamed;
    renamed.name = "v";
    expect_mismatch({}, renamed, { "fields: u on rank 0, v on rank 1" });
}

TEST(BetweenRanks, OtherNumbersOfComponents) {
    Options more;
    more.n_components = 3;
    expect_mismatch({}, more, { "field u: 1 components on rank 0, 3 on rank 1" });
}

TEST(BetweenRanks, OtherPolicies) {
    Options apart;
    apart.messages = HALO_MESSAGES_PER_CHANNEL;
    expect_mismatch({}, apart, { "messages: aggregate on rank 0, per channel on rank 1" });
}

TEST(BetweenRanks, OtherKinds) {
    Options reverse;
    reverse.kind = HALO_KIND_REVERSE;
    expect_mismatch({}, reverse, { "kind: ghosts, full stencil on rank 0, reverse by sum, full stencil on rank 1" });
    Options greatest = reverse;
    greatest.op = HALO_MAX;
    expect_mismatch(reverse, greatest, { "kind: reverse by sum, full stencil on rank 0, reverse by max, full stencil on rank 1" });
}

// The handshake alone tells: no time is needed for edges to be compared, however short the caller's limit is.
TEST(BetweenRanks, WhatDiffersIsNamedHoweverShortTheTimeoutIs) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Options options;
        options.ghosts = 1 + rank;
        options.timeout = 0.001;
        const Rank end(group, rank, options);
        halo_status status = end.start();
        EXPECT_EQ(status, HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
        EXPECT_EQ(end.finish(), HALO_ERR_MISMATCH) << halo_last_error();
        expect_text({ "field u: 1 ghost layers on rank 0, 2 on rank 1" });
    });
}

// "v", as large as u.
halo_field *another_field(halo_topology *ring) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "v", desc.ghost_low[0] = desc.ghost_high[0] = 1;
    halo_field *field = nullptr;
    EXPECT_EQ(halo_field_create(ring, &desc, &field), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_field_allocate(field, -1), HALO_SUCCESS) << halo_last_error();
    return field;
}

// Exchanges over u and over v, made in this order or in the other one.
struct TwoExchanges {
    explicit TwoExchanges(const Rank &end, bool v_first = false, const halo_exchange_desc *desc = nullptr) : v(another_field(end.ring)) {
        halo_field *fields[] = { end.u, v };
        for (const int i : { v_first ? 1 : 0, v_first ? 0 : 1 })
            EXPECT_EQ(halo_exchange_create(&fields[i], 1, desc, &over[i]), HALO_SUCCESS) << halo_last_error();
    }
    TwoExchanges(const TwoExchanges &) = delete;
    TwoExchanges &operator=(const TwoExchanges &) = delete;
    ~TwoExchanges() {
        for (halo_exchange *&x : over) EXPECT_EQ(halo_exchange_destroy(&x), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_field_destroy(&v), HALO_SUCCESS);
    }

    halo_field *v;
    halo_exchange *over[2] = {}; // u, v
};

// Each rank's first exchange is the other one's second.
TEST(BetweenRanks, AnotherOrderOfCreation) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, {});
        const TwoExchanges two(end, rank == 1);
        for (halo_exchange *x : two.over) EXPECT_EQ(halo_exchange_start(x, nullptr, HALO_STREAM_NONE), HALO_SUCCESS);
        for (int i = 0; i < 2; ++i) { // as they were made
            EXPECT_EQ(halo_exchange_finish(two.over[(i + rank) % 2], HALO_STREAM_NONE), HALO_ERR_MISMATCH) << halo_last_error();
            expect_text({ i == 0 ? "fields: u on rank 0, v on rank 1" : "fields: v on rank 0, u on rank 1" });
        }
    });
}

// One exchange at a time, so that each rank waits for what the other one has sent under another number.
TEST(BetweenRanks, AnotherOrderOfCreationIsNamedWhereEachIsFinishedBeforeTheNext) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, {});
        const TwoExchanges two(end, rank == 1);
        for (halo_exchange *x : two.over) {
            halo_status status = halo_exchange_start(x, nullptr, HALO_STREAM_NONE);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(x, HALO_STREAM_NONE);
            EXPECT_EQ(status, HALO_ERR_MISMATCH) << halo_last_error();
            expect_text({ "differ", " on rank 0, ", " on rank 1" });
        }
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
    });
}

// A second exchange over u, in front of which rank 1 alone has made something; what is returned destroys that.
void expect_one_more_is_named(const std::function<std::function<void()>(const Rank &end)> &make_another, const char *text) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, {});
        const std::function<void()> destroy_another = rank == 1 ? make_another(end) : [] {};
        halo_exchange *x = nullptr;
        ASSERT_EQ(halo_exchange_create(&end.u, 1, nullptr, &x), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_start(x, nullptr, HALO_STREAM_NONE), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_finish(x, HALO_STREAM_NONE), HALO_ERR_MISMATCH) << halo_last_error();
        expect_text({ "have different objects 2: ", text });
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_destroy(&x), HALO_SUCCESS) << halo_last_error();
        destroy_another();
    });
}

TEST(BetweenRanks, AnExchangeMoreOnOneRankIsNamed) {
    expect_one_more_is_named(
        [](const Rank &end) {
            halo_field *v = another_field(end.ring);
            halo_exchange *more = nullptr;
            EXPECT_EQ(halo_exchange_create(&v, 1, nullptr, &more), HALO_SUCCESS);
            return [=]() mutable {
                EXPECT_EQ(halo_exchange_destroy(&more), HALO_SUCCESS);
                EXPECT_EQ(halo_field_destroy(&v), HALO_SUCCESS);
            };
        },
        "what it is: exchange 2 over u on rank 0, exchange 2 over v on rank 1");
}

TEST(BetweenRanks, AReductionMoreOnOneRankIsNamed) {
    expect_one_more_is_named(
        [](const Rank &end) {
            halo_reduction *more = nullptr;
            EXPECT_EQ(halo_reduction_create(end.context, 3, HALO_FLOAT64, HALO_SUM, &more), HALO_SUCCESS);
            return [=]() mutable { EXPECT_EQ(halo_reduction_destroy(&more), HALO_SUCCESS); };
        },
        "what it is: exchange 2 over u on rank 0, reduction 2 of 3 values of float64 by sum on rank 1");
}

// The other one has no channels in its plan: it hears of it when it comes to a later run.
TEST(BetweenRanks, GhostsOnOneRankAloneAreNamedOnBoth) {
    std::atomic<bool> named{ false };
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Options options;
        options.ghosts = rank;
        options.timeout = 20;
        const Rank end(group, rank, options);
        if (rank == 1) {
            EXPECT_EQ(end.exchange(), HALO_ERR_MISMATCH) << halo_last_error();
            expect_text({ "field u: 0 ghost layers on rank 0, 1 on rank 1" });
            named = true;
        } else {
            halo_status status = HALO_SUCCESS;
            while (status == HALO_SUCCESS && !named) status = end.exchange();
            EXPECT_EQ(status, HALO_ERR_MISMATCH) << halo_last_error();
            expect_text({ "field u: 0 ghost layers on rank 0, 1 on rank 1" });
        }
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
    });
}

// In phases: whoever tests hears of it too.
TEST(BetweenRanks, AnotherOrderOfCreationIsNamedToThoseWhoTest) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, {});
        const TwoExchanges two(end, rank == 1);
        halo_exchange *x = two.over[0];
        EXPECT_EQ(halo_exchange_post(x, nullptr), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_send(x, HALO_STREAM_NONE), HALO_SUCCESS);
        int32_t done = 0;
        halo_status status = HALO_SUCCESS;
        while (status == HALO_SUCCESS && !done) status = halo_exchange_test(x, &done);
        EXPECT_EQ(status, HALO_ERR_MISMATCH) << halo_last_error();
        expect_text({ "rank 0", "rank 1", " have different objects ", " over u on rank ", " over v on rank " });
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
    });
}

// Made alike, run in another order.
TEST(BetweenRanks, ATimeoutTellsInWhatThePeerWaits) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, {});
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.timeout_seconds = 2;
        const TwoExchanges two(end, false, &desc);
        EXPECT_EQ(halo_exchange_start(two.over[rank], nullptr, HALO_STREAM_NONE), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_finish(two.over[rank], HALO_STREAM_NONE), HALO_TIMEOUT);
        expect_text({ rank == 0 ? "; rank 1 waits in exchange 3 over v" : "; rank 0 waits in exchange 2 over u" });
        EXPECT_EQ(halo_context_barrier(end.context), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_start(two.over[1 - rank], nullptr, HALO_STREAM_NONE), HALO_SUCCESS);
        for (halo_exchange *x : two.over) EXPECT_EQ(halo_exchange_finish(x, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
    });
}

// A square of four blocks, one a rank, in sweeps: rank 3 has no round with rank 0, and hears from rank 1 of its failure.
void sweep_without_storage_on_rank_0(halo_inproc *group, int32_t rank) {
    halo_context *context = nullptr;
    halo_topology *square = nullptr;
    halo_field *u = nullptr;
    halo_exchange *x = nullptr;
    ASSERT_EQ(halo_context_create_inproc(group, rank, nullptr, &context), HALO_SUCCESS) << halo_last_error();
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 2;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = 2, blocks.n_cells[d] = 4;
    ASSERT_EQ(halo_topology_create_blocks(context, &blocks, &square), HALO_SUCCESS) << halo_last_error();
    halo_field_desc field = HALO_FIELD_DESC_INIT;
    field.name = "u";
    for (int d = 0; d < 2; ++d) field.ghost_low[d] = field.ghost_high[d] = 1;
    ASSERT_EQ(halo_field_create(square, &field, &u), HALO_SUCCESS) << halo_last_error();
    if (rank != 0) {
        ASSERT_EQ(halo_field_allocate(u, -1), HALO_SUCCESS);
    }
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.pattern = HALO_PATTERN_SWEEPS, desc.source_stable = 1, desc.timeout_seconds = 10;
    ASSERT_EQ(halo_exchange_create(&u, 1, &desc, &x), HALO_SUCCESS) << halo_last_error();
    halo_status status = halo_exchange_start(x, nullptr, HALO_STREAM_NONE);
    if (status == HALO_SUCCESS) status = halo_exchange_finish(x, HALO_STREAM_NONE);
    EXPECT_EQ(status, rank == 0 ? HALO_ERR_UNBOUND : HALO_ERR_PEER) << rank;
    expect_text({ "field u, part 0 on rank 0 has no storage" });
    if (rank != 0) expect_text({ "first cause, on rank 0: HALO_ERR_UNBOUND: " });
    if (rank == 3) expect_text({ "rank 1 has no part in run 1" });
    EXPECT_EQ(halo_context_barrier(context), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_exchange_destroy(&x), HALO_SUCCESS);
    EXPECT_EQ(halo_field_destroy(&u), HALO_SUCCESS);
    EXPECT_EQ(halo_topology_destroy(&square), HALO_SUCCESS);
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
}

TEST(BetweenRanks, TheFirstCauseIsNamedOnEveryRank) {
    halo_inproc *group = nullptr;
    ASSERT_EQ(halo_inproc_create(4, &group), HALO_SUCCESS);
    std::vector<std::thread> others;
    for (int32_t rank = 1; rank < 4; ++rank) others.emplace_back([=] { sweep_without_storage_on_rank_0(group, rank); });
    sweep_without_storage_on_rank_0(group, 0);
    for (std::thread &other : others) other.join();
    EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS) << halo_last_error();
}

TEST(BetweenRanks, WhatIsLeftOfAContextIsNamed) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, {});
        halo_context *context = end.context;
        halo_topology *ring = end.ring;
        halo_field *u = end.u;
        EXPECT_EQ(halo_field_destroy(&u), HALO_BUSY);
        expect_text({ "field u: exchanges over it still exist: exchange", "over u" });
        EXPECT_EQ(halo_topology_destroy(&ring), HALO_BUSY);
        expect_text({ "topology: fields on it still exist: u" });
        EXPECT_EQ(halo_context_destroy(&context), HALO_BUSY);
        expect_text({ "topology with fields u" });
    });
}

TEST(BetweenRanks, OtherNarrowing) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Options options;
        options.n_components = 3;
        const Rank end(group, rank, options);
        halo_run run = HALO_RUN_INIT;
        run.first_component = rank;
        run.n_components = 1;
        EXPECT_EQ(end.exchange(&run), HALO_ERR_MISMATCH);
        expect_text({ "run 1 is narrowed differently: rank 0 runs u, components 0+1, rank 1 u, components 1+1" });
    });
}

TEST(BetweenRanks, OtherGhosts) {
    struct Variant {
        int32_t low, high; // on rank 1, along x
        const char *text;
    };
    for (const Variant &variant : { Variant{ 1, 0, "rank 0 runs u, ghosts 0 1 0, 1 0 0, rank 1 u, ghosts 1 1 0, 0 0 0" },
                                    Variant{ 0, 0, "rank 0 runs u, ghosts 0 1 0, 1 0 0, rank 1 u, ghosts 0 1 0, 0 0 0" },
                                    Variant{ 16, 0, "rank 0 runs u, ghosts 0 1 0, 1 0 0, rank 1 u, " } })
        on_two_ranks([&](halo_inproc *group, int32_t rank) {
            const Rank end(group, rank, {});
            halo_run run = HALO_RUN_INIT;
            run.has_ghosts = 1, run.ghost_low[1] = 1;
            run.ghost_low[0] = rank == 0 ? 0 : variant.low, run.ghost_high[0] = rank == 0 ? 1 : variant.high;
            EXPECT_EQ(end.exchange(&run), HALO_ERR_MISMATCH);
            expect_text({ "run 1 is narrowed differently: ", variant.text });
            if (variant.low > 15) expect_text({ rank == 0 ? "other ghosts, some more than 15 wide" : "ghosts 16 1 0, 0 0 0" });
            run = HALO_RUN_INIT;
            EXPECT_EQ(end.exchange(&run), HALO_SUCCESS) << halo_last_error();
        });
}

// One field each, of the same size: only the masks tell that they are different fields.
TEST(BetweenRanks, OtherFieldMasks) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        const Rank end(group, rank, {});
        halo_field *v = another_field(end.ring);
        halo_exchange *both = nullptr;
        halo_field *fields[] = { end.u, v };
        ASSERT_EQ(halo_exchange_create(fields, 2, nullptr, &both), HALO_SUCCESS) << halo_last_error();
        const int32_t mask[] = { rank == 0, rank == 1 };
        halo_run run = HALO_RUN_INIT;
        run.n_fields = 2, run.field_mask = mask;
        EXPECT_EQ(halo_exchange_start(both, &run, HALO_STREAM_NONE), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_finish(both, HALO_STREAM_NONE), HALO_ERR_MISMATCH);
        expect_text({ "run 1 is narrowed differently: rank 0 runs u, rank 1 v" });
        EXPECT_EQ(halo_exchange_destroy(&both), HALO_SUCCESS);
        EXPECT_EQ(halo_field_destroy(&v), HALO_SUCCESS);
    });
}

TEST(BetweenRanks, OtherSettings) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        const halo_setting settings[] = { { "messages", rank == 0 ? "aggregate" : "per_channel" } };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.settings = settings;
        options.n_settings = 1;
        halo_context *context = nullptr;
        EXPECT_EQ(halo_context_create_inproc(group, rank, &options, &context), HALO_ERR_MISMATCH);
        expect_text({ "setting messages: aggregate on rank 0, per_channel on rank 1" });
        EXPECT_EQ(context, nullptr);
    });
}

// A periodic row of 64 blocks of one cell; the ghosts of each are those of both neighbours. `fields` of values of `element_bytes` * `n_components`.
struct LargeRow {
    halo_context *context = nullptr;
    halo_topology *row = nullptr;
    std::vector<halo_field *> fields;

    LargeRow(halo_inproc *group, int32_t rank, int32_t n_ranks, int n_fields, int64_t element_bytes, int32_t n_components) {
        EXPECT_EQ(halo_context_create_inproc(group, rank, nullptr, &context), HALO_SUCCESS);
        std::vector<int32_t> owner;
        for (int32_t i = 0; i < 64; ++i) owner.push_back(i % n_ranks);
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = 64, blocks.periodic[0] = 1, blocks.owner = owner.data(), blocks.n_owner = 64;
        EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &row), HALO_SUCCESS);
        for (int i = 0; i < n_fields; ++i) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            const std::string name = "large" + std::to_string(i);
            desc.name = name.c_str(), desc.type = HALO_BYTES, desc.element_bytes = element_bytes, desc.n_components = n_components;
            desc.ghost_low[0] = desc.ghost_high[0] = 1;
            EXPECT_EQ(halo_field_create(row, &desc, &fields.emplace_back()), HALO_SUCCESS) << halo_last_error();
        }
    }
    ~LargeRow() {
        for (halo_field *&field : fields) EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
        EXPECT_EQ(halo_topology_destroy(&row), HALO_SUCCESS);
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    }
    void is_refused(std::initializer_list<const char *> parts) {
        halo_exchange *exchange = nullptr;
        EXPECT_EQ(halo_exchange_create(fields.data(), static_cast<int32_t>(fields.size()), nullptr, &exchange), HALO_ERR_LIMIT);
        expect_text(parts);
    }
};

// Each part has less than 2^60 bytes; what is exchanged has 2^64, or 3 * 2^59 in three fields.
TEST(BetweenRanks, MoreBytesThanAnExchangeCanHave) {
    on_two_ranks([](halo_inproc *group, int32_t rank) {
        const char *const other = rank == 0 ? "rank 1" : "rank 0";
        LargeRow(group, rank, 2, 1, int64_t{ 1 } << 30, 1 << 28)
            .is_refused({ "field large", "64 points of 288230376151711744 bytes", "sent to", other, "1152921504606846976" });
        LargeRow(group, rank, 2, 3, int64_t{ 1 } << 30, 1 << 23)
            .is_refused({ "the 1729382256910270464 bytes", "sends to", other, "1152921504606846976" });
        LargeRow alone(group, rank, 1, 1, int64_t{ 1 } << 30, 1 << 28); // all parts are rank 0's
        if (rank == 0) alone.is_refused({ "field large", "128 points", "copied within rank 0" });
    });
}

} // namespace
