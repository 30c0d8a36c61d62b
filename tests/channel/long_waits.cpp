// SPDX-License-Identifier: BSD-3-Clause
// Who polls channels for longer than the warning time finds in the log what is waited for, once a wait.
#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "ranks.h"

namespace {

using namespace test;

// What the ranks of this process have logged of channels.
struct Lines {
    std::mutex mutex;
    std::vector<std::string> all;

    static void write(void *user, int32_t, const char *text) {
        auto *lines = static_cast<Lines *>(user);
        const std::lock_guard lock(lines->mutex);
        lines->all.emplace_back(text);
    }
    int64_t with(const std::vector<std::string> &parts) {
        const std::lock_guard lock(mutex);
        return std::count_if(all.begin(), all.end(), [&](const std::string &line) {
            return std::all_of(parts.begin(), parts.end(), [&](const std::string &part) { return line.find(part) != std::string::npos; });
        });
    }
    std::string text() {
        const std::lock_guard lock(mutex);
        std::string text;
        for (const std::string &line : all) text += line + "\n";
        return text;
    }
};

void run_with(Lines &lines, int n, const char *warn_after, const std::function<void(Rank &)> &body) {
    const halo_setting warn{ "warn_after", warn_after };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = &warn;
    options.n_settings = 1;
    options.log = Lines::write;
    options.log_user = &lines;
    RUN_RANKS(n, body, &options);
}

// Polls until there are `n` such lines, then for about as long again; there must be no more of them.
void poll_until(Lines &lines, int64_t n, const std::vector<std::string> &parts, const std::function<void()> &poll) {
    const auto begin = std::chrono::steady_clock::now();
    while (lines.with(parts) < n && std::chrono::steady_clock::now() < begin + std::chrono::seconds(30)) poll();
    const std::chrono::steady_clock::duration least = std::chrono::milliseconds(100), most = std::chrono::seconds(2);
    const auto taken = std::clamp(std::chrono::steady_clock::now() - begin, least, most);
    for (const auto end = std::chrono::steady_clock::now() + taken; std::chrono::steady_clock::now() < end;) poll();
    EXPECT_EQ(lines.with(parts), n) << lines.text();
}

halo_channel *add(Rank &rank, const halo_channel_key &key, const halo_channel_desc &desc) {
    halo_channel *channel = nullptr;
    EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
    return channel;
}

void try_receive(halo_channel *channel) {
    int32_t done = 1;
    EXPECT_OK(halo_channel_try_receive(channel, &done, nullptr));
    EXPECT_EQ(done, 0);
}

void end(halo_channel *channel, halo_group *group) {
    EXPECT_OK(halo_channel_destroy(&channel));
    EXPECT_OK(halo_group_destroy(&group));
}

TEST(LongWaits, ReceiversAreNamedOnceAWait) {
    for (const int32_t sparse : { 0, 1 }) {
        Lines lines;
        run_with(lines, 2, "50ms", [&](Rank &rank) {
            halo_channel_desc desc = desc_of(0, 1, 5);
            desc.sparse = sparse;
            halo_channel *channel = add(rank, key_of(3, 7), desc);
            halo_group *group = commit(rank, { channel });
            for (int epoch = 1; epoch <= 2; ++epoch) {
                if (!rank.first())
                    poll_until(lines, 1,
                               { "waiting for ", "channel 3 -> 7, field 2, element 14, from rank 0 to rank 1: receiver's end stale, epoch " +
                                                     std::to_string(epoch) + " has not come" },
                               [&] { try_receive(channel); });
                halo_context_barrier(rank.context);
                if (rank.first()) {
                    EXPECT_OK(halo_channel_send_null(channel, HALO_STREAM_NONE));
                    wait_writable(channel);
                } else {
                    wait_received(channel);
                    EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
                }
                halo_context_barrier(rank.context);
            }
            end(channel, group);
        });
    }
}

// Whichever call polls.
TEST(LongWaits, SendersAreNamed) {
    for (const int call : { 0, 1, 2 }) {
        Lines lines;
        run_with(lines, 2, "50ms", [&](Rank &rank) {
            halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 1, 4 << 20, HALO_BYTES));
            halo_group *group = commit(rank, { channel });
            if (rank.first()) {
                EXPECT_OK(halo_channel_allocate(channel));
                EXPECT_OK(halo_channel_send(channel, HALO_STREAM_NONE));
                poll_until(lines, 1, { "channel 3 -> 7, field 2, element 14, from rank 0 to rank 1: sender's end sending, epoch 1 has not left" },
                           [&] {
                               int32_t writable = 0;
                               halo_channel *copy = channel;
                               if (call == 0) EXPECT_OK(halo_channel_writable(channel, &writable));
                               if (call == 1) EXPECT_STATUS(HALO_BUSY, halo_channel_send(channel, HALO_STREAM_NONE));
                               if (call == 2) EXPECT_STATUS(HALO_BUSY, halo_channel_destroy(&copy));
                               EXPECT_EQ(writable, 0);
                           });
            }
            halo_context_barrier(rank.context);
            if (rank.first()) {
                wait_writable(channel);
            } else {
                wait_received(channel);
                EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
            }
            end(channel, group);
        });
    }
}

