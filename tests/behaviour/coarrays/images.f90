! SPDX-License-Identifier: BSD-3-Clause
!
! Prints what started it: the number of images and the arguments. For starts without a launcher.
program images
  implicit none
  character(40) :: argument
  integer :: i
  if (this_image() == 1) then
    write (*, '(i0,a)', advance='no') num_images(), ' images:'
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      write (*, '(3a)', advance='no') ' [', trim(argument), ']'
    end do
    print *
  end if
  sync all
end program images
