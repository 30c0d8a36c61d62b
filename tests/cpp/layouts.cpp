// SPDX-License-Identifier: BSD-3-Clause
// Layouts that a rule gives a field, at any time when it has no storage: exchanges that exist follow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "halo_views.hpp"

namespace {

constexpr int64_t n_blocks = 3, n_cells = 5, n_all = n_blocks * n_cells;
constexpr int32_t width = 2;

void on_two_ranks(const char *path, const std::function<void(const halo::Context &)> &body) {
    const halo::Inproc group(2);
    const halo_setting setting{ "path", path };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = &setting;
    options.n_settings = 1;
    const auto rank = [&](int32_t number) {
        try {
            body(halo::Context(group, number, &options));
        } catch (const halo::error &error) {
            ADD_FAILURE() << path << ", rank " << number << ": " << error.what();
        }
    };
    std::thread other(rank, 1);
    rank(0);
    other.join();
}

halo::Topology squares(const halo::Context &context) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 2;
    desc.order = HALO_ORDER_ROWS;
    for (int d = 0; d < 2; ++d) desc.n_blocks[d] = n_blocks, desc.n_cells[d] = n_cells, desc.periodic[d] = 1;
    return { context, desc };
}

halo::Field field_on(const halo::Topology &topology, int32_t sparse = 0) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u";
    desc.n_components = 2;
    desc.sparse = sparse;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = width;
    return { topology, desc };
}

halo_layout_desc columns(int32_t alignment) {
    halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
    desc.alignment = alignment;
    const int32_t order[] = { 1, HALO_DIM_COMPONENTS, 0, 2, HALO_DIM_PLACES };
    std::copy_n(order, 5, desc.order);
    desc.ghost_low[0] = 5;
    return desc;
}

double value(const halo_part &part, int64_t i, int64_t j, int64_t component, double time) {
    const int64_t x = (part.cells.low[0] + i + n_all) % n_all, y = (part.cells.low[1] + j + n_all) % n_all;
    return static_cast<double>(x + 100 * y + 10000 * component) + 0.125 * time;
}

using Find = std::function<halo::View<double>(const halo_part &)>;

void fill(const halo::Topology &topology, const Find &view_of, double time) {
    for (const halo_part &part : halo::parts(topology))
        for (int64_t c = 0; c < 2; ++c)
            for (int64_t j = -width; j < n_cells + width; ++j)
                for (int64_t i = -width; i < n_cells + width; ++i) {
                    const bool owned = i >= 0 && j >= 0 && i < n_cells && j < n_cells;
                    view_of(part)(i, j, 0, c) = owned ? value(part, i, j, c, time) : -1;
                }
}

int64_t count_wrong(const halo::Topology &topology, const Find &view_of, double time) {
    int64_t wrong = 0;
    for (const halo_part &part : halo::parts(topology))
        for (int64_t c = 0; c < 2; ++c)
            for (int64_t j = -width; j < n_cells + width; ++j)
                for (int64_t i = -width; i < n_cells + width; ++i) wrong += view_of(part)(i, j, 0, c) != value(part, i, j, c, time);
    return wrong;
}

void run(halo::Exchange &exchange) {
    exchange.start();
    exchange.finish();
}

Find storage_of(const halo::Field &field) {
    return [&field](const halo_part &part) { return halo::view(field, part.gid); };
}

/// Do the first owned cells of all parts that have storage lie at multiples of so many bytes?
int64_t count_unaligned(const halo::Topology &topology, const halo::Field &field, uintptr_t alignment) {
    int64_t unaligned = 0;
    for (const halo_part &part : halo::parts(topology))
        unaligned += reinterpret_cast<uintptr_t>(halo::view(field, part.gid).first_owned()) % alignment != 0;
    return unaligned;
}

