// SPDX-License-Identifier: BSD-3-Clause
// Many channels in one call, and the state of one.
#include <thread>

#include "ranks.h"

namespace {

using namespace test;

// From rank 0 to rank 1, each of some values; the last one is of both ranks to themselves.
std::vector<halo_channel *> register_some(Rank &rank, int64_t n, int64_t count, int32_t sparse = 0) {
    std::vector<halo_channel *> channels;
    for (int64_t i = 0; i <= n; ++i) {
        const bool within = i == n;
        const halo_channel_key key = key_of(within ? rank.rank : 3, 100 + i);
        halo_channel_desc desc = desc_of(within ? rank.rank : 0, within ? rank.rank : 1, count);
        desc.sparse = sparse;
        halo_channel *channel = nullptr;
        EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
        channels.push_back(channel);
    }
    return channels;
}

void finish(halo_group *group, std::vector<halo_channel *> &channels) {
    EXPECT_OK(halo_group_drain(group, 60));
    EXPECT_OK(halo_group_destroy(&group));
    for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
}

int32_t own_state(const halo_channel *channel) {
    int32_t state = -1;
    EXPECT_OK(halo_channel_state(channel, &state));
    return state;
}

halo_status send_all(const std::vector<halo_channel *> &channels) {
    halo_status status = HALO_BUSY;
    while (status == HALO_BUSY) {
        status = halo_channel_send_many(channels.data(), std::ssize(channels), HALO_STREAM_NONE);
        std::this_thread::yield();
    }
    return status;
}

std::vector<int32_t> receive_all(const std::vector<halo_channel *> &channels) {
    std::vector<int32_t> states(channels.size(), -1);
    int64_t n_done = -1, before = 0;
    while (n_done < std::ssize(channels)) {
        EXPECT_OK(halo_channel_try_receive_many(channels.data(), std::ssize(channels), &n_done, states.data()));
        EXPECT_GE(n_done, before); // what has come stays
        before = n_done;
        if (testing::Test::HasFailure()) break;
        std::this_thread::yield();
    }
    return states;
}

class Lists : public testing::TestWithParam<int> {};

// Rounds in which some are null, in another place each time.
TEST_P(Lists, DoWhatEachCallDoes) {
    RUN_RANKS(2, [&](Rank &rank) {
        constexpr int64_t n = 9;
        std::vector<halo_channel *> channels = register_some(rank, n, 5, GetParam());
        halo_group *group = commit(rank, channels);
        std::vector<halo_channel *> sent = channels, received(channels.end() - 1, channels.end());
        if (!rank.first()) sent = received, received = channels;
        for (int64_t round = 0; round < 6; ++round) {
            const auto is_null = [&](const halo_channel *channel) {
                halo_channel_key key{};
                EXPECT_OK(halo_channel_get_key(channel, &key));
                return (key.receive_gid + round) % 4 == 0;
            };
            for (halo_channel *channel : sent) {
                wait_writable(channel);
                if (is_null(channel)) {
                    EXPECT_OK(halo_channel_release(channel));
                    continue;
                }
                EXPECT_OK(halo_channel_allocate(channel));
                static_cast<double *>(buffer_of(channel).data)[4] = static_cast<double>(round);
            }
            EXPECT_OK(halo_channel_start_receive_many(received.data(), std::ssize(received)));
            EXPECT_OK(send_all(sent));
            for (const halo_channel *channel : sent) EXPECT_EQ(own_state(channel), is_null(channel) ? HALO_SENDING_NULL : HALO_SENDING);
            const std::vector<int32_t> states = receive_all(received);
            for (size_t i = 0; i < received.size(); ++i) {
                EXPECT_EQ(states[i], is_null(received[i]) ? HALO_RECEIVED_NULL : HALO_RECEIVED) << "channel " << i << ", round " << round;
                EXPECT_EQ(states[i], own_state(received[i]));
                if (states[i] == HALO_RECEIVED) {
                    EXPECT_EQ(static_cast<double *>(buffer_of(received[i]).data)[4], static_cast<double>(round));
                }
            }
            EXPECT_OK(halo_channel_stale_many(received.data(), std::ssize(received), HALO_STREAM_NONE));
            for (const halo_channel *channel : received) EXPECT_EQ(own_state(channel), HALO_STALE);
        }
        finish(group, channels);
    });
}

INSTANTIATE_TEST_SUITE_P(Sparse, Lists, testing::Values(0, 1));

// While one is under way none is sent.
TEST(List, ABusyOneHoldsTheOthersBack) {
    RUN_RANKS(2, [](Rank &rank) {
        std::vector<halo_channel *> channels = register_some(rank, 2, 1 << 19);
        halo_group *group = commit(rank, channels);
        if (rank.first()) {
            for (halo_channel *channel : channels) EXPECT_OK(halo_channel_allocate(channel));
            EXPECT_OK(halo_channel_send(channels[1], HALO_STREAM_NONE)); // large: it needs its receiver
            EXPECT_STATUS(HALO_BUSY, halo_channel_send_many(channels.data(), 3, HALO_STREAM_NONE));
            EXPECT_EQ(own_state(channels[0]), HALO_STALE);
            EXPECT_EQ(own_state(channels[2]), HALO_STALE);
            halo_context_barrier(rank.context);
            EXPECT_OK(send_all(channels));
            for (const halo_channel *channel : channels) EXPECT_EQ(own_state(channel), HALO_SENDING);
        } else {
            halo_context_barrier(rank.context);
            for (int time = 0; time < 2; ++time) {
                wait_received(channels[1]);
                EXPECT_OK(halo_channel_stale(channels[1], HALO_STREAM_NONE));
            }
            wait_received(channels[0]);
        }
        finish(group, channels);
    });
}

// The others are done all the same, but of sends.
TEST(List, NameTheFirstThatFails) {
    RUN_RANKS(2, [](Rank &rank) {
        std::vector<halo_channel *> channels = register_some(rank, 3, 5);
        halo_group *group = commit(rank, channels);
        int64_t n_done = -1;
        int32_t states[4] = { -1, -1, -1, -1 };
        if (rank.first()) {
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_start_receive_many(channels.data(), 4));
            EXPECT_TEXT("halo_channel_start_receive_many: channel 0 of the list: ", "3 -> 100");
            EXPECT_OK(halo_channel_send_null(channels[3], HALO_STREAM_NONE));
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_try_receive_many(channels.data(), 4, &n_done, states));
            EXPECT_TEXT("channel 0 of the list: try_receive is illegal", "3 -> 100");
            EXPECT_EQ(n_done, 1);
            EXPECT_EQ(states[0], HALO_STALE);
            EXPECT_EQ(states[3], HALO_RECEIVED_NULL);
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_send_many(channels.data(), 4, HALO_STREAM_NONE));
            EXPECT_TEXT("channel 3 of the list: send is illegal", "0 -> 103");
            for (int i = 0; i < 3; ++i) EXPECT_EQ(own_state(channels[static_cast<size_t>(i)]), HALO_STALE);
            EXPECT_OK(halo_channel_writable_many(channels.data(), 4, &n_done, states));
            EXPECT_EQ(n_done, 3);
            for (int i = 0; i < 4; ++i) EXPECT_EQ(states[i], i < 3 ? 1 : 0);
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_stale_many(channels.data(), 4, HALO_STREAM_NONE));
            EXPECT_TEXT("channel 0 of the list: stale is illegal");
            EXPECT_EQ(own_state(channels[3]), HALO_STALE);
            EXPECT_OK(halo_channel_send_many(channels.data(), 3, HALO_STREAM_NONE));
        } else {
            receive_all({ channels.begin(), channels.end() - 1 });
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_writable_many(channels.data(), 4, &n_done, states));
            EXPECT_TEXT("halo_channel_writable_many: channel 0 of the list: ", "3 -> 100");
            EXPECT_EQ(n_done, 1);
            EXPECT_EQ(states[3], 1);
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_send_many(channels.data() + 1, 3, HALO_STREAM_NONE));
            EXPECT_TEXT("channel 0 of the list: send is illegal", "3 -> 101");
            EXPECT_EQ(own_state(channels[3]), HALO_STALE);
        }
        finish(group, channels);
    });
}

