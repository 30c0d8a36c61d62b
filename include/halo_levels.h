/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_levels.h
 * Refined blocks: forests of trees whose leaves are the parts, and ghosts between blocks of different levels; levels of boxes of any size.
 *
 *   1  forests: which blocks exist
 *   2  lists of blocks: refine, coarsen, balance, place
 *   3  ghosts between levels, fluxes, and other lists of blocks
 *   4  box hierarchies: a list of boxes for each level
 *
 * In forests all blocks have the same number of cells. A tree is a box of root blocks, of level 0; a block of level l + 1 is one of the 2, 4 or 8
 * equal parts of a block of level l. Blocks that touch differ by one level at most (balance).
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
    int32_t level; /**< 0: a root; at most 30 */
    int64_t at[3]; /**< place in its tree, in blocks of its level */
} halo_leaf;
#define HALO_LEAF_INIT                                                                                                                               \
    {                                                                                                                                                \
        0, 0, { 0, 0, 0 }                                                                                                                            \
    }

/** A tree: a box of root blocks. */
typedef struct halo_tree {
    int64_t n_roots[3]; /**< per direction; 1 beyond n_dims */
} halo_tree;
#define HALO_TREE_INIT                                                                                                                               \
    {                                                                                                                                                \
        { 1, 1, 1 }                                                                                                                                  \
    }

/** Two sides of trees that are the same. Each join once, from either side; a side joins one other at most, which may be of the same tree (periodic).
 */
typedef struct halo_tree_join {
    int32_t tree;
    int32_t side; /**< x low, x high, y low, ...: 0 to 5 */
    int32_t to_tree;
    int32_t reserved;
    int32_t axis[3]; /**< direction d of `tree` runs along direction axis[d] of `to_tree`, */
    int32_t sign[3]; /**< upwards (1) or downwards (-1). So the side of `to_tree` is known */
} halo_tree_join;
#define HALO_TREE_JOIN_INIT                                                                                                                          \
    {                                                                                                                                                \
        0, 0, 0, 0, { 0, 1, 2 }, { 1, 1, 1 }                                                                                                         \
    }

#define HALO_BALANCE_FULL 0  /**< blocks that touch, by a corner even, differ by one level at most */
#define HALO_BALANCE_EDGES 1 /**< that touch by an edge */
#define HALO_BALANCE_FACES 2

typedef struct halo_forest_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;              /**< 1, 2 or 3; 2, 4 or 8 parts of a block */
    int64_t n_cells[3];          /**< of each block, per direction: even, and alike in directions that joins turn into each other; 1 beyond n_dims */
    const halo_tree *trees;      /**< n_trees. Copied. */
    size_t tree_bytes;           /**< sizeof(halo_tree), at most 4096 */
    const halo_tree_join *joins; /**< n_joins. Copied. */
    size_t join_bytes;           /**< sizeof(halo_tree_join), at most 4096 */
    const halo_leaf *leaves;     /**< n_leaves, which cover all trees without overlap. Place in the list = gid. The same on all ranks, unless
                                      `distributed`. Copied. */
    size_t leaf_bytes;           /**< sizeof(halo_leaf), at most 4096 */
    int64_t n_leaves;            /**< at most 2^31 - 1, those of all ranks */
    const int32_t *owner;        /**< rank of each leaf; NULL: equal runs of gids. Copied. */
    int32_t n_trees;
    int32_t n_joins;
    int32_t balance;     /**< HALO_BALANCE_...: what the list is held to */
    int32_t distributed; /**< 1: `leaves` are this rank's alone, and `owner` is NULL; a rank may have none. gids: rank by rank, in the order given */
} halo_forest_desc;
#define HALO_FOREST_DESC_INIT                                                                                                                        \
    {                                                                                                                                                \
        sizeof(halo_forest_desc), 1, 3, { 1, 1, 1 }, NULL, sizeof(halo_tree), NULL, sizeof(halo_tree_join), NULL, sizeof(halo_leaf), 0, NULL, 0, 0,  \
            HALO_BALANCE_FULL, 0                                                                                                                     \
    }

