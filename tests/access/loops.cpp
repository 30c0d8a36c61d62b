// SPDX-License-Identifier: BSD-3-Clause
// Random sequences of loops over random meshes, in both styles, on the host and on a device, against the same loops in one place.
#include <gtest/gtest.h>

#include <algorithm>

#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;

constexpr int n_loops = 10;

// All values, by global number.
struct Serial {
    const Mesh &mesh;
    std::vector<int64_t> x, res, low, high, w;

    explicit Serial(const Mesh &given) : mesh(given) {
        const auto n = static_cast<size_t>(mesh.n_nodes);
        for (auto *list : { &x, &res, &low, &high }) list->resize(n);
        w.resize(mesh.edges.size());
    }
    void run(int loop, int64_t step);
};

// What the loops compute; whole numbers, so that no order shows.
int64_t first_x(int64_t node, int64_t step) { return (node * 37 + step * 11) % 101 - 50; }
int64_t first_w(int64_t edge) { return edge % 7 - 3; }
int64_t next_x(int64_t x, int64_t res) { return (3 * x + res) % 1009; }
int64_t next_w(int64_t w, int64_t a, int64_t b) { return (w + a - b) % 13; }

void Serial::run(int loop, int64_t step) {
    const auto for_edges = [&](auto &&body) {
        for (size_t e = 0; e < mesh.edges.size(); ++e) body(e, static_cast<size_t>(mesh.edges[e][0]), static_cast<size_t>(mesh.edges[e][1]));
    };
    const size_t n = x.size();
    switch (loop) {
    case 0: return std::fill(res.begin(), res.end(), step);
    case 1:
        return for_edges([&](size_t e, size_t a, size_t b) {
            const int64_t flux = w[e] * (x[b] - x[a]);
            res[a] += flux;
            res[b] -= flux;
        });
    case 2:
        for (size_t i = 0; i < n; ++i) x[i] = next_x(x[i], res[i]);
        return;
    case 3:
        return for_edges([&](size_t, size_t a, size_t b) {
            low[a] = std::min(low[a], x[b]);
            low[b] = std::min(low[b], x[a]);
            high[a] = std::max(high[a], x[b]);
            high[b] = std::max(high[b], x[a]);
        });
    case 4: return for_edges([&](size_t e, size_t a, size_t b) { w[e] = next_w(w[e], x[a], x[b]); });
    case 5:
        low = x;
        high = x;
        return;
    case 6:
        for (size_t i = 0; i < n; i += 2) x[i] = first_x(static_cast<int64_t>(i), step);
        return;
    case 7:
        return for_edges([&](size_t e, size_t a, size_t b) {
            low[a] += w[e];
            low[b] -= w[e];
        });
    case 8:
        return for_edges([&](size_t, size_t a, size_t b) {
            res[a] = std::max(res[a], x[b]);
            res[b] = std::max(res[b], x[a]);
        });
    default:
        return for_edges([&](size_t, size_t a, size_t b) {
            for (const size_t i : { a, b }) high[i] = std::max(high[i], first_x(static_cast<int64_t>(i), step));
        });
    }
}

// Ghosts that count for nothing hold the least number after a maximum: what is added to them may wrap.
void add(int64_t &value, int64_t more) { value = static_cast<int64_t>(static_cast<uint64_t>(value) + static_cast<uint64_t>(more)); }

