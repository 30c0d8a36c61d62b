// SPDX-License-Identifier: BSD-3-Clause
// Cells of a part run through the stages in any order in which each finds written what it reads; ghosts arrive late.
#include <algorithm>

#include <gtest/gtest.h>

#include "parts.h"

namespace {

using namespace analysis;

const Executed always = [](int, size_t) { return true; };

TEST(Points, MayRunThroughTheStagesAheadOfOthers) {
    const int n = n_cases(1500);
    int n_run = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + static_cast<uint64_t>(n) && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("ANALYSIS_SEED=" + std::to_string(seed) + " ANALYSIS_CASES=1");
        Random random(seed);
        const int n_dims = random.chance(80) ? 1 : 2;
        Case program = random_case(random, n_dims, random.between(2, n_dims == 1 ? 5 : 3), n_dims == 1 ? 2 : 1);
        std::fill_n(program.desc.cells, n_dims, n_dims == 1 ? 10 : 5);
        std::vector<halo::Stencil> stencil;
        if (analyse(program, stencil) != HALO_SUCCESS) continue;
        ++n_run;
        const Plan plan = plan_of(program, stencil[0], random, true);
        EXPECT_TRUE(Parts(plan, seed).run_by_points(random, always) == run_whole(program, plan.part, 1, always)) << stencil[0].describe();
    }
    if (n >= 1000) {
        EXPECT_GT(n_run, n / 5);
    }
}

// What HALO_STENCIL_BY_POINTS refuses goes wrong: a cell that waits for ghosts reads what its neighbour has changed.
TEST(Points, ThatOverwriteWhatOthersReadGoWrong) {
    Case program;
    program.desc.n_dims = 1;
    program.desc.cells[0] = 8;
    program.temporary = { false, false };
    program.stages.resize(2);
    program.stages[0].accesses = { halo::writes(1), halo::reads(0, { -1, 0, 0 }, { 1, 0, 0 }) };
    program.stages[1].accesses = { halo::updates(0), halo::reads(1) };
    std::vector<halo::Stencil> stencil;
    EXPECT_EQ(analyse(program, stencil), HALO_ERR_ARGUMENT);
    program.desc.order = HALO_STENCIL_BY_STAGES;
    ASSERT_EQ(analyse(program, stencil), HALO_SUCCESS);
    Random random(1);
    const Plan plan = plan_of(program, stencil[1], random, true);
    EXPECT_TRUE(Parts(plan, 1).run(1, always) == run_whole(program, plan.part, 1, always));
    EXPECT_FALSE(Parts(plan, 1).run_by_points(random, always) == run_whole(program, plan.part, 1, always));
}

} // namespace
