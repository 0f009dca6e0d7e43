! SPDX-License-Identifier: BSD-3-Clause
!
! Locks and critical constructs: exclusion, acquired_lock=, stat= of all mistakes.
program locks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, lock_type, stat_locked, &
      stat_locked_other_image
  use checks
  implicit none
  integer, parameter :: rounds = 200
  type(lock_type) :: single[*], several(3)[*]
  type(lock_type), allocatable :: heap(:)[:]
  integer :: counter[*], second[*], third[*]
  integer(atomic_int_kind) :: tick[*]
  integer :: me, n, i, stat
  logical :: acquired
  character(60) :: message
  me = this_image()
  n = num_images()
  allocate (heap(2:4)[*])
  counter = 0
  second = 0
  third = 0
  sync all

  call exclusion()
  call long_holders()
  call statuses()
  call other_images()
  call tries()
  call several_at_once()
  call many_at_once()
  sync all
  deallocate (heap)
  call passed()

contains

  subroutine exclusion()
    do i = 1, rounds
      lock (single[n])
      counter[1] = counter[1] + 1
      unlock (single[n])
      lock (heap(3)[1])
      second[n] = second[n] + 1
      unlock (heap(3)[1])
      critical
        third[1] = third[1] + 1
      end critical
    end do
    sync all
    if (me == 1) call check_equal(counter, n * rounds, 'counter under a lock')
    if (me == n) call check_equal(second, n * rounds, 'counter under an allocated lock')
    if (me == 1) call check_equal(third, n * rounds, 'counter in a critical construct')
    sync all
  end subroutine exclusion

  ! Each holds the lock for some milliseconds, so the others wait in all ways: they try, and queue.
  subroutine long_holders()
    integer(atomic_int_kind) :: seen
    counter = 0
    tick = 0
    sync all
    lock (single[n])
    counter[1] = counter[1] + 1
    do i = 1, 1000000
      call atomic_ref(seen, tick)
    end do
    counter[1] = counter[1] + 1
    unlock (single[n])
    sync all
    if (me == 1) call check_equal(counter, 2 * n, 'counter under a lock that was held for long')
    sync all
  end subroutine long_holders

  ! Thousands of locks of all images, unlocked in another order than they were locked in.
  subroutine many_at_once()
    integer, parameter :: count = 4001
    type(lock_type), allocatable :: many(:)[:]
    integer :: k, image
    allocate (many(count)[*])
    do i = 1, count
      image = mod(me + i, n) + 1
      if (mod(i, n) == 0) lock (many(i)[image])
    end do
    do i = n, count, n
      k = mod(i / n * 1009, count / n) * n + n
      image = mod(me + k, n) + 1
      lock (many(k)[image], stat=stat)
      call check_equal(stat, stat_locked, 'stat of a lock among many')
      unlock (many(k)[image])
      lock (many(k)[image], acquired_lock=acquired)
      call check(acquired, 'a lock among many is free again')
    end do
    do i = count - mod(count, n), 1, -n
      unlock (many(i)[mod(me + i, n) + 1])
    end do
    sync all
    do i = 1, count, 500
      unlock (many(i)[n], stat=stat)
      call check(stat /= 0 .and. stat /= stat_locked_other_image, 'unlocked among many')
    end do
    deallocate (many)
  end subroutine many_at_once

  subroutine statuses()
    lock (several(2), stat=stat)
    call check_equal(stat, 0, 'lock of a free lock')
    lock (several(2), stat=stat, errmsg=message)
    call check_equal(stat, stat_locked, 'lock of an own lock')
    call check(index(message, 'locked') > 0, 'errmsg of lock: ' // message)
    lock (several(2), acquired_lock=acquired, stat=stat)
    call check_equal(stat, stat_locked, 'acquired_lock of an own lock')
    call check(.not. acquired, 'acquired an own lock')
    lock (several(1))
    unlock (several(2), stat=stat)
    call check_equal(stat, 0, 'unlock')
    unlock (several(2), stat=stat)
    call check(all(stat /= [0, stat_locked, stat_locked_other_image]), 'unlock of a free lock')
    unlock (several(1))
    sync all
  end subroutine statuses

  ! The lock of image 1, locked by image 1, seen by the others.
  subroutine other_images()
    if (me == 1) lock (several(3))
    sync all
    if (me /= 1) then
      unlock (several(3)[1], stat=stat)
      call check_equal(stat, stat_locked_other_image, 'unlock of a lock of another image')
      lock (several(3)[1], acquired_lock=acquired, stat=stat)
      call check(.not. acquired .and. stat == 0, 'acquired_lock of a lock of another image')
    end if
    sync all
    if (me == 1) unlock (several(3)[1])
    ! Now they wait for each other.
    lock (several(3)[1])
    unlock (several(3)[1])
    sync all
  end subroutine other_images

  subroutine tries()
    integer :: successes
    counter = 0
    sync all
    successes = 0
    do while (successes < rounds)
      lock (single[1], acquired_lock=acquired)
      if (.not. acquired) cycle
      counter[1] = counter[1] + 1
      successes = successes + 1
      unlock (single[1])
    end do
    sync all
    if (me == 1) call check_equal(counter, n * rounds, 'counter under a lock that was tried')
  end subroutine tries

  ! One image after the other holds three locks, and gives them back in another order.
  subroutine several_at_once()
    integer :: holder
    do holder = 1, n
      if (me == holder) then
        lock (several(1)[1], acquired_lock=acquired)
        call check(acquired, 'the first lock was given back')
        lock (several(2)[n], acquired_lock=acquired)
        call check(acquired, 'the second lock was given back')
        lock (heap(4)[1], acquired_lock=acquired)
        call check(acquired, 'the third lock was given back')
        if (mod(holder, 2) == 0) unlock (several(1)[1])
        unlock (heap(4)[1])
        if (mod(holder, 2) == 1) unlock (several(1)[1])
        unlock (several(2)[n])
      end if
      sync all
    end do
  end subroutine several_at_once
end program locks
