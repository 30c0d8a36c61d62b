! SPDX-License-Identifier: BSD-3-Clause
!> Random cases over points that are known by keys: each rank is one part.
module point_cases
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
  public :: run_point_case

  !> Keys of a rank, and whether it may own each.
  type :: key_list
    integer, allocatable :: keys(:)
    logical, allocatable :: mine(:)
  end type key_list

  integer, parameter :: n_keys = 24

contains

  subroutine run_point_case(context, seed, number, counted)
    type(halo_context), intent(in) :: context
    integer(int64), intent(in) :: seed
    integer, intent(in) :: number
    type(counts), intent(inout) :: counted
    type(dice) :: random
    type(halo_topology) :: topology
    type(halo_exchange) :: exchange
    type(halo_exchange_desc) :: desc
    type(key_list), allocatable :: lists(:) ! of all ranks, from 0
    type(field_store), target :: fields(2)
    type(point_table) :: table
    type(narrowing), target :: now
    integer, allocatable :: own(:, :), at(:)
    integer :: rank, n_ranks, run, f, i
    logical :: phases
    character(40) :: what
    call context%rank(rank, n_ranks)
    call random%begin(seed, -number)
    allocate(lists(0:n_ranks - 1))
    select case (mod(number, 4))
    case (0)
      call keys_by_rank(random, lists, counted)
      call create_keys(context, random, lists, rank, topology, at, counted)
    case (1)
      call claimed_keys(random, lists, counted)
      call create_claimed(context, random, lists(rank), topology, at)
    case default
      call create_graph(context, random, lists, rank, n_ranks, topology, at, counted)
    end select
    table = table_of_keys(lists, rank, at)
    call compare_owners(topology, table, rank)
    own = reshape([size(at), 1, 1], [3, 1])
    phases = random%percent(40)
    desc%kind = mod(number / 4, 3)
    desc%messages = random%pick(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL)
    call counted%add("sums over keys", desc%kind /= HALO_KIND_GHOSTS)
    do f = 1, 2
      fields(f)%range_of_sums = merge(0, 2000, desc%kind == HALO_KIND_GHOSTS)
      call random_points_field(topology, random, f, n_ranks, desc%kind /= HALO_KIND_GHOSTS, fields(f))
      call fields(f)%bind_random(own, random, counted)
    end do
    call exchange%create(fields%field, desc)
    do run = 1, 3
      call narrow(random, desc, HALO_SUM, fields, run, now, counted)
      now%run%depth = 0 ! points have no layers
      now%run%has_ghosts = 0
      do f = 1, 2
        call fields(f)%fill(now%sets(f), table, 10 * run + f, .true.)
      end do
      call start(random, exchange, phases, now, counted)
      do f = 1, 2
        if (.not. now%mask(f)) cycle
        if (desc%kind /= HALO_KIND_SHARED_REDUCE) &
          call fields(f)%write_copy(now%sets(f), table, 500 + run, desc%kind == HALO_KIND_REVERSE)
        call expect_run(fields(f), table, [(i, i=0, n_ranks - 1)], desc, now, now%sets(f), 10 * run + f)
      end do
      call finishes(exchange, phases)
      write (what, "(a,i0,a,i0)") "point case ", number, ", run ", run
      do f = 1, 2
        call fields(f)%check(trim(what))
      end do
    end do
  end subroutine run_point_case

  subroutine random_points_field(topology, random, number, n_ranks, combined, store)
    type(halo_topology), intent(in) :: topology
    type(dice), intent(inout) :: random
    integer, intent(in) :: number, n_ranks
    logical, intent(in) :: combined
    type(field_store), intent(inout) :: store
    type(halo_field_desc) :: desc
    desc%type = HALO_INT8
    do while (desc%type == HALO_INT8 .or. combined .and. desc%type == HALO_INT16)
      desc%type = all_types(random%pick(1, size(all_types)))
    end do
    desc%n_components = random%pick(1, 3)
    desc%n_sets = random%pick(1, 2)
    call store%make(topology, desc, number, 1, n_ranks)
  end subroutine random_points_field

  !> The lowest rank that has a key owns it, by the first of its entries.
  subroutine keys_by_rank(random, lists, counted)
    type(dice), intent(inout) :: random
    type(key_list), intent(inout) :: lists(0:)
    type(counts), intent(inout) :: counted
    integer :: r, i
    call counted%add("keys")
    do r = 0, size(lists) - 1
      lists(r)%keys = [(random%pick(1, n_keys), i=1, random%pick(0, 20))]
      lists(r)%mine = [(.true., i=1, size(lists(r)%keys))]
      call counted%add("keys several times", any([(count(lists(r)%keys == i) > 1, i=1, n_keys)]))
    end do
  end subroutine keys_by_rank

  !> Entries may be taken away and added; at: the local index of each entry, in an order of the library's.
  subroutine create_keys(context, random, lists, rank, topology, at, counted)
    type(halo_context), intent(in) :: context
    type(dice), intent(inout) :: random
    type(key_list), intent(inout) :: lists(0:)
    integer, intent(in) :: rank
    type(halo_topology), intent(inout) :: topology
    integer, allocatable, intent(out) :: at(:)
    type(counts), intent(inout) :: counted
    type(halo_topology) :: before
    type(halo_keys_desc) :: desc
    type(halo_keys_edit) :: edit
    integer(int64), allocatable, target :: keys(:), removed(:), added(:)
    logical, allocatable :: stays(:)
    integer, allocatable :: new(:)
    integer(c_int32_t), allocatable :: indices(:)
    integer :: r, i
    keys = spread_out(lists(rank)%keys)
    desc%n_keys = size(keys)
    if (size(keys) > 0) desc%keys = c_loc(keys)
    desc%numbering = random%pick(HALO_NUMBERING_BY_OWNER, HALO_NUMBERING_AS_GIVEN)
    desc%directory = random%pick(HALO_DIRECTORY_AUTO, HALO_DIRECTORY_HASH)
    desc%editable = merge(1, 0, random%percent(50))
    if (desc%editable == 0) then
      call topology%create_keys(context, desc)
    else
      call counted%add("edited keys")
      call before%create_keys(context, desc)
      do r = 0, size(lists) - 1
        stays = [(random%percent(70), i=1, size(lists(r)%keys))]
        new = [(random%pick(1, n_keys), i=1, random%pick(0, 5))]
        if (r == rank) removed = pack([(int(i - 1, int64), i=1, size(stays))], .not. stays)
        if (r == rank) added = spread_out(new)
        lists(r)%keys = [pack(lists(r)%keys, stays), new]
        lists(r)%mine = [(.true., i=1, size(lists(r)%keys))]
      end do
      edit%n_remove = size(removed)
      edit%n_add = size(added)
      if (size(removed) > 0) edit%remove = c_loc(removed)
      if (size(added) > 0) edit%add = c_loc(added)
      call before%edit_keys(edit, topology)
    end if
    call topology%local_indices(indices)
    at = indices
  end subroutine create_keys

  !> Each key is of one rank, which has it first; others want it.
  subroutine claimed_keys(random, lists, counted)
    type(dice), intent(inout) :: random
    type(key_list), intent(inout) :: lists(0:)
    type(counts), intent(inout) :: counted
    integer :: owner(n_keys), r, i
    integer, allocatable :: wanted(:)
    call counted%add("keys claimed")
    owner = [(random%pick(0, size(lists) - 1), i=1, n_keys)]
    do r = 0, size(lists) - 1
      wanted = [(random%pick(1, n_keys), i=1, random%pick(0, 12))]
      wanted = pack(wanted, owner(wanted) /= r)
      lists(r)%keys = pack([(i, i=1, n_keys)], owner == r)
      lists(r)%mine = [(.true., i=1, size(lists(r)%keys)), (.false., i=1, size(wanted))]
      lists(r)%keys = [lists(r)%keys, wanted]
    end do
  end subroutine claimed_keys

  subroutine create_claimed(context, random, list, topology, at)
    type(halo_context), intent(in) :: context
    type(dice), intent(inout) :: random
    type(key_list), intent(in) :: list
    type(halo_topology), intent(inout) :: topology
    integer, allocatable, intent(out) :: at(:)
    type(halo_keys_desc) :: desc
    integer(int64), allocatable, target :: keys(:)
    integer(c_int32_t), allocatable :: indices(:)
    keys = spread_out(list%keys)
    desc%n_keys = size(keys)
    desc%n_mine = count(list%mine)
    if (size(keys) > 0) desc%keys = c_loc(keys)
    desc%numbering = random%pick(HALO_NUMBERING_BY_OWNER, HALO_NUMBERING_AS_GIVEN)
    call topology%create_keys(context, desc)
    call topology%local_indices(indices)
    at = indices
  end subroutine create_claimed

  !> Keys are dealt to ranks; neighbours are any keys, those of others are ghosts.
  subroutine create_graph(context, random, lists, rank, n_ranks, topology, at, counted)
    type(halo_context), intent(in) :: context
    type(dice), intent(inout) :: random
    type(key_list), intent(inout) :: lists(0:)
    integer, intent(in) :: rank, n_ranks
    type(halo_topology), intent(inout) :: topology
    integer, allocatable, intent(out) :: at(:)
    type(counts), intent(inout) :: counted
    integer, parameter :: width = 3
    type(halo_graph_desc) :: desc
    integer(int64), allocatable, target :: keys(:), neighbours(:)
    integer(int64), allocatable :: point_keys(:)
    integer(c_int32_t), allocatable :: rings(:)
    integer :: owner(n_keys), next(width, n_keys), r, i, d
    call counted%add("graphs")
    owner = [(random%pick(0, n_ranks - 1), i=1, n_keys)]
    next = reshape([((random%pick(1, n_keys), d=1, width), i=1, n_keys)], shape(next))
    do r = 0, n_ranks - 1
      associate (mine => pack([(i, i=1, n_keys)], owner == r))
        associate (ghosts => pack([(i, i=1, n_keys)], [(owner(i) /= r .and. any(next(:, mine) == i), i=1, n_keys)]))
          lists(r)%keys = [mine, ghosts]
          lists(r)%mine = [(.true., i=1, size(mine)), (.false., i=1, size(ghosts))]
          if (r == rank) keys = spread_out(mine)
          if (r == rank) neighbours = spread_out(reshape(next(:, mine), [width * size(mine)]))
        end associate
      end associate
    end do
    desc%n_owned = size(keys)
    desc%width = width
    if (size(keys) > 0) desc%keys = c_loc(keys)
    if (size(keys) > 0) desc%neighbours = c_loc(neighbours)
    call topology%create_graph(context, desc)
    call topology%point_keys(point_keys)
    call topology%rings(rings)
    if (size(point_keys) /= size(lists(rank)%keys)) call refuse("a graph has other ghosts")
    at = [(findloc(point_keys, spread_out(lists(rank)%keys(i)), dim=1) - 1, i=1, size(point_keys))]
    if (any(at < 0)) call refuse("a graph has not all ghosts")
    if (any((rings(at + 1) == 0) .neqv. lists(rank)%mine)) call refuse("rings of a graph")
  end subroutine create_graph

  !> Keys far from each other.
  elemental function spread_out(number) result(key)
    integer, intent(in) :: number
    integer(int64) :: key
    key = 1000003_int64 * 4096 * number
  end function spread_out

  !> Local indices are known of this rank's entries alone; a value depends on the rank and the place in its list.
  function table_of_keys(lists, rank, at) result(table)
    type(key_list), intent(in) :: lists(0:)
    integer, intent(in) :: rank, at(:)
    type(point_table) :: table
    type(point_copy), allocatable :: copies(:)
    integer :: r, i, n, p
    allocate(copies(sum([(size(lists(r)%keys), r=0, size(lists) - 1)])))
    n = 0
    do r = 0, size(lists) - 1
      do i = 1, size(lists(r)%keys)
        n = n + 1
        copies(n)%id = lists(r)%keys(i)
        copies(n)%gid = r
        copies(n)%name = i
        if (r == rank) copies(n)%at(1) = at(i)
        copies(n)%ghost = .not. lists(r)%mine(i)
      end do
    end do
    table = table_of(copies, [(0, r=1, size(lists))])
    do p = 1, size(table%owner)
      do i = table%first(p), table%first(p + 1) - 1
        table%copies(i)%ghost = i /= table%owner(p)
      end do
    end do
  end function table_of_keys

  subroutine compare_owners(topology, table, rank)
    type(halo_topology), intent(in) :: topology
    type(point_table), intent(in) :: table
    integer, intent(in) :: rank
    integer(c_int32_t), allocatable :: owners(:)
    integer :: p, i, owner
    call topology%owners(owners)
    do p = 1, size(table%owner)
      owner = -1
      if (table%owner(p) > 0) owner = table%copies(table%owner(p))%gid
      do i = table%first(p), table%first(p + 1) - 1
        if (table%copies(i)%gid /= rank) cycle
        if (owners(table%copies(i)%at(1) + 1) /= owner) call refuse("another rank owns a point")
      end do
    end do
  end subroutine compare_owners
end module point_cases
