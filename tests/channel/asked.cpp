// SPDX-License-Identifier: BSD-3-Clause
// What channels and groups are asked for: the description as it stands, of which an equal one is made.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "ranks.h"

namespace {

using namespace test;

template <class Desc>
bool equal(const Desc &a, const Desc &b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

halo_channel_desc asked(const halo_channel *channel) {
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    EXPECT_OK(halo_channel_get_desc(channel, &desc));
    return desc;
}

halo_group_desc asked(const halo_group *group) {
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    EXPECT_OK(halo_group_get_desc(group, &desc));
    return desc;
}

halo_channel *add(const Rank &rank, const halo_channel_key &key, const halo_channel_desc &desc) {
    halo_channel *channel = nullptr;
    EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
    return channel;
}

// It is destroyed, and made of what it said.
void renew(const Rank &rank, halo_channel *&channel) {
    const halo_channel_desc desc = asked(channel);
    halo_channel_key key{};
    EXPECT_OK(halo_channel_get_key(channel, &key));
    EXPECT_OK(halo_channel_destroy(&channel));
    channel = add(rank, key, desc);
    EXPECT_TRUE(equal(asked(channel), desc));
}

// From rank 0 to rank 1.
void exchange(const Rank &rank, halo_channel *channel, unsigned char value, int64_t bytes) {
    if (rank.first()) {
        EXPECT_OK(halo_channel_allocate(channel));
        ASSERT_EQ(buffer_of(channel).bytes, bytes);
        std::fill_n(static_cast<unsigned char *>(buffer_of(channel).data), bytes, value);
        EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
        wait_writable(channel);
        return;
    }
    wait_received(channel);
    const halo_buffer came = buffer_of(channel);
    ASSERT_EQ(came.bytes, bytes);
    const auto *values = static_cast<const unsigned char *>(came.data);
    EXPECT_EQ(std::count(values, values + bytes, value), bytes);
    EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
}

TEST(Asked, ChannelsSayAllThatWasGiven) {
    RUN_RANKS(2, [](Rank &rank) {
        Memory own(HALO_BUFFER_CALLER, 400), allocator(HALO_BUFFER_ALLOCATOR, 0);
        for (const auto [from, to] : { std::pair{ 0, 1 }, { 1, 0 }, { rank.rank, rank.rank } })
            for (Memory *memory : { static_cast<Memory *>(nullptr), &own, &allocator })
                for (const int32_t flags : { 0, 1, 2, 3 }) {
                    halo_channel_desc desc = desc_of(from, to, 7, HALO_FLOAT32);
                    desc.element_bytes = 4;
                    desc.sparse = flags & 1, desc.varies = flags >> 1;
                    if (memory) memory->describe(desc);
                    halo_channel *channel = add(rank, key_of(3, 7), desc);
                    EXPECT_TRUE(equal(asked(channel), desc)) << from << " to " << to << ", kind " << desc.buffer_kind << ", flags " << flags;
                    EXPECT_OK(halo_channel_destroy(&channel));
                }
    });
}

// Of a later version: what this one does not know is zero, and what follows is the caller's.
template <class Desc, class Object>
void expect_filled(halo_status (*get)(const Object *, Desc *), const Object *object, const Desc &wanted) {
    struct {
        Desc desc;
        int64_t later, behind;
    } newer{ wanted, 5, 6 };
    std::memset(reinterpret_cast<char *>(&newer.desc) + sizeof(size_t) + sizeof(int32_t), 0x5a, sizeof(Desc) - sizeof(size_t) - sizeof(int32_t));
    newer.desc.struct_size = sizeof(Desc) + sizeof newer.later;
    EXPECT_OK(get(object, &newer.desc));
    EXPECT_EQ(newer.desc.struct_size, sizeof(Desc) + sizeof newer.later);
    newer.desc.struct_size = sizeof(Desc);
    EXPECT_TRUE(equal(newer.desc, wanted));
    EXPECT_EQ(newer.later, 0);
    EXPECT_EQ(newer.behind, 6);
}

TEST(Asked, WhatIsRefusedLeavesTheDescription) {
    RUN_RANKS(1, [](Rank &rank) {
        halo_channel_desc wanted = desc_of(0, 0, 4), desc = wanted;
        wanted.element_bytes = 8;
        halo_channel *channel = add(rank, key_of(3, 7), desc), *const gone = channel;
        halo_group *group = commit(rank, { channel }), *const gone_group = group;
        halo_group_desc of_group = HALO_GROUP_DESC_INIT;
        of_group.messages = HALO_MESSAGES_PER_CHANNEL, of_group.timeout_seconds = 60;
        expect_filled(halo_channel_get_desc, static_cast<const halo_channel *>(channel), wanted);
        expect_filled(halo_group_get_desc, static_cast<const halo_group *>(group), of_group);
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_get_desc(channel, nullptr));
        EXPECT_TEXT("'desc' is NULL");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_group_get_desc(group, nullptr));
        EXPECT_TEXT("'desc' is NULL");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_get_desc(nullptr, &desc));
        EXPECT_TEXT("channel handle is NULL");
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_group_get_desc(nullptr, &of_group));
        EXPECT_TEXT("handle is NULL");
        desc.struct_version = 9;
        EXPECT_STATUS(HALO_ERR_VERSION, halo_channel_get_desc(channel, &desc));
        EXPECT_TEXT("halo_channel_desc", "struct_version is 9");
        EXPECT_EQ(desc.element_bytes, 0);
        desc.struct_version = 1, desc.struct_size = 16;
        EXPECT_STATUS(HALO_ERR_VERSION, halo_channel_get_desc(channel, &desc));
        EXPECT_TEXT("halo_channel_desc", "struct_size is 16");
        EXPECT_EQ(desc.element_bytes, 0);
        desc.struct_size = sizeof desc;
        of_group.struct_size = 16;
        EXPECT_STATUS(HALO_ERR_VERSION, halo_group_get_desc(group, &of_group));
        EXPECT_TEXT("halo_group_desc", "struct_size is 16");
        of_group.struct_size = sizeof of_group;
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
        EXPECT_STATUS(HALO_ERR_HANDLE, halo_channel_get_desc(gone, &desc));
        EXPECT_TEXT("channel", "has been destroyed");
        EXPECT_STATUS(HALO_ERR_HANDLE, halo_group_get_desc(gone_group, &of_group));
        EXPECT_TEXT("group", "destroyed");
        EXPECT_EQ(desc.element_bytes, 0);
    });
}

