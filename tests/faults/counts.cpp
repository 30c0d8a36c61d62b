// SPDX-License-Identifier: BSD-3-Clause
// Messages as the transport's operations table sees them: one per active peer and run, or one per remote channel besides.
// Run as threads, or with --processes under a launcher: WRAP_MODULE then names what is inside of the wrapper.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "solver.h"
#include "storage.h"
#include "wrapped.h"

namespace conformance {

namespace {

struct BlockCase {
    const char *name;
    int32_t n_dims;
    Triple blocks;
    Triple cells;
    bool periodic;
    int32_t low;
    int32_t high;
    int32_t stencil;
    bool scattered; // blocks placed at random
};

const BlockCase cases[] = {
    { "row", 1, { 8, 1, 1 }, { 4, 1, 1 }, false, 1, 1, HALO_STENCIL_FULL, false },
    { "plane, faces", 2, { 4, 4, 1 }, { 4, 4, 1 }, true, 2, 2, HALO_STENCIL_FACES, false },
    { "cube of 4", 3, { 4, 4, 4 }, { 4, 4, 4 }, true, 2, 2, HALO_STENCIL_FULL, false },
    { "cube of 8 at random", 3, { 4, 4, 4 }, { 8, 8, 8 }, false, 1, 1, HALO_STENCIL_FULL, true },
    { "many small blocks", 3, { 8, 8, 4 }, { 2, 2, 2 }, true, 1, 1, HALO_STENCIL_FULL, false },
    { "ghosts below only", 2, { 4, 4, 1 }, { 4, 4, 1 }, false, 1, 0, HALO_STENCIL_FULL, true },
    { "one way along a row", 1, { 8, 1, 1 }, { 4, 1, 1 }, false, 1, 0, HALO_STENCIL_FULL, false },
};

// On a busy machine a rank may wait long enough to ask others what they do: messages that are none of these runs'.
const Settings unasked{ { "wait.ask_after", "0" } };

class Counts : public testing::TestWithParam<int32_t> {};

Grid make_grid(const BlockCase &made, int32_t n_ranks) {
    Grid grid;
    grid.n_dims = made.n_dims;
    grid.blocks = made.blocks;
    grid.cells = made.cells;
    for (int d = 0; d < made.n_dims; ++d) grid.periodic[d] = made.periodic;
    grid.number();
    Random random(5);
    if (made.scattered)
        grid.place_at_random(n_ranks, random);
    else
        grid.place_by_curve(n_ranks);
    return grid;
}

FieldCase make_field(const BlockCase &made) {
    FieldCase field;
    field.name = std::string("u");
    field.n_components = 2;
    for (int d = 0; d < made.n_dims; ++d) {
        field.ghosts.low[d] = made.low;
        field.ghosts.high[d] = made.high;
    }
    return field;
}

halo_exchange_stats stats_of(const halo_exchange *exchange) {
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange, &stats));
    return stats;
}

// Channels from and to other ranks, from the model.
struct Remote {
    int64_t sent = 0;
    int64_t received = 0;
    std::vector<bool> peers;
};

Remote count_remote(const Grid &grid, const FieldCase &field, int32_t stencil, const Rank &rank) {
    Remote remote;
    remote.peers.resize(static_cast<size_t>(rank.size));
    // A channel fills the ghosts of `gid` on the side of `offset`, if there are any.
    for (int64_t gid = 0; gid < grid.n_blocks(); ++gid)
        for_each_offset(grid.n_dims, [&](const Triple &offset) {
            const int64_t source = grid.neighbour(gid, offset);
            bool ghosts = in_stencil(offset, stencil) && source >= 0;
            for (int d = 0; d < 3; ++d) ghosts = ghosts && (offset[d] == 0 || (offset[d] < 0 ? field.ghosts.low[d] : field.ghosts.high[d]) > 0);
            if (!ghosts || grid.owner[gid] == grid.owner[source]) return;
            const bool sends = grid.owner[source] == rank.rank;
            const bool receives = grid.owner[gid] == rank.rank;
            remote.sent += sends;
            remote.received += receives;
            if (sends || receives) remote.peers[static_cast<size_t>(sends ? grid.owner[gid] : grid.owner[source])] = true;
        });
    return remote;
}

