/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALO_H
#define HALO_H
#include <stddef.h>
#include <stdint.h>
#if defined(__GNUC__)
#define HALO_API __attribute__((visibility("default")))
#else
#define HALO_API
#endif
#ifdef __cplusplus
extern "C" {
#endif
#define HALO_VERSION_MAJOR 0
#define HALO_VERSION_MINOR 2
#define HALO_VERSION_PATCH 0
typedef int32_t halo_status;
#define HALO_SUCCESS 0
#define HALO_BUSY 1
#define HALO_TIMEOUT 2
#define HALO_DECLINED 3
#define HALO_ERR_ARGUMENT 10
#define HALO_ERR_VERSION 11
#define HALO_ERR_STATE 12
#define HALO_ERR_NOT_FOUND 13
#define HALO_ERR_EXISTS 14
#define HALO_ERR_UNBOUND 15
#define HALO_ERR_BOUNDS 16
#define HALO_ERR_MISMATCH 17
#define HALO_ERR_MEMORY 18
#define HALO_ERR_LIMIT 19
#define HALO_ERR_CONFIG 20
#define HALO_ERR_PLUGIN 21
#define HALO_ERR_TRANSPORT 22
#define HALO_ERR_PEER 23
#define HALO_ERR_WIRE 24
#define HALO_ERR_DEVICE 25
#define HALO_ERR_HANDLE 26
#define HALO_ERR_CHECK 27
#define HALO_ERR_INTERNAL 99
HALO_API const char *halo_status_name(halo_status status);
HALO_API const char *halo_last_error(void);
HALO_API int32_t halo_version(void);
HALO_API halo_status halo_struct_init(const char *name, void *pointer, size_t bytes);
typedef struct halo_context halo_context;
typedef struct halo_inproc halo_inproc;
typedef void (*halo_log_fn)(void *user, int32_t level, const char *text);
#define HALO_MEMORY_HOST 0
#define HALO_MEMORY_PINNED 1
#define HALO_MEMORY_DEVICE 2
#define HALO_MEMORY_SHARED 3
typedef struct halo_allocator {
    int32_t memory;
    int32_t device;
    void *user;
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *pointer, size_t bytes);
} halo_allocator;
typedef struct halo_setting {
    const char *key;
    const char *value;
} halo_setting;
typedef struct halo_context_options {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_settings;
    const halo_setting *settings;
    halo_log_fn log;
    void *log_user;
    const halo_allocator *allocators;
    int32_t n_allocators;
    int32_t reserved;
} halo_context_options;
#define HALO_CONTEXT_OPTIONS_INIT { sizeof(halo_context_options), 1, 0, NULL, NULL, NULL, NULL, 0, 0 }
HALO_API halo_status halo_context_create(const halo_context_options *options, halo_context **context);
HALO_API halo_status halo_context_create_communicator(const void *communicator, size_t handle_bytes, const char *mpi, const halo_context_options *options,
                                                      halo_context **context);
