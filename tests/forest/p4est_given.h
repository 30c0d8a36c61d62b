// SPDX-License-Identifier: BSD-3-Clause
// Random forests of p4est (p8est where P4_TO_P8 is defined) over its own connectivities, and as libhalo is told of them.
#pragma once

#ifdef P4_TO_P8
#include <p8est_bits.h>
#include <p8est_extended.h>
#include <p8est_ghost.h>
#include <p8est_iterate.h>

#include <p4est_to_p8est.h>
#else
#include <p4est_bits.h>
#include <p4est_extended.h>
#include <p4est_ghost.h>
#include <p4est_iterate.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "halo_levels.h"

inline uint64_t present_seed = 1;
inline const char *present_kind = "";

[[noreturn]] inline void stop(const char *what) {
    std::fprintf(stderr, "seed %llu, %s in %d dimensions: %s\n", static_cast<unsigned long long>(present_seed), present_kind, P4EST_DIM, what);
    std::exit(EXIT_FAILURE);
}
inline void need(halo_status status) {
    if (status != HALO_SUCCESS) stop(halo_last_error());
}

// As connectivities know it, all trees have one root.
inline std::vector<halo_tree_join> joins_of(const p4est_connectivity_t &connectivity) {
    std::vector<halo_tree_join> joins;
    for (p4est_topidx_t tree = 0; tree < connectivity.num_trees; ++tree)
        for (int face = 0; face < P4EST_FACES; ++face) {
            const p4est_topidx_t place = P4EST_FACES * tree + face;
            const p4est_topidx_t to = connectivity.tree_to_tree[place];
            const int code = connectivity.tree_to_face[place];
            if (std::pair(to, code % P4EST_FACES) <= std::pair(tree, face)) continue; // the other end's, or a boundary
            int transform[9];
            p4est_expand_face_transform(face, code, transform);
            halo_tree_join join = HALO_TREE_JOIN_INIT;
            join.tree = tree;
            join.side = face;
            join.to_tree = to;
            for (int i = 0; i < P4EST_DIM; ++i) {
                const int k = i == P4EST_DIM - 1 ? 2 : i; // the last is the normal
                join.axis[transform[k]] = transform[3 + k];
                join.sign[transform[k]] = k == 2 ? (face % 2 != code % P4EST_FACES % 2 ? 1 : -1) : transform[6 + k] != 0 ? -1 : 1;
            }
            joins.push_back(join);
        }
    return joins;
}

