// SPDX-License-Identifier: BSD-3-Clause
// Defects made on purpose, of the library's tables and of the caller's program: check mode must find and name each.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <dlfcn.h>

#include "findings.h"
#include "halo_mesh.h"
#include "skew/skew.h"
#include "solver.h"

namespace conformance {

namespace {

struct Skew {
    skew_set_fn set;
    skew_rows_fn rows;
};

const Skew &skew() {
    static const Skew functions = [] {
        void *module = dlopen(SKEW_DIRECTORY "/libhalo_device_skew.so", RTLD_NOW | RTLD_LOCAL);
        if (!module) stop("the device cannot be loaded: %s", dlerror());
        return Skew{ reinterpret_cast<skew_set_fn>(dlsym(module, "skew_set")), reinterpret_cast<skew_rows_fn>(dlsym(module, "skew_rows")) };
    }();
    return functions;
}

const Settings checked_device{ { "check", "yes" }, { "device", "skew" }, { "plugin_path", SKEW_DIRECTORY } };
const Settings fully_checked_device{ { "check", "full" }, { "device", "skew" }, { "plugin_path", SKEW_DIRECTORY } };

class Seeded : public testing::TestWithParam<int32_t> {
protected:
    SolverShape shape() const {
        SolverShape shape;
        shape.n_blocks = 4;
        shape.periodic = true;
        shape.ghost_low = 2;
        shape.n_components = 2;
        shape.messages = GetParam();
        return shape;
    }
    static bool one_run(const Settings &settings, const SolverShape &shape, Findings &findings) {
        run(n_ranks, settings, [&](Rank &rank) {
            Solver solver(rank, shape);
            solver.fill();
            halo_status status = solver.start();
            findings.note(status);
            if (status == HALO_SUCCESS) findings.note(solver.finish());
            if (findings.n == 0 && status == HALO_SUCCESS) solver.check();
            solver.destroy();
        });
        return findings.n > 0;
    }
    // Every row of the tables in turn.
    void find_each(SkewKind kind) {
        constexpr uint32_t part_bases = 2;
        skew().set(SkewKind::none, 0, part_bases);
        Findings none;
        EXPECT_FALSE(one_run(checked_device, shape(), none)) << none.text;
        const int64_t n_rows = skew().rows();
        ASSERT_GE(n_rows, 4);
        int64_t found = 0;
        for (int64_t row = 0; row < n_rows; ++row) {
            skew().set(kind, row, part_bases);
            Findings findings;
            found += one_run(checked_device, shape(), findings);
            if (findings.n > 0) findings.expect({ "field density", "part ", "cell (" });
        }
        EXPECT_GE(found, kind == SkewKind::wrong_target ? n_rows / 2 : n_rows);
        skew().set(SkewKind::none, 0, part_bases);
    }
};

TEST_P(Seeded, WrongSource) { find_each(SkewKind::wrong_source); }
TEST_P(Seeded, SkippedRow) { find_each(SkewKind::skipped); }
TEST_P(Seeded, WrongTarget) { find_each(SkewKind::wrong_target); }

// All ghosts hold what they should; the first owned cell is overwritten with them.
TEST_P(Seeded, RowThatIsTooLong) {
    constexpr uint32_t part_bases = 2;
    std::string found;
    for (int64_t row = 0, n_rows = 1; row < n_rows; ++row) {
        skew().set(SkewKind::too_long, row, part_bases);
        Findings findings;
        run(n_ranks, checked_device, [&](Rank &rank) {
            Solver solver(rank, shape());
            solver.fill();
            OK(solver.start());
            findings.note(solver.finish());
            solver.destroy();
        });
        found += findings.text;
        n_rows = skew().rows();
    }
    skew().set(SkewKind::none, 0, part_bases);
    EXPECT_NE(found.find("cell (0, 0, 0)"), std::string::npos) << found;
    EXPECT_NE(found.find("was changed by unpacking what came from rank "), std::string::npos) << found;
}

// The same of a copy within the rank, into a cell that nobody reads: all storage must be compared.
TEST_P(Seeded, CopyThatIsTooLong) {
    constexpr uint32_t part_bases = 2;
    SolverShape low = shape();
    low.ghost_high = 0;
    std::string found;
    for (int64_t row = 0, n_rows = 1; row < n_rows; ++row) {
        skew().set(SkewKind::too_long_here, row, part_bases);
        Findings findings;
        one_run(fully_checked_device, low, findings);
        found += findings.text;
        n_rows = skew().rows();
    }
    skew().set(SkewKind::none, 0, part_bases);
    EXPECT_NE(found.find("cell (0, 0, 0)"), std::string::npos) << found;
    EXPECT_NE(found.find("was changed by the copies within the rank"), std::string::npos) << found;
}

// Rows that have done what they should once are looked at in turn: in one of eight runs, and with HALO_CHECK=full in each.
TEST_P(Seeded, CopiesThatStopLater) {
    const auto runs_until_found = [&](const Settings &settings, Findings &findings) {
        int n_runs = 0;
        run(1, settings, [&](Rank &rank) {
            Solver solver(rank, shape());
            solver.run();
            skew().set(SkewKind::stopped, 0, 0);
            for (halo_status status = HALO_SUCCESS; status == HALO_SUCCESS && n_runs < 20; ++n_runs) {
                solver.fill();
                findings.note(status = solver.start());
                if (status == HALO_SUCCESS) findings.note(status = solver.finish());
            }
            solver.destroy();
        });
        skew().set(SkewKind::none, 0, 0);
        return n_runs;
    };
    Findings later, at_once;
    EXPECT_LE(runs_until_found(checked_device, later), 8);
    later.expect({ "field density, part ", "cell (", " on rank 0 fills", "does not hold what it was given" });
    EXPECT_EQ(runs_until_found(fully_checked_device, at_once), 1);
    at_once.expect({ "field density, part ", "was not filled" });
}

double *cell(Solver &solver, size_t part, int64_t x) {
    const Store &store = solver.field->store(0, part);
    return reinterpret_cast<double *>(store.element(element_at(store.layout, { x, 0, 0 }, 0), 8));
}

// Both ghosts of a rank's first part: one is filled by the same rank, one by the other.
TEST_P(Seeded, LateWriteIntoGhosts) {
    for (const int64_t ghost : { int64_t{ -1 }, int64_t{ 4 } }) {
        Findings findings;
        run(n_ranks, checked, [&](Rank &rank) {
            Solver solver(rank, shape());
            solver.fill();
            OK(solver.start());
            if (rank.rank == 0) *cell(solver, 0, ghost) = 1.5;
            findings.note(solver.finish());
            solver.destroy();
        });
        EXPECT_EQ(findings.n, 1);
        findings.expect({ "field density, part 0",
                          text_of("cell (%lld, 0, 0), in all (%lld, 0, 0)", static_cast<long long>(ghost), static_cast<long long>(ghost)),
                          "written between start and finish",
                          ghost < 0 ? "part 3 on rank 1 fills (channel 3 -> 0, field density" : "part 1 on rank 0 fills (channel 1 -> 0" });
    }
}

// Of points: rank 0's last one is a copy of one of rank 1's, and the other way round.
using MakePoints = std::function<halo_topology *(const Rank &rank)>;

halo_topology *points_by_keys(const Rank &rank, int32_t editable, int32_t n_parts) {
    static constexpr uint64_t keys[n_ranks][2] = { { 100, 200 }, { 200, 100 } };
    static constexpr int32_t owners[n_ranks][2] = { { 0, 1 }, { 1, 0 } };
    static constexpr int64_t offsets[] = { 0, 1, 2 };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = 2;
    desc.keys = keys[rank.rank];
    desc.owners = owners[rank.rank];
    desc.editable = editable;
    desc.n_parts = n_parts;
    desc.part_offsets = n_parts > 0 ? offsets : nullptr;
    if (n_parts > 0) desc.numbering = HALO_NUMBERING_AS_GIVEN;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_keys(rank.context, &desc, &topology));
    return topology;
}

halo_topology *points_by_roots(const Rank &rank) {
    const uint32_t leaf = 1, root = 0;
    const int32_t other = 1 - rank.rank;
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_points = 2, desc.n_leaves = 1;
    desc.leaves = &leaf, desc.ranks = &other, desc.indices = &root;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_star(rank.context, &desc, &topology));
    return topology;
}

