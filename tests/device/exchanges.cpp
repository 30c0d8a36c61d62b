// SPDX-License-Identifier: BSD-3-Clause
// Exchanges over fields on devices: what waits for what, on one stream and on several.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>
#include <thread>

#include "late/ring.h"

namespace {

using namespace conformance;
using late::HostRingField;
using late::Ring;
using late::RingExchange;
using late::RingField;

TEST(OnDevices, RunAfterRunInOneStream) {
    run(3, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 30; ++turn) {
            u.write(turn, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            u.write(-turn - 1, stream); // peers get what was there before
            OK(halo_exchange_finish(exchange, stream));
            const std::vector<double> values = u.array(0).read(stream);
            if (values[0] != ring.filled(ring.first_gid(), turn)[0]) stop("turn %d: %g came from the left", turn, values[0]);
        }
    });
}

TEST(OnDevices, NobodyWaitsInStart) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u"), s(ring, "s", 0, true);
        for (int64_t b = 0; b < 2; ++b) late::bind(s.handle(), ring.first_gid() + b, s.array(b).data(), HALO_MEMORY_DEVICE, 0);
        const RingExchange exchange({ u.handle(), s.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 20; ++turn) {
            u.write(turn, stream);
            s.write(turn, stream);
            const int64_t before = late_count(u.device()).host_waits;
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            if (late_count(u.device()).host_waits != before) stop("the host has waited for the device");
            u.expect(turn, stream, "dense");
            s.expect(turn, stream, "sparse");
        }
    });
}

// Whoever started it computes on, and calls something else of the context.
TEST(OnDevices, MessagesLeaveInWhateverCallComesNext) {
    std::atomic<int> done{ 0 };
    run(2, late::settings(), [&](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        halo_field *other = nullptr;
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        OK(halo_field_create(ring.topology(), &desc, &other));
        std::vector<double> storage(4096);
        for (int turn = 1; turn <= 10; ++turn) {
            u.write(turn, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            while (rank.rank == 0 && done < turn) late::bind(other, ring.first_gid(), storage.data(), HALO_MEMORY_HOST, 0);
            OK(halo_exchange_finish(exchange, stream));
            if (rank.rank == 1) done = turn;
            u.expect(turn, stream, "ghosts");
        }
        if (exchange.stats().runs_departed_later == 0) stop("no device was late");
        OK(halo_field_destroy(&other));
    });
}

// Blocks beside each other on one rank: their ghosts are written at start.
TEST(OnDevices, AStreamForEachCall) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 3);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream first(u.device()), second(u.device());
        for (int turn = 0; turn < 4; ++turn) {
            u.write(turn, first);
            if (rank.rank == turn % 2) late_delay_launch(u.device(), 1, 20000); // within the rank
            OK(halo_exchange_start(exchange, nullptr, first));
            OK(halo_exchange_finish(exchange, second));
            u.expect(turn, second, "in the stream of finish");
            first.synchronize();
        }
    });
}

TEST(OnDevices, AStreamOfTheNextRunWaitsForThisOne) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream first(u.device()), second(u.device());
        for (int turn = 0; turn < 4; ++turn) {
            const auto write_owned = [&](double shift) {
                const std::vector<double> values = ring.owned(ring.first_gid(), shift);
                OK(halo_device_late.ops->copy(u.device(), u.array(0).data() + Ring::ghosts, values.data() + Ring::ghosts,
                                              static_cast<size_t>(Ring::n_cells) * sizeof(double), first));
            };
            write_owned(turn);
            if (rank.rank == turn % 2) late_delay_launch(u.device(), 1, 20000); // the unpacking
            OK(halo_exchange_start(exchange, nullptr, first));
            write_owned(turn + 100); // the run has taken what was there before
            OK(halo_exchange_finish(exchange, second));
            OK(halo_exchange_start(exchange, nullptr, first));
            OK(halo_exchange_finish(exchange, first));
            second.synchronize();
            u.expect(turn + 100, first, "second run");
        }
    });
}

TEST(OnDevices, AStreamForUnpack) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream first(u.device()), second(u.device());
        u.write(1, first);
        OK(halo_exchange_start(exchange, nullptr, first));
        for (int32_t done = 0; !done;) OK(halo_exchange_test(exchange, &done));
        first.synchronize();
        late_delay_launch(u.device(), 0, 300000);
        OK(halo_exchange_unpack(exchange, second));
        OK(halo_exchange_refine(exchange, second));
        u.expect(1, second, "in the stream of unpack");
    });
}

