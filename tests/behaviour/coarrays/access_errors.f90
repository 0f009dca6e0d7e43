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
  type :: fixed
    integer :: v(3)
    integer :: w = 5
  end type fixed
  type :: text
    character(:), allocatable :: s
  end type text
  type(parts) :: x[*]
  type(text) :: t[*]
  integer :: y(3)[*]
  type(fixed) :: z[*]
  integer, allocatable :: d(:, :)[:]
  integer :: ten(10), one, many
  integer(8) :: far
  integer :: got(4), status
  character(40) :: argument, message

  call get_command_argument(1, argument)
  ten = 7
  many = merge(10, 4, argument /= '')
  far = 2_8**60 * (many / 10)
  one = 0
  allocate (d(3, 2)[*])
  if (this_image() /= 1) allocate (x%c(2))
  t%s = 'text'
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
  case ('put many')
    if (this_image() == 1) x[2]%c(1:many) = ten
  case ('put all')
    if (this_image() == 1) x[2]%c = ten
  case ('put one behind')
    if (this_image() == 1) x[2]%c(many) = 7
  case ('put indices')
    if (this_image() == 1) x[2]%c([1, many]) = ten(1:2)
  case ('get many')
    if (this_image() == 1) ten = x[2]%c(1:many)
  case ('get before')
    if (this_image() == 1) one = x[2]%c(4 - many)
  case ('put many into coarray')
    if (this_image() == 1) y(1:many)[2] = ten
  case ('put far into coarray')
    if (this_image() == 1) y(1000 * many)[2] = 7
  case ('put steps into coarray')
    if (this_image() == 1) y(1:many:3)[2] = ten(1:4)
  case ('put indices into coarray')
    if (this_image() == 1) y([1, 100 * many])[2] = ten(1:2)
  case ('put converted into coarray')
    if (this_image() == 1) y(1:many)[2] = real(ten)
  case ('put into fixed component')
    if (this_image() == 1) z[2]%v(1:many) = ten
  case ('get from coarray')
    if (this_image() == 1) ten = y(1:many)[2]
  case ('get column')
    if (this_image() == 1) ten(1:3) = d(:, many)[2]
  case ('get deferred length')
    if (this_image() == 1) message = t[2]%s
  case ('put deferred length')
    if (this_image() == 1) t[2]%s = 'long'
  case ('copy deferred length')
    if (this_image() == 1) t[2]%s = t[1]%s
  case ('get far and back')
    if (this_image() == 1) ten(1:1) = d(-far, [far])[2]
  case ('image to image')
    if (this_image() == 1) y(1:many)[2] = y(1:many)[1]
  case ('no room')
    if (this_image() == 1) then
      allocate (x%c(1000000000), stat=status, errmsg=message)
      call check(status /= 0 .and. .not. allocated(x%c), 'stat of allocate')
      call check(index(message, 'no room for 4000000000 bytes') == 1, 'errmsg ' // message)
      allocate (x%c(1000000000))
    end if
  end select
  sync all
  if (one + sum(ten) == huge(one)) print *, one, ten
  call passed()
end program access_errors
