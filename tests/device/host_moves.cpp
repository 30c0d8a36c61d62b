// SPDX-License-Identifier: BSD-3-Clause
// What the host device makes of shapes.
#include <gtest/gtest.h>

#include <algorithm>

#include "compile_shape.h"
#include "ghost_case.h"
#include "program.h"

namespace {

using namespace halo::test;

// The rows of a block and its neighbours become one move each: what costs time is decided when the table is made.
TEST(Host, GhostRowsAreOneMove) {
    const GhostWork work({ 32, 8, 4, 2 });
    for (const halo_copy_shape &shape : work.shapes()) {
        halo::host::LineLists lists;
        const auto moves = halo::host::compile(shape, lists);
        ASSERT_EQ(moves.size(), 1U);
        EXPECT_EQ(moves[0].n_pieces, shape.n_pieces);
        EXPECT_NE(moves[0].lines, nullptr);
    }
}

// Components that lie side by side become part of the run.
TEST(Host, InterleavedComponentsAreOneRun) {
    halo_copy_shape shape{};
    shape.n_pieces = 1;
    shape.element_bytes = 8;
    shape.run[0] = 5;
    shape.n[0] = 6, shape.n[1] = 7, shape.n[2] = 4;
    const int64_t strides[3] = { 640, 12800, 8 };
    std::copy_n(strides, 3, shape.dst_stride);
    std::copy_n(strides, 3, shape.src_stride[0]);
    shape.dst_step = shape.src_step[0] = 32;
    halo::host::LineLists lists;
    const auto moves = halo::host::compile(halo::device::widened(shape), lists);
    ASSERT_EQ(moves.size(), 1U);
    EXPECT_EQ(moves[0].middle, 5 * 32);
    EXPECT_EQ(moves[0].n_lines, 6 * 7);
}

} // namespace
