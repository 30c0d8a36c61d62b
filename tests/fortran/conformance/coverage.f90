! SPDX-License-Identifier: BSD-3-Clause
!> How many cases there were of each kind: none of a kind is a failure.
module coverage
  implicit none
  private
  public :: counts

  character(*), parameter :: kinds(*) = [character(28) :: &
    "blocks", "blocks in Morton order", "tiles", "boxes with holes", "boxes that overlap", "distributed boxes", &
    "cut by the library", "1-D", "2-D", "3-D", "open", "periodic", "periodic in some directions", "cells", "faces x", &
    "faces y", "edges z", "faces z", "edges y", "edges x", "nodes", "all faces", "all edges", "full stencil", &
    "faces alone", "faces and edges", "ghosts", "sums into owners", "sums on all copies", "sum", "min", "max", &
    "by the program", "shared points kept", "shared points too", "shared points alone", "edges within ranks", &
    "edges between ranks", "message per peer", "message per channel", "receives posted", "receives probed", "phases", &
    "start and finish", "start by mask", "unchanged sources", "masks", "depths", "ghost widths of a run", &
    "some components", "binding sets", "another operation in a run", "real32", "real64", "int8", "int16", "int32", &
    "int64", "complex32", "complex64", "arrays", "sections of arrays", "arrays in other orders", &
    "storage of the library", "arrays of rank 1", "arrays of rank 2", "arrays of rank 3", "arrays of rank 4", &
    "arrays of rank 5", "keys", "keys several times", "keys claimed", "graphs", "sums over keys", "edited keys", &
    "transfers", "transfers of sums", "transfers into ghosts", "sparse: listed arrivals", "sparse: arrivals called", &
    "sparse: arrivals declined", "sparse: null regions", "levels"]

  type :: counts
    integer, private :: n(size(kinds)) = 0
  contains
    procedure :: add, write_table
  end type counts

contains

  subroutine add(self, kind, when)
    class(counts), intent(inout) :: self
    character(*), intent(in) :: kind
    logical, intent(in), optional :: when
    integer :: i
    i = findloc(kinds, kind, dim=1)
    if (i == 0) error stop "no kind of case: " // kind
    if (present(when)) then
      if (.not. when) return
    end if
    self%n(i) = self%n(i) + 1
  end subroutine add

  subroutine write_table(self, n_ranks)
    class(counts), intent(in) :: self
    integer, intent(in) :: n_ranks
    integer :: i
    print "(3(a28,1x,i6,:,3x))", (kinds(i), self%n(i), i=1, size(kinds))
    do i = 1, size(kinds)
      if (self%n(i) == 0) print "(3a,i0,a)", "there is no case of: ", trim(kinds(i)), ", on ", n_ranks, " ranks"
    end do
    if (any(self%n == 0)) error stop "a kind has no case"
  end subroutine write_table
end module coverage
