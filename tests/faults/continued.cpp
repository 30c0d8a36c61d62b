// SPDX-License-Identifier: BSD-3-Clause
// Collective calls that end before their time: made again they continue, given up they end the context's collectives, and never is a result wrong.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "halo_access.h"
#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

constexpr int32_t n_ranks = 3;

// Contexts are made without haste.
void run_impatiently(const char *timeout, const std::function<void(Rank &)> &body) {
    run_wrapped(n_ranks, {}, [&](Rank &rank) {
        OK(halo_context_barrier(rank.context));
        OK(halo_context_set(rank.context, "timeout", timeout));
        body(rank);
    });
}

using Call = std::function<halo_status(const Rank &)>;

halo_status sum(const Rank &rank, size_t n, int64_t scale, std::vector<int64_t> &result) {
    std::vector<int64_t> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<int64_t>(i) * scale * (rank.rank + 1);
    result.assign(n, -1);
    return halo_context_allreduce(rank.context, values.data(), result.data(), static_cast<int64_t>(n), HALO_INT64, HALO_SUM);
}

halo_status right_sum(const Rank &rank, size_t n, int64_t scale) {
    std::vector<int64_t> result;
    const halo_status status = sum(rank, n, scale, result);
    for (size_t i = 0; i < n; ++i) {
        const int64_t expected = status == HALO_SUCCESS ? static_cast<int64_t>(i) * scale * n_ranks * (n_ranks + 1) / 2 : -1;
        if (result[i] != expected) stop("value %zu is %lld, not %lld", i, static_cast<long long>(result[i]), static_cast<long long>(expected));
    }
    return status;
}

// Every rank has half of the next one's keys.
halo_status keys(const Rank &rank) {
    std::vector<uint64_t> keys(64);
    std::iota(keys.begin(), keys.end(), static_cast<uint64_t>(rank.rank) * 32);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.keys = keys.data();
    desc.n_keys = static_cast<int64_t>(keys.size());
    halo_topology *topology = nullptr;
    const halo_status status = halo_topology_create_keys(rank.context, &desc, &topology);
    if (status != HALO_SUCCESS) return status;
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    OK(halo_topology_keys_report(topology, &report));
    if (report.n_global != 32 * (n_ranks + 1)) stop("%lld keys are known", static_cast<long long>(report.n_global));
    OK(halo_topology_destroy(&topology));
    return status;
}

// One box per rank, in a row.
halo_status boxes(const Rank &rank) {
    const halo_box box{ { 4 * rank.rank, 0, 0 }, { 4 * rank.rank + 4, 1, 1 } };
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 1;
    desc.domain = { { 0, 0, 0 }, { 4 * n_ranks, 1, 1 } };
    desc.distributed = 1;
    desc.boxes = &box;
    desc.n_boxes = 1;
    desc.reach = 1;
    halo_topology *topology = nullptr;
    const halo_status status = halo_topology_create_boxes(rank.context, &desc, &topology);
    if (status != HALO_SUCCESS) return status;
    int64_t n = 0;
    OK(halo_topology_peers(topology, nullptr, 0, &n));
    if (n != (rank.rank == 1 ? 2 : 1)) stop("rank %d has %lld peers", rank.rank, static_cast<long long>(n));
    OK(halo_topology_destroy(&topology));
    return status;
}

halo_status group(const Rank &rank, int32_t messages) {
    halo_channel *channels[2] = {};
    for (const int32_t shift : { 0, 1 }) {
        const int32_t from = (rank.rank + n_ranks - shift) % n_ranks;
        const halo_channel_key key{ from, (from + 1) % n_ranks, 0, 0, 0 };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = from;
        desc.receive_rank = (from + 1) % n_ranks;
        desc.count = 1;
        if (halo_channel_find(rank.context, &key, &channels[shift]) != HALO_SUCCESS)
            OK(halo_channel_register(rank.context, &key, &desc, &channels[shift]));
    }
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    desc.messages = messages;
    halo_group *group = nullptr;
    const halo_status status = halo_group_create(rank.context, channels, 2, &desc, &group);
    if (status == HALO_SUCCESS) OK(halo_group_destroy(&group));
    if (status != HALO_TIMEOUT)
        for (halo_channel *&channel : channels) OK(halo_channel_destroy(&channel));
    return status;
}

struct Named {
    const char *name;
    Call call;
};