void run_loop(World &world, int loop, int64_t step, int32_t style, int32_t where, bool near_only, bool canonical) {
    const LocalMesh &local = world.local();
    const auto at = [&](const halo_field *field) { return world.data(field, where); };
    const auto node_of = [&](int64_t e, int which) { return local.ends[static_cast<size_t>(2 * e + which)]; };
    const uint32_t near = near_only && style == HALO_STYLE_REVERSE ? near_own_edges : 0;
    const auto adds_to = [&](halo_field *field, int32_t mode) {
        halo_access access = via_map(field, mode, near);
        if (canonical && style == HALO_STYLE_REVERSE) access.combine_order = HALO_COMBINE_CANONICAL;
        return access;
    };
    switch (loop) {
    case 0: return world.over_nodes({ direct(world.res, HALO_WRITE, 1) }, where, [&](int64_t i) { at(world.res)[i] = step; });
    case 1:
        return world.over_edges(
            { direct(world.w, HALO_READ), via_map(world.x, HALO_READ, near), adds_to(world.res, HALO_INC), adds_to(world.res, HALO_INC) }, style,
            where, [&](int64_t e) {
                const int64_t flux = at(world.w)[e] * (at(world.x)[node_of(e, 1)] - at(world.x)[node_of(e, 0)]);
                add(at(world.res)[node_of(e, 0)], flux);
                add(at(world.res)[node_of(e, 1)], -flux);
            });
    case 2:
        return world.over_nodes({ direct(world.res, HALO_READ), direct(world.x, HALO_RW) }, where,
                                [&](int64_t i) { at(world.x)[i] = next_x(at(world.x)[i], at(world.res)[i]); });
    case 3:
        return world.over_edges({ via_map(world.x, HALO_READ, near), adds_to(world.low, HALO_ACCESS_MIN), adds_to(world.high, HALO_ACCESS_MAX) },
                                style, where, [&](int64_t e) {
                                    for (int which = 0; which < 2; ++which) {
                                        const int64_t other = at(world.x)[node_of(e, 1 - which)];
                                        int64_t &low = at(world.low)[node_of(e, which)], &high = at(world.high)[node_of(e, which)];
                                        low = std::min(low, other);
                                        high = std::max(high, other);
                                    }
                                });
    case 4:
        return world.over_edges({ via_map(world.x, HALO_READ, near), direct(world.w, HALO_RW) }, style, where,
                                [&](int64_t e) { at(world.w)[e] = next_w(at(world.w)[e], at(world.x)[node_of(e, 0)], at(world.x)[node_of(e, 1)]); });
    case 5:
        return world.over_nodes({ direct(world.x, HALO_READ), direct(world.low, HALO_WRITE, 1), direct(world.high, HALO_WRITE, 1) }, where,
                                [&](int64_t i) { at(world.low)[i] = at(world.high)[i] = at(world.x)[i]; });
    case 6:
        return world.over_nodes({ direct(world.x, HALO_WRITE) }, where, [&](int64_t i) {
            if (local.nodes[static_cast<size_t>(i)] % 2 == 0) at(world.x)[i] = first_x(local.nodes[static_cast<size_t>(i)], step);
        });
    case 7: // another operation than that of loop 3; so is the next one, than that of loop 1
        return world.over_edges({ direct(world.w, HALO_READ), adds_to(world.low, HALO_INC) }, style, where, [&](int64_t e) {
            add(at(world.low)[node_of(e, 0)], at(world.w)[e]);
            add(at(world.low)[node_of(e, 1)], -at(world.w)[e]);
        });
    case 8:
        return world.over_edges({ via_map(world.x, HALO_READ, near), adds_to(world.res, HALO_ACCESS_MAX) }, style, where, [&](int64_t e) {
            for (int which = 0; which < 2; ++which) {
                int64_t &high = at(world.res)[node_of(e, which)];
                high = std::max(high, at(world.x)[node_of(e, 1 - which)]);
            }
        });
    default: // what several edges write is the same; owners see it only where all that touch their nodes are executed
        return world.over_edges({ via_map(world.high, HALO_RW) }, HALO_STYLE_REDUNDANT, where, [&](int64_t e) {
            for (int which = 0; which < 2; ++which) {
                int64_t &high = at(world.high)[node_of(e, which)];
                high = std::max(high, first_x(local.nodes[node_of(e, which)], step));
            }
        });
    }
}

