// SPDX-License-Identifier: BSD-3-Clause
// Reductions of several items that fail: functions of the program, ranks whose items differ, a rank that is gone, wrong use.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "left_out.h"
#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;
const conformance::LeftOutOnDevices left_out[] = {
    { "ItemMisuse.*", "of the host's loops" },
};

class ItemFailures : public testing::TestWithParam<int32_t> {};

halo_reduction *make_reduction(const Rank &rank, const std::vector<halo_reduction_item> &items) {
    halo_reduction *reduction = nullptr;
    OK(halo_reduction_create_items(rank.context, items.data(), sizeof(halo_reduction_item), static_cast<int32_t>(items.size()), &reduction));
    return reduction;
}

struct Sum {
    int64_t before = 0; // so many calls succeed
    halo_status then = HALO_SUCCESS;
    const Rank *rank = nullptr;
    int64_t refused = 0; // calls within it
};

halo_status add(void *user, void *values, const void *contributions, int64_t n, halo_type, int64_t) {
    Sum &sum = *static_cast<Sum *>(user);
    int32_t rank = -1, size = 0;
    if (halo_context_rank(sum.rank->context, &rank, &size) != HALO_SUCCESS || rank != sum.rank->rank) return HALO_ERR_CHECK;
    sum.refused += halo_context_barrier(sum.rank->context) == HALO_ERR_STATE;
    if (sum.before-- <= 0 && sum.then != HALO_SUCCESS) return sum.then;
    for (int64_t i = 0; i < n; ++i) static_cast<int64_t *>(values)[i] += static_cast<const int64_t *>(contributions)[i];
    return HALO_SUCCESS;
}

std::vector<halo_reduction_item> sum_items(Sum &sum) {
    halo_reduction_item beside = HALO_REDUCTION_ITEM_INIT, by_function = HALO_REDUCTION_ITEM_INIT;
    beside.type = by_function.type = HALO_INT64;
    by_function.op = HALO_USER, by_function.combine = add, by_function.user = &sum, by_function.offset = 8;
    return { beside, by_function };
}

halo_status run(halo_reduction *reduction, int64_t *values) {
    const halo_status status = halo_reduction_begin(reduction, values);
    return status == HALO_SUCCESS ? halo_reduction_end(reduction, values) : status;
}

bool says(const char *part) { return std::strstr(halo_last_error(), part) != nullptr; }

TEST_P(ItemFailures, FunctionsMayReadAndNoMore) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        Sum sum;
        sum.rank = &rank;
        halo_reduction *reduction = make_reduction(rank, sum_items(sum));
        for (int64_t time = 1; time < 4; ++time) {
            int64_t values[] = { 1, time };
            OK(run(reduction, values));
            if (values[0] != rank.size || values[1] != time * rank.size) stop("other sums");
        }
        if (rank.rank == 0 && rank.size > 1 && sum.refused == 0) stop("the function was not called");
        if (sum.refused != -sum.before) stop("a call within it was not refused");
        OK(halo_reduction_destroy(&reduction));
    });
}

// All hear of it in the same run, and can go on with another reduction.
void fail_on(const Rank &rank, int32_t where, int64_t good_calls, halo_status then, halo_status wanted) {
    Sum sum{ good_calls, rank.rank == where ? then : HALO_SUCCESS, &rank };
    halo_reduction *reduction = make_reduction(rank, sum_items(sum));
    int64_t values[] = { 1, 1 };
    halo_status status = HALO_SUCCESS;
    for (int64_t time = 0; status == HALO_SUCCESS && time < 20; ++time) status = run(reduction, values);
    const std::string cause = "first cause, on rank " + std::to_string(where) + ": " + halo_status_name(wanted);
    const std::string what = std::string("the combine callback returned ") + halo_status_name(then) + " for item 1";
    if (status != (rank.rank == where ? wanted : HALO_ERR_PEER) || !says(what.c_str()) || (rank.rank != where && !says(cause.c_str())))
        stop("%s: %s", halo_status_name(status), halo_last_error());
    if (halo_reduction_begin(reduction, values) != HALO_ERR_STATE || !says(what.c_str())) stop("begun again: %s", halo_last_error());
    OK(halo_reduction_destroy(&reduction));
    Sum good;
    good.rank = &rank;
    reduction = make_reduction(rank, sum_items(good));
    values[1] = 2;
    OK(run(reduction, values));
    if (values[1] != 2 * rank.size) stop("another sum");
    OK(halo_reduction_destroy(&reduction));
}

