// SPDX-License-Identifier: BSD-3-Clause
// Loops over maps of random meshes in batches of accesses, which exchange what is stale, against the same loops in one place.
#include <gtest/gtest.h>

#include <algorithm>

#include "halo_access.h"
#include "made.h"
#include "ranks.h"

namespace {

using namespace mesh;
using conformance::Rank;
using conformance::stop;

using ByKey = std::map<uint64_t, int64_t>;

halo_access at_itself(halo_field *field, int32_t mode, uint32_t sections = 0) {
    halo_access access = HALO_ACCESS_INIT;
    access.field = field, access.mode = mode, access.sections = sections;
    return access;
}

halo_access by_map(halo_field *field, int32_t mode, uint32_t sections) {
    halo_access access = at_itself(field, mode, sections);
    access.through = HALO_VIA_MAP;
    return access;
}

// What loops over a map compute; whole numbers, so that no order shows.
int64_t share_of(int64_t weight, int64_t sum) { return (weight + 1) * sum % 1009; }
int64_t next_value(int64_t value, int64_t sum) { return (3 * value + sum) % 1013; }
int64_t next_weight(int64_t weight, int64_t sum) { return (weight + sum) % 13; }
int64_t chained(int64_t sum) { return (sum + 1) % 1000; }

// `u` and `sums` where a map leads to, `weights` where it starts.
class Serial {
public:
    ByKey u, sums, weights;

    Serial(const Model &model, size_t m) : model_(model), m_(m) {
        for (const auto &[key, entity] : model.sets[model.maps[m].to].entities) u[key] = value_of(key) % 100, sums[key] = 0;
        for (const auto &[key, entity] : model.sets[model.maps[m].from].entities) weights[key] = value_of(key) % 7;
    }
    void add() {
        for_rows([&](uint64_t key, const std::vector<uint64_t> &targets) {
            for (const uint64_t target : targets) sums[target] += share_of(weights[key], sum_of(u, targets));
        });
    }
    void advance() {
        for (auto &[key, value] : u) value = next_value(value, sums[key]), sums[key] = 0;
    }
    void weigh() {
        for_rows([&](uint64_t key, const std::vector<uint64_t> &targets) { weights[key] = next_weight(weights[key], sum_of(u, targets)); });
    }
    void chain(int32_t n_loops) {
        for (int32_t loop = 0; loop < n_loops; ++loop) {
            const ByKey before = u;
            for_rows([&](uint64_t, const std::vector<uint64_t> &targets) {
                for (const uint64_t target : targets) u[target] += chained(sum_of(before, targets));
            });
        }
    }

private:
    static int64_t sum_of(const ByKey &values, const std::vector<uint64_t> &targets) {
        int64_t sum = 0;
        for (const uint64_t target : targets) sum += values.at(target);
        return sum;
    }
    template <class Body>
    void for_rows(Body &&body) const {
        for (const auto &[key, entity] : model_.sets[model_.maps[m_].from].entities) {
            std::vector<uint64_t> targets;
            for (const uint64_t target : entity.rows.at(m_))
                if (model_.leads(m_, target)) targets.push_back(target);
            body(key, targets);
        }
    }

    const Model &model_;
    size_t m_;
};

// The same on what one rank stores.
class Loops {
public:
    Loops(const Rank &rank, halo_mesh *made, const ModelMap &map, size_t m, const Local &from, const Local &to)
        : rank_(rank),
          from_(from.known),
          to_(to.known),
          arity_(map.arity),
          u(made, map.to, to_.n, rank.rank, "u"),
          sums(made, map.to, to_.n, rank.rank, "sums"),
          weights(made, map.from, from_.n, rank.rank, "weights") {
        OK(halo_mesh_get_map(made, static_cast<int32_t>(m), &rows_, nullptr, nullptr));
        for (int64_t i = 0; i < to_.n_owned; ++i) at(u, i) = value_of(to_.keys[i]) % 100, at(sums, i) = 0;
        for (int64_t i = 0; i < from_.n_owned; ++i) at(weights, i) = value_of(from_.keys[i]) % 7;
        for (const Values *values : { &u, &sums, &weights }) OK(halo_access_mark_dirty(values->field, 0, HALO_ON_HOST));
    }