TEST(List, AreLookedAtBeforeAnythingIsDone) {
    RUN_RANKS(1, [](Rank &rank) {
        std::vector<halo_channel *> channels = register_some(rank, 0, 5);
        halo_group *group = commit(rank, channels);
        halo_channel *gone = nullptr;
        const halo_channel_key key = key_of(8, 9);
        const halo_channel_desc desc = desc_of(0, 0, 1);
        EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &gone));
        halo_channel *const destroyed = gone;
        EXPECT_OK(halo_channel_destroy(&gone));
        const auto refused = [&](halo_status status, halo_channel *second, const char *text) {
            halo_channel *const list[] = { channels[0], second };
            int64_t n_done = 0;
            EXPECT_STATUS(status, halo_channel_send_many(list, 2, HALO_STREAM_NONE));
            EXPECT_TEXT("halo_channel_send_many: channel 1 of the list", text);
            EXPECT_STATUS(status, halo_channel_start_receive_many(list, 2));
            EXPECT_STATUS(status, halo_channel_try_receive_many(list, 2, &n_done, nullptr));
            EXPECT_STATUS(status, halo_channel_stale_many(list, 2, HALO_STREAM_NONE));
            EXPECT_STATUS(status, halo_channel_writable_many(list, 2, &n_done, nullptr));
            EXPECT_EQ(own_state(channels[0]), HALO_STALE);
        };
        refused(HALO_ERR_ARGUMENT, nullptr, "is NULL");
        refused(HALO_ERR_HANDLE, destroyed, "is destroyed");
        halo_context *other = nullptr;
        halo_channel *foreign = nullptr;
        halo_inproc *alone = nullptr;
        EXPECT_OK(halo_inproc_create(1, &alone));
        EXPECT_OK(halo_context_create_inproc(alone, 0, nullptr, &other));
        EXPECT_OK(halo_channel_register(other, &key, &desc, &foreign));
        refused(HALO_ERR_ARGUMENT, foreign, "belongs to another context");
        EXPECT_OK(halo_channel_destroy(&foreign));
        EXPECT_OK(halo_context_destroy(&other));
        EXPECT_OK(halo_inproc_destroy(&alone));

        int64_t n_done = -1;
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_stale_many(nullptr, 2, HALO_STREAM_NONE));
        EXPECT_TEXT("halo_channel_stale_many: 2 channels at address");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_stale_many(channels.data(), -1, HALO_STREAM_NONE));
        EXPECT_STATUS(HALO_ERR_LIMIT, halo_channel_stale_many(channels.data(), INT64_MAX, HALO_STREAM_NONE));
        EXPECT_TEXT("halo_channel_stale_many: n 9223372036854775807 exceeds 2147483647");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_try_receive_many(channels.data(), 1, nullptr, nullptr));
        EXPECT_TEXT("'n_done' is NULL");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_writable_many(channels.data(), 1, nullptr, nullptr));
        EXPECT_TEXT("'n_writable' is NULL");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_state(channels[0], nullptr));
        EXPECT_OK(halo_channel_try_receive_many(nullptr, 0, &n_done, nullptr)); // none is a list
        EXPECT_EQ(n_done, 0);
        EXPECT_OK(halo_channel_send_many(nullptr, 0, HALO_STREAM_NONE));
        finish(group, channels);
    });
}

TEST(List, OfAggregatedChannelsAreRefused) {
    RUN_RANKS(1, [](Rank &rank) {
        std::vector<halo_channel *> channels = register_some(rank, 0, 5);
        halo_group *group = commit(rank, channels, HALO_MESSAGES_AGGREGATE);
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_start_receive_many(channels.data(), 1));
        EXPECT_TEXT("in an aggregated group");
        EXPECT_EQ(own_state(channels[0]), HALO_STALE);
        EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
        EXPECT_EQ(own_state(channels[0]), HALO_SENDING);
        finish(group, channels);
    });
}

} // namespace
