! SPDX-License-Identifier: BSD-3-Clause
!> One program for every way to run it: alone, under an MPI launcher, or, by `--inproc N`, with its ranks as threads of one process.
!> `--write FILE` asks for the result as a table, which draw.py draws.
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

  !> The argument that follows `--write`, or nothing.
  function table_wanted() result(file)
    character(:), allocatable :: file
    character(1024) :: argument
    integer :: i
    file = ""
    do i = 1, command_argument_count() - 1
      call get_command_argument(i, argument)
      if (argument /= "--write") cycle
      call get_command_argument(i + 1, argument)
      file = trim(argument)
    end do
  end function table_wanted

  !> Rows of numbers, each of which one rank has, and all others have as 0.
  subroutine write_table(context, heading, numbers)
    type(halo_context), intent(in) :: context
    character(*), intent(in) :: heading
    real(real64), intent(in) :: numbers(:, :)
    real(real64) :: of_all(size(numbers))
    integer :: rank, n_ranks, first, unit
    if (table_wanted() == "") return
    of_all = reshape(numbers, [size(numbers)])
    call context%allreduce(of_all, HALO_SUM)
    call context%rank(rank, n_ranks)
    if (rank > 0) return
    open(newunit=unit, file=table_wanted(), action="write", status="replace")
    write (unit, "(a)") heading
    do first = 1, size(of_all), size(numbers, 1)
      write (unit, "(*(g0,:,','))") of_all(first:first + size(numbers, 1) - 1)
    end do
    close(unit)
  end subroutine write_table

  !> Adds one value of a place to a digest: the same whatever the order of the places.
  pure subroutine digest(sum, value, place)
    integer(int64), intent(inout) :: sum
    real(real64), intent(in) :: value
    integer(int64), intent(in) :: place
    sum = ieor(sum, ishftc(transfer(value, 0_int64), int(mod(place, 61_int64))))
  end subroutine digest
end module ranks
