! SPDX-License-Identifier: BSD-3-Clause
!
! co_reduce with functions of all kinds of types: intrinsic types by reference and by value,
! strings, and derived types whose results come back in each class of registers.
module operations
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: i16 = selected_int_kind(38), r10 = selected_real_kind(18)

  type :: ints2            ! rax
    integer :: a, b
  end type ints2
  type :: reals2           ! xmm0
    real :: x, y
  end type reals2
  type :: mixed            ! rax: both in one word
    real :: x
    integer :: n
  end type mixed
  type :: one_real         ! xmm0
    real :: x
  end type one_real
  type :: tiny             ! al
    integer(int8) :: n
  end type tiny
  type :: ints4            ! rax, rdx
    integer(int64) :: a, b
  end type ints4
  type :: doubles2         ! xmm0, xmm1
    real(real64) :: x, y
  end type doubles2
  type :: int_double       ! rax, xmm0
    integer(int64) :: n
    real(real64) :: x
  end type int_double
  type :: double_int       ! xmm0, rax
    real(real64) :: x
    integer(int64) :: n
  end type double_int
  type :: three            ! rax, rdx
    integer :: n(3)
  end type three
  type :: large            ! through a pointer
    integer :: n
    character(3) :: name
    real(real64) :: x(5)
  end type large

  type :: mixed_words      ! xmm0, rax: a real and an integer in the second word
    real(real64) :: z
    real :: x
    integer :: n
  end type mixed_words
  type :: quad             ! all of xmm0
    real(real128) :: x
  end type quad
  type :: extended         ! the floating-point stack
    real(r10) :: x
  end type extended
  type :: complexes        ! xmm0, xmm1
    complex :: c(2)
  end type complexes
  type :: reals3           ! xmm0, xmm1
    real :: x(3)
  end type reals3
  type :: parent           ! rax
    integer(int8) :: n(2)
  end type parent
  type, extends(parent) :: child  ! rax, xmm0
    real :: x
    type(one_real) :: y(2)
  end type child
  type :: texts            ! rax, rdx
    character(3) :: t(2)
    logical(int8) :: l
    real :: x
  end type texts
  type :: wide_text        ! rax
    character(2, 4) :: t
  end type wide_text
  type :: nothing
  end type nothing

