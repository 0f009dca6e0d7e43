! SPDX-License-Identifier: BSD-3-Clause
!
! sync all, sync images and sync memory: what an image stored before them is there behind them.
program sync
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, int64
  use checks
  implicit none
  integer, parameter :: rounds = 200
  integer, parameter :: few = 5  ! where images look for a change and keep a core
  integer :: value[*], many(64)[*]
  integer(atomic_int_kind) :: tick[*]
  integer :: me, n, stat, round, seed
  integer(int64) :: long_stat
  me = this_image()
  n = num_images()

  call all_images()
  call late_image()
  call pairs()
  call ring()
  call lists()
  call memory_and_status()
  call memory_and_atomics()
  call random_partners()
  call passed()

contains

  subroutine all_images()
    do round = 1, rounds
      value[mod(me, n) + 1] = round * n + me
      sync all
      call check_equal(value, round * n + merge(n, me - 1, me == 1), 'behind sync all')
      sync all (stat=stat)
      call check_equal(stat, 0, 'stat of sync all')
    end do
  end subroutine all_images

  ! One image is late by milliseconds, so the others wait in all ways: they look, yield and sleep.
  subroutine late_image()
    integer :: late, i
    integer(atomic_int_kind) :: seen
    tick = 0
    sync all
    do round = 1, 2 * n
      late = mod(round, n) + 1
      if (me == late) then
        do i = 1, 200000
          call atomic_ref(seen, tick)
        end do
        value = -round
      end if
      sync all
      call check_equal(value[late], -round, 'behind sync all with a late image')
      sync all
    end do
  end subroutine late_image

  ! Odd images with the next one; the last one may be alone.
  subroutine pairs()
    integer :: partner
    partner = merge(me + 1, me - 1, mod(me, 2) == 1)
    sync all
    do round = 1, rounds
      if (partner <= n) then
        value[partner] = -round
        sync images (partner)
        call check_equal(value, -round, 'behind sync images of a pair')
        sync images (partner, stat=stat)
        call check_equal(stat, 0, 'stat of sync images')
      end if
    end do
  end subroutine pairs

  ! Each image with both neighbours, without any other synchronization: a wave goes round.
  subroutine ring()
    integer :: left, right
    sync all
    left = merge(n, me - 1, me == 1)
    right = mod(me, n) + 1
    value = 0
    sync all
    do round = 1, rounds
      if (me /= 1) sync images (left)
      if (me /= 1) value = value[left] + 1
      if (me /= n) sync images (right)
      if (me == n .and. n > 1) sync images (1)
      if (me == 1 .and. n > 1) then
        sync images (n)
        call check_equal(value[n], n - 1 + value, 'wave')
        value = round
      end if
      if (me /= 1) call check_equal(value, me - 1 + (round - 1), 'wave')
    end do
    sync all
  end subroutine ring

  subroutine lists()
    integer :: i, none(0)
    integer, allocatable :: others(:)
    sync all
    value = me
    sync images (none)
    sync images (*)
    do i = 1, n
      call check_equal(value[i], i, 'behind sync images(*)')
    end do
    sync images (*)
    others = pack([(i, i=1, n)], [(i /= me, i=1, n)])
    value = -me
    sync images (others, stat=long_stat)
    call check_equal(long_stat, 0_int64, 'stat of sync images of a list')
    call check_equal(value[n], -n, 'behind sync images of a list')
    sync images ([me])
    sync images (me)
    sync images ([(i, i=n, 1, -1)])
    stat = 0
    sync images ([me, me], stat=stat)
    call check(stat /= 0, 'an image twice in a list gives a status')
    sync all
    if (me == 1) then
      value = 77
      sync images (*)
    else
      sync images (1)
      call check_equal(value[1], 77, 'one with all others')
    end if
    sync all
  end subroutine lists

  subroutine memory_and_status()
    stat = 99
    sync memory (stat=stat)
    call check_equal(stat, 0, 'stat of sync memory')
    sync memory
    many(:)[mod(me, n) + 1] = me
    sync memory
    sync all
    call check_equal(many(64), merge(n, me - 1, me == 1), 'behind sync memory')
    sync all
  end subroutine memory_and_status

  ! An atomic subroutine tells the next image what sync memory has ordered.
  subroutine memory_and_atomics()
    integer :: right, left
    integer(atomic_int_kind) :: seen
    right = mod(me, n) + 1
    left = merge(n, me - 1, me == 1)
    tick = 0
    sync all
    do round = 1, few
      if (mod(round, 2) == 0) then
        many(64)[right] = round
      else
        many(1) = round  ! without a put, which the atomic subroutine would complete
      end if
      sync memory
      call atomic_define(tick[right], round)
      seen = 0
      do while (seen /= round)
        call atomic_ref(seen, tick)
      end do
      sync memory
      if (mod(round, 2) == 0) then
        call check_equal(many(64), round, 'a put before sync memory of the other image')
      else
        call check_equal(many(1)[left], round, 'a store before sync memory of the other image')
      end if
      sync all
    end do
  end subroutine memory_and_atomics

  ! Each round all images compute the same random list of pairs.
  subroutine random_partners()
    integer :: i, a, b
    seed = 4711
    value = 0
    sync all
    do i = 1, 20 * rounds
      a = next(n)
      b = next(n)
      if (a == b) cycle
      ! The first one: b has checked what it got last.
      if (me == a) sync images (b)
      if (me == b) sync images (a)
      if (me == a) value[b] = i
      if (me == a) sync images (b)
      if (me == b) sync images (a)
      if (me == b) call check_equal(value, i, 'random pair')
    end do
    sync all
  end subroutine random_partners

  integer function next(limit)
    integer, intent(in) :: limit
    seed = mod(seed * 7141 + 54773, 259200)
    next = mod(seed / 7, limit) + 1
  end function next
end program sync