const Named calls[] = {
    { "barrier", [](const Rank &rank) { return halo_context_barrier(rank.context); } },
    { "allreduce", [](const Rank &rank) { return right_sum(rank, 3, 1); } },
    { "large allreduce", [](const Rank &rank) { return right_sum(rank, 5000, 1); } },
    { "keys", keys },
    { "boxes", boxes },
    { "group", [](const Rank &rank) { return group(rank, HALO_MESSAGES_AGGREGATE); } },
    { "group per channel", [](const Rank &rank) { return group(rank, HALO_MESSAGES_PER_CHANNEL); } },
};

// One rank comes when the others have lost patience. All make the call until it is done.
void come_late(const Named &named, int32_t late) {
    std::atomic<int> waiting = 0;
    run_impatiently("100ms", [&](Rank &rank) {
        while (rank.rank == late && waiting < n_ranks - 1) std::this_thread::yield();
        halo_status status = named.call(rank);
        if (rank.rank != late) expect_failure(status, HALO_TIMEOUT, { "rank" });
        ++waiting;
        while (status == HALO_TIMEOUT) status = named.call(rank);
        OK(status);
        OK(halo_context_set(rank.context, "timeout", "60s"));
        for (int64_t scale = 1; scale <= 3; ++scale) OK(right_sum(rank, 10, scale)); // of this collective nothing is left
        OK(halo_context_barrier(rank.context));
    });
}

TEST(ContinuedCollectives, EachIsDoneOnceTheLastRankHasCome) {
    choose_wrapper();
    for (const Named &named : calls)
        for (int32_t late = 0; late < n_ranks && !HasFailure(); ++late) {
            SCOPED_TRACE(named.name);
            come_late(named, late);
        }
}

// Who has lost patience has left nothing behind that a late rank could join.
TEST(ContinuedCollectives, AContextIsMadeOnceTheLastRankHasCome) {
    for (int32_t late = 0; late < n_ranks && !HasFailure(); ++late) {
        std::atomic<int> gave_up = 0;
        run_raw(n_ranks, [&](halo_inproc *inproc, int32_t number) {
            Rank rank;
            const auto make = [&] { return make_context(inproc, number, { { "timeout", "50ms" } }, &rank.context); };
            for (int i = 0; number != late && i < 2; ++i, ++gave_up)
                expect_failure(make(), HALO_TIMEOUT, { "context: rank", "of the in-process group has not begun" });
            while (gave_up < 2 * (n_ranks - 1)) std::this_thread::yield();
            halo_status status = HALO_TIMEOUT;
            while (status == HALO_TIMEOUT) status = make();
            OK(status);
            OK(halo_context_set(rank.context, "timeout", "60s"));
            OK(halo_context_rank(rank.context, &rank.rank, &rank.size));
            OK(right_sum(rank, 10, 1));
            OK(halo_context_destroy(&rank.context));
        });
    }
}

// Several ranks leave and come back at any time.
TEST(ContinuedCollectives, SumsStayRightWhereEveryCallMayTimeOut) {
    choose_wrapper();
    run_impatiently("1ms", [&](Rank &rank) {
        for (int64_t scale = 1; scale <= 60; ++scale) {
            if (scale % n_ranks == rank.rank) std::this_thread::sleep_for(std::chrono::milliseconds(3));
            while (right_sum(rank, scale % 2 == 0 ? 700 : 5, scale) == HALO_TIMEOUT) {}
        }
    });
}

// Rank 0 goes on to a barrier while nobody has all values. No rank gets a sum, or passes a barrier, from then on.
TEST(ContinuedCollectives, OneThatIsGivenUpEndsThemAll) {
    choose_wrapper();
    std::atomic<int> waiting = 0;
    run_impatiently("100ms", [&](Rank &rank) {
        std::vector<int64_t> result;
        while (rank.rank == 2 && waiting < 2) std::this_thread::yield();
        halo_status status = rank.rank == 2 ? HALO_TIMEOUT : sum(rank, 3, 1, result);
        if (status != HALO_TIMEOUT) stop("%s came", halo_status_name(status));
        ++waiting;
        while (waiting < 2) std::this_thread::yield(); // the end is told to all, and would come in place of rank 1's own timeout
        if (rank.rank == 0) {
            expect_failure(halo_context_barrier(rank.context), HALO_ERR_STATE, { "rank 0 gave up 'allreduce'", "went on to 'barrier'" });
        } else {
            while (status == HALO_TIMEOUT) status = sum(rank, 3, 1, result);
            expect_failure(status, HALO_ERR_PEER, { "rank 0 has ended", "gave up 'allreduce'" });
        }
        expect_failure(sum(rank, 3, 1, result), HALO_ERR_STATE, { "allreduce", "have ended", "rank 0 gave up 'allreduce'" });
        expect_failure(halo_context_barrier(rank.context), HALO_ERR_STATE, { "barrier", "have ended" });
        expect_failure(keys(rank), HALO_ERR_STATE, { "keys", "have ended" });
    });
}

