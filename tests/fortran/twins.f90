! SPDX-License-Identifier: BSD-3-Clause
!> Calls every procedure of halo.h once, where one rank suffices, and looks at what comes back.
module callbacks
  use, intrinsic :: iso_c_binding
  use halo
  implicit none
  integer :: n_logged = 0, n_gathered = 0, n_blocks_held = 0, n_arrived = 0
  interface
    function aligned_alloc(alignment, bytes) result(block) bind(c)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: alignment, bytes
      type(c_ptr) :: block
    end function aligned_alloc
    subroutine free(block) bind(c)
      import :: c_ptr
      type(c_ptr), value :: block
    end subroutine free
  end interface
contains
  function allocate_block(user, bytes) result(answer) bind(c)
    type(c_ptr), value :: user
    integer(c_size_t), value :: bytes
    type(c_ptr) :: answer
    n_blocks_held = n_blocks_held + merge(0, 1, c_associated(user))
    answer = aligned_alloc(64_c_size_t, 64 * ((bytes + 63) / 64))
  end function allocate_block
  subroutine release_block(user, pointer, bytes) bind(c)
    type(c_ptr), value :: user, pointer
    integer(c_size_t), value :: bytes
    if (bytes > 0 .and. .not. c_associated(user)) n_blocks_held = n_blocks_held - 1
    call free(pointer)
  end subroutine release_block
  !> Part 1 takes what comes; `user` is the field.
  function arrive(user, arrival) result(answer) bind(c)
    type(c_ptr), value :: user
    type(halo_arrival), intent(in) :: arrival
    integer(c_int32_t) :: answer
    type(halo_field), pointer :: field
    integer :: stat
    call c_f_pointer(user, field)
    n_arrived = n_arrived + 1
    answer = HALO_DECLINED
    if (arrival%gid /= 1 .or. .not. c_associated(arrival%field, field%handle)) return
    call field%allocate(arrival%gid, stat)
    answer = stat
  end function arrive
  subroutine log_text(user, level, text) bind(c)
    type(c_ptr), value :: user, text
    integer(c_int32_t), value :: level
    if (level >= 0 .and. c_associated(text) .and. .not. c_associated(user)) n_logged = n_logged + 1
  end subroutine log_text
  function gather(user, mine, bytes, all) result(answer) bind(c)
    type(c_ptr), value :: user, mine, all
    integer(c_size_t), value :: bytes
    integer(c_int32_t) :: answer
    integer(c_int8_t), pointer :: from(:), to(:)
    call c_f_pointer(mine, from, [bytes])
    call c_f_pointer(all, to, [bytes])
    to = from
    n_gathered = n_gathered + 1
    answer = merge(HALO_ERR_INTERNAL, HALO_SUCCESS, c_associated(user))
  end function gather
  function owner(user, key) result(answer) bind(c)
    type(c_ptr), value :: user
    integer(c_int64_t), value :: key
    integer(c_int32_t) :: answer
    answer = merge(-1, 0, c_associated(user) .or. key < 0)
  end function owner
  !> values = values + contributions
  function add(user, values, contributions, n, type, element_bytes) result(answer) bind(c)
    type(c_ptr), value :: user, values, contributions
    integer(c_int64_t), value :: n, element_bytes
    integer(c_int32_t), value :: type
    integer(c_int32_t) :: answer
    real(c_double), pointer :: a(:), b(:)
    call c_f_pointer(values, a, [n])
    call c_f_pointer(contributions, b, [n])
    a = a + b
    answer = merge(HALO_SUCCESS, HALO_ERR_INTERNAL, type == HALO_FLOAT64 .and. element_bytes == 8 .and. .not. c_associated(user))
  end function add
end module callbacks

program twins
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  use callbacks
  implicit none
  call contexts()
  call blocks()
  call other_topologies()
  call points()
  call exchanges()
  call allocators()
  call arrivals()
  call empty()
  print "(a)", "every procedure of halo.h answers"
