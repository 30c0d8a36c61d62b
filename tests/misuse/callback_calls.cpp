// SPDX-License-Identifier: BSD-3-Clause
// scripts/check_callbacks.py compares these lists with the public headers.
#include "callback_world.h"
#include "halo_stencil.hpp"

namespace callbacks {

namespace {

// Its name, and the call.
#define CALL(function, ...)                                                                                                                          \
    {                                                                                                                                                \
#function, [](World & w) { return function(__VA_ARGS__); }                                                                                   \
    }

const halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
const halo_boxes_desc boxes = HALO_BOXES_DESC_INIT;
const halo_regions_desc regions = HALO_REGIONS_DESC_INIT;
const halo_keys_desc keys = HALO_KEYS_DESC_INIT;
const halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
const halo_graph_desc points = HALO_GRAPH_DESC_INIT;
const halo_star_desc star = HALO_STAR_DESC_INIT;
const halo_lists_desc lists = HALO_LISTS_DESC_INIT;
const halo_forest_desc forest = HALO_FOREST_DESC_INIT;
const halo_mesh_desc mesh = HALO_MESH_DESC_INIT;
const halo_column_entry column_entry{ 0, 0, 1 };
const halo_particles_desc particles = HALO_PARTICLES_DESC_INIT;
const halo_sphere_desc sphere = HALO_SPHERE_DESC_INIT;
const halo_cubed_sphere_desc cubed = HALO_CUBED_SPHERE_DESC_INIT;
const halo_latitudes_desc latitudes = HALO_LATITUDES_DESC_INIT;
const halo_reduced_rows_desc rows = HALO_REDUCED_ROWS_DESC_INIT;
const halo_field_desc field = HALO_FIELD_DESC_INIT;
const halo_layout_desc layout = HALO_LAYOUT_DESC_INIT;
const halo_channel_desc channel = HALO_CHANNEL_DESC_INIT;
const halo_channel_key other_key{ 0, 0, 8, 0, 0 };

halo_binding binding_of(World &w) {
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = w.values;
    return binding;
}

// One that reads a field one cell farther on both sides.
const halo_stencil *stencil() {
    static const halo::Stencil made = [] {
        halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
        desc.n_dims = 1;
        halo::Stencil all(desc);
        all.add_stage("looks", { halo::reads(all.add_field("dense"), { -1, 0, 0 }, { 1, 0, 0 }) });
        all.analyse();
        return all;
    }();
    return made;
}

// Everything that changes anything. None of it may happen in the middle of another call.
const Call refused_calls[] = {
    CALL(halo_context_destroy, &w.context),
    CALL(halo_context_destroy_with_all, &w.context),
    CALL(halo_context_set, w.context, "log_level", "warn"),
    CALL(halo_context_trim, w.context),
    CALL(halo_context_progress, w.context),
    CALL(halo_context_rank_gone, w.context, 1),
    CALL(halo_context_barrier, w.context),
    CALL(halo_context_allreduce, w.context, w.values, w.values, 1, HALO_FLOAT64, HALO_SUM),
    CALL(halo_memory_release, w.context, &w.pointer),
    CALL(halo_topology_create_blocks, w.context, &blocks, &w.results.topology),
    CALL(halo_topology_create_boxes, w.context, &boxes, &w.results.topology),
    CALL(halo_topology_create_regions, w.context, &regions, &w.results.topology),
    CALL(halo_topology_create_keys, w.context, &keys, &w.results.topology),
    CALL(halo_topology_create_graph, w.context, &points, &w.results.topology),
    CALL(halo_topology_create_star, w.context, &star, &w.results.topology),
    CALL(halo_topology_create_lists, w.context, &lists, &w.results.topology),
    CALL(halo_topology_create_forest, w.context, &forest, &w.results.topology),
    CALL(halo_mesh_create, w.context, &mesh, &w.results.mesh),
    CALL(halo_mesh_destroy, &w.mesh),
    CALL(halo_mesh_topology, w.mesh, 0, &w.results.topology),
    CALL(halo_mesh_distribute, w.mesh, 0, w.values, w.values + 1, sizeof w.values[0]),
    CALL(halo_mesh_collect, w.mesh, 0, w.values, w.values + 1, sizeof w.values[0]),
    CALL(halo_mesh_target_topology, w.mesh, 0, nullptr, 0, &w.results.topology),
    CALL(halo_mesh_add_columns, w.mesh, 0, 1, nullptr, &w.number),
    CALL(halo_mesh_column_topology, w.mesh, 0, &w.results.topology),
    CALL(halo_particles_create, w.ring, &particles, &w.results.particles),
    CALL(halo_particles_destroy, &w.particles),
    CALL(halo_particles_start, w.particles, nullptr),
    CALL(halo_particles_test, w.particles, &w.number),
    CALL(halo_particles_counts, w.particles, nullptr, 0, &w.n),
    CALL(halo_particles_finish, w.particles, nullptr),
    CALL(halo_particles_abandon, w.particles),
    CALL(halo_sphere_create, w.context, &sphere, &w.results.sphere),
    CALL(halo_sphere_destroy, &w.sphere),
    CALL(halo_sphere_topology, w.sphere, HALO_SPHERE_CELLS, &w.results.topology),
    CALL(halo_topology_create_cubed_sphere, w.context, &cubed, &w.results.topology),
    CALL(halo_topology_create_latitudes, w.context, &latitudes, &w.results.topology),
    CALL(halo_topology_create_reduced_rows, w.context, &rows, &w.results.topology),
    CALL(halo_topology_edit_keys, w.ring, &edit, &w.results.topology),
    CALL(halo_topology_destroy, &w.ring),
    CALL(halo_topology_set_sections, w.ring, nullptr, 0),
    CALL(halo_field_create, w.ring, &field, &w.results.field),
    CALL(halo_field_destroy, &w.dense),
    CALL(halo_field_map_points, w.dense, 0, nullptr, 0),
    CALL(halo_field_set_layout, w.dense, &layout),
    CALL(halo_field_set_prolongation, w.dense, HALO_PROLONG_CONSTANT),
    CALL(halo_field_allocate_from, w.dense, w.sparse),
    CALL(halo_field_set_restriction, w.dense, HALO_RESTRICT_OWN),
    CALL(halo_exchange_create, &w.dense, 1, nullptr, &w.results.exchange),
    CALL(halo_exchange_create_transfer, &w.dense, &w.sparse, 1, nullptr, &w.results.exchange),
    CALL(halo_exchange_create_levels, &w.dense, nullptr, &w.sparse, 1, nullptr, &w.results.exchange),
    CALL(halo_exchange_set_fraction, w.arriving, 0.5),
    CALL(halo_stencil_create_exchange, stencil(), 0, &w.dense, 1, nullptr, &w.results.exchange),
    CALL(halo_stencil_create_topology, stencil(), 0, w.context, &blocks, &w.results.topology),
    CALL(halo_exchange_prepare, w.summing),
    CALL(halo_exchange_destroy, &w.arriving),
    CALL(halo_exchange_start, w.summing, nullptr, HALO_STREAM_NONE),
    CALL(halo_exchange_finish, w.arriving, HALO_STREAM_NONE),
    CALL(halo_exchange_post, w.summing, nullptr),
    CALL(halo_exchange_send, w.summing, HALO_STREAM_NONE),
    CALL(halo_exchange_test, w.arriving, &w.number),
    CALL(halo_exchange_unpack, w.arriving, HALO_STREAM_NONE),
    CALL(halo_exchange_refine, w.arriving, HALO_STREAM_NONE),
    CALL(halo_exchange_abandon, w.arriving),
    CALL(halo_exchange_arrivals, w.arriving, nullptr, 0, &w.n),
    CALL(halo_channel_register, w.context, &other_key, &channel, &w.results.channel),
    CALL(halo_channel_register_many, w.context, &other_key, &channel, sizeof channel, 1, &w.results.channel),
    CALL(halo_channel_destroy, &w.channel),
    CALL(halo_channel_abandon, w.channel),
    CALL(halo_channel_writable, w.channel, &w.number),
    CALL(halo_channel_allocate, w.channel),
    CALL(halo_channel_release, w.channel),
    CALL(halo_channel_set_buffer, w.channel, nullptr),
    CALL(halo_channel_set_bytes, w.channel, 8),
    CALL(halo_channel_send, w.channel, HALO_STREAM_NONE),
    CALL(halo_channel_send_bytes, w.channel, 1, HALO_STREAM_NONE),
    CALL(halo_channel_send_null, w.channel, HALO_STREAM_NONE),
    CALL(halo_channel_start_receive, w.channel),
    CALL(halo_channel_try_receive, w.channel, &w.number, nullptr),
    CALL(halo_channel_stale, w.channel, HALO_STREAM_NONE),
    CALL(halo_channel_start_receive_many, &w.channel, 1),
    CALL(halo_channel_try_receive_many, &w.channel, 1, &w.n, nullptr),
    CALL(halo_channel_writable_many, &w.channel, 1, &w.n, nullptr),
    CALL(halo_channel_stale_many, &w.channel, 1, HALO_STREAM_NONE),
    CALL(halo_channel_send_many, &w.channel, 1, HALO_STREAM_NONE),
    CALL(halo_group_create, w.context, nullptr, 0, nullptr, &w.results.group),
    CALL(halo_group_destroy, &w.group),
    CALL(halo_group_drain, w.group, 1),
    CALL(halo_group_abandon, w.group),
    CALL(halo_group_table, w.group, sizeof(halo_group_row), &w.results.rows, &w.n),
    CALL(halo_group_writable, w.group, &w.number),
    CALL(halo_group_start_receive, w.group),
    CALL(halo_group_send, w.group, nullptr, HALO_STREAM_NONE),
    CALL(halo_group_send_rows, w.group, nullptr, 0, nullptr, HALO_STREAM_NONE),
    CALL(halo_group_try_receive, w.group, &w.number),
    CALL(halo_group_stale, w.group, HALO_STREAM_NONE),
    CALL(halo_access_begin, w.context, nullptr, 0, sizeof(halo_access), 0, HALO_ON_HOST, HALO_STREAM_NONE, &w.results.batch),
    CALL(halo_access_ready, w.batch),
    CALL(halo_access_end, w.batch),
    CALL(halo_access_end_and_send, w.batch),
    CALL(halo_access_abandon, w.batch),
    CALL(halo_access_mark_dirty, w.dense, 0, HALO_ON_HOST),
    CALL(halo_access_mark_fresh, w.dense, 0, HALO_ON_HOST),
    CALL(halo_access_freeze, w.dense, 1),
    CALL(halo_reduction_create, w.context, 1, HALO_FLOAT64, HALO_SUM, &w.results.reduction),
    CALL(halo_reduction_create_items, w.context, nullptr, sizeof(halo_reduction_item), 0, &w.results.reduction),
    CALL(halo_reduction_begin, w.reduction, w.values),
    CALL(halo_reduction_test, w.reduction, &w.number),
    CALL(halo_reduction_end, w.reduction, w.values),
    CALL(halo_reduction_destroy, &w.reduction),
};

// What gives storage to what has arrived.
const Call bound_calls[] = {
    { "halo_field_bind",
      [](World &w) {
          const halo_binding binding = binding_of(w);
          return halo_field_bind(w.spare, 0, &binding);
      } },
    { "halo_field_bind_many",
      [](World &w) {
          const halo_binding binding = binding_of(w);
          return halo_field_bind_many(w.spare, n_cells + 2, &binding);
      } },
    CALL(halo_field_allocate, w.spare, -1),
    CALL(halo_memory_allocate, w.context, HALO_MEMORY_HOST, 8, &w.pointer),
    CALL(halo_memory_allocate_on, w.context, HALO_MEMORY_HOST, 0, 8, &w.pointer),
};

// A struct that is filled.
#define ANSWER(function, type, init, ...)                                                                                                            \
    {                                                                                                                                                \
#function, [](World &w) {                         \
            type answer = init;                           \
            return function(__VA_ARGS__, &answer);        \
        }                                                                                                  \
    }

// What only reads.
const Call allowed_calls[] = {
    CALL(halo_context_rank, w.context, &w.number, nullptr),
    CALL(halo_context_setting, w.context, "timeout", &w.text, nullptr),
    { "halo_context_error", [](World &w) -> halo_status { return halo_context_error(w.context) ? HALO_SUCCESS : HALO_ERR_STATE; } },
    ANSWER(halo_context_pool_stats, halo_pool_stats, HALO_POOL_STATS_INIT, w.context, HALO_MEMORY_HOST),
    CALL(halo_info, w.context, HALO_INFO_MODULES, w.buffer, sizeof w.buffer, &w.needed),
    CALL(halo_topology_graph_rows, w.graph, reinterpret_cast<const int64_t **>(&w.list), reinterpret_cast<const uint32_t **>(&w.other_list), &w.n),
    ANSWER(halo_mesh_get_local, halo_mesh_local, HALO_MESH_LOCAL_INIT, w.mesh, 0),
    CALL(halo_mesh_get_map, w.mesh, 0, reinterpret_cast<const uint32_t **>(&w.list), &w.n, nullptr),
    CALL(halo_mesh_get_columns, w.mesh, 0, reinterpret_cast<const int64_t **>(&w.list), &w.n),
    CALL(halo_mesh_get_column_map, w.mesh, 0, 0, 0, &column_entry, 1, nullptr, 0, &w.n),
    CALL(halo_particles_left, w.particles, nullptr, 0, &w.n),
    CALL(halo_sphere_local_parts, w.sphere, nullptr, &w.n),
    ANSWER(halo_sphere_get_part, halo_sphere_part, HALO_SPHERE_PART_INIT, w.sphere, 0),
    CALL(halo_sphere_ring_ends, w.sphere, 0, HALO_SPHERE_CELLS, nullptr, 0, &w.n),
    CALL(halo_sphere_keys, w.sphere, 0, HALO_SPHERE_CELLS, nullptr, 0, &w.n),
    CALL(halo_sphere_neighbours, w.sphere, 0, HALO_SPHERE_CELLS, HALO_SPHERE_EDGES, nullptr, 0, &w.n),
    CALL(halo_topology_rings, w.graph, nullptr, 0, &w.n),
    CALL(halo_topology_point_keys, w.graph, nullptr, 0, &w.n),
    ANSWER(halo_topology_keys_report, halo_keys_report, HALO_KEYS_REPORT_INIT, w.graph),
    CALL(halo_topology_local_indices, w.graph, nullptr, 0, &w.n),
    CALL(halo_topology_owners, w.graph, nullptr, 0, &w.n),
    CALL(halo_topology_sharers, w.graph, 0, nullptr, 0, &w.n),
    CALL(halo_topology_local_parts, w.ring, reinterpret_cast<const int64_t **>(&w.list), &w.n),
    ANSWER(halo_topology_part, halo_part, HALO_PART_INIT, w.ring, 0),
    CALL(halo_topology_neighbours, w.ring, 0, sizeof(halo_neighbour), nullptr, 0, &w.n),
    CALL(halo_topology_peers, w.ring, nullptr, 0, &w.n),
    ANSWER(halo_field_get_desc, halo_field_desc, HALO_FIELD_DESC_INIT, w.dense),
    ANSWER(halo_field_layout, halo_layout, HALO_LAYOUT_INIT, w.dense, 0),
    CALL(halo_field_data, w.dense, 0, 0, &w.pointer),
    CALL(halo_field_boundaries, w.dense, 0, sizeof(halo_boundary), nullptr, 0, &w.n),
    CALL(halo_field_owner_mask, w.dense, 0, nullptr, 0, &w.n),
    { "halo_field_interior_rim",
      [](World &w) {
          halo_box interior, rim[6];
          return halo_field_interior_rim(w.dense, 0, 1, &interior, rim, &w.number);
      } },
    ANSWER(halo_exchange_get_desc, halo_exchange_desc, HALO_EXCHANGE_DESC_INIT, w.arriving),
    ANSWER(halo_exchange_get_stats, halo_exchange_stats, HALO_EXCHANGE_STATS_INIT, w.arriving),
    ANSWER(halo_exchange_get_levels_desc, halo_levels_desc, HALO_LEVELS_DESC_INIT, w.levels),
    ANSWER(halo_exchange_get_transfer_desc, halo_transfer_desc, HALO_TRANSFER_DESC_INIT, w.transfer),
    CALL(halo_exchange_peers, w.arriving, sizeof(halo_peer_row), nullptr, 0, &w.n),
    CALL(halo_exchange_describe, w.arriving, w.buffer, sizeof w.buffer, &w.needed),
    CALL(halo_exchange_coarse_data, w.levels, 1, 0, &w.pointer, nullptr), // where they are: tests/levels/on_devices.cpp has others
    CALL(halo_exchange_coarse_boundaries, w.levels, 1, 0, sizeof(halo_boundary), nullptr, 0, &w.n),
    CALL(halo_exchange_level_regions, w.levels, 1, 0, sizeof(halo_level_region), nullptr, 0, &w.n),
    CALL(halo_field_level_boxes, w.dense, nullptr, 0, sizeof(halo_level_box), nullptr, 0, &w.n),
    CALL(halo_channel_find, w.context, &w.key, &w.found),
    ANSWER(halo_channel_buffer, halo_buffer, HALO_BUFFER_INIT, w.channel),
    CALL(halo_channel_state, w.channel, &w.number),
    { "halo_channel_get_key",
      [](World &w) {
          halo_channel_key key;
          return halo_channel_get_key(w.channel, &key);
      } },
    ANSWER(halo_channel_get_desc, halo_channel_desc, HALO_CHANNEL_DESC_INIT, w.channel),
    ANSWER(halo_group_get_desc, halo_group_desc, HALO_GROUP_DESC_INIT, w.group),
    CALL(halo_access_needs_exec, w.batch, &w.number),
    ANSWER(halo_access_get_state, halo_access_state, HALO_ACCESS_STATE_INIT, w.dense, 0),
    CALL(halo_access_data, w.dense, 0, 0, HALO_ON_HOST, &w.pointer),
    ANSWER(halo_access_get_stats, halo_access_stats, HALO_ACCESS_STATS_INIT, w.context, "dense"),
};

} // namespace

std::span<const Call> refused() { return refused_calls; }
std::span<const Call> bound() { return bound_calls; }
std::span<const Call> allowed() { return allowed_calls; }

} // namespace callbacks
