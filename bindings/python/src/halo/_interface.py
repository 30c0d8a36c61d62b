# SPDX-License-Identifier: BSD-3-Clause
"""The C interface as cffi reads it. Made by generate.py from include/: change the headers, not this file."""

VERSION = "0.2.0"

CONSTANTS = {
    "HALO_VERSION_MAJOR": 0,
    "HALO_VERSION_MINOR": 2,
    "HALO_VERSION_PATCH": 0,
    "HALO_SUCCESS": 0,
    "HALO_BUSY": 1,
    "HALO_TIMEOUT": 2,
    "HALO_DECLINED": 3,
    "HALO_ERR_ARGUMENT": 10,
    "HALO_ERR_VERSION": 11,
    "HALO_ERR_STATE": 12,
    "HALO_ERR_NOT_FOUND": 13,
    "HALO_ERR_EXISTS": 14,
    "HALO_ERR_UNBOUND": 15,
    "HALO_ERR_BOUNDS": 16,
    "HALO_ERR_MISMATCH": 17,
    "HALO_ERR_MEMORY": 18,
    "HALO_ERR_LIMIT": 19,
    "HALO_ERR_CONFIG": 20,
    "HALO_ERR_PLUGIN": 21,
    "HALO_ERR_TRANSPORT": 22,
    "HALO_ERR_PEER": 23,
    "HALO_ERR_WIRE": 24,
    "HALO_ERR_DEVICE": 25,
    "HALO_ERR_HANDLE": 26,
    "HALO_ERR_CHECK": 27,
    "HALO_ERR_INTERNAL": 99,
    "HALO_MEMORY_HOST": 0,
    "HALO_MEMORY_PINNED": 1,
    "HALO_MEMORY_DEVICE": 2,
    "HALO_MEMORY_SHARED": 3,
    "HALO_FLOAT32": 1,
    "HALO_FLOAT64": 2,
    "HALO_INT32": 3,
    "HALO_INT64": 4,
    "HALO_COMPLEX64": 5,
    "HALO_COMPLEX128": 6,
    "HALO_BYTES": 7,
    "HALO_INT8": 8,
    "HALO_INT16": 9,
    "HALO_UINT8": 10,
    "HALO_UINT16": 11,
    "HALO_UINT32": 12,
    "HALO_UINT64": 13,
    "HALO_FLOAT16": 14,
    "HALO_BFLOAT16": 15,
    "HALO_SUM": 1,
    "HALO_MIN": 2,
    "HALO_MAX": 3,
    "HALO_PROD": 4,
    "HALO_USER": 5,
    "HALO_LAND": 6,
    "HALO_LOR": 7,
    "HALO_LXOR": 8,
    "HALO_BAND": 9,
    "HALO_BOR": 10,
    "HALO_BXOR": 11,
    "HALO_MINLOC": 12,
    "HALO_MAXLOC": 13,
    "HALO_ORDER_MORTON": 0,
    "HALO_ORDER_ROWS": 1,
    "HALO_OWNER_LOWEST_RANK": 0,
    "HALO_OWNER_SPREAD": 1,
    "HALO_OWNER_WEIGHT": 2,
    "HALO_OWNER_CLAIM": 3,
    "HALO_KEY_CLAIM": 1,
    "HALO_KEY_READ_ONLY": 2,
    "HALO_KEY_IGNORE": 4,
    "HALO_KEY_WANT": 8,
    "HALO_NUMBERING_BY_OWNER": 0,
    "HALO_NUMBERING_BY_KEY": 1,
    "HALO_NUMBERING_AS_GIVEN": 2,
    "HALO_DIRECTORY_AUTO": 0,
    "HALO_DIRECTORY_RANGE": 1,
    "HALO_DIRECTORY_HASH": 2,
    "HALO_NO_INDEX": 4294967295,
    "HALO_CENTRE_CELL": 0,
    "HALO_CENTRE_FACE_X": 1,
    "HALO_CENTRE_FACE_Y": 2,
    "HALO_CENTRE_FACE_Z": 4,
    "HALO_CENTRE_EDGE_Z": 3,
    "HALO_CENTRE_EDGE_Y": 5,
    "HALO_CENTRE_EDGE_X": 6,
    "HALO_CENTRE_NODE": 7,
    "HALO_CENTRE_FACES": 8,
    "HALO_CENTRE_EDGES": 9,
    "HALO_VECTOR_NONE": 0,
    "HALO_VECTOR_COMPONENTS": 1,
    "HALO_VECTOR_ALONG": 2,
    "HALO_DIM_COMPONENTS": 3,
    "HALO_DIM_PLACES": 4,
    "HALO_STENCIL_FULL": 0,
    "HALO_STENCIL_FACES": 1,
    "HALO_STENCIL_EDGES": 2,
    "HALO_KIND_GHOSTS": 0,
    "HALO_KIND_REVERSE": 1,
    "HALO_KIND_SHARED_REDUCE": 2,
    "HALO_KIND_FETCH": 3,
    "HALO_SHARED_KEEP": 0,
    "HALO_SHARED_OWNER": 1,
    "HALO_SHARED_ONLY": 2,
    "HALO_PATTERN_DIRECT": 0,
    "HALO_PATTERN_SWEEPS": 1,
    "HALO_COMBINE_BY_GID": 0,
    "HALO_COMBINE_CANONICAL": 1,
    "HALO_COMBINE_BY_RANK": 2,
    "HALO_MESSAGES_AUTO": 0,
    "HALO_MESSAGES_AGGREGATE": 1,
    "HALO_MESSAGES_PER_CHANNEL": 2,
    "HALO_RECEIVE_AUTO": 0,
    "HALO_RECEIVE_POSTED": 1,
    "HALO_RECEIVE_PROBED": 2,
    "HALO_EDGES_ALL": 0,
    "HALO_EDGES_LOCAL": 1,
    "HALO_EDGES_REMOTE": 2,
    "HALO_TIMEOUT_CONFIGURED": -1.0,
    "HALO_TRANSFER_COPY": 0,
    "HALO_TRANSFER_ADD": 1,
    "HALO_DEVICE_HOST": -1,
    "HALO_INFO_VERSION": 1,
    "HALO_INFO_MODULES": 2,
    "HALO_INFO_SETTINGS": 3,
    "HALO_INFO_MANUAL": 4,
    "HALO_SECTION_CORE": 0,
    "HALO_SECTION_OWNED": 1,
    "HALO_SECTION_EXEC": 2,
    "HALO_SECTION_NON_EXEC": 3,
    "HALO_READ": 11,
    "HALO_WRITE": 12,
    "HALO_RW": 13,
    "HALO_INC": 14,
    "HALO_ACCESS_MIN": 15,
    "HALO_ACCESS_MAX": 16,
    "HALO_DIRECT": 0,
    "HALO_VIA_MAP": 1,
    "HALO_STYLE_REDUNDANT": 1,
    "HALO_STYLE_REVERSE": 2,
    "HALO_ON_HOST": 0,
    "HALO_ON_DEVICE": 1,
    "HALO_FRESHNESS_VALID": 1,
    "HALO_FRESHNESS_STALE": 2,
    "HALO_FRESHNESS_IN_FLIGHT": 3,
    "HALO_FRESHNESS_PENDING_REVERSE": 4,
    "HALO_FRESHNESS_FROZEN": 5,
    "HALO_RESIDENT_DEVICE_UNALLOCATED": 1,
    "HALO_RESIDENT_HOST_UNALLOCATED": 2,
    "HALO_RESIDENT_HOST": 3,
    "HALO_RESIDENT_DEVICE": 4,
    "HALO_RESIDENT_BOTH": 5,
    "HALO_STALE": 0,
    "HALO_SENDING": 1,
    "HALO_SENDING_NULL": 2,
    "HALO_RECEIVED": 3,
    "HALO_RECEIVED_NULL": 4,
    "HALO_BUFFER_POOL": 0,
    "HALO_BUFFER_CALLER": 1,
    "HALO_BUFFER_ALLOCATOR": 2,
    "HALO_BALANCE_FULL": 0,
    "HALO_BALANCE_EDGES": 1,
    "HALO_BALANCE_FACES": 2,
    "HALO_MARK_COARSEN": -1,
    "HALO_MARK_KEEP": 0,
    "HALO_MARK_REFINE": 1,
    "HALO_PROLONG_MINMOD": 0,
    "HALO_PROLONG_CONSTANT": 1,
    "HALO_PROLONG_DIVERGENCE": 2,
    "HALO_PROLONG_OWN": 3,
    "HALO_RESTRICT_MEAN": 0,
    "HALO_RESTRICT_OWN": 1,
    "HALO_KIND_FLUXES": 16,
    "HALO_REGION_RESTRICT": 0,
    "HALO_REGION_RESTRICT_GHOSTS": 1,
    "HALO_REGION_PROLONGATE": 2,
    "HALO_LEVELS_GHOSTS": 0,
    "HALO_LEVELS_WHOLE": 1,
    "HALO_LEVELS_AVERAGE": 2,
    "HALO_LEVELS_FLUXES": 3,
    "HALO_LEVEL_UNCOVERED": 0,
    "HALO_LEVEL_BESIDE": 1,
    "HALO_LEVEL_COVERED": 2,
    "HALO_LEVEL_SAME": 3,
    "HALO_LEVEL_COARSER": 4,
    "HALO_LEVEL_OUTSIDE": 5,
    "HALO_MESH_OWNER_BROUGHT": 0,
    "HALO_MESH_OWNER_GIVEN": 1,
    "HALO_MESH_OWNER_OF_TARGETS": 2,
    "HALO_MESH_OWNER_OF_SOURCES": 3,
    "HALO_PARTICLE_LEAVES": -1,
    "HALO_SPHERE_ICOSAHEDRON": 0,
    "HALO_SPHERE_OCTAHEDRON": 1,
    "HALO_SPHERE_CELLS": 0,
    "HALO_SPHERE_EDGES": 1,
    "HALO_SPHERE_VERTICES": 2,
    "HALO_STENCIL_BY_POINTS": 0,
    "HALO_STENCIL_BY_STAGES": 1,
    "HALO_STENCIL_COMPUTE": 0,
    "HALO_STENCIL_EXCHANGE": 1,
    "HALO_STENCIL_CHEAPEST": 2,
    "HALO_STENCIL_READ": 0,
    "HALO_STENCIL_WRITE": 1,
    "HALO_STENCIL_UPDATE": 2,
    "HALO_STENCIL_ALL": -1,
    "HALO_STENCIL_PARALLEL": 0,
    "HALO_STENCIL_UPWARD": 1,
    "HALO_STENCIL_DOWNWARD": 2,
}