contains

  pure integer(int8) function max8(a, b)
    integer(int8), intent(in) :: a, b
    max8 = max(a, b)
  end function max8
  pure integer function product32(a, b)
    integer, intent(in) :: a, b
    product32 = a * b
  end function product32
  pure integer function value32(a, b)
    integer, value :: a, b
    value32 = ieor(a, b)
  end function value32
  pure integer(int64) function sum64(a, b)
    integer(int64), intent(in) :: a, b
    sum64 = a + b
  end function sum64
  pure integer(i16) function sum128(a, b)
    integer(i16), intent(in) :: a, b
    sum128 = a + b
  end function sum128
  pure logical function both(a, b)
    logical, intent(in) :: a, b
    both = a .and. b
  end function both
  pure real function min32(a, b)
    real, intent(in) :: a, b
    min32 = min(a, b)
  end function min32
  pure real(real64) function value64(a, b)
    real(real64), value :: a, b
    value64 = a + b
  end function value64
  pure real(r10) function sum10(a, b)
    real(r10), intent(in) :: a, b
    sum10 = a + b
  end function sum10
  pure real(real128) function sum16(a, b)
    real(real128), intent(in) :: a, b
    sum16 = a + b
  end function sum16
  pure complex function product_c(a, b)
    complex, intent(in) :: a, b
    product_c = a * b
  end function product_c
  pure complex(real64) function sum_z(a, b)
    complex(real64), intent(in) :: a, b
    sum_z = a + b
  end function sum_z
  pure complex(real128) function sum_zq(a, b)
    complex(real128), intent(in) :: a, b
    sum_zq = a + b
  end function sum_zq
  pure function longest(a, b) result(c)
    character(*), intent(in) :: a, b
    character(len(a)) :: c
    c = merge(a, b, len_trim(a) >= len_trim(b))
  end function longest

  pure type(ints2) function sum_ints2(p, q)
    type(ints2), intent(in) :: p, q
    sum_ints2 = ints2(p%a + q%a, max(p%b, q%b))
  end function sum_ints2
  pure type(reals2) function sum_reals2(p, q)
    type(reals2), intent(in) :: p, q
    sum_reals2 = reals2(p%x + q%x, max(p%y, q%y))
  end function sum_reals2
  pure type(mixed) function sum_mixed(p, q)
    type(mixed), intent(in) :: p, q
    sum_mixed = mixed(p%x + q%x, p%n + q%n)
  end function sum_mixed
  pure type(one_real) function sum_one(p, q)
    type(one_real), intent(in) :: p, q
    sum_one = one_real(p%x + q%x)
  end function sum_one
  pure type(tiny) function max_tiny(p, q)
    type(tiny), intent(in) :: p, q
    max_tiny = tiny(max(p%n, q%n))
  end function max_tiny
  pure type(ints4) function sum_ints4(p, q)
    type(ints4), intent(in) :: p, q
    sum_ints4 = ints4(p%a + q%a, max(p%b, q%b))
  end function sum_ints4
  pure type(doubles2) function sum_doubles2(p, q)
    type(doubles2), intent(in) :: p, q
    sum_doubles2 = doubles2(p%x + q%x, p%y * q%y)
  end function sum_doubles2
  pure type(int_double) function sum_int_double(p, q)
    type(int_double), intent(in) :: p, q
    sum_int_double = int_double(p%n + q%n, p%x + q%x)
  end function sum_int_double
  pure type(double_int) function sum_double_int(p, q)
    type(double_int), intent(in) :: p, q
    sum_double_int = double_int(p%x + q%x, p%n + q%n)
  end function sum_double_int
  pure type(three) function sum_three(p, q)
    type(three), intent(in) :: p, q
    sum_three%n = p%n + q%n
  end function sum_three
  pure type(large) function sum_large(p, q)
    type(large), intent(in) :: p, q
    sum_large = large(p%n + q%n, p%name, p%x + q%x)
  end function sum_large
  ! The largest number with its place: a loop, branches, and calls inside.
  pure type(double_int) function maxloc_pair(p, q)
    type(double_int), intent(in) :: p, q
    maxloc_pair = p
    if (q%x > p%x .or. (q%x == p%x .and. q%n < p%n)) maxloc_pair = q
  end function maxloc_pair
  pure type(doubles2) function norm_pair(p, q)
    type(doubles2), intent(in) :: p, q
    integer :: i
    norm_pair = doubles2(sqrt(p%x**2 + q%x**2), p%y)
    do i = 1, 3
      norm_pair%y = max(norm_pair%y, q%y)
    end do
  end function norm_pair
  pure type(mixed_words) function sum_mixed_words(p, q)
    type(mixed_words), intent(in) :: p, q
    sum_mixed_words = mixed_words(p%z + q%z, p%x + q%x, p%n + q%n)
  end function sum_mixed_words
  pure type(quad) function sum_quad(p, q)
    type(quad), intent(in) :: p, q
    sum_quad = quad(p%x + q%x)
  end function sum_quad
  pure type(extended) function sum_extended(p, q)
    type(extended), intent(in) :: p, q
    sum_extended = extended(p%x + q%x)
  end function sum_extended
  pure type(complexes) function sum_complexes(p, q)
    type(complexes), intent(in) :: p, q
    sum_complexes%c = p%c + q%c
  end function sum_complexes
  pure type(reals3) function sum_reals3(p, q)
    type(reals3), intent(in) :: p, q
    sum_reals3%x = p%x + q%x
  end function sum_reals3
  pure type(child) function sum_child(p, q)
    type(child), intent(in) :: p, q
    sum_child%n = p%n + q%n
    sum_child%x = p%x + q%x
    sum_child%y%x = p%y%x + q%y%x
  end function sum_child
  pure type(texts) function max_texts(p, q)
    type(texts), intent(in) :: p, q
    max_texts = p
    if (q%x > p%x) max_texts = q
  end function max_texts
  pure type(wide_text) function max_wide_text(p, q)
    type(wide_text), intent(in) :: p, q
    max_wide_text = p
    if (q%t > p%t) max_wide_text = q
  end function max_wide_text
  pure type(nothing) function both_nothing(p, q)
    type(nothing), intent(in) :: p, q
    both_nothing = p
    if (.false.) both_nothing = q
  end function both_nothing
  ! By value.
  pure type(mixed_words) function value_mixed_words(p, q)
    type(mixed_words), value :: p, q
    value_mixed_words = mixed_words(p%z + q%z, p%x + q%x, p%n + q%n)
  end function value_mixed_words
  pure type(three) function value_three(p, q)
    type(three), value :: p, q
    value_three%n = p%n + q%n
  end function value_three
  pure type(extended) function value_extended(p, q)
    type(extended), value :: p, q
    value_extended = extended(p%x + q%x)
  end function value_extended

  ! A function that uses a variable of its host is called through code on the stack.
  subroutine reduce_by_internal(k, most)
    type(double_int), intent(inout) :: k
    integer, intent(in) :: most
    integer :: limit(most)
    limit = most
    call co_reduce(k, limited)
  contains
    pure type(double_int) function limited(p, q)
      type(double_int), intent(in) :: p, q
      limited = double_int(p%x + q%x, min(p%n + q%n, int(limit(most), int64)))
    end function limited
  end subroutine reduce_by_internal