// Nodes of a mesh: an edge of each rank leads to both.
halo_topology *points_of_mesh(const Rank &rank) {
    const uint64_t here = 100 + 100 * static_cast<uint64_t>(rank.rank), edge = here + 7, ends[] = { 100, 200 };
    halo_mesh_set sets[] = { HALO_MESH_SET_INIT, HALO_MESH_SET_INIT };
    sets[0].name = "edges", sets[0].n = 1, sets[0].keys = &edge;
    sets[1].name = "nodes", sets[1].n = 1, sets[1].keys = &here;
    halo_mesh_map map = HALO_MESH_MAP_INIT;
    map.name = "ends", map.from = 0, map.to = 1, map.arity = 2, map.keys = ends;
    halo_mesh_desc desc = HALO_MESH_DESC_INIT;
    desc.n_sets = 2, desc.sets = sets;
    desc.n_maps = 1, desc.maps = &map;
    halo_mesh *mesh = nullptr;
    halo_topology *topology = nullptr;
    OK(halo_mesh_create(rank.context, &desc, &mesh));
    OK(halo_mesh_topology(mesh, 1, &topology));
    OK(halo_mesh_destroy(&mesh));
    return topology;
}

// What rank 0 does with its two values: `between` start and finish, and, if there is a second run, `after` the first.
struct PointRun {
    int n_runs = 1;
    std::function<void(double *values)> between = [](double *) {};
    std::function<void(double *values)> after = [](double *) {};
};

