// SPDX-License-Identifier: BSD-3-Clause
// Random sequences with intervals against sets of cells, level by level.
#include <algorithm>

#include <gtest/gtest.h>
#include <set>

#include "program_case.h"

namespace {

using namespace analysis;

using Cells = std::set<std::pair<int, int>>; // offsets in the plane

int64_t position(const Case &given, const halo_stencil_level &level) {
    return given.splitters[static_cast<size_t>(level.splitter)] + level.offset - (level.offset > 0);
}

// Does an access happen on a level?
bool applies(const Case &given, const Stage &stage, const halo_stencil_access &access, int64_t level) {
    if (stage.intervals.empty()) return true;
    for (size_t i = 0; i < stage.intervals.size(); ++i)
        if (position(given, stage.intervals[i].from) <= level && level <= position(given, stage.intervals[i].to))
            return access.interval == HALO_STENCIL_ALL || access.interval == static_cast<int32_t>(i);
    return false;
}

struct Brute {
    std::vector<std::vector<Cells>> computed;          // by stage and level
    std::vector<std::vector<std::vector<Cells>>> sent; // by writer + 1, field, level
};

// Cell by cell, what must be computed and what must come from elsewhere.
Brute brute(const Case &given) {
    const auto n = static_cast<size_t>(given.splitters.back());
    Brute found;
    found.computed.assign(given.stages.size(), std::vector<Cells>(n));
    found.sent.assign(given.stages.size() + 1, std::vector<std::vector<Cells>>(given.temporary.size(), std::vector<Cells>(n)));
    std::vector<std::vector<Cells>> needed(given.temporary.size(), std::vector<Cells>(n));
    for (size_t f = 0; f < needed.size(); ++f)
        if (!given.temporary[f]) std::fill(needed[f].begin(), needed[f].end(), Cells{ { 0, 0 } });
    const auto send = [&](size_t f, size_t writer) {
        found.sent[writer][f] = needed[f];
        for (Cells &level : needed[f])
            if (!level.empty()) level = { { 0, 0 } };
    };
    for (size_t s = given.stages.size(); s-- > 0;) {
        const Stage &stage = given.stages[s];
        if (given.desc.exchanged == HALO_STENCIL_EXCHANGE)
            for (const halo_stencil_access &access : stage.accesses)
                if (access.mode != HALO_STENCIL_READ && !given.temporary[static_cast<size_t>(access.field)] &&
                    found.sent[s + 1][static_cast<size_t>(access.field)] == std::vector<Cells>(n))
                    send(static_cast<size_t>(access.field), s + 1);
        bool sink = true;
        for (const halo_stencil_access &access : stage.accesses) sink = sink && access.mode == HALO_STENCIL_READ;
        for (size_t i = 0; i < n; ++i) {
            const size_t k = stage.direction == HALO_STENCIL_DOWNWARD ? i : n - 1 - i;
            bool here = stage.intervals.empty();
            for (const halo_stencil_interval &one : stage.intervals)
                here = here || (position(given, one.from) <= static_cast<int64_t>(k) && static_cast<int64_t>(k) <= position(given, one.to));
            if (!here) continue;
            Cells &run = found.computed[s][k];
            if (sink) run = { { 0, 0 } };
            for (const halo_stencil_access &access : stage.accesses)
                if (access.mode != HALO_STENCIL_READ && applies(given, stage, access, static_cast<int64_t>(k))) {
                    Cells &output = needed[static_cast<size_t>(access.field)][k];
                    run.insert(output.begin(), output.end());
                }
            if (run.empty()) continue;
            for (const halo_stencil_access &access : stage.accesses)
                if (access.mode != HALO_STENCIL_READ && !stage.conditional && applies(given, stage, access, static_cast<int64_t>(k)))
                    needed[static_cast<size_t>(access.field)][k].clear();
            for (const halo_stencil_access &access : stage.accesses) {
                if (access.mode == HALO_STENCIL_WRITE || !applies(given, stage, access, static_cast<int64_t>(k))) continue;
                for (int dk = access.low[2]; dk <= access.high[2]; ++dk)
                    for (const auto &[x, y] : Cells(run))
                        for (int dy = access.low[1]; dy <= access.high[1]; ++dy)
                            for (int dx = access.low[0]; dx <= access.high[0]; ++dx)
                                needed[static_cast<size_t>(access.field)][k + static_cast<size_t>(dk)].insert({ x + dx, y + dy });
            }
        }
    }
    for (size_t f = 0; f < needed.size(); ++f)
        if (!given.temporary[f]) send(f, 0);
    return found;
}

using Flat = std::array<int64_t, 4>; // low x and y, high x and y
Flat enclosing(const Cells &cells) {
    Flat all{ INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN };
    for (const auto &[x, y] : cells)
        all = { std::min<int64_t>(all[0], x), std::min<int64_t>(all[1], y), std::max<int64_t>(all[2], x), std::max<int64_t>(all[3], y) };
    return all;
}
Flat ghosts(const Cells &cells) {
    if (cells.empty()) return {};
    const Flat all = enclosing(cells);
    return { std::max<int64_t>(0, -all[0]), std::max<int64_t>(0, -all[1]), std::max<int64_t>(0, all[2]), std::max<int64_t>(0, all[3]) };
}

// By level; levels that no range has are left as `none`.
std::vector<Flat> by_level(const std::vector<halo_stencil_range> &ranges, size_t n, const Flat &none) {
    std::vector<Flat> levels(n, none);
    int64_t last = -1;
    for (const halo_stencil_range &range : ranges) {
        EXPECT_LT(last, range.first);
        EXPECT_LE(range.first, range.last);
        EXPECT_EQ(range.low[2], 0);
        EXPECT_EQ(range.high[2], 0);
        last = range.last;
        for (int64_t k = range.first; k <= range.last; ++k)
            levels[static_cast<size_t>(k)] = { range.low[0], range.low[1], range.high[0], range.high[1] };
    }
    return levels;
}

void expect_as_brute(const Case &given, const halo::Stencil &stencil) {
    const Brute wanted = brute(given);
    const auto n = static_cast<size_t>(given.splitters.back());
    const Flat none{ INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN };
    for (size_t s = 0; s < given.stages.size(); ++s) {
        const std::vector<Flat> found = by_level(stencil.stage_ranges(static_cast<int32_t>(s)), n, none);
        for (size_t k = 0; k < n; ++k) EXPECT_EQ(found[k], enclosing(wanted.computed[s][k])) << "stage " << s << " on level " << k;
    }
    const std::vector<halo_stencil_exchange> exchanges = stencil.exchanges();
    for (size_t writer = 0; writer < wanted.sent.size(); ++writer)
        for (size_t f = 0; f < given.temporary.size(); ++f) {
            std::vector<Flat> found(n, Flat{});
            int64_t values = 0, wanted_values = 0;
            for (size_t e = 0; e < exchanges.size(); ++e)
                if (exchanges[e].writer + 1 == static_cast<int32_t>(writer) && exchanges[e].field == static_cast<int32_t>(f)) {
                    found = by_level(stencil.exchange_ranges(static_cast<int32_t>(e)), n, Flat{});
                    values = exchanges[e].values;
                }
            for (size_t k = 0; k < n; ++k) {
                const Flat level = ghosts(wanted.sent[writer][f][k]);
                EXPECT_EQ(found[k], level) << "field " << f << " on level " << k;
                const int64_t nx = given.desc.cells[0], ny = given.desc.cells[1];
                wanted_values += (nx + level[0] + level[2]) * (ny + level[1] + level[3]) - nx * ny;
            }
            EXPECT_EQ(values, wanted_values);
        }
}

void random_vertical(Random &random, Stage &stage, const Case &given) {
    const auto n_levels = static_cast<int>(given.splitters.size());
    if (random.chance(80)) {
        halo_stencil_level from{ 0, random.between(1, 2) };
        for (int s = 1; s < n_levels; ++s) {
            if (s + 1 < n_levels && random.chance(40)) continue;
            const int offset = s + 1 == n_levels ? -random.between(1, 2) : random.chance(50) ? -1 : random.chance(50) ? -2 : 1;
            stage.intervals.push_back({ from, { s, offset } });
            from = { s, offset == -1 ? 1 : offset + 1 };
        }
    }
    stage.direction = random.below(3);
    for (halo_stencil_access &access : stage.accesses) {
        if (!stage.intervals.empty() && random.chance(50)) access.interval = random.below(static_cast<int>(stage.intervals.size()));
        if (access.mode != HALO_STENCIL_READ || random.chance(60)) continue;
        bool own = false;
        for (const halo_stencil_access &other : stage.accesses) own = own || (other.mode != HALO_STENCIL_READ && other.field == access.field);
        access.low[2] = stage.direction == HALO_STENCIL_DOWNWARD && own ? 0 : -1;
        access.high[2] = own ? (stage.direction == HALO_STENCIL_DOWNWARD ? 1 : 0) : random.between(-1, 1);
    }
}

TEST(Levels, AreAsIfEachHadBeenLookedAtAlone) {
    const int n = n_cases(4000);
    int n_run = 0, n_different = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + static_cast<uint64_t>(n) && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("ANALYSIS_SEED=" + std::to_string(seed) + " ANALYSIS_CASES=1");
        Random random(seed);
        Case given = random_case(random, 2, random.between(1, 4), 1);
        given.desc.n_dims = 3;
        given.desc.order = HALO_STENCIL_BY_STAGES;
        given.desc.exchanged = random.below(2);
        given.desc.cells[0] = 20, given.desc.cells[1] = 30;
        given.splitters = { 0 };
        for (int s = random.between(1, 3); s > 0; --s) given.splitters.push_back(given.splitters.back() + random.between(5, 8));
        for (Stage &stage : given.stages) random_vertical(random, stage, given);
        std::vector<halo::Stencil> stencil;
        if (analyse(given, stencil) != HALO_SUCCESS) continue;
        ++n_run;
        expect_as_brute(given, stencil[0]);
        const std::vector<halo_stencil_exchange> exchanges = stencil[0].exchanges();
        for (size_t e = 0; e < exchanges.size(); ++e) n_different += stencil[0].exchange_ranges(static_cast<int32_t>(e)).size() > 1;
    }
    std::printf("%d random sequences with levels, of which %d are executed; %d exchanges with several widths\n", n, n_run, n_different);
    if (n >= 1000) {
        EXPECT_GT(n_run, n / 8);
        EXPECT_GT(n_different, n / 40);
    }
}