/**
 * A topology whose parts are the leaves. A part's `cells` (halo_part) count in its tree, at its level. What lies behind a side of a tree a join
 * tells; behind an edge or corner of it, what one comes to by crossing sides one after the other. If several orders of that lead to different places,
 * as around an edge of 3 or 5 trees, nothing lies there: such ghosts are boundaries (halo_field_boundaries). Neighbours are listed across all levels:
 * of a refined one each leaf that touches the element.
 *
 * Collective; blocks: compares the descriptions. O(leaves log leaves) time; on each rank about 40 bytes per leaf, 232 more for each of its own and
 * of those that touch one, and 500 per tree. With `distributed` ranks find the leaves near their own in a directory that is dealt to them, and no
 * rank has a list of all: O(own leaves) memory, O(log ranks) rounds; of other leaves than its own a rank knows those that touch them
 * (HALO_ERR_NOT_FOUND of what is farther away). HALO_ERR_ARGUMENT: a leaf lies outside its tree or within another leaf, a place is covered by none,
 * levels break the balance, a join does not fit, a side is joined twice or to itself, n_cells is odd, an owner is no rank: the text names leaves by
 * gid, level and place. HALO_ERR_LIMIT: a tree has more than 2^40 cells along a direction at the level of one of its leaves, or more than 2^31 - 1
 * roots. HALO_ERR_MISMATCH: ranks gave different descriptions.
 */
HALO_API halo_status halo_topology_create_forest(halo_context *context, const halo_forest_desc *desc, halo_topology **topology);

/** @} */

/* ------------------------------------------------------------------ 2 lists of blocks */
/** @defgroup levels_02 Levels, 2 lists of blocks
 *  Functions of lists of all leaves: no context, any thread, the same result on every rank; `distributed` is not read. Pass capacity 0 to learn `n`.
 *  Errors in descriptions are those of halo_topology_create_forest.
 *  @{ */

/** All blocks of one level, 0 to 30, of the trees of `desc`, along the Morton curve, tree by tree. Joins, leaves and owners are not read. Written up
 * to `row_bytes`, which is sizeof(halo_leaf), at most 4096. HALO_ERR_LIMIT: there are more than 2^31 - 1. */
HALO_API halo_status halo_forest_uniform(const halo_forest_desc *desc, int32_t level, size_t row_bytes, halo_leaf *leaves, int64_t capacity,
                                         int64_t *n);

#define HALO_MARK_COARSEN (-1)
#define HALO_MARK_KEEP 0
#define HALO_MARK_REFINE 1

/**
 * The list that marks make of the leaves of `desc`, balanced as it says, along the Morton curve, tree by tree. A leaf that is marked so is refined by
 * one level; others are too where balance needs it. The parts of a block become that block again if all of them are leaves marked so and balance lets
 * them. The leaves of `desc` need not be balanced: then some are refined by several levels. `marks`: HALO_MARK_... of each leaf; NULL: all are kept,
 * so the list is only balanced and ordered. Owners are not read. `leaves` are written up to `row_bytes`. `from` (may be NULL; as long as `leaves`):
 * where each comes from, as gid of the old list, whose level tells: the leaf itself; a lower level: what was refined into it; a higher one: the first
 * of those that it is made of, of which the others stand behind it on the curve. HALO_ERR_ARGUMENT: a mark is none. HALO_ERR_LIMIT: a leaf of level
 * 30 is to be refined, or there are more than 2^31 - 1. O(leaves log leaves).
 */
HALO_API halo_status halo_forest_adapt(const halo_forest_desc *desc, const int32_t *marks, size_t row_bytes, halo_leaf *leaves, int64_t *from,
                                       int64_t capacity, int64_t *n);

