! SPDX-License-Identifier: BSD-3-Clause
!> Values from one list of boxes to another one of the same domain.
module transfer_cases
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
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
  public :: run_transfer_case

contains

  subroutine run_transfer_case(context, seed, number, counted)
    type(halo_context), intent(in) :: context
    integer(int64), intent(in) :: seed
    integer, intent(in) :: number
    type(counts), intent(inout) :: counted
    type(dice) :: random
    type(box_grid) :: grids(2)
    type(halo_topology) :: topologies(2)
    type(field_store), target :: from, to
    type(point_table) :: sources, targets
    type(halo_exchange) :: exchange
    type(halo_transfer_desc) :: desc
    integer, allocatable :: own(:, :)
    integer :: run, ghosts(6)
    logical :: phases
    character(40) :: what
    call random%begin(seed, 100000 + number)
    call random_grid(context, random, number, topologies(1), grids(1), counted)
    grids(2) = grids(1)
    deallocate(grids(2)%parts)
    call random_parts(context, random, trim(merge("tiles           ", "boxes with holes", random%percent(50))), &
      topologies(2), grids(2))
    desc%op = merge(HALO_TRANSFER_ADD, HALO_TRANSFER_COPY, random%percent(40))
    desc%messages = random%pick(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL)
    from%range_of_sums = 2000
    call random_field(topologies(1), grids(1), random, [HALO_SUM], .true., 1, from, own, counted)
    call from%bind_random(own, random, counted)
    call make_target()
    phases = random%percent(40)
    call counted%add("transfers")
    call counted%add("transfers of sums", desc%op == HALO_TRANSFER_ADD)
    call counted%add("transfers into ghosts", any(ghosts > 0))
    call exchange%create_transfer([from%field], [to%field], desc)
    do run = 1, 2
      call from%fill(0, sources, 10 * run, .true.)
      call to%fill(0, targets, 10 * run + 5, .true.)
      call starts(exchange, phases)
      call expect(10 * run)
      call finishes(exchange, phases)
      write (what, "(a,i0,a,i0)") "transfer case ", number, ", run ", run
      call from%check(trim(what) // ", source")
      call to%check(trim(what) // ", destination")
    end do
  contains

    !> A field like the source, with ghosts of its own.
    subroutine make_target()
      type(halo_field_desc) :: like
      integer, allocatable :: own(:, :)
      integer :: d, i
      like = from%desc
      like%n_sets = 1
      do d = 1, grids(1)%n_dims
        like%ghost_low(d) = random%pick(0, 2)
        like%ghost_high(d) = random%pick(0, 2)
      end do
      ghosts = 0
      if (random%percent(50)) ghosts = [like%ghost_low, like%ghost_high]
      desc%destination_ghosts = ghosts
      to%range_of_sums = 2000
      call to%make(topologies(2), like, 2, grids(2)%n_dims, size(grids(2)%parts))
      allocate(own(3, size(to%gids)))
      do i = 1, size(to%gids)
        own(:, i) = grids(2)%parts(to%gids(i) + 1)%high - grids(2)%parts(to%gids(i) + 1)%low
      end do
      call to%bind_random(own, random, counted)
      sources = points_of_boxes(grids(1), int(from%desc%centring), int(from%desc%ghost_low), int(from%desc%ghost_high))
      targets = points_of_boxes(grids(2), int(like%centring), int(like%ghost_low), int(like%ghost_high))
    end subroutine make_target

    subroutine expect(time)
      integer, intent(in) :: time
      integer, allocatable :: of_id(:)
      integer :: p, i, j, s, component
      integer(int64) :: value
      allocate(of_id(0:max(maxval([0, sources%copies%id]), maxval([0, targets%copies%id]))), source=0)
      do s = 1, size(sources%owner)
        of_id(sources%copies(sources%first(s))%id) = s
      end do
      do p = 1, size(targets%owner)
        s = of_id(targets%copies(targets%first(p))%id)
        if (s == 0) cycle
        if (sources%owner(s) == 0) cycle
        do i = targets%first(p), targets%first(p + 1) - 1
          if (targets%copies(i)%ghost .and. all(ghosts == 0)) cycle
          do component = 0, from%desc%n_components - 1
            value = number_of(from, sources%copies(sources%owner(s)), component, time)
            if (desc%op == HALO_TRANSFER_ADD) then
              value = number_of(to, targets%copies(i), component, time + 5)
              do j = sources%first(s), sources%first(s + 1) - 1
                if (.not. sources%copies(j)%ghost) value = value + number_of(from, sources%copies(j), component, time)
              end do
            end if
            call to%expect(0, targets%copies(i), component, value)
          end do
        end do
      end do
    end subroutine expect
  end subroutine run_transfer_case
end module transfer_cases
