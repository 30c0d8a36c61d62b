! SPDX-License-Identifier: BSD-3-Clause
!> Numbers that are the same on all ranks: a generator of Marsaglia's, by shifts alone, so that nothing overflows.
module chance
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: dice, mixed

  type :: dice
    integer(int64), private :: state = 1
  contains
    procedure :: begin, pick, percent, shuffled
  end type dice

contains

  pure function mixed(bits) result(other)
    integer(int64), intent(in) :: bits
    integer(int64) :: other
    other = ieor(bits, ishft(bits, 13))
    other = ieor(other, ishft(other, -7))
    other = ieor(other, ishft(other, 17))
  end function mixed

  subroutine begin(self, seed, number)
    class(dice), intent(out) :: self
    integer(int64), intent(in) :: seed
    integer, intent(in) :: number
    integer :: i
    self%state = ieor(ishftc(seed, 21), ishft(int(number, int64) + 1, 7))
    if (self%state == 0) self%state = 1
    do i = 1, 16
      self%state = mixed(self%state)
    end do
  end subroutine begin

  !> Both bounds may come.
  integer function pick(self, low, high)
    class(dice), intent(inout) :: self
    integer, intent(in) :: low, high
    self%state = mixed(self%state)
    pick = low + int(modulo(ishft(self%state, -16), int(high - low + 1, int64)))
  end function pick

  logical function percent(self, probability)
    class(dice), intent(inout) :: self
    integer, intent(in) :: probability
    percent = self%pick(1, 100) <= probability
  end function percent

  !> 1 to n in some order.
  function shuffled(self, n) result(order)
    class(dice), intent(inout) :: self
    integer, intent(in) :: n
    integer :: order(n), i, other, kept
    order = [(i, i=1, n)]
    do i = n, 2, -1
      other = self%pick(1, i)
      kept = order(i)
      order(i) = order(other)
      order(other) = kept
    end do
  end function shuffled
end module chance