/**
 * Storage of all parts of `field` from that of `before`, on another list of blocks of the same trees and cells. A leaf of both lists that is this
 * rank's in both has the storage of `before` from here on, in every binding set, with its layout and what is in it: it lies in both fields, so what
 * one writes the other has, and what is the library's is there as long as one of them has it; it is as old as it was, for release_after. Others get
 * storage of the library's if `before` has got its own so, for all parts at once (halo_field_allocate with gid -1, or this call), and is not sparse;
 * else none yet. A transfer between the two (section 3) leaves what is where it is to be: a remesh then costs what has changed. O(parts).
 * Local. HALO_ERR_ARGUMENT: they are one field, or differ in trees, cells, type, components, centring, ghosts, binding sets or in being sparse, or
 * have a controller or a map of points. HALO_ERR_STATE: `before` has storage of another layout than its part's. HALO_BUSY: a run over one of them is
 * in flight.
 */
HALO_API halo_status halo_field_allocate_from(halo_field *field, const halo_field *before);

/**
 * Ranks for the leaves of `desc`, in the order of its list: each of the ranks 0 to n_ranks - 1 gets a run of leaves along the curve, whose weight is
 * near the mean of what the ranks before have left. None gets nothing, unless there are fewer leaves than ranks. `weights`: of each leaf, finite and
 * not negative; NULL: all alike. `n` is the number of leaves. Owners of `desc` are not read. O(leaves log leaves). HALO_ERR_ARGUMENT: a weight is
 * none, n_ranks is below 1.
 */
HALO_API halo_status halo_forest_place(const halo_forest_desc *desc, const double *weights, int32_t n_ranks, int32_t *owners, int64_t capacity,
                                       int64_t *n);

/** @} */

