// SPDX-License-Identifier: BSD-3-Clause
// Batches over several binding sets of one field: old and new values that change places, both read at once, each as fresh as it is.
#include <gtest/gtest.h>

#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;

constexpr int64_t modulus = 1009;

// u in two sets on nodes, w on edges; by global number.
struct Serial {
    const Mesh &mesh;
    std::vector<int64_t> u[2], w;

    explicit Serial(const Mesh &given) : mesh(given), w(given.edges.size()) {
        for (auto &set : u) set.resize(static_cast<size_t>(given.n_nodes));
    }
    void add(int32_t from, int32_t to) {
        for (const auto &[a, b] : mesh.edges) {
            u[to][static_cast<size_t>(a)] += u[from][static_cast<size_t>(b)] % modulus;
            u[to][static_cast<size_t>(b)] += u[from][static_cast<size_t>(a)] % modulus;
        }
    }
    void step(int32_t from, int32_t to, int64_t number) {
        for (size_t i = 0; i < u[0].size(); ++i) u[to][i] = (u[from][i] + number * static_cast<int64_t>(i)) % modulus;
    }
    void compare() {
        for (size_t e = 0; e < w.size(); ++e) w[e] += u[0][static_cast<size_t>(mesh.edges[e][0])] - u[1][static_cast<size_t>(mesh.edges[e][1])];
    }
};

class TwoSets {
public:
    TwoSets(const Rank &rank, const Mesh &mesh) : world(rank, mesh), u(World::make_field(world.nodes, "u", 2)) {
        for (const int32_t set : { 0, 1 }) OK(halo_access_mark_fresh(u, set, HALO_ON_HOST)); // all zeros
    }
    ~TwoSets() { halo_field_destroy(&u); }
    TwoSets(const TwoSets &) = delete;
    TwoSets &operator=(const TwoSets &) = delete;