std::string found_in_points(const MakePoints &make, const PointRun &program) {
    Findings findings;
    run(n_ranks, checked, [&](Rank &rank) {
        halo_topology *topology = make(rank);
        halo_field_desc described = HALO_FIELD_DESC_INIT;
        described.name = "pressure";
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &described, &field));
        double values[] = { 1.0 + rank.rank, 0 };
        const int64_t *gids = nullptr;
        int64_t n_gids = 0;
        OK(halo_topology_local_parts(topology, &gids, &n_gids));
        for (int64_t i = 0; i < n_gids; ++i) {
            halo_binding binding = HALO_BINDING_INIT;
            binding.data = values + i;
            OK(halo_field_bind(field, gids[i], &binding));
        }
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, nullptr, &exchange));
        halo_status status = HALO_SUCCESS;
        for (int time = 0; time < program.n_runs && status == HALO_SUCCESS; ++time) {
            status = halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE);
            findings.note(status);
            if (status != HALO_SUCCESS) break;
            if (rank.rank == 0) program.between(values);
            findings.note(status = halo_exchange_finish(exchange, HALO_STREAM_NONE));
            if (rank.rank == 0 && status == HALO_SUCCESS) program.after(values);
        }
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
    return findings.text;
}

void expect_in(const std::string &text, const std::string &words) {
    EXPECT_NE(text.find(words), std::string::npos) << "'" << words << "' is not in: " << text;
}

// What all ranks know a point by is named: the program's key, whether the library keeps it for edits or not, or a leaf's root.
TEST(SeededPoints, LateWriteIntoACopy) {
    const PointRun late{ .n_runs = 1, .between = [](double *values) { values[1] = 7; } };
    for (const int32_t editable : { 0, 1 })
        expect_in(found_in_points([&](const Rank &rank) { return points_by_keys(rank, editable, 0); }, late),
                  "field pressure, part 0, point 1, key 200, which part 1 on rank 1 fills (channel 1 -> 0, field pressure), was written between "
                  "start and finish");
    expect_in(found_in_points([](const Rank &rank) { return points_by_keys(rank, 0, 2); }, late),
              "field pressure, part 1, point 0, key 200, which part 2 on rank 1 fills");
    expect_in(found_in_points(points_of_mesh, late), "field pressure, part 0, point 1, key 200, which part 1 on rank 1 fills");
    expect_in(found_in_points(points_by_roots, late), "field pressure, part 0, point 1, leaf of root 0 on rank 1, which part 1 on rank 1 fills");
}

TEST(SeededPoints, EarlyReadOfACopy) {
    double read = 0;
    const PointRun early{ .n_runs = 2, .between = [&](double *values) { read = values[1]; }, .after = [&](double *values) { values[0] += read; } };
    expect_in(
        found_in_points([](const Rank &rank) { return points_by_keys(rank, 0, 0); }, early),
        "field pressure, part 0, point 0, key 100, component 0, was computed from field pressure, part 0, point 1, key 200, component 0, which part "
        "1 on rank 1 fills, and read between start and finish");
    expect_in(
        found_in_points([](const Rank &rank) { return points_by_keys(rank, 0, 2); }, early),
        "field pressure, part 0, point 0, key 100, component 0, was computed from field pressure, part 1, point 0, key 200, component 0, which part "
        "2 on rank 1 fills");
}

