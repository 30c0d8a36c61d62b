// SPDX-License-Identifier: BSD-3-Clause
// Groups are the fewest, and the cheapest choice is the cheapest, by looking at all.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/choice.h"
#include "program_case.h"

namespace {

using namespace analysis;

// Do windows have a place in common? With turns, places are the same modulo `turn`.
bool together(const std::vector<halo_stencil_exchange> &exchanges, const std::vector<size_t> &members, int turn) {
    const auto holds = [&](const halo_stencil_exchange &one, int place) {
        for (int p = one.start; p <= one.finish; ++p)
            if (p == place || (turn > 0 && (p - place) % turn == 0)) return true;
        return false;
    };
    for (int place = -64; place <= 64; ++place)
        if (std::all_of(members.begin(), members.end(), [&](size_t i) { return holds(exchanges[i], place); })) return true;
    return members.empty();
}

// The fewest groups of the exchanges from `next` on, when some groups are begun.
size_t fewest(const std::vector<halo_stencil_exchange> &exchanges, size_t next, std::vector<std::vector<size_t>> &begun, int turn) {
    if (next == exchanges.size()) return begun.size();
    if (exchanges[next].once) return fewest(exchanges, next + 1, begun, turn);
    size_t best = SIZE_MAX;
    for (size_t g = 0; g <= begun.size(); ++g) {
        if (g == begun.size()) begun.emplace_back();
        begun[g].push_back(next);
        if (together(exchanges, begun[g], turn)) best = std::min(best, fewest(exchanges, next + 1, begun, turn));
        begun[g].pop_back();
        if (begun[g].empty()) begun.pop_back();
        if (g >= begun.size()) break;
    }
    return best;
}

void expect_in_windows(const std::vector<halo_stencil_exchange> &exchanges, const std::vector<halo_stencil_group> &groups, int turn) {
    for (const halo_stencil_exchange &one : exchanges) {
        const halo_stencil_group &group = groups[static_cast<size_t>(one.group)];
        EXPECT_LE(group.start, group.finish);
        bool inside = false;
        for (const int move : { 0, turn, -turn }) inside = inside || (one.start + move <= group.start && group.finish <= one.finish + move);
        EXPECT_TRUE(inside);
        EXPECT_EQ(group.once, one.once);
    }
}

TEST(Placement, GroupsAreTheFewest) {
    const int n = n_cases(3000);
    int64_t n_tried = 0, n_shared = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + static_cast<uint64_t>(n) && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("ANALYSIS_SEED=" + std::to_string(seed) + " ANALYSIS_CASES=1");
        Random random(seed);
        Case program = random_case(random, 1, random.between(2, 8), 1);
        program.desc.order = HALO_STENCIL_BY_STAGES;
        program.desc.exchanged = random.chance(70) ? HALO_STENCIL_EXCHANGE : HALO_STENCIL_COMPUTE;
        program.desc.repeats = random.below(2);
        std::vector<halo::Stencil> stencil;
        if (analyse(program, stencil) != HALO_SUCCESS) continue;
        const std::vector<halo_stencil_exchange> exchanges = stencil[0].exchanges();
        if (exchanges.size() > 8) continue;
        const int turn = program.desc.repeats ? static_cast<int>(program.stages.size()) : 0;
        expect_in_windows(exchanges, stencil[0].groups(), turn);
        std::vector<std::vector<size_t>> begun;
        const auto least = static_cast<int32_t>(fewest(exchanges, 0, begun, turn));
        EXPECT_EQ(stencil[0].summary().n_groups, least) << stencil[0].describe();
        n_tried += !exchanges.empty();
        n_shared += least < std::ssize(exchanges);
    }
    if (n >= 1000) {
        EXPECT_GT(n_tried, n / 3);
        EXPECT_GT(n_shared, n / 10);
    }
}

// What a choice costs, counted cell by cell.
double cost_of(const halo::Program &program, const Case &given, const std::vector<halo::Candidate> &found, const std::vector<char> &exchanged,
               bool &fits) {
    const halo::Needs needs = halo::find_needs(program, found, exchanged);
    fits = halo::fits_parts(program, needs);
    double cost = 0;
    const int64_t n = given.desc.cells[0];
    for (const halo::FilledGhosts &filled : needs.filled)
        for (int64_t x = -2 * n; x < 3 * n; ++x)
            if ((x < 0 && x >= filled.whole.low[0]) || (x >= n && x < n + filled.whole.high[0])) cost += given.desc.value_cost;
    for (size_t s = 0; s < needs.computed.size(); ++s)
        for (int64_t x = -100; x < n + 100; ++x) {
            const halo::Offsets &run = needs.computed[s][0];
            if (!run.empty && x >= run.low[0] && x < n + run.high[0]) cost += given.stages[s].work;
        }
    for (size_t s = 0; s < needs.computed.size(); ++s) cost -= needs.computed[s][0].empty ? 0 : given.stages[s].work * static_cast<double>(n);
    std::vector<halo_stencil_exchange> windows;
    for (const halo::Window &window : halo::windows(program, needs)) {
        windows.push_back({});
        windows.back().start = static_cast<int32_t>(window.start);
        windows.back().finish = static_cast<int32_t>(window.finish);
    }
    std::vector<std::vector<size_t>> begun;
    return cost + given.desc.exchange_cost * static_cast<double>(fewest(windows, 0, begun, 0));
}

