! SPDX-License-Identifier: BSD-3-Clause
!> What all handles have in common: they own an object of the library and destroy it, in whatever order they end.
module halo_handles
  use, intrinsic :: iso_c_binding
  use halo_types
  implicit none
  private
  public :: halo_handle, new_home, home_of, conclude, refused, error_text, c_text, address, some

  abstract interface
    function destroy_function(handle) result(status) bind(c)
      import :: c_ptr, c_int32_t
      type(c_ptr), intent(inout) :: handle
      integer(c_int32_t) :: status
    end function destroy_function
  end interface

  type :: ending
    type(c_ptr) :: handle
    procedure(destroy_function), pointer, nopass :: destroy => null()
  end type ending

  !> What is owned of one context. Variables end in an order that is the compiler's: what others still use is destroyed after them.
  type :: halo_home
    integer :: n_owned = 0
    logical :: gone = .false.
    integer :: n_postponed = 0
    type(ending), allocatable :: postponed(:)
  end type halo_home

  !> A handle. A copy (by assignment) stands for the same object, and does not own it.
  type :: halo_handle
    type(c_ptr) :: handle = c_null_ptr !< as C knows it
    type(c_ptr) :: parent = c_null_ptr !< of a field: its topology
    type(halo_home), pointer :: home => null()
    procedure(destroy_function), pointer, nopass, private :: destroy_it => null()
  contains
    procedure :: adopt, borrow, owns, ended, all_gone
    procedure, private :: copy
    generic :: assignment(=) => copy
    final :: finish
  end type halo_handle

  interface
    function c_strlen(text) result(length) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
    function c_status_name(status) result(text) bind(c, name="halo_status_name")
      import :: c_ptr, c_int32_t
      integer(c_int32_t), value :: status
      type(c_ptr) :: text
    end function c_status_name
    function c_last_error() result(text) bind(c, name="halo_last_error")
      import :: c_ptr
      type(c_ptr) :: text
    end function c_last_error
  end interface

  integer(c_int64_t), target :: nothing = 0