TEST(Asked, ElementsAreThoseOfTheType) {
    RUN_RANKS(1, [](Rank &rank) {
        halo_channel_desc bytes = desc_of(0, 0, 5, HALO_BYTES), none = desc_of(0, 0, 0, HALO_BYTES), wrong = desc_of(0, 0, 6, HALO_INT16);
        bytes.element_bytes = 12, none.element_bytes = INT64_MAX, wrong.element_bytes = 77;
        wrong.buffer = &rank; // of no use to a pool, and not kept
        halo_channel *channels[] = { add(rank, key_of(3, 1), bytes), add(rank, key_of(3, 2), none), add(rank, key_of(3, 3), wrong) };
        EXPECT_TRUE(equal(asked(channels[0]), bytes));
        EXPECT_TRUE(equal(asked(channels[1]), none));
        EXPECT_EQ(asked(channels[2]).element_bytes, 2);
        EXPECT_EQ(asked(channels[2]).count, 6);
        EXPECT_EQ(asked(channels[2]).buffer, nullptr);
        for (const auto [size, count, element] : { std::array<int64_t, 3>{ 36, 3, 12 }, { 37, 37, 1 }, { 0, 0, 12 }, { 24, 2, 12 } }) {
            EXPECT_OK(halo_channel_set_bytes(channels[0], size));
            EXPECT_EQ(asked(channels[0]).count, count);
            EXPECT_EQ(asked(channels[0]).element_bytes, element);
            renew(rank, channels[0]);
            EXPECT_EQ(buffer_of(channels[0]).bytes, size);
            if (element == 1) { // and so it stays: of what was registered first nothing is known any more
                EXPECT_OK(halo_channel_destroy(&channels[0]));
                channels[0] = add(rank, key_of(3, 1), bytes);
            }
        }
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// The buffer given last, and the size set last, through a channel's life.
TEST(Asked, ChannelsSayWhatHasChanged) {
    RUN_RANKS(2, [](Rank &rank) {
        halo_channel_desc desc = desc_of(0, 1, 4);
        desc.element_bytes = 8, desc.buffer_kind = HALO_BUFFER_CALLER, desc.varies = 1;
        halo_channel *channel = add(rank, key_of(3, 7), desc);
        EXPECT_EQ(asked(channel).buffer, nullptr);
        halo_group *group = commit(rank, { channel });
        std::vector<double> own(4), larger(9);
        desc.buffer = own.data();
        EXPECT_OK(halo_channel_set_buffer(channel, own.data()));
        EXPECT_TRUE(equal(asked(channel), desc)) << "in a group";
        exchange(rank, channel, 3, 32);
        EXPECT_TRUE(equal(asked(channel), desc)) << "after a message";
        EXPECT_OK(halo_channel_release(channel));
        EXPECT_EQ(buffer_of(channel).data, nullptr);
        EXPECT_TRUE(equal(asked(channel), desc)) << "given back, and still the one that allocate takes";
        EXPECT_OK(halo_channel_set_bytes(channel, 72));
        desc.buffer = nullptr, desc.count = 9;
        EXPECT_TRUE(equal(asked(channel), desc)) << "the buffer is the caller's again";
        EXPECT_OK(halo_channel_set_buffer(channel, larger.data()));
        renew(rank, channel);
        desc.buffer = larger.data();
        EXPECT_TRUE(equal(asked(channel), desc));
        EXPECT_EQ(buffer_of(channel).data, larger.data());
        halo_group *again = commit(rank, { channel });
        exchange(rank, channel, 5, 72);
        EXPECT_OK(halo_channel_set_buffer(channel, nullptr));
        EXPECT_EQ(asked(channel).buffer, nullptr);
        EXPECT_OK(halo_channel_set_bytes(channel, 0)); // held without a buffer, of which nothing is told
        EXPECT_NE(buffer_of(channel).data, nullptr);
        desc.buffer = nullptr, desc.count = 0;
        EXPECT_TRUE(equal(asked(channel), desc));
        EXPECT_OK(halo_channel_abandon(channel));
        EXPECT_TRUE(equal(asked(channel), desc)) << "abandoned";
        for (halo_group **each : { &group, &again }) EXPECT_OK(halo_group_destroy(each));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// While the receive is posted and the message is here, too.
TEST(Asked, NothingIsDoneToAChannelThatIsUnderWay) {
    RUN_RANKS(2, [](Rank &rank) {
        const halo_channel_desc desc = desc_of(0, 1, 4);
        halo_channel *channel = add(rank, key_of(3, 7), desc);
        const halo_channel_desc before = asked(channel);
        halo_group *group = commit(rank, { channel });
        if (!rank.first()) {
            EXPECT_OK(halo_channel_start_receive(channel));
            EXPECT_TRUE(equal(asked(channel), before));
            EXPECT_OK(halo_context_barrier(rank.context));
            wait_received(channel);
            EXPECT_TRUE(equal(asked(channel), before));
            EXPECT_EQ(state_of(channel), HALO_RECEIVED);
            EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
        } else {
            EXPECT_OK(halo_channel_allocate(channel));
            EXPECT_OK(halo_context_barrier(rank.context));
            EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
            EXPECT_TRUE(equal(asked(channel), before));
            wait_writable(channel);
        }
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// Of each kind of buffer, sparse or not, before and after other bytes: it carries what the first one did, and the allocator has all blocks back.
TEST(Asked, ADescriptionMakesAnEqualChannel) {
    RUN_RANKS(2, [](Rank &rank) {
        for (const int32_t kind : { HALO_BUFFER_POOL, HALO_BUFFER_CALLER, HALO_BUFFER_ALLOCATOR })
            for (const int32_t sparse : { 0, 1 }) {
                Memory memory(kind, 100);
                halo_channel_desc desc = desc_of(0, 1, 3, HALO_BYTES);
                desc.element_bytes = 10, desc.sparse = sparse;
                memory.describe(desc);
                halo_channel *channel = add(rank, key_of(3, 7), desc);
                for (const int64_t bytes : { 30, 77 }) {
                    if (bytes != 30) {
                        void *const buffer = asked(channel).buffer;
                        EXPECT_OK(halo_channel_set_bytes(channel, bytes));
                        if (buffer) EXPECT_OK(halo_channel_set_buffer(channel, buffer));
                    }
                    for (const unsigned char value : { 11, 12 }) {
                        halo_group *group = commit(rank, { channel });
                        exchange(rank, channel, value, bytes);
                        EXPECT_OK(halo_group_destroy(&group));
                        renew(rank, channel);
                    }
                }
                EXPECT_EQ(asked(channel).allocator, desc.allocator);
                EXPECT_OK(halo_channel_destroy(&channel));
                EXPECT_EQ(memory.blocks_out(), 0);
            }
    });
}

TEST(Asked, GroupsSayWhatWasGiven) {
    RUN_RANKS(2, [](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 1, 4));
        const halo_group_desc initial = HALO_GROUP_DESC_INIT;
        halo_group_desc aggregate = initial, own = initial;
        aggregate.messages = HALO_MESSAGES_AGGREGATE, aggregate.timeout_seconds = 50;
        own.messages = HALO_MESSAGES_PER_CHANNEL, own.timeout_seconds = 70;
        const halo_channel_desc of_channel = asked(channel);
        const halo_group_desc *const given[] = { nullptr, &initial, &aggregate, &own };
        for (const halo_group_desc *desc : given) {
            const halo_group_desc wanted = desc ? *desc : initial;
            halo_group *group = nullptr;
            EXPECT_OK(halo_group_create(rank.context, &channel, 1, desc, &group));
            const halo_group_desc got = asked(group);
            EXPECT_TRUE(equal(got, wanted)) << got.messages << ", " << got.timeout_seconds;
            EXPECT_TRUE(equal(asked(channel), of_channel)) << "in a group of any kind";
            EXPECT_OK(halo_group_destroy(&group));
            EXPECT_OK(halo_group_create(rank.context, &channel, 1, &got, &group));
            EXPECT_TRUE(equal(asked(group), wanted));
            EXPECT_OK(halo_group_abandon(group));
            EXPECT_TRUE(equal(asked(group), wanted)) << "abandoned";
            EXPECT_OK(halo_group_destroy(&group));
            renew(rank, channel);
        }
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

} // namespace
