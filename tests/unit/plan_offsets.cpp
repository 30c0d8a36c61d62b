// SPDX-License-Identifier: BSD-3-Clause
// Offsets in messages beyond 2^31 bytes, and those in storage: where every number of bytes must be one of 64 bits.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "inproc_context.h"
#include "plan/message_order.h"
#include "plan/piece.h"
#include "topology/blocks/blocks.h"

namespace halo {

namespace {

constexpr int64_t element_bytes = 8;

// Calls body(context) on each of two ranks.
template <class Body>
void on_two_ranks(Body &&body) {
    halo_inproc *group = create_inproc_group(2);
    const auto run = [&](int rank) {
        const std::unique_ptr<Context> context = open_context(group, rank);
        body(*context);
    };
    std::thread other([&] { run(1); });
    run(0);
    other.join();
    destroy_inproc_group(group);
}

std::unique_ptr<Field> make_field(Topology &topology, const char *name, int32_t n_components, const Extent &low, const Extent &high = {}) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    desc.n_components = n_components;
    for (int d = 0; d < 3; ++d) {
        desc.ghost_low[d] = static_cast<int32_t>(low[d]);
        desc.ghost_high[d] = static_cast<int32_t>(high[d]);
    }
    return std::make_unique<Field>(topology, desc);
}

// What this rank receives from the other, as rows of a table. Returns the bytes of the message.
int64_t place_received(Field &field, CopyRows &rows, std::vector<Placement> &placements) {
    TopologyUse use;
    use.request.ghosts = field.spec().ghosts;
    const Piece piece({ &field, &field, edges_of_topology(field.topology(), use), {}, 0 });
    const EdgeBoxes boxes = piece.boxes(piece.edges(), {});
    return place_in_order(boxes, 7, HALO_COPY_PIECES, piece.edges().links.front().receive, [&](const PlacedEdge &edge, const Placement &at) {
        placements.push_back(at);
        rows.add(boxes.unpack_dense(edge, at));
    });
}

} // namespace

TEST(Offsets, BoxesBehindEachOther) {
    constexpr int64_t n = int64_t{ 1 } << 29; // 4 GiB of doubles
    on_two_ranks([](Context &context) {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 1;
        desc.n_blocks[0] = 2;
        desc.n_cells[0] = n;
        desc.periodic[0] = 1;
        BlocksTopology topology(context, desc);
        const auto field = make_field(topology, "a", 1, { n, 0, 0 }, { n, 0, 0 });
        if (context.rank() == 0) return;
        CopyRows rows;
        std::vector<Placement> placements;
        const int64_t bytes = place_received(*field, rows, placements);
        ASSERT_EQ(placements.size(), 2u);
        EXPECT_EQ(bytes, element_bytes * 2 * n);
        EXPECT_EQ(placements[1].offset, n * element_bytes);
        EXPECT_EQ(rows.program().rows[1].src_offset[0], n * element_bytes);
    });
}

TEST(Offsets, PlanesComponentsAndStorage) {
    constexpr int64_t n = 4096, wide = 2048; // a layer of 2048 planes of 4096 x 4096 doubles: 256 GiB
    on_two_ranks([](Context &context) {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_blocks[2] = 2;
        for (int64_t &cells : desc.n_cells) cells = n;
        BlocksTopology topology(context, desc);
        const auto field = make_field(topology, "u", 2, { 0, 0, wide });
        if (context.rank() == 0) return;
        CopyRows rows;
        std::vector<Placement> placements;
        const int64_t bytes = place_received(*field, rows, placements);
        EXPECT_EQ(bytes, element_bytes * 2 * n * n * wide);
        ASSERT_EQ(rows.size(), 1);
        const halo_copy_program program = rows.program();
        const halo_copy_shape &shape = program.shapes[program.rows[0].shape];
        EXPECT_EQ(shape.src_stride[0][1], element_bytes * n * n);
        EXPECT_EQ(shape.src_stride[0][2], element_bytes * n * n * wide);    // the next component in the message,
        EXPECT_EQ(shape.dst_stride[2], element_bytes * n * n * (n + wide)); // and in storage
        EXPECT_EQ(field->layout(0).first_owned, n * n * wide);
        EXPECT_EQ(program.rows[0].dst_offset, 0);
    });
}

} // namespace halo