// Values that other ranks may have already cannot be changed.
TEST(ContinuedCollectives, ARetryWithOtherValuesIsRefused) {
    choose_wrapper();
    std::atomic<int> waiting = 0;
    run_impatiently("100ms", [&](Rank &rank) {
        std::vector<int64_t> result;
        while (rank.rank == 0 && waiting < 2) std::this_thread::yield();
        if (rank.rank != 0) expect_failure(sum(rank, 3, 1, result), HALO_TIMEOUT, { "rank" });
        ++waiting;
        while (waiting < 2) std::this_thread::yield(); // the refusal is told to all, and would come in place of rank 2's own timeout
        if (rank.rank == 1) return expect_failure(sum(rank, 3, 2, result), HALO_ERR_STATE, { "rank 1", "again", "other values" });
        halo_status status = HALO_TIMEOUT;
        while (status == HALO_TIMEOUT) status = sum(rank, 3, 1, result);
        if (status == HALO_SUCCESS && result != std::vector<int64_t>{ 0, 6, 12 }) stop("the sum is of other values");
    });
}

// Rank 0 has sent nothing yet: nobody else can tell that it has other values.
TEST(ContinuedCollectives, OtherValuesAreRefusedBeforeAnyWereSent) {
    choose_wrapper();
    std::atomic<bool> has_waited = false;
    run_impatiently("100ms", [&](Rank &rank) {
        std::vector<int64_t> result;
        if (rank.rank == 0) {
            expect_failure(sum(rank, 3, 1, result), HALO_TIMEOUT, { "rank" });
            expect_failure(sum(rank, 3, 2, result), HALO_ERR_STATE, { "rank 0 called 'allreduce' again", "other values" });
            has_waited = true;
            return;
        }
        while (!has_waited) std::this_thread::yield();
        halo_status status = HALO_TIMEOUT;
        while (status == HALO_TIMEOUT) status = sum(rank, 3, 1, result);
        expect_failure(status, HALO_ERR_PEER, { "rank 0 has ended", "other values" });
    });
}

TEST(ContinuedCollectives, AGroupOfOtherChannelsIsRefused) {
    choose_wrapper();
    std::atomic<bool> has_waited = false;
    run_impatiently("100ms", [&](Rank &rank) {
        const auto make = [&](int32_t field) {
            halo_channel *channel = rank.rank == 0 ? nullptr : add_channel(rank, 1, 2, field);
            halo_group *group = nullptr;
            halo_status status = HALO_TIMEOUT;
            for (bool again = true; status == HALO_TIMEOUT && again; again = rank.rank != 1)
                status = halo_group_create(rank.context, &channel, rank.rank == 0 ? 0 : 1, nullptr, &group);
            const std::string text = halo_last_error();
            if (channel) OK(halo_channel_destroy(&channel));
            return std::pair(status, text);
        };
        while (rank.rank != 1 && !has_waited) std::this_thread::yield();
        const auto [status, text] = make(0);
        if (rank.rank != 1) {
            if (status != HALO_ERR_PEER || text.find("rank 1 has ended") == std::string::npos) stop("%s: %s", halo_status_name(status), text.c_str());
            return;
        }
        if (status != HALO_TIMEOUT) stop("%s came", halo_status_name(status));
        const auto [other_status, other_text] = make(1);
        if (other_status != HALO_ERR_STATE ||
            other_text.find("rank 1 called 'group' again, which had not ended, with other values") == std::string::npos)
            stop("%s: %s", halo_status_name(other_status), other_text.c_str());
        has_waited = true;
    });
}

