/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALO_ACCESS_H
#define HALO_ACCESS_H
#include <stddef.h>
#include <stdint.h>
#include "halo.h"
#ifdef __cplusplus
extern "C" {
#endif
#define HALO_SECTION_CORE 0
#define HALO_SECTION_OWNED 1
#define HALO_SECTION_EXEC 2
#define HALO_SECTION_NON_EXEC 3
typedef struct halo_map {
    const uint32_t *to;
    const int32_t *to_owners;
    int64_t n_to;
    int32_t arity;
    int32_t reserved;
} halo_map;
typedef struct halo_section_sizes {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t n[4];
} halo_section_sizes;
#define HALO_SECTION_SIZES_INIT                                                                                                                      \
    {                                                                                                                                                \
        sizeof(halo_section_sizes), 1, 0, { 0, 0, 0, 0 }                                                                                             \
    }
HALO_API halo_status halo_sections_classify(int32_t rank, const int32_t *owners, int64_t n, const halo_map *maps, int32_t n_maps, int32_t *sections,
                                            uint32_t *order, halo_section_sizes *sizes);
HALO_API halo_status halo_sections_reach(const halo_map *map, const int32_t *sections, int64_t n, uint32_t from, uint32_t bits, uint32_t *groups);
HALO_API halo_status halo_topology_set_sections(halo_topology *topology, const uint32_t *groups, int64_t n);
#define HALO_READ 11
#define HALO_WRITE 12
#define HALO_RW 13
#define HALO_INC 14
#define HALO_ACCESS_MIN 15
#define HALO_ACCESS_MAX 16
#define HALO_DIRECT 0
#define HALO_VIA_MAP 1
#define HALO_STYLE_REDUNDANT 1
#define HALO_STYLE_REVERSE 2
#define HALO_ON_HOST 0
#define HALO_ON_DEVICE 1
typedef struct halo_access {
    halo_field *field;
    int32_t mode;
    int32_t through;
    uint32_t sections;
    int32_t whole;
    int32_t set;
    int32_t may_lose;
} halo_access;
#define HALO_ACCESS_INIT                                                                                                                             \
    { NULL, 0, HALO_DIRECT, 0, 0, 0, 0 }
typedef struct halo_batch halo_batch;
HALO_API halo_status halo_access_begin(halo_context *context, const halo_access *accesses, int32_t n, size_t access_bytes, int32_t style,
                                       int32_t where, halo_stream stream, halo_batch **batch);
HALO_API halo_status halo_access_ready(halo_batch *batch);
HALO_API halo_status halo_access_needs_exec(const halo_batch *batch, int32_t *needs_exec);
HALO_API halo_status halo_access_end(halo_batch *batch);
HALO_API halo_status halo_access_abandon(halo_batch *batch);
#define HALO_FRESHNESS_VALID 1
#define HALO_FRESHNESS_STALE 2
#define HALO_FRESHNESS_IN_FLIGHT 3
#define HALO_FRESHNESS_PENDING_REVERSE 4
#define HALO_FRESHNESS_FROZEN 5
#define HALO_RESIDENT_DEVICE_UNALLOCATED 1
#define HALO_RESIDENT_HOST_UNALLOCATED 2
#define HALO_RESIDENT_HOST 3
#define HALO_RESIDENT_DEVICE 4
#define HALO_RESIDENT_BOTH 5
typedef struct halo_access_state {
    size_t struct_size;
    int32_t struct_version;
    int32_t freshness;
    halo_op pending;
    uint32_t fresh;
    int32_t owned;
    int32_t ghosts;
    int64_t version;
} halo_access_state;
#define HALO_ACCESS_STATE_INIT                                                                                                                       \
    { sizeof(halo_access_state), 1, 0, 0, 0, 0, 0, 0 }
HALO_API halo_status halo_access_get_state(const halo_field *field, int32_t set, halo_access_state *state);
HALO_API halo_status halo_access_mark_dirty(halo_field *field, int32_t set, int32_t where);
HALO_API halo_status halo_access_mark_fresh(halo_field *field, int32_t set, int32_t where);
HALO_API halo_status halo_access_freeze(halo_field *field, int32_t frozen);
HALO_API halo_status halo_access_data(const halo_field *field, int64_t gid, int32_t set, int32_t where, void **data);
typedef struct halo_access_stats {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t started;
    int64_t skipped;
    int64_t reversed;
    int64_t bytes_sent;
    int64_t bytes_up;
    int64_t bytes_down;
} halo_access_stats;
#define HALO_ACCESS_STATS_INIT                                                                                                                       \
    { sizeof(halo_access_stats), 1, 0, 0, 0, 0, 0, 0, 0 }
HALO_API halo_status halo_access_get_stats(const halo_context *context, const char *field_name, halo_access_stats *stats);
typedef struct halo_reduction halo_reduction;
HALO_API halo_status halo_reduction_create(halo_context *context, int64_t n, halo_type type, halo_op op, halo_reduction **reduction);
typedef struct halo_reduction_item {
    int64_t n;
    halo_type type;
    halo_op op;
    int64_t element_bytes;
    int64_t offset;
    int64_t index_offset;
    halo_combine_fn combine;
    void *user;
} halo_reduction_item;
#define HALO_REDUCTION_ITEM_INIT                                                                                                                     \
    { 1, HALO_FLOAT64, HALO_SUM, 0, 0, 0, NULL, NULL }
HALO_API halo_status halo_reduction_create_items(halo_context *context, const halo_reduction_item *items, size_t item_bytes, int32_t n_items,
                                                 halo_reduction **reduction);
HALO_API halo_status halo_reduction_begin(halo_reduction *reduction, const void *in);
HALO_API halo_status halo_reduction_test(halo_reduction *reduction, int32_t *done);
HALO_API halo_status halo_reduction_end(halo_reduction *reduction, void *out);
HALO_API halo_status halo_reduction_destroy(halo_reduction **reduction);
#ifdef __cplusplus
}
#endif
#endif
