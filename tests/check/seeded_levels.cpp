// SPDX-License-Identifier: BSD-3-Clause
// Defects made on purpose in fields on several levels: check mode names a value by its tree, level and place in the tree, as all ranks count, and a
// coarse one by the place that it has on the coarser level.
#include <gtest/gtest.h>

#include <functional>

#include "findings.h"
#include "halo_levels.h"
#include "storage.h"

namespace conformance {

namespace {

// Trees of 1, 1x2 and 2x2 root blocks of 4x6x8 cells; tree 2 lies behind tree 1. The last root of tree 1 and root (0, 1, 0) of tree 2 are refined.
//      gid 0: tree 0. gids 1 to 9: tree 1, the parts of its root begin at 2. gids 10 to 20: tree 2, the parts begin at 12.
constexpr int64_t first_of_rank_1 = 11;

std::vector<halo_leaf> leaves_of_trees() {
    std::vector<halo_leaf> leaves;
    const auto add_parts = [&](int32_t tree, int64_t x, int64_t y) {
        for (int number = 0; number < 8; ++number) leaves.push_back({ tree, 1, { 2 * x + number % 2, 2 * y + number / 2 % 2, number / 4 } });
    };
    leaves.push_back({ 0, 0, { 0, 0, 0 } });
    leaves.push_back({ 1, 0, { 0, 0, 0 } });
    add_parts(1, 0, 1);
    leaves.push_back({ 2, 0, { 0, 0, 0 } });
    leaves.push_back({ 2, 0, { 1, 0, 0 } });
    add_parts(2, 0, 1);
    leaves.push_back({ 2, 0, { 1, 1, 0 } });
    return leaves;
}

halo_topology *make_forest(const Rank &rank, bool distributed) {
    const halo_tree trees[] = { { { 1, 1, 1 } }, { { 1, 2, 1 } }, { { 2, 2, 1 } } };
    halo_tree_join join = HALO_TREE_JOIN_INIT;
    join.tree = 1, join.side = 1, join.to_tree = 2;
    const std::vector<halo_leaf> leaves = leaves_of_trees();
    std::vector<int32_t> owner(leaves.size());
    for (size_t gid = first_of_rank_1; gid < owner.size(); ++gid) owner[gid] = 1;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 3;
    desc.n_cells[0] = 4, desc.n_cells[1] = 6, desc.n_cells[2] = 8;
    desc.trees = trees, desc.n_trees = 3;
    desc.joins = &join, desc.n_joins = 1;
    desc.leaves = leaves.data(), desc.n_leaves = std::ssize(leaves);
    desc.owner = owner.data();
    if (distributed) {
        const int64_t first = rank.rank == 0 ? 0 : first_of_rank_1;
        desc.leaves += first, desc.n_leaves = rank.rank == 0 ? first_of_rank_1 : desc.n_leaves - first;
        desc.owner = nullptr, desc.distributed = 1;
    }
    halo_topology *topology = nullptr;
    OK(halo_topology_create_forest(rank.context, &desc, &topology));
    return topology;
}

struct Objects {
    halo_exchange *exchange;
    halo_field *field; // that has coarse values beside it
    int32_t number;    // in the exchange

    static double &at(void *data, const halo_layout &layout, const Triple &cell) {
        if (!data) stop("there is no storage");
        return static_cast<double *>(data)[element_at(layout, cell, 0)];
    }
    double &own(int64_t gid, const Triple &cell) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        OK(halo_field_layout(field, gid, &layout));
        OK(halo_field_data(field, gid, 0, &data));
        return at(data, layout, cell);
    }
    double &coarse(int64_t gid, const Triple &cell) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        OK(halo_exchange_coarse_data(exchange, number, gid, &data, &layout));
        return at(data, layout, cell);
    }
};

using Act = std::function<void(const Objects &)>;

// Of one rank: between start and finish of the first run, and, if there is a second, after it.
struct Program {
    int32_t rank;
    Act between;
    Act after = nullptr;
};

