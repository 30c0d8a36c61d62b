/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_sphere.h
 * Grids of triangles on the sphere, from an icosahedron or an octahedron: neighbours by arithmetic, ghosts in rings, topologies of cells, edges and
 * vertices. No rank ever has a table of the sphere.
 *
 * Two triangles of the solid make a parallelogram. It is cut into n x n squares, each of two cells: colour 0 at the square's corner (i, j), colour 1
 * at (i + 1, j + 1). Edges have three colours: 0 from (i, j) to (i + 1, j), 1 from (i, j) to (i, j + 1), 2 between the two cells; vertices have one.
 * Corner (0, 0) of a parallelogram points to the north pole, (n, n) to the south pole, (n, 0) lies west, (0, n) east. Icosahedron: parallelograms 0
 * to 4 eastwards around the north pole, 5 to 9 around the south pole, where (0, 0) of 5 is (0, n) of 0. Octahedron: 0 to 3 eastwards, from pole to
 * pole.
 *
 *              icosahedron     octahedron
 *     cells       20 n^2          8 n^2
 *     edges       30 n^2         12 n^2
 *     vertices    10 n^2 + 2      4 n^2 + 2, of which 12 have five neighbours (6 have four), all others six
 *
 * Conventions are those of halo.h.
 */
#ifndef HALO_SPHERE_H
#define HALO_SPHERE_H

#include "halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ 1 the grid as a whole */
/** @defgroup sphere_01 1 the grid as a whole
 *  Functions of numbers alone: any thread, O(1), no context.
 *  @{ */

#define HALO_SPHERE_ICOSAHEDRON 0 /**< ten parallelograms */
#define HALO_SPHERE_OCTAHEDRON 1  /**< four */

#define HALO_SPHERE_CELLS 0
#define HALO_SPHERE_EDGES 1
#define HALO_SPHERE_VERTICES 2

/** One cell, edge or vertex. What lies on a side belongs to several parallelograms and has a name in each. Frozen. */
typedef struct halo_sphere_entity {
    int32_t parallelogram;
    int32_t colour; /**< cells 0 and 1; edges 0, 1 and 2; vertices 0 */
    int64_t i;
    int64_t j;
} halo_sphere_entity;

/**
 * The entity's number among those of its kind: 0, 1, ... up to their count. `n`, 1 to 2^28, is the number of squares along a side. Square (i, j) of
 * parallelogram p has its cells and its edges of colour 0 and 2, the edge of colour 1 at (i + 1, j) and the vertex (i + 1, j); its entities of colour
 * c have the key ((p n + j) n_colours + c) n + i. The north pole has the last key but one, the south pole the last. Every name of an entity gives the
 * same key. HALO_ERR_BOUNDS: it is none of the parallelogram's, sides included.
 */
HALO_API halo_status halo_sphere_key(int32_t solid, int64_t n, int32_t kind, const halo_sphere_entity *entity, uint64_t *key);

/** The name of an entity in the parallelogram whose square has it; the poles: (0, 0) of parallelogram 0, (n, n) of the first that meets the south
 * pole. */
HALO_API halo_status halo_sphere_entity_of(int32_t solid, int64_t n, int32_t kind, uint64_t key, halo_sphere_entity *entity);

