// SPDX-License-Identifier: BSD-3-Clause
// Launches that come again are recorded, and put on the device at once: what is recorded when, that the values are the same, and what is told when it
// fails.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "late/ring.h"

namespace {

using namespace conformance;
using late::Array;
using late::Ring;
using late::RingExchange;
using late::RingField;

void expect(halo_status status, halo_status wanted, const char *text, std::initializer_list<const char *> parts) {
    if (status != wanted) stop("status %d, not %d: %s", status, wanted, text);
    for (const char *part : parts)
        if (!std::strstr(text, part)) stop("'%s' is not in: %s", part, text);
}

halo_status run_once(halo_exchange *exchange, halo_stream stream, const halo_run *with = nullptr) {
    const halo_status status = halo_exchange_start(exchange, with, stream);
    return status == HALO_SUCCESS ? halo_exchange_finish(exchange, stream) : status;
}

struct Counted {
    int64_t recordings, replays;
    bool operator==(const Counted &) const = default;
};
Counted counted(const RingField &u) {
    const late_counts counts = late_count(u.device());
    return { counts.recordings, counts.replays };
}
void require(const Counted &found, const Counted &wanted, const char *when) {
    if (found == wanted) return;
    stop("%s: %lld recordings and %lld replays, not %lld and %lld", when, static_cast<long long>(found.recordings),
         static_cast<long long>(found.replays), static_cast<long long>(wanted.recordings), static_cast<long long>(wanted.replays));
}

std::string described(halo_exchange *exchange) {
    std::vector<char> text(4096);
    OK(halo_exchange_describe(exchange, text.data(), text.size(), nullptr));
    return text.data();
}
void require_text(halo_exchange *exchange, const char *part) {
    const std::string text = described(exchange);
    if (text.find(part) == std::string::npos) stop("'%s' is not in: %s", part, text.c_str());
}

conformance::Settings settings(const char *graphs) { return late::settings({ { "device.graphs", graphs }, { "timeout", "20" } }); }

constexpr int n_runs = 8;

// Of packing and copies within the rank together, and of unpacking, which is one launch.
struct Mode {
    const char *graphs;
    int64_t per_run;
};
class GraphModes : public testing::TestWithParam<Mode> {};

TEST_P(GraphModes, TwoRanks) {
    run(2, settings(GetParam().graphs), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        const int64_t per_run = GetParam().per_run;
        for (int turn = 0; turn < n_runs; ++turn) {
            u.write(turn, stream);
            OK(run_once(exchange, stream));
            u.expect(turn, stream, "run");
            require(counted(u), { turn > 0 ? per_run : 0, turn > 1 ? (turn - 1) * per_run : 0 }, "a run");
        }
        if (exchange.stats().device_launches != n_runs * 3) stop("%lld launches", static_cast<long long>(exchange.stats().device_launches));
    });
}

TEST_P(GraphModes, SumsAndSparseFields) {
    run(2, settings(GetParam().graphs), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u"), s(ring, "s", 0, true);
        for (int64_t b = 0; b < 2; ++b) late::bind(s.handle(), ring.first_gid() + b, s.array(b).data(), HALO_MEMORY_DEVICE, 0);
        halo_exchange_desc reverse = HALO_EXCHANGE_DESC_INIT;
        reverse.kind = HALO_KIND_REVERSE;
        reverse.op = HALO_SUM;
        const RingExchange ghosts({ u.handle(), s.handle() }), sums({ u.handle() }, &reverse);
        const late::Stream stream(u.device());
        for (int turn = 1; turn <= n_runs; ++turn) {
            u.write(turn, stream);
            s.write(turn, stream);
            OK(run_once(ghosts, stream));
            u.expect(turn, stream, "dense");
            s.expect(turn, stream, "sparse");
            u.write_with_ghosts(turn, stream);
            OK(run_once(sums, stream));
            u.expect_sums(turn, stream, "sums");
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Graphs, GraphModes, testing::Values(Mode{ "no", 0 }, Mode{ "auto", 1 }, Mode{ "yes", 2 }),
                         [](const auto &one) { return std::string(one.param.graphs); });

// Nothing is recorded again: other arrays, another binding, another stream.
TEST(Graphs, OtherStorageAndStreams) {
    run(2, settings("auto"), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream one(u.device()), other(u.device());
        const Array<double> first(rank.context, Ring::size), second(rank.context, Ring::size);
        const auto go = [&](int turn, halo_stream stream) {
            u.write(turn, stream);
            OK(run_once(exchange, stream));
            u.expect(turn, stream, "bound");
        };
        go(1, one);
        go(2, one);
        const int64_t before = counted(u).recordings;
        go(3, other);
        void *data[] = { first.data(), second.data() };
        const int32_t devices[] = { 0 };
        halo_run with = HALO_RUN_INIT;
        with.n_fields = 1, with.devices = devices;
        with.data = data, with.n_data = 2;
        for (int turn = 4; turn < 8; ++turn) {
            std::swap(data[0], data[1]);
            const auto &low = turn % 2 == 0 ? second : first, &high = turn % 2 == 0 ? first : second;
            low.write(ring.owned(ring.first_gid(), turn), one);
            high.write(ring.owned(ring.first_gid() + 1, turn), one);
            OK(run_once(exchange, one, &with));
            if (low.read(one) != ring.filled(ring.first_gid(), turn)) stop("run %d: the first block differs", turn);
            if (high.read(one) != ring.filled(ring.first_gid() + 1, turn)) stop("run %d: the second block differs", turn);
        }
        for (int64_t b = 0; b < 2; ++b) late::bind(u.handle(), ring.first_gid() + b, data[b], HALO_MEMORY_DEVICE, 0);
        first.write(ring.owned(ring.first_gid(), 9), one);
        second.write(ring.owned(ring.first_gid() + 1, 9), one);
        OK(run_once(exchange, one));
        if (first.read(one) != ring.filled(ring.first_gid(), 9)) stop("the first block differs after it was bound again");
        if (second.read(one) != ring.filled(ring.first_gid() + 1, 9)) stop("the second block differs after it was bound again");
        if (counted(u).recordings != before) stop("something has been recorded again");
    });
}

// Runs in chunks are not recorded: the first messages leave while the others are packed.
TEST(Graphs, NotOfChunks) {
    run(2, late::settings({ { "device.graphs", "yes" }, { "device.chunk", "1" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 4; ++turn) {
            u.write(turn, stream);
            OK(run_once(exchange, stream));
            u.expect(turn, stream, "in chunks");
        }
        require(counted(u), { 0, 0 }, "in chunks");
    });
}

TEST(Graphs, AReplayThatFails) {
    run(2, settings("auto"), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 12; ++turn) {
            u.write(turn, stream);
            const int64_t part = turn / 4; // packing, copies, unpacking
            const bool fails = turn % 4 == 3;
            if (fails && rank.rank == 0) late_fail_launch(u.device(), part);
            const halo_status status = run_once(exchange, stream);
            if (!fails || (rank.rank == 1 && part == 2))
                OK(status);
            else if (rank.rank == 0)
                expect(status, HALO_ERR_DEVICE, halo_context_error(rank.context), { "exchange ", " over u", "a launch fails, as ordered" });
            else
                expect(status, HALO_ERR_PEER, halo_context_error(rank.context), { "rank 0", "as ordered" });
            if (!fails) u.expect(turn, stream, "run");
        }
    });
}

