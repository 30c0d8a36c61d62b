// SPDX-License-Identifier: BSD-3-Clause
// Waiting until nothing is under way in a group.
#include <chrono>
#include <thread>

#include "ranks.h"

namespace {

using namespace test;

halo_channel *add(Rank &rank, int64_t receive_gid, int32_t from, int32_t to, int64_t count, int32_t sparse = 0) {
    const halo_channel_key key = key_of(3, receive_gid);
    halo_channel_desc desc = desc_of(from, to, count);
    desc.sparse = sparse;
    halo_channel *channel = nullptr;
    EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
    return channel;
}

void destroy(halo_group *group, std::vector<halo_channel *> &channels) {
    EXPECT_OK(halo_group_destroy(&group));
    for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
}

void start_sending(halo_channel *channel) {
    EXPECT_OK(halo_channel_allocate(channel));
    EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
}

// Channels in all states that they may be in, on both ends: large ones on their way, posted, received, sent within the rank.
TEST(Drain, LeavesNothingUnderWay) {
    RUN_RANKS(2, [](Rank &rank) {
        constexpr int64_t large = 1 << 19;
        const int32_t here = rank.rank;
        std::vector<halo_channel *> channels = { add(rank, 1, 0, 1, large), add(rank, 2, 0, 1, 5),    add(rank, 3, 1, 0, 5, 1),
                                                 add(rank, 4, 1, 0, 5),     add(rank, 5, 0, 1, 5, 1), add(rank, 10 + here, here, here, 5) };
        halo_group *group = commit(rank, channels);
        for (int round = 0; round < 3; ++round) {
            start_sending(channels[5]);
            if (round == 1) wait_received(channels[5]);
            if (rank.first()) {
                EXPECT_OK(halo_channel_start_receive(channels[3]));
                for (const size_t i : { 0, 1 }) start_sending(channels[i]);
                EXPECT_OK(halo_channel_send_null(channels[4], HALO_STREAM_NONE));
                wait_received(channels[2]);
            } else {
                EXPECT_OK(halo_channel_start_receive(channels[0]));
                EXPECT_OK(halo_channel_start_receive(channels[1]));
                for (const size_t i : { 2, 3 }) start_sending(channels[i]);
                wait_received(channels[4]);
            }
            EXPECT_OK(halo_group_drain(group, 60));
            for (halo_channel *channel : channels) EXPECT_EQ(state_of(channel), HALO_STALE);
            EXPECT_OK(halo_group_drain(group, 0)); // at once
        }
        destroy(group, channels);
    });
}

TEST(Drain, NamesWhatIsMissing) {
    RUN_RANKS(2, [](Rank &rank) {
        std::vector<halo_channel *> channels;
        for (int64_t i = 1; i <= 5; ++i) channels.push_back(add(rank, i, 0, 1, 5));
        halo_group *group = commit(rank, channels);
        if (!rank.first()) {
            for (halo_channel *channel : channels) EXPECT_OK(halo_channel_start_receive(channel));
            EXPECT_STATUS(HALO_TIMEOUT, halo_group_drain(group, 0.05));
            EXPECT_TEXT("timed out after", "is not drained: channel 3 -> 1, field 2",
                        "from rank 0 to rank 1: receiver's end stale, epoch 1 has not come", "3 -> 3", "and 2 more");
            EXPECT_STATUS(HALO_BUSY, halo_group_destroy(&group));
            halo_context_barrier(rank.context);
            EXPECT_OK(halo_group_drain(group, 60));
        } else {
            halo_context_barrier(rank.context);
            for (halo_channel *channel : channels) start_sending(channel);
            EXPECT_OK(halo_group_drain(group, HALO_TIMEOUT_CONFIGURED));
        }
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_group_drain(group, -3));
        EXPECT_TEXT("halo_group_drain: timeout_seconds -3");
        halo_context_barrier(rank.context);
        destroy(group, channels);
    });
}

// The last run's messages are taken, though their receiver comes late; what is received and not stale is dropped.
TEST(Drain, WaitsForAnAggregatedRun) {
    RUN_RANKS(2, [](Rank &rank) {
        std::vector<halo_channel *> channels = { add(rank, 1, 0, 1, 1 << 18), add(rank, 2, 1, 0, 1 << 18),
                                                 add(rank, 10 + rank.rank, rank.rank, rank.rank, 5) };
        halo_group *group = commit(rank, channels, HALO_MESSAGES_AGGREGATE);
        EXPECT_OK(halo_group_drain(group, 60)); // none is begun
        for (int round = 0; round < 4; ++round) {
            if (round % 2 == 0) {
                EXPECT_OK(halo_group_start_receive(group));
                EXPECT_STATUS(HALO_ERR_STATE, halo_group_drain(group, 60));
                EXPECT_TEXT("drain is illegal", "begun, not sent");
            }
            if (!rank.first()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
            while (halo_group_send(group, nullptr, HALO_STREAM_NONE) == HALO_BUSY) std::this_thread::yield();
            if (round == 1) {
                int32_t done = 0;
                while (!done) EXPECT_OK(halo_group_try_receive(group, &done));
            }
            EXPECT_OK(halo_group_drain(group, 60));
        }
        destroy(group, channels);
    });
}

TEST(Drain, NamesThePeersOfAnAggregatedRun) {
    RUN_RANKS(2, [](Rank &rank) {
        std::vector<halo_channel *> channels = { add(rank, 1, 0, 1, 5), add(rank, 2, 1, 0, 5) };
        halo_group *group = commit(rank, channels, HALO_MESSAGES_AGGREGATE);
        if (rank.first()) {
            EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
            EXPECT_STATUS(HALO_TIMEOUT, halo_group_drain(group, 0.05));
            EXPECT_TEXT("is not drained: run 1: nothing has come from rank 1 (channel 3 -> 2, field 2");
        }
        halo_context_barrier(rank.context);
        if (!rank.first()) EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
        EXPECT_OK(halo_group_drain(group, 60));
        destroy(group, channels);
    });
}

// After giving up nothing is waited for.
TEST(Drain, OfWhatIsAbandonedIsOver) {
    RUN_RANKS(2, [](Rank &rank) {
        for (const int32_t messages : { HALO_MESSAGES_PER_CHANNEL, HALO_MESSAGES_AGGREGATE }) {
            std::vector<halo_channel *> channels = { add(rank, messages, 0, 1, 5) };
            halo_group *group = commit(rank, channels, messages);
            if (!rank.first() && messages == HALO_MESSAGES_PER_CHANNEL) EXPECT_OK(halo_channel_start_receive(channels[0]));
            if (!rank.first() && messages == HALO_MESSAGES_AGGREGATE) EXPECT_OK(halo_group_start_receive(group));
            EXPECT_OK(halo_group_abandon(group));
            EXPECT_OK(halo_group_drain(group, 1));
            destroy(group, channels);
        }
    });
}

} // namespace
