! SPDX-License-Identifier: BSD-3-Clause
!> What a call from Fortran costs beside the same call of C, and what it costs to bind an array of rank 4.
program fortran_calls
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  use halo_c, only: c_halo_context_rank
  implicit none
  integer, parameter :: n = 1000000, n_rounds = 7
  real(real64) :: in_c, in_fortran, bound
  call measure(in_c, in_fortran, bound)
  print "(a,f7.1,a)", "a call of C:                 ", in_c, " ns"
  print "(a,f7.1,a)", "the same from Fortran:       ", in_fortran, " ns"
  print "(a,f7.1,a)", "more (at most 20 wanted):    ", in_fortran - in_c, " ns"
  print "(a,f7.1,a)", "bind rank 4 (at most 200):   ", bound, " ns"
contains

  !> The best of some rounds.
  subroutine measure(in_c, in_fortran, bound)
    real(real64), intent(out) :: in_c, in_fortran, bound
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: field
    real(real64), target :: u(0:5, 0:5, 0:5, 3)
    integer(c_int32_t) :: rank, n_ranks, status
    integer :: i, round
    integer(int64) :: start
    call context%create()
    call grid%create_blocks(context, halo_blocks_desc(n_cells=[4_int64, 4_int64, 4_int64]))
    call field%create(grid, halo_field_desc(n_components=3, ghost_low=[1, 1, 1], ghost_high=[1, 1, 1]))
    in_c = huge(in_c)
    in_fortran = huge(in_c)
    bound = huge(in_c)
    do round = 1, n_rounds
      call system_clock(start)
      do i = 1, n
        status = c_halo_context_rank(context%handle, rank, n_ranks)
      end do
      in_c = min(in_c, since(start))
      call system_clock(start)
      do i = 1, n
        call context%rank(rank, n_ranks)
      end do
      in_fortran = min(in_fortran, since(start))
      call system_clock(start)
      do i = 1, n
        call field%bind(0_int64, u)
      end do
      bound = min(bound, since(start))
    end do
    if (status /= HALO_SUCCESS) error stop "the context has no rank"
  end subroutine measure

  !> Nanoseconds for each of n calls.
  function since(start) result(nanoseconds)
    integer(int64), intent(in) :: start
    real(real64) :: nanoseconds
    integer(int64) :: now, rate
    call system_clock(now, rate)
    nanoseconds = 1e9_real64 * real(now - start, real64) / real(rate, real64) / n
  end function since
end program fortran_calls