struct Call {
    wrap_counts before = wrapper().counts();
    int64_t sends() const { return wrapper().counts().sends - before.sends; }
    int64_t bytes() const { return wrapper().counts().bytes_sent - before.bytes_sent; }
    int64_t receives() const { return wrapper().counts().receives - before.receives; }
    int64_t cancels() const { return wrapper().counts().cancels - before.cancels; }
};

void check_case(const Rank &rank, const BlockCase &made, int32_t messages, int32_t receive) {
    const Grid grid = make_grid(made, rank.size);
    const halo_blocks_desc blocks = grid.desc();
    halo_topology *topology = nullptr;
    OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
    const FieldCase field = make_field(made);
    FieldStores stores(topology, grid, rank.rank, field, Random(1));
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.stencil = made.stencil;
    desc.messages = messages;
    desc.receive = receive;
    halo_field *handle = stores.handle();
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&handle, 1, &desc, &exchange));
    const Remote remote = count_remote(grid, field, made.stencil, rank);
    const int64_t n_peers = std::count(remote.peers.begin(), remote.peers.end(), true);
    const bool aggregated = messages == HALO_MESSAGES_AGGREGATE;
    const int64_t per_run = n_peers + (aggregated ? 0 : remote.sent);
    for (int64_t time = 0; time < 6; ++time) {
        stores.fill(0, time);
        const Call calls;
        const halo_exchange_stats before = stats_of(exchange);
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        stores.expect_ghosts(0, time, [&](int64_t, const Triple &cell, int32_t) { return in_stencil(side_of(grid, cell), made.stencil); });
        if (const std::string difference = stores.first_difference(); !difference.empty()) stop("%s: %s", made.name, difference.c_str());
        // Where data go one way only, the other way has a credit: one message per peer and run too. The first run says hello besides.
        const int64_t expected = per_run + (time == 0 ? n_peers : 0);
        if (calls.sends() != expected || stats_of(exchange).messages_sent - before.messages_sent != expected || calls.cancels() != 0)
            stop("%s, messages %d, run %lld: %lld sends for %lld peers and %lld remote channels, %lld expected, %lld counted by the exchange; %lld "
                 "cancelled",
                 made.name, messages, static_cast<long long>(time), static_cast<long long>(calls.sends()), static_cast<long long>(n_peers),
                 static_cast<long long>(remote.sent), static_cast<long long>(expected),
                 static_cast<long long>(stats_of(exchange).messages_sent - before.messages_sent), static_cast<long long>(calls.cancels()));
    }
    if (rank.rank == 0 && receive == HALO_RECEIVE_POSTED)
        std::printf("%-20s %-11s %lld peers, %3lld remote channels: %3lld messages per run at the transport\n", made.name,
                    aggregated ? "aggregated" : "per channel", static_cast<long long>(n_peers), static_cast<long long>(remote.sent),
                    static_cast<long long>(per_run));
    OK(halo_exchange_destroy(&exchange));
    stores.destroy();
    OK(halo_topology_destroy(&topology));
}

TEST_P(Counts, MessagesPerRunAtTheTransport) {
    choose_wrapper();
    run_wrapped(GetParam(), unasked, [](Rank &rank) {
        for (const BlockCase &made : cases)
            for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL })
                for (const int32_t receive : { HALO_RECEIVE_POSTED, HALO_RECEIVE_PROBED }) check_case(rank, made, messages, receive);
    });
}

// A narrowed run carries the bytes of what it exchanges, as the exchange counts them and as the transport sees them.
TEST_P(Counts, BytesOfNarrowedRuns) {
    choose_wrapper();
    run_wrapped(GetParam(), unasked, [](Rank &rank) {
        const Grid grid = make_grid(cases[2], rank.size);
        const halo_blocks_desc blocks = grid.desc();
        halo_topology *topology = nullptr;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
        FieldStores stores(topology, grid, rank.rank, make_field(cases[2]), Random(1));
        for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL }) {
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.messages = messages;
            halo_field *handle = stores.handle();
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&handle, 1, &desc, &exchange));
            int64_t full = 0;
            for (int time = 0; time < 4; ++time) { // the first says hello too; then all, one of two components, all
                stores.fill(0, time);
                halo_run narrowed = HALO_RUN_INIT;
                narrowed.n_components = time == 2 ? 1 : 0;
                const Call calls;
                const halo_exchange_stats before = stats_of(exchange);
                OK(halo_exchange_start(exchange, &narrowed, HALO_STREAM_NONE));
                OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
                const int64_t payload = stats_of(exchange).payload_bytes - before.payload_bytes;
                const int64_t bytes = stats_of(exchange).bytes_sent - before.bytes_sent;
                if (time == 1) full = payload;
                const int64_t expected = time == 2 ? full / 2 : full;
                if (calls.bytes() != bytes || (time > 0 && payload != expected))
                    stop("messages %d, run %d: %lld bytes at the transport, the exchange counts %lld with %lld of payload, %lld were expected",
                         messages, time, static_cast<long long>(calls.bytes()), static_cast<long long>(bytes), static_cast<long long>(payload),
                         static_cast<long long>(expected));
                const int32_t components = time == 2 ? 1 : 2;
                stores.expect_ghosts(0, time, [&](int64_t, const Triple &, int32_t component) { return component < components; });
                if (const std::string difference = stores.first_difference(); !difference.empty()) stop("run %d: %s", time, difference.c_str());
            }
            OK(halo_exchange_destroy(&exchange));
        }
        stores.destroy();
        OK(halo_topology_destroy(&topology));
    });
}

