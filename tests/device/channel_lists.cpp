// SPDX-License-Identifier: BSD-3-Clause
// Channels by hand whose payload is on a device: buffers given late, other sizes, lists of channels, waiting until nothing is under way.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <tuple>

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

void expect_values(const std::vector<double> &got, const std::vector<double> &wanted, int turn) {
    if (got != wanted) stop("turn %d: %zu values, the first is %f", turn, got.size(), got.empty() ? 0 : got[0]);
}

void expect_busy(halo_status status, const char *text) {
    if (status != HALO_BUSY || std::string(halo_last_error()).find(text) == std::string::npos)
        stop("%s: %s", halo_status_name(status), halo_last_error());
}

// Another buffer of the caller's each time, while nothing is under way, on the device neither.
TEST(DeviceChannels, BuffersMayBeGivenLate) {
    for (const int32_t sparse : { 0, 1 })
        run(2, late::settings(), [&](Rank &rank) {
            Terms terms;
            terms.sparse = sparse;
            End end(rank, terms, callers);
            halo_group *group = commit(rank, { end.channel });
            const late::Array<double> buffers[] = { { rank.context, terms.n }, { rank.context, terms.n } };
            const Stream stream(end.device().get());
            for (int turn = 0; turn < 20; ++turn) {
                const late::Array<double> &mine = buffers[turn % 2];
                until([&] { return halo_channel_set_buffer(end.channel, mine.data()) == HALO_SUCCESS; });
                if (end.buffer().data != mine.data()) stop("turn %d: another buffer", turn);
                if (rank.rank == 0) {
                    end.send(numbers(terms.n, 100 * turn), stream);
                } else {
                    if (sparse == 0) {
                        OK(halo_channel_start_receive(end.channel));
                        expect_busy(halo_channel_set_buffer(end.channel, buffers[1].data()), ""); // with a text until the device is at it
                    }
                    expect_values(end.received(stream), numbers(terms.n, 100 * turn), turn);
                    expect_busy(halo_channel_set_buffer(end.channel, buffers[1].data()), "set_buffer: the buffer is in use");
                    end.stale(stream);
                }
            }
            OK(halo_group_drain(group, 60));
            OK(halo_context_barrier(rank.context));
            OK(halo_group_destroy(&group));
            end.destroy();
        });
}

// They change while the device is still at work on what was sent before.
class OtherSizes : public testing::TestWithParam<std::tuple<Place, int32_t>> {};

TEST_P(OtherSizes, AreCommittedAgain) {
    run(2, late::settings(), [](Rank &rank) {
        const auto [place, sparse] = GetParam();
        Terms terms;
        terms.sparse = sparse, terms.n = 4000;
        End end(rank, terms, place);
        std::vector<halo_group *> groups{ commit(rank, { end.channel }) };
        {
            const Stream stream(end.device().get());
            for (const size_t n : { terms.n, size_t{ 20 }, size_t{ 3 }, size_t{ 700 }, terms.n }) {
                if (n != terms.n || groups.size() > 1) {
                    end.set_size(n);
                    if (halo_channel_send_null(end.channel, stream) != HALO_ERR_STATE) stop("it is sent without a group");
                    if (end.buffer().bytes != static_cast<int64_t>(n * sizeof(double)))
                        stop("%lld bytes", static_cast<long long>(end.buffer().bytes));
                    groups.push_back(commit(rank, { end.channel }));
                }
                for (int turn = 0; turn < 5; ++turn) {
                    if (rank.rank == 0) {
                        end.send(numbers(n, turn), stream);
                    } else {
                        expect_values(end.received(stream), numbers(n, turn), turn);
                        end.stale(stream);
                    }
                }
            }
            if (rank.rank == 0) end.wait_writable();
        }
        for (halo_group *group : groups) late::destroy(rank, group);
        end.destroy();
        if (end.blocks_out() != 0) stop("%lld blocks are not given back", static_cast<long long>(end.blocks_out()));
    });
}

INSTANTIATE_TEST_SUITE_P(DeviceChannels, OtherSizes, testing::Combine(testing::Values(pool, callers, allocators), testing::Values(0, 1)),
                         [](const auto &one) { return std::to_string(one.index); });

