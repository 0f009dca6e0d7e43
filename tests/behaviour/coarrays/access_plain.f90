! SPDX-License-Identifier: BSD-3-Clause
!
! Access to coarrays without allocatable components: scalars, sections with strides, components of
! arrays of derived types, vector subscripts, overlap on the own image, images as expressions,
! assignments from one image to another, program order. gfortran 12 forgets the place of a component
! in a section (q(2:4)[i]%j accesses %i), so sections are of first components only.
program access_plain
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use checks
  implicit none
  type :: point
    integer :: i
    real(real64) :: x
    integer :: j
  end type point
  integer :: s[*], a(-3:6, 2:9)[*], v(8)[*], line(400)[*]
  type(point) :: q(5)[*], one[*]
  character(7) :: text(3)[*]
  character(13) :: long = 'longer than 7'
  character(2) :: part
  complex(real64) :: c(4)[*]
  integer, allocatable :: d(:, :)[:]
  integer :: me, n, next, last, i, j, k, two(2), list(8), b(10, 8), values(5)
  integer(int64) :: wide(3)
  integer(int8) :: narrow(2)

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  last = mod(me - 2 + n, n) + 1
  s = me
  do j = 2, 9
    do i = -3, 6
      a(i, j) = element(me, i, j)
    end do
  end do
  allocate (d(0:4, -1:3)[*])
  do j = -1, 3
    do i = 0, 4
      d(i, j) = element(me, i, j)
    end do
  end do
  do i = 1, 5
    q(i) = point(100 * me + i, me + i / 8.0_real64, -i)
  end do
  text = ['alpha  ', 'beta   ', 'gamma  ']
  text(1)(7:7) = achar(iachar('0') + me)
  c = [(cmplx(me, i, real64), i=1, 4)]
  v = 0
  one = point(me, me, me)
  sync all

  call check_equal(s[next], next, 'scalar')
  call check_equal(a(4, 7)[next], element(next, 4, 7), 'element')
  b = a(:, :)[next]
  do j = 2, 9
    do i = -3, 6
      call check_equal(b(i + 4, j - 1), element(next, i, j), 'whole array')
    end do
  end do
  b(1:5, 1:3) = a(-3:6:2, 9:2:-3)[next]
  do j = 1, 3
    do i = 1, 5
      call check_equal(b(i, j), element(next, 2 * i - 5, 12 - 3 * j), 'strides')
    end do
  end do
  b(3, 1:8) = a(-1, :)[next]
  call check_equal(b(3, 1:8), [(element(next, -1, j), j=2, 9)], 'row')
  values = q(:)[next]%i
  call check_equal(values, [(100 * next + i, i=1, 5)], 'component of an array')
  values(1:2) = q(2:5:3)[next]%i
  call check_equal(values(1:2), [100 * next + 2, 100 * next + 5], 'component of a section')
  call check_equal(q(3)[next]%x, next + 3 / 8.0_real64, 'component of an element')
  call check_equal(one[next]%j, next, 'component')
  call check_equal(text(1)[next], 'alpha ' // achar(iachar('0') + next), 'character')
  part = text(2)[next](2:3)
  call check_equal(part, 'et', 'substring')
  call check_equal(aimag(c(3)[next]), 3.0_real64, 'complex')
  b(1:5, 1:5) = d(:, :)[next]
  call check_equal(b(4, 2), element(next, 3, 0), 'allocatable')
  two = d(4:2:-2, 1)[next]
  call check_equal(two, [element(next, 4, 1), element(next, 2, 1)], 'section of an allocatable')

  ! Vector subscripts of all kinds.
  list(1:3) = [6, -3, 0]
  b(1:3, 1) = a(list(1:3), 5)[next]
  call check_equal(b(1:3, 1), [(element(next, list(i), 5), i=1, 3)], 'vector')
  wide = [9, 2, 2]
  b(1:4, 1:3) = a(0:6:2, wide)[next]
  do j = 1, 3
    call check_equal(b(1:4, j), [(element(next, i, int(wide(j))), i=0, 6, 2)], 'vector of columns')
  end do
  narrow = [int(4, int8), int(1, int8)]
  b(1:2, 1:3) = d(narrow, [3, -1, 0])[next]
  call check_equal(b(2, 2), element(next, 1, -1), 'two vectors')
  b(1:3, 1:2) = d([0, 0, 2], -1:3:4)[next]
  call check_equal(b(3, 2), element(next, 2, 3), 'vector and range')
  k = 5
  b(1:0, 1) = a(list(1:k - 5), 4)[next]
  sync all

  ! Puts.
  s[next] = -me
  a(-3, 2)[next] = 7 * me
  a(6:-3:-3, 4)[next] = [1, 2, 3, 4] + me
  a(:, 5:6)[next] = me
  a([1, 5, 3], 9)[next] = [11, 12, 13] * me
  a(0, [3, 8])[next] = -5
  q(2:4)[next]%i = [21, 22, 23] * me
  q(1)[next]%x = 0.5_real64 * me
  text(3)[next] = long
  text(2)[next] = 'no'
  c(2:4:2)[next] = (1.0_real64, -2.0_real64)
  d(:, 3)[next] = [5, 4, 3, 2, 1]
  one[next] = point(9, 8.0_real64, 7)
  sync all
  call check_equal(s, -last, 'put of a scalar')
  call check_equal(a(-3, 2), 7 * last, 'put of an element')
  call check_equal(a(:, 4), &
    [(merge(3 - i / 3 + last, element(me, i, 4), mod(i, 3) == 0), i=-3, 6)], &
    'put of a section')
  call check(all(a(:, 5:6) == last), 'put of one value to many')
  call check_equal(a(:, 9), [(element(me, i, 9), i=-3, 0), 11 * last, element(me, 2, 9), &
    13 * last, element(me, 4, 9), 12 * last, element(me, 6, 9)], 'put with a vector')
  call check_equal(a(0, 2:9), [element(me, 0, 2), -5, 3 + last, last, last, &
    element(me, 0, 7), -5, element(me, 0, 9)], 'put of one value with a vector')
  call check_equal(q%i, [100 * me + 1, 21 * last, 22 * last, 23 * last, 100 * me + 5], &
    'put of components')
  call check_equal(q%j, [(-i, i=1, 5)], 'neighbours of components')
  call check_equal(q(1)%x, 0.5_real64 * last, 'put of a component')
  call check_equal(text(3), 'longer ', 'put of a long character')
  call check_equal(text(2), 'no     ', 'put of a short character')
  call check(c(4) == (1.0_real64, -2.0_real64) .and. real(c(3)) == me, 'put of complex')
  call check_equal(d(:, 3), [5, 4, 3, 2, 1], 'put to an allocatable')
  call check(one%i == 9 .and. one%x == 8 .and. one%j == 7, 'put of a derived type')
  sync all

  ! From image to image, also both the same, and overlap with itself.
  v = [(10 * me + i, i=1, 8)]
  sync all
  if (me == 1) v(2:8)[n] = v(1:7)[n]
  if (me == n) a(1:3, 2)[1] = v([3, 1, 2])[1]
  sync all
  if (me == n) call check_equal(v, 10 * n + [1, 1, 2, 3, 4, 5, 6, 7], 'overlap')
  if (me == 1 .and. n > 1) call check_equal(a(1:3, 2), [13, 11, 12], 'image to image')
  sync all
  v = [(i, i=1, 8)]
  v(8:1:-1)[me] = v
  call check_equal(v, [8, 7, 6, 5, 4, 3, 2, 1], 'put to the own image')
  v(1:7) = v(2:8)[me]
  call check_equal(v, [7, 6, 5, 4, 3, 2, 1, 1], 'get from the own image')
  line = [(i, i=1, 400)]
  line(400:1:-1)[me] = line
  call check_equal(line, [(401 - i, i=1, 400)], 'put of a line in reverse order')
  line = [(i, i=1, 400)]
  line(3:400)[me] = line(1:398)
  call check_equal(line, [1, 2, (i, i=1, 398)], 'put of a line two elements on')
  line = [(i, i=1, 400)]
  line(3:399:2)[me] = line(1:397:2)
  call check_equal(line(1:7), [1, 2, 1, 4, 3, 6, 5], 'put of every second element two on')
  call check_equal(line(399), 397, 'last of every second element')
  sync all

  ! Program order of one image's accesses to the same memory.
  do i = 1, 200
    s[next] = i
    if (s[next] /= i) error stop 'a get does not see the put before it'
    v(:)[next] = i
    v(3:4)[next] = -i
    v(4:4)[next] = i + 1
    list = v(:)[next]
    call check_equal(list, [i, i, -i, i + 1, i, i, i, i], 'order of puts')
  end do
  sync all
  call check_equal(s, 200, 'last put')
  deallocate (d)
  call passed()

contains

  pure integer function element(image, i, j)
    integer, intent(in) :: image, i, j
    element = 10000 * image + 100 * i + j
  end function element
end program access_plain
