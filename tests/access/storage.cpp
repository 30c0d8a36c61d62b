// SPDX-License-Identifier: BSD-3-Clause
// Batches over other storage than one list of numbers: blocks with ghosts around, components side by side, several parts on a rank.
#include <gtest/gtest.h>

#include <functional>

#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;

// A field whose values are written at one side and, with their ghosts, read at the other; own values may have been looked at there before.
void write_and_read(const Rank &rank, halo_field *field, int32_t from, int32_t to, bool on_both, const std::function<void(int32_t where)> &write,
                    const std::function<void(int32_t where)> &check) {
    const auto run = [&](const halo_access &access, int32_t where, const std::function<void(int32_t)> &body) {
        halo_batch *batch = nullptr;
        OK(halo_access_begin(rank.context, &access, 1, sizeof access, HALO_STYLE_REVERSE, where, conformance::stream(), &batch));
        OK(halo_access_ready(batch));
        body(where);
        put_back();
        OK(halo_access_end(batch));
    };
    run(direct(field, HALO_WRITE, 1), from, write);
    if (on_both) run(direct(field, HALO_READ), from == HALO_ON_HOST ? HALO_ON_DEVICE : HALO_ON_HOST, [](int32_t) {});
    run(via_map(field, HALO_READ), to, check);
}

void on_all_sides(const Rank &rank, halo_field *field, const std::function<void(int32_t where)> &write,
                  const std::function<void(int32_t where)> &check) {
    for (const int32_t from : { HALO_ON_DEVICE, HALO_ON_HOST })
        for (const int32_t to : { HALO_ON_DEVICE, HALO_ON_HOST })
            for (const bool on_both : { false, true }) write_and_read(rank, field, from, to, on_both, write, check);
}

class Storage : public testing::TestWithParam<int32_t> {};

