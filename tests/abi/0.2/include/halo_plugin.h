/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALO_PLUGIN_H
#define HALO_PLUGIN_H
#include <stddef.h>
#include <stdint.h>
#include "halo.h"
#ifdef __cplusplus
extern "C" {
#endif
#define HALO_PLUGIN_ABI_MAJOR 1
#define HALO_PLUGIN_ABI_MINOR 6
typedef struct halo_host {
    size_t struct_size;
    void *core;
    void (*report)(void *core, const char *text);
    void (*log)(void *core, int32_t level, const char *text);
    const char *(*setting)(void *core, const char *key);
} halo_host;
typedef struct halo_transport halo_transport;
typedef struct halo_request {
    uint64_t word[8];
} halo_request;
typedef struct halo_matched {
    uint64_t word[4];
} halo_matched;
typedef struct halo_transport_params {
    size_t struct_size;
    const void *communicator;
    size_t handle_bytes;
    void *group;
    int32_t rank;
    int32_t reserved;
    const halo_bootstrap *bootstrap;
} halo_transport_params;
typedef struct halo_transport_ops {
    size_t struct_size;
    halo_status (*open)(const halo_host *host, const halo_transport_params *params, halo_transport **transport);
    void (*close)(halo_transport *transport);
    void (*identify)(const halo_transport *transport, int32_t *rank, int32_t *size, int32_t *max_tag);
    halo_status (*open_lanes)(halo_transport *transport, int32_t n_lanes);
    halo_status (*send)(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request *request);
    halo_status (*receive)(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request *request);
    halo_status (*test)(halo_transport *transport, halo_request *request, int32_t *done, size_t *bytes);
    halo_status (*cancel)(halo_transport *transport, halo_request *request, int32_t *done);
    halo_status (*probe)(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes, halo_matched *message);
    halo_status (*receive_matched)(halo_transport *transport, halo_matched *message, void *data, size_t capacity, halo_request *request);
    halo_status (*progress)(halo_transport *transport);
    int32_t (*threads)(const halo_transport *transport);
    int32_t (*ends_all_when_closed)(const halo_transport *transport);
    int32_t (*reaches)(const halo_transport *transport, int32_t peer);
} halo_transport_ops;
#define HALO_THREADS_ANY 0
#define HALO_THREADS_OPENER 1
typedef struct halo_transport_plugin {
    uint32_t abi_major;
    uint32_t abi_minor;
    size_t struct_size;
    const char *name;
    const char *version;
    int32_t (*query)(const halo_host *host, char *why, size_t why_bytes);
    const halo_transport_ops *ops;
    uint32_t capabilities;
    uint32_t reserved;
} halo_transport_plugin;
#define HALO_TRANSPORT_OVER_BOOTSTRAP 1u
#define HALO_COPY_LAYOUT 1
#define HALO_COPY_PIECES 3
typedef struct halo_copy_shape {
    uint32_t n_pieces;
    uint32_t element_bytes;
    uint32_t n[3];
    uint32_t run[HALO_COPY_PIECES];
    int64_t dst_stride[3];
    int64_t dst_step;
    int64_t dst_shift[HALO_COPY_PIECES];
    int64_t src_stride[HALO_COPY_PIECES][3];
    int64_t src_step[HALO_COPY_PIECES];
    uint32_t lists;
    halo_type negate;
} halo_copy_shape;
#define HALO_LIST_SOURCE 1u
#define HALO_LIST_DESTINATION 2u
typedef struct halo_copy_row {
    uint32_t shape;
    uint32_t dst_base;
    uint32_t src_base[HALO_COPY_PIECES];
    uint32_t flag;
    int64_t dst_offset;
    int64_t src_offset[HALO_COPY_PIECES];
} halo_copy_row;
typedef struct halo_copy_program {
    size_t struct_size;
    const halo_copy_shape *shapes;
    int64_t n_shapes;
    const halo_copy_row *rows;
    int64_t n_rows;
    const uint32_t *indices;
    int64_t n_indices;
} halo_copy_program;
#define HALO_COPY_MOVE 0
typedef struct halo_null_test {
    halo_type type;
    int32_t reserved;
    double threshold;
} halo_null_test;
typedef struct halo_device halo_device;
typedef struct halo_copy_table halo_copy_table;
typedef struct halo_event halo_event;
typedef struct halo_copy_range {
    halo_copy_table *table;
    int64_t first;
    int64_t n;
    void *const *bases;
    int64_t n_bases;
    uint8_t *flags;
    halo_null_test test;
    int32_t rows;
    int32_t reserved;
} halo_copy_range;
#define HALO_ROWS_ALL 0
#define HALO_ROWS_FLAGGED 1
#define HALO_ROWS_UNFLAGGED 2
typedef struct halo_device_ops {
    size_t struct_size;
    halo_status (*open)(const halo_host *host, int32_t ordinal, halo_device **device);
    void (*close)(halo_device *device);
    halo_status (*allocate)(halo_device *device, int32_t memory, size_t bytes, void **pointer);
    void (*release)(halo_device *device, int32_t memory, void *pointer, size_t bytes);
    halo_status (*copy)(halo_device *device, void *dst, const void *src, size_t bytes, halo_stream stream);
    halo_status (*fill)(halo_device *device, void *dst, const void *value, size_t element_bytes, int64_t n, halo_stream stream);
    halo_status (*event_create)(halo_device *device, halo_event **event);
    void (*event_destroy)(halo_device *device, halo_event *event);
    halo_status (*event_record)(halo_device *device, halo_event *event, halo_stream stream);
    halo_status (*event_query)(halo_device *device, halo_event *event, int32_t *done);
    halo_status (*event_wait)(halo_device *device, halo_event *event, halo_stream stream);
    halo_status (*table_create)(halo_device *device, const halo_copy_program *program, halo_copy_table **table);
    void (*table_destroy)(halo_device *device, halo_copy_table *table);
    halo_status (*table_patch)(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, const halo_copy_row *rows);
    halo_status (*table_run)(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, int32_t op, halo_type type,
                             halo_stream stream);
    halo_status (*table_test)(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, const halo_null_test *test,
                              uint8_t *non_null, halo_stream stream);
    halo_status (*table_run_tested)(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases,
                                    const halo_null_test *test, uint8_t *non_null, halo_stream stream);
    halo_status (*ranges_run)(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream stream);
    halo_status (*ranges_test)(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream stream);
} halo_device_ops;
typedef struct halo_device_plugin {
    uint32_t abi_major;
    uint32_t abi_minor;
    size_t struct_size;
    const char *name;
    const char *version;
    uint32_t copy_layout;
    uint32_t memory_kinds;
    int32_t (*query)(const halo_host *host, char *why, size_t why_bytes);
    const halo_device_ops *ops;
    uint64_t types;
} halo_device_plugin;
#ifdef __cplusplus
}
#endif
#endif