TEST(Placement, TheCheapestChoiceIsFound) {
    const int n = n_cases(1500);
    int n_compared = 0, n_mixed = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + static_cast<uint64_t>(n) && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("ANALYSIS_SEED=" + std::to_string(seed) + " ANALYSIS_CASES=1");
        Random random(seed);
        Case given = random_case(random, 1, random.between(2, 6), 2);
        given.desc.cells[0] = random.between(4, 12);
        given.desc.order = HALO_STENCIL_BY_STAGES;
        given.desc.exchanged = HALO_STENCIL_CHEAPEST;
        given.desc.exchange_cost = random.below(30);
        given.desc.value_cost = random.below(3);
        std::vector<halo::Stencil> stencil;
        if (analyse(given, stencil) != HALO_SUCCESS) continue;
        halo::Program program(given.desc);
        for (size_t f = 0; f < given.temporary.size(); ++f) {
            halo_stencil_field_desc field = HALO_STENCIL_FIELD_DESC_INIT;
            const std::string name(1, static_cast<char>('a' + f));
            field.name = name.c_str();
            field.temporary = given.temporary[f];
            program.add_field(field);
        }
        for (const Stage &stage : given.stages) {
            halo_stencil_stage_desc one = HALO_STENCIL_STAGE_DESC_INIT;
            one.accesses = stage.accesses.data();
            one.n_accesses = static_cast<int32_t>(stage.accesses.size());
            one.conditional = stage.conditional;
            program.add_stage(one);
        }
        const std::vector<halo::Candidate> found = halo::candidates(program);
        if (found.size() > 6) continue;
        double least = INFINITY;
        for (size_t subset = 0; subset < size_t{ 1 } << found.size(); ++subset) {
            std::vector<char> exchanged;
            for (size_t i = 0; i < found.size(); ++i) exchanged.push_back(static_cast<char>(subset >> i & 1));
            bool fits = false;
            const double cost = cost_of(program, given, found, exchanged, fits);
            if (fits) least = std::min(least, cost);
        }
        EXPECT_DOUBLE_EQ(stencil[0].summary().cost, least);
        ++n_compared;
        n_mixed += std::ranges::any_of(stencil[0].exchanges(), [](const halo_stencil_exchange &one) { return one.writer >= 0; });
    }
    if (n >= 1000) {
        EXPECT_GT(n_compared, n / 3);
        EXPECT_GT(n_mixed, 20);
    }
}

TEST(Placement, NamesPlacesOfTheTurnBefore) {
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.n_dims = 1;
    desc.cells[0] = 100;
    desc.repeats = 1;
    desc.order = HALO_STENCIL_BY_STAGES;
    halo::Stencil stencil(desc);
    const int32_t u = stencil.add_field("u"), force = stencil.add_field("force"), flux = stencil.add_field("flux", true),
                  sum = stencil.add_field("sum");
    stencil.add_stage("flux", { halo::writes(flux), halo::reads(u, { -1, 0, 0 }, { 0, 0, 0 }), halo::reads(force, { 0, 0, 0 }, { 1, 0, 0 }) });
    stencil.add_stage("step", { halo::updates(u), halo::reads(flux, { 0, 0, 0 }, { 1, 0, 0 }) });
    stencil.add_stage("look", { halo::writes(sum), halo::reads(u) });
    stencil.analyse();
    const std::vector<halo_stencil_exchange> exchanges = stencil.exchanges();
    ASSERT_EQ(exchanges.size(), 2u);
    EXPECT_EQ(exchanges[0].field, u);  // flux runs at <0,1>
    EXPECT_EQ(exchanges[0].start, -1); // after step of the turn before
    EXPECT_EQ(exchanges[0].finish, 0);
    EXPECT_EQ(exchanges[0].low[0], 1);
    EXPECT_EQ(exchanges[0].high[0], 1);
    EXPECT_EQ(exchanges[0].values, 2);
    EXPECT_EQ(exchanges[0].once, 0);
    EXPECT_EQ(exchanges[1].field, force); // never written
    EXPECT_EQ(exchanges[1].once, 1);
    EXPECT_EQ(stencil.summary().n_groups, 1);
    EXPECT_EQ(stencil.summary().cells_twice, 1);
}

} // namespace