/* ------------------------------------------------------------------ 3 ghosts between levels, fluxes, other lists of blocks */
/** @defgroup levels_03 Levels, 3 ghosts between levels, fluxes, other lists of blocks
 *
 * HALO_KIND_GHOSTS on a forest fills ghosts behind blocks of every level, in one run with one message to each peer (HALO_EDGES_ALL):
 *
 *   - behind a block of the same level: its cells;
 *   - behind finer blocks: means of the 2, 4 or 8 cells in each of the block's, which the finer ones make before they send;
 *   - behind a coarser block: made from its cells, by the field's prolongation, in refine (or finish).
 *
 * For the last, each field has coarse cells beside it: those of the next coarser level, two cells wide, that cover the block and its ghosts. What
 * comes from coarser blocks is received there. Where ghosts outside the domain have to do with it, the caller fills some of these cells, between
 * halo_exchange_unpack and halo_exchange_refine: halo_exchange_coarse_boundaries says which.
 *
 * Fields: real or complex, dense or sparse; ghosts in cells reach over half a block at most, and so do the coarse cells that they are made of (with
 * slopes, in blocks of 4 cells or more). All means are plain averages of values.
 * The stencil must not reach farther than the balance: HALO_STENCIL_FULL wants HALO_BALANCE_FULL; HALO_STENCIL_EDGES wants it too, with
 * HALO_PROLONG_CONSTANT HALO_BALANCE_EDGES; HALO_STENCIL_FACES wants HALO_BALANCE_EDGES, with HALO_PROLONG_CONSTANT HALO_BALANCE_FACES (two
 * dimensions have no edges but corners: there EDGES is FULL). Otherwise creation is HALO_ERR_ARGUMENT. A run that fills fewer
 * ghosts fills two or more on each side, in pairs, unless prolongation is constant or the field's own widths are otherwise.
 *
 * Faces, edges and nodes may lie on the border of several blocks. Of these the finest own them, of those the first along the curve (lowest tree, then
 * Morton order; of the places at which one block has a point, the one of lowest index): halo_field_owner_mask. Ghosts come from owners (of leaves
 * that are one level finer at most). With HALO_SHARED_OWNER or HALO_SHARED_ONLY all blocks get the owner's value, bit for bit; coarser ones the mean
 * of what covers the point: of faces by area, of edges by length; nodes are copied. So HALO_SHARED_ONLY over edges is what a constrained-transport
 * step wants of its electric field. Behind coarser blocks, in directions in which points lie on faces, they are means of the two coarse points
 * around, or the one in their place; in others they are made as cells are. Their ghosts reach over less than half a block (of a forest of one level:
 * a block), and the forest is held to HALO_BALANCE_FULL. Where joins turn directions into others, values at HALO_CENTRE_FACE_X of one tree are those
 * at another place of the next: fields have HALO_CENTRE_FACES or HALO_CENTRE_EDGES there, and do not go in reverse. Trees meet so that whoever
 * crosses their sides around an edge or corner, from any of them, comes to all by two or three: not around an edge of 5. Else HALO_ERR_ARGUMENT; as
 * is HALO_KIND_SHARED_REDUCE.
 *
 * Sparse fields (halo.h, section 7): each region that is sent is data or null by its values as they are sent, means of the block's own where the
 * other is coarser. What is null or has no storage counts as the fill value, in coarse cells too. Data for a part without storage, of whichever
 * level, make it an arrival; once it has storage all of it, and its coarse cells, hold the fill value first. Coarse cells have storage if their part
 * had some at the last start, or has been given it since, in unpack; or if it has some in binding set 0 when halo_exchange_prepare or
 * halo_exchange_coarse_data is called.
 *
 * Between forests, halo_exchange_create_transfer (HALO_TRANSFER_COPY, no ghosts) moves fields from one list of blocks to another of the same trees
 * and cells: what is a leaf of both is copied, a leaf whose parts were leaves gets their means, one that was part of a leaf is made of its values, by
 * the prolongation of the field that is filled; but faces, edges and nodes on its border that another leaf had as fine are that one's (of several the
 * owner's). All copies in the source must be alike, as HALO_SHARED_OWNER makes them. HALO_PROLONG_MINMOD reads, in directions in which values are
 * cells', one layer of the source's ghosts, which must be fresh, and filled outside the domain. Runs as any exchange, as often as wanted. Fields as
 * for ghosts between levels. HALO_ERR_ARGUMENT: trees, joins, cells, types or components differ; a block was refined or coarsened by more than one
 * level, which goes by a list between. Of `distributed` forests that error is halo_exchange_prepare's, or the first start's, where blocks are looked
 * up among all ranks. Of sparse fields all that has storage is moved, however small; parts that it comes to are arrivals (halo_exchange_arrivals). If
 * both are released by age, a part is then as old as the youngest that has come to it.
 * Both fields of a pair are sparse, or neither.
 *  @{ */

#define HALO_PROLONG_MINMOD                                                                                                                          \
    0 /**< the coarse cell's value, and per direction a quarter of the smaller one of its slopes to both sides, 0 where their signs differ:          \
           exact for linear functions. The default */
#define HALO_PROLONG_CONSTANT 1 /**< the coarse cell's value */
/** Of HALO_CENTRE_FACES. Faces that lie on coarse ones: as with HALO_PROLONG_MINMOD, or those that blocks as fine have. Faces between these, within a
 * coarse cell, are made from them so that the sum of differences (upper less lower face, over all directions) in each fine cell is half the coarse
 * one's: where the divergence was zero, it is. Values are to be such that the divergence is that sum, over the width of a cell: with cells that are
 * no cubes, times factors of their directions; with HALO_VECTOR_ALONG where joins turn trees. Ghosts come in pairs, in runs too. Those next to a
 * block are made of its own faces there, as these are in refine (or finish): they stay as they were at start until then. After G. Toth, P. L. Roe, J.
 * Comput. Phys. 180 (2002) 736. */
