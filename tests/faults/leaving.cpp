// SPDX-License-Identifier: BSD-3-Clause
// Over a transport whose messages leave only while their sender makes calls, no finished run leaves one behind: its rank may wait elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "halo_channel.h"
#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

// Every message is held back for up to 200 calls of its sender.
void run_slowly(int32_t n_ranks, const std::function<void(Rank &)> &body) {
    choose_wrapper();
    run_wrapped(n_ranks, { { "shared_memory", "no" }, { "timeout", "20s" } }, [&](Rank &rank) {
        wrap_faults faults{};
        faults.seed = static_cast<uint64_t>(rank.rank) + 1;
        faults.delay = 1;
        wrapper().set_faults(&faults);
        body(rank);
        faults.delay = 0;
        wrapper().set_faults(&faults);
        OK(halo_context_barrier(rank.context));
    });
}

// Where ranks wait for each other without calls of the library; not for ever, for one may have failed.
class Elsewhere {
public:
    void wait_for(int n) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        for (const int all = (n_come_++ / n + 1) * n; n_come_ < all && std::chrono::steady_clock::now() < end;) std::this_thread::yield();
    }

private:
    std::atomic<int> n_come_ = 0;
};

struct Way {
    const char *name;
    int32_t messages;
    int32_t receive;
    int32_t ghost_high;
};

class Leaving : public testing::TestWithParam<Way> {
protected:
    // Messages are too large to be sent before their receive is there.
    SolverShape shape() const {
        SolverShape made;
        made.messages = GetParam().messages;
        made.receive = GetParam().receive;
        made.ghost_high = GetParam().ghost_high;
        made.n_components = 500;
        return made;
    }
};

INSTANTIATE_TEST_SUITE_P(Ways, Leaving,
                         testing::Values(Way{ "aggregate", HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 1 },
                                         Way{ "probed", HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_PROBED, 1 },
                                         Way{ "per_channel", HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_POSTED, 1 },
                                         Way{ "one_way", HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0 },
                                         Way{ "one_way_per_channel", HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_POSTED, 0 }),
                         [](const auto &way) { return std::string(way.param.name); });

void poll_to_its_end(Solver &solver) {
    solver.fill();
    OK(halo_exchange_post(solver.exchange, nullptr));
    halo_status status = HALO_BUSY;
    while (status == HALO_BUSY) status = halo_exchange_send(solver.exchange, HALO_STREAM_NONE);
    OK(status);
    for (int32_t done = 0; done == 0;) OK(halo_exchange_test(solver.exchange, &done));
    OK(halo_exchange_unpack(solver.exchange, HALO_STREAM_NONE));
    OK(halo_exchange_refine(solver.exchange, HALO_STREAM_NONE));
    solver.check();
}

TEST_P(Leaving, ARankWaitsElsewhereAfterEachRun) {
    constexpr int n_runs = 25;
    Elsewhere elsewhere;
    run_slowly(2, [&](Rank &rank) {
        Solver solver(rank, shape());
        for (int i = 0; i < n_runs; ++i) {
            i % 2 == 0 ? solver.run() : poll_to_its_end(solver);
            elsewhere.wait_for(2);
        }
        solver.destroy();
    });
}

// Of a row of three ranks the last one has no part in a run, so the middle one fails before it has taken what the first one sends it.
TEST_P(Leaving, ARunIsOverWhosePeerHasFailed) {
    std::atomic<bool> failed = false;
    Elsewhere elsewhere;
    run_slowly(3, [&](Rank &rank) {
        SolverShape made = shape();
        made.n_blocks = 3;
        Solver solver(rank, made);
        solver.run();
        solver.fill();
        if (rank.rank == 2) solver.bind(false);
        const auto fails = [&](halo_status status, halo_status expected) {
            expect_failure(status, expected, { "density" });
            solver.bind(true);
        };
        if (rank.rank == 0 && made.ghost_high != 0) // else the middle one has all that it waits for
            while (!failed) std::this_thread::yield();
        const halo_status started = solver.start();
        if (rank.rank == 2) {
            fails(started, HALO_ERR_UNBOUND);
        } else {
            OK(started);
            const halo_status finished = solver.finish();
            failed = failed || rank.rank == 1;
            if (rank.rank == 1 && made.ghost_high != 0)
                expect_failure(finished, HALO_ERR_PEER, { "rank 2" });
            else
                OK(finished);
        }
        elsewhere.wait_for(3);
        for (int i = 0; i < 3; ++i) solver.run();
        solver.destroy();
    });
}