// Cells in rows, or where a map says: the last first.
void check_blocks(int32_t n_ranks, bool mapped) {
    conformance::run(n_ranks, with_device(), [mapped](Rank &rank) {
        constexpr int64_t n_blocks = 3, n_cells = 4, width = 2, n_components = 2, pitch = n_cells + 2 * width;
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2;
        for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = n_blocks, blocks.n_cells[d] = n_cells, blocks.periodic[d] = 1;
        blocks.order = HALO_ORDER_ROWS;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "cells";
        desc.n_components = n_components;
        for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = width;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &desc, &field));
        const int64_t *gids = nullptr;
        int64_t n_parts = 0, version = 0;
        OK(halo_topology_local_parts(topology, &gids, &n_parts));
        std::vector<int64_t> positions;
        for (int64_t i = pitch * pitch; i-- > 0;) positions.push_back(i);
        for (int64_t p = 0; p < n_parts && mapped; ++p) OK(halo_field_map_points(field, gids[p], positions.data(), std::ssize(positions)));
        OK(halo_field_allocate(field, -1));
        const auto visit = [&](int32_t where, int64_t ghosts, auto &&body) {
            for (int64_t p = 0; p < n_parts; ++p) {
                halo_layout layout = HALO_LAYOUT_INIT;
                void *const data = values_at(field, gids[p], 0, where);
                OK(halo_field_layout(field, gids[p], &layout));
                for (int64_t c = 0; c < n_components; ++c)
                    for (int64_t y = -ghosts; y < n_cells + ghosts; ++y)
                        for (int64_t x = -ghosts; x < n_cells + ghosts; ++x) {
                            constexpr int64_t extent = n_blocks * n_cells;
                            const int64_t i = (gids[p] % n_blocks * n_cells + x + extent) % extent,
                                          j = (gids[p] / n_blocks * n_cells + y + extent) % extent;
                            const int64_t position = positions[static_cast<size_t>(pitch * (y + width) + x + width)];
                            const int64_t point = mapped ? position * layout.stride[0] : x * layout.stride[0] + y * layout.stride[1];
                            double &value = static_cast<double *>(data)[layout.first_owned + point + c * layout.component_stride];
                            body(value, static_cast<double>(version * 10000 + c * 1000 + j * extent + i));
                        }
            }
        };
        on_all_sides(
            rank, field,
            [&](int32_t where) {
                ++version;
                visit(where, 0, [](double &value, double wanted) { value = wanted; });
            },
            [&](int32_t where) {
                visit(where, width, [&](double value, double wanted) {
                    if (value != wanted) stop("where %d: wanted %g, got %g", where, wanted, value);
                });
            });
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

TEST_P(Storage, OfBlocks) { check_blocks(GetParam(), false); }
TEST_P(Storage, OfMappedBlocks) { check_blocks(GetParam(), true); }

// Components side by side, with a gap; points in any order, so that owned ones lie among ghosts.
TEST_P(Storage, OfPointsWithComponents) {
    conformance::run(GetParam(), with_device(), [](Rank &rank) {
        constexpr int64_t n_points = 40, n_components = 3, pitch = 4;
        std::vector<uint64_t> keys; // all ranks have all
        std::vector<int32_t> owners;
        for (int64_t i = 0; i < n_points; ++i) {
            keys.push_back(static_cast<uint64_t>((i * 7 + rank.rank) % n_points));
            owners.push_back(static_cast<int32_t>(keys.back() * 5 % static_cast<uint64_t>(rank.size)));
        }
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = n_points;
        desc.keys = keys.data();
        desc.owners = owners.data();
        desc.numbering = HALO_NUMBERING_AS_GIVEN;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        halo_field_desc values = HALO_FIELD_DESC_INIT;
        values.name = "points";
        values.n_components = n_components;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &values, &field));
        std::vector<double> memory(n_points * pitch, -1);
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(field, rank.rank, &layout));
        layout.elements = n_points * pitch;
        layout.stride[0] = pitch;
        layout.component_stride = 1;
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = memory.data();
        binding.layout = &layout;
        OK(halo_field_bind(field, rank.rank, &binding));
        int64_t version = 0;
        const auto visit = [&](int32_t where, bool ghosts, auto &&body) {
            void *const data = values_at(field, rank.rank, 0, where);
            for (size_t i = 0; i < keys.size(); ++i)
                for (size_t c = 0; c < n_components; ++c)
                    if (ghosts || owners[i] == rank.rank)
                        body(static_cast<double *>(data)[i * pitch + c],
                             static_cast<double>(version * 1000) + static_cast<double>(keys[i] * n_components + c));
        };
        on_all_sides(
            rank, field,
            [&](int32_t where) {
                ++version;
                visit(where, false, [](double &value, double wanted) { value = wanted; });
            },
            [&](int32_t where) {
                visit(where, true, [&](double value, double wanted) {
                    if (value != wanted) stop("where %d: wanted %g, got %g", where, wanted, value);
                });
                if (memory[3] != -1) stop("a gap of the layout has been written");
            });
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

// Two parts on each rank: copies of a key are ghosts in all parts but one, be they of this rank or of another.
TEST_P(Storage, OfSeveralParts) {
    conformance::run(GetParam(), with_device(), [](Rank &rank) {
        constexpr int64_t n_parts = 2, n_keys = 12; // of each part; neighbouring parts have a third of their keys in common
        std::vector<uint64_t> keys;
        std::vector<bool> owned;
        for (int64_t part = n_parts * rank.rank; part < n_parts * (rank.rank + 1); ++part)
            for (int64_t i = 0; i < n_keys; ++i) {
                keys.push_back(static_cast<uint64_t>(part * 8 + i));
                owned.push_back(part == 0 || i >= 4);
            }
        const int64_t offsets[] = { 0, n_keys, 2 * n_keys };
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = n_parts * n_keys;
        desc.keys = keys.data();
        desc.numbering = HALO_NUMBERING_AS_GIVEN;
        desc.n_parts = n_parts;
        desc.part_offsets = offsets;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        halo_field_desc values = HALO_FIELD_DESC_INIT;
        values.name = "in parts";
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &values, &field));
        OK(halo_field_allocate(field, -1));
        int64_t version = 0;
        const auto visit = [&](int32_t where, bool ghosts, auto &&body) {
            for (int64_t part = 0; part < n_parts; ++part) {
                void *const data = values_at(field, n_parts * rank.rank + part, 0, where);
                for (int64_t i = 0; i < n_keys; ++i) {
                    const auto place = static_cast<size_t>(part * n_keys + i);
                    if (ghosts || owned[place])
                        body(static_cast<double *>(data)[i], static_cast<double>(version * 1000) + static_cast<double>(keys[place]));
                }
            }
        };
        on_all_sides(
            rank, field,
            [&](int32_t where) {
                ++version;
                visit(where, false, [](double &value, double wanted) { value = wanted; });
            },
            [&](int32_t where) {
                visit(where, true, [&](double value, double wanted) {
                    if (value != wanted) stop("where %d: wanted %g, got %g", where, wanted, value);
                });
            });
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Storage, testing::ValuesIn(conformance::rank_counts()));

} // namespace