// Check mode compares what a batch needs by a reduction of its own, which is none of the program's.
TEST(ContinuedCollectives, ABatchIsNotContinuedByAReduction) {
    choose_wrapper();
    std::atomic<bool> has_waited = false;
    run_wrapped(2, { { "check", "yes" } }, [&](Rank &rank) {
        Solver solver(rank, {});
        OK(halo_context_barrier(rank.context));
        OK(halo_context_set(rank.context, "timeout", "100ms"));
        while (rank.rank == 1 && !has_waited) std::this_thread::yield();
        halo_access access = HALO_ACCESS_INIT;
        access.field = solver.field->handle();
        access.mode = HALO_READ;
        access.through = HALO_VIA_MAP;
        halo_batch *batch = nullptr;
        const auto begin = [&] {
            return halo_access_begin(rank.context, &access, 1, sizeof access, HALO_STYLE_REDUNDANT, HALO_ON_HOST, HALO_STREAM_NONE, &batch);
        };
        if (rank.rank == 0) {
            expect_failure(begin(), HALO_TIMEOUT, { "rank 1" });
            int64_t values[3] = { 1, 2, 3 };
            expect_failure(halo_context_allreduce(rank.context, values, values, 3, HALO_INT64, HALO_MAX), HALO_ERR_STATE,
                           { "rank 0 gave up 'batch'", "went on to 'allreduce'" });
            has_waited = true;
        } else {
            halo_status status = HALO_TIMEOUT;
            while (status == HALO_TIMEOUT) status = begin();
            expect_failure(status, HALO_ERR_PEER, { "rank 0 has ended", "gave up 'batch'" });
        }
        solver.destroy();
    });
}

// ---- calls that end early at any place: ranks fall asleep while they wait, and the others lose patience

void insist(const Rank &rank, int64_t trial, const std::function<halo_status()> &call) {
    wrap_faults faults{};
    faults.seed = static_cast<uint64_t>(trial * n_ranks + rank.rank + 1);
    faults.nap = 0.03;
    wrapper().set_faults(&faults);
    OK(halo_context_set(rank.context, "timeout", "1ms"));
    halo_status status = HALO_TIMEOUT;
    while (status == HALO_TIMEOUT) status = call();
    OK(status);
    OK(halo_context_set(rank.context, "timeout", "60s"));
    faults.nap = 0;
    wrapper().set_faults(&faults);
}

using Trial = std::function<void(const Rank &, int64_t trial)>;

void interrupt(int64_t n_trials, const Trial &trial) {
    choose_wrapper();
    run_wrapped(n_ranks, { { "wait.spin", "10" } }, [&](Rank &rank) {
        for (int64_t t = 0; t < n_trials; ++t) {
            trial(rank, t);
            OK(halo_context_barrier(rank.context));
        }
    });
}

TEST(InterruptedCollectives, EachIsDoneInTheEnd) {
    for (const Named &named : calls) {
        SCOPED_TRACE(named.name);
        interrupt(25, [&](const Rank &rank, int64_t trial) { insist(rank, trial, [&] { return named.call(rank); }); });
    }
}

// Every rank has half of the next one's keys, in two parts; ghosts are of two groups. Few trials end while the edges of parts are divided.
TEST(InterruptedCollectives, SectionsOfParts) {
    interrupt(800, [](const Rank &rank, int64_t trial) {
        std::vector<uint64_t> keys(32);
        std::iota(keys.begin(), keys.end(), static_cast<uint64_t>(rank.rank) * 16);
        const int64_t offsets[] = { 0, 16, 32 };
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.keys = keys.data();
        desc.n_keys = 32;
        desc.numbering = HALO_NUMBERING_AS_GIVEN;
        desc.n_parts = 2;
        desc.part_offsets = offsets;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        std::vector<uint32_t> groups(32);
        for (size_t i = 0; i < groups.size(); ++i) groups[i] = 1 + static_cast<uint32_t>(keys[i] % 2);
        insist(rank, trial, [&] { return halo_topology_set_sections(topology, groups.data(), 32); });
        OK(halo_topology_destroy(&topology));
    });
}

// Two pairs, whose boxes are looked up one after the other. `start` starts a run.
void transfer(const Rank &rank, double timeout_seconds, const std::function<void(halo_exchange *)> &start) {
    double from[2][8], to[2][8] = {};
    halo_topology *topologies[4] = {};
    halo_field *fields[4] = {};
    for (int pair = 0; pair < 2; ++pair) {
        for (int i = 0; i < 8; ++i) from[pair][i] = 100 * pair + 8 * rank.rank + i;
        fields[pair] = field_on_box(rank, 0, pair == 0 ? "a" : "b", from[pair], topologies[pair]);
        fields[2 + pair] = field_on_box(rank, 1 + pair, pair == 0 ? "c" : "d", to[pair], topologies[2 + pair]);
    }
    halo_exchange *exchange = nullptr;
    halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
    desc.timeout_seconds = timeout_seconds;
    OK(halo_exchange_create_transfer(fields, fields + 2, 2, &desc, &exchange));
    start(exchange);
    halo_status finished = HALO_TIMEOUT;
    while (finished == HALO_TIMEOUT) finished = halo_exchange_finish(exchange, HALO_STREAM_NONE);
    OK(finished);
    for (int pair = 0; pair < 2; ++pair)
        for (int i = 0; i < 8; ++i)
            if (const double expected = 100 * pair + 8 * ((rank.rank + 1 + pair) % n_ranks) + i; to[pair][i] != expected)
                stop("value %d of pair %d is %g, not %g", i, pair, to[pair][i], expected);
    OK(halo_exchange_destroy(&exchange));
    for (int i = 0; i < 4; ++i) {
        OK(halo_field_destroy(&fields[i]));
        OK(halo_topology_destroy(&topologies[i]));
    }
}

