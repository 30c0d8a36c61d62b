// SPDX-License-Identifier: BSD-3-Clause
// Random forests as p4est balances them (p8est where P4_TO_P8 is defined), over its own connectivities: halo_forest_adapt must come to the same
// leaves, and halo_topology_neighbours to the pairs that p4est's iterator meets at faces, edges and corners. usage, under p4est's MPI: p4est_forests
// [cases] [first seed]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "p4est_given.h"

namespace {

using Pairs = std::set<std::pair<int64_t, int64_t>>;
void add_pair(Pairs &pairs, int64_t a, int64_t b) { pairs.insert({ std::min(a, b), std::max(a, b) }); }

bool same(const halo_leaf &a, const halo_leaf &b) { return a.tree == b.tree && a.level == b.level && std::equal(a.at, a.at + 3, b.at); }

std::vector<halo_leaf> balanced(const halo_forest_desc &desc) {
    int64_t n = 0;
    need(halo_forest_adapt(&desc, nullptr, sizeof(halo_leaf), nullptr, nullptr, 0, &n));
    std::vector<halo_leaf> list(static_cast<size_t>(n));
    need(halo_forest_adapt(&desc, nullptr, sizeof(halo_leaf), list.data(), nullptr, n, &n));
    return list;
}

bool lies_in(const halo_leaf &inner, const halo_leaf &outer) {
    bool inside = inner.tree == outer.tree && inner.level >= outer.level;
    for (int d = 0; d < P4EST_DIM && inside; ++d) inside = inner.at[d] >> (inner.level - outer.level) == outer.at[d];
    return inside;
}
// Does each leaf of a list lie in one of another? Both are along the curve.
bool refines_list(const std::vector<halo_leaf> &list, const std::vector<halo_leaf> &other) {
    size_t at = 0;
    return std::all_of(list.begin(), list.end(), [&](const halo_leaf &leaf) {
        while (at < other.size() && !lies_in(leaf, other[at])) ++at;
        return at < other.size();
    });
}

struct Touching {
    p4est_t *forest;
    Pairs faces, all;