TEST(Layouts, AreFollowedByExchangesThatExist) {
    for (const char *path : { "auto", "message", "put", "get" })
        on_two_ranks(path, [](const halo::Context &context) {
            const halo::Topology topology = squares(context);
            halo::Field u = field_on(topology);
            halo::Exchange ghosts({ u.get() });
            const std::vector<halo_part> parts = halo::parts(topology);
            std::vector<std::vector<double>> storage;
            std::vector<void *> data;
            for (const halo_part &part : parts) data.push_back(storage.emplace_back(u.layout(part.gid).elements).data());
            const halo::Run given = halo::Run().data(data);
            const auto of_run = [&](const halo_part &part) {
                for (size_t i = 0; i < parts.size(); ++i)
                    if (parts[i].gid == part.gid) return halo::View<double>(storage[i].data(), u.layout(part.gid));
                return halo::View<double>();
            };
            fill(topology, of_run, 1);
            const halo_layout_desc rule = columns(context.rank() == 0 ? 128 : 32);
            ghosts.start(given);
            EXPECT_EQ(halo_field_set_layout(u, &rule), HALO_BUSY);
            ghosts.finish();
            EXPECT_EQ(count_wrong(topology, of_run, 1), 0);

            u.set_layout(rule);
            u.allocate();
            EXPECT_EQ(halo_field_set_layout(u, &rule), HALO_BUSY);
            const Find bound = storage_of(u);
            for (int time = 2; time < 6; ++time) {
                fill(topology, bound, time);
                run(ghosts);
                EXPECT_EQ(count_wrong(topology, bound, time), 0) << "time " << time;
            }
            EXPECT_EQ(count_unaligned(topology, u, static_cast<uintptr_t>(std::max(rule.alignment, 64))), 0);
            for (const halo_part &part : parts) {
                EXPECT_EQ(u.layout(part.gid).stride[1], 1);
                u.unbind(part.gid);
            }
            u.set_layout(HALO_LAYOUT_DESC_INIT);
            u.allocate();
            fill(topology, bound, 7);
            run(ghosts);
            EXPECT_EQ(count_wrong(topology, bound, 7), 0);
        });
}

TEST(Layouts, OfPartsFollowEachOtherAligned) {
    const halo::Context context;
    const halo::Topology topology = squares(context);
    halo::Field u = field_on(topology);
    u.set_layout(columns(256));
    const auto n_parts = static_cast<int64_t>(topology.local_parts().size());
    const int64_t elements = u.layout(0).elements;
    auto *const memory = static_cast<char *>(context.allocate(n_parts * elements * 8 + 256));
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = memory + -reinterpret_cast<uintptr_t>(memory) % 256;
    u.bind_many(elements, binding);
    const Find bound = storage_of(u);
    EXPECT_EQ(count_unaligned(topology, u, 256), 0);
    halo::Exchange ghosts({ u.get() });
    fill(topology, bound, 1);
    run(ghosts);
    EXPECT_EQ(count_wrong(topology, bound, 1), 0);
}

// What a sparse field gets when data arrive lies as the rule says, too.
TEST(Layouts, OfStorageThatArrivalsWant) {
    const halo::Context context;
    const halo::Topology topology = squares(context);
    halo::Field u = field_on(topology, 1);
    u.set_layout(columns(512));
    u.allocate(4);
    for (int64_t j = 0; j < n_cells; ++j)
        for (int64_t i = 0; i < n_cells; ++i) halo::view(u, 4)(i, j) = 1;
    halo::Exchange ghosts({ u.get() });
    ghosts.start();
    while (!ghosts.test()) {}
    const auto arrivals = ghosts.arrivals();
    EXPECT_EQ(arrivals.size(), 8u);
    for (const halo_arrival &arrival : arrivals) u.allocate(arrival.gid);
    ghosts.unpack();
    ghosts.refine();
    for (const halo_part &part : halo::parts(topology)) ASSERT_TRUE(halo::view(u, part.gid)) << part.gid;
    EXPECT_EQ(count_unaligned(topology, u, 512), 0);
    EXPECT_EQ(halo::view(u, 3)(n_cells, 2), 1);
}

TEST(Layouts, AndMapsOfPointsMayComeInAnyOrder) {
    const halo::Context context;
    const uint64_t keys[] = { 5, 6, 7 };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = 3, desc.keys = keys;
    const halo::Topology points(context, desc);
    halo_layout_desc rule = HALO_LAYOUT_DESC_INIT;
    const int32_t order[] = { HALO_DIM_COMPONENTS, 0, 1, 2, HALO_DIM_PLACES };
    std::copy_n(order, 5, rule.order);
    const int64_t positions[] = { 8, 0, 3 };
    halo_field_desc vector = HALO_FIELD_DESC_INIT;
    vector.n_components = 3;
    halo::Field first(points, vector), second(points, vector);
    halo::check(halo_field_map_points(first, 0, positions, 3));
    first.set_layout(rule);
    second.set_layout(rule);
    halo::check(halo_field_map_points(second, 0, positions, 3));
    for (const halo::Field *field : { &first, &second }) {
        const halo_layout layout = field->layout(0);
        EXPECT_EQ(layout.component_stride, 1);
        EXPECT_EQ(layout.stride[0], 3);
        EXPECT_EQ(layout.elements, 32); // nine positions of three, in whole 64 bytes
    }
    rule.ghost_low[0] = 1;
    EXPECT_EQ(halo_field_set_layout(first, &rule), HALO_ERR_ARGUMENT);
    EXPECT_NE(std::string(halo_last_error()).find("1 and 0 in direction 0, where its topology has none"), std::string::npos) << halo_last_error();
}

} // namespace
