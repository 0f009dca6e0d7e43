! SPDX-License-Identifier: BSD-3-Clause
!
! Images whose processes are killed while the others go on. One image after the other dies, each
! before or inside another statement, until one is left; the first argument says which statement is
! the first. The first to die is the last image, then the first one, on which counters and the lock
! of critical constructs lie, then each second one of the rest.
program killed_images
  use, intrinsic :: iso_fortran_env, only: stat_failed_image, event_type, lock_type, team_type
  use, intrinsic :: iso_c_binding, only: c_int
  use checks
  implicit none
  interface
    integer(c_int) function raise(signal) bind(c)
      import c_int
      integer(c_int), value :: signal
    end function raise
  end interface
  integer, parameter :: statements = 8
  type(event_type) :: event[*]
  type(lock_type) :: guard[*]
  integer :: value[*], count[*], first, step, victim, me, n, i, stat
  integer, allocatable :: left(:)
  character(8) :: word
  call get_command_argument(1, word)
  read (word, *) first
  me = this_image()
  n = num_images()
  value = 10 * me
  count = 0
  left = [(i, i=1, n)]
  sync all
  do step = 0, n - 2
    victim = next_victim()
    left = pack(left, left /= victim)
    call die_in(mod(first + step, statements))
    call look_at_state()
  end do
  print '(a)', 'passed'

contains

  integer function next_victim()
    select case (step)
    case (0)
      next_victim = n
    case (1)
      next_victim = 1
    case default
      next_victim = left(min(2, size(left)))
    end select
  end function next_victim

  subroutine die()
    integer :: ignored
    ignored = raise(9_c_int)
  end subroutine die

  subroutine die_in(statement)
    integer, intent(in) :: statement
    select case (statement)
    case (0)
      if (me == victim) call die()
      call check_failed_barrier()
    case (1)
      if (me == victim) call die()
      sync images (victim, stat=stat)
      call check_equal(stat, stat_failed_image, 'stat of sync images')
    case (2)
      if (me == victim) call die()
      event wait (event, stat=stat)
      call check_equal(stat, stat_failed_image, 'stat of event wait')
    case (3)
      call die_with_lock()
    case (4)
      call die_in_critical()
    case (5)
      if (me == victim) call die()
      call check_collectives()
    case (6)
      if (me == victim) call die()
      call check_allocation()
    case (7)
      call die_behind_statements()
    end select
  end subroutine die_in

  subroutine check_failed_barrier()
    sync all (stat=stat)
    call check_equal(stat, stat_failed_image, 'stat of sync all')
  end subroutine check_failed_barrier

  ! The dead image holds the lock, others wait for it.
  subroutine die_with_lock()
    if (me == victim) then
      lock (guard[left(1)])
      call die()
    end if
    call check_failed_barrier()
    do i = 1, 20
      lock (guard[left(1)], stat=stat)
      call check_equal(stat, 0, 'stat of lock')
      count[left(1)] = count[left(1)] + 1
      unlock (guard[left(1)])
    end do
    call check_failed_barrier()
    if (me == left(1)) then
      call check_equal(count, 20 * size(left), 'updates under the lock')
      count = 0
    end if
    call check_failed_barrier()
  end subroutine die_with_lock

  subroutine die_in_critical()
    do i = 1, 20
      critical
        if (me == victim .and. i == 10) call die()
        if (me /= victim) count[left(1)] = count[left(1)] + 1
      end critical
    end do
    call check_failed_barrier()
    if (me == left(1)) then
      call check_equal(count, 20 * size(left), 'updates in the critical construct')
      count = 0
    end if
    call check_failed_barrier()
  end subroutine die_in_critical

  subroutine check_collectives()
    integer :: small, large(10000)
    small = 1
    large = 1
    call co_sum(small, stat=stat)
    call check_equal(stat, stat_failed_image, 'stat of co_sum')
    call co_broadcast(large, source_image=left(1), stat=stat)
    call check_equal(stat, stat_failed_image, 'stat of co_broadcast')
  end subroutine check_collectives

  subroutine check_allocation()
    integer, allocatable :: heap(:)[:]
    allocate (heap(10)[*], stat=stat)
    call check_equal(stat, stat_failed_image, 'stat of allocate')
  end subroutine check_allocation

  ! The dead image has taken part in all statements up to its death.
  subroutine die_behind_statements()
    do i = 1, 20
      sync all (stat=stat)
      if (step == 0) call check_equal(stat, 0, 'stat before the death')
      if (size(left) > 0) value[left(1)] = me
    end do
    if (me == victim) call die()
    call check_failed_barrier()
    value = 10 * me
    call check_failed_barrier()
  end subroutine die_behind_statements

  ! What the others know of those that have died, and a team without them.
  subroutine look_at_state()
    type(team_type) :: rest
    integer, allocatable :: heap(:)[:]
    integer :: total
    call check_equal(image_status(victim), stat_failed_image, 'state of the dead image')
    call check_equal(size(failed_images()), n - size(left), 'images that have failed')
    call check_equal(num_images(failed=.true.), n - size(left), 'number of failed images')
    sync images (left)
    form team (step + 1, rest)
    change team (rest)
      call check_equal(num_images(), size(left), 'images of the team of the rest')
      allocate (heap(100)[*])
      heap(:)[mod(this_image(), num_images()) + 1] = this_image()
      sync all
      call check_equal(heap(100), merge(size(left), this_image() - 1, this_image() == 1), 'heap')
      total = this_image()
      call co_sum(total)
      call check_equal(total, size(left) * (size(left) + 1) / 2, 'co_sum of the rest')
      sync all
      deallocate (heap)
    end team
    sync images (left)
  end subroutine look_at_state
end program killed_images