// Whatever the device is at, on both ends.
TEST(DeviceChannels, DrainLeavesNothingUnderWay) {
    run(2, late::settings(), [](Rank &rank) {
        Terms there, sparse, within;
        sparse.field = 1, sparse.sparse = 1;
        within.field = 2 + rank.rank, within.from = within.to = rank.rank;
        End first(rank, there, pool), second(rank, sparse, pool), third(rank, within, pool);
        halo_group *group = commit(rank, { first.channel, second.channel, third.channel });
        for (int turn = 0; turn < 10; ++turn) {
            third.send(numbers(within.n, turn), nullptr);
            if (rank.rank == 0) {
                first.send(numbers(there.n, turn), nullptr);
                second.send(numbers(sparse.n, turn), nullptr);
            } else {
                OK(halo_channel_start_receive(first.channel));
                expect_values(second.received(nullptr), numbers(sparse.n, turn), turn);
                if (turn % 2 == 0) second.stale(nullptr);
            }
            OK(halo_group_drain(group, 60));
            for (const End *end : { &first, &second, &third })
                if (end->buffer().state != HALO_STALE) stop("turn %d: state %d", turn, end->buffer().state);
        }
        OK(halo_context_barrier(rank.context));
        OK(halo_group_destroy(&group));
        for (End *end : { &first, &second, &third }) OK(halo_channel_destroy(&end->channel));
    });
}

// Lists of channels on a device and of the host.
TEST(DeviceChannels, InLists) {
    run(2, late::settings(), [](Rank &rank) {
        Terms on_device, on_host;
        on_host.field = 1;
        End first(rank, on_device, pool), second(rank, on_host, host_pool);
        halo_group *group = commit(rank, { first.channel, second.channel });
        halo_channel *const both[] = { first.channel, second.channel };
        for (int turn = 0; turn < 20; ++turn) {
            if (rank.rank == 0) {
                for (const End *end : { &first, &second }) {
                    end->wait_writable();
                    end->write(numbers(on_device.n, turn), nullptr);
                }
                OK(halo_channel_send_many(both, 2, HALO_STREAM_DEFAULT));
            } else {
                int64_t n_done = 0;
                OK(halo_channel_start_receive_many(both, 2));
                until([&] {
                    OK(halo_channel_try_receive_many(both, 2, &n_done, nullptr));
                    return n_done == 2;
                });
                for (const End *end : { &first, &second }) expect_values(end->received(nullptr), numbers(on_device.n, turn), turn);
                OK(halo_channel_stale_many(both, 2, HALO_STREAM_DEFAULT));
            }
        }
        OK(halo_group_drain(group, 60));
        late::destroy(rank, group);
        first.destroy();
        second.destroy();
    });
}

// Of a channel and of a group whose slices are there; equal ones are made of them.
TEST(DeviceChannels, DescriptionsSayWhichMemory) {
    run(1, late::settings(), [](Rank &rank) {
        for (const Place place : { pool, callers, allocators, Place{ HALO_BUFFER_POOL, HALO_MEMORY_DEVICE, 1 }, host_pool }) {
            Terms terms;
            terms.to = 0;
            End end(rank, terms, place);
            for (int turn = 0; turn < 2; ++turn) {
                halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
                OK(halo_channel_get_desc(end.channel, &desc));
                if (desc.memory != place.memory || desc.device != place.device || desc.buffer_kind != place.buffer) stop("another memory");
                if ((desc.buffer != nullptr) != (place.buffer == HALO_BUFFER_CALLER)) stop("another buffer");
                if ((desc.allocator != nullptr) != (place.buffer == HALO_BUFFER_ALLOCATOR)) stop("another allocator");
                halo_group *group = commit(rank, { end.channel });
                end.send(numbers(terms.n, turn), nullptr);
                expect_values(end.received(nullptr), numbers(terms.n, turn), turn);
                end.stale(nullptr);
                OK(halo_group_drain(group, 60));
                late::destroy(rank, group);
                halo_channel_key key{};
                OK(halo_channel_get_key(end.channel, &key));
                end.destroy();
                OK(halo_channel_register(rank.context, &key, &desc, &end.channel));
            }
            halo_group_desc slices = HALO_GROUP_DESC_INIT, got = HALO_GROUP_DESC_INIT;
            slices.messages = HALO_MESSAGES_AGGREGATE, slices.memory = place.memory, slices.device = place.device;
            if (place.on_device()) slices.flags_memory = HALO_MEMORY_PINNED;
            halo_group *group = commit(rank, { end.channel }, slices);
            OK(halo_group_get_desc(group, &got));
            if (std::memcmp(&got, &slices, sizeof got) != 0) stop("memory %d, device %d, flags %d", got.memory, got.device, got.flags_memory);
            late::destroy(rank, group);
            end.destroy();
            if (end.blocks_out() != 0) stop("%lld blocks are not given back", static_cast<long long>(end.blocks_out()));
        }
    });
}

} // namespace
