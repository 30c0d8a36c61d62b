// SPDX-License-Identifier: BSD-3-Clause
#include "allocation_scenarios.h"
#include "halo_channel.h"

#include <chrono>
#include <thread>
#include <vector>

namespace allocations {

namespace {

// To the next rank and from the one before.
struct Ends {
    halo_channel_key keys[2];
    halo_channel_desc descs[2];
    halo_channel *channels[2] = {};
    int n;
};

Ends ends_of(const Member &member, int32_t field, bool sparse) {
    Ends ends{};
    const int32_t next = (member.rank + 1) % member.size, before = (member.rank + member.size - 1) % member.size;
    const int32_t from[] = { member.rank, before }, to[] = { next, member.rank };
    ends.n = member.size == 1 ? 1 : 2;
    for (int i = 0; i < 2; ++i) {
        ends.keys[i] = { from[i], to[i], field, 0, 0 };
        ends.descs[i] = HALO_CHANNEL_DESC_INIT;
        ends.descs[i].send_rank = from[i], ends.descs[i].receive_rank = to[i], ends.descs[i].count = 100, ends.descs[i].sparse = sparse,
        ends.descs[i].varies = 1;
    }
    return ends;
}

void destroy(Member &member, Ends &ends) {
    for (int i = 0; i < ends.n; ++i) ALONE(halo_channel_destroy(&ends.channels[i]));
}

halo_status until_done(const std::function<halo_status(int32_t &)> &call) {
    constexpr auto limit = std::chrono::seconds(5);
    const auto begin = std::chrono::steady_clock::now();
    int32_t done = 0;
    while (!done) {
        if (const halo_status status = call(done); status != HALO_SUCCESS) return status;
        if (std::chrono::steady_clock::now() - begin > limit) conformance::stop("it has not come within 5 s");
    }
    return HALO_SUCCESS;
}

// One message of each channel.
void by_hand(Member &member, bool sparse) {
    Ends ends = ends_of(member, 1, sparse);
    for (int i = 0; i < ends.n; ++i) ALONE(halo_channel_register(member.context, &ends.keys[i], &ends.descs[i], &ends.channels[i]));
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    desc.messages = HALO_MESSAGES_PER_CHANNEL;
    halo_group *group = nullptr;
    TALK(halo_group_create(member.context, ends.channels, ends.n, &desc, &group));
    halo_channel *const sender = ends.channels[0], *const receiver = ends.channels[ends.n - 1];
    for (int time = 0; time < 4; ++time) {
        halo_buffer buffer = HALO_BUFFER_INIT;
        for (int i = 0; i < ends.n; ++i)
            if (!sparse || i == 0) ALONE(halo_channel_allocate(ends.channels[i]));
        ALONE(halo_channel_buffer(sender, &buffer));
        for (int i = 0; i < 100; ++i) static_cast<double *>(buffer.data)[i] = 100 * time + i;
        ALONE(halo_channel_start_receive(receiver));
        if (time == 1)
            ALONE(halo_channel_send_bytes(sender, 100 * sizeof(double), HALO_STREAM_NONE));
        else
            ALONE(time == 2 ? halo_channel_send_null(sender, HALO_STREAM_NONE) : halo_channel_send(sender, HALO_STREAM_NONE));
        int32_t state = 0;
        member.alone("halo_channel_try_receive", [&] {
            return until_done([&](int32_t &done) {
                std::this_thread::yield();
                return halo_channel_try_receive(receiver, &done, &state);
            });
        });
        ALONE(halo_channel_buffer(receiver, &buffer));
        if (state == HALO_RECEIVED) member.keep(buffer.data, 100 * sizeof(double));
        int32_t own = HALO_STALE;
        ALONE(halo_channel_state(receiver, &own));
        if (own != state) conformance::stop("the state is %d, not %d", own, state);
        ALONE(halo_channel_stale(receiver, HALO_STREAM_NONE));
        member.alone("halo_channel_writable", [&] {
            return until_done([&](int32_t &writable) {
                std::this_thread::yield();
                return halo_channel_writable(sender, &writable);
            });
        });
        for (int i = 0; i < ends.n; ++i) ALONE(halo_channel_release(ends.channels[i]));
    }
    halo_channel *found = nullptr;
    halo_channel_key key;
    ALONE(halo_channel_find(member.context, &ends.keys[0], &found));
    ALONE(halo_channel_get_key(sender, &key));
    halo_channel_desc got = HALO_CHANNEL_DESC_INIT;
    ALONE(halo_channel_get_desc(sender, &got));
    ALONE(halo_group_get_desc(group, &desc));
    for (int i = 0; i < ends.n; ++i) ALONE(halo_channel_allocate(ends.channels[i]));
    ALONE(halo_channel_start_receive(receiver));
    ALONE(halo_channel_abandon(receiver));
    ALONE(halo_group_destroy(&group));
    destroy(member, ends);
}

// The same by lists, in buffers of the program's which are given late and grow.
void in_lists(Member &member) {
    Ends ends = ends_of(member, 3, false);
    std::vector<double> own[2];
    for (int i = 0; i < ends.n; ++i) {
        ends.descs[i].buffer_kind = HALO_BUFFER_CALLER;
        ALONE(halo_channel_register(member.context, &ends.keys[i], &ends.descs[i], &ends.channels[i]));
    }
    for (size_t count = 100; count <= 200; count += 100) {
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = HALO_MESSAGES_PER_CHANNEL;
        halo_group *group = nullptr;
        TALK(halo_group_create(member.context, ends.channels, ends.n, &desc, &group));
        for (int i = 0; i < ends.n; ++i) {
            own[i].assign(count, static_cast<double>(i + 1));
            ALONE(halo_channel_set_buffer(ends.channels[i], own[i].data()));
        }
        halo_channel *const *receiver = &ends.channels[ends.n - 1];
        ALONE(halo_channel_start_receive_many(receiver, 1));
        int64_t n_writable = 0;
        ALONE(halo_channel_writable_many(ends.channels, 1, &n_writable, nullptr));
        ALONE(halo_channel_send_many(ends.channels, 1, HALO_STREAM_NONE));
        member.alone("halo_channel_try_receive_many", [&] {
            return until_done([&](int32_t &done) {
                int64_t n_done = 0;
                std::this_thread::yield();
                const halo_status status = halo_channel_try_receive_many(receiver, 1, &n_done, nullptr);
                done = n_done == 1;
                return status;
            });
        });
        member.keep(own[ends.n - 1].data(), count * sizeof(double));
        ALONE(halo_channel_stale_many(receiver, 1, HALO_STREAM_NONE));
        ALONE(halo_group_drain(group, 5));
        ALONE(halo_group_destroy(&group));
        for (int i = 0; i < ends.n; ++i) ALONE(halo_channel_set_bytes(ends.channels[i], 200 * sizeof(double)));
    }
    destroy(member, ends);
}

void together(Member &member) {
    Ends ends = ends_of(member, 2, false);
    ALONE(halo_channel_register_many(member.context, ends.keys, ends.descs, sizeof ends.descs[0], ends.n, ends.channels));
    for (int round = 0; round < 2; ++round) {
        halo_group *group = nullptr;
        TALK(halo_group_create(member.context, ends.channels, ends.n, nullptr, &group));
        for (int time = 0; time < 3; ++time) {
            const halo_group_row *rows = nullptr;
            int64_t n = 0;
            member.alone("halo_group_writable", [&] {
                return until_done([&](int32_t &writable) {
                    std::this_thread::yield();
                    return halo_group_writable(group, &writable);
                });
            });
            ALONE(halo_group_table(group, sizeof *rows, &rows, &n));
            for (int i = 0; i < 100; ++i) static_cast<double *>(rows[0].data)[i] = 100 * time + i;
            ALONE(halo_group_start_receive(group));
            const uint8_t nulls[] = { time == 1, time == 1 };
            const int64_t sent[] = { 0 };
            if (time == 2) ALONE(halo_group_send_rows(group, sent, 1, nullptr, HALO_STREAM_NONE));
            ALONE(halo_group_send(group, nulls, HALO_STREAM_NONE));
            member.alone("halo_group_try_receive", [&] {
                return until_done([&](int32_t &done) {
                    std::this_thread::yield();
                    return halo_group_try_receive(group, &done);
                });
            });
            ALONE(halo_group_table(group, sizeof *rows, &rows, &n));
            if (rows[n - 1].state == HALO_RECEIVED) member.keep(rows[n - 1].data, 100 * sizeof(double));
            ALONE(halo_group_stale(group, HALO_STREAM_NONE));
        }
        if (round == 1) {
            ALONE(halo_group_start_receive(group));
            ALONE(halo_group_abandon(group));
        }
        ALONE(halo_group_destroy(&group));
    }
    destroy(member, ends);
}

} // namespace

std::vector<Scenario> channel_scenarios() {
    std::vector<Scenario> all;
    add_for_ranks(all, "channels by hand", [](Member &m) { by_hand(m, false); });
    add_for_ranks(all, "sparse channels by hand", [](Member &m) { by_hand(m, true); });
    add_for_ranks(all, "channels in lists", in_lists);
    add_for_ranks(all, "channels together", together);
    return all;
}

} // namespace allocations
