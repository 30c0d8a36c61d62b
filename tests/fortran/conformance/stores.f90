! SPDX-License-Identifier: BSD-3-Clause
!> Fields with their storage, arrays of the program as the binding takes them or the library's; and what every byte should be.
module stores
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64
  use halo
  use chance
  use coverage
  use kinds
  use model
  implicit none
  private
  public :: field_store, part_memory, number_of, refuse

  integer, parameter :: guard = 16 ! bytes around what is bound
  integer(int8), parameter :: untouched = 90_int8

  !> Storage of one part in one set, in elements from the beginning of `bytes`.
  type :: part_memory
    integer(int64), allocatable :: words(:)
    integer(int8), pointer :: bytes(:) => null()
    integer(int8), allocatable :: expected(:)
    integer(int64) :: first = 0, stride(3) = 0, component_stride = 0, place_stride = 0
  end type part_memory

  type :: field_store
    type(halo_field) :: field
    type(halo_field_desc) :: desc
    integer :: number = 0, n_places = 1, n_dims = 1
    integer :: range_of_sums = 0 ! values are below, where they are combined
    integer :: multiples = 1     ! values are multiples of it
    integer :: more(3) = 0
    integer(int64), allocatable :: gids(:)
    integer, allocatable :: local(:)               ! of each gid from 0: its place among gids, or 0
    type(part_memory), allocatable :: parts(:, :)  ! and set
  contains
    procedure :: make, bind_random, take_allocated, fill, write_copy, expect, element, check
    procedure, private :: bind_part, compare_seen
  end type field_store

