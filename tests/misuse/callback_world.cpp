// SPDX-License-Identifier: BSD-3-Clause
#include "callback_world.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace callbacks {

namespace {

void *allocate(void *self, Body World::*body, size_t bytes) {
    static_cast<World *>(self)->call(body);
    return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
}

void release(void *self, Body World::*body, void *pointer) {
    static_cast<World *>(self)->call(body);
    std::free(pointer);
}

halo_allocator context_memory(World *world) {
    halo_allocator allocator{};
    allocator.memory = HALO_MEMORY_HOST;
    allocator.user = world;
    allocator.allocate = [](void *self, size_t bytes) { return allocate(self, &World::in_allocate, bytes); };
    allocator.release = [](void *self, void *pointer, size_t) { release(self, &World::in_allocate, pointer); };
    return allocator;
}

} // namespace

World::World(halo_inproc *ranks, int32_t rank) {
    make_context(ranks, rank);
    make_topologies();
    make_fields();
    make_exchanges();
    EXPECT_EQ(halo_reduction_create(context, 1, HALO_FLOAT64, HALO_SUM, &reduction), HALO_SUCCESS);
    make_channel(rank);
}

World::~World() {
    in_arrival = in_combine = in_allocate = in_channel = in_log = in_owner = nullptr;
    EXPECT_EQ(halo_group_destroy(&group), HALO_SUCCESS);
    EXPECT_EQ(halo_channel_destroy(&channel), HALO_SUCCESS);
    EXPECT_EQ(halo_reduction_destroy(&reduction), HALO_SUCCESS);
    EXPECT_EQ(halo_exchange_destroy(&arriving), HALO_SUCCESS);
    EXPECT_EQ(halo_exchange_destroy(&summing), HALO_SUCCESS);
    EXPECT_EQ(halo_exchange_destroy(&levels), HALO_SUCCESS);
    EXPECT_EQ(halo_exchange_destroy(&transfer), HALO_SUCCESS);
    for (halo_field **field : { &sparse, &dense, &spare, &fine }) EXPECT_EQ(halo_field_destroy(field), HALO_SUCCESS);
    EXPECT_EQ(halo_particles_destroy(&particles), HALO_SUCCESS);
    EXPECT_EQ(halo_mesh_destroy(&mesh), HALO_SUCCESS);
    EXPECT_EQ(halo_sphere_destroy(&sphere), HALO_SUCCESS);
    for (halo_topology **topology : { &ring, &finer, &graph }) EXPECT_EQ(halo_topology_destroy(topology), HALO_SUCCESS);
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
}

void World::call(Body World::*body) {
    if (!(this->*body)) return;
    ++n_called;
    (this->*body)();
}

void World::make_context(halo_inproc *ranks, int32_t rank) {
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    const halo_setting settings[] = { { "shared_memory", "no" }, { "warn_after", rank == 0 ? "1ms" : "1h" } };
    options.settings = settings;
    options.n_settings = 2;
    options.log = [](void *self, int32_t, const char *) { static_cast<World *>(self)->call(&World::in_log); };
    options.log_user = this;
    const halo_allocator allocator = context_memory(this);
    options.allocators = &allocator;
    options.n_allocators = 1;
    EXPECT_EQ(ranks ? halo_context_create_inproc(ranks, rank, &options, &context) : halo_context_create(&options, &context), HALO_SUCCESS)
        << halo_last_error();
}