void compare(const World &world, const halo_field *field, const char *name, const std::vector<int64_t> &numbers, const std::vector<int64_t> &wanted,
             int64_t n, uint64_t seed) {
    const int64_t *values = world.data(field, HALO_ON_HOST);
    for (int64_t i = 0; i < n; ++i) {
        const auto number = static_cast<size_t>(numbers[static_cast<size_t>(i)]);
        if (values[i] != wanted[number])
            stop("seed %llu: %s of %zu, local index %lld: wanted %lld, got %lld", static_cast<unsigned long long>(seed), name, number,
                 static_cast<long long>(i), static_cast<long long>(wanted[number]), static_cast<long long>(values[i]));
    }
}

// Own values; then ghosts too.
void check(World &world, const Serial &serial, uint64_t seed) {
    const LocalMesh &local = world.local();
    const auto &nodes = local.nodes;
    const int64_t own_edges = local.edge_sizes.n[0] + local.edge_sizes.n[1];
    world.touch({ direct(world.x, HALO_READ), direct(world.res, HALO_READ), direct(world.low, HALO_READ), direct(world.high, HALO_READ),
                  direct(world.w, HALO_READ) },
                HALO_STYLE_REVERSE, HALO_ON_HOST);
    compare(world, world.x, "x", nodes, serial.x, local.n_own_nodes, seed);
    compare(world, world.w, "w", local.edges, serial.w, own_edges, seed);
    world.touch({ via_map(world.x, HALO_READ), via_map(world.res, HALO_READ), via_map(world.low, HALO_READ), via_map(world.high, HALO_READ),
                  via_map(world.w, HALO_READ) },
                HALO_STYLE_REVERSE, HALO_ON_HOST);
    const auto n = static_cast<int64_t>(nodes.size());
    compare(world, world.x, "x", nodes, serial.x, n, seed);
    compare(world, world.res, "res", nodes, serial.res, n, seed);
    compare(world, world.low, "low", nodes, serial.low, n, seed);
    compare(world, world.high, "high", nodes, serial.high, n, seed);
    compare(world, world.w, "w", local.edges, serial.w, static_cast<int64_t>(local.edges.size()), seed);
}

void fill(World &world, Serial &serial) {
    const LocalMesh &local = world.local();
    for (size_t i = 0; i < serial.x.size(); ++i) serial.x[i] = first_x(static_cast<int64_t>(i), 0);
    for (size_t e = 0; e < serial.w.size(); ++e) serial.w[e] = first_w(static_cast<int64_t>(e));
    int64_t *x = world.data(world.x, HALO_ON_HOST);
    for (size_t i = 0; i < local.nodes.size(); ++i) x[i] = first_x(local.nodes[i], 0);
    for (size_t e = 0; e < local.edges.size(); ++e) world.data(world.w, HALO_ON_HOST)[e] = first_w(local.edges[e]);
    OK(halo_access_mark_fresh(world.x, 0, HALO_ON_HOST));
    OK(halo_access_mark_dirty(world.w, 0, HALO_ON_HOST));
}

void run_case(const Rank &rank, uint64_t seed, bool on_device) {
    Random random(seed);
    conformance::begin_case(seed);
    const Mesh mesh = random_mesh(random, rank.size);
    World world(rank, mesh);
    Serial serial(mesh);
    fill(world, serial);
    const int64_t n_steps = pick(random, 1, 25);
    for (int64_t step = 1; step <= n_steps; ++step) {
        const auto loop = static_cast<int>(pick(random, 0, n_loops - 1));
        const int32_t style = pick(random, 0, 1) ? HALO_STYLE_REDUNDANT : HALO_STYLE_REVERSE;
        const int32_t where = on_device && pick(random, 0, 1) ? HALO_ON_DEVICE : HALO_ON_HOST;
        world.sends = pick(random, 0, 1) != 0;
        const bool near_only = pick(random, 0, 1) != 0;
        run_loop(world, loop, step, style, where, near_only, pick(random, 0, 2) == 0);
        serial.run(loop, step);
        if (pick(random, 0, 5) == 0) check(world, serial, seed);
    }
    check(world, serial, seed);
}

