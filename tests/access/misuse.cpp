// SPDX-License-Identifier: BSD-3-Clause
// Wrong use of batches and sections: status and text of each; afterwards the same world still works.
#include <gtest/gtest.h>

#include <cstring>

#include "left_out.h"
#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;
const conformance::LeftOutOnDevices left_out[] = {
    { "AccessMisuse.*", "of arguments, and of contexts without a device" },
    { "AccessMismatch.*", "of the host's loops" },
    { "AccessTimeout.*", "of the host's loops" },
    { "AccessStorage.MarksThatFailChangeNothing", "a device has what they lack" },
};

void expect(halo_status wanted, const char *part, halo_status got) {
    if (wanted != got || !std::strstr(halo_last_error(), part))
        stop("wanted %s with '%s', got %s: %s", halo_status_name(wanted), part, halo_status_name(got), halo_last_error());
}

Mesh line(int32_t n_ranks) {
    Mesh mesh;
    mesh.n_nodes = int64_t{ 4 } * n_ranks;
    for (int64_t i = 0; i < mesh.n_nodes; ++i) mesh.node_owner.push_back(static_cast<int32_t>(i / 4));
    for (int64_t i = 0; i + 1 < mesh.n_nodes; ++i) {
        mesh.edges.push_back({ i, i + 1 });
        mesh.edge_owner.push_back(static_cast<int32_t>(i / 4));
    }
    return mesh;
}

