// SPDX-License-Identifier: BSD-3-Clause
// Calls from inside functions that the library calls back: what each may do works, everything else is HALO_ERR_STATE and does no harm.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "callback_world.h"

namespace {

using namespace callbacks;

void expect_refused(World &world, const Call &one, const char *callback) {
    const World::Results before = world.results;
    EXPECT_EQ(one.call(world), HALO_ERR_STATE) << one.name << " inside " << callback << ": " << halo_last_error();
    EXPECT_NE(std::strstr(halo_last_error(), callback), nullptr) << one.name << ": " << halo_last_error();
    EXPECT_EQ(world.results, before) << one.name << " inside " << callback;
}

void expect_rules(World &world, const char *callback, bool may_bind = false) {
    const auto expect_works = [&](const Call &one) {
        EXPECT_EQ(one.call(world), HALO_SUCCESS) << one.name << " inside " << callback << ": " << halo_last_error();
    };
    for (const Call &one : refused()) expect_refused(world, one, callback);
    for (const Call &one : bound()) {
        if (may_bind)
            expect_works(one);
        else
            expect_refused(world, one, callback);
    }
    for (const Call &one : allowed()) expect_works(one);
}

TEST(Callbacks, AnArrivalMayReadAndBind) {
    World world;
    std::vector<double> other(n_cells + 2, -1.0);
    world.in_arrival = [&] {
        expect_rules(world, "'arrival'", true);
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = other.data();
        EXPECT_EQ(halo_field_bind(world.sparse, 0, &binding), HALO_BUSY) << "that part is in the run"; // it has storage
    };
    world.run_arriving();
    EXPECT_EQ(world.n_called, 1);
    world.in_arrival = nullptr;
    world.run_arriving();
    world.run_summing();
}

TEST(Callbacks, ACombinationMayRead) {
    World world;
    world.in_combine = [&] { expect_rules(world, "'combine'"); };
    world.run_summing();
    EXPECT_GT(world.n_called, 0);
    world.in_combine = nullptr;
    world.run_summing();
    world.run_arriving();
}

TEST(Callbacks, WhoIsAskedForOwnersMayRead) {
    World world;
    world.in_owner = [&] { expect_rules(world, "'owner_of'"); };
    world.make_graph();
    EXPECT_EQ(world.n_called, 1);
    world.in_owner = nullptr;
    world.make_graph();
    world.run_summing();
}

TEST(Callbacks, AnAllocatorMayRead) {
    World world;
    world.in_allocate = [&] { expect_rules(world, world.n_called % 2 == 1 ? "'allocate'" : "'release'"); };
    void *memory = nullptr;
    ASSERT_EQ(halo_memory_allocate(world.context, HALO_MEMORY_HOST, 1 << 20, &memory), HALO_SUCCESS);
    EXPECT_EQ(world.n_called, 1);
    ASSERT_EQ(halo_memory_release(world.context, &memory), HALO_SUCCESS);
    ASSERT_EQ(halo_context_trim(world.context), HALO_SUCCESS);
    EXPECT_GE(world.n_called, 2);
    world.in_allocate = nullptr;
    world.run_arriving();
    world.run_summing();
}

TEST(Callbacks, AChannelsAllocatorMayRead) {
    World world;
    world.in_channel = [&] { expect_rules(world, world.n_called % 2 == 1 ? "'allocate'" : "'release'"); };
    world.run_channel();
    EXPECT_EQ(world.n_called, 2);
    world.in_channel = nullptr;
    world.run_channel();
    world.run_summing();
}

// The channel is on its way out, and nothing else may be called.
TEST(Callbacks, AChannelsAllocatorMayNotCallWhileItsChannelGoes) {
    World world;
    halo_channel_desc end = HALO_CHANNEL_DESC_INIT;
    end.count = 1;
    end.buffer_kind = HALO_BUFFER_ALLOCATOR;
    const halo_channel_allocator memory = world.channel_memory();
    end.allocator = &memory;
    const halo_channel_key key{ 0, 0, 9, 0, 0 };
    halo_channel *channel = nullptr;
    ASSERT_EQ(halo_channel_register(world.context, &key, &end, &channel), HALO_SUCCESS) << halo_last_error();
    ASSERT_EQ(halo_channel_allocate(channel), HALO_SUCCESS) << halo_last_error();
    world.in_channel = [&] { expect_rules(world, "'release'"); };
    ASSERT_EQ(halo_channel_destroy(&channel), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(world.n_called, 1);
    world.in_channel = nullptr;
    world.run_channel();
}

// What is logged while a rank waits for another that comes late.
TEST(Callbacks, ALogMayRead) {
    halo_inproc *ranks = nullptr;
    ASSERT_EQ(halo_inproc_create(2, &ranks), HALO_SUCCESS);
    const auto body = [&](int32_t rank) {
        World world(ranks, rank);
        EXPECT_EQ(halo_context_barrier(world.context), HALO_SUCCESS);
        world.n_called = 0;
        world.in_log = [&] {
            if (world.n_called == 1) expect_rules(world, "'log'");
        };
        if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_EQ(halo_context_barrier(world.context), HALO_SUCCESS);
        EXPECT_GE(world.n_called, rank == 0 ? 1 : 0);
    };
    std::thread other([&] { body(1); });
    body(0);
    other.join();
    EXPECT_EQ(halo_inproc_destroy(&ranks), HALO_SUCCESS);
}

} // namespace
