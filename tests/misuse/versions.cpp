// SPDX-License-Identifier: BSD-3-Clause
// Every struct that may grow. scripts/check_versions.py compares the list with the public headers.
#include "versions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

namespace versions {

namespace {

using halo::first_version;

halo_blocks_desc ring_desc() {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 1, desc.n_blocks[0] = 3, desc.n_cells[0] = 4, desc.periodic[0] = 1;
    return desc;
}

halo_field_desc field_desc(const char *name) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name, desc.ghost_low[0] = desc.ghost_high[0] = 1;
    return desc;
}

halo_keys_desc keys_desc() {
    static const uint64_t keys[] = { 1, 2, 3, 4 };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = 4, desc.keys = keys, desc.editable = 1;
    return desc;
}

halo_stencil_field_desc stencil_field_desc() {
    halo_stencil_field_desc desc = HALO_STENCIL_FIELD_DESC_INIT;
    desc.name = "u";
    return desc;
}

halo_mesh_desc points_mesh() {
    static halo_mesh_set points = HALO_MESH_SET_INIT;
    points.name = "points";
    halo_mesh_desc desc = HALO_MESH_DESC_INIT;
    desc.n_sets = 1, desc.sets = &points;
    return desc;
}

halo_stencil_stage_desc stage_desc() {
    static const halo_stencil_access reads = { 0, HALO_STENCIL_READ, { -1, 0, 0 }, { 1, 0, 0 }, HALO_STENCIL_ALL, 0 };
    halo_stencil_stage_desc desc = HALO_STENCIL_STAGE_DESC_INIT;
    desc.name = "stage", desc.accesses = &reads, desc.n_accesses = 1;
    return desc;
}

template <class Struct, class Call>
Case use(Use use, const Struct &value, Call call) {
    const auto *begin = reinterpret_cast<const std::byte *>(&value);
    return { first_version<Struct>.name, first_version<Struct>.bytes, use, { begin, begin + sizeof value }, [call](World &world, void *given) {
                return call(world, static_cast<Struct *>(given));
            } };
}

template <class Struct, class Call>
Case read(const Struct &value, Call call) {
    return use(Use::read, value, call);
}

template <class Struct, class Call>
Case written(const Struct &value, Call call) {
    return use(Use::written, value, call);
}

// The status of making an object, which is destroyed again.
template <class Object>
halo_status undo(halo_status status, Object *made, halo_status (*destroy)(Object **)) {
    if (status != HALO_SUCCESS) return status;
    EXPECT_EQ(destroy(&made), HALO_SUCCESS) << halo_last_error();
    return status;
}

template <class Struct>
Case topology(const Struct &value, halo_status (*create)(halo_context *, const Struct *, halo_topology **)) {
    return read(value, [create](World &w, const Struct *desc) {
        halo_topology *made = nullptr;
        const halo_status status = create(w.context, desc, &made);
        return undo(status, made, halo_topology_destroy);
    });
}

// With a field of its own, for what is told of one before it has storage.
template <class Call>
halo_status with_field(World &w, Call call) {
    const halo_field_desc desc = field_desc("other");
    halo_field *field = nullptr;
    EXPECT_EQ(halo_field_create(w.ring, &desc, &field), HALO_SUCCESS);
    const halo_status status = call(field);
    EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
    return status;
}

template <class Call>
halo_status with_stencil(Call call) {
    const halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    halo_stencil *stencil = nullptr;
    int32_t number = 0;
    EXPECT_EQ(halo_stencil_create(&desc, &stencil), HALO_SUCCESS);
    const halo_stencil_field_desc field = stencil_field_desc();
    EXPECT_EQ(halo_stencil_add_field(stencil, &field, &number), HALO_SUCCESS);
    const halo_status status = call(stencil);
    EXPECT_EQ(halo_stencil_destroy(&stencil), HALO_SUCCESS);
    return status;
}

std::vector<Case> contexts() {
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    bootstrap.n_ranks = 1;
    bootstrap.allgather = [](void *, const void *mine, size_t bytes, void *all) {
        std::memcpy(all, mine, bytes);
        return HALO_SUCCESS;
    };
    return {
        read(halo_context_options HALO_CONTEXT_OPTIONS_INIT,
             [](World &, const halo_context_options *options) {
                 halo_context *made = nullptr;
                 const halo_status status = halo_context_create(options, &made);
                 return undo(status, made, halo_context_destroy);
             }),
        read(bootstrap,
             [](World &, const halo_bootstrap *given) {
                 halo_context *made = nullptr;
                 const halo_status status = halo_context_create_over(given, nullptr, &made);
                 return undo(status, made, halo_context_destroy);
             }),
        written(halo_pool_stats HALO_POOL_STATS_INIT,
                [](World &w, halo_pool_stats *stats) { return halo_context_pool_stats(w.context, HALO_MEMORY_HOST, stats); }),
    };
}

halo_regions_desc one_region() {
    static const int64_t cells[] = { 4, 4, 1 };
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = 2, desc.cells = cells, desc.n_parts = 1;
    return desc;
}

halo_graph_desc two_neighbours() {
    static const uint64_t keys[] = { 1, 2 }, neighbours[] = { 2, 1 };
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.n_owned = 2, desc.keys = keys, desc.neighbours = neighbours, desc.width = 1;
    return desc;
}

halo_reduced_rows_desc two_rows() {
    static const int64_t cells[] = { 4, 4 };
    halo_reduced_rows_desc desc = HALO_REDUCED_ROWS_DESC_INIT;
    desc.n_rows = 2, desc.cells = cells;
    return desc;
}

halo_forest_desc one_root() {
    static const halo_tree tree = HALO_TREE_INIT;
    static const halo_leaf leaf = HALO_LEAF_INIT;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 1, desc.n_cells[0] = 4;
    desc.trees = &tree, desc.n_trees = 1, desc.leaves = &leaf, desc.n_leaves = 1;
    return desc;
}

halo_particles_desc particles_desc() {
    static const int64_t bytes = 8;
    halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
    desc.column_bytes = &bytes;
    return desc;
}

// In each of the blocks one, which goes to the next.
halo_particles_arrays particles_arrays() {
    static double values[3][2];
    static void *const data[] = { values[0], values[1], values[2] };
    static const int64_t counts[] = { 1, 1, 1 }, gids[] = { 0, 1, 2 };
    static const int64_t *const targets[] = { &gids[1], &gids[2], &gids[0] };
    halo_particles_arrays arrays = HALO_PARTICLES_ARRAYS_INIT;
    arrays.n_parts = arrays.n_data = 3, arrays.counts = counts, arrays.data = data, arrays.targets = targets;
    return arrays;
}

// A run whose start, or finish, is given the struct; the other one is not.
halo_status with_particles(World &w, const halo_particles_arrays *start, const halo_particles_arrays *finish) {
    const halo_particles_desc desc = particles_desc();
    halo_particles *made = nullptr;
    EXPECT_EQ(halo_particles_create(w.ring, &desc, &made), HALO_SUCCESS);
    halo_status status = halo_particles_start(made, start);
    if (status == HALO_SUCCESS && (status = halo_particles_finish(made, finish)) != HALO_SUCCESS) {
        const halo_particles_arrays known = particles_arrays();
        EXPECT_EQ(halo_particles_finish(made, &known), HALO_SUCCESS);
    }
    EXPECT_EQ(halo_particles_destroy(&made), HALO_SUCCESS);
    return status;
}

std::vector<Case> topologies() {
    return {
        topology(ring_desc(), halo_topology_create_blocks),
        topology(halo_boxes_desc HALO_BOXES_DESC_INIT, halo_topology_create_boxes),
        topology(one_region(), halo_topology_create_regions),
        topology(keys_desc(), halo_topology_create_keys),
        topology(two_neighbours(), halo_topology_create_graph),
        topology(halo_star_desc HALO_STAR_DESC_INIT, halo_topology_create_star),
        topology(halo_lists_desc HALO_LISTS_DESC_INIT, halo_topology_create_lists),
        topology(halo_cubed_sphere_desc HALO_CUBED_SPHERE_DESC_INIT, halo_topology_create_cubed_sphere),
        topology(halo_latitudes_desc HALO_LATITUDES_DESC_INIT, halo_topology_create_latitudes),
        topology(two_rows(), halo_topology_create_reduced_rows),
        topology(one_root(), halo_topology_create_forest),
        read(one_root(),
             [](World &, const halo_forest_desc *desc) {
                 int64_t n = 0;
                 return halo_forest_adapt(desc, nullptr, sizeof(halo_leaf), nullptr, nullptr, 0, &n);
             }),
        read(one_root(),
             [](World &, const halo_forest_desc *desc) {
                 int64_t n = 0;
                 return halo_forest_place(desc, nullptr, 1, nullptr, 0, &n);
             }),
        read(one_root(),
             [](World &, const halo_forest_desc *desc) {
                 int64_t n = 0;
                 return halo_forest_uniform(desc, 1, sizeof(halo_leaf), nullptr, 0, &n);
             }),
        read(two_rows(),
             [](World &, const halo_reduced_rows_desc *desc) {
                 uint64_t neighbours[16];
                 int64_t n = 0;
                 return halo_reduced_rows_neighbours(desc, 0, neighbours, 16, &n);
             }),
        read(halo_keys_edit HALO_KEYS_EDIT_INIT,
             [](World &w, const halo_keys_edit *edit) {
                 halo_topology *made = nullptr;
                 const halo_status status = halo_topology_edit_keys(w.points, edit, &made);
                 return undo(status, made, halo_topology_destroy);
             }),
        written(halo_keys_report HALO_KEYS_REPORT_INIT,
                [](World &w, halo_keys_report *report) { return halo_topology_keys_report(w.points, report); }),
        written(halo_part HALO_PART_INIT, [](World &w, halo_part *part) { return halo_topology_part(w.ring, 1, part); }),
        read(particles_desc(),
             [](World &w, const halo_particles_desc *desc) {
                 halo_particles *made = nullptr;
                 const halo_status status = halo_particles_create(w.ring, desc, &made);
                 return undo(status, made, halo_particles_destroy);
             }),
        read(particles_arrays(),
             [](World &w, const halo_particles_arrays *arrays) {
                 const halo_particles_arrays known = particles_arrays();
                 return with_particles(w, arrays, &known);
             }),
        read(particles_arrays(),
             [](World &w, const halo_particles_arrays *arrays) {
                 const halo_particles_arrays known = particles_arrays();
                 return with_particles(w, &known, arrays);
             }),
        read(halo_sphere_desc HALO_SPHERE_DESC_INIT,
             [](World &w, const halo_sphere_desc *desc) {
                 halo_sphere *made = nullptr;
                 const halo_status status = halo_sphere_create(w.context, desc, &made);
                 return undo(status, made, halo_sphere_destroy);
             }),
        written(halo_sphere_part HALO_SPHERE_PART_INIT, [](World &w, halo_sphere_part *part) { return halo_sphere_get_part(w.sphere, 0, part); }),
        read(points_mesh(),
             [](World &w, const halo_mesh_desc *desc) {
                 halo_mesh *made = nullptr;
                 const halo_status status = halo_mesh_create(w.context, desc, &made);
                 return undo(status, made, halo_mesh_destroy);
             }),
        written(halo_mesh_local HALO_MESH_LOCAL_INIT, [](World &w, halo_mesh_local *local) { return halo_mesh_get_local(w.mesh, 0, local); }),
    };
}

halo_layout of_a_part() {
    halo_layout layout = HALO_LAYOUT_INIT;
    layout.elements = 6, layout.first_owned = 1, layout.component_stride = layout.place_stride = 6;
    for (int64_t &stride : layout.stride) stride = 1;
    return layout;
}

halo_binding of_all_parts() {
    static double storage[18];
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = storage;
    return binding;
}

halo_status fill_layout(const halo_layout_desc *desc, halo_layout *layout) {
    const int64_t cells[3] = { 4, 1, 1 };
    return halo_layout_fill(desc, cells, 8, 1, 1, layout);
}

std::vector<Case> fields() {
    return {
        read(field_desc("new"),
             [](World &w, const halo_field_desc *desc) {
                 halo_field *made = nullptr;
                 const halo_status status = halo_field_create(w.ring, desc, &made);
                 return undo(status, made, halo_field_destroy);
             }),
        read(halo_field_desc HALO_FIELD_DESC_INIT, [](World &w, halo_field_desc *desc) { return halo_stencil_fill_field_desc(w.stencil, 0, desc); }),
        read(of_a_part(),
             [](World &w, const halo_layout *layout) {
                 halo_binding binding = HALO_BINDING_INIT;
                 binding.layout = layout;
                 return with_field(w, [&](halo_field *field) { return halo_field_bind(field, 0, &binding); });
             }),
        written(halo_field_desc HALO_FIELD_DESC_INIT, [](World &w, halo_field_desc *desc) { return halo_field_get_desc(w.u, desc); }),
        written(halo_layout HALO_LAYOUT_INIT, [](World &w, halo_layout *layout) { return halo_field_layout(w.u, 0, layout); }),
        written(halo_layout HALO_LAYOUT_INIT,
                [](World &, halo_layout *layout) {
                    const halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
                    return fill_layout(&desc, layout);
                }),
        read(halo_layout_desc HALO_LAYOUT_DESC_INIT,
             [](World &w, const halo_layout_desc *desc) {
                 return with_field(w, [&](halo_field *field) { return halo_field_set_layout(field, desc); });
             }),
        read(halo_layout_desc HALO_LAYOUT_DESC_INIT,
             [](World &, const halo_layout_desc *desc) {
                 halo_layout layout = HALO_LAYOUT_INIT;
                 return fill_layout(desc, &layout);
             }),
        read(halo_layout_desc HALO_LAYOUT_DESC_INIT, [](World &w, halo_layout_desc *desc) { return halo_stencil_fill_layout_desc(w.stencil, desc); }),
        read(halo_binding HALO_BINDING_INIT,
             [](World &w, const halo_binding *binding) {
                 return with_field(w, [&](halo_field *field) { return halo_field_bind(field, 0, binding); });
             }),
        read(of_all_parts(),
             [](World &w, const halo_binding *binding) {
                 return with_field(w, [&](halo_field *field) { return halo_field_bind_many(field, 6, binding); });
             }),
        written(halo_section_sizes HALO_SECTION_SIZES_INIT,
                [](World &, halo_section_sizes *sizes) {
                    const int32_t owner = 0;
                    return halo_sections_classify(0, &owner, 1, nullptr, 0, nullptr, nullptr, sizes);
                }),
        written(halo_access_state HALO_ACCESS_STATE_INIT, [](World &w, halo_access_state *state) { return halo_access_get_state(w.u, 0, state); }),
        written(halo_access_stats HALO_ACCESS_STATS_INIT,
                [](World &w, halo_access_stats *stats) { return halo_access_get_stats(w.context, "u", stats); }),
    };
}

// Of use(exchange), from the ring to one of twice as many cells.
template <class Use>
halo_status between_levels(World &w, const halo_levels_desc *desc, Use &&use) {
    halo_blocks_desc refined = ring_desc();
    refined.n_cells[0] *= 2;
    const halo_field_desc named = field_desc("u");
    halo_topology *finer = nullptr;
    halo_field *fine = nullptr;
    halo_exchange *made = nullptr;
    EXPECT_EQ(halo_topology_create_blocks(w.context, &refined, &finer), HALO_SUCCESS);
    EXPECT_EQ(halo_field_create(finer, &named, &fine), HALO_SUCCESS);
    halo_status status = halo_exchange_create_levels(&w.u, nullptr, &fine, 1, desc, &made);
    if (status == HALO_SUCCESS) {
        status = use(made);
        EXPECT_EQ(halo_exchange_destroy(&made), HALO_SUCCESS);
    }
    EXPECT_EQ(halo_field_destroy(&fine), HALO_SUCCESS);
    EXPECT_EQ(halo_topology_destroy(&finer), HALO_SUCCESS);
    return status;
}

std::vector<Case> exchanges() {
    return {
        read(halo_exchange_desc HALO_EXCHANGE_DESC_INIT,
             [](World &w, const halo_exchange_desc *desc) {
                 halo_exchange *made = nullptr;
                 const halo_status status = halo_exchange_create(&w.u, 1, desc, &made);
                 return undo(status, made, halo_exchange_destroy);
             }),
        read(halo_transfer_desc HALO_TRANSFER_DESC_INIT,
             [](World &w, const halo_transfer_desc *desc) {
                 halo_exchange *made = nullptr;
                 const halo_status status = halo_exchange_create_transfer(&w.u, &w.v, 1, desc, &made);
                 return undo(status, made, halo_exchange_destroy);
             }),
        read(halo_levels_desc HALO_LEVELS_DESC_INIT,
             [](World &w, const halo_levels_desc *desc) { return between_levels(w, desc, [](const halo_exchange *) { return HALO_SUCCESS; }); }),
        read(halo_run HALO_RUN_INIT,
             [](World &w, const halo_run *run) {
                 const halo_status status = halo_exchange_start(w.exchange, run, HALO_STREAM_NONE);
                 if (status == HALO_SUCCESS) {
                     EXPECT_EQ(halo_exchange_finish(w.exchange, HALO_STREAM_NONE), HALO_SUCCESS);
                 }
                 return status;
             }),
        written(halo_exchange_desc HALO_EXCHANGE_DESC_INIT,
                [](World &w, halo_exchange_desc *desc) { return halo_exchange_get_desc(w.exchange, desc); }),
        written(halo_transfer_desc HALO_TRANSFER_DESC_INIT,
                [](World &w, halo_transfer_desc *desc) {
                    halo_exchange *made = nullptr;
                    EXPECT_EQ(halo_exchange_create_transfer(&w.u, &w.v, 1, nullptr, &made), HALO_SUCCESS);
                    const halo_status status = halo_exchange_get_transfer_desc(made, desc);
                    EXPECT_EQ(halo_exchange_destroy(&made), HALO_SUCCESS);
                    return status;
                }),
        written(halo_levels_desc HALO_LEVELS_DESC_INIT,
                [](World &w, halo_levels_desc *desc) {
                    return between_levels(w, nullptr, [&](const halo_exchange *made) { return halo_exchange_get_levels_desc(made, desc); });
                }),
        written(halo_exchange_stats HALO_EXCHANGE_STATS_INIT,
                [](World &w, halo_exchange_stats *stats) { return halo_exchange_get_stats(w.exchange, stats); }),
    };
}

halo_channel_allocator allocator_of_nothing() {
    halo_channel_allocator allocator = HALO_CHANNEL_ALLOCATOR_INIT;
    allocator.allocate = [](void *, const halo_channel_key *, size_t) -> void * { return nullptr; };
    allocator.release = [](void *, const halo_channel_key *, void *, size_t) {};
    return allocator;
}

std::vector<Case> channels() {
    return {
        read(halo_channel_desc HALO_CHANNEL_DESC_INIT,
             [](World &w, const halo_channel_desc *desc) {
                 halo_channel *made = nullptr;
                 const halo_status status = halo_channel_register(w.context, &w.next_key, desc, &made);
                 return undo(status, made, halo_channel_destroy);
             }),
        read(allocator_of_nothing(),
             [](World &w, const halo_channel_allocator *allocator) {
                 halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
                 desc.buffer_kind = HALO_BUFFER_ALLOCATOR, desc.allocator = allocator;
                 halo_channel *made = nullptr;
                 const halo_status status = halo_channel_register(w.context, &w.next_key, &desc, &made);
                 return undo(status, made, halo_channel_destroy);
             }),
        written(halo_buffer HALO_BUFFER_INIT, [](World &w, halo_buffer *buffer) { return halo_channel_buffer(w.channel, buffer); }),
        written(halo_channel_desc HALO_CHANNEL_DESC_INIT, [](World &w, halo_channel_desc *desc) { return halo_channel_get_desc(w.channel, desc); }),
        written(halo_group_desc HALO_GROUP_DESC_INIT,
                [](World &w, halo_group_desc *desc) {
                    halo_group *made = nullptr;
                    EXPECT_EQ(halo_group_create(w.context, nullptr, 0, nullptr, &made), HALO_SUCCESS);
                    const halo_status status = halo_group_get_desc(made, desc);
                    EXPECT_EQ(halo_group_destroy(&made), HALO_SUCCESS);
                    return status;
                }),
        read(halo_group_desc HALO_GROUP_DESC_INIT,
             [](World &w, const halo_group_desc *desc) {
                 halo_group *made = nullptr;
                 const halo_status status = halo_group_create(w.context, nullptr, 0, desc, &made);
                 return undo(status, made, halo_group_destroy);
             }),
    };
}

std::vector<Case> stencils() {
    return {
        read(halo_stencil_desc HALO_STENCIL_DESC_INIT,
             [](World &, const halo_stencil_desc *desc) {
                 halo_stencil *made = nullptr;
                 const halo_status status = halo_stencil_create(desc, &made);
                 return undo(status, made, halo_stencil_destroy);
             }),
        read(
            [] {
                halo_stencil_field_desc desc = HALO_STENCIL_FIELD_DESC_INIT;
                desc.name = "second";
                return desc;
            }(),
            [](World &, const halo_stencil_field_desc *desc) {
                int32_t number = 0;
                return with_stencil([&](halo_stencil *stencil) { return halo_stencil_add_field(stencil, desc, &number); });
            }),
        read(stage_desc(),
             [](World &, const halo_stencil_stage_desc *desc) {
                 int32_t number = 0;
                 return with_stencil([&](halo_stencil *stencil) { return halo_stencil_add_stage(stencil, desc, &number); });
             }),
        written(halo_stencil_field HALO_STENCIL_FIELD_INIT,
                [](World &w, halo_stencil_field *field) { return halo_stencil_get_field(w.stencil, 0, field); }),
        written(halo_stencil_stage HALO_STENCIL_STAGE_INIT,
                [](World &w, halo_stencil_stage *stage) { return halo_stencil_get_stage(w.stencil, 0, stage); }),
        written(halo_stencil_summary HALO_STENCIL_SUMMARY_INIT,
                [](World &w, halo_stencil_summary *summary) { return halo_stencil_get_summary(w.stencil, summary); }),
    };
}

} // namespace