// It has put on what had come.
TEST(OnDevices, AStreamAfterACallThatTimedOut) {
    std::atomic<bool> timed_out{ false };
    run(3, late::settings({ { "device.chunk", "1" } }), [&](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField u(ring, "u");
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        if (rank.rank == 0) desc.timeout_seconds = 0.3;
        const RingExchange exchange({ u.handle() }, &desc);
        const late::Stream first(u.device()), second(u.device());
        u.write(1, first);
        first.synchronize();
        while (rank.rank == 2 && !timed_out) std::this_thread::yield();
        OK(halo_exchange_start(exchange, nullptr, first));
        if (rank.rank == 0) {
            first.synchronize();
            late_delay_launch(u.device(), 0, 900000);
            const halo_status status = halo_exchange_finish(exchange, first);
            timed_out = true;
            if (status != HALO_TIMEOUT) stop("nobody was waited for");
        }
        halo_status status = HALO_TIMEOUT;
        while (status == HALO_TIMEOUT) status = halo_exchange_finish(exchange, second);
        OK(status);
        u.expect(1, second, "in the other stream");
    });
}

TEST(OnDevices, TheDevicesOwnStreamIsNamed) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        u.write(3, nullptr);
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_DEFAULT));
        OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
        u.expect(3, nullptr, "default stream");
    });
}

int64_t most_held(const Rank &rank, int32_t memory) {
    halo_pool_stats stats = HALO_POOL_STATS_INIT;
    OK(halo_context_pool_stats(rank.context, memory, &stats));
    return stats.peak_bytes;
}

// A run needs its two messages, and no memory beside them to copy from or to.
TEST(OnDevices, DenseValuesArePackedWhereTheyLeaveFrom) {
    run(2, late::settings(), [](Rank &rank) {
        constexpr int32_t n_components = 8192;
        constexpr auto message =
            static_cast<int64_t>(2 * Ring::ghosts * n_components * sizeof(double)); // both ends of the block have the same neighbour
        const Ring ring(rank, 1);
        halo_field *field = late::make_field(ring, n_components);
        {
            const late::Array<double> values(rank.context, Ring::size * n_components);
            late::bind(field, ring.first_gid(), values.data(), HALO_MEMORY_DEVICE, 0);
            const RingExchange exchange({ field });
            const late::Stream stream(values.device());
            std::vector<double> expected;
            for (int turn = 0; turn < 3; ++turn) {
                std::vector<double> owned;
                expected.clear();
                for (int32_t c = 0; c < n_components; ++c) {
                    const std::vector<double> mine = ring.owned(ring.first_gid(), turn + c), all = ring.filled(ring.first_gid(), turn + c);
                    owned.insert(owned.end(), mine.begin(), mine.end());
                    expected.insert(expected.end(), all.begin(), all.end());
                }
                values.write(owned, stream);
                OK(halo_exchange_start(exchange, nullptr, stream));
                OK(halo_exchange_finish(exchange, stream));
                if (values.read(stream) != expected) stop("turn %d: another value", turn);
                const int64_t pinned = most_held(rank, HALO_MEMORY_PINNED);
                if (turn == 0 && pinned >= 3 * message) stop("%lld bytes of pinned memory in a run", static_cast<long long>(pinned));
            }
        }
        const int64_t host = most_held(rank, HALO_MEMORY_HOST);
        if (host >= message) stop("%lld bytes on the host", static_cast<long long>(host));
        OK(halo_field_destroy(&field));
    });
}

// Runs of one exchange that nobody waits for between, each of another field, while one rank's device unpacks late.
TEST(OnDevices, WhatHasComeIsReadBeforeMoreComesThere) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField u(ring, "u"), v(ring, "v");
        const RingExchange exchange({ u.handle(), v.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 10; ++turn) {
            u.write(turn, stream);
            v.write(turn + 1000, stream);
            for (const auto &mask : { std::array<int32_t, 2>{ 1, 0 }, std::array<int32_t, 2>{ 0, 1 } }) {
                halo_run of_one = HALO_RUN_INIT;
                of_one.n_fields = 2, of_one.field_mask = mask.data();
                if (rank.rank == 0) late_delay_launch(u.device(), 1, 5000); // the unpacking
                OK(halo_exchange_start(exchange, &of_one, stream));
                OK(halo_exchange_finish(exchange, stream));
            }
            u.expect(turn, stream, "first run");
            v.expect(turn + 1000, stream, "second run");
        }
    });
}

