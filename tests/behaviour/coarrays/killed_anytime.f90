! SPDX-License-Identifier: BSD-3-Clause
!
! A timer kills one image at any moment, inside of any statement. The others notice by stat=, the
! same in each of them, and go on.
program killed_anytime
  use, intrinsic :: iso_fortran_env, only: stat_failed_image, lock_type
  use, intrinsic :: iso_c_binding, only: c_int
  use checks
  implicit none
  interface
    integer(c_int) function ualarm(microseconds, interval) bind(c)
      import c_int
      integer(c_int), value :: microseconds, interval
    end function ualarm
  end interface
  type(lock_type) :: guard[*]
  type pair_t  ! larger than the parts in which data goes
    integer :: rest(500)
    integer :: last
  end type pair_t
  type(pair_t) :: pair
  integer :: updates[*], victim[*], me, n, stat, total, many(600), i
  logical :: is_first
  real :: chance(2)
  me = this_image()
  n = num_images()
  updates = 0
  call random_init(.false., .true.)
  call random_number(chance)
  if (me == 1) victim = 1 + int(chance(1) * n)
  sync all
  victim = victim[1]
  sync all
  if (me == victim) i = ualarm(1 + int(chance(2) * 20000, c_int), 0_c_int)
  do
    sync all (stat=stat)
    if (stat /= 0) exit
    call update()
    total = me
    call co_sum(total, stat=stat)
    if (stat /= 0) exit
    call check_equal(total, n * (n + 1) / 2, 'co_sum')
    many = me
    call co_sum(many, stat=stat)
    if (stat /= 0) exit
    call check(all(many == n * (n + 1) / 2), 'co_sum of many')
    pair = pair_t(spread(me, 1, size(pair%rest)), me)
    call co_reduce(pair, add, stat=stat)
    if (stat /= 0) exit
    call check(pair%last == n * (n + 1) / 2 .and. all(pair%rest == pair%last), 'co_reduce')
    if (me == 1) many = 7
    call co_broadcast(many, source_image=1, stat=stat)
    if (stat /= 0) exit
    call check(all(many == 7), 'co_broadcast of many')
    call meet_neighbour()
  end do
  call check_equal(stat, stat_failed_image, 'stat at the death')
  do i = 1, 10
    call update()
    sync all (stat=stat)
    call check_equal(stat, stat_failed_image, 'stat after the death')
  end do
  call check_equal(failed_images(), [victim], 'failed images')
  is_first = me == merge(2, 1, victim == 1)
  if (is_first) print '(a)', 'passed'

contains

  pure function add(a, b) result(sum)
    type(pair_t), intent(in) :: a, b
    type(pair_t) :: sum
    sum%rest = a%rest + b%rest
    sum%last = a%last + b%last
  end function add

  subroutine update()
    lock (guard[1])
    updates[1] = updates[1] + 1
    unlock (guard[1])
    critical
      updates[n] = updates[n] + 1
    end critical
  end subroutine update

  ! An image of a pair may learn of the death here; the rest learns by the next sync all.
  subroutine meet_neighbour()
    integer :: neighbour
    neighbour = merge(me + 1, me - 1, mod(me, 2) == 1)
    if (neighbour <= n) sync images (neighbour, stat=stat)
  end subroutine meet_neighbour
end program killed_anytime