#define HALO_PROLONG_DIVERGENCE 2
/** The program's own: halo_exchange_level_regions says of which points. One coarse cell around those that a point lies in is there to be read. */
#define HALO_PROLONG_OWN 3

/** How ghosts behind coarser blocks are made. The same on all ranks, which the first run of an exchange compares. Local. HALO_ERR_ARGUMENT: it is
 * none, or not for the field's centring. HALO_BUSY: exchanges use the field. */
HALO_API halo_status halo_field_set_prolongation(halo_field *field, int32_t prolongation);

#define HALO_RESTRICT_MEAN 0 /**< means of all cells, faces or edges in a coarse one, each with the same weight; nodes are copied. The default */
#define HALO_RESTRICT_OWN 1  /**< the program's own: halo_exchange_level_regions says of which points */

/** How coarse points are made of a field's. As halo_field_set_prolongation. */
HALO_API halo_status halo_field_set_restriction(halo_field *field, int32_t restriction);

/** What halo_exchange_desc.kind may be besides: values on faces (HALO_CENTRE_FACE_X, ..., HALO_CENTRE_FACES) of a block that lie on the border to
 * finer blocks become the mean, by area, of those of the 1, 2 or 4 finer faces on each: so that what leaves one level arrives in the other. Faces
 * between blocks of one level stay as they are. One message to each peer. Where joins turn trees: HALO_CENTRE_FACES, with HALO_VECTOR_ALONG if
 * what flows upwards counts as positive. Sparse: finer blocks send what has storage, however small; faces of others, and parts without storage, stay
 * as they are. */
#define HALO_KIND_FLUXES 16

/** Coarse cells (faces, edges, nodes) of a local part beside the `field`-th of the exchange's fields: storage, which is the exchange's and lives as
 * long, and its layout. It is in the memory that binding set 0 of the field is in, of a device too, and in a run where the run has the field; where
 * that changes it begins as zeros. NULL: a part of a sparse field that has none, or one of which no coarse cells are sent or needed
 * (halo_exchange_level_regions), as all are in a forest of one level, where `layout` stays as it was. Local. HALO_ERR_NOT_FOUND: the field is not
 * exchanged between levels; another rank's part. HALO_ERR_STATE: it has none yet, or would have to go to other memory, which it cannot in a function
 * that is called back, or in another thread than MPI's. */
HALO_API halo_status halo_exchange_coarse_data(const halo_exchange *exchange, int32_t field, int64_t gid, void **data, halo_layout *layout);

/** Coarse cells outside the domain, by element, in the index space of the coarse cells, whose (0, 0, 0) covers the part's first cells. To be filled
 * before refine, if ghosts behind coarser blocks are wanted up to the border with slopes across it; else they hold what they held. None of a part
 * that needs no coarse cells. As halo_field_boundaries. */
HALO_API halo_status halo_exchange_coarse_boundaries(const halo_exchange *exchange, int32_t field, int64_t gid, size_t row_bytes,
                                                     halo_boundary *boundaries, int64_t capacity, int64_t *n);

#define HALO_REGION_RESTRICT 0        /**< coarse points that are made of the part's own, and sent. Before start (or send) */
#define HALO_REGION_RESTRICT_GHOSTS 1 /**< coarse points that are made of its ghosts. Between unpack and refine, before the next */
#define HALO_REGION_PROLONGATE 2      /**< the part's points that are made of coarse ones. Between unpack and refine, or after finish */

/** Points of a part, or of its coarse ones, in their index spaces. Filled up to `row_bytes`. */
typedef struct halo_level_region {
    halo_box points;
    int32_t what;  /**< HALO_REGION_... */
    int32_t place; /**< among those of the field's centring: 0 but for HALO_CENTRE_FACES and HALO_CENTRE_EDGES */
} halo_level_region;