typedef struct halo_bootstrap {
    size_t struct_size;
    int32_t struct_version;
    int32_t rank;
    int32_t n_ranks;
    int32_t reserved;
    void *user;
    halo_status (*allgather)(void *user, const void *mine, size_t bytes, void *all);
} halo_bootstrap;
#define HALO_BOOTSTRAP_INIT { sizeof(halo_bootstrap), 1, 0, 0, 0, NULL, NULL }
HALO_API halo_status halo_context_create_over(const halo_bootstrap *bootstrap, const halo_context_options *options, halo_context **context);
HALO_API halo_status halo_inproc_create(int32_t n_ranks, halo_inproc **group);
HALO_API halo_status halo_context_create_inproc(halo_inproc *group, int32_t rank, const halo_context_options *options, halo_context **context);
HALO_API halo_status halo_inproc_destroy(halo_inproc **group);
HALO_API halo_status halo_context_destroy(halo_context **context);
HALO_API halo_status halo_context_destroy_with_all(halo_context **context);
HALO_API halo_status halo_context_rank(const halo_context *context, int32_t *rank, int32_t *n_ranks);
HALO_API halo_status halo_context_set(halo_context *context, const char *key, const char *value);
HALO_API halo_status halo_context_setting(const halo_context *context, const char *key, const char **value, const char **source);
HALO_API const char *halo_context_error(const halo_context *context);
HALO_API halo_status halo_context_progress(halo_context *context);
HALO_API halo_status halo_context_rank_gone(halo_context *context, int32_t rank);
HALO_API halo_status halo_context_barrier(halo_context *context);
typedef int32_t halo_type;
#define HALO_FLOAT32 1
#define HALO_FLOAT64 2
#define HALO_INT32 3
#define HALO_INT64 4
#define HALO_COMPLEX64 5
#define HALO_COMPLEX128 6
#define HALO_BYTES 7
#define HALO_INT8 8
#define HALO_INT16 9
#define HALO_UINT8 10
#define HALO_UINT16 11
#define HALO_UINT32 12
#define HALO_UINT64 13
#define HALO_FLOAT16 14
#define HALO_BFLOAT16 15
typedef int32_t halo_op;
#define HALO_SUM 1
#define HALO_MIN 2
#define HALO_MAX 3
#define HALO_PROD 4
#define HALO_USER 5
#define HALO_LAND 6
#define HALO_LOR 7
#define HALO_LXOR 8
#define HALO_BAND 9
#define HALO_BOR 10
#define HALO_BXOR 11
#define HALO_MINLOC 12
#define HALO_MAXLOC 13
HALO_API halo_status halo_context_allreduce(halo_context *context, const void *in, void *out, int64_t n, halo_type type, halo_op op);
typedef struct halo_topology halo_topology;
#define HALO_ORDER_MORTON 0
#define HALO_ORDER_ROWS 1
typedef struct halo_blocks_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;
    int64_t n_blocks[3];
    int64_t n_cells[3];
    int32_t periodic[3];
    int32_t order;
    const int32_t *owner;
    int64_t n_owner;
} halo_blocks_desc;
#define HALO_BLOCKS_DESC_INIT { sizeof(halo_blocks_desc), 1, 3, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 }, HALO_ORDER_MORTON, NULL, 0 }
HALO_API halo_status halo_topology_create_blocks(halo_context *context, const halo_blocks_desc *desc, halo_topology **topology);
typedef struct halo_box {
    int64_t low[3];
    int64_t high[3];
} halo_box;
typedef struct halo_boxes_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;
    halo_box domain;
    int32_t periodic[3];
    int32_t distributed;
    const halo_box *boxes;
    int64_t n_boxes;
    const int32_t *owner;
    const int32_t *priority;
    int32_t reach;
    int32_t n_parts_per_rank;
} halo_boxes_desc;
#define HALO_BOXES_DESC_INIT { sizeof(halo_boxes_desc), 1, 3, { { 0, 0, 0 }, { 1, 1, 1 } }, { 0, 0, 0 }, 0, NULL, 0, NULL, NULL, 0, 0 }
HALO_API halo_status halo_topology_create_boxes(halo_context *context, const halo_boxes_desc *desc, halo_topology **topology);
typedef struct halo_join {
    int64_t send_gid;
    int64_t receive_gid;
    halo_box send;
    halo_box receive;
    int32_t axis[3];
    int32_t sign[3];
} halo_join;
typedef struct halo_regions_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;
    const int64_t *cells;
    const int32_t *owner;
    int64_t n_parts;
    const halo_join *joins;
    size_t join_bytes;
    int64_t n_joins;
    int32_t reach;
    int32_t reserved;
    const int32_t *vector_signs;
} halo_regions_desc;
#define HALO_REGIONS_DESC_INIT { sizeof(halo_regions_desc), 1, 3, NULL, NULL, 0, NULL, sizeof(halo_join), 0, 0, 0, NULL }
HALO_API halo_status halo_topology_create_regions(halo_context *context, const halo_regions_desc *desc, halo_topology **topology);
#define HALO_OWNER_LOWEST_RANK 0
#define HALO_OWNER_SPREAD 1
#define HALO_OWNER_WEIGHT 2
#define HALO_OWNER_CLAIM 3
#define HALO_KEY_CLAIM 1
#define HALO_KEY_READ_ONLY 2
#define HALO_KEY_IGNORE 4
#define HALO_KEY_WANT 8
#define HALO_NUMBERING_BY_OWNER 0
#define HALO_NUMBERING_BY_KEY 1
#define HALO_NUMBERING_AS_GIVEN 2
#define HALO_DIRECTORY_AUTO 0
#define HALO_DIRECTORY_RANGE 1
#define HALO_DIRECTORY_HASH 2
#define HALO_NO_INDEX UINT32_MAX
typedef struct halo_keys_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t owner_rule;
    int64_t n_keys;
    const uint64_t *keys;
    const int32_t *flags;
    const int64_t *weights;
    const int32_t *owners;
    int32_t numbering;
    int32_t directory;
    int32_t editable;
    int32_t n_parts;
    const int64_t *part_offsets;
    int64_t n_mine;
} halo_keys_desc;
#define HALO_KEYS_DESC_INIT \
    { sizeof(halo_keys_desc), 1, HALO_OWNER_LOWEST_RANK, 0, NULL, NULL, NULL, NULL, HALO_NUMBERING_BY_OWNER, HALO_DIRECTORY_AUTO, 0, 0, NULL, -1 }