contains

  include 'need.inc'

  subroutine contexts()
    type(halo_context) :: context, over, alone
    type(halo_inproc) :: group
    type(halo_context_options) :: options
    type(halo_bootstrap) :: bootstrap
    type(halo_pool_stats) :: pools
    type(c_ptr) :: memory
    character(:), allocatable :: value, source, text, errmsg
    integer :: stat
    integer(c_int32_t) :: rank, n_ranks
    real(real64), target :: x(2)
    call need(halo_version() == 10000 * HALO_VERSION_MAJOR + 100 * HALO_VERSION_MINOR + HALO_VERSION_PATCH, "version")
    call need(halo_status_name(HALO_ERR_BOUNDS) == "HALO_ERR_BOUNDS", "name of a status")
    call need(halo_element(1, 0, 0) == 14, "element")
    options%n_settings = 7
    call halo_struct_init(options)
    call need(options%n_settings == 0 .and. options%struct_size == c_sizeof(options), "defaults")
    options%log = c_funloc(log_text)
    call halo_context_create(options, context)
    call halo_context_rank(context, rank, n_ranks)
    call need(rank == 0 .and. n_ranks == 1, "rank")
    call halo_context_set(context, "timeout", "7s")
    call halo_context_setting(context, "timeout", value, source)
    call need(value == "7s" .and. source == "call", "setting " // value // " " // source)
    call halo_context_set(context, "timeout", "soon", stat=stat, errmsg=errmsg)
    call need(stat >= 10 .and. index(errmsg, "soon") > 0, "errmsg: " // errmsg)
    call need(index(halo_last_error(), "soon") > 0, "last error")
    call need(index(halo_context_error(context), "soon") > 0, "error of the context")
    call halo_context_progress(context)
    call halo_context_rank_gone(context, 0, stat=stat)
    call need(stat /= HALO_SUCCESS, "one's own rank is not gone")
    call halo_context_barrier(context)
    x = [1.0_real64, 2.0_real64]
    call halo_context_allreduce(context, x, HALO_SUM)
    call halo_context_allreduce(context, x(1), HALO_MAX)
    call halo_context_allreduce(context, c_loc(x), c_loc(x), 2_int64, HALO_FLOAT64, HALO_SUM)
    call need(all(x == [1, 2]), "allreduce")
    call halo_memory_allocate(context, HALO_MEMORY_HOST, 100_int64, memory)
    call halo_memory_release(context, memory)
    call need(.not. c_associated(memory), "released")
    call halo_memory_allocate_on(context, HALO_MEMORY_DEVICE, 0, 100_int64, memory, stat=stat)
    if (stat == HALO_SUCCESS) call halo_memory_release(context, memory)
    call halo_context_pool_stats(context, HALO_MEMORY_HOST, pools)
    call need(pools%peak_bytes >= 100, "pool")
    call halo_context_trim(context)
    call halo_info(context, HALO_INFO_SETTINGS, text)
    call need(index(text, "timeout") > 0, "settings")
    call halo_info(what=HALO_INFO_VERSION, text=text)
    call need(index(text, "0.") > 0, "version in words")

    bootstrap%n_ranks = 1
    bootstrap%allgather = c_funloc(gather)
    call halo_context_create_over(bootstrap, context=over)
    call halo_context_destroy(over)
    call halo_inproc_create(1, group)
    call halo_context_create_inproc(group, 0, context=alone)
    call halo_context_destroy(alone)
    call halo_inproc_destroy(group)
    call halo_context_create_communicator(c_null_ptr, 0_c_size_t, "openmpi", context=alone, stat=stat)
    call need(stat == HALO_ERR_ARGUMENT, "no communicator")
    call halo_context_destroy(context)
  end subroutine contexts

  subroutine blocks()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: field
    type(halo_part) :: part
    type(halo_layout) :: layout
    type(halo_layout_desc) :: layout_desc
    type(halo_field_desc) :: desc
    type(halo_binding) :: binding
    type(halo_neighbour), allocatable :: neighbours(:)
    type(halo_boundary), allocatable :: boundaries(:)
    type(halo_box) :: interior, rim(6)
    integer(c_int64_t), pointer :: gids(:)
    integer(c_int32_t), allocatable :: peers(:)
    integer(c_int8_t), allocatable :: mask(:)
    integer(c_int32_t) :: n_rim
    real(real64), target :: u(0:5, 0:5), both(6, 6, 2)
    real(real64), pointer :: seen(:, :)
    type(c_ptr) :: data
    call context%create()
    call halo_topology_create_blocks(context, halo_blocks_desc(n_dims=2, n_blocks=[2_int64, 1_int64, 1_int64], &
      n_cells=[4_int64, 4_int64, 1_int64], order=HALO_ORDER_ROWS), grid)
    call halo_topology_local_parts(grid, gids)
    call need(lbound(gids, 1) == 1 .and. all(gids == [0, 1]), "gids")
    call halo_topology_part(grid, 1_int64, part)
    call need(part%cells%low(1) == 4 .and. part%at_boundary(2) == 1, "part")
    call halo_topology_neighbours(grid, 0_int64, neighbours)
    call need(size(neighbours) == 1 .and. neighbours(1)%element == halo_element(1, 0, 0), "neighbour")
    call halo_topology_peers(grid, peers)
    call need(size(peers) == 0, "peers")
    call halo_field_create(grid, halo_field_desc(ghost_low=[1, 1, 0], ghost_high=[1, 1, 0]), field, name="u")
    call halo_field_get_desc(field, desc)
    call need(desc%type == HALO_FLOAT64 .and. desc%ghost_low(1) == 1, "description of a field")
    call halo_field_layout(field, 0_int64, layout)
    call need(layout%elements == 36 .and. layout%stride(2) == 6, "layout")
    layout_desc%order = [1, 0, 2, HALO_DIM_COMPONENTS, HALO_DIM_PLACES]
    call halo_layout_fill(layout_desc, [4_int64, 4_int64, 1_int64], 8_int64, 1, 1, layout)
    call need(layout%stride(2) == 1, "layout of storage of its own")
    layout_desc%order(:2) = [0, 1]
    layout_desc%alignment = 1
    call halo_field_set_layout(field, layout_desc)
    call halo_field_bind(field, 0_int64, u)
    call halo_field_data(field, 0_int64, 0, data)
    call need(c_associated(data, c_loc(u)), "data")
    call halo_field_data(field, 0_int64, seen)
    call need(all(lbound(seen) == 0) .and. all(ubound(seen) == 5), "bounds of data")
    call halo_field_bind(field, 0_int64, binding)
    binding%data = c_loc(both)
    call halo_field_bind_many(field, 36_int64, binding)
    call halo_field_data(field, 1_int64, 0, data)
    call need(c_associated(data, c_loc(both(1, 1, 2))), "data of the second part")
    binding%data = c_null_ptr
    call field%bind(0_int64, binding)
    call field%bind(1_int64, binding)
    call halo_field_allocate(field, -1_int64)
    call halo_field_boundaries(field, 0_int64, boundaries)
    call need(size(boundaries) == 7, "boundaries")
    call halo_field_owner_mask(field, 0_int64, mask)
    call need(size(mask) == 16 .and. all(mask == 1), "owner mask")
    call halo_field_interior_rim(field, 0_int64, 1, interior, rim, n_rim)
    call need(n_rim >= 1 .and. n_rim <= 6 .and. interior%high(1) == 3, "interior")
    call halo_field_destroy(field)
    call halo_topology_destroy(grid)
    call halo_context_destroy_with_all(context)
  end subroutine blocks

  subroutine other_topologies()
    type(halo_context) :: context
    type(halo_topology) :: boxes, regions, star, lists
    type(halo_boxes_desc) :: desc
    type(halo_regions_desc) :: region
    integer(c_int64_t), target :: cells(3) = [4, 1, 1]
    call context%create()
    desc%n_dims = 1
    desc%domain%high(1) = 10
    desc%n_parts_per_rank = 2
    call halo_topology_create_boxes(context, desc, boxes)
    region%n_dims = 1
    region%n_parts = 1
    region%cells = c_loc(cells)
    call halo_topology_create_regions(context, region, regions)
    call halo_topology_create_star(context, halo_star_desc(n_points=3), star)
    call halo_topology_create_lists(context, halo_lists_desc(n_points=3), lists)
    call star%destroy()
  end subroutine other_topologies

  subroutine points()
    type(halo_context) :: context
    type(halo_topology) :: keys, edited, graph
    type(halo_field) :: field
    type(halo_keys_desc) :: desc
    type(halo_keys_edit) :: edit
    type(halo_keys_report) :: report
    type(halo_graph_desc) :: ring
    integer(c_int64_t), target :: list(3) = [30, 10, 20], more(1) = [40], next(3) = [10, 20, 30]
    integer(c_int32_t), allocatable :: indices(:), owners(:), sharers(:), rings(:)
    integer(c_int64_t), allocatable :: point_keys(:)
    integer(c_int64_t), pointer :: offsets(:)
    integer(c_int32_t), pointer :: neighbours(:)
    call context%create()
    desc%n_keys = 3
    desc%keys = c_loc(list)
    desc%editable = 1
    call halo_topology_create_keys(context, desc, keys)
    edit%n_add = 1
    edit%add = c_loc(more)
    call halo_topology_edit_keys(keys, edit, edited)
    call halo_topology_point_keys(edited, point_keys)
    call need(all(point_keys == [30, 10, 20, 40]), "keys of points")
    call halo_topology_keys_report(edited, report)
    call need(report%n_owned == 4, "report")
    call halo_topology_local_indices(keys, indices)
    call need(all(indices == [0, 1, 2]), "local indices")
    call halo_topology_owners(keys, owners)
    call need(all(owners == 0), "owners")
    call halo_topology_sharers(keys, 0_int64, sharers)
    call need(all(sharers == [0]), "sharers")
    call halo_field_create(keys, halo_field_desc(type=HALO_INT32), field)
    call halo_field_map_points(field, 0_int64, [2_int64, 0_int64, 1_int64])
    ring%n_owned = 3
    ring%keys = c_loc(list)
    ring%neighbours = c_loc(next)
    ring%width = 1
    ring%owner_of = c_funloc(owner)
    call halo_topology_create_graph(context, ring, graph)
    call halo_topology_graph_rows(graph, offsets, neighbours)
    call need(all(offsets == [0, 1, 2, 3]) .and. all(neighbours == [1, 2, 0]), "rows of a graph")
    call halo_topology_rings(graph, rings)
    call need(all(rings == 0), "rings")
  end subroutine points

  subroutine exchanges()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: u, v
    type(halo_exchange) :: ghosts, transfer, sums
    type(halo_transfer_desc) :: transfer_desc
    type(halo_exchange_desc) :: desc
    type(halo_exchange_desc) :: exchange_desc
    type(halo_exchange_stats) :: stats
    type(halo_peer_row), allocatable :: peers(:)
    type(halo_arrival), allocatable :: arrivals(:)
    type(halo_run) :: run
    character(:), allocatable :: text
    real(real64), pointer :: values(:)
    integer(c_int32_t) :: done
    integer :: stat
    call context%create()
    call grid%create_blocks(context, halo_blocks_desc(n_dims=1, n_cells=[4_int64, 1_int64, 1_int64], periodic=[1, 0, 0]))
    call u%create(grid, halo_field_desc(ghost_low=[1, 0, 0], ghost_high=[1, 0, 0]), name="u")
    call v%create(grid, halo_field_desc(ghost_low=[1, 0, 0], ghost_high=[1, 0, 0]), name="v")
    call u%allocate(-1_int64)
    call v%allocate(-1_int64)
    call halo_exchange_create([u, v], exchange=ghosts)
    call halo_exchange_prepare(ghosts)
    call u%data(0_int64, values)
    values(1:4) = [1, 2, 3, 4]
    call halo_exchange_start(ghosts, run)
    call halo_exchange_finish(ghosts)
    call need(values(0) == 4 .and. values(5) == 1, "ghosts")
    values(0) = 0
    call halo_exchange_start(ghosts, [.false., .true.], depth=1)
    call halo_exchange_finish(ghosts)
    call need(values(0) == 0, "a run without u")
    call halo_exchange_post(ghosts)
    call halo_exchange_send(ghosts)
    call halo_exchange_test(ghosts, done)
    call need(done == 1, "done")
    call halo_exchange_arrivals(ghosts, arrivals)
    call need(size(arrivals) == 0, "arrivals")
    call halo_exchange_unpack(ghosts)
    call halo_exchange_refine(ghosts)
    call need(values(0) == 4, "ghosts in phases")
    call halo_exchange_get_desc(ghosts, exchange_desc)
    call need(exchange_desc%kind == HALO_KIND_GHOSTS .and. exchange_desc%op == HALO_SUM, "description of an exchange")
    call halo_exchange_get_stats(ghosts, stats)
    call need(stats%runs == 3, "runs")
    call halo_exchange_peers(ghosts, peers)
    call need(size(peers) == 0, "peers of an exchange")
    call halo_exchange_describe(ghosts, text)
    call need(len(text) > 0, "description of an exchange")
    call halo_exchange_start(ghosts)
    call halo_exchange_abandon(ghosts)
    call halo_exchange_destroy(ghosts)
    call halo_exchange_create_transfer([u], [v], exchange=transfer)
    call transfer%start()
    call transfer%finish()
    call halo_exchange_get_transfer_desc(transfer, transfer_desc)
    call need(transfer_desc%op == HALO_TRANSFER_COPY, "description of a transfer")
    call halo_exchange_create_transfer([u, v], [v], exchange=transfer, stat=stat)
    call need(stat == HALO_ERR_ARGUMENT, "two sources, one destination")
    desc%kind = HALO_KIND_REVERSE
    desc%op = HALO_USER
    desc%combine = c_funloc(add)
    call sums%create([u], desc)
    call sums%start()
    call sums%finish()
    call need(values(1) == 2 .and. values(4) == 8, "sums by a function of the program's")
  end subroutine exchanges

  !> Blocks of the pools come from the program's functions, and go back to them.
  subroutine allocators()
    type(halo_context) :: context
    type(halo_context_options) :: options
    type(halo_allocator), target :: own(1)
    type(c_ptr) :: memory
    own(1)%allocate = c_funloc(allocate_block)
    own(1)%release = c_funloc(release_block)
    options%allocators = c_loc(own)
    options%n_allocators = 1
    call context%create(options)
    call context%memory_allocate(HALO_MEMORY_HOST, 1000_int64, memory)
    call need(n_blocks_held > 0, "blocks of the program")
    call context%memory_release(memory)
    call context%destroy()
    call need(n_blocks_held == 0, "blocks come back")
  end subroutine allocators

  !> A sparse part without storage takes what comes.
  subroutine arrivals()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field), target :: u
    type(halo_exchange) :: ghosts
    type(halo_exchange_desc) :: desc
    real(real64), pointer :: left(:), right(:)
    call context%create()
    call grid%create_blocks(context, halo_blocks_desc(n_dims=1, &
      n_blocks=[2_int64, 1_int64, 1_int64], n_cells=[4_int64, 1_int64, 1_int64]))
    call u%create(grid, halo_field_desc(sparse=1, ghost_low=[1, 0, 0], ghost_high=[1, 0, 0]))
    call u%allocate(0_int64)
    call u%data(0_int64, left)
    left(1:4) = [1, 2, 3, 4]
    call u%data(1_int64, right)
    call need(.not. associated(right), "no storage yet")
    desc%arrival = c_funloc(arrive)
    desc%arrival_user = c_loc(u)
    call ghosts%create([u], desc)
    call ghosts%start()
    call ghosts%finish()
    call u%data(1_int64, right)
    call need(n_arrived == 1 .and. associated(right), "storage for what came")
    call need(right(0) == 4, "what came")
  end subroutine arrivals

  !> A rank without points, and lists without entries.
  subroutine empty()
    type(halo_context) :: context
    type(halo_topology) :: nodes
    type(halo_field) :: u
    type(halo_exchange) :: ghosts
    integer(c_int32_t), allocatable :: indices(:)
    integer :: stat
    real(real64), allocatable, target :: x(:)
    real(real64), pointer :: seen(:)
    call context%create()
    call nodes%create_keys(context, halo_keys_desc())
    call nodes%local_indices(indices)
    call need(size(indices) == 0, "no indices")
    call u%create(nodes, halo_field_desc())
    allocate(x(0))
    call u%bind(0_int64, x)
    call u%data(0_int64, seen)
    call need(size(seen) == 0, "no values")
    call ghosts%create([u])
    call ghosts%start()
    call ghosts%finish()
    call ghosts%create([halo_field :: ], stat=stat)
    call need(stat == HALO_ERR_ARGUMENT, "an exchange of no fields")
    call context%allreduce(x, HALO_SUM)
  end subroutine empty
end program twins
