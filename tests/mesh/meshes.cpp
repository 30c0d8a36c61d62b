// SPDX-License-Identifier: BSD-3-Clause
// Random meshes made local, against the definitions; values that travel on them; loops that run redundantly between exchanges.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "halo_access.h"
#include "made.h"
#include "ranks.h"

namespace {

using namespace mesh;
using conformance::Rank;
using conformance::stop;

void check_order(Seed seed, const Local &local, int64_t begin, int64_t end, const char *what) {
    for (int64_t i = begin + 1; i < end; ++i)
        if (std::pair(local.known.owners[i - 1], local.known.keys[i - 1]) >= std::pair(local.known.owners[i], local.known.keys[i]))
            stop("seed %llu: %s at %lld are in the wrong order", seed, what, static_cast<long long>(i));
}

void check_set(Seed seed, const Model &model, size_t s, const Stored &wanted, const Local &local, int32_t rank) {
    const halo_mesh_local &known = local.known;
    const auto depth = static_cast<size_t>(model.depth);
    if (known.depth != model.depth || known.n != static_cast<int64_t>(local.index.size())) stop("seed %llu: a key is stored twice", seed);
    if (local.keys(0, known.n_owned) != wanted.own) stop("seed %llu: wrong own entities of %s", seed, model.sets[s].name.c_str());
    if (known.layer_ends[0] != known.n_owned || known.reach_ends[depth] != known.n) stop("seed %llu: wrong ends", seed);
    for (int64_t i = 0; i < known.n_owned; ++i)
        if (model.is_core(s, known.keys[i], rank) != (i < known.n_core)) stop("seed %llu: entity %lld of core", seed, static_cast<long long>(i));
    for (size_t k = 1; k <= depth; ++k) {
        if (local.keys(known.layer_ends[k - 1], known.layer_ends[k]) != wanted.layers[k]) stop("seed %llu: wrong layer %zu", seed, k);
        check_order(seed, local, known.layer_ends[k - 1], known.layer_ends[k], "executed ghosts");
    }
    int64_t begin = known.layer_ends[depth];
    const Keys executed = wanted.executed(depth);
    for (size_t k = 0; k <= depth; ++k) {
        Keys read;
        for (const uint64_t key : wanted.reach[k])
            if (!executed.contains(key)) read.insert(key);
        if (local.keys(known.layer_ends[depth], known.reach_ends[k]) != read) stop("seed %llu: wrong reach %zu", seed, k);
        check_order(seed, local, begin, known.reach_ends[k], "read ghosts");
        begin = known.reach_ends[k];
    }
    for (int64_t i = 0; i < known.n; ++i)
        if (known.owners[i] != model.at(s, known.keys[i]).owner) stop("seed %llu: wrong owner", seed);
}

void check_map(Seed seed, const Model &model, size_t m, const halo_mesh *made, const std::vector<Local> &locals) {
    const ModelMap &map = model.maps[m];
    const uint32_t *to = nullptr;
    int64_t n_rows = 0;
    int32_t arity = 0;
    OK(halo_mesh_get_map(made, static_cast<int32_t>(m), &to, &n_rows, &arity));
    const halo_mesh_local &from = locals[map.from].known;
    if (arity != map.arity || n_rows != from.layer_ends[model.depth]) stop("seed %llu: map of %lld rows", seed, static_cast<long long>(n_rows));
    for (int64_t i = 0; i < n_rows; ++i)
        for (int32_t a = 0; a < arity; ++a) {
            const uint64_t key = model.at(map.from, from.keys[i]).rows.at(m)[static_cast<size_t>(a)];
            const uint32_t wanted = model.leads(m, key) ? locals[map.to].index.at(key) : HALO_NO_INDEX;
            if (to[i * arity + a] != wanted) stop("seed %llu: row %lld of map %zu", seed, static_cast<long long>(i), m);
        }
}

void check_exchanges(Seed seed, const Model &model, halo_mesh *made, size_t s, const Stored &wanted, const Local &local, int32_t rank) {
    Values u(made, s, local.known.n, rank);
    for (int32_t k = 0; k <= model.depth + 1; ++k) {
        for (int64_t i = 0; i < local.known.n; ++i) u.values[static_cast<size_t>(i)] = i < local.known.n_owned ? value_of(local.known.keys[i]) : -1;
        exchange(u.field, k <= model.depth ? HALO_MESH_REACH(k) : (1u << HALO_SECTION_EXEC));
        for (int64_t i = local.known.n_owned; i < local.known.n; ++i) {
            const uint64_t key = local.known.keys[i];
            const bool wants = k <= model.depth ? wanted.reach[static_cast<size_t>(k)].contains(key) : i < local.known.layer_ends[model.depth];
            if (u.values[static_cast<size_t>(i)] != (wants ? value_of(key) : -1))
                stop("seed %llu: ghost %lld of reach %d", seed, static_cast<long long>(i), k);
        }
    }
}

// What was brought goes to the owners and comes back.
void check_values(Seed seed, const Model &model, halo_mesh *made, size_t s, const Brought &brought, const Local &local) {
    struct Pair {
        int64_t value;
        char more[5];
    };
    std::vector<Pair> there, here(static_cast<size_t>(local.known.n), Pair{ -1, "none" });
    for (const uint64_t key : brought.keys(s)) there.push_back({ value_of(key), "some" });
    OK(halo_mesh_distribute(made, static_cast<int32_t>(s), there.data(), here.data(), sizeof(Pair)));
    for (int64_t i = 0; i < local.known.n; ++i) {
        const uint64_t key = local.known.keys[i];
        const bool came = i < local.known.n_owned && model.at(s, key).bringer >= 0;
        const Pair &pair = here[static_cast<size_t>(i)];
        if (pair.value != (came ? value_of(key) : -1) || std::string(pair.more) != (came ? "some" : "none"))
            stop("seed %llu: value %lld that was brought", seed, static_cast<long long>(i));
    }
    for (int64_t i = 0; i < local.known.n; ++i) here[static_cast<size_t>(i)].value = i < local.known.n_owned ? 2 * value_of(local.known.keys[i]) : -5;
    OK(halo_mesh_collect(made, static_cast<int32_t>(s), here.data(), there.data(), sizeof(Pair)));
    for (size_t i = 0; i < there.size(); ++i)
        if (there[i].value != 2 * value_of(brought.keys(s)[i])) stop("seed %llu: value %zu that was collected", seed, i);
}

// As many loops as layers without an exchange between: each adds through a map what the one before has left, and writes nothing else.
void check_loops(Seed seed, const Model &model, size_t m, halo_mesh *made, const std::vector<Local> &locals, int32_t rank) {
    const ModelMap &map = model.maps[m];
    std::map<uint64_t, int64_t> all;
    for (const auto &[key, entity] : model.sets[map.to].entities) all[key] = value_of(key) % 10;
    const halo_mesh_local &to = locals[map.to].known, &from = locals[map.from].known;
    Values u(made, map.to, to.n, rank);
    for (int64_t i = 0; i < to.n_owned; ++i) u.values[static_cast<size_t>(i)] = all.at(to.keys[i]);
    exchange(u.field, HALO_MESH_REACH(model.depth));

    const uint32_t *rows = nullptr;
    int64_t n_rows = 0;
    OK(halo_mesh_get_map(made, static_cast<int32_t>(m), &rows, &n_rows, nullptr));
    for (int32_t layer = model.depth; layer >= 1; --layer) {
        const std::map<uint64_t, int64_t> before = all;
        for (const auto &[key, entity] : model.sets[map.from].entities) {
            int64_t sum = 1;
            for (const uint64_t target : entity.rows.at(m)) sum += model.leads(m, target) ? before.at(target) : 0;
            for (const uint64_t target : entity.rows.at(m))
                if (model.leads(m, target)) all[target] += sum % 1000;
        }
        const std::vector<int64_t> old = u.values;
        for (int64_t e = 0; e < from.layer_ends[layer]; ++e) {
            const uint32_t *row = rows + e * map.arity;
            int64_t sum = 1;
            for (int32_t a = 0; a < map.arity; ++a) sum += row[a] != HALO_NO_INDEX ? old[row[a]] : 0;
            for (int32_t a = 0; a < map.arity; ++a)
                if (row[a] != HALO_NO_INDEX) u.values[row[a]] += sum % 1000;
        }
    }
    for (int64_t i = 0; i < to.n_owned; ++i)
        if (u.values[static_cast<size_t>(i)] != all.at(to.keys[i]))
            stop("seed %llu: loops over map %zu left another value at %lld", seed, m, static_cast<long long>(i));
}

class Meshes : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Meshes, testing::ValuesIn(conformance::rank_counts()));