class Loops : public testing::TestWithParam<int32_t> {};

void run_cases(int32_t n_ranks, bool on_device) {
    const int64_t n = conformance::number_from("ACCESS_CASES", 40);
    conformance::run(n_ranks, on_device ? with_device() : conformance::Settings{}, [&](Rank &rank) {
        for (int64_t i = 0; i < n; ++i) run_case(rank, static_cast<uint64_t>(int64_t{ 1000 } * rank.size + i), on_device);
    });
}

TEST_P(Loops, OnTheHostEqualSerial) { run_cases(GetParam(), false); }

TEST_P(Loops, OnHostAndDeviceInTurnEqualSerial) { run_cases(GetParam(), true); }

// Between others, so that these see what they have seen without them.
TEST_P(Loops, ThatUseNoFieldAreEmpty) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        for (const int32_t style : { HALO_STYLE_REDUNDANT, HALO_STYLE_REVERSE })
            for (int i = 0; i < 3; ++i) {
                halo_batch *batch = nullptr;
                int32_t needs_exec = 1;
                OK(halo_access_begin(rank.context, nullptr, 0, 0, style, HALO_ON_HOST, conformance::stream(), &batch));
                world.touch({ via_map(world.res, HALO_INC) }, HALO_STYLE_REVERSE, HALO_ON_HOST); // while it is open
                OK(halo_access_needs_exec(batch, &needs_exec));
                if (needs_exec) stop("nothing is written through a map");
                OK(halo_access_ready(batch));
                OK(halo_access_end(batch));
                if (world.state(world.res).pending != HALO_SUM) stop("an empty loop has finished what is pending");
                world.touch({ via_map(world.res, HALO_READ), direct(world.x, HALO_RW) }, style, HALO_ON_HOST);
            }
    });
}

// Each loop by an operation of its own: the one before is with the owners then.
TEST_P(Loops, AnotherOperationFinishesWhatIsPending) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const Mesh mesh = ring(rank.size);
        World world(rank, mesh);
        std::vector<int64_t> wanted(static_cast<size_t>(mesh.n_nodes));
        const auto loop = [&](int32_t mode, halo_op op, auto &&combine) {
            for (const auto &edge : mesh.edges)
                for (const int64_t node : edge) combine(wanted[static_cast<size_t>(node)], edge[0]);
            world.over_edges({ via_map(world.res, mode) }, HALO_STYLE_REVERSE, HALO_ON_HOST, [&](int64_t e) {
                const int64_t first = world.local().edges[static_cast<size_t>(e)];
                for (int64_t which = 0; which < 2; ++which)
                    combine(world.data(world.res, HALO_ON_HOST)[world.local().ends[static_cast<size_t>(2 * e + which)]], first);
            });
            if (world.state(world.res).pending != op) stop("pending is %d, not %d", world.state(world.res).pending, op);
        };
        loop(HALO_INC, HALO_SUM, [](int64_t &value, int64_t first) { value += 10 * first; });
        loop(HALO_ACCESS_MIN, HALO_MIN, [](int64_t &value, int64_t first) { value = std::min(value, 60 + first); });
        loop(HALO_ACCESS_MAX, HALO_MAX, [](int64_t &value, int64_t first) { value = std::max(value, 2 * first); });
        loop(HALO_INC, HALO_SUM, [](int64_t &value, int64_t first) { value -= first; });
        world.touch({ via_map(world.res, HALO_READ) }, HALO_STYLE_REVERSE, HALO_ON_HOST);
        compare(world, world.res, "res", world.local().nodes, wanted, static_cast<int64_t>(world.local().nodes.size()), 0);
        if (world.stats("res").reversed != 4) stop("%lld reverse exchanges, not 4", static_cast<long long>(world.stats("res").reversed));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Loops, testing::ValuesIn(conformance::rank_counts()));

} // namespace