HALO_API halo_status halo_topology_create_keys(halo_context *context, const halo_keys_desc *desc, halo_topology **topology);
typedef struct halo_keys_edit {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t n_remove;
    const int64_t *remove;
    int64_t n_add;
    const uint64_t *add;
    const int32_t *flags;
    const int64_t *weights;
    const int32_t *owners;
} halo_keys_edit;
#define HALO_KEYS_EDIT_INIT { sizeof(halo_keys_edit), 1, 0, 0, NULL, 0, NULL, NULL, NULL, NULL }
HALO_API halo_status halo_topology_edit_keys(const halo_topology *topology, const halo_keys_edit *edit, halo_topology **edited);
typedef int32_t (*halo_owner_fn)(void *user, uint64_t key);
typedef struct halo_graph_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t rings;
    int64_t n_owned;
    const uint64_t *keys;
    const int64_t *offsets;
    const uint64_t *neighbours;
    const int32_t *owners;
    int64_t width;
    uint64_t skip;
    int32_t has_skip;
    int32_t directory;
    const uint64_t *const *rows;
    const int64_t *lengths;
    halo_owner_fn owner_of;
    void *owner_user;
} halo_graph_desc;
#define HALO_GRAPH_DESC_INIT \
    { sizeof(halo_graph_desc), 1, 1, 0, NULL, NULL, NULL, NULL, 0, 0, 0, HALO_DIRECTORY_AUTO, NULL, NULL, NULL, NULL }
