/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALO_MESH_H
#define HALO_MESH_H
#include <stddef.h>
#include <stdint.h>
#include "halo.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct halo_mesh halo_mesh;
#define HALO_MESH_OWNER_BROUGHT 0
#define HALO_MESH_OWNER_GIVEN 1
#define HALO_MESH_OWNER_OF_TARGETS                                                                                                                   \
    2
#define HALO_MESH_OWNER_OF_SOURCES                                                                                                                   \
    3
typedef struct halo_mesh_set {
    const char *name;
    int64_t n;
    const uint64_t *keys;
    const int32_t *owners;
    int32_t owner_rule;
    int32_t owner_map;
} halo_mesh_set;
#define HALO_MESH_SET_INIT                                                                                                                           \
    { NULL, 0, NULL, NULL, HALO_MESH_OWNER_BROUGHT, 0 }
typedef struct halo_mesh_map {
    const char *name;
    int32_t from;
    int32_t to;
    int32_t arity;
    int32_t has_none;
    uint64_t none;
    const uint64_t *keys;
} halo_mesh_map;
#define HALO_MESH_MAP_INIT                                                                                                                           \
    { NULL, 0, 0, 1, 0, 0, NULL }
typedef struct halo_mesh_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t depth;
    int32_t n_sets;
    int32_t n_maps;
    const halo_mesh_set *sets;
    size_t set_bytes;
    const halo_mesh_map *maps;
    size_t map_bytes;
    int32_t directory;
    int32_t reserved;
} halo_mesh_desc;
#define HALO_MESH_DESC_INIT                                                                                                                          \
    { sizeof(halo_mesh_desc), 1, 1, 0, 0, NULL, sizeof(halo_mesh_set), NULL, sizeof(halo_mesh_map), HALO_DIRECTORY_AUTO, 0 }
HALO_API halo_status halo_mesh_create(halo_context *context, const halo_mesh_desc *desc, halo_mesh **mesh);
HALO_API halo_status halo_mesh_destroy(halo_mesh **mesh);
typedef struct halo_mesh_local {
    size_t struct_size;
    int32_t struct_version;
    int32_t depth;
    int64_t n;
    int64_t n_core;
    int64_t n_owned;
    const int64_t *layer_ends;
    const int64_t *reach_ends;
    const uint64_t *keys;
    const int32_t *owners;
} halo_mesh_local;
#define HALO_MESH_LOCAL_INIT                                                                                                                         \
    { sizeof(halo_mesh_local), 1, 0, 0, 0, 0, NULL, NULL, NULL, NULL }
HALO_API halo_status halo_mesh_get_local(const halo_mesh *mesh, int32_t set, halo_mesh_local *local);
HALO_API halo_status halo_mesh_get_map(const halo_mesh *mesh, int32_t map, const uint32_t **to, int64_t *n_rows, int32_t *arity);
#define HALO_MESH_REACH(k) (1u << (4 + (k)))
HALO_API halo_status halo_mesh_topology(halo_mesh *mesh, int32_t set, halo_topology **topology);
HALO_API halo_status halo_mesh_distribute(halo_mesh *mesh, int32_t set, const void *brought, void *local, int64_t bytes);
HALO_API halo_status halo_mesh_collect(halo_mesh *mesh, int32_t set, const void *local, void *brought, int64_t bytes);
#ifdef __cplusplus
}
#endif
#endif
