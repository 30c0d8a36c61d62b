// SPDX-License-Identifier: BSD-3-Clause
// Random sequences executed on whole fields, and part by part with what was derived alone: equal; with one layer less somewhere: not.
#include <algorithm>

#include <gtest/gtest.h>

#include "parts.h"

namespace {

using namespace analysis;

struct Shape {
    int n_dims, n_stages, wide;
    int64_t cells;
};

Shape shape_of(Random &random) {
    const int kind = random.below(20);
    if (kind < 12) return { 1, random.between(1, 6), 2, 12 };
    if (kind < 18) return { 2, random.between(1, 4), 1, 6 };
    return { 3, random.between(1, 3), 1, 4 };
}

Case case_of(Random &random) {
    const Shape shape = shape_of(random);
    Case made = random_case(random, shape.n_dims, shape.n_stages, shape.wide);
    std::fill_n(made.desc.cells, shape.n_dims, shape.cells);
    made.desc.order = random.below(2);
    made.desc.exchanged = random.below(3);
    made.desc.repeats = random.below(2);
    made.desc.exchange_cost = random.below(100);
    made.desc.value_cost = random.below(3);
    return made;
}

size_t n_conditional(const Case &program) {
    return static_cast<size_t>(std::count_if(program.stages.begin(), program.stages.end(), [](const Stage &stage) { return stage.conditional; }));
}

// Conditional stages as the bits of `pattern` say.
Executed by(const Case &program, size_t pattern) {
    return [&program, pattern](int, size_t stage) {
        size_t bit = 0;
        for (size_t s = 0; s < stage; ++s) bit += program.stages[s].conditional ? 1 : 0;
        return !program.stages[stage].conditional || (pattern >> bit & 1) != 0;
    };
}

// Does some pattern of conditional stages show that the plan is not enough?
bool fails(const Plan &plan, uint64_t seed) {
    for (size_t pattern = 0; pattern < size_t{ 1 } << n_conditional(*plan.program); ++pattern) {
        const Executed executed = by(*plan.program, pattern);
        if (Parts(plan, seed).run(1, executed) != run_whole(*plan.program, plan.part, 1, executed)) return true;
    }
    return false;
}

// Each layer of each exchange and of each compute extent taken away alone.
void expect_least(const Plan &plan, uint64_t seed, int64_t &n_tried) {
    const auto expect_failure = [&](const Plan &less, const char *what, size_t i, size_t d) {
        EXPECT_TRUE(fails(less, seed)) << what << ' ' << i << " is wider than needed in direction " << d;
        ++n_tried;
    };
    for (size_t d = 0; d < 3; ++d) {
        for (size_t e = 0; e < plan.exchanges.size(); ++e) {
            Plan less = plan;
            if (less.exchanges[e].low[d]-- > 0) expect_failure(less, "low side of exchange", e, d);
            less = plan;
            if (less.exchanges[e].high[d]-- > 0) expect_failure(less, "high side of exchange", e, d);
        }
        for (size_t s = 0; s < plan.stages.size(); ++s) {
            if (!plan.stages[s].needed) continue;
            Plan less = plan;
            if (less.stages[s].low[d]++ < 0) expect_failure(less, "low side of stage", s, d);
            less = plan;
            if (less.stages[s].high[d]-- > 0) expect_failure(less, "high side of stage", s, d);
        }
    }
}

TEST(Oracle, PartsGiveWhatTheWholeGivesAndNoLayerIsSpare) {
    const int n = n_cases(10000);
    int64_t n_run = 0, n_refused = 0, n_layers = 0, n_exchanges = 0, n_between = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + static_cast<uint64_t>(n) && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("ANALYSIS_SEED=" + std::to_string(seed) + " ANALYSIS_CASES=1");
        Random random(seed);
        const Case program = case_of(random);
        std::vector<halo::Stencil> stencil;
        if (analyse(program, stencil) != HALO_SUCCESS) {
            ++n_refused;
            continue;
        }
        ++n_run;
        for (const bool alone : { false, true }) {
            const Plan plan = plan_of(program, stencil[0], random, alone);
            const size_t turns = program.desc.repeats ? 3 : 1;
            std::vector<bool> left_out;
            for (size_t i = 0; i < turns * plan.stages.size(); ++i) left_out.push_back(random.chance(50));
            const Executed executed = [&](int turn, size_t s) {
                return !program.stages[s].conditional || !left_out[static_cast<size_t>(turn) * plan.stages.size() + s];
            };
            EXPECT_TRUE(Parts(plan, seed).run(static_cast<int>(turns), executed) == run_whole(program, plan.part, static_cast<int>(turns), executed))
                << stencil[0].describe();
            if (alone || n_conditional(program) > 3 || random.chance(program.desc.n_dims == 1 ? 0 : 70)) continue;
            expect_least(plan, seed, n_layers);
            for (const halo_stencil_exchange &one : plan.exchanges) ++n_exchanges, n_between += one.writer >= 0;
        }
    }
    std::printf("%d random sequences: %lld executed, %lld refused; %lld exchanges, %lld of them of outputs; %lld times a layer less\n", n,
                static_cast<long long>(n_run), static_cast<long long>(n_refused), static_cast<long long>(n_exchanges),
                static_cast<long long>(n_between), static_cast<long long>(n_layers));
    if (n >= 1000) {
        EXPECT_GT(n_run, n / 3);
        EXPECT_GT(n_between, n / 50);
    }
}

} // namespace