class AccessMisuse : public testing::Test {
protected:
    // On two ranks: every case is the same on both, and fails there before anything is sent.
    template <class Body>
    void on_both(Body &&body) {
        if (!conformance::threads()) GTEST_SKIP() << "as threads only";
        conformance::run(2, {}, [&](Rank &rank) {
            World world(rank, line(rank.size));
            const auto begin = [&](std::vector<halo_access> accesses, int32_t style = HALO_STYLE_REVERSE, int32_t where = HALO_ON_HOST) {
                halo_batch *batch = nullptr;
                return halo_access_begin(rank.context, accesses.data(), static_cast<int32_t>(accesses.size()), sizeof(halo_access), style, where,
                                         HALO_STREAM_NONE, &batch);
            };
            body(rank, world, begin);
            world.touch({ via_map(world.x, HALO_READ), via_map(world.low, HALO_ACCESS_MIN) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            world.touch({ via_map(world.low, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        });
    }
};

TEST_F(AccessMisuse, ArgumentsThatAreNone) {
    on_both([](Rank &rank, World &world, auto &&begin) {
        expect(HALO_ERR_ARGUMENT, "mode 2 is none", begin({ direct(world.x, HALO_MIN) }));
        expect(HALO_ERR_ARGUMENT, "field x: 5 is neither", begin({ { world.x, HALO_READ, 5, 0, 0, 0, 0, 0, 0 } }));
        expect(HALO_ERR_ARGUMENT, "style 7", begin({ direct(world.x, HALO_READ) }, 7));
        expect(HALO_ERR_ARGUMENT, "neither HALO_ON_HOST", begin({ direct(world.x, HALO_READ) }, HALO_STYLE_REVERSE, 3));
        expect(HALO_ERR_ARGUMENT, "sections 0x10 of field w: its topology has none",
               begin({ { world.w, HALO_READ, HALO_DIRECT, 0x10, 0, 0, 0, 0, 0 } }));
        expect(HALO_ERR_ARGUMENT, "only with HALO_WRITE", begin({ direct(world.x, HALO_RW, 1) }));
        expect(HALO_ERR_ARGUMENT, "binding set 1 does not exist", begin({ direct(world.x, HALO_READ, 0, 1) }));
        expect(HALO_ERR_ARGUMENT, "binding set -1 does not exist", halo_access_mark_dirty(world.x, -1, HALO_ON_HOST));
        for (const halo_access &access : { halo_access{ world.x, HALO_READ, HALO_VIA_MAP, 0, 0, 0, 1, 0, 0 },
                                           { world.x, HALO_RW, HALO_DIRECT, 0, 0, 0, 1, 0, 0 },
                                           { world.x, HALO_INC, HALO_VIA_MAP, 0, 0, 0, 1, 0, 0 },
                                           { world.x, HALO_RW, HALO_VIA_MAP, 0, 0, 0, 2, 0, 0 } })
            expect(HALO_ERR_ARGUMENT, "field x: may_lose is", begin({ access }));
        halo_access adds = via_map(world.res, HALO_INC);
        adds.combine_order = HALO_COMBINE_BY_RANK;
        expect(HALO_ERR_ARGUMENT, "access 1, to field res: combine_order 2 is neither", begin({ direct(world.x, HALO_READ), adds }));
        adds.combine_order = HALO_COMBINE_CANONICAL;
        expect(HALO_ERR_ARGUMENT, "field res: one loop cannot add to it by gid and in canonical order",
               begin({ adds, via_map(world.res, HALO_INC) }));
        expect(HALO_ERR_ARGUMENT, "access 0, to field res: HALO_COMBINE_CANONICAL is for", begin({ adds }, HALO_STYLE_REDUNDANT));
        adds.through = HALO_DIRECT;
        expect(HALO_ERR_ARGUMENT, "access 0, to field res: HALO_COMBINE_CANONICAL is for", begin({ adds }));
        adds.through = HALO_VIA_MAP, adds.mode = HALO_READ;
        expect(HALO_ERR_ARGUMENT, "access 0, to field res: HALO_COMBINE_CANONICAL is for", begin({ adds }));
        adds.combine_order = HALO_COMBINE_BY_GID, adds.reserved = 3;
        expect(HALO_ERR_ARGUMENT, "access 0: reserved is 3", begin({ adds }));
        expect(HALO_ERR_ARGUMENT, "the field handle is NULL", begin({ direct(nullptr, HALO_READ) }));
        expect(HALO_ERR_DEVICE, "has no memory of its own", begin({ direct(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_DEVICE));
        halo_batch *batch = nullptr;
        const halo_access one = direct(world.x, HALO_READ);
        OK(halo_access_begin(rank.context, &one, 1, offsetof(halo_access, set), HALO_STYLE_REVERSE, HALO_ON_HOST, nullptr, &batch)); // of before sets
        OK(halo_access_ready(batch));
        OK(halo_access_end(batch));
        expect(HALO_ERR_ARGUMENT, "batch of -1 accesses",
               halo_access_begin(rank.context, &one, -1, sizeof one, HALO_STYLE_REVERSE, HALO_ON_HOST, nullptr, &batch));
        expect(HALO_ERR_ARGUMENT, "'accesses' is NULL",
               halo_access_begin(rank.context, nullptr, 1, sizeof one, HALO_STYLE_REVERSE, HALO_ON_HOST, nullptr, &batch));
        expect(HALO_ERR_ARGUMENT, "style 7", begin({}, 7));
        expect(HALO_ERR_VERSION, "halo_access 0 has 4 bytes",
               halo_access_begin(rank.context, &one, 1, 4, HALO_STYLE_REVERSE, HALO_ON_HOST, nullptr, &batch));
        struct Longer {
            halo_access known;
            int64_t more;
        } longer = { one, 1 };
        expect(HALO_ERR_VERSION, "the rest is not zero",
               halo_access_begin(rank.context, &longer.known, 1, sizeof longer, HALO_STYLE_REVERSE, HALO_ON_HOST, nullptr, &batch));
        longer.more = 0;
        OK(halo_access_begin(rank.context, &longer.known, 1, sizeof longer, HALO_STYLE_REVERSE, HALO_ON_HOST, nullptr, &batch));
        OK(halo_access_ready(batch));
        OK(halo_access_end(batch));
        void *data = nullptr;
        expect(HALO_ERR_ARGUMENT, "neither HALO_ON_HOST", halo_access_data(world.x, rank.rank, 0, 9, &data));
        halo_access_stats stats = HALO_ACCESS_STATS_INIT;
        expect(HALO_ERR_NOT_FOUND, "'nothing'", halo_access_get_stats(rank.context, "nothing", &stats));
    });
}

TEST_F(AccessMisuse, WhatIsSetThroughMapsReachesOwnersInOneStyle) {
    on_both([](Rank &, World &world, auto &&begin) {
        for (const int32_t mode : { HALO_WRITE, HALO_RW }) {
            const char *const text =
                mode == HALO_RW ? "access 1, to field res: HALO_RW through a map" : "access 1, to field res: HALO_WRITE through a map";
            halo_access sets = via_map(world.res, mode);
            for (int i = 0; i < 3; ++i) {
                expect(HALO_ERR_ARGUMENT, text, begin({ direct(world.x, HALO_READ), sets }));
                sets.may_lose = 1; // also after a batch that differs in this alone
                for (const int32_t style : { HALO_STYLE_REVERSE, HALO_STYLE_REDUNDANT })
                    world.touch({ direct(world.x, HALO_READ), sets }, style, HALO_ON_HOST);
                sets.may_lose = 0;
            }
            world.touch({ direct(world.x, HALO_READ), sets }, HALO_STYLE_REDUNDANT, HALO_ON_HOST);
            world.touch({ direct(world.x, HALO_READ), direct(world.res, mode) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        }
    });
}

halo_field *extra_field(halo_topology *topology, int32_t n_sets, int32_t sparse, const char *name = "extra") {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    desc.n_sets = n_sets;
    desc.sparse = sparse;
    halo_field *field = nullptr;
    OK(halo_field_create(topology, &desc, &field));
    return field;
}

TEST_F(AccessMisuse, SparseFieldsAreForExchangesByHand) {
    on_both([](Rank &rank, World &, auto &&begin) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = rank.size, blocks.n_cells[0] = 4;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
        halo_field *sparse = extra_field(topology, 1, 1);
        expect(HALO_ERR_ARGUMENT, "field extra: it is sparse", begin({ direct(sparse, HALO_READ) }));
        expect(HALO_ERR_ARGUMENT, "halo_exchange_arrivals", begin({ direct(sparse, HALO_READ) }));
        OK(halo_field_destroy(&sparse));
        OK(halo_topology_destroy(&topology));
    });
}

TEST_F(AccessMisuse, SetsAreNamed) {
    on_both([](Rank &, World &world, auto &&begin) {
        halo_field *field = extra_field(world.nodes, 3, 0);
        OK(halo_field_allocate(field, -1));
        halo_batch *reading = world.begin({ direct(field, HALO_READ, 0, 2) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        expect(HALO_ERR_STATE, "field extra (set 2): another batch that is not ended reads it", begin({ direct(field, HALO_WRITE, 0, 2) }));
        expect(HALO_ERR_STATE, "field extra (set 2): frozen while a batch uses it", halo_access_freeze(field, 1));
        OK(halo_access_mark_dirty(field, 1, HALO_ON_HOST)); // another one; and nothing has been frozen
        OK(halo_access_ready(reading));
        OK(halo_access_end(reading));
        OK(halo_access_freeze(field, 1));
        for (const int32_t set : { 0, 1, 2 }) expect(HALO_ERR_STATE, "is frozen", begin({ direct(field, HALO_READ, 0, set) }));
        OK(halo_access_freeze(field, 0));
        world.touch({ via_map(field, HALO_INC, 0, 0), via_map(world.res, HALO_INC), via_map(field, HALO_ACCESS_MAX, 0, 1) }, HALO_STYLE_REVERSE,
                    HALO_ON_HOST);
        expect(HALO_BUSY, "field res has values pending that came from the same loop", halo_field_destroy(&field));
        world.touch({ direct(world.res, HALO_READ), direct(field, HALO_READ, 0, 1), direct(field, HALO_READ, 0, 0) }, HALO_STYLE_REVERSE,
                    HALO_ON_HOST);
        OK(halo_field_destroy(&field));
    });
}

TEST_F(AccessMisuse, PairsThatDoNotGoTogether) {
    on_both([](Rank &, World &world, auto &&begin) {
        expect(HALO_ERR_ARGUMENT, "field x: one loop cannot", begin({ via_map(world.x, HALO_READ), via_map(world.x, HALO_INC) }));
        expect(HALO_ERR_ARGUMENT, "field x: one loop cannot", begin({ via_map(world.x, HALO_ACCESS_MAX), via_map(world.x, HALO_INC) }));
        world.touch({ via_map(world.res, HALO_INC) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        expect(HALO_ERR_STATE, "marked dirty while sums are pending", halo_access_mark_dirty(world.res, 0, HALO_ON_HOST));
        OK(halo_access_freeze(world.x, 1));
        expect(HALO_ERR_STATE, "field x is frozen", begin({ direct(world.x, HALO_READ), direct(world.low, HALO_RW) }));
        expect(HALO_ERR_STATE, "field x is frozen", halo_access_mark_fresh(world.x, 0, HALO_ON_HOST));
        OK(halo_access_freeze(world.x, 0));
        if (world.state(world.low).version != 0) stop("a refused batch has changed a field");
    });
}

// The refused one keeps nothing of what was pending, which fields outlive.
TEST_F(AccessMisuse, OneThatIsRefusedBeforeWhatIsPendingHasCome) {
    on_both([](Rank &, World &world, auto &&begin) {
        halo_field *first = extra_field(world.nodes, 1, 0), *second = extra_field(world.nodes, 1, 0, "another");
        for (halo_field *field : { first, second }) OK(halo_field_allocate(field, -1));
        world.touch({ via_map(first, HALO_INC), via_map(second, HALO_INC) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        expect(HALO_ERR_DEVICE, "has no memory of its own", begin({ direct(first, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_DEVICE));
        world.touch({ direct(first, HALO_READ), direct(second, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        OK(halo_field_destroy(&second));
        OK(halo_field_destroy(&first));
    });
}

TEST_F(AccessMisuse, BatchesOutOfOrder) {
    on_both([](Rank &rank, World &world, auto &&begin) {
        halo_batch *reading = world.begin({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        expect(HALO_ERR_STATE, "end is illegal", halo_access_end(reading));
        expect(HALO_ERR_STATE, "end_and_send is illegal: the batch is not ready", halo_access_end_and_send(reading));
        expect(HALO_ERR_STATE, "another batch that is not ended reads it", begin({ direct(world.x, HALO_RW) }));
        expect(HALO_ERR_STATE, "begin is illegal", begin({ via_map(world.x, HALO_READ) }));
        OK(halo_access_ready(reading));
        expect(HALO_ERR_STATE, "ready is illegal", halo_access_ready(reading));
        expect(HALO_BUSY, "field x: a batch uses it", halo_field_destroy(&world.x));
        OK(halo_access_end(reading));
        expect(HALO_ERR_STATE, "ready is illegal: the batch is not open", halo_access_ready(reading));
        expect(HALO_ERR_STATE, "abandon is illegal", halo_access_abandon(reading));
        world.touch({ via_map(world.res, HALO_INC), via_map(world.low, HALO_INC) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        expect(HALO_BUSY, "read it before", halo_field_destroy(&world.res));
        world.touch({ direct(world.low, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        OK(halo_field_destroy(&world.res)); // its own are dropped with it
        (void)rank;
    });
}

TEST_F(AccessMisuse, GhostsThatAnotherBatchHasGivenUp) {
    on_both([](Rank &, World &world, auto &&) {
        halo_batch *first = world.begin({ via_map(world.res, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        halo_batch *second = world.begin({ via_map(world.res, HALO_READ), direct(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        OK(halo_access_abandon(first));
        expect(HALO_ERR_STATE, "field res: its ghosts have not arrived", halo_access_ready(second));
        expect(HALO_ERR_STATE, "it can only be abandoned", halo_access_ready(second));
        OK(halo_access_abandon(second));
        world.touch({ via_map(world.res, HALO_READ), direct(world.low, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST); // by an exchange of its own
    });
}

// Of a loop that uses no field.
TEST_F(AccessMisuse, AnEmptyBatchOutOfOrder) {
    on_both([](Rank &, World &world, auto &&begin) {
        halo_batch *batch = world.begin({}, HALO_STYLE_REVERSE, HALO_ON_HOST);
        expect(HALO_ERR_STATE, "batch without fields: end is illegal", halo_access_end(batch));
        expect(HALO_ERR_STATE, "batch without fields: begin is illegal", begin({}));
        OK(halo_access_ready(batch));
        OK(halo_access_abandon(batch));
        expect(HALO_ERR_STATE, "batch without fields: ready is illegal: the batch is not open", halo_access_ready(batch));
    });
}

TEST(AccessLeft, AnOpenEmptyBatchIsNamed) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(1, {}, [](Rank &rank) {
        halo_batch *batch = nullptr;
        OK(halo_access_begin(rank.context, nullptr, 0, sizeof(halo_access), HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
        halo_context *context = rank.context;
        expect(HALO_BUSY, "batch without fields that is not ended", halo_context_destroy(&context));
        OK(halo_access_abandon(batch));
    });
}

TEST_F(AccessMisuse, WhatMayNotGoYetIsUnchanged) {
    on_both([](Rank &, World &world, auto &&) {
        halo_field *field = extra_field(world.nodes, 3, 0);
        OK(halo_field_allocate(field, -1));
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, nullptr, &exchange));
        world.touch({ via_map(field, HALO_INC, 0, 0), via_map(field, HALO_READ, 0, 1) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        expect(HALO_BUSY, "exchanges over it still exist: exchange", halo_field_destroy(&field));
        if (world.state(field, 0).pending != HALO_SUM) stop("what was pending is forgotten");
        if (world.state(field, 1).freshness != HALO_FRESHNESS_VALID) stop("fresh ghosts are forgotten");
        world.touch({ direct(field, HALO_READ, 0, 0) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        if (world.state(field, 0).pending != 0) stop("what was pending was not brought to its owners");
        OK(halo_access_freeze(field, 1));
        expect(HALO_BUSY, "exchanges over it still exist: exchange", halo_field_destroy(&field));
        if (world.state(field, 2).freshness != HALO_FRESHNESS_FROZEN) stop("that it is frozen is forgotten");
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&field));
    });
}

TEST_F(AccessMisuse, Sections) {
    on_both([](Rank &, World &world, auto &&) {
        const std::vector<uint32_t> groups(world.local().nodes.size(), 1u << 20);
        const auto n = static_cast<int64_t>(groups.size());
        expect(HALO_BUSY, "fields use the topology", halo_topology_set_sections(world.nodes, groups.data(), n));
    });
    on_both([](Rank &rank, World &world, auto &&begin) {
        const uint64_t keys[] = { 1, 2 }; // on both ranks
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = 2;
        desc.keys = keys;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        uint32_t groups[] = { 1u << 20, 0 };
        expect(HALO_ERR_ARGUMENT, "groups of 1 points; this rank has 2", halo_topology_set_sections(topology, groups, 1));
        const halo_status status = halo_topology_set_sections(topology, groups, 2);
        if (rank.rank == 0) expect(HALO_ERR_PEER, "rank 1 has refused", status);
        if (rank.rank == 1) expect(HALO_ERR_ARGUMENT, "bits beyond the lowest 16", status);
        groups[0] = 2;
        OK(halo_topology_set_sections(topology, groups, 2));
        expect(HALO_ERR_STATE, "has them already", halo_topology_set_sections(topology, groups, 2));
        OK(halo_topology_destroy(&topology));
        halo_exchange *exchange = nullptr;
        halo_exchange_desc shared = HALO_EXCHANGE_DESC_INIT;
        const uint32_t some = 4;
        shared.kind = HALO_KIND_SHARED_REDUCE;
        shared.sections = &some;
        expect(HALO_ERR_ARGUMENT, "sections 0x4 of field w: its topology has none", begin({ via_map(world.w, HALO_READ, 4) }));
        expect(HALO_ERR_ARGUMENT, "a shared reduction is of all points", halo_exchange_create(&world.x, 1, &shared, &exchange));
    });
}

// One rank alone believes that ghosts are stale. In the second loop both exchange, and see that these are not the same run.
TEST(AccessMismatch, RanksThatDisagreeAreTold) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, { { "check", "no" } }, [](Rank &rank) {
        World world(rank, line(2));
        world.touch({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        if (rank.rank == 0) OK(halo_access_mark_dirty(world.x, 0, HALO_ON_HOST));
        halo_batch *batch = world.begin({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        if (rank.rank == 0) {
            expect(HALO_ERR_MISMATCH, "narrowed differently", halo_access_ready(batch));
            expect(HALO_ERR_STATE, "it can only be abandoned", halo_access_ready(batch));
            OK(halo_access_abandon(batch));
        } else {
            OK(halo_access_ready(batch));
            OK(halo_access_end(batch));
            OK(halo_access_mark_dirty(world.x, 0, HALO_ON_HOST));
            batch = world.begin({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            expect(HALO_ERR_MISMATCH, "narrowed differently", halo_access_ready(batch));
            OK(halo_access_abandon(batch));
        }
    });
}

TEST(AccessMismatch, CheckModeTellsAtOnce) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, { { "check", "yes" } }, [](Rank &rank) {
        World world(rank, line(2));
        world.touch({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        if (rank.rank == 0) OK(halo_access_mark_dirty(world.x, 0, HALO_ON_HOST));
        const halo_access read = via_map(world.x, HALO_READ);
        halo_batch *batch = nullptr;
        expect(HALO_ERR_MISMATCH, "field x: stale (groups 0xffffffff) on rank 0, fresh on rank 1",
               halo_access_begin(rank.context, &read, 1, sizeof read, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
        if (rank.rank == 1) OK(halo_access_mark_dirty(world.x, 0, HALO_ON_HOST));
        world.touch({ read }, HALO_STYLE_REVERSE, HALO_ON_HOST);
    });
}

// A list that is empty on one rank alone is another batch.
TEST(AccessMismatch, AListThatIsEmptyOnOneRankIsToldInCheckMode) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    for (const int32_t empty : { 0, 1 })
        conformance::run(2, { { "check", "yes" } }, [empty](Rank &rank) {
            World world(rank, line(2));
            const halo_access read = via_map(world.x, HALO_READ);
            halo_batch *batch = nullptr;
            expect(HALO_ERR_MISMATCH, "what a batch needs must agree on all ranks: field x: stale",
                   halo_access_begin(rank.context, rank.rank == empty ? nullptr : &read, rank.rank == empty ? 0 : 1, sizeof read, HALO_STYLE_REVERSE,
                                     HALO_ON_HOST, HALO_STREAM_NONE, &batch));
            world.touch({}, HALO_STYLE_REVERSE, HALO_ON_HOST);
        });
}

TEST(AccessMismatch, AListThatIsEmptyOnOneRankIsToldWhenBothExchange) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    for (const int32_t empty : { 0, 1 })
        conformance::run(2, { { "check", "no" } }, [empty](Rank &rank) {
            World world(rank, line(2));
            const halo_access read = via_map(world.x, HALO_READ);
            if (rank.rank == empty) world.touch({}, HALO_STYLE_REVERSE, HALO_ON_HOST);
            halo_batch *batch = world.begin({ read }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            expect(HALO_ERR_MISMATCH, "narrowed differently", halo_access_ready(batch));
            OK(halo_access_abandon(batch));
        });
}

TEST(AccessMismatch, ARankThatHasBegunAnEmptyBatchIsWaitedForAsAnyOther) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, { { "check", "no" } }, [](Rank &rank) {
        World world(rank, line(2));
        if (rank.rank == 1) OK(halo_context_set(rank.context, "timeout", "0.2s"));
        halo_batch *batch = nullptr;
        if (rank.rank == 0)
            world.touch({}, HALO_STYLE_REVERSE, HALO_ON_HOST);
        else {
            batch = world.begin({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            expect(HALO_TIMEOUT, "rank 0", halo_access_ready(batch));
            OK(halo_access_abandon(batch));
            OK(halo_context_set(rank.context, "timeout", "60s"));
        }
        OK(halo_context_barrier(rank.context));
    });
}

// Storage given after the library was asked about the field counts as if it had been there before.
TEST(AccessStorage, MayComeAfterTheFirstQuestion) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    for (const bool allocated : { true, false })
        conformance::run(2, {}, [&](Rank &rank) {
            World world(rank, line(2));
            halo_field *field = extra_field(world.nodes, 1, 0);
            if (world.state(field).owned != HALO_RESIDENT_HOST_UNALLOCATED) stop("there is storage nobody has made");
            if (allocated) OK(halo_field_allocate(field, -1));
            world.touch({ via_map(field, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST); // else zeros, made by the library
            if (!world.data(field, HALO_ON_HOST)) stop("no storage");
            OK(halo_field_destroy(&field));
        });
}

// To other storage, of another layout: with a gap behind each value.
std::vector<int64_t> bind_wide(halo_field *field, int64_t gid) {
    halo_layout layout = HALO_LAYOUT_INIT;
    OK(halo_field_layout(field, gid, &layout));
    layout.elements *= 2;
    layout.stride[0] = 2;
    std::vector<int64_t> wide(static_cast<size_t>(layout.elements));
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = wide.data();
    binding.layout = &layout;
    OK(halo_field_bind(field, gid, &binding));
    return wide;
}

TEST(AccessStorage, KeepsItsLayoutOnceItIsOnADevice) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, with_device(), [](Rank &rank) {
        World world(rank, line(2));
        world.touch({ direct(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_DEVICE);
        const std::vector<int64_t> wide = bind_wide(world.x, rank.rank);
        const halo_access read = direct(world.x, HALO_READ);
        halo_batch *batch = nullptr;
        expect(HALO_ERR_STATE, "field x: its layout has changed since it was used on the device",
               halo_access_begin(rank.context, &read, 1, sizeof read, HALO_STYLE_REVERSE, HALO_ON_DEVICE, HALO_STREAM_NONE, &batch));
    });
}

TEST(AccessStorage, OfAnotherLayoutIsToBeBoundAgain) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, {}, [](Rank &rank) {
        World world(rank, line(2));
        halo_field *field = World::make_field(world.nodes, "both", 2);
        const std::vector<int64_t> wide = bind_wide(field, rank.rank);
        const halo_access add = via_map(field, HALO_INC, 0, 1);
        halo_batch *batch = nullptr;
        expect(HALO_ERR_STATE, "set 1 was bound: bind that again",
               halo_access_begin(rank.context, &add, 1, sizeof add, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
        expect(HALO_ERR_STATE, "bind that again", halo_access_mark_dirty(field, 1, HALO_ON_HOST));
        expect(HALO_ERR_STATE, "bind that again", halo_access_mark_fresh(field, 1, HALO_ON_HOST));
        OK(halo_field_destroy(&field));
    });
}

TEST(AccessStorage, MarksThatFailChangeNothing) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, {}, [](Rank &rank) {
        World world(rank, line(2));
        const auto is_as_it_was = [&](int32_t freshness, int64_t version) {
            const halo_access_state state = world.state(world.x);
            if (state.freshness != freshness || state.version != version)
                stop("freshness %d, version %lld", state.freshness, static_cast<long long>(state.version));
        };
        const halo_access_state stale = world.state(world.x);
        expect(HALO_ERR_DEVICE, "has no memory of its own", halo_access_mark_fresh(world.x, 0, HALO_ON_DEVICE));
        is_as_it_was(HALO_FRESHNESS_STALE, stale.version);
        OK(halo_access_mark_fresh(world.x, 0, HALO_ON_HOST));
        const halo_access_state fresh = world.state(world.x);
        expect(HALO_ERR_DEVICE, "has no memory of its own", halo_access_mark_dirty(world.x, 0, HALO_ON_DEVICE));
        is_as_it_was(HALO_FRESHNESS_VALID, fresh.version);
    });
}

// A rank whose begin is refused says so: the other fails instead of waiting.
TEST(AccessMismatch, ARefusalReachesTheOthers) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, { { "check", "no" } }, [](Rank &rank) {
        World world(rank, line(2));
        const halo_access read = via_map(world.x, HALO_READ);
        halo_batch *batch = nullptr;
        if (rank.rank == 0) OK(halo_access_freeze(world.x, 1));
        const halo_status begun = halo_access_begin(rank.context, &read, 1, sizeof read, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch);
        if (rank.rank == 0) {
            expect(HALO_ERR_STATE, "field x is frozen", begun);
            OK(halo_access_freeze(world.x, 0));
        } else {
            OK(begun);
            expect(HALO_ERR_PEER, "field x is frozen", halo_access_ready(batch));
            OK(halo_access_abandon(batch));
        }
    });
}

TEST(AccessMismatch, InCheckModeARefusalReachesTheOthersAtOnce) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, { { "check", "yes" } }, [](Rank &rank) {
        World world(rank, line(2));
        const halo_access read = via_map(world.x, HALO_READ);
        halo_batch *batch = nullptr;
        if (rank.rank == 0) OK(halo_access_freeze(world.x, 1));
        expect(rank.rank == 0 ? HALO_ERR_STATE : HALO_ERR_PEER, "field x is frozen",
               halo_access_begin(rank.context, &read, 1, sizeof read, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
        if (batch) stop("there is a batch to abandon that no rank has begun");
        if (rank.rank == 0) OK(halo_access_freeze(world.x, 0));
        world.touch({ read }, HALO_STYLE_REVERSE, HALO_ON_HOST);
    });
}

// What was pending is lost, and everything can be destroyed.
TEST(AccessTimeout, ABeginThatHasTimedOutMayBeAbandoned) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, { { "check", "no" } }, [](Rank &rank) {
        World world(rank, line(2));
        world.touch({ via_map(world.res, HALO_INC), via_map(world.x, HALO_INC) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        OK(halo_context_barrier(rank.context));
        if (rank.rank == 0) {
            const halo_access reads[] = { direct(world.res, HALO_READ), direct(world.x, HALO_READ) };
            halo_batch *batch = nullptr;
            OK(halo_context_set(rank.context, "timeout", "0.1s"));
            expect(HALO_TIMEOUT, "timed out",
                   halo_access_begin(rank.context, reads, 2, sizeof reads[0], HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
            expect(HALO_BUSY, "values pending that came from the same loop", halo_field_destroy(&world.res));
            OK(halo_access_abandon(batch));
            expect(HALO_ERR_STATE, "abandon is illegal", halo_access_abandon(batch));
            if (world.state(world.x).pending != 0) stop("what is lost is still pending");
            OK(halo_context_set(rank.context, "timeout", "60s"));
        } else {
            for (halo_field *field : { world.res, world.x }) OK(halo_access_mark_fresh(field, 0, HALO_ON_HOST)); // lost here too
        }
        OK(halo_field_destroy(&world.res));
        OK(halo_field_destroy(&world.x));
        OK(halo_context_barrier(rank.context));
    });
}

TEST(AccessTimeout, BeginMayBeCalledAgain) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, { { "check", "no" } }, [](Rank &rank) {
        World world(rank, line(2));
        world.touch({ via_map(world.res, HALO_INC) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        const halo_access read = direct(world.res, HALO_READ);
        halo_batch *batch = nullptr;
        const auto begin = [&] {
            return halo_access_begin(rank.context, &read, 1, sizeof read, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch);
        };
        if (rank.rank == 0) {
            OK(halo_context_set(rank.context, "timeout", "0.1s"));
            expect(HALO_TIMEOUT, "timed out", begin());
            expect(HALO_TIMEOUT, "timed out", halo_access_mark_fresh(world.res, 0, HALO_ON_HOST));
            OK(halo_context_set(rank.context, "timeout", "60s"));
        }
        OK(halo_context_barrier(rank.context));
        OK(begin());
        OK(halo_access_ready(batch));
        OK(halo_access_end(batch));
        if (world.stats("res").reversed != 1) stop("one reverse exchange is enough");
    });
}

TEST(AccessTimeout, ReadyMayBeCalledAgain) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, { { "check", "no" } }, [](Rank &rank) {
        World world(rank, line(2));
        halo_batch *batch = nullptr;
        if (rank.rank == 0) {
            OK(halo_context_set(rank.context, "timeout", "0.1s"));
            batch = world.begin({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            expect(HALO_TIMEOUT, "timed out", halo_access_ready(batch));
            OK(halo_context_set(rank.context, "timeout", "60s"));
        }
        OK(halo_context_barrier(rank.context));
        if (rank.rank == 1) batch = world.begin({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        OK(halo_access_ready(batch));
        OK(halo_access_end(batch));
    });
}

} // namespace
