/* SPDX-License-Identifier: BSD-3-Clause */
#include "halo_channel.h"
#include "need.h"

#define N_PARTS 8

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, halo_last_error());
    return 1;
}

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    if (halo_context_create(NULL, &context) != HALO_SUCCESS) return fail("context");
    halo_context_rank(context, &rank, &n_ranks);

    halo_channel *ends[N_PARTS]; /* channel i goes from part i to part i + 1 */
    int64_t n = 0;
    for (int64_t i = 0; i < N_PARTS; ++i) {
        const halo_channel_key key = { i, (i + 1) % N_PARTS, 0, HALO_ELEMENT(1, 0, 0), 0 };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = (int32_t)(key.send_gid % n_ranks), desc.receive_rank = (int32_t)(key.receive_gid % n_ranks);
        desc.count = 1, desc.sparse = 1;
        if (desc.send_rank != rank && desc.receive_rank != rank) continue;
        if (halo_channel_register(context, &key, &desc, &ends[n++]) != HALO_SUCCESS) return fail("register");
    }
    halo_group_desc separate = HALO_GROUP_DESC_INIT;
    separate.messages = HALO_MESSAGES_PER_CHANNEL;
    halo_group *group;
    if (halo_group_create(context, ends, n, &separate, &group) != HALO_SUCCESS) return fail("commit");

    for (int64_t i = 0; i < n; ++i) {
        halo_channel_key key;
        halo_channel_get_key(ends[i], &key);
        if (key.send_gid % n_ranks != rank) continue;
        halo_buffer buffer = HALO_BUFFER_INIT;
        if (key.send_gid % 2 == 0 && halo_channel_allocate(ends[i]) == HALO_SUCCESS) {
            halo_channel_buffer(ends[i], &buffer);
            *(double *)buffer.data = (double)key.send_gid;
        }
        if (halo_channel_send(ends[i], HALO_STREAM_NONE) != HALO_SUCCESS) return fail("send");
    }
    int wrong = 0;
    for (int64_t i = 0; i < n; ++i) {
        halo_channel_key key;
        halo_channel_get_key(ends[i], &key);
        int32_t done = 0, state = HALO_STALE;
        while (key.receive_gid % n_ranks == rank && !done)
            if (halo_channel_try_receive(ends[i], &done, &state) != HALO_SUCCESS) return fail("receive");
        if (!done) continue;
        halo_buffer buffer = HALO_BUFFER_INIT;
        halo_channel_buffer(ends[i], &buffer);
        wrong += state != (key.send_gid % 2 == 0 ? HALO_RECEIVED : HALO_RECEIVED_NULL);
        wrong += state == HALO_RECEIVED && *(double *)buffer.data != (double)key.send_gid;
        halo_channel_stale(ends[i], HALO_STREAM_NONE);
    }
    for (int32_t free = 0; !free;) { /* until my messages have left */
        free = 1;
        for (int64_t i = 0; i < n; ++i) {
            halo_channel_key key;
            int32_t writable = 1;
            halo_channel_get_key(ends[i], &key);
            if (key.send_gid % n_ranks == rank) halo_channel_writable(ends[i], &writable);
            free = free && writable;
        }
    }
    printf("rank %d: %d wrong\n", (int)rank, wrong);
    halo_group_destroy(&group);
    for (int64_t i = 0; i < n; ++i) halo_channel_destroy(&ends[i]);
    halo_context_destroy(&context);
    return wrong;
}