contains

  function new_home() result(home)
    type(halo_home), pointer :: home
    allocate(home)
    allocate(home%postponed(4))
  end function new_home

  !> That of the first of a list that has one.
  function home_of(list) result(home)
    class(halo_handle), intent(in) :: list(:)
    type(halo_home), pointer :: home
    integer :: i
    home => null()
    do i = 1, size(list)
      if (associated(list(i)%home)) home => list(i)%home
      if (associated(home)) return
    end do
  end function home_of

  pure function owns(self)
    class(halo_handle), intent(in) :: self
    logical :: owns
    owns = associated(self%destroy_it)
  end function owns

  !> Own a new object. What the variable has owned is destroyed.
  subroutine adopt(self, handle, destroy, home)
    class(halo_handle), intent(inout) :: self
    type(c_ptr), intent(in) :: handle
    procedure(destroy_function) :: destroy
    type(halo_home), pointer, intent(in) :: home
    call let_go(self)
    self%handle = handle
    self%destroy_it => destroy
    self%home => home
    if (associated(home)) home%n_owned = home%n_owned + 1
  end subroutine adopt

  !> Stand for an object that others destroy.
  subroutine borrow(self, handle, home)
    class(halo_handle), intent(inout) :: self
    type(c_ptr), intent(in) :: handle
    type(halo_home), pointer, intent(in) :: home
    call let_go(self)
    self%handle = handle
    self%home => home
  end subroutine borrow

  subroutine copy(self, from)
    class(halo_handle), intent(inout) :: self
    class(halo_handle), intent(in) :: from
    if (c_associated(self%handle, from%handle)) return
    call borrow(self, from%handle, from%home)
    self%parent = from%parent
  end subroutine copy

  !> The object has been destroyed.
  subroutine ended(self)
    class(halo_handle), intent(inout) :: self
    if (.not. associated(self%destroy_it)) return ! NULL was destroyed
    self%handle = c_null_ptr
    self%destroy_it => null()
    call one_less(self%home)
  end subroutine ended

  !> The context has been destroyed with all that was made from it.
  subroutine all_gone(self)
    class(halo_handle), intent(inout) :: self
    if (associated(self%home)) self%home%gone = .true.
    call ended(self)
  end subroutine all_gone

  impure elemental subroutine finish(self)
    type(halo_handle), intent(inout) :: self
    call let_go(self)
  end subroutine finish

  subroutine let_go(self)
    class(halo_handle), intent(inout) :: self
    type(ending) :: last
    integer(c_int32_t) :: status
    logical :: there
    if (.not. associated(self%destroy_it)) return
    there = .true.
    if (associated(self%home)) there = .not. self%home%gone
    if (there) then
      last%destroy => self%destroy_it
      last%handle = self%handle
      status = last%destroy(last%handle)
      if (status == HALO_BUSY .and. associated(self%home)) then
        call postpone(self%home, last)
        self%handle = c_null_ptr
        self%destroy_it => null()
        self%home => null()
        return
      end if
    end if
    call ended(self)
  end subroutine let_go

  subroutine postpone(home, last)
    type(halo_home), intent(inout) :: home
    type(ending), intent(in) :: last
    type(ending), allocatable :: longer(:)
    if (home%n_postponed == size(home%postponed)) then
      allocate(longer(2 * home%n_postponed))
      longer(:home%n_postponed) = home%postponed
      call move_alloc(longer, home%postponed)
    end if
    home%n_postponed = home%n_postponed + 1
    home%postponed(home%n_postponed) = last
  end subroutine postpone

  !> Something is no longer used: what waited for that can perhaps be destroyed.
  subroutine one_less(home)
    type(halo_home), pointer, intent(inout) :: home
    integer :: i
    logical :: again
    if (.not. associated(home)) return
    home%n_owned = home%n_owned - 1
    again = .true.
    do while (again)
      again = .false.
      do i = 1, home%n_postponed
        if (.not. home%gone) then
          if (home%postponed(i)%destroy(home%postponed(i)%handle) == HALO_BUSY) cycle
        end if
        home%postponed(i) = home%postponed(home%n_postponed)
        home%n_postponed = home%n_postponed - 1
        home%n_owned = home%n_owned - 1
        again = .true.
        exit
      end do
    end do
    if (home%n_owned == 0) deallocate(home)
    home => null()
  end subroutine one_less

  function c_text(start) result(text)
    type(c_ptr), intent(in) :: start
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer(c_size_t) :: i, length
    if (.not. c_associated(start)) then
      text = ""
      return
    end if
    length = c_strlen(start)
    call c_f_pointer(start, letters, [length])
    allocate(character(length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function c_text

  ! Texts are assigned where the caller's variable is a dummy itself: gfortran 12 loses the length of one that is passed on.
  function error_text(status) result(text)
    integer(c_int32_t), intent(in) :: status
    character(:), allocatable :: text
    text = c_text(c_status_name(status)) // ": " // c_text(c_last_error())
  end function error_text

  !> Of an argument that C is not even asked about.
  function refused(name, why) result(text)
    character(*), intent(in) :: name, why
    character(:), allocatable :: text
    text = "HALO_ERR_ARGUMENT: " // name // ": " // why
  end function refused

  !> End of every procedure: the status to those who ask for it, else the program stops where it is none of success.
  subroutine conclude(name, status, stat, why)
    character(*), intent(in) :: name
    integer(c_int32_t), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(in), optional :: why
    if (present(stat)) then
      stat = status
    else if (status /= HALO_SUCCESS) then
      if (present(why)) error stop why
      error stop name // ": " // error_text(status)
    end if
  end subroutine conclude

  !> NULL for what is absent.
  pure function address(given)
    type(c_ptr), intent(in), optional :: given
    type(c_ptr) :: address
    address = c_null_ptr
    if (present(given)) address = given
  end function address

  !> Start of a list, which may be empty.
  function some(start)
    type(c_ptr), intent(in) :: start
    type(c_ptr) :: some
    some = start
    if (.not. c_associated(start)) some = c_loc(nothing)
  end function some

end module halo_handles
