/* SPDX-License-Identifier: BSD-3-Clause */
#include "halo_channel.h"
#include "need.h"

enum { PARTS = 8, STEPS = 4, COUNT = 16 };

static int says_null(int64_t part, int step) { return (part + step) % 2 != 0; }

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    halo_channel *ends[PARTS]; /* a ring: channel i goes from part i to part i + 1. This rank keeps those of which it has an end. */
    int64_t sender[PARTS], n = 0;
    for (int64_t i = 0; i < PARTS; ++i) {
        const halo_channel_key key = { i, (i + 1) % PARTS, 0, HALO_ELEMENT(1, 0, 0), 0 };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = (int32_t)(key.send_gid % n_ranks), desc.receive_rank = (int32_t)(key.receive_gid % n_ranks);
        desc.count = COUNT, desc.sparse = 1;
        if (desc.send_rank != rank && desc.receive_rank != rank) continue;
        need(halo_channel_register(context, &key, &desc, &ends[n]));
        sender[n++] = i;
    }
    halo_group_desc separate = HALO_GROUP_DESC_INIT;
    separate.messages = HALO_MESSAGES_PER_CHANNEL;
    halo_group *group;
    need(halo_group_create(context, ends, n, &separate, &group));

    int wrong = 0;
    for (int step = 0; step <= STEPS; ++step) { /* in the last round, only until all buffers are free */
        for (int64_t i = 0; i < n; ++i) {
            if (sender[i] % n_ranks != rank) continue;
            for (int32_t writable = 0; !writable;) need(halo_channel_writable(ends[i], &writable));
            if (step == STEPS) continue;
            if (says_null(sender[i], step)) {
                need(halo_channel_send_null(ends[i], HALO_STREAM_NONE)); /* -> sending_null */
                continue;
            }
            halo_buffer buffer = HALO_BUFFER_INIT;
            need(halo_channel_allocate(ends[i])); /* nothing, if it has one */
            need(halo_channel_buffer(ends[i], &buffer));
            for (int j = 0; j < COUNT; ++j) ((double *)buffer.data)[j] = (double)(100 * step + sender[i]);
            need(halo_channel_send(ends[i], HALO_STREAM_NONE)); /* -> sending */
        }
        for (int64_t i = 0; i < n && step < STEPS; ++i) {
            if ((sender[i] + 1) % PARTS % n_ranks != rank) continue;
            int32_t state = HALO_STALE;
            for (int32_t done = 0; !done;) need(halo_channel_try_receive(ends[i], &done, &state)); /* -> received or received_null */
            halo_buffer buffer = HALO_BUFFER_INIT;
            need(halo_channel_buffer(ends[i], &buffer));
            wrong += state != (says_null(sender[i], step) ? HALO_RECEIVED_NULL : HALO_RECEIVED);
            for (int j = 0; j < COUNT && state == HALO_RECEIVED; ++j) wrong += ((double *)buffer.data)[j] != (double)(100 * step + sender[i]);
            need(halo_channel_stale(ends[i], HALO_STREAM_NONE)); /* -> stale */
        }
    }
    printf("%d wrong\n", wrong);

    need(halo_group_destroy(&group));
    for (int64_t i = 0; i < n; ++i) need(halo_channel_destroy(&ends[i]));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
