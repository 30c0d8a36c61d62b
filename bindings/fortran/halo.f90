! SPDX-License-Identifier: BSD-3-Clause
! Written by bindings/fortran/generate.py from the C headers.
!> The whole C interface for Fortran. Procedures have the names of C and are bound to their handles.
module halo
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use halo_types
  use halo_c
  use halo_handles
  implicit none
  public
  private :: c_halo_status_name, c_halo_last_error, c_halo_version, c_halo_struct_init, c_halo_context_create, &
    c_halo_context_create_communicator, c_halo_context_create_over, c_halo_inproc_create, c_halo_context_create_inproc, &
    c_halo_inproc_destroy, c_halo_context_destroy, c_halo_context_destroy_with_all, c_halo_context_rank, &
    c_halo_context_set, c_halo_context_setting, c_halo_context_error, c_halo_context_progress, &
    c_halo_context_rank_gone, c_halo_context_barrier, c_halo_context_allreduce, c_halo_topology_create_blocks, &
    c_halo_topology_create_boxes, c_halo_topology_create_regions, c_halo_topology_create_keys, &
    c_halo_topology_edit_keys, c_halo_topology_create_graph, c_halo_topology_graph_rows, c_halo_topology_rings, &
    c_halo_topology_point_keys, c_halo_topology_create_star, c_halo_topology_create_lists, c_halo_topology_keys_report, &
    c_halo_topology_local_indices, c_halo_topology_owners, c_halo_topology_sharers, c_halo_topology_destroy, &
    c_halo_topology_local_parts, c_halo_topology_part, c_halo_element, c_halo_topology_neighbours
  private :: c_halo_topology_peers, c_halo_field_create, c_halo_field_get_desc, c_halo_field_destroy, &
    c_halo_field_layout, c_halo_field_set_layout, c_halo_layout_fill, c_halo_field_map_points, c_halo_field_bind, &
    c_halo_field_bind_many, c_halo_field_allocate, c_halo_field_data, c_halo_field_boundaries, c_halo_field_owner_mask, &
    c_halo_field_interior_rim, c_halo_exchange_create, c_halo_exchange_get_desc, c_halo_exchange_create_transfer, &
    c_halo_exchange_get_transfer_desc, c_halo_exchange_prepare, c_halo_exchange_destroy, c_halo_exchange_start, &
    c_halo_exchange_finish, c_halo_exchange_post, c_halo_exchange_send, c_halo_exchange_test, c_halo_exchange_unpack, &
    c_halo_exchange_refine, c_halo_exchange_abandon, c_halo_exchange_get_stats, c_halo_exchange_peers, &
    c_halo_exchange_describe, c_halo_exchange_arrivals, c_halo_context_pool_stats, c_halo_memory_allocate, &
    c_halo_memory_allocate_on, c_halo_memory_release, c_halo_context_trim, c_halo_info, c_halo_sections_classify
  private :: c_halo_sections_reach, c_halo_topology_set_sections, c_halo_access_begin, c_halo_access_ready, &
    c_halo_access_needs_exec, c_halo_access_end, c_halo_access_end_and_send, c_halo_access_abandon, &
    c_halo_access_get_state, c_halo_access_mark_dirty, c_halo_access_mark_fresh, c_halo_access_freeze, &
    c_halo_access_data, c_halo_access_get_stats, c_halo_reduction_create, c_halo_reduction_create_items, &
    c_halo_reduction_begin, c_halo_reduction_test, c_halo_reduction_end, c_halo_reduction_destroy, &
    c_halo_channel_register, c_halo_channel_register_many, c_halo_channel_find, c_halo_channel_destroy, &
    c_halo_channel_abandon, c_halo_channel_writable, c_halo_channel_allocate, c_halo_channel_release, &
    c_halo_channel_set_buffer, c_halo_channel_set_bytes, c_halo_channel_buffer, c_halo_channel_state, &
    c_halo_channel_send, c_halo_channel_send_bytes, c_halo_channel_send_null, c_halo_channel_start_receive, &
    c_halo_channel_try_receive, c_halo_channel_stale, c_halo_channel_get_key, c_halo_channel_get_desc
  private :: c_halo_channel_start_receive_many, c_halo_channel_try_receive_many, c_halo_channel_writable_many, &
    c_halo_channel_stale_many, c_halo_channel_send_many, c_halo_group_create, c_halo_group_get_desc, &
    c_halo_group_destroy, c_halo_group_drain, c_halo_group_abandon, c_halo_group_table, c_halo_group_writable, &
    c_halo_group_start_receive, c_halo_group_send, c_halo_group_send_rows, c_halo_group_try_receive, &
    c_halo_group_stale, c_halo_topology_create_forest, c_halo_forest_uniform, c_halo_forest_adapt, &
    c_halo_field_allocate_from, c_halo_forest_place, c_halo_field_set_prolongation, c_halo_field_set_restriction, &
    c_halo_exchange_coarse_data, c_halo_exchange_coarse_boundaries, c_halo_exchange_level_regions, &
    c_halo_exchange_create_levels, c_halo_exchange_get_levels_desc, c_halo_exchange_set_fraction, &
    c_halo_field_level_boxes, c_halo_mesh_create, c_halo_mesh_destroy, c_halo_mesh_get_local, c_halo_mesh_get_map, &
    c_halo_mesh_topology, c_halo_mesh_distribute, c_halo_mesh_collect, c_halo_mesh_target_topology, &
    c_halo_mesh_add_columns
  private :: c_halo_mesh_get_columns, c_halo_mesh_column_topology, c_halo_mesh_get_column_map, c_halo_particles_create, &
    c_halo_particles_destroy, c_halo_particles_start, c_halo_particles_test, c_halo_particles_counts, &
    c_halo_particles_left, c_halo_particles_finish, c_halo_particles_abandon, c_halo_sphere_key, &
    c_halo_sphere_entity_of, c_halo_sphere_key_neighbours, c_halo_sphere_position, c_halo_sphere_create, &
    c_halo_sphere_destroy, c_halo_sphere_local_parts, c_halo_sphere_get_part, c_halo_sphere_ring_ends, &
    c_halo_sphere_keys, c_halo_sphere_neighbours, c_halo_sphere_topology, c_halo_topology_create_cubed_sphere, &
    c_halo_topology_create_latitudes, c_halo_reduced_rows_neighbours, c_halo_topology_create_reduced_rows, &
    c_halo_stencil_create, c_halo_stencil_destroy, c_halo_stencil_add_field, c_halo_stencil_add_stage, &
    c_halo_stencil_analyse, c_halo_stencil_get_field, c_halo_stencil_get_stage, c_halo_stencil_describe, &
    c_halo_stencil_exchanges, c_halo_stencil_groups, c_halo_stencil_get_summary, c_halo_stencil_level_index, &
    c_halo_stencil_loops
  private :: c_halo_stencil_loop_intervals, c_halo_stencil_stage_ranges, c_halo_stencil_exchange_ranges, &
    c_halo_stencil_fill_field_desc, c_halo_stencil_fill_layout_desc, c_halo_stencil_create_exchange, &
    c_halo_stencil_create_topology
  private :: new_home, home_of, conclude, refused, error_text, create_over, c_text, address, some, number, dimensions, &
    points_of, bind_array, find_array, same_type, strides_of
  private :: create_over_integer, create_over_type
  private :: start_fields
  private :: bind_real32_1, bind_real32_2, bind_real32_3, bind_real32_4, bind_real32_5, bind_real32_6, bind_real32_7, &
    bind_real64_1, bind_real64_2, bind_real64_3, bind_real64_4, bind_real64_5, bind_real64_6, bind_real64_7, &
    bind_int32_1, bind_int32_2, bind_int32_3, bind_int32_4, bind_int32_5, bind_int32_6, bind_int32_7, bind_int64_1, &
    bind_int64_2, bind_int64_3, bind_int64_4, bind_int64_5, bind_int64_6, bind_int64_7, bind_complex32_1, &
    bind_complex32_2, bind_complex32_3, bind_complex32_4, bind_complex32_5, bind_complex32_6, bind_complex32_7, &
    bind_complex64_1, bind_complex64_2, bind_complex64_3, bind_complex64_4, bind_complex64_5, bind_complex64_6, &
    bind_complex64_7, bind_int8_1, bind_int8_2, bind_int8_3, bind_int8_4, bind_int8_5, bind_int8_6, bind_int8_7, &
    bind_int16_1, bind_int16_2, bind_int16_3, bind_int16_4, bind_int16_5, bind_int16_6, bind_int16_7
  private :: data_real32_1, data_real32_2, data_real32_3, data_real32_4, data_real32_5, data_real32_6, data_real32_7, &
    data_real64_1, data_real64_2, data_real64_3, data_real64_4, data_real64_5, data_real64_6, data_real64_7, &
    data_int32_1, data_int32_2, data_int32_3, data_int32_4, data_int32_5, data_int32_6, data_int32_7, data_int64_1, &
    data_int64_2, data_int64_3, data_int64_4, data_int64_5, data_int64_6, data_int64_7, data_complex32_1, &
    data_complex32_2, data_complex32_3, data_complex32_4, data_complex32_5, data_complex32_6, data_complex32_7, &
    data_complex64_1, data_complex64_2, data_complex64_3, data_complex64_4, data_complex64_5, data_complex64_6, &
    data_complex64_7, data_int8_1, data_int8_2, data_int8_3, data_int8_4, data_int8_5, data_int8_6, data_int8_7, &
    data_int16_1, data_int16_2, data_int16_3, data_int16_4, data_int16_5, data_int16_6, data_int16_7
  private :: allreduce_real32_0, allreduce_real32_1, allreduce_real64_0, allreduce_real64_1, allreduce_int32_0, &
    allreduce_int32_1, allreduce_int64_0, allreduce_int64_1, allreduce_complex32_0, allreduce_complex32_1, &
    allreduce_complex64_0, allreduce_complex64_1, allreduce_int8_0, allreduce_int8_1, allreduce_int16_0, &
    allreduce_int16_1

  include 'halo_declarations.inc'

  type, extends(halo_handle) :: halo_context
  contains
    procedure, pass(context), private :: halo_context_create_plain
    procedure, pass(context), private :: create_over_integer
    procedure, pass(context), private :: create_over_type
    generic :: create => halo_context_create_plain, create_over_integer, create_over_type
    procedure, pass(context) :: create_communicator => halo_context_create_communicator
    procedure, pass(context) :: create_over => halo_context_create_over
    procedure, pass(context) :: create_inproc => halo_context_create_inproc
    procedure, pass(context) :: destroy => halo_context_destroy
    procedure, pass(context) :: destroy_with_all => halo_context_destroy_with_all
    procedure, pass(context) :: rank => halo_context_rank
    procedure, pass(context) :: set => halo_context_set
    procedure, pass(context) :: setting => halo_context_setting
    procedure, pass(context) :: error => halo_context_error
    procedure, pass(context) :: progress => halo_context_progress
    procedure, pass(context) :: rank_gone => halo_context_rank_gone
    procedure, pass(context) :: barrier => halo_context_barrier
    procedure, pass(context), private :: halo_context_allreduce_plain
    procedure, pass(context), private :: allreduce_real32_0
    procedure, pass(context), private :: allreduce_real32_1
    procedure, pass(context), private :: allreduce_real64_0
    procedure, pass(context), private :: allreduce_real64_1
    procedure, pass(context), private :: allreduce_int32_0
    procedure, pass(context), private :: allreduce_int32_1
    procedure, pass(context), private :: allreduce_int64_0
    procedure, pass(context), private :: allreduce_int64_1
    procedure, pass(context), private :: allreduce_complex32_0
    procedure, pass(context), private :: allreduce_complex32_1
    procedure, pass(context), private :: allreduce_complex64_0
    procedure, pass(context), private :: allreduce_complex64_1
    procedure, pass(context), private :: allreduce_int8_0
    procedure, pass(context), private :: allreduce_int8_1
    procedure, pass(context), private :: allreduce_int16_0
    procedure, pass(context), private :: allreduce_int16_1
    generic :: allreduce => halo_context_allreduce_plain, allreduce_real32_0, allreduce_real32_1, allreduce_real64_0, &
      allreduce_real64_1, allreduce_int32_0, allreduce_int32_1, allreduce_int64_0, allreduce_int64_1, &
      allreduce_complex32_0, allreduce_complex32_1, allreduce_complex64_0, allreduce_complex64_1, allreduce_int8_0, &
      allreduce_int8_1, allreduce_int16_0, allreduce_int16_1
    procedure, pass(context) :: pool_stats => halo_context_pool_stats
    procedure, pass(context) :: memory_allocate => halo_memory_allocate
    procedure, pass(context) :: memory_allocate_on => halo_memory_allocate_on
    procedure, pass(context) :: memory_release => halo_memory_release
    procedure, pass(context) :: trim => halo_context_trim
    procedure, pass(context) :: access_stats => halo_access_get_stats
  end type halo_context

  type, extends(halo_handle) :: halo_inproc
  contains
    procedure, pass(group) :: create => halo_inproc_create
    procedure, pass(group) :: destroy => halo_inproc_destroy
  end type halo_inproc

  type, extends(halo_handle) :: halo_topology
  contains
    procedure, pass(topology) :: create_blocks => halo_topology_create_blocks
    procedure, pass(topology) :: create_boxes => halo_topology_create_boxes
    procedure, pass(topology) :: create_regions => halo_topology_create_regions
    procedure, pass(topology) :: create_keys => halo_topology_create_keys
    procedure, pass(topology) :: edit_keys => halo_topology_edit_keys
    procedure, pass(topology) :: create_graph => halo_topology_create_graph
    procedure, pass(topology) :: graph_rows => halo_topology_graph_rows
    procedure, pass(topology) :: rings => halo_topology_rings
    procedure, pass(topology) :: point_keys => halo_topology_point_keys
    procedure, pass(topology) :: create_star => halo_topology_create_star
    procedure, pass(topology) :: create_lists => halo_topology_create_lists
    procedure, pass(topology) :: keys_report => halo_topology_keys_report
    procedure, pass(topology) :: local_indices => halo_topology_local_indices
    procedure, pass(topology) :: owners => halo_topology_owners
    procedure, pass(topology) :: sharers => halo_topology_sharers
    procedure, pass(topology) :: destroy => halo_topology_destroy
    procedure, pass(topology) :: local_parts => halo_topology_local_parts
    procedure, pass(topology) :: part => halo_topology_part
    procedure, pass(topology) :: neighbours => halo_topology_neighbours
    procedure, pass(topology) :: peers => halo_topology_peers
    procedure, pass(topology) :: set_sections => halo_topology_set_sections
    procedure, pass(topology) :: create_forest => halo_topology_create_forest
    procedure, pass(topology) :: create_cubed_sphere => halo_topology_create_cubed_sphere
    procedure, pass(topology) :: create_latitudes => halo_topology_create_latitudes
    procedure, pass(topology) :: create_reduced_rows => halo_topology_create_reduced_rows
  end type halo_topology

  type, extends(halo_handle) :: halo_field
  contains
    procedure, pass(field) :: create => halo_field_create
    procedure, pass(field) :: get_desc => halo_field_get_desc
    procedure, pass(field) :: destroy => halo_field_destroy
    procedure, pass(field) :: layout => halo_field_layout
    procedure, pass(field) :: set_layout => halo_field_set_layout
    procedure, pass(field) :: map_points => halo_field_map_points
    procedure, pass(field), private :: halo_field_bind_plain
    procedure, pass(field), private :: bind_real32_1
    procedure, pass(field), private :: bind_real32_2
    procedure, pass(field), private :: bind_real32_3
    procedure, pass(field), private :: bind_real32_4
    procedure, pass(field), private :: bind_real32_5
    procedure, pass(field), private :: bind_real32_6
    procedure, pass(field), private :: bind_real32_7
    procedure, pass(field), private :: bind_real64_1
    procedure, pass(field), private :: bind_real64_2
    procedure, pass(field), private :: bind_real64_3
    procedure, pass(field), private :: bind_real64_4
    procedure, pass(field), private :: bind_real64_5
    procedure, pass(field), private :: bind_real64_6
    procedure, pass(field), private :: bind_real64_7
    procedure, pass(field), private :: bind_int32_1
    procedure, pass(field), private :: bind_int32_2
    procedure, pass(field), private :: bind_int32_3
    procedure, pass(field), private :: bind_int32_4
    procedure, pass(field), private :: bind_int32_5
    procedure, pass(field), private :: bind_int32_6
    procedure, pass(field), private :: bind_int32_7
    procedure, pass(field), private :: bind_int64_1
    procedure, pass(field), private :: bind_int64_2
    procedure, pass(field), private :: bind_int64_3
    procedure, pass(field), private :: bind_int64_4
    procedure, pass(field), private :: bind_int64_5
    procedure, pass(field), private :: bind_int64_6
    procedure, pass(field), private :: bind_int64_7
    procedure, pass(field), private :: bind_complex32_1
    procedure, pass(field), private :: bind_complex32_2
    procedure, pass(field), private :: bind_complex32_3
    procedure, pass(field), private :: bind_complex32_4
    procedure, pass(field), private :: bind_complex32_5
    procedure, pass(field), private :: bind_complex32_6
    procedure, pass(field), private :: bind_complex32_7
    procedure, pass(field), private :: bind_complex64_1
    procedure, pass(field), private :: bind_complex64_2
    procedure, pass(field), private :: bind_complex64_3
    procedure, pass(field), private :: bind_complex64_4
    procedure, pass(field), private :: bind_complex64_5
    procedure, pass(field), private :: bind_complex64_6
    procedure, pass(field), private :: bind_complex64_7
    procedure, pass(field), private :: bind_int8_1
    procedure, pass(field), private :: bind_int8_2
    procedure, pass(field), private :: bind_int8_3
    procedure, pass(field), private :: bind_int8_4
    procedure, pass(field), private :: bind_int8_5
    procedure, pass(field), private :: bind_int8_6
    procedure, pass(field), private :: bind_int8_7
    procedure, pass(field), private :: bind_int16_1
    procedure, pass(field), private :: bind_int16_2
    procedure, pass(field), private :: bind_int16_3
    procedure, pass(field), private :: bind_int16_4
    procedure, pass(field), private :: bind_int16_5
    procedure, pass(field), private :: bind_int16_6
    procedure, pass(field), private :: bind_int16_7
    generic :: bind => halo_field_bind_plain, bind_real32_1, bind_real32_2, bind_real32_3, bind_real32_4, &
      bind_real32_5, bind_real32_6, bind_real32_7, bind_real64_1, bind_real64_2, bind_real64_3, bind_real64_4, &
      bind_real64_5, bind_real64_6, bind_real64_7, bind_int32_1, bind_int32_2, bind_int32_3, bind_int32_4, &
      bind_int32_5, bind_int32_6, bind_int32_7, bind_int64_1, bind_int64_2, bind_int64_3, bind_int64_4, bind_int64_5, &
      bind_int64_6, bind_int64_7, bind_complex32_1, bind_complex32_2, bind_complex32_3, bind_complex32_4, &
      bind_complex32_5, bind_complex32_6, bind_complex32_7, bind_complex64_1, bind_complex64_2, bind_complex64_3, &
      bind_complex64_4, bind_complex64_5, bind_complex64_6, bind_complex64_7, bind_int8_1, bind_int8_2, bind_int8_3, &
      bind_int8_4, bind_int8_5, bind_int8_6, bind_int8_7, bind_int16_1, bind_int16_2, bind_int16_3, bind_int16_4, &
      bind_int16_5, bind_int16_6, bind_int16_7
    procedure, pass(field) :: bind_many => halo_field_bind_many
    procedure, pass(field) :: allocate => halo_field_allocate
    procedure, pass(field), private :: halo_field_data_plain
    procedure, pass(field), private :: data_real32_1
    procedure, pass(field), private :: data_real32_2
    procedure, pass(field), private :: data_real32_3
    procedure, pass(field), private :: data_real32_4
    procedure, pass(field), private :: data_real32_5
    procedure, pass(field), private :: data_real32_6
    procedure, pass(field), private :: data_real32_7
    procedure, pass(field), private :: data_real64_1
    procedure, pass(field), private :: data_real64_2
    procedure, pass(field), private :: data_real64_3
    procedure, pass(field), private :: data_real64_4
    procedure, pass(field), private :: data_real64_5
    procedure, pass(field), private :: data_real64_6
    procedure, pass(field), private :: data_real64_7
    procedure, pass(field), private :: data_int32_1
    procedure, pass(field), private :: data_int32_2
    procedure, pass(field), private :: data_int32_3
    procedure, pass(field), private :: data_int32_4
    procedure, pass(field), private :: data_int32_5
    procedure, pass(field), private :: data_int32_6
    procedure, pass(field), private :: data_int32_7
    procedure, pass(field), private :: data_int64_1
    procedure, pass(field), private :: data_int64_2
    procedure, pass(field), private :: data_int64_3
    procedure, pass(field), private :: data_int64_4
    procedure, pass(field), private :: data_int64_5
    procedure, pass(field), private :: data_int64_6
    procedure, pass(field), private :: data_int64_7
    procedure, pass(field), private :: data_complex32_1
    procedure, pass(field), private :: data_complex32_2
    procedure, pass(field), private :: data_complex32_3
    procedure, pass(field), private :: data_complex32_4
    procedure, pass(field), private :: data_complex32_5
    procedure, pass(field), private :: data_complex32_6
    procedure, pass(field), private :: data_complex32_7
    procedure, pass(field), private :: data_complex64_1
    procedure, pass(field), private :: data_complex64_2
    procedure, pass(field), private :: data_complex64_3
    procedure, pass(field), private :: data_complex64_4
    procedure, pass(field), private :: data_complex64_5
    procedure, pass(field), private :: data_complex64_6
    procedure, pass(field), private :: data_complex64_7
    procedure, pass(field), private :: data_int8_1
    procedure, pass(field), private :: data_int8_2
    procedure, pass(field), private :: data_int8_3
    procedure, pass(field), private :: data_int8_4
    procedure, pass(field), private :: data_int8_5
    procedure, pass(field), private :: data_int8_6
    procedure, pass(field), private :: data_int8_7
    procedure, pass(field), private :: data_int16_1
    procedure, pass(field), private :: data_int16_2
    procedure, pass(field), private :: data_int16_3
    procedure, pass(field), private :: data_int16_4
    procedure, pass(field), private :: data_int16_5
    procedure, pass(field), private :: data_int16_6
    procedure, pass(field), private :: data_int16_7
    generic :: data => halo_field_data_plain, data_real32_1, data_real32_2, data_real32_3, data_real32_4, &
      data_real32_5, data_real32_6, data_real32_7, data_real64_1, data_real64_2, data_real64_3, data_real64_4, &
      data_real64_5, data_real64_6, data_real64_7, data_int32_1, data_int32_2, data_int32_3, data_int32_4, &
      data_int32_5, data_int32_6, data_int32_7, data_int64_1, data_int64_2, data_int64_3, data_int64_4, data_int64_5, &
      data_int64_6, data_int64_7, data_complex32_1, data_complex32_2, data_complex32_3, data_complex32_4, &
      data_complex32_5, data_complex32_6, data_complex32_7, data_complex64_1, data_complex64_2, data_complex64_3, &
      data_complex64_4, data_complex64_5, data_complex64_6, data_complex64_7, data_int8_1, data_int8_2, data_int8_3, &
      data_int8_4, data_int8_5, data_int8_6, data_int8_7, data_int16_1, data_int16_2, data_int16_3, data_int16_4, &
      data_int16_5, data_int16_6, data_int16_7
    procedure, pass(field) :: boundaries => halo_field_boundaries
    procedure, pass(field) :: owner_mask => halo_field_owner_mask
    procedure, pass(field) :: interior_rim => halo_field_interior_rim
    procedure, pass(field) :: access_state => halo_access_get_state
    procedure, pass(field) :: mark_dirty => halo_access_mark_dirty
    procedure, pass(field) :: mark_fresh => halo_access_mark_fresh
    procedure, pass(field) :: freeze => halo_access_freeze
    procedure, pass(field) :: access_data => halo_access_data
    procedure, pass(field) :: allocate_from => halo_field_allocate_from
    procedure, pass(field) :: set_prolongation => halo_field_set_prolongation
    procedure, pass(field) :: set_restriction => halo_field_set_restriction
    procedure, pass(field) :: level_boxes => halo_field_level_boxes
  end type halo_field

  type, extends(halo_handle) :: halo_exchange
  contains
    procedure, pass(exchange) :: create => halo_exchange_create
    procedure, pass(exchange) :: get_desc => halo_exchange_get_desc
    procedure, pass(exchange) :: create_transfer => halo_exchange_create_transfer
    procedure, pass(exchange) :: get_transfer_desc => halo_exchange_get_transfer_desc
    procedure, pass(exchange) :: prepare => halo_exchange_prepare
    procedure, pass(exchange) :: destroy => halo_exchange_destroy
    procedure, pass(exchange), private :: halo_exchange_start_plain
    procedure, pass(exchange), private :: start_fields
    generic :: start => halo_exchange_start_plain, start_fields
    procedure, pass(exchange) :: finish => halo_exchange_finish
    procedure, pass(exchange) :: post => halo_exchange_post
    procedure, pass(exchange) :: send => halo_exchange_send
    procedure, pass(exchange) :: test => halo_exchange_test
    procedure, pass(exchange) :: unpack => halo_exchange_unpack
    procedure, pass(exchange) :: refine => halo_exchange_refine
    procedure, pass(exchange) :: abandon => halo_exchange_abandon
    procedure, pass(exchange) :: get_stats => halo_exchange_get_stats
    procedure, pass(exchange) :: peers => halo_exchange_peers
    procedure, pass(exchange) :: describe => halo_exchange_describe
    procedure, pass(exchange) :: arrivals => halo_exchange_arrivals
    procedure, pass(exchange) :: coarse_data => halo_exchange_coarse_data
    procedure, pass(exchange) :: coarse_boundaries => halo_exchange_coarse_boundaries
    procedure, pass(exchange) :: level_regions => halo_exchange_level_regions
    procedure, pass(exchange) :: create_levels => halo_exchange_create_levels
    procedure, pass(exchange) :: get_levels_desc => halo_exchange_get_levels_desc
    procedure, pass(exchange) :: set_fraction => halo_exchange_set_fraction
  end type halo_exchange

  type, extends(halo_handle) :: halo_batch
  contains
    procedure, pass(batch) :: begin => halo_access_begin
    procedure, pass(batch) :: ready => halo_access_ready
    procedure, pass(batch) :: needs_exec => halo_access_needs_exec
    procedure, pass(batch) :: end => halo_access_end
    procedure, pass(batch) :: end_and_send => halo_access_end_and_send
    procedure, pass(batch) :: abandon => halo_access_abandon
  end type halo_batch

  type, extends(halo_handle) :: halo_reduction
  contains
    procedure, pass(reduction) :: create => halo_reduction_create
    procedure, pass(reduction) :: create_items => halo_reduction_create_items
    procedure, pass(reduction) :: begin => halo_reduction_begin
    procedure, pass(reduction) :: test => halo_reduction_test
    procedure, pass(reduction) :: end => halo_reduction_end
    procedure, pass(reduction) :: destroy => halo_reduction_destroy
  end type halo_reduction

  type, extends(halo_handle) :: halo_channel
  contains
    procedure, pass(channel) :: register => halo_channel_register
    procedure, pass(channel) :: find => halo_channel_find
    procedure, pass(channel) :: destroy => halo_channel_destroy
    procedure, pass(channel) :: abandon => halo_channel_abandon
    procedure, pass(channel) :: writable => halo_channel_writable
    procedure, pass(channel) :: allocate => halo_channel_allocate
    procedure, pass(channel) :: release => halo_channel_release
    procedure, pass(channel) :: set_buffer => halo_channel_set_buffer
    procedure, pass(channel) :: set_bytes => halo_channel_set_bytes
    procedure, pass(channel) :: buffer => halo_channel_buffer
    procedure, pass(channel) :: state => halo_channel_state
    procedure, pass(channel) :: send => halo_channel_send
    procedure, pass(channel) :: send_bytes => halo_channel_send_bytes
    procedure, pass(channel) :: send_null => halo_channel_send_null
    procedure, pass(channel) :: start_receive => halo_channel_start_receive
    procedure, pass(channel) :: try_receive => halo_channel_try_receive
    procedure, pass(channel) :: stale => halo_channel_stale
    procedure, pass(channel) :: get_key => halo_channel_get_key
    procedure, pass(channel) :: get_desc => halo_channel_get_desc
  end type halo_channel

  type, extends(halo_handle) :: halo_group
  contains
    procedure, pass(group) :: create => halo_group_create
    procedure, pass(group) :: get_desc => halo_group_get_desc
    procedure, pass(group) :: destroy => halo_group_destroy
    procedure, pass(group) :: drain => halo_group_drain
    procedure, pass(group) :: abandon => halo_group_abandon
    procedure, pass(group) :: table => halo_group_table
    procedure, pass(group) :: writable => halo_group_writable
    procedure, pass(group) :: start_receive => halo_group_start_receive
    procedure, pass(group) :: send => halo_group_send
    procedure, pass(group) :: send_rows => halo_group_send_rows
    procedure, pass(group) :: try_receive => halo_group_try_receive
    procedure, pass(group) :: stale => halo_group_stale
  end type halo_group

  type, extends(halo_handle) :: halo_mesh
  contains
    procedure, pass(mesh) :: create => halo_mesh_create
    procedure, pass(mesh) :: destroy => halo_mesh_destroy
    procedure, pass(mesh) :: get_local => halo_mesh_get_local
    procedure, pass(mesh) :: get_map => halo_mesh_get_map
    procedure, pass(mesh) :: topology => halo_mesh_topology
    procedure, pass(mesh) :: distribute => halo_mesh_distribute
    procedure, pass(mesh) :: collect => halo_mesh_collect
    procedure, pass(mesh) :: target_topology => halo_mesh_target_topology
    procedure, pass(mesh) :: add_columns => halo_mesh_add_columns
    procedure, pass(mesh) :: get_columns => halo_mesh_get_columns
    procedure, pass(mesh) :: column_topology => halo_mesh_column_topology
    procedure, pass(mesh) :: get_column_map => halo_mesh_get_column_map
  end type halo_mesh

  type, extends(halo_handle) :: halo_particles
  contains
    procedure, pass(particles) :: create => halo_particles_create
    procedure, pass(particles) :: destroy => halo_particles_destroy
    procedure, pass(particles) :: start => halo_particles_start
    procedure, pass(particles) :: test => halo_particles_test
    procedure, pass(particles) :: counts => halo_particles_counts
    procedure, pass(particles) :: left => halo_particles_left
    procedure, pass(particles) :: finish => halo_particles_finish
    procedure, pass(particles) :: abandon => halo_particles_abandon
  end type halo_particles

  type, extends(halo_handle) :: halo_sphere
  contains
    procedure, pass(sphere) :: create => halo_sphere_create
    procedure, pass(sphere) :: destroy => halo_sphere_destroy
    procedure, pass(sphere) :: local_parts => halo_sphere_local_parts
    procedure, pass(sphere) :: get_part => halo_sphere_get_part
    procedure, pass(sphere) :: ring_ends => halo_sphere_ring_ends
    procedure, pass(sphere) :: keys => halo_sphere_keys
    procedure, pass(sphere) :: neighbours => halo_sphere_neighbours
    procedure, pass(sphere) :: topology => halo_sphere_topology
  end type halo_sphere

  type, extends(halo_handle) :: halo_stencil
  contains
    procedure, pass(stencil) :: create => halo_stencil_create
    procedure, pass(stencil) :: destroy => halo_stencil_destroy
    procedure, pass(stencil) :: add_field => halo_stencil_add_field
    procedure, pass(stencil) :: add_stage => halo_stencil_add_stage
    procedure, pass(stencil) :: analyse => halo_stencil_analyse
    procedure, pass(stencil) :: get_field => halo_stencil_get_field
    procedure, pass(stencil) :: get_stage => halo_stencil_get_stage
    procedure, pass(stencil) :: describe => halo_stencil_describe
    procedure, pass(stencil) :: exchanges => halo_stencil_exchanges
    procedure, pass(stencil) :: groups => halo_stencil_groups
    procedure, pass(stencil) :: get_summary => halo_stencil_get_summary
    procedure, pass(stencil) :: level_index => halo_stencil_level_index
    procedure, pass(stencil) :: loops => halo_stencil_loops
    procedure, pass(stencil) :: loop_intervals => halo_stencil_loop_intervals
    procedure, pass(stencil) :: stage_ranges => halo_stencil_stage_ranges
    procedure, pass(stencil) :: exchange_ranges => halo_stencil_exchange_ranges
    procedure, pass(stencil) :: fill_field_desc => halo_stencil_fill_field_desc
    procedure, pass(stencil) :: fill_layout_desc => halo_stencil_fill_layout_desc
    procedure, pass(stencil) :: create_exchange => halo_stencil_create_exchange
    procedure, pass(stencil) :: create_topology => halo_stencil_create_topology
  end type halo_stencil

  interface halo_context_create
    module procedure halo_context_create_plain, create_over_integer, create_over_type
  end interface halo_context_create
  interface halo_exchange_start
    module procedure halo_exchange_start_plain, start_fields
  end interface halo_exchange_start
  interface halo_field_bind
    module procedure halo_field_bind_plain, bind_real32_1, bind_real32_2, bind_real32_3, bind_real32_4, bind_real32_5, &
      bind_real32_6, bind_real32_7, bind_real64_1, bind_real64_2, bind_real64_3, bind_real64_4, bind_real64_5, &
      bind_real64_6, bind_real64_7, bind_int32_1, bind_int32_2, bind_int32_3, bind_int32_4, bind_int32_5, bind_int32_6, &
      bind_int32_7, bind_int64_1, bind_int64_2, bind_int64_3, bind_int64_4, bind_int64_5, bind_int64_6, bind_int64_7, &
      bind_complex32_1, bind_complex32_2, bind_complex32_3, bind_complex32_4, bind_complex32_5, bind_complex32_6, &
      bind_complex32_7, bind_complex64_1, bind_complex64_2, bind_complex64_3, bind_complex64_4, bind_complex64_5, &
      bind_complex64_6, bind_complex64_7, bind_int8_1, bind_int8_2, bind_int8_3, bind_int8_4, bind_int8_5, bind_int8_6, &
      bind_int8_7, bind_int16_1, bind_int16_2, bind_int16_3, bind_int16_4, bind_int16_5, bind_int16_6, bind_int16_7
  end interface halo_field_bind
  interface halo_field_data
    module procedure halo_field_data_plain, data_real32_1, data_real32_2, data_real32_3, data_real32_4, data_real32_5, &
      data_real32_6, data_real32_7, data_real64_1, data_real64_2, data_real64_3, data_real64_4, data_real64_5, &
      data_real64_6, data_real64_7, data_int32_1, data_int32_2, data_int32_3, data_int32_4, data_int32_5, data_int32_6, &
      data_int32_7, data_int64_1, data_int64_2, data_int64_3, data_int64_4, data_int64_5, data_int64_6, data_int64_7, &
      data_complex32_1, data_complex32_2, data_complex32_3, data_complex32_4, data_complex32_5, data_complex32_6, &
      data_complex32_7, data_complex64_1, data_complex64_2, data_complex64_3, data_complex64_4, data_complex64_5, &
      data_complex64_6, data_complex64_7, data_int8_1, data_int8_2, data_int8_3, data_int8_4, data_int8_5, data_int8_6, &
      data_int8_7, data_int16_1, data_int16_2, data_int16_3, data_int16_4, data_int16_5, data_int16_6, data_int16_7
  end interface halo_field_data
  interface halo_context_allreduce
    module procedure halo_context_allreduce_plain, allreduce_real32_0, allreduce_real32_1, allreduce_real64_0, &
      allreduce_real64_1, allreduce_int32_0, allreduce_int32_1, allreduce_int64_0, allreduce_int64_1, &
      allreduce_complex32_0, allreduce_complex32_1, allreduce_complex64_0, allreduce_complex64_1, allreduce_int8_0, &
      allreduce_int8_1, allreduce_int16_0, allreduce_int16_1
  end interface halo_context_allreduce
  interface halo_struct_init
    module procedure init_halo_context_options, init_halo_bootstrap, init_halo_blocks_desc, init_halo_boxes_desc, &
      init_halo_regions_desc, init_halo_keys_desc, init_halo_keys_edit, init_halo_graph_desc, init_halo_star_desc, &
      init_halo_lists_desc, init_halo_keys_report, init_halo_part, init_halo_field_desc, init_halo_layout, &
      init_halo_layout_desc, init_halo_binding, init_halo_exchange_desc, init_halo_transfer_desc, init_halo_run, &
      init_halo_exchange_stats, init_halo_pool_stats, init_halo_section_sizes, init_halo_access, &
      init_halo_access_state, init_halo_access_stats, init_halo_reduction_item, init_halo_channel_allocator, &
      init_halo_channel_desc, init_halo_buffer, init_halo_group_desc, init_halo_leaf, init_halo_tree, &
      init_halo_tree_join, init_halo_forest_desc, init_halo_levels_desc, init_halo_mesh_set, init_halo_mesh_map, &
      init_halo_mesh_desc, init_halo_mesh_local, init_halo_particles_desc, init_halo_particles_arrays, &
      init_halo_sphere_desc, init_halo_sphere_part, init_halo_cubed_sphere_desc, init_halo_latitudes_desc, &
      init_halo_reduced_rows_desc, init_halo_stencil_desc, init_halo_stencil_field_desc, init_halo_stencil_stage_desc, &
      init_halo_stencil_field, init_halo_stencil_stage, init_halo_stencil_summary
  end interface halo_struct_init
  private :: init_halo_context_options, init_halo_bootstrap, init_halo_blocks_desc, init_halo_boxes_desc, &
    init_halo_regions_desc, init_halo_keys_desc, init_halo_keys_edit, init_halo_graph_desc, init_halo_star_desc, &
    init_halo_lists_desc, init_halo_keys_report, init_halo_part, init_halo_field_desc, init_halo_layout, &
    init_halo_layout_desc, init_halo_binding, init_halo_exchange_desc, init_halo_transfer_desc, init_halo_run, &
    init_halo_exchange_stats, init_halo_pool_stats, init_halo_section_sizes, init_halo_access, init_halo_access_state, &
    init_halo_access_stats, init_halo_reduction_item, init_halo_channel_allocator, init_halo_channel_desc, &
    init_halo_buffer, init_halo_group_desc, init_halo_leaf, init_halo_tree, init_halo_tree_join, init_halo_forest_desc, &
    init_halo_levels_desc, init_halo_mesh_set, init_halo_mesh_map, init_halo_mesh_desc, init_halo_mesh_local, &
    init_halo_particles_desc, init_halo_particles_arrays, init_halo_sphere_desc, init_halo_sphere_part, &
    init_halo_cubed_sphere_desc, init_halo_latitudes_desc, init_halo_reduced_rows_desc, init_halo_stencil_desc, &
    init_halo_stencil_field_desc, init_halo_stencil_stage_desc, init_halo_stencil_field, init_halo_stencil_stage, &
    init_halo_stencil_summary

