/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_sphere.h
 * Grids on the sphere. Of triangles, from an icosahedron or an octahedron (sections 1 and 2): neighbours by arithmetic, ghosts in rings, topologies
 * of cells, edges and vertices; no rank ever has a table of the sphere. Of quadrilaterals (section 3): cubed sphere, latitudes and longitudes, rows
 * of different lengths.
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
    int32_t struct_version;
    int32_t solid;          /**< HALO_SPHERE_ICOSAHEDRON or HALO_SPHERE_OCTAHEDRON */
    int64_t n;              /**< squares along a side of a parallelogram: 1 to 2^28 */
    int32_t rings[3];       /**< of ghosts: of cells, edges, vertices; 0 or more, at most 2^24 */
    int32_t parts_per_side; /**< without `boxes`: each parallelogram is cut into so many by so many parts, at most 2^24 in all, dealt to the ranks
                                 in equal runs; at most n. Else ignored. */
    const halo_sphere_box *boxes; /**< all parts, the same list on all ranks: together each square once; NULL: the library cuts. Copied. */
    int64_t n_boxes;
    int64_t reserved;
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
    int32_t struct_version;
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
HALO_API halo_status halo_sphere_get_part(const halo_sphere *sphere, int64_t gid, halo_sphere_part *part);

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

/* ------------------------------------------------------------------ 3 quadrilaterals */
/** @defgroup sphere_03 3 quadrilaterals
 *  Topologies of cells. Descriptions are the same on all ranks, which compares them.
 *  @{ */

/**
 * Six faces of a cube, each of n x n cells and cut into as many parts by side. Seen from outside, x of a face runs to the right and y upwards: on
 * faces 0 to 3, around the equator, eastwards and northwards, with face 1 east of face 0. y = 0 of face 4, around the north pole, lies at face 0, and
 * so does y = n of face 5, around the south pole; x = n of both lies at face 1. Part (i, j) of face f has the gid (f p + j) p + i, p =
 * parts_per_side, and cells from floor(i n / p) on in x; halo_topology_part has them in the index space of their face.
 */
typedef struct halo_cubed_sphere_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t parts_per_side; /**< 1 to n; at most 2^24 parts in all */
    int64_t n;              /**< cells along a side of a face: 1 to 2^31 - 1 */
    int64_t levels;         /**< cells in direction 2, which is not cut; 0: the grid has two dimensions */
    const int32_t *owner;   /**< rank of each part, by gid; NULL: equal runs of gids. Copied. */
    int32_t reach;          /**< widest ghosts that fields may have, in cells: 0 to n */
    int32_t reserved;
} halo_cubed_sphere_desc;
#define HALO_CUBED_SPHERE_DESC_INIT                                                                                                                  \
    { sizeof(halo_cubed_sphere_desc), 1, 1, 1, 0, NULL, 1, 0 }

/**
 * Ghosts beyond a side of a face are cells of the face there, in rows that go straight on. What lies beyond a corner of the cube, where three faces
 * meet, is nobody's: a boundary (halo_field_boundaries), and so is what lies below and above all levels. The components of vectors go along with the
 * index directions, and change place and sign as these do; metric factors are the program's. As halo_topology_create_regions: collective; blocks;
 * O(parts + joins) memory on each rank; HALO_ERR_ARGUMENT, HALO_ERR_LIMIT, HALO_ERR_MISMATCH.
 */
HALO_API halo_status halo_topology_create_cubed_sphere(halo_context *context, const halo_cubed_sphere_desc *desc, halo_topology **topology);

/** Longitudes in x, eastwards and all the way around, latitudes in y. Part (i, j) has the gid i + j parts[0], and cells from floor(i cells[0] /
 *  parts[0]) on in x; halo_topology_part has them in the index space of the grid. */
typedef struct halo_latitudes_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t poles;        /**< 1: both ends in y are poles, which rows of cells touch; 0: boundaries */
    int64_t cells[2];     /**< 1 to 2^31 - 1; with poles cells[0] is even */
    int64_t parts[2];     /**< in each direction: 1 to cells; at most 2^24 in all */
    int64_t levels;       /**< cells in direction 2, which is not cut; 0: the grid has two dimensions */
    const int32_t *owner; /**< rank of each part, by gid; NULL: equal runs of gids. Copied. */
    int32_t reach;        /**< widest ghosts that fields may have, in cells: at most cells[0] and cells[1] */
    int32_t reserved;
} halo_latitudes_desc;
#define HALO_LATITUDES_DESC_INIT                                                                                                                     \
    { sizeof(halo_latitudes_desc), 1, 1, { 2, 1 }, { 1, 1 }, 0, NULL, 1, 0 }

/**
 * Beyond a pole ghosts (x, -1 - k) are cells (x + cells[0] / 2, k), and likewise at the other one: rows run back on the opposite side. There the
 * directions of x and of y are both the opposite ones, so both components of a vector change their sign. Errors and cost as those of a cubed sphere.
 */
HALO_API halo_status halo_topology_create_latitudes(halo_context *context, const halo_latitudes_desc *desc, halo_topology **topology);

/** Rows of cells around the sphere, each evenly cut and beginning at the same longitude, as reduced Gaussian grids have them. Cell i of row r has the
 *  key cells[0] + ... + cells[r - 1] + i. */
typedef struct halo_reduced_rows_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t rings;        /**< of ghosts, by halo_reduced_rows_neighbours: 1 or more */
    int64_t n_rows;       /**< 1 to 2^31 - 1 */
    const int64_t *cells; /**< of each row: 1 to 2^31 - 1. Copied. */
    int32_t poles;        /**< 1: the first row and the last one touch a pole; 0: they end at boundaries */
    int32_t reserved;
} halo_reduced_rows_desc;
#define HALO_REDUCED_ROWS_DESC_INIT                                                                                                                  \
    { sizeof(halo_reduced_rows_desc), 1, 1, 0, NULL, 1, 0 }

/** Cells that share a side with one, each once: the one to the west, the one to the east, those of the row before from west to east, those of the row
 *  after. Across a pole these are cells of the same row on the other side. Two cells are neighbours of each other, or neither is. Local; any thread;
 *  O(rows + neighbours). HALO_ERR_BOUNDS: there is no such cell. */
HALO_API halo_status halo_reduced_rows_neighbours(const halo_reduced_rows_desc *desc, uint64_t key, uint64_t *neighbours, int64_t capacity,
                                                  int64_t *n);

/** Points with these keys, as halo_topology_create_graph makes them of the neighbours: ranks own equal runs of keys, ghosts lie behind by ring, and
 *  halo_topology_graph_rows has the neighbours by local index. Collective; asks no directory. O(rows + cells of this rank) memory. */
HALO_API halo_status halo_topology_create_reduced_rows(halo_context *context, const halo_reduced_rows_desc *desc, halo_topology **topology);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_SPHERE_H */