DECLARATIONS = """
typedef int32_t halo_status;
const char *halo_status_name(halo_status status);
const char *halo_last_error(void);
int32_t halo_version(void);
halo_status halo_struct_init(const char *name, void *pointer, size_t bytes);
typedef struct halo_context halo_context;
typedef struct halo_inproc halo_inproc;
typedef void (*halo_log_fn)(void *user, int32_t level, const char *text);
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
halo_status halo_context_create(const halo_context_options *options, halo_context **context);
halo_status halo_context_create_communicator(const void *communicator, size_t handle_bytes, const char *mpi, const halo_context_options *options, halo_context **context);
typedef struct halo_bootstrap {
    size_t struct_size;
    int32_t struct_version;
    int32_t rank;
    int32_t n_ranks;
    int32_t reserved;
    void *user;
    halo_status (*allgather)(void *user, const void *mine, size_t bytes, void *all);
} halo_bootstrap;
halo_status halo_context_create_over(const halo_bootstrap *bootstrap, const halo_context_options *options, halo_context **context);
halo_status halo_inproc_create(int32_t n_ranks, halo_inproc **group);
halo_status halo_context_create_inproc(halo_inproc *group, int32_t rank, const halo_context_options *options, halo_context **context);
halo_status halo_inproc_destroy(halo_inproc **group);
halo_status halo_context_destroy(halo_context **context);
halo_status halo_context_destroy_with_all(halo_context **context);
halo_status halo_context_rank(const halo_context *context, int32_t *rank, int32_t *n_ranks);
halo_status halo_context_set(halo_context *context, const char *key, const char *value);
halo_status halo_context_setting(const halo_context *context, const char *key, const char **value, const char **source);
const char *halo_context_error(const halo_context *context);
halo_status halo_context_progress(halo_context *context);
halo_status halo_context_rank_gone(halo_context *context, int32_t rank);
halo_status halo_context_barrier(halo_context *context);
typedef int32_t halo_type;
typedef int32_t halo_op;
halo_status halo_context_allreduce(halo_context *context, const void *in, void *out, int64_t n, halo_type type, halo_op op);
typedef struct halo_topology halo_topology;
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
halo_status halo_topology_create_blocks(halo_context *context, const halo_blocks_desc *desc, halo_topology **topology);
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
halo_status halo_topology_create_boxes(halo_context *context, const halo_boxes_desc *desc, halo_topology **topology);
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
halo_status halo_topology_create_regions(halo_context *context, const halo_regions_desc *desc, halo_topology **topology);
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
halo_status halo_topology_create_keys(halo_context *context, const halo_keys_desc *desc, halo_topology **topology);
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
halo_status halo_topology_edit_keys(const halo_topology *topology, const halo_keys_edit *edit, halo_topology **edited);
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
halo_status halo_topology_create_graph(halo_context *context, const halo_graph_desc *desc, halo_topology **topology);
halo_status halo_topology_graph_rows(const halo_topology *topology, const int64_t **offsets, const uint32_t **neighbours, int64_t *n_rows);
halo_status halo_topology_rings(const halo_topology *topology, int32_t *rings, int64_t capacity, int64_t *n);
halo_status halo_topology_point_keys(const halo_topology *topology, uint64_t *keys, int64_t capacity, int64_t *n);
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
halo_status halo_topology_create_star(halo_context *context, const halo_star_desc *desc, halo_topology **topology);
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
halo_status halo_topology_create_lists(halo_context *context, const halo_lists_desc *desc, halo_topology **topology);
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
halo_status halo_topology_keys_report(const halo_topology *topology, halo_keys_report *report);
halo_status halo_topology_local_indices(const halo_topology *topology, uint32_t *indices, int64_t capacity, int64_t *n);
halo_status halo_topology_owners(const halo_topology *topology, int32_t *ranks, int64_t capacity, int64_t *n);
halo_status halo_topology_sharers(const halo_topology *topology, int64_t local_index, int32_t *ranks, int64_t capacity, int64_t *n);
halo_status halo_topology_destroy(halo_topology **topology);
halo_status halo_topology_local_parts(const halo_topology *topology, const int64_t **gids, int64_t *n);
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
halo_status halo_topology_part(const halo_topology *topology, int64_t gid, halo_part *part);
int32_t halo_element(int32_t x, int32_t y, int32_t z);
typedef struct halo_neighbour {
    int64_t gid;
    int32_t rank;
    int32_t element;
    int32_t level;
    int32_t axis[3];
    int32_t sign[3];
    int32_t reserved;
} halo_neighbour;
halo_status halo_topology_neighbours(const halo_topology *topology, int64_t gid, size_t row_bytes, halo_neighbour *neighbours, int64_t capacity, int64_t *n);
halo_status halo_topology_peers(const halo_topology *topology, int32_t *ranks, int64_t capacity, int64_t *n);
typedef struct halo_field halo_field;
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
    int64_t release_after;
    double release_below;
    const char *controller;
} halo_field_desc;
halo_status halo_field_create(halo_topology *topology, const halo_field_desc *desc, halo_field **field);
halo_status halo_field_get_desc(const halo_field *field, halo_field_desc *desc);
halo_status halo_field_destroy(halo_field **field);
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
halo_status halo_field_layout(const halo_field *field, int64_t gid, halo_layout *layout);
typedef struct halo_layout_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t alignment;
    int32_t order[5];
    int32_t ghost_low[3];
    int32_t ghost_high[3];
    int32_t reserved;
} halo_layout_desc;
halo_status halo_field_set_layout(halo_field *field, const halo_layout_desc *desc);
halo_status halo_layout_fill(const halo_layout_desc *desc, const int64_t points[3], int64_t element_bytes, int32_t n_components, int32_t n_places, halo_layout *layout);
halo_status halo_field_map_points(halo_field *field, int64_t gid, const int64_t *positions, int64_t n_points);
typedef struct halo_binding {
    size_t struct_size;
    int32_t struct_version;
    int32_t set;
    void *data;
    const halo_layout *layout;
    int32_t memory;
    int32_t device;
} halo_binding;
halo_status halo_field_bind(halo_field *field, int64_t gid, const halo_binding *binding);
halo_status halo_field_bind_many(halo_field *field, int64_t part_stride, const halo_binding *binding);
halo_status halo_field_allocate(halo_field *field, int64_t gid);
halo_status halo_field_data(const halo_field *field, int64_t gid, int32_t set, void **data);
typedef struct halo_boundary {
    halo_box ghosts;
    int32_t element;
    int32_t place;
} halo_boundary;
halo_status halo_field_boundaries(const halo_field *field, int64_t gid, size_t row_bytes, halo_boundary *boundaries, int64_t capacity, int64_t *n);
halo_status halo_field_owner_mask(const halo_field *field, int64_t gid, uint8_t *mask, int64_t capacity, int64_t *n);
halo_status halo_field_interior_rim(const halo_field *field, int64_t gid, int32_t reach, halo_box *interior, halo_box rim[6], int32_t *n_rim);
typedef struct halo_exchange halo_exchange;
typedef void *halo_stream;
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
halo_status halo_exchange_create(halo_field *const *fields, int32_t n_fields, const halo_exchange_desc *desc, halo_exchange **exchange);
halo_status halo_exchange_get_desc(const halo_exchange *exchange, halo_exchange_desc *desc);
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
halo_status halo_exchange_create_transfer(halo_field *const *sources, halo_field *const *destinations, int32_t n_fields, const halo_transfer_desc *desc, halo_exchange **exchange);
halo_status halo_exchange_get_transfer_desc(const halo_exchange *exchange, halo_transfer_desc *desc);
halo_status halo_exchange_prepare(halo_exchange *exchange);
halo_status halo_exchange_destroy(halo_exchange **exchange);
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
    int32_t has_ghosts;
    int32_t ghost_low[3];
    int32_t ghost_high[3];
    int32_t reserved;
} halo_run;
halo_status halo_exchange_start(halo_exchange *exchange, const halo_run *run, halo_stream stream);
halo_status halo_exchange_finish(halo_exchange *exchange, halo_stream stream);
halo_status halo_exchange_post(halo_exchange *exchange, const halo_run *run);
halo_status halo_exchange_send(halo_exchange *exchange, halo_stream stream);
halo_status halo_exchange_test(halo_exchange *exchange, int32_t *done);
halo_status halo_exchange_unpack(halo_exchange *exchange, halo_stream stream);
halo_status halo_exchange_refine(halo_exchange *exchange, halo_stream stream);
halo_status halo_exchange_abandon(halo_exchange *exchange);
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
halo_status halo_exchange_get_stats(const halo_exchange *exchange, halo_exchange_stats *stats);
typedef struct halo_peer_row {
    int32_t rank;
    int32_t reserved;
    int64_t channels_sent;
    int64_t channels_received;
    int64_t bytes_sent;
    int64_t bytes_received;
} halo_peer_row;
halo_status halo_exchange_peers(const halo_exchange *exchange, size_t row_bytes, halo_peer_row *rows, int64_t capacity, int64_t *n);
halo_status halo_exchange_describe(const halo_exchange *exchange, char *text, size_t capacity, size_t *needed_bytes);
halo_status halo_exchange_arrivals(halo_exchange *exchange, halo_arrival *arrivals, int64_t capacity, int64_t *n);
typedef struct halo_pool_stats {
    size_t struct_size;
    int32_t struct_version;
    int32_t memory;
    int64_t in_use_bytes;
    int64_t held_bytes;
    int64_t peak_bytes;
    int64_t allocations;
} halo_pool_stats;
halo_status halo_context_pool_stats(const halo_context *context, int32_t memory, halo_pool_stats *stats);
halo_status halo_memory_allocate(halo_context *context, int32_t memory, int64_t bytes, void **pointer);
halo_status halo_memory_allocate_on(halo_context *context, int32_t memory, int32_t device, int64_t bytes, void **pointer);
halo_status halo_memory_release(halo_context *context, void **pointer);
halo_status halo_context_trim(halo_context *context);
halo_status halo_info(const halo_context *context, int32_t what, char *text, size_t capacity, size_t *needed_bytes);
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
halo_status halo_sections_classify(int32_t rank, const int32_t *owners, int64_t n, const halo_map *maps, int32_t n_maps, int32_t *sections, uint32_t *order, halo_section_sizes *sizes);
halo_status halo_sections_reach(const halo_map *map, const int32_t *sections, int64_t n, uint32_t from, uint32_t bits, uint32_t *groups);
halo_status halo_topology_set_sections(halo_topology *topology, const uint32_t *groups, int64_t n);
typedef struct halo_access {
    halo_field *field;
    int32_t mode;
    int32_t through;
    uint32_t sections;
    int32_t whole;
    int32_t set;
    int32_t may_lose;
    int32_t combine_order;
    int32_t reserved;
} halo_access;
typedef struct halo_batch halo_batch;
halo_status halo_access_begin(halo_context *context, const halo_access *accesses, int32_t n, size_t access_bytes, int32_t style, int32_t where, halo_stream stream, halo_batch **batch);
halo_status halo_access_ready(halo_batch *batch);
halo_status halo_access_needs_exec(const halo_batch *batch, int32_t *needs_exec);
halo_status halo_access_end(halo_batch *batch);
halo_status halo_access_end_and_send(halo_batch *batch);
halo_status halo_access_abandon(halo_batch *batch);
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
halo_status halo_access_get_state(const halo_field *field, int32_t set, halo_access_state *state);
halo_status halo_access_mark_dirty(halo_field *field, int32_t set, int32_t where);
halo_status halo_access_mark_fresh(halo_field *field, int32_t set, int32_t where);
halo_status halo_access_freeze(halo_field *field, int32_t frozen);
halo_status halo_access_data(const halo_field *field, int64_t gid, int32_t set, int32_t where, void **data);
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
halo_status halo_access_get_stats(const halo_context *context, const char *field_name, halo_access_stats *stats);
typedef struct halo_reduction halo_reduction;
halo_status halo_reduction_create(halo_context *context, int64_t n, halo_type type, halo_op op, halo_reduction **reduction);
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
halo_status halo_reduction_create_items(halo_context *context, const halo_reduction_item *items, size_t item_bytes, int32_t n_items, halo_reduction **reduction);
halo_status halo_reduction_begin(halo_reduction *reduction, const void *in);
halo_status halo_reduction_test(halo_reduction *reduction, int32_t *done);
halo_status halo_reduction_end(halo_reduction *reduction, void *out);
halo_status halo_reduction_destroy(halo_reduction **reduction);
typedef struct halo_channel halo_channel;
typedef struct halo_group halo_group;
typedef struct halo_channel_key {
    int64_t send_gid;
    int64_t receive_gid;
    int32_t field;
    int32_t element;
    int64_t extra;
} halo_channel_key;
typedef struct halo_channel_allocator {
    size_t struct_size;
    int32_t struct_version;
    int32_t memory;
    int32_t device;
    int32_t reserved;
    void *user;
    void *(*allocate)(void *user, const halo_channel_key *key, size_t bytes);
    void (*release)(void *user, const halo_channel_key *key, void *pointer, size_t bytes);
} halo_channel_allocator;
typedef struct halo_channel_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t send_rank;
    int32_t receive_rank;
    halo_type type;
    int64_t count;
    int64_t element_bytes;
    int32_t sparse;
    int32_t buffer_kind;
    void *buffer;
    const halo_channel_allocator *allocator;
    int32_t memory;
    int32_t device;
    int32_t varies;
    int32_t reserved;
} halo_channel_desc;
halo_status halo_channel_register(halo_context *context, const halo_channel_key *key, const halo_channel_desc *desc, halo_channel **channel);
halo_status halo_channel_register_many(halo_context *context, const halo_channel_key *keys, const halo_channel_desc *descs, size_t desc_bytes, int64_t n, halo_channel **channels);
halo_status halo_channel_find(const halo_context *context, const halo_channel_key *key, halo_channel **channel);
halo_status halo_channel_destroy(halo_channel **channel);
halo_status halo_channel_abandon(halo_channel *channel);
halo_status halo_channel_writable(halo_channel *channel, int32_t *writable);
halo_status halo_channel_allocate(halo_channel *channel);
halo_status halo_channel_release(halo_channel *channel);
halo_status halo_channel_set_buffer(halo_channel *channel, void *buffer);
halo_status halo_channel_set_bytes(halo_channel *channel, int64_t bytes);
typedef struct halo_buffer {
    size_t struct_size;
    int32_t struct_version;
    int32_t state;
    void *data;
    int64_t bytes;
    uint64_t generation;
} halo_buffer;
halo_status halo_channel_buffer(const halo_channel *channel, halo_buffer *buffer);
halo_status halo_channel_state(const halo_channel *channel, int32_t *state);
halo_status halo_channel_send(halo_channel *channel, halo_stream stream);
halo_status halo_channel_send_bytes(halo_channel *channel, int64_t bytes, halo_stream stream);
halo_status halo_channel_send_null(halo_channel *channel, halo_stream stream);
halo_status halo_channel_start_receive(halo_channel *channel);
halo_status halo_channel_try_receive(halo_channel *channel, int32_t *done, int32_t *state);
halo_status halo_channel_stale(halo_channel *channel, halo_stream stream);
halo_status halo_channel_get_key(const halo_channel *channel, halo_channel_key *key);
halo_status halo_channel_get_desc(const halo_channel *channel, halo_channel_desc *desc);
halo_status halo_channel_start_receive_many(halo_channel *const *channels, int64_t n);
halo_status halo_channel_try_receive_many(halo_channel *const *channels, int64_t n, int64_t *n_done, int32_t *states);
halo_status halo_channel_writable_many(halo_channel *const *channels, int64_t n, int64_t *n_writable, int32_t *writable);
halo_status halo_channel_stale_many(halo_channel *const *channels, int64_t n, halo_stream stream);
halo_status halo_channel_send_many(halo_channel *const *channels, int64_t n, halo_stream stream);
typedef struct halo_group_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t messages;
    double timeout_seconds;
    int32_t memory;
    int32_t device;
    int32_t flags_memory;
    int32_t reserved;
} halo_group_desc;
halo_status halo_group_create(halo_context *context, halo_channel *const *channels, int64_t n, const halo_group_desc *desc, halo_group **group);
halo_status halo_group_get_desc(const halo_group *group, halo_group_desc *desc);
halo_status halo_group_destroy(halo_group **group);
halo_status halo_group_drain(halo_group *group, double timeout_seconds);
halo_status halo_group_abandon(halo_group *group);
typedef struct halo_group_row {
    halo_channel *channel;
    void *data;
    int64_t bytes;
    int32_t peer;
    int32_t sender;
    int32_t state;
    int32_t reserved;
} halo_group_row;
halo_status halo_group_table(halo_group *group, size_t row_bytes, const halo_group_row **rows, int64_t *n);
halo_status halo_group_writable(halo_group *group, int32_t *writable);
halo_status halo_group_start_receive(halo_group *group);
halo_status halo_group_send(halo_group *group, const uint8_t *null_flags, halo_stream stream);
halo_status halo_group_send_rows(halo_group *group, const int64_t *rows, int64_t n, const uint8_t *null_flags, halo_stream stream);
halo_status halo_group_try_receive(halo_group *group, int32_t *done);
halo_status halo_group_stale(halo_group *group, halo_stream stream);
typedef struct halo_leaf {
    int32_t tree;
    int32_t level;
    int64_t at[3];
} halo_leaf;
typedef struct halo_tree {
    int64_t n_roots[3];
} halo_tree;
typedef struct halo_tree_join {
    int32_t tree;
    int32_t side;
    int32_t to_tree;
    int32_t reserved;
    int32_t axis[3];
    int32_t sign[3];
} halo_tree_join;
typedef struct halo_forest_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;
    int64_t n_cells[3];
    const halo_tree *trees;
    size_t tree_bytes;
    const halo_tree_join *joins;
    size_t join_bytes;
    const halo_leaf *leaves;
    size_t leaf_bytes;
    int64_t n_leaves;
    const int32_t *owner;
    int32_t n_trees;
    int32_t n_joins;
    int32_t balance;
    int32_t distributed;
} halo_forest_desc;
halo_status halo_topology_create_forest(halo_context *context, const halo_forest_desc *desc, halo_topology **topology);
halo_status halo_forest_uniform(const halo_forest_desc *desc, int32_t level, size_t row_bytes, halo_leaf *leaves, int64_t capacity, int64_t *n);
halo_status halo_forest_adapt(const halo_forest_desc *desc, const int32_t *marks, size_t row_bytes, halo_leaf *leaves, int64_t *from, int64_t capacity, int64_t *n);
halo_status halo_field_allocate_from(halo_field *field, const halo_field *before);
halo_status halo_forest_place(const halo_forest_desc *desc, const double *weights, int32_t n_ranks, int32_t *owners, int64_t capacity, int64_t *n);
halo_status halo_field_set_prolongation(halo_field *field, int32_t prolongation);
halo_status halo_field_set_restriction(halo_field *field, int32_t restriction);
halo_status halo_exchange_coarse_data(const halo_exchange *exchange, int32_t field, int64_t gid, void **data, halo_layout *layout);
halo_status halo_exchange_coarse_boundaries(const halo_exchange *exchange, int32_t field, int64_t gid, size_t row_bytes, halo_boundary *boundaries, int64_t capacity, int64_t *n);
typedef struct halo_level_region {
    halo_box points;
    int32_t what;
    int32_t place;
} halo_level_region;
halo_status halo_exchange_level_regions(const halo_exchange *exchange, int32_t field, int64_t gid, size_t row_bytes, halo_level_region *regions, int64_t capacity, int64_t *n);
typedef struct halo_levels_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t what;
    int32_t messages;
    int32_t receive;
    double timeout_seconds;
} halo_levels_desc;
halo_status halo_exchange_create_levels(halo_field *const *coarse, halo_field *const *newer, halo_field *const *fine, int32_t n_fields, const halo_levels_desc *desc, halo_exchange **exchange);
halo_status halo_exchange_get_levels_desc(const halo_exchange *exchange, halo_levels_desc *desc);
halo_status halo_exchange_set_fraction(halo_exchange *exchange, double fraction);
typedef struct halo_level_box {
    halo_box cells;
    int32_t kind;
    int32_t reserved;
} halo_level_box;
halo_status halo_field_level_boxes(const halo_field *field, const halo_topology *finer, int64_t gid, size_t row_bytes, halo_level_box *boxes, int64_t capacity, int64_t *n);
typedef struct halo_mesh halo_mesh;
typedef struct halo_mesh_set {
    const char *name;
    int64_t n;
    const uint64_t *keys;
    const int32_t *owners;
    int32_t owner_rule;
    int32_t owner_map;
} halo_mesh_set;
typedef struct halo_mesh_map {
    const char *name;
    int32_t from;
    int32_t to;
    int32_t arity;
    int32_t has_none;
    uint64_t none;
    const uint64_t *keys;
} halo_mesh_map;
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
halo_status halo_mesh_create(halo_context *context, const halo_mesh_desc *desc, halo_mesh **mesh);
halo_status halo_mesh_destroy(halo_mesh **mesh);
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
halo_status halo_mesh_get_local(const halo_mesh *mesh, int32_t set, halo_mesh_local *local);
halo_status halo_mesh_get_map(const halo_mesh *mesh, int32_t map, const uint32_t **to, int64_t *n_rows, int32_t *arity);
halo_status halo_mesh_topology(halo_mesh *mesh, int32_t set, halo_topology **topology);
halo_status halo_mesh_distribute(halo_mesh *mesh, int32_t set, const void *brought, void *local, int64_t bytes);
halo_status halo_mesh_collect(halo_mesh *mesh, int32_t set, const void *local, void *brought, int64_t bytes);
halo_status halo_mesh_target_topology(halo_mesh *mesh, int32_t set, const uint64_t *keys, int64_t n, halo_topology **topology);
halo_status halo_mesh_add_columns(halo_mesh *mesh, int32_t set, int32_t n_layers, const int32_t *layers, int32_t *columns);
halo_status halo_mesh_get_columns(const halo_mesh *mesh, int32_t columns, const int64_t **starts, int64_t *n);
halo_status halo_mesh_column_topology(halo_mesh *mesh, int32_t columns, halo_topology **topology);
typedef struct halo_column_entry {
    int32_t entry;
    int32_t layer;
    int32_t step;
} halo_column_entry;
halo_status halo_mesh_get_column_map(const halo_mesh *mesh, int32_t map, int32_t from, int32_t to, const halo_column_entry *entries, int32_t n_entries, uint32_t *lowest, int64_t capacity, int64_t *n);
typedef struct halo_particles halo_particles;
typedef struct halo_particle_vector {
    int32_t column[3];
    int32_t reserved;
    int64_t offset[3];
} halo_particle_vector;
typedef struct halo_particles_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_columns;
    const int64_t *column_bytes;
    const halo_particle_vector *position;
    const halo_particle_vector *vectors;
    int32_t n_vectors;
    int32_t reserved;
    double timeout_seconds;
} halo_particles_desc;
halo_status halo_particles_create(halo_topology *topology, const halo_particles_desc *desc, halo_particles **particles);
halo_status halo_particles_destroy(halo_particles **particles);
typedef struct halo_particles_arrays {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t n_parts;
    const int64_t *counts;
    void *const *data;
    int64_t n_data;
    const int64_t *const *targets;
} halo_particles_arrays;
halo_status halo_particles_start(halo_particles *particles, const halo_particles_arrays *arrays);
halo_status halo_particles_test(halo_particles *particles, int32_t *done);
halo_status halo_particles_counts(halo_particles *particles, int64_t *counts, int64_t capacity, int64_t *n);
typedef struct halo_particle_place {
    int64_t gid;
    int64_t place;
} halo_particle_place;
halo_status halo_particles_left(const halo_particles *particles, halo_particle_place *places, int64_t capacity, int64_t *n);
halo_status halo_particles_finish(halo_particles *particles, const halo_particles_arrays *arrays);
halo_status halo_particles_abandon(halo_particles *particles);
typedef struct halo_sphere_entity {
    int32_t parallelogram;
    int32_t colour;
    int64_t i;
    int64_t j;
} halo_sphere_entity;
halo_status halo_sphere_key(int32_t solid, int64_t n, int32_t kind, const halo_sphere_entity *entity, uint64_t *key);
halo_status halo_sphere_entity_of(int32_t solid, int64_t n, int32_t kind, uint64_t key, halo_sphere_entity *entity);
halo_status halo_sphere_key_neighbours(int32_t solid, int64_t n, int32_t from, uint64_t key, int32_t to, uint64_t *neighbours, int32_t *n_neighbours);
halo_status halo_sphere_position(int32_t solid, int64_t n, int32_t kind, uint64_t key, double *position);
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
halo_status halo_sphere_create(halo_context *context, const halo_sphere_desc *desc, halo_sphere **sphere);
halo_status halo_sphere_destroy(halo_sphere **sphere);
halo_status halo_sphere_local_parts(const halo_sphere *sphere, const int64_t **gids, int64_t *n);
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
halo_status halo_sphere_get_part(const halo_sphere *sphere, int64_t gid, halo_sphere_part *part);
halo_status halo_sphere_ring_ends(const halo_sphere *sphere, int64_t gid, int32_t kind, int64_t *ends, int64_t capacity, int64_t *n);
halo_status halo_sphere_keys(const halo_sphere *sphere, int64_t gid, int32_t kind, uint64_t *keys, int64_t capacity, int64_t *n);
halo_status halo_sphere_neighbours(const halo_sphere *sphere, int64_t gid, int32_t from, int32_t to, uint32_t *table, int64_t capacity, int64_t *n);
halo_status halo_sphere_topology(halo_sphere *sphere, int32_t kind, halo_topology **topology);
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
halo_status halo_topology_create_cubed_sphere(halo_context *context, const halo_cubed_sphere_desc *desc, halo_topology **topology);
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
halo_status halo_topology_create_latitudes(halo_context *context, const halo_latitudes_desc *desc, halo_topology **topology);
typedef struct halo_reduced_rows_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t rings;
    int64_t n_rows;
    const int64_t *cells;
    int32_t poles;
    int32_t reserved;
} halo_reduced_rows_desc;
halo_status halo_reduced_rows_neighbours(const halo_reduced_rows_desc *desc, uint64_t key, uint64_t *neighbours, int64_t capacity, int64_t *n);
halo_status halo_topology_create_reduced_rows(halo_context *context, const halo_reduced_rows_desc *desc, halo_topology **topology);
typedef struct halo_stencil halo_stencil;
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
halo_status halo_stencil_create(const halo_stencil_desc *desc, halo_stencil **stencil);
halo_status halo_stencil_destroy(halo_stencil **stencil);
typedef struct halo_stencil_field_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t temporary;
    const char *name;
    int32_t n_components;
    int32_t reserved;
} halo_stencil_field_desc;
halo_status halo_stencil_add_field(halo_stencil *stencil, const halo_stencil_field_desc *desc, int32_t *field);
typedef struct halo_stencil_access {
    int32_t field;
    int32_t mode;
    int32_t low[3];
    int32_t high[3];
    int32_t interval;
    int32_t reserved;
} halo_stencil_access;
typedef struct halo_stencil_level {
    int32_t splitter;
    int32_t offset;
} halo_stencil_level;
typedef struct halo_stencil_interval {
    halo_stencil_level from;
    halo_stencil_level to;
} halo_stencil_interval;
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
halo_status halo_stencil_add_stage(halo_stencil *stencil, const halo_stencil_stage_desc *desc, int32_t *stage);
halo_status halo_stencil_analyse(halo_stencil *stencil);
typedef struct halo_stencil_field {
    size_t struct_size;
    int32_t struct_version;
    int32_t exchanged;
    int32_t computed;
    int32_t reserved;
    int64_t ghost_low[3];
    int64_t ghost_high[3];
} halo_stencil_field;
halo_status halo_stencil_get_field(const halo_stencil *stencil, int32_t field, halo_stencil_field *result);
typedef struct halo_stencil_stage {
    size_t struct_size;
    int32_t struct_version;
    int32_t needed;
    int64_t low[3];
    int64_t high[3];
} halo_stencil_stage;
halo_status halo_stencil_get_stage(const halo_stencil *stencil, int32_t stage, halo_stencil_stage *result);
halo_status halo_stencil_describe(const halo_stencil *stencil, char *text, size_t capacity, size_t *needed_bytes);
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
halo_status halo_stencil_exchanges(const halo_stencil *stencil, halo_stencil_exchange *exchanges, int64_t capacity, int64_t *n);
typedef struct halo_stencil_group {
    int32_t start;
    int32_t finish;
    int32_t n_fields;
    int32_t once;
} halo_stencil_group;
halo_status halo_stencil_groups(const halo_stencil *stencil, halo_stencil_group *groups, int64_t capacity, int64_t *n);
typedef struct halo_stencil_summary {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_groups;
    int64_t values;
    int64_t cells_twice;
    double cost;
} halo_stencil_summary;
halo_status halo_stencil_get_summary(const halo_stencil *stencil, halo_stencil_summary *summary);
halo_status halo_stencil_level_index(const halo_stencil *stencil, const halo_stencil_level *level, int64_t *index);
typedef struct halo_stencil_loop {
    halo_stencil_interval interval;
    int64_t first;
    int64_t last;
} halo_stencil_loop;
halo_status halo_stencil_loops(const halo_stencil *stencil, halo_stencil_loop *loops, int64_t capacity, int64_t *n);
halo_status halo_stencil_loop_intervals(const halo_stencil *stencil, int32_t stage, int32_t *intervals, int64_t capacity, int64_t *n);
typedef struct halo_stencil_range {
    int64_t first;
    int64_t last;
    int64_t low[3];
    int64_t high[3];
} halo_stencil_range;
halo_status halo_stencil_stage_ranges(const halo_stencil *stencil, int32_t stage, halo_stencil_range *ranges, int64_t capacity, int64_t *n);
halo_status halo_stencil_exchange_ranges(const halo_stencil *stencil, int32_t exchange, halo_stencil_range *ranges, int64_t capacity, int64_t *n);
halo_status halo_stencil_fill_field_desc(const halo_stencil *stencil, int32_t field, halo_field_desc *desc);
halo_status halo_stencil_fill_layout_desc(const halo_stencil *stencil, halo_layout_desc *desc);
halo_status halo_stencil_create_exchange(const halo_stencil *stencil, int32_t group, halo_field *const *fields, int32_t n_fields, const halo_exchange_desc *desc, halo_exchange **exchange);
halo_status halo_stencil_create_topology(const halo_stencil *stencil, int32_t exchange, halo_context *context, const halo_blocks_desc *blocks, halo_topology **topology);
"""