inline uint64_t hash_of(p4est_topidx_t tree, const p4est_quadrant_t &element) {
    uint64_t hash = present_seed;
    for (const int64_t part : { int64_t{ tree }, int64_t{ element.x }, int64_t{ element.y },
#ifdef P4_TO_P8
                                int64_t{ element.z },
#endif
                                int64_t{ element.level } }) {
        hash = (hash ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}
inline int refines(p4est_t *, p4est_topidx_t tree, p4est_quadrant_t *element) {
    return element->level < 5 && hash_of(tree, *element) % (P4EST_DIM == 3 ? 5 : 3) == 0;
}

inline std::vector<halo_leaf> leaves_of(p4est_t &forest) {
    std::vector<halo_leaf> leaves;
    for (p4est_topidx_t t = forest.first_local_tree; t <= forest.last_local_tree; ++t) {
        p4est_tree_t *tree = p4est_tree_array_index(forest.trees, t);
        for (size_t i = 0; i < tree->quadrants.elem_count; ++i) {
            const p4est_quadrant_t &element = *p4est_quadrant_array_index(&tree->quadrants, i);
            halo_leaf leaf = HALO_LEAF_INIT;
            leaf.tree = t;
            leaf.level = element.level;
            const int down = P4EST_MAXLEVEL - element.level;
            leaf.at[0] = element.x >> down;
            leaf.at[1] = element.y >> down;
#ifdef P4_TO_P8
            leaf.at[2] = element.z >> down;
#endif
            leaves.push_back(leaf);
        }
    }
    return leaves;
}

// Four trees around an edge, each with its index space turned in its own way; in three dimensions no mirror images, which p4est does not know.
inline p4est_connectivity_t *new_turned_brick() {
#ifdef P4_TO_P8
    p4est_connectivity_t *brick = p8est_connectivity_new_brick(2, 2, 1, 0, 0, 0);
#else
    p4est_connectivity_t *brick = p4est_connectivity_new_brick(2, 2, 0, 0);
#endif
    std::mt19937_64 random(present_seed);
    for (p4est_topidx_t tree = 0; tree < brick->num_trees; ++tree) {
        std::array<int, P4EST_DIM> axis{};
        std::iota(axis.begin(), axis.end(), 0);
        std::shuffle(axis.begin(), axis.end(), random);
        auto downwards = static_cast<unsigned>(random() % P4EST_CHILDREN);
        int n_swapped = std::popcount(downwards);
        for (size_t d = 0; d < P4EST_DIM; ++d)
            for (size_t e = 0; e < d; ++e) n_swapped += axis[e] > axis[d] ? 1 : 0;
        if (P4EST_DIM == 3 && n_swapped % 2 != 0) downwards ^= 1;
        p4est_topidx_t *const vertices = brick->tree_to_vertex + ptrdiff_t{ P4EST_CHILDREN } * tree;
        std::array<p4est_topidx_t, P4EST_CHILDREN> straight{};
        std::copy_n(vertices, P4EST_CHILDREN, straight.begin());
        for (unsigned corner = 0; corner < P4EST_CHILDREN; ++corner) {
            unsigned from = 0;
            for (size_t d = 0; d < P4EST_DIM; ++d) from |= ((corner ^ downwards) >> d & 1) << axis[d];
            vertices[corner] = straight[from];
        }
    }
    for (p4est_topidx_t place = 0; place < P4EST_FACES * brick->num_trees; ++place) { // nothing is joined yet
        brick->tree_to_tree[place] = place / P4EST_FACES;
        brick->tree_to_face[place] = static_cast<int8_t>(place % P4EST_FACES);
    }
    p4est_connectivity_complete(brick);
    return brick;
}

struct Kind {
    const char *name;
    std::function<p4est_connectivity_t *()> make;
    bool regular; // everywhere as many trees around an edge and a corner as in a grid
};

inline const Kind kinds[] = {
#ifdef P4_TO_P8
    { "unitcube", p8est_connectivity_new_unitcube, true },
    { "periodic", p8est_connectivity_new_periodic, true },
    { "rotwrap", p8est_connectivity_new_rotwrap, false },
    { "twocubes", p8est_connectivity_new_twocubes, true },
    { "twowrap", p8est_connectivity_new_twowrap, false },
    { "rotcubes", p8est_connectivity_new_rotcubes, false },
    { "brick", [] { return p8est_connectivity_new_brick(2, 3, 1, 0, 1, 1); }, true },
    { "turned brick", new_turned_brick, true },
    { "shell", p8est_connectivity_new_shell, false },
#else
    { "unitsquare", p4est_connectivity_new_unitsquare, true },
    { "periodic", p4est_connectivity_new_periodic, true },
    { "rotwrap", p4est_connectivity_new_rotwrap, false },
    { "moebius", p4est_connectivity_new_moebius, true },
    { "corner", p4est_connectivity_new_corner, false },
    { "star", p4est_connectivity_new_star, false },
    { "cubed", p4est_connectivity_new_cubed, false },
    { "brick", [] { return p4est_connectivity_new_brick(3, 2, 1, 0); }, true },
    { "turned brick", new_turned_brick, true },
#endif
};

// Trees and joins of a connectivity, for blocks of so many cells. Leaves are still to be given.
struct Trees {
    Trees(const p4est_connectivity_t &connectivity, int64_t n_cells)
        : trees(static_cast<size_t>(connectivity.num_trees), halo_tree HALO_TREE_INIT),
          joins(joins_of(connectivity)) {
        desc.n_dims = P4EST_DIM;
        for (int d = 0; d < P4EST_DIM; ++d) desc.n_cells[d] = n_cells;
        desc.trees = trees.data(), desc.n_trees = static_cast<int32_t>(trees.size());
        desc.joins = joins.data(), desc.n_joins = static_cast<int32_t>(joins.size());
    }
    Trees(const Trees &) = delete;
    Trees &operator=(const Trees &) = delete;

    std::vector<halo_tree> trees;
    std::vector<halo_tree_join> joins;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
};