void check(Rank &rank, uint64_t seed, int64_t most) {
    Random random(seed);
    const Model model = random_model(random, rank.size, most);
    Brought brought(model, rank.rank, seed);
    brought.desc.directory = static_cast<int32_t>(seed % 3);
    halo_mesh *made = nullptr;
    OK(halo_mesh_create(rank.context, &brought.desc, &made));
    const std::vector<Stored> wanted = model.stored(rank.rank);
    std::vector<Local> locals;
    for (size_t s = 0; s < model.sets.size(); ++s) locals.emplace_back(made, s);
    for (size_t s = 0; s < model.sets.size(); ++s) {
        check_set(seed, model, s, wanted[s], locals[s], rank.rank);
        check_values(seed, model, made, s, brought, locals[s]);
        check_exchanges(seed, model, made, s, wanted[s], locals[s], rank.rank);
    }
    for (size_t m = 0; m < model.maps.size(); ++m) {
        check_map(seed, model, m, made, locals);
        check_loops(seed, model, m, made, locals, rank.rank);
    }
    OK(halo_mesh_destroy(&made));
}

TEST_P(Meshes, AsDefined) {
    const int64_t n_cases = conformance::number_from("MESH_CASES", 60);
    const auto first = static_cast<uint64_t>(conformance::number_from("MESH_SEED", 1));
    for (const char *discovery : { "alltoall", "reduce_scatter", "consensus" })
        conformance::run(GetParam(), { { "discovery", discovery } }, [&](Rank &rank) {
            for (uint64_t seed = first; seed < first + static_cast<uint64_t>(n_cases); ++seed) check(rank, seed, 40);
        });
}

