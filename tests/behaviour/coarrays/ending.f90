! SPDX-License-Identifier: BSD-3-Clause
!
! The ways to end a program, one for each command argument; control_tests.cmake knows the exit
! codes. Image 1 ends, the others go on as far as they may.
program ending
  use, intrinsic :: iso_fortran_env, only: event_type, stat_stopped_image, team_type
  use, intrinsic :: ieee_exceptions, only: ieee_set_flag, ieee_invalid
  use checks
  implicit none
  character(30) :: way
  type(event_type) :: ready[*]
  type(team_type) :: team
  integer :: value[*], me, code, stat
  call get_command_argument(1, way)
  me = this_image()
  value = me
  code = 7
  sync all

  select case (way)
  case ('end')
    print '(a)', 'passed'
  case ('stop')
    if (me == 1) stop
    call others_go_on()
  case ('stop 7')
    if (me == 1) stop 7
    call others_go_on()
  case ('stop code')
    if (me == num_images()) stop code + 1
  case ('stop 300')
    stop 300
  case ('stop text')
    if (me == 1) stop 'the work is done'
  case ('stop quiet')
    call ieee_set_flag(ieee_invalid, .true.)
    if (me == 1) stop 5, quiet=.true.
  case ('stop loud')
    call ieee_set_flag(ieee_invalid, .true.)
    if (me == 1) stop 5, quiet=.false.
  case ('error stop')
    if (me == num_images()) error stop
    call wait_for_ever()
  case ('error stop 9')
    if (me == 1) error stop 9
    call wait_for_ever()
  case ('error stop text')
    if (me == 1) error stop 'nothing works'
    call wait_for_ever()
  case ('error stop in write')
    if (me == 1) print '(a)', 'before'
    if (me == 1) write (*, '(i0)') stopping()
    call wait_for_ever()
  case ('exit 3')
    if (me == 1) call exit(3)
    call wait_for_ever()
  case ('exit 0')
    if (me == 1) call exit(0)
    call others_go_on()
  case ('runtime error')
    if (me == 1) open (unit=11, file='/nonexistent/file', status='old')
    call wait_for_ever()
  case ('sync with stopped')
    if (me == 1) stop
    sync images (1)
  case ('sync all with stopped')
    if (me == 1) stop
    sync all
  case ('broadcast with stopped')
    call broadcast_with_stopped(source=1)
  case ('broadcast of stopped')
    call broadcast_with_stopped(source=2)
  case ('event of stopped')
    call events_of_stopped_images()
  case ('no such image')
    if (me == 1) sync images (num_images() + 1)
    call wait_for_ever()
  case ('team -1')
    form team (-1, team)
  case ('team 0')
    form team (merge(0, 1, me == 1), team)
  case default
    error stop 'unknown argument'
  end select

contains

  ! Image 2 stops between two broadcasts. The source may learn it a few broadcasts later.
  subroutine broadcast_with_stopped(source)
    integer, intent(in) :: source
    integer :: i, value
    do i = 1, 100
      if (i == 13 .and. me == 2) stop
      value = merge(i, 0, me == source)
      call co_broadcast(value, source)
      if (value /= i) print '(a)', 'a wrong value'
    end do
    print '(a)', 'the program goes on'
  end subroutine broadcast_with_stopped

  subroutine wait_for_ever()
    do
      sync images (*)
      sync all
      if (num_images() == 1) exit
    end do
    error stop 'the program goes on'
  end subroutine wait_for_ever

  ! Image 1 does not take part any more; its memory is there.
  subroutine others_go_on()
    integer, allocatable :: others(:)
    integer :: i
    others = [(i, i=2, num_images())]
    do i = 1, 20
      sync images (others)
      sync all (stat=stat)
      call check_equal(stat, stat_stopped_image, 'stat of sync all')
      call check_equal(value[1], 1, 'value of a stopped image')
    end do
    if (me == 2) print '(a)', 'others passed'
  end subroutine others_go_on

  ! Image 1 waits for more posts than the others make.
  subroutine events_of_stopped_images()
    if (me /= 1) event post (ready[1])
    if (me /= 1) stop
    event wait (ready, until_count=num_images() - 1)
    event wait (ready, stat=stat)
    call check_equal(stat, stat_stopped_image, 'stat of event wait')
    event wait (ready)
  end subroutine events_of_stopped_images

  integer function stopping()
    error stop 6
    stopping = 0
  end function stopping
end program ending