TEST(LongWaits, ChannelsWithinARankAreNamed) {
    Lines lines;
    run_with(lines, 1, "50ms", [&](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 0, 5));
        halo_group *group = commit(rank, { channel });
        poll_until(lines, 1, { "3 -> 7", "both ends on this rank stale, epoch 1 has not been sent" }, [&] { try_receive(channel); });
        EXPECT_OK(halo_channel_send_null(channel, HALO_STREAM_NONE));
        poll_until(lines, 1, { "3 -> 7", "both ends on this rank sending_null, epoch 1 has not been made stale" }, [&] {
            int32_t writable = 1;
            EXPECT_OK(halo_channel_writable(channel, &writable));
            EXPECT_EQ(writable, 0);
        });
        wait_received(channel);
        EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
        end(channel, group);
    });
}

// Of more than are watched at a time each is named all the same.
TEST(LongWaits, ManyAreNamedOneAfterTheOther) {
    constexpr int64_t n = 40;
    Lines lines;
    run_with(lines, 1, "20ms", [&](Rank &rank) {
        std::vector<halo_channel *> channels;
        for (int64_t i = 0; i < n; ++i) channels.push_back(add(rank, key_of(i, i + 1), desc_of(0, 0, 5)));
        halo_group *group = commit(rank, channels);
        poll_until(lines, n, { "has not been sent" }, [&] {
            for (halo_channel *channel : channels) try_receive(channel);
        });
        for (int64_t i = 0; i < n; ++i)
            EXPECT_EQ(lines.with({ "channel " + std::to_string(i) + " -> " + std::to_string(i + 1) + "," }), 1) << lines.text();
        for (halo_channel *channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
        EXPECT_OK(halo_group_destroy(&group));
    });
}

void poll_for(int milliseconds, halo_channel *channel) {
    for (const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds); std::chrono::steady_clock::now() < until;)
        try_receive(channel);
}

TEST(LongWaits, NoneAreNamedWhereNoneAreToBe) {
    Lines lines;
    run_with(lines, 1, "0s", [&](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 0, 5));
        halo_group *group = commit(rank, { channel });
        poll_for(100, channel);
        end(channel, group);
    });
    EXPECT_EQ(lines.with({ "waiting for" }), 0) << lines.text();
}

// A channel's wait ends with the channel, and with its group.
TEST(LongWaits, ShortOnesAreNotNamed) {
    Lines lines;
    run_with(lines, 1, "1s", [&](Rank &rank) {
        halo_channel *same = add(rank, key_of(0, 0), desc_of(0, 0, 5));
        halo_group *group = nullptr;
        for (int64_t i = 1; i <= 30; ++i) {
            halo_channel *other = add(rank, key_of(i, i), desc_of(0, 0, 5));
            group = commit(rank, { same, other });
            poll_for(20, other);
            poll_for(20, same);
            end(other, group);
        }
        EXPECT_EQ(lines.with({ "waiting for" }), 0) << lines.text();
        group = commit(rank, { same });
        poll_until(lines, 1, { "channel 0 -> 0", "has not been sent" }, [&] { try_receive(same); });
        end(same, group);
    });
}

// Nor are many short ones of one channel, one after the other.
TEST(LongWaits, AWaitEndsWithItsEpoch) {
    Lines lines;
    run_with(lines, 1, "1s", [&](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 0, 5));
        halo_group *group = commit(rank, { channel });
        for (int epoch = 0; epoch < 60; ++epoch) {
            poll_for(20, channel);
            EXPECT_OK(halo_channel_send_null(channel, HALO_STREAM_NONE));
            wait_received(channel);
            EXPECT_OK(halo_channel_stale(channel, HALO_STREAM_NONE));
        }
        end(channel, group);
    });
    EXPECT_EQ(lines.with({ "waiting for" }), 0) << lines.text();
}

TEST(LongWaits, RunsOfAggregatedGroupsAreNamed) {
    Lines lines;
    run_with(lines, 2, "50ms", [&](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), desc_of(0, 1, 5));
        halo_group *group = commit(rank, { channel }, HALO_MESSAGES_AGGREGATE);
        int32_t answer = 0;
        if (!rank.first())
            poll_until(lines, 1, { ", run 1 is not received: nothing has come from rank 0 (channel 3 -> 7, field 2, element 14)" }, [&] {
                EXPECT_OK(halo_group_try_receive(group, &answer));
                EXPECT_EQ(answer, 0);
            });
        halo_context_barrier(rank.context);
        if (rank.first())
            poll_until(lines, 1, { " is not writable: it is two runs ahead of rank 1 (channel 3 -> 7, field 2, element 14)" }, [&] {
                EXPECT_OK(halo_group_writable(group, &answer));
                if (!answer) return;
                EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
                EXPECT_OK(halo_group_try_receive(group, &answer));
                EXPECT_EQ(answer, 1);
                EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
            });
        halo_context_barrier(rank.context);
        EXPECT_OK(halo_group_abandon(group));
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

} // namespace