// One message to each peer, whatever it comes from.
TEST(OnDevices, FieldsOfTwoDevicesAndTheHostInOneExchange) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u", 0), v(ring, "v", 1);
        HostRingField h(ring, "h");
        const RingExchange exchange({ u.handle(), h.handle(), v.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 20; ++turn) {
            u.write(turn, stream);
            v.write(turn + 100, nullptr);
            h.write(turn + 50);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            u.expect(turn, stream, "device 0");
            v.expect(turn + 100, nullptr, "device 1");
            h.expect(turn + 50, "host");
        }
        const halo_exchange_stats stats = exchange.stats();
        if (stats.messages_sent > 2 * stats.runs)
            stop("%lld messages in %lld runs", static_cast<long long>(stats.messages_sent), static_cast<long long>(stats.runs));
    });
}

// Sets may be in different memories, run by run.
TEST(OnDevices, ASetOnTheHostAndOneOnTheDevice) {
    run(2, late::settings({ { "path", "direct" }, { "shared_memory.least", "0" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        halo_field *field = nullptr;
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
        desc.n_sets = 2;
        OK(halo_field_create(ring.topology(), &desc, &field));
        std::deque<late::Array<double>> arrays;
        std::vector<double *> on_host;
        for (int64_t b = 0; b < 2; ++b) {
            arrays.emplace_back(rank.context, Ring::size);
            late::bind(field, ring.first_gid() + b, arrays.back().data(), HALO_MEMORY_DEVICE, 0, 1);
            void *memory = nullptr;
            OK(halo_memory_allocate(rank.context, HALO_MEMORY_SHARED, Ring::size * sizeof(double), &memory));
            on_host.push_back(static_cast<double *>(memory));
            late::bind(field, ring.first_gid() + b, memory, HALO_MEMORY_SHARED, 0, 0);
        }
        {
            const RingExchange exchange({ field });
            const late::Stream stream(arrays[0].device());
            for (int turn = 0; turn < 24; ++turn) {
                const int32_t set = turn / 3 % 2; // of this rank; the other's may be elsewhere
                const int32_t mine = rank.rank == 0 ? set : turn / 2 % 2;
                halo_run run = HALO_RUN_INIT;
                run.n_fields = 1, run.sets = &mine;
                for (int64_t b = 0; b < 2; ++b) {
                    const std::vector<double> values = ring.owned(ring.first_gid() + b, turn);
                    if (mine == 1)
                        arrays[static_cast<size_t>(b)].write(values, stream);
                    else
                        std::copy(values.begin(), values.end(), on_host[static_cast<size_t>(b)]);
                }
                OK(halo_exchange_start(exchange, &run, stream));
                OK(halo_exchange_finish(exchange, stream));
                for (int64_t b = 0; b < 2; ++b) {
                    const auto i = static_cast<size_t>(b);
                    const std::vector<double> now = mine == 1 ? arrays[i].read(stream) : std::vector<double>(on_host[i], on_host[i] + Ring::size);
                    if (now != ring.filled(ring.first_gid() + b, turn))
                        stop("turn %d, set %d, block %lld differs", turn, mine, static_cast<long long>(b));
                }
            }
        }
        OK(halo_field_destroy(&field));
        for (double *memory : on_host) {
            void *pointer = memory;
            OK(halo_memory_release(rank.context, &pointer));
        }
    });
}

// Pointers of a run, on the device, for a field that is bound nowhere.
TEST(OnDevices, StorageOfARun) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        halo_field *field = nullptr;
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
        OK(halo_field_create(ring.topology(), &desc, &field));
        const RingField storage(ring, "storage");
        {
            const RingExchange exchange({ field });
            const late::Stream stream(storage.device());
            void *const data[] = { storage.array(0).data(), storage.array(1).data() };
            const int32_t device = 0;
            halo_run run = HALO_RUN_INIT;
            run.data = data, run.n_data = 2;
            run.devices = &device, run.n_fields = 1;
            storage.write(5, stream);
            OK(halo_exchange_start(exchange, &run, stream));
            OK(halo_exchange_finish(exchange, stream));
            storage.expect(5, stream, "pointers");
        }
        OK(halo_field_destroy(&field));
    });
}