halo_status start(halo_exchange *exchange) { return halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE); }

TEST(InterruptedCollectives, FirstStartOfATransfer) {
    interrupt(25, [](const Rank &rank, int64_t trial) {
        transfer(rank, HALO_TIMEOUT_CONFIGURED, [&](halo_exchange *exchange) { insist(rank, trial, [&] { return start(exchange); }); });
    });
}

TEST(InterruptedCollectives, PrepareOfATransfer) {
    interrupt(25, [](const Rank &rank, int64_t trial) {
        transfer(rank, HALO_TIMEOUT_CONFIGURED, [&](halo_exchange *exchange) {
            insist(rank, trial, [&] { return halo_exchange_prepare(exchange); });
            OK(start(exchange));
        });
    });
}

// The context has no time limit.
TEST(ContinuedCollectives, AFirstStartHasTheTimeLimitOfItsExchange) {
    choose_wrapper();
    std::atomic<int> waiting = 0;
    run_wrapped(n_ranks, { { "timeout", "none" } }, [&](Rank &rank) {
        transfer(rank, 0.1, [&](halo_exchange *exchange) {
            while (rank.rank == 2 && waiting < 2) std::this_thread::yield();
            if (rank.rank != 2) expect_failure(start(exchange), HALO_TIMEOUT, { "timed out", "rank" });
            ++waiting;
            halo_status status = HALO_TIMEOUT;
            while (status == HALO_TIMEOUT) status = start(exchange);
            OK(status);
        });
    });
}

// Ranks that call different collectives at the same time hear of it, and which.
void differ(const Call &first, const Call &other, const std::vector<std::string> &words) {
    choose_wrapper();
    run_wrapped(n_ranks, {}, [&](Rank &rank) {
        const halo_status status = rank.rank == 0 ? first(rank) : other(rank);
        if (status != HALO_ERR_MISMATCH && status != HALO_ERR_PEER) stop("%s came: %s", halo_status_name(status), halo_last_error());
        expect_failure(status, status, words);
    });
}

Call reduce(int64_t n, halo_type type, halo_op op) {
    return [=](const Rank &rank) {
        const std::vector<uint64_t> values(64, 1);
        std::vector<uint64_t> result(64);
        return halo_context_allreduce(rank.context, values.data(), result.data(), n, type, op);
    };
}

TEST(MismatchedCollectives, AreNamed) {
    differ(calls[0].call, reduce(5, HALO_INT64, HALO_SUM), { "barrier", "allreduce of 5 values of int64", "rank 0" });
    differ(reduce(5, HALO_INT64, HALO_SUM), reduce(6, HALO_INT64, HALO_SUM), { "5 values", "6 values" });
    differ(reduce(5, HALO_INT64, HALO_SUM), reduce(5, HALO_INT64, HALO_MAX), { "by sum", "by max" });
    differ(reduce(5, HALO_INT64, HALO_SUM), reduce(5, HALO_FLOAT64, HALO_SUM), { "int64", "float64" });
    differ(reduce(5, HALO_INT64, HALO_SUM), reduce(0, HALO_INT64, HALO_SUM), { "5 values", "0 values" });
    differ(calls[0].call, keys, { "barrier", "'keys'" });
    differ(boxes, keys, { "'boxes'", "'keys'" });
}

// 2^61 values of 8 bytes are 0 bytes, modulo 2^64.
TEST(MismatchedCollectives, MoreThanMemoryCanHoldIsRefused) {
    choose_wrapper();
    run_wrapped(n_ranks, {}, [&](Rank &rank) {
        double value = 1;
        for (const int64_t n : { INT64_C(1) << 61, INT64_C(1) << 60, INT64_MAX })
            expect_failure(halo_context_allreduce(rank.context, &value, &value, n, HALO_FLOAT64, HALO_SUM), HALO_ERR_LIMIT,
                           { "allreduce", "exceeds" });
        OK(right_sum(rank, 10, 1));
    });
}

} // namespace

} // namespace conformance
