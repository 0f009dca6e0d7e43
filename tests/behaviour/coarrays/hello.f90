! SPDX-License-Identifier: BSD-3-Clause
!
! Every image knows its number, and writes it to its neighbour.
program hello
  use checks
  implicit none
  integer :: from[*], next
  from = 0
  sync all
  next = mod(this_image(), num_images()) + 1
  from[next] = this_image()
  sync all
  call check_equal(from, merge(num_images(), this_image() - 1, this_image() == 1), 'neighbour')
  call passed()
end program hello
