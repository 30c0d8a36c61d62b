! SPDX-License-Identifier: BSD-3-Clause
!> Arrays of several kinds and ranks bound and given out, those that do not fit refused; handles in any order of their ends.
module array_tests
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int16, int32, int64, real32, real64
  use halo
  implicit none
contains

  include 'need.inc'

  subroutine grid_of(n_dims, context, grid)
    integer, intent(in) :: n_dims
    type(halo_context), intent(inout) :: context
    type(halo_topology), intent(inout) :: grid
    type(halo_blocks_desc) :: desc
    integer(int64), parameter :: cells(3) = [4, 3, 5]
    call context%create()
    desc%n_dims = n_dims
    desc%n_cells(:n_dims) = cells(:n_dims)
    desc%periodic(:n_dims) = 1
    call grid%create_blocks(context, desc)
  end subroutine grid_of

  !> One direction, without components: each kind; bounds that begin anywhere.
  subroutine periodic_lines()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: u, z, i, s
    type(halo_exchange) :: ghosts
    real(real32), target :: of_u(0:5)
    complex(real64), target :: of_z(-4:1)
    integer(int32), target :: of_i(10:15)
    integer(int16), pointer :: of_s(:)
    call grid_of(1, context, grid)
    call u%create(grid, halo_field_desc(type=HALO_FLOAT32, ghost_low=[1, 0, 0], ghost_high=[1, 0, 0]), "u")
    call z%create(grid, halo_field_desc(type=HALO_COMPLEX128, ghost_low=[1, 0, 0], ghost_high=[1, 0, 0]), "z")
    call i%create(grid, halo_field_desc(type=HALO_UINT32, ghost_low=[1, 0, 0], ghost_high=[1, 0, 0]), "i")
    call s%create(grid, halo_field_desc(type=HALO_INT16, ghost_low=[2, 0, 0], ghost_high=[1, 0, 0]), "s")
    call u%bind(0_int64, of_u)
    call z%bind(0_int64, of_z, first=[-3])
    call i%bind(0_int64, of_i, first=[11])
    call s%allocate(-1_int64)
    call s%data(0_int64, of_s)
    call need(lbound(of_s, 1) == -1 .and. ubound(of_s, 1) == 5, "bounds of the library's array")
    of_u = 0
    of_u(1:4) = [1, 2, 3, 4]
    of_z = 0
    of_z(-3:0) = [(1, 2), (3, 4), (5, 6), (7, 8)]
    of_i(11:14) = [5, 6, 7, 8]
    of_s(1:4) = [1_int16, 2_int16, 3_int16, 4_int16]
    call ghosts%create([u, z, i, s])
    call ghosts%start()
    call ghosts%finish()
    call need(of_u(0) == 4 .and. of_u(5) == 1, "real32")
    call need(of_z(-4) == (7, 8) .and. of_z(1) == (1, 2), "complex")
    call need(of_i(10) == 8 .and. of_i(15) == 5, "int32")
    call need(all(of_s(-1:0) == [3, 4]) .and. of_s(5) == 1, "int16")
  end subroutine periodic_lines

  !> Three directions and components: last, first, and in two dimensions.
  subroutine components()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: last, first, two
    type(halo_exchange) :: ghosts
    real(real64), target :: a(0:5, 0:4, 0:6, 6), b(6, 0:5, 0:4, 0:6), c(0:5, 0:4, 0:6, 2, 3)
    type(halo_field_desc) :: desc
    real(real64), pointer :: seen(:, :, :, :)
    integer :: x, y, z, n
    call grid_of(3, context, grid)
    desc%n_components = 6
    desc%ghost_low = 1
    desc%ghost_high = 1
    call last%create(grid, desc, "last")
    call first%create(grid, desc, "first")
    call two%create(grid, desc, "two")
    call last%bind(0_int64, a)
    call first%bind(0_int64, b, order=[HALO_DIM_COMPONENTS, 0, 1, 2])
    call two%bind(0_int64, c)
    call last%data(0_int64, seen)
    call need(all(lbound(seen) == [0, 0, 0, 1]) .and. all(ubound(seen) == [5, 4, 6, 6]), "what was bound comes back")
    a = -1
    b = -1
    c = -1
    do concurrent(x=1:4, y=1:3, z=1:5, n=1:6)
      a(x, y, z, n) = x + 10 * y + 100 * z + 1000 * n
      b(n, x, y, z) = a(x, y, z, n)
      c(x, y, z, 1 + mod(n - 1, 2), 1 + (n - 1) / 2) = a(x, y, z, n)
    end do
    call ghosts%create([last, first, two])
    call ghosts%start()
    call ghosts%finish()
    call need(associated(seen, a), "the same array")
    do n = 1, 6
      call need(a(0, 0, 0, n) == 534 + 1000 * n .and. a(5, 4, 6, n) == 111 + 1000 * n, "corners")
      call need(all(a(:, :, :, n) == b(n, :, :, :)), "components first")
      call need(all(a(:, :, :, n) == c(:, :, :, 1 + mod(n - 1, 2), 1 + (n - 1) / 2)), "components in two dimensions")
    end do
  end subroutine components

  !> A section with gaps has no copy: it is bound as it lies.
  subroutine sections()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: u
    type(halo_exchange) :: ghosts
    real(real64), target :: wide(3, 20, 9)
    call grid_of(2, context, grid)
    call u%create(grid, halo_field_desc(ghost_low=[1, 1, 0], ghost_high=[1, 1, 0]))
    wide = -1
    call u%bind(0_int64, wide(2, 1:11:2, 3:7), first=[2, 2])
    wide(2, 3:9:2, 4:6) = reshape([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [4, 3])
    call ghosts%create([u])
    call ghosts%start()
    call ghosts%finish()
    call need(wide(2, 1, 3) == 12 .and. wide(2, 11, 7) == 1, "corners of a section")
    call need(all(wide([1, 3], :, :) == -1) .and. all(wide(2, 2::2, :) == -1), "what lies between stays")
  end subroutine sections

  !> Values on faces: one more than there are cells, a place for each direction.
  subroutine faces()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: x_faces, all_faces, edges
    type(halo_layout) :: layout
    type(c_ptr) :: start
    real(real64), pointer :: ux(:, :), u(:, :, :), e(:, :, :, :), all_of_it(:)
    real(real64), target :: mine(0:6, 0:5, 2)
    call grid_of(2, context, grid)
    call x_faces%create(grid, halo_field_desc(centring=HALO_CENTRE_FACE_X, ghost_low=[1, 1, 0], ghost_high=[1, 1, 0]), "x")
    call x_faces%allocate(-1_int64)
    call x_faces%data(0_int64, ux)
    call need(all(lbound(ux) == 0) .and. all(ubound(ux) == [6, 4]), "faces of x")
    call all_faces%create(grid, halo_field_desc(centring=HALO_CENTRE_FACES, ghost_low=[1, 1, 0], ghost_high=[1, 1, 0]), "f")
    call all_faces%bind(0_int64, mine)
    call all_faces%data(0_int64, u)
    call need(associated(u, mine), "all faces")
    call edges%create(grid, halo_field_desc(centring=HALO_CENTRE_FACES, n_components=3, ghost_low=[1, 1, 0]), "e")
    call edges%allocate(-1_int64)
    call edges%data(0_int64, e)
    call need(all(lbound(e) == [0, 0, 1, 1]) .and. all(ubound(e) == [5, 4, 3, 2]), "the library's faces")
    call edges%layout(0_int64, layout)
    e = 0
    e(1, 1, 2, 2) = 5
    call edges%data(0_int64, 0, start)
    call c_f_pointer(start, all_of_it, [layout%elements])
    call need(all_of_it(layout%first_owned + layout%component_stride + layout%place_stride + 1) == 5, "its layout")
  end subroutine faces

  subroutine refusals()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: u, copy
    real(real64), target :: wider(0:6, 0:4), fits(0:5, 0:4), short(0:4, 0:5), line(0:99), extra(0:5, 0:4, 2)
    real(real32), target :: single(0:5, 0:4)
    real(real64), pointer :: seen(:)
    call grid_of(2, context, grid)
    call u%create(grid, halo_field_desc(ghost_low=[1, 1, 0], ghost_high=[1, 1, 0]), "u")
    call expect("dimension 1 is 0:4, owned points and ghosts want 0:5", short, [1, 1])
    call expect("dimension 1 is 0:5, owned points and ghosts want 1:6", fits, [2, 1])
    call expect("runs backwards", fits(5:0:-1, :), [2, 2])
    call expect("first has less entries", fits, [1])
    call line_refused()
    call kind_refused()
    call extra_refused()
    call other_set_refused()
    copy = u
    call copy_refused()
    call u%bind(0_int64, fits)
    call rank_refused()
  contains
    subroutine expect(text, array, first)
      character(*), intent(in) :: text
      real(real64), pointer, intent(in) :: array(:, :)
      integer, intent(in) :: first(:)
      integer :: stat
      character(:), allocatable :: errmsg
      call u%bind(0_int64, array, first=first, stat=stat, errmsg=errmsg)
      call same_text(stat, errmsg, text)
    end subroutine expect
    subroutine same_text(stat, errmsg, text)
      integer, intent(in) :: stat
      character(:), allocatable, intent(in) :: errmsg
      character(*), intent(in) :: text
      call need(stat == HALO_ERR_ARGUMENT, text // ": not refused")
      call need(index(errmsg, text) > 0, text // ", not: " // errmsg)
    end subroutine same_text
    subroutine line_refused()
      integer :: stat
      character(:), allocatable :: errmsg
      call u%bind(0_int64, line, stat=stat, errmsg=errmsg)
      call same_text(stat, errmsg, "fewer dimensions")
    end subroutine line_refused
    subroutine kind_refused()
      integer :: stat
      character(:), allocatable :: errmsg
      call u%bind(0_int64, single, stat=stat, errmsg=errmsg)
      call same_text(stat, errmsg, "field u, part 0, the array: its kind is not the field's type")
    end subroutine kind_refused
    subroutine extra_refused()
      integer :: stat
      character(:), allocatable :: errmsg
      call u%bind(0_int64, extra, stat=stat, errmsg=errmsg)
      call same_text(stat, errmsg, "it has 2 components, the field 1")
      call u%bind(0_int64, fits, order=[0, 0], stat=stat, errmsg=errmsg)
      call same_text(stat, errmsg, "order has a direction twice")
      call u%bind(0_int64, fits, order=[0], stat=stat, errmsg=errmsg)
      call same_text(stat, errmsg, "order has 1 entries")
      call u%bind(7_int64, fits, stat=stat)
      call need(stat /= HALO_SUCCESS, "no such part")
    end subroutine extra_refused
    !> All sets of a part have one layout.
    subroutine other_set_refused()
      type(halo_field) :: two
      type(halo_exchange) :: ghosts
      integer :: stat
      character(:), allocatable :: errmsg
      call two%create(grid, halo_field_desc(ghost_low=[1, 1, 0], ghost_high=[1, 1, 0], n_sets=2), "two")
      call ghosts%create([two])
      call two%bind(0_int64, fits)
      call two%bind(0_int64, wider, set=1)
      call ghosts%start(stat=stat, errmsg=errmsg)
      call need(stat == HALO_ERR_STATE .and. index(errmsg, "part 0") > 0 .and. index(errmsg, "set 0") > 0, errmsg)
      call two%bind(0_int64, wider)
      call ghosts%start()
      call ghosts%finish()
    end subroutine other_set_refused
    subroutine copy_refused()
      integer :: stat
      character(:), allocatable :: errmsg
      call copy%destroy(stat, errmsg)
      call same_text(stat, errmsg, "does not own")
    end subroutine copy_refused
    subroutine rank_refused()
      integer :: stat
      character(:), allocatable :: errmsg
      call u%data(0_int64, seen, stat=stat, errmsg=errmsg)
      call same_text(stat, errmsg, "the pointer has rank 1, the storage 2")
    end subroutine rank_refused
  end subroutine refusals

  !> Handles end in whatever order, also within others' types; a context goes with the last of what was made from it.
  subroutine handles()
    type :: solver
      type(halo_context) :: context
      type(halo_topology) :: grid
      type(halo_field), allocatable :: fields(:)
      type(halo_exchange) :: ghosts
    end type solver
    type(halo_inproc) :: group
    type(solver), allocatable :: one
    type(halo_exchange) :: ghosts
    integer :: stat, i
    call group%create(1)
    allocate(one)
    call one%context%create_inproc(group, 0)
    call one%grid%create_blocks(one%context, halo_blocks_desc())
    allocate(one%fields(9))
    do i = 1, 9
      call one%fields(i)%create(one%grid, halo_field_desc())
    end do
    call ghosts%create(one%fields(:2))
    call one%ghosts%create(one%fields(:1))
    call one%fields(1)%destroy(stat)
    call need(stat == HALO_BUSY, "an exchange uses the field")
    call one%ghosts%create(one%fields(2:))
    deallocate(one)
    call ghosts%start(stat=stat)
    call need(stat == HALO_ERR_UNBOUND, "the exchange lives on, and its fields and context, too")
    call group%destroy(stat)
    call need(stat == HALO_BUSY, "the context lives on")
    call ghosts%destroy()
    call group%destroy()
  end subroutine handles

  !> A context destroyed with all: what was made from it is not destroyed again.
  subroutine with_all()
    type(halo_context) :: context
    type(halo_topology) :: grid, copy
    call grid_of(2, context, grid)
    copy = grid
    call need(c_associated(copy%handle, grid%handle) .and. .not. copy%owns(), "a copy")
    call context%destroy_with_all()
  end subroutine with_all

  subroutine repeated()
    integer :: i
    do i = 1, 50
      call handles()
      call with_all()
    end do
  end subroutine repeated
end module array_tests

program arrays
  use array_tests
  implicit none
  call periodic_lines()
  call components()
  call sections()
  call faces()
  call refusals()
  call repeated()
  print "(a)", "arrays lie as they are bound"
end program arrays
