// SPDX-License-Identifier: BSD-3-Clause
// Channels by hand whose payload is on a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "channel_end.h"

namespace {

using namespace conformance;
using late::commit;
using late::End;
using late::numbers;
using late::Place;
using late::Stream;
using late::Terms;
using late::until;

constexpr Place pool{};
constexpr Place callers{ HALO_BUFFER_CALLER, HALO_MEMORY_DEVICE, 0 };
constexpr Place allocators{ HALO_BUFFER_ALLOCATOR, HALO_MEMORY_DEVICE, 0 };
constexpr Place host_pool{ HALO_BUFFER_POOL, HALO_MEMORY_HOST, 0 };
constexpr Place host_callers{ HALO_BUFFER_CALLER, HALO_MEMORY_HOST, 0 };

void expect_values(const std::vector<double> &got, const std::vector<double> &wanted, const char *what, int turn) {
    if (got != wanted)
        stop("%s %d: %zu values, the first is %f; %zu wanted, the first %f", what, turn, got.size(), got.empty() ? 0 : got[0], wanted.size(),
             wanted.empty() ? 0 : wanted[0]);
}

#define REFUSED(status, text, call)                                                                                                                  \
    do {                                                                                                                                             \
        const halo_status got = (call);                                                                                                              \
        if (got != (status) || std::string(halo_last_error()).find(text) == std::string::npos)                                                       \
            stop("%s: %s: %s", #call, halo_status_name(got), halo_last_error());                                                                     \
    } while (0)

// From rank 0 to rank 1, many times, between all places that payload may be in: with a header, or bare where an end is in the caller's host memory.
class Between : public testing::TestWithParam<std::tuple<Place, Place, int32_t>> {};

TEST_P(Between, OneWay) {
    run(2, late::settings(), [](Rank &rank) {
        const auto [sender, receiver, sparse] = GetParam();
        Terms terms;
        terms.sparse = sparse;
        End end(rank, terms, rank.rank == 0 ? sender : receiver);
        halo_group *group = commit(rank, { end.channel });
        {
            const Stream stream(end.device().get());
            for (int turn = 0; turn < 50; ++turn) {
                if (rank.rank == 0) {
                    end.send(numbers(terms.n, 100 * turn), stream);
                } else {
                    expect_values(end.received(stream), numbers(terms.n, 100 * turn), "turn", turn);
                    end.stale(stream);
                }
            }
            if (rank.rank == 0) end.wait_writable();
        }
        late::destroy(rank, group);
        end.destroy();
        if (end.blocks_out() != 0) stop("%lld blocks are not given back", static_cast<long long>(end.blocks_out()));
    });
}

INSTANTIATE_TEST_SUITE_P(Channels, Between,
                         testing::Combine(testing::Values(pool, callers, allocators, host_pool, host_callers),
                                          testing::Values(pool, callers, allocators, host_pool, host_callers), testing::Values(0, 1)),
                         [](const auto &one) { return std::to_string(one.index); });

// In check mode the checksum is of what the device has read; what a receiver gives back is overwritten.
TEST(DeviceChannels, BothWaysInCheckMode) {
    run(2, late::settings({ { "check", "1" } }), [](Rank &rank) {
        Terms there, back;
        back.from = 1, back.to = 0, back.field = 1;
        End first(rank, there, pool), second(rank, back, callers);
        halo_group *group = commit(rank, { first.channel, second.channel });
        const End &sends = rank.rank == 0 ? first : second, &receives = rank.rank == 0 ? second : first;
        for (int turn = 0; turn < 50; ++turn) {
            sends.send(numbers(there.n, 1000 * rank.rank + turn), nullptr);
            expect_values(receives.received(nullptr), numbers(there.n, 1000 * (1 - rank.rank) + turn), "turn", turn);
            receives.stale(HALO_STREAM_DEFAULT);
        }
        sends.wait_writable();
        late::destroy(rank, group);
        first.destroy();
        second.destroy();
    });
}

// What a pool has given out, and has held at most, since this was made.
class PoolUse {
public:
    PoolUse(halo_context *context, int32_t memory) : context_(context), memory_(memory), first_(late::pool_of(context, memory)) {
        if (first_.peak_bytes != first_.in_use_bytes) stop("some memory of kind %d is free at the beginning", memory);
    }
    int64_t now() const { return late::pool_of(context_, memory_).in_use_bytes - first_.in_use_bytes; }
    void expect(int64_t bytes, int percent) const {
        if (now() != bytes)
            stop("%d %%: %lld bytes of kind %d in use, not %lld", percent, static_cast<long long>(now()), memory_, static_cast<long long>(bytes));
    }
    void expect_at_most(int64_t bytes, int percent) const {
        const int64_t most = late::pool_of(context_, memory_).peak_bytes - first_.peak_bytes;
        if (most > bytes)
            stop("%d %%: there were %lld bytes of kind %d, not %lld", percent, static_cast<long long>(most), memory_, static_cast<long long>(bytes));
    }

private:
    halo_context *context_;
    int32_t memory_;
    halo_pool_stats first_;
};

void exchange_some(Rank &rank, const std::vector<std::unique_ptr<End>> &ends, size_t occupied) {
    for (size_t i = 0; i < ends.size(); ++i) {
        const End &end = *ends[i];
        const std::vector<double> values = numbers(32, static_cast<double>(i));
        if (rank.rank == 0 && i < occupied) {
            end.send(values, nullptr);
        } else if (rank.rank == 0) {
            end.wait_writable();
            OK(halo_channel_release(end.channel));
            OK(halo_channel_send(end.channel, HALO_STREAM_DEFAULT));
        } else if (i < occupied) {
            expect_values(end.received(nullptr), values, "channel", static_cast<int>(i));
        } else {
            until([&] { return end.try_receive(); });
            if (end.buffer().state != HALO_RECEIVED_NULL) stop("channel %zu is not null", i);
        }
    }
}

// Memory of sparse channels follows what comes, and so do nulls: that of a payload on the device, and that of a message, which is there while it is
// on its way.
TEST(DeviceChannels, MemoryFollowsOccupancy) {
    run(2, late::settings(), [](Rank &rank) {
        constexpr size_t n_channels = 40;
        constexpr int64_t payload = 256, message = 64 + payload; // sizes that pools have
        std::vector<std::unique_ptr<End>> ends;
        std::vector<halo_channel *> channels;
        Terms terms;
        terms.sparse = 1;
        terms.n = payload / sizeof(double);
        for (; ends.size() < n_channels; ++terms.field) {
            ends.push_back(std::make_unique<End>(rank, terms, pool));
            channels.push_back(ends.back()->channel);
        }
        halo_group *group = commit(rank, channels);
        const PoolUse own(rank.context, HALO_MEMORY_DEVICE), pinned(rank.context, HALO_MEMORY_PINNED);
        int64_t most = 0;
        for (const int percent : { 0, 5, 25, 100, 25, 0 }) {
            const auto occupied = static_cast<int64_t>(n_channels) * percent / 100;
            most = std::max(most, occupied);
            exchange_some(rank, ends, static_cast<size_t>(occupied));
            own.expect(occupied * payload, percent);
            if (rank.rank == 0)
                for (const auto &end : ends) end->wait_writable();
            pinned.expect(0, percent);
            own.expect_at_most(most * payload, percent);
            pinned.expect_at_most(most * message, percent);
            if (rank.rank == 0) continue;
            for (const auto &end : ends) end->stale(HALO_STREAM_DEFAULT);
            until([&] {
                OK(halo_context_progress(rank.context));
                return own.now() == 0;
            });
        }
        late::destroy(rank, group);
        for (const auto &end : ends) end->destroy();
    });
}

// By the next call on the channel, which may call the allocator.
TEST(DeviceChannels, WhatAnAllocatorGaveGoesBackWhenItIsStale) {
    run(2, late::settings(), [](Rank &rank) {
        Terms terms;
        terms.sparse = 1;
        End end(rank, terms, allocators);
        halo_group *group = commit(rank, { end.channel });
        for (int turn = 0; turn < 3; ++turn) {
            if (rank.rank == 0) {
                end.send(numbers(terms.n, turn), nullptr);
                end.wait_writable();
            } else {
                expect_values(end.received(nullptr), numbers(terms.n, turn), "turn", turn);
                if (end.blocks_out() != 1) stop("%lld blocks for one payload", static_cast<long long>(end.blocks_out()));
                end.stale(HALO_STREAM_DEFAULT);
                until([&] { return !end.try_receive() && end.blocks_out() == 0; });
            }
            OK(halo_context_barrier(rank.context));
        }
        late::destroy(rank, group);
        end.destroy();
    });
}

// Neither memory nor waits of the host grow with what is sent.
TEST(DeviceChannels, ManySends) {
    late_configure(1, 0);
    run(2, late::settings(), [](Rank &rank) {
        Terms terms;
        End end(rank, terms, pool);
        halo_group *group = commit(rank, { end.channel });
        halo_pool_stats own{}, pinned{};
        int64_t waits = 0;
        for (int turn = 0; turn < 10000; ++turn) {
            if (turn == 100) {
                own = late::pool_of(rank.context, HALO_MEMORY_DEVICE), pinned = late::pool_of(rank.context, HALO_MEMORY_PINNED);
                waits = late_count(end.device().get()).host_waits;
            }
            if (rank.rank == 0) {
                end.wait_writable();
                OK(halo_channel_allocate(end.channel));
                OK(halo_channel_send(end.channel, HALO_STREAM_DEFAULT));
            } else {
                until([&] { return end.try_receive(); });
                end.stale(HALO_STREAM_DEFAULT);
            }
        }
        if (rank.rank == 0) end.wait_writable();
        constexpr int64_t few = 4; // where the device falls behind once more than before
        if (late::pool_of(rank.context, HALO_MEMORY_DEVICE).allocations > own.allocations + few) stop("device memory grows");
        if (late::pool_of(rank.context, HALO_MEMORY_PINNED).allocations > pinned.allocations + few) stop("pinned memory grows");
        if (late_count(end.device().get()).host_waits != waits) stop("the host has waited for the device");
        late::destroy(rank, group);
        end.destroy();
    });
    late_configure(1, 50);
}

class Varying : public testing::TestWithParam<std::tuple<Place, Place>> {};

TEST_P(Varying, SizesAreTold) {
    run(2, late::settings(), [](Rank &rank) {
        const auto [sender, receiver] = GetParam();
        Terms terms;
        terms.varies = 1;
        End end(rank, terms, rank.rank == 0 ? sender : receiver);
        halo_group *group = commit(rank, { end.channel });
        std::mt19937 random(7);
        for (int turn = 0; turn < 60; ++turn) {
            const size_t n = 1 + random() % terms.n;
            if (rank.rank == 0) {
                end.send(numbers(n, turn), nullptr);
            } else {
                expect_values(end.received(nullptr), numbers(n, turn), "turn", turn);
                end.stale(HALO_STREAM_DEFAULT);
            }
        }
        if (rank.rank == 0) {
            end.wait_writable();
            REFUSED(HALO_ERR_ARGUMENT, "129 bytes, of 0 to 128", halo_channel_send_bytes(end.channel, 129, HALO_STREAM_DEFAULT));
            REFUSED(HALO_ERR_ARGUMENT, "-1 bytes", halo_channel_send_bytes(end.channel, -1, HALO_STREAM_DEFAULT));
        }
        late::destroy(rank, group);
        end.destroy();
    });
}

INSTANTIATE_TEST_SUITE_P(Channels, Varying,
                         testing::Combine(testing::Values(pool, host_pool, host_callers), testing::Values(callers, host_pool, host_callers)),
                         [](const auto &one) { return std::to_string(one.index); });

TEST(DeviceChannels, NoBytesAreNotNull) {
    run(2, late::settings(), [](Rank &rank) {
        Terms terms;
        terms.varies = 1;
        End end(rank, terms, pool);
        halo_group *group = commit(rank, { end.channel });
        if (rank.rank == 0) {
            OK(halo_channel_allocate(end.channel));
            OK(halo_channel_send_bytes(end.channel, 0, HALO_STREAM_DEFAULT));
            end.wait_writable();
        } else {
            if (!end.received(nullptr).empty()) stop("there is something");
            end.stale(HALO_STREAM_DEFAULT);
        }
        late::destroy(rank, group);
        end.destroy();
    });
}

TEST(DeviceChannels, BothEndsSayWhetherSizesVary) {
    run(2, late::settings(), [](Rank &rank) {
        Terms terms;
        terms.varies = rank.rank;
        End end(rank, terms, pool);
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = HALO_MESSAGES_PER_CHANNEL;
        halo_group *group = nullptr;
        REFUSED(HALO_ERR_MISMATCH, "rank 1 has it with `varies`, rank 0 without", halo_group_create(rank.context, &end.channel, 1, &desc, &group));
        end.destroy();
    });
}

// What the sender writes next comes after what the receiver has read: both ends have the same memory.
TEST(DeviceChannels, WithinOneRank) {
    for (const Place place : { pool, callers, allocators })
        run(1, late::settings(), [&](Rank &rank) {
            Terms terms;
            terms.to = 0;
            terms.varies = 1;
            End end(rank, terms, place);
            halo_group *group = commit(rank, { end.channel });
            const late::Array<double> kept(rank.context, terms.n);
            {
                const Stream sends(end.device().get()), receives(end.device().get());
                for (int turn = 0; turn < 50; ++turn) {
                    const size_t n = terms.n - static_cast<size_t>(turn % 3);
                    end.send(numbers(n, turn), sends);
                    REFUSED(HALO_BUSY, "", halo_channel_destroy(&end.channel));
                    until([&] { return end.try_receive(); });
                    if (end.buffer().bytes != static_cast<int64_t>(n * sizeof(double)))
                        stop("%lld bytes", static_cast<long long>(end.buffer().bytes));
                    end.device().copy(kept.data(), end.buffer().data, n * sizeof(double), receives);
                    end.stale(receives);
                    end.wait_writable();
                    OK(halo_channel_send_null(end.channel, sends));
                    until([&] { return end.try_receive(); });
                    if (end.buffer().state != HALO_RECEIVED_NULL) stop("not null");
                    end.stale(receives);
                    std::vector<double> read = kept.read(receives);
                    read.resize(n);
                    expect_values(read, numbers(n, turn), "turn", turn);
                }
            }
            late::destroy(rank, group);
            end.destroy();
        });
}

// Work that is queued in front of `stale` still reads what came, though the next message is here already.
TEST(DeviceChannels, StaleWaitsForItsStream) {
    for (const Place place : { pool, callers })
        run(2, late::settings(), [&](Rank &rank) {
            Terms terms;
            End end(rank, terms, rank.rank == 0 ? host_pool : place);
            halo_group *group = commit(rank, { end.channel });
            constexpr int n_turns = 20, n_copies = 10;
            if (rank.rank == 0) {
                for (int turn = 0; turn < n_turns; ++turn) end.send(numbers(terms.n, 100 * turn), nullptr);
                end.wait_writable();
            } else {
                const late::Array<double> kept(rank.context, n_turns * n_copies * terms.n);
                {
                    const Stream stream(end.device().get());
                    for (int turn = 0; turn < n_turns; ++turn) {
                        until([&] { return end.try_receive(); });
                        for (int copy = 0; copy < n_copies; ++copy)
                            end.device().copy(kept.data() + static_cast<size_t>(turn * n_copies + copy) * terms.n, end.buffer().data,
                                              terms.n * sizeof(double), stream);
                        end.stale(stream);
                        if (turn == 0) REFUSED(HALO_BUSY, "", halo_channel_destroy(&end.channel));
                    }
                    const std::vector<double> all = kept.read(stream);
                    for (int i = 0; i < n_turns * n_copies; ++i) {
                        const auto begin = all.begin() + i * static_cast<std::ptrdiff_t>(terms.n);
                        expect_values({ begin, begin + static_cast<std::ptrdiff_t>(terms.n) }, numbers(terms.n, 100 * (i / n_copies)), "copy", i);
                    }
                }
            }
            late::destroy(rank, group);
            end.destroy();
        });
}

// Given up at each point, with copies under way: nothing is used after it has been given back.
TEST(DeviceChannels, AbandonedWhileTheDeviceWorks) {
    late_configure(3, 2000);
    for (const Place place : { pool, callers, allocators })
        for (int point = 0; point < 4; ++point)
            run(2, late::settings(), [&](Rank &rank) {
                Terms terms;
                End end(rank, terms, place);
                halo_group *group = commit(rank, { end.channel });
                if (rank.rank == 0) {
                    end.send(numbers(terms.n, 5), nullptr);
                    REFUSED(HALO_BUSY, "something is under way", halo_channel_destroy(&end.channel));
                    if (point > 0) end.wait_writable();
                } else if (point == 1) {
                    OK(halo_channel_start_receive(end.channel));
                } else if (point == 2) {
                    for (int turn = 0; turn < 20 && !end.try_receive(); ++turn) std::this_thread::sleep_for(std::chrono::microseconds(100));
                } else if (point == 3) {
                    until([&] { return end.try_receive(); });
                    end.stale(HALO_STREAM_DEFAULT);
                }
                OK(halo_channel_abandon(end.channel));
                OK(halo_channel_destroy(&end.channel));
                OK(halo_context_barrier(rank.context));
                OK(halo_group_destroy(&group));
            });
    late_configure(1, 50);
}

// What has come is not given back, though it is `release` that finds it there.
TEST(DeviceChannels, WhatHasComeIsNotReleased) {
    run(2, late::settings(), [](Rank &rank) {
        const Terms terms;
        End end(rank, terms, pool);
        halo_group *group = commit(rank, { end.channel });
        for (int turn = 0; turn < 10; ++turn) {
            if (rank.rank == 0) {
                end.send(numbers(terms.n, turn), nullptr);
                continue;
            }
            OK(halo_channel_start_receive(end.channel));
            until([&] {
                end.try_receive();
                for (int look = 0; look < 20; ++look) {
                    OK(halo_channel_allocate(end.channel));
                    REFUSED(HALO_BUSY, "", halo_channel_release(end.channel)); // with a text until the device is at it
                    std::this_thread::sleep_for(std::chrono::microseconds(50));
                }
                return end.buffer().state == HALO_RECEIVED;
            });
            expect_values(end.received(nullptr), numbers(terms.n, turn), "turn", turn);
            end.stale(nullptr);
            until([&] { return halo_channel_release(end.channel) == HALO_SUCCESS; });
        }
        if (rank.rank == 0) end.wait_writable();
        late::destroy(rank, group);
        end.destroy();
    });
}

TEST(DeviceChannels, TwoDevices) {
    run(2, late::settings(), [](Rank &rank) {
        Terms there, back;
        back.from = 1, back.to = 0, back.field = 1;
        const Place one{ HALO_BUFFER_POOL, HALO_MEMORY_DEVICE, 1 };
        End first(rank, there, rank.rank == 0 ? pool : one), second(rank, back, rank.rank == 0 ? one : pool);
        halo_group *group = commit(rank, { first.channel, second.channel });
        const End &sends = rank.rank == 0 ? first : second, &receives = rank.rank == 0 ? second : first;
        for (int turn = 0; turn < 30; ++turn) {
            sends.send(numbers(there.n, 1000 * rank.rank + turn), nullptr);
            expect_values(receives.received(nullptr), numbers(there.n, 1000 * (1 - rank.rank) + turn), "turn", turn);
            receives.stale(HALO_STREAM_DEFAULT);
        }
        sends.wait_writable();
        late::destroy(rank, group);
        first.destroy();
        second.destroy();
    });
}

// Nothing is done to a payload before what is queued in front of `send` has written it, and while what is queued in front of `stale` reads it.
TEST(DeviceChannels, WithinOneRankStreamsAreWaitedFor) {
    for (const Place place : { pool, callers })
        run(1, late::settings(), [&](Rank &rank) {
            constexpr size_t n_copies = 200;
            Terms terms;
            terms.to = 0;
            End end(rank, terms, place);
            halo_group *group = commit(rank, { end.channel });
            const late::Array<double> kept(rank.context, terms.n), other(rank.context, terms.n);
            {
                const Stream sends(end.device().get()), reads(end.device().get());
                const auto queue = [&](const void *from, halo_stream stream) {
                    for (size_t copy = 0; copy < n_copies; ++copy) end.device().copy(kept.data(), from, terms.n * sizeof(double), stream);
                };
                for (int turn = 0; turn < 3; ++turn) {
                    queue(other.data(), sends);
                    end.send(numbers(terms.n, turn), sends);
                    until([&] { return end.try_receive(); });
                    queue(end.buffer().data, reads);
                    end.stale(reads);
                    REFUSED(HALO_BUSY, "", halo_channel_send(end.channel, HALO_STREAM_DEFAULT));
                    REFUSED(HALO_ERR_ARGUMENT, "set_bytes: -1", halo_channel_set_bytes(end.channel, -1));
                    REFUSED(HALO_BUSY, "set_bytes: -1", halo_channel_release(end.channel)); // the device ends by itself: no text
                    REFUSED(HALO_BUSY, "under way", halo_channel_destroy(&end.channel));
                    end.wait_writable();
                    end.write(numbers(terms.n, -1), sends);
                    expect_values(kept.read(reads), numbers(terms.n, turn), "turn", turn);
                }
            }
            late::destroy(rank, group);
            end.destroy();
        });
}

// What there was no memory for is sent, or received, by the next call.
TEST(DeviceChannels, WantOfMemory) {
    for (const int32_t sparse : { 0, 1 })
        run(2, late::settings(), [&](Rank &rank) {
            Terms terms, other;
            terms.sparse = sparse;
            terms.n = 5000;
            other.field = 1;
            End end(rank, terms, pool), second(rank, other, pool);
            halo_group *group = commit(rank, { end.channel, second.channel });
            halo_device *device = end.device().get();
            if (rank.rank == 0) {
                late_fail_allocation(device, 0);
                REFUSED(HALO_ERR_MEMORY, "device memory", halo_channel_allocate(end.channel));
                end.write(numbers(terms.n, 3), nullptr);
                late_fail_pinned(device, 0);
                REFUSED(HALO_ERR_MEMORY, "pinned memory", halo_channel_send(end.channel, HALO_STREAM_DEFAULT));
                end.send(numbers(terms.n, 4), nullptr);
                second.send(numbers(other.n, 6), nullptr);
                end.wait_writable();
                second.wait_writable();
            } else {
                for (const auto fail : { late_fail_allocation, late_fail_pinned }) {
                    fail(device, 0);
                    int32_t done = 0;
                    halo_status status = HALO_SUCCESS;
                    until([&] { return (status = halo_channel_try_receive(end.channel, &done, nullptr)) != HALO_SUCCESS || done; });
                    if (status != HALO_ERR_MEMORY) stop("%s", halo_status_name(status));
                }
                expect_values(second.received(nullptr), numbers(other.n, 6), "the other", 0);
                second.stale(HALO_STREAM_DEFAULT);
                expect_values(end.received(nullptr), numbers(terms.n, 4), "what came", 0);
                end.stale(HALO_STREAM_DEFAULT);
            }
            late::destroy(rank, group);
            end.destroy();
            second.destroy();
        });
}

TEST(DeviceChannels, Misuse) {
    run(1, late::settings(), [](Rank &rank) {
        Terms terms;
        terms.to = 0;
        End end(rank, terms, pool);
        halo_group *group = commit(rank, { end.channel });
        OK(halo_channel_allocate(end.channel));
        const char *text = "HALO_STREAM_NONE: the device's own stream is HALO_STREAM_DEFAULT: channel 1 -> 2";
        REFUSED(HALO_ERR_ARGUMENT, text, halo_channel_send(end.channel, HALO_STREAM_NONE));
        REFUSED(HALO_ERR_ARGUMENT, text, halo_channel_send_null(end.channel, HALO_STREAM_NONE));
        REFUSED(HALO_ERR_STATE, "send_bytes is illegal without `varies`", halo_channel_send_bytes(end.channel, 8, HALO_STREAM_DEFAULT));
        OK(halo_channel_send(end.channel, HALO_STREAM_DEFAULT));
        until([&] { return end.try_receive(); });
        REFUSED(HALO_ERR_ARGUMENT, text, halo_channel_stale(end.channel, HALO_STREAM_NONE));
        OK(halo_channel_stale(end.channel, HALO_STREAM_DEFAULT));
        end.wait_writable();
        late::destroy(rank, group);
        end.destroy();

        const halo_channel_key key{ 1, 2, 0, 14, 0 };
        halo_channel *channel = nullptr;
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        const auto refused = [&](halo_status status, const char *why) {
            REFUSED(status, why, halo_channel_register(rank.context, &key, &desc, &channel));
            desc = HALO_CHANNEL_DESC_INIT;
        };
        desc.memory = HALO_MEMORY_PINNED;
        refused(HALO_ERR_ARGUMENT, "memory is 1, neither HALO_MEMORY_HOST nor HALO_MEMORY_DEVICE");
        desc.device = 1;
        refused(HALO_ERR_ARGUMENT, "there is no host memory of device 1");
        desc.memory = HALO_MEMORY_DEVICE, desc.device = -1;
        refused(HALO_ERR_ARGUMENT, "there is no device memory of device -1");
        desc.memory = HALO_MEMORY_DEVICE, desc.device = 7;
        refused(HALO_ERR_ARGUMENT, "there are the late devices 0 and 1, not 7");
        desc.varies = 2;
        refused(HALO_ERR_ARGUMENT, "varies is 2, not 0 or 1");
        halo_channel_allocator allocator = HALO_CHANNEL_ALLOCATOR_INIT;
        allocator.memory = HALO_MEMORY_DEVICE, allocator.device = 1;
        allocator.allocate = [](void *, const halo_channel_key *, size_t) -> void * { return nullptr; };
        allocator.release = [](void *, const halo_channel_key *, void *, size_t) {};
        desc.memory = HALO_MEMORY_DEVICE, desc.buffer_kind = HALO_BUFFER_ALLOCATOR, desc.allocator = &allocator;
        refused(HALO_ERR_ARGUMENT, "the allocator has device memory of device 1, the channel is on device 0");
        desc.buffer_kind = HALO_BUFFER_ALLOCATOR, desc.allocator = &allocator;
        refused(HALO_ERR_ARGUMENT, "channels in host memory want host or pinned memory");
        desc.struct_size = offsetof(halo_channel_desc, memory); // of the first version: what comes after is not looked at
        desc.memory = 77;
        OK(halo_channel_register(rank.context, &key, &desc, &channel));
        OK(halo_channel_destroy(&channel));
    });
}

TEST(DeviceChannels, WithoutADevice) {
    run(1, {}, [](Rank &rank) {
        const halo_channel_key key{ 1, 2, 0, 14, 0 };
        halo_channel *channel = nullptr;
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.memory = HALO_MEMORY_DEVICE;
        REFUSED(HALO_ERR_DEVICE, "has no memory of its own", halo_channel_register(rank.context, &key, &desc, &channel));
    });
}

} // namespace
