! SPDX-License-Identifier: BSD-3-Clause
!
! What the programs of this folder check with. A failed check prints the image and what differs, and
! ends all images with status 1. A program ends with `call passed`, because a program that ended too
! early must not count as a success (tests/support/coarray_runs.py looks for the word).
module checks
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int16, int32, int64, real32, real64
  implicit none
  private
  public :: check, check_equal, passed

  ! check_equal(actual, expected, what)
  interface check_equal
    procedure :: equal_int32, equal_int64, equal_int32s, equal_int64s, equal_real32, equal_real64
    procedure :: equal_real64s, equal_logical, equal_character
  end interface check_equal

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) call fail(what)
  end subroutine check

  ! After all images have come here, image 1 says so.
  subroutine passed()
    sync all
    if (this_image() == 1) print '(a)', 'passed'
  end subroutine passed

  subroutine fail(what)
    character(*), intent(in) :: what
    write (error_unit, '(a,i0,a,i0,2a)') 'image ', this_image(), ' of ', num_images(), ': ', what
    flush (error_unit)
    error stop 1
  end subroutine fail

  subroutine equal_int32(actual, expected, what)
    integer(int32), intent(in) :: actual, expected
    character(*), intent(in) :: what
    call equal_int64(int(actual, int64), int(expected, int64), what)
  end subroutine equal_int32

  subroutine equal_int64(actual, expected, what)
    integer(int64), intent(in) :: actual, expected
    character(*), intent(in) :: what
    character(100) :: text
    if (actual == expected) return
    write (text, '(a,i0,a,i0)') ' is ', actual, ', expected ', expected
    call fail(what // trim(text))
  end subroutine equal_int64

  subroutine equal_int32s(actual, expected, what)
    integer(int32), intent(in) :: actual(:), expected(:)
    character(*), intent(in) :: what
    call equal_int64s(int(actual, int64), int(expected, int64), what)
  end subroutine equal_int32s

  subroutine equal_int64s(actual, expected, what)
    integer(int64), intent(in) :: actual(:), expected(:)
    character(*), intent(in) :: what
    character(20) :: text
    integer :: i
    call equal_int64(size(actual, kind=int64), size(expected, kind=int64), 'size of ' // what)
    do i = 1, size(actual)
      write (text, '(a,i0,a)') '(', i, ')'
      call equal_int64(actual(i), expected(i), what // trim(text))
    end do
  end subroutine equal_int64s

  subroutine equal_real32(actual, expected, what)
    real(real32), intent(in) :: actual, expected
    character(*), intent(in) :: what
    call equal_real64(real(actual, real64), real(expected, real64), what)
  end subroutine equal_real32

  subroutine equal_real64(actual, expected, what)
    real(real64), intent(in) :: actual, expected
    character(*), intent(in) :: what
    character(100) :: text
    if (transfer(actual, 0_int64) == transfer(expected, 0_int64)) return
    write (text, '(a,g0,a,g0)') ' is ', actual, ', expected ', expected
    call fail(what // trim(text))
  end subroutine equal_real64

  subroutine equal_real64s(actual, expected, what)
    real(real64), intent(in) :: actual(:), expected(:)
    character(*), intent(in) :: what
    character(20) :: text
    integer :: i
    call equal_int32(size(actual), size(expected), 'size of ' // what)
    do i = 1, size(actual)
      write (text, '(a,i0,a)') '(', i, ')'
      call equal_real64(actual(i), expected(i), what // trim(text))
    end do
  end subroutine equal_real64s

  subroutine equal_logical(actual, expected, what)
    logical, intent(in) :: actual, expected
    character(*), intent(in) :: what
    if (actual .neqv. expected) call fail(what // merge(' is true ', ' is false', actual))
  end subroutine equal_logical

  subroutine equal_character(actual, expected, what)
    character(*), intent(in) :: actual, expected, what
    if (actual /= expected .or. len(actual) /= len(expected)) then
      call fail(what // ' is "' // actual // '", expected "' // expected // '"')
    end if
  end subroutine equal_character
end module checks
