! SPDX-License-Identifier: BSD-3-Clause
!> Contexts over communicators, as integers and as those of mpi_f08.
program communicators
  use mpi_f08
  use halo
  implicit none
  type(MPI_Comm) :: half
  integer :: rank, n_ranks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half)
  call over_types()
  call over_numbers()
  call MPI_Comm_free(half)
  call MPI_Finalize()
contains

  subroutine over_types()
    type(halo_context) :: world, part
    call world%create(MPI_COMM_WORLD)
    call part%create(half)
    call expect(world, rank, n_ranks)
    call expect(part, merge(n_ranks - 1, n_ranks - 2, mod(n_ranks - 1 - rank, 2) == 0) / 2 - rank / 2, &
      n_ranks / 2 + merge(mod(n_ranks, 2), 0, mod(rank, 2) == 0))
  end subroutine over_types

  subroutine over_numbers()
    type(halo_context) :: world
    type(halo_context_options) :: options
    call world%create(MPI_COMM_WORLD%MPI_VAL, options)
    call expect(world, rank, n_ranks)
  end subroutine over_numbers

  subroutine expect(context, wanted_rank, wanted_n)
    type(halo_context), intent(in) :: context
    integer, intent(in) :: wanted_rank, wanted_n
    integer :: its_rank, its_n
    call context%barrier()
    call context%rank(its_rank, its_n)
    print "(4(i0,1x))", its_rank, wanted_rank, its_n, wanted_n
    if (its_rank /= wanted_rank .or. its_n /= wanted_n) error stop "another rank, or another number of ranks"
  end subroutine expect
end program communicators