    void add(int32_t from, int32_t to, int32_t style, int32_t where) {
        world.over_edges({ via_map(u, HALO_READ, 0, from), via_map(u, HALO_INC, 0, to) }, style, where, [&](int64_t e) {
            const int64_t *old = world.data(u, where, from);
            int64_t *sum = world.data(u, where, to);
            const uint32_t a = end(e, 0), b = end(e, 1);
            sum[a] += old[b] % modulus;
            sum[b] += old[a] % modulus;
        });
    }
    void step(int32_t from, int32_t to, int64_t number, int32_t where) {
        world.over_nodes({ direct(u, HALO_READ, 0, from), direct(u, HALO_WRITE, 1, to) }, where, [&](int64_t i) {
            world.data(u, where, to)[i] = (world.data(u, where, from)[i] + number * world.local().nodes[static_cast<size_t>(i)]) % modulus;
        });
    }
    // Both sets' ghosts in one batch.
    void compare(int32_t style, int32_t where) {
        world.over_edges({ via_map(u, HALO_READ, 0, 1), direct(world.w, HALO_RW), via_map(u, HALO_READ, 0, 0) }, style, where, [&](int64_t e) {
            world.data(world.w, where)[e] += world.data(u, where, 0)[end(e, 0)] - world.data(u, where, 1)[end(e, 1)];
        });
    }
    void check(const Serial &serial, uint64_t seed) {
        world.touch({ via_map(u, HALO_READ, 0, 0), via_map(u, HALO_READ, 0, 1), via_map(world.w, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        for (const int32_t set : { 0, 1 })
            for (size_t i = 0; i < world.local().nodes.size(); ++i)
                expect("u", set, serial.u[set][static_cast<size_t>(world.local().nodes[i])], world.data(u, HALO_ON_HOST, set)[i], seed);
        for (size_t e = 0; e < world.local().edges.size(); ++e)
            expect("w", 0, serial.w[static_cast<size_t>(world.local().edges[e])], world.data(world.w, HALO_ON_HOST)[e], seed);
    }

    World world;
    halo_field *u;

private:
    uint32_t end(int64_t e, int which) const { return world.local().ends[static_cast<size_t>(2 * e + which)]; }
    static void expect(const char *name, int32_t set, int64_t wanted, int64_t got, uint64_t seed) {
        if (wanted != got)
            stop("seed %llu: %s, set %d: wanted %lld, got %lld", static_cast<unsigned long long>(seed), name, set, static_cast<long long>(wanted),
                 static_cast<long long>(got));
    }
};

void run_case(const Rank &rank, uint64_t seed, bool on_device) {
    Random random(seed);
    conformance::begin_case(seed);
    const Mesh mesh = random_mesh(random, rank.size);
    TwoSets sets(rank, mesh);
    Serial serial(mesh);
    for (int64_t number = 1; number <= 20; ++number) {
        const auto from = static_cast<int32_t>(pick(random, 0, 1)), to = 1 - from;
        const int32_t style = pick(random, 0, 1) ? HALO_STYLE_REDUNDANT : HALO_STYLE_REVERSE;
        const int32_t where = on_device && pick(random, 0, 1) ? HALO_ON_DEVICE : HALO_ON_HOST;
        switch (pick(random, 0, 2)) {
        case 0:
            sets.add(from, to, style, where);
            serial.add(from, to);
            break;
        case 1:
            sets.step(from, to, number, where);
            serial.step(from, to, number);
            break;
        default: sets.compare(style, where); serial.compare();
        }
    }
    sets.check(serial, seed);
}

void run_cases(int32_t n_ranks, bool on_device) {
    const int64_t n = conformance::number_from("ACCESS_CASES", 20);
    conformance::run(n_ranks, on_device ? with_device() : conformance::Settings{}, [&](Rank &rank) {
        for (int64_t i = 0; i < n; ++i) run_case(rank, static_cast<uint64_t>(int64_t{ 2000 } * rank.size + i), on_device);
    });
}

class Sets : public testing::TestWithParam<int32_t> {};

TEST_P(Sets, InTurnOnTheHostEqualSerial) { run_cases(GetParam(), false); }

TEST_P(Sets, InTurnOnHostAndDeviceEqualSerial) { run_cases(GetParam(), true); }

// Time steps that swap two sets: each step finds its old values stale, because they were written as the new ones of the step before.
TEST_P(Sets, AreFreshEachAlone) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        TwoSets sets(rank, ring(rank.size));
        const auto fresh = [&](int32_t set) { return sets.world.state(sets.u, set).freshness == HALO_FRESHNESS_VALID; };
        const auto read = [&](int32_t set) { sets.world.touch({ via_map(sets.u, HALO_READ, 0, set) }, HALO_STYLE_REVERSE, HALO_ON_HOST); };
        for (int32_t step = 0; step < 6; ++step) {
            const int32_t from = step % 2, to = 1 - from;
            read(from);
            if (!fresh(from)) stop("step %d: what was read is not fresh", step);
            sets.step(from, to, step, HALO_ON_HOST);
            if (!fresh(from) || fresh(to)) stop("step %d: set %d alone is to be stale", step, to);
        }
        const halo_access_stats stats = sets.world.stats("u");
        if (stats.started != 5 || stats.skipped != 1) // at first all was fresh
            stop("%lld exchanges, %lld found fresh", static_cast<long long>(stats.started), static_cast<long long>(stats.skipped));
        if (sets.world.state(sets.u, 0).version != 4 || sets.world.state(sets.u, 1).version != 4) stop("versions are counted by set");
    });
}

// What a batch does to one set leaves the other's storage alone, even where the library makes it.
TEST_P(Sets, GetTheirStorageEachAlone) {
    conformance::run(GetParam(), with_device(), [](Rank &rank) {
        const World world(rank, ring(rank.size));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u";
        desc.type = HALO_INT64;
        desc.n_sets = 2;
        halo_field *u = nullptr;
        OK(halo_field_create(world.nodes, &desc, &u));
        std::vector<int64_t> mine(world.local().nodes.size(), 7);
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = mine.data();
        OK(halo_field_bind(u, rank.rank, &binding));
        world.touch({ direct(u, HALO_WRITE, 1, 1) }, HALO_STYLE_REVERSE, HALO_ON_DEVICE);
        if (world.data(u, HALO_ON_HOST, 1)) stop("set 1 has host memory before it is needed");
        world.touch({ via_map(u, HALO_READ, 0, 0), direct(u, HALO_RW, 0, 1) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        if (world.data(u, HALO_ON_HOST, 0) != mine.data()) stop("set 0 has lost its storage");
        if (!world.data(u, HALO_ON_HOST, 1)) stop("set 1 has none");
        OK(halo_field_destroy(&u));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Sets, testing::ValuesIn(conformance::rank_counts()));

} // namespace
