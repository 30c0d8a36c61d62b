! SPDX-License-Identifier: BSD-3-Clause
!> One run of an exchange: what of it takes part, how it is called, and what it changes.
module runs
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  use chance
  use coverage
  use model
  use stores
  implicit none
  private
  public :: narrowing, narrow, start, starts, waits, finishes, expect_run, add_numbers

  !> What of an exchange one run does.
  type :: narrowing
    type(halo_run) :: run
    logical, allocatable :: mask(:)
    integer(c_int32_t), allocatable :: bits(:), sets(:)
    integer :: op = HALO_SUM
  end type narrowing

  interface
    integer(c_int) function sched_yield() bind(c) ! ranks may be more than cores
      import :: c_int
    end function sched_yield
  end interface

contains

  !> HALO_USER: a sum.
  function add_numbers(user, values, contributions, n, type, element_bytes) result(answer) bind(c)
    type(c_ptr), value :: user, values, contributions
    integer(c_int64_t), value :: n, element_bytes
    integer(c_int32_t), value :: type
    integer(c_int32_t) :: answer
    real(real64), pointer :: x(:), y(:)
    integer(int64), pointer :: i(:), j(:)
    answer = HALO_SUCCESS
    if (element_bytes /= 8 .or. c_associated(user)) answer = HALO_ERR_INTERNAL
    if (type == HALO_FLOAT64) then
      call c_f_pointer(values, x, [n])
      call c_f_pointer(contributions, y, [n])
      x = x + y
    else
      call c_f_pointer(values, i, [n])
      call c_f_pointer(contributions, j, [n])
      i = i + j
    end if
  end function add_numbers

  subroutine narrow(random, desc, other_op, fields, run, now, counted)
    type(dice), intent(inout) :: random
    type(halo_exchange_desc), intent(in) :: desc
    integer, intent(in) :: other_op, run
    type(field_store), intent(in) :: fields(:)
    type(narrowing), intent(out), target :: now
    type(counts), intent(inout) :: counted
    integer :: f, d, fewest
    now%op = desc%op
    now%mask = [(.true., f=1, size(fields))]
    now%sets = [(random%pick(0, int(fields(f)%desc%n_sets) - 1), f=1, size(fields))]
    call counted%add("binding sets", any(now%sets > 0))
    if (run > 1) then
      if (random%percent(40)) now%mask = [(random%percent(60), f=1, size(fields))]
      fewest = minval(fields%desc%n_components)
      if (random%percent(40)) then
        now%run%first_component = random%pick(0, fewest - 1)
        now%run%n_components = random%pick(0, fewest - now%run%first_component)
      end if
      if (random%percent(40)) now%run%depth = random%pick(1, 3)
      if (random%percent(30)) then
        now%run%has_ghosts = 1
        now%run%ghost_low = [(random%pick(0, 3), d=1, 3)]
        now%run%ghost_high = [(random%pick(0, 3), d=1, 3)]
      end if
      if (random%percent(30)) now%op = other_op
      if (desc%kind /= HALO_KIND_GHOSTS .and. now%op /= desc%op) now%run%op = now%op
    end if
    now%bits = merge(1, 0, now%mask)
    now%run%n_fields = size(fields)
    now%run%field_mask = c_loc(now%bits)
    now%run%sets = c_loc(now%sets)
    call counted%add("masks", .not. all(now%mask))
    call counted%add("some components", now%run%first_component > 0 .or. now%run%n_components > 0)
    call counted%add("depths", now%run%depth > 0)
    call counted%add("ghost widths of a run", now%run%has_ghosts == 1)
    call counted%add("another operation in a run", now%run%op /= 0)
  end subroutine narrow

  !> In words of Fortran where these suffice.
  subroutine start(random, exchange, phases, now, counted)
    type(dice), intent(inout) :: random
    type(halo_exchange), intent(in) :: exchange
    logical, intent(in) :: phases
    type(narrowing), intent(in) :: now
    type(counts), intent(inout) :: counted
    logical :: by_mask
    associate (run => now%run)
      by_mask = random%percent(50)
      if (by_mask .and. .not. phases .and. all(now%sets == 0) .and. run%op == 0 .and. run%has_ghosts == 0) then
        call counted%add("start by mask")
        call exchange%start(now%mask, run%depth, run%first_component, run%n_components)
      else
        call starts(exchange, phases, run)
      end if
    end associate
  end subroutine start

  subroutine starts(exchange, phases, run)
    type(halo_exchange), intent(in) :: exchange
    logical, intent(in) :: phases
    type(halo_run), intent(in), optional :: run
    integer :: stat
    if (.not. phases) then
      call exchange%start(run)
      return
    end if
    call exchange%post(run)
    stat = HALO_BUSY
    do while (stat == HALO_BUSY)
      call exchange%send(stat=stat)
      if (sched_yield() /= 0) call refuse("sched_yield")
    end do
    if (stat /= HALO_SUCCESS) call refuse(halo_last_error())
  end subroutine starts

  subroutine waits(exchange)
    type(halo_exchange), intent(in) :: exchange
    integer(c_int32_t) :: done
    done = 0
    do while (done == 0)
      call exchange%test(done)
      if (sched_yield() /= 0) call refuse("sched_yield")
    end do
  end subroutine waits

  subroutine finishes(exchange, phases)
    type(halo_exchange), intent(in) :: exchange
    logical, intent(in) :: phases
    if (.not. phases) then
      call exchange%finish()
      return
    end if
    call waits(exchange)
    call exchange%unpack()
    call exchange%refine()
  end subroutine finishes

  !> What the run changes: ghosts and shared points get the owner's value, or all are combined.
  subroutine expect_run(store, table, ranks, desc, now, set, time)
    type(field_store), intent(inout) :: store
    type(point_table), intent(in) :: table
    integer, intent(in) :: ranks(0:) ! of the parts
    type(halo_exchange_desc), intent(in) :: desc
    type(narrowing), intent(in) :: now
    integer, intent(in) :: set, time
    integer :: p, i, component, last
    integer(int64) :: number
    last = store%desc%n_components - 1
    if (now%run%n_components > 0) last = now%run%first_component + now%run%n_components - 1
    do p = 1, size(table%owner)
      if (table%owner(p) == 0) cycle
      associate (owner => table%copies(table%owner(p)))
        do component = now%run%first_component, last
          number = number_of(store, owner, component, time)
          if (desc%kind /= HALO_KIND_GHOSTS) then
            do i = table%first(p), table%first(p + 1) - 1
              if (takes_part(table%copies(i), i == table%owner(p), owner)) &
                call combine(number, number_of(store, table%copies(i), component, time))
            end do
            call store%expect(set, owner, component, number)
          end if
          if (desc%kind == HALO_KIND_REVERSE) cycle
          do i = table%first(p), table%first(p + 1) - 1
            if (takes_part(table%copies(i), i == table%owner(p), owner)) call store%expect(set, table%copies(i), component, number)
          end do
        end do
      end associate
    end do
  contains
    logical function takes_part(copy, is_owner, owner) result(yes)
      type(point_copy), intent(in) :: copy, owner
      logical, intent(in) :: is_owner
      logical :: same_rank
      yes = .not. is_owner
      if (copy%ghost) then
        yes = yes .and. desc%shared /= HALO_SHARED_ONLY
        if (desc%stencil /= HALO_STENCIL_FULL) yes = yes .and. &
          count(copy%out /= 0) <= merge(1, 2, desc%stencil == HALO_STENCIL_FACES)
      else
        yes = yes .and. desc%shared /= HALO_SHARED_KEEP
      end if
      if (now%run%depth > 0) yes = yes .and. all(abs(copy%out) <= now%run%depth)
      if (now%run%has_ghosts == 1) yes = yes .and. all(copy%out >= -now%run%ghost_low .and. copy%out <= now%run%ghost_high)
      if (desc%edges == HALO_EDGES_ALL .or. .not. yes) return
      same_rank = ranks(copy%gid) == ranks(owner%gid)
      yes = same_rank .eqv. desc%edges == HALO_EDGES_LOCAL
    end function takes_part
    subroutine combine(number, other)
      integer(int64), intent(inout) :: number
      integer(int64), intent(in) :: other
      select case (now%op)
      case (HALO_MIN)
        number = min(number, other)
      case (HALO_MAX)
        number = max(number, other)
      case default
        number = number + other
      end select
    end subroutine combine
  end subroutine expect_run
end module runs