/**
 * What is made of what in a local part beside the `field`-th of the exchange's fields, whatever makes it, by `what`: so that a program can do it with
 * operators of its own (HALO_RESTRICT_OWN, HALO_PROLONG_OWN), on a part's data and its coarse data (halo_exchange_coarse_data). Coarse point p covers
 * the points 2 p and 2 p + 1 (in box hierarchies as many as the ratio says) in directions in which values are cells', and lies at 2 p in others.
 * The same in each run; a run that fills fewer ghosts needs a part of them. Of an exchange between lists of blocks that are `distributed`: once it
 * has been prepared. In a forest of one level there is none. Pass capacity 0 to learn `n`. Local. HALO_ERR_NOT_FOUND: as of
 * halo_exchange_coarse_data. HALO_ERR_STATE: blocks have not been looked up yet.
 */
HALO_API halo_status halo_exchange_level_regions(const halo_exchange *exchange, int32_t field, int64_t gid, size_t row_bytes,
                                                 halo_level_region *regions, int64_t capacity, int64_t *n);

/** @} */

/* ------------------------------------------------------------------ 4 box hierarchies */
/** @defgroup levels_04 Levels, 4 box hierarchies
 *
 * Each level is a list of boxes of its own: a topology (halo_topology_create_boxes, not `distributed`, or halo_topology_create_blocks) and fields on
 * it. An exchange goes between two levels, from fields of the one to fields of the other, in one message to each peer. The finer level's domain is
 * the coarser's, with 1 to 4 cells for one per direction (the ratio, which the two domains tell); both are periodic in the same directions. Boxes of
 * the finer level begin and end where cells of the coarser do.
 *
 * Fields: real or complex, dense, without a map of points. Results do not depend on ranks: every value is one fixed expression of
 * others.
 *  @{ */

/** Ghosts of the finer fields, which are cells: from boxes of their own level, periodic images too; else, inside the domain, from the coarser fields'
 *  owned cells, by the prolongation of the finer (halo_field_set_prolongation), in refine (or finish). With HALO_PROLONG_MINMOD a fine cell gets the
 *  coarse cell's value, and per refined direction its slope times the distance between their centres. */
#define HALO_LEVELS_GHOSTS 0
/** Cells of the finer fields, owned ones too and all ghosts inside the domain, from the coarser fields alone: of boxes that are new. What another
 * list of boxes has of them is put over it by halo_exchange_create_transfer. */
#define HALO_LEVELS_WHOLE 1
/** Points of the coarser fields that the finer level's boxes cover become means of those: of cells by volume, of faces by area, of edges by length;
 * nodes are copied. Any centring. Where boxes of the finer level share a coarse point, that of highest priority, then lowest gid counts. Finest level
 * first. */
#define HALO_LEVELS_AVERAGE 2
/** The same of values on faces (HALO_CENTRE_FACE_X, ..., HALO_CENTRE_FACES), but of those alone that lie between a cell of the coarser level that the
 * finer one's boxes cover and one that they do not: fluxes, summed up over the steps of the finer level in one of the coarser, so that what leaves
 * one level arrives in the other. */
#define HALO_LEVELS_FLUXES 3

typedef struct halo_levels_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t what;           /**< HALO_LEVELS_... */
    int32_t messages;       /**< HALO_MESSAGES_... */
    int32_t receive;        /**< HALO_RECEIVE_... */
    double timeout_seconds; /**< as in halo_exchange_desc */
} halo_levels_desc;
#define HALO_LEVELS_DESC_INIT                                                                                                                        \
    { sizeof(halo_levels_desc), 1, HALO_LEVELS_GHOSTS, HALO_MESSAGES_AUTO, HALO_RECEIVE_AUTO, HALO_TIMEOUT_CONFIGURED }

