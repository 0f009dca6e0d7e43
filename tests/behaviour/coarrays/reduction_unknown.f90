! SPDX-License-Identifier: BSD-3-Clause
!
! co_reduce of types whose functions return them by other rules than elsewhere: in memory, without
! alignment (-fpack-derived) or because of -fpcc-struct-return. Without debug information (-g0) the
! library refuses them.
program reduction_unknown
  use, intrinsic :: iso_fortran_env, only: int8, int32, real32, real64
  use checks
  implicit none
  type :: parts
    sequence
    integer(int32) :: n
    real(real32) :: x
    real(real64) :: z
  end type parts
  type :: packed
    sequence
    integer(int8) :: n
    real(real64) :: z
  end type packed
  type(parts) :: p
  type(packed) :: q
  integer :: me, n
  me = this_image()
  n = num_images()
  p = parts(me, me / 2.0, me / 4d0)
  call co_reduce(p, sum_parts)
  call check(p%n == n * (n + 1) / 2 .and. p%x == n * (n + 1) / 4.0, 'sums of the first word')
  call check(p%z == n * (n + 1) / 8d0, 'sum of the second word')
  q = packed(int(me, int8), me / 4d0)
  call co_reduce(q, sum_packed)
  call check(q%n == n * (n + 1) / 2 .and. q%z == n * (n + 1) / 8d0, 'sums of a packed type')
  call passed()

contains

  pure type(parts) function sum_parts(p, q)
    type(parts), intent(in) :: p, q
    sum_parts = parts(p%n + q%n, p%x + q%x, p%z + q%z)
  end function sum_parts

  pure type(packed) function sum_packed(p, q)
    type(packed), intent(in) :: p, q
    sum_packed = packed(p%n + q%n, p%z + q%z)
  end function sum_packed
end program reduction_unknown
