! SPDX-License-Identifier: BSD-3-Clause
!> One program for every way to run it: alone, under an MPI launcher, or, by `--inproc N`, with its ranks as threads of one process.
module ranks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  implicit none

  abstract interface
    subroutine job_of_a_rank(context)
      import :: halo_context
      type(halo_context), intent(in) :: context
    end subroutine job_of_a_rank
  end interface

contains

  subroutine run_on_ranks(job)
    procedure(job_of_a_rank) :: job
    type(halo_inproc) :: group
    integer :: n, rank
    n = threads_wanted()
    if (n == 0) then
      call one()
      return
    end if
    call group%create(n)
    !$omp parallel do num_threads(n) schedule(static, 1)
    do rank = 0, n - 1
      call one_of(rank)
    end do
    !$omp end parallel do
    call group%destroy()
  contains
    subroutine one()
      type(halo_context) :: context
      call context%create()
      call job(context)
    end subroutine one
    subroutine one_of(rank)
      integer, intent(in) :: rank
      type(halo_context) :: context
      call context%create_inproc(group, rank)
      call job(context)
    end subroutine one_of
  end subroutine run_on_ranks

  function threads_wanted() result(n)
    integer :: n, status
    character(32) :: argument
    n = 0
    call get_command_argument(1, argument, status=status)
    if (status /= 0 .or. argument /= "--inproc") return
    call get_command_argument(2, argument)
    read (argument, *) n
  end function threads_wanted

  !> Adds one value of a place to a digest: the same whatever the order of the places.
  pure subroutine digest(sum, value, place)
    integer(int64), intent(inout) :: sum
    real(real64), intent(in) :: value
    integer(int64), intent(in) :: place
    sum = ieor(sum, ishftc(transfer(value, 0_int64), int(mod(place, 61_int64))))
  end subroutine digest
end module ranks
