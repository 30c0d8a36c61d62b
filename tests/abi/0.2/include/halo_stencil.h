/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALO_STENCIL_H
#define HALO_STENCIL_H
#include <stddef.h>
#include <stdint.h>
#include "halo.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct halo_stencil halo_stencil;
#define HALO_STENCIL_BY_POINTS 0
#define HALO_STENCIL_BY_STAGES 1
#define HALO_STENCIL_COMPUTE 0
#define HALO_STENCIL_EXCHANGE 1
#define HALO_STENCIL_CHEAPEST 2
typedef struct halo_stencil_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;
    int64_t cells[3];
    int32_t order;
    int32_t exchanged;
    int32_t repeats;
    int32_t max_offset;
    double exchange_cost;
    double value_cost;
    const int64_t *splitters;
    int32_t n_splitters;
    int32_t reserved;
} halo_stencil_desc;
#define HALO_STENCIL_DESC_INIT                                                                                                                       \
    { sizeof(halo_stencil_desc), 1, 3, { 0, 0, 0 }, HALO_STENCIL_BY_POINTS, HALO_STENCIL_COMPUTE, 0, 3, 0.0, 0.0, NULL, 0, 0 }
HALO_API halo_status halo_stencil_create(const halo_stencil_desc *desc, halo_stencil **stencil);
HALO_API halo_status halo_stencil_destroy(halo_stencil **stencil);
typedef struct halo_stencil_field_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t temporary;
    const char *name;
    int32_t n_components;
    int32_t reserved;
} halo_stencil_field_desc;
#define HALO_STENCIL_FIELD_DESC_INIT                                                                                                                 \
    { sizeof(halo_stencil_field_desc), 1, 0, NULL, 1, 0 }
HALO_API halo_status halo_stencil_add_field(halo_stencil *stencil, const halo_stencil_field_desc *desc, int32_t *field);
#define HALO_STENCIL_READ 0
#define HALO_STENCIL_WRITE 1
#define HALO_STENCIL_UPDATE 2
typedef struct halo_stencil_access {
    int32_t field;
    int32_t mode;
    int32_t low[3];
    int32_t high[3];
    int32_t interval;
    int32_t reserved;
} halo_stencil_access;
#define HALO_STENCIL_ALL (-1)
typedef struct halo_stencil_level {
    int32_t splitter;
    int32_t offset;
} halo_stencil_level;
typedef struct halo_stencil_interval {
    halo_stencil_level from;
    halo_stencil_level to;
} halo_stencil_interval;
#define HALO_STENCIL_PARALLEL 0
#define HALO_STENCIL_UPWARD 1
#define HALO_STENCIL_DOWNWARD 2
typedef struct halo_stencil_stage_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t conditional;
    const char *name;
    const halo_stencil_access *accesses;
    int32_t n_accesses;
    int32_t n_intervals;
    double work;
    const halo_stencil_interval *intervals;
    int32_t direction;
    int32_t reserved;
} halo_stencil_stage_desc;
#define HALO_STENCIL_STAGE_DESC_INIT                                                                                                                 \
    { sizeof(halo_stencil_stage_desc), 1, 0, NULL, NULL, 0, 0, 0.0, NULL, HALO_STENCIL_PARALLEL, 0 }
HALO_API halo_status halo_stencil_add_stage(halo_stencil *stencil, const halo_stencil_stage_desc *desc, int32_t *stage);
HALO_API halo_status halo_stencil_analyse(halo_stencil *stencil);
typedef struct halo_stencil_field {
    size_t struct_size;
    int32_t struct_version;
    int32_t exchanged;
    int32_t computed;
    int32_t reserved;
    int64_t ghost_low[3];
    int64_t ghost_high[3];
} halo_stencil_field;
#define HALO_STENCIL_FIELD_INIT                                                                                                                      \
    {                                                                                                                                                \
        sizeof(halo_stencil_field), 1, 0, 0, 0, { 0, 0, 0 }, { 0, 0, 0 }                                                                             \
    }
