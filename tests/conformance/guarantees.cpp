// SPDX-License-Identifier: BSD-3-Clause
// Promises that a solver builds on: swapping storage costs nothing, plans are shared, a rank holds its own parts only, one message per peer.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "left_out.h"
#include "ranks.h"
#include "storage.h"

namespace conformance {

namespace {

const conformance::LeftOutOnDevices left_out[] = {
    { "*.ARankHoldsOnlyItsOwnParts/*", "it counts memory of the host" },
};

Grid cube_of_blocks(int64_t blocks, int64_t cells, int32_t n_ranks) {
    Grid grid;
    grid.n_dims = 3;
    grid.blocks = { blocks, blocks, blocks };
    grid.cells = { cells, cells, cells };
    grid.periodic = { true, true, true };
    grid.number();
    grid.place_by_curve(n_ranks);
    return grid;
}

FieldCase plain_field(const char *name, int32_t n_components, int32_t width, int32_t n_sets) {
    FieldCase field;
    field.name = name;
    field.n_components = n_components;
    field.ghosts.low = { width, width, width };
    field.ghosts.high = field.ghosts.low;
    field.n_sets = n_sets;
    return field;
}

halo_topology *make_topology(const Rank &rank, const Grid &grid) {
    halo_topology *topology = nullptr;
    const halo_blocks_desc desc = grid.desc();
    OK(halo_topology_create_blocks(rank.context, &desc, &topology));
    return topology;
}

halo_exchange *make_exchange(FieldStores &stores, const halo_exchange_desc *desc = nullptr) {
    halo_exchange *exchange = nullptr;
    halo_field *handle = stores.handle();
    OK(halo_exchange_create(&handle, 1, desc, &exchange));
    return exchange;
}

halo_exchange_stats stats_of(const halo_exchange *exchange) {
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange, &stats));
    return stats;
}

void expect_everything(FieldStores &stores, int32_t set, int64_t time) {
    stores.expect_ghosts(set, time, [](int64_t, const Triple &, int32_t) { return true; });
    if (const std::string difference = stores.first_difference(); !difference.empty())
        stop("time %lld: %s", static_cast<long long>(time), difference.c_str());
}

class Guarantees : public testing::TestWithParam<int32_t> {};

// By sets, by pointers of the run, and by binding anew.
TEST_P(Guarantees, SwappedStageArraysCompileNothing) {
    run(GetParam(), {}, [](Rank &rank) {
        const Grid grid = cube_of_blocks(2, 4, rank.size);
        halo_topology *topology = make_topology(rank, grid);
        FieldStores stores(topology, grid, rank.rank, plain_field("u", 2, 2, 3), Random(1));
        halo_exchange *exchange = make_exchange(stores);
        const halo_exchange_stats before = stats_of(exchange);
        if (before.tables_compiled != 1) stop("%lld tables were compiled at creation", static_cast<long long>(before.tables_compiled));
        for (int32_t step = 0; step < 20; ++step) {
            const int32_t set = step % 4; // the last is reached by pointers
            std::vector<void *> pointers;
            for (size_t part = 0; part < stores.n_parts(); ++part) pointers.push_back(stores.address(set, part));
            halo_run run = HALO_RUN_INIT;
            run.n_fields = 1, run.sets = &set;
            if (set == 3) {
                run.sets = nullptr;
                run.data = pointers.data(), run.n_data = std::ssize(pointers);
            }
            stores.fill(set, step);
            OK(halo_exchange_start(exchange, &run, stream()));
            stores.overwrite_owned(set);
            OK(halo_exchange_finish(exchange, finish_stream()));
            expect_everything(stores, set, step);
            begin_case(static_cast<uint64_t>(step));
            for (size_t part = 0; part < stores.n_parts(); ++part) { // sets 0 and 1 change places
                std::swap(stores.store(0, part), stores.store(1, part));
                for (int32_t bound = 0; bound < 2; ++bound) {
                    halo_binding binding = HALO_BINDING_INIT;
                    binding.set = bound;
                    place(binding, stores.store(bound, part).data);
                    OK(halo_field_bind(stores.handle(), stores.gid(part), &binding));
                }
            }
        }
        const halo_exchange_stats after = stats_of(exchange);
        if (after.tables_compiled != 1 || after.rows_compiled != before.rows_compiled || after.runs != 20)
            stop("after %lld runs %lld tables with %lld rows were compiled, at first it was 1 with %lld", static_cast<long long>(after.runs),
                 static_cast<long long>(after.tables_compiled), static_cast<long long>(after.rows_compiled),
                 static_cast<long long>(before.rows_compiled));
        OK(halo_exchange_destroy(&exchange));
        stores.destroy();
        OK(halo_topology_destroy(&topology));
    });
}