contains

  subroutine refuse(text)
    character(*), intent(in) :: text
    error stop text
  end subroutine refuse

  !> A field without storage.
  subroutine make(self, topology, desc, number, n_dims, n_parts)
    class(field_store), intent(inout), target :: self
    type(halo_topology), intent(in) :: topology
    type(halo_field_desc), intent(in) :: desc
    integer, intent(in) :: number, n_dims, n_parts
    integer(int64), pointer :: gids(:)
    integer, allocatable :: places(:)
    integer :: i, d
    self%desc = desc
    self%number = number
    self%n_dims = n_dims
    places = places_of(desc%centring, n_dims)
    self%n_places = size(places)
    self%more = [(merge(1, 0, any(btest(places, d))), d=0, 2)]
    call self%field%create(topology, desc, name="f" // achar(48 + number))
    call topology%local_parts(gids)
    self%gids = gids
    allocate(self%local(0:n_parts - 1), source=0)
    do i = 1, size(gids)
      self%local(gids(i)) = i
    end do
    allocate(self%parts(size(gids), 0:desc%n_sets - 1))
  end subroutine make

  !> Storage of all parts in all sets: the library's, arrays, or sections of arrays, whose dimensions may stand for anything.
  subroutine bind_random(self, own, random, counted)
    class(field_store), intent(inout), target :: self
    integer, intent(in) :: own(:, :) ! cells of each local part
    type(dice), intent(inout) :: random
    type(counts), intent(inout) :: counted
    type(dice) :: of_part
    integer, allocatable :: order(:)
    logical :: sections, shuffled, one_component
    integer :: i, set, rank
    if (random%percent(25)) then
      call self%field%allocate(-1_int64)
      call counted%add("storage of the library")
      do set = 0, self%desc%n_sets - 1
        do i = 1, size(self%gids)
          call self%take_allocated(i, set)
          call self%compare_seen(i, set, own(:, i))
        end do
      end do
      return
    end if
    sections = random%percent(40)
    shuffled = random%percent(50)
    order = [(i, i=0, self%n_dims - 1)]
    one_component = random%percent(30) ! a dimension of one component, too
    if (self%desc%n_components > 1 .or. one_component) order = [order, HALO_DIM_COMPONENTS]
    if (self%n_places > 1) order = [order, HALO_DIM_PLACES]
    rank = size(order)
    if (shuffled) order = order(random%shuffled(rank))
    call counted%add("arrays in other orders", shuffled)
    call counted%add("sections of arrays", sections)
    call counted%add("arrays", .not. sections)
    call counted%add("arrays of rank " // achar(48 + rank))
    do set = 0, self%desc%n_sets - 1
      do i = 1, size(self%gids)
        call of_part%begin(int(self%number, int64), int(self%gids(i))) ! all sets of a part lie alike
        call self%bind_part(i, set, own(:, i), order, sections, shuffled, of_part)
      end do
    end do
  end subroutine bind_random

  subroutine bind_part(self, i, set, own, order, sections, shuffled, random)
    class(field_store), intent(inout), target :: self
    integer, intent(in) :: i, set, own(3), order(:)
    logical, intent(in) :: sections, shuffled
    type(dice), intent(inout) :: random
    integer, dimension(size(order)) :: lower, extent, step
    integer :: first(3), d, below, direction
    integer(int64) :: stride, at
    logical :: from_one
    step = 1
    from_one = random%percent(50)
    first = 1
    if (.not. from_one) first = [(random%pick(-4, 4), d=1, 3)]
    do d = 1, size(order)
      if (sections) step(d) = random%pick(1, 3)
      lower(d) = merge(1, random%pick(-2, 2), from_one)
      select case (order(d))
      case (HALO_DIM_COMPONENTS)
        extent(d) = self%desc%n_components
      case (HALO_DIM_PLACES)
        extent(d) = self%n_places
      case default
        direction = order(d) + 1
        below = self%desc%ghost_low(direction) + random%pick(0, 1)
        lower(d) = first(direction) - below
        extent(d) = below + own(direction) + self%more(direction) + self%desc%ghost_high(direction) + random%pick(0, 1)
      end select
    end do
    associate (part => self%parts(i, set), bytes => bytes_of(self%desc%type))
      allocate(part%words(1 + 2 * guard / 8 + (product(int(extent * step, int64)) * bytes + 7) / 8))
      call c_f_pointer(c_loc(part%words), part%bytes, [8 * size(part%words)])
      part%first = guard / bytes
      stride = 1
      do d = 1, size(order)
        at = stride * step(d)
        select case (order(d))
        case (HALO_DIM_COMPONENTS)
          part%component_stride = at
        case (HALO_DIM_PLACES)
          part%place_stride = at
        case default
          part%stride(order(d) + 1) = at
          part%first = part%first + at * (first(order(d) + 1) - lower(d))
        end select
        stride = stride * extent(d) * step(d)
      end do
      at = guard + 1
      if (shuffled) then
        call bind_array_of(self%desc%type, self%field, self%gids(i), c_loc(part%bytes(at)), lower, extent, step, first, order, set)
      else if (from_one) then
        call bind_array_of(self%desc%type, self%field, self%gids(i), c_loc(part%bytes(at)), lower, extent, step, set=set)
      else
        call bind_array_of(self%desc%type, self%field, self%gids(i), c_loc(part%bytes(at)), lower, extent, step, first, set=set)
      end if
    end associate
  end subroutine bind_part

  !> Storage of the library, as its layout has it.
  subroutine take_allocated(self, i, set)
    class(field_store), intent(inout), target :: self
    integer, intent(in) :: i, set
    type(halo_layout) :: layout
    type(c_ptr) :: data
    call self%field%layout(self%gids(i), layout)
    call self%field%data(self%gids(i), set, data)
    associate (part => self%parts(i, set))
      call c_f_pointer(data, part%bytes, [layout%elements * bytes_of(self%desc%type)])
      part%first = layout%first_owned
      part%stride = layout%stride
      part%component_stride = layout%component_stride
      part%place_stride = layout%place_stride
    end associate
  end subroutine take_allocated

  !> The array that the library gives of its storage begins where the ghosts do, and own points are at 1.
  subroutine compare_seen(self, i, set, own)
    class(field_store), intent(in), target :: self
    integer, intent(in) :: i, set, own(3)
    integer, allocatable :: lower(:), upper(:), wanted_lower(:), wanted_upper(:)
    type(c_ptr) :: start
    integer :: n
    n = self%n_dims
    wanted_lower = 1 - self%desc%ghost_low(:n)
    wanted_upper = own(:n) + self%more(:n) + self%desc%ghost_high(:n)
    if (self%desc%n_components > 1) then
      wanted_lower = [wanted_lower, 1]
      wanted_upper = [wanted_upper, int(self%desc%n_components)]
    end if
    if (self%n_places > 1) then
      wanted_lower = [wanted_lower, 1]
      wanted_upper = [wanted_upper, self%n_places]
    end if
    if (any(wanted_lower > wanted_upper)) return ! it has no points
    call seen_array_of(self%desc%type, size(wanted_lower), self%field, self%gids(i), set, lower, upper, start)
    if (any(lower /= wanted_lower) .or. any(upper /= wanted_upper)) call refuse("bounds of an array that the library gives")
    associate (part => self%parts(i, set))
      if (.not. c_associated(start, c_loc(part%bytes(1 + bytes_of(self%desc%type) * &
        (part%first - sum(part%stride(:n) * self%desc%ghost_low(:n))))))) call refuse("place of an array that the library gives")
    end associate
  end subroutine compare_seen

  !> The first byte of a value.
  integer(int64) function element(self, part, copy, component)
    class(field_store), intent(in) :: self
    type(part_memory), intent(in) :: part
    type(point_copy), intent(in) :: copy
    integer, intent(in) :: component
    element = part%first + sum(copy%at * part%stride) + component * part%component_stride + copy%place * part%place_stride
    element = 1 + element * bytes_of(self%desc%type)
  end function element

  !> What a copy of a point holds at a time. Where copies are combined, sums stay exact in all types.
  integer(int64) function number_of(store, copy, component, time) result(number)
    type(field_store), intent(in) :: store
    type(point_copy), intent(in) :: copy
    integer, intent(in) :: component, time
    integer(int64), parameter :: ranges(8) = [16000000_int64, 2_int64**40, 100_int64, 30000_int64, 2000000000_int64, 2_int64**40, &
      16000000_int64, 2_int64**40]
    integer(int64) :: range
    number = (copy%gid + 1) * 2_int64**22 + copy%name
    number = ((number * 4 + copy%place) * 8 + component) * 8 + store%number
    number = mixed(mixed(number * 1024 + time))
    range = ranges(findloc(all_types, int(store%desc%type), dim=1))
    if (store%range_of_sums > 0) range = min(range, int(store%range_of_sums, int64))
    number = store%multiples * (1 + modulo(ishft(number, -11), range - 1)) ! never 0: sparse fields know it
  end function number_of

  !> Values at a time in the part's own points (ghosts: in ghosts), also where nothing is said of them else.
  subroutine write_copy(self, set, table, time, ghosts)
    class(field_store), intent(inout) :: self
    integer, intent(in) :: set, time
    type(point_table), intent(in) :: table
    logical, intent(in) :: ghosts
    integer(int64) :: from
    integer :: i, component, bytes
    bytes = bytes_of(self%desc%type)
    do i = 1, size(table%copies)
      associate (copy => table%copies(i))
        if (copy%ghost .neqv. ghosts) cycle
        if (self%local(copy%gid) == 0) cycle
        associate (part => self%parts(self%local(copy%gid), set))
          if (.not. associated(part%bytes)) cycle
          do component = 0, self%desc%n_components - 1
            from = self%element(part, copy, component)
            call put_number(self%desc%type, number_of(self, copy, component, time), part%bytes(from:from + bytes - 1))
            part%expected(from:from + bytes - 1) = part%bytes(from:from + bytes - 1)
          end do
        end associate
      end associate
    end do
  end subroutine write_copy

  !> All storage of a set: values in points and, where they are combined, ghosts; around them what nobody may touch.
  subroutine fill(self, set, table, time, ghosts_too)
    class(field_store), intent(inout) :: self
    integer, intent(in) :: set, time
    type(point_table), intent(in) :: table
    logical, intent(in) :: ghosts_too
    integer :: i
    do i = 1, size(self%gids)
      associate (part => self%parts(i, set))
        if (.not. associated(part%bytes)) cycle
        part%bytes = untouched
        part%expected = part%bytes
      end associate
    end do
    call self%write_copy(set, table, time, .false.)
    if (ghosts_too) call self%write_copy(set, table, time, .true.)
  end subroutine fill

  subroutine expect(self, set, copy, component, number)
    class(field_store), intent(inout) :: self
    integer, intent(in) :: set, component
    type(point_copy), intent(in) :: copy
    integer(int64), intent(in) :: number
    integer(int64) :: from
    if (self%local(copy%gid) == 0) return
    associate (part => self%parts(self%local(copy%gid), set))
      if (.not. associated(part%bytes)) return
      from = self%element(part, copy, component)
      call put_number(self%desc%type, number, part%expected(from:from + bytes_of(self%desc%type) - 1))
    end associate
  end subroutine expect

  !> Every byte.
  subroutine check(self, what)
    class(field_store), intent(in) :: self
    character(*), intent(in) :: what
    character(200) :: text
    integer :: i, set, byte
    do set = 0, self%desc%n_sets - 1
      do i = 1, size(self%gids)
        associate (part => self%parts(i, set))
          if (.not. allocated(part%expected)) cycle
          byte = findloc(part%bytes == part%expected, .false., dim=1)
          if (byte == 0) cycle
          write (text, "(2a,4(a,i0))") what, ", field ", "f", self%number, ", part ", self%gids(i), ", set ", set, ": byte ", byte
          call refuse(trim(text))
        end associate
      end do
    end do
  end subroutine check
end module stores