void World::make_topologies() {
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 1;
    blocks.n_blocks[0] = n_blocks;
    blocks.n_cells[0] = n_cells;
    blocks.periodic[0] = 1;
    EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &ring), HALO_SUCCESS);
    const halo_box box{ { n_cells, 0, 0 }, { 3 * n_cells, 1, 1 } };
    const int32_t first_rank = 0;
    halo_boxes_desc boxes = HALO_BOXES_DESC_INIT;
    boxes.n_dims = 1;
    boxes.domain.high[0] = 2 * n_blocks * n_cells;
    boxes.periodic[0] = 1;
    boxes.boxes = &box;
    boxes.n_boxes = 1;
    boxes.owner = &first_rank;
    EXPECT_EQ(halo_topology_create_boxes(context, &boxes, &finer), HALO_SUCCESS) << halo_last_error();
    int32_t rank = 0;
    EXPECT_EQ(halo_context_rank(context, &rank, nullptr), HALO_SUCCESS);
    const auto first = static_cast<uint64_t>(2 * rank);
    const uint64_t own[] = { first, first + 1 }, neighbours[] = { first + 1, first };
    halo_graph_desc pair = HALO_GRAPH_DESC_INIT;
    pair.n_owned = 2;
    pair.keys = own;
    pair.width = 1;
    pair.neighbours = neighbours;
    EXPECT_EQ(halo_topology_create_graph(context, &pair, &graph), HALO_SUCCESS) << halo_last_error();
    const int64_t bytes = 8;
    halo_particles_desc of_particles = HALO_PARTICLES_DESC_INIT;
    of_particles.column_bytes = &bytes;
    EXPECT_EQ(halo_particles_create(ring, &of_particles, &particles), HALO_SUCCESS) << halo_last_error();
    const halo_sphere_desc grid = HALO_SPHERE_DESC_INIT;
    EXPECT_EQ(halo_sphere_create(context, &grid, &sphere), HALO_SUCCESS) << halo_last_error();
    const auto next = static_cast<uint64_t>(rank);
    halo_mesh_set points = HALO_MESH_SET_INIT; // one that leads to itself
    points.name = "points", points.n = 1, points.keys = &next;
    halo_mesh_map map = HALO_MESH_MAP_INIT;
    map.name = "next", map.keys = &next;
    halo_mesh_desc desc = HALO_MESH_DESC_INIT;
    desc.n_sets = 1, desc.sets = &points, desc.n_maps = 1, desc.maps = &map;
    EXPECT_EQ(halo_mesh_create(context, &desc, &mesh), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_mesh_add_columns(mesh, 0, 1, nullptr, &number), HALO_SUCCESS) << halo_last_error();
}

void World::make_fields() {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.ghost_low[0] = desc.ghost_high[0] = 1;
    desc.name = "dense";
    EXPECT_EQ(halo_field_create(ring, &desc, &dense), HALO_SUCCESS);
    EXPECT_EQ(halo_field_allocate(dense, -1), HALO_SUCCESS);
    desc.name = "spare";
    EXPECT_EQ(halo_field_create(ring, &desc, &spare), HALO_SUCCESS);
    desc.name = "fine";
    EXPECT_EQ(halo_field_create(finer, &desc, &fine), HALO_SUCCESS);
    desc.name = "sparse";
    desc.sparse = 1;
    EXPECT_EQ(halo_field_create(ring, &desc, &sparse), HALO_SUCCESS);
    halo_access reading = HALO_ACCESS_INIT;
    reading.field = dense;
    reading.mode = HALO_READ;
    EXPECT_EQ(halo_access_begin(context, &reading, 1, sizeof reading, HALO_STYLE_REDUNDANT, HALO_ON_HOST, HALO_STREAM_NONE, &batch), HALO_SUCCESS);
    EXPECT_EQ(halo_access_ready(batch), HALO_SUCCESS);
    EXPECT_EQ(halo_access_end(batch), HALO_SUCCESS);
}

void World::make_exchanges() {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.arrival = [](void *self, const halo_arrival *arrival) {
        static_cast<World *>(self)->call(&World::in_arrival);
        return halo_field_allocate(arrival->field, arrival->gid);
    };
    desc.arrival_user = this;
    EXPECT_EQ(halo_exchange_create(&sparse, 1, &desc, &arriving), HALO_SUCCESS) << halo_last_error();
    desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = HALO_KIND_REVERSE;
    desc.op = HALO_USER;
    desc.combine = [](void *self, void *sums, const void *contributions, int64_t n_sums, halo_type, int64_t) {
        static_cast<World *>(self)->call(&World::in_combine);
        for (int64_t i = 0; i < n_sums; ++i) static_cast<double *>(sums)[i] += static_cast<const double *>(contributions)[i];
        return HALO_SUCCESS;
    };
    desc.combine_user = this;
    EXPECT_EQ(halo_exchange_create(&dense, 1, &desc, &summing), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_exchange_create_levels(&dense, nullptr, &fine, 1, nullptr, &levels), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_exchange_create_transfer(&dense, &spare, 1, nullptr, &transfer), HALO_SUCCESS) << halo_last_error();
}