// Accepted, and failing when the call has returned: packing, which copies within the rank follow, and these. They fail together, so peers hear of it.
TEST(Graphs, WorkOfAReplayThatFails) {
    run(2, settings("auto"), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 12; ++turn) {
            u.write(turn, stream);
            const bool fails = turn % 3 == 2;
            if (fails && rank.rank == 0) late_fail_work(u.device(), turn % 2);
            const halo_status status = run_once(exchange, stream);
            if (!fails)
                OK(status);
            else if (rank.rank == 0)
                expect(status, HALO_ERR_DEVICE, halo_context_error(rank.context), { "exchange ", " over u", "has failed, as ordered" });
            else
                expect(status, HALO_ERR_PEER, halo_context_error(rank.context), { "rank 0", "as ordered" });
            if (!fails) u.expect(turn, stream, "run");
        }
    });
}

TEST(Graphs, WhereTheDeviceRecordsNothing) {
    late_refuse_graphs(true);
    run(1, settings("auto"), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        u.write(1, stream);
        OK(run_once(exchange, stream));
        u.expect(1, stream, "without graphs");
        require_text(exchange, "launches on device 0: not recorded: it was told not to");
    });
    run(1, settings("yes"), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const halo_status status = run_once(exchange, HALO_STREAM_DEFAULT);
        expect(status, HALO_ERR_DEVICE, halo_context_error(rank.context), { "device.graphs = yes", "it was told not to" });
    });
    late_refuse_graphs(false);
    run(1, settings("no"), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        u.write(1, stream);
        OK(run_once(exchange, stream));
        u.expect(1, stream, "without graphs");
        require_text(exchange, "launches on device 0: not recorded, as the setting device.graphs says");
    });
}

// What the program records would wait for messages that nobody sends: it is told so, and its recording goes on. So are the peers, and the next run
// works.
TEST(Graphs, AStreamThatTheProgramRecords) {
    run(2, settings("auto"), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device()), other(u.device());
        for (int turn = 0; turn < 3; ++turn) {
            if (rank.rank == 0) late_stream_capture(other, true);
            halo_status status = halo_exchange_start(exchange, nullptr, other);
            if (rank.rank == 0) late_stream_capture(other, false);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, other);
            if (rank.rank == 0)
                expect(status, HALO_ERR_STATE, halo_context_error(rank.context), { "records the stream into a graph" });
            else
                expect(status, HALO_ERR_PEER, halo_context_error(rank.context), { "rank 0", "records the stream into a graph" });
            other.synchronize(); // what it has begun reads the values
            u.write(turn, stream);
            OK(run_once(exchange, stream));
            u.expect(turn, stream, "afterwards");
        }
        u.write(7, stream);
        OK(halo_exchange_start(exchange, nullptr, stream));
        late_stream_capture(other, true);
        const halo_status status = halo_exchange_finish(exchange, other);
        late_stream_capture(other, false);
        expect(status, HALO_ERR_STATE, halo_context_error(rank.context), { "records the stream into a graph" });
        u.write(8, stream);
        OK(run_once(exchange, stream));
        u.expect(8, stream, "after a finish");
    });
}

} // namespace
