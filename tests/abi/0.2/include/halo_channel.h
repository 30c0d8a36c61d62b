/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALO_CHANNEL_H
#define HALO_CHANNEL_H
#include "halo.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct halo_channel halo_channel;
typedef struct halo_group halo_group;
typedef struct halo_channel_key {
    int64_t send_gid;
    int64_t receive_gid;
    int32_t field;
    int32_t element;
    int64_t extra;
} halo_channel_key;
#define HALO_STALE 0
#define HALO_SENDING 1
#define HALO_SENDING_NULL 2
#define HALO_RECEIVED 3
#define HALO_RECEIVED_NULL 4
#define HALO_BUFFER_POOL 0
#define HALO_BUFFER_CALLER 1
#define HALO_BUFFER_ALLOCATOR 2
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
#define HALO_CHANNEL_ALLOCATOR_INIT                                                                                                                  \
    { sizeof(halo_channel_allocator), 1, HALO_MEMORY_HOST, 0, 0, NULL, NULL, NULL }
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
#define HALO_CHANNEL_DESC_INIT                                                                                                                       \
    { sizeof(halo_channel_desc), 1, 0, 0, HALO_FLOAT64, 0, 0, 0, HALO_BUFFER_POOL, NULL, NULL, HALO_MEMORY_HOST, 0, 0, 0 }
HALO_API halo_status halo_channel_register(halo_context *context, const halo_channel_key *key, const halo_channel_desc *desc, halo_channel **channel);
HALO_API halo_status halo_channel_register_many(halo_context *context, const halo_channel_key *keys, const halo_channel_desc *descs,
                                                size_t desc_bytes, int64_t n, halo_channel **channels);
HALO_API halo_status halo_channel_find(const halo_context *context, const halo_channel_key *key, halo_channel **channel);
HALO_API halo_status halo_channel_destroy(halo_channel **channel);
HALO_API halo_status halo_channel_abandon(halo_channel *channel);
HALO_API halo_status halo_channel_writable(halo_channel *channel, int32_t *writable);
HALO_API halo_status halo_channel_allocate(halo_channel *channel);
HALO_API halo_status halo_channel_release(halo_channel *channel);
HALO_API halo_status halo_channel_set_buffer(halo_channel *channel, void *buffer);
HALO_API halo_status halo_channel_set_bytes(halo_channel *channel, int64_t bytes);
typedef struct halo_buffer {
    size_t struct_size;
    int32_t struct_version;
    int32_t state;
    void *data;
    int64_t bytes;
    uint64_t generation;
} halo_buffer;
#define HALO_BUFFER_INIT                                                                                                                             \
    { sizeof(halo_buffer), 1, 0, NULL, 0, 0 }
HALO_API halo_status halo_channel_buffer(const halo_channel *channel, halo_buffer *buffer);
HALO_API halo_status halo_channel_state(const halo_channel *channel, int32_t *state);
HALO_API halo_status halo_channel_send(halo_channel *channel, halo_stream stream);
HALO_API halo_status halo_channel_send_bytes(halo_channel *channel, int64_t bytes, halo_stream stream);
HALO_API halo_status halo_channel_send_null(halo_channel *channel, halo_stream stream);
HALO_API halo_status halo_channel_start_receive(halo_channel *channel);
HALO_API halo_status halo_channel_try_receive(halo_channel *channel, int32_t *done, int32_t *state);
HALO_API halo_status halo_channel_stale(halo_channel *channel, halo_stream stream);
HALO_API halo_status halo_channel_get_key(const halo_channel *channel, halo_channel_key *key);
HALO_API halo_status halo_channel_start_receive_many(halo_channel *const *channels, int64_t n);
HALO_API halo_status halo_channel_try_receive_many(halo_channel *const *channels, int64_t n, int64_t *n_done, int32_t *states);
HALO_API halo_status halo_channel_stale_many(halo_channel *const *channels, int64_t n, halo_stream stream);
HALO_API halo_status halo_channel_send_many(halo_channel *const *channels, int64_t n, halo_stream stream);
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
#define HALO_GROUP_DESC_INIT                                                                                                                         \
    { sizeof(halo_group_desc), 1, HALO_MESSAGES_AUTO, HALO_TIMEOUT_CONFIGURED, HALO_MEMORY_HOST, 0, HALO_MEMORY_HOST, 0 }
HALO_API halo_status halo_group_create(halo_context *context, halo_channel *const *channels, int64_t n, const halo_group_desc *desc,
                                       halo_group **group);
HALO_API halo_status halo_group_destroy(halo_group **group);
HALO_API halo_status halo_group_drain(halo_group *group, double timeout_seconds);
HALO_API halo_status halo_group_abandon(halo_group *group);
typedef struct halo_group_row {
    halo_channel *channel;
    void *data;
    int64_t bytes;
    int32_t peer;
    int32_t sender;
    int32_t state;
    int32_t reserved;
} halo_group_row;
HALO_API halo_status halo_group_table(halo_group *group, size_t row_bytes, const halo_group_row **rows, int64_t *n);
HALO_API halo_status halo_group_writable(halo_group *group, int32_t *writable);
HALO_API halo_status halo_group_start_receive(halo_group *group);
HALO_API halo_status halo_group_send(halo_group *group, const uint8_t *null_flags, halo_stream stream);
HALO_API halo_status halo_group_send_rows(halo_group *group, const int64_t *rows, int64_t n, const uint8_t *null_flags, halo_stream stream);
HALO_API halo_status halo_group_try_receive(halo_group *group, int32_t *done);
HALO_API halo_status halo_group_stale(halo_group *group, halo_stream stream);
#ifdef __cplusplus
}
#endif
#endif
