// SPDX-License-Identifier: BSD-3-Clause
// Wrong descriptions, arrays and calls of particles: status and text of each, and that the object still works. Failures between ranks:
// tests/particles.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "halo_particles.h"

namespace {

// Two blocks of four cells in a row on one rank; a struct of a position and a number.
struct Row {
    struct One {
        double x;
        double value;
    };

    Row() {
        EXPECT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS);
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = 2, blocks.n_cells[0] = 4;
        EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &topology), HALO_SUCCESS);
        desc.column_bytes = &bytes, desc.position = &position, desc.vectors = &vector;
        arrays.n_parts = arrays.n_data = 2, arrays.counts = counts, arrays.data = data;
    }
    ~Row() {
        if (particles) destroy();
        EXPECT_EQ(halo_topology_destroy(&topology), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS) << halo_last_error();
    }
    Row(const Row &) = delete;
    Row &operator=(const Row &) = delete;

    void destroy() { EXPECT_EQ(halo_particles_destroy(&particles), HALO_SUCCESS) << halo_last_error(); }
    void make() { EXPECT_EQ(halo_particles_create(topology, &desc, &particles), HALO_SUCCESS) << halo_last_error(); }
    void run() {
        const One first[] = { { 4.5, 7 }, { 1, 8 } }, second[] = { { 2, 9 } };
        std::copy(first, first + 2, storage[0]);
        std::copy(second, second + 1, storage[1]);
        counts[0] = 2, counts[1] = 1;
        ASSERT_EQ(halo_particles_start(particles, &arrays), HALO_SUCCESS) << halo_last_error();
        counts[0] = counts[1] = 4;
        ASSERT_EQ(halo_particles_finish(particles, &arrays), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(storage[0][0].value, 8);
        EXPECT_EQ(storage[1][0].value, 9);
        EXPECT_EQ(storage[1][1].value, 7);
        EXPECT_EQ(storage[1][1].x, 0.5);
        counts[0] = 2, counts[1] = 1;
        std::copy(first, first + 2, storage[0]);
    }

    halo_context *context = nullptr;
    halo_topology *topology = nullptr;
    halo_particles *particles = nullptr;
    int64_t bytes = sizeof(One);
    halo_particle_vector position{ { 0, 0, 0 }, 0, { 0, 0, 0 } }, vector{ { 0, 0, 0 }, 0, { 8, 0, 0 } };
    halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
    One storage[2][4] = {};
    void *data[2] = { storage[0], storage[1] };
    int64_t counts[2] = { 0, 0 };
    halo_particles_arrays arrays = HALO_PARTICLES_ARRAYS_INIT;
};

struct Misuse {
    const char *name;
    halo_status status;
    const char *text;
    std::function<void(Row &)> change;
};

std::string name_of(const testing::TestParamInfo<Misuse> &info) { return info.param.name; }

void expect(halo_status status, const Misuse &misuse) {
    EXPECT_EQ(status, misuse.status) << halo_last_error();
    EXPECT_NE(std::string(halo_last_error()).find(misuse.text), std::string::npos) << halo_last_error();
}

class Descriptions : public testing::TestWithParam<Misuse> {};

TEST_P(Descriptions, AreRefused) {
    Row row;
    const halo_particles_desc right = row.desc;
    const halo_particle_vector position = row.position, vector = row.vector;
    GetParam().change(row);
    expect(halo_particles_create(row.topology, &row.desc, &row.particles), GetParam());
    EXPECT_EQ(row.particles, nullptr);
    row.desc = right, row.position = position, row.vector = vector, row.bytes = sizeof(Row::One);
    row.make();
    row.run();
}

