// SPDX-License-Identifier: BSD-3-Clause
// halo_exchange_prepare: the first run after it finds what it would have made, and asks no other rank for anything but its data.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "ranks.h"

namespace conformance {

namespace {

int64_t allocations(const Rank &rank) {
    halo_pool_stats stats = HALO_POOL_STATS_INIT;
    OK(halo_context_pool_stats(rank.context, HALO_MEMORY_HOST, &stats));
    return stats.allocations;
}

int64_t tables(const halo_exchange *exchange) {
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange, &stats));
    return stats.tables_compiled;
}

// How often the pool and the compiler were asked in the first run of sums into owners, of which those on one rank are staged.
struct Asked {
    int64_t memory;
    int64_t tables;
};

Asked first_run(const Rank &rank, bool prepared) {
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 2;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = 4, blocks.n_cells[d] = 8;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u";
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 2;
    halo_field *u = nullptr;
    OK(halo_field_create(topology, &desc, &u));
    OK(halo_field_allocate(u, -1));
    halo_exchange_desc sums = HALO_EXCHANGE_DESC_INIT;
    sums.kind = HALO_KIND_REVERSE;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&u, 1, &sums, &exchange));
    if (prepared) OK(halo_exchange_prepare(exchange));
    const Asked before{ allocations(rank), tables(exchange) };
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    if (halo_exchange_prepare(exchange) != HALO_ERR_STATE || !std::strstr(halo_last_error(), "over u: prepare is illegal: the exchange is sent"))
        stop("prepared while a run is in flight: %s", halo_last_error());
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    const Asked asked{ allocations(rank) - before.memory, tables(exchange) - before.tables };
    OK(halo_exchange_prepare(exchange)); // again, and in vain
    OK(halo_exchange_destroy(&exchange));
    OK(halo_field_destroy(&u));
    OK(halo_topology_destroy(&topology));
    return asked;
}

TEST(Prepare, MakesWhatTheFirstRunWould) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    for (const bool prepared : { false, true })
        run(2, { { "shared_memory", "no" }, { "check", "no" } }, [&](Rank &rank) {
            const Asked asked = first_run(rank, prepared);
            const int64_t handshake = 1;
            if (prepared && (asked.memory > handshake || asked.tables != 0))
                stop("%lld blocks of memory, %lld tables after prepare", static_cast<long long>(asked.memory), static_cast<long long>(asked.tables));
            if (!prepared && asked.memory <= handshake) stop("the first run needs no memory: nothing is tested");
        });
}

// Rank 0 starts before rank 1 does anything: it must not wait to be told of boxes.
TEST(Prepare, LooksUpTheBoxesOfATransfer) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    std::atomic<bool> started = false;
    run(2, { { "timeout", "10s" } }, [&](Rank &rank) {
        halo_topology *topologies[2] = {};
        halo_field *fields[2] = {};
        for (int side = 0; side < 2; ++side) { // each rank has half of a line, and at the end the other half
            const int64_t low = 8 * ((rank.rank + side) % 2);
            const halo_box box{ { low, 0, 0 }, { low + 8, 1, 1 } };
            halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
            desc.n_dims = 1, desc.domain.high[0] = 16;
            desc.boxes = &box, desc.n_boxes = 1, desc.distributed = 1, desc.reach = 1;
            OK(halo_topology_create_boxes(rank.context, &desc, &topologies[side]));
            halo_field_desc field = HALO_FIELD_DESC_INIT;
            field.name = side == 0 ? "from" : "to";
            OK(halo_field_create(topologies[side], &field, &fields[side]));
        }
        double from[8], to[8] = {};
        for (int i = 0; i < 8; ++i) from[i] = 8 * rank.rank + i;
        double *const memory[2] = { from, to };
        for (int side = 0; side < 2; ++side) {
            halo_binding binding = HALO_BINDING_INIT;
            binding.data = memory[side];
            OK(halo_field_bind_many(fields[side], 8, &binding));
        }
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create_transfer(&fields[0], &fields[1], 1, nullptr, &exchange));
        OK(halo_exchange_prepare(exchange));
        if (rank.rank == 1)
            while (!started) std::this_thread::yield();
        const halo_status status = halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE);
        started = true;
        OK(status);
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        for (int i = 0; i < 8; ++i)
            if (to[i] != 8 * (1 - rank.rank) + i) stop("value %d is %g", i, to[i]);
        OK(halo_exchange_destroy(&exchange));
        for (int side = 0; side < 2; ++side) {
            OK(halo_field_destroy(&fields[side]));
            OK(halo_topology_destroy(&topologies[side]));
        }
    });
}

} // namespace

} // namespace conformance