HALO_API halo_status halo_topology_create_graph(halo_context *context, const halo_graph_desc *desc, halo_topology **topology);
HALO_API halo_status halo_topology_graph_rows(const halo_topology *topology, const int64_t **offsets, const uint32_t **neighbours, int64_t *n_rows);
HALO_API halo_status halo_topology_rings(const halo_topology *topology, int32_t *rings, int64_t capacity, int64_t *n);
HALO_API halo_status halo_topology_point_keys(const halo_topology *topology, uint64_t *keys, int64_t capacity, int64_t *n);
typedef struct halo_star_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t sharers;
    int64_t n_points;
    int64_t n_leaves;
    const uint32_t *leaves;
    const int32_t *ranks;
    const uint32_t *indices;
} halo_star_desc;
#define HALO_STAR_DESC_INIT { sizeof(halo_star_desc), 1, 0, 0, 0, NULL, NULL, NULL }
HALO_API halo_status halo_topology_create_star(halo_context *context, const halo_star_desc *desc, halo_topology **topology);
typedef struct halo_lists_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_peers;
    int64_t n_points;
    const int32_t *peers;
    const int64_t *send_offsets;
    const uint32_t *send;
    const int64_t *receive_offsets;
    const uint32_t *receive;
    int32_t sharers;
    int32_t reserved;
} halo_lists_desc;
#define HALO_LISTS_DESC_INIT { sizeof(halo_lists_desc), 1, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0 }
HALO_API halo_status halo_topology_create_lists(halo_context *context, const halo_lists_desc *desc, halo_topology **topology);
typedef struct halo_keys_report {
    size_t struct_size;
    int32_t struct_version;
    int32_t directory;
    int64_t n_points;
    int64_t n_owned;
    int64_t n_ghosts;
    int64_t first_global;
    int64_t n_global;
    int64_t n_unclaimed;
    int64_t n_several_claim;
    const uint64_t *unclaimed;
    int64_t n_unclaimed_here;
    const uint64_t *several_claim;
    int64_t n_several_claim_here;
    int64_t messages_sent;
    int64_t bytes_sent;
} halo_keys_report;
#define HALO_KEYS_REPORT_INIT { sizeof(halo_keys_report), 1, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, 0 }
HALO_API halo_status halo_topology_keys_report(const halo_topology *topology, halo_keys_report *report);
HALO_API halo_status halo_topology_local_indices(const halo_topology *topology, uint32_t *indices, int64_t capacity, int64_t *n);
HALO_API halo_status halo_topology_owners(const halo_topology *topology, int32_t *ranks, int64_t capacity, int64_t *n);
HALO_API halo_status halo_topology_sharers(const halo_topology *topology, int64_t local_index, int32_t *ranks, int64_t capacity, int64_t *n);
HALO_API halo_status halo_topology_destroy(halo_topology **topology);
HALO_API halo_status halo_topology_local_parts(const halo_topology *topology, const int64_t **gids, int64_t *n);
typedef struct halo_part {
    size_t struct_size;
    int32_t struct_version;
    int32_t rank;
    int64_t gid;
    int32_t level;
    int32_t n_dims;
    halo_box cells;
    int32_t at_boundary[6];
} halo_part;
#define HALO_PART_INIT { sizeof(halo_part), 1, 0, 0, 0, 0, { { 0, 0, 0 }, { 0, 0, 0 } }, { 0, 0, 0, 0, 0, 0 } }
HALO_API halo_status halo_topology_part(const halo_topology *topology, int64_t gid, halo_part *part);
#define HALO_ELEMENT(x, y, z) (((x) + 1) + 3 * ((y) + 1) + 9 * ((z) + 1))
HALO_API int32_t halo_element(int32_t x, int32_t y, int32_t z);
typedef struct halo_neighbour {
    int64_t gid;
    int32_t rank;
    int32_t element;
    int32_t level;
    int32_t axis[3];
    int32_t sign[3];
    int32_t reserved;
} halo_neighbour;
HALO_API halo_status halo_topology_neighbours(const halo_topology *topology, int64_t gid, size_t row_bytes, halo_neighbour *neighbours, int64_t capacity,
                                              int64_t *n);
