! SPDX-License-Identifier: BSD-3-Clause
!> Three sweeps over 4 by 4 blocks of 6 by 6 cells, each of ghosts and then of a mean over 9 cells. A digest of each block is printed: the same
!> bits on any number of ranks, over any transport.
module blocks_of_cells
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  implicit none
  integer, parameter :: n = 6

  type :: block
    real(real64) :: u(0:n + 1, 0:n + 1) = 0 ! owned cells are 1 to n in both directions
  end type block

contains

  subroutine run()
    type(halo_context) :: context
    type(halo_topology) :: grid
    type(halo_field) :: field
    type(halo_exchange) :: ghosts
    type(block), allocatable, target :: blocks(:)
    integer(int64), pointer :: gids(:)
    integer :: b, x, y, round

    call context%create()
    call grid%create_blocks(context, halo_blocks_desc(n_dims=2, n_blocks=[4_int64, 4_int64, 1_int64], &
      n_cells=[6_int64, 6_int64, 1_int64], periodic=[1, 1, 0]))
    call field%create(grid, halo_field_desc(ghost_low=[1, 1, 0], ghost_high=[1, 1, 0]), name="u")
    call grid%local_parts(gids)
    allocate(blocks(size(gids)))
    do b = 1, size(blocks)
      do y = 1, n
        do x = 1, n
          blocks(b)%u(x, y) = 1 / real(1 + gids(b) * 100 + y * 10 + x, real64)
        end do
      end do
      call field%bind(gids(b), blocks(b)%u)
    end do

    call ghosts%create([field])
    do round = 1, 3
      call ghosts%start()
      call ghosts%finish()
      do b = 1, size(blocks)
        call sweep(blocks(b)%u)
      end do
    end do
    do b = 1, size(blocks)
      print "(a,i2.2,a,z16.16)", "block ", gids(b), ": ", digest(reshape(blocks(b)%u, [size(blocks(b)%u)]))
    end do
  end subroutine run

  subroutine sweep(u)
    real(real64), intent(inout) :: u(0:, 0:)
    real(real64) :: mean(n, n)
    integer :: x, y, i, j
    mean = 0
    do y = 1, n
      do x = 1, n
        do j = -1, 1
          do i = -1, 1
            mean(x, y) = mean(x, y) + u(x + i, y + j)
          end do
        end do
      end do
    end do
    u(1:n, 1:n) = mean / 9
  end subroutine sweep

  pure integer(int64) function digest(values)
    real(real64), intent(in) :: values(:)
    integer :: i
    digest = 0
    do i = 1, size(values)
      digest = ieor(ishftc(digest, 7), transfer(values(i), digest))
    end do
  end function digest
end module blocks_of_cells

program mean_of_cells
  use blocks_of_cells
  implicit none
  call run()
end program mean_of_cells
