! SPDX-License-Identifier: BSD-3-Clause
module blocks_of_a_grid
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  implicit none
  integer, parameter :: n = 8, ghosts = 2
  integer(int64), parameter :: n_all = 4 * n

  type :: block
    integer(int64) :: low(2)
    real(real64), allocatable :: u(:, :) ! owned cells are 1 to n in both directions
  end type block

contains

  subroutine run(n_wrong)
    integer, intent(out) :: n_wrong
    type(halo_context) :: context ! handles are destroyed when they leave their scope, in the right order
    type(halo_topology) :: grid
    type(halo_field) :: field
    type(halo_exchange) :: exchange
    type(halo_part) :: part
    type(block), allocatable, target :: blocks(:)
    integer(int64), pointer :: gids(:) ! this rank's blocks
    integer :: b

    call context%create() ! MPI_Init, if you call it, comes before; a communicator may be the argument
    call grid%create_blocks(context, halo_blocks_desc(n_dims=2, n_blocks=[4_int64, 4_int64, 1_int64], &
      n_cells=[8_int64, 8_int64, 1_int64], periodic=[1, 1, 0]))
    call field%create(grid, halo_field_desc(ghost_low=[ghosts, ghosts, 0], ghost_high=[ghosts, ghosts, 0]), name="u")

    call grid%local_parts(gids)
    allocate(blocks(size(gids)))
    n_wrong = 0
    do b = 1, size(blocks)
      call grid%part(gids(b), part)
      blocks(b)%low = part%cells%low(:2)
      allocate(blocks(b)%u(1 - ghosts:n + ghosts, 1 - ghosts:n + ghosts))
      call visit(blocks(b), 1, n, .true., n_wrong)
      call field%bind(gids(b), blocks(b)%u) ! strides and ghosts from the array's bounds
    end do

    call exchange%create([field])
    call exchange%start()
    ! ... cells that need no ghosts ...
    call exchange%finish()

    n_wrong = 0
    do b = 1, size(blocks)
      call visit(blocks(b), 1 - ghosts, n + ghosts, .false., n_wrong)
    end do
    call context%allreduce(n_wrong, HALO_SUM)
  end subroutine run

  !> Sets cells, or counts those that are wrong.
  subroutine visit(one, first, last, set, n_wrong)
    type(block), intent(inout) :: one
    integer, intent(in) :: first, last
    logical, intent(in) :: set
    integer, intent(inout) :: n_wrong
    real(real64) :: value
    integer :: i, j
    do j = first, last
      do i = first, last
        value = real(modulo(one%low(1) + i - 1, n_all) + 1000 * modulo(one%low(2) + j - 1, n_all), real64)
        if (set) one%u(i, j) = value
        if (abs(one%u(i, j) - value) > 0) n_wrong = n_wrong + 1
      end do
    end do
  end subroutine visit
end module blocks_of_a_grid

program uniform
  use blocks_of_a_grid
  implicit none
  integer :: n_wrong
  call run(n_wrong)
  print "(i0,a)", n_wrong, " wrong"
  if (n_wrong > 0) error stop
end program uniform
