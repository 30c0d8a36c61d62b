// SPDX-License-Identifier: BSD-3-Clause
// Structs by name, for languages that have no macros. scripts/check_headers.py compares the table with the public headers.
#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "base/limits.h"
#include "capi/guard.h"

namespace halo {

namespace {

struct Initial {
    FirstVersion first;
    size_t bytes;
    bool has_size; // begins with its struct_size
    const void *(*value)();
};

template <class T>
concept Sized = requires(const T &value) {
    value.struct_size;
};

// Static: so padding is zero too.
#define INITIAL(type, init)                                                                                                                          \
    {                                                                                                                                                \
        first_version<type>, sizeof(type), Sized<type>, []() -> const void * {                                                                       \
            static const type value = init;                                                                                                          \
            return &value;                                                                                                                           \
        }                                                                                                                                            \
    }

constexpr Initial table[] = {
    // halo.h
    INITIAL(halo_context_options, HALO_CONTEXT_OPTIONS_INIT),
    INITIAL(halo_bootstrap, HALO_BOOTSTRAP_INIT),
    INITIAL(halo_blocks_desc, HALO_BLOCKS_DESC_INIT),
    INITIAL(halo_boxes_desc, HALO_BOXES_DESC_INIT),
    INITIAL(halo_regions_desc, HALO_REGIONS_DESC_INIT),
    INITIAL(halo_keys_desc, HALO_KEYS_DESC_INIT),
    INITIAL(halo_keys_edit, HALO_KEYS_EDIT_INIT),
    INITIAL(halo_graph_desc, HALO_GRAPH_DESC_INIT),
    INITIAL(halo_star_desc, HALO_STAR_DESC_INIT),
    INITIAL(halo_lists_desc, HALO_LISTS_DESC_INIT),
    INITIAL(halo_keys_report, HALO_KEYS_REPORT_INIT),
    INITIAL(halo_part, HALO_PART_INIT),
    INITIAL(halo_field_desc, HALO_FIELD_DESC_INIT),
    INITIAL(halo_layout, HALO_LAYOUT_INIT),
    INITIAL(halo_layout_desc, HALO_LAYOUT_DESC_INIT),
    INITIAL(halo_binding, HALO_BINDING_INIT),
    INITIAL(halo_exchange_desc, HALO_EXCHANGE_DESC_INIT),
    INITIAL(halo_transfer_desc, HALO_TRANSFER_DESC_INIT),
    INITIAL(halo_run, HALO_RUN_INIT),
    INITIAL(halo_exchange_stats, HALO_EXCHANGE_STATS_INIT),
    INITIAL(halo_pool_stats, HALO_POOL_STATS_INIT),
    // halo_access.h
    INITIAL(halo_section_sizes, HALO_SECTION_SIZES_INIT),
    INITIAL(halo_access, HALO_ACCESS_INIT),
    INITIAL(halo_access_state, HALO_ACCESS_STATE_INIT),
    INITIAL(halo_access_stats, HALO_ACCESS_STATS_INIT),
    INITIAL(halo_reduction_item, HALO_REDUCTION_ITEM_INIT),
    // halo_channel.h
    INITIAL(halo_channel_allocator, HALO_CHANNEL_ALLOCATOR_INIT),
    INITIAL(halo_channel_desc, HALO_CHANNEL_DESC_INIT),
    INITIAL(halo_buffer, HALO_BUFFER_INIT),
    INITIAL(halo_group_desc, HALO_GROUP_DESC_INIT),
    // halo_levels.h
    INITIAL(halo_leaf, HALO_LEAF_INIT),
    INITIAL(halo_tree, HALO_TREE_INIT),
    INITIAL(halo_tree_join, HALO_TREE_JOIN_INIT),
    INITIAL(halo_forest_desc, HALO_FOREST_DESC_INIT),
    INITIAL(halo_levels_desc, HALO_LEVELS_DESC_INIT),
    // halo_mesh.h
    INITIAL(halo_mesh_set, HALO_MESH_SET_INIT),
    INITIAL(halo_mesh_map, HALO_MESH_MAP_INIT),
    INITIAL(halo_mesh_desc, HALO_MESH_DESC_INIT),
    INITIAL(halo_mesh_local, HALO_MESH_LOCAL_INIT),
    // halo_particles.h
    INITIAL(halo_particles_desc, HALO_PARTICLES_DESC_INIT),
    INITIAL(halo_particles_arrays, HALO_PARTICLES_ARRAYS_INIT),
    // halo_sphere.h
    INITIAL(halo_sphere_desc, HALO_SPHERE_DESC_INIT),
    INITIAL(halo_sphere_part, HALO_SPHERE_PART_INIT),
    INITIAL(halo_cubed_sphere_desc, HALO_CUBED_SPHERE_DESC_INIT),
    INITIAL(halo_latitudes_desc, HALO_LATITUDES_DESC_INIT),
    INITIAL(halo_reduced_rows_desc, HALO_REDUCED_ROWS_DESC_INIT),
    // halo_stencil.h
    INITIAL(halo_stencil_desc, HALO_STENCIL_DESC_INIT),
    INITIAL(halo_stencil_field_desc, HALO_STENCIL_FIELD_DESC_INIT),
    INITIAL(halo_stencil_stage_desc, HALO_STENCIL_STAGE_DESC_INIT),
    INITIAL(halo_stencil_field, HALO_STENCIL_FIELD_INIT),
    INITIAL(halo_stencil_stage, HALO_STENCIL_STAGE_INIT),
    INITIAL(halo_stencil_summary, HALO_STENCIL_SUMMARY_INIT),
};

const Initial &initial_of(const char *name) {
    for (const Initial &one : table)
        if (std::strcmp(name, one.first.name) == 0) return one;
    fail(HALO_ERR_NOT_FOUND, "struct init: there is no struct '%s' that has a HALO_..._INIT", name);
}

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_struct_init(const char *name, void *pointer, size_t bytes) {
    return guard([&] {
        require(name, "name");
        require(pointer, "pointer");
        const Initial &initial = initial_of(name);
        const FirstVersion &first = initial.first;
        if (bytes < first.bytes) fail(HALO_ERR_VERSION, "struct init: %s of %zu bytes, the smallest known has %zu", first.name, bytes, first.bytes);
        if (bytes > initial.bytes) check_bytes_limit(format("struct init: %s: its size", first.name).c_str(), bytes, limits::struct_bytes);
        const size_t known = std::min(bytes, initial.bytes);
        std::memcpy(pointer, initial.value(), known);
        std::memset(static_cast<char *>(pointer) + known, 0, bytes - known);
        if (initial.has_size) std::memcpy(pointer, &bytes, sizeof bytes);
    });
}