// An idle exchange has nothing outstanding: nothing is posted ahead of a run, and destroying it cancels nothing.
TEST_P(Counts, ReceivesAreThoseOfTheRun) {
    choose_wrapper();
    run_wrapped(GetParam(), unasked, [](Rank &rank) {
        const Call all;
        check_case(rank, cases[2], HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED);
        if (all.receives() > all.sends() || all.cancels() != 0)
            stop("%lld receives, %lld sends, %lld cancelled", static_cast<long long>(all.receives()), static_cast<long long>(all.sends()),
                 static_cast<long long>(all.cancels()));
    });
}

// When all ranks have come here.
void expect_nothing_left(const Rank &rank) {
    OK(halo_context_barrier(rank.context));
    for (int turn = 0; turn < 1000; ++turn) OK(halo_context_progress(rank.context));
    const int64_t left = wrapper().counts().open;
    int64_t all_left = 0;
    OK(halo_context_allreduce(rank.context, &left, &all_left, 1, HALO_INT64, HALO_SUM));
    if (all_left != 0) stop("%lld messages were sent that nobody has received", static_cast<long long>(all_left));
}

// Where data go one way, credits for the last runs come when the exchange is gone.
TEST_P(Counts, NothingIsLeftToTheTransport) {
    choose_wrapper();
    run_wrapped(GetParam(), unasked, [](Rank &rank) {
        for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL })
            for (int cycle = 0; cycle < 3; ++cycle) check_case(rank, cases[6], messages, HALO_RECEIVE_PROBED);
        expect_nothing_left(rank);
    });
}

// The last of a row gives up its run: its peer has sent what it does not take, and waits for no word of it.
TEST_P(Counts, NothingIsLeftOfARunThatWasAbandoned) {
    choose_wrapper();
    run_wrapped(GetParam(), unasked, [](Rank &rank) {
        for (int cycle = 0; cycle < 3; ++cycle) {
            SolverShape one_way;
            one_way.n_blocks = rank.size;
            one_way.ghost_high = 0;
            one_way.receive = HALO_RECEIVE_PROBED;
            Solver solver(rank, one_way);
            solver.run();
            solver.fill();
            OK(solver.start());
            if (rank.size > 1 && rank.rank == rank.size - 1)
                OK(halo_exchange_abandon(solver.exchange));
            else
                OK(solver.finish());
            solver.destroy();
        }
        expect_nothing_left(rank);
    });
}

// The first of a row cannot start its second run, and says so in its place.
TEST_P(Counts, NothingIsLeftOfARunThatFailed) {
    choose_wrapper();
    run_wrapped(GetParam(), unasked, [](Rank &rank) {
        for (int cycle = 0; cycle < 3; ++cycle) {
            SolverShape one_way;
            one_way.n_blocks = rank.size;
            one_way.ghost_high = 0;
            Solver solver(rank, one_way);
            solver.run();
            solver.fill();
            if (rank.size > 1 && rank.rank == 0) {
                solver.bind(false);
                expect_failure(solver.start(), HALO_ERR_UNBOUND, { "no storage" });
            } else {
                OK(solver.start());
                if (rank.size > 1 && rank.rank == 1)
                    expect_failure(solver.finish(), HALO_ERR_PEER, { "rank 0", "no storage" });
                else
                    OK(solver.finish());
            }
            solver.destroy();
        }
        expect_nothing_left(rank);
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Counts, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
