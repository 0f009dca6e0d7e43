! SPDX-License-Identifier: BSD-3-Clause
!
! Events: counts, until_count=, queries, and that a put or store before a post is there behind the
! wait, also when the post came before the wait.
program events
  use, intrinsic :: iso_fortran_env, only: event_type, int64, atomic_int_kind
  use checks
  implicit none
  integer, parameter :: rounds = 200
  integer, parameter :: few = 5  ! where images look for a change and keep a core
  type(event_type) :: ready[*], slots(3)[*]
  type(event_type), allocatable :: heap(:)[:]
  integer(atomic_int_kind) :: tick[*]
  integer :: value[*], me, n, i, count, stat
  integer(int64) :: wide
  me = this_image()
  n = num_images()
  allocate (heap(0:1)[*])

  call ring()
  call early_posts()
  call late_stores()
  call counts()
  call many_to_one()
  deallocate (heap)
  call passed()

contains

  ! A value goes round: each image waits for its left neighbour.
  subroutine ring()
    integer :: right
    right = mod(me, n) + 1
    value = 0
    sync all
    do i = 1, rounds
      if (me == 1) value[right] = i
      if (me == 1) event post (ready[right])
      event wait (ready)
      if (me /= 1) call check_equal(value, i, 'value behind the wait')
      if (me /= 1) value[right] = value
      if (me /= 1) event post (ready[right], stat=stat)
    end do
    call check_equal(value, rounds, 'last value')
    call event_query(ready, count)
    call check_equal(count, 0, 'all events are used up')
    sync all
  end subroutine ring

  subroutine early_posts()
    do i = 1, few
      value[mod(me, n) + 1] = i
      event post (ready[mod(me, n) + 1])
      count = 0
      do while (count == 0)
        call event_query(ready, count)
      end do
      event wait (ready)
      call check_equal(value, i, 'value behind a wait for an earlier post')
      sync all
    end do
  end subroutine early_posts

  ! Each image stores to its own coarray and posts to the next one, which reads the value there. The
  ! image does nothing else until it has been read.
  subroutine late_stores()
    integer :: left
    integer(atomic_int_kind) :: seen
    if (n == 1) return
    left = merge(n, me - 1, me == 1)
    tick = 0
    sync all
    do i = 1, few
      if (me /= 1) call read_value(left)
      value = i
      event post (ready[mod(me, n) + 1])
      seen = 0
      do while (seen /= i)
        call atomic_ref(seen, tick)
      end do
      if (me == 1) call read_value(left)
    end do
    sync all
  end subroutine late_stores

  subroutine read_value(left)
    integer, intent(in) :: left
    event wait (ready)
    call check_equal(value[left], i, 'a store before the post')
    call atomic_define(tick[left], i)
  end subroutine read_value

  subroutine counts()
    do i = 1, 5
      event post (slots(2)[me])
      event post (slots(3)[n])
    end do
    sync all
    call event_query(slots(2), count, stat)
    call check_equal(count, 5, 'count')
    call check_equal(stat, 0, 'stat of event_query')
    call event_query(slots(1), wide)
    call check_equal(wide, 0_int64, 'count of an element without events')
    event wait (slots(2), until_count=3)
    call event_query(slots(2), count)
    call check_equal(count, 2, 'count behind a wait for 3')
    event wait (slots(2), until_count=-4, stat=stat)
    call check_equal(stat, 0, 'stat of event wait')
    event wait (slots(2))
    call event_query(slots(2), count)
    call check_equal(count, 0, 'count behind all waits')
    if (me == n) event wait (slots(3), until_count=5 * n)
    call event_query(slots(3), count)
    call check_equal(count, 0, 'count behind a wait for the events of all images')
    sync all
  end subroutine counts

  ! All images post to image 1, which answers when it has all.
  subroutine many_to_one()
    do i = 1, rounds
      event post (heap(1)[1])
      if (me == 1) then
        event wait (heap(1), until_count=n)
        do count = 1, n
          event post (heap(0)[count])
        end do
      end if
      event wait (heap(0))
    end do
    sync all
  end subroutine many_to_one
end program events
