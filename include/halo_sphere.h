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

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_SPHERE_H */
