// SPDX-License-Identifier: BSD-3-Clause
// Calls from inside functions that the library calls back: what each may do works, everything else is HALO_ERR_STATE and does no harm.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "halo_access.h"

namespace {

constexpr int64_t n_cells = 4;

// What a callback does to the world, and whether it may.
using Body = std::function<void()>;

// One rank: a ring of three blocks, a sparse field without storage on block 1, and an exchange whose arrivals are told; a dense field that is
// summed by a function; a channel from this rank to itself, in a group. Memory comes from an
// allocator.
struct World {
    static constexpr int n_blocks = 3;
    halo_context *context = nullptr;
    halo_topology *ring = nullptr;
    halo_field *sparse = nullptr;
    halo_field *dense = nullptr;
    halo_exchange *arriving = nullptr;
    halo_exchange *summing = nullptr;
    halo_reduction *reduction = nullptr;
    halo_channel *channel = nullptr;
    halo_group *group = nullptr;
    Body in_arrival, in_combine, in_allocate;
    int n_called = 0;

    World() {
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        const halo_setting own_memory = { "shared_memory", "no" };
        options.settings = &own_memory;
        options.n_settings = 1;
        halo_allocator allocator{};
        allocator.memory = HALO_MEMORY_HOST;
        allocator.user = this;
        allocator.allocate = [](void *self, size_t bytes) -> void * {
            static_cast<World *>(self)->call(&World::in_allocate);
            return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
        };
        allocator.release = [](void *self, void *pointer, size_t) {
            static_cast<World *>(self)->call(&World::in_allocate);
            std::free(pointer);
        };
        options.allocators = &allocator;
        options.n_allocators = 1;
        EXPECT_EQ(halo_context_create(&options, &context), HALO_SUCCESS) << halo_last_error();
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1;
        blocks.n_blocks[0] = n_blocks;
        blocks.n_cells[0] = n_cells;
        blocks.periodic[0] = 1;
        EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &ring), HALO_SUCCESS);
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.ghost_low[0] = desc.ghost_high[0] = 1;
        desc.name = "dense";
        EXPECT_EQ(halo_field_create(ring, &desc, &dense), HALO_SUCCESS);
        EXPECT_EQ(halo_field_allocate(dense, -1), HALO_SUCCESS);
        desc.name = "sparse";
        desc.sparse = 1;
        EXPECT_EQ(halo_field_create(ring, &desc, &sparse), HALO_SUCCESS);
        make_exchanges();
        EXPECT_EQ(halo_reduction_create(context, 1, HALO_FLOAT64, HALO_SUM, &reduction), HALO_SUCCESS);
        halo_channel_key key{ 0, 0, 7, 0, 0 };
        halo_channel_desc end = HALO_CHANNEL_DESC_INIT;
        end.count = 1;
        EXPECT_EQ(halo_channel_register(context, &key, &end, &channel), HALO_SUCCESS) << halo_last_error();
        halo_group_desc per_channel = HALO_GROUP_DESC_INIT;
        per_channel.messages = HALO_MESSAGES_PER_CHANNEL;
        EXPECT_EQ(halo_group_create(context, &channel, 1, &per_channel, &group), HALO_SUCCESS) << halo_last_error();
    }
    ~World() {
        in_arrival = in_combine = in_allocate = nullptr;
        EXPECT_EQ(halo_group_destroy(&group), HALO_SUCCESS);
        EXPECT_EQ(halo_channel_destroy(&channel), HALO_SUCCESS);
        EXPECT_EQ(halo_reduction_destroy(&reduction), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_destroy(&arriving), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_destroy(&summing), HALO_SUCCESS);
        EXPECT_EQ(halo_field_destroy(&sparse), HALO_SUCCESS);
        EXPECT_EQ(halo_field_destroy(&dense), HALO_SUCCESS);
        EXPECT_EQ(halo_topology_destroy(&ring), HALO_SUCCESS);
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    void call(Body World::*body) {
        if (!(this->*body)) return;
        ++n_called;
        (this->*body)();
    }
    void make_exchanges() {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.arrival = [](void *self, const halo_arrival *arrival) {
            auto *world = static_cast<World *>(self);
            world->call(&World::in_arrival);
            return halo_field_allocate(arrival->field, arrival->gid);
        };
        desc.arrival_user = this;
        EXPECT_EQ(halo_exchange_create(&sparse, 1, &desc, &arriving), HALO_SUCCESS) << halo_last_error();
        desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = HALO_KIND_REVERSE;
        desc.op = HALO_USER;
        desc.combine = [](void *self, void *values, const void *contributions, int64_t n, halo_type, int64_t) {
            static_cast<World *>(self)->call(&World::in_combine);
            for (int64_t i = 0; i < n; ++i) static_cast<double *>(values)[i] += static_cast<const double *>(contributions)[i];
        };
        desc.combine_user = this;
        EXPECT_EQ(halo_exchange_create(&dense, 1, &desc, &summing), HALO_SUCCESS) << halo_last_error();
    }

    double *data(halo_field *field, int64_t gid) const {
        void *data = nullptr;
        EXPECT_EQ(halo_field_data(field, gid, 0, &data), HALO_SUCCESS);
        return static_cast<double *>(data);
    }
    // Data arrive in block 1, which gets storage in the callback.
    void run_arriving() {
        halo_binding nothing = HALO_BINDING_INIT;
        EXPECT_EQ(halo_field_bind(sparse, 1, &nothing), HALO_SUCCESS) << halo_last_error();
        for (const int64_t gid : { 0, 2 }) {
            if (!data(sparse, gid)) {
                EXPECT_EQ(halo_field_allocate(sparse, gid), HALO_SUCCESS);
            }
            for (int64_t x = 1; x <= n_cells; ++x) data(sparse, gid)[x] = static_cast<double>(10 * gid + x);
        }
        ASSERT_EQ(halo_exchange_start(arriving, nullptr, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
        ASSERT_EQ(halo_exchange_finish(arriving, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
        ASSERT_NE(data(sparse, 1), nullptr);
        EXPECT_EQ(data(sparse, 1)[0], n_cells);
        EXPECT_EQ(data(sparse, 1)[n_cells + 1], 21);
    }
    // Each ghost's 1 is added to the cell that it is a ghost of.
    void run_summing() {
        for (int64_t gid = 0; gid < n_blocks; ++gid)
            for (int64_t x = 0; x <= n_cells + 1; ++x) data(dense, gid)[x] = 1;
        ASSERT_EQ(halo_exchange_start(summing, nullptr, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
        ASSERT_EQ(halo_exchange_finish(summing, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
        for (int64_t gid = 0; gid < n_blocks; ++gid)
            for (int64_t x = 1; x <= n_cells; ++x) EXPECT_EQ(data(dense, gid)[x], x == 1 || x == n_cells ? 2 : 1);
    }
};

struct Case {
    const char *name;
    std::function<halo_status(World &)> call;
};

// Everything that changes anything. None of it may happen in the middle of another call.
const Case refused[] = {
    { "halo_context_destroy", [](World &w) { return halo_context_destroy(&w.context); } },
    { "halo_context_set", [](World &w) { return halo_context_set(w.context, "log_level", "warn"); } },
    { "halo_context_trim", [](World &w) { return halo_context_trim(w.context); } },
    { "halo_progress", [](World &w) { return halo_progress(w.context); } },
    { "halo_barrier", [](World &w) { return halo_barrier(w.context); } },
    { "halo_allreduce",
      [](World &w) {
          double value = 1;
          return halo_allreduce(w.context, &value, &value, 1, HALO_FLOAT64, HALO_SUM);
      } },
    { "halo_memory_release",
      [](World &w) {
          void *nothing = nullptr;
          return halo_memory_release(w.context, &nothing);
      } },
    { "halo_topology_create_blocks",
      [](World &w) {
          halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
          halo_topology *topology = nullptr;
          return halo_topology_create_blocks(w.context, &desc, &topology);
      } },
    { "halo_topology_edit_keys",
      [](World &w) {
          halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
          halo_topology *topology = nullptr;
          return halo_topology_edit_keys(w.ring, &edit, &topology);
      } },
    { "halo_topology_destroy", [](World &w) { return halo_topology_destroy(&w.ring); } },
    { "halo_topology_set_sections", [](World &w) { return halo_topology_set_sections(w.ring, nullptr, 0); } },
    { "halo_field_create",
      [](World &w) {
          halo_field_desc desc = HALO_FIELD_DESC_INIT;
          halo_field *field = nullptr;
          return halo_field_create(w.ring, &desc, &field);
      } },
    { "halo_field_destroy", [](World &w) { return halo_field_destroy(&w.dense); } },
    { "halo_field_map_points", [](World &w) { return halo_field_map_points(w.dense, 0, nullptr, 0); } },
    { "halo_exchange_create",
      [](World &w) {
          halo_exchange *exchange = nullptr;
          return halo_exchange_create(&w.dense, 1, nullptr, &exchange);
      } },
    { "halo_exchange_create_transfer",
      [](World &w) {
          halo_exchange *exchange = nullptr;
          return halo_exchange_create_transfer(&w.dense, &w.sparse, 1, nullptr, &exchange);
      } },
    { "halo_exchange_destroy", [](World &w) { return halo_exchange_destroy(&w.arriving); } },
    { "halo_exchange_start", [](World &w) { return halo_exchange_start(w.summing, nullptr, HALO_STREAM_NONE); } },
    { "halo_exchange_finish", [](World &w) { return halo_exchange_finish(w.arriving, HALO_STREAM_NONE); } },
    { "halo_exchange_post", [](World &w) { return halo_exchange_post(w.summing, nullptr); } },
    { "halo_exchange_send", [](World &w) { return halo_exchange_send(w.summing, HALO_STREAM_NONE); } },
    { "halo_exchange_test",
      [](World &w) {
          int32_t done = 0;
          return halo_exchange_test(w.arriving, &done);
      } },
    { "halo_exchange_unpack", [](World &w) { return halo_exchange_unpack(w.arriving, HALO_STREAM_NONE); } },
    { "halo_exchange_refine", [](World &w) { return halo_exchange_refine(w.arriving, HALO_STREAM_NONE); } },
    { "halo_exchange_abandon", [](World &w) { return halo_exchange_abandon(w.arriving); } },
    { "halo_exchange_arrivals",
      [](World &w) {
          int64_t n = 0;
          return halo_exchange_arrivals(w.arriving, nullptr, 0, &n);
      } },
    { "halo_channel_register",
      [](World &w) {
          halo_channel_key key{ 0, 0, 8, 0, 0 };
          halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
          halo_channel *channel = nullptr;
          return halo_channel_register(w.context, &key, &desc, &channel);
      } },
    { "halo_channel_destroy", [](World &w) { return halo_channel_destroy(&w.channel); } },
    { "halo_channel_abandon", [](World &w) { return halo_channel_abandon(w.channel); } },
    { "halo_channel_send", [](World &w) { return halo_channel_send(w.channel, HALO_STREAM_NONE); } },
    { "halo_group_create",
      [](World &w) {
          halo_group *group = nullptr;
          return halo_group_create(w.context, nullptr, 0, nullptr, &group);
      } },
    { "halo_group_destroy", [](World &w) { return halo_group_destroy(&w.group); } },
    { "halo_group_abandon", [](World &w) { return halo_group_abandon(w.group); } },
    { "halo_reduction_create",
      [](World &w) {
          halo_reduction *reduction = nullptr;
          return halo_reduction_create(w.context, 1, HALO_FLOAT64, HALO_SUM, &reduction);
      } },
    { "halo_reduction_begin",
      [](World &w) {
          double value = 1;
          return halo_reduction_begin(w.reduction, &value);
      } },
    { "halo_reduction_destroy", [](World &w) { return halo_reduction_destroy(&w.reduction); } },
    { "halo_access_begin",
      [](World &w) {
          halo_batch *batch = nullptr;
          return halo_access_begin(w.context, nullptr, 0, sizeof(halo_access), 0, HALO_ON_HOST, HALO_STREAM_NONE, &batch);
      } },
    { "halo_access_mark_dirty", [](World &w) { return halo_access_mark_dirty(w.dense, 0, HALO_ON_HOST); } },
};

// What only reads.
const Case allowed[] = {
    { "halo_context_rank",
      [](World &w) {
          int32_t rank = -1;
          return halo_context_rank(w.context, &rank, nullptr);
      } },
    { "halo_context_setting",
      [](World &w) {
          const char *value = nullptr;
          return halo_context_setting(w.context, "timeout", &value, nullptr);
      } },
    { "halo_context_pool_stats",
      [](World &w) {
          halo_pool_stats stats = HALO_POOL_STATS_INIT;
          return halo_context_pool_stats(w.context, HALO_MEMORY_HOST, &stats);
      } },
    { "halo_topology_local_parts",
      [](World &w) {
          int64_t n = 0;
          return halo_topology_local_parts(w.ring, nullptr, &n);
      } },
    { "halo_topology_part",
      [](World &w) {
          halo_part part = HALO_PART_INIT;
          return halo_topology_part(w.ring, 0, &part);
      } },
    { "halo_field_layout",
      [](World &w) {
          halo_layout layout = HALO_LAYOUT_INIT;
          return halo_field_layout(w.dense, 0, &layout);
      } },
    { "halo_field_data",
      [](World &w) {
          void *data = nullptr;
          return halo_field_data(w.dense, 0, 0, &data);
      } },
    { "halo_exchange_stats_get",
      [](World &w) {
          halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
          return halo_exchange_stats_get(w.arriving, &stats);
      } },
    { "halo_channel_buffer",
      [](World &w) {
          halo_buffer buffer = HALO_BUFFER_INIT;
          return halo_channel_buffer(w.channel, &buffer);
      } },
};

void expect_rules(World &world, const char *callback) {
    for (const Case &one : refused) {
        EXPECT_EQ(one.call(world), HALO_ERR_STATE) << one.name << " inside " << callback << ": " << halo_last_error();
        EXPECT_NE(std::strstr(halo_last_error(), callback), nullptr) << one.name << ": " << halo_last_error();
    }
    for (const Case &one : allowed) EXPECT_EQ(one.call(world), HALO_SUCCESS) << one.name << " inside " << callback << ": " << halo_last_error();
}

TEST(Callbacks, AnArrivalMayReadAndBind) {
    World world;
    std::vector<double> other(n_cells + 2, -1.0);
    world.in_arrival = [&] {
        expect_rules(world, "'arrival'");
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = other.data();
        EXPECT_EQ(halo_field_bind(world.sparse, 0, &binding), HALO_BUSY) << "that part is in the run"; // it has storage
        void *memory = nullptr;
        EXPECT_EQ(halo_memory_allocate(world.context, HALO_MEMORY_HOST, 8, &memory), HALO_SUCCESS);
    };
    world.run_arriving();
    EXPECT_EQ(world.n_called, 1);
    world.in_arrival = nullptr;
    world.run_arriving();
    world.run_summing();
}

TEST(Callbacks, ACombinationMayRead) {
    World world;
    world.in_combine = [&] {
        expect_rules(world, "'combine'");
        EXPECT_EQ(halo_field_allocate(world.sparse, 1), HALO_ERR_STATE);
    };
    world.run_summing();
    EXPECT_GT(world.n_called, 0);
    world.in_combine = nullptr;
    world.run_summing();
    world.run_arriving();
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

// What is logged while a rank waits for another that comes late.
void log_from_inside(void *self, int32_t, const char *text) {
    auto *context = *static_cast<halo_context **>(self);
    if (!std::strstr(text, "waiting")) return;
    int32_t rank = -1;
    EXPECT_EQ(halo_context_rank(context, &rank, nullptr), HALO_SUCCESS);
    EXPECT_EQ(rank, 0);
    EXPECT_EQ(halo_barrier(context), HALO_ERR_STATE);
    EXPECT_NE(std::strstr(halo_last_error(), "'log'"), nullptr) << halo_last_error();
    EXPECT_EQ(halo_context_destroy(&context), HALO_ERR_STATE);
    *static_cast<halo_context **>(self) = nullptr; // noted
}

TEST(Callbacks, ALogMayRead) {
    halo_inproc *ranks = nullptr;
    ASSERT_EQ(halo_inproc_create(2, &ranks), HALO_SUCCESS);
    std::atomic<bool> logged = false;
    const auto body = [&](int32_t rank) {
        halo_context *context = nullptr, *seen_by_log = nullptr;
        const halo_setting impatient = { "warn_after", "1ms" };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.settings = &impatient;
        options.n_settings = rank == 0 ? 1 : 0;
        options.log = [](void *self, int32_t level, const char *text) {
            if (*static_cast<halo_context **>(self)) log_from_inside(self, level, text);
        };
        options.log_user = &seen_by_log;
        ASSERT_EQ(halo_context_create_inproc(ranks, rank, &options, &context), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_barrier(context), HALO_SUCCESS);
        seen_by_log = rank == 0 ? context : nullptr;
        if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_EQ(halo_barrier(context), HALO_SUCCESS);
        if (rank == 0) logged = seen_by_log == nullptr;
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    };
    std::thread other([&] { body(1); });
    body(0);
    other.join();
    EXPECT_TRUE(logged);
    EXPECT_EQ(halo_inproc_destroy(&ranks), HALO_SUCCESS);
}

} // namespace