end module operations

program reductions
  use checks
  use operations
  implicit none
  integer :: me, n, total, i, round
  me = this_image()
  n = num_images()
  total = n * (n + 1) / 2
  do round = 1, 3
    call intrinsic_types()
    call strings()
    call derived_types()
    call more_derived_types()
    call arrays()
  end do
  call passed()

contains

  subroutine intrinsic_types()
    integer(int8) :: a
    integer :: b
    integer(int64) :: c
    integer(i16) :: d
    logical :: l
    real :: r
    real(real64) :: s
    real(r10) :: w
    real(real128) :: q
    complex :: z
    complex(real64) :: zz
    complex(real128) :: zq
    a = int(10 * me, int8)
    call co_reduce(a, max8)
    call check_equal(int(a), 10 * n, 'int8')
    b = 2
    call co_reduce(b, product32)
    call check_equal(b, 2**n, 'int32')
    b = ishft(1, me)
    call co_reduce(b, value32)
    call check_equal(b, 2**(n + 1) - 2, 'int32 by value')
    c = 10000000000_int64 + me
    call co_reduce(c, sum64)
    call check_equal(c, n * 10000000000_int64 + total, 'int64')
    d = 10_i16**25 + me
    call co_reduce(d, sum128)
    call check(d == n * 10_i16**25 + total, 'int128')
    l = me /= n
    call co_reduce(l, both)
    call check(.not. l, 'logical')
    r = me + 0.25
    call co_reduce(r, min32, result_image=n)
    if (me == n) call check_equal(r, 1.25, 'real32')
    s = me * 0.5d0
    call co_reduce(s, value64)
    call check_equal(s, total * 0.5d0, 'real64 by value')
    w = me + 2.0_r10**(-40)
    call co_reduce(w, sum10)
    call check(w == total + n * 2.0_r10**(-40), '80-bit real')
    q = me + 2.0_real128**(-70)
    call co_reduce(q, sum16)
    call check(q == total + n * 2.0_real128**(-70), 'real128')
    z = (0.0, 1.0)
    call co_reduce(z, product_c)
    call check(z == (0.0, 1.0)**n, 'complex')
    zz = cmplx(me, -me, real64)
    call co_reduce(zz, sum_z)
    call check(zz == cmplx(total, -total, real64), 'double complex')
    zq = cmplx(me, -me - 2.0_real128**(-70), real128)
    call co_reduce(zq, sum_zq)
    call check(zq == cmplx(total, -total - n * 2.0_real128**(-70), real128), 'complex(16)')
  end subroutine intrinsic_types

  subroutine strings()
    character(12) :: text
    text = repeat('x', me)
    call co_reduce(text, longest)
    call check_equal(text, repeat('x', n) // repeat(' ', 12 - n), 'string')
  end subroutine strings

  subroutine derived_types()
    type(ints2) :: a
    type(reals2) :: b
    type(mixed) :: c
    type(one_real) :: d
    type(tiny) :: e
    type(ints4) :: f
    type(doubles2) :: g
    type(int_double) :: h
    type(double_int) :: k
    type(three) :: l
    type(large) :: m
    a = ints2(me, -me)
    call co_reduce(a, sum_ints2)
    call check(a%a == total .and. a%b == -1, 'two integers')
    b = reals2(me, -me)
    call co_reduce(b, sum_reals2)
    call check(b%x == total .and. b%y == -1, 'two reals')
    c = mixed(me / 2.0, me)
    call co_reduce(c, sum_mixed)
    call check(c%x == total / 2.0 .and. c%n == total, 'a real and an integer')
    d = one_real(me)
    call co_reduce(d, sum_one)
    call check(d%x == total, 'one real')
    e = tiny(int(me, int8))
    call co_reduce(e, max_tiny)
    call check(e%n == n, 'one byte')
    f = ints4(me * 10000000000_int64, -me)
    call co_reduce(f, sum_ints4)
    call check(f%a == total * 10000000000_int64 .and. f%b == -1, 'two long integers')
    g = doubles2(me / 4d0, 2d0)
    call co_reduce(g, sum_doubles2)
    call check(g%x == total / 4d0 .and. g%y == 2d0**n, 'two doubles')
    h = int_double(me, me / 4d0)
    call co_reduce(h, sum_int_double)
    call check(h%n == total .and. h%x == total / 4d0, 'an integer and a double')
    k = double_int(me / 4d0, -me)
    call co_reduce(k, sum_double_int)
    call check(k%n == -total .and. k%x == total / 4d0, 'a double and an integer')
    k = double_int(me / 4d0, me)
    call reduce_by_internal(k, n)
    call check(k%n == n .and. k%x == total / 4d0, 'internal function')
    k = double_int(mod(me, 3) + 0.1d0, me)
    call co_reduce(k, maxloc_pair)
    call check(k%n == min(n, 2) .and. k%x == min(n, 2) + 0.1d0, 'maximum and its place')
    g = doubles2(1, me)
    call co_reduce(g, norm_pair)
    call check(abs(g%x - sqrt(real(n, real64))) < 1d-9 .and. g%y == n, 'norm and maximum')
    l = three([me, -me, 7])
    call co_reduce(l, sum_three)
    call check(all(l%n == [total, -total, 7 * n]), 'three integers')
    m = large(me, 'abc', me * [1d0, 2d0, 3d0, 4d0, 5d0])
    call co_reduce(m, sum_large)
    call check(m%n == total .and. m%x(5) == 5 * total .and. m%name == 'abc', 'a large type')
  end subroutine derived_types

  subroutine more_derived_types()
    type(mixed_words) :: a
    type(quad) :: b
    type(extended) :: c
    type(complexes) :: d
    type(reals3) :: e
    type(child) :: f
    type(texts) :: g
    type(wide_text) :: h
    type(nothing) :: z
    type(three) :: l
    a = mixed_words(me / 8d0, me / 4.0, me)
    call co_reduce(a, sum_mixed_words)
    call check(a%z == total / 8d0 .and. a%x == total / 4.0 .and. a%n == total, 'mixed words')
    a = mixed_words(me / 8d0, me / 4.0, me)
    call co_reduce(a, value_mixed_words)
    call check(a%z == total / 8d0 .and. a%x == total / 4.0 .and. a%n == total, 'by value')
    b = quad(me + 2.0_real128**(-70))
    call co_reduce(b, sum_quad)
    call check(b%x == total + n * 2.0_real128**(-70), 'type of kind 16')
    c = extended(me + 2.0_r10**(-40))
    call co_reduce(c, sum_extended)
    call check(c%x == total + n * 2.0_r10**(-40), 'type of kind 10')
    c = extended(me + 2.0_r10**(-40))
    call co_reduce(c, value_extended)
    call check(c%x == total + n * 2.0_r10**(-40), 'type of kind 10 by value')
    d%c = [cmplx(me, -me), cmplx(2 * me, 7)]
    call co_reduce(d, sum_complexes)
    call check(all(d%c == [cmplx(total, -total), cmplx(2 * total, 7 * n)]), 'complex numbers')
    e%x = [me / 2.0, real(-me), 3.0]
    call co_reduce(e, sum_reals3)
    call check(all(e%x == [total / 2.0, real(-total), 3.0 * n]), 'three reals')
    f%n = int([me, -me], int8)
    f%x = me / 2.0
    f%y%x = [real(me), 1.0]
    call co_reduce(f, sum_child)
    call check(all(f%n == [total, -total]) .and. f%x == total / 2.0 .and. &
               all(f%y%x == [real(total), 1.0 * n]), 'an extended type with nested types')
    g = texts(['abc', achar(96 + me) // 'xy'], .true., me)
    call co_reduce(g, max_texts)
    call check(all(g%t == ['abc', achar(96 + n) // 'xy']) .and. g%l .and. g%x == n, 'characters')
    h%t = repeat(char(1000 + me, 4), 2)
    call co_reduce(h, max_wide_text)
    call check(h%t == repeat(char(1000 + n, 4), 2), 'characters of kind 4')
    call co_reduce(z, both_nothing)
    l = three([me, -me, 7])
    call co_reduce(l, value_three)
    call check(all(l%n == [total, -total, 7 * n]), 'three integers by value')
  end subroutine more_derived_types

  ! Not commutative, but associative: the place of an image in the order shows.
  subroutine arrays()
    type(doubles2) :: g(50)
    integer :: a(7, 9)
    g = [(doubles2(i * me, 1d0), i=1, 50)]
    call co_reduce(g, sum_doubles2)
    call check(all(g%x == [(1d0 * i * total, i=1, 50)]), 'array of two doubles')
    a = 2
    call co_reduce(a(2:7:2, 1:9:4), product32)
    call check_equal(sum(a), 9 * 2**n + 2 * (63 - 9), 'section')
  end subroutine arrays
end program reductions