INSTANTIATE_TEST_SUITE_P(
    Particles, Descriptions,
    testing::Values(Misuse{ "no_columns", HALO_ERR_ARGUMENT, "particles: 0 columns", [](Row &r) { r.desc.n_columns = 0; } },
                    Misuse{ "too_many_columns", HALO_ERR_LIMIT, "n_columns 1025 exceeds 1024", [](Row &r) { r.desc.n_columns = 1025; } },
                    Misuse{ "no_list_of_bytes", HALO_ERR_ARGUMENT, "column_bytes is NULL", [](Row &r) { r.desc.column_bytes = nullptr; } },
                    Misuse{ "an_empty_column", HALO_ERR_ARGUMENT, "an element of column 0 has 0 bytes", [](Row &r) { r.bytes = 0; } },
                    Misuse{ "too_many_bytes", HALO_ERR_LIMIT, "the bytes of a particle exceeds", [](Row &r) { r.bytes = (1 << 20) + 1; } },
                    Misuse{ "a_position_in_no_column", HALO_ERR_ARGUMENT, "the position along direction 0 is in column 1; there are columns 0 to 0",
                            [](Row &r) { r.position.column[0] = 1; } },
                    Misuse{ "a_position_beyond_its_column", HALO_ERR_ARGUMENT, "begins at byte 9 of column 0, whose elements have 16",
                            [](Row &r) { r.position.offset[0] = 9; } },
                    Misuse{ "a_position_before_its_column", HALO_ERR_ARGUMENT, "begins at byte -8", [](Row &r) { r.position.offset[0] = -8; } },
                    Misuse{ "a_vector_in_no_column", HALO_ERR_ARGUMENT, "vector 0 along direction 0 is in column -1",
                            [](Row &r) { r.desc.n_vectors = 1, r.vector.column[0] = -1; } },
                    Misuse{ "vectors_without_a_position", HALO_ERR_ARGUMENT, "1 vectors without a position",
                            [](Row &r) { r.desc.n_vectors = 1, r.desc.position = nullptr; } },
                    Misuse{ "less_than_no_vectors", HALO_ERR_ARGUMENT, "particles: -1 vectors", [](Row &r) { r.desc.n_vectors = -1; } },
                    Misuse{ "too_many_vectors", HALO_ERR_LIMIT, "n_vectors 1025 exceeds 1024", [](Row &r) { r.desc.n_vectors = 1025; } },
                    Misuse{ "no_list_of_vectors", HALO_ERR_ARGUMENT, "1 vectors, and vectors is NULL",
                            [](Row &r) { r.desc.n_vectors = 1, r.desc.vectors = nullptr; } },
                    Misuse{ "a_time_limit_below_none", HALO_ERR_ARGUMENT, "particles: timeout_seconds -3",
                            [](Row &r) { r.desc.timeout_seconds = -3; } }),
    name_of);

class Starts : public testing::TestWithParam<Misuse> {};

TEST_P(Starts, AreRefused) {
    Row row;
    row.make();
    row.run();
    const halo_particles_arrays right = row.arrays;
    GetParam().change(row);
    expect(halo_particles_start(row.particles, &row.arrays), GetParam());
    row.arrays = right, row.data[0] = row.storage[0];
    row.run();
}

const int64_t *const no_targets[2] = { nullptr, nullptr };

INSTANTIATE_TEST_SUITE_P(
    Particles, Starts,
    testing::Values(
        Misuse{ "of_too_few_parts", HALO_ERR_ARGUMENT, "arrays of 1 parts; this rank has 2", [](Row &r) { r.arrays.n_parts = 1; } },
        Misuse{ "of_too_few_arrays", HALO_ERR_ARGUMENT, "n_data is 1; 2 parts of 1 columns have 2 arrays", [](Row &r) { r.arrays.n_data = 1; } },
        Misuse{ "without_counts", HALO_ERR_ARGUMENT, "argument 'counts' is NULL", [](Row &r) { r.arrays.counts = nullptr; } },
        Misuse{ "without_data", HALO_ERR_ARGUMENT, "argument 'data' is NULL", [](Row &r) { r.arrays.data = nullptr; } },
        Misuse{ "of_less_than_none", HALO_ERR_ARGUMENT, "part 1 has -1 of them", [](Row &r) { r.counts[1] = -1; } },
        Misuse{ "without_an_array", HALO_ERR_ARGUMENT, "the array of part 0, column 0, is NULL", [](Row &r) { r.data[0] = nullptr; } },
        Misuse{ "with_targets_besides", HALO_ERR_ARGUMENT, "targets are given, and positions tell them",
                [](Row &r) { r.arrays.targets = no_targets; } },
        Misuse{ "with_a_position_that_is_no_number", HALO_ERR_ARGUMENT, "part 0, particle 1: its position along direction 0 is nan",
                [](Row &r) { r.storage[0][1].x = std::nan(""); } },
        Misuse{ "with_an_endless_position", HALO_ERR_ARGUMENT, "part 0, particle 1: its position along direction 0 is -inf",
                [](Row &r) { r.storage[0][1].x = -std::numeric_limits<double>::infinity(); } },
        Misuse{ "with_a_position_too_far", HALO_ERR_ARGUMENT, "its position along direction 0 is 1e+16", [](Row &r) { r.storage[0][1].x = 1e16; } }),
    name_of);