/**
 * Keys of the neighbours of one entity, in the order of these tables, which hold across the sides too: there they are those of the parallelogram of
 * halo_sphere_entity_of. (i, j)c is relative to the entity; the rows are for its colours 0, 1, 2.
 *
 *     cell to cells        (-1,0)1 (0,0)1 (0,-1)1             (1,0)0 (0,0)0 (0,1)0
 *     cell to edges        (0,0)1 (0,0)2 (0,0)0               (1,0)1 (0,0)2 (0,1)0
 *     cell to vertices     (1,0) (0,0) (0,1)                  (0,1) (1,1) (1,0)
 *     edge to cells        (0,-1)1 (0,0)0                     (-1,0)1 (0,0)0                     (0,0)1 (0,0)0
 *     edge to edges        (0,-1)2 (0,0)1 (0,0)2 (1,-1)1      (-1,0)2 (-1,1)0 (0,0)2 (0,0)0      (0,0)0 (0,0)1 (0,1)0 (1,0)1
 *     edge to vertices     (1,0) (0,0)                        (0,0) (0,1)                        (0,1) (1,0)
 *     vertex to cells      (-1,-1)1 (-1,0)0 (-1,0)1 (0,0)0 (0,-1)1 (0,-1)0
 *     vertex to edges      (0,-1)1 (-1,0)0 (-1,0)2 (0,0)1 (0,0)0 (0,-1)2
 *     vertex to vertices   (0,-1) (-1,0) (-1,1) (0,1) (1,0) (1,-1)
 *
 * Around a vertex that is clockwise as seen from outside; cell k lies between edges k and k + 1, and the other end of edge k is vertex k. Vertices
 * with five or four neighbours have a shorter row, clockwise too. Cell k of a cell shares its edge k. Two entities are neighbours of each other, or
 * neither is. `neighbours` has room for 6.
 */
HALO_API halo_status halo_sphere_key_neighbours(int32_t solid, int64_t n, int32_t from, uint64_t key, int32_t to, uint64_t *neighbours,
                                                int32_t *n_neighbours);

/**
 * Where an entity lies on the sphere of radius 1: x, y, z; the north pole at (0, 0, 1), corner (n, 0) of parallelogram 0 at longitude 0 (y = 0, x >
 * 0). Each triangle of the solid is cut evenly and projected from the centre; edges lie at the middle of what is projected, cells at its centre. The
 * same bits on every rank. `position` has room for 3.
 */
HALO_API halo_status halo_sphere_position(int32_t solid, int64_t n, int32_t kind, uint64_t key, double *position);

/** @} */

/* ------------------------------------------------------------------ 2 parts of it */
/** @defgroup sphere_02 2 parts of it
 *  @{ */

typedef struct halo_sphere halo_sphere; /**< a grid, how it is cut, and what this rank's parts store of it */

/** Squares of one parallelogram, low inclusive, high exclusive: a part, with all that its squares have. Frozen. */
typedef struct halo_sphere_box {
    int32_t parallelogram;
    int32_t owner; /**< rank */
    int64_t low[2];
    int64_t high[2];
} halo_sphere_box;

typedef struct halo_sphere_desc {
    size_t struct_size;
    int32_t layout;
    int32_t solid;          /**< HALO_SPHERE_ICOSAHEDRON or HALO_SPHERE_OCTAHEDRON */
    int64_t n;              /**< squares along a side of a parallelogram: 1 to 2^28 */
    int32_t rings[3];       /**< of ghosts: of cells, edges, vertices; 0 or more, at most 2^24 */
    int32_t parts_per_side; /**< without `boxes`: each parallelogram is cut into so many by so many parts, at most 2^24 in all, dealt to the ranks
                                 in equal runs; at most n. Else ignored. */
    const halo_sphere_box *boxes; /**< all parts, the same list on all ranks: together each square once; NULL: the library cuts. Copied. */
    int64_t n_boxes;
    int32_t reserved;
} halo_sphere_desc;
#define HALO_SPHERE_DESC_INIT                                                                                                                        \
    { sizeof(halo_sphere_desc), 1, HALO_SPHERE_ICOSAHEDRON, 1, { 1, 1, 1 }, 1, NULL, 0, 0 }

/**
 * Find out what each of this rank's parts owns and which ghosts lie around it. Ring 1 of a kind: all neighbours of the part's own entities of this
 * kind that it does not own, by the kind's own table (cell to cells, edge to edges, vertex to vertices); ring 2: their neighbours; ... Whose they are
 * follows from the description. Collective; blocks: compares the descriptions. O(rim of the parts + ghosts + boxes) memory; time likewise, times the
 * logarithm of what it orders. HALO_ERR_ARGUMENT: boxes leave squares out or cover some twice, an owner is no rank. HALO_ERR_MISMATCH: ranks gave
 * different descriptions.
 */