TEST_P(Leaving, ARunIsOverWhosePeerHasAbandonedIt) {
    std::atomic<bool> abandoned = false;
    run_slowly(2, [&](Rank &rank) {
        Solver solver(rank, shape());
        solver.run();
        solver.fill();
        if (rank.rank == 0)
            while (!abandoned) std::this_thread::yield();
        OK(solver.start());
        if (rank.rank == 0) {
            OK(solver.finish());
        } else {
            OK(halo_exchange_abandon(solver.exchange));
            abandoned = true;
        }
        solver.destroy();
    });
}

// A peer that does not come is named.
TEST_P(Leaving, AMessageThatIsNotTakenIsNamed) {
    if (GetParam().ghost_high != 0) return; // the run waits for its peer's part
    std::atomic<bool> named = false;
    run_slowly(2, [&](Rank &rank) {
        SolverShape made = shape();
        made.timeout_seconds = rank.rank == 0 ? 0.3 : 20;
        Solver solver(rank, made);
        solver.run();
        solver.fill();
        if (rank.rank == 1)
            while (!named) std::this_thread::yield();
        OK(solver.start());
        halo_status status = solver.finish();
        named = true;
        if (rank.rank == 0) expect_failure(status, HALO_TIMEOUT, { "rank 1 has not taken", "run 2" });
        while (status == HALO_TIMEOUT) status = solver.finish();
        OK(status);
        solver.check();
        solver.destroy();
    });
}

// A group that is received has left.
TEST(LeavingGroup, ARankWaitsElsewhereAfterEachRun) {
    constexpr int64_t n_values = 500;
    constexpr int n_runs = 25;
    Elsewhere elsewhere;
    run_slowly(2, [&](Rank &rank) {
        halo_channel *channels[2] = {}; // from rank 0, from rank 1
        for (const int32_t from : { 0, 1 }) {
            const halo_channel_key key{ from, 1 - from, 0, 0, 0 };
            halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
            desc.send_rank = from, desc.receive_rank = 1 - from, desc.count = n_values;
            OK(halo_channel_register(rank.context, &key, &desc, &channels[from]));
        }
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = HALO_MESSAGES_AGGREGATE;
        halo_group *group = nullptr;
        OK(halo_group_create(rank.context, channels, 2, &desc, &group));
        const auto values_of = [&](int32_t sender) {
            halo_buffer buffer = HALO_BUFFER_INIT;
            OK(halo_channel_buffer(channels[sender], &buffer));
            return static_cast<double *>(buffer.data);
        };
        for (int i = 0; i < n_runs; ++i) {
            for (int32_t writable = 0; writable == 0;) OK(halo_group_writable(group, &writable));
            std::fill_n(values_of(rank.rank), n_values, 10 * i + rank.rank);
            OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            int32_t done = 0;
            while (done == 0 && std::chrono::steady_clock::now() < end) OK(halo_group_try_receive(group, &done));
            elsewhere.wait_for(2);
            if (done == 0) stop("run %d has not come", i);
            for (int64_t v = 0; v < n_values; ++v)
                if (values_of(1 - rank.rank)[v] != 10 * i + 1 - rank.rank) stop("run %d: value %lld is wrong", i, static_cast<long long>(v));
            OK(halo_group_stale(group, HALO_STREAM_NONE));
        }
        OK(halo_group_drain(group, 20));
        OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) OK(halo_channel_destroy(&channel));
    });
}

} // namespace

} // namespace conformance
