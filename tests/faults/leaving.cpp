// SPDX-License-Identifier: BSD-3-Clause
// Over a transport whose messages leave only while their sender makes calls, no finished run leaves one behind: its rank may wait elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "halo_channel.h"
#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

// Every message is held back for up to 200 calls of its sender.
const Settings by_messages{ { "shared_memory", "no" }, { "timeout", "20s" } };
void run_slowly(int32_t n_ranks, const std::function<void(Rank &)> &body, const Settings &settings = by_messages) {
    choose_wrapper();
    run_wrapped(n_ranks, settings, [&](Rank &rank) {
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
    SolverShape other_shape() const {
        SolverShape made = shape();
        made.name = "pressure";
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
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int32_t done = 0;
    while (done == 0 && std::chrono::steady_clock::now() < end) OK(halo_exchange_test(solver.exchange, &done));
    if (done == 0) stop("a run does not end");
    OK(halo_exchange_unpack(solver.exchange, HALO_STREAM_NONE));
    OK(halo_exchange_refine(solver.exchange, HALO_STREAM_NONE));
    solver.check();
}

void run_in_phases(Solver &solver) {
    solver.fill();
    OK(halo_exchange_post(solver.exchange, nullptr));
    halo_status status = HALO_BUSY;
    while (status == HALO_BUSY) status = halo_exchange_send(solver.exchange, HALO_STREAM_NONE);
    OK(status);
    poll_to_its_end(solver);
}

void fill_and_start(Solver &solver) {
    solver.fill();
    OK(solver.start());
}

void finish_and_check(Solver &solver) {
    OK(solver.finish());
    solver.check();
}

TEST_P(Leaving, ARankWaitsElsewhereAfterEachRun) {
    constexpr int n_runs = 25;
    Elsewhere elsewhere;
    run_slowly(2, [&](Rank &rank) {
        Solver solver(rank, shape());
        for (int i = 0; i < n_runs; ++i) {
            i % 2 == 0 ? solver.run() : run_in_phases(solver);
            elsewhere.wait_for(2);
        }
        solver.destroy();
    });
}

// What a peer waits to be taken is taken in the waits and polls of others: the first runs are probed for, and so is what comes per channel.
TEST_P(Leaving, RanksMayFinishExchangesInDifferentOrders) {
    constexpr int n_runs = 12;
    run_slowly(2, [&](Rank &rank) {
        Solver one(rank, shape()), other(rank, other_shape());
        for (int i = 0; i < n_runs; ++i) {
            fill_and_start(one);
            fill_and_start(other);
            Solver &first = rank.rank == i % 2 ? one : other, &second = &first == &one ? other : one;
            i % 3 == rank.rank ? poll_to_its_end(first) : finish_and_check(first);
            finish_and_check(second);
        }
        one.destroy();
        other.destroy();
    });
}

TEST_P(Leaving, ARankMayEndOneExchangeBeforeItStartsAnother) {
    constexpr int n_runs = 12;
    run_slowly(2, [&](Rank &rank) {
        Solver one(rank, shape()), other(rank, other_shape());
        for (int i = 0; i < n_runs; ++i) {
            fill_and_start(one);
            if (rank.rank == i % 2) finish_and_check(one);
            fill_and_start(other);
            i % 3 == 0 ? poll_to_its_end(other) : finish_and_check(other);
            if (rank.rank != i % 2) finish_and_check(one);
        }
        one.destroy();
        other.destroy();
    });
}

TEST_P(Leaving, ARankMayWaitInACollectiveBeforeItFinishes) {
    constexpr int n_runs = 12;
    run_slowly(2, [&](Rank &rank) {
        Solver solver(rank, shape());
        for (int i = 0; i < n_runs; ++i) {
            fill_and_start(solver);
            if (rank.rank == i % 2) finish_and_check(solver);
            OK(halo_context_barrier(rank.context));
            if (rank.rank != i % 2) finish_and_check(solver);
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

// Two ranks with a channel each way, in one group.
class Pair {
public:
    explicit Pair(const Rank &rank) : rank_(rank.rank) {
        for (const int32_t from : { 0, 1 }) {
            const halo_channel_key key{ from, 1 - from, 0, 0, 0 };
            halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
            desc.send_rank = from, desc.receive_rank = 1 - from, desc.count = n_values;
            OK(halo_channel_register(rank.context, &key, &desc, &channels_[from]));
        }
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = HALO_MESSAGES_AGGREGATE;
        OK(halo_group_create(rank.context, channels_, 2, &desc, &group_));
    }
    void send() {
        ++run_;
        for (int32_t writable = 0; writable == 0;) OK(halo_group_writable(group_, &writable));
        std::fill_n(values_of(rank_), n_values, 10 * run_ + rank_);
        OK(halo_group_send(group_, nullptr, HALO_STREAM_NONE));
    }
    void receive() {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        int32_t done = 0;
        while (done == 0 && std::chrono::steady_clock::now() < end) OK(halo_group_try_receive(group_, &done));
        if (done == 0) stop("run %d has not come", run_);
    }
    void check() {
        const double *const values = values_of(1 - rank_);
        for (int64_t v = 0; v < n_values; ++v)
            if (values[v] != 10 * run_ + 1 - rank_) stop("run %d: value %lld is wrong", run_, static_cast<long long>(v));
        OK(halo_group_stale(group_, HALO_STREAM_NONE));
    }
    void destroy() {
        OK(halo_group_drain(group_, 20));
        OK(halo_group_destroy(&group_));
        for (halo_channel *&channel : channels_) OK(halo_channel_destroy(&channel));
    }

private:
    static constexpr int64_t n_values = 500;
    double *values_of(int32_t sender) {
        halo_buffer buffer = HALO_BUFFER_INIT;
        OK(halo_channel_buffer(channels_[sender], &buffer));
        return static_cast<double *>(buffer.data);
    }

    int32_t rank_;
    int32_t run_ = 0;
    halo_channel *channels_[2] = {}; // from rank 0, from rank 1
    halo_group *group_ = nullptr;
};

TEST(LeavingGroup, ARankWaitsElsewhereAfterEachRun) {
    constexpr int n_runs = 25;
    Elsewhere elsewhere;
    run_slowly(2, [&](Rank &rank) {
        Pair pair(rank);
        for (int i = 0; i < n_runs; ++i) {
            pair.send();
            pair.receive();
            elsewhere.wait_for(2);
            pair.check();
        }
        pair.destroy();
    });
}

// What each of two ranks has of the other's points is added to these, and read where it lies, if the other comes in time.
class Loan {
public:
    explicit Loan(Rank &rank) : rank_(rank.rank) {
        const std::vector<int32_t> owners(n_shared, 1 - rank_);
        std::vector<uint32_t> indices(n_shared);
        std::iota(indices.begin(), indices.end(), 0);
        halo_star_desc star = HALO_STAR_DESC_INIT;
        star.n_points = 2 * n_shared, star.n_leaves = n_shared;
        star.ranks = owners.data(), star.indices = indices.data();
        OK(halo_topology_create_star(rank.context, &star, &topology_));
        const halo_field_desc desc = HALO_FIELD_DESC_INIT;
        OK(halo_field_create(topology_, &desc, &field_));
        OK(halo_field_allocate(field_, -1));
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.kind = HALO_KIND_REVERSE, how.source_stable = 1;
        OK(halo_exchange_create(&field_, 1, &how, &exchange_));
    }
    void start(int time) const {
        double *const values = data();
        for (int64_t i = 0; i < 2 * n_shared; ++i) values[i] = value(rank_, i, time);
        OK(halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE));
    }
    void finish(int time) const {
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        const double *const values = data();
        for (int64_t i = 0; i < n_shared; ++i)
            if (values[i] != value(rank_, i, time) + value(1 - rank_, n_shared + i, time))
                stop("time %d: value %lld is wrong", time, static_cast<long long>(i));
    }
    void destroy() {
        OK(halo_exchange_destroy(&exchange_));
        OK(halo_field_destroy(&field_));
        OK(halo_topology_destroy(&topology_));
    }

private:
    static constexpr int64_t n_shared = 600;
    static double value(int32_t rank, int64_t point, int time) { return 10000.0 * time + 2000 * rank + static_cast<double>(point); }
    double *data() const {
        void *storage = nullptr;
        OK(halo_field_data(field_, rank_, 0, &storage));
        return static_cast<double *>(storage);
    }

    int32_t rank_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

// A rank is late, the other sends after all what it would have read, and waits elsewhere.
TEST(LeavingLoans, HaveLeftAsMessages) {
    Elsewhere elsewhere;
    const Settings settings{ { "shared_memory.least", "0" }, { "path", "direct" }, { "check", "no" }, { "timeout", "20s" } };
    run_slowly(
        2,
        [&](Rank &rank) {
            Loan loan(rank);
            for (int time = 0; time < 12; ++time) {
                loan.start(time);
                elsewhere.wait_for(2);
                if (rank.rank == time % 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
                loan.finish(time);
                elsewhere.wait_for(2);
            }
            loan.destroy();
        },
        settings);
}

TEST_P(Leaving, GroupsAndExchangesMayEndInDifferentOrders) {
    constexpr int n_runs = 12;
    run_slowly(2, [&](Rank &rank) {
        Solver solver(rank, shape());
        Pair pair(rank);
        for (int i = 0; i < n_runs; ++i) {
            fill_and_start(solver);
            pair.send();
            if (rank.rank == i % 2) finish_and_check(solver);
            pair.receive();
            pair.check();
            if (rank.rank != i % 2) finish_and_check(solver);
        }
        pair.destroy();
        solver.destroy();
    });
}

} // namespace

} // namespace conformance