// Two sets of the host and two of the device, one of each by pointers, in turn; each kind has its tables, and keeps them.
TEST_P(Guarantees, SetsMayBeOfTheHostAndOfTheDevice) {
    run(GetParam(), {}, [](Rank &rank) {
        if (!on_device()) return;
        const Grid grid = cube_of_blocks(2, 4, rank.size);
        halo_topology *topology = make_topology(rank, grid);
        for (const uint64_t on_host : { 2, 1, 5, 6 }) {
            FieldCase field = plain_field("u", 2, 2, 2);
            field.on_host = on_host;
            FieldStores stores(topology, grid, rank.rank, field, Random(1));
            halo_exchange *exchange = make_exchange(stores);
            for (int32_t step = 0; step < 9; ++step) {
                begin_case(static_cast<uint64_t>(step / 3));
                const int32_t set = step % 3, device = stores.is_on_device(set) ? 0 : HALO_DEVICE_HOST;
                std::vector<void *> pointers;
                for (size_t part = 0; part < stores.n_parts(); ++part) pointers.push_back(stores.address(set, part));
                halo_run run = HALO_RUN_INIT;
                run.n_fields = 1, run.devices = &device;
                if (set < 2)
                    run.sets = &set;
                else
                    run.data = pointers.data(), run.n_data = std::ssize(pointers);
                stores.fill(set, step);
                OK(halo_exchange_start(exchange, &run, stream()));
                stores.overwrite_owned(set);
                OK(halo_exchange_finish(exchange, finish_stream()));
                expect_everything(stores, set, step);
            }
            OK(halo_exchange_destroy(&exchange));
            stores.destroy();
        }
        OK(halo_topology_destroy(&topology));
    });
}

// One message to each peer in each run, besides the first run's handshake; exchanges of one shape share their plan.
TEST_P(Guarantees, OneMessagePerPeerAndOnePlanPerShape) {
    run(GetParam(), {}, [](Rank &rank) {
        const Grid grid = cube_of_blocks(3, 3, rank.size);
        halo_topology *topology = make_topology(rank, grid);
        FieldStores stores(topology, grid, rank.rank, plain_field("u", 1, 1, 1), Random(2));
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.messages = HALO_MESSAGES_AGGREGATE;
        halo_exchange *first = make_exchange(stores, &desc);
        halo_exchange *second = make_exchange(stores, &desc);
        int64_t n_peers = 0;
        OK(halo_topology_peers(topology, nullptr, 0, &n_peers));
        if (stats_of(second).tables_compiled != 0 || stats_of(first).n_peers != n_peers)
            stop("the second exchange compiled %lld tables; the first has %d peers of %lld", static_cast<long long>(stats_of(second).tables_compiled),
                 stats_of(first).n_peers, static_cast<long long>(n_peers));
        for (int64_t time = 0; time < 10; ++time) {
            const halo_exchange_stats before = stats_of(first);
            stores.fill(0, time);
            OK(halo_exchange_start(first, nullptr, stream()));
            OK(halo_exchange_finish(first, finish_stream()));
            expect_everything(stores, 0, time);
            const int64_t sent = stats_of(first).messages_sent - before.messages_sent;
            const int64_t received = stats_of(first).messages_received - before.messages_received;
            if (sent != n_peers * (time == 0 ? 2 : 1) || received != n_peers)
                stop("run %lld sent %lld messages and received %lld for %lld peers", static_cast<long long>(time), static_cast<long long>(sent),
                     static_cast<long long>(received), static_cast<long long>(n_peers));
        }
        OK(halo_exchange_destroy(&first));
        OK(halo_exchange_destroy(&second));
        stores.destroy();
        OK(halo_topology_destroy(&topology));
    });
}

