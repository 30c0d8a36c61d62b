// SPDX-License-Identifier: BSD-3-Clause
// What has run before asks the heap for nothing, and pools ask for no memory of host or device, but once where the device first is behind: exchanges,
// channels, groups.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "channel_end.h"
#include "heap_of_library.h"
#include "late/ring.h"

namespace {

using namespace conformance;
using late::Ring;
using late::RingExchange;
using late::RingField;
using late::until;

// The first run makes what there is, and the first that begins while the device is not done with the one before makes it again, whenever that
// happens. There is no third: what is of one run has been done with when the messages of the next have been packed. Of each way that values take:
// from storage to storage they go by message where the peer is late.
constexpr int n_runs = 100, most_that_make = 4;

// Ranks go together: a sender that is far ahead makes the transport's queues longer.
void count_runs(const Rank &rank, int n_ways, const std::function<void(int turn)> &run) {
    int n_that_make = 0;
    for (int turn = 0; turn < n_runs; ++turn) {
        const int64_t before = heap::pool_allocations(rank.context);
        heap::start_counting();
        run(turn);
        const bool heap_grew = heap::stop_counting().library > 0;
        n_that_make += heap_grew || heap::pool_allocations(rank.context) != before ? 1 : 0;
        OK(halo_context_barrier(rank.context));
    }
    if (n_that_make > n_ways * most_that_make)
        stop("heap calls of the library, or allocations of pools, in %d of %d runs, in the last at %s", n_that_make, n_runs, heap::first_caller());
}

struct Kind {
    const char *name;
    int32_t sparse;
    int32_t messages;
    int32_t kind;
    int32_t receive = HALO_RECEIVE_POSTED;
    const char *path = "auto"; // of runs that are large enough
};

class SteadyExchange : public testing::TestWithParam<Kind> {};

TEST_P(SteadyExchange, AllocatesNothing) {
    const Kind kind = GetParam();
    const Settings direct{ { "path", kind.path }, { "shared_memory.least", "0" }, { "check", "no" } };
    run(2, late::settings(kind.path == std::string("auto") ? Settings() : direct), [&](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u", 0, kind.sparse != 0);
        for (int64_t b = 0; b < 2; ++b) late::bind(u.handle(), ring.first_gid() + b, u.array(b).data(), HALO_MEMORY_DEVICE, 0);
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.messages = kind.messages;
        desc.kind = kind.kind;
        desc.receive = kind.receive;
        if (kind.kind == HALO_KIND_REVERSE) desc.op = HALO_SUM;
        const RingExchange exchange({ u.handle() }, &desc);
        const late::Stream stream(u.device());
        u.write(1, stream);
        count_runs(rank, kind.path == std::string("auto") ? 1 : 2, [&](int) {
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
        });
    });
}

INSTANTIATE_TEST_SUITE_P(OnDevices, SteadyExchange,
                         testing::Values(Kind{ "Dense", 0, HALO_MESSAGES_AGGREGATE, HALO_KIND_GHOSTS },
                                         Kind{ "Direct", 0, HALO_MESSAGES_AGGREGATE, HALO_KIND_GHOSTS, HALO_RECEIVE_POSTED, "direct" },
                                         Kind{ "Sparse", 1, HALO_MESSAGES_AGGREGATE, HALO_KIND_GHOSTS },
                                         Kind{ "PerChannel", 0, HALO_MESSAGES_PER_CHANNEL, HALO_KIND_GHOSTS },
                                         Kind{ "SparsePerChannel", 1, HALO_MESSAGES_PER_CHANNEL, HALO_KIND_GHOSTS },
                                         Kind{ "Probed", 0, HALO_MESSAGES_AGGREGATE, HALO_KIND_GHOSTS, HALO_RECEIVE_PROBED },
                                         Kind{ "SparseProbed", 1, HALO_MESSAGES_AGGREGATE, HALO_KIND_GHOSTS, HALO_RECEIVE_PROBED },
                                         Kind{ "PerChannelProbed", 0, HALO_MESSAGES_PER_CHANNEL, HALO_KIND_GHOSTS, HALO_RECEIVE_PROBED },
                                         Kind{ "Sums", 0, HALO_MESSAGES_AGGREGATE, HALO_KIND_REVERSE },
                                         Kind{ "SumsPerChannel", 0, HALO_MESSAGES_PER_CHANNEL, HALO_KIND_REVERSE },
                                         Kind{ "SumsProbed", 0, HALO_MESSAGES_AGGREGATE, HALO_KIND_REVERSE, HALO_RECEIVE_PROBED }),
                         [](const auto &one) { return std::string(one.param.name); });

class SteadyChannel : public testing::TestWithParam<int32_t> {};

TEST_P(SteadyChannel, AllocatesNothing) {
    run(2, late::settings(), [](Rank &rank) {
        late::Terms terms;
        terms.sparse = GetParam();
        late::End end(rank, terms, {});
        halo_group *group = late::commit(rank, { end.channel });
        count_runs(rank, 1, [&](int turn) {
            if (rank.rank == 0) {
                end.wait_writable();
                OK(terms.sparse && turn % 3 == 0 ? halo_channel_release(end.channel) : halo_channel_allocate(end.channel));
                OK(halo_channel_send(end.channel, HALO_STREAM_DEFAULT));
                end.wait_writable();
            } else {
                until([&] { return end.try_receive(); });
                end.stale(HALO_STREAM_DEFAULT);
            }
        });
        if (rank.rank == 0) end.wait_writable();
        late::destroy(rank, group);
        end.destroy();
    });
}

INSTANTIATE_TEST_SUITE_P(OnDevices, SteadyChannel, testing::Values(0, 1), [](const auto &one) { return one.param ? "Sparse" : "Dense"; });

TEST(SteadyGroup, AllocatesNothing) {
    run(2, late::settings(), [](Rank &rank) {
        late::Terms there, back;
        back.from = 1, back.to = 0, back.field = 1;
        const late::Place host{ HALO_BUFFER_POOL, HALO_MEMORY_HOST, 0 };
        late::End first(rank, there, host), second(rank, back, host);
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.memory = HALO_MEMORY_DEVICE;
        halo_group *group = late::commit(rank, { first.channel, second.channel }, desc);
        count_runs(rank, 1, [&](int) {
            int32_t done = 0;
            while (!done) OK(halo_group_writable(group, &done));
            OK(halo_group_send(group, nullptr, HALO_STREAM_DEFAULT));
            for (done = 0; !done;) OK(halo_group_try_receive(group, &done));
            OK(halo_group_stale(group, HALO_STREAM_DEFAULT));
        });
        late::destroy(rank, group);
        first.destroy();
        second.destroy();
    });
}

} // namespace