void run_program(const Rank &rank, const Objects &objects, const Program &program, Findings &findings) {
    for (int time = 0; time < (program.after ? 2 : 1); ++time) {
        halo_status status = halo_exchange_start(objects.exchange, nullptr, HALO_STREAM_NONE);
        findings.note(status);
        if (status != HALO_SUCCESS) return;
        if (rank.rank == program.rank && time == 0) program.between(objects);
        findings.note(status = halo_exchange_finish(objects.exchange, HALO_STREAM_NONE));
        if (status != HALO_SUCCESS) return;
        if (rank.rank == program.rank && program.after && time == 0) program.after(objects);
    }
}

struct Kind {
    int32_t centring = HALO_CENTRE_CELL;
    int32_t source_stable = 0;
};

void expect_on_forests(const Kind &kind, const Program &program, const std::vector<std::string> &words) {
    for (const bool distributed : { false, true }) {
        Findings findings;
        run(n_ranks, checked, [&](Rank &rank) {
            halo_topology *topology = make_forest(rank, distributed);
            halo_field_desc described = HALO_FIELD_DESC_INIT;
            described.name = "u", described.centring = kind.centring;
            for (int d = 0; d < 3; ++d) described.ghost_low[d] = described.ghost_high[d] = 1;
            halo_field *field = nullptr;
            OK(halo_field_create(topology, &described, &field));
            OK(halo_field_allocate(field, -1));
            halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
            how.source_stable = kind.source_stable;
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, &how, &exchange));
            run_program(rank, { exchange, field, 0 }, program, findings);
            OK(halo_exchange_destroy(&exchange));
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&topology));
        });
        EXPECT_EQ(findings.n, 1);
        findings.expect(words);
    }
}

Program late_write(int32_t rank, int64_t gid, const Triple &cell) {
    return { rank, [=](const Objects &objects) { objects.own(gid, cell) = 7; } };
}

const char *const written = ", was written between start and finish";

// Parts 12 and 13 are at (0, 2, 0) and (1, 2, 0) of level 1: a place in tree 2 is (4 * 1 - 1, 6 * 2 + 3, 5).
TEST(SeededLevels, LateWriteIntoAGhostOfTheSameTree) {
    expect_on_forests(
        {}, late_write(1, 13, { -1, 3, 5 }),
        { "field u, part 13, cell (-1, 3, 5), in tree 2 at level 1 (3, 15, 5), which part 12 on rank 1 fills (channel 12 -> 13", written });
}

// From (1, 2, 0) of tree 1, whose gid is 3.
TEST(SeededLevels, LateWriteIntoAGhostBeyondTheTree) {
    expect_on_forests(
        {}, late_write(1, 12, { -1, 0, 7 }),
        { "field u, part 12, cell (-1, 0, 7), in tree 2 at level 1 (-1, 12, 7), which part 3 on rank 0 fills (channel 3 -> 12", written });
}

// Of finer cells: the ghost is one of level 0, of the root at (1, 1, 0).
TEST(SeededLevels, LateWriteIntoAGhostThatFinerBlocksFill) {
    expect_on_forests({}, late_write(1, 20, { -1, 2, 3 }),
                      { "field u, part 20, cell (-1, 2, 3), in tree 2 at level 0 (3, 8, 3), which part 13 on rank 1 fills", written });
}

TEST(SeededLevels, LateWriteIntoAGhostOfPoints) {
    for (const int32_t centring : { HALO_CENTRE_NODE, HALO_CENTRE_FACES })
        expect_on_forests({ .centring = centring }, late_write(1, 13, { -1, 3, 5 }),
                          { "field u, part 13, cell (-1, 3, 5), in tree 2 at level 1 (3, 15, 5), which part 12 on rank 1 fills", written });
}