// Loops against the intervals that each level is in.
TEST(Levels, AreInTheFewestLoops) {
    const int n = n_cases(1000);
    for (uint64_t seed = first_seed(); seed < first_seed() + static_cast<uint64_t>(n) && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("ANALYSIS_SEED=" + std::to_string(seed) + " ANALYSIS_CASES=1");
        Random random(seed);
        Case given;
        given.splitters = { 0, 7, 14, 21 };
        given.temporary = { false };
        for (int s = random.between(1, 4); s > 0; --s) {
            given.stages.push_back({});
            given.stages.back().accesses = { halo::updates(0) };
            random_vertical(random, given.stages.back(), given);
            for (halo_stencil_access &access : given.stages.back().accesses) access.interval = HALO_STENCIL_ALL;
        }
        std::vector<halo::Stencil> stencil;
        ASSERT_EQ(analyse(given, stencil), HALO_SUCCESS) << halo_last_error();
        std::vector<std::vector<int32_t>> levels; // the interval of each stage
        for (int64_t k = 0; k < 21; ++k) {
            levels.emplace_back();
            for (const Stage &stage : given.stages) {
                int32_t in = stage.intervals.empty() ? 0 : -1;
                for (size_t i = 0; i < stage.intervals.size(); ++i)
                    if (position(given, stage.intervals[i].from) <= k && k <= position(given, stage.intervals[i].to)) in = static_cast<int32_t>(i);
                levels.back().push_back(in);
            }
        }
        const std::vector<halo_stencil_loop> loops = stencil[0].loops();
        size_t loop = 0;
        const std::vector<int32_t> nobody(given.stages.size(), -1);
        for (size_t k = 0; k < levels.size();) {
            size_t end = k + 1;
            while (end < levels.size() && levels[end] == levels[k]) ++end;
            if (levels[k] != nobody) {
                ASSERT_LT(loop, loops.size());
                EXPECT_EQ(loops[loop].first, static_cast<int64_t>(k));
                EXPECT_EQ(loops[loop].last, static_cast<int64_t>(end) - 1);
                for (size_t s = 0; s < given.stages.size(); ++s) EXPECT_EQ(stencil[0].loop_intervals(static_cast<int32_t>(s))[loop], levels[k][s]);
                ++loop;
            }
            k = end;
        }
        EXPECT_EQ(loop, loops.size());
    }
}

} // namespace
