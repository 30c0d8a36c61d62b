// SPDX-License-Identifier: BSD-3-Clause
// Reductions in two halves: the bits of halo_context_allreduce, several under way, ended in any order.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "left_out.h"
#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;
const conformance::LeftOutOnDevices left_out[] = {
    { "ReductionMisuse.*", "of the host's loops" },
};

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
                    OK(halo_context_allreduce(rank.context, in.data(), wanted.data(), n, HALO_FLOAT64, op)); // meanwhile
                    OK(halo_reduction_end(reduction, got.data()));
                    if (std::memcmp(wanted.data(), got.data(), static_cast<size_t>(n) * sizeof(double)) != 0)
                        stop("op %d of %lld values, run %lld: other bits", op, static_cast<long long>(n), static_cast<long long>(step));
                }
                OK(halo_reduction_destroy(&reduction));
            }
    });
}

TEST_P(Reductions, OfNothingNeedNoMemory) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_reduction *reduction = nullptr;
        OK(halo_reduction_create(rank.context, 0, HALO_FLOAT64, HALO_SUM, &reduction));
        for (int i = 0; i < 3; ++i) {
            OK(halo_reduction_begin(reduction, nullptr));
            OK(halo_reduction_end(reduction, nullptr));
        }
        OK(halo_reduction_destroy(&reduction));
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

struct Given {
    int64_t n;
    halo_type type;
    halo_op op;
    const char *words;
};

constexpr Given usual{ 3, HALO_FLOAT64, HALO_SUM, "3 values of float64 by sum" };
constexpr Given others[] = {
    { 3, HALO_FLOAT64, HALO_MAX, "3 values of float64 by max" },      { 3, HALO_INT64, HALO_SUM, "3 values of int64 by sum" },
    { 2, HALO_FLOAT64, HALO_SUM, "2 values of float64 by sum" },      { 4, HALO_FLOAT64, HALO_SUM, "4 values of float64 by sum" },
    { 0, HALO_FLOAT64, HALO_SUM, "0 values of float64 by sum" },      { 6, HALO_FLOAT32, HALO_MIN, "6 values of float32 by min" },
    { 5000, HALO_COMPLEX128, HALO_PROD, "5000 values of complex128" } // more than a transport takes at once
};

halo_reduction *make_reduction(const Rank &rank, const Given &given) {
    halo_reduction *reduction = nullptr;
    OK(halo_reduction_create(rank.context, given.n, given.type, given.op, &reduction));
    return reduction;
}

halo_status end(halo_reduction *reduction, std::vector<std::byte> &values) {
    halo_status status = HALO_TIMEOUT; // of a rank that was held up for longer than the limit
    for (int i = 0; i < 20 && status == HALO_TIMEOUT; ++i) status = halo_reduction_end(reduction, values.data());
    return status;
}

// The text of the first cause, on every rank.
void expect_difference(int32_t odd, const Given &other) {
    const std::string text = halo_last_error();
    const auto has = [&](const std::string &part) { return text.find(part) != std::string::npos; };
    const std::string name = "rank " + std::to_string(odd) + " ";
    if (!has(usual.words) || (!has(name + "reduces " + other.words) && !has(", " + name + other.words)))
        stop("rank %d reduces %s, others %s, the text is: %s", odd, other.words, usual.words, text.c_str());
}

// Another reduction is under way beside it, and comes to its end; the next ones too.
void reduce_differently(const Rank &rank, int32_t odd, const Given &other) {
    std::vector<std::byte> values(100000), sum(8);
    const int64_t one = 1;
    halo_reduction *differing = make_reduction(rank, rank.rank == odd ? other : usual);
    halo_reduction *beside = make_reduction(rank, { 1, HALO_INT64, HALO_SUM, "" });
    halo_status status = halo_reduction_begin(differing, values.data());
    OK(halo_reduction_begin(beside, &one));
    if (status == HALO_SUCCESS) status = end(differing, values);
    if (status != HALO_ERR_MISMATCH && status != HALO_ERR_PEER) stop("%s: %s", halo_status_name(status), halo_last_error());
    expect_difference(odd, other);
    if (status == HALO_ERR_PEER && !std::strstr(halo_last_error(), "HALO_ERR_MISMATCH")) stop("no first cause: %s", halo_last_error());
    status = halo_reduction_begin(differing, values.data());
    if (status != HALO_ERR_STATE) stop("begun again: %s", halo_status_name(status));
    expect_difference(odd, other);
    OK(end(beside, sum));
    int64_t total = 0;
    std::memcpy(&total, sum.data(), sizeof total);
    if (total != rank.size) stop("the sum of ones is %lld", static_cast<long long>(total));
    OK(halo_reduction_destroy(&differing));
    OK(halo_reduction_destroy(&beside));
}

TEST_P(Reductions, ThatDifferAreNamedOnEveryRank) {
    const auto start = std::chrono::steady_clock::now();
    for (const char *timeout : { "60s", "0.3s", "none" })
        conformance::run(GetParam(), { { "timeout", timeout } }, [](Rank &rank) {
            if (rank.size == 1) return;
            for (const Given &other : others)
                for (const int32_t odd : { 0, 1, rank.size / 2, rank.size - 1 }) reduce_differently(rank, odd, other);
        });
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
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
        expect(HALO_ERR_ARGUMENT, "'out' is NULL", halo_reduction_end(reduction, nullptr));
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