HALO_API halo_status halo_topology_peers(const halo_topology *topology, int32_t *ranks, int64_t capacity, int64_t *n);
typedef struct halo_field halo_field;
#define HALO_CENTRE_CELL 0
#define HALO_CENTRE_FACE_X 1
#define HALO_CENTRE_FACE_Y 2
#define HALO_CENTRE_FACE_Z 4
#define HALO_CENTRE_EDGE_Z 3
#define HALO_CENTRE_EDGE_Y 5
#define HALO_CENTRE_EDGE_X 6
#define HALO_CENTRE_NODE 7
#define HALO_CENTRE_FACES 8
#define HALO_CENTRE_EDGES 9
typedef struct halo_field_desc {
    size_t struct_size;
    int32_t struct_version;
    halo_type type;
    const char *name;
    int64_t element_bytes;
    int32_t n_components;
    int32_t centring;
    int32_t ghost_low[3];
    int32_t ghost_high[3];
    int32_t sparse;
    int32_t n_sets;
    double threshold;
    double fill;
    int32_t vector;
    int32_t reserved;
} halo_field_desc;
#define HALO_FIELD_DESC_INIT { sizeof(halo_field_desc), 1, HALO_FLOAT64, NULL, 0, 1, HALO_CENTRE_CELL, { 0, 0, 0 }, { 0, 0, 0 }, 0, 1, 0.0, 0.0, 0, 0 }
HALO_API halo_status halo_field_create(halo_topology *topology, const halo_field_desc *desc, halo_field **field);
HALO_API halo_status halo_field_get_desc(const halo_field *field, halo_field_desc *desc);
HALO_API halo_status halo_field_destroy(halo_field **field);
typedef struct halo_layout {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t elements;
    int64_t first_owned;
    int64_t stride[3];
    int64_t component_stride;
    int64_t place_stride;
} halo_layout;
#define HALO_LAYOUT_INIT { sizeof(halo_layout), 1, 0, 0, 0, { 0, 0, 0 }, 0, 0 }
HALO_API halo_status halo_field_layout(const halo_field *field, int64_t gid, halo_layout *layout);
#define HALO_DIM_COMPONENTS 3
#define HALO_DIM_PLACES 4
typedef struct halo_layout_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t alignment;
    int32_t order[5];
    int32_t ghost_low[3];
    int32_t ghost_high[3];
    int32_t reserved;
} halo_layout_desc;
#define HALO_LAYOUT_DESC_INIT                                                                                                                        \
    { sizeof(halo_layout_desc), 1, 64, { 0, 1, 2, HALO_DIM_COMPONENTS, HALO_DIM_PLACES }, { 0, 0, 0 }, { 0, 0, 0 }, 0 }
HALO_API halo_status halo_field_set_layout(halo_field *field, const halo_layout_desc *desc);
HALO_API halo_status halo_layout_fill(const halo_layout_desc *desc, const int64_t points[3], int64_t element_bytes, int32_t n_components,
                                      int32_t n_places, halo_layout *layout);
