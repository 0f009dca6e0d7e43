! SPDX-License-Identifier: BSD-3-Clause
!
! hello_images: every image says which one it is, and image 1 adds up what the others left.
!
!     caf hello_images.f90 -o hello_images
!     cafrun -n 4 ./hello_images
program hello_images
  implicit none
  integer :: number[*]  ! one on each image; number[i] is that of image i
  integer :: i, total

  print '(a,i0,a,i0)', 'Hello from image ', this_image(), ' of ', num_images()
  number = this_image()
  sync all              ! before this line no other image reads my number

  if (this_image() == 1) then
    total = 0
    do i = 1, num_images()
      total = total + number[i]
    end do
    print '(a,i0)', 'The numbers of all images add up to ', total
    if (total /= num_images() * (num_images() + 1) / 2) error stop 'wrong total'
  end if
end program hello_images
