// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of random forests, cell by cell, against the definitions.
#include <gtest/gtest.h>

#include "filled.h"

namespace {

using namespace levels;

class Ghosts : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Ghosts, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(Ghosts, AreWhatTheModelSays) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number) {
        const Case of(number);
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Model model(of.shape, of.seed, rank.size);
            Filled run(of, model, rank);
            for (int again = 0; again < 2; ++again) {
                run.fill();
                run.exchange(0, 0, 0);
                run.check(0, 0, 0);
            }
            run.fill();
            run.exchange(of.n_components - 1, 1, 2);
            run.check(of.n_components - 1, 1, 2);
        });
        if (HasFailure()) return;
    }
}

} // namespace
