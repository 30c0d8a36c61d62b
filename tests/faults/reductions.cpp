// SPDX-License-Identifier: BSD-3-Clause
// Messages of reductions that are damaged on their way: one rank names what came, all others are told of it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "halo_access.h"
#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

constexpr int32_t n_ranks = 5; // rank 3 sends to rank 2, all others to rank 0

class Sums {
public:
    Sums(const Rank &rank, int64_t n) : values_(static_cast<size_t>(n) + 1) {
        OK(halo_reduction_create(rank.context, n, HALO_FLOAT64, HALO_SUM, &reduction_));
    }
    // Two items, and one of no values.
    static Sums of_items(const Rank &rank, int64_t n) {
        std::vector<halo_reduction_item> items(3, HALO_REDUCTION_ITEM_INIT);
        items[0].n = n, items[1].n = 0;
        items[2].n = n, items[2].op = HALO_MAXLOC, items[2].offset = 8 * n, items[2].index_offset = 16 * n;
        Sums sums(3 * n);
        OK(halo_reduction_create_items(rank.context, items.data(), sizeof items[0], 3, &sums.reduction_));
        return sums;
    }
    halo_status run() {
        const halo_status status = halo_reduction_begin(reduction_, values_.data());
        return status == HALO_SUCCESS ? halo_reduction_end(reduction_, values_.data()) : status;
    }
    void destroy() { OK(halo_reduction_destroy(&reduction_)); }

private:
    explicit Sums(int64_t n) : values_(static_cast<size_t>(n) + 1) {}

    std::vector<double> values_;
    halo_reduction *reduction_ = nullptr;
};

void damage_next(double wrap_faults::*how, uint64_t seed) {
    wrap_faults faults{};
    faults.seed = seed;
    faults.*how = 1;
    faults.most = 1;
    wrapper().set_faults(&faults);
}

// In the first run, whose messages may have any length, and in the second.
TEST(DamagedReductions, ValuesThatAreCut) {
    choose_wrapper();
    for (const int64_t n : { 0, 3, 5000 })
        for (uint64_t seed = 0; seed < 10 && !HasFailure(); ++seed)
            run_wrapped(n_ranks, {}, [&](Rank &rank) {
                Sums sums = seed % 4 < 2 ? Sums(rank, n) : Sums::of_items(rank, n);
                if (seed % 2) OK(sums.run());
                if (rank.rank == 3) damage_next(&wrap_faults::truncate, seed);
                if (rank.rank == 2)
                    expect_failure(sums.run(), HALO_ERR_WIRE, { "rank 3 sent" });
                else
                    expect_failure(sums.run(), HALO_ERR_PEER, { "first cause, on rank 2: HALO_ERR_WIRE", "rank 3 sent" });
                sums.destroy();
            });
}

// The others have their sums, and hear of it in the next run.
TEST(DamagedReductions, ASumThatIsCut) {
    choose_wrapper();
    for (uint64_t seed = 0; seed < 10 && !HasFailure(); ++seed)
        run_wrapped(n_ranks, {}, [&](Rank &rank) {
            Sums sums(rank, 3);
            if (rank.rank == 0) damage_next(&wrap_faults::truncate, seed);
            if (rank.rank == n_ranks - 1) {
                expect_failure(sums.run(), HALO_ERR_WIRE, { "rank 0 sent" });
                expect_failure(sums.run(), HALO_ERR_STATE, { "has failed", "rank 0 sent" });
            } else {
                OK(sums.run());
                expect_failure(sums.run(), HALO_ERR_PEER, { "first cause, on rank 4: HALO_ERR_WIRE", "rank 0 sent" });
            }
            sums.destroy();
        });
}

// Without values the first message is nothing but its head and a description.
TEST(DamagedReductions, ABitOfAHead) {
    choose_wrapper();
    for (uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed)
        run_wrapped(3, {}, [&](Rank &rank) {
            Sums sums = seed % 2 ? Sums(rank, 0) : Sums::of_items(rank, 0);
            if (rank.rank == 1) damage_next(&wrap_faults::corrupt, seed);
            const halo_status status = sums.run();
            const bool named = rank.rank == 0 ? status == HALO_ERR_WIRE || status == HALO_ERR_MISMATCH : status == HALO_ERR_PEER;
            if (!named) stop("seed %llu: %s: %s", static_cast<unsigned long long>(seed), halo_status_name(status), halo_last_error());
            sums.destroy();
        });
}

} // namespace

} // namespace conformance
