! SPDX-License-Identifier: BSD-3-Clause
!
! Accesses that cannot be: each ends the program with a message, or sets stat=. The argument names
! one; image 1 makes the mistake.
program access_errors
  use checks
  implicit none
  type :: parts
    integer :: n
    integer, allocatable :: c(:)
  end type parts
  type(parts) :: x[*]
  integer :: got(4), status
  character(40) :: argument, message

  call get_command_argument(1, argument)
  if (this_image() /= 1) allocate (x%c(2))
  sync all
  select case (argument)
  case ('get unallocated')
    if (this_image() == 2) deallocate (x%c)
    sync all
    if (this_image() == 1) got = x[2]%c(1:4)
  case ('put unallocated')
    if (this_image() == 2) deallocate (x%c)
    sync all
    if (this_image() == 1) x[2]%c(:) = got
  case ('put other shape')
    if (this_image() == 1) x[2]%c(:) = got
  case ('no room')
    if (this_image() == 1) then
      allocate (x%c(1000000000), stat=status, errmsg=message)
      call check(status /= 0 .and. .not. allocated(x%c), 'stat of allocate')
      call check(index(message, 'no room for 4000000000 bytes') == 1, 'errmsg ' // message)
      allocate (x%c(1000000000))
    end if
  end select
  sync all
  call passed()
end program access_errors
