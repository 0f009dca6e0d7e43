! SPDX-License-Identifier: BSD-3-Clause
!
! How many updates of a distributed hash table under locks does a second have? Standard Fortran
! 2018, for any library. Each image adds pseudorandom keys to the tables of all images, each of
! which has a lock.
!
!     caf -O2 -I bench/coarrays bench/coarrays/locked_table.f90 -o locked_table
!     cafrun -n 4 ./locked_table [--quick]
program locked_table
  use, intrinsic :: iso_fortran_env, only: int64, lock_type, output_unit, real64
  implicit none
  include 'reports_variables.inc'
  integer(int64), allocatable :: keys(:)[:], counts(:)[:]
  type(lock_type) :: guard[*]
  real(real64), allocatable :: rates(:)
  real(real64) :: seconds
  integer :: updates, slots, i, rounds
  integer(int64) :: total

  call begin()
  updates = merge(20, merge(5000, 50000, level == quick), level == tiny)
  rounds = merge(1, merge(3, 7, level == quick), level == tiny)
  slots = 4 * updates
  allocate (keys(slots)[*], counts(slots)[*], rates(rounds))
  do i = 1, rounds
    keys = 0
    counts = 0
    sync all
    seconds = now()
    call update_all()
    sync all
    rates(i) = updates * real(images, real64) / (now() - seconds) / 1e6_real64
    total = sum(counts)
    call co_sum(total)
    if (total /= int(updates, int64) * images) error stop 'locked_table: updates were lost'
  end do
  call report('locked_updates', 'images', images, 'M/s', 'higher', rates)
  call finish()

contains

  include 'reports.inc'

  subroutine update_all()
    integer(int64) :: state, key, found
    integer :: i, image, slot
    state = me
    do i = 1, updates
      state = mod(state * 48271_int64, 2147483647_int64)
      key = 1 + mod(state, int(updates, int64) * images)
      image = 1 + int(mod(key, int(images, int64)))
      slot = 1 + int(mod(key / images * 31, int(slots, int64)))
      lock (guard[image])
      do
        found = keys(slot)[image]
        if (found == key .or. found == 0) exit
        slot = mod(slot, slots) + 1
      end do
      if (found == 0) keys(slot)[image] = key
      counts(slot)[image] = counts(slot)[image] + 1
      unlock (guard[image])
    end do
  end subroutine update_all
end program locked_table
