! SPDX-License-Identifier: BSD-3-Clause
!
! row_teams: images in a grid of rows, each row a team that works on its own.
!
!     caf row_teams.f90 -o row_teams
!     cafrun -n 6 ./row_teams
!
! Each row adds up a part of the numbers 1 to 1000. Inside of `change team` an image has a number in
! its row, coarrays are allocated in the row only, and sync all meets the row only. Behind
! `end team` the first images of the rows have the parts, and image 1 adds them up.
program row_teams
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  integer, parameter :: numbers = 1000
  type(team_type) :: row
  integer :: part[*]
  integer :: rows, my_row, i, total

  rows = max(1, nint(sqrt(real(num_images()))))
  my_row = 1 + mod(this_image() - 1, rows)
  part = 0
  form team (my_row, row)
  change team (row)
    block
      integer, allocatable :: subtotal[:]
      if (team_number() /= my_row) error stop 'row_teams: in another team'
      allocate (subtotal[*])
      subtotal = 0
      do i = 1, numbers
        if (mod(i, rows) + 1 == my_row .and. mod(i / rows, num_images()) + 1 == this_image()) &
            subtotal = subtotal + i
      end do
      sync all
      if (this_image() == 1) then
        do i = 1, num_images()
          part = part + subtotal[i]
        end do
      end if
    end block
  end team
  sync all

  if (this_image() == 1) then
    total = 0
    do i = 1, num_images()
      total = total + part[i]   ! 0 on the images that are not the first of their row
    end do
    print '(3(a,i0))', 'The numbers 1 to ', numbers, ' in ', rows, ' rows add up to ', total
    if (total /= numbers * (numbers + 1) / 2) error stop 'row_teams: wrong total'
  end if
end program row_teams