    int64_t number(p4est_topidx_t tree, p4est_locidx_t local) const { return p4est_tree_array_index(forest->trees, tree)->quadrants_offset + local; }
};

template <class Side>
std::vector<int64_t> numbers_of(const Touching &touching, const Side &side, int n_hanging) {
    std::vector<int64_t> numbers;
    for (int i = 0; i < (side.is_hanging ? n_hanging : 1); ++i)
        numbers.push_back(touching.number(side.treeid, side.is_hanging ? side.is.hanging.quadid[i] : side.is.full.quadid));
    return numbers;
}

void at_face(p4est_iter_face_info_t *info, void *user) {
    Touching &touching = *static_cast<Touching *>(user);
    if (info->sides.elem_count < 2) return;
    const auto &first = *p4est_iter_fside_array_index_int(&info->sides, 0), &second = *p4est_iter_fside_array_index_int(&info->sides, 1);
    for (const int64_t a : numbers_of(touching, first, P4EST_HALF))
        for (const int64_t b : numbers_of(touching, second, P4EST_HALF)) add_pair(touching.faces, a, b), add_pair(touching.all, a, b);
}

#ifdef P4_TO_P8
void at_edge(p8est_iter_edge_info_t *info, void *user) {
    Touching &touching = *static_cast<Touching *>(user);
    for (size_t i = 0; i < info->sides.elem_count; ++i)
        for (size_t j = 0; j < i; ++j)
            for (const int64_t a : numbers_of(touching, *p8est_iter_eside_array_index(&info->sides, i), 2))
                for (const int64_t b : numbers_of(touching, *p8est_iter_eside_array_index(&info->sides, j), 2)) add_pair(touching.all, a, b);
}
#endif

void at_corner(p4est_iter_corner_info_t *info, void *user) {
    Touching &touching = *static_cast<Touching *>(user);
    const auto number = [&](size_t i) {
        const p4est_iter_corner_side_t &side = *p4est_iter_cside_array_index(&info->sides, i);
        return touching.number(side.treeid, side.quadid);
    };
    for (size_t i = 0; i < info->sides.elem_count; ++i)
        for (size_t j = 0; j < i; ++j) add_pair(touching.all, number(i), number(j));
}

// Pairs across faces, and across any element.
std::array<Pairs, 2> neighbours_of(const halo_topology *topology, int64_t n_leaves) {
    std::array<Pairs, 2> pairs;
    for (int64_t gid = 0; gid < n_leaves; ++gid) {
        halo_neighbour rows[400];
        int64_t n = 0;
        need(halo_topology_neighbours(topology, gid, sizeof rows[0], rows, 400, &n));
        for (int64_t i = 0; i < n; ++i) {
            const int32_t element = rows[i].element;
            const int directions = (element % 3 != 1) + (element / 3 % 3 != 1) + (element / 9 != 1);
            if (directions == 1) add_pair(pairs[0], gid, rows[i].gid);
            add_pair(pairs[1], gid, rows[i].gid);
        }
    }
    return pairs;
}

int64_t run_case(halo_context *context, const Kind &kind, int32_t balance) {
    p4est_connectivity_t *connectivity = kind.make();
    p4est_t *forest = p4est_new_ext(MPI_COMM_WORLD, connectivity, 0, 0, 1, 0, nullptr, nullptr);
    p4est_refine(forest, 1, refines, nullptr);
    const std::vector<halo_leaf> any = leaves_of(*forest);
#ifdef P4_TO_P8
    p4est_balance(forest,
                  balance == HALO_BALANCE_FULL    ? P8EST_CONNECT_FULL
                  : balance == HALO_BALANCE_EDGES ? P8EST_CONNECT_EDGE
                                                  : P8EST_CONNECT_FACE,
                  nullptr);
#else
    p4est_balance(forest, balance == HALO_BALANCE_FACES ? P4EST_CONNECT_FACE : P4EST_CONNECT_FULL, nullptr);
#endif
    const std::vector<halo_leaf> theirs = leaves_of(*forest);

    Trees given(*connectivity, 2);
    halo_forest_desc &desc = given.desc;
    desc.leaves = any.data(), desc.n_leaves = static_cast<int64_t>(any.size());
    desc.balance = balance;
    const std::vector<halo_leaf> mine = balanced(desc);
    const bool same_leaves = std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), same);
    // Around irregular corners p4est may refine more than balance needs.
    if (!same_leaves && (kind.regular || !refines_list(theirs, mine))) stop("other leaves than p4est's");
    desc.leaves = theirs.data(), desc.n_leaves = static_cast<int64_t>(theirs.size());
    const auto n = desc.n_leaves;
    if (std::ssize(balanced(desc)) != n) stop("p4est's leaves are found not to be balanced");

    halo_topology *topology = nullptr;
    need(halo_topology_create_forest(context, &desc, &topology));
    Touching touching{ forest, {}, {} };
    p4est_iterate(forest, nullptr, &touching, nullptr, at_face,
#ifdef P4_TO_P8
                  at_edge,
#endif
                  at_corner);
    const auto [faces, all] = neighbours_of(topology, n);
    if (faces != touching.faces) stop("other neighbours across faces than p4est's");
    const bool same_all = kind.regular && balance == HALO_BALANCE_FULL
                              ? all == touching.all
                              : std::includes(touching.all.begin(), touching.all.end(), all.begin(), all.end());
    if (!same_all && balance == HALO_BALANCE_FULL) stop("other neighbours than p4est's");
    need(halo_topology_destroy(&topology));
    p4est_destroy(forest);
    p4est_connectivity_destroy(connectivity);
    return n;
}

} // namespace

int main(int argc, char **argv) {
    const int64_t n_cases = argc > 1 ? std::atoll(argv[1]) : 10;
    const int64_t first = argc > 2 ? std::atoll(argv[2]) : 1;
    MPI_Init(&argc, &argv);
    sc_init(MPI_COMM_WORLD, 0, 0, nullptr, SC_LP_ERROR);
    p4est_init(nullptr, SC_LP_ERROR);
    halo_context *context = nullptr;
    need(halo_context_create(nullptr, &context));
    int64_t n_leaves = 0;
    for (int64_t i = 0; i < n_cases; ++i)
        for (const Kind &kind : kinds) {
            present_seed = static_cast<uint64_t>(first + i);
            present_kind = kind.name;
            n_leaves += run_case(context, kind, HALO_BALANCE_FACES);
            if (!kind.regular) continue;
            n_leaves += run_case(context, kind, HALO_BALANCE_EDGES);
            n_leaves += run_case(context, kind, HALO_BALANCE_FULL);
        }
    need(halo_context_destroy(&context));
    sc_finalize();
    MPI_Finalize();
    std::printf("%lld forests of each kind in %d dimensions with %lld leaves: balance and neighbours equal p4est's\n",
                static_cast<long long>(n_cases), P4EST_DIM, static_cast<long long>(n_leaves));
}
