! SPDX-License-Identifier: BSD-3-Clause
!
! Checks of the PRIF tests: a failed one ends all images.
module checks
  use iso_c_binding
  use iso_fortran_env, only: error_unit
  use prif
  implicit none

  integer(c_int) :: me, images  ! of the initial team
  integer(c_int64_t), parameter :: word = 8

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what

    if (condition) return
    write (error_unit, "(a, i0, 3a)") "image ", me, ": ", what, " is wrong"
    call prif_error_stop(.true._c_bool, 3_c_int)
  end subroutine

  subroutine sync()
    call prif_sync_all()
  end subroutine

  ! A coarray of corank 1 with `words` words on each image of the current team.
  subroutine make(words, handle, data)
    integer, intent(in) :: words
    type(prif_coarray_handle), intent(out) :: handle
    integer(c_int64_t), pointer, intent(out) :: data(:)
    procedure(prif_coarray_cleanup_interface), pointer :: none
    type(c_ptr) :: memory

    none => null()
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], words * 8_c_size_t, none, &
        handle, memory)
    call c_f_pointer(memory, data, [words])
    data = 0
    call sync()
  end subroutine

  ! The address of element `element` of a coarray on an image, which sends it to all.
  function address_on(image, data, element) result(address)
    integer(c_int), intent(in) :: image
    integer(c_int64_t), pointer, intent(in) :: data(:)
    integer, intent(in) :: element
    integer(c_intptr_t), target :: address

    address = transfer(c_loc(data(element)), address)
    call prif_co_broadcast_cptr(c_loc(address), 8_c_size_t, image)
  end function

  ! gfortran 12 has an internal error at c_associated of two addresses where iso_c_binding comes
  ! through another module.
  logical function same(one, other)
    type(c_ptr), intent(in) :: one, other

    same = c_associated(one, other)
  end function

  ! The image behind an image, around.
  function next(image, distance)
    integer(c_int), intent(in) :: image
    integer, intent(in) :: distance
    integer(c_int) :: next

    next = modulo(image - 1 + distance, images) + 1
  end function

end module checks