TEST(Particles, TargetsThatAreNoPart) {
    Row row;
    row.desc.position = nullptr;
    row.make();
    row.counts[0] = 2;
    const int64_t goes[] = { 0, 2 }, stays[] = { 0, 1 };
    const int64_t *targets[] = { goes, nullptr };
    EXPECT_EQ(halo_particles_start(row.particles, &row.arrays), HALO_ERR_ARGUMENT);
    EXPECT_NE(std::string(halo_last_error()).find("argument 'targets' is NULL"), std::string::npos) << halo_last_error();
    row.arrays.targets = targets;
    EXPECT_EQ(halo_particles_start(row.particles, &row.arrays), HALO_ERR_NOT_FOUND);
    EXPECT_NE(std::string(halo_last_error()).find("part 0, particle 1 goes to part 2: part 2 does not exist"), std::string::npos)
        << halo_last_error();
    targets[0] = nullptr;
    EXPECT_EQ(halo_particles_start(row.particles, &row.arrays), HALO_ERR_ARGUMENT);
    EXPECT_NE(std::string(halo_last_error()).find("the targets of part 0 are NULL"), std::string::npos) << halo_last_error();
    targets[0] = stays;
    EXPECT_EQ(halo_particles_start(row.particles, &row.arrays), HALO_SUCCESS) << halo_last_error();
    row.counts[0] = row.counts[1] = 4;
    EXPECT_EQ(halo_particles_finish(row.particles, &row.arrays), HALO_SUCCESS) << halo_last_error();
}

TEST(Particles, CallsOutOfOrder) {
    Row row;
    row.make();
    int32_t done = 0;
    int64_t counts[2] = {}, n = 0;
    const auto refused = [&](halo_status status, const char *text) {
        EXPECT_EQ(status, HALO_ERR_STATE);
        EXPECT_NE(std::string(halo_last_error()).find(text), std::string::npos) << halo_last_error();
    };
    refused(halo_particles_test(row.particles, &done), "no run is in flight");
    refused(halo_particles_counts(row.particles, counts, 2, &n), "counts or finish is illegal now: no run is in flight");
    refused(halo_particles_finish(row.particles, &row.arrays), "no run is in flight");
    refused(halo_particles_abandon(row.particles), "nothing is in flight to be abandoned");
    EXPECT_EQ(halo_particles_start(row.particles, &row.arrays), HALO_SUCCESS);
    refused(halo_particles_start(row.particles, &row.arrays), "start is illegal now: a run is in flight");
    EXPECT_EQ(halo_particles_destroy(&row.particles), HALO_BUSY);
    EXPECT_EQ(halo_topology_destroy(&row.topology), HALO_BUSY);
    EXPECT_NE(std::string(halo_last_error()).find("particles on it still exist: particles"), std::string::npos) << halo_last_error();
    EXPECT_EQ(halo_particles_counts(row.particles, counts, 1, &n), HALO_ERR_LIMIT);
    row.counts[0] = row.counts[1] = 4;
    EXPECT_EQ(halo_particles_finish(row.particles, &row.arrays), HALO_SUCCESS) << halo_last_error();
    row.run();
    row.counts[0] = row.counts[1] = 0;
    EXPECT_EQ(halo_particles_start(row.particles, &row.arrays), HALO_SUCCESS);
    EXPECT_EQ(halo_particles_abandon(row.particles), HALO_SUCCESS);
    refused(halo_particles_start(row.particles, &row.arrays), "have failed: they can only be destroyed: run 3 has been abandoned");
    EXPECT_EQ(halo_particles_abandon(row.particles), HALO_SUCCESS);
}

TEST(Particles, PositionsOnPoints) {
    Row row;
    const uint64_t key = 1;
    halo_keys_desc keys = HALO_KEYS_DESC_INIT;
    keys.n_keys = 1, keys.keys = &key;
    halo_topology *points = nullptr;
    ASSERT_EQ(halo_topology_create_keys(row.context, &keys, &points), HALO_SUCCESS);
    halo_particles *made = nullptr;
    EXPECT_EQ(halo_particles_create(points, &row.desc, &made), HALO_ERR_ARGUMENT);
    EXPECT_NE(std::string(halo_last_error()).find("does not know which part has a position"), std::string::npos) << halo_last_error();
    row.desc.position = nullptr;
    EXPECT_EQ(halo_particles_create(points, &row.desc, &made), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_particles_destroy(&made), HALO_SUCCESS);
    EXPECT_EQ(halo_topology_destroy(&points), HALO_SUCCESS);
}

} // namespace
