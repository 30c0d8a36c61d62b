// SPDX-License-Identifier: BSD-3-Clause
// Random particles on random topologies: none lost, none doubled, in the order that the serial model has, whatever the number of ranks.
#include <gtest/gtest.h>

#include "store.h"

namespace {

using namespace particles;
using conformance::Rank;

class Migrations : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Migrations, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

// One part of three stays, some leave, others go anywhere.
int64_t anywhere(uint64_t seed, int64_t n_parts, int64_t gid, const Particle &particle) {
    Random random(seed * 7919 + static_cast<uint64_t>(particle.id));
    const uint64_t dice = random() % 8;
    return dice < 3 ? gid : dice == 3 ? HALO_PARTICLE_LEAVES : static_cast<int64_t>(random() % static_cast<uint64_t>(n_parts));
}

// Two objects, whose runs are in flight together; each rank ends them in an order of its own.
void play(uint64_t number, const Rank &rank) {
    const World world(number, rank.size);
    Serial by_position(world, number), by_target(world, number + 1);
    halo_topology *topology = world.make(rank.context);
    {
        Store first(world, number % 2 == 0 ? Form::structs : Form::columns, topology), second(world, Form::targets, topology);
        second.fill(by_target);
        for (uint64_t step = 0; step < 5; ++step) {
            const uint64_t seed = number * 100 + step;
            const auto target = [&](int64_t gid, const Particle &particle) { return anywhere(seed, std::ssize(world.parts()), gid, particle); };
            by_position.jump(seed);
            first.fill(by_position);
            second.set_targets(by_target, target);
            OK(halo_particles_start(first.get(), first.arrays()));
            OK(halo_particles_start(second.get(), second.arrays()));
            for (int32_t done = 0; step % 2 == 1 && done == 0;) OK(halo_particles_test(second.get(), &done));
            first.finish();
            second.finish();
            by_position.migrate();
            by_target.migrate(target);
            first.check(by_position, number);
            second.check(by_target, number);
        }
    }
    OK(halo_topology_destroy(&topology));
}

TEST_P(Migrations, MoveWhatTheModelSays) {
    const auto begin = static_cast<uint64_t>(conformance::number_from("PARTICLES_FIRST", 0));
    const uint64_t end = begin + static_cast<uint64_t>(conformance::number_from("PARTICLES_CASES", 60));
    for (uint64_t number = begin; number < end; ++number) {
        conformance::run(GetParam(), {}, [&](Rank &rank) { play(number, rank); });
        if (HasFailure()) return;
    }
}

// Which ranks hear of whom is found in each of these ways.
TEST_P(Migrations, FarOnesByEveryDiscovery) {
    for (const char *way : { "alltoall", "reduce_scatter", "consensus" })
        for (const uint64_t number : { uint64_t{ 4 }, uint64_t{ 10 }, uint64_t{ 16 } }) {
            conformance::run(GetParam(), { { "discovery", way } }, [&](Rank &rank) { play(number, rank); });
            if (HasFailure()) return;
        }
}

// The cases would say little if nobody went far, left, or crossed turned joins.
TEST(Cases, HaveAllThatTheyShould) {
    int64_t n_left = 0, n_turned = 0, n_moved = 0, n_particles = 0, n_empty = 0;
    for (uint64_t number = 0; number < 60; ++number) {
        const World world(number, 1);
        Serial serial(world, number);
        n_empty += serial.n() == 0;
        serial.jump(number * 100);
        for (int64_t gid = 0; gid < std::ssize(world.parts()); ++gid)
            for (Particle particle : serial.part(gid)) {
                const int64_t to = world.moved(gid, particle);
                ++n_particles;
                n_left += to < 0;
                n_moved += to >= 0 && to != gid;
                if (to < 0) continue;
                const Part &from = world.parts()[static_cast<size_t>(gid)], &there = world.parts()[static_cast<size_t>(to)];
                n_turned += there.axis != from.axis || there.sign != from.sign;
            }
    }
    EXPECT_GT(n_particles, 3000);
    EXPECT_GT(n_moved, 1000);
    EXPECT_GT(n_left, 300);
    EXPECT_GT(n_turned, 10);
    EXPECT_GT(n_empty, 1);
}

} // namespace