/**
 * An exchange between two levels, of each of `n_fields` coarse fields and the fine field at its place. `newer` (may be NULL; not for
 * HALO_LEVELS_AVERAGE, HALO_LEVELS_FLUXES): for each coarse field one of the same level at a later time; runs then take values between the two
 * (halo_exchange_set_fraction). `desc` may be NULL; it and the lists are copied. Runs as any exchange; where halo_run, or a call by number, speaks of
 * its fields, the coarse ones come first, then the newer ones if there are any, then the fine ones, and a mask names all of a place or none.
 *
 * Beside each fine field the exchange keeps coarse cells, which cover each part (but for HALO_LEVELS_GHOSTS and _WHOLE without ghosts). What of these
 * lies outside the domain the caller fills, as in forests: halo_exchange_coarse_boundaries. Ghosts of the fine field outside the domain are those
 * that halo_field_level_boxes says. With `newer` a copy of each coarse field's owned cells is kept, too.
 *
 * Collective; communicates nothing. O((boxes of both levels) log boxes): all ranks look at all boxes. HALO_ERR_ARGUMENT: domains do not fit, or have
 * a ratio that is none; a box of the finer level does not end on coarse cells; a coarse cell that is read, or averaged onto, is in no box of the
 * coarser level (levels must be nested: coarse boxes cover the finer level with its ghosts, and with HALO_PROLONG_MINMOD one coarse cell around): the
 * text names box and cells. The two of a place differ in type, components or centring.
 */
HALO_API halo_status halo_exchange_create_levels(halo_field *const *coarse, halo_field *const *newer, halo_field *const *fine, int32_t n_fields,
                                                 const halo_levels_desc *desc, halo_exchange **exchange);

/** As it was given. Local. HALO_ERR_NOT_FOUND: halo_exchange_create_levels has not made the exchange. */
HALO_API halo_status halo_exchange_get_levels_desc(const halo_exchange *exchange, halo_levels_desc *desc);

/** Where between `coarse` and `newer` later runs take the coarser level's values: (1 - fraction) * coarse + fraction * newer, rounded to the type, of
 * the values as start (or send) finds them; at 0, which it is at first, and at 1 those of one alone. The same on all ranks, which is not compared.
 * Local. HALO_BUSY: a run is in flight. HALO_ERR_ARGUMENT: it is not finite. HALO_ERR_NOT_FOUND: the exchange was made without `newer`. */
HALO_API halo_status halo_exchange_set_fraction(halo_exchange *exchange, double fraction);

#define HALO_LEVEL_UNCOVERED 0 /**< owned cells that no finer box covers */
#define HALO_LEVEL_BESIDE 1    /**< of these, those with a face on a covered cell */
#define HALO_LEVEL_COVERED 2   /**< owned cells that finer boxes cover */
#define HALO_LEVEL_SAME 3      /**< ghosts that are cells of the own level */
#define HALO_LEVEL_COARSER 4   /**< other ghosts inside the domain: they come from the coarser level */
#define HALO_LEVEL_OUTSIDE 5   /**< ghosts outside the domain */

/** Cells of a part. Filled up to `row_bytes`. */
typedef struct halo_level_box {
    halo_box cells; /**< (0, 0, 0) is the part's first owned cell */
    int32_t kind;   /**< HALO_LEVEL_... */
    int32_t reserved;
} halo_level_box;

/** What the cells of a part are among the levels, as boxes that cover it and its ghosts, each cell once, ordered by `kind`. `finer`: topology of the
 * next finer level, or NULL: there is none. `gid`: any part of the field's topology; of `distributed` boxes one of this rank's. `row_bytes` is
 * sizeof(halo_level_box), at most 4096. Pass capacity 0 to learn `n`. Local; O(boxes near the part). HALO_ERR_ARGUMENT: the field is on no boxes, or
 * `finer` is no finer level of them. */
HALO_API halo_status halo_field_level_boxes(const halo_field *field, const halo_topology *finer, int64_t gid, size_t row_bytes, halo_level_box *boxes,
                                            int64_t capacity, int64_t *n);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_LEVELS_H */
