// SPDX-License-Identifier: BSD-3-Clause
// Trees of one block that meet at a corner in threes, as on a cubed sphere, and in fives: whose the points there are.
#include <gtest/gtest.h>

#include <cstring>

#include "stored.h"

namespace {

using namespace levels;

constexpr int64_t n = 4; // cells of a block per direction

// Tree 1 lies beside tree 0 along x, tree 2 along y; the corner between them is the upper one of tree 0.
constexpr halo_tree_join beside = { 0, 1, 1, 0, { 0, 1, 2 }, { 1, 1, 1 } };
constexpr halo_tree_join above = { 0, 3, 2, 0, { 0, 1, 2 }, { 1, 1, 1 } };
// Out of tree 2 along x, into tree 1 from above.
constexpr halo_tree_join third = { 2, 1, 1, 0, { 1, 0, 2 }, { -1, 1, 1 } };
// Tree 3 above tree 1, tree 4 on its left, from which one comes down into tree 2 against its x.
constexpr halo_tree_join above_beside = { 1, 3, 3, 0, { 0, 1, 2 }, { 1, 1, 1 } };
constexpr halo_tree_join on_the_left = { 3, 0, 4, 0, { 0, 1, 2 }, { 1, 1, 1 } };
constexpr halo_tree_join fifth = { 4, 2, 2, 0, { 1, 0, 2 }, { -1, 1, 1 } };

struct Meeting {
    explicit Meeting(std::initializer_list<halo_tree_join> of, int32_t n_trees) : joins(of), trees(static_cast<size_t>(n_trees), HALO_TREE_INIT) {
        for (int32_t tree = 0; tree < n_trees; ++tree) leaves.push_back({ tree, 0, { 0, 0, 0 } });
        desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = n;
        desc.trees = trees.data(), desc.n_trees = n_trees;
        desc.joins = joins.data(), desc.n_joins = static_cast<int32_t>(joins.size());
        desc.leaves = leaves.data(), desc.n_leaves = n_trees;
    }
    Meeting(const Meeting &) = delete;
    Meeting &operator=(const Meeting &) = delete;

    std::vector<halo_tree_join> joins;
    std::vector<halo_tree> trees;
    std::vector<halo_leaf> leaves;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
};

halo_field_desc field_desc(int32_t centring, int32_t vector) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u", desc.centring = centring, desc.vector = vector;
    return desc;
}

Shape in_two_dimensions() {
    Shape shape;
    shape.n_dims = 2, shape.n_cells = n;
    return shape;
}

double copy(int64_t gid, size_t place, const Place &at) {
    return static_cast<double>(1 + 1000 * gid + 100 * static_cast<int64_t>(place) + 10 * at[1] + at[0]);
}

// Of a value that several blocks have: the owner's.
struct Owned {
    int64_t gid;
    size_t place;
    Place at;
    double sign = 1;
};

// In tree 1 nothing below x, in tree 2 nothing below y: those points are tree 0's. What trees 1 and 2 share is tree 1's.
Owned node_of(int64_t gid, const Place &at) {
    if (gid == 1 && at[0] == 0) return { 0, 0, { n, at[1], 0 } };
    if (gid == 2 && at[1] == 0) return { 0, 0, { at[0], n, 0 } };
    if (gid == 2 && at[0] == n) return { 1, 0, { at[1], n, 0 } };
    return { gid, 0, at };
}
Owned face_of(int64_t gid, size_t place, const Place &at) {
    if (gid == 1 && place == 0 && at[0] == 0) return { 0, 0, { n, at[1], 0 } };
    if (gid == 2 && place == 1 && at[1] == 0) return { 0, 1, { at[0], n, 0 } };
    if (gid == 2 && place == 0 && at[0] == n) return { 1, 1, { at[1], n, 0 }, -1 };
    return { gid, place, at };
}

void exchange_at_three(const Rank &rank, int32_t centring, int32_t vector) {
    const Meeting three({ beside, above, third }, 3);
    const Forest forest(three.desc, rank);
    Stored values(forest.topology(), in_two_dimensions(), field_desc(centring, vector), HALO_PROLONG_MINMOD);
    values.for_each([&](const At &at) { values.store(at, copy(at.gid, at.place, at.point)); });
    halo_field *field = values.field();
    halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
    how.shared = HALO_SHARED_ONLY;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, &how, &exchange));
    for (int run = 0; run < 2; ++run) {
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    }
    OK(halo_exchange_destroy(&exchange));
    values.for_each([&](const At &at) {
        const Owned owner = centring == HALO_CENTRE_NODE ? node_of(at.gid, at.point) : face_of(at.gid, at.place, at.point);
        const double wanted = (vector == HALO_VECTOR_ALONG ? owner.sign : 1) * copy(owner.gid, owner.place, owner.at);
        if (values.load(at) != wanted)
            stop("part %lld, place %zu, point (%lld, %lld) is %g, wanted %g", static_cast<long long>(at.gid), at.place,
                 static_cast<long long>(at.point[0]), static_cast<long long>(at.point[1]), values.load(at), wanted);
    });
}

TEST(LevelsIrregular, ThreeBlocksAtACornerHaveOneNode) {
    for (const int32_t n_ranks : { 1, 2, 3 })
        conformance::run(n_ranks, {}, [](Rank &rank) { exchange_at_three(rank, HALO_CENTRE_NODE, HALO_VECTOR_NONE); });
}

TEST(LevelsIrregular, ThreeBlocksAtACornerHaveTheirFaces) {
    for (const int32_t vector : { HALO_VECTOR_NONE, HALO_VECTOR_ALONG })
        conformance::run(2, {}, [&](Rank &rank) { exchange_at_three(rank, HALO_CENTRE_FACES, vector); });
}

// The first and the third of the five do not know of each other.
TEST(LevelsIrregular, FiveAreRefusedButForCells) {
    conformance::run(2, {}, [](Rank &rank) {
        const Meeting five({ beside, above, above_beside, on_the_left, fifth }, 5);
        const Forest forest(five.desc, rank);
        for (const int32_t centring : { HALO_CENTRE_NODE, HALO_CENTRE_FACES, HALO_CENTRE_CELL }) {
            const Stored values(forest.topology(), in_two_dimensions(), field_desc(centring, HALO_VECTOR_NONE), HALO_PROLONG_MINMOD);
            halo_field *field = values.field();
            halo_exchange *exchange = nullptr;
            const halo_status status = halo_exchange_create(&field, 1, nullptr, &exchange);
            if (status != (centring == HALO_CENTRE_CELL ? HALO_SUCCESS : HALO_ERR_ARGUMENT))
                stop("centring %d: %s", centring, halo_status_name(status));
            if (exchange)
                OK(halo_exchange_destroy(&exchange));
            else if (!std::strstr(halo_last_error(), "trees meet irregularly"))
                stop("%s", halo_last_error());
        }
    });
}

} // namespace
