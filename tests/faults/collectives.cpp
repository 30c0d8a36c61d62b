// SPDX-License-Identifier: BSD-3-Clause
// Collective operations when a message is lost: they end in time, what they had on its way stays valid, everything can be destroyed.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

constexpr int32_t n_ranks = 3;
constexpr size_t n_values = 4000; // more than a transport takes at once

void drop_next() {
    wrap_faults faults{};
    faults.drop = 1;
    faults.most = 1;
    faults.collectives = 1;
    wrapper().set_faults(&faults);
}

halo_status sum(const Rank &rank, std::vector<double> &result) {
    const std::vector<double> values(n_values, rank.rank + 1); // gone when the call returns
    result.assign(n_values, 0);
    return halo_context_allreduce(rank.context, values.data(), result.data(), n_values, HALO_FLOAT64, HALO_SUM);
}

// Rank 1's values are lost. Rank 0 waits for them, the others for the sum; rank 2's values have not been taken by anybody, and its call has
// returned. When all try again, rank 0 takes those: they must still be there (the address sanitizer looks on). Then rank 2's second values
// are left over, so the second try may end in time as the first.
TEST(Collectives, ALostMessageEndsInTimeAndLeavesNothingDangling) {
    choose_wrapper();
    std::atomic<int> timed_out = 0;
    run_wrapped(n_ranks, { { "timeout", "300ms" } }, [&](Rank &rank) {
        std::vector<double> result;
        OK(halo_context_barrier(rank.context));
        if (rank.rank == 1) drop_next();
        expect_failure(sum(rank, result), HALO_TIMEOUT, { "timed out", rank.rank == 0 ? "rank 1" : "rank 0" });
        ++timed_out;
        while (timed_out < n_ranks) std::this_thread::yield();
        const halo_status status = sum(rank, result);
        if (status != HALO_SUCCESS) expect_failure(status, HALO_TIMEOUT, { "timed out", "rank" });
        const double expected = status == HALO_SUCCESS ? 6 : 0; // results are written on success only
        for (const double value : result)
            if (value != expected) stop("a value is %g, not %g", value, expected);
    });
}

// The same for each call that communicates in this way: the time limit holds and the context can be destroyed.
TEST(Collectives, EachEndsInTime) {
    choose_wrapper();
    for (int32_t victim = 0; victim < n_ranks && !HasFailure(); ++victim) {
        run_wrapped(n_ranks, { { "timeout", "200ms" } }, [&](Rank &rank) {
            OK(halo_context_barrier(rank.context));
            if (rank.rank == victim) drop_next();
            const halo_status status = halo_context_barrier(rank.context);
            if (status != HALO_SUCCESS) expect_failure(status, HALO_TIMEOUT, { "barrier", "rank" });
            if (status == HALO_SUCCESS && rank.rank == (victim + 1) % n_ranks) stop("the next rank did not miss the message");
        });
        run_wrapped(n_ranks, { { "timeout", "200ms" } }, [&](Rank &rank) {
            const halo_channel_key key{ rank.rank, (rank.rank + 1) % n_ranks, 0, 0, 0 };
            halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
            desc.send_rank = rank.rank;
            desc.receive_rank = (rank.rank + 1) % n_ranks;
            desc.count = 1;
            halo_channel *channel = nullptr; // without its other end
            OK(halo_channel_register(rank.context, &key, &desc, &channel));
            if (rank.rank == victim) drop_next();
            halo_group *group = nullptr;
            const halo_status status = halo_group_create(rank.context, &channel, 1, nullptr, &group);
            if (status != HALO_TIMEOUT && status != HALO_ERR_MISMATCH) stop("%s: %s", halo_status_name(status), halo_last_error());
            if (group) stop("a group was made");
            OK(halo_channel_destroy(&channel));
        });
    }
}

// Few and many values go by different trees.
TEST(Collectives, AnySizeOnAnyRanks) {
    for (int32_t n = 1; n <= 9; ++n)
        for (const size_t n_given : { 1, 511, 512, 5000 })
            run(n, {}, [&](Rank &rank) {
                std::vector<int64_t> given(n_given);
                for (size_t i = 0; i < n_given; ++i) given[i] = static_cast<int64_t>(i) * (rank.rank + 1);
                OK(halo_context_allreduce(rank.context, given.data(), given.data(), static_cast<int64_t>(n_given), HALO_INT64, HALO_SUM));
                for (size_t i = 0; i < n_given; ++i)
                    if (given[i] != static_cast<int64_t>(i) * n * (n + 1) / 2)
                        stop("value %zu of %zu is %lld on %d ranks", i, n_given, static_cast<long long>(given[i]), n);
            });
}

// NaN wins in a minimum and a maximum, wherever it comes from.
TEST(Collectives, NaNWins) {
    for (int32_t source = 0; source < n_ranks; ++source)
        for (const halo_op op : { HALO_MIN, HALO_MAX })
            run(n_ranks, {}, [&](Rank &rank) {
                const double nan = std::numeric_limits<double>::quiet_NaN();
                double values[3] = { rank.rank == source ? nan : rank.rank, static_cast<double>(rank.rank), rank.rank == source ? -0.0 : 0.0 };
                float narrow = rank.rank == source ? std::numeric_limits<float>::quiet_NaN() : 1.0f;
                OK(halo_context_allreduce(rank.context, values, values, 3, HALO_FLOAT64, op));
                OK(halo_context_allreduce(rank.context, &narrow, &narrow, 1, HALO_FLOAT32, op));
                if (!std::isnan(values[0]) || !std::isnan(narrow))
                    stop("a NaN of rank %d was lost: %g, %g", source, values[0], static_cast<double>(narrow));
                if (values[1] != (op == HALO_MIN ? 0 : n_ranks - 1)) stop("the extreme is %g", values[1]);
                if (std::signbit(values[2]) != (op == HALO_MIN)) stop("of two zeros the wrong one came: %g", values[2]);
            });
}

} // namespace

} // namespace conformance