TEST_P(ItemFailures, AFunctionThatFailsIsNamedOnEveryRank) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        if (rank.size == 1) return; // it is not called
        for (const int64_t good_calls : { 0, 1, 5 }) {
            fail_on(rank, 0, good_calls, HALO_ERR_BOUNDS, HALO_ERR_BOUNDS);
            fail_on(rank, 0, good_calls, HALO_BUSY, HALO_ERR_ARGUMENT);
            if (rank.size > 3) fail_on(rank, 2, good_calls, HALO_ERR_LIMIT, HALO_ERR_LIMIT);
        }
    });
}

// ---- ranks whose items differ

halo_status keep(void *, void *, const void *, int64_t, halo_type, int64_t) { return HALO_SUCCESS; }

std::vector<halo_reduction_item> usual() {
    std::vector<halo_reduction_item> items(3, HALO_REDUCTION_ITEM_INIT);
    items[1].n = 2, items[1].type = HALO_INT64, items[1].op = HALO_MINLOC, items[1].offset = 8, items[1].index_offset = 24;
    items[2].type = HALO_BYTES, items[2].element_bytes = 6, items[2].op = HALO_USER, items[2].combine = keep, items[2].offset = 40;
    return items;
}

struct Differs {
    size_t item;
    std::string usual, other;
    void (*change)(std::vector<halo_reduction_item> &items);
};

const Differs differences[] = {
    { 0, "1 values of float64 by sum", "1 values of float32 by sum", [](auto &items) { items[0].type = HALO_FLOAT32; } },
    { 1, "2 values of int64 by minloc", "2 values of int64 by maxloc", [](auto &items) { items[1].op = HALO_MAXLOC; } },
    { 1, "2 values of int64 by minloc", "0 values of int64 by minloc", [](auto &items) { items[1].n = 0; } },
    { 2, "1 values of 6 bytes by the program's function", "1 values of 7 bytes by the program's function",
      [](auto &items) { items[2].element_bytes = 7; } },
    { 2, "1 values of 6 bytes by the program's function", "nothing", [](auto &items) { items.pop_back(); } },
    { 0, "1 values of float64 by sum", "nothing", [](auto &items) { items.clear(); } },
    { 3, "nothing", "500 values of float64 by sum", // more than is waited for
      [](auto &items) {
          items.push_back(HALO_REDUCTION_ITEM_INIT);
          items.back().n = 500, items.back().offset = 48;
      } },
};

TEST_P(ItemFailures, ThatDifferAreNamedOnEveryRank) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        if (rank.size == 1) return;
        const std::vector<std::byte> in(5000);
        std::vector<std::byte> out(in.size());
        for (const Differs &one : differences)
            for (const int32_t odd : { 0, rank.size - 1 }) {
                std::vector<halo_reduction_item> items = usual();
                if (rank.rank == odd) one.change(items);
                halo_reduction *reduction = make_reduction(rank, items);
                halo_status status = halo_reduction_begin(reduction, in.data());
                if (status == HALO_SUCCESS) status = halo_reduction_end(reduction, out.data());
                const std::string who = "rank " + std::to_string(odd) + " ", item = ", item " + std::to_string(one.item) + ": ";
                const bool named = says(item.c_str()) && says(one.usual.c_str()) &&
                                   (says((who + "reduces " + one.other).c_str()) || says((", " + who + one.other).c_str()));
                if ((status != HALO_ERR_MISMATCH && status != HALO_ERR_PEER) || !named)
                    stop("rank %d has %s: %s: %s", odd, one.other.c_str(), halo_status_name(status), halo_last_error());
                OK(halo_reduction_destroy(&reduction));
            }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, ItemFailures, testing::ValuesIn(conformance::rank_counts()));

// A rank that dies after the first run: those that wait for it say so, with a function among their items as without.
TEST(ItemMisuse, ARankThatIsGoneIsNamed) {
    if (!conformance::threads()) GTEST_SKIP() << "as threads only";
    conformance::run(4, { { "timeout", "0.3s" } }, [](Rank &rank) {
        Sum sum;
        sum.rank = &rank;
        halo_reduction *reduction = make_reduction(rank, sum_items(sum));
        int64_t values[] = { 1, 1 };
        halo_status status = run(reduction, values);
        for (int i = 0; i < 20 && status == HALO_TIMEOUT; ++i) status = halo_reduction_end(reduction, values); // a rank was held up
        OK(status);
        if (rank.rank != 3) {
            status = run(reduction, values);
            if (status != HALO_TIMEOUT || !says(rank.rank == 2 ? "values from rank 3" : rank.rank == 1 ? "values from rank 0" : "values from rank 2"))
                stop("%s: %s", halo_status_name(status), halo_last_error());
        }
        OK(halo_reduction_destroy(&reduction));
    });
}

