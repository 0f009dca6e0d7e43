! SPDX-License-Identifier: BSD-3-Clause
!
! Statements that are collective and differ between images: each ends the program with a message.
! The argument names one.
program collective_errors
  use checks
  implicit none
  real(8), allocatable :: a(:)[:], b(:)[:]
  real(8) :: sums(8)
  integer :: me
  character(40) :: argument

  call get_command_argument(1, argument)
  me = this_image()
  sums = me
  select case (argument)
  case ('size')
    allocate (a(merge(10, 20, me == 1))[*])
  case ('order')
    if (me == 1) then
      allocate (a(10)[*])
      allocate (b(10)[*])
    else
      allocate (b(10)[*])
      allocate (a(10)[*])
    end if
  case ('deallocate')
    allocate (a(10)[*], b(10)[*])
    if (me == 2) then
      deallocate (b)
      deallocate (a)
    else
      deallocate (a)
      deallocate (b)
    end if
  case ('sum')
    call co_sum(sums(1:merge(8, 5, me == 1)))
  case ('sum on one')
    call co_sum(sums(1:merge(4, 5, me == 2)), result_image=1)
  end select
  sync all
  call passed()
end program collective_errors
