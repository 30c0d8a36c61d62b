! SPDX-License-Identifier: BSD-3-Clause
!> The conformance cases through the binding alone, under whatever starts the ranks. FORTRAN_CASES is the number of cases of each
!> file, FORTRAN_SEED another seed, FORTRAN_ONLY one case of each file.
module conformance_job
  use, intrinsic :: iso_fortran_env, only: int64
  use halo
  use coverage
  use box_cases
  use level_cases
  use point_cases
  use sparse_cases
  use transfer_cases
  implicit none
contains

  subroutine all_cases(context)
    type(halo_context), intent(in) :: context
    type(counts) :: counted
    integer(int64) :: seed
    integer :: number, first, last, rank, n_ranks
    seed = number_from("FORTRAN_SEED", 20261127)
    first = number_from("FORTRAN_ONLY", -1)
    last = first
    if (first < 0) last = number_from("FORTRAN_CASES", 189) - 1
    do number = max(first, 0), last
      call run_box_case(context, seed, number, counted)
      call run_point_case(context, seed, number, counted)
      call run_transfer_case(context, seed, number, counted)
      call run_sparse_case(context, seed, number, counted)
      call run_level_case(context, seed, number, counted)
    end do
    call context%rank(rank, n_ranks)
    if (first >= 0 .or. rank > 0) return
    print "(i0,a,i0,a,i0)", last + 1, " cases of each file over ", n_ranks, " ranks, seed ", seed
    call counted%write_table(n_ranks)
  end subroutine all_cases

  integer function number_from(name, otherwise) result(number)
    character(*), intent(in) :: name
    integer, intent(in) :: otherwise
    character(20) :: text
    integer :: status
    call get_environment_variable(name, text, status=status)
    number = otherwise
    if (status == 0) read (text, *) number
  end function number_from
end module conformance_job

program conformance
  use ranks
  use conformance_job
  implicit none
  call run_on_ranks(all_cases)
end program conformance
