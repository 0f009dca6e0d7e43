! SPDX-License-Identifier: BSD-3-Clause
!
! hello_package: the image with the largest number greets for all.
program hello_package
  implicit none
  integer :: last
  last = this_image()
  call co_max(last)
  if (this_image() == last) print '(a,i0,a)', 'Hello from ', last, ' images'
end program hello_package
