! SPDX-License-Identifier: BSD-3-Clause
!> Ghosts between blocks of several levels: cells, means of finer ones, and the cells that coarser ones are made of.
module level_cases
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use halo
  use chance
  use coverage
  use kinds
  use model
  use runs
  use stores
  implicit none
  private
  public :: run_level_case

contains

  subroutine run_level_case(context, seed, number, counted)
    type(halo_context), intent(in) :: context
    integer(int64), intent(in) :: seed
    integer, intent(in) :: number
    type(counts), intent(inout) :: counted
    type(dice) :: random
    type(halo_topology) :: topology
    type(halo_forest_desc) :: desc
    type(halo_tree), target :: trees(1)
    type(halo_tree_join), allocatable, target :: joins(:)
    type(halo_leaf), allocatable, target :: leaves(:)
    integer(c_int32_t), allocatable, target :: owner(:)
    type(halo_field_desc) :: like
    type(field_store), target :: store
    type(point_table) :: table
    type(halo_exchange) :: exchange
    integer, allocatable :: own(:, :)
    integer :: n_cells(3), domain(3), rank, n_ranks, run, d, i
    logical :: periodic(3), phases
    character(40) :: what
    call context%rank(rank, n_ranks)
    call random%begin(seed, 300000 + number)
    call counted%add("levels")
    call make_forest()
    like%type = merge(HALO_FLOAT64, HALO_FLOAT32, random%percent(50))
    if (random%percent(30)) like%type = HALO_COMPLEX128
    like%n_components = random%pick(1, 2)
    like%ghost_low(:desc%n_dims) = [(random%pick(0, n_cells(d) / 2), d=1, desc%n_dims)]
    like%ghost_high(:desc%n_dims) = [(random%pick(0, n_cells(d) / 2), d=1, desc%n_dims)]
    store%range_of_sums = 1000000
    store%multiples = 8 ! so means of 8 are exact
    call store%make(topology, like, 1, int(desc%n_dims), size(leaves))
    own = spread(n_cells, 2, size(store%gids))
    call store%bind_random(own, random, counted)
    call store%field%set_prolongation(HALO_PROLONG_CONSTANT)
    table = cells_of_leaves()
    phases = random%percent(40)
    call exchange%create([store%field])
    do run = 1, 2
      call store%fill(0, table, run, .true.)
      call starts(exchange, phases)
      call expect(run)
      call finishes(exchange, phases)
      write (what, "(a,i0,a,i0)") "level case ", number, ", run ", run
      call store%check(trim(what))
    end do
  contains

    !> One tree, joined to itself in some directions, and refined twice at random places.
    subroutine make_forest()
      integer(c_int32_t), allocatable :: marks(:)
      type(halo_leaf), allocatable :: finer(:)
      integer(int64), allocatable :: from(:)
      desc%n_dims = 1 + mod(number, 3)
      n_cells = 1
      periodic = .false.
      domain = 1
      allocate(joins(0))
      do d = 1, desc%n_dims
        n_cells(d) = 2 * random%pick(1, 2)
        trees(1)%n_roots(d) = random%pick(1, 2)
        domain(d) = int(trees(1)%n_roots(d)) * n_cells(d)
        periodic(d) = random%percent(60)
        if (periodic(d)) joins = [joins, halo_tree_join(side=2 * (d - 1))]
      end do
      desc%n_cells = n_cells
      desc%n_trees = 1
      desc%trees = c_loc(trees)
      desc%n_joins = size(joins)
      if (size(joins) > 0) desc%joins = c_loc(joins)
      call halo_forest_uniform(desc, 0, leaves)
      do i = 1, 2
        desc%leaves = c_loc(leaves)
        desc%n_leaves = size(leaves)
        marks = [(merge(HALO_MARK_REFINE, HALO_MARK_KEEP, random%percent(merge(40, 15, i == 1))), d=1, size(leaves))]
        call halo_forest_adapt(desc, marks, finer, from)
        leaves = finer
      end do
      desc%leaves = c_loc(leaves)
      desc%n_leaves = size(leaves)
      owner = [(random%pick(0, n_ranks - 1), d=1, size(leaves))]
      desc%owner = c_loc(owner)
      call topology%create_forest(context, desc)
    end subroutine make_forest

    !> Cells of each leaf with its ghosts, each a point of its own; `id` is that of the owned cell that it is.
    function cells_of_leaves() result(table)
      type(point_table) :: table
      type(point_copy), allocatable :: copies(:)
      integer :: gid, n, i, j, k
      allocate(copies(size(leaves) * product(n_cells + like%ghost_low + like%ghost_high)))
      n = 0
      do gid = 0, size(leaves) - 1
        do k = -like%ghost_low(3), n_cells(3) + like%ghost_high(3) - 1
          do j = -like%ghost_low(2), n_cells(2) + like%ghost_high(2) - 1
            do i = -like%ghost_low(1), n_cells(1) + like%ghost_high(1) - 1
              n = n + 1
              copies(n) = point_copy(id=n, gid=gid, name=n, at=[i, j, k], ghost=any([i, j, k] < 0 .or. [i, j, k] >= n_cells))
            end do
          end do
        end do
      end do
      table = table_of(copies, [(0, gid=1, size(leaves))])
    end function cells_of_leaves

    !> The owned cell at a place of a level, among all copies; 0: the leaf there is of another level, or nothing is there.
    integer function cell_at(level, place) result(found)
      integer, intent(in) :: level, place(3)
      integer :: at(3), gid, extent(3)
      found = 0
      at = place
      do d = 1, desc%n_dims
        if (periodic(d)) at(d) = modulo(at(d), domain(d) * 2**level)
      end do
      extent = n_cells + like%ghost_low + like%ghost_high
      do gid = 0, size(leaves) - 1
        if (leaves(gid + 1)%level /= level .or. any(at / n_cells /= leaves(gid + 1)%at .or. at < 0)) cycle
        at = at - int(leaves(gid + 1)%at) * n_cells + like%ghost_low
        found = 1 + at(1) + extent(1) * (at(2) + extent(2) * (at(3) + extent(3) * gid))
        return
      end do
    end function cell_at

    !> The owned cells whose mean a cell is: itself, the coarser one that it is a part of, or all finer ones in it. Outside of the
    !> domain none.
    function made_of(level, place) result(cells)
      integer, intent(in) :: level, place(3)
      integer, allocatable :: cells(:)
      integer :: half(3), x, y, z
      cells = [cell_at(level, place)]
      half = place
      half(:desc%n_dims) = floor(place(:desc%n_dims) / 2.0)
      if (cells(1) == 0 .and. level > 0) cells = [cell_at(level - 1, half)]
      half = 1
      half(:desc%n_dims) = 2 ! as many cells along a direction
      if (cells(1) == 0) &
        cells = [(((cell_at(level + 1, place * half + [x, y, z]), x=0, half(1) - 1), y=0, half(2) - 1), z=0, half(3) - 1)]
      cells = pack(cells, cells > 0)
    end function made_of

    subroutine expect(time)
      integer, intent(in) :: time
      integer :: i, c, component
      integer, allocatable :: cells(:)
      integer(int64) :: total
      do i = 1, size(table%copies)
        if (.not. table%copies(i)%ghost) cycle
        associate (copy => table%copies(i), leaf => leaves(table%copies(i)%gid + 1))
          cells = made_of(int(leaf%level), int(leaf%at) * n_cells + copy%at)
          if (size(cells) == 0) cycle
          do component = 0, like%n_components - 1
            total = sum([(number_of(store, table%copies(cells(c)), component, time), c=1, size(cells))])
            call store%expect(0, copy, component, total / size(cells))
          end do
        end associate
      end do
    end subroutine expect
  end subroutine run_level_case
end module level_cases
