! SPDX-License-Identifier: BSD-3-Clause
!> Arrays of each kind and of ranks 1 to 5, as the binding takes and gives them.
module kinds
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use halo
  implicit none
  private
  public :: bind_array_of, seen_array_of, bytes_of, put_number, all_types

  integer, parameter :: all_types(8) = [HALO_FLOAT32, HALO_FLOAT64, HALO_INT8, HALO_INT16, &
    HALO_INT32, HALO_INT64, HALO_COMPLEX64, HALO_COMPLEX128]

contains

  integer function bytes_of(type)
    integer, intent(in) :: type
    integer, parameter :: bytes(8) = [4, 8, 1, 2, 4, 8, 8, 16]
    bytes_of = bytes(findloc(all_types, type, dim=1))
  end function bytes_of

  !> A number in the bytes of a value; complex ones have its negative as the other part.
  subroutine put_number(type, number, bytes)
    integer, intent(in) :: type
    integer(int64), intent(in) :: number
    integer(int8), intent(out) :: bytes(:)
    select case (type)
    case (HALO_FLOAT32)
      bytes = transfer(real(number, real32), bytes)
    case (HALO_FLOAT64)
      bytes = transfer(real(number, real64), bytes)
    case (HALO_INT8)
      bytes = transfer(int(number, int8), bytes)
    case (HALO_INT16)
      bytes = transfer(int(number, int16), bytes)
    case (HALO_INT32)
      bytes = transfer(int(number, int32), bytes)
    case (HALO_INT64)
      bytes = transfer(int(number, int64), bytes)
    case (HALO_COMPLEX64)
      bytes = transfer(cmplx(number, -number, real32), bytes)
    case (HALO_COMPLEX128)
      bytes = transfer(cmplx(number, -number, real64), bytes)
    end select
  end subroutine put_number

  subroutine bind_array_of(type, field, gid, start, lower, extent, step, first, order, set)
    integer, intent(in) :: type
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    type(c_ptr), intent(in) :: start
    integer, intent(in) :: lower(:), extent(:), step(:), set
    integer, intent(in), optional :: first(:), order(:)
    select case (type)
    case (HALO_FLOAT32)
      call bind_real32(field, gid, start, lower, extent, step, first, order, set)
    case (HALO_FLOAT64)
      call bind_real64(field, gid, start, lower, extent, step, first, order, set)
    case (HALO_INT8)
      call bind_int8(field, gid, start, lower, extent, step, first, order, set)
    case (HALO_INT16)
      call bind_int16(field, gid, start, lower, extent, step, first, order, set)
    case (HALO_INT32)
      call bind_int32(field, gid, start, lower, extent, step, first, order, set)
    case (HALO_INT64)
      call bind_int64(field, gid, start, lower, extent, step, first, order, set)
    case (HALO_COMPLEX64)
      call bind_complex32(field, gid, start, lower, extent, step, first, order, set)
    case (HALO_COMPLEX128)
      call bind_complex64(field, gid, start, lower, extent, step, first, order, set)
    end select
  end subroutine bind_array_of

  !> Bounds of the array that the library gives, and where it begins.
  subroutine seen_array_of(type, rank, field, gid, set, lower, upper, start)
    integer, intent(in) :: type, rank, set
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    integer, allocatable, intent(out) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: start
    select case (type)
    case (HALO_FLOAT32)
      call seen_real32(rank, field, gid, set, lower, upper, start)
    case (HALO_FLOAT64)
      call seen_real64(rank, field, gid, set, lower, upper, start)
    case (HALO_INT8)
      call seen_int8(rank, field, gid, set, lower, upper, start)
    case (HALO_INT16)
      call seen_int16(rank, field, gid, set, lower, upper, start)
    case (HALO_INT32)
      call seen_int32(rank, field, gid, set, lower, upper, start)
    case (HALO_INT64)
      call seen_int64(rank, field, gid, set, lower, upper, start)
    case (HALO_COMPLEX64)
      call seen_complex32(rank, field, gid, set, lower, upper, start)
    case (HALO_COMPLEX128)
      call seen_complex64(rank, field, gid, set, lower, upper, start)
    end select
  end subroutine seen_array_of

  subroutine bind_real32(field, gid, start, lower, extent, step, first, order, set)
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    type(c_ptr), intent(in) :: start
    integer, intent(in) :: lower(:), extent(:), step(:), set
    integer, intent(in), optional :: first(:), order(:)
    real(real32), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    real(real32), pointer :: q1(:), q2(:, :), q3(:, :, :), q4(:, :, :, :), q5(:, :, :, :, :)
    include 'bind_kind.inc'
  end subroutine bind_real32

  subroutine seen_real32(rank, field, gid, set, lower, upper, start)
    integer, intent(in) :: rank, set
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    integer, allocatable, intent(out) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: start
    real(real32), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    include 'seen_kind.inc'
  end subroutine seen_real32

  subroutine bind_real64(field, gid, start, lower, extent, step, first, order, set)
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    type(c_ptr), intent(in) :: start
    integer, intent(in) :: lower(:), extent(:), step(:), set
    integer, intent(in), optional :: first(:), order(:)
    real(real64), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    real(real64), pointer :: q1(:), q2(:, :), q3(:, :, :), q4(:, :, :, :), q5(:, :, :, :, :)
    include 'bind_kind.inc'
  end subroutine bind_real64

  subroutine seen_real64(rank, field, gid, set, lower, upper, start)
    integer, intent(in) :: rank, set
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    integer, allocatable, intent(out) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: start
    real(real64), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    include 'seen_kind.inc'
  end subroutine seen_real64

  subroutine bind_int8(field, gid, start, lower, extent, step, first, order, set)
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    type(c_ptr), intent(in) :: start
    integer, intent(in) :: lower(:), extent(:), step(:), set
    integer, intent(in), optional :: first(:), order(:)
    integer(int8), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    integer(int8), pointer :: q1(:), q2(:, :), q3(:, :, :), q4(:, :, :, :), q5(:, :, :, :, :)
    include 'bind_kind.inc'
  end subroutine bind_int8

  subroutine seen_int8(rank, field, gid, set, lower, upper, start)
    integer, intent(in) :: rank, set
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    integer, allocatable, intent(out) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: start
    integer(int8), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    include 'seen_kind.inc'
  end subroutine seen_int8

  subroutine bind_int16(field, gid, start, lower, extent, step, first, order, set)
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    type(c_ptr), intent(in) :: start
    integer, intent(in) :: lower(:), extent(:), step(:), set
    integer, intent(in), optional :: first(:), order(:)
    integer(int16), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    integer(int16), pointer :: q1(:), q2(:, :), q3(:, :, :), q4(:, :, :, :), q5(:, :, :, :, :)
    include 'bind_kind.inc'
  end subroutine bind_int16

  subroutine seen_int16(rank, field, gid, set, lower, upper, start)
    integer, intent(in) :: rank, set
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    integer, allocatable, intent(out) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: start
    integer(int16), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    include 'seen_kind.inc'
  end subroutine seen_int16

  subroutine bind_int32(field, gid, start, lower, extent, step, first, order, set)
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    type(c_ptr), intent(in) :: start
    integer, intent(in) :: lower(:), extent(:), step(:), set
    integer, intent(in), optional :: first(:), order(:)
    integer(int32), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    integer(int32), pointer :: q1(:), q2(:, :), q3(:, :, :), q4(:, :, :, :), q5(:, :, :, :, :)
    include 'bind_kind.inc'
  end subroutine bind_int32

  subroutine seen_int32(rank, field, gid, set, lower, upper, start)
    integer, intent(in) :: rank, set
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    integer, allocatable, intent(out) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: start
    integer(int32), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    include 'seen_kind.inc'
  end subroutine seen_int32

  subroutine bind_int64(field, gid, start, lower, extent, step, first, order, set)
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    type(c_ptr), intent(in) :: start
    integer, intent(in) :: lower(:), extent(:), step(:), set
    integer, intent(in), optional :: first(:), order(:)
    integer(int64), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    integer(int64), pointer :: q1(:), q2(:, :), q3(:, :, :), q4(:, :, :, :), q5(:, :, :, :, :)
    include 'bind_kind.inc'
  end subroutine bind_int64

  subroutine seen_int64(rank, field, gid, set, lower, upper, start)
    integer, intent(in) :: rank, set
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    integer, allocatable, intent(out) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: start
    integer(int64), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    include 'seen_kind.inc'
  end subroutine seen_int64

  subroutine bind_complex32(field, gid, start, lower, extent, step, first, order, set)
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    type(c_ptr), intent(in) :: start
    integer, intent(in) :: lower(:), extent(:), step(:), set
    integer, intent(in), optional :: first(:), order(:)
    complex(real32), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    complex(real32), pointer :: q1(:), q2(:, :), q3(:, :, :), q4(:, :, :, :), q5(:, :, :, :, :)
    include 'bind_kind.inc'
  end subroutine bind_complex32

  subroutine seen_complex32(rank, field, gid, set, lower, upper, start)
    integer, intent(in) :: rank, set
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    integer, allocatable, intent(out) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: start
    complex(real32), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    include 'seen_kind.inc'
  end subroutine seen_complex32

  subroutine bind_complex64(field, gid, start, lower, extent, step, first, order, set)
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    type(c_ptr), intent(in) :: start
    integer, intent(in) :: lower(:), extent(:), step(:), set
    integer, intent(in), optional :: first(:), order(:)
    complex(real64), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    complex(real64), pointer :: q1(:), q2(:, :), q3(:, :, :), q4(:, :, :, :), q5(:, :, :, :, :)
    include 'bind_kind.inc'
  end subroutine bind_complex64

  subroutine seen_complex64(rank, field, gid, set, lower, upper, start)
    integer, intent(in) :: rank, set
    type(halo_field), intent(in) :: field
    integer(int64), intent(in) :: gid
    integer, allocatable, intent(out) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: start
    complex(real64), pointer :: p1(:), p2(:, :), p3(:, :, :), p4(:, :, :, :), p5(:, :, :, :, :)
    include 'seen_kind.inc'
  end subroutine seen_complex64
end module kinds