World::World() {
    EXPECT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS);
    const halo_blocks_desc blocks = ring_desc();
    EXPECT_EQ(halo_topology_create_blocks(context, &blocks, &ring), HALO_SUCCESS);
    const halo_keys_desc keys = keys_desc();
    EXPECT_EQ(halo_topology_create_keys(context, &keys, &points), HALO_SUCCESS);
    for (auto [field, name] : { std::pair{ &u, "u" }, { &v, "v" } }) {
        const halo_field_desc desc = field_desc(name);
        EXPECT_EQ(halo_field_create(ring, &desc, field), HALO_SUCCESS);
        EXPECT_EQ(halo_field_allocate(*field, -1), HALO_SUCCESS);
    }
    EXPECT_EQ(halo_access_mark_dirty(u, 0, HALO_ON_HOST), HALO_SUCCESS);
    EXPECT_EQ(halo_exchange_create(&u, 1, nullptr, &exchange), HALO_SUCCESS);
    const halo_channel_desc end = HALO_CHANNEL_DESC_INIT;
    EXPECT_EQ(halo_channel_register(context, &next_key, &end, &channel), HALO_SUCCESS);
    ++next_key.extra;
    halo_sphere_desc grid = HALO_SPHERE_DESC_INIT;
    grid.n = 2;
    EXPECT_EQ(halo_sphere_create(context, &grid, &sphere), HALO_SUCCESS);
    const halo_mesh_desc entities = points_mesh();
    EXPECT_EQ(halo_mesh_create(context, &entities, &mesh), HALO_SUCCESS);
    const halo_stencil_desc sequence = HALO_STENCIL_DESC_INIT;
    EXPECT_EQ(halo_stencil_create(&sequence, &stencil), HALO_SUCCESS);
    int32_t number = 0;
    const halo_stencil_field_desc field = stencil_field_desc();
    EXPECT_EQ(halo_stencil_add_field(stencil, &field, &number), HALO_SUCCESS);
    const halo_stencil_stage_desc stage = stage_desc();
    EXPECT_EQ(halo_stencil_add_stage(stencil, &stage, &number), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_stencil_analyse(stencil), HALO_SUCCESS) << halo_last_error();
}

World::~World() {
    EXPECT_EQ(halo_stencil_destroy(&stencil), HALO_SUCCESS);
    EXPECT_EQ(halo_mesh_destroy(&mesh), HALO_SUCCESS);
    EXPECT_EQ(halo_sphere_destroy(&sphere), HALO_SUCCESS);
    EXPECT_EQ(halo_channel_destroy(&channel), HALO_SUCCESS);
    EXPECT_EQ(halo_exchange_destroy(&exchange), HALO_SUCCESS);
    for (halo_field **field : { &u, &v }) EXPECT_EQ(halo_field_destroy(field), HALO_SUCCESS);
    for (halo_topology **topology : { &ring, &points }) EXPECT_EQ(halo_topology_destroy(topology), HALO_SUCCESS);
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS) << halo_last_error();
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const auto &some : { contexts(), topologies(), fields(), exchanges(), channels(), stencils() })
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

} // namespace versions