// Many keys of each rank, close together and far apart.
TEST_P(Meshes, AsDefinedWhereLarge) {
    const auto n_cases = static_cast<uint64_t>(conformance::number_from("MESH_LARGE_CASES", 6));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = 1; seed <= n_cases; ++seed) check(rank, seed, 4000);
    });
}

// Ranks leave and come back at any time.
TEST_P(Meshes, AsDefinedWhereEveryCallMayTimeOut) {
    if (!conformance::threads()) GTEST_SKIP() << "processes of an MPI wait longer";
    const auto until_done = [](const std::function<halo_status()> &call) {
        halo_status status = HALO_TIMEOUT;
        while (status == HALO_TIMEOUT) status = call();
        OK(status);
    };
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        OK(halo_context_barrier(rank.context));
        OK(halo_context_set(rank.context, "timeout", "1ms"));
        for (uint64_t seed = 1; seed <= 8; ++seed) {
            Random random(seed);
            const Model model = random_model(random, rank.size);
            const Brought brought(model, rank.rank, seed);
            halo_mesh *made = nullptr;
            halo_topology *topology = nullptr;
            if (seed % 3 == static_cast<uint64_t>(rank.rank)) std::this_thread::sleep_for(std::chrono::milliseconds(4));
            until_done([&] { return halo_mesh_create(rank.context, &brought.desc, &made); });
            const Local local(made, 0);
            check_set(seed, model, 0, model.stored(rank.rank)[0], local, rank.rank);
            if (seed % 2 == static_cast<uint64_t>(rank.rank)) std::this_thread::sleep_for(std::chrono::milliseconds(3));
            until_done([&] { return halo_mesh_topology(made, 0, &topology); });
            std::vector<int64_t> there, here(static_cast<size_t>(local.known.n));
            for (const uint64_t key : brought.keys(0)) there.push_back(value_of(key));
            const std::vector<int64_t> before = there;
            until_done([&] { return halo_mesh_distribute(made, 0, there.data(), here.data(), sizeof here[0]); });
            if (seed % 2 != static_cast<uint64_t>(rank.rank)) std::this_thread::sleep_for(std::chrono::milliseconds(3));
            until_done([&] { return halo_mesh_collect(made, 0, here.data(), there.data(), sizeof here[0]); });
            if (there != before) stop("seed %llu: values have not come back", static_cast<Seed>(seed));
            OK(halo_topology_destroy(&topology));
            OK(halo_mesh_destroy(&made));
        }
    });
}

} // namespace
