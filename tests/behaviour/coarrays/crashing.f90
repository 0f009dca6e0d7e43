! SPDX-License-Identifier: BSD-3-Clause
!
! The last image crashes by a signal while the others wait in a statement without stat=, which ends
! the program: crashing SIGNAL STATEMENT. docs/run/coarrays.md says which exit code the job has.
program crashing
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, team_type
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function raise(signal) bind(c)
      import c_int
      integer(c_int), value :: signal
    end function raise
    integer(c_int) function usleep(microseconds) bind(c)
      import c_int
      integer(c_int), value :: microseconds
    end function usleep
  end interface
  type(event_type) :: event[*]
  type(lock_type) :: guard[*]
  type(team_type) :: team
  integer, allocatable :: list(:)[:]
  integer(c_int) :: signal, ignored
  integer :: value
  character(20) :: word
  call get_command_argument(1, word)
  read (word, *) signal
  call get_command_argument(2, word)
  sync all
  if (this_image() == num_images()) then
    if (word == 'lock') lock (guard[1])
    ignored = raise(signal)
  end if
  value = 1
  select case (word)
  case ('all')
    sync all
  case ('images')
    sync images (*)
  case ('event')
    event wait (event)
  case ('sum')
    call co_sum(value)
  case ('allocate')
    allocate (list(10)[*])
  case ('team')
    form team (1, team)
    change team (team)
    end team
    sync all
  case ('stop')
    do while (size(failed_images()) == 0)
    end do
    error stop 9
  case default
    error stop 'unknown statement'
  end select
  sync all
  print '(a)', 'nothing has ended the program'
end program crashing
