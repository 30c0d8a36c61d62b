/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALO_SPHERE_H
#define HALO_SPHERE_H
#include "halo.h"
#ifdef __cplusplus
extern "C" {
#endif
#define HALO_SPHERE_ICOSAHEDRON 0
#define HALO_SPHERE_OCTAHEDRON 1
#define HALO_SPHERE_CELLS 0
#define HALO_SPHERE_EDGES 1
#define HALO_SPHERE_VERTICES 2
typedef struct halo_sphere_entity {
    int32_t parallelogram;
    int32_t colour;
    int64_t i;
    int64_t j;
} halo_sphere_entity;
HALO_API halo_status halo_sphere_key(int32_t solid, int64_t n, int32_t kind, const halo_sphere_entity *entity, uint64_t *key);
HALO_API halo_status halo_sphere_entity_of(int32_t solid, int64_t n, int32_t kind, uint64_t key, halo_sphere_entity *entity);
HALO_API halo_status halo_sphere_key_neighbours(int32_t solid, int64_t n, int32_t from, uint64_t key, int32_t to, uint64_t *neighbours,
                                                int32_t *n_neighbours);
HALO_API halo_status halo_sphere_position(int32_t solid, int64_t n, int32_t kind, uint64_t key, double *position);
typedef struct halo_sphere halo_sphere;
typedef struct halo_sphere_box {
    int32_t parallelogram;
    int32_t owner;
    int64_t low[2];
    int64_t high[2];
} halo_sphere_box;
typedef struct halo_sphere_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t solid;
    int64_t n;
    int32_t rings[3];
    int32_t parts_per_side;
    const halo_sphere_box *boxes;
    int64_t n_boxes;
    int64_t reserved;
} halo_sphere_desc;
#define HALO_SPHERE_DESC_INIT                                                                                                                        \
    { sizeof(halo_sphere_desc), 1, HALO_SPHERE_ICOSAHEDRON, 1, { 1, 1, 1 }, 1, NULL, 0, 0 }
HALO_API halo_status halo_sphere_create(halo_context *context, const halo_sphere_desc *desc, halo_sphere **sphere);
HALO_API halo_status halo_sphere_destroy(halo_sphere **sphere);
HALO_API halo_status halo_sphere_local_parts(const halo_sphere *sphere, const int64_t **gids, int64_t *n);
typedef struct halo_sphere_part {
    size_t struct_size;
    int32_t struct_version;
    int32_t parallelogram;
    int64_t gid;
    int64_t number;
    int64_t low[2];
    int64_t high[2];
    int64_t n_owned[3];
    int64_t n_local[3];
} halo_sphere_part;
#define HALO_SPHERE_PART_INIT                                                                                                                        \
    {                                                                                                                                                \
        sizeof(halo_sphere_part), 1, 0, 0, 0, { 0, 0 }, { 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }                                                           \
    }
HALO_API halo_status halo_sphere_get_part(const halo_sphere *sphere, int64_t gid, halo_sphere_part *part);
HALO_API halo_status halo_sphere_ring_ends(const halo_sphere *sphere, int64_t gid, int32_t kind, int64_t *ends, int64_t capacity, int64_t *n);
HALO_API halo_status halo_sphere_keys(const halo_sphere *sphere, int64_t gid, int32_t kind, uint64_t *keys, int64_t capacity, int64_t *n);
static inline int32_t halo_sphere_width(int32_t from, int32_t to) {
    return from == HALO_SPHERE_VERTICES ? 6 : from == HALO_SPHERE_CELLS ? 3 : to == HALO_SPHERE_EDGES ? 4 : 2;
}
HALO_API halo_status halo_sphere_neighbours(const halo_sphere *sphere, int64_t gid, int32_t from, int32_t to, uint32_t *table, int64_t capacity,
                                            int64_t *n);
HALO_API halo_status halo_sphere_topology(halo_sphere *sphere, int32_t kind, halo_topology **topology);
typedef struct halo_cubed_sphere_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t parts_per_side;
    int64_t n;
    int64_t levels;
    const int32_t *owner;
    int32_t reach;
    int32_t reserved;
} halo_cubed_sphere_desc;
#define HALO_CUBED_SPHERE_DESC_INIT                                                                                                                  \
    { sizeof(halo_cubed_sphere_desc), 1, 1, 1, 0, NULL, 1, 0 }
HALO_API halo_status halo_topology_create_cubed_sphere(halo_context *context, const halo_cubed_sphere_desc *desc, halo_topology **topology);
typedef struct halo_latitudes_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t poles;
    int64_t cells[2];
    int64_t parts[2];
    int64_t levels;
    const int32_t *owner;
    int32_t reach;
    int32_t reserved;
} halo_latitudes_desc;
#define HALO_LATITUDES_DESC_INIT                                                                                                                     \
    { sizeof(halo_latitudes_desc), 1, 1, { 2, 1 }, { 1, 1 }, 0, NULL, 1, 0 }
HALO_API halo_status halo_topology_create_latitudes(halo_context *context, const halo_latitudes_desc *desc, halo_topology **topology);
typedef struct halo_reduced_rows_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t rings;
    int64_t n_rows;
    const int64_t *cells;
    int32_t poles;
    int32_t reserved;
} halo_reduced_rows_desc;
#define HALO_REDUCED_ROWS_DESC_INIT                                                                                                                  \
    { sizeof(halo_reduced_rows_desc), 1, 1, 0, NULL, 1, 0 }
HALO_API halo_status halo_reduced_rows_neighbours(const halo_reduced_rows_desc *desc, uint64_t key, uint64_t *neighbours, int64_t capacity,
                                                  int64_t *n);
HALO_API halo_status halo_topology_create_reduced_rows(halo_context *context, const halo_reduced_rows_desc *desc, halo_topology **topology);
#ifdef __cplusplus
}
#endif
#endif