HALO_API halo_status halo_stencil_get_field(const halo_stencil *stencil, int32_t field, halo_stencil_field *result);
typedef struct halo_stencil_stage {
    size_t struct_size;
    int32_t struct_version;
    int32_t needed;
    int64_t low[3];
    int64_t high[3];
} halo_stencil_stage;
#define HALO_STENCIL_STAGE_INIT                                                                                                                      \
    {                                                                                                                                                \
        sizeof(halo_stencil_stage), 1, 0, { 0, 0, 0 }, { 0, 0, 0 }                                                                                   \
    }
HALO_API halo_status halo_stencil_get_stage(const halo_stencil *stencil, int32_t stage, halo_stencil_stage *result);
HALO_API halo_status halo_stencil_describe(const halo_stencil *stencil, char *text, size_t capacity, size_t *needed_bytes);
typedef struct halo_stencil_exchange {
    int32_t field;
    int32_t writer;
    int32_t start;
    int32_t finish;
    int32_t group;
    int32_t once;
    int32_t ahead;
    int32_t reserved;
    int64_t low[3];
    int64_t high[3];
    int64_t values;
} halo_stencil_exchange;
HALO_API halo_status halo_stencil_exchanges(const halo_stencil *stencil, halo_stencil_exchange *exchanges, int64_t capacity, int64_t *n);
typedef struct halo_stencil_group {
    int32_t start;
    int32_t finish;
    int32_t n_fields;
    int32_t once;
} halo_stencil_group;
HALO_API halo_status halo_stencil_groups(const halo_stencil *stencil, halo_stencil_group *groups, int64_t capacity, int64_t *n);
typedef struct halo_stencil_summary {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_groups;
    int64_t values;
    int64_t cells_twice;
    double cost;
} halo_stencil_summary;
#define HALO_STENCIL_SUMMARY_INIT                                                                                                                    \
    { sizeof(halo_stencil_summary), 1, 0, 0, 0, 0.0 }
HALO_API halo_status halo_stencil_get_summary(const halo_stencil *stencil, halo_stencil_summary *summary);
HALO_API halo_status halo_stencil_level_index(const halo_stencil *stencil, const halo_stencil_level *level, int64_t *index);
typedef struct halo_stencil_loop {
    halo_stencil_interval interval;
    int64_t first;
    int64_t last;
} halo_stencil_loop;
HALO_API halo_status halo_stencil_loops(const halo_stencil *stencil, halo_stencil_loop *loops, int64_t capacity, int64_t *n);
HALO_API halo_status halo_stencil_loop_intervals(const halo_stencil *stencil, int32_t stage, int32_t *intervals, int64_t capacity, int64_t *n);
typedef struct halo_stencil_range {
    int64_t first;
    int64_t last;
    int64_t low[3];
    int64_t high[3];
} halo_stencil_range;
HALO_API halo_status halo_stencil_stage_ranges(const halo_stencil *stencil, int32_t stage, halo_stencil_range *ranges, int64_t capacity, int64_t *n);
HALO_API halo_status halo_stencil_exchange_ranges(const halo_stencil *stencil, int32_t exchange, halo_stencil_range *ranges, int64_t capacity,
                                                  int64_t *n);
HALO_API halo_status halo_stencil_fill_field_desc(const halo_stencil *stencil, int32_t field, halo_field_desc *desc);
HALO_API halo_status halo_stencil_fill_layout_desc(const halo_stencil *stencil, halo_layout_desc *desc);
HALO_API halo_status halo_stencil_create_exchange(const halo_stencil *stencil, int32_t group, halo_field *const *fields, int32_t n_fields,
                                                  const halo_exchange_desc *desc, halo_exchange **exchange);
HALO_API halo_status halo_stencil_create_topology(const halo_stencil *stencil, int32_t exchange, halo_context *context,
                                                  const halo_blocks_desc *blocks, halo_topology **topology);
#ifdef __cplusplus
}
#endif
#endif