    // `narrow`: no ghosts beyond what the loop reaches.
    void add(int32_t style, bool narrow) {
        const bool executes = style == HALO_STYLE_REDUNDANT;
        const uint32_t reach = narrow ? HALO_MESH_REACH(executes ? 1 : 0) : 0;
        over_rows(
            { at_itself(weights.field, HALO_READ, executes ? reach : 0), by_map(u.field, HALO_READ, reach), by_map(sums.field, HALO_INC, reach) },
            style, [&](int64_t e, const std::vector<uint32_t> &targets) {
                const int64_t share = share_of(at(weights, e), sum_of(u.values, targets));
                for (const uint32_t target : targets) at(sums, target) += share;
            });
    }
    void advance() {
        halo_batch *batch = begin({ at_itself(u.field, HALO_RW), at_itself(sums.field, HALO_RW) }, HALO_STYLE_REVERSE);
        OK(halo_access_ready(batch));
        for (int64_t i = 0; i < to_.n_owned; ++i) at(u, i) = next_value(at(u, i), at(sums, i)), at(sums, i) = 0;
        OK(halo_access_end(batch));
    }
    void weigh(int32_t style, bool narrow) {
        over_rows({ by_map(u.field, HALO_READ, narrow ? HALO_MESH_REACH(0) : 0), at_itself(weights.field, HALO_RW) }, style,
                  [&](int64_t e, const std::vector<uint32_t> &targets) { at(weights, e) = next_weight(at(weights, e), sum_of(u.values, targets)); });
    }
    // One batch, so at most one exchange: each loop is executed for one layer less than the one before.
    void chain(int32_t n_loops) {
        halo_batch *batch = begin({ by_map(u.field, HALO_RW, HALO_MESH_REACH(n_loops)) }, HALO_STYLE_REDUNDANT);
        OK(halo_access_ready(batch));
        for (int32_t layer = n_loops; layer > 0; --layer) {
            const std::vector<int64_t> before = u.values;
            for (int64_t e = 0; e < from_.layer_ends[layer]; ++e) {
                const std::vector<uint32_t> targets = targets_of(e);
                for (const uint32_t target : targets) at(u, target) += chained(sum_of(before, targets));
            }
        }
        OK(halo_access_end(batch));
    }
    void check(Seed seed, const Serial &serial) {
        halo_batch *batch =
            begin({ by_map(u.field, HALO_READ, 0), by_map(sums.field, HALO_READ, 0), by_map(weights.field, HALO_READ, 0) }, HALO_STYLE_REVERSE);
        OK(halo_access_ready(batch));
        compare(seed, "u", u, to_, serial.u);
        compare(seed, "sums", sums, to_, serial.sums);
        compare(seed, "weights", weights, from_, serial.weights);
        OK(halo_access_end(batch));
    }
    halo_access_stats stats(const char *name) const {
        halo_access_stats stats = HALO_ACCESS_STATS_INIT;
        OK(halo_access_get_stats(rank_.context, name, &stats));
        return stats;
    }

private:
    template <class Index>
    static int64_t &at(Values &values, Index i) {
        return values.values[static_cast<size_t>(i)];
    }
    static int64_t sum_of(const std::vector<int64_t> &values, const std::vector<uint32_t> &targets) {
        int64_t sum = 0;
        for (const uint32_t target : targets) sum += values[target];
        return sum;
    }
    std::vector<uint32_t> targets_of(int64_t e) const {
        std::vector<uint32_t> targets;
        std::copy_if(rows_ + e * arity_, rows_ + (e + 1) * arity_, std::back_inserter(targets),
                     [](uint32_t target) { return target != HALO_NO_INDEX; });
        return targets;
    }
    halo_batch *begin(const std::vector<halo_access> &accesses, int32_t style) const {
        halo_batch *batch = nullptr;
        OK(halo_access_begin(rank_.context, accesses.data(), static_cast<int32_t>(accesses.size()), sizeof(halo_access), style, HALO_ON_HOST,
                             HALO_STREAM_NONE, &batch));
        return batch;
    }
    // Core while ghosts are on their way; layer 1 where it is asked for.
    template <class Body>
    void over_rows(const std::vector<halo_access> &accesses, int32_t style, Body &&body) {
        halo_batch *batch = begin(accesses, style);
        const auto run = [&](int64_t first, int64_t end) {
            for (int64_t e = first; e < end; ++e) body(e, targets_of(e));
        };
        run(0, from_.n_core);
        OK(halo_access_ready(batch));
        run(from_.n_core, from_.n_owned);
        int32_t needs_exec = 0;
        OK(halo_access_needs_exec(batch, &needs_exec));
        if (needs_exec) run(from_.n_owned, from_.layer_ends[1]);
        OK(halo_access_end(batch));
    }
    // Ghosts too.
    static void compare(Seed seed, const char *name, const Values &values, const halo_mesh_local &local, const ByKey &wanted) {
        for (int64_t i = 0; i < local.n; ++i)
            if (values.values[static_cast<size_t>(i)] != wanted.at(local.keys[i]))
                stop("seed %llu: %s of %llu, local index %lld: wanted %lld, got %lld", seed, name, static_cast<Seed>(local.keys[i]),
                     static_cast<long long>(i), static_cast<long long>(wanted.at(local.keys[i])),
                     static_cast<long long>(values.values[static_cast<size_t>(i)]));
    }

