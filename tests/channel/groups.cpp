// SPDX-License-Identifier: BSD-3-Clause
// The collective commit: what it lets pass, what it refuses and how it says so.
#include <chrono>
#include <cstring>

#include "ranks.h"

namespace {

using namespace test;

halo_channel *add(Rank &rank, const halo_channel_key &key, const halo_channel_desc &desc) {
    halo_channel *channel = nullptr;
    EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
    return channel;
}

halo_status try_commit(Rank &rank, const std::vector<halo_channel *> &channels, int32_t messages, halo_group **group, double timeout = 60) {
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    desc.messages = messages;
    desc.timeout_seconds = timeout;
    return halo_group_create(rank.context, channels.data(), std::ssize(channels), &desc, group);
}

// Send 40 bytes from rank 0 to rank 1 over a committed channel.
void exchange_once(Rank &rank, halo_channel *channel) {
    if (rank.rank == 0) {
        EXPECT_OK(halo_channel_allocate(channel));
        std::memset(buffer_of(channel).data, 17, 40);
        EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
        wait_writable(channel);
    } else if (rank.rank == 1) {
        wait_received(channel);
        const halo_buffer buffer = buffer_of(channel);
        ASSERT_EQ(buffer.bytes, 40);
        EXPECT_EQ(static_cast<char *>(buffer.data)[39], 17);
        EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
    }
}

// What one rank brings, and what it must be told.
struct Side {
    std::vector<std::pair<halo_channel_key, halo_channel_desc>> channels;
    halo_status status = HALO_SUCCESS;
    std::vector<std::string> texts;
};

// After a refusal nothing is changed: the good channel alone can be committed, and works.
void expect_refusal(const std::vector<Side> &sides, int32_t messages) {
    RUN_RANKS(static_cast<int>(sides.size()), [&](Rank &rank) {
        const Side &side = sides[static_cast<size_t>(rank.rank)];
        const bool ends_good = rank.rank < 2;
        std::vector<halo_channel *> channels;
        if (ends_good) channels.push_back(add(rank, key_of(1, 2), desc_of(0, 1, 5)));
        for (const auto &[key, desc] : side.channels) channels.push_back(add(rank, key, desc));
        halo_group *group = nullptr;
        EXPECT_STATUS(side.status, try_commit(rank, channels, messages, &group));
        for (const std::string &text : side.texts) EXPECT_TEXT(text);
        EXPECT_EQ(group, nullptr);
        const std::vector<halo_channel *> good(channels.begin(), channels.begin() + (ends_good ? 1 : 0));
        EXPECT_OK(try_commit(rank, good, HALO_MESSAGES_PER_CHANNEL, &group));
        if (ends_good) exchange_once(rank, channels[0]);
        EXPECT_OK(halo_context_barrier(rank.context));
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

constexpr halo_status mismatch = HALO_ERR_MISMATCH;

class Refusals : public testing::TestWithParam<int32_t> {};

TEST_P(Refusals, MissingReceiver) {
    expect_refusal({ { { { key_of(3, 7), desc_of(0, 1, 4) } },
                       mismatch,
                       { "3 -> 7, field 2, element 14", "from rank 0 to rank 1", "rank 1 brings no such channel" } },
                     { {}, mismatch, { "3 -> 7", "rank 0 brings it", "rank 1 has not registered it" } } },
                   GetParam());
}

TEST_P(Refusals, MissingSender) {
    expect_refusal({ { {}, mismatch, { "3 -> 7", "rank 1 brings it", "rank 0 has not registered it" } },
                     { { { key_of(3, 7), desc_of(0, 1, 4) } }, mismatch, { "3 -> 7", "from rank 0 to rank 1", "rank 0 brings no such channel" } } },
                   GetParam());
}

TEST_P(Refusals, SenderLarger) {
    expect_refusal({ { { { key_of(3, 7), desc_of(0, 1, 4) } }, mismatch, { "3 -> 7", "rank 0 sends 32 bytes", "rank 1 receives at most 24" } },
                     { { { key_of(3, 7), desc_of(0, 1, 3) } }, mismatch, { "3 -> 7", "rank 0 sends 32 bytes", "rank 1 receives at most 24" } } },
                   GetParam());
}

TEST_P(Refusals, Types) {
    expect_refusal({ { { { key_of(3, 7), desc_of(0, 1, 4) } }, mismatch, { "3 -> 7", "rank 0 sends float64", "rank 1 receives int64" } },
                     { { { key_of(3, 7), desc_of(0, 1, 4, HALO_INT64) } }, mismatch, { "rank 0 sends float64", "rank 1 receives int64" } } },
                   GetParam());
}

TEST_P(Refusals, Directions) {
    expect_refusal({ { { { key_of(3, 7), desc_of(0, 1, 4) } }, mismatch, { "3 -> 7", "rank 1 brings no such channel" } },
                     { { { key_of(3, 7), desc_of(1, 0, 4) } }, mismatch, { "3 -> 7", "rank 1 brings it as channel", "from rank 1 to rank 0" } } },
                   GetParam());
}

// Rank 2 believes that it is the sender's peer; rank 1 does not take part in the quarrel, and is told.
TEST_P(Refusals, Ranks) {
    expect_refusal({ { { { key_of(3, 7), desc_of(0, 2, 4) } }, mismatch, { "3 -> 7", "from rank 0 to rank 2", "rank 2 brings no such channel" } },
                     { {}, mismatch, { "rank 0 has refused its channels; first cause, on rank 0: HALO_ERR_MISMATCH", "3 -> 7" } },
                     { { { key_of(3, 7), desc_of(2, 2, 4) } }, mismatch, { "3 -> 7", "rank 2 brings it as", "from rank 2 to rank 2" } } },
                   GetParam());
}

TEST_P(Refusals, ManyDifferences) {
    Side sender{ {}, mismatch, { "3 -> 100", "3 -> 101", "3 -> 102", "and 17 more" } };
    for (int64_t i = 0; i < 20; ++i) sender.channels.emplace_back(key_of(3, 100 + i), desc_of(0, 1, 4));
    expect_refusal({ sender, { {}, mismatch, { "3 -> 100", "and 17 more" } } }, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Messages, Refusals, testing::Values(HALO_MESSAGES_AUTO, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL),
                         testing::PrintToStringParamName());

TEST(Group, NamesAChannelThatIsRegisteredButNotBrought) {
    RUN_RANKS(2, [](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 1, 4));
        halo_group *group = nullptr;
        const std::vector<halo_channel *> brought = rank.first() ? std::vector<halo_channel *>{ channel } : std::vector<halo_channel *>{};
        EXPECT_STATUS(mismatch, try_commit(rank, brought, HALO_MESSAGES_PER_CHANNEL, &group));
        if (!rank.first()) EXPECT_TEXT("brings it not, but has registered it");
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// A rank's own mistake is told to the others, which do not wait for it.
TEST(Group, TellsTheOthersOfAMistake) {
    RUN_RANKS(3, [](Rank &rank) {
        std::vector<halo_channel *> channels;
        if (rank.rank < 2) channels.push_back(add(rank, key_of(3, 7), desc_of(0, 1, 4)));
        std::vector<halo_channel *> given = channels;
        if (rank.rank == 1) given.push_back(nullptr);
        halo_group *group = nullptr;
        EXPECT_STATUS(rank.rank == 1 ? HALO_ERR_ARGUMENT : HALO_ERR_PEER, try_commit(rank, given, HALO_MESSAGES_AGGREGATE, &group));
        EXPECT_TEXT("channel 1 is NULL");
        if (rank.rank != 1) EXPECT_TEXT("rank 1 has refused its channels; first cause, on rank 1: HALO_ERR_");
        EXPECT_OK(try_commit(rank, channels, HALO_MESSAGES_AGGREGATE, &group));
        // In a group already, twice in a list, destroyed, a wrong policy, no list.
        halo_group *second = nullptr;
        EXPECT_STATUS(rank.rank < 2 ? HALO_ERR_STATE : HALO_ERR_PEER, try_commit(rank, channels, HALO_MESSAGES_AGGREGATE, &second));
        EXPECT_TEXT("in a group already", "3 -> 7");
        EXPECT_OK(halo_group_destroy(&group));
        given = channels;
        given.insert(given.end(), channels.begin(), channels.end());
        EXPECT_STATUS(rank.rank < 2 ? HALO_ERR_ARGUMENT : HALO_ERR_PEER, try_commit(rank, given, HALO_MESSAGES_AGGREGATE, &second));
        EXPECT_TEXT("channels 0 and 1 are the same", "3 -> 7");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, try_commit(rank, channels, 17, &second));
        EXPECT_TEXT("messages is 17");
        const halo_status status = rank.rank == 2 ? halo_group_create(rank.context, nullptr, 3, nullptr, &second)
                                                  : halo_group_create(rank.context, channels.data(), std::ssize(channels), nullptr, &second);
        EXPECT_STATUS(rank.rank == 2 ? HALO_ERR_ARGUMENT : HALO_ERR_PEER, status);
        EXPECT_TEXT("3 channels at address");
        for (halo_channel *&channel : channels) {
            halo_channel *copy = channel;
            EXPECT_OK(halo_channel_destroy(&channel));
            channel = copy;
        }
        EXPECT_STATUS(rank.rank < 2 ? HALO_ERR_HANDLE : HALO_ERR_PEER, try_commit(rank, channels, HALO_MESSAGES_AGGREGATE, &second));
        EXPECT_TEXT("channel 0 is destroyed");
        EXPECT_EQ(second, nullptr);
    });
}

// Of a group that is too large for one rank alone all hear, and count alike: what is made next is the same on all.
TEST(Group, TooLargeOnOneRankIsRefusedOnAll) {
    RUN_RANKS(3, [](Rank &rank) {
        std::vector<halo_channel *> large, channels;
        if (rank.rank == 1)
            for (const int32_t field : { 0, 1 }) {
                halo_channel_key key = key_of(3, 7);
                key.field = field;
                large.push_back(add(rank, key, desc_of(1, 1, int64_t{ 1 } << 33)));
            }
        halo_group *group = nullptr;
        EXPECT_STATUS(rank.rank == 1 ? HALO_ERR_LIMIT : HALO_ERR_PEER, try_commit(rank, large, HALO_MESSAGES_AGGREGATE, &group));
        EXPECT_TEXT("the channels within rank 1 have more than 34359738360 bytes");
        for (halo_channel *&channel : large) EXPECT_OK(halo_channel_destroy(&channel));
        if (rank.rank < 2) channels.push_back(add(rank, key_of(1, 2), desc_of(0, 1, 5)));
        EXPECT_OK(try_commit(rank, channels, HALO_MESSAGES_PER_CHANNEL, &group));
        if (rank.rank < 2) exchange_once(rank, channels[0]);
        EXPECT_OK(halo_context_barrier(rank.context));
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

TEST(Group, RefusesDifferentPolicies) {
    RUN_RANKS(2, [](Rank &rank) {
        halo_group *group = nullptr;
        EXPECT_STATUS(mismatch, try_commit(rank, {}, rank.first() ? HALO_MESSAGES_AGGREGATE : HALO_MESSAGES_PER_CHANNEL, &group));
        EXPECT_TEXT("rank 0 commits aggregated channels", "rank 1 one message per channel");
    });
}

TEST(Group, TimesOutNamingWhoIsMissing) {
    if (launched_ranks() != 0) GTEST_SKIP() << "a commit that some ranks never join leaves MPI's ranks apart";
    RUN_RANKS(4, [](Rank &rank) {
        if (rank.rank == 2) return; // never comes
        std::vector<halo_channel *> channels;
        if (rank.rank == 0) channels.push_back(add(rank, key_of(3, 7), desc_of(0, 2, 4)));
        channels.push_back(add(rank, key_of(1, 1), desc_of(rank.rank, rank.rank, 4)));
        halo_group *group = nullptr;
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_STATUS(HALO_TIMEOUT, try_commit(rank, channels, HALO_MESSAGES_PER_CHANNEL, &group, 0.2));
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
        EXPECT_TEXT("timed out", "missing rank");
        if (rank.rank == 0) EXPECT_TEXT("missing rank 2 (1 channels to it, 0 from it)");
        EXPECT_EQ(group, nullptr);
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// The receiver may have more room than comes.
TEST(Group, LetsTheReceiverBeLarger) {
    RUN_RANKS(2, [](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 1, rank.first() ? 5 : 9));
        halo_group *group = nullptr;
        EXPECT_OK(try_commit(rank, { channel }, HALO_MESSAGES_PER_CHANNEL, &group));
        exchange_once(rank, channel);
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// Parts of a small periodic grid share several elements; multigrid levels share even those.
TEST(Group, KeepsChannelsOfOneEdgeApart) {
    RUN_RANKS(2, [](Rank &rank) {
        std::vector<halo_channel *> channels;
        for (int32_t element = 0; element < 27; ++element)
            for (int64_t extra = 0; extra < 3; ++extra) channels.push_back(add(rank, key_of(3, 7, element, extra), desc_of(0, 1, 1, HALO_INT64)));
        halo_group *group = commit(rank, channels);
        for (halo_channel *channel : channels) {
            if (!rank.first()) continue;
            halo_channel_key key{};
            EXPECT_OK(halo_channel_get_key(channel, &key));
            EXPECT_OK(halo_channel_allocate(channel));
            *static_cast<int64_t *>(buffer_of(channel).data) = key.element * 10 + key.extra;
            EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
        }
        for (auto it = channels.rbegin(); it != channels.rend(); ++it) {
            if (rank.first()) {
                wait_writable(*it);
                continue;
            }
            halo_channel_key key{};
            EXPECT_OK(halo_channel_get_key(*it, &key));
            wait_received(*it);
            EXPECT_EQ(*static_cast<int64_t *>(buffer_of(*it).data), key.element * 10 + key.extra);
            EXPECT_OK(halo_channel_stale(*it, HALO_STREAM_NONE));
        }
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// Remesh: unregister and register again, other groups staying alive in between; tags do not collide.
TEST(Group, CommitsAgainAndAgain) {
    RUN_RANKS(2, [](Rank &rank) {
        halo_channel *steady = add(rank, key_of(0, 1), desc_of(0, 1, 5));
        halo_group *steady_group = commit(rank, { steady });
        for (int64_t round = 0; round < 20; ++round) {
            std::vector<halo_channel *> channels;
            for (int64_t i = 0; i < 1 + round % 7; ++i) channels.push_back(add(rank, key_of(3, i), desc_of(0, 1, 5)));
            halo_group *group = commit(rank, channels);
            for (halo_channel *channel : channels) exchange_once(rank, channel);
            exchange_once(rank, steady);
            EXPECT_OK(halo_group_destroy(&group));
            if (round % 2 == 0) { // the channels live on and can be committed again
                group = commit(rank, channels);
                exchange_once(rank, channels[0]);
                EXPECT_OK(halo_channel_destroy(&channels[0]));
                EXPECT_OK(halo_group_destroy(&group));
                channels.erase(channels.begin());
            }
            for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
        }
        EXPECT_OK(halo_group_destroy(&steady_group));
        EXPECT_OK(halo_channel_destroy(&steady));
    });
}

// A channel that was given up can be destroyed, and what its peer still sends does not come to the next one with its key.
TEST(Group, DropsLateMessagesOfAbandonedChannels) {
    RUN_RANKS(2, [](Rank &rank) {
        for (int round = 0; round < 3; ++round) {
            halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 1, 5));
            halo_group *group = commit(rank, { channel });
            if (rank.first()) {
                EXPECT_OK(halo_channel_allocate(channel));
                std::memset(buffer_of(channel).data, 99, 40);
                EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
            } else if (round != 1) {
                EXPECT_OK(halo_channel_start_receive(channel));
                EXPECT_STATUS(HALO_BUSY, halo_channel_destroy(&channel));
            }
            EXPECT_OK(round == 0 ? halo_channel_abandon(channel) : halo_group_abandon(group));
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_start_receive(channel));
            EXPECT_TEXT("abandoned", "3 -> 7");
            EXPECT_OK(halo_group_destroy(&group));
            EXPECT_OK(halo_channel_destroy(&channel));

            channel = add(rank, key_of(3, 7), desc_of(0, 1, 5));
            group = commit(rank, { channel });
            exchange_once(rank, channel);
            EXPECT_OK(halo_context_barrier(rank.context));
            EXPECT_OK(halo_group_destroy(&group));
            EXPECT_OK(halo_channel_destroy(&channel));
        }
    });
}

TEST(Group, ChannelsOfDifferentGroupsAreRefusedEachOthersCalls) {
    RUN_RANKS(1, [](Rank &rank) {
        halo_channel_desc desc = desc_of(0, 0, 5);
        desc.varies = 1;
        halo_channel *channel = add(rank, key_of(3, 7), desc);
        halo_group *group = commit(rank, { channel });
        int32_t answer = 0;
        EXPECT_STATUS(HALO_ERR_STATE, halo_group_writable(group, &answer));
        EXPECT_TEXT("halo_group_writable", "one message per channel");
        EXPECT_STATUS(HALO_ERR_STATE, halo_group_send(group, nullptr, HALO_STREAM_NONE));
        EXPECT_OK(halo_group_destroy(&group));
        group = commit(rank, { channel }, HALO_MESSAGES_AGGREGATE);
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_send(channel, HALO_STREAM_NONE));
        EXPECT_TEXT("in an aggregated group", "3 -> 7");
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_send_bytes(channel, 8, HALO_STREAM_NONE)); // though it varies
        EXPECT_TEXT("send_bytes is illegal", "in an aggregated group", "3 -> 7");
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_allocate(channel));
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_release(channel));
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_try_receive(channel, &answer, nullptr));
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

} // namespace
