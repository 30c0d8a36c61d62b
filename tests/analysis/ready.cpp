// SPDX-License-Identifier: BSD-3-Clause
// Fields and exchanges made from an analysis, over ranks that are threads.
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "halo_stencil.hpp"

namespace {

using halo::reads;
using halo::writes;

// Runs `body` on each rank of a group, and passes on what it throws.
void on_ranks(int32_t n, const std::function<void(halo::Context &)> &body) {
    const halo::Inproc group(n);
    std::vector<std::exception_ptr> failures(static_cast<size_t>(n));
    std::vector<std::thread> threads;
    for (int32_t rank = 0; rank < n; ++rank)
        threads.emplace_back([&, rank] {
            try {
                halo::Context context(group, rank);
                body(context);
            } catch (...) {
                failures[static_cast<size_t>(rank)] = std::current_exception();
            }
        });
    for (std::thread &thread : threads) thread.join();
    for (const std::exception_ptr &failure : failures)
        if (failure) std::rethrow_exception(failure);
}

// The cells of a part and its ghosts, with their places in storage.
void for_each(const halo_layout &layout, const halo_field_desc &desc, const halo_part &part,
              const std::function<void(const std::array<int64_t, 3> &cell, int64_t offset, bool owned)> &visit) {
    const int64_t n[3] = { part.cells.high[0] - part.cells.low[0], part.cells.high[1] - part.cells.low[1], part.cells.high[2] - part.cells.low[2] };
    for (int64_t z = -desc.ghost_low[2]; z < n[2] + desc.ghost_high[2]; ++z)
        for (int64_t y = -desc.ghost_low[1]; y < n[1] + desc.ghost_high[1]; ++y)
            for (int64_t x = -desc.ghost_low[0]; x < n[0] + desc.ghost_high[0]; ++x) {
                const bool owned = x >= 0 && x < n[0] && y >= 0 && y < n[1] && z >= 0 && z < n[2];
                visit({ x, y, z }, layout.first_owned + x * layout.stride[0] + y * layout.stride[1] + z * layout.stride[2], owned);
            }
}

constexpr int64_t n_blocks = 2, n_cells = 6, n_levels = 12, n_all = n_blocks * n_cells;
const int64_t splitters[] = { 0, 5, n_levels };

halo_blocks_desc columns() {
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = n_blocks, blocks.n_cells[d] = n_cells, blocks.periodic[d] = 1;
    blocks.n_cells[2] = n_levels;
    return blocks;
}

// Wide in the lower levels, narrow in the upper ones, and on the highest nothing.
halo::Stencil two_layers() {
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.splitters = splitters;
    desc.n_splitters = 3;
    desc.cells[0] = desc.cells[1] = n_cells;
    halo::Stencil stencil(desc);
    const int32_t u = stencil.add_field("u"), out = stencil.add_field("out");
    const halo_stencil_access accesses[] = { writes(out), reads(u, { -3, -2, 0 }, { 2, 1, 0 }, 0), reads(u, { 0, -1, 0 }, { 1, 0, 0 }, 1) };
    const halo_stencil_interval intervals[] = { { { 0, 1 }, { 1, -1 } }, { { 1, 1 }, { 2, -2 } } };
    halo_stencil_stage_desc stage = HALO_STENCIL_STAGE_DESC_INIT;
    stage.name = "f";
    stage.accesses = accesses;
    stage.n_accesses = 3;
    stage.intervals = intervals;
    stage.n_intervals = 2;
    stencil.add_stage(stage);
    stencil.analyse();
    return stencil;
}

double value(int64_t x, int64_t y, int64_t z) { return static_cast<double>((x + n_all) % n_all + 100 * ((y + n_all) % n_all) + 10000 * z); }

// Fills u's ghosts on a topology; the bytes that went, on all ranks together. `level` says what of a level must be filled.
int64_t exchange(halo::Context &context, const halo::Stencil &stencil, const halo::Topology &topology,
                 const std::function<halo_stencil_range(int64_t level)> &wanted) {
    constexpr double untouched = -1;
    const halo_field_desc desc = stencil.field_desc(0);
    halo::Field u(topology, desc);
    u.allocate();
    const auto on_parts = [&](const std::function<void(double &, const halo_part &, const std::array<int64_t, 3> &, bool)> &visit) {
        for (const int64_t gid : topology.local_parts()) {
            halo_part part = HALO_PART_INIT, grid = HALO_PART_INIT;
            halo::check(halo_topology_part(topology, gid, &part));
            const halo::Topology blocks(context, columns());
            halo::check(halo_topology_part(blocks, gid, &grid));
            halo_layout layout = HALO_LAYOUT_INIT;
            void *data = nullptr;
            halo::check(halo_field_layout(u, gid, &layout));
            halo::check(halo_field_data(u, gid, 0, &data));
            for_each(layout, desc, part,
                     [&](const auto &cell, int64_t offset, bool owned) { visit(static_cast<double *>(data)[offset], grid, cell, owned); });
        }
    };
    on_parts([&](double &at, const halo_part &part, const auto &cell, bool owned) {
        at = owned ? value(part.cells.low[0] + cell[0], part.cells.low[1] + cell[1], cell[2]) : untouched;
    });
    std::vector<halo_field *> fields{ u, nullptr };
    halo::Exchange ghosts = stencil.exchange(0, fields);
    ghosts.start();
    ghosts.finish();
    int64_t wrong = 0;
    on_parts([&](double &at, const halo_part &part, const auto &cell, bool owned) {
        const halo_stencil_range range = wanted(cell[2]);
        bool filled = true;
        for (size_t d = 0; d < 2; ++d) filled = filled && cell[d] >= -range.low[d] && cell[d] < n_cells + range.high[d];
        wrong += at != (owned || filled ? value(part.cells.low[0] + cell[0], part.cells.low[1] + cell[1], cell[2]) : untouched);
    });
    EXPECT_EQ(wrong, 0);
    const halo_exchange_stats stats = ghosts.stats();
    return context.allreduce(stats.payload_bytes + stats.local_bytes, HALO_SUM);
}

TEST(Ready, MessagesHoldWhatEachLevelNeedsAndNoMore) {
    for (const int32_t n_ranks : { 1, 2, 4 })
        on_ranks(n_ranks, [&](halo::Context &context) {
            const halo::Stencil stencil = two_layers();
            const std::vector<halo_stencil_exchange> exchanges = stencil.exchanges();
            ASSERT_EQ(exchanges.size(), 1u);
            EXPECT_EQ(exchanges[0].values, 5 * (11 * 9 - 36) + 6 * (7 * 7 - 36));
            const std::vector<halo_stencil_range> ranges = stencil.exchange_ranges(0);
            const halo::Topology narrow = stencil.topology(0, context, columns());
            const int64_t least = exchange(context, stencil, narrow, [&](int64_t level) {
                for (const halo_stencil_range &range : ranges)
                    if (range.first <= level && level <= range.last) return range;
                return halo_stencil_range{ level, level, { 0, 0, 0 }, { 0, 0, 0 } };
            });
            EXPECT_EQ(least, 4 * exchanges[0].values * 8);
            const halo::Topology whole(context, columns());
            const int64_t box = exchange(context, stencil, whole, [&](int64_t) { return halo_stencil_range{ 0, 0, { 3, 2, 0 }, { 2, 1, 0 } }; });
            EXPECT_EQ(box, 4 * n_levels * (11 * 9 - 36) * 8);
            EXPECT_EQ(least * 756, box * 393);
        });
}

TEST(Ready, TopologiesFillAnyExchangeWithoutLevelsToo) {
    on_ranks(2, [](halo::Context &context) {
        halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
        halo::Stencil stencil(desc);
        stencil.add_field("u");
        stencil.add_field("v");
        stencil.add_stage("f", { writes(1), reads(0, { -1, 0, -2 }, { 2, 0, 1 }) });
        stencil.analyse();
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        for (int d = 0; d < 3; ++d) blocks.n_blocks[d] = 2, blocks.n_cells[d] = 4, blocks.periodic[d] = 1;
        const halo::Topology topology = stencil.topology(0, context, blocks);
        halo_field_desc wide = stencil.field_desc(0);
        EXPECT_EQ(wide.ghost_low[2], 2);
        for (int d = 0; d < 3; ++d) wide.ghost_low[d] = wide.ghost_high[d] = 3;
        halo::Field u(topology, wide);
        u.allocate();
        std::vector<halo_field *> fields{ u, nullptr };
        halo::Exchange ghosts = stencil.exchange(0, fields);
        ghosts.start();
        ghosts.finish();
        const halo_exchange_stats stats = ghosts.stats();
        EXPECT_EQ(context.allreduce(stats.payload_bytes + stats.local_bytes, HALO_SUM), 8 * (7 * 4 * 7 - 64) * 8);
    });
}

TEST(Ready, LayoutsHaveRoomForTheWidestGhosts) {
    on_ranks(2, [](halo::Context &context) {
        const halo::Stencil stencil = two_layers();
        const halo_layout_desc rows = stencil.layout_desc(128);
        EXPECT_EQ(rows.alignment, 128);
        for (size_t d = 0; d < 3; ++d) {
            EXPECT_EQ(rows.ghost_low[d], (std::array<int32_t, 3>{ 3, 2, 0 })[d]);
            EXPECT_EQ(rows.ghost_high[d], (std::array<int32_t, 3>{ 2, 1, 0 })[d]);
        }
        const halo::Topology grid(context, columns());
        std::vector<halo::Field> fields;
        for (const int32_t number : { 0, 1 }) {
            fields.emplace_back(grid, stencil.field_desc(number));
            fields.back().set_layout(rows);
            fields.back().allocate();
        }
        const halo_layout own = halo::make_layout(rows, { n_cells, n_cells, n_levels });
        for (const int64_t gid : grid.local_parts())
            for (const halo::Field &field : fields) {
                const halo_layout layout = field.layout(gid);
                EXPECT_EQ(std::memcmp(&layout, &own, sizeof own), 0) << "part " << gid;
                const auto first = reinterpret_cast<uintptr_t>(field.data(gid) + layout.first_owned);
                EXPECT_EQ(first % 128, 0u);
                EXPECT_EQ(layout.stride[1] % 16, 0);
            }
    });
}

TEST(Ready, DescriptionsAndExchangesThatDoNotFitAreRefused) {
    on_ranks(1, [](halo::Context &context) {
        const halo::Stencil stencil = two_layers();
        halo_blocks_desc blocks = columns();
        halo_topology *topology = nullptr;
        const auto expect = [&](halo_status status, const char *text) {
            EXPECT_EQ(halo_stencil_create_topology(stencil, 0, context, &blocks, &topology), status);
            EXPECT_STREQ(halo_last_error(), text);
            blocks = columns();
        };
        blocks.n_dims = 2, blocks.n_cells[2] = 1;
        expect(HALO_ERR_ARGUMENT, "stencil: blocks in 2 dimensions for a stencil in 3");
        blocks.n_blocks[2] = 2;
        expect(HALO_ERR_ARGUMENT, "stencil: 2 blocks of 12 cells in direction 2, where levels want one of 12");
        blocks.n_cells[0] = 2;
        expect(HALO_ERR_LIMIT, "stencil: 3 ghost layers in direction 0 for blocks of 2 cells");
        const halo::Topology grid(context, columns());
        halo_field_desc narrow = stencil.field_desc(0);
        narrow.ghost_low[1] = 1;
        const halo::Field u(grid, narrow);
        halo_field *fields[] = { u, nullptr };
        halo_exchange *exchange = nullptr;
        EXPECT_EQ(halo_stencil_create_exchange(stencil, 0, fields, 2, nullptr, &exchange), HALO_ERR_BOUNDS);
        EXPECT_STREQ(halo_last_error(), "stencil: field u has 1 and 1 ghost layers in direction 1; the exchange fills 2 and 1");
        EXPECT_EQ(halo_stencil_create_exchange(stencil, 0, fields, 1, nullptr, &exchange), HALO_ERR_ARGUMENT);
        EXPECT_EQ(halo_stencil_create_exchange(stencil, 1, fields, 2, nullptr, &exchange), HALO_ERR_NOT_FOUND);
        fields[0] = nullptr;
        EXPECT_EQ(halo_stencil_create_exchange(stencil, 0, fields, 2, nullptr, &exchange), HALO_ERR_ARGUMENT);
        EXPECT_STREQ(halo_last_error(), "the field handle is NULL");
    });
}

// Ranks of which one is refused do not wait for each other.
TEST(Ready, ARefusalReachesTheOthers) {
    std::atomic<int> refused{ 0 }, told{ 0 };
    on_ranks(2, [&](halo::Context &context) {
        const halo::Stencil stencil = two_layers();
        halo_blocks_desc blocks = columns();
        if (context.rank() == 1) blocks.n_cells[0] = 2;
        halo_topology *topology = nullptr;
        const halo_status status = halo_stencil_create_topology(stencil, 0, context, &blocks, &topology);
        refused += status == HALO_ERR_LIMIT;
        told += status == HALO_ERR_PEER;
    });
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(told, 1);
}

} // namespace
