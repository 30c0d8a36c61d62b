! SPDX-License-Identifier: BSD-3-Clause
!> Calls every procedure of the other headers once, where one rank suffices, and looks at what comes back.
program others
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  implicit none
  call sections()
  call accesses()
  call reductions()
  call channels_alone()
  call groups()
  call meshes()
  call particles()
  call spheres()
  call quadrilaterals()
  call stencils()
  call forests()
  call levels()
  print "(a)", "every procedure of the other headers answers"
contains

  include 'need.inc'

  subroutine sections()
    integer(c_int32_t), target :: to(2) = [0, 1], to_owners(2) = [0, 1]
    integer(c_int32_t) :: found(3), order(3), groups(2)
    type(halo_section_sizes) :: sizes
    type(halo_map) :: map
    integer :: stat
    character(:), allocatable :: errmsg
    map = halo_map(to=c_loc(to), to_owners=c_loc(to_owners), n_to=2_int64, arity=1)
    call halo_sections_classify(0, [0, 0], [map], found(:2), order(:2), sizes)
    call need(all(found(:2) == [HALO_SECTION_CORE, HALO_SECTION_OWNED]) .and. sizes%n(1) == 1, "sections")
    groups = 0
    call halo_sections_reach(map, found(:2), ishft(1, HALO_SECTION_OWNED), 64, groups)
    call need(all(groups == [0, 64]), "reach")
    call halo_sections_reach(map, found(:2), 1, 64, groups(:1), stat=stat, errmsg=errmsg)
    call need(stat == HALO_ERR_ARGUMENT .and. index(errmsg, "fewer entries") > 0, "groups too short")
    call halo_sections_classify(0, [0, 0], [map], found, stat=stat, errmsg=errmsg)
    call need(stat == HALO_ERR_ARGUMENT .and. index(errmsg, "differ in size") > 0, "sections too long")
  end subroutine sections

  subroutine accesses()
    type(halo_context) :: context
    type(halo_topology) :: grid, points
    type(halo_field) :: u
    type(halo_access) :: access
    type(halo_batch) :: batch
    type(halo_access_state) :: state
    type(halo_access_stats) :: stats
    type(c_ptr) :: data
    integer(c_int32_t) :: needs_exec
    integer(c_int64_t), target :: keys(2) = [1, 2]
    type(halo_keys_desc) :: desc
    call context%create()
    desc%n_keys = 2
    desc%keys = c_loc(keys)
    call points%create_keys(context, desc)
    call halo_topology_set_sections(points, [0, 0])
    call grid%create_blocks(context, halo_blocks_desc(n_dims=1, n_cells=[4_int64, 1_int64, 1_int64], periodic=[1, 0, 0]))
    call u%create(grid, halo_field_desc(ghost_low=[1, 0, 0], ghost_high=[1, 0, 0]), name="u")
    call u%allocate(-1_int64)
    access = halo_access(field=u%handle, mode=HALO_READ, through=HALO_VIA_MAP)
    call halo_access_mark_dirty(u, 0, HALO_ON_HOST)
    call halo_access_get_state(u, 0, state)
    call need(state%freshness == HALO_FRESHNESS_STALE, "stale")
    call halo_access_begin(context, [access], HALO_STYLE_REDUNDANT, HALO_ON_HOST, batch=batch)
    call halo_access_ready(batch)
    call halo_access_needs_exec(batch, needs_exec)
    call need(needs_exec == 0, "exec")
    call halo_access_end(batch)
    access%mode = HALO_INC
    access%combine_order = HALO_COMBINE_CANONICAL
    call halo_access_begin(context, [access], HALO_STYLE_REVERSE, HALO_ON_HOST, batch=batch)
    call halo_access_ready(batch)
    call halo_access_end_and_send(batch)
    access = halo_access(field=u%handle, mode=HALO_READ, through=HALO_VIA_MAP)
    call halo_access_begin(context, [access], HALO_STYLE_REDUNDANT, HALO_ON_HOST, batch=batch)
    call halo_access_abandon(batch)
    call halo_access_mark_fresh(u, 0, HALO_ON_HOST)
    call halo_access_freeze(u, 1)
    call halo_access_freeze(u, 0)
    call halo_access_data(u, 0_int64, 0, HALO_ON_HOST, data)
    call need(c_associated(data), "data of loops")
    call halo_access_get_stats(context, "u", stats)
    call need(stats%started == 2 .and. stats%reversed == 1 .and. stats%skipped == 0, "statistics")
  end subroutine accesses

  subroutine reductions()
    type(halo_context) :: context
    type(halo_reduction) :: sum, items
    real(real64) :: x(2), y(2)
    integer(c_int32_t) :: done
    call context%create()
    call halo_reduction_create(context, 2_int64, HALO_FLOAT64, HALO_SUM, sum)
    x = [3, 4]
    y = 0
    call halo_reduction_begin(sum, x)
    call halo_reduction_test(sum, done)
    call halo_reduction_end(sum, y)
    call need(done == 1 .and. all(x == y), "sum")
    call halo_reduction_create_items(context, [halo_reduction_item(), halo_reduction_item(op=HALO_MAX, offset=8)], items)
    y = 0
    call items%begin(x)
    call items%end(y)
    call need(all(x == y), "items")
    call halo_reduction_destroy(items)
  end subroutine reductions

  subroutine channels_alone()
    type(halo_context) :: context
    type(halo_channel) :: channel, found, several(2)
    type(halo_group) :: group
    type(halo_channel_key) :: key, read
    type(halo_channel_desc) :: desc, got
    type(halo_group_desc) :: group_desc, group_got
    type(halo_buffer) :: buffer
    real(real64), target :: memory(2), other(2)
    integer(c_int32_t) :: yes, state, states(2)
    integer(c_int64_t) :: n_done
    integer :: stat
    call context%create()
    key = halo_channel_key(send_gid=1, receive_gid=2)
    desc%count = 2
    desc%buffer_kind = HALO_BUFFER_CALLER
    desc%buffer = c_loc(memory)
    desc%varies = 1
    call halo_channel_register(context, key, desc, channel)
    call halo_channel_register_many(context, [halo_channel_key(3, 4), halo_channel_key(5, 6)], &
      [halo_channel_desc(count=1), halo_channel_desc(count=1)], several)
    call halo_channel_find(context, key, found)
    call need(c_associated(found%handle, channel%handle), "found")
    call found%destroy(stat)
    call need(stat == HALO_ERR_ARGUMENT, "who finds a channel does not own it")
    call halo_channel_find(context, halo_channel_key(8, 9), found, stat)
    call need(stat == HALO_ERR_NOT_FOUND .and. .not. c_associated(found%handle), "no such channel")
    call found%destroy(stat)
    call halo_channel_find(context, key, found)
    call halo_channel_get_key(found, read)
    call need(read%receive_gid == 2, "key")
    call halo_channel_get_desc(found, got)
    call need(got%count == 2 .and. got%varies == 1 .and. c_associated(got%buffer, c_loc(memory)), "description")
    group_desc%messages = HALO_MESSAGES_PER_CHANNEL
    call halo_group_create(context, [channel, several], group_desc, group)
    call halo_group_get_desc(group, group_got)
    call need(group_got%messages == HALO_MESSAGES_PER_CHANNEL, "description of the group")
    call halo_channel_writable(channel, yes)
    call need(yes == 1, "writable")
    call halo_channel_set_buffer(channel, c_loc(other))
    call halo_channel_allocate(channel)
    call halo_channel_buffer(channel, buffer)
    call need(c_associated(buffer%data, c_loc(other)), "buffer")
    call halo_channel_start_receive(channel)
    call halo_channel_send(channel)
    call halo_channel_try_receive(channel, yes, state)
    call need(yes == 1 .and. state == HALO_RECEIVED, "received")
    call halo_channel_state(channel, state)
    call halo_channel_stale(channel)
    call halo_channel_send_bytes(channel, 8_int64)
    call halo_channel_try_receive(channel, yes)
    call halo_channel_stale(channel)
    call halo_channel_send_null(channel)
    call halo_channel_try_receive(channel, yes, state)
    call need(state == HALO_RECEIVED_NULL, "null")
    call halo_channel_stale(channel)
    call several(1)%allocate()
    call several(2)%allocate()
    call halo_channel_writable_many(several, n_done, states)
    call need(n_done == 2 .and. all(states == 1), "all writable")
    call halo_channel_start_receive_many(several)
    call halo_channel_send_many(several)
    call halo_channel_try_receive_many(several, n_done, states)
    call need(n_done == 2 .and. all(states == HALO_RECEIVED), "received many")
    call halo_channel_stale_many(several)
    call halo_channel_release(several(1))
    call halo_group_drain(group, 1.0_real64)
    call halo_channel_set_bytes(several(1), 16_int64)
    call halo_channel_abandon(several(2))
    call halo_group_abandon(group)
    call halo_group_destroy(group)
    call halo_channel_destroy(channel)
  end subroutine channels_alone

  subroutine groups()
    type(halo_context) :: context
    type(halo_channel) :: channel
    type(halo_group) :: group
    type(halo_group_row), pointer :: rows(:)
    real(real64), pointer :: slice(:)
    integer(c_int32_t) :: yes
    call context%create()
    call channel%register(context, halo_channel_key(1, 2), halo_channel_desc(count=2))
    call halo_group_create(context, [channel], group=group)
    call halo_group_writable(group, yes)
    call need(yes == 1, "writable")
    call halo_group_table(group, rows)
    call need(size(rows) == 1 .and. rows(1)%bytes == 16, "table")
    call c_f_pointer(rows(1)%data, slice, [2])
    slice = [5, 6]
    call halo_group_start_receive(group)
    call halo_group_send_rows(group, [0_int64], [0_c_int8_t])
    call halo_group_try_receive(group, yes)
    call halo_group_table(group, rows)
    call need(yes == 1 .and. rows(1)%state == HALO_RECEIVED, "received in a group")
    call halo_group_stale(group)
    call halo_group_send(group)
    call halo_group_try_receive(group, yes)
    call halo_group_stale(group)
  end subroutine groups

  subroutine meshes()
    type(halo_context) :: context
    type(halo_mesh) :: mesh
    type(halo_topology) :: nodes
    type(halo_mesh_desc) :: desc
    type(halo_mesh_set), target :: sets(2)
    type(halo_mesh_map), target :: maps(1)
    type(halo_mesh_local) :: local
    character(6), target :: edge_name = "edges" // c_null_char, node_name = "nodes" // c_null_char
    integer(c_int64_t), target :: edge_keys(2) = [10, 20], node_keys(3) = [1, 2, 3], ends(4) = [1, 2, 2, 3]
    integer(c_int32_t), pointer :: to(:, :)
    type(halo_topology) :: points, targets
    integer(c_int64_t), pointer :: starts(:)
    integer(c_int32_t), allocatable :: lowest(:)
    integer(c_int32_t) :: over_edges, over_nodes
    real(real64) :: brought(3), stored(3)
    call context%create()
    sets(1) = halo_mesh_set(name=c_loc(edge_name), n=2, keys=c_loc(edge_keys))
    sets(2) = halo_mesh_set(name=c_loc(node_name), n=3, keys=c_loc(node_keys))
    maps(1) = halo_mesh_map(name=c_loc(edge_name), from=0, to=1, arity=2, keys=c_loc(ends))
    desc%n_sets = 2
    desc%sets = c_loc(sets)
    desc%n_maps = 1
    desc%maps = c_loc(maps)
    call halo_mesh_create(context, desc, mesh)
    call halo_mesh_get_local(mesh, 1, local)
    call need(local%n_owned == 3, "local")
    call halo_mesh_get_map(mesh, 0, to)
    call need(all(to(:, 2) == [1, 2]), "map")
    call halo_mesh_topology(mesh, 1, nodes)
    brought = [1, 2, 3]
    stored = 0
    call halo_mesh_distribute(mesh, 1, brought, stored, 8_int64)
    call need(all(stored == brought), "distributed")
    stored = 2 * stored
    call halo_mesh_collect(mesh, 1, stored, brought, 8_int64)
    call need(all(brought == [2, 4, 6]), "collected")
    call need(halo_mesh_reach(1) == 32, "bit of a reach")
    call halo_mesh_add_columns(mesh, 0, 3, columns=over_edges)
    call halo_mesh_add_columns(mesh, 1, 0, [4, 4, 5], over_nodes)
    call halo_mesh_get_columns(mesh, over_nodes, starts)
    call need(all(starts == [0, 4, 8, 13]), "starts of columns")
    call halo_mesh_column_topology(mesh, over_nodes, points)
    call halo_mesh_get_column_map(mesh, 0, over_edges, over_nodes, [halo_column_entry(1, 1, 1)], lowest)
    call need(all(lowest == [5, 9]), "map between columns")
    call halo_mesh_target_topology(mesh, 1, [3_int64, 1_int64], targets)
    call halo_mesh_destroy(mesh)
  end subroutine meshes

  subroutine particles()
    type(halo_context) :: context
    type(halo_topology) :: row
    type(halo_particles) :: moving
    type(halo_blocks_desc) :: blocks
    type(halo_particles_desc) :: desc
    type(halo_particles_arrays) :: arrays
    type(halo_particle_vector), target :: position
    type(halo_particle_place), allocatable :: left(:)
    real(real64), target, asynchronous :: x(4, 2)
    integer(c_int64_t), target :: bytes(1) = [8], counts(2) = [2, 1]
    integer(c_int64_t), allocatable :: after(:)
    type(c_ptr), target :: columns(2)
    integer(c_int32_t) :: done
    call context%create()
    blocks%n_dims = 1
    blocks%n_blocks(1) = 2
    blocks%n_cells(1) = 4
    call halo_topology_create_blocks(context, blocks, row)
    position = halo_particle_vector(column=[0, 0, 0], offset=[0_int64, 0_int64, 0_int64])
    desc%column_bytes = c_loc(bytes)
    desc%position = c_loc(position)
    call halo_particles_create(row, desc, moving)
    x(:2, 1) = [4.5_real64, 1.0_real64]
    x(1, 2) = 7
    columns = [c_loc(x(1, 1)), c_loc(x(1, 2))]
    arrays%n_parts = 2
    arrays%counts = c_loc(counts)
    arrays%data = c_loc(columns)
    arrays%n_data = 2
    call halo_particles_start(moving, arrays)
    call halo_particles_test(moving, done)
    call halo_particles_counts(moving, after)
    call need(done == 1 .and. all(after == [1, 1]), "counts of particles")
    call halo_particles_left(moving, left)
    call need(size(left) == 1 .and. left(1)%gid == 1 .and. left(1)%place == 0, "who has left the domain")
    counts = 4
    call halo_particles_finish(moving, arrays)
    call need(abs(x(1, 1) - 1) + abs(x(1, 2) - 0.5_real64) < 1e-12_real64, "positions of particles")
    counts = 0
    call halo_particles_start(moving, arrays)
    call halo_particles_abandon(moving)
    call halo_particles_destroy(moving)
  end subroutine particles

  subroutine spheres()
    type(halo_context) :: context
    type(halo_sphere) :: sphere
    type(halo_topology) :: cells
    type(halo_sphere_part) :: part
    type(halo_sphere_entity) :: entity
    integer(c_int64_t), pointer :: gids(:)
    integer(c_int64_t), allocatable :: ends(:), keys(:)
    integer(c_int32_t), allocatable :: table(:)
    integer(c_int64_t) :: key, around(6)
    integer(c_int32_t) :: n
    real(real64) :: position(3)
    call context%create()
    call halo_sphere_entity_of(HALO_SPHERE_ICOSAHEDRON, 4_int64, HALO_SPHERE_CELLS, 7_int64, entity)
    call halo_sphere_key(HALO_SPHERE_ICOSAHEDRON, 4_int64, HALO_SPHERE_CELLS, entity, key)
    call need(key == 7, "key")
    call halo_sphere_key_neighbours(HALO_SPHERE_ICOSAHEDRON, 4_int64, HALO_SPHERE_CELLS, key, HALO_SPHERE_CELLS, around, n)
    call need(n == halo_sphere_width(HALO_SPHERE_CELLS, HALO_SPHERE_CELLS) .and. all(around(:n) /= key), "neighbours of a cell")
    call halo_sphere_position(HALO_SPHERE_ICOSAHEDRON, 4_int64, HALO_SPHERE_CELLS, key, position)
    call need(abs(sum(position**2) - 1) < 1e-12_real64, "position")
    call halo_sphere_create(context, halo_sphere_desc(n=4), sphere)
    call halo_sphere_local_parts(sphere, gids)
    call need(size(gids) == 10, "parts of a sphere")
    call halo_sphere_get_part(sphere, gids(2), part)
    call need(part%n_owned(1) == 32, "a part of a sphere")
    call halo_sphere_ring_ends(sphere, gids(1), HALO_SPHERE_CELLS, ends)
    call need(size(ends) == 2 .and. ends(1) == 32, "rings")
    call halo_sphere_keys(sphere, gids(1), HALO_SPHERE_CELLS, keys)
    call need(size(keys) == ends(2), "keys of a part")
    call halo_sphere_neighbours(sphere, gids(1), HALO_SPHERE_CELLS, HALO_SPHERE_CELLS, table)
    call need(size(table) == 3 * size(keys), "table of neighbours")
    call halo_sphere_topology(sphere, HALO_SPHERE_CELLS, cells)
    call halo_sphere_destroy(sphere)
  end subroutine spheres

  subroutine quadrilaterals()
    type(halo_context) :: context
    type(halo_topology) :: cube, latitudes, rows
    type(halo_reduced_rows_desc) :: desc
    integer(c_int64_t), target :: cells(4) = [4, 8, 8, 4]
    integer(c_int64_t), allocatable :: neighbours(:)
    call context%create()
    call halo_topology_create_cubed_sphere(context, halo_cubed_sphere_desc(n=4), cube)
    call halo_topology_create_latitudes(context, halo_latitudes_desc(cells=[8_int64, 4_int64]), latitudes)
    desc%n_rows = 4
    desc%cells = c_loc(cells)
    call halo_reduced_rows_neighbours(desc, 5_int64, neighbours)
    call need(size(neighbours) >= 3, "neighbours in reduced rows")
    call halo_topology_create_reduced_rows(context, desc, rows)
  end subroutine quadrilaterals

  subroutine stencils()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: u, v
    type(halo_exchange) :: exchange
    type(halo_stencil) :: stencil
    type(halo_stencil_stage_desc) :: stage
    type(halo_stencil_access), target :: accesses(2)
    type(halo_stencil_field) :: field
    type(halo_stencil_stage) :: result
    type(halo_stencil_summary) :: summary
    type(halo_stencil_exchange_row), allocatable :: exchanges(:)
    type(halo_stencil_group), allocatable :: groups(:)
    type(halo_stencil_loop), allocatable :: loops(:)
    type(halo_stencil_range), allocatable :: ranges(:)
    type(halo_blocks_desc) :: blocks
    type(halo_field_desc) :: desc
    type(halo_layout_desc) :: layout
    integer(c_int32_t), allocatable :: intervals(:)
    integer(c_int32_t) :: in, out, number
    integer(c_int64_t) :: level
    integer :: stat
    character(:), allocatable :: text
    call halo_stencil_create(halo_stencil_desc(n_dims=1, cells=[8_int64, 0_int64, 0_int64]), stencil)
    call halo_stencil_add_field(stencil, halo_stencil_field_desc(), in, name="in")
    call halo_stencil_add_field(stencil, halo_stencil_field_desc(), out, name="out")
    accesses(1) = halo_stencil_access(field=in, low=[-1, 0, 0], high=[2, 0, 0], interval=HALO_STENCIL_ALL)
    accesses(2) = halo_stencil_access(field=out, mode=HALO_STENCIL_WRITE, interval=HALO_STENCIL_ALL)
    stage%accesses = c_loc(accesses)
    stage%n_accesses = 2
    call halo_stencil_add_stage(stencil, stage, number, name="flux")
    call halo_stencil_analyse(stencil)
    call halo_stencil_get_field(stencil, in, field)
    call need(field%ghost_low(1) == 1 .and. field%ghost_high(1) == 2, "widths")
    call halo_stencil_get_stage(stencil, number, result)
    call need(result%needed == 1, "needed")
    call halo_stencil_describe(stencil, text)
    call need(index(text, "flux") > 0, "description of a stencil")
    call halo_stencil_exchanges(stencil, exchanges)
    call need(size(exchanges) == 1 .and. exchanges(1)%high(1) == 2, "exchanges")
    call halo_stencil_groups(stencil, groups)
    call need(size(groups) == 1 .and. groups(1)%n_fields == 1, "groups")
    call halo_stencil_get_summary(stencil, summary)
    call need(summary%n_groups == 1, "summary")
    call halo_stencil_level_index(stencil, halo_stencil_level(0, 1), level, stat=stat)
    call need(stat /= HALO_SUCCESS, "there are no levels")
    call halo_stencil_loops(stencil, loops, stat=stat)
    call halo_stencil_loop_intervals(stencil, number, intervals, stat=stat)
    call halo_stencil_stage_ranges(stencil, number, ranges)
    call need(size(ranges) == 1, "ranges of a stage")
    call halo_stencil_exchange_ranges(stencil, 0, ranges)
    call need(ranges(1)%high(1) == 2, "ranges of an exchange")
    call halo_stencil_fill_field_desc(stencil, in, desc)
    call need(desc%ghost_high(1) == 2, "description of a field")
    call halo_stencil_fill_layout_desc(stencil, layout)
    call need(layout%ghost_high(1) == 2, "description of a layout")
    call context%create()
    blocks%n_dims = 1
    blocks%n_cells(1) = 8
    blocks%periodic(1) = 1
    call halo_stencil_create_topology(stencil, 0, context, blocks, grid)
    call u%create(grid, desc)
    call v%create(grid, halo_field_desc(), name="v")
    call u%allocate(-1_int64)
    call v%allocate(-1_int64)
    call halo_stencil_create_exchange(stencil, 0, [u, v], exchange=exchange)
    call exchange%start()
    call exchange%finish()
    call halo_stencil_destroy(stencil)
  end subroutine stencils
  !> A ring of two blocks, of which one is refined: ghosts between levels.
  subroutine forests()
    type(halo_context) :: context
    type(halo_topology) :: blocks
    type(halo_field) :: u, kept
    type(halo_exchange) :: ghosts
    type(halo_forest_desc) :: desc
    type(halo_tree), target :: trees(1)
    type(halo_tree_join), target :: joins(1)
    type(halo_leaf), allocatable, target :: roots(:), leaves(:)
    integer(c_int64_t), allocatable :: from(:)
    integer(c_int32_t), allocatable, target :: owners(:)
    type(halo_level_region), allocatable :: regions(:)
    type(halo_boundary), allocatable :: boundaries(:)
    type(halo_layout) :: layout
    type(c_ptr) :: data, again
    integer :: stat
    character(:), allocatable :: errmsg
    call context%create()
    trees(1)%n_roots(1) = 2
    joins(1)%side = 1
    desc%n_dims = 1
    desc%n_cells(1) = 8
    desc%trees = c_loc(trees)
    desc%n_trees = 1
    desc%joins = c_loc(joins)
    desc%n_joins = 1
    call halo_forest_uniform(desc, 0, roots)
    call need(size(roots) == 2, "roots")
    desc%leaves = c_loc(roots)
    desc%n_leaves = 2
    call halo_forest_adapt(desc, [HALO_MARK_KEEP], leaves, from, stat=stat, errmsg=errmsg)
    call need(stat == HALO_ERR_ARGUMENT .and. index(errmsg, "one for each leaf") > 0, "too few marks")
    call halo_forest_adapt(desc, [HALO_MARK_KEEP, HALO_MARK_REFINE], leaves, from)
    call need(size(leaves) == 3 .and. all(from == [0, 1, 1]) .and. leaves(3)%level == 1, "adapted")
    desc%leaves = c_loc(leaves)
    desc%n_leaves = 3
    call halo_forest_place(desc, [1.0_real64, 1.0_real64, 1.0_real64], 1, owners)
    call need(all(owners == 0), "placed")
    call halo_forest_place(desc, [1.0_real64], 1, owners, stat=stat, errmsg=errmsg)
    call need(stat == HALO_ERR_ARGUMENT .and. index(errmsg, "one for each leaf") > 0, "too few weights")
    call halo_topology_create_forest(context, desc, blocks)
    call u%create(blocks, halo_field_desc(ghost_low=[2, 0, 0], ghost_high=[2, 0, 0]), name="u")
    call halo_field_set_prolongation(u, HALO_PROLONG_CONSTANT)
    call halo_field_set_restriction(u, HALO_RESTRICT_MEAN)
    call u%allocate(-1_int64)
    call ghosts%create([u])
    call ghosts%start()
    call ghosts%finish()
    call halo_exchange_coarse_data(ghosts, 0, 1_int64, data, layout)
    call need(c_associated(data) .and. layout%stride(1) == 1, "coarse cells")
    call halo_exchange_coarse_boundaries(ghosts, 0, 1_int64, boundaries)
    call need(size(boundaries) == 0, "a ring has no boundaries")
    call halo_exchange_level_regions(ghosts, 0, 1_int64, regions)
    call need(size(regions) == 2, "what is sent, and what is made")
    call kept%create(blocks, halo_field_desc(ghost_low=[2, 0, 0], ghost_high=[2, 0, 0]), name="kept")
    call halo_field_allocate_from(kept, u)
    call u%data(1_int64, 0, data)
    call kept%data(1_int64, 0, again)
    call need(c_associated(data, again), "one storage of both")
  end subroutine forests

  !> Two levels of blocks: ghosts at one time, and between two.
  subroutine levels()
    type(halo_context) :: context
    type(halo_topology) :: below, above
    type(halo_field) :: coarse, newer, fine
    type(halo_exchange) :: ghosts
    type(halo_level_box), allocatable :: boxes(:)
    type(halo_levels_desc) :: levels_desc
    integer :: stat
    character(:), allocatable :: errmsg
    call context%create()
    call below%create_blocks(context, halo_blocks_desc(n_dims=1, n_cells=[8_int64, 1_int64, 1_int64]))
    call above%create_blocks(context, halo_blocks_desc(n_dims=1, n_cells=[16_int64, 1_int64, 1_int64]))
    call coarse%create(below, halo_field_desc(), name="u")
    call newer%create(below, halo_field_desc(), name="later u")
    call fine%create(above, halo_field_desc(ghost_low=[1, 0, 0], ghost_high=[1, 0, 0]), name="u")
    call coarse%allocate(-1_int64)
    call newer%allocate(-1_int64)
    call fine%allocate(-1_int64)
    call halo_exchange_create_levels([coarse], fine=[fine], exchange=ghosts)
    call ghosts%start()
    call ghosts%finish()
    call halo_exchange_get_levels_desc(ghosts, levels_desc)
    call need(levels_desc%what == HALO_LEVELS_GHOSTS, "description of an exchange between levels")
    call halo_exchange_set_fraction(ghosts, 0.5_real64, stat=stat, errmsg=errmsg)
    call need(stat == HALO_ERR_NOT_FOUND .and. index(errmsg, "later time") > 0, "one time")
    call ghosts%destroy()
    call halo_exchange_create_levels([coarse], [newer], [fine], exchange=ghosts)
    call halo_exchange_set_fraction(ghosts, 0.5_real64)
    call ghosts%start()
    call ghosts%finish()
    call halo_field_level_boxes(coarse, above, 0_int64, boxes)
    call need(size(boxes) == 1 .and. boxes(1)%kind == HALO_LEVEL_COVERED, "all is covered")
    call halo_field_level_boxes(fine, gid=0_int64, boxes=boxes)
    call need(size(boxes) == 3 .and. boxes(3)%kind == HALO_LEVEL_OUTSIDE, "two ghosts outside")
  end subroutine levels

end program others