// Part 13 has 2x3x4 coarse cells from (2, 6, 0) of level 0 on; below them lies the root at (0, 0, 0).
TEST(SeededLevels, LateWriteIntoACoarseGhost) {
    const Program write{ 1, [](const Objects &objects) { objects.coarse(13, { 1, -1, 2 }) = 7; } };
    expect_on_forests(
        {}, write,
        { "field coarse u of exchange ", ", part 13, cell (1, -1, 2), in tree 2 at level 0 (3, 5, 2), which part 10 on rank 0 fills", written });
}

TEST(SeededLevels, EarlyReadOfAGhost) {
    double read = 0;
    const Program early{ 1,
                         [&](const Objects &objects) {
                             read = objects.own(13, { -1, 3, 5 });
                         },
                         [&](const Objects &objects) {
                             objects.own(13, { 1, 2, 3 }) += read;
                         } };
    expect_on_forests(
        {}, early,
        { "field u, part 13, cell (1, 2, 3), in tree 2 at level 1 (5, 14, 3), component 0, was computed from field u, part 13, cell "
          "(-1, 3, 5), in tree 2 at level 1 (3, 15, 5), component 0, which part 12 on rank 1 fills, and read between start and finish" });
}

// The place of an owned value is that of its ghost in the same tree; in another tree it has another.
TEST(SeededLevels, BrokenPromiseOfAStableSource) {
    expect_on_forests({ .source_stable = 1 }, late_write(1, 12, { 3, 3, 5 }),
                      { "field u, part 12, cell (3, 3, 5), in tree 2 at level 1 (3, 15, 5), component 0, which goes to part ", "source_stable" });
    expect_on_forests({ .source_stable = 1 }, late_write(0, 3, { 3, 0, 7 }),
                      { "field u, part 3, cell (3, 0, 7), in tree 1 at level 1 (7, 12, 7), component 0, which goes to part ", "source_stable" });
}

// A fine box at 4 to 12 of 16 cells, beside which coarse ones stand from 2 on.
TEST(SeededLevels, LateWriteIntoACoarseGhostOfABox) {
    Findings findings;
    run(n_ranks, checked, [&](Rank &rank) {
        const halo_box boxes[2][2] = { { { { 0, 0, 0 }, { 4, 1, 1 } }, { { 4, 0, 0 }, { 8, 1, 1 } } }, { { { 4, 0, 0 }, { 12, 1, 1 } } } };
        const int32_t owners[2][2] = { { 0, 1 }, { 1 } };
        halo_topology *topologies[2] = {};
        halo_field *fields[2] = {};
        for (int64_t level = 0; level < 2; ++level) {
            halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
            desc.n_dims = 1;
            desc.domain.high[0] = 8 << level;
            desc.boxes = boxes[level], desc.n_boxes = 2 - level, desc.owner = owners[level];
            OK(halo_topology_create_boxes(rank.context, &desc, &topologies[level]));
            halo_field_desc described = HALO_FIELD_DESC_INIT;
            described.name = level == 0 ? "u" : "v";
            described.ghost_low[0] = described.ghost_high[0] = 1;
            OK(halo_field_create(topologies[level], &described, &fields[level]));
            OK(halo_field_allocate(fields[level], -1));
        }
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create_levels(&fields[0], nullptr, &fields[1], 1, nullptr, &exchange));
        const Program write{ 1, [](const Objects &objects) { objects.coarse(0, { -1, 0, 0 }) = 7; } };
        run_program(rank, { exchange, fields[1], 1 }, write, findings);
        OK(halo_exchange_destroy(&exchange));
        for (size_t level = 0; level < 2; ++level) {
            OK(halo_field_destroy(&fields[level]));
            OK(halo_topology_destroy(&topologies[level]));
        }
    });
    EXPECT_EQ(findings.n, 1);
    findings.expect({ "field coarse v of exchange ", ", part 0, cell (-1, 0, 0), in all (1, 0, 0), which part 0 on rank 0 fills", written });
}

} // namespace

} // namespace conformance
