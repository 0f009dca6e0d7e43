! SPDX-License-Identifier: BSD-3-Clause
!
! A main program in Fortran without coarrays, compiled by gfortran alone, that uses
! coarray_library.f90. library_main WAY; idle: not at all.
program library_main
  implicit none
  interface
    subroutine meet() bind(c)
    end subroutine meet
  end interface
  character(16) :: way
  call get_command_argument(1, way)
  if (way /= 'idle') call meet()
  if (way == 'exit') call exit(0)
  if (way == 'stop') stop
end program library_main
