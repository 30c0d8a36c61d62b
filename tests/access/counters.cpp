// SPDX-License-Identifier: BSD-3-Clause
// What batches do not do: exchanges, messages and copies are counted.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;

void equal(const char *what, int64_t wanted, int64_t got) {
    if (wanted != got) stop("%s: wanted %lld, got %lld", what, static_cast<long long>(wanted), static_cast<long long>(got));
}

class Counters : public testing::TestWithParam<int32_t> {};

TEST_P(Counters, FreshGhostsAreNotExchanged) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        const std::vector<halo_access> flux{ via_map(world.x, HALO_READ), via_map(world.res, HALO_INC) };
        for (int i = 0; i < 3; ++i) world.touch(flux, HALO_STYLE_REVERSE, HALO_ON_HOST);
        equal("x started", 1, world.stats("x").started);
        equal("x skipped", 2, world.stats("x").skipped);
        equal("res reversed before it is read", 0, world.stats("res").reversed);
        world.touch({ direct(world.res, HALO_READ), direct(world.x, HALO_RW) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        equal("three loops, one reverse", 1, world.stats("res").reversed);
        world.touch(flux, HALO_STYLE_REVERSE, HALO_ON_HOST);
        equal("x started after a write", 2, world.stats("x").started);
        equal("res is never exchanged forward", 0, world.stats("res").started);
        if (rank.size > 1) equal("bytes of x", int64_t{ 2 } * 2 * 8, world.stats("x").bytes_sent); // to both neighbours, or to the one that is both
    });
}

TEST_P(Counters, SectionsTravelAlone) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        world.touch({ via_map(world.x, HALO_READ, near_own_edges) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        const halo_access_state state = world.state(world.x);
        equal("fresh", near_own_edges, state.fresh);
        equal("freshness", HALO_FRESHNESS_STALE, state.freshness);
        // Own edges reach one node of the next rank; the exec edge of the rank below reaches one there, which is of the other group.
        if (rank.size > 1) equal("bytes of one section", 8, world.stats("x").bytes_sent);
        world.touch({ via_map(world.x, HALO_READ, near_own_edges) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        equal("skipped", 1, world.stats("x").skipped);
        world.touch({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        equal("all", HALO_FRESHNESS_VALID, world.state(world.x).freshness);
        equal("started", 2, world.stats("x").started);
    });
}

TEST_P(Counters, SectionsAreSentBackAlone) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        const halo_access near = via_map(world.res, HALO_INC, near_own_edges), all = via_map(world.res, HALO_INC),
                          read = direct(world.res, HALO_READ);
        const auto touch = [&](const halo_access &access) { world.touch({ access }, HALO_STYLE_REVERSE, HALO_ON_HOST); };
        touch(near);
        touch(near);
        touch(read);
        equal("two loops, one reverse", 1, world.stats("res").reversed);
        if (rank.size > 1) equal("bytes of one section", 8, world.stats("res").bytes_sent);
        touch(near);
        touch(all);
        equal("more ghosts than have something pending", 2, world.stats("res").reversed);
        touch(near);
        equal("fewer", 2, world.stats("res").reversed);
        touch(read);
        equal("all that is pending", 3, world.stats("res").reversed);
        if (rank.size > 1) equal("bytes of one section twice, of all once", 8 + 8 + 16, world.stats("res").bytes_sent);
    });
}

TEST_P(Counters, DirectChangesLeaveOtherSectionsFresh) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        const auto touch = [&](const halo_access &access) { world.touch({ access }, HALO_STYLE_REVERSE, HALO_ON_HOST); };
        touch(via_map(world.x, HALO_READ));
        touch({ world.x, HALO_RW, HALO_DIRECT, near_own_edges, 0, 0, 0, 0, 0 });
        equal("fresh", ~near_own_edges, world.state(world.x).fresh);
        touch(via_map(world.x, HALO_READ, 1u << 5));
        equal("skipped", 1, world.stats("x").skipped);
        touch(via_map(world.x, HALO_READ, near_own_edges));
        equal("started", 2, world.stats("x").started);
        equal("all", HALO_FRESHNESS_VALID, world.state(world.x).freshness);
    });
}