// So many blocks on each rank, in three dimensions: each has all around it as neighbours.
class Cube {
public:
    Cube(Rank &rank, int64_t per_rank) : rank_(rank) {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        for (int d = 0; d < 3; ++d) desc.n_cells[d] = 4, desc.periodic[d] = 1;
        for (int64_t left = per_rank * rank.size, d = 0; left > 1; left /= 2, d = (d + 1) % 3) desc.n_blocks[d] *= 2;
        OK(halo_topology_create_blocks(rank.context, &desc, &topology_));
    }
    ~Cube() {
        for (halo_field *&field : fields_) halo_field_destroy(&field);
        halo_topology_destroy(&topology_);
    }
    Cube(const Cube &) = delete;
    Cube &operator=(const Cube &) = delete;

    // With storage of ones, or what is one in eight bytes.
    halo_field *add_field(bool sparse, halo_type type = HALO_FLOAT64, int32_t centring = HALO_CENTRE_CELL) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.sparse = sparse;
        desc.type = type;
        desc.centring = centring;
        for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
        halo_field *field = nullptr;
        OK(halo_field_create(topology_, &desc, &field));
        fields_.push_back(field);
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology_, &gids, &n));
        for (int64_t part = 0; part < n; ++part) {
            halo_layout layout = HALO_LAYOUT_INIT;
            OK(halo_field_layout(field, gids[part], &layout));
            const std::vector<double> ones(static_cast<size_t>(layout.elements), 1);
            late::bind(field, gids[part], arrays_.emplace_back(rank_.context, ones.size()).data(), HALO_MEMORY_DEVICE, 0);
            arrays_.back().write(ones, nullptr);
        }
        return field;
    }
    halo_device *device() const { return arrays_.front().device(); }
    void synchronize() const { late_stream_synchronize(device(), nullptr); }

private:
    Rank &rank_;
    halo_topology *topology_ = nullptr;
    std::vector<halo_field *> fields_;
    std::deque<late::Array<double>> arrays_;
};

using PerRun = std::pair<int64_t, int64_t>; // launches that copy, and that test

PerRun launches_of_a_run(const RingExchange &exchange, halo_device *device) {
    const late_counts before = late_count(device);
    const int64_t told = exchange.stats().device_launches;
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_DEFAULT));
    OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
    const late_counts after = late_count(device);
    const PerRun made{ after.launches - before.launches, after.tests - before.tests };
    if (exchange.stats().device_launches - told != made.first + made.second) stop("the statistics tell of other launches");
    return made;
}

class Launches : public testing::TestWithParam<std::tuple<int32_t, int64_t>> {};

// What is put on a device does not grow with fields, blocks, peers.
TEST_P(Launches, OfARun) {
    const auto [n_ranks, per_rank] = GetParam();
    run(n_ranks, late::settings(), [n_blocks = per_rank](Rank &rank) {
        Cube cube(rank, n_blocks);
        std::vector<halo_field *> fields{ cube.add_field(false), cube.add_field(false), cube.add_field(false) };
        const RingExchange dense(fields);
        fields.insert(fields.end(), { cube.add_field(true), cube.add_field(true) });
        const RingExchange with_sparse(fields);
        const halo_exchange_stats stats = dense.stats();
        const int64_t copies = stats.channels_local > 0 ? 3 : 2; // pack, direct, unpack
        if (rank.size * n_blocks >= 8 && stats.n_peers != rank.size - 1) stop("%d peers", stats.n_peers);
        for (int turn = 0; turn < 3; ++turn) {
            if (launches_of_a_run(dense, cube.device()) != PerRun{ copies, 0 }) stop("dense: not pack, direct, unpack");
            if (launches_of_a_run(with_sparse, cube.device()) != PerRun{ copies, 1 }) stop("sparse: not test, pack, direct, unpack");
        }
        cube.synchronize();
    });
}

