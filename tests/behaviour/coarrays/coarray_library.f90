! SPDX-License-Identifier: BSD-3-Clause
!
! Coarrays in a shared library, for main programs without any (library_main.c, library_main.cpp,
! library_main.f90). The static coarray starts the images before main.
module coarray_library
  use checks
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer :: counter[*] = 0
  integer, allocatable :: list(:)[:]

contains

  ! Each image reads from all others. Image 1 prints "passed".
  subroutine meet() bind(c)
    integer :: image
    if (.not. allocated(list)) allocate (list(3)[*])
    list = this_image()
    counter = counter + 1
    sync all
    do image = 1, num_images()
      call check_equal(list(2)[image], image, 'list')
      call check_equal(counter[image], counter, 'counter')
    end do
    sync all
    if (this_image() == 1) print '(a)', 'passed'
  end subroutine meet

  integer(c_int) function image_number() bind(c)
    image_number = this_image()
  end function image_number

  ! Returns only when the job ends, because image 1 does not come.
  subroutine wait_for_first() bind(c)
    sync images (1)
  end subroutine wait_for_first

  subroutine stop_here(code) bind(c)
    integer(c_int), value :: code
    stop code
  end subroutine stop_here
end module coarray_library
