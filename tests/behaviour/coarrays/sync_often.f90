! SPDX-License-Identifier: BSD-3-Clause
!
! More images than cores meet very often. Breaks when an image that comes late in one round takes
! another image's bit for the next round (core/barrier.cpp), and that image is never released. It
! takes an interrupt between two instructions: a library with this mistake hung in 3 of 19 runs.
program sync_often
  use checks
  implicit none
  integer, parameter :: rounds = 200000
  integer :: i
  do i = 1, rounds
    sync all
  end do
  call passed()
end program sync_often
