// SPDX-License-Identifier: BSD-3-Clause
// How large each struct that may grow was when it first came out. A line never changes: who was built then has no more, and must go on working.
#pragma once

#include <cstddef>

#include "halo_access.h"
#include "halo_channel.h"
#include "halo_levels.h"
#include "halo_mesh.h"
#include "halo_particles.h"
#include "halo_plugin.h"
#include "halo_sphere.h"
#include "halo_stencil.h"

namespace halo {

struct FirstVersion {
    const char *name;
    size_t bytes; // where pointers have 8
};

// halo.h
constexpr FirstVersion first_of(const halo_context_options *) { return { "halo_context_options", 56 }; }
constexpr FirstVersion first_of(const halo_bootstrap *) { return { "halo_bootstrap", 40 }; }
constexpr FirstVersion first_of(const halo_blocks_desc *) { return { "halo_blocks_desc", 96 }; }
constexpr FirstVersion first_of(const halo_boxes_desc *) { return { "halo_boxes_desc", 120 }; }
constexpr FirstVersion first_of(const halo_regions_desc *) { return { "halo_regions_desc", 80 }; }
constexpr FirstVersion first_of(const halo_join *) { return { "halo_join", 136 }; }
constexpr FirstVersion first_of(const halo_keys_desc *) { return { "halo_keys_desc", 88 }; }
constexpr FirstVersion first_of(const halo_keys_edit *) { return { "halo_keys_edit", 72 }; }
constexpr FirstVersion first_of(const halo_graph_desc *) { return { "halo_graph_desc", 112 }; }
constexpr FirstVersion first_of(const halo_star_desc *) { return { "halo_star_desc", 56 }; }
constexpr FirstVersion first_of(const halo_lists_desc *) { return { "halo_lists_desc", 72 }; }
constexpr FirstVersion first_of(const halo_keys_report *) { return { "halo_keys_report", 120 }; }
constexpr FirstVersion first_of(const halo_part *) { return { "halo_part", 104 }; }
constexpr FirstVersion first_of(const halo_neighbour *) { return { "halo_neighbour", 48 }; }
constexpr FirstVersion first_of(const halo_field_desc *) { return { "halo_field_desc", 96 }; }
constexpr FirstVersion first_of(const halo_layout *) { return { "halo_layout", 72 }; }
constexpr FirstVersion first_of(const halo_layout_desc *) { return { "halo_layout_desc", 64 }; }
constexpr FirstVersion first_of(const halo_binding *) { return { "halo_binding", 40 }; }
constexpr FirstVersion first_of(const halo_boundary *) { return { "halo_boundary", 56 }; }
constexpr FirstVersion first_of(const halo_exchange_desc *) { return { "halo_exchange_desc", 104 }; }
constexpr FirstVersion first_of(const halo_transfer_desc *) { return { "halo_transfer_desc", 80 }; }
constexpr FirstVersion first_of(const halo_run *) { return { "halo_run", 72 }; }
constexpr FirstVersion first_of(const halo_exchange_stats *) { return { "halo_exchange_stats", 168 }; }
constexpr FirstVersion first_of(const halo_channel_allocator *) { return { "halo_channel_allocator", 48 }; }
constexpr FirstVersion first_of(const halo_peer_row *) { return { "halo_peer_row", 40 }; }
constexpr FirstVersion first_of(const halo_channel_desc *) { return { "halo_channel_desc", 64 }; }
constexpr FirstVersion first_of(const halo_buffer *) { return { "halo_buffer", 40 }; }
constexpr FirstVersion first_of(const halo_group_desc *) { return { "halo_group_desc", 24 }; }
constexpr FirstVersion first_of(const halo_group_row *) { return { "halo_group_row", 40 }; }
constexpr FirstVersion first_of(const halo_pool_stats *) { return { "halo_pool_stats", 48 }; }

// halo_access.h
constexpr FirstVersion first_of(const halo_section_sizes *) { return { "halo_section_sizes", 48 }; }
constexpr FirstVersion first_of(const halo_access *) { return { "halo_access", 24 }; }
constexpr FirstVersion first_of(const halo_access_state *) { return { "halo_access_state", 40 }; }
constexpr FirstVersion first_of(const halo_access_stats *) { return { "halo_access_stats", 64 }; }
constexpr FirstVersion first_of(const halo_reduction_item *) { return { "halo_reduction_item", 56 }; }

// halo_levels.h
constexpr FirstVersion first_of(const halo_leaf *) { return { "halo_leaf", 32 }; }
constexpr FirstVersion first_of(const halo_tree *) { return { "halo_tree", 24 }; }
constexpr FirstVersion first_of(const halo_tree_join *) { return { "halo_tree_join", 40 }; }
constexpr FirstVersion first_of(const halo_forest_desc *) { return { "halo_forest_desc", 120 }; }
constexpr FirstVersion first_of(const halo_levels_desc *) { return { "halo_levels_desc", 32 }; }
constexpr FirstVersion first_of(const halo_level_box *) { return { "halo_level_box", 56 }; }
constexpr FirstVersion first_of(const halo_level_region *) { return { "halo_level_region", 56 }; }

// halo_mesh.h
constexpr FirstVersion first_of(const halo_mesh_set *) { return { "halo_mesh_set", 40 }; }
constexpr FirstVersion first_of(const halo_mesh_map *) { return { "halo_mesh_map", 40 }; }
constexpr FirstVersion first_of(const halo_mesh_desc *) { return { "halo_mesh_desc", 64 }; }
constexpr FirstVersion first_of(const halo_mesh_local *) { return { "halo_mesh_local", 72 }; }

// halo_particles.h
constexpr FirstVersion first_of(const halo_particles_desc *) { return { "halo_particles_desc", 56 }; }
constexpr FirstVersion first_of(const halo_particles_arrays *) { return { "halo_particles_arrays", 56 }; }

// halo_sphere.h
constexpr FirstVersion first_of(const halo_sphere_desc *) { return { "halo_sphere_desc", 64 }; }
constexpr FirstVersion first_of(const halo_sphere_part *) { return { "halo_sphere_part", 112 }; }
constexpr FirstVersion first_of(const halo_cubed_sphere_desc *) { return { "halo_cubed_sphere_desc", 48 }; }
constexpr FirstVersion first_of(const halo_latitudes_desc *) { return { "halo_latitudes_desc", 72 }; }
constexpr FirstVersion first_of(const halo_reduced_rows_desc *) { return { "halo_reduced_rows_desc", 40 }; }

// halo_stencil.h
constexpr FirstVersion first_of(const halo_stencil_desc *) { return { "halo_stencil_desc", 88 }; }
constexpr FirstVersion first_of(const halo_stencil_field_desc *) { return { "halo_stencil_field_desc", 32 }; }
constexpr FirstVersion first_of(const halo_stencil_stage_desc *) { return { "halo_stencil_stage_desc", 64 }; }
constexpr FirstVersion first_of(const halo_stencil_field *) { return { "halo_stencil_field", 72 }; }
constexpr FirstVersion first_of(const halo_stencil_stage *) { return { "halo_stencil_stage", 64 }; }
constexpr FirstVersion first_of(const halo_stencil_summary *) { return { "halo_stencil_summary", 40 }; }

// halo_plugin.h
constexpr FirstVersion first_of(const halo_transport_ops *) { return { "halo_transport_ops", 96 }; }
constexpr FirstVersion first_of(const halo_transport_plugin *) { return { "halo_transport_plugin", 48 }; }
constexpr FirstVersion first_of(const halo_device_ops *) { return { "halo_device_ops", 144 }; }
constexpr FirstVersion first_of(const halo_device_plugin *) { return { "halo_device_plugin", 56 }; }
constexpr FirstVersion first_of(const halo_ipc_ops *) { return { "halo_ipc_ops", 48 }; }
constexpr FirstVersion first_of(const halo_bootstrap_ops *) { return { "halo_bootstrap_ops", 48 }; }
constexpr FirstVersion first_of(const halo_bootstrap_plugin *) { return { "halo_bootstrap_plugin", 48 }; }

template <class Struct>
inline constexpr FirstVersion first_version = first_of(static_cast<const Struct *>(nullptr));

template <class Struct>
concept Growing = first_version<Struct>
.bytes <= sizeof(Struct);

} // namespace halo