void World::make_channel(int32_t rank) {
    channel_memory_.user = this;
    channel_memory_.allocate = [](void *self, const halo_channel_key *, size_t bytes) { return allocate(self, &World::in_channel, bytes); };
    channel_memory_.release = [](void *self, const halo_channel_key *, void *block, size_t) { release(self, &World::in_channel, block); };
    halo_channel_desc end = HALO_CHANNEL_DESC_INIT;
    end.count = 1;
    end.send_rank = end.receive_rank = rank;
    end.buffer_kind = HALO_BUFFER_ALLOCATOR;
    end.allocator = &channel_memory_;
    EXPECT_EQ(halo_channel_register(context, &key, &end, &channel), HALO_SUCCESS) << halo_last_error();
    halo_group_desc per_channel = HALO_GROUP_DESC_INIT;
    per_channel.messages = HALO_MESSAGES_PER_CHANNEL;
    EXPECT_EQ(halo_group_create(context, &channel, 1, &per_channel, &group), HALO_SUCCESS) << halo_last_error();
}

double *World::data(halo_field *field, int64_t gid) const {
    void *storage = nullptr;
    EXPECT_EQ(halo_field_data(field, gid, 0, &storage), HALO_SUCCESS);
    return static_cast<double *>(storage);
}

void World::make_graph() {
    const uint64_t mine[] = { 1 }, nobodys[] = { 2 };
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.n_owned = desc.width = 1, desc.keys = mine, desc.neighbours = nobodys;
    desc.owner_of = [](void *self, uint64_t) {
        static_cast<World *>(self)->call(&World::in_owner);
        return int32_t{ -1 };
    };
    desc.owner_user = this;
    halo_topology *points = nullptr;
    EXPECT_EQ(halo_topology_create_graph(context, &desc, &points), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_topology_destroy(&points), HALO_SUCCESS);
}

void World::run_arriving() {
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

void World::run_summing() {
    for (int64_t gid = 0; gid < n_blocks; ++gid)
        for (int64_t x = 0; x <= n_cells + 1; ++x) data(dense, gid)[x] = 1;
    ASSERT_EQ(halo_exchange_start(summing, nullptr, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
    ASSERT_EQ(halo_exchange_finish(summing, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
    for (int64_t gid = 0; gid < n_blocks; ++gid)
        for (int64_t x = 1; x <= n_cells; ++x) EXPECT_EQ(data(dense, gid)[x], x == 1 || x == n_cells ? 2 : 1);
}

void World::run_channel() {
    halo_buffer held = HALO_BUFFER_INIT;
    int32_t done = 0, state = 0;
    ASSERT_EQ(halo_channel_allocate(channel), HALO_SUCCESS) << halo_last_error();
    ASSERT_EQ(halo_channel_buffer(channel, &held), HALO_SUCCESS);
    *static_cast<double *>(held.data) = 5;
    ASSERT_EQ(halo_channel_send(channel, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
    ASSERT_EQ(halo_channel_try_receive(channel, &done, &state), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(state, HALO_RECEIVED);
    ASSERT_EQ(halo_channel_buffer(channel, &held), HALO_SUCCESS);
    EXPECT_EQ(*static_cast<double *>(held.data), 5);
    ASSERT_EQ(halo_channel_stale(channel, HALO_STREAM_NONE), HALO_SUCCESS);
    ASSERT_EQ(halo_channel_release(channel), HALO_SUCCESS) << halo_last_error();
}

} // namespace callbacks