contains

  subroutine init_halo_context_options(filled, stat, errmsg)
    type(halo_context_options), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_context_options" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_context_options

  subroutine init_halo_bootstrap(filled, stat, errmsg)
    type(halo_bootstrap), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_bootstrap" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_bootstrap

  subroutine init_halo_blocks_desc(filled, stat, errmsg)
    type(halo_blocks_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_blocks_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_blocks_desc

  subroutine init_halo_boxes_desc(filled, stat, errmsg)
    type(halo_boxes_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_boxes_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_boxes_desc

  subroutine init_halo_regions_desc(filled, stat, errmsg)
    type(halo_regions_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_regions_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_regions_desc

  subroutine init_halo_keys_desc(filled, stat, errmsg)
    type(halo_keys_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_keys_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_keys_desc

  subroutine init_halo_keys_edit(filled, stat, errmsg)
    type(halo_keys_edit), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_keys_edit" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_keys_edit

  subroutine init_halo_graph_desc(filled, stat, errmsg)
    type(halo_graph_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_graph_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_graph_desc

  subroutine init_halo_star_desc(filled, stat, errmsg)
    type(halo_star_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_star_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_star_desc

  subroutine init_halo_lists_desc(filled, stat, errmsg)
    type(halo_lists_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_lists_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_lists_desc

  subroutine init_halo_keys_report(filled, stat, errmsg)
    type(halo_keys_report), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_keys_report" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_keys_report

  subroutine init_halo_part(filled, stat, errmsg)
    type(halo_part), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_part" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_part

  subroutine init_halo_field_desc(filled, stat, errmsg)
    type(halo_field_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_field_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_field_desc

  subroutine init_halo_layout(filled, stat, errmsg)
    type(halo_layout), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_layout" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_layout

  subroutine init_halo_layout_desc(filled, stat, errmsg)
    type(halo_layout_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_layout_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_layout_desc

  subroutine init_halo_binding(filled, stat, errmsg)
    type(halo_binding), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_binding" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_binding

  subroutine init_halo_exchange_desc(filled, stat, errmsg)
    type(halo_exchange_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_exchange_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_exchange_desc

  subroutine init_halo_transfer_desc(filled, stat, errmsg)
    type(halo_transfer_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_transfer_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_transfer_desc

  subroutine init_halo_run(filled, stat, errmsg)
    type(halo_run), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_run" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_run

  subroutine init_halo_exchange_stats(filled, stat, errmsg)
    type(halo_exchange_stats), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_exchange_stats" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_exchange_stats

  subroutine init_halo_pool_stats(filled, stat, errmsg)
    type(halo_pool_stats), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_pool_stats" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_pool_stats

  subroutine init_halo_section_sizes(filled, stat, errmsg)
    type(halo_section_sizes), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_section_sizes" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_section_sizes

  subroutine init_halo_access(filled, stat, errmsg)
    type(halo_access), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_access" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_access

  subroutine init_halo_access_state(filled, stat, errmsg)
    type(halo_access_state), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_access_state" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_access_state

  subroutine init_halo_access_stats(filled, stat, errmsg)
    type(halo_access_stats), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_access_stats" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_access_stats

  subroutine init_halo_reduction_item(filled, stat, errmsg)
    type(halo_reduction_item), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_reduction_item" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_reduction_item

  subroutine init_halo_channel_allocator(filled, stat, errmsg)
    type(halo_channel_allocator), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_channel_allocator" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_channel_allocator

  subroutine init_halo_channel_desc(filled, stat, errmsg)
    type(halo_channel_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_channel_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_channel_desc

  subroutine init_halo_buffer(filled, stat, errmsg)
    type(halo_buffer), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_buffer" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_buffer

  subroutine init_halo_group_desc(filled, stat, errmsg)
    type(halo_group_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_group_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_group_desc

  subroutine init_halo_leaf(filled, stat, errmsg)
    type(halo_leaf), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_leaf" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_leaf

  subroutine init_halo_tree(filled, stat, errmsg)
    type(halo_tree), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_tree" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_tree

  subroutine init_halo_tree_join(filled, stat, errmsg)
    type(halo_tree_join), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_tree_join" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_tree_join

  subroutine init_halo_forest_desc(filled, stat, errmsg)
    type(halo_forest_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_forest_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_forest_desc

  subroutine init_halo_levels_desc(filled, stat, errmsg)
    type(halo_levels_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_levels_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_levels_desc

  subroutine init_halo_mesh_set(filled, stat, errmsg)
    type(halo_mesh_set), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_mesh_set" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_mesh_set

  subroutine init_halo_mesh_map(filled, stat, errmsg)
    type(halo_mesh_map), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_mesh_map" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_mesh_map

  subroutine init_halo_mesh_desc(filled, stat, errmsg)
    type(halo_mesh_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_mesh_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_mesh_desc

  subroutine init_halo_mesh_local(filled, stat, errmsg)
    type(halo_mesh_local), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_mesh_local" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_mesh_local

  subroutine init_halo_particles_desc(filled, stat, errmsg)
    type(halo_particles_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_particles_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_particles_desc

  subroutine init_halo_particles_arrays(filled, stat, errmsg)
    type(halo_particles_arrays), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_particles_arrays" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_particles_arrays

  subroutine init_halo_sphere_desc(filled, stat, errmsg)
    type(halo_sphere_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_sphere_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_sphere_desc

  subroutine init_halo_sphere_part(filled, stat, errmsg)
    type(halo_sphere_part), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_sphere_part" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_sphere_part

  subroutine init_halo_cubed_sphere_desc(filled, stat, errmsg)
    type(halo_cubed_sphere_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_cubed_sphere_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_cubed_sphere_desc

  subroutine init_halo_latitudes_desc(filled, stat, errmsg)
    type(halo_latitudes_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_latitudes_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_latitudes_desc

  subroutine init_halo_reduced_rows_desc(filled, stat, errmsg)
    type(halo_reduced_rows_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_reduced_rows_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_reduced_rows_desc

  subroutine init_halo_stencil_desc(filled, stat, errmsg)
    type(halo_stencil_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_stencil_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_stencil_desc

  subroutine init_halo_stencil_field_desc(filled, stat, errmsg)
    type(halo_stencil_field_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_stencil_field_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_stencil_field_desc

  subroutine init_halo_stencil_stage_desc(filled, stat, errmsg)
    type(halo_stencil_stage_desc), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_stencil_stage_desc" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_stencil_stage_desc

  subroutine init_halo_stencil_field(filled, stat, errmsg)
    type(halo_stencil_field), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_stencil_field" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_stencil_field

  subroutine init_halo_stencil_stage(filled, stat, errmsg)
    type(halo_stencil_stage), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_stencil_stage" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_stencil_stage

  subroutine init_halo_stencil_summary(filled, stat, errmsg)
    type(halo_stencil_summary), intent(out), target :: filled
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_struct_init("halo_stencil_summary" // c_null_char, c_loc(filled), c_sizeof(filled))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_struct_init", status, stat)
  end subroutine init_halo_stencil_summary

  subroutine halo_context_create_plain(options, context, stat, errmsg)
    type(halo_context_options), intent(in), optional :: options
    class(halo_context), intent(inout) :: context
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_context_create(options, made)
    if (status == HALO_SUCCESS) call context%adopt(made, c_halo_context_destroy, new_home())
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_create", status, stat)
  end subroutine halo_context_create_plain

  subroutine halo_context_create_communicator(communicator, handle_bytes, mpi, options, context, stat, errmsg)
    type(c_ptr), intent(in) :: communicator
    integer(c_size_t), intent(in) :: handle_bytes
    character(*), intent(in) :: mpi
    type(halo_context_options), intent(in), optional :: options
    class(halo_context), intent(inout) :: context
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_context_create_communicator(communicator, handle_bytes, mpi // c_null_char, options, made)
    if (status == HALO_SUCCESS) call context%adopt(made, c_halo_context_destroy, new_home())
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_create_communicator", status, stat)
  end subroutine halo_context_create_communicator

  subroutine halo_context_create_over(bootstrap, options, context, stat, errmsg)
    type(halo_bootstrap), intent(in) :: bootstrap
    type(halo_context_options), intent(in), optional :: options
    class(halo_context), intent(inout) :: context
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_context_create_over(bootstrap, options, made)
    if (status == HALO_SUCCESS) call context%adopt(made, c_halo_context_destroy, new_home())
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_create_over", status, stat)
  end subroutine halo_context_create_over

  subroutine halo_inproc_create(n_ranks, group, stat, errmsg)
    integer(c_int32_t), intent(in) :: n_ranks
    class(halo_inproc), intent(inout) :: group
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_inproc_create(n_ranks, made)
    if (status == HALO_SUCCESS) call group%adopt(made, c_halo_inproc_destroy, null())
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_inproc_create", status, stat)
  end subroutine halo_inproc_create

  subroutine halo_context_create_inproc(group, rank, options, context, stat, errmsg)
    class(halo_inproc), intent(in) :: group
    integer(c_int32_t), intent(in) :: rank
    type(halo_context_options), intent(in), optional :: options
    class(halo_context), intent(inout) :: context
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_context_create_inproc(group%handle, rank, options, made)
    if (status == HALO_SUCCESS) call context%adopt(made, c_halo_context_destroy, new_home())
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_create_inproc", status, stat)
  end subroutine halo_context_create_inproc

  subroutine halo_inproc_destroy(group, stat, errmsg)
    class(halo_inproc), intent(inout) :: group
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(group%handle) .and. .not. group%owns()) then
      if (present(errmsg)) errmsg = refused("halo_inproc_destroy", "a copy of a handle does not own what it stands for")
      call conclude("halo_inproc_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_inproc_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_inproc_destroy(group%handle)
    if (.not. c_associated(group%handle)) call group%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_inproc_destroy", status, stat)
  end subroutine halo_inproc_destroy

  subroutine halo_context_destroy(context, stat, errmsg)
    class(halo_context), intent(inout) :: context
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(context%handle) .and. .not. context%owns()) then
      if (present(errmsg)) errmsg = refused("halo_context_destroy", &
        "a copy of a handle does not own what it stands for")
      call conclude("halo_context_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_context_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_context_destroy(context%handle)
    if (.not. c_associated(context%handle)) call context%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_destroy", status, stat)
  end subroutine halo_context_destroy

  subroutine halo_context_destroy_with_all(context, stat, errmsg)
    class(halo_context), intent(inout) :: context
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(context%handle) .and. .not. context%owns()) then
      if (present(errmsg)) errmsg = refused("halo_context_destroy_with_all", &
        "a copy of a handle does not own what it stands for")
      call conclude("halo_context_destroy_with_all", HALO_ERR_ARGUMENT, stat, refused("halo_context_destroy_with_all", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_context_destroy_with_all(context%handle)
    if (.not. c_associated(context%handle)) call context%all_gone()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_destroy_with_all", status, stat)
  end subroutine halo_context_destroy_with_all

  subroutine halo_context_rank(context, rank, n_ranks, stat, errmsg)
    class(halo_context), intent(in) :: context
    integer(c_int32_t), intent(out) :: rank
    integer(c_int32_t), intent(out) :: n_ranks
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    rank = 0
    n_ranks = 0
    status = c_halo_context_rank(context%handle, rank, n_ranks)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_rank", status, stat)
  end subroutine halo_context_rank

  subroutine halo_context_set(context, key, value, stat, errmsg)
    class(halo_context), intent(in) :: context
    character(*), intent(in) :: key
    character(*), intent(in) :: value
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_context_set(context%handle, key // c_null_char, value // c_null_char)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_set", status, stat)
  end subroutine halo_context_set

  subroutine halo_context_setting(context, key, value, source, stat, errmsg)
    class(halo_context), intent(in) :: context
    character(*), intent(in) :: key
    character(:), allocatable, intent(out) :: value
    character(:), allocatable, intent(out), optional :: source
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: value_c
    type(c_ptr) :: source_c
    value_c = c_null_ptr
    source_c = c_null_ptr
    status = c_halo_context_setting(context%handle, key // c_null_char, value_c, source_c)
    if (status == HALO_SUCCESS) then
      value = c_text(value_c)
      if (present(source)) source = c_text(source_c)
    end if
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_setting", status, stat)
  end subroutine halo_context_setting

  subroutine halo_context_progress(context, stat, errmsg)
    class(halo_context), intent(in) :: context
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_context_progress(context%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_progress", status, stat)
  end subroutine halo_context_progress

  subroutine halo_context_rank_gone(context, rank, stat, errmsg)
    class(halo_context), intent(in) :: context
    integer(c_int32_t), intent(in) :: rank
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_context_rank_gone(context%handle, rank)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_rank_gone", status, stat)
  end subroutine halo_context_rank_gone

  subroutine halo_context_barrier(context, stat, errmsg)
    class(halo_context), intent(in) :: context
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_context_barrier(context%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_barrier", status, stat)
  end subroutine halo_context_barrier

  subroutine halo_context_allreduce_plain(context, in, out, n, type, op, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(c_ptr), intent(in) :: in
    type(c_ptr), intent(in) :: out
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), intent(in) :: type
    integer(c_int32_t), intent(in) :: op
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_context_allreduce(context%handle, in, out, n, type, op)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_allreduce", status, stat)
  end subroutine halo_context_allreduce_plain

  subroutine halo_topology_create_blocks(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_blocks_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_blocks(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_blocks", status, stat)
  end subroutine halo_topology_create_blocks

  subroutine halo_topology_create_boxes(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_boxes_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_boxes(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_boxes", status, stat)
  end subroutine halo_topology_create_boxes

  subroutine halo_topology_create_regions(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_regions_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_regions(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_regions", status, stat)
  end subroutine halo_topology_create_regions

  subroutine halo_topology_create_keys(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_keys_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_keys(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_keys", status, stat)
  end subroutine halo_topology_create_keys

  subroutine halo_topology_edit_keys(topology, edit, edited, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    type(halo_keys_edit), intent(in) :: edit
    class(halo_topology), intent(inout) :: edited
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_edit_keys(topology%handle, edit, made)
    if (status == HALO_SUCCESS) call edited%adopt(made, c_halo_topology_destroy, topology%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_edit_keys", status, stat)
  end subroutine halo_topology_edit_keys

  subroutine halo_topology_create_graph(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_graph_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_graph(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_graph", status, stat)
  end subroutine halo_topology_create_graph

  subroutine halo_topology_rings(topology, rings, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int32_t), allocatable, intent(out) :: rings(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(rings(capacity))
      n_rows = 0
      status = c_halo_topology_rings(topology%handle, rings, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(rings)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_rings", status, stat)
  end subroutine halo_topology_rings

  subroutine halo_topology_point_keys(topology, keys, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int64_t), allocatable, intent(out) :: keys(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(keys(capacity))
      n_rows = 0
      status = c_halo_topology_point_keys(topology%handle, keys, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(keys)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_point_keys", status, stat)
  end subroutine halo_topology_point_keys

  subroutine halo_topology_create_star(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_star_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_star(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_star", status, stat)
  end subroutine halo_topology_create_star

  subroutine halo_topology_create_lists(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_lists_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_lists(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_lists", status, stat)
  end subroutine halo_topology_create_lists

  subroutine halo_topology_keys_report(topology, report, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    type(halo_keys_report), intent(out) :: report
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_topology_keys_report(topology%handle, report)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_keys_report", status, stat)
  end subroutine halo_topology_keys_report

  subroutine halo_topology_local_indices(topology, indices, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int32_t), allocatable, intent(out) :: indices(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(indices(capacity))
      n_rows = 0
      status = c_halo_topology_local_indices(topology%handle, indices, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(indices)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_local_indices", status, stat)
  end subroutine halo_topology_local_indices

  subroutine halo_topology_owners(topology, ranks, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int32_t), allocatable, intent(out) :: ranks(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(ranks(capacity))
      n_rows = 0
      status = c_halo_topology_owners(topology%handle, ranks, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(ranks)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_owners", status, stat)
  end subroutine halo_topology_owners

  subroutine halo_topology_sharers(topology, local_index, ranks, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int64_t), intent(in) :: local_index
    integer(c_int32_t), allocatable, intent(out) :: ranks(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(ranks(capacity))
      n_rows = 0
      status = c_halo_topology_sharers(topology%handle, local_index, ranks, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(ranks)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_sharers", status, stat)
  end subroutine halo_topology_sharers

  subroutine halo_topology_destroy(topology, stat, errmsg)
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(topology%handle) .and. .not. topology%owns()) then
      if (present(errmsg)) errmsg = refused("halo_topology_destroy", &
        "a copy of a handle does not own what it stands for")
      call conclude("halo_topology_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_topology_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_topology_destroy(topology%handle)
    if (.not. c_associated(topology%handle)) call topology%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_destroy", status, stat)
  end subroutine halo_topology_destroy

  subroutine halo_topology_local_parts(topology, gids, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int64_t), pointer, intent(out) :: gids(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: gids_c
    integer(c_int64_t) :: n
    gids_c = c_null_ptr
    nullify(gids)
    n = 0
    status = c_halo_topology_local_parts(topology%handle, gids_c, n)
    if (status == HALO_SUCCESS) call c_f_pointer(some(gids_c), gids, [n])
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_local_parts", status, stat)
  end subroutine halo_topology_local_parts

  subroutine halo_topology_part(topology, gid, part, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int64_t), intent(in) :: gid
    type(halo_part), intent(out) :: part
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_topology_part(topology%handle, gid, part)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_part", status, stat)
  end subroutine halo_topology_part

  subroutine halo_topology_neighbours(topology, gid, neighbours, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int64_t), intent(in) :: gid
    type(halo_neighbour), allocatable, intent(out) :: neighbours(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    type(halo_neighbour) :: row
    capacity = 0
    do
      allocate(neighbours(capacity))
      n_rows = 0
      status = c_halo_topology_neighbours(topology%handle, gid, c_sizeof(row), neighbours, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(neighbours)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_neighbours", status, stat)
  end subroutine halo_topology_neighbours

  subroutine halo_topology_peers(topology, ranks, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int32_t), allocatable, intent(out) :: ranks(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(ranks(capacity))
      n_rows = 0
      status = c_halo_topology_peers(topology%handle, ranks, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(ranks)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_peers", status, stat)
  end subroutine halo_topology_peers

  subroutine halo_field_create(topology, desc, field, name, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    type(halo_field_desc), intent(in) :: desc
    class(halo_field), intent(inout) :: field
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(halo_field_desc) :: named
    character(:), allocatable, target :: name_c
    type(c_ptr) :: made
    named = desc
    if (present(name)) then
      name_c = name // c_null_char
      named%name = c_loc(name_c)
    end if
    made = c_null_ptr
    status = c_halo_field_create(topology%handle, named, made)
    if (status == HALO_SUCCESS) then
      call field%adopt(made, c_halo_field_destroy, topology%home)
      field%parent = topology%handle
    end if
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_create", status, stat)
  end subroutine halo_field_create

  subroutine halo_field_get_desc(field, desc, stat, errmsg)
    class(halo_field), intent(in) :: field
    type(halo_field_desc), intent(out) :: desc
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_get_desc(field%handle, desc)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_get_desc", status, stat)
  end subroutine halo_field_get_desc

  subroutine halo_field_destroy(field, stat, errmsg)
    class(halo_field), intent(inout) :: field
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(field%handle) .and. .not. field%owns()) then
      if (present(errmsg)) errmsg = refused("halo_field_destroy", "a copy of a handle does not own what it stands for")
      call conclude("halo_field_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_field_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_field_destroy(field%handle)
    if (.not. c_associated(field%handle)) call field%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_destroy", status, stat)
  end subroutine halo_field_destroy

  subroutine halo_field_layout(field, gid, layout, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    type(halo_layout), intent(out) :: layout
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_layout(field%handle, gid, layout)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_layout", status, stat)
  end subroutine halo_field_layout

  subroutine halo_field_set_layout(field, desc, stat, errmsg)
    class(halo_field), intent(in) :: field
    type(halo_layout_desc), intent(in) :: desc
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_set_layout(field%handle, desc)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_set_layout", status, stat)
  end subroutine halo_field_set_layout

  subroutine halo_layout_fill(desc, points, element_bytes, n_components, n_places, layout, stat, errmsg)
    type(halo_layout_desc), intent(in) :: desc
    integer(c_int64_t), intent(in) :: points(3)
    integer(c_int64_t), intent(in) :: element_bytes
    integer(c_int32_t), intent(in) :: n_components
    integer(c_int32_t), intent(in) :: n_places
    type(halo_layout), intent(out) :: layout
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_layout_fill(desc, points, element_bytes, n_components, n_places, layout)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_layout_fill", status, stat)
  end subroutine halo_layout_fill

  subroutine halo_field_map_points(field, gid, positions, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    integer(c_int64_t), intent(in) :: positions(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_map_points(field%handle, gid, positions, size(positions, kind=c_int64_t))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_map_points", status, stat)
  end subroutine halo_field_map_points

  subroutine halo_field_bind_plain(field, gid, binding, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    type(halo_binding), intent(in) :: binding
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_bind(field%handle, gid, binding)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_bind", status, stat)
  end subroutine halo_field_bind_plain

  subroutine halo_field_bind_many(field, part_stride, binding, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: part_stride
    type(halo_binding), intent(in) :: binding
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_bind_many(field%handle, part_stride, binding)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_bind_many", status, stat)
  end subroutine halo_field_bind_many

  subroutine halo_field_allocate(field, gid, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_allocate(field%handle, gid)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_allocate", status, stat)
  end subroutine halo_field_allocate

  subroutine halo_field_data_plain(field, gid, set, data, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    integer(c_int32_t), intent(in) :: set
    type(c_ptr), intent(out) :: data
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    data = c_null_ptr
    status = c_halo_field_data(field%handle, gid, set, data)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_data", status, stat)
  end subroutine halo_field_data_plain

  subroutine halo_field_boundaries(field, gid, boundaries, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    type(halo_boundary), allocatable, intent(out) :: boundaries(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    type(halo_boundary) :: row
    capacity = 0
    do
      allocate(boundaries(capacity))
      n_rows = 0
      status = c_halo_field_boundaries(field%handle, gid, c_sizeof(row), boundaries, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(boundaries)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_boundaries", status, stat)
  end subroutine halo_field_boundaries

  subroutine halo_field_owner_mask(field, gid, mask, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    integer(c_int8_t), allocatable, intent(out) :: mask(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(mask(capacity))
      n_rows = 0
      status = c_halo_field_owner_mask(field%handle, gid, mask, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(mask)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_owner_mask", status, stat)
  end subroutine halo_field_owner_mask

  subroutine halo_field_interior_rim(field, gid, reach, interior, rim, n_rim, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    integer(c_int32_t), intent(in) :: reach
    type(halo_box), intent(out) :: interior
    type(halo_box), intent(out) :: rim(6)
    integer(c_int32_t), intent(out) :: n_rim
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    n_rim = 0
    status = c_halo_field_interior_rim(field%handle, gid, reach, interior, rim, n_rim)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_interior_rim", status, stat)
  end subroutine halo_field_interior_rim

  subroutine halo_exchange_create(fields, desc, exchange, stat, errmsg)
    type(halo_field), intent(in) :: fields(:)
    type(halo_exchange_desc), intent(in), optional :: desc
    class(halo_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: fields_c(size(fields))
    type(c_ptr) :: made
    fields_c = fields%handle
    made = c_null_ptr
    status = c_halo_exchange_create(fields_c, size(fields, kind=c_int32_t), desc, made)
    if (status == HALO_SUCCESS) call exchange%adopt(made, c_halo_exchange_destroy, home_of(fields))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_create", status, stat)
  end subroutine halo_exchange_create

  subroutine halo_exchange_get_desc(exchange, desc, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(halo_exchange_desc), intent(out) :: desc
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_get_desc(exchange%handle, desc)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_get_desc", status, stat)
  end subroutine halo_exchange_get_desc

  subroutine halo_exchange_create_transfer(sources, destinations, desc, exchange, stat, errmsg)
    type(halo_field), intent(in) :: sources(:)
    type(halo_field), intent(in) :: destinations(:)
    type(halo_transfer_desc), intent(in), optional :: desc
    class(halo_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: sources_c(size(sources))
    type(c_ptr) :: destinations_c(size(destinations))
    type(c_ptr) :: made
    sources_c = sources%handle
    destinations_c = destinations%handle
    if (size(destinations) /= size(sources)) then
      if (present(errmsg)) errmsg = refused("halo_exchange_create_transfer", "destinations and sources differ in size")
      call conclude("halo_exchange_create_transfer", HALO_ERR_ARGUMENT, stat, refused("halo_exchange_create_transfer", &
        "destinations and sources differ in size"))
      return
    end if
    made = c_null_ptr
    status = c_halo_exchange_create_transfer(sources_c, destinations_c, size(sources, kind=c_int32_t), desc, made)
    if (status == HALO_SUCCESS) call exchange%adopt(made, c_halo_exchange_destroy, home_of(sources))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_create_transfer", status, stat)
  end subroutine halo_exchange_create_transfer

  subroutine halo_exchange_get_transfer_desc(exchange, desc, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(halo_transfer_desc), intent(out) :: desc
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_get_transfer_desc(exchange%handle, desc)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_get_transfer_desc", status, stat)
  end subroutine halo_exchange_get_transfer_desc

  subroutine halo_exchange_prepare(exchange, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_prepare(exchange%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_prepare", status, stat)
  end subroutine halo_exchange_prepare

  subroutine halo_exchange_destroy(exchange, stat, errmsg)
    class(halo_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(exchange%handle) .and. .not. exchange%owns()) then
      if (present(errmsg)) errmsg = refused("halo_exchange_destroy", &
        "a copy of a handle does not own what it stands for")
      call conclude("halo_exchange_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_exchange_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_exchange_destroy(exchange%handle)
    if (.not. c_associated(exchange%handle)) call exchange%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_destroy", status, stat)
  end subroutine halo_exchange_destroy

  subroutine halo_exchange_start_plain(exchange, run, stream, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(halo_run), intent(in), optional :: run
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_start(exchange%handle, run, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_start", status, stat)
  end subroutine halo_exchange_start_plain

  subroutine halo_exchange_finish(exchange, stream, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_finish(exchange%handle, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_finish", status, stat)
  end subroutine halo_exchange_finish

  subroutine halo_exchange_post(exchange, run, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(halo_run), intent(in), optional :: run
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_post(exchange%handle, run)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_post", status, stat)
  end subroutine halo_exchange_post

  subroutine halo_exchange_send(exchange, stream, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_send(exchange%handle, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_send", status, stat)
  end subroutine halo_exchange_send

  subroutine halo_exchange_test(exchange, done, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    integer(c_int32_t), intent(out) :: done
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    done = 0
    status = c_halo_exchange_test(exchange%handle, done)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_test", status, stat)
  end subroutine halo_exchange_test

  subroutine halo_exchange_unpack(exchange, stream, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_unpack(exchange%handle, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_unpack", status, stat)
  end subroutine halo_exchange_unpack

  subroutine halo_exchange_refine(exchange, stream, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_refine(exchange%handle, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_refine", status, stat)
  end subroutine halo_exchange_refine

  subroutine halo_exchange_abandon(exchange, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_abandon(exchange%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_abandon", status, stat)
  end subroutine halo_exchange_abandon

  subroutine halo_exchange_get_stats(exchange, stats, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(halo_exchange_stats), intent(out) :: stats
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_get_stats(exchange%handle, stats)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_get_stats", status, stat)
  end subroutine halo_exchange_get_stats

  subroutine halo_exchange_peers(exchange, rows, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(halo_peer_row), allocatable, intent(out) :: rows(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    type(halo_peer_row) :: row
    capacity = 0
    do
      allocate(rows(capacity))
      n_rows = 0
      status = c_halo_exchange_peers(exchange%handle, c_sizeof(row), rows, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(rows)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_peers", status, stat)
  end subroutine halo_exchange_peers

  subroutine halo_exchange_describe(exchange, text, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_size_t) :: needed
    character(kind=c_char), allocatable, target :: buffer(:)
    needed = 0
    status = c_halo_exchange_describe(exchange%handle, c_null_ptr, 0_c_size_t, needed)
    if (status == HALO_SUCCESS) then
      allocate(buffer(needed))
      status = c_halo_exchange_describe(exchange%handle, c_loc(buffer), needed, needed)
      text = c_text(c_loc(buffer))
    end if
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_describe", status, stat)
  end subroutine halo_exchange_describe

  subroutine halo_exchange_arrivals(exchange, arrivals, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(halo_arrival), allocatable, intent(out) :: arrivals(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(arrivals(capacity))
      n_rows = 0
      status = c_halo_exchange_arrivals(exchange%handle, arrivals, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(arrivals)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_arrivals", status, stat)
  end subroutine halo_exchange_arrivals

  subroutine halo_context_pool_stats(context, memory, stats, stat, errmsg)
    class(halo_context), intent(in) :: context
    integer(c_int32_t), intent(in) :: memory
    type(halo_pool_stats), intent(out) :: stats
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_context_pool_stats(context%handle, memory, stats)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_pool_stats", status, stat)
  end subroutine halo_context_pool_stats

  subroutine halo_memory_allocate(context, memory, bytes, pointer, stat, errmsg)
    class(halo_context), intent(in) :: context
    integer(c_int32_t), intent(in) :: memory
    integer(c_int64_t), intent(in) :: bytes
    type(c_ptr), intent(out) :: pointer
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    pointer = c_null_ptr
    status = c_halo_memory_allocate(context%handle, memory, bytes, pointer)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_memory_allocate", status, stat)
  end subroutine halo_memory_allocate

  subroutine halo_memory_allocate_on(context, memory, device, bytes, pointer, stat, errmsg)
    class(halo_context), intent(in) :: context
    integer(c_int32_t), intent(in) :: memory
    integer(c_int32_t), intent(in) :: device
    integer(c_int64_t), intent(in) :: bytes
    type(c_ptr), intent(out) :: pointer
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    pointer = c_null_ptr
    status = c_halo_memory_allocate_on(context%handle, memory, device, bytes, pointer)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_memory_allocate_on", status, stat)
  end subroutine halo_memory_allocate_on

  subroutine halo_memory_release(context, pointer, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(c_ptr), intent(inout) :: pointer
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_memory_release(context%handle, pointer)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_memory_release", status, stat)
  end subroutine halo_memory_release

  subroutine halo_context_trim(context, stat, errmsg)
    class(halo_context), intent(in) :: context
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_context_trim(context%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_context_trim", status, stat)
  end subroutine halo_context_trim

  subroutine halo_info(context, what, text, stat, errmsg)
    class(halo_context), intent(in), optional :: context
    integer(c_int32_t), intent(in) :: what
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: context_c
    integer(c_size_t) :: needed
    character(kind=c_char), allocatable, target :: buffer(:)
    context_c = c_null_ptr
    if (present(context)) context_c = context%handle
    needed = 0
    status = c_halo_info(context_c, what, c_null_ptr, 0_c_size_t, needed)
    if (status == HALO_SUCCESS) then
      allocate(buffer(needed))
      status = c_halo_info(context_c, what, c_loc(buffer), needed, needed)
      text = c_text(c_loc(buffer))
    end if
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_info", status, stat)
  end subroutine halo_info

  subroutine halo_sections_classify(rank, owners, maps, sections, order, sizes, stat, errmsg)
    integer(c_int32_t), intent(in) :: rank
    integer(c_int32_t), intent(in) :: owners(:)
    type(halo_map), intent(in) :: maps(:)
    integer(c_int32_t), intent(out), optional :: sections(:)
    integer(c_int32_t), intent(out), optional :: order(:)
    type(halo_section_sizes), intent(out), optional :: sizes
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (present(sections)) then
      if (size(sections) /= size(owners)) then
        if (present(errmsg)) errmsg = refused("halo_sections_classify", "sections and owners differ in size")
        call conclude("halo_sections_classify", HALO_ERR_ARGUMENT, stat, refused("halo_sections_classify", &
          "sections and owners differ in size"))
        return
      end if
    end if
    if (present(order)) then
      if (size(order) /= size(owners)) then
        if (present(errmsg)) errmsg = refused("halo_sections_classify", "order and owners differ in size")
        call conclude("halo_sections_classify", HALO_ERR_ARGUMENT, stat, refused("halo_sections_classify", &
          "order and owners differ in size"))
        return
      end if
    end if
    status = c_halo_sections_classify(rank, owners, size(owners, kind=c_int64_t), maps, size(maps, kind=c_int32_t), &
      sections, order, sizes)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sections_classify", status, stat)
  end subroutine halo_sections_classify

  subroutine halo_sections_reach(map, sections, from, bits, groups, stat, errmsg)
    type(halo_map), intent(in) :: map
    integer(c_int32_t), intent(in) :: sections(:)
    integer(c_int32_t), intent(in) :: from
    integer(c_int32_t), intent(in) :: bits
    integer(c_int32_t), intent(inout) :: groups(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (size(groups, kind=c_int64_t) < map%n_to) then
      if (present(errmsg)) errmsg = refused("halo_sections_reach", &
        "groups has fewer entries than there are that the map leads to")
      call conclude("halo_sections_reach", HALO_ERR_ARGUMENT, stat, refused("halo_sections_reach", &
        "groups has fewer entries than there are that the map leads to"))
      return
    end if
    status = c_halo_sections_reach(map, sections, size(sections, kind=c_int64_t), from, bits, groups)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sections_reach", status, stat)
  end subroutine halo_sections_reach

  subroutine halo_topology_set_sections(topology, groups, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    integer(c_int32_t), intent(in) :: groups(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_topology_set_sections(topology%handle, groups, size(groups, kind=c_int64_t))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_set_sections", status, stat)
  end subroutine halo_topology_set_sections

  subroutine halo_access_begin(context, accesses, style, where, stream, batch, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_access), intent(in) :: accesses(:)
    integer(c_int32_t), intent(in) :: style
    integer(c_int32_t), intent(in) :: where
    type(c_ptr), intent(in), optional :: stream
    class(halo_batch), intent(inout) :: batch
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    type(halo_access) :: row
    made = c_null_ptr
    status = c_halo_access_begin(context%handle, accesses, size(accesses, kind=c_int32_t), c_sizeof(row), style, where, &
      address(stream), made)
    call batch%borrow(made, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_begin", status, stat)
  end subroutine halo_access_begin

  subroutine halo_access_ready(batch, stat, errmsg)
    class(halo_batch), intent(in) :: batch
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_access_ready(batch%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_ready", status, stat)
  end subroutine halo_access_ready

  subroutine halo_access_needs_exec(batch, needs_exec, stat, errmsg)
    class(halo_batch), intent(in) :: batch
    integer(c_int32_t), intent(out) :: needs_exec
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    needs_exec = 0
    status = c_halo_access_needs_exec(batch%handle, needs_exec)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_needs_exec", status, stat)
  end subroutine halo_access_needs_exec

  subroutine halo_access_end(batch, stat, errmsg)
    class(halo_batch), intent(in) :: batch
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_access_end(batch%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_end", status, stat)
  end subroutine halo_access_end

  subroutine halo_access_end_and_send(batch, stat, errmsg)
    class(halo_batch), intent(in) :: batch
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_access_end_and_send(batch%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_end_and_send", status, stat)
  end subroutine halo_access_end_and_send

  subroutine halo_access_abandon(batch, stat, errmsg)
    class(halo_batch), intent(in) :: batch
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_access_abandon(batch%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_abandon", status, stat)
  end subroutine halo_access_abandon

  subroutine halo_access_get_state(field, set, state, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int32_t), intent(in) :: set
    type(halo_access_state), intent(out) :: state
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_access_get_state(field%handle, set, state)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_get_state", status, stat)
  end subroutine halo_access_get_state

  subroutine halo_access_mark_dirty(field, set, where, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int32_t), intent(in) :: set
    integer(c_int32_t), intent(in) :: where
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_access_mark_dirty(field%handle, set, where)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_mark_dirty", status, stat)
  end subroutine halo_access_mark_dirty

  subroutine halo_access_mark_fresh(field, set, where, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int32_t), intent(in) :: set
    integer(c_int32_t), intent(in) :: where
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_access_mark_fresh(field%handle, set, where)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_mark_fresh", status, stat)
  end subroutine halo_access_mark_fresh

  subroutine halo_access_freeze(field, frozen, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int32_t), intent(in) :: frozen
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_access_freeze(field%handle, frozen)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_freeze", status, stat)
  end subroutine halo_access_freeze

  subroutine halo_access_data(field, gid, set, where, data, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    integer(c_int32_t), intent(in) :: set
    integer(c_int32_t), intent(in) :: where
    type(c_ptr), intent(out) :: data
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    data = c_null_ptr
    status = c_halo_access_data(field%handle, gid, set, where, data)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_data", status, stat)
  end subroutine halo_access_data

  subroutine halo_access_get_stats(context, field_name, stats, stat, errmsg)
    class(halo_context), intent(in) :: context
    character(*), intent(in) :: field_name
    type(halo_access_stats), intent(out) :: stats
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_access_get_stats(context%handle, field_name // c_null_char, stats)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_access_get_stats", status, stat)
  end subroutine halo_access_get_stats

  subroutine halo_reduction_create(context, n, type, op, reduction, stat, errmsg)
    class(halo_context), intent(in) :: context
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), intent(in) :: type
    integer(c_int32_t), intent(in) :: op
    class(halo_reduction), intent(inout) :: reduction
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_reduction_create(context%handle, n, type, op, made)
    if (status == HALO_SUCCESS) call reduction%adopt(made, c_halo_reduction_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_reduction_create", status, stat)
  end subroutine halo_reduction_create

  subroutine halo_reduction_create_items(context, items, reduction, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_reduction_item), intent(in) :: items(:)
    class(halo_reduction), intent(inout) :: reduction
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    type(halo_reduction_item) :: row
    made = c_null_ptr
    status = c_halo_reduction_create_items(context%handle, items, c_sizeof(row), size(items, kind=c_int32_t), made)
    if (status == HALO_SUCCESS) call reduction%adopt(made, c_halo_reduction_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_reduction_create_items", status, stat)
  end subroutine halo_reduction_create_items

  subroutine halo_reduction_begin(reduction, in, stat, errmsg)
    class(halo_reduction), intent(in) :: reduction
    type(*), intent(in), optional :: in(*)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_reduction_begin(reduction%handle, in)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_reduction_begin", status, stat)
  end subroutine halo_reduction_begin

  subroutine halo_reduction_test(reduction, done, stat, errmsg)
    class(halo_reduction), intent(in) :: reduction
    integer(c_int32_t), intent(out) :: done
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    done = 0
    status = c_halo_reduction_test(reduction%handle, done)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_reduction_test", status, stat)
  end subroutine halo_reduction_test

  subroutine halo_reduction_end(reduction, out, stat, errmsg)
    class(halo_reduction), intent(in) :: reduction
    type(*), intent(inout), optional :: out(*)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_reduction_end(reduction%handle, out)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_reduction_end", status, stat)
  end subroutine halo_reduction_end

  subroutine halo_reduction_destroy(reduction, stat, errmsg)
    class(halo_reduction), intent(inout) :: reduction
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(reduction%handle) .and. .not. reduction%owns()) then
      if (present(errmsg)) errmsg = refused("halo_reduction_destroy", &
        "a copy of a handle does not own what it stands for")
      call conclude("halo_reduction_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_reduction_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_reduction_destroy(reduction%handle)
    if (.not. c_associated(reduction%handle)) call reduction%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_reduction_destroy", status, stat)
  end subroutine halo_reduction_destroy

  subroutine halo_channel_register(context, key, desc, channel, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_channel_key), intent(in) :: key
    type(halo_channel_desc), intent(in) :: desc
    class(halo_channel), intent(inout) :: channel
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_channel_register(context%handle, key, desc, made)
    if (status == HALO_SUCCESS) call channel%adopt(made, c_halo_channel_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_register", status, stat)
  end subroutine halo_channel_register

  subroutine halo_channel_register_many(context, keys, descs, channels, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_channel_key), intent(in) :: keys(:)
    type(halo_channel_desc), intent(in) :: descs(:)
    type(halo_channel), intent(inout) :: channels(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made(size(channels))
    integer :: i
    type(halo_channel_desc) :: row
    if (size(descs) /= size(keys)) then
      if (present(errmsg)) errmsg = refused("halo_channel_register_many", "descs and keys differ in size")
      call conclude("halo_channel_register_many", HALO_ERR_ARGUMENT, stat, refused("halo_channel_register_many", &
        "descs and keys differ in size"))
      return
    end if
    made = c_null_ptr
    if (size(channels) /= size(keys)) then
      if (present(errmsg)) errmsg = refused("halo_channel_register_many", "channels and keys differ in size")
      call conclude("halo_channel_register_many", HALO_ERR_ARGUMENT, stat, refused("halo_channel_register_many", &
        "channels and keys differ in size"))
      return
    end if
    status = c_halo_channel_register_many(context%handle, keys, descs, c_sizeof(row), size(keys, kind=c_int64_t), made)
    if (status == HALO_SUCCESS) then
      do i = 1, size(channels)
        call channels(i)%adopt(made(i), c_halo_channel_destroy, context%home)
      end do
    end if
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_register_many", status, stat)
  end subroutine halo_channel_register_many

  subroutine halo_channel_find(context, key, channel, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_channel_key), intent(in) :: key
    class(halo_channel), intent(inout) :: channel
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_channel_find(context%handle, key, made)
    call channel%borrow(made, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_find", status, stat)
  end subroutine halo_channel_find

  subroutine halo_channel_destroy(channel, stat, errmsg)
    class(halo_channel), intent(inout) :: channel
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(channel%handle) .and. .not. channel%owns()) then
      if (present(errmsg)) errmsg = refused("halo_channel_destroy", &
        "a copy of a handle does not own what it stands for")
      call conclude("halo_channel_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_channel_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_channel_destroy(channel%handle)
    if (.not. c_associated(channel%handle)) call channel%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_destroy", status, stat)
  end subroutine halo_channel_destroy

  subroutine halo_channel_abandon(channel, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_abandon(channel%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_abandon", status, stat)
  end subroutine halo_channel_abandon

  subroutine halo_channel_writable(channel, writable, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    integer(c_int32_t), intent(out) :: writable
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    writable = 0
    status = c_halo_channel_writable(channel%handle, writable)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_writable", status, stat)
  end subroutine halo_channel_writable

  subroutine halo_channel_allocate(channel, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_allocate(channel%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_allocate", status, stat)
  end subroutine halo_channel_allocate

  subroutine halo_channel_release(channel, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_release(channel%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_release", status, stat)
  end subroutine halo_channel_release

  subroutine halo_channel_set_buffer(channel, buffer, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    type(c_ptr), intent(in) :: buffer
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_set_buffer(channel%handle, buffer)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_set_buffer", status, stat)
  end subroutine halo_channel_set_buffer

  subroutine halo_channel_set_bytes(channel, bytes, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_set_bytes(channel%handle, bytes)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_set_bytes", status, stat)
  end subroutine halo_channel_set_bytes

  subroutine halo_channel_buffer(channel, buffer, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    type(halo_buffer), intent(out) :: buffer
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_buffer(channel%handle, buffer)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_buffer", status, stat)
  end subroutine halo_channel_buffer

  subroutine halo_channel_state(channel, state, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    integer(c_int32_t), intent(out) :: state
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    state = 0
    status = c_halo_channel_state(channel%handle, state)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_state", status, stat)
  end subroutine halo_channel_state

  subroutine halo_channel_send(channel, stream, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_send(channel%handle, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_send", status, stat)
  end subroutine halo_channel_send

  subroutine halo_channel_send_bytes(channel, bytes, stream, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    integer(c_int64_t), intent(in) :: bytes
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_send_bytes(channel%handle, bytes, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_send_bytes", status, stat)
  end subroutine halo_channel_send_bytes

  subroutine halo_channel_send_null(channel, stream, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_send_null(channel%handle, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_send_null", status, stat)
  end subroutine halo_channel_send_null

  subroutine halo_channel_start_receive(channel, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_start_receive(channel%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_start_receive", status, stat)
  end subroutine halo_channel_start_receive

  subroutine halo_channel_try_receive(channel, done, state, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    integer(c_int32_t), intent(out) :: done
    integer(c_int32_t), intent(out), optional :: state
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    done = 0
    if (present(state)) state = 0
    status = c_halo_channel_try_receive(channel%handle, done, state)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_try_receive", status, stat)
  end subroutine halo_channel_try_receive

  subroutine halo_channel_stale(channel, stream, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_stale(channel%handle, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_stale", status, stat)
  end subroutine halo_channel_stale

  subroutine halo_channel_get_key(channel, key, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    type(halo_channel_key), intent(out) :: key
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_get_key(channel%handle, key)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_get_key", status, stat)
  end subroutine halo_channel_get_key

  subroutine halo_channel_get_desc(channel, desc, stat, errmsg)
    class(halo_channel), intent(in) :: channel
    type(halo_channel_desc), intent(out) :: desc
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_channel_get_desc(channel%handle, desc)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_get_desc", status, stat)
  end subroutine halo_channel_get_desc

  subroutine halo_channel_start_receive_many(channels, stat, errmsg)
    type(halo_channel), intent(in) :: channels(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: channels_c(size(channels))
    channels_c = channels%handle
    status = c_halo_channel_start_receive_many(channels_c, size(channels, kind=c_int64_t))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_start_receive_many", status, stat)
  end subroutine halo_channel_start_receive_many

  subroutine halo_channel_try_receive_many(channels, n_done, states, stat, errmsg)
    type(halo_channel), intent(in) :: channels(:)
    integer(c_int64_t), intent(out) :: n_done
    integer(c_int32_t), intent(out), optional :: states(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: channels_c(size(channels))
    channels_c = channels%handle
    n_done = 0
    if (present(states)) then
      if (size(states) /= size(channels)) then
        if (present(errmsg)) errmsg = refused("halo_channel_try_receive_many", "states and channels differ in size")
        call conclude("halo_channel_try_receive_many", HALO_ERR_ARGUMENT, stat, &
          refused("halo_channel_try_receive_many", "states and channels differ in size"))
        return
      end if
    end if
    status = c_halo_channel_try_receive_many(channels_c, size(channels, kind=c_int64_t), n_done, states)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_try_receive_many", status, stat)
  end subroutine halo_channel_try_receive_many

  subroutine halo_channel_writable_many(channels, n_writable, writable, stat, errmsg)
    type(halo_channel), intent(in) :: channels(:)
    integer(c_int64_t), intent(out) :: n_writable
    integer(c_int32_t), intent(out), optional :: writable(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: channels_c(size(channels))
    channels_c = channels%handle
    n_writable = 0
    if (present(writable)) then
      if (size(writable) /= size(channels)) then
        if (present(errmsg)) errmsg = refused("halo_channel_writable_many", "writable and channels differ in size")
        call conclude("halo_channel_writable_many", HALO_ERR_ARGUMENT, stat, refused("halo_channel_writable_many", &
          "writable and channels differ in size"))
        return
      end if
    end if
    status = c_halo_channel_writable_many(channels_c, size(channels, kind=c_int64_t), n_writable, writable)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_writable_many", status, stat)
  end subroutine halo_channel_writable_many

  subroutine halo_channel_stale_many(channels, stream, stat, errmsg)
    type(halo_channel), intent(in) :: channels(:)
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: channels_c(size(channels))
    channels_c = channels%handle
    status = c_halo_channel_stale_many(channels_c, size(channels, kind=c_int64_t), address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_stale_many", status, stat)
  end subroutine halo_channel_stale_many

  subroutine halo_channel_send_many(channels, stream, stat, errmsg)
    type(halo_channel), intent(in) :: channels(:)
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: channels_c(size(channels))
    channels_c = channels%handle
    status = c_halo_channel_send_many(channels_c, size(channels, kind=c_int64_t), address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_channel_send_many", status, stat)
  end subroutine halo_channel_send_many

  subroutine halo_group_create(context, channels, desc, group, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_channel), intent(in) :: channels(:)
    type(halo_group_desc), intent(in), optional :: desc
    class(halo_group), intent(inout) :: group
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: channels_c(size(channels))
    type(c_ptr) :: made
    channels_c = channels%handle
    made = c_null_ptr
    status = c_halo_group_create(context%handle, channels_c, size(channels, kind=c_int64_t), desc, made)
    if (status == HALO_SUCCESS) call group%adopt(made, c_halo_group_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_create", status, stat)
  end subroutine halo_group_create

  subroutine halo_group_get_desc(group, desc, stat, errmsg)
    class(halo_group), intent(in) :: group
    type(halo_group_desc), intent(out) :: desc
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_group_get_desc(group%handle, desc)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_get_desc", status, stat)
  end subroutine halo_group_get_desc

  subroutine halo_group_destroy(group, stat, errmsg)
    class(halo_group), intent(inout) :: group
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(group%handle) .and. .not. group%owns()) then
      if (present(errmsg)) errmsg = refused("halo_group_destroy", "a copy of a handle does not own what it stands for")
      call conclude("halo_group_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_group_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_group_destroy(group%handle)
    if (.not. c_associated(group%handle)) call group%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_destroy", status, stat)
  end subroutine halo_group_destroy

  subroutine halo_group_drain(group, timeout_seconds, stat, errmsg)
    class(halo_group), intent(in) :: group
    real(c_double), intent(in) :: timeout_seconds
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_group_drain(group%handle, timeout_seconds)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_drain", status, stat)
  end subroutine halo_group_drain

  subroutine halo_group_abandon(group, stat, errmsg)
    class(halo_group), intent(in) :: group
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_group_abandon(group%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_abandon", status, stat)
  end subroutine halo_group_abandon

  subroutine halo_group_table(group, rows, stat, errmsg)
    class(halo_group), intent(in) :: group
    type(halo_group_row), pointer, intent(out) :: rows(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: rows_c
    integer(c_int64_t) :: n
    type(halo_group_row) :: row
    rows_c = c_null_ptr
    nullify(rows)
    n = 0
    status = c_halo_group_table(group%handle, c_sizeof(row), rows_c, n)
    if (status == HALO_SUCCESS) call c_f_pointer(some(rows_c), rows, [n])
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_table", status, stat)
  end subroutine halo_group_table

  subroutine halo_group_writable(group, writable, stat, errmsg)
    class(halo_group), intent(in) :: group
    integer(c_int32_t), intent(out) :: writable
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    writable = 0
    status = c_halo_group_writable(group%handle, writable)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_writable", status, stat)
  end subroutine halo_group_writable

  subroutine halo_group_start_receive(group, stat, errmsg)
    class(halo_group), intent(in) :: group
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_group_start_receive(group%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_start_receive", status, stat)
  end subroutine halo_group_start_receive

  subroutine halo_group_send(group, null_flags, stream, stat, errmsg)
    class(halo_group), intent(in) :: group
    integer(c_int8_t), intent(in), optional :: null_flags(:)
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_group_send(group%handle, null_flags, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_send", status, stat)
  end subroutine halo_group_send

  subroutine halo_group_send_rows(group, rows, null_flags, stream, stat, errmsg)
    class(halo_group), intent(in) :: group
    integer(c_int64_t), intent(in) :: rows(:)
    integer(c_int8_t), intent(in), optional :: null_flags(:)
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (present(null_flags)) then
      if (size(null_flags) /= size(rows)) then
        if (present(errmsg)) errmsg = refused("halo_group_send_rows", "null_flags and rows differ in size")
        call conclude("halo_group_send_rows", HALO_ERR_ARGUMENT, stat, refused("halo_group_send_rows", &
          "null_flags and rows differ in size"))
        return
      end if
    end if
    status = c_halo_group_send_rows(group%handle, rows, size(rows, kind=c_int64_t), null_flags, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_send_rows", status, stat)
  end subroutine halo_group_send_rows

  subroutine halo_group_try_receive(group, done, stat, errmsg)
    class(halo_group), intent(in) :: group
    integer(c_int32_t), intent(out) :: done
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    done = 0
    status = c_halo_group_try_receive(group%handle, done)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_try_receive", status, stat)
  end subroutine halo_group_try_receive

  subroutine halo_group_stale(group, stream, stat, errmsg)
    class(halo_group), intent(in) :: group
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_group_stale(group%handle, address(stream))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_group_stale", status, stat)
  end subroutine halo_group_stale

  subroutine halo_topology_create_forest(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_forest_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_forest(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_forest", status, stat)
  end subroutine halo_topology_create_forest

  subroutine halo_forest_uniform(desc, level, leaves, stat, errmsg)
    type(halo_forest_desc), intent(in) :: desc
    integer(c_int32_t), intent(in) :: level
    type(halo_leaf), allocatable, intent(out) :: leaves(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    type(halo_leaf) :: row
    capacity = 0
    do
      allocate(leaves(capacity))
      n_rows = 0
      status = c_halo_forest_uniform(desc, level, c_sizeof(row), leaves, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(leaves)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_forest_uniform", status, stat)
  end subroutine halo_forest_uniform

  subroutine halo_field_allocate_from(field, before, stat, errmsg)
    class(halo_field), intent(in) :: field
    class(halo_field), intent(in) :: before
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_allocate_from(field%handle, before%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_allocate_from", status, stat)
  end subroutine halo_field_allocate_from

  subroutine halo_field_set_prolongation(field, prolongation, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int32_t), intent(in) :: prolongation
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_set_prolongation(field%handle, prolongation)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_set_prolongation", status, stat)
  end subroutine halo_field_set_prolongation

  subroutine halo_field_set_restriction(field, restriction, stat, errmsg)
    class(halo_field), intent(in) :: field
    integer(c_int32_t), intent(in) :: restriction
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_field_set_restriction(field%handle, restriction)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_set_restriction", status, stat)
  end subroutine halo_field_set_restriction

  subroutine halo_exchange_coarse_data(exchange, field, gid, data, layout, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    integer(c_int32_t), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    type(c_ptr), intent(out) :: data
    type(halo_layout), intent(out) :: layout
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    data = c_null_ptr
    status = c_halo_exchange_coarse_data(exchange%handle, field, gid, data, layout)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_coarse_data", status, stat)
  end subroutine halo_exchange_coarse_data

  subroutine halo_exchange_coarse_boundaries(exchange, field, gid, boundaries, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    integer(c_int32_t), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    type(halo_boundary), allocatable, intent(out) :: boundaries(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    type(halo_boundary) :: row
    capacity = 0
    do
      allocate(boundaries(capacity))
      n_rows = 0
      status = c_halo_exchange_coarse_boundaries(exchange%handle, field, gid, c_sizeof(row), boundaries, capacity, &
        n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(boundaries)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_coarse_boundaries", status, stat)
  end subroutine halo_exchange_coarse_boundaries

  subroutine halo_exchange_level_regions(exchange, field, gid, regions, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    integer(c_int32_t), intent(in) :: field
    integer(c_int64_t), intent(in) :: gid
    type(halo_level_region), allocatable, intent(out) :: regions(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    type(halo_level_region) :: row
    capacity = 0
    do
      allocate(regions(capacity))
      n_rows = 0
      status = c_halo_exchange_level_regions(exchange%handle, field, gid, c_sizeof(row), regions, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(regions)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_level_regions", status, stat)
  end subroutine halo_exchange_level_regions

  subroutine halo_exchange_create_levels(coarse, newer, fine, desc, exchange, stat, errmsg)
    type(halo_field), intent(in) :: coarse(:)
    type(halo_field), intent(in), optional :: newer(:)
    type(halo_field), intent(in) :: fine(:)
    type(halo_levels_desc), intent(in), optional :: desc
    class(halo_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: coarse_c(size(coarse))
    type(c_ptr), allocatable :: newer_c(:)
    type(c_ptr) :: fine_c(size(fine))
    type(c_ptr) :: made
    coarse_c = coarse%handle
    if (present(newer)) newer_c = newer%handle
    if (present(newer)) then
      if (size(newer) /= size(coarse)) then
        if (present(errmsg)) errmsg = refused("halo_exchange_create_levels", "newer and coarse differ in size")
        call conclude("halo_exchange_create_levels", HALO_ERR_ARGUMENT, stat, refused("halo_exchange_create_levels", &
          "newer and coarse differ in size"))
        return
      end if
    end if
    fine_c = fine%handle
    if (size(fine) /= size(coarse)) then
      if (present(errmsg)) errmsg = refused("halo_exchange_create_levels", "fine and coarse differ in size")
      call conclude("halo_exchange_create_levels", HALO_ERR_ARGUMENT, stat, refused("halo_exchange_create_levels", &
        "fine and coarse differ in size"))
      return
    end if
    made = c_null_ptr
    status = c_halo_exchange_create_levels(coarse_c, newer_c, fine_c, size(coarse, kind=c_int32_t), desc, made)
    if (status == HALO_SUCCESS) call exchange%adopt(made, c_halo_exchange_destroy, home_of(coarse))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_create_levels", status, stat)
  end subroutine halo_exchange_create_levels

  subroutine halo_exchange_get_levels_desc(exchange, desc, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    type(halo_levels_desc), intent(out) :: desc
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_get_levels_desc(exchange%handle, desc)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_get_levels_desc", status, stat)
  end subroutine halo_exchange_get_levels_desc

  subroutine halo_exchange_set_fraction(exchange, fraction, stat, errmsg)
    class(halo_exchange), intent(in) :: exchange
    real(c_double), intent(in) :: fraction
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_exchange_set_fraction(exchange%handle, fraction)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_exchange_set_fraction", status, stat)
  end subroutine halo_exchange_set_fraction

  subroutine halo_field_level_boxes(field, finer, gid, boxes, stat, errmsg)
    class(halo_field), intent(in) :: field
    class(halo_topology), intent(in), optional :: finer
    integer(c_int64_t), intent(in) :: gid
    type(halo_level_box), allocatable, intent(out) :: boxes(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: finer_c
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    type(halo_level_box) :: row
    finer_c = c_null_ptr
    if (present(finer)) finer_c = finer%handle
    capacity = 0
    do
      allocate(boxes(capacity))
      n_rows = 0
      status = c_halo_field_level_boxes(field%handle, finer_c, gid, c_sizeof(row), boxes, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(boxes)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_field_level_boxes", status, stat)
  end subroutine halo_field_level_boxes

  subroutine halo_mesh_create(context, desc, mesh, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_mesh_desc), intent(in) :: desc
    class(halo_mesh), intent(inout) :: mesh
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_mesh_create(context%handle, desc, made)
    if (status == HALO_SUCCESS) call mesh%adopt(made, c_halo_mesh_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_create", status, stat)
  end subroutine halo_mesh_create

  subroutine halo_mesh_destroy(mesh, stat, errmsg)
    class(halo_mesh), intent(inout) :: mesh
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(mesh%handle) .and. .not. mesh%owns()) then
      if (present(errmsg)) errmsg = refused("halo_mesh_destroy", "a copy of a handle does not own what it stands for")
      call conclude("halo_mesh_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_mesh_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_mesh_destroy(mesh%handle)
    if (.not. c_associated(mesh%handle)) call mesh%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_destroy", status, stat)
  end subroutine halo_mesh_destroy

  subroutine halo_mesh_get_local(mesh, set, local, stat, errmsg)
    class(halo_mesh), intent(in) :: mesh
    integer(c_int32_t), intent(in) :: set
    type(halo_mesh_local), intent(out) :: local
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_mesh_get_local(mesh%handle, set, local)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_get_local", status, stat)
  end subroutine halo_mesh_get_local

  subroutine halo_mesh_topology(mesh, set, topology, stat, errmsg)
    class(halo_mesh), intent(in) :: mesh
    integer(c_int32_t), intent(in) :: set
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_mesh_topology(mesh%handle, set, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, mesh%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_topology", status, stat)
  end subroutine halo_mesh_topology

  subroutine halo_mesh_distribute(mesh, set, brought, local, bytes, stat, errmsg)
    class(halo_mesh), intent(in) :: mesh
    integer(c_int32_t), intent(in) :: set
    type(*), intent(in), optional :: brought(*)
    type(*), intent(inout), optional :: local(*)
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_mesh_distribute(mesh%handle, set, brought, local, bytes)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_distribute", status, stat)
  end subroutine halo_mesh_distribute

  subroutine halo_mesh_collect(mesh, set, local, brought, bytes, stat, errmsg)
    class(halo_mesh), intent(in) :: mesh
    integer(c_int32_t), intent(in) :: set
    type(*), intent(in), optional :: local(*)
    type(*), intent(inout), optional :: brought(*)
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_mesh_collect(mesh%handle, set, local, brought, bytes)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_collect", status, stat)
  end subroutine halo_mesh_collect

  subroutine halo_mesh_target_topology(mesh, set, keys, topology, stat, errmsg)
    class(halo_mesh), intent(in) :: mesh
    integer(c_int32_t), intent(in) :: set
    integer(c_int64_t), intent(in) :: keys(:)
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_mesh_target_topology(mesh%handle, set, keys, size(keys, kind=c_int64_t), made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, mesh%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_target_topology", status, stat)
  end subroutine halo_mesh_target_topology

  subroutine halo_mesh_add_columns(mesh, set, n_layers, layers, columns, stat, errmsg)
    class(halo_mesh), intent(in) :: mesh
    integer(c_int32_t), intent(in) :: set
    integer(c_int32_t), intent(in) :: n_layers
    integer(c_int32_t), intent(in), optional :: layers(:)
    integer(c_int32_t), intent(out) :: columns
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    columns = 0
    status = c_halo_mesh_add_columns(mesh%handle, set, n_layers, layers, columns)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_add_columns", status, stat)
  end subroutine halo_mesh_add_columns

  subroutine halo_mesh_column_topology(mesh, columns, topology, stat, errmsg)
    class(halo_mesh), intent(in) :: mesh
    integer(c_int32_t), intent(in) :: columns
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_mesh_column_topology(mesh%handle, columns, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, mesh%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_column_topology", status, stat)
  end subroutine halo_mesh_column_topology

  subroutine halo_mesh_get_column_map(mesh, map, from, to, entries, lowest, stat, errmsg)
    class(halo_mesh), intent(in) :: mesh
    integer(c_int32_t), intent(in) :: map
    integer(c_int32_t), intent(in) :: from
    integer(c_int32_t), intent(in) :: to
    type(halo_column_entry), intent(in) :: entries(:)
    integer(c_int32_t), allocatable, intent(out) :: lowest(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(lowest(capacity))
      n_rows = 0
      status = c_halo_mesh_get_column_map(mesh%handle, map, from, to, entries, size(entries, kind=c_int32_t), lowest, &
        capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(lowest)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_mesh_get_column_map", status, stat)
  end subroutine halo_mesh_get_column_map

  subroutine halo_particles_create(topology, desc, particles, stat, errmsg)
    class(halo_topology), intent(in) :: topology
    type(halo_particles_desc), intent(in) :: desc
    class(halo_particles), intent(inout) :: particles
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_particles_create(topology%handle, desc, made)
    if (status == HALO_SUCCESS) call particles%adopt(made, c_halo_particles_destroy, topology%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_particles_create", status, stat)
  end subroutine halo_particles_create

  subroutine halo_particles_destroy(particles, stat, errmsg)
    class(halo_particles), intent(inout) :: particles
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(particles%handle) .and. .not. particles%owns()) then
      if (present(errmsg)) errmsg = refused("halo_particles_destroy", &
        "a copy of a handle does not own what it stands for")
      call conclude("halo_particles_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_particles_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_particles_destroy(particles%handle)
    if (.not. c_associated(particles%handle)) call particles%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_particles_destroy", status, stat)
  end subroutine halo_particles_destroy

  subroutine halo_particles_start(particles, arrays, stat, errmsg)
    class(halo_particles), intent(in) :: particles
    type(halo_particles_arrays), intent(in) :: arrays
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_particles_start(particles%handle, arrays)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_particles_start", status, stat)
  end subroutine halo_particles_start

  subroutine halo_particles_test(particles, done, stat, errmsg)
    class(halo_particles), intent(in) :: particles
    integer(c_int32_t), intent(out) :: done
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    done = 0
    status = c_halo_particles_test(particles%handle, done)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_particles_test", status, stat)
  end subroutine halo_particles_test

  subroutine halo_particles_counts(particles, counts, stat, errmsg)
    class(halo_particles), intent(in) :: particles
    integer(c_int64_t), allocatable, intent(out) :: counts(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(counts(capacity))
      n_rows = 0
      status = c_halo_particles_counts(particles%handle, counts, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(counts)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_particles_counts", status, stat)
  end subroutine halo_particles_counts

  subroutine halo_particles_left(particles, places, stat, errmsg)
    class(halo_particles), intent(in) :: particles
    type(halo_particle_place), allocatable, intent(out) :: places(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(places(capacity))
      n_rows = 0
      status = c_halo_particles_left(particles%handle, places, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(places)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_particles_left", status, stat)
  end subroutine halo_particles_left

  subroutine halo_particles_finish(particles, arrays, stat, errmsg)
    class(halo_particles), intent(in) :: particles
    type(halo_particles_arrays), intent(in) :: arrays
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_particles_finish(particles%handle, arrays)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_particles_finish", status, stat)
  end subroutine halo_particles_finish

  subroutine halo_particles_abandon(particles, stat, errmsg)
    class(halo_particles), intent(in) :: particles
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_particles_abandon(particles%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_particles_abandon", status, stat)
  end subroutine halo_particles_abandon

  subroutine halo_sphere_key(solid, n, kind, entity, key, stat, errmsg)
    integer(c_int32_t), intent(in) :: solid
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), intent(in) :: kind
    type(halo_sphere_entity), intent(in) :: entity
    integer(c_int64_t), intent(out) :: key
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    key = 0
    status = c_halo_sphere_key(solid, n, kind, entity, key)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_key", status, stat)
  end subroutine halo_sphere_key

  subroutine halo_sphere_entity_of(solid, n, kind, key, entity, stat, errmsg)
    integer(c_int32_t), intent(in) :: solid
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), intent(in) :: kind
    integer(c_int64_t), intent(in) :: key
    type(halo_sphere_entity), intent(out) :: entity
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_sphere_entity_of(solid, n, kind, key, entity)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_entity_of", status, stat)
  end subroutine halo_sphere_entity_of

  subroutine halo_sphere_key_neighbours(solid, n, from, key, to, neighbours, n_neighbours, stat, errmsg)
    integer(c_int32_t), intent(in) :: solid
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), intent(in) :: from
    integer(c_int64_t), intent(in) :: key
    integer(c_int32_t), intent(in) :: to
    integer(c_int64_t), intent(out) :: neighbours(6)
    integer(c_int32_t), intent(out) :: n_neighbours
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    n_neighbours = 0
    status = c_halo_sphere_key_neighbours(solid, n, from, key, to, neighbours, n_neighbours)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_key_neighbours", status, stat)
  end subroutine halo_sphere_key_neighbours

  subroutine halo_sphere_position(solid, n, kind, key, position, stat, errmsg)
    integer(c_int32_t), intent(in) :: solid
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), intent(in) :: kind
    integer(c_int64_t), intent(in) :: key
    real(c_double), intent(out) :: position(3)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_sphere_position(solid, n, kind, key, position)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_position", status, stat)
  end subroutine halo_sphere_position

  subroutine halo_sphere_create(context, desc, sphere, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_sphere_desc), intent(in) :: desc
    class(halo_sphere), intent(inout) :: sphere
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_sphere_create(context%handle, desc, made)
    if (status == HALO_SUCCESS) call sphere%adopt(made, c_halo_sphere_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_create", status, stat)
  end subroutine halo_sphere_create

  subroutine halo_sphere_destroy(sphere, stat, errmsg)
    class(halo_sphere), intent(inout) :: sphere
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(sphere%handle) .and. .not. sphere%owns()) then
      if (present(errmsg)) errmsg = refused("halo_sphere_destroy", "a copy of a handle does not own what it stands for")
      call conclude("halo_sphere_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_sphere_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_sphere_destroy(sphere%handle)
    if (.not. c_associated(sphere%handle)) call sphere%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_destroy", status, stat)
  end subroutine halo_sphere_destroy

  subroutine halo_sphere_local_parts(sphere, gids, stat, errmsg)
    class(halo_sphere), intent(in) :: sphere
    integer(c_int64_t), pointer, intent(out) :: gids(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: gids_c
    integer(c_int64_t) :: n
    gids_c = c_null_ptr
    nullify(gids)
    n = 0
    status = c_halo_sphere_local_parts(sphere%handle, gids_c, n)
    if (status == HALO_SUCCESS) call c_f_pointer(some(gids_c), gids, [n])
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_local_parts", status, stat)
  end subroutine halo_sphere_local_parts

  subroutine halo_sphere_get_part(sphere, gid, part, stat, errmsg)
    class(halo_sphere), intent(in) :: sphere
    integer(c_int64_t), intent(in) :: gid
    type(halo_sphere_part), intent(out) :: part
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_sphere_get_part(sphere%handle, gid, part)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_get_part", status, stat)
  end subroutine halo_sphere_get_part

  subroutine halo_sphere_ring_ends(sphere, gid, kind, ends, stat, errmsg)
    class(halo_sphere), intent(in) :: sphere
    integer(c_int64_t), intent(in) :: gid
    integer(c_int32_t), intent(in) :: kind
    integer(c_int64_t), allocatable, intent(out) :: ends(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(ends(capacity))
      n_rows = 0
      status = c_halo_sphere_ring_ends(sphere%handle, gid, kind, ends, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(ends)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_ring_ends", status, stat)
  end subroutine halo_sphere_ring_ends

  subroutine halo_sphere_keys(sphere, gid, kind, keys, stat, errmsg)
    class(halo_sphere), intent(in) :: sphere
    integer(c_int64_t), intent(in) :: gid
    integer(c_int32_t), intent(in) :: kind
    integer(c_int64_t), allocatable, intent(out) :: keys(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(keys(capacity))
      n_rows = 0
      status = c_halo_sphere_keys(sphere%handle, gid, kind, keys, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(keys)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_keys", status, stat)
  end subroutine halo_sphere_keys

  subroutine halo_sphere_neighbours(sphere, gid, from, to, table, stat, errmsg)
    class(halo_sphere), intent(in) :: sphere
    integer(c_int64_t), intent(in) :: gid
    integer(c_int32_t), intent(in) :: from
    integer(c_int32_t), intent(in) :: to
    integer(c_int32_t), allocatable, intent(out) :: table(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(table(capacity))
      n_rows = 0
      status = c_halo_sphere_neighbours(sphere%handle, gid, from, to, table, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(table)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_neighbours", status, stat)
  end subroutine halo_sphere_neighbours

  subroutine halo_sphere_topology(sphere, kind, topology, stat, errmsg)
    class(halo_sphere), intent(in) :: sphere
    integer(c_int32_t), intent(in) :: kind
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_sphere_topology(sphere%handle, kind, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, sphere%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_sphere_topology", status, stat)
  end subroutine halo_sphere_topology

  subroutine halo_topology_create_cubed_sphere(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_cubed_sphere_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_cubed_sphere(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_cubed_sphere", status, stat)
  end subroutine halo_topology_create_cubed_sphere

  subroutine halo_topology_create_latitudes(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_latitudes_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_latitudes(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_latitudes", status, stat)
  end subroutine halo_topology_create_latitudes

  subroutine halo_reduced_rows_neighbours(desc, key, neighbours, stat, errmsg)
    type(halo_reduced_rows_desc), intent(in) :: desc
    integer(c_int64_t), intent(in) :: key
    integer(c_int64_t), allocatable, intent(out) :: neighbours(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(neighbours(capacity))
      n_rows = 0
      status = c_halo_reduced_rows_neighbours(desc, key, neighbours, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(neighbours)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_reduced_rows_neighbours", status, stat)
  end subroutine halo_reduced_rows_neighbours

  subroutine halo_topology_create_reduced_rows(context, desc, topology, stat, errmsg)
    class(halo_context), intent(in) :: context
    type(halo_reduced_rows_desc), intent(in) :: desc
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_topology_create_reduced_rows(context%handle, desc, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_topology_create_reduced_rows", status, stat)
  end subroutine halo_topology_create_reduced_rows

  subroutine halo_stencil_create(desc, stencil, stat, errmsg)
    type(halo_stencil_desc), intent(in) :: desc
    class(halo_stencil), intent(inout) :: stencil
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_stencil_create(desc, made)
    if (status == HALO_SUCCESS) call stencil%adopt(made, c_halo_stencil_destroy, null())
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_create", status, stat)
  end subroutine halo_stencil_create

  subroutine halo_stencil_destroy(stencil, stat, errmsg)
    class(halo_stencil), intent(inout) :: stencil
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    if (c_associated(stencil%handle) .and. .not. stencil%owns()) then
      if (present(errmsg)) errmsg = refused("halo_stencil_destroy", &
        "a copy of a handle does not own what it stands for")
      call conclude("halo_stencil_destroy", HALO_ERR_ARGUMENT, stat, refused("halo_stencil_destroy", &
        "a copy of a handle does not own what it stands for"))
      return
    end if
    status = c_halo_stencil_destroy(stencil%handle)
    if (.not. c_associated(stencil%handle)) call stencil%ended()
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_destroy", status, stat)
  end subroutine halo_stencil_destroy

  subroutine halo_stencil_add_field(stencil, desc, field, name, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    type(halo_stencil_field_desc), intent(in) :: desc
    integer(c_int32_t), intent(out) :: field
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(halo_stencil_field_desc) :: named
    character(:), allocatable, target :: name_c
    named = desc
    if (present(name)) then
      name_c = name // c_null_char
      named%name = c_loc(name_c)
    end if
    field = 0
    status = c_halo_stencil_add_field(stencil%handle, named, field)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_add_field", status, stat)
  end subroutine halo_stencil_add_field

  subroutine halo_stencil_add_stage(stencil, desc, stage, name, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    type(halo_stencil_stage_desc), intent(in) :: desc
    integer(c_int32_t), intent(out) :: stage
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(halo_stencil_stage_desc) :: named
    character(:), allocatable, target :: name_c
    named = desc
    if (present(name)) then
      name_c = name // c_null_char
      named%name = c_loc(name_c)
    end if
    stage = 0
    status = c_halo_stencil_add_stage(stencil%handle, named, stage)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_add_stage", status, stat)
  end subroutine halo_stencil_add_stage

  subroutine halo_stencil_analyse(stencil, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_stencil_analyse(stencil%handle)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_analyse", status, stat)
  end subroutine halo_stencil_analyse

  subroutine halo_stencil_get_field(stencil, field, result, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    integer(c_int32_t), intent(in) :: field
    type(halo_stencil_field), intent(out) :: result
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_stencil_get_field(stencil%handle, field, result)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_get_field", status, stat)
  end subroutine halo_stencil_get_field

  subroutine halo_stencil_get_stage(stencil, stage, result, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    integer(c_int32_t), intent(in) :: stage
    type(halo_stencil_stage), intent(out) :: result
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_stencil_get_stage(stencil%handle, stage, result)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_get_stage", status, stat)
  end subroutine halo_stencil_get_stage

  subroutine halo_stencil_describe(stencil, text, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_size_t) :: needed
    character(kind=c_char), allocatable, target :: buffer(:)
    needed = 0
    status = c_halo_stencil_describe(stencil%handle, c_null_ptr, 0_c_size_t, needed)
    if (status == HALO_SUCCESS) then
      allocate(buffer(needed))
      status = c_halo_stencil_describe(stencil%handle, c_loc(buffer), needed, needed)
      text = c_text(c_loc(buffer))
    end if
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_describe", status, stat)
  end subroutine halo_stencil_describe

  subroutine halo_stencil_exchanges(stencil, exchanges, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    type(halo_stencil_exchange_row), allocatable, intent(out) :: exchanges(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(exchanges(capacity))
      n_rows = 0
      status = c_halo_stencil_exchanges(stencil%handle, exchanges, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(exchanges)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_exchanges", status, stat)
  end subroutine halo_stencil_exchanges

  subroutine halo_stencil_groups(stencil, groups, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    type(halo_stencil_group), allocatable, intent(out) :: groups(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(groups(capacity))
      n_rows = 0
      status = c_halo_stencil_groups(stencil%handle, groups, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(groups)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_groups", status, stat)
  end subroutine halo_stencil_groups

  subroutine halo_stencil_get_summary(stencil, summary, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    type(halo_stencil_summary), intent(out) :: summary
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_stencil_get_summary(stencil%handle, summary)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_get_summary", status, stat)
  end subroutine halo_stencil_get_summary

  subroutine halo_stencil_level_index(stencil, level, index, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    type(halo_stencil_level), intent(in) :: level
    integer(c_int64_t), intent(out) :: index
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    index = 0
    status = c_halo_stencil_level_index(stencil%handle, level, index)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_level_index", status, stat)
  end subroutine halo_stencil_level_index

  subroutine halo_stencil_loops(stencil, loops, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    type(halo_stencil_loop), allocatable, intent(out) :: loops(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(loops(capacity))
      n_rows = 0
      status = c_halo_stencil_loops(stencil%handle, loops, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(loops)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_loops", status, stat)
  end subroutine halo_stencil_loops

  subroutine halo_stencil_loop_intervals(stencil, stage, intervals, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    integer(c_int32_t), intent(in) :: stage
    integer(c_int32_t), allocatable, intent(out) :: intervals(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(intervals(capacity))
      n_rows = 0
      status = c_halo_stencil_loop_intervals(stencil%handle, stage, intervals, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(intervals)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_loop_intervals", status, stat)
  end subroutine halo_stencil_loop_intervals

  subroutine halo_stencil_stage_ranges(stencil, stage, ranges, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    integer(c_int32_t), intent(in) :: stage
    type(halo_stencil_range), allocatable, intent(out) :: ranges(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(ranges(capacity))
      n_rows = 0
      status = c_halo_stencil_stage_ranges(stencil%handle, stage, ranges, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(ranges)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_stage_ranges", status, stat)
  end subroutine halo_stencil_stage_ranges

  subroutine halo_stencil_exchange_ranges(stencil, exchange, ranges, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    integer(c_int32_t), intent(in) :: exchange
    type(halo_stencil_range), allocatable, intent(out) :: ranges(:)
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(c_int64_t) :: capacity
    integer(c_int64_t) :: n_rows
    capacity = 0
    do
      allocate(ranges(capacity))
      n_rows = 0
      status = c_halo_stencil_exchange_ranges(stencil%handle, exchange, ranges, capacity, n_rows)
      if (status /= HALO_SUCCESS .or. n_rows <= capacity) exit
      deallocate(ranges)
      capacity = n_rows
    end do
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_exchange_ranges", status, stat)
  end subroutine halo_stencil_exchange_ranges

  subroutine halo_stencil_fill_field_desc(stencil, field, desc, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    integer(c_int32_t), intent(in) :: field
    type(halo_field_desc), intent(inout) :: desc
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_stencil_fill_field_desc(stencil%handle, field, desc)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_fill_field_desc", status, stat)
  end subroutine halo_stencil_fill_field_desc

  subroutine halo_stencil_fill_layout_desc(stencil, desc, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    type(halo_layout_desc), intent(inout) :: desc
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    status = c_halo_stencil_fill_layout_desc(stencil%handle, desc)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_fill_layout_desc", status, stat)
  end subroutine halo_stencil_fill_layout_desc

  subroutine halo_stencil_create_exchange(stencil, group, fields, desc, exchange, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    integer(c_int32_t), intent(in) :: group
    type(halo_field), intent(in) :: fields(:)
    type(halo_exchange_desc), intent(in), optional :: desc
    class(halo_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: fields_c(size(fields))
    type(c_ptr) :: made
    fields_c = fields%handle
    made = c_null_ptr
    status = c_halo_stencil_create_exchange(stencil%handle, group, fields_c, size(fields, kind=c_int32_t), desc, made)
    if (status == HALO_SUCCESS) call exchange%adopt(made, c_halo_exchange_destroy, home_of(fields))
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_create_exchange", status, stat)
  end subroutine halo_stencil_create_exchange

  subroutine halo_stencil_create_topology(stencil, exchange, context, blocks, topology, stat, errmsg)
    class(halo_stencil), intent(in) :: stencil
    integer(c_int32_t), intent(in) :: exchange
    class(halo_context), intent(in) :: context
    type(halo_blocks_desc), intent(in) :: blocks
    class(halo_topology), intent(inout) :: topology
    integer, intent(out), optional :: stat
    character(:), allocatable, intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: made
    made = c_null_ptr
    status = c_halo_stencil_create_topology(stencil%handle, exchange, context%handle, blocks, made)
    if (status == HALO_SUCCESS) call topology%adopt(made, c_halo_topology_destroy, context%home)
    if (status /= HALO_SUCCESS .and. present(errmsg)) errmsg = error_text(status)
    if (status /= HALO_SUCCESS .or. present(stat)) call conclude("halo_stencil_create_topology", status, stat)
  end subroutine halo_stencil_create_topology

  include 'halo_by_hand.inc'
  include 'halo_arrays.inc'
end module halo
