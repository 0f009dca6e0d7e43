! SPDX-License-Identifier: BSD-3-Clause
!
! Coarrays whose type has allocatable components: chains of references in get, put and assignments
! from image to image, `allocated`, components of different sizes on each image, reallocation on the
! left, free() by the compiler.
program access_components
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use checks
  implicit none
  type :: inner
    integer :: k(4, 5)
    real(real64), allocatable :: z(:, :)
  end type inner
  type :: outer
    integer :: n, m(3:9, 2:6)
    real(real32), allocatable :: c(:, :)
    integer, allocatable :: s
    character(7) :: text(4)
    type(inner) :: in
    type(inner), allocatable :: list(:)
  end type outer
  type :: vector
    integer, allocatable :: v(:)
  end type vector
  type(outer) :: x[*]
  type(outer), allocatable :: w(:, :)[:]
  type(vector) :: r(3)[*]
  integer :: me, n, next, last, i, j, got(7, 5), few(4), indices(3)
  integer, allocatable :: left(:)
  real(real32) :: reals(10)
  character(3) :: short

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  last = mod(me - 2 + n, n) + 1

  ! Not allocated yet.
  call check(.not. allocated(x[next]%c), 'not allocated')
  call check(.not. allocated(x[next]%s), 'scalar not allocated')
  call check(.not. allocated(r(2)[next]%v), 'component of an element not allocated')
  sync all
  x%n = me
  x%m = reshape([(1000 * me + i, i=1, 35)], [7, 5])
  x%text = 'image ' // achar(iachar('0') + me)
  allocate (x%c(0:me, 2))
  x%c(:, 1) = [(me + i / 4.0, i=0, me)]
  x%c(:, 2) = -x%c(:, 1)
  allocate (x%s)
  x%s = 50 * me
  x%in%k = reshape([(100 * me + i, i=1, 20)], [4, 5])
  allocate (x%in%z(2, 3))
  x%in%z = reshape([(me + i / 8.0_real64, i=1, 6)], [2, 3])
  allocate (w(-1:1, 2)[*])
  allocate (w(0, 2)%c(3, 3), w(0, 2)%s, w(0, 2)%list(2))
  w(0, 2)%c = reshape([(real(10 * me + i), i=1, 9)], [3, 3])
  w(0, 2)%s = -me
  w(0, 2)%text(2) = 'abc'
  w(-1, 1)%text(4) = 'xxxxxxx'
  do i = 1, 2
    w(0, 2)%list(i)%k = 1000 * i + me
    allocate (w(0, 2)%list(i)%z(i, 2))
    w(0, 2)%list(i)%z = i * me
  end do
  w%n = reshape([(7 * me + i, i=1, 6)], [3, 2])
  sync all

  call check_equal(x[next]%n, next, 'plain component')
  got = x[next]%m
  call check_equal(got(:, 2), [(1000 * next + i, i=8, 14)], 'array component')
  few(1:2) = x[next]%m(5:8:3, 4)
  call check_equal(few(1:2), 1000 * next + [17, 20], 'section of an array component')
  call check_equal(x[next]%in%k(2, 3), 100 * next + 10, 'component of a component')
  call check(allocated(x[next]%c) .and. allocated(x[next]%s), 'allocated')
  call check(allocated(x[next]%in%z) .and. .not. allocated(x[next]%list), 'deeper allocated')
  call check_equal(x[next]%s, 50 * next, 'allocatable scalar')
  reals(1:next + 1) = x[next]%c(:, 2)
  call check_equal(real(reals(1:next + 1), real64), [(-(next + i / 4.0_real64), i=0, next)], &
    'column')
  reals(1:2) = x[next]%c(1, :)
  call check_equal(reals(1), next + 0.25, 'row')
  reals(1) = x[next]%c(next, 1)
  call check_equal(reals(1), next * 1.25, 'last element')
  call check_equal(x[next]%in%z(2, 3), next + 0.75_real64, 'element of a nested component')
  call check_equal(w(0, 2)[next]%s, -next, 'scalar of an element')
  call check_equal(w(0, 2)[next]%list(2)%z(2, 1), 2.0_real64 * next, 'three levels')
  few = w(0, 2)[next]%list(2)%k(:, 4)
  call check_equal(few, [(2000 + next, i=1, 4)], 'fixed array in an allocatable component')
  call check(allocated(w(0, 2)[next]%list(1)%z), 'allocated behind a component')
  call check(.not. allocated(w(1, 1)[next]%c), 'not allocated in another element')
  short = w(0, 2)[next]%text(2)
  call check_equal(short, 'abc', 'character component')
  indices = [3, 1, 2]
  reals(1:3) = w(0, 2)[next]%c(indices, 2)
  call check_equal(real(reals(1:3), real64), [(real(10 * next + 3 + indices(i), real64), i=1, 3)], &
    'vector')
  reals(1:2) = w(0, 2)[next]%c(2:, 3)
  call check_equal(reals(2), 10 * next + 9.0, 'open end')
  reals(1:2) = w(0, 2)[next]%c(:2, 3)
  call check_equal(reals(1), 10 * next + 7.0, 'open start')
  got(1:3, 1:2) = w(:, :)[next]%n
  call check_equal(got(1:3, 2), 7 * next + [4, 5, 6], 'component of all elements')
  left = x[next]%m(:, 3)
  call check_equal(left, [(1000 * next + i, i=8, 14)], 'allocation on the left')
  left = w(0, 2)[next]%list(1)%k(2:3, 1)
  call check_equal(left, [1000 + next, 1000 + next], 'reallocation on the left')
  sync all

  ! Puts.
  x[next]%n = -me
  x[next]%s = 3 * me
  x[next]%c(0, :) = me + 0.5
  x[next]%m(3:9:2, 6) = [1, 2, 3, 4] * me
  x[next]%in%z(:, 2) = [1.0_real64, 2.0_real64] * me
  w(0, 2)[next]%list(2)%k(1, :) = me
  w(0, 2)[next]%list(1)%z(1, 2) = 4 * me
  w(0, 2)[next]%c(3:1:-1, 1) = [1, 2, 3]
  w(-1, 1)[next]%text(4) = 'put'
  sync all
  call check_equal(x%n, -last, 'put of a plain component')
  call check_equal(x%s, 3 * last, 'put of an allocatable scalar')
  call check(all(x%c(0, :) == last + 0.5) .and. x%c(1, 1) == me + 0.25, 'put of a row')
  call check_equal(x%m(3:9, 6), [last, 1000 * me + 30, 2 * last, 1000 * me + 32, 3 * last, &
    1000 * me + 34, 4 * last], 'put of a section')
  call check(all(x%in%z(:, 2) == [1, 2] * last) .and. x%in%z(1, 1) == me + 0.125, 'nested put')
  call check(all(w(0, 2)%list(2)%k(1, :) == last) .and. &
    all(w(0, 2)%list(2)%k(2:, :) == 2000 + me), &
    'put of a row of a fixed array')
  call check_equal(w(0, 2)%list(1)%z(1, 2), 4.0_real64 * last, 'put three levels deep')
  call check(all(w(0, 2)%c(:, 1) == [3, 2, 1]), 'put in reverse order')
  call check_equal(w(-1, 1)%text(4), 'put    ', 'put of a character, blanks')
  sync all

  ! From image to image.
  if (me == 1) x[n]%m(:, 2) = x[next]%m(:, 3)
  if (me == 1) w(0, 2)[n]%c(:, 3) = x[next]%m(3:5, 4)
  sync all
  if (me == n) then
    j = 1000 * (mod(1, n) + 1)
    call check_equal(x%m(:, 2), [(j + i, i=8, 14)], 'image to image')
    call check(all(w(0, 2)%c(:, 3) == [(j + i, i=15, 17)]), 'converted')
  end if
  sync all

  ! Different sizes on each image, again and again: what free() gets is used again.
  do j = 1, 50
    do i = 1, 3
      r(i)%v = [integer :: ]
      r(i)%v = [(me + 10 * i + j, n=1, me + i + j)]
    end do
    sync all
    do i = 1, 3
      left = r(i)[next]%v
      call check_equal(size(left), next + i + j, 'size of a component')
      call check(all(left == next + 10 * i + j), 'values of a component')
    end do
    sync all
    deallocate (r(2)%v)
    sync all
    call check(allocated(r(1)[next]%v) .and. .not. allocated(r(2)[next]%v), 'deallocated')
    sync all
  end do
  call passed()
end program access_components
