// SPDX-License-Identifier: BSD-3-Clause
// Registering, finding, destroying; wrong arguments; handles after their end.
#include <algorithm>
#include <random>

#include "ranks.h"

namespace {

using namespace test;

halo_channel *add(Rank &rank, const halo_channel_key &key, const halo_channel_desc &desc) {
    halo_channel *channel = nullptr;
    EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
    return channel;
}

TEST(Registry, FindsWhatIsRegistered) {
    RUN_RANKS(1, [](Rank &rank) {
        const halo_channel_desc desc = desc_of(0, 0, 3);
        const halo_channel_key key = key_of(3, 7);
        halo_channel *channel = add(rank, key, desc);
        halo_channel *found = nullptr;
        EXPECT_OK(halo_channel_find(rank.context, &key, &found));
        EXPECT_EQ(found, channel);
        halo_channel_key back{};
        EXPECT_OK(halo_channel_get_key(found, &back));
        EXPECT_EQ(back.receive_gid, 7);
        const halo_channel_key others[] = { key_of(7, 3), key_of(3, 7, 12), key_of(3, 7, 14, 1), { 3, 7, 1, 14, 0 } };
        for (const halo_channel_key &other : others) {
            found = channel;
            EXPECT_STATUS(HALO_ERR_NOT_FOUND, halo_channel_find(rank.context, &other, &found));
            EXPECT_TEXT("is not registered on rank 0", "element " + std::to_string(other.element));
            EXPECT_EQ(found, channel);
        }
        EXPECT_OK(halo_channel_destroy(&channel));
        EXPECT_STATUS(HALO_ERR_NOT_FOUND, halo_channel_find(rank.context, &key, &found));
    });
}

TEST(Registry, RefusesAKeyTwice) {
    RUN_RANKS(1, [](Rank &rank) {
        const halo_channel_desc desc = desc_of(0, 0, 3);
        const halo_channel_key key = key_of(3, 7, 14, 9);
        halo_channel *channel = add(rank, key, desc);
        halo_channel *second = nullptr;
        EXPECT_STATUS(HALO_ERR_EXISTS, halo_channel_register(rank.context, &key, &desc, &second));
        EXPECT_TEXT("3 -> 7, field 2, element 14, extra 9", "already registered");
        EXPECT_EQ(second, nullptr);
        EXPECT_OK(halo_channel_destroy(&channel));
        channel = add(rank, key, desc);
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

TEST(Registry, RegistersAllOrNone) {
    RUN_RANKS(1, [](Rank &rank) {
        std::vector<halo_channel_key> keys;
        for (int i = 0; i < 100; ++i) keys.push_back(key_of(i, i + 1));
        keys[70] = keys[20];
        const std::vector<halo_channel_desc> descs(keys.size(), desc_of(0, 0, 1));
        std::vector<halo_channel *> channels(keys.size());
        EXPECT_STATUS(HALO_ERR_EXISTS,
                      halo_channel_register_many(rank.context, keys.data(), descs.data(), sizeof descs[0], std::ssize(keys), channels.data()));
        EXPECT_TEXT("20 -> 21");
        for (const halo_channel_key &key : keys) EXPECT_STATUS(HALO_ERR_NOT_FOUND, halo_channel_find(rank.context, &key, &channels[0]));
        keys[70] = key_of(70, 71);
        EXPECT_OK(halo_channel_register_many(rank.context, keys.data(), descs.data(), sizeof descs[0], std::ssize(keys), channels.data()));
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
        EXPECT_OK(halo_channel_register_many(rank.context, nullptr, nullptr, 0, 0, nullptr));
    });
}

// Descriptors of a caller that knows a larger struct, whose unknown tail is zero.
TEST(Registry, TakesLargerDescriptors) {
    struct Larger {
        halo_channel_desc desc;
        int64_t unknown;
    };
    RUN_RANKS(1, [](Rank &rank) {
        Larger descs[2] = { { desc_of(0, 0, 1), 0 }, { desc_of(0, 0, 1), 0 } };
        for (Larger &larger : descs) larger.desc.struct_size = sizeof larger;
        const halo_channel_key keys[2] = { key_of(1, 2), key_of(2, 3) };
        halo_channel *channels[2];
        EXPECT_OK(halo_channel_register_many(rank.context, keys, &descs[0].desc, sizeof(Larger), 2, channels));
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
        descs[1].unknown = 1;
        EXPECT_STATUS(HALO_ERR_VERSION, halo_channel_register_many(rank.context, keys, &descs[0].desc, sizeof(Larger), 2, channels));
        EXPECT_STATUS(HALO_ERR_VERSION, halo_channel_register_many(rank.context, keys, &descs[0].desc, sizeof(halo_channel_desc), 2, channels));
    });
}

TEST(Registry, RefusesWrongDescriptions) {
    RUN_RANKS(2, [](Rank &rank) {
        if (!rank.first()) return;
        struct Case {
            const char *name;
            std::function<void(halo_channel_key &, halo_channel_desc &)> spoil;
            const char *text;
        };
        const Case cases[] = {
            { "element", [](auto &key, auto &) { key.element = 27; }, "elements are 0 to 26" },
            { "rank", [](auto &, auto &desc) { desc.receive_rank = 2; }, "ranks are 0 to 1" },
            { "no end here", [](auto &, auto &desc) { desc.send_rank = desc.receive_rank = 1; }, "no end on this rank, 0" },
            { "count", [](auto &, auto &desc) { desc.count = -4; }, "a count of -4" },
            { "type", [](auto &, auto &desc) { desc.type = 99; }, "type 99" },
            { "element_bytes",
              [](auto &, auto &desc) {
                  desc.type = HALO_BYTES;
                  desc.element_bytes = 0;
              },
              "element_bytes 0" },
            { "sparse", [](auto &, auto &desc) { desc.sparse = 2; }, "sparse is 2" },
            { "kind", [](auto &, auto &desc) { desc.buffer_kind = 7; }, "buffer_kind is 7" },
            { "allocator", [](auto &, auto &desc) { desc.buffer_kind = HALO_BUFFER_ALLOCATOR; }, "without an allocator" },
        };
        for (const Case &one : cases) {
            SCOPED_TRACE(one.name);
            halo_channel_key key = key_of(3, 7);
            halo_channel_desc desc = desc_of(0, 1, 4);
            one.spoil(key, desc);
            halo_channel *channel = nullptr;
            EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_register(rank.context, &key, &desc, &channel));
            EXPECT_TEXT("3 -> 7, field 2", one.text);
            EXPECT_EQ(channel, nullptr);
            EXPECT_STATUS(HALO_ERR_NOT_FOUND, halo_channel_find(rank.context, &key, &channel));
        }
    });
}

TEST(Registry, NoticesDestroyedHandles) {
    RUN_RANKS(1, [](Rank &rank) {
        const halo_channel_key key = key_of(3, 7);
        const halo_channel_desc desc = desc_of(0, 0, 3);
        halo_channel *channel = add(rank, key, desc);
        halo_channel *copy = channel;
        EXPECT_OK(halo_channel_destroy(&channel));
        // Still noticed after others came and went in its place.
        for (int i = 0; i < 3000; ++i) {
            halo_channel *other = add(rank, key, desc);
            EXPECT_NE(other, copy);
            EXPECT_OK(halo_channel_destroy(&other));
        }
        int32_t answer = 0;
        halo_buffer buffer = HALO_BUFFER_INIT;
        EXPECT_STATUS(HALO_ERR_HANDLE, halo_channel_send(copy, HALO_STREAM_NONE));
        EXPECT_STATUS(HALO_ERR_HANDLE, halo_channel_try_receive(copy, &answer, nullptr));
        EXPECT_STATUS(HALO_ERR_HANDLE, halo_channel_buffer(copy, &buffer));
        EXPECT_STATUS(HALO_ERR_HANDLE, halo_channel_destroy(&copy));
        EXPECT_TEXT("has been destroyed");
        EXPECT_NE(std::string(halo_context_error(rank.context)).find("has been destroyed"), std::string::npos);
        halo_channel *none = nullptr;
        EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_send(none, HALO_STREAM_NONE));
    });
}

TEST(Registry, KeepsItsContextAlive) {
    RUN_RANKS(1, [](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 0, 3));
        EXPECT_STATUS(HALO_BUSY, halo_context_destroy(&rank.context));
        EXPECT_NE(rank.context, nullptr);
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// Random registering and destroying against a list.
TEST(Registry, IsAsAListSays) {
    RUN_RANKS(1, [](Rank &rank) {
        std::mt19937_64 random(7);
        std::vector<std::pair<halo_channel_key, halo_channel *>> list;
        const halo_channel_desc desc = desc_of(0, 0, 1);
        for (int round = 0; round < 20000; ++round) {
            const auto number = static_cast<int64_t>(random() % 3000);
            const halo_channel_key key = key_of(number % 17, number % 13, static_cast<int32_t>(number % 27), number);
            const auto known = std::find_if(list.begin(), list.end(), [&](auto &entry) { return entry.first.extra == number; });
            halo_channel *channel = nullptr;
            ASSERT_EQ(halo_channel_find(rank.context, &key, &channel), known == list.end() ? HALO_ERR_NOT_FOUND : HALO_SUCCESS);
            if (known == list.end()) {
                list.emplace_back(key, add(rank, key, desc));
                continue;
            }
            ASSERT_EQ(channel, known->second);
            ASSERT_OK(halo_channel_destroy(&known->second));
            list.erase(known);
        }
        for (auto &[key, channel] : list) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

} // namespace
