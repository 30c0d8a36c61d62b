! SPDX-License-Identifier: BSD-3-Clause
! Written by bindings/fortran/generate.py from the C headers.
!> The C functions as they are; halo has the procedures for programs.
module halo_c
  use, intrinsic :: iso_c_binding
  use halo_types
  implicit none
  public
  interface
    function c_halo_status_name(status) result(answer) bind(c, name="halo_status_name")
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: status
      type(c_ptr) :: answer
    end function c_halo_status_name
    function c_halo_last_error() result(answer) bind(c, name="halo_last_error")
      import :: c_ptr
      type(c_ptr) :: answer
    end function c_halo_last_error
    function c_halo_version() result(answer) bind(c, name="halo_version")
      import :: c_int32_t
      integer(c_int32_t) :: answer
    end function c_halo_version
    function c_halo_struct_init(name, pointer, bytes) result(answer) bind(c, name="halo_struct_init")
      import :: c_char, c_int32_t, c_ptr, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: pointer
      integer(c_size_t), value :: bytes
      integer(c_int32_t) :: answer
    end function c_halo_struct_init
    function c_halo_context_create(options, context) result(answer) bind(c, name="halo_context_create")
      import :: c_int32_t, c_ptr, halo_context_options
      type(halo_context_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: context
      integer(c_int32_t) :: answer
    end function c_halo_context_create
    function c_halo_context_create_communicator(communicator, handle_bytes, mpi, options, &
      context) result(answer) bind(c, name="halo_context_create_communicator")
      import :: c_char, c_int32_t, c_ptr, c_size_t, halo_context_options
      type(c_ptr), value :: communicator
      integer(c_size_t), value :: handle_bytes
      character(kind=c_char), intent(in) :: mpi(*)
      type(halo_context_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: context
      integer(c_int32_t) :: answer
    end function c_halo_context_create_communicator
    function c_halo_context_create_over(bootstrap, options, context) result(answer) bind(c, &
      name="halo_context_create_over")
      import :: c_int32_t, c_ptr, halo_bootstrap, halo_context_options
      type(halo_bootstrap), intent(in) :: bootstrap
      type(halo_context_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: context
      integer(c_int32_t) :: answer
    end function c_halo_context_create_over
    function c_halo_inproc_create(n_ranks, group) result(answer) bind(c, name="halo_inproc_create")
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: n_ranks
      type(c_ptr), intent(inout) :: group
      integer(c_int32_t) :: answer
    end function c_halo_inproc_create
    function c_halo_context_create_inproc(group, rank, options, context) result(answer) bind(c, &
      name="halo_context_create_inproc")
      import :: c_int32_t, c_ptr, halo_context_options
      type(c_ptr), value :: group
      integer(c_int32_t), value :: rank
      type(halo_context_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: context
      integer(c_int32_t) :: answer
    end function c_halo_context_create_inproc
    function c_halo_inproc_destroy(group) result(answer) bind(c, name="halo_inproc_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: group
      integer(c_int32_t) :: answer
    end function c_halo_inproc_destroy
    function c_halo_context_destroy(context) result(answer) bind(c, name="halo_context_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: context
      integer(c_int32_t) :: answer
    end function c_halo_context_destroy
    function c_halo_context_destroy_with_all(context) result(answer) bind(c, name="halo_context_destroy_with_all")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: context
      integer(c_int32_t) :: answer
    end function c_halo_context_destroy_with_all
    function c_halo_context_rank(context, rank, n_ranks) result(answer) bind(c, name="halo_context_rank")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int32_t), intent(inout) :: rank
      integer(c_int32_t), intent(inout) :: n_ranks
      integer(c_int32_t) :: answer
    end function c_halo_context_rank
    function c_halo_context_set(context, key, value) result(answer) bind(c, name="halo_context_set")
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: key(*)
      character(kind=c_char), intent(in) :: value(*)
      integer(c_int32_t) :: answer
    end function c_halo_context_set
    function c_halo_context_setting(context, key, value, source) result(answer) bind(c, name="halo_context_setting")
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: key(*)
      type(c_ptr), intent(inout) :: value
      type(c_ptr), intent(inout) :: source
      integer(c_int32_t) :: answer
    end function c_halo_context_setting
    function c_halo_context_error(context) result(answer) bind(c, name="halo_context_error")
      import :: c_ptr
      type(c_ptr), value :: context
      type(c_ptr) :: answer
    end function c_halo_context_error
    function c_halo_context_progress(context) result(answer) bind(c, name="halo_context_progress")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int32_t) :: answer
    end function c_halo_context_progress
    function c_halo_context_rank_gone(context, rank) result(answer) bind(c, name="halo_context_rank_gone")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int32_t), value :: rank
      integer(c_int32_t) :: answer
    end function c_halo_context_rank_gone
    function c_halo_context_barrier(context) result(answer) bind(c, name="halo_context_barrier")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int32_t) :: answer
    end function c_halo_context_barrier
    function c_halo_context_allreduce(context, in, out, n, type, op) result(answer) bind(c, &
      name="halo_context_allreduce")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int64_t), value :: n
      integer(c_int32_t), value :: type
      integer(c_int32_t), value :: op
      integer(c_int32_t) :: answer
    end function c_halo_context_allreduce
    function c_halo_topology_create_blocks(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_blocks")
      import :: c_int32_t, c_ptr, halo_blocks_desc
      type(c_ptr), value :: context
      type(halo_blocks_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_blocks
    function c_halo_topology_create_boxes(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_boxes")
      import :: c_int32_t, c_ptr, halo_boxes_desc
      type(c_ptr), value :: context
      type(halo_boxes_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_boxes
    function c_halo_topology_create_regions(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_regions")
      import :: c_int32_t, c_ptr, halo_regions_desc
      type(c_ptr), value :: context
      type(halo_regions_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_regions
    function c_halo_topology_create_keys(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_keys")
      import :: c_int32_t, c_ptr, halo_keys_desc
      type(c_ptr), value :: context
      type(halo_keys_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_keys
    function c_halo_topology_edit_keys(topology, edit, edited) result(answer) bind(c, name="halo_topology_edit_keys")
      import :: c_int32_t, c_ptr, halo_keys_edit
      type(c_ptr), value :: topology
      type(halo_keys_edit), intent(in) :: edit
      type(c_ptr), intent(inout) :: edited
      integer(c_int32_t) :: answer
    end function c_halo_topology_edit_keys
    function c_halo_topology_create_graph(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_graph")
      import :: c_int32_t, c_ptr, halo_graph_desc
      type(c_ptr), value :: context
      type(halo_graph_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_graph
    function c_halo_topology_graph_rows(topology, offsets, neighbours, n_rows) result(answer) bind(c, &
      name="halo_topology_graph_rows")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      type(c_ptr), intent(inout) :: offsets
      type(c_ptr), intent(inout) :: neighbours
      integer(c_int64_t), intent(inout) :: n_rows
      integer(c_int32_t) :: answer
    end function c_halo_topology_graph_rows
    function c_halo_topology_rings(topology, rings, capacity, n) result(answer) bind(c, name="halo_topology_rings")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int32_t), intent(inout) :: rings(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_topology_rings
    function c_halo_topology_point_keys(topology, keys, capacity, n) result(answer) bind(c, &
      name="halo_topology_point_keys")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int64_t), intent(inout) :: keys(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_topology_point_keys
    function c_halo_topology_create_star(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_star")
      import :: c_int32_t, c_ptr, halo_star_desc
      type(c_ptr), value :: context
      type(halo_star_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_star
    function c_halo_topology_create_lists(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_lists")
      import :: c_int32_t, c_ptr, halo_lists_desc
      type(c_ptr), value :: context
      type(halo_lists_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_lists
    function c_halo_topology_keys_report(topology, report) result(answer) bind(c, name="halo_topology_keys_report")
      import :: c_int32_t, c_ptr, halo_keys_report
      type(c_ptr), value :: topology
      type(halo_keys_report), intent(inout) :: report
      integer(c_int32_t) :: answer
    end function c_halo_topology_keys_report
    function c_halo_topology_local_indices(topology, indices, capacity, n) result(answer) bind(c, &
      name="halo_topology_local_indices")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int32_t), intent(inout) :: indices(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_topology_local_indices
    function c_halo_topology_owners(topology, ranks, capacity, n) result(answer) bind(c, name="halo_topology_owners")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int32_t), intent(inout) :: ranks(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_topology_owners
    function c_halo_topology_sharers(topology, local_index, ranks, capacity, n) result(answer) bind(c, &
      name="halo_topology_sharers")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int64_t), value :: local_index
      integer(c_int32_t), intent(inout) :: ranks(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_topology_sharers
    function c_halo_topology_destroy(topology) result(answer) bind(c, name="halo_topology_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_destroy
    function c_halo_topology_local_parts(topology, gids, n) result(answer) bind(c, name="halo_topology_local_parts")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      type(c_ptr), intent(inout) :: gids
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_topology_local_parts
    function c_halo_topology_part(topology, gid, part) result(answer) bind(c, name="halo_topology_part")
      import :: c_int32_t, c_int64_t, c_ptr, halo_part
      type(c_ptr), value :: topology
      integer(c_int64_t), value :: gid
      type(halo_part), intent(inout) :: part
      integer(c_int32_t) :: answer
    end function c_halo_topology_part
    function c_halo_element(x, y, z) result(answer) bind(c, name="halo_element")
      import :: c_int32_t
      integer(c_int32_t), value :: x
      integer(c_int32_t), value :: y
      integer(c_int32_t), value :: z
      integer(c_int32_t) :: answer
    end function c_halo_element
    function c_halo_topology_neighbours(topology, gid, row_bytes, neighbours, capacity, n) result(answer) bind(c, &
      name="halo_topology_neighbours")
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t, halo_neighbour
      type(c_ptr), value :: topology
      integer(c_int64_t), value :: gid
      integer(c_size_t), value :: row_bytes
      type(halo_neighbour), intent(inout) :: neighbours(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_topology_neighbours
    function c_halo_topology_peers(topology, ranks, capacity, n) result(answer) bind(c, name="halo_topology_peers")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int32_t), intent(inout) :: ranks(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_topology_peers
    function c_halo_field_create(topology, desc, field) result(answer) bind(c, name="halo_field_create")
      import :: c_int32_t, c_ptr, halo_field_desc
      type(c_ptr), value :: topology
      type(halo_field_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: field
      integer(c_int32_t) :: answer
    end function c_halo_field_create
    function c_halo_field_get_desc(field, desc) result(answer) bind(c, name="halo_field_get_desc")
      import :: c_int32_t, c_ptr, halo_field_desc
      type(c_ptr), value :: field
      type(halo_field_desc), intent(inout) :: desc
      integer(c_int32_t) :: answer
    end function c_halo_field_get_desc
    function c_halo_field_destroy(field) result(answer) bind(c, name="halo_field_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: field
      integer(c_int32_t) :: answer
    end function c_halo_field_destroy
    function c_halo_field_layout(field, gid, layout) result(answer) bind(c, name="halo_field_layout")
      import :: c_int32_t, c_int64_t, c_ptr, halo_layout
      type(c_ptr), value :: field
      integer(c_int64_t), value :: gid
      type(halo_layout), intent(inout) :: layout
      integer(c_int32_t) :: answer
    end function c_halo_field_layout
    function c_halo_field_set_layout(field, desc) result(answer) bind(c, name="halo_field_set_layout")
      import :: c_int32_t, c_ptr, halo_layout_desc
      type(c_ptr), value :: field
      type(halo_layout_desc), intent(in) :: desc
      integer(c_int32_t) :: answer
    end function c_halo_field_set_layout
    function c_halo_layout_fill(desc, points, element_bytes, n_components, n_places, layout) result(answer) bind(c, &
      name="halo_layout_fill")
      import :: c_int32_t, c_int64_t, halo_layout, halo_layout_desc
      type(halo_layout_desc), intent(in) :: desc
      integer(c_int64_t), intent(in) :: points(3)
      integer(c_int64_t), value :: element_bytes
      integer(c_int32_t), value :: n_components
      integer(c_int32_t), value :: n_places
      type(halo_layout), intent(inout) :: layout
      integer(c_int32_t) :: answer
    end function c_halo_layout_fill
    function c_halo_field_map_points(field, gid, positions, n_points) result(answer) bind(c, &
      name="halo_field_map_points")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int64_t), value :: gid
      integer(c_int64_t), intent(in) :: positions(*)
      integer(c_int64_t), value :: n_points
      integer(c_int32_t) :: answer
    end function c_halo_field_map_points
    function c_halo_field_bind(field, gid, binding) result(answer) bind(c, name="halo_field_bind")
      import :: c_int32_t, c_int64_t, c_ptr, halo_binding
      type(c_ptr), value :: field
      integer(c_int64_t), value :: gid
      type(halo_binding), intent(in) :: binding
      integer(c_int32_t) :: answer
    end function c_halo_field_bind
    function c_halo_field_bind_many(field, part_stride, binding) result(answer) bind(c, name="halo_field_bind_many")
      import :: c_int32_t, c_int64_t, c_ptr, halo_binding
      type(c_ptr), value :: field
      integer(c_int64_t), value :: part_stride
      type(halo_binding), intent(in) :: binding
      integer(c_int32_t) :: answer
    end function c_halo_field_bind_many
    function c_halo_field_allocate(field, gid) result(answer) bind(c, name="halo_field_allocate")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int64_t), value :: gid
      integer(c_int32_t) :: answer
    end function c_halo_field_allocate
    function c_halo_field_data(field, gid, set, data) result(answer) bind(c, name="halo_field_data")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int64_t), value :: gid
      integer(c_int32_t), value :: set
      type(c_ptr), intent(inout) :: data
      integer(c_int32_t) :: answer
    end function c_halo_field_data
    function c_halo_field_boundaries(field, gid, row_bytes, boundaries, capacity, n) result(answer) bind(c, &
      name="halo_field_boundaries")
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t, halo_boundary
      type(c_ptr), value :: field
      integer(c_int64_t), value :: gid
      integer(c_size_t), value :: row_bytes
      type(halo_boundary), intent(inout) :: boundaries(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_field_boundaries
    function c_halo_field_owner_mask(field, gid, mask, capacity, n) result(answer) bind(c, name="halo_field_owner_mask")
      import :: c_int32_t, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int64_t), value :: gid
      integer(c_int8_t), intent(inout) :: mask(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_field_owner_mask
    function c_halo_field_interior_rim(field, gid, reach, interior, rim, n_rim) result(answer) bind(c, &
      name="halo_field_interior_rim")
      import :: c_int32_t, c_int64_t, c_ptr, halo_box
      type(c_ptr), value :: field
      integer(c_int64_t), value :: gid
      integer(c_int32_t), value :: reach
      type(halo_box), intent(inout) :: interior
      type(halo_box), intent(inout) :: rim(6)
      integer(c_int32_t), intent(inout) :: n_rim
      integer(c_int32_t) :: answer
    end function c_halo_field_interior_rim
    function c_halo_exchange_create(fields, n_fields, desc, exchange) result(answer) bind(c, &
      name="halo_exchange_create")
      import :: c_int32_t, c_ptr, halo_exchange_desc
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int32_t), value :: n_fields
      type(halo_exchange_desc), intent(in), optional :: desc
      type(c_ptr), intent(inout) :: exchange
      integer(c_int32_t) :: answer
    end function c_halo_exchange_create
    function c_halo_exchange_get_desc(exchange, desc) result(answer) bind(c, name="halo_exchange_get_desc")
      import :: c_int32_t, c_ptr, halo_exchange_desc
      type(c_ptr), value :: exchange
      type(halo_exchange_desc), intent(inout) :: desc
      integer(c_int32_t) :: answer
    end function c_halo_exchange_get_desc
    function c_halo_exchange_create_transfer(sources, destinations, n_fields, desc, exchange) result(answer) bind(c, &
      name="halo_exchange_create_transfer")
      import :: c_int32_t, c_ptr, halo_transfer_desc
      type(c_ptr), intent(in) :: sources(*)
      type(c_ptr), intent(in) :: destinations(*)
      integer(c_int32_t), value :: n_fields
      type(halo_transfer_desc), intent(in), optional :: desc
      type(c_ptr), intent(inout) :: exchange
      integer(c_int32_t) :: answer
    end function c_halo_exchange_create_transfer
    function c_halo_exchange_get_transfer_desc(exchange, desc) result(answer) bind(c, &
      name="halo_exchange_get_transfer_desc")
      import :: c_int32_t, c_ptr, halo_transfer_desc
      type(c_ptr), value :: exchange
      type(halo_transfer_desc), intent(inout) :: desc
      integer(c_int32_t) :: answer
    end function c_halo_exchange_get_transfer_desc
    function c_halo_exchange_prepare(exchange) result(answer) bind(c, name="halo_exchange_prepare")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int32_t) :: answer
    end function c_halo_exchange_prepare
    function c_halo_exchange_destroy(exchange) result(answer) bind(c, name="halo_exchange_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: exchange
      integer(c_int32_t) :: answer
    end function c_halo_exchange_destroy
    function c_halo_exchange_start(exchange, run, stream) result(answer) bind(c, name="halo_exchange_start")
      import :: c_int32_t, c_ptr, halo_run
      type(c_ptr), value :: exchange
      type(halo_run), intent(in), optional :: run
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_exchange_start
    function c_halo_exchange_finish(exchange, stream) result(answer) bind(c, name="halo_exchange_finish")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: exchange
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_exchange_finish
    function c_halo_exchange_post(exchange, run) result(answer) bind(c, name="halo_exchange_post")
      import :: c_int32_t, c_ptr, halo_run
      type(c_ptr), value :: exchange
      type(halo_run), intent(in), optional :: run
      integer(c_int32_t) :: answer
    end function c_halo_exchange_post
    function c_halo_exchange_send(exchange, stream) result(answer) bind(c, name="halo_exchange_send")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: exchange
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_exchange_send
    function c_halo_exchange_test(exchange, done) result(answer) bind(c, name="halo_exchange_test")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int32_t), intent(inout) :: done
      integer(c_int32_t) :: answer
    end function c_halo_exchange_test
    function c_halo_exchange_unpack(exchange, stream) result(answer) bind(c, name="halo_exchange_unpack")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: exchange
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_exchange_unpack
    function c_halo_exchange_refine(exchange, stream) result(answer) bind(c, name="halo_exchange_refine")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: exchange
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_exchange_refine
    function c_halo_exchange_abandon(exchange) result(answer) bind(c, name="halo_exchange_abandon")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int32_t) :: answer
    end function c_halo_exchange_abandon
    function c_halo_exchange_get_stats(exchange, stats) result(answer) bind(c, name="halo_exchange_get_stats")
      import :: c_int32_t, c_ptr, halo_exchange_stats
      type(c_ptr), value :: exchange
      type(halo_exchange_stats), intent(inout) :: stats
      integer(c_int32_t) :: answer
    end function c_halo_exchange_get_stats
    function c_halo_exchange_peers(exchange, row_bytes, rows, capacity, n) result(answer) bind(c, &
      name="halo_exchange_peers")
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t, halo_peer_row
      type(c_ptr), value :: exchange
      integer(c_size_t), value :: row_bytes
      type(halo_peer_row), intent(inout) :: rows(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_exchange_peers
    function c_halo_exchange_describe(exchange, text, capacity, needed_bytes) result(answer) bind(c, &
      name="halo_exchange_describe")
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: exchange
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed_bytes
      integer(c_int32_t) :: answer
    end function c_halo_exchange_describe
    function c_halo_exchange_arrivals(exchange, arrivals, capacity, n) result(answer) bind(c, &
      name="halo_exchange_arrivals")
      import :: c_int32_t, c_int64_t, c_ptr, halo_arrival
      type(c_ptr), value :: exchange
      type(halo_arrival), intent(inout) :: arrivals(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_exchange_arrivals
    function c_halo_context_pool_stats(context, memory, stats) result(answer) bind(c, name="halo_context_pool_stats")
      import :: c_int32_t, c_ptr, halo_pool_stats
      type(c_ptr), value :: context
      integer(c_int32_t), value :: memory
      type(halo_pool_stats), intent(inout) :: stats
      integer(c_int32_t) :: answer
    end function c_halo_context_pool_stats
    function c_halo_memory_allocate(context, memory, bytes, pointer) result(answer) bind(c, name="halo_memory_allocate")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int32_t), value :: memory
      integer(c_int64_t), value :: bytes
      type(c_ptr), intent(inout) :: pointer
      integer(c_int32_t) :: answer
    end function c_halo_memory_allocate
    function c_halo_memory_allocate_on(context, memory, device, bytes, pointer) result(answer) bind(c, &
      name="halo_memory_allocate_on")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int32_t), value :: memory
      integer(c_int32_t), value :: device
      integer(c_int64_t), value :: bytes
      type(c_ptr), intent(inout) :: pointer
      integer(c_int32_t) :: answer
    end function c_halo_memory_allocate_on
    function c_halo_memory_release(context, pointer) result(answer) bind(c, name="halo_memory_release")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), intent(inout) :: pointer
      integer(c_int32_t) :: answer
    end function c_halo_memory_release
    function c_halo_context_trim(context) result(answer) bind(c, name="halo_context_trim")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int32_t) :: answer
    end function c_halo_context_trim
    function c_halo_info(context, what, text, capacity, needed_bytes) result(answer) bind(c, name="halo_info")
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: context
      integer(c_int32_t), value :: what
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed_bytes
      integer(c_int32_t) :: answer
    end function c_halo_info
    function c_halo_sections_classify(rank, owners, n, maps, n_maps, sections, order, sizes) result(answer) bind(c, &
      name="halo_sections_classify")
      import :: c_int32_t, c_int64_t, halo_map, halo_section_sizes
      integer(c_int32_t), value :: rank
      integer(c_int32_t), intent(in) :: owners(*)
      integer(c_int64_t), value :: n
      type(halo_map), intent(in) :: maps(*)
      integer(c_int32_t), value :: n_maps
      integer(c_int32_t), intent(inout), optional :: sections(*)
      integer(c_int32_t), intent(inout), optional :: order(*)
      type(halo_section_sizes), intent(inout), optional :: sizes
      integer(c_int32_t) :: answer
    end function c_halo_sections_classify
    function c_halo_sections_reach(map, sections, n, from, bits, groups) result(answer) bind(c, &
      name="halo_sections_reach")
      import :: c_int32_t, c_int64_t, halo_map
      type(halo_map), intent(in) :: map
      integer(c_int32_t), intent(in) :: sections(*)
      integer(c_int64_t), value :: n
      integer(c_int32_t), value :: from
      integer(c_int32_t), value :: bits
      integer(c_int32_t), intent(inout) :: groups(*)
      integer(c_int32_t) :: answer
    end function c_halo_sections_reach
    function c_halo_topology_set_sections(topology, groups, n) result(answer) bind(c, name="halo_topology_set_sections")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int32_t), intent(in) :: groups(*)
      integer(c_int64_t), value :: n
      integer(c_int32_t) :: answer
    end function c_halo_topology_set_sections
    function c_halo_access_begin(context, accesses, n, access_bytes, style, where, stream, &
      batch) result(answer) bind(c, name="halo_access_begin")
      import :: c_int32_t, c_ptr, c_size_t, halo_access
      type(c_ptr), value :: context
      type(halo_access), intent(in) :: accesses(*)
      integer(c_int32_t), value :: n
      integer(c_size_t), value :: access_bytes
      integer(c_int32_t), value :: style
      integer(c_int32_t), value :: where
      type(c_ptr), value :: stream
      type(c_ptr), intent(inout) :: batch
      integer(c_int32_t) :: answer
    end function c_halo_access_begin
    function c_halo_access_ready(batch) result(answer) bind(c, name="halo_access_ready")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: batch
      integer(c_int32_t) :: answer
    end function c_halo_access_ready
    function c_halo_access_needs_exec(batch, needs_exec) result(answer) bind(c, name="halo_access_needs_exec")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: batch
      integer(c_int32_t), intent(inout) :: needs_exec
      integer(c_int32_t) :: answer
    end function c_halo_access_needs_exec
    function c_halo_access_end(batch) result(answer) bind(c, name="halo_access_end")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: batch
      integer(c_int32_t) :: answer
    end function c_halo_access_end
    function c_halo_access_end_and_send(batch) result(answer) bind(c, name="halo_access_end_and_send")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: batch
      integer(c_int32_t) :: answer
    end function c_halo_access_end_and_send
    function c_halo_access_abandon(batch) result(answer) bind(c, name="halo_access_abandon")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: batch
      integer(c_int32_t) :: answer
    end function c_halo_access_abandon
    function c_halo_access_get_state(field, set, state) result(answer) bind(c, name="halo_access_get_state")
      import :: c_int32_t, c_ptr, halo_access_state
      type(c_ptr), value :: field
      integer(c_int32_t), value :: set
      type(halo_access_state), intent(inout) :: state
      integer(c_int32_t) :: answer
    end function c_halo_access_get_state
    function c_halo_access_mark_dirty(field, set, where) result(answer) bind(c, name="halo_access_mark_dirty")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int32_t), value :: set
      integer(c_int32_t), value :: where
      integer(c_int32_t) :: answer
    end function c_halo_access_mark_dirty
    function c_halo_access_mark_fresh(field, set, where) result(answer) bind(c, name="halo_access_mark_fresh")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int32_t), value :: set
      integer(c_int32_t), value :: where
      integer(c_int32_t) :: answer
    end function c_halo_access_mark_fresh
    function c_halo_access_freeze(field, frozen) result(answer) bind(c, name="halo_access_freeze")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int32_t), value :: frozen
      integer(c_int32_t) :: answer
    end function c_halo_access_freeze
    function c_halo_access_data(field, gid, set, where, data) result(answer) bind(c, name="halo_access_data")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int64_t), value :: gid
      integer(c_int32_t), value :: set
      integer(c_int32_t), value :: where
      type(c_ptr), intent(inout) :: data
      integer(c_int32_t) :: answer
    end function c_halo_access_data
    function c_halo_access_get_stats(context, field_name, stats) result(answer) bind(c, name="halo_access_get_stats")
      import :: c_char, c_int32_t, c_ptr, halo_access_stats
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: field_name(*)
      type(halo_access_stats), intent(inout) :: stats
      integer(c_int32_t) :: answer
    end function c_halo_access_get_stats
    function c_halo_reduction_create(context, n, type, op, reduction) result(answer) bind(c, &
      name="halo_reduction_create")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: n
      integer(c_int32_t), value :: type
      integer(c_int32_t), value :: op
      type(c_ptr), intent(inout) :: reduction
      integer(c_int32_t) :: answer
    end function c_halo_reduction_create
    function c_halo_reduction_create_items(context, items, item_bytes, n_items, reduction) result(answer) bind(c, &
      name="halo_reduction_create_items")
      import :: c_int32_t, c_ptr, c_size_t, halo_reduction_item
      type(c_ptr), value :: context
      type(halo_reduction_item), intent(in) :: items(*)
      integer(c_size_t), value :: item_bytes
      integer(c_int32_t), value :: n_items
      type(c_ptr), intent(inout) :: reduction
      integer(c_int32_t) :: answer
    end function c_halo_reduction_create_items
    function c_halo_reduction_begin(reduction, in) result(answer) bind(c, name="halo_reduction_begin")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: reduction
      type(*), intent(in), optional :: in(*)
      integer(c_int32_t) :: answer
    end function c_halo_reduction_begin
    function c_halo_reduction_test(reduction, done) result(answer) bind(c, name="halo_reduction_test")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: reduction
      integer(c_int32_t), intent(inout) :: done
      integer(c_int32_t) :: answer
    end function c_halo_reduction_test
    function c_halo_reduction_end(reduction, out) result(answer) bind(c, name="halo_reduction_end")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: reduction
      type(*), intent(inout), optional :: out(*)
      integer(c_int32_t) :: answer
    end function c_halo_reduction_end
    function c_halo_reduction_destroy(reduction) result(answer) bind(c, name="halo_reduction_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: reduction
      integer(c_int32_t) :: answer
    end function c_halo_reduction_destroy
    function c_halo_channel_register(context, key, desc, channel) result(answer) bind(c, name="halo_channel_register")
      import :: c_int32_t, c_ptr, halo_channel_desc, halo_channel_key
      type(c_ptr), value :: context
      type(halo_channel_key), intent(in) :: key
      type(halo_channel_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: channel
      integer(c_int32_t) :: answer
    end function c_halo_channel_register
    function c_halo_channel_register_many(context, keys, descs, desc_bytes, n, channels) result(answer) bind(c, &
      name="halo_channel_register_many")
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t, halo_channel_desc, halo_channel_key
      type(c_ptr), value :: context
      type(halo_channel_key), intent(in) :: keys(*)
      type(halo_channel_desc), intent(in) :: descs(*)
      integer(c_size_t), value :: desc_bytes
      integer(c_int64_t), value :: n
      type(c_ptr), intent(inout) :: channels(*)
      integer(c_int32_t) :: answer
    end function c_halo_channel_register_many
    function c_halo_channel_find(context, key, channel) result(answer) bind(c, name="halo_channel_find")
      import :: c_int32_t, c_ptr, halo_channel_key
      type(c_ptr), value :: context
      type(halo_channel_key), intent(in) :: key
      type(c_ptr), intent(inout) :: channel
      integer(c_int32_t) :: answer
    end function c_halo_channel_find
    function c_halo_channel_destroy(channel) result(answer) bind(c, name="halo_channel_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: channel
      integer(c_int32_t) :: answer
    end function c_halo_channel_destroy
    function c_halo_channel_abandon(channel) result(answer) bind(c, name="halo_channel_abandon")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      integer(c_int32_t) :: answer
    end function c_halo_channel_abandon
    function c_halo_channel_writable(channel, writable) result(answer) bind(c, name="halo_channel_writable")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      integer(c_int32_t), intent(inout) :: writable
      integer(c_int32_t) :: answer
    end function c_halo_channel_writable
    function c_halo_channel_allocate(channel) result(answer) bind(c, name="halo_channel_allocate")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      integer(c_int32_t) :: answer
    end function c_halo_channel_allocate
    function c_halo_channel_release(channel) result(answer) bind(c, name="halo_channel_release")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      integer(c_int32_t) :: answer
    end function c_halo_channel_release
    function c_halo_channel_set_buffer(channel, buffer) result(answer) bind(c, name="halo_channel_set_buffer")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      type(c_ptr), value :: buffer
      integer(c_int32_t) :: answer
    end function c_halo_channel_set_buffer
    function c_halo_channel_set_bytes(channel, bytes) result(answer) bind(c, name="halo_channel_set_bytes")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: channel
      integer(c_int64_t), value :: bytes
      integer(c_int32_t) :: answer
    end function c_halo_channel_set_bytes
    function c_halo_channel_buffer(channel, buffer) result(answer) bind(c, name="halo_channel_buffer")
      import :: c_int32_t, c_ptr, halo_buffer
      type(c_ptr), value :: channel
      type(halo_buffer), intent(inout) :: buffer
      integer(c_int32_t) :: answer
    end function c_halo_channel_buffer
    function c_halo_channel_state(channel, state) result(answer) bind(c, name="halo_channel_state")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      integer(c_int32_t), intent(inout) :: state
      integer(c_int32_t) :: answer
    end function c_halo_channel_state
    function c_halo_channel_send(channel, stream) result(answer) bind(c, name="halo_channel_send")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_channel_send
    function c_halo_channel_send_bytes(channel, bytes, stream) result(answer) bind(c, name="halo_channel_send_bytes")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: channel
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_channel_send_bytes
    function c_halo_channel_send_null(channel, stream) result(answer) bind(c, name="halo_channel_send_null")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_channel_send_null
    function c_halo_channel_start_receive(channel) result(answer) bind(c, name="halo_channel_start_receive")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      integer(c_int32_t) :: answer
    end function c_halo_channel_start_receive
    function c_halo_channel_try_receive(channel, done, state) result(answer) bind(c, name="halo_channel_try_receive")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      integer(c_int32_t), intent(inout) :: done
      integer(c_int32_t), intent(inout), optional :: state
      integer(c_int32_t) :: answer
    end function c_halo_channel_try_receive
    function c_halo_channel_stale(channel, stream) result(answer) bind(c, name="halo_channel_stale")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: channel
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_channel_stale
    function c_halo_channel_get_key(channel, key) result(answer) bind(c, name="halo_channel_get_key")
      import :: c_int32_t, c_ptr, halo_channel_key
      type(c_ptr), value :: channel
      type(halo_channel_key), intent(inout) :: key
      integer(c_int32_t) :: answer
    end function c_halo_channel_get_key
    function c_halo_channel_get_desc(channel, desc) result(answer) bind(c, name="halo_channel_get_desc")
      import :: c_int32_t, c_ptr, halo_channel_desc
      type(c_ptr), value :: channel
      type(halo_channel_desc), intent(inout) :: desc
      integer(c_int32_t) :: answer
    end function c_halo_channel_get_desc
    function c_halo_channel_start_receive_many(channels, n) result(answer) bind(c, &
      name="halo_channel_start_receive_many")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), intent(in) :: channels(*)
      integer(c_int64_t), value :: n
      integer(c_int32_t) :: answer
    end function c_halo_channel_start_receive_many
    function c_halo_channel_try_receive_many(channels, n, n_done, states) result(answer) bind(c, &
      name="halo_channel_try_receive_many")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), intent(in) :: channels(*)
      integer(c_int64_t), value :: n
      integer(c_int64_t), intent(inout) :: n_done
      integer(c_int32_t), intent(inout), optional :: states(*)
      integer(c_int32_t) :: answer
    end function c_halo_channel_try_receive_many
    function c_halo_channel_writable_many(channels, n, n_writable, writable) result(answer) bind(c, &
      name="halo_channel_writable_many")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), intent(in) :: channels(*)
      integer(c_int64_t), value :: n
      integer(c_int64_t), intent(inout) :: n_writable
      integer(c_int32_t), intent(inout), optional :: writable(*)
      integer(c_int32_t) :: answer
    end function c_halo_channel_writable_many
    function c_halo_channel_stale_many(channels, n, stream) result(answer) bind(c, name="halo_channel_stale_many")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), intent(in) :: channels(*)
      integer(c_int64_t), value :: n
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_channel_stale_many
    function c_halo_channel_send_many(channels, n, stream) result(answer) bind(c, name="halo_channel_send_many")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), intent(in) :: channels(*)
      integer(c_int64_t), value :: n
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_channel_send_many
    function c_halo_group_create(context, channels, n, desc, group) result(answer) bind(c, name="halo_group_create")
      import :: c_int32_t, c_int64_t, c_ptr, halo_group_desc
      type(c_ptr), value :: context
      type(c_ptr), intent(in) :: channels(*)
      integer(c_int64_t), value :: n
      type(halo_group_desc), intent(in), optional :: desc
      type(c_ptr), intent(inout) :: group
      integer(c_int32_t) :: answer
    end function c_halo_group_create
    function c_halo_group_get_desc(group, desc) result(answer) bind(c, name="halo_group_get_desc")
      import :: c_int32_t, c_ptr, halo_group_desc
      type(c_ptr), value :: group
      type(halo_group_desc), intent(inout) :: desc
      integer(c_int32_t) :: answer
    end function c_halo_group_get_desc
    function c_halo_group_destroy(group) result(answer) bind(c, name="halo_group_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: group
      integer(c_int32_t) :: answer
    end function c_halo_group_destroy
    function c_halo_group_drain(group, timeout_seconds) result(answer) bind(c, name="halo_group_drain")
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: group
      real(c_double), value :: timeout_seconds
      integer(c_int32_t) :: answer
    end function c_halo_group_drain
    function c_halo_group_abandon(group) result(answer) bind(c, name="halo_group_abandon")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: group
      integer(c_int32_t) :: answer
    end function c_halo_group_abandon
    function c_halo_group_table(group, row_bytes, rows, n) result(answer) bind(c, name="halo_group_table")
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: group
      integer(c_size_t), value :: row_bytes
      type(c_ptr), intent(inout) :: rows
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_group_table
    function c_halo_group_writable(group, writable) result(answer) bind(c, name="halo_group_writable")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: group
      integer(c_int32_t), intent(inout) :: writable
      integer(c_int32_t) :: answer
    end function c_halo_group_writable
    function c_halo_group_start_receive(group) result(answer) bind(c, name="halo_group_start_receive")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: group
      integer(c_int32_t) :: answer
    end function c_halo_group_start_receive
    function c_halo_group_send(group, null_flags, stream) result(answer) bind(c, name="halo_group_send")
      import :: c_int32_t, c_int8_t, c_ptr
      type(c_ptr), value :: group
      integer(c_int8_t), intent(in), optional :: null_flags(*)
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_group_send
    function c_halo_group_send_rows(group, rows, n, null_flags, stream) result(answer) bind(c, &
      name="halo_group_send_rows")
      import :: c_int32_t, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: group
      integer(c_int64_t), intent(in) :: rows(*)
      integer(c_int64_t), value :: n
      integer(c_int8_t), intent(in), optional :: null_flags(*)
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_group_send_rows
    function c_halo_group_try_receive(group, done) result(answer) bind(c, name="halo_group_try_receive")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: group
      integer(c_int32_t), intent(inout) :: done
      integer(c_int32_t) :: answer
    end function c_halo_group_try_receive
    function c_halo_group_stale(group, stream) result(answer) bind(c, name="halo_group_stale")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: group
      type(c_ptr), value :: stream
      integer(c_int32_t) :: answer
    end function c_halo_group_stale
    function c_halo_topology_create_forest(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_forest")
      import :: c_int32_t, c_ptr, halo_forest_desc
      type(c_ptr), value :: context
      type(halo_forest_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_forest
    function c_halo_forest_uniform(desc, level, row_bytes, leaves, capacity, n) result(answer) bind(c, &
      name="halo_forest_uniform")
      import :: c_int32_t, c_int64_t, c_size_t, halo_forest_desc, halo_leaf
      type(halo_forest_desc), intent(in) :: desc
      integer(c_int32_t), value :: level
      integer(c_size_t), value :: row_bytes
      type(halo_leaf), intent(inout) :: leaves(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_forest_uniform
    function c_halo_forest_adapt(desc, marks, row_bytes, leaves, from, capacity, n) result(answer) bind(c, &
      name="halo_forest_adapt")
      import :: c_int32_t, c_int64_t, c_size_t, halo_forest_desc, halo_leaf
      type(halo_forest_desc), intent(in) :: desc
      integer(c_int32_t), intent(in) :: marks(*)
      integer(c_size_t), value :: row_bytes
      type(halo_leaf), intent(inout) :: leaves
      integer(c_int64_t), intent(inout) :: from(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_forest_adapt
    function c_halo_field_allocate_from(field, before) result(answer) bind(c, name="halo_field_allocate_from")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: field
      type(c_ptr), value :: before
      integer(c_int32_t) :: answer
    end function c_halo_field_allocate_from
    function c_halo_forest_place(desc, weights, n_ranks, owners, capacity, n) result(answer) bind(c, &
      name="halo_forest_place")
      import :: c_double, c_int32_t, c_int64_t, halo_forest_desc
      type(halo_forest_desc), intent(in) :: desc
      real(c_double), intent(in) :: weights(*)
      integer(c_int32_t), value :: n_ranks
      integer(c_int32_t), intent(inout) :: owners(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_forest_place
    function c_halo_field_set_prolongation(field, prolongation) result(answer) bind(c, &
      name="halo_field_set_prolongation")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int32_t), value :: prolongation
      integer(c_int32_t) :: answer
    end function c_halo_field_set_prolongation
    function c_halo_field_set_restriction(field, restriction) result(answer) bind(c, name="halo_field_set_restriction")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: field
      integer(c_int32_t), value :: restriction
      integer(c_int32_t) :: answer
    end function c_halo_field_set_restriction
    function c_halo_exchange_coarse_data(exchange, field, gid, data, layout) result(answer) bind(c, &
      name="halo_exchange_coarse_data")
      import :: c_int32_t, c_int64_t, c_ptr, halo_layout
      type(c_ptr), value :: exchange
      integer(c_int32_t), value :: field
      integer(c_int64_t), value :: gid
      type(c_ptr), intent(inout) :: data
      type(halo_layout), intent(inout) :: layout
      integer(c_int32_t) :: answer
    end function c_halo_exchange_coarse_data
    function c_halo_exchange_coarse_boundaries(exchange, field, gid, row_bytes, boundaries, capacity, &
      n) result(answer) bind(c, name="halo_exchange_coarse_boundaries")
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t, halo_boundary
      type(c_ptr), value :: exchange
      integer(c_int32_t), value :: field
      integer(c_int64_t), value :: gid
      integer(c_size_t), value :: row_bytes
      type(halo_boundary), intent(inout) :: boundaries(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_exchange_coarse_boundaries
    function c_halo_exchange_level_regions(exchange, field, gid, row_bytes, regions, capacity, &
      n) result(answer) bind(c, name="halo_exchange_level_regions")
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t, halo_level_region
      type(c_ptr), value :: exchange
      integer(c_int32_t), value :: field
      integer(c_int64_t), value :: gid
      integer(c_size_t), value :: row_bytes
      type(halo_level_region), intent(inout) :: regions(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_exchange_level_regions
    function c_halo_exchange_create_levels(coarse, newer, fine, n_fields, desc, exchange) result(answer) bind(c, &
      name="halo_exchange_create_levels")
      import :: c_int32_t, c_ptr, halo_levels_desc
      type(c_ptr), intent(in) :: coarse(*)
      type(c_ptr), intent(in), optional :: newer(*)
      type(c_ptr), intent(in) :: fine(*)
      integer(c_int32_t), value :: n_fields
      type(halo_levels_desc), intent(in), optional :: desc
      type(c_ptr), intent(inout) :: exchange
      integer(c_int32_t) :: answer
    end function c_halo_exchange_create_levels
    function c_halo_exchange_get_levels_desc(exchange, desc) result(answer) bind(c, &
      name="halo_exchange_get_levels_desc")
      import :: c_int32_t, c_ptr, halo_levels_desc
      type(c_ptr), value :: exchange
      type(halo_levels_desc), intent(inout) :: desc
      integer(c_int32_t) :: answer
    end function c_halo_exchange_get_levels_desc
    function c_halo_exchange_set_fraction(exchange, fraction) result(answer) bind(c, name="halo_exchange_set_fraction")
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: exchange
      real(c_double), value :: fraction
      integer(c_int32_t) :: answer
    end function c_halo_exchange_set_fraction
    function c_halo_field_level_boxes(field, finer, gid, row_bytes, boxes, capacity, n) result(answer) bind(c, &
      name="halo_field_level_boxes")
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t, halo_level_box
      type(c_ptr), value :: field
      type(c_ptr), value :: finer
      integer(c_int64_t), value :: gid
      integer(c_size_t), value :: row_bytes
      type(halo_level_box), intent(inout) :: boxes(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_field_level_boxes
    function c_halo_mesh_create(context, desc, mesh) result(answer) bind(c, name="halo_mesh_create")
      import :: c_int32_t, c_ptr, halo_mesh_desc
      type(c_ptr), value :: context
      type(halo_mesh_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: mesh
      integer(c_int32_t) :: answer
    end function c_halo_mesh_create
    function c_halo_mesh_destroy(mesh) result(answer) bind(c, name="halo_mesh_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: mesh
      integer(c_int32_t) :: answer
    end function c_halo_mesh_destroy
    function c_halo_mesh_get_local(mesh, set, local) result(answer) bind(c, name="halo_mesh_get_local")
      import :: c_int32_t, c_ptr, halo_mesh_local
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: set
      type(halo_mesh_local), intent(inout) :: local
      integer(c_int32_t) :: answer
    end function c_halo_mesh_get_local
    function c_halo_mesh_get_map(mesh, map, to, n_rows, arity) result(answer) bind(c, name="halo_mesh_get_map")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: map
      type(c_ptr), intent(inout) :: to
      integer(c_int64_t), intent(inout) :: n_rows
      integer(c_int32_t), intent(inout) :: arity
      integer(c_int32_t) :: answer
    end function c_halo_mesh_get_map
    function c_halo_mesh_topology(mesh, set, topology) result(answer) bind(c, name="halo_mesh_topology")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: set
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_mesh_topology
    function c_halo_mesh_distribute(mesh, set, brought, local, bytes) result(answer) bind(c, &
      name="halo_mesh_distribute")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: set
      type(*), intent(in), optional :: brought(*)
      type(*), intent(inout), optional :: local(*)
      integer(c_int64_t), value :: bytes
      integer(c_int32_t) :: answer
    end function c_halo_mesh_distribute
    function c_halo_mesh_collect(mesh, set, local, brought, bytes) result(answer) bind(c, name="halo_mesh_collect")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: set
      type(*), intent(in), optional :: local(*)
      type(*), intent(inout), optional :: brought(*)
      integer(c_int64_t), value :: bytes
      integer(c_int32_t) :: answer
    end function c_halo_mesh_collect
    function c_halo_mesh_target_topology(mesh, set, keys, n, topology) result(answer) bind(c, &
      name="halo_mesh_target_topology")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: set
      integer(c_int64_t), intent(in) :: keys(*)
      integer(c_int64_t), value :: n
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_mesh_target_topology
    function c_halo_mesh_add_columns(mesh, set, n_layers, layers, columns) result(answer) bind(c, &
      name="halo_mesh_add_columns")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: set
      integer(c_int32_t), value :: n_layers
      integer(c_int32_t), intent(in), optional :: layers(*)
      integer(c_int32_t), intent(inout) :: columns
      integer(c_int32_t) :: answer
    end function c_halo_mesh_add_columns
    function c_halo_mesh_get_columns(mesh, columns, starts, n) result(answer) bind(c, name="halo_mesh_get_columns")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: columns
      type(c_ptr), intent(inout) :: starts
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_mesh_get_columns
    function c_halo_mesh_column_topology(mesh, columns, topology) result(answer) bind(c, &
      name="halo_mesh_column_topology")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: columns
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_mesh_column_topology
    function c_halo_mesh_get_column_map(mesh, map, from, to, entries, n_entries, lowest, capacity, &
      n) result(answer) bind(c, name="halo_mesh_get_column_map")
      import :: c_int32_t, c_int64_t, c_ptr, halo_column_entry
      type(c_ptr), value :: mesh
      integer(c_int32_t), value :: map
      integer(c_int32_t), value :: from
      integer(c_int32_t), value :: to
      type(halo_column_entry), intent(in) :: entries(*)
      integer(c_int32_t), value :: n_entries
      integer(c_int32_t), intent(inout) :: lowest(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_mesh_get_column_map
    function c_halo_particles_create(topology, desc, particles) result(answer) bind(c, name="halo_particles_create")
      import :: c_int32_t, c_ptr, halo_particles_desc
      type(c_ptr), value :: topology
      type(halo_particles_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: particles
      integer(c_int32_t) :: answer
    end function c_halo_particles_create
    function c_halo_particles_destroy(particles) result(answer) bind(c, name="halo_particles_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: particles
      integer(c_int32_t) :: answer
    end function c_halo_particles_destroy
    function c_halo_particles_start(particles, arrays) result(answer) bind(c, name="halo_particles_start")
      import :: c_int32_t, c_ptr, halo_particles_arrays
      type(c_ptr), value :: particles
      type(halo_particles_arrays), intent(in) :: arrays
      integer(c_int32_t) :: answer
    end function c_halo_particles_start
    function c_halo_particles_test(particles, done) result(answer) bind(c, name="halo_particles_test")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: particles
      integer(c_int32_t), intent(inout) :: done
      integer(c_int32_t) :: answer
    end function c_halo_particles_test
    function c_halo_particles_counts(particles, counts, capacity, n) result(answer) bind(c, &
      name="halo_particles_counts")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: particles
      integer(c_int64_t), intent(inout) :: counts(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_particles_counts
    function c_halo_particles_left(particles, places, capacity, n) result(answer) bind(c, name="halo_particles_left")
      import :: c_int32_t, c_int64_t, c_ptr, halo_particle_place
      type(c_ptr), value :: particles
      type(halo_particle_place), intent(inout) :: places(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_particles_left
    function c_halo_particles_finish(particles, arrays) result(answer) bind(c, name="halo_particles_finish")
      import :: c_int32_t, c_ptr, halo_particles_arrays
      type(c_ptr), value :: particles
      type(halo_particles_arrays), intent(in) :: arrays
      integer(c_int32_t) :: answer
    end function c_halo_particles_finish
    function c_halo_particles_abandon(particles) result(answer) bind(c, name="halo_particles_abandon")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: particles
      integer(c_int32_t) :: answer
    end function c_halo_particles_abandon
    function c_halo_sphere_key(solid, n, kind, entity, key) result(answer) bind(c, name="halo_sphere_key")
      import :: c_int32_t, c_int64_t, halo_sphere_entity
      integer(c_int32_t), value :: solid
      integer(c_int64_t), value :: n
      integer(c_int32_t), value :: kind
      type(halo_sphere_entity), intent(in) :: entity
      integer(c_int64_t), intent(inout) :: key
      integer(c_int32_t) :: answer
    end function c_halo_sphere_key
    function c_halo_sphere_entity_of(solid, n, kind, key, entity) result(answer) bind(c, name="halo_sphere_entity_of")
      import :: c_int32_t, c_int64_t, halo_sphere_entity
      integer(c_int32_t), value :: solid
      integer(c_int64_t), value :: n
      integer(c_int32_t), value :: kind
      integer(c_int64_t), value :: key
      type(halo_sphere_entity), intent(inout) :: entity
      integer(c_int32_t) :: answer
    end function c_halo_sphere_entity_of
    function c_halo_sphere_key_neighbours(solid, n, from, key, to, neighbours, n_neighbours) result(answer) bind(c, &
      name="halo_sphere_key_neighbours")
      import :: c_int32_t, c_int64_t
      integer(c_int32_t), value :: solid
      integer(c_int64_t), value :: n
      integer(c_int32_t), value :: from
      integer(c_int64_t), value :: key
      integer(c_int32_t), value :: to
      integer(c_int64_t), intent(inout) :: neighbours(*)
      integer(c_int32_t), intent(inout) :: n_neighbours
      integer(c_int32_t) :: answer
    end function c_halo_sphere_key_neighbours
    function c_halo_sphere_position(solid, n, kind, key, position) result(answer) bind(c, name="halo_sphere_position")
      import :: c_double, c_int32_t, c_int64_t
      integer(c_int32_t), value :: solid
      integer(c_int64_t), value :: n
      integer(c_int32_t), value :: kind
      integer(c_int64_t), value :: key
      real(c_double), intent(inout) :: position(*)
      integer(c_int32_t) :: answer
    end function c_halo_sphere_position
    function c_halo_sphere_create(context, desc, sphere) result(answer) bind(c, name="halo_sphere_create")
      import :: c_int32_t, c_ptr, halo_sphere_desc
      type(c_ptr), value :: context
      type(halo_sphere_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: sphere
      integer(c_int32_t) :: answer
    end function c_halo_sphere_create
    function c_halo_sphere_destroy(sphere) result(answer) bind(c, name="halo_sphere_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: sphere
      integer(c_int32_t) :: answer
    end function c_halo_sphere_destroy
    function c_halo_sphere_local_parts(sphere, gids, n) result(answer) bind(c, name="halo_sphere_local_parts")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: sphere
      type(c_ptr), intent(inout) :: gids
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_sphere_local_parts
    function c_halo_sphere_get_part(sphere, gid, part) result(answer) bind(c, name="halo_sphere_get_part")
      import :: c_int32_t, c_int64_t, c_ptr, halo_sphere_part
      type(c_ptr), value :: sphere
      integer(c_int64_t), value :: gid
      type(halo_sphere_part), intent(inout) :: part
      integer(c_int32_t) :: answer
    end function c_halo_sphere_get_part
    function c_halo_sphere_ring_ends(sphere, gid, kind, ends, capacity, n) result(answer) bind(c, &
      name="halo_sphere_ring_ends")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: sphere
      integer(c_int64_t), value :: gid
      integer(c_int32_t), value :: kind
      integer(c_int64_t), intent(inout) :: ends(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_sphere_ring_ends
    function c_halo_sphere_keys(sphere, gid, kind, keys, capacity, n) result(answer) bind(c, name="halo_sphere_keys")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: sphere
      integer(c_int64_t), value :: gid
      integer(c_int32_t), value :: kind
      integer(c_int64_t), intent(inout) :: keys(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_sphere_keys
    function c_halo_sphere_neighbours(sphere, gid, from, to, table, capacity, n) result(answer) bind(c, &
      name="halo_sphere_neighbours")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: sphere
      integer(c_int64_t), value :: gid
      integer(c_int32_t), value :: from
      integer(c_int32_t), value :: to
      integer(c_int32_t), intent(inout) :: table(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_sphere_neighbours
    function c_halo_sphere_topology(sphere, kind, topology) result(answer) bind(c, name="halo_sphere_topology")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: sphere
      integer(c_int32_t), value :: kind
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_sphere_topology
    function c_halo_topology_create_cubed_sphere(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_cubed_sphere")
      import :: c_int32_t, c_ptr, halo_cubed_sphere_desc
      type(c_ptr), value :: context
      type(halo_cubed_sphere_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_cubed_sphere
    function c_halo_topology_create_latitudes(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_latitudes")
      import :: c_int32_t, c_ptr, halo_latitudes_desc
      type(c_ptr), value :: context
      type(halo_latitudes_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_latitudes
    function c_halo_reduced_rows_neighbours(desc, key, neighbours, capacity, n) result(answer) bind(c, &
      name="halo_reduced_rows_neighbours")
      import :: c_int32_t, c_int64_t, halo_reduced_rows_desc
      type(halo_reduced_rows_desc), intent(in) :: desc
      integer(c_int64_t), value :: key
      integer(c_int64_t), intent(inout) :: neighbours(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_reduced_rows_neighbours
    function c_halo_topology_create_reduced_rows(context, desc, topology) result(answer) bind(c, &
      name="halo_topology_create_reduced_rows")
      import :: c_int32_t, c_ptr, halo_reduced_rows_desc
      type(c_ptr), value :: context
      type(halo_reduced_rows_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_topology_create_reduced_rows
    function c_halo_stencil_create(desc, stencil) result(answer) bind(c, name="halo_stencil_create")
      import :: c_int32_t, c_ptr, halo_stencil_desc
      type(halo_stencil_desc), intent(in) :: desc
      type(c_ptr), intent(inout) :: stencil
      integer(c_int32_t) :: answer
    end function c_halo_stencil_create
    function c_halo_stencil_destroy(stencil) result(answer) bind(c, name="halo_stencil_destroy")
      import :: c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: stencil
      integer(c_int32_t) :: answer
    end function c_halo_stencil_destroy
    function c_halo_stencil_add_field(stencil, desc, field) result(answer) bind(c, name="halo_stencil_add_field")
      import :: c_int32_t, c_ptr, halo_stencil_field_desc
      type(c_ptr), value :: stencil
      type(halo_stencil_field_desc), intent(in) :: desc
      integer(c_int32_t), intent(inout) :: field
      integer(c_int32_t) :: answer
    end function c_halo_stencil_add_field
    function c_halo_stencil_add_stage(stencil, desc, stage) result(answer) bind(c, name="halo_stencil_add_stage")
      import :: c_int32_t, c_ptr, halo_stencil_stage_desc
      type(c_ptr), value :: stencil
      type(halo_stencil_stage_desc), intent(in) :: desc
      integer(c_int32_t), intent(inout) :: stage
      integer(c_int32_t) :: answer
    end function c_halo_stencil_add_stage
    function c_halo_stencil_analyse(stencil) result(answer) bind(c, name="halo_stencil_analyse")
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: stencil
      integer(c_int32_t) :: answer
    end function c_halo_stencil_analyse
    function c_halo_stencil_get_field(stencil, field, result) result(answer) bind(c, name="halo_stencil_get_field")
      import :: c_int32_t, c_ptr, halo_stencil_field
      type(c_ptr), value :: stencil
      integer(c_int32_t), value :: field
      type(halo_stencil_field), intent(inout) :: result
      integer(c_int32_t) :: answer
    end function c_halo_stencil_get_field
    function c_halo_stencil_get_stage(stencil, stage, result) result(answer) bind(c, name="halo_stencil_get_stage")
      import :: c_int32_t, c_ptr, halo_stencil_stage
      type(c_ptr), value :: stencil
      integer(c_int32_t), value :: stage
      type(halo_stencil_stage), intent(inout) :: result
      integer(c_int32_t) :: answer
    end function c_halo_stencil_get_stage
    function c_halo_stencil_describe(stencil, text, capacity, needed_bytes) result(answer) bind(c, &
      name="halo_stencil_describe")
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: stencil
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed_bytes
      integer(c_int32_t) :: answer
    end function c_halo_stencil_describe
    function c_halo_stencil_exchanges(stencil, exchanges, capacity, n) result(answer) bind(c, &
      name="halo_stencil_exchanges")
      import :: c_int32_t, c_int64_t, c_ptr, halo_stencil_exchange_row
      type(c_ptr), value :: stencil
      type(halo_stencil_exchange_row), intent(inout) :: exchanges(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_stencil_exchanges
    function c_halo_stencil_groups(stencil, groups, capacity, n) result(answer) bind(c, name="halo_stencil_groups")
      import :: c_int32_t, c_int64_t, c_ptr, halo_stencil_group
      type(c_ptr), value :: stencil
      type(halo_stencil_group), intent(inout) :: groups(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_stencil_groups
    function c_halo_stencil_get_summary(stencil, summary) result(answer) bind(c, name="halo_stencil_get_summary")
      import :: c_int32_t, c_ptr, halo_stencil_summary
      type(c_ptr), value :: stencil
      type(halo_stencil_summary), intent(inout) :: summary
      integer(c_int32_t) :: answer
    end function c_halo_stencil_get_summary
    function c_halo_stencil_level_index(stencil, level, index) result(answer) bind(c, name="halo_stencil_level_index")
      import :: c_int32_t, c_int64_t, c_ptr, halo_stencil_level
      type(c_ptr), value :: stencil
      type(halo_stencil_level), intent(in) :: level
      integer(c_int64_t), intent(inout) :: index
      integer(c_int32_t) :: answer
    end function c_halo_stencil_level_index
    function c_halo_stencil_loops(stencil, loops, capacity, n) result(answer) bind(c, name="halo_stencil_loops")
      import :: c_int32_t, c_int64_t, c_ptr, halo_stencil_loop
      type(c_ptr), value :: stencil
      type(halo_stencil_loop), intent(inout) :: loops(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_stencil_loops
    function c_halo_stencil_loop_intervals(stencil, stage, intervals, capacity, n) result(answer) bind(c, &
      name="halo_stencil_loop_intervals")
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: stencil
      integer(c_int32_t), value :: stage
      integer(c_int32_t), intent(inout) :: intervals(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_stencil_loop_intervals
    function c_halo_stencil_stage_ranges(stencil, stage, ranges, capacity, n) result(answer) bind(c, &
      name="halo_stencil_stage_ranges")
      import :: c_int32_t, c_int64_t, c_ptr, halo_stencil_range
      type(c_ptr), value :: stencil
      integer(c_int32_t), value :: stage
      type(halo_stencil_range), intent(inout) :: ranges(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_stencil_stage_ranges
    function c_halo_stencil_exchange_ranges(stencil, exchange, ranges, capacity, n) result(answer) bind(c, &
      name="halo_stencil_exchange_ranges")
      import :: c_int32_t, c_int64_t, c_ptr, halo_stencil_range
      type(c_ptr), value :: stencil
      integer(c_int32_t), value :: exchange
      type(halo_stencil_range), intent(inout) :: ranges(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: n
      integer(c_int32_t) :: answer
    end function c_halo_stencil_exchange_ranges
    function c_halo_stencil_fill_field_desc(stencil, field, desc) result(answer) bind(c, &
      name="halo_stencil_fill_field_desc")
      import :: c_int32_t, c_ptr, halo_field_desc
      type(c_ptr), value :: stencil
      integer(c_int32_t), value :: field
      type(halo_field_desc), intent(inout) :: desc
      integer(c_int32_t) :: answer
    end function c_halo_stencil_fill_field_desc
    function c_halo_stencil_fill_layout_desc(stencil, desc) result(answer) bind(c, name="halo_stencil_fill_layout_desc")
      import :: c_int32_t, c_ptr, halo_layout_desc
      type(c_ptr), value :: stencil
      type(halo_layout_desc), intent(inout) :: desc
      integer(c_int32_t) :: answer
    end function c_halo_stencil_fill_layout_desc
    function c_halo_stencil_create_exchange(stencil, group, fields, n_fields, desc, exchange) result(answer) bind(c, &
      name="halo_stencil_create_exchange")
      import :: c_int32_t, c_ptr, halo_exchange_desc
      type(c_ptr), value :: stencil
      integer(c_int32_t), value :: group
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int32_t), value :: n_fields
      type(halo_exchange_desc), intent(in), optional :: desc
      type(c_ptr), intent(inout) :: exchange
      integer(c_int32_t) :: answer
    end function c_halo_stencil_create_exchange
    function c_halo_stencil_create_topology(stencil, exchange, context, blocks, topology) result(answer) bind(c, &
      name="halo_stencil_create_topology")
      import :: c_int32_t, c_ptr, halo_blocks_desc
      type(c_ptr), value :: stencil
      integer(c_int32_t), value :: exchange
      type(c_ptr), value :: context
      type(halo_blocks_desc), intent(in) :: blocks
      type(c_ptr), intent(inout) :: topology
      integer(c_int32_t) :: answer
    end function c_halo_stencil_create_topology
  end interface
end module halo_c
