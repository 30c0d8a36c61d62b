! SPDX-License-Identifier: BSD-3-Clause
!> Sparse fields: parts without storage, null regions, arrivals that are listed or called.
module sparse_cases
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64
  use halo
  use box_cases
  use chance
  use coverage
  use kinds
  use model
  use runs
  use stores
  implicit none
  private
  public :: run_sparse_case

  integer, parameter :: fill = 7
  integer, parameter :: absent = 0, quiet = 1, loud = 2 ! what a part has: no storage, zeros, values

  !> What the function for arrivals is told.
  type :: taker
    type(halo_field), pointer :: field => null()
    logical, allocatable :: takes(:)
    integer :: n_called = 0
  end type taker

contains

  function arrive(user, arrival) result(answer) bind(c)
    type(c_ptr), value :: user
    type(halo_arrival), intent(in) :: arrival
    integer(c_int32_t) :: answer
    type(taker), pointer :: one
    integer :: stat
    call c_f_pointer(user, one)
    one%n_called = one%n_called + 1
    answer = HALO_DECLINED
    if (.not. one%takes(arrival%gid + 1)) return
    call one%field%allocate(arrival%gid, stat)
    answer = stat
  end function arrive

  subroutine run_sparse_case(context, seed, number, counted)
    type(halo_context), intent(in) :: context
    integer(int64), intent(in) :: seed
    integer, intent(in) :: number
    type(counts), intent(inout) :: counted
    type(dice) :: random
    type(box_grid) :: grid
    type(halo_topology) :: topology
    type(field_store), target :: store
    type(point_table) :: table
    type(halo_exchange) :: exchange
    type(halo_exchange_desc) :: desc
    type(taker), target :: taking
    integer, allocatable :: states(:)
    logical, allocatable :: arrives(:)
    integer :: i, rank, n_ranks
    character(40) :: what
    call context%rank(rank, n_ranks)
    call random%begin(seed, 200000 + number)
    call random_grid(context, random, mod(number, 3) + 3 * mod(number / 3, 4), topology, grid, counted) ! parts that do not overlap
    call make_field()
    states = [(random%pick(absent, loud), i=1, size(grid%parts))]
    taking%takes = [(random%percent(70), i=1, size(grid%parts))]
    taking%field => store%field
    if (mod(number, 2) == 0) then
      desc%arrival = c_funloc(arrive)
      desc%arrival_user = c_loc(taking)
    end if
    call exchange%create([store%field], desc)
    call counted%add("sparse: null regions", any(states == quiet))
    do i = 1, size(store%gids)
      if (states(store%gids(i) + 1) /= absent) call give_storage(i)
    end do
    call starts(exchange, .true.)
    call find_arrivals()
    call take_arrivals()
    call expect()
    write (what, "(a,i0)") "sparse case ", number
    call store%check(trim(what))
  contains

    subroutine make_field()
      type(halo_field_desc) :: field
      integer :: d
      field%sparse = 1
      field%fill = fill
      field%type = all_types(random%pick(1, size(all_types)))
      field%n_components = random%pick(1, 2)
      do d = 1, grid%n_dims
        field%ghost_low(d) = 1
        field%ghost_high(d) = 1
      end do
      call store%make(topology, field, 1, grid%n_dims, size(grid%parts))
      table = points_of_boxes(grid, HALO_CENTRE_CELL, int(field%ghost_low), int(field%ghost_high))
    end subroutine make_field

    !> Own points get values, or zeros; ghosts anything.
    subroutine give_storage(place)
      integer, intent(in) :: place
      integer :: i, component
      call store%field%allocate(store%gids(place))
      call adopt(place)
      do i = 1, size(table%copies)
        if (table%copies(i)%gid /= store%gids(place)) cycle
        do component = 0, store%desc%n_components - 1
          call store%expect(0, table%copies(i), component, merge(number_of(store, table%copies(i), component, 1), 0_int64, &
            table%copies(i)%ghost .or. states(store%gids(place) + 1) == loud))
        end do
      end do
      store%parts(place, 0)%bytes = store%parts(place, 0)%expected
    end subroutine give_storage

    !> Storage that is there by now, as it should have been given.
    subroutine adopt(place)
      integer, intent(in) :: place
      integer(int64) :: from, bytes
      call store%take_allocated(place, 0)
      bytes = bytes_of(store%desc%type)
      associate (part => store%parts(place, 0))
        part%expected = part%bytes
        do from = 1, size(part%bytes), bytes
          call put_fill(part%expected(from:from + bytes - 1))
        end do
      end associate
    end subroutine adopt

    subroutine put_fill(bytes)
      integer(int8), intent(out) :: bytes(:)
      call put_number(store%desc%type, int(fill, int64), bytes)
      if (store%desc%type == HALO_COMPLEX64 .or. store%desc%type == HALO_COMPLEX128) bytes(size(bytes) / 2 + 1:) = 0
    end subroutine put_fill

    !> Parts without storage with a neighbour that has values.
    subroutine find_arrivals()
      integer :: p, i
      allocate(arrives(size(grid%parts)), source=.false.)
      do p = 1, size(table%owner)
        if (table%owner(p) == 0) cycle
        if (states(table%copies(table%owner(p))%gid + 1) /= loud) cycle
        do i = table%first(p), table%first(p + 1) - 1
          if (i /= table%owner(p)) arrives(table%copies(i)%gid + 1) = .true.
        end do
      end do
      arrives = arrives .and. states == absent
    end subroutine find_arrivals

    subroutine take_arrivals()
      type(halo_arrival), allocatable :: arrivals(:)
      integer :: i
      call waits(exchange)
      call exchange%arrivals(arrivals)
      if (mod(number, 2) == 1) then
        call counted%add("sparse: listed arrivals", any(arrives))
        if (size(arrivals) /= count(arrives .and. grid%parts%rank == rank)) call refuse("other arrivals are listed")
        do i = 1, size(arrivals)
          if (.not. c_associated(arrivals(i)%field, store%field%handle)) call refuse("arrivals of another field")
          if (taking%takes(arrivals(i)%gid + 1)) call store%field%allocate(arrivals(i)%gid)
        end do
      end if
      call exchange%unpack()
      call exchange%refine()
      if (mod(number, 2) == 1) return
      call counted%add("sparse: arrivals called", any(arrives))
      call counted%add("sparse: arrivals declined", any(arrives .and. .not. taking%takes))
      if (taking%n_called /= count(arrives .and. grid%parts%rank == rank)) call refuse("other arrivals are called")
    end subroutine take_arrivals

    !> Ghosts get values of neighbours that have some, else the fill.
    subroutine expect()
      integer :: p, i, component
      integer(int64) :: from
      type(c_ptr) :: data
      do i = 1, size(store%gids)
        if (arrives(store%gids(i) + 1) .and. taking%takes(store%gids(i) + 1)) call adopt(i)
        if (associated(store%parts(i, 0)%bytes)) cycle
        call store%field%data(store%gids(i), 0, data)
        if (c_associated(data)) call refuse("a part has storage that it was not given")
      end do
      do p = 1, size(table%owner)
        if (table%owner(p) == 0) cycle
        associate (owner => table%copies(table%owner(p)))
          do i = table%first(p), table%first(p + 1) - 1
            associate (copy => table%copies(i), place => store%local(table%copies(i)%gid))
              if (i == table%owner(p) .or. place == 0) cycle
              if (.not. associated(store%parts(place, 0)%bytes)) cycle
              do component = 0, store%desc%n_components - 1
                call store%expect(0, copy, component, number_of(store, owner, component, 1))
                if (states(owner%gid + 1) == loud) cycle
                from = store%element(store%parts(place, 0), copy, component)
                call put_fill(store%parts(place, 0)%expected(from:from + bytes_of(store%desc%type) - 1))
              end do
            end associate
          end do
        end associate
      end do
    end subroutine expect
  end subroutine run_sparse_case
end module sparse_cases