HALO_API halo_status halo_sphere_create(halo_context *context, const halo_sphere_desc *desc, halo_sphere **sphere);

/** Topologies made from it stay. Collective; does not communicate. */
HALO_API halo_status halo_sphere_destroy(halo_sphere **sphere);

/** gids of this rank's parts, ascending: those that its topologies have for them. The list lives as long as the sphere. */
HALO_API halo_status halo_sphere_local_parts(const halo_sphere *sphere, const int64_t **gids, int64_t *n);

/** One part, and how much storage each kind wants. Filled by the library up to the caller's struct_size. */
typedef struct halo_sphere_part {
    size_t struct_size;
    int32_t layout;
    int32_t parallelogram;
    int64_t gid;
    int64_t number;     /**< its place among `boxes`; where the library cuts, counted by parallelogram, then j, then i */
    int64_t low[2];     /**< its squares: (i, j) inclusive */
    int64_t high[2];    /**< exclusive */
    int64_t n_owned[3]; /**< of cells, edges, vertices */
    int64_t n_local[3]; /**< with ghosts */
} halo_sphere_part;
#define HALO_SPHERE_PART_INIT                                                                                                                        \
    {                                                                                                                                                \
        sizeof(halo_sphere_part), 1, 0, 0, 0, { 0, 0 }, { 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }                                                           \
    }

/**
 * A part of this rank. Local indices of a kind: first what the part owns, i fastest, then colour, then j: what square (i, j) has of colour c lies at
 * (i - low[0]) + (high[0] - low[0]) (c + n_colours (j - low[1])), see halo_sphere_key, and a pole behind. Then ghosts by ring, owning rank, number of
 * the owning part and key. HALO_ERR_NOT_FOUND: it is none of this rank's.
 */
HALO_API halo_status halo_sphere_part_get(const halo_sphere *sphere, int64_t gid, halo_sphere_part *part);

/** Entities with local indices up to each ring: the first number is what the part owns, the last all that it stores; one more than there are rings.
 */
HALO_API halo_status halo_sphere_ring_ends(const halo_sphere *sphere, int64_t gid, int32_t kind, int64_t *ends, int64_t capacity, int64_t *n);

/** Keys by local index. */
HALO_API halo_status halo_sphere_keys(const halo_sphere *sphere, int64_t gid, int32_t kind, uint64_t *keys, int64_t capacity, int64_t *n);

/** Entries of a row of halo_sphere_neighbours. */
static inline int32_t halo_sphere_width(int32_t from, int32_t to) {
    return from == HALO_SPHERE_VERTICES ? 6 : from == HALO_SPHERE_CELLS ? 3 : to == HALO_SPHERE_EDGES ? 4 : 2;
}

/**
 * Local indices of the neighbours of each local entity, in the order of halo_sphere_key_neighbours: rows of halo_sphere_width entries, one for each
 * local index of `from`, ghosts too. HALO_NO_INDEX stands for what the part does not store, and fills the end of the rows of vertices with fewer than
 * six neighbours. Rows of owned entities have all their entries from 1 ring of the kind they lead to on; vertices want 2 rings of cells and of edges.
 * Rows of ghosts within one kind have theirs in all rings but the last. O(rows) time; nothing is kept.
 */
HALO_API halo_status halo_sphere_neighbours(const halo_sphere *sphere, int64_t gid, int32_t from, int32_t to, uint32_t *table, int64_t capacity,
                                            int64_t *n);

/**
 * The topology of one kind, as halo_topology_create_keys makes it of the parts' keys with their owners. Fields of all three can go in one exchange.
 * Collective; communicates with ranks whose entities are ghosts here, or the other way round; asks no directory. It does not depend on the sphere
 * afterwards.
 */
HALO_API halo_status halo_sphere_topology(halo_sphere *sphere, int32_t kind, halo_topology **topology);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_SPHERE_H */
