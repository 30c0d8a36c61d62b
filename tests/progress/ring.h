// SPDX-License-Identifier: BSD-3-Clause
// One of two ranks of this process, with a block each in a ring and two exchanges whose messages are larger than a transport keeps on its own: their
// sender is told when they have been taken.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "halo.h"

namespace progress {

class Ring {
public:
    static constexpr int32_t n_components = 4096;
    static constexpr int64_t n_cells = 2, n_points = n_cells + 2;

    Ring(halo_inproc *group, int32_t rank, const std::vector<halo_setting> &settings, const halo_context_options &given = HALO_CONTEXT_OPTIONS_INIT)
        : rank_(rank) {
        halo_context_options options = given;
        options.settings = settings.data();
        options.n_settings = static_cast<int32_t>(settings.size());
        EXPECT_EQ(halo_context_create_inproc(group, rank, &options, &context), HALO_SUCCESS) << halo_last_error();
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1;
        blocks.n_blocks[0] = 2;
        blocks.n_cells[0] = n_cells;
        blocks.periodic[0] = 1;
        EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &topology), HALO_SUCCESS) << halo_last_error();
        for (int i = 0; i < 2; ++i) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = i == 0 ? "u" : "v";
            desc.n_components = n_components;
            desc.ghost_low[0] = desc.ghost_high[0] = 1;
            EXPECT_EQ(halo_field_create(topology, &desc, &fields[i]), HALO_SUCCESS) << halo_last_error();
            values[i].resize(static_cast<size_t>(n_components * n_points));
            halo_binding binding = HALO_BINDING_INIT;
            binding.data = values[i].data();
            EXPECT_EQ(halo_field_bind(fields[i], rank, &binding), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(halo_exchange_create(&fields[i], 1, nullptr, &exchanges[i]), HALO_SUCCESS) << halo_last_error();
        }
    }
    ~Ring() { destroy(); }
    Ring(const Ring &) = delete;
    Ring &operator=(const Ring &) = delete;

    // What is under way is given up.
    void destroy() {
        if (!context) return;
        EXPECT_EQ(halo_context_destroy_with_all(&context), HALO_SUCCESS) << halo_last_error();
    }
    // Of exchange `i`.
    halo_status start(int i, int run) {
        for (int64_t c = 0; c < n_components; ++c)
            for (int64_t x = 1; x <= n_cells; ++x) at(i, c, x) = value(rank_, i, run);
        return halo_exchange_start(exchanges[i], nullptr, HALO_STREAM_NONE);
    }
    halo_status finish(int i) { return halo_exchange_finish(exchanges[i], HALO_STREAM_NONE); }
    // Are all ghosts those of the other rank?
    bool is_right(int i, int run) {
        for (int64_t c = 0; c < n_components; ++c)
            for (const int64_t x : { int64_t{ 0 }, n_cells + 1 })
                if (at(i, c, x) != value(1 - rank_, i, run)) return false;
        return true;
    }
    void run(int i, int run) {
        ASSERT_EQ(start(i, run), HALO_SUCCESS) << halo_last_error();
        ASSERT_EQ(finish(i), HALO_SUCCESS) << halo_last_error();
        ASSERT_TRUE(is_right(i, run)) << "run " << run;
    }

    halo_context *context = nullptr;
    halo_topology *topology = nullptr;
    halo_field *fields[2] = {};
    halo_exchange *exchanges[2] = {};
    std::vector<double> values[2];

private:
    double &at(int i, int64_t c, int64_t x) { return values[i][static_cast<size_t>(c * n_points + x)]; }
    static double value(int32_t rank, int i, int run) { return 1 + rank + 10 * i + 100 * run; }

    int32_t rank_;
};

inline void on_two_ranks(const std::function<void(halo_inproc *, int32_t)> &body) {
    halo_inproc *group = nullptr;
    ASSERT_EQ(halo_inproc_create(2, &group), HALO_SUCCESS);
    std::thread other([&] { body(group, 1); });
    body(group, 0);
    other.join();
    EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS) << halo_last_error();
}

} // namespace progress