// The value spreads by arithmetic into an owned cell, which the next start looks at. A ghost that the same rank fills, and one that the other does.
TEST_P(Seeded, EarlyReadOfAGhost) {
    for (const int64_t ghost : { int64_t{ -1 }, int64_t{ 4 } }) {
        Findings findings;
        run(n_ranks, checked, [&](Rank &rank) {
            Solver solver(rank, shape());
            solver.fill();
            OK(solver.start());
            const double read = *cell(solver, 0, ghost);
            OK(solver.finish());
            solver.check();
            if (rank.rank == 0) *cell(solver, 0, 0) = 0.5 * (*cell(solver, 0, 1) + read);
            const halo_status status = solver.start();
            findings.note(status);
            if (status == HALO_SUCCESS) findings.note(solver.finish());
            solver.destroy();
        });
        findings.expect({ "field density, part 0, cell (0, 0, 0), in all (0, 0, 0), component 0, was computed from field density, part 0, cell " +
                              text_of("(%lld, 0, 0), in all (%lld, 0, 0), component 0, which part ", static_cast<long long>(ghost),
                                      static_cast<long long>(ghost)) +
                              (ghost < 0 ? "3 on rank 1 fills" : "1 on rank 0 fills"),
                          "read between start and finish" });
    }
}

// Integers cannot tell that they come from a ghost; but what is computed from one changes with the seed of what it holds.
int32_t sum_with_ghost(const char *seed, bool early) {
    int32_t sum = 0;
    run(1, { { "check", "yes" }, { "check.seed", seed } }, [&](Rank &rank) {
        halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
        desc.n_dims = 1, desc.n_parts_per_rank = 1;
        desc.domain.high[0] = 4;
        desc.periodic[0] = 1;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_boxes(rank.context, &desc, &topology));
        halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
        field_desc.type = HALO_INT32;
        field_desc.ghost_low[0] = 1;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &field_desc, &field));
        int32_t storage[] = { 0, 1, 2, 3, 4 };
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = storage;
        OK(halo_field_bind(field, 0, &binding));
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, nullptr, &exchange));
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        if (early) sum = storage[0] / 2 + storage[1];
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        if (!early) sum = storage[0] / 2 + storage[1];
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
    return sum;
}

TEST(SeededIntegers, AnEarlyReadChangesWithTheSeed) {
    EXPECT_NE(sum_with_ghost("1", true), sum_with_ghost("2", true));
    EXPECT_EQ(sum_with_ghost("1", false), 3);
    EXPECT_EQ(sum_with_ghost("2", false), 3);
}

// One bit is enough, in either half of a value.
TEST_P(Seeded, BrokenPromiseOfAStableSource) {
    SolverShape promised = shape();
    promised.source_stable = 1;
    for (const int64_t owned : { int64_t{ 0 }, int64_t{ 3 } })
        for (const int bit : { 12, 44 }) {
            Findings findings;
            run(n_ranks, checked, [&](Rank &rank) {
                Solver solver(rank, promised);
                solver.fill();
                OK(solver.start());
                if (rank.rank == 1) {
                    double *const value = cell(solver, 1, owned);
                    *value = std::bit_cast<double>(std::bit_cast<uint64_t>(*value) ^ uint64_t{ 1 } << bit);
                }
                findings.note(solver.finish());
                solver.destroy();
            });
            findings.expect({ "field density, part 3", text_of("cell (%lld, 0, 0), in all", static_cast<long long>(owned)), "which goes to part ",
                              " on rank ", "source_stable" });
        }
}

// The same program without defects, and owned data overwritten without a promise.
TEST_P(Seeded, NoFalseAlarm) {
    for (const Settings &settings : { checked, fully_checked_device })
        run(n_ranks, settings, [&](Rank &rank) {
            Solver solver(rank, shape());
            for (int i = 0; i < 3; ++i) {
                solver.fill();
                OK(solver.start());
                solver.field->overwrite_owned(0);
                OK(solver.finish());
                solver.check();
            }
            solver.destroy();
        });
}

INSTANTIATE_TEST_SUITE_P(Messages, Seeded, testing::Values(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL),
                         [](const auto &policy) { return policy.param == HALO_MESSAGES_AGGREGATE ? "aggregated" : "per_channel"; });

} // namespace

} // namespace conformance
