// SPDX-License-Identifier: BSD-3-Clause
// Examples whose results are known from GridTools' documents.
#include <gtest/gtest.h>

#include "halo_stencil.hpp"

namespace {

using halo::reads;
using halo::writes;

halo_stencil_access reads_x(int32_t field, int32_t low, int32_t high) { return reads(field, { low, 0, 0 }, { high, 0, 0 }); }

halo::Stencil five_fields() {
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.n_dims = 1;
    halo::Stencil stencil(desc);
    for (const char *name : { "a", "b", "c", "d", "e" }) stencil.add_field(name);
    return stencil;
}

std::pair<int64_t, int64_t> widths(const halo::Stencil &stencil, int32_t field) {
    const halo_stencil_field found = stencil.field(field);
    return { found.ghost_low[0], found.ghost_high[0] };
}
std::pair<int64_t, int64_t> extent(const halo::Stencil &stencil, int32_t stage) {
    const halo_stencil_stage found = stencil.stage(stage);
    return { found.low[0], found.high[0] };
}
using Pair = std::pair<int64_t, int64_t>;

TEST(Vectors, ExtentsAddAlongTheStages) {
    halo::Stencil stencil = five_fields();
    stencil.add_stage("f0", { writes(0), reads_x(1, -1, 1), reads_x(2, 0, 1) });
    stencil.add_stage("f1", { writes(3), reads_x(1, -2, 0), reads_x(2, -1, 2) });
    stencil.add_stage("f2", { writes(4), reads_x(0, -1, 2), reads_x(3, -2, 2), reads_x(2, -1, 1) });
    stencil.analyse();
    EXPECT_EQ(widths(stencil, 0), Pair(1, 2));
    EXPECT_EQ(widths(stencil, 1), Pair(4, 3));
    EXPECT_EQ(widths(stencil, 2), Pair(3, 4));
    EXPECT_EQ(widths(stencil, 3), Pair(2, 2));
    EXPECT_EQ(widths(stencil, 4), Pair(0, 0));
    EXPECT_EQ(extent(stencil, 0), Pair(-1, 2));
    EXPECT_EQ(extent(stencil, 1), Pair(-2, 2));
    EXPECT_EQ(extent(stencil, 2), Pair(0, 0));
    for (const int32_t field : { 0, 3 }) EXPECT_TRUE(stencil.field(field).computed && !stencil.field(field).exchanged);
    for (const int32_t field : { 1, 2 }) EXPECT_TRUE(!stencil.field(field).computed && stencil.field(field).exchanged);
    EXPECT_TRUE(!stencil.field(4).computed && !stencil.field(4).exchanged);
}

TEST(Vectors, AnOutputReadByTheStageBetweenIsComputedFarther) {
    halo::Stencil stencil = five_fields();
    stencil.add_stage("f0", { writes(0), reads_x(1, -1, 1), reads_x(2, 0, 1) });
    stencil.add_stage("f1", { writes(3), reads_x(1, -2, 0), reads_x(0, -1, 2) });
    stencil.add_stage("f2", { writes(4), reads_x(0, -1, 2), reads_x(3, -2, 2), reads_x(2, -1, 1) });
    stencil.analyse();
    EXPECT_EQ(widths(stencil, 0), Pair(3, 4));
    EXPECT_EQ(widths(stencil, 1), Pair(4, 5));
    EXPECT_EQ(widths(stencil, 2), Pair(3, 5));
    EXPECT_EQ(widths(stencil, 3), Pair(2, 2));
    EXPECT_EQ(extent(stencil, 0), Pair(-3, 4));
}

TEST(Vectors, AFieldWrittenAfterItWasReadElsewhereIsRefused) {
    halo::Stencil stencil = five_fields();
    stencil.add_stage("f0", { writes(0), reads_x(1, -1, 1), reads_x(2, 0, 1) });
    stencil.add_stage("f1", { writes(2), reads_x(1, -2, 0), reads_x(0, -1, 2) });
    stencil.add_stage("f2", { writes(4), reads_x(0, -1, 2), reads_x(3, -2, 2), reads_x(2, -1, 1) });
    EXPECT_EQ(halo_stencil_analyse(stencil), HALO_ERR_ARGUMENT);
    EXPECT_STREQ(halo_last_error(), "stencil: stage 1 (f1) writes c, which stage 0 (f0) has read at <0,1>: other cells may not have read it yet "
                                    "(write another field, or see HALO_STENCIL_BY_STAGES)");
}

TEST(Vectors, TheTableNamesAllOfIt) {
    halo::Stencil stencil = five_fields();
    stencil.add_stage("f0", { writes(0), reads_x(1, -1, 1), reads_x(2, 0, 1) });
    stencil.add_stage("f1", { writes(3), reads_x(0, -1, 2) });
    stencil.analyse();
    EXPECT_EQ(stencil.describe(),
              "stages\n"
              "  stage 0 (f0) runs at <-1,2>\n"
              "  stage 1 (f1) runs at <0,0>\n"
              "fields\n"
              "  a: ghosts 1 below, 2 above in x, computed there too\n"
              "  b: ghosts 2 below, 3 above in x, exchanged\n"
              "  c: ghosts 1 below, 3 above in x, exchanged\n"
              "  d: ghosts none\n"
              "  e: ghosts none\n"
              "exchanges\n"
              "  0: b: 2 below, 3 above in x; started no earlier than before stage 0 (f0), finished before stage 0 (f0); group 0\n"
              "  1: c: 1 below, 3 above in x; started no earlier than before stage 0 (f0), finished before stage 0 (f0); group 0\n"
              "a run has 1 exchanges, which bring a part 0 values, and computes 0 cells twice: cost 0\n");
}

halo::Stencil four_splitters() {
    static const int64_t splitters[] = { 0, 10, 20, 30 };
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.splitters = splitters;
    desc.n_splitters = 4;
    halo::Stencil stencil(desc);
    stencil.add_field("u");
    return stencil;
}

void add(halo::Stencil &stencil, const char *name, std::vector<halo_stencil_interval> intervals) {
    const halo_stencil_access update = halo::updates(0);
    halo_stencil_stage_desc desc = HALO_STENCIL_STAGE_DESC_INIT;
    desc.name = name;
    desc.accesses = &update;
    desc.n_accesses = 1;
    desc.intervals = intervals.data();
    desc.n_intervals = static_cast<int32_t>(intervals.size());
    stencil.add_stage(desc);
}

std::vector<int32_t> flat(const std::vector<halo_stencil_loop> &loops) {
    std::vector<int32_t> all;
    for (const halo_stencil_loop &loop : loops)
        all.insert(all.end(), { loop.interval.from.splitter, loop.interval.from.offset, loop.interval.to.splitter, loop.interval.to.offset });
    return all;
}

TEST(Vectors, LevelsAreNumberedAroundTheSplitters) {
    const halo::Stencil stencil = four_splitters();
    EXPECT_EQ(stencil.level_index(0, -3), 0);
    EXPECT_EQ(stencil.level_index(0, 1), 3);
    EXPECT_EQ(stencil.level_index(1, -3), 6);
    EXPECT_EQ(stencil.level_index(3, -2), 19);
}

TEST(Vectors, LoopsAreTheCoarsestOfAllStages) {
    halo::Stencil stencil = four_splitters();
    add(stencil, "F0", { { { 3, -1 }, { 3, -1 } } });
    add(stencil, "F1", { { { 0, 1 }, { 2, -1 } } });
    add(stencil, "F2", { { { 0, 1 }, { 1, -1 } }, { { 1, 1 }, { 3, -1 } } });
    stencil.analyse();
    EXPECT_EQ(flat(stencil.loops()), (std::vector<int32_t>{ 0, 1, 1, -1, 1, 1, 2, -1, 2, 1, 3, -2, 3, -1, 3, -1 }));
    EXPECT_EQ(stencil.loops()[2].first, 20);
    EXPECT_EQ(stencil.loops()[2].last, 28);
    EXPECT_EQ(stencil.loop_intervals(0), (std::vector<int32_t>{ -1, -1, -1, 0 }));
    EXPECT_EQ(stencil.loop_intervals(1), (std::vector<int32_t>{ 0, 0, -1, -1 }));
    EXPECT_EQ(stencil.loop_intervals(2), (std::vector<int32_t>{ 0, 1, 1, 1 }));
}

} // namespace