// Who finishes first may destroy everything at once: its last messages still reach the others.
TEST_P(Guarantees, ARankMayLeaveAtOnce) {
    for (const int32_t messages : { HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL })
        run(GetParam(), {}, [&](Rank &rank) {
            const Grid grid = cube_of_blocks(2, 8, rank.size);
            halo_topology *topology = make_topology(rank, grid);
            FieldStores stores(topology, grid, rank.rank, plain_field("u", 3, 4, 1), Random(4));
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.messages = messages;
            halo_exchange *exchange = make_exchange(stores, &desc);
            stores.fill(0, 1);
            OK(halo_exchange_start(exchange, nullptr, stream()));
            if (rank.rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
            OK(halo_exchange_finish(exchange, finish_stream()));
            expect_everything(stores, 0, 1);
            OK(halo_exchange_destroy(&exchange));
            stores.destroy();
            OK(halo_topology_destroy(&topology));
        });
}

// Pool memory is that of the own parts, and with an exchange that of the messages with peers.
TEST_P(Guarantees, ARankHoldsOnlyItsOwnParts) {
    run(GetParam(), {}, [](Rank &rank) {
        Grid grid = cube_of_blocks(4, 8, rank.size);
        Random random(3);
        grid.place_at_random(rank.size, random);
        for (int32_t &owner : grid.owner) // rank 0 has nothing, where it is not alone
            owner = rank.size > 1 ? 1 + owner % (rank.size - 1) : 0;
        halo_topology *topology = make_topology(rank, grid);
        FieldCase field = plain_field("u", 4, 2, 1);
        field.bind = BindKind::allocate;
        FieldStores stores(topology, grid, rank.rank, field, random);
        int64_t own = 0;
        for (size_t part = 0; part < stores.n_parts(); ++part) own += stores.store(0, part).layout.elements * field.element_bytes;
        halo_exchange *exchange = make_exchange(stores);
        OK(halo_exchange_start(exchange, nullptr, stream()));
        OK(halo_exchange_finish(exchange, finish_stream()));
        const halo_exchange_stats stats = stats_of(exchange);
        halo_pool_stats pool = HALO_POOL_STATS_INIT;
        OK(halo_context_pool_stats(rank.context, HALO_MEMORY_HOST, &pool));
        // Size classes are four per power of two; two send slots and one receive buffer per peer.
        const int64_t of_test = storage_is_shared() ? own : 0; // one set that no field is bound to
        const int64_t most = (own + of_test + 64 * static_cast<int64_t>(stores.n_parts()) + 4 * stats.bytes_sent) * 5 / 4 + 65536;
        std::printf("rank %d of %d: %zu of %lld parts, own storage %lld bytes, peak of the pool %lld bytes\n", rank.rank, rank.size, stores.n_parts(),
                    static_cast<long long>(grid.n_blocks()), static_cast<long long>(own), static_cast<long long>(pool.peak_bytes));
        if (pool.peak_bytes > most || pool.peak_bytes < own)
            stop("the pool's peak is %lld bytes, own parts have %lld, expected at most %lld", static_cast<long long>(pool.peak_bytes),
                 static_cast<long long>(own), static_cast<long long>(most));
        OK(halo_exchange_destroy(&exchange));
        stores.destroy();
        OK(halo_topology_destroy(&topology));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Guarantees, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