    Rank rank_;
    const halo_mesh_local &from_, &to_;
    int32_t arity_;
    const uint32_t *rows_ = nullptr;
    Values u, sums, weights;
};

void run_steps(Seed seed, Random &random, Loops &loops, Serial &serial, int32_t depth) {
    for (int64_t n = pick(random, 3, 12); n > 0; --n) {
        const int32_t style = pick(random, 0, 1) ? HALO_STYLE_REDUNDANT : HALO_STYLE_REVERSE;
        const bool narrow = pick(random, 0, 1) != 0;
        switch (pick(random, 0, 4)) {
        case 0: loops.advance(), serial.advance(); break;
        case 1: loops.weigh(style, narrow), serial.weigh(); break;
        case 2: {
            const auto n_loops = static_cast<int32_t>(pick(random, 1, depth));
            loops.chain(n_loops), serial.chain(n_loops);
            break;
        }
        default: loops.add(style, narrow), serial.add();
        }
        if (pick(random, 0, 3) == 0) loops.check(seed, serial);
    }
    loops.check(seed, serial);
}

template <class Run>
void for_maps(Rank &rank, uint64_t seed, int32_t depth, Run &&run) {
    Random random(seed);
    Model model = random_model(random, rank.size);
    model.depth = depth;
    const Brought brought(model, rank.rank, seed);
    halo_mesh *made = nullptr;
    OK(halo_mesh_create(rank.context, &brought.desc, &made));
    std::vector<Local> locals;
    for (size_t s = 0; s < model.sets.size(); ++s) locals.emplace_back(made, s);
    for (size_t m = 0; m < model.maps.size(); ++m) {
        Loops loops(rank, made, model.maps[m], m, locals[model.maps[m].from], locals[model.maps[m].to]);
        Serial serial(model, m);
        run(random, loops, serial);
    }
    OK(halo_mesh_destroy(&made));
}

class MeshBatches : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, MeshBatches, testing::ValuesIn(conformance::rank_counts()));

TEST_P(MeshBatches, EqualSerialLoops) {
    const auto n_cases = static_cast<uint64_t>(conformance::number_from("MESH_CASES", 60));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = 1; seed <= n_cases; ++seed)
            for (const int32_t depth : { 1, 2, 3 })
                for_maps(rank, seed, depth, [&](Random &random, Loops &loops, Serial &serial) { run_steps(seed, random, loops, serial, depth); });
    });
}

TEST_P(MeshBatches, ChainsOfLoopsTakeOneExchange) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        for (uint64_t seed = 1; seed <= 8; ++seed)
            for_maps(rank, seed, 3, [&](Random &, Loops &loops, Serial &serial) {
                const int64_t before = loops.stats("u").started;
                for (int step = 0; step < 3; ++step) loops.chain(2), serial.chain(2);
                if (loops.stats("u").started != before + 3)
                    stop("three chains took %lld exchanges", static_cast<long long>(loops.stats("u").started - before));
                loops.check(seed, serial);
            });
    });
}

} // namespace