// Nor where values are combined, of whatever types. What is put into memory of peers is one launch more.
TEST_P(Launches, ThatCombine) {
    const auto [n_ranks, per_rank] = GetParam();
    run(n_ranks, late::settings({ { "path", "message" } }), [n_blocks = per_rank](Rank &rank) {
        for (const auto &[kind, centring] :
             { std::pair(HALO_KIND_REVERSE, HALO_CENTRE_CELL), std::pair(HALO_KIND_SHARED_REDUCE, HALO_CENTRE_NODE) }) {
            Cube cube(rank, n_blocks);
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.kind = kind, desc.op = HALO_SUM;
            std::vector<halo_field *> fields{ cube.add_field(false, HALO_FLOAT64, centring) };
            const RingExchange one(fields, &desc);
            for (const halo_type type : { HALO_FLOAT64, HALO_FLOAT32, HALO_INT32, HALO_COMPLEX64 })
                fields.push_back(cube.add_field(false, type, centring));
            const RingExchange many(fields, &desc);
            const int64_t launches = one.stats().channels_local > 0 ? 3 : 2; // pack, set aside, combine
            for (int turn = 0; turn < 3; ++turn)
                for (const RingExchange *exchange : { &one, &many })
                    if (const PerRun made = launches_of_a_run(*exchange, cube.device()); made != PerRun{ launches, 0 })
                        stop("kind %d: %lld launches: not pack, set aside, combine", kind, static_cast<long long>(made.first));
            cube.synchronize();
        }
    });
}

INSTANTIATE_TEST_SUITE_P(OnDevices, Launches, testing::Combine(testing::Values(2, 4, 8), testing::Values(1, 2, 4, 8)), [](const auto &one) {
    return std::to_string(std::get<0>(one.param)) + "Ranks" + std::to_string(std::get<1>(one.param)) + "Blocks";
});

// Once all has been used, nobody asks for memory, of any kind.
TEST(OnDevices, TheSteadyStateAllocatesNothing) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u"), s(ring, "s", 0, true);
        for (int64_t b = 0; b < 2; ++b) late::bind(s.handle(), ring.first_gid() + b, s.array(b).data(), HALO_MEMORY_DEVICE, 0);
        const RingExchange exchange({ u.handle(), s.handle() });
        const late::Stream stream(u.device());
        const auto allocations = [&] {
            int64_t n = 0;
            for (const int32_t kind : { HALO_MEMORY_HOST, HALO_MEMORY_PINNED, HALO_MEMORY_DEVICE }) {
                halo_pool_stats stats = HALO_POOL_STATS_INIT;
                OK(halo_context_pool_stats(rank.context, kind, &stats));
                n += stats.allocations;
            }
            return n;
        };
        int64_t first = 0;
        for (int turn = 0; turn < 300; ++turn) {
            if (turn == 40) first = allocations();
            u.write(turn, stream);
            s.write(turn, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            stream.synchronize();
            if (turn % 10 == 0) u.expect(turn, stream, "dense");
            if (turn % 10 == 0) s.expect(turn, stream, "sparse");
        }
        if (allocations() != first) stop("%lld more allocations", static_cast<long long>(allocations() - first));
    });
}

// In the middle of the device's work: nothing of it is taken away. Storage is the program's.
TEST(OnDevices, AbandonedAndDestroyedWhileTheDeviceWorks) {
    late_configure(7, 2000);
    run(2, late::settings(), [](Rank &rank) {
        for (int turn = 0; turn < 3; ++turn) {
            const late::Array<double> first(rank.context, Ring::size), second(rank.context, Ring::size);
            const late::Stream stream(first.device());
            {
                const Ring ring(rank, 2);
                halo_field *field = nullptr;
                halo_field_desc desc = HALO_FIELD_DESC_INIT;
                desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
                OK(halo_field_create(ring.topology(), &desc, &field));
                late::bind(field, ring.first_gid(), first.data(), HALO_MEMORY_DEVICE, 0);
                late::bind(field, ring.first_gid() + 1, second.data(), HALO_MEMORY_DEVICE, 0);
                {
                    const RingExchange exchange({ field });
                    first.write(ring.owned(ring.first_gid(), turn), stream);
                    OK(halo_exchange_start(exchange, nullptr, stream));
                    if (turn % 2 == 0)
                        OK(halo_exchange_abandon(exchange));
                    else
                        OK(halo_exchange_finish(exchange, stream));
                }
                OK(halo_field_destroy(&field));
            }
            stream.synchronize();
        }
    });
    late_configure(1, 50);
}

} // namespace
