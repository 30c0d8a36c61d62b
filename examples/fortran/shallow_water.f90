! SPDX-License-Identifier: BSD-3-Clause
!> Shallow water with rotation and two tracers on uniform blocks: depth and tracers in cells, velocities on faces. One exchange has
!> all fields; each run takes those that the next loop needs, as deep as it needs them.
module shallow_water
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  use ranks, only: digest, write_table
  implicit none
  private
  public :: solve

  integer, parameter :: n = 12, n_blocks = 4, ghosts = 2, n_tracers = 2, n_steps = 40
  real(real64), parameter :: gravity = 1, rotation = 0.5_real64, dx = 1.0_real64 / (n * n_blocks), dt = 0.25_real64 * dx

  !> One block: owned cells are 1 to n; face i lies below cell i, so there are n + 1.
  type :: block
    integer(int64) :: low(2)
    real(real64), pointer :: h(:, :), u(:, :), v(:, :), q(:, :, :)
  end type block

contains

  subroutine solve(context)
    type(halo_context), intent(in) :: context
    type(halo_topology) :: grid
    type(halo_field) :: h, u, v, q
    type(halo_exchange) :: exchange
    type(block), allocatable :: blocks(:)
    integer :: step, b
    call grid%create_blocks(context, halo_blocks_desc(n_dims=2, periodic=[1, 1, 0], &
      n_blocks=int([n_blocks, n_blocks, 1], int64), n_cells=int([n, n, 1], int64)))
    call field("depth", HALO_CENTRE_CELL, 1, h)
    call field("velocity in x", HALO_CENTRE_FACE_X, 1, u)
    call field("velocity in y", HALO_CENTRE_FACE_Y, 1, v)
    call field("tracers", HALO_CENTRE_CELL, n_tracers, q)
    call exchange%create([h, u, v, q])
    call find_blocks(grid, h, u, v, q, blocks)
    do b = 1, size(blocks)
      call begin(blocks(b))
    end do

    do step = 1, n_steps
      call exchange%start([.true., .true., .true., .false.], depth=1)
      call exchange%finish()
      do b = 1, size(blocks)
        call accelerate(blocks(b))
      end do
      call exchange%start([.false., .false., .false., .true.]) ! tracers, two layers: on their way while depths change
      do b = 1, size(blocks)
        call move_water(blocks(b))
      end do
      call exchange%finish()
      do b = 1, size(blocks)
        call move_tracers(blocks(b))
      end do
    end do
    call report(context, blocks)
    call write_cells(context, blocks)
  contains
    subroutine field(name, centring, n_components, made)
      character(*), intent(in) :: name
      integer, intent(in) :: centring, n_components
      type(halo_field), intent(inout) :: made
      type(halo_field_desc) :: desc
      desc%centring = centring
      desc%n_components = n_components
      desc%ghost_low(:2) = ghosts
      desc%ghost_high(:2) = ghosts
      call made%create(grid, desc, name)
      call made%allocate(-1_int64)
    end subroutine field
  end subroutine solve

  subroutine find_blocks(grid, h, u, v, q, blocks)
    type(halo_topology), intent(in) :: grid
    type(halo_field), intent(in) :: h, u, v, q
    type(block), allocatable, intent(out) :: blocks(:)
    integer(int64), pointer :: gids(:)
    type(halo_part) :: part
    integer :: b
    call grid%local_parts(gids)
    allocate(blocks(size(gids)))
    do b = 1, size(gids)
      call grid%part(gids(b), part)
      blocks(b)%low = part%cells%low(:2)
      call h%data(gids(b), blocks(b)%h)
      call u%data(gids(b), blocks(b)%u)
      call v%data(gids(b), blocks(b)%v)
      call q%data(gids(b), blocks(b)%q)
    end do
  end subroutine find_blocks

  subroutine begin(one)
    type(block), intent(inout) :: one
    integer :: i, j
    real(real64) :: x, y
    one%u = 0
    one%v = 0
    do j = 1, n
      do i = 1, n
        x = (one%low(1) + i - 0.5_real64) * dx - 0.5_real64
        y = (one%low(2) + j - 0.5_real64) * dx - 0.5_real64
        one%h(i, j) = 1 + 0.2_real64 / (1 + 40 * (x**2 + y**2))
        one%q(i, j, 1) = merge(1, 0, abs(x) < 0.2_real64)
        one%q(i, j, 2) = 1 - abs(y)
      end do
    end do
  end subroutine begin

  !> Faces on a border are computed by both blocks, with the same bits. Needs one layer of depth and of velocities.
  subroutine accelerate(one)
    type(block), intent(inout) :: one
    real(real64) :: old_u(0:n + 2, 0:n + 1)
    real(real64) :: across
    integer :: i, j
    old_u = one%u(0:n + 2, 0:n + 1)
    do j = 1, n
      do i = 1, n + 1
        across = one%v(i - 1, j) + one%v(i, j) + one%v(i - 1, j + 1) + one%v(i, j + 1)
        one%u(i, j) = one%u(i, j) + dt * (rotation * across / 4 - gravity * (one%h(i, j) - one%h(i - 1, j)) / dx)
      end do
    end do
    do j = 1, n + 1
      do i = 1, n
        across = old_u(i, j - 1) + old_u(i + 1, j - 1) + old_u(i, j) + old_u(i + 1, j)
        one%v(i, j) = one%v(i, j) - dt * (rotation * across / 4 + gravity * (one%h(i, j) - one%h(i, j - 1)) / dx)
      end do
    end do
  end subroutine accelerate

  subroutine move_water(one)
    type(block), intent(inout) :: one
    real(real64) :: flux_x(n + 1, n), flux_y(n, n + 1)
    flux_x = one%u(1:n + 1, 1:n) * (one%h(0:n, 1:n) + one%h(1:n + 1, 1:n)) / 2
    flux_y = one%v(1:n, 1:n + 1) * (one%h(1:n, 0:n) + one%h(1:n, 1:n + 1)) / 2
    one%h(1:n, 1:n) = one%h(1:n, 1:n) - dt / dx * (flux_x(2:, :) - flux_x(:n, :) + flux_y(:, 2:) - flux_y(:, :n))
  end subroutine move_water

  !> Upwind with limited slopes: two layers.
  subroutine move_tracers(one)
    type(block), intent(inout) :: one
    real(real64) :: flux_x(n + 1, n), flux_y(n, n + 1)
    integer :: i, j, t
    do t = 1, n_tracers
      do j = 1, n
        do i = 1, n + 1
          flux_x(i, j) = upwind(one%u(i, j), one%q(i - 2:i + 1, j, t))
        end do
      end do
      do j = 1, n + 1
        do i = 1, n
          flux_y(i, j) = upwind(one%v(i, j), one%q(i, j - 2:j + 1, t))
        end do
      end do
      one%q(1:n, 1:n, t) = one%q(1:n, 1:n, t) - dt / dx * (flux_x(2:, :) - flux_x(:n, :) + flux_y(:, 2:) - flux_y(:, :n))
    end do
  end subroutine move_tracers

  !> Flux through a face with two cells on each side.
  pure function upwind(velocity, cells) result(flux)
    real(real64), intent(in) :: velocity, cells(4)
    real(real64) :: flux
    if (velocity > 0) then
      flux = velocity * (cells(2) + slope(cells(2) - cells(1), cells(3) - cells(2)) / 2)
    else
      flux = velocity * (cells(3) - slope(cells(3) - cells(2), cells(4) - cells(3)) / 2)
    end if
  end function upwind

  pure function slope(below, above)
    real(real64), intent(in) :: below, above
    real(real64) :: slope
    slope = merge(sign(min(abs(below), abs(above)), below), 0.0_real64, below * above > 0)
  end function slope

  subroutine write_cells(context, blocks)
    type(halo_context), intent(in) :: context
    type(block), intent(in) :: blocks(:)
    real(real64) :: cells(5, n * n_blocks, n * n_blocks)
    integer :: b, i, j, x, y
    cells = 0
    do b = 1, size(blocks)
      associate (one => blocks(b))
        do j = 1, n
          do i = 1, n
            x = int(one%low(1)) + i
            y = int(one%low(2)) + j
            cells(:, x, y) = [(x - 0.5_real64) * dx, (y - 0.5_real64) * dx, one%h(i, j), one%q(i, j, :)]
          end do
        end do
      end associate
    end do
    call write_table(context, "x,y,depth,first_tracer,second_tracer", reshape(cells, [5, size(cells) / 5]))
  end subroutine write_cells

  subroutine report(context, blocks)
    type(halo_context), intent(in) :: context
    type(block), intent(in) :: blocks(:)
    integer(int64) :: sum, place
    integer :: rank, n_ranks
    real(real64) :: highest
    integer :: b, i, j
    sum = 0
    highest = 0
    do b = 1, size(blocks)
      associate (one => blocks(b))
        highest = max(highest, maxval(one%h(1:n, 1:n)))
        do j = 1, n
          do i = 1, n
            place = one%low(1) + i + n * n_blocks * (one%low(2) + j)
            call digest(sum, one%h(i, j), place)
            call digest(sum, one%u(i, j), 2 * place)
            call digest(sum, one%v(i, j), 3 * place)
            call digest(sum, one%q(i, j, 1), 5 * place)
            call digest(sum, one%q(i, j, 2), 7 * place)
          end do
        end do
      end associate
    end do
    call context%allreduce(sum, HALO_BXOR)
    call context%allreduce(highest, HALO_MAX)
    call context%rank(rank, n_ranks)
    if (rank == 0) print "(a,f18.15,a,z16.16)", "  result: greatest depth ", highest, ", digest ", sum
    if (.not. (highest > 1 .and. highest < 1.3_real64)) error stop "the water is not where it should be"
  end subroutine report
end module shallow_water

program main
  use ranks
  use shallow_water
  implicit none
  call run_on_ranks(solve)
end program main
