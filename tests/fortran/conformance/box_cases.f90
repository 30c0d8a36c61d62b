! SPDX-License-Identifier: BSD-3-Clause
!> Random cases over blocks and boxes: what an exchange fills or combines, and what it leaves alone.
module box_cases
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  use chance
  use coverage
  use kinds
  use model
  use runs
  use stores
  implicit none
  private
  public :: run_box_case, random_grid, random_parts, random_field

contains

  subroutine run_box_case(context, seed, number, counted)
    type(halo_context), intent(in) :: context
    integer(int64), intent(in) :: seed
    integer, intent(in) :: number
    type(counts), intent(inout) :: counted
    type(dice) :: random
    type(box_grid) :: grid
    type(halo_topology) :: topology
    type(field_store), allocatable, target :: fields(:)
    type(point_table), allocatable :: tables(:)
    type(halo_exchange) :: exchange
    type(halo_exchange_desc) :: desc
    type(narrowing), target :: now
    integer, allocatable :: own(:, :)
    integer :: rank, n_ranks, run, f, other_op
    logical :: phases
    character(40) :: what
    call context%rank(rank, n_ranks)
    call random%begin(seed, number)
    call random_grid(context, random, number, topology, grid, counted)
    call describe_exchange(random, number, desc, other_op, counted)
    phases = random%percent(40)
    call counted%add(merge("phases          ", "start and finish", phases))
    allocate(fields(random%pick(1, 3)), tables(size(fields)))
    do f = 1, size(fields)
      fields(f)%range_of_sums = merge(0, 2000, desc%kind == HALO_KIND_GHOSTS)
      call random_field(topology, grid, random, [int(desc%op), other_op], desc%kind /= HALO_KIND_GHOSTS, f, fields(f), own, counted)
      call fields(f)%bind_random(own, random, counted)
      associate (its => fields(f)%desc)
        tables(f) = points_of_boxes(grid, int(its%centring), int(its%ghost_low), int(its%ghost_high))
      end associate
    end do
    call exchange%create(fields%field, desc)
    if (random%percent(20)) call exchange%prepare()
    do run = 1, 3
      call narrow(random, desc, other_op, fields, run, now, counted)
      do f = 1, size(fields)
        call fields(f)%fill(now%sets(f), tables(f), 10 * run + f, .true.)
      end do
      call start(random, exchange, phases, now, counted)
      do f = 1, size(fields)
        if (.not. now%mask(f)) cycle
        if (desc%shared == HALO_SHARED_KEEP .and. desc%source_stable == 0 .and. desc%kind /= HALO_KIND_SHARED_REDUCE) &
          call fields(f)%write_copy(now%sets(f), tables(f), 500 + run, desc%kind == HALO_KIND_REVERSE) ! it has been read
        call expect_run(fields(f), tables(f), grid%parts%rank, desc, now, now%sets(f), 10 * run + f)
      end do
      call finishes(exchange, phases)
      write (what, "(a,i0,a,i0)") "box case ", number, ", run ", run
      do f = 1, size(fields)
        call fields(f)%check(trim(what))
      end do
    end do
    if (desc%kind == HALO_KIND_GHOSTS) call check_masks()
  contains
    !> Which own points are a part's to count.
    subroutine check_masks()
      integer(c_int8_t), allocatable :: mask(:)
      integer(int64) :: n_owners
      integer :: i
      n_owners = 0
      do i = 1, size(fields(1)%gids)
        call fields(1)%field%owner_mask(fields(1)%gids(i), mask)
        n_owners = n_owners + count(mask == 1)
      end do
      call context%allreduce(n_owners, HALO_SUM)
      if (n_owners /= count(tables(1)%owner > 0)) call refuse("owner masks count another number of points")
    end subroutine check_masks
  end subroutine run_box_case

  !> Parts of one of several styles; those that the library has placed are taken over.
  subroutine random_grid(context, random, number, topology, grid, counted)
    type(halo_context), intent(in) :: context
    type(dice), intent(inout) :: random
    integer, intent(in) :: number
    type(halo_topology), intent(inout) :: topology
    type(box_grid), intent(out) :: grid
    type(counts), intent(inout) :: counted
    character(*), parameter :: styles(*) = [character(23) :: "blocks", "tiles", "boxes with holes", "blocks in Morton order", &
      "boxes that overlap", "distributed boxes", "cut by the library"]
    character(:), allocatable :: style
    integer, parameter :: most(3) = [22, 10, 6]
    integer :: d
    grid%n_dims = 1 + mod(number, 3)
    style = trim(styles(1 + mod(number / 3, size(styles))))
    call counted%add(style)
    call counted%add(achar(48 + grid%n_dims) // "-D")
    do d = 1, grid%n_dims
      grid%periodic(d) = random%percent(50)
      grid%low(d) = random%pick(-3, 3)
      grid%high(d) = grid%low(d) + random%pick(1, most(grid%n_dims))
    end do
    call counted%add("periodic", all(grid%periodic(:grid%n_dims)))
    call counted%add("open", .not. any(grid%periodic(:grid%n_dims)))
    call counted%add("periodic in some directions", any(grid%periodic(:grid%n_dims)) .and. .not. all(grid%periodic(:grid%n_dims)))
    select case (style)
    case ("blocks", "blocks in Morton order")
      call create_blocks(context, random, style /= "blocks", topology, grid)
    case default
      call random_parts(context, random, style, topology, grid)
    end select
  end subroutine random_grid

  !> Boxes in the domain of a grid.
  subroutine random_parts(context, random, style, topology, grid)
    type(halo_context), intent(in) :: context
    type(dice), intent(inout) :: random
    character(*), intent(in) :: style
    type(halo_topology), intent(inout) :: topology
    type(box_grid), intent(inout) :: grid
    integer :: rank, n_ranks, d, i
    integer, allocatable :: order(:)
    call context%rank(rank, n_ranks)
    select case (style)
    case ("boxes that overlap")
      allocate(grid%parts(random%pick(2, 6)))
      do i = 1, size(grid%parts)
        do d = 1, grid%n_dims
          grid%parts(i)%low(d) = random%pick(grid%low(d), grid%high(d) - 1)
          grid%parts(i)%high(d) = random%pick(grid%parts(i)%low(d) + 1, grid%high(d))
        end do
        grid%parts(i)%priority = random%pick(-1, 1)
      end do
    case ("cut by the library")
      grid%high(1) = max(grid%high(1), grid%low(1) + n_ranks)
      allocate(grid%parts(0))
    case default
      grid%parts = tiles(box_part(grid%low, grid%high), random%pick(1, 4))
      order = random%shuffled(size(grid%parts))
      if (style == "boxes with holes") order = order(:random%pick(1, size(order)))
      grid%parts = grid%parts(order)
    end select
    do i = 1, size(grid%parts)
      grid%parts(i)%rank = random%pick(0, n_ranks - 1)
    end do
    if (style == "distributed boxes") & ! gids go rank by rank
      grid%parts = grid%parts([(pack([(i, i=1, size(grid%parts))], grid%parts%rank == d), d=0, n_ranks - 1)])
    call create_boxes(context, style == "distributed boxes", topology, grid)
  contains
    !> A box cut at a random place, again and again.
    recursive function tiles(box, depth) result(all)
      type(box_part), intent(in) :: box
      integer, intent(in) :: depth
      type(box_part), allocatable :: all(:)
      type(box_part) :: below, above
      integer :: direction, cut
      direction = random%pick(1, grid%n_dims)
      if (depth == 0 .or. box%high(direction) - box%low(direction) < 2) then
        all = [box]
        return
      end if
      cut = random%pick(box%low(direction) + 1, box%high(direction) - 1)
      below = box
      above = box
      below%high(direction) = cut
      above%low(direction) = cut
      all = [tiles(below, depth - 1), tiles(above, depth - 1)]
    end function tiles
  end subroutine random_parts

  subroutine create_blocks(context, random, morton, topology, grid)
    type(halo_context), intent(in) :: context
    type(dice), intent(inout) :: random
    logical, intent(in) :: morton
    type(halo_topology), intent(inout) :: topology
    type(box_grid), intent(inout) :: grid
    integer, parameter :: most(3) = [5, 4, 3]
    integer(c_int32_t), allocatable, target :: owner(:)
    type(halo_blocks_desc) :: desc
    integer :: rank, n_ranks, d, i, at(3), rest
    call context%rank(rank, n_ranks)
    desc%n_dims = grid%n_dims
    desc%order = merge(HALO_ORDER_MORTON, HALO_ORDER_ROWS, morton)
    do d = 1, grid%n_dims
      desc%n_blocks(d) = random%pick(1, most(grid%n_dims))
      desc%n_cells(d) = random%pick(1, most(grid%n_dims))
      desc%periodic(d) = merge(1, 0, grid%periodic(d))
    end do
    grid%low = 0
    grid%high = int(desc%n_blocks * desc%n_cells)
    allocate(grid%parts(product(desc%n_blocks)))
    do i = 1, size(grid%parts)
      rest = i - 1
      do d = 1, 3
        at(d) = mod(rest, int(desc%n_blocks(d)))
        rest = rest / int(desc%n_blocks(d))
      end do
      grid%parts(i) = box_part(int(at * desc%n_cells), int((at + 1) * desc%n_cells), random%pick(0, n_ranks - 1))
    end do
    owner = grid%parts%rank
    if (.not. morton) then
      desc%owner = c_loc(owner)
      desc%n_owner = size(owner)
    end if
    call topology%create_blocks(context, desc)
    if (morton) call take_over(topology, grid)
  end subroutine create_blocks

  !> Without parts the library cuts.
  subroutine create_boxes(context, distributed, topology, grid)
    type(halo_context), intent(in) :: context
    logical, intent(in) :: distributed
    type(halo_topology), intent(inout) :: topology
    type(box_grid), intent(inout) :: grid
    type(halo_boxes_desc) :: desc
    type(box_part), allocatable :: given(:)
    type(halo_box), allocatable, target :: boxes(:)
    integer(c_int32_t), allocatable, target :: owner(:), priority(:)
    integer :: rank, n_ranks, i
    call context%rank(rank, n_ranks)
    desc%n_dims = grid%n_dims
    desc%domain = halo_box(grid%low, grid%high)
    desc%periodic = merge(1, 0, grid%periodic)
    desc%distributed = merge(1, 0, distributed)
    desc%reach = 3
    given = grid%parts
    if (distributed) given = pack(grid%parts, grid%parts%rank == rank)
    boxes = [(halo_box(given(i)%low, given(i)%high), i=1, size(given))]
    owner = given%rank
    priority = given%priority
    if (size(grid%parts) == 0) then
      desc%n_parts_per_rank = 1
      deallocate(grid%parts)
      allocate(grid%parts(n_ranks))
      call topology%create_boxes(context, desc)
      call take_over(topology, grid)
      return
    end if
    desc%n_boxes = size(boxes)
    if (size(boxes) > 0) then
      desc%boxes = c_loc(boxes)
      desc%priority = c_loc(priority)
      if (.not. distributed) desc%owner = c_loc(owner)
    end if
    call topology%create_boxes(context, desc)
  end subroutine create_boxes

  subroutine take_over(topology, grid)
    type(halo_topology), intent(in) :: topology
    type(box_grid), intent(inout) :: grid
    type(halo_part) :: part
    integer :: i
    do i = 1, size(grid%parts)
      call topology%part(int(i - 1, int64), part)
      grid%parts(i) = box_part(int(part%cells%low), int(part%cells%high), part%rank)
    end do
  end subroutine take_over

  !> Anything that operations can combine, if they shall.
  subroutine random_field(topology, grid, random, ops, combined, number, store, own, counted)
    type(halo_topology), intent(in) :: topology
    type(box_grid), intent(in) :: grid
    type(dice), intent(inout) :: random
    integer, intent(in) :: ops(:), number
    logical, intent(in) :: combined
    type(field_store), intent(inout) :: store
    integer, allocatable, intent(out) :: own(:, :)
    type(counts), intent(inout) :: counted
    character(*), parameter :: types(*) = [character(9) :: "real32", "real64", "int8", "int16", "int32", "int64", &
      "complex32", "complex64"]
    character(*), parameter :: centrings(0:*) = [character(9) :: "cells", "faces x", "faces y", "edges z", "faces z", "edges y", &
      "edges x", "nodes", "all faces", "all edges"]
    type(halo_field_desc) :: desc
    integer :: d, i, most(3), n
    do
      n = random%pick(1, size(all_types))
      desc%type = all_types(n)
      if (.not. combined .or. combines(desc%type)) exit
    end do
    call counted%add(trim(types(n)))
    desc%n_components = random%pick(1, 3)
    if (random%percent(60)) desc%centring = random_centring(random, grid%n_dims)
    call counted%add(trim(centrings(desc%centring)))
    desc%n_sets = random%pick(1, 2)
    most = 3
    do i = 1, size(grid%parts) ! blocks allow no more than they have cells
      most = min(most, max(1, grid%parts(i)%high - grid%parts(i)%low))
    end do
    do d = 1, grid%n_dims
      desc%ghost_low(d) = random%pick(0, most(d))
      desc%ghost_high(d) = random%pick(0, most(d))
    end do
    call store%make(topology, desc, number, grid%n_dims, size(grid%parts))
    allocate(own(3, size(store%gids)))
    do i = 1, size(store%gids)
      associate (part => grid%parts(store%gids(i) + 1))
        own(:, i) = part%high - part%low
      end associate
    end do
  contains
    logical function combines(type)
      integer(c_int32_t), intent(in) :: type
      combines = .not. any(ops == HALO_USER) .or. type == HALO_FLOAT64 .or. type == HALO_INT64
      if (type == HALO_COMPLEX64 .or. type == HALO_COMPLEX128) combines = combines .and. all(ops == HALO_SUM)
      if (type == HALO_INT8 .or. type == HALO_INT16) combines = combines .and. all(ops /= HALO_SUM) ! the sum of many would not fit
    end function combines
  end subroutine random_field

  !> The number says what is counted in any case.
  subroutine describe_exchange(random, number, desc, other_op, counted)
    type(dice), intent(inout) :: random
    integer, intent(in) :: number
    type(halo_exchange_desc), intent(out) :: desc
    integer, intent(out) :: other_op
    type(counts), intent(inout) :: counted
    integer, parameter :: ops(4) = [HALO_SUM, HALO_MIN, HALO_MAX, HALO_USER]
    character(*), parameter :: op_names(4) = [character(14) :: "sum", "min", "max", "by the program"]
    character(*), parameter :: stencils(0:2) = [character(15) :: "full stencil", "faces alone", "faces and edges"]
    character(*), parameter :: shared(0:2) = [character(19) :: "shared points kept", "shared points too", "shared points alone"]
    integer :: op
    desc%kind = mod(number / 21, 3)
    op = random%pick(1, 4)
    desc%op = ops(op)
    desc%combine = c_funloc(add_numbers)
    other_op = ops(random%pick(1, 4))
    desc%stencil = random%pick(0, 2)
    desc%shared = random%pick(0, 2)
    desc%messages = random%pick(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL)
    desc%receive = random%pick(HALO_RECEIVE_POSTED, HALO_RECEIVE_PROBED)
    desc%source_stable = merge(1, 0, random%percent(25))
    if (random%percent(25)) desc%edges = random%pick(HALO_EDGES_LOCAL, HALO_EDGES_REMOTE)
    if (desc%kind /= HALO_KIND_GHOSTS) desc%edges = HALO_EDGES_ALL
    select case (desc%kind)
    case (HALO_KIND_GHOSTS)
      call counted%add("ghosts")
    case (HALO_KIND_REVERSE)
      call counted%add("sums into owners")
    case (HALO_KIND_SHARED_REDUCE)
      call counted%add("sums on all copies")
    end select
    if (desc%kind /= HALO_KIND_GHOSTS) call counted%add(trim(op_names(op)))
    call counted%add(trim(stencils(desc%stencil)))
    call counted%add(trim(shared(desc%shared)))
    call counted%add("message per peer", desc%messages == HALO_MESSAGES_AGGREGATE)
    call counted%add("message per channel", desc%messages == HALO_MESSAGES_PER_CHANNEL)
    call counted%add("receives posted", desc%receive == HALO_RECEIVE_POSTED)
    call counted%add("receives probed", desc%receive == HALO_RECEIVE_PROBED)
    call counted%add("unchanged sources", desc%source_stable == 1)
    call counted%add("edges within ranks", desc%edges == HALO_EDGES_LOCAL)
    call counted%add("edges between ranks", desc%edges == HALO_EDGES_REMOTE)
  end subroutine describe_exchange
end module box_cases
