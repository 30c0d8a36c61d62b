! SPDX-License-Identifier: BSD-3-Clause
!> Poisson's equation by linear elements on a mesh of distorted triangles. Ranks know their nodes, and neighbours, by key; libhalo
!> finds out whose the neighbours are. Every sum is made in an order of its own, or exactly, so the result has the same bits on any
!> number of ranks.
module conjugate_gradients
  use, intrinsic :: iso_c_binding, only: c_loc, c_int32_t
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halo
  use ranks, only: digest, write_table
  implicit none
  private
  public :: solve

  integer, parameter :: side = 40 !< cells of the square in a direction; nodes inside: (side - 1)**2
  integer, parameter :: around(2, 6) = reshape([1, 0, 1, 1, 0, 1, -1, 0, -1, -1, 0, -1], [2, 6]) !< neighbours, counterclockwise
  real(real64), parameter :: tolerance = 1e-8_real64

  !> Rows of the nodes that a rank owns, with columns by local index.
  type :: matrix
    integer(int64) :: first, n_owned, n_points
    integer(int64), allocatable :: begins(:)
    integer(c_int32_t), allocatable :: columns(:)
    real(real64), allocatable :: values(:), diagonal(:), load(:)
  end type matrix

contains

  subroutine solve(context)
    type(halo_context), intent(in) :: context
    type(halo_topology) :: nodes
    type(halo_field) :: direction
    type(halo_exchange) :: ghosts
    type(matrix) :: a
    real(real64), allocatable, target :: p(:)
    real(real64), allocatable :: x(:), r(:), ap(:)
    real(real64) :: rr, rr_first, rr_old, alpha
    integer :: iteration, rank, n_ranks
    integer(int64) :: last
    call context%rank(rank, n_ranks)
    call make(context, rank, n_ranks, nodes, a)
    last = a%n_owned - 1
    allocate(p(0:a%n_points - 1), x(0:last), ap(0:last))
    call direction%create(nodes, halo_field_desc(), "direction")
    call direction%bind(int(rank, int64), p, first=[0]) ! every rank is one part; local indices begin at 0
    call ghosts%create([direction])
    x = 0
    p = 0
    allocate(r(0:last), source=a%load)
    p(:last) = r
    rr = dot(context, r, r)
    rr_first = rr
    do iteration = 1, 1000
      call ghosts%start()
      call ghosts%finish()
      call multiply(a, p, ap)
      alpha = rr / dot(context, p(:last), ap)
      x = x + alpha * p(:last)
      r = r - alpha * ap
      rr_old = rr
      rr = dot(context, r, r)
      if (rr <= tolerance**2 * rr_first) exit
      p(:last) = r + rr / rr_old * p(:last)
    end do
    call report(context, a, x, iteration, rank)
    call write_nodes(context, a, x, rank)
  end subroutine solve

  !> This rank's nodes are a run of all; keys may be any numbers.
  subroutine make(context, rank, n_ranks, nodes, a)
    type(halo_context), intent(in) :: context
    integer, intent(in) :: rank, n_ranks
    type(halo_topology), intent(inout) :: nodes
    type(matrix), intent(out) :: a
    integer(int64), parameter :: n_nodes = (side - 1)**2
    integer(int64), allocatable, target :: keys(:)
    integer(c_int32_t), allocatable :: indices(:)
    type(halo_keys_desc) :: desc
    type(halo_keys_report) :: report
    integer(int64) :: i, n_entries
    integer :: k, at(2), next(2)
    real(real64) :: weights(6)
    a%first = n_nodes * rank / n_ranks
    a%n_owned = n_nodes * (rank + 1) / n_ranks - a%first
    allocate(a%begins(0:a%n_owned), a%diagonal(0:a%n_owned - 1), a%load(0:a%n_owned - 1))
    allocate(a%values(6 * a%n_owned), keys(7 * a%n_owned))
    n_entries = 0
    do i = 0, a%n_owned - 1
      keys(i + 1) = key(place(a%first + i))
      at = place(a%first + i)
      call row(at, a%diagonal(i), weights, a%load(i))
      a%begins(i) = n_entries
      do k = 1, 6
        next = at + around(:, k)
        if (any(next <= 0 .or. next >= side)) cycle ! the value is 0 on the boundary
        n_entries = n_entries + 1
        a%values(n_entries) = weights(k)
        keys(a%n_owned + n_entries) = key(next)
      end do
    end do
    a%begins(a%n_owned) = n_entries
    desc%n_mine = a%n_owned ! the first keys are this rank's nodes, the others are wanted
    desc%n_keys = a%n_owned + n_entries
    if (desc%n_keys > 0) desc%keys = c_loc(keys)
    call nodes%create_keys(context, desc)
    call nodes%keys_report(report)
    call nodes%local_indices(indices)
    a%n_points = report%n_points
    a%columns = indices(a%n_owned + 1:)
  end subroutine make

  pure function place(node) result(at)
    integer(int64), intent(in) :: node
    integer :: at(2)
    at = int([1 + mod(node, side - 1_int64), 1 + node / (side - 1)])
  end function place

  pure function key(at)
    integer, intent(in) :: at(2)
    integer(int64) :: key
    key = 1000003_int64 * (at(1) + 65536_int64 * at(2))
  end function key

  pure function position(at) result(x)
    integer, intent(in) :: at(2)
    real(real64) :: x(2)
    x = real(at, real64) / side
    if (any(at <= 0 .or. at >= side)) return
    x = x + 0.25_real64 / side * sin([1.7_real64, 2.3_real64] * at(1) + [3.1_real64, 0.9_real64] * at(2))
  end function position

  !> From the six triangles around a node.
  pure subroutine row(at, diagonal, weights, load)
    integer, intent(in) :: at(2)
    real(real64), intent(out) :: diagonal, weights(6), load
    real(real64) :: x(2, 6), to_b(2), to_c(2), b_to_c(2), area
    integer :: k, next
    do k = 1, 6
      x(:, k) = position(at + around(:, k)) - position(at)
    end do
    diagonal = 0
    weights = 0
    load = 0
    do k = 1, 6
      next = 1 + mod(k, 6)
      to_b = x(:, k)
      to_c = x(:, next)
      b_to_c = to_c - to_b
      area = (to_b(1) * to_c(2) - to_b(2) * to_c(1)) / 2
      diagonal = diagonal + dot_product(b_to_c, b_to_c) / (4 * area)
      weights(k) = weights(k) - dot_product(b_to_c, to_c) / (4 * area)
      weights(next) = weights(next) + dot_product(b_to_c, to_b) / (4 * area)
      load = load + area / 3
    end do
  end subroutine row

  subroutine multiply(a, p, ap)
    type(matrix), intent(in) :: a
    real(real64), intent(in) :: p(0:)
    real(real64), intent(out) :: ap(0:)
    integer(int64) :: i, k
    do i = 0, a%n_owned - 1
      ap(i) = a%diagonal(i) * p(i)
      do k = a%begins(i) + 1, a%begins(i + 1)
        ap(i) = ap(i) + a%values(k) * p(a%columns(k))
      end do
    end do
  end subroutine multiply

  !> In integers of a common scale, whose sum depends on no order.
  function dot(context, x, y) result(sum_of_products)
    type(halo_context), intent(in) :: context
    real(real64), intent(in) :: x(:), y(:)
    real(real64) :: sum_of_products, greatest
    integer(int64) :: total
    integer :: shift
    greatest = 0
    if (size(x) > 0) greatest = maxval(abs(x * y))
    call context%allreduce(greatest, HALO_MAX)
    shift = 50 - exponent(greatest)
    total = sum(nint(scale(x * y, shift), int64))
    call context%allreduce(total, HALO_SUM)
    sum_of_products = scale(real(total, real64), -shift)
  end function dot

  subroutine write_nodes(context, a, x, rank)
    type(halo_context), intent(in) :: context
    type(matrix), intent(in) :: a
    real(real64), intent(in) :: x(0:)
    integer, intent(in) :: rank
    real(real64) :: nodes(4, 0:(side - 1)**2 - 1)
    integer(int64) :: i
    nodes = 0
    do i = 0, a%n_owned - 1
      nodes(:, a%first + i) = [position(place(a%first + i)), x(i), real(rank, real64)]
    end do
    call write_table(context, "x,y,value,rank", nodes)
  end subroutine write_nodes

  subroutine report(context, a, x, iterations, rank)
    type(halo_context), intent(in) :: context
    type(matrix), intent(in) :: a
    real(real64), intent(in) :: x(0:)
    integer, intent(in) :: iterations, rank
    real(real64) :: greatest
    integer(int64) :: bits, i
    bits = 0
    greatest = 0
    do i = 0, a%n_owned - 1
      greatest = max(greatest, x(i))
      call digest(bits, x(i), a%first + i)
    end do
    call context%allreduce(bits, HALO_BXOR)
    call context%allreduce(greatest, HALO_MAX)
    if (rank == 0) print "(a,i0,a,f18.15,a,z16.16)", "  result: ", iterations, " iterations, greatest value ", greatest, &
      ", digest ", bits
    if (abs(greatest - 0.07367_real64) > 2e-4_real64) error stop "this is not the solution" ! of -laplace(u) = 1 on the unit square
  end subroutine report
end module conjugate_gradients

program main
  use ranks
  use conjugate_gradients
  implicit none
  call run_on_ranks(solve)
end program main
