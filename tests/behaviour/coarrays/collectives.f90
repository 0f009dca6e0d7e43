! SPDX-License-Identifier: BSD-3-Clause
!
! co_sum, co_min, co_max and co_broadcast: all types and kinds, scalars, arrays and sections,
! results on one image and on all.
program collectives
  use, intrinsic :: iso_fortran_env
  use checks
  implicit none
  integer, parameter :: i16 = selected_int_kind(38), r10 = selected_real_kind(18)
  type :: record
    integer :: n
    character(5) :: name
    real(real64) :: x(3)
  end type record
  integer :: me, n, stat, i, total
  me = this_image()
  n = num_images()
  total = n * (n + 1) / 2

  call integers()
  call reals()
  call strings()
  call arrays()
  call results_on_one_image()
  call broadcasts()
  call sequences()
  call broadcasts_alone()
  call in_teams()
  call passed()

contains

  subroutine integers()
    integer(int8) :: a
    integer(int16) :: b
    integer(int32) :: c
    integer(int64) :: d
    integer(i16) :: e
    a = int(me, int8)
    call co_sum(a)
    call check_equal(int(a), total, 'co_sum of int8')
    b = int(me * 100, int16)
    call co_max(b, stat=stat)
    call check_equal(int(b), n * 100, 'co_max of int16')
    call check_equal(stat, 0, 'stat of co_max')
    c = -me
    call co_min(c)
    call check_equal(c, -n, 'co_min of int32')
    d = 10_int64**10 + me
    call co_sum(d)
    call check_equal(d, n * 10_int64**10 + total, 'co_sum of int64')
    e = 10_i16**30 * me
    call co_sum(e)
    call check(e == 10_i16**30 * total, 'co_sum of int128')
    e = -10_i16**30 * me
    call co_min(e)
    call check(e == -10_i16**30 * n, 'co_min of int128')
  end subroutine integers

  subroutine reals()
    real(real32) :: a
    real(real64) :: b
    real(real128) :: q, many(20)
    real(r10) :: w
    complex(real32) :: ca
    complex(real64) :: cb
    complex(real128) :: cq
    complex(r10) :: cw
    a = me + 0.5
    call co_sum(a)
    call check_equal(a, total + 0.5 * n, 'co_sum of real32')
    b = -me / 8d0
    call co_max(b)
    call check_equal(b, -0.125d0, 'co_max of real64')
    q = me + 2.0_real128**(-90)
    call co_sum(q)
    call check(q == total + n * 2.0_real128**(-90), 'co_sum of real128')
    many = [(1 / real(i + me, real128), i=1, 20)]
    call co_max(many)
    call check(all(many == [(1 / real(i + 1, real128), i=1, 20)]), 'co_max of real128')
    w = me + 2.0_r10**(-50)
    call co_sum(w)
    call check(w == total + n * 2.0_r10**(-50), 'co_sum of an 80-bit real')
    w = -me / 3.0_r10
    call co_min(w)
    call check(w == -n / 3.0_r10, 'co_min of an 80-bit real')
    ca = cmplx(me, -1)
    call co_sum(ca)
    call check(ca == cmplx(total, -n), 'co_sum of complex')
    cb = cmplx(me, 1d0 / 4, real64)
    call co_sum(cb)
    call check(cb == cmplx(total, n / 4d0, real64), 'co_sum of double complex')
    cq = cmplx(me, 1 + 2.0_real128**(-80), real128)
    call co_sum(cq)
    call check(cq == cmplx(total, n * (1 + 2.0_real128**(-80)), real128), 'co_sum of complex(16)')
    cw = cmplx(me, me + 0.5_r10, r10)
    call co_sum(cw)
    call check(cw == cmplx(total, total + 0.5_r10 * n, r10), 'co_sum of complex(10)')
  end subroutine reals

  subroutine strings()
    character(7) :: a, list(3)
    character(3, kind=4) :: wide
    a = 'img ' // achar(iachar('a') + me) // 'zz'
    call co_max(a)
    call check_equal(a, 'img ' // achar(iachar('a') + n) // 'zz', 'co_max of a string')
    list = ['bb', 'aa', 'cc']
    if (me == n) list(2) = 'AAAAAAA'
    call co_min(list)
    call check_equal(list(1), 'bb     ', 'co_min of strings')
    call check_equal(list(2), 'AAAAAAA', 'co_min of strings')
    wide = 4_'x' // char(300 + me, kind=4) // 4_'y'
    call co_max(wide)
    call check(wide == 4_'x' // char(300 + n, kind=4) // 4_'y', 'co_max of wide characters')
    a = 'image' // achar(iachar('0') + me)
    call co_broadcast(a, n)
    call check_equal(a, 'image' // achar(iachar('0') + n) // ' ', 'co_broadcast of a string')
    list = a
    if (me == 1) list = ['one  ', 'two  ', 'three']
    call co_broadcast(list, 1)
    call check_equal(list(3), 'three  ', 'co_broadcast of strings')
  end subroutine strings

  subroutine arrays()
    integer :: a(10, 10), empty(0)
    real(real64), allocatable :: large(:)
    integer, allocatable :: co(:)[:]
    a = me
    call co_sum(a(2:9:3, 10:1:-4))
    call check_equal(sum(a(2:9:3, 2:10:4)), 9 * total, 'co_sum of a section')
    call check_equal(sum(a), 9 * total + 91 * me, 'the other elements')
    call co_sum(a(:, 1))
    call co_max(empty)
    allocate (large(100000), source=real(me, real64))
    large(77777) = -me
    call co_sum(large)
    call check_equal(large(1), real(total, real64), 'co_sum of a long array')
    call check_equal(large(77777), -real(total, real64), 'co_sum of a long array')
    call check_equal(large(100000), real(total, real64), 'co_sum of a long array')
    allocate (co(4)[*])
    co = me
    sync all
    call co_sum(co)
    call check_equal(co, [(total, i=1, 4)], 'co_sum of a coarray')
    sync all
    call check_equal(co(2)[n], total, 'co_sum of a coarray')
    sync all
  end subroutine arrays

  subroutine results_on_one_image()
    integer :: target, a(3)
    do target = 1, n
      a = [me, -me, 1]
      call co_sum(a, result_image=target, stat=stat)
      if (me == target) call check_equal(a, [total, -total, n], 'co_sum to an image')
      a = [me, -me, 1]
      call co_max(a, target)
      if (me == target) call check_equal(a, [n, -1, 1], 'co_max to an image')
    end do
  end subroutine results_on_one_image

  subroutine broadcasts()
    integer :: source
    type(record) :: r, list(4)
    logical :: flag
    real(real32) :: a(6, 6)
    do source = 1, n
      r = record(me, 'image', me * [1d0, 2d0, 3d0])
      call co_broadcast(r, source)
      call check(r%n == source .and. r%x(3) == 3 * source, 'co_broadcast of a derived type')
      list = record(me, 'some', 0)
      call co_broadcast(list(1:4:3), source, stat=stat)
      call check_equal(list%n, [source, me, me, source], 'co_broadcast of a section of records')
      flag = me == source
      call co_broadcast(flag, source)
      call check(flag, 'co_broadcast of a logical')
      a = me
      call co_broadcast(a(2, :), source)
      call check_equal(nint(sum(a)), 30 * me + 6 * source, 'co_broadcast of a row')
    end do
  end subroutine broadcasts

  ! A source may be ahead of the others, but no further than its data is safe. Other statements
  ! between, and images that come late, in turn.
  subroutine sequences()
    integer :: a, k, source, many(1000)
    real(real64) :: waste
    waste = 0
    do k = 1, 600
      source = merge(1 + mod(k, n), 1, k > 300)
      a = -me
      if (me == source) a = 1000 * k
      if (mod(k, n + 1) + 1 == me) waste = waste + sum([(sqrt(real(i)), i=1, 5000)])
      call co_broadcast(a, source)
      call check_equal(a, 1000 * k, 'co_broadcast in a sequence')
      if (mod(k, 7) == 0) then
        a = me
        call co_sum(a)
        call check_equal(a, total, 'co_sum behind co_broadcast')
      end if
      if (mod(k, 11) == 0) sync all
      if (mod(k, 50) == 0) then
        many = -me
        if (me == source) many = k
        call co_broadcast(many, source, stat=stat)
        call check(stat == 0 .and. all(many == k), 'large co_broadcast behind a small one')
      end if
      if (mod(k, 70) == 0) then
        many = me
        call co_sum(many, stat=stat)
        call check(stat == 0 .and. all(many == total), 'large co_sum behind co_broadcast')
      end if
    end do
    call check(waste >= 0, 'waste')
  end subroutine sequences

  ! No other statement holds the source back. Seven elements have 56 bytes, eight have 64.
  subroutine broadcasts_alone()
    integer(int64) :: a(8)
    integer :: k, elements, source
    real(real64) :: waste
    waste = 0
    do k = 1, 3000
      elements = merge(8, 1 + mod(k, 7), mod(k, 500) == 0)
      source = 1 + mod(k / 100, n)
      a = -me
      if (me == source) a = k
      if (mod(k, 64) == 0 .and. me /= source) waste = waste + sum([(sqrt(real(i)), i=1, 20000)])
      call co_broadcast(a(:elements), source)
      call check(all(a(:elements) == k), 'co_broadcast behind co_broadcast')
      call check(me == source .or. all(a(elements + 1:) == -me), 'co_broadcast of a part')
    end do
    call check(waste >= 0, 'waste')
  end subroutine broadcasts_alone

  subroutine in_teams()
    type(team_type) :: half
    integer :: a
    form team (1 + mod(me, 2), half)
    change team (half)
      a = me
      call co_sum(a)
      call check_equal(a, sum([(i, i=merge(1, 2, mod(me, 2) == 1), n, 2)]), 'co_sum in a team')
      a = me
      call co_broadcast(a, num_images())
      call check_equal(a, n - mod(n - me, 2), 'co_broadcast in a team')
    end team
  end subroutine in_teams
end program collectives
