! SPDX-License-Identifier: BSD-3-Clause
!
! A part of the program in C (windows_part.c) uses windows on memory of coarrays, between statements
! of coarrays. Breaks when windows do not take this memory, or when what one side has changed is not
! there for the other one.
program windows
  use checks
  use, intrinsic :: iso_c_binding, only: c_long, c_int
  implicit none
  interface
    subroutine open_window(words, count) bind(c)
      import :: c_long, c_int
      integer(c_long) :: words(*)
      integer(c_int), value :: count
    end subroutine open_window
    subroutine exchange(words, value) bind(c)
      import :: c_long
      integer(c_long) :: words(*)
      integer(c_long), value :: value
    end subroutine exchange
    subroutine close_window() bind(c)
    end subroutine close_window
  end interface
  integer, parameter :: rounds = 20
  integer(c_long) :: static(3)[*] = 0
  integer(c_long), allocatable :: heap(:)[:]
  integer :: me, before

  me = this_image()
  before = me - 1
  if (before == 0) before = num_images()
  allocate (heap(3)[*])
  heap = 0
  call use_in_turns(static)
  call use_in_turns(heap)
  sync all
  call passed()

contains

  ! The C part puts to word 1 of the next image and returns when word 1 is there; images put word 2
  subroutine use_in_turns(words)
    integer(c_long) :: words(:)[*]
    integer :: i
    call open_window(words, size(words))
    do i = 1, rounds
      call exchange(words, int(1000 * i + me, c_long))
      call check_equal(int(words(1)), 1000 * i + before, 'word of the window')
      sync all
      call check_equal(int(words(1)[before]), &
                       1000 * i + merge(num_images(), before - 1, before == 1), 'got word')
      words(2)[before] = i
      sync all
      call check_equal(int(words(2)), i, 'word of the coarray')
    end do
    call close_window()
  end subroutine use_in_turns
end program windows
