// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "halo_particles.hpp"

namespace {

struct Tracer {
    double x;
    int64_t id;
};

TEST(Classes, Particles) {
    const halo::Context context;
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 1, blocks.n_blocks[0] = 3, blocks.n_cells[0] = 4;
    const halo::Topology topology(context, blocks);
    const int64_t bytes = sizeof(Tracer);
    const halo_particle_vector position{ { 0, 0, 0 }, 0, { 0, 0, 0 } };
    halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
    desc.column_bytes = &bytes, desc.position = &position;
    halo::Particles tracers(topology, desc);
    std::vector<std::vector<Tracer>> parts{ { { 1, 0 }, { 4.5, 1 }, { 9, 2 } }, {}, { { 5, 3 }, { -0.5, 4 } } };
    tracers.start(std::span(parts));
    EXPECT_TRUE(tracers.test());
    EXPECT_EQ(tracers.counts(), (std::vector<int64_t>{ 1, 2, 1 }));
    ASSERT_EQ(tracers.left().size(), 1u);
    EXPECT_EQ(parts[2][static_cast<size_t>(tracers.left()[0].place)].id, 3);
    tracers.finish(std::span(parts));
    ASSERT_EQ(parts[1].size(), 2u);
    EXPECT_EQ(parts[1][0].id, 1);
    EXPECT_EQ(parts[1][0].x, 0.5);
    EXPECT_EQ(parts[1][1].id, 4);
    EXPECT_EQ(parts[1][1].x, 3.5);
    ASSERT_EQ(parts[2].size(), 1u);
    EXPECT_EQ(parts[2][0].id, 2);
    EXPECT_THROW(tracers.finish(std::span(parts)), halo::error);
    tracers.start(std::span(parts));
    tracers.abandon();
    EXPECT_THROW(tracers.start(std::span(parts)), halo::error);
}

TEST(Classes, ParticlesInFlightAreGivenUp) {
    const halo::Context context;
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 1, blocks.n_blocks[0] = 3, blocks.n_cells[0] = 4;
    halo::Topology topology(context, blocks);
    const int64_t bytes = sizeof(Tracer);
    const halo_particle_vector position{ { 0, 0, 0 }, 0, { 0, 0, 0 } };
    halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
    desc.column_bytes = &bytes, desc.position = &position;
    std::vector<std::vector<Tracer>> parts(3);
    {
        halo::Particles tracers(topology, desc);
        tracers.start(std::span(parts));
    }
    halo_topology *handle = topology.let_go();
    EXPECT_EQ(halo_topology_destroy(&handle), HALO_SUCCESS);
}

} // namespace
