// SPDX-License-Identifier: BSD-3-Clause
// Thousands of messages are under way between two ranks before any of them is received, one of each channel.
#include <algorithm>

#include "ranks.h"

namespace {

using namespace test;

constexpr int64_t n_each_way = 3000;
constexpr int n_rounds = 3;

// Most are short; some are too long for a transport to take them before they are awaited.
int64_t count_of(int64_t i) { return i % 50 == 7 ? 12000 : 1 + i % 7; }
double value(int32_t from, int64_t i, int round) { return 1e5 * (round + 1) + static_cast<double>(10 * i + from); }

struct Channels {
    std::vector<halo_channel *> out, in, all;

    explicit Channels(Rank &rank) {
        for (int64_t i = 0; i < n_each_way; ++i)
            for (const int32_t from : { 0, 1 }) {
                const halo_channel_key key = key_of(from, 1 - from, 14, i);
                const halo_channel_desc desc = desc_of(from, 1 - from, count_of(i));
                halo_channel *channel = nullptr;
                EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
                (from == rank.rank ? out : in).push_back(channel);
                all.push_back(channel);
            }
    }
};

void send_all(const Rank &rank, const Channels &channels, int round) {
    for (int64_t i = 0; i < n_each_way; ++i) {
        halo_channel *const channel = channels.out[static_cast<size_t>(i)];
        ASSERT_OK(halo_channel_allocate(channel));
        std::fill_n(static_cast<double *>(buffer_of(channel).data), count_of(i), value(rank.rank, i, round));
        ASSERT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
    }
}

void receive_all(const Rank &rank, const Channels &channels, int round) {
    for (int64_t i = n_each_way - 1; i >= 0; --i) {
        halo_channel *const channel = channels.in[static_cast<size_t>(i)];
        ASSERT_TRUE(wait_received(channel)) << "channel " << i;
        const halo_buffer buffer = buffer_of(channel);
        const double wanted = value(1 - rank.rank, i, round);
        ASSERT_EQ(buffer.bytes, count_of(i) * static_cast<int64_t>(sizeof(double)));
        ASSERT_EQ(std::count(static_cast<double *>(buffer.data), static_cast<double *>(buffer.data) + count_of(i), wanted), count_of(i))
            << "channel " << i;
        ASSERT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
    }
    for (halo_channel *channel : channels.out) ASSERT_TRUE(wait_writable(channel));
}

TEST(Outstanding, AMessageOfEachOfThousandsOfChannels) {
    RUN_RANKS(2, [](Rank &rank) {
        Channels channels(rank);
        halo_group *group = commit(rank, channels.all);
        for (int round = 0; round < n_rounds && !HasFatalFailure(); ++round) {
            send_all(rank, channels, round);
            EXPECT_OK(halo_context_barrier(rank.context)); // all are under way
            receive_all(rank, channels, round);
        }
        EXPECT_OK(halo_context_barrier(rank.context));
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels.all) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

} // namespace