void refuse(const Rank &rank, halo_status wanted, const char *part, const std::vector<halo_reduction_item> &items, size_t bytes, int32_t n) {
    halo_reduction *reduction = nullptr;
    const halo_status status = halo_reduction_create_items(rank.context, items.data(), bytes, n, &reduction);
    if (status != wanted || !says(part) || reduction)
        stop("wanted %s with '%s', got %s: %s", halo_status_name(wanted), part, halo_status_name(status), halo_last_error());
}

template <class Change>
void refuse(const Rank &rank, const char *part, Change &&change) {
    std::vector<halo_reduction_item> items = usual();
    change(items[1]);
    refuse(rank, HALO_ERR_ARGUMENT, part, items, sizeof(halo_reduction_item), 3);
}

TEST(ItemMisuse, IsNamed) {
    conformance::run(1, {}, [](Rank &rank) {
        refuse(rank, "item 1: n is -1", [](auto &item) { item.n = -1; });
        refuse(rank, "item 1: values of complex64 cannot be combined by operation 12", [](auto &item) { item.type = HALO_COMPLEX64; });
        refuse(rank, "item 1: values of float16 can only be moved", [](auto &item) { item.type = HALO_FLOAT16; });
        refuse(rank, "item 1: values of bytes cannot be combined by operation 12", [](auto &item) { item.type = HALO_BYTES; });
        refuse(rank, "item 1: values of int64 cannot be combined by operation 14", [](auto &item) { item.op = 14; });
        refuse(rank, "item 1: values of int64 cannot be combined by operation 0", [](auto &item) { item.op = 0; });
        refuse(rank, "item 1: values of unknown type cannot be combined", [](auto &item) { item.type = 99; });
        refuse(rank, "item 1: 99 is not a type", [](auto &item) { item.type = 99, item.op = HALO_USER, item.combine = keep; });
        refuse(rank, "item 1: HALO_USER without a function `combine`", [](auto &item) { item.op = HALO_USER; });
        refuse(rank, "item 1: element_bytes is 0", [](auto &item) { item.op = HALO_USER, item.type = HALO_BYTES, item.combine = keep; });
        refuse(rank, "item 1: offset is -8", [](auto &item) { item.offset = -8; });
        refuse(rank, "item 1: index_offset is -1", [](auto &item) { item.index_offset = -1; });
        refuse(rank, "at byte 7 lie values or indices of item 0, and of item 1", [](auto &item) { item.offset = 7; });
        refuse(rank, "at byte 23 lie values or indices of item 1, and of item 1", [](auto &item) { item.index_offset = 23; });
        refuse(rank, "at byte 40 lie values or indices of item 1, and of item 2", [](auto &item) { item.index_offset = 25; });
    });
}

TEST(ItemMisuse, OfListsIsNamed) {
    conformance::run(1, {}, [](Rank &rank) {
        constexpr size_t bytes = sizeof(halo_reduction_item);
        refuse(rank, HALO_ERR_ARGUMENT, "reduction of -1 items", {}, bytes, -1);
        refuse(rank, HALO_ERR_ARGUMENT, "'items' is NULL", {}, bytes, 1);
        refuse(rank, HALO_ERR_VERSION, "halo_reduction_item 0 has 4 bytes", usual(), 4, 3);
        struct Newer {
            halo_reduction_item item = HALO_REDUCTION_ITEM_INIT;
            int64_t more = 0;
        } newer[2];
        newer[1].item.offset = 8;
        halo_reduction *reduction = nullptr;
        OK(halo_reduction_create_items(rank.context, &newer[0].item, sizeof(Newer), 2, &reduction));
        double values[] = { 1, 2 };
        OK(halo_reduction_begin(reduction, values));
        OK(halo_reduction_end(reduction, values));
        if (values[1] != 2 * rank.size) stop("the second item is %g", values[1]);
        OK(halo_reduction_destroy(&reduction));
        newer[1].more = 1;
        if (halo_reduction_create_items(rank.context, &newer[0].item, sizeof(Newer), 2, &reduction) != HALO_ERR_VERSION ||
            !says("the rest is not zero"))
            stop("what is not known was taken: %s", halo_last_error());
        if (halo_reduction_create_items(rank.context, nullptr, bytes, 0, nullptr) != HALO_ERR_ARGUMENT || !says("'reduction' is NULL"))
            stop("no place for the handle: %s", halo_last_error());
    });
}

} // namespace
