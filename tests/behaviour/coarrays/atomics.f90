! SPDX-License-Identifier: BSD-3-Clause
!
! Atomic subroutines: results and old values; no update is lost when all images update image 1.
program atomics
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, atomic_logical_kind, &
    int8, int64, real64
  use checks
  implicit none
  type :: pair
    real(real64) :: other
    integer(atomic_int_kind) :: count
  end type pair
  integer, parameter :: rounds = 500
  integer(atomic_int_kind) :: n[*], list(5)[*], old, got
  logical(atomic_logical_kind) :: flag[*], was
  type(pair) :: record[*]
  integer(atomic_int_kind), allocatable :: heap(:)[:]
  integer :: me, images, i, stat, last
  integer(int64) :: wide
  integer(int8) :: narrow
  me = this_image()
  images = num_images()
  last = images

  call one_image()
  call all_images()
  call flags()
  call passed()

contains

  ! Image 1 on the last image.
  subroutine one_image()
    if (me == 1) then
      call atomic_define(n[last], 12)
      call atomic_ref(got, n[last], stat=stat)
      call check_equal(got, 12, 'define and ref')
      call check_equal(stat, 0, 'stat of ref')
      call atomic_add(n[last], 5)
      call atomic_fetch_add(n[last], -7, old)
      call check_equal(old, 17, 'old value of fetch_add')
      call atomic_fetch_or(n[last], 5, old)
      call check_equal(old, 10, 'old value of fetch_or')
      call atomic_fetch_xor(n[last], 3, old)
      call check_equal(old, 15, 'old value of fetch_xor')
      call atomic_fetch_and(n[last], 6, old)
      call check_equal(old, 12, 'old value of fetch_and')
      call atomic_ref(got, n[last])
      call check_equal(got, 4, 'result of a chain')
      call atomic_define(n[last], 8)
      call atomic_or(n[last], 1)
      call atomic_ref(got, n[last])
      call check_equal(got, 9, 'or')
      call atomic_define(n[last], 12)
      call atomic_xor(n[last], 5)
      call atomic_ref(got, n[last])
      call check_equal(got, 9, 'xor')
      call atomic_and(n[last], 10)
      call atomic_ref(got, n[last])
      call check_equal(got, 8, 'and')
      call atomic_cas(n[last], old, 8, -1)
      call check_equal(old, 8, 'old value of a cas that takes place')
      call atomic_cas(n[last], old, 8, 3, stat)
      call check_equal(old, -1, 'old value of a cas that does not')
      call atomic_ref(wide, n[last])
      call check_equal(wide, -1_int64, 'value of another kind')
      narrow = 100_int8
      call atomic_define(list(3)[last], narrow)
      call atomic_add(list(3)[last], 1000_int64)
      call atomic_ref(got, list(3)[last])
      call check_equal(got, 1100, 'element of an array')
    end if
    sync all
    if (me == last) call check_equal(list(3), 1100, 'element seen by its image')
    call atomic_define(n, me)
    call atomic_ref(got, n)
    call check_equal(got, me, 'without coindex')
    sync all
  end subroutine one_image

  subroutine all_images()
    integer(atomic_int_kind), allocatable :: seen(:)
    integer :: j
    allocate (heap(0:3)[*])
    heap = 0
    record%count = 0
    n = 0
    list = 0
    allocate (seen(rounds))
    sync all
    do i = 1, rounds
      call atomic_add(n[1], 1)
      call atomic_fetch_add(heap(2)[1], 1, seen(i))
      call atomic_add(record[last]%count, 2)
      call atomic_xor(list(5)[1], ishft(1, me))
      call increment_by_cas(list(1))
    end do
    sync all
    if (me == 1) then
      call check_equal(n, images * rounds, 'sum of atomic_add')
      call check_equal(heap(2), images * rounds, 'sum of atomic_fetch_add')
      call check_equal(list(5), 0, 'even number of xor')
      call check_equal(list(1), images * rounds, 'sum by atomic_cas')
    end if
    if (me == last) call check_equal(record%count, 2 * images * rounds, 'component')
    do j = 2, rounds
      call check(seen(j) > seen(j - 1), 'fetched values grow')
    end do
    sync all
    deallocate (heap)
  end subroutine all_images

  subroutine increment_by_cas(word)
    integer(atomic_int_kind) :: word[*]
    integer(atomic_int_kind) :: expected, found
    call atomic_ref(expected, word[1])
    do
      call atomic_cas(word[1], found, expected, expected + 1)
      if (found == expected) exit
      expected = found
    end do
  end subroutine increment_by_cas

  ! A flag goes from image to image.
  subroutine flags()
    flag = .false.
    sync all
    if (me == 1) call atomic_define(flag, .true.)
    do
      call atomic_ref(was, flag)
      if (was) exit
    end do
    if (me < images) then
      call atomic_cas(flag[me + 1], was, .false._atomic_logical_kind, .true._atomic_logical_kind)
      call check(.not. was, 'old value of a logical cas')
    end if
    sync all
  end subroutine flags
end program atomics