HALO_API halo_status halo_field_map_points(halo_field *field, int64_t gid, const int64_t *positions, int64_t n_points);
typedef struct halo_binding {
    size_t struct_size;
    int32_t struct_version;
    int32_t set;
    void *data;
    const halo_layout *layout;
    int32_t memory;
    int32_t device;
} halo_binding;
#define HALO_BINDING_INIT { sizeof(halo_binding), 1, 0, NULL, NULL, HALO_MEMORY_HOST, 0 }
HALO_API halo_status halo_field_bind(halo_field *field, int64_t gid, const halo_binding *binding);
HALO_API halo_status halo_field_bind_many(halo_field *field, int64_t part_stride, const halo_binding *binding);
HALO_API halo_status halo_field_allocate(halo_field *field, int64_t gid);
HALO_API halo_status halo_field_data(const halo_field *field, int64_t gid, int32_t set, void **data);
typedef struct halo_boundary {
    halo_box ghosts;
    int32_t element;
    int32_t place;
} halo_boundary;
HALO_API halo_status halo_field_boundaries(const halo_field *field, int64_t gid, size_t row_bytes, halo_boundary *boundaries, int64_t capacity, int64_t *n);
HALO_API halo_status halo_field_owner_mask(const halo_field *field, int64_t gid, uint8_t *mask, int64_t capacity, int64_t *n);
HALO_API halo_status halo_field_interior_rim(const halo_field *field, int64_t gid, int32_t reach, halo_box *interior, halo_box rim[6], int32_t *n_rim);
typedef struct halo_exchange halo_exchange;
typedef void *halo_stream;
#define HALO_STREAM_NONE NULL
#define HALO_STREAM_DEFAULT ((halo_stream)(intptr_t)-1)
#define HALO_STENCIL_FULL 0
#define HALO_STENCIL_FACES 1
#define HALO_STENCIL_EDGES 2
#define HALO_KIND_GHOSTS 0
#define HALO_KIND_REVERSE 1
#define HALO_KIND_SHARED_REDUCE 2
#define HALO_KIND_FETCH 3
#define HALO_SHARED_KEEP 0
#define HALO_SHARED_OWNER 1
#define HALO_SHARED_ONLY 2
#define HALO_PATTERN_DIRECT 0
#define HALO_PATTERN_SWEEPS 1
#define HALO_COMBINE_BY_GID 0
#define HALO_COMBINE_CANONICAL 1
#define HALO_MESSAGES_AUTO 0
#define HALO_MESSAGES_AGGREGATE 1
#define HALO_MESSAGES_PER_CHANNEL 2
#define HALO_RECEIVE_AUTO 0
#define HALO_RECEIVE_POSTED 1
#define HALO_RECEIVE_PROBED 2
#define HALO_EDGES_ALL 0
#define HALO_EDGES_LOCAL 1
#define HALO_EDGES_REMOTE 2
#define HALO_TIMEOUT_CONFIGURED (-1.0)
typedef struct halo_arrival {
    halo_field *field;
    int64_t gid;
} halo_arrival;
typedef halo_status (*halo_arrival_fn)(void *user, const halo_arrival *arrival);
typedef halo_status (*halo_combine_fn)(void *user, void *values, const void *contributions, int64_t n, halo_type type, int64_t element_bytes);
typedef struct halo_exchange_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t stencil;
    int32_t messages;
    int32_t receive;
    int32_t edges;
    int32_t source_stable;
    double timeout_seconds;
    halo_arrival_fn arrival;
    void *arrival_user;
    int32_t kind;
    halo_op op;
    int32_t shared;
    int32_t pattern;
    halo_combine_fn combine;
    void *combine_user;
    const uint32_t *sections;
    int32_t combine_order;
    int32_t reserved;
} halo_exchange_desc;
#define HALO_EXCHANGE_DESC_INIT \
    { sizeof(halo_exchange_desc), 1, HALO_STENCIL_FULL, HALO_MESSAGES_AUTO, HALO_RECEIVE_AUTO, HALO_EDGES_ALL, 0, HALO_TIMEOUT_CONFIGURED, NULL, NULL, \
      HALO_KIND_GHOSTS, HALO_SUM, HALO_SHARED_KEEP, HALO_PATTERN_DIRECT, NULL, NULL, NULL, HALO_COMBINE_BY_GID, 0 }
HALO_API halo_status halo_exchange_create(halo_field *const *fields, int32_t n_fields, const halo_exchange_desc *desc, halo_exchange **exchange);
#define HALO_TRANSFER_COPY 0
#define HALO_TRANSFER_ADD 1
typedef struct halo_transfer_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t op;
    int32_t source_ghosts[6];
    int32_t destination_ghosts[6];
    int32_t messages;
    int32_t receive;
    double timeout_seconds;
} halo_transfer_desc;
#define HALO_TRANSFER_DESC_INIT \
    { sizeof(halo_transfer_desc), 1, HALO_TRANSFER_COPY, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, HALO_MESSAGES_AUTO, HALO_RECEIVE_AUTO, \
      HALO_TIMEOUT_CONFIGURED }
HALO_API halo_status halo_exchange_create_transfer(halo_field *const *sources, halo_field *const *destinations, int32_t n_fields, const halo_transfer_desc *desc,
                                                   halo_exchange **exchange);
