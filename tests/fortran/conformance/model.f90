! SPDX-License-Identifier: BSD-3-Clause
!> Who owns a point, and which copies of it there are: made without the library, point by point, for all ranks.
module model
  use, intrinsic :: iso_fortran_env, only: int64
  use halo, only: HALO_CENTRE_EDGES, HALO_CENTRE_FACES, HALO_CENTRE_NODE
  use chance
  implicit none

  !> A box of cells with an owner.
  type :: box_part
    integer :: low(3) = 0, high(3) = 1
    integer :: rank = 0, priority = 0
  end type box_part

  type :: box_grid
    integer :: n_dims = 1
    integer :: low(3) = 0, high(3) = 1 ! of the domain
    logical :: periodic(3) = .false.
    type(box_part), allocatable :: parts(:) ! by gid, from 0
  end type box_grid

  !> Where a part holds a point: the first of its own points is (0, 0, 0).
  type :: point_copy
    integer :: id = 0   ! the same for all copies of a point
    integer :: gid = 0
    integer :: name = 0 ! another one for each copy that the part has
    integer :: at(3) = 0
    integer :: place = 0
    integer :: out(3) = 0 ! layers outside of what is the part's own: below negative
    logical :: ghost = .false.
  end type point_copy

  !> Copies in the order of their points; those of point p are first(p) to first(p + 1) - 1, by gid, then place, z, y, x.
  type :: point_table
    type(point_copy), allocatable :: copies(:)
    integer, allocatable :: first(:)
    integer, allocatable :: owner(:) ! of each point: its copy, or 0
  end type point_table

contains

  !> Bits of the places of a centring.
  function places_of(centring, n_dims) result(places)
    integer, intent(in) :: centring, n_dims
    integer, allocatable :: places(:)
    integer :: d
    if (centring == HALO_CENTRE_FACES) then
      places = [(2**d, d=0, n_dims - 1)]
    else if (centring == HALO_CENTRE_EDGES) then
      places = [6, 5, 3]
      if (n_dims == 2) places = [3]
    else
      places = [iand(centring, 2**n_dims - 1)]
    end if
  end function places_of

  !> One that there is in so many dimensions.
  integer function random_centring(random, n_dims) result(centring)
    type(dice), intent(inout) :: random
    integer, intent(in) :: n_dims
    do
      centring = random%pick(0, HALO_CENTRE_EDGES)
      if (centring < HALO_CENTRE_NODE .and. centring < 2**n_dims) return
      if (centring >= HALO_CENTRE_NODE .and. (n_dims > 1 .or. centring /= HALO_CENTRE_EDGES)) return
    end do
  end function random_centring

  !> All copies of all points of a field on all parts.
  function points_of_boxes(grid, centring, ghost_low, ghost_high) result(table)
    type(box_grid), intent(in) :: grid
    integer, intent(in) :: centring, ghost_low(3), ghost_high(3)
    type(point_table) :: table
    type(point_copy), allocatable :: copies(:)
    integer, allocatable :: places(:)
    integer :: gid, place, n, i, j, k, bits(3)
    places = places_of(centring, grid%n_dims)
    allocate(copies(n_copies()))
    n = 0
    do gid = 0, size(grid%parts) - 1
      do place = 0, size(places) - 1
        bits = [(ibits(places(place + 1), i, 1), i=0, 2)]
        associate (own => grid%parts(gid + 1)%high - grid%parts(gid + 1)%low + bits)
          do k = -ghost_low(3), own(3) + ghost_high(3) - 1
            do j = -ghost_low(2), own(2) + ghost_high(2) - 1
              do i = -ghost_low(1), own(1) + ghost_high(1) - 1
                n = n + 1
                copies(n) = copy_at([i, j, k], own)
              end do
            end do
          end do
        end associate
      end do
    end do
    table = table_of(copies(:n), grid%parts%priority)
  contains
    integer function n_copies()
      integer :: part
      n_copies = 0
      do part = 1, size(grid%parts)
        n_copies = n_copies + size(places) * product(grid%parts(part)%high - grid%parts(part)%low + 1 + ghost_low + ghost_high)
      end do
    end function n_copies
    type(point_copy) function copy_at(at, own)
      integer, intent(in) :: at(3), own(3)
      integer :: point(3), period(3)
      period = grid%high - grid%low
      point = grid%parts(gid + 1)%low + at - grid%low
      where (grid%periodic) point = modulo(point, period)
      copy_at%id = 1 + place
      copy_at%id = copy_at%id * 48 + point(3) + 12
      copy_at%id = copy_at%id * 48 + point(2) + 12
      copy_at%id = copy_at%id * 48 + point(1) + 12
      copy_at%gid = gid
      copy_at%at = at
      copy_at%name = ((at(3) + 16) * 64 + at(2) + 16) * 1024 + at(1) + 16
      copy_at%place = place
      copy_at%out = min(at, 0) + max(at - own + 1, 0)
      copy_at%ghost = any(copy_at%out /= 0)
    end function copy_at
  end function points_of_boxes

  !> Brings copies of a point together; the owner is the first of highest priority that is no ghost.
  function table_of(copies, priority) result(table)
    type(point_copy), intent(in) :: copies(:)
    integer, intent(in) :: priority(0:)
    type(point_table) :: table
    integer, allocatable :: point(:)
    integer :: i, p, lowest
    allocate(table%copies(size(copies)), table%first(1), table%owner(0))
    table%first = 1
    if (size(copies) == 0) return
    lowest = minval(copies%id)
    allocate(point(lowest:maxval(copies%id) + 1), source=0)
    do i = 1, size(copies) ! how many each has, then where each begins
      point(copies(i)%id) = point(copies(i)%id) + 1
    end do
    table%first = [1, pack(point, point > 0)]
    deallocate(table%owner)
    allocate(table%owner(size(table%first) - 1), source=0)
    p = 0
    do i = lowest, ubound(point, 1)
      if (point(i) == 0) cycle
      p = p + 1
      table%first(p + 1) = table%first(p) + point(i)
      point(i) = table%first(p)
    end do
    do i = 1, size(copies)
      table%copies(point(copies(i)%id)) = copies(i)
      point(copies(i)%id) = point(copies(i)%id) + 1
    end do
    do p = 1, size(table%owner)
      do i = table%first(p), table%first(p + 1) - 1
        if (table%copies(i)%ghost) cycle
        if (table%owner(p) == 0) then
          table%owner(p) = i
        else if (priority(table%copies(i)%gid) > priority(table%copies(table%owner(p))%gid)) then
          table%owner(p) = i
        end if
      end do
    end do
  end function table_of
end module model