// In one message per peer, whoever reads first; until then it is pending.
TEST_P(Counters, WhatALoopAddsLeavesWhenItEnds) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        world.sends = true;
        const std::vector<halo_access> adds{ via_map(world.res, HALO_INC), via_map(world.low, HALO_INC), via_map(world.high, HALO_ACCESS_MAX) };
        for (int64_t step = 1; step <= 3; ++step) {
            world.over_edges(adds, HALO_STYLE_REVERSE, HALO_ON_HOST, [](int64_t) {});
            for (const char *name : { "res", "low", "high" }) equal(name, step, world.stats(name).reversed);
            equal("on its way", HALO_FRESHNESS_PENDING_REVERSE, world.state(world.res).freshness);
            world.touch({ direct(world.x, HALO_RW) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            equal("another loop does not wait", HALO_FRESHNESS_PENDING_REVERSE, world.state(world.res).freshness);
            if (step < 3) world.touch({ direct(world.res, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            if (step < 3) equal("what came with it", HALO_FRESHNESS_STALE, world.state(world.low).freshness);
        }
        OK(halo_access_mark_fresh(world.res, 0, HALO_ON_HOST)); // when it has come
        equal("what came with it", HALO_FRESHNESS_STALE, world.state(world.low).freshness);
        world.over_edges({ via_map(world.x, HALO_READ), direct(world.w, HALO_WRITE) }, HALO_STYLE_REVERSE, HALO_ON_HOST,
                         [](int64_t) {}); // adds nothing
    });
}

// The others need no further call of a rank whose loop has ended; in check mode each begin is of all ranks.
TEST_P(Counters, WhoHasSentWhatHeAddedMayDoSomethingElse) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    std::atomic<int> n_read = 0;
    conformance::run(GetParam(), { { "timeout", "30s" }, { "check", "no" } }, [&](Rank &rank) {
        World world(rank, ring(rank.size));
        for (int time = 1; time <= 2; ++time) { // the first run of an exchange needs an answer
            world.sends = true;
            world.over_edges({ via_map(world.res, HALO_INC) }, HALO_STYLE_REVERSE, HALO_ON_HOST, [](int64_t) {});
            if (rank.rank == 0 && time == 2)
                while (n_read < rank.size - 1) std::this_thread::yield();
            world.touch({ direct(world.res, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            if (time == 2) ++n_read;
        }
    });
}

// The values of a step, at own nodes; their ghosts are stale.
void write_x(World &world, int64_t step) {
    for (int64_t i = 0; i < world.local().n_own_nodes; ++i)
        world.data(world.x, HALO_ON_HOST)[i] = step * 100 + world.local().nodes[static_cast<size_t>(i)];
    put_back();
    OK(halo_access_mark_dirty(world.x, 0, HALO_ON_HOST));
}

void expect_x(const World &world, int64_t step) {
    const std::vector<int64_t> &nodes = world.local().nodes;
    for (size_t i = 0; i < nodes.size(); ++i) equal("x", step * 100 + nodes[i], world.data(world.x, HALO_ON_HOST)[i]);
    put_back();
}

// Whichever of two loops is ready first, the ghosts are here for both; one that reads more begins when they are.
TEST_P(Counters, LoopsShareGhostsThatAreOnTheirWay) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        for (int64_t step = 1; step <= 4; ++step) {
            write_x(world, step);
            const bool other_first = step % 2 == 0, some = step > 2;
            halo_batch *one = world.begin({ via_map(world.x, HALO_READ, some ? near_own_edges : 0) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            equal("on its way", HALO_FRESHNESS_IN_FLIGHT, world.state(world.x).freshness);
            halo_batch *other = world.begin({ via_map(world.x, HALO_READ), direct(world.w, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            OK(halo_access_ready(other_first ? other : one));
            OK(halo_access_ready(other_first ? one : other));
            expect_x(world, step);
            OK(halo_access_end(one));
            OK(halo_access_end(other));
            equal("all", HALO_FRESHNESS_VALID, world.state(world.x).freshness);
        }
        equal("started, twice for one loop, twice for both", 2 + 4, world.stats("x").started);
        equal("found on their way", 2, world.stats("x").skipped);
    });
}

// The second one waits for what the first has begun.
TEST_P(Counters, LoopsReadDifferentGhostsOfOneField) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        for (int64_t step = 1; step <= 4; ++step) {
            write_x(world, step);
            const uint32_t first = step > 2 ? near_others_alone : near_own_edges, second = near_own_edges ^ near_others_alone ^ first;
            halo_batch *one = world.begin({ via_map(world.x, HALO_READ, first) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            halo_batch *other = world.begin({ via_map(world.x, HALO_READ, second) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
            const bool other_first = step % 2 == 0;
            OK(halo_access_ready(other_first ? other : one));
            OK(halo_access_ready(other_first ? one : other));
            expect_x(world, step);
            OK(halo_access_end(one));
            OK(halo_access_end(other));
            equal("fresh", near_own_edges | near_others_alone, world.state(world.x).fresh);
        }
        equal("started", 8, world.stats("x").started);
    });
}

TEST_P(Counters, EachOfManyLoopsHasABatchOfItsOwn) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        constexpr int32_t n_sets = 64;
        halo_field *field = World::make_field(world.nodes, "many", n_sets);
        std::map<std::pair<int32_t, int32_t>, halo_batch *> first;
        std::set<halo_batch *> all;
        for (int pass = 0; pass < 2; ++pass)
            for (int32_t one = 0; one < n_sets; ++one)
                for (int32_t other = 0; other < n_sets; ++other) {
                    halo_batch *batch =
                        world.begin({ direct(field, HALO_READ, 0, one), direct(field, HALO_READ, 0, other) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
                    OK(halo_access_ready(batch));
                    OK(halo_access_end(batch));
                    if (first.try_emplace({ one, other }, batch).first->second != batch)
                        stop("sets %d and %d: another batch than before", one, other);
                    all.insert(batch);
                }
        equal("batches", int64_t{ n_sets } * n_sets, static_cast<int64_t>(all.size()));
        OK(halo_field_destroy(&field));
    });
}

// Beside the exchanges that a batch needs, it needs none; where the ranks' own parts decide, they all decide alike.
TEST_P(Counters, ExecIsAskedForWhereSomethingIsWrittenThroughAMap) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        const auto asks = [&](const std::vector<halo_access> &accesses, int32_t style) {
            halo_batch *batch = world.begin(accesses, style, HALO_ON_HOST);
            int32_t needs = 7;
            OK(halo_access_needs_exec(batch, &needs));
            OK(halo_access_ready(batch));
            OK(halo_access_end(batch));
            return needs;
        };
        equal("redundant, added", 1, asks({ direct(world.w, HALO_READ), via_map(world.res, HALO_INC) }, HALO_STYLE_REDUNDANT));
        equal("its direct argument", 1, world.stats("w").started);
        equal("redundant, read", 0, asks({ via_map(world.x, HALO_READ), direct(world.w, HALO_WRITE) }, HALO_STYLE_REDUNDANT));
        equal("reverse, added", 0, asks({ direct(world.w, HALO_READ), via_map(world.res, HALO_INC) }, HALO_STYLE_REVERSE));
        equal("direct arguments", 1, world.stats("w").started);
    });
}

TEST_P(Counters, CopiesAreLazy) {
    conformance::run(GetParam(), with_device(), [](Rank &rank) {
        World world(rank, ring(rank.size));
        const int64_t own = 8 * world.local().n_own_nodes, ghosts = 8 * static_cast<int64_t>(world.local().nodes.size()) - own;
        const auto up = [&](const char *name) { return world.stats(name).bytes_up; };
        const auto down = [&](const char *name) { return world.stats(name).bytes_down; };
        if (world.data(world.x, HALO_ON_DEVICE)) stop("there is device memory before it is needed");
        world.touch({ direct(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_DEVICE);
        equal("own values up", own, up("x"));
        world.touch({ direct(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_DEVICE);
        world.touch({ direct(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        equal("once", own, up("x"));
        equal("valid on both", HALO_RESIDENT_BOTH, world.state(world.x).owned);
        world.touch({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_DEVICE);
        equal("ghosts are exchanged where they are needed", own, up("x"));
        equal("and nowhere else", HALO_RESIDENT_DEVICE, world.state(world.x).ghosts);
        world.touch({ via_map(world.x, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        equal("ghosts down", ghosts, down("x"));
        world.touch({ direct(world.res, HALO_WRITE, 1) }, HALO_STYLE_REVERSE, HALO_ON_DEVICE);
        equal("a whole write copies nothing", 0, up("res"));
        world.touch({ direct(world.res, HALO_WRITE) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        equal("another one does", own, down("res"));
        equal("the device's is void", HALO_RESIDENT_HOST, world.state(world.res).owned);
        OK(halo_access_mark_dirty(world.x, 0, HALO_ON_HOST));
        equal("after mark_dirty", HALO_RESIDENT_HOST, world.state(world.x).owned);
    });
}

// A field without host storage lives on the device until the host looks at it.
TEST_P(Counters, HostStorageIsMadeWhenTheHostLooks) {
    conformance::run(GetParam(), with_device(), [](Rank &rank) {
        World world(rank, ring(rank.size));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "born there";
        desc.type = HALO_INT64;
        halo_field *field = nullptr;
        OK(halo_field_create(world.nodes, &desc, &field));
        halo_batch *batch = world.begin({ direct(field, HALO_WRITE, 1) }, HALO_STYLE_REVERSE, HALO_ON_DEVICE);
        OK(halo_access_ready(batch));
        for (int64_t i = 0; i < world.local().n_own_nodes; ++i) world.data(field, HALO_ON_DEVICE)[i] = world.local().nodes[static_cast<size_t>(i)];
        put_back();
        OK(halo_access_end(batch));
        equal("before", HALO_RESIDENT_HOST_UNALLOCATED, world.state(field).owned);
        const halo_layout_desc rule = HALO_LAYOUT_DESC_INIT;
        equal("a layout other than the device's", HALO_BUSY, halo_field_set_layout(field, &rule));
        if (world.data(field, HALO_ON_HOST)) stop("there is host memory before it is needed");
        world.touch({ via_map(field, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        equal("after", HALO_RESIDENT_BOTH, world.state(field).owned);
        for (size_t i = 0; i < world.local().nodes.size(); ++i) equal("value", world.local().nodes[i], world.data(field, HALO_ON_HOST)[i]);
        OK(halo_field_destroy(&field));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Counters, testing::ValuesIn(conformance::rank_counts()));

} // namespace