HALO_API halo_status halo_exchange_prepare(halo_exchange *exchange);
HALO_API halo_status halo_exchange_destroy(halo_exchange **exchange);
typedef struct halo_run {
    size_t struct_size;
    int32_t struct_version;
    int32_t first_component;
    int32_t n_components;
    int32_t depth;
    halo_op op;
    int32_t n_fields;
    const int32_t *field_mask;
    const int32_t *sets;
    const int32_t *devices;
    void *const *data;
    int64_t n_data;
} halo_run;
#define HALO_RUN_INIT { sizeof(halo_run), 1, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, 0 }
#define HALO_DEVICE_HOST (-1)
HALO_API halo_status halo_exchange_start(halo_exchange *exchange, const halo_run *run, halo_stream stream);
HALO_API halo_status halo_exchange_finish(halo_exchange *exchange, halo_stream stream);
HALO_API halo_status halo_exchange_post(halo_exchange *exchange, const halo_run *run);
HALO_API halo_status halo_exchange_send(halo_exchange *exchange, halo_stream stream);
HALO_API halo_status halo_exchange_test(halo_exchange *exchange, int32_t *done);
HALO_API halo_status halo_exchange_unpack(halo_exchange *exchange, halo_stream stream);
HALO_API halo_status halo_exchange_refine(halo_exchange *exchange, halo_stream stream);
HALO_API halo_status halo_exchange_abandon(halo_exchange *exchange);
typedef struct halo_exchange_stats {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_peers;
    int64_t runs;
    int64_t messages_sent;
    int64_t messages_received;
    int64_t bytes_sent;
    int64_t payload_bytes;
    int64_t local_bytes;
    int64_t channels_local;
    int64_t channels_send;
    int64_t channels_receive;
    int64_t sparse_sent;
    int64_t sparse_null;
    int64_t tables_compiled;
    int64_t rows_compiled;
    int64_t dropped;
    double wait_seconds;
    double total_seconds;
    int64_t messages_landed;
    int64_t device_launches;
    int64_t runs_departed_later;
} halo_exchange_stats;
#define HALO_EXCHANGE_STATS_INIT { sizeof(halo_exchange_stats), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0 }
HALO_API halo_status halo_exchange_get_stats(const halo_exchange *exchange, halo_exchange_stats *stats);
typedef struct halo_peer_row {
    int32_t rank;
    int32_t reserved;
    int64_t channels_sent;
    int64_t channels_received;
    int64_t bytes_sent;
    int64_t bytes_received;
} halo_peer_row;
HALO_API halo_status halo_exchange_peers(const halo_exchange *exchange, size_t row_bytes, halo_peer_row *rows, int64_t capacity, int64_t *n);
HALO_API halo_status halo_exchange_describe(const halo_exchange *exchange, char *text, size_t capacity, size_t *needed_bytes);
HALO_API halo_status halo_exchange_arrivals(halo_exchange *exchange, halo_arrival *arrivals, int64_t capacity, int64_t *n);
typedef struct halo_pool_stats {
    size_t struct_size;
    int32_t struct_version;
    int32_t memory;
    int64_t in_use_bytes;
    int64_t held_bytes;
    int64_t peak_bytes;
    int64_t allocations;
} halo_pool_stats;
#define HALO_POOL_STATS_INIT { sizeof(halo_pool_stats), 1, HALO_MEMORY_HOST, 0, 0, 0, 0 }
HALO_API halo_status halo_context_pool_stats(const halo_context *context, int32_t memory, halo_pool_stats *stats);
HALO_API halo_status halo_memory_allocate(halo_context *context, int32_t memory, int64_t bytes, void **pointer);
HALO_API halo_status halo_memory_allocate_on(halo_context *context, int32_t memory, int32_t device, int64_t bytes, void **pointer);
HALO_API halo_status halo_memory_release(halo_context *context, void **pointer);
HALO_API halo_status halo_context_trim(halo_context *context);
#define HALO_INFO_VERSION 1
#define HALO_INFO_MODULES 2
#define HALO_INFO_SETTINGS 3
#define HALO_INFO_MANUAL 4
HALO_API halo_status halo_info(const halo_context *context, int32_t what, char *text, size_t capacity, size_t *needed_bytes);
#ifdef __cplusplus
}
#endif
#endif
