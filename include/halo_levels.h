/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_levels.h
 * Refined blocks: forests of trees whose leaves are the parts, and ghosts between blocks of different levels.
 *
 *   1  forests: which blocks exist
 *   2  lists of blocks: refine, coarsen, balance, place
 *   3  ghosts between levels
 *
 * All blocks have the same number of cells. A tree is a box of root blocks, of level 0; a block of level l + 1 is one of the 2, 4 or 8 equal parts of
 * a block of level l. Blocks that touch differ by one level at most (balance).
 *
 * Conventions are those of halo.h.
 */
#ifndef HALO_LEVELS_H
#define HALO_LEVELS_H

#include <stddef.h>
#include <stdint.h>

#include "halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ 1 forests */
/** @defgroup levels_01 Levels, 1 forests
 *  @{ */

/** A block. Begin from HALO_LEAF_INIT. */
typedef struct halo_leaf {
    int32_t tree;
    int32_t level;  /**< 0: a root; at most 30 */
    int64_t at[3];  /**< place in its tree, in blocks of its level */
} halo_leaf;
#define HALO_LEAF_INIT { 0, 0, { 0, 0, 0 } }

/** A tree: a box of root blocks. */
typedef struct halo_tree {
    int64_t n_roots[3]; /**< per direction; 1 beyond n_dims */
} halo_tree;
#define HALO_TREE_INIT { { 1, 1, 1 } }

/** Two sides of trees that are the same. Each join once, from either side; a side joins one other at most, which may be of the same tree (periodic). */
typedef struct halo_tree_join {
    int32_t tree;
    int32_t side;    /**< x low, x high, y low, ...: 0 to 5 */
    int32_t to_tree;
    int32_t reserved;
    int32_t axis[3]; /**< direction d of `tree` runs along direction axis[d] of `to_tree`, */
    int32_t sign[3]; /**< upwards (1) or downwards (-1). So the side of `to_tree` is known */
} halo_tree_join;
#define HALO_TREE_JOIN_INIT { 0, 0, 0, 0, { 0, 1, 2 }, { 1, 1, 1 } }

#define HALO_BALANCE_FULL 0  /**< blocks that touch, by a corner even, differ by one level at most */
#define HALO_BALANCE_EDGES 1 /**< that touch by an edge */
#define HALO_BALANCE_FACES 2

typedef struct halo_forest_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;             /**< 1, 2 or 3; 2, 4 or 8 parts of a block */
    int64_t n_cells[3];         /**< of each block, per direction: even, and alike in directions that joins turn into each other; 1 beyond n_dims */
    const halo_tree *trees;     /**< n_trees. Copied. */
    size_t tree_bytes;          /**< sizeof(halo_tree), at most 4096 */
    const halo_tree_join *joins; /**< n_joins. Copied. */
    size_t join_bytes;          /**< sizeof(halo_tree_join), at most 4096 */
    const halo_leaf *leaves;    /**< n_leaves, which cover all trees without overlap. Place in the list = gid. The same on all ranks. Copied. */
    size_t leaf_bytes;          /**< sizeof(halo_leaf), at most 4096 */
    int64_t n_leaves;           /**< at most 2^31 - 1 */
    const int32_t *owner;       /**< rank of each leaf; NULL: equal runs of gids. Copied. */
    int32_t n_trees;
    int32_t n_joins;
    int32_t balance;            /**< HALO_BALANCE_...: what the list is held to */
    int32_t reserved;
} halo_forest_desc;
#define HALO_FOREST_DESC_INIT \
    { sizeof(halo_forest_desc), 1, 3, { 1, 1, 1 }, NULL, sizeof(halo_tree), NULL, sizeof(halo_tree_join), NULL, sizeof(halo_leaf), 0, NULL, 0, 0, \
      HALO_BALANCE_FULL, 0 }

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_LEVELS_H */
