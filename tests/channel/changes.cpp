// SPDX-License-Identifier: BSD-3-Clause
// What may change in the life of a channel: its buffer, its size; and allocators that are told of it.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>
#include <tuple>

#include "ranks.h"

namespace {

using namespace test;

constexpr int64_t count = 5;

class Changes : public testing::TestWithParam<int> {
protected:
    // Of the caller's memory, of which there is none yet.
    halo_channel *add(Rank &rank, int32_t receive_rank = 1) {
        const halo_channel_key key = key_of(3, 7);
        halo_channel_desc desc = desc_of(0, receive_rank, count);
        desc.buffer_kind = HALO_BUFFER_CALLER;
        desc.sparse = GetParam();
        halo_channel *channel = nullptr;
        EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
        return channel;
    }
};

void expect_null(Rank &rank, halo_channel *channel) {
    if (rank.first()) {
        EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
        wait_writable(channel);
        return;
    }
    int32_t state = HALO_STALE;
    wait_received(channel, &state);
    EXPECT_EQ(state, HALO_RECEIVED_NULL);
    EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
}

// Another buffer each time.
TEST_P(Changes, ABufferMayBeGivenLateAndAgain) {
    RUN_RANKS(2, [&](Rank &rank) {
        halo_channel *channel = add(rank);
        EXPECT_EQ(buffer_of(channel).data, nullptr);
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_allocate(channel));
        EXPECT_TEXT("3 -> 7", "has no buffer of the caller's yet: halo_channel_set_buffer");
        halo_group *group = commit(rank, { channel });
        std::vector<std::vector<double>> own(6, std::vector<double>(count));
        if (rank.first()) {
            expect_null(rank, channel);
        } else {
            EXPECT_OK(halo_channel_set_buffer(channel, own[5].data()));
            expect_null(rank, channel);
        }
        for (size_t round = 0; round < 4; ++round) {
            double *const mine = own[round].data();
            const uint64_t generation = buffer_of(channel).generation;
            EXPECT_OK(halo_channel_set_buffer(channel, mine));
            EXPECT_EQ(buffer_of(channel).data, mine);
            EXPECT_EQ(buffer_of(channel).bytes, count * 8);
            EXPECT_NE(buffer_of(channel).generation, generation);
            if (rank.first()) {
                std::fill(own[round].begin(), own[round].end(), 3.0 + static_cast<double>(round));
                EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
                wait_writable(channel);
            } else {
                wait_received(channel);
                EXPECT_STATUS(HALO_BUSY, halo_channel_set_buffer(channel, own[5].data()));
                EXPECT_TEXT("set_buffer: the buffer is in use", "state received", "3 -> 7");
                EXPECT_EQ(std::count(own[round].begin(), own[round].end(), 3.0 + static_cast<double>(round)), count);
                EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
            }
        }
        if (rank.first()) EXPECT_OK(halo_channel_set_buffer(channel, nullptr));
        expect_null(rank, channel);
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

INSTANTIATE_TEST_SUITE_P(Sparse, Changes, testing::Values(0, 1));

// A dense receive holds its buffer; where there is none it is not posted.
TEST_P(Changes, APostedReceiveHoldsItsBuffer) {
    if (GetParam() != 0) GTEST_SKIP() << "sparse receivers post nothing before a message is there";
    RUN_RANKS(2, [&](Rank &rank) {
        halo_channel *channel = add(rank);
        halo_group *group = commit(rank, { channel });
        std::vector<double> own(count, 4.0), other(count);
        if (!rank.first()) {
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_start_receive(channel));
            EXPECT_TEXT("no buffer of the caller's yet");
            EXPECT_OK(halo_channel_set_buffer(channel, own.data()));
            EXPECT_OK(halo_channel_start_receive(channel));
            EXPECT_STATUS(HALO_BUSY, halo_channel_set_buffer(channel, other.data()));
            EXPECT_TEXT("set_buffer: the buffer is in use", "with a receive under way");
            EXPECT_STATUS(HALO_BUSY, halo_channel_set_bytes(channel, 80));
            EXPECT_TEXT("set_bytes: something is under way", "3 -> 7");
            EXPECT_EQ(buffer_of(channel).data, own.data());
            halo_context_barrier(rank.context);
            wait_received(channel);
            EXPECT_EQ(own[count - 1], 17.0);
            EXPECT_EQ(other[count - 1], 0.0);
            EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
        } else {
            std::fill(own.begin(), own.end(), 17.0);
            EXPECT_OK(halo_channel_set_buffer(channel, own.data()));
            halo_context_barrier(rank.context);
            EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
            wait_writable(channel);
        }
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// What a sparse receiver has found waits for a buffer.
TEST(Change, AMessageWaitsForItsBuffer) {
    RUN_RANKS(2, [](Rank &rank) {
        const halo_channel_key key = key_of(3, 7);
        halo_channel_desc desc = desc_of(0, 1, count);
        desc.sparse = 1;
        if (!rank.first()) desc.buffer_kind = HALO_BUFFER_CALLER;
        halo_channel *channel = nullptr;
        EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
        halo_group *group = commit(rank, { channel });
        std::vector<double> own(count);
        if (rank.first()) {
            EXPECT_OK(halo_channel_allocate(channel));
            std::fill_n(static_cast<double *>(buffer_of(channel).data), count, 5.0);
            EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
            wait_writable(channel);
        } else {
            int32_t done = 0;
            halo_status status = HALO_SUCCESS;
            while (status == HALO_SUCCESS && !done) {
                status = halo_channel_try_receive(channel, &done, nullptr);
                std::this_thread::yield();
            }
            EXPECT_STATUS(HALO_ERR_STATE, status);
            EXPECT_TEXT("no buffer of the caller's yet");
            EXPECT_OK(halo_channel_set_buffer(channel, own.data()));
            wait_received(channel);
            EXPECT_EQ(std::count(own.begin(), own.end(), 5.0), count);
            EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
        }
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

TEST_P(Changes, SetBufferIsRefusedWhereBuffersAreNotTheCallers) {
    RUN_RANKS(1, [&](Rank &rank) {
        std::vector<double> own(count);
        halo_channel *channel = add(rank, 0);
        halo_group *group = commit(rank, { channel }, HALO_MESSAGES_AGGREGATE);
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_set_buffer(channel, own.data()));
        EXPECT_TEXT("set_buffer is illegal", "in an aggregated group", "3 -> 7");
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_abandon(channel));
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_set_buffer(channel, own.data()));
        EXPECT_TEXT("abandoned");
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_set_bytes(channel, 8));
        EXPECT_TEXT("set_bytes is illegal", "abandoned");
        EXPECT_OK(halo_channel_destroy(&channel));
        const halo_channel_key key = key_of(3, 8);
        const halo_channel_desc desc = desc_of(0, 0, count);
        EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
        EXPECT_STATUS(HALO_ERR_STATE, halo_channel_set_buffer(channel, own.data()));
        EXPECT_TEXT("set_buffer: the channel's buffers are not the caller's", "3 -> 8");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_set_bytes(channel, 12));
        EXPECT_TEXT("set_bytes: 12 bytes, of a channel of float64", "3 -> 8");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_set_bytes(channel, -8));
        EXPECT_STATUS(HALO_ERR_LIMIT, halo_channel_set_bytes(channel, INT64_MAX / 8 * 8));
        EXPECT_EQ(buffer_of(channel).bytes, count * 8);
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

halo_channel *add(Rank &rank, int64_t receive_gid, Memory &memory, int32_t sparse = 0) {
    const halo_channel_key key = key_of(3, receive_gid);
    halo_channel_desc desc = desc_of(0, 1, count);
    desc.sparse = sparse;
    memory.describe(desc);
    halo_channel *channel = nullptr;
    EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
    return channel;
}

void exchange(Rank &rank, halo_channel *channel, int64_t n, double value) {
    if (rank.first()) {
        wait_writable(channel);
        EXPECT_OK(halo_channel_allocate(channel));
        ASSERT_EQ(buffer_of(channel).bytes, n * 8);
        std::fill_n(static_cast<double *>(buffer_of(channel).data), n, value);
        EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
        wait_writable(channel);
        return;
    }
    wait_received(channel);
    const halo_buffer came = buffer_of(channel);
    ASSERT_EQ(came.bytes, n * 8);
    EXPECT_EQ(std::count(static_cast<double *>(came.data), static_cast<double *>(came.data) + n, value), n);
    EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
}

// Kind of buffer, and whether sparse. One channel grows, shrinks and grows again; another one of the first group goes on meanwhile.
class Sizes : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Sizes, ChangeBesideOthersThatGoOn) {
    const auto [kind, sparse] = GetParam();
    RUN_RANKS(2, [&, kind = kind, sparse = sparse](Rank &rank) {
        constexpr int64_t most = 40;
        Memory steady_memory(HALO_BUFFER_POOL, 0), memory(kind, most * 8);
        halo_channel *steady = add(rank, 1, steady_memory), *changing = add(rank, 7, memory, sparse);
        std::vector<halo_group *> groups = { commit(rank, { steady, changing }) };
        exchange(rank, changing, count, 1);
        std::vector<double> own(most);
        for (const int64_t n : { int64_t{ 20 }, int64_t{ 3 }, int64_t{ 0 }, most }) {
            EXPECT_OK(halo_channel_set_bytes(changing, n * 8));
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_send_null(changing, HALO_STREAM_NONE));
            EXPECT_TEXT("not committed by a group", "3 -> 7");
            EXPECT_TRUE(n < 20 || buffer_of(changing).data == nullptr) << "it is too small for " << n;
            exchange(rank, steady, count, static_cast<double>(n));
            groups.push_back(commit(rank, { changing }));
            if (kind == HALO_BUFFER_CALLER) EXPECT_OK(halo_channel_set_buffer(changing, own.data()));
            exchange(rank, changing, n, 100 + static_cast<double>(n));
            exchange(rank, steady, count, static_cast<double>(n) + 0.5);
        }
        for (halo_group *&group : groups) EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&steady));
        EXPECT_OK(halo_channel_destroy(&changing));
        EXPECT_EQ(memory.blocks_out(), 0);
    });
}

INSTANTIATE_TEST_SUITE_P(All, Sizes,
                         testing::Combine(testing::Values(HALO_BUFFER_POOL, HALO_BUFFER_CALLER, HALO_BUFFER_ALLOCATOR), testing::Values(0, 1)));

// Both ends, or the commit names them.
TEST(Change, SizesOfBothEndsAreCompared) {
    RUN_RANKS(2, [](Rank &rank) {
        Memory memory(HALO_BUFFER_POOL, 0);
        halo_channel *channel = add(rank, 7, memory);
        halo_group *first = commit(rank, { channel });
        exchange(rank, channel, count, 1);
        EXPECT_OK(halo_channel_set_bytes(channel, rank.first() ? 80 : 48));
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = HALO_MESSAGES_PER_CHANNEL;
        halo_group *second = nullptr;
        EXPECT_STATUS(HALO_ERR_MISMATCH, halo_group_create(rank.context, &channel, 1, &desc, &second));
        EXPECT_TEXT("3 -> 7", "rank 0 sends 80 bytes, rank 1 receives at most 48");
        if (!rank.first()) EXPECT_OK(halo_channel_set_bytes(channel, 80));
        second = commit(rank, { channel });
        exchange(rank, channel, 10, 2);
        EXPECT_OK(halo_group_destroy(&first));
        EXPECT_OK(halo_group_destroy(&second));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// Its slice is null from then on; between runs only.
TEST(Change, AChannelMayLeaveAnAggregatedGroup) {
    RUN_RANKS(1, [](Rank &rank) {
        const halo_channel_key keys[] = { key_of(3, 1), key_of(3, 2) };
        const halo_channel_desc desc = desc_of(0, 0, count);
        halo_channel *channels[2] = {};
        for (int i = 0; i < 2; ++i) EXPECT_OK(halo_channel_register(rank.context, &keys[i], &desc, &channels[i]));
        halo_group *group = commit(rank, { channels[0], channels[1] }, HALO_MESSAGES_AGGREGATE);
        EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
        EXPECT_STATUS(HALO_BUSY, halo_channel_set_bytes(channels[0], 800));
        EXPECT_OK(halo_group_drain(group, 60));
        EXPECT_OK(halo_channel_set_bytes(channels[0], 800));
        halo_group *own = commit(rank, { channels[0] });
        EXPECT_OK(halo_channel_allocate(channels[0]));
        EXPECT_EQ(buffer_of(channels[0]).bytes, 800);
        EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
        const halo_group_row *rows = nullptr;
        int64_t n = 0;
        EXPECT_OK(halo_group_table(group, sizeof *rows, &rows, &n));
        ASSERT_EQ(n, 2);
        EXPECT_EQ(rows[0].channel, nullptr);
        EXPECT_EQ(rows[1].state, HALO_SENDING);
        EXPECT_OK(halo_group_drain(group, 60));
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_group_destroy(&own));
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// Blocks by the channel that they were asked for.
struct Ledger {
    std::map<int64_t, size_t> bytes; // by receive_gid

    static void *allocate(void *user, const halo_channel_key *key, size_t bytes) {
        EXPECT_EQ(key->send_gid, 3);
        EXPECT_TRUE(static_cast<Ledger *>(user)->bytes.emplace(key->receive_gid, bytes).second) << key->receive_gid << " has a block";
        return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    }
    static void release(void *user, const halo_channel_key *key, void *pointer, size_t bytes) {
        auto &all = static_cast<Ledger *>(user)->bytes;
        EXPECT_EQ(all.count(key->receive_gid), 1u);
        EXPECT_EQ(all[key->receive_gid], bytes);
        all.erase(key->receive_gid);
        std::free(pointer);
    }
};

TEST(Change, AllocatorsAreToldTheirChannel) {
    RUN_RANKS(2, [](Rank &rank) {
        Ledger ledger;
        halo_channel_allocator allocator = HALO_CHANNEL_ALLOCATOR_INIT;
        allocator.user = &ledger, allocator.allocate = Ledger::allocate, allocator.release = Ledger::release;
        std::vector<halo_channel *> channels;
        for (int64_t i = 0; i < 6; ++i) {
            const halo_channel_key key = key_of(3, 10 + i);
            halo_channel_desc desc = desc_of(0, 1, 1 + i);
            desc.sparse = static_cast<int32_t>(i % 2);
            desc.buffer_kind = HALO_BUFFER_ALLOCATOR, desc.allocator = &allocator;
            halo_channel *channel = nullptr;
            EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
            channels.push_back(channel);
        }
        halo_group *group = commit(rank, channels);
        for (int64_t i = 0; i < 6; ++i) exchange(rank, channels[static_cast<size_t>(i)], 1 + i, static_cast<double>(i));
        EXPECT_EQ(ledger.bytes.size(), 6u);
        for (const auto &[gid, bytes] : ledger.bytes) EXPECT_EQ(bytes, static_cast<size_t>(64 + 8 * (gid - 9)));
        EXPECT_OK(halo_channel_release(channels[2]));
        EXPECT_EQ(ledger.bytes.count(12), 0u);
        EXPECT_EQ(ledger.bytes.size(), 5u);
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
        EXPECT_TRUE(ledger.bytes.empty());
    });
}

} // namespace
