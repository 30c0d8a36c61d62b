// SPDX-License-Identifier: BSD-3-Clause
// Every move against the element-by-element reference: whole buffers are compared.
#include <gtest/gtest.h>

#include <cstring>

#include "ghost_case.h"
#include "random_table.h"
#include "tested_device.h"

namespace {

using namespace halo::test;
using Storage = std::vector<std::vector<unsigned char>>;

Storage moved_by_reference(RandomTable &table) {
    Storage storage = table.storage();
    const std::vector<void *> bases = RandomTable::bases_of(storage);
    for (const halo_copy_row &row : table.rows()) {
        const halo_copy_shape &shape = table.shapes()[row.shape];
        for_each_element(shape, row, bases.data(), [&](unsigned char *dst, const unsigned char *src) { std::memcpy(dst, src, shape.element_bytes); });
    }
    return storage;
}

void expect_moves_right(const ShapeLimits &limits, int n_shapes, uint64_t seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const TestedDevice device;
    Random random(seed);
    RandomTable table(random, limits, n_shapes, 3);
    const Storage expected = moved_by_reference(table);
    const TestedTable mine(device, table.shapes(), table.rows());
    mine.run(table.bases());
    ASSERT_TRUE(table.storage() == expected);
}

TEST(Moves, AnyLayout) {
    for (uint64_t seed = 1; seed <= 40; ++seed) expect_moves_right({}, 100, seed);
}

TEST(Moves, LongRunsApart) {
    ShapeLimits limits;
    limits.run = { 1, 300, 1000 };
    limits.most_lines = 2;
    for (uint64_t seed = 51; seed <= 60; ++seed) expect_moves_right(limits, 20, seed);
}

TEST(Moves, ContiguousRuns) {
    ShapeLimits limits;
    limits.contiguous = true;
    for (uint64_t seed = 101; seed <= 140; ++seed) expect_moves_right(limits, 100, seed);
}

TEST(Moves, SameLayoutWithoutGaps) {
    ShapeLimits limits;
    limits.contiguous = limits.same_layout = true;
    limits.gaps = limits.permuted = false;
    for (uint64_t seed = 201; seed <= 220; ++seed) expect_moves_right(limits, 100, seed);
}

TEST(Moves, ManyLines) {
    ShapeLimits limits;
    limits.contiguous = limits.same_layout = true;
    limits.element_bytes = { 8 };
    limits.run = { 1, 2, 8, 16 };
    limits.most_lines = 14; // above and below the length of a list
    for (uint64_t seed = 301; seed <= 303; ++seed) expect_moves_right(limits, 40, seed);
}

// All lengths of ends and middles that have kernels of their own, and those next to them.
TEST(Moves, EveryWidth) {
    for (const uint32_t end : { 0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 12U, 15U, 16U, 24U, 31U, 32U, 33U, 40U, 48U, 64U, 65U })
        for (const uint32_t middle :
             { 0U, 1U, 2U, 3U, 4U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 32U, 33U, 63U, 64U, 65U, 127U, 128U, 129U, 200U, 256U, 512U, 1000U }) {
            ShapeLimits limits;
            limits.element_bytes = { 1 };
            limits.contiguous = true;
            limits.run = { end, middle };
            for (const bool same : { false, true }) {
                limits.same_layout = same;
                limits.gaps = !same;
                expect_moves_right(limits, 12, end * 10000 + middle * 10 + (same ? 1 : 0));
            }
        }
}

struct Lines {
    uint32_t n[3];
    uint32_t run;
    uint32_t element_bytes;
};

// Apart on either side and not alike, so that no two lines can be taken for one.
void expect_lines_moved(const Lines &lines) {
    SCOPED_TRACE(testing::Message() << lines.n[0] << " x " << lines.n[1] << " x " << lines.n[2] << " lines of " << lines.run << " elements of "
                                    << lines.element_bytes << " bytes");
    const int64_t gap = lines.element_bytes % 2 == 0 ? 2 : 1;
    halo_copy_shape shape{};
    shape.n_pieces = 1;
    shape.element_bytes = lines.element_bytes;
    shape.run[0] = lines.run;
    shape.dst_step = lines.element_bytes + gap;
    shape.src_step[0] = lines.element_bytes;
    int64_t dst_bytes = shape.dst_step * lines.run, src_bytes = shape.src_step[0] * lines.run;
    for (int d = 0; d < 3; ++d) {
        shape.n[d] = lines.n[d];
        shape.dst_stride[d] = dst_bytes + gap;
        shape.src_stride[0][d] = src_bytes + 3 * gap;
        dst_bytes = shape.dst_stride[d] * lines.n[d];
        src_bytes = shape.src_stride[0][d] * lines.n[d];
    }
    std::vector<unsigned char> src(static_cast<size_t>(src_bytes)), dst(static_cast<size_t>(dst_bytes), 0), expected = dst;
    for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<unsigned char>(1 + i % 251);
    halo_copy_row row{};
    row.src_base[0] = 1;
    void *const to_expected[] = { expected.data(), src.data() };
    for_each_element(shape, row, to_expected, [&](unsigned char *to, const unsigned char *from) { std::memcpy(to, from, shape.element_bytes); });
    const TestedDevice device;
    TestedTable(device, { shape }, { row }).run({ dst.data(), src.data() });
    EXPECT_TRUE(dst == expected);
}

// Kernels divide by products what is small enough.
TEST(Moves, LinesAndElementsOnBothSidesOfWhatKernelsInvert) {
    for (const uint32_t many : { 32767U, 32768U, 32769U, 70001U }) {
        expect_lines_moved({ { many, 2, 2 }, 1, 1 });
        expect_lines_moved({ { 3, many, 1 }, 2, 2 });
    }
    expect_lines_moved({ { 2, 1, 3 }, 1, 70000 });
    expect_lines_moved({ { 2, 3, 2 }, 3, 2050 });
    expect_lines_moved({ { 3, 2, 2 }, 5, 410 }); // one line is a chunk
    expect_lines_moved({ { 9, 5, 2 }, 7, 12 });  // several are
    expect_lines_moved({ { 1, 1, 1 }, 5000, 3 });
}

TEST(Moves, GhostCases) {
    const TestedDevice device;
    for (const GhostCase &what :
         { GhostCase{ 32, 16, 1, 2 }, GhostCase{ 32, 16, 2, 3 }, GhostCase{ 24, 8, 4, 2 }, GhostCase{ 32, 8, 1, 1 }, GhostCase{ 12, 4, 2, 4 } }) {
        GhostWork work(what);
        work.fill();
        ASSERT_GT(work.wrong_values(), 0);
        TestedTable(device, work.shapes(), work.rows()).run(work.bases());
        EXPECT_EQ(work.wrong_values(), 0) << "blocks of " << what.block << ", ghost " << what.ghost;
    }
}

} // namespace
