// SPDX-License-Identifier: BSD-3-Clause
// Reductions in two halves: the bits of halo_allreduce, several under way, ended in any order.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;

class Reductions : public testing::TestWithParam<int32_t> {};

double value_of(int32_t rank, int64_t i, int64_t step) {
    return std::sin(static_cast<double>(31 * rank + 7 * i + step)) * std::pow(10.0, (rank + i) % 9);
}

TEST_P(Reductions, GiveTheBitsOfAllreduce) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        for (const int64_t n : { 1, 3, 5000, 0 })
            for (const halo_op op : { HALO_SUM, HALO_MIN, HALO_MAX, HALO_PROD }) {
                halo_reduction *reduction = nullptr;
                OK(halo_reduction_create(rank.context, n, HALO_FLOAT64, op, &reduction));
                std::vector<double> in(static_cast<size_t>(n) + 1), wanted(in.size()), got(in.size());
                for (int64_t step = 0; step < 4; ++step) {
                    for (int64_t i = 0; i < n; ++i) in[static_cast<size_t>(i)] = value_of(rank.rank, i, step);
                    OK(halo_reduction_begin(reduction, in.data()));
                    OK(halo_allreduce(rank.context, in.data(), wanted.data(), n, HALO_FLOAT64, op)); // meanwhile
                    OK(halo_reduction_end(reduction, got.data()));
                    if (std::memcmp(wanted.data(), got.data(), static_cast<size_t>(n) * sizeof(double)) != 0)
                        stop("op %d of %lld values, run %lld: other bits", op, static_cast<long long>(n), static_cast<long long>(step));
                }
                OK(halo_reduction_destroy(&reduction));
            }
    });
}

TEST_P(Reductions, EndInAnyOrder) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        constexpr int n = 5;
        halo_reduction *reductions[n];
        for (halo_reduction *&one : reductions) OK(halo_reduction_create(rank.context, 1, HALO_INT64, HALO_SUM, &one));
        Random random(static_cast<uint64_t>(rank.rank)); // ranks end them in different orders
        for (int64_t step = 0; step < 30; ++step) {
            for (int64_t i = 0; i < n; ++i) {
                const int64_t in = (rank.rank + 1) * (i + 1) + step;
                OK(halo_reduction_begin(reductions[i], &in));
            }
            int64_t order[n] = { 0, 1, 2, 3, 4 };
            std::shuffle(order, order + n, random);
            for (const int64_t i : order) {
                int64_t out = 0;
                int32_t done = 0;
                if (pick(random, 0, 1)) OK(halo_reduction_test(reductions[i], &done));
                OK(halo_reduction_end(reductions[i], &out));
                const int64_t ranks = rank.size;
                const int64_t wanted = ranks * (ranks + 1) / 2 * (i + 1) + ranks * step;
                if (out != wanted)
                    stop("reduction %lld, run %lld: wanted %lld, got %lld", static_cast<long long>(i), static_cast<long long>(step),
                         static_cast<long long>(wanted), static_cast<long long>(out));
            }
        }
        for (halo_reduction *&one : reductions) OK(halo_reduction_destroy(&one));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Reductions, testing::ValuesIn(conformance::rank_counts()));

void expect(halo_status wanted, const char *part, halo_status got) {
    if (wanted != got || !std::strstr(halo_last_error(), part))
        stop("wanted %s with '%s', got %s: %s", halo_status_name(wanted), part, halo_status_name(got), halo_last_error());
}

TEST(ReductionMisuse, IsNamed) {
    conformance::run(1, {}, [](Rank &rank) {
        halo_reduction *reduction = nullptr;
        const double in = 1;
        double out = 0;
        expect(HALO_ERR_ARGUMENT, "cannot be combined", halo_reduction_create(rank.context, 1, HALO_BYTES, HALO_SUM, &reduction));
        expect(HALO_ERR_ARGUMENT, "n is -1", halo_reduction_create(rank.context, -1, HALO_FLOAT64, HALO_SUM, &reduction));
        OK(halo_reduction_create(rank.context, 1, HALO_FLOAT64, HALO_SUM, &reduction));
        expect(HALO_ERR_STATE, "nothing is under way", halo_reduction_end(reduction, &out));
        expect(HALO_ERR_ARGUMENT, "'in' is NULL", halo_reduction_begin(reduction, nullptr));
        OK(halo_reduction_begin(reduction, &in));
        expect(HALO_ERR_STATE, "begun and not ended", halo_reduction_begin(reduction, &in));
        OK(halo_reduction_end(reduction, &out));
        if (out != rank.size) stop("the sum of ones is %g", out);
        OK(halo_reduction_destroy(&reduction));
        EXPECT_EQ(reduction, nullptr);
    });
}

// Who waits is told for whom; a reduction under way can be given up.
TEST(ReductionMisuse, ARankThatStaysAwayIsNamed) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(2, { { "timeout", "0.3s" } }, [](Rank &rank) {
        halo_reduction *reduction = nullptr;
        OK(halo_reduction_create(rank.context, 1, HALO_FLOAT64, HALO_SUM, &reduction));
        const double in = 1;
        double out = 0;
        if (rank.rank == 0) {
            OK(halo_reduction_begin(reduction, &in));
            expect(HALO_TIMEOUT, "values from rank 1", halo_reduction_end(reduction, &out));
        }
        OK(halo_reduction_destroy(&reduction));
    });
}

} // namespace
