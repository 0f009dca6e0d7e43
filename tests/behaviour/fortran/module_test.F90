! SPDX-License-Identifier: BSD-3-Clause
!
! The Fortran module shmem: every kind of routine from Fortran, the data routines with every type.
! It breaks when a generic name leads to the routine of another type, or an argument to another
! place. The first failed check ends the job.
module module_test_types
  use shmem
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
contains
  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    write (error_unit, '(a,i0,a,i0,2a)') 'PE ', shmem_my_pe(), ' of ', shmem_n_pes(), ': ', what
    flush (error_unit)
    call shmem_global_exit(1)
  end subroutine expect

#define SAME a == b
#define NAME int8s
#define T integer(c_int8_t)
#define CONVERT int(i, c_int8_t)
#define ORDERED
#define BITS
#include "one_type.inc"
#define NAME int16s
#define T integer(c_int16_t)
#define CONVERT int(i, c_int16_t)
#define NUMBER
#define ORDERED
#define BITS
#include "one_type.inc"
#define NAME int32s
#define T integer(c_int32_t)
#define CONVERT int(i, c_int32_t)
#define NUMBER
#define ORDERED
#define BITS
#include "one_type.inc"
#define NAME int64s
#define T integer(c_int64_t)
#define CONVERT int(i, c_int64_t)
#define NUMBER
#define ORDERED
#define BITS
#include "one_type.inc"
#define NAME floats
#define T real(c_float)
#define CONVERT real(i, c_float)
#define NUMBER
#define ORDERED
#include "one_type.inc"
#define NAME doubles
#define T real(c_double)
#define CONVERT real(i, c_double)
#define NUMBER
#define ORDERED
#include "one_type.inc"
#define NAME long_doubles
#define T real(c_long_double)
#define CONVERT real(i, c_long_double)
#define NUMBER
#define ORDERED
#include "one_type.inc"
#define NAME complex_floats
#define T complex(c_float_complex)
#define CONVERT cmplx(i, -i, c_float_complex)
#include "one_type.inc"
#define NAME complex_doubles
#define T complex(c_double_complex)
#define CONVERT cmplx(i, -i, c_double_complex)
#include "one_type.inc"
#undef SAME
#define SAME a .eqv. b
#define NAME logicals
#define T logical
#define CONVERT mod(i, 3) == 0
#include "one_type.inc"
#define NAME bools
#define T logical(c_bool)
#define CONVERT logical(mod(i, 3) == 0, c_bool)
#include "one_type.inc"
end module module_test_types

program module_test
  use module_test_types
  implicit none
  type pair
    integer :: number
    real(c_double) :: part
  end type pair
  integer :: n, me, next, before, provided, status, i
  integer(c_int32_t), save, target :: counter = 0, flags(4) = 0
  integer(c_int64_t), save, target :: wide = 0
  integer(c_long), save, target :: lock = 0
  real(c_double), save, target :: real_word = 0
  integer(c_size_t) :: indices(4)
  character(8), save, target :: text = ''
  character(SHMEM_MAX_NAME_LEN) :: name
  type(pair), save, target :: pairs(2)
  real(c_double), pointer :: heap(:), there(:)
  type(c_ptr) :: address
  type(shmem_team_t) :: evens, shared

  call expect(shmem_init_thread(SHMEM_THREAD_SINGLE, provided) == 0, 'init_thread')
  n = shmem_n_pes()
  me = shmem_my_pe()
  next = mod(me + 1, n)
  before = mod(me + n - 1, n)
  call int8s(n, me)
  call int16s(n, me)
  call int32s(n, me)
  call int64s(n, me)
  call floats(n, me)
  call doubles(n, me)
  call long_doubles(n, me)
  call complex_floats(n, me)
  call complex_doubles(n, me)
  call logicals(n, me)
  call bools(n, me)

  ! Characters: counts are strings.
  call shmem_put(text, 'to ' // achar(iachar('A') + next), 1, next)
  call shmem_barrier_all()
  call expect(text(:4) == 'to ' // achar(iachar('A') + me), 'put of a string')

  ! Derived types, as bytes.
  call shmem_putmem(pairs, [pair(me, 0.5d0), pair(-me, 1.5d0)], 32, next)
  call shmem_barrier_all()
  call expect(all(pairs%number == [before, -before]) .and. pairs(2)%part == 1.5d0, 'putmem')

  ! Atomics.
  call shmem_atomic_add(counter, me + 1, 0)
  call shmem_barrier_all()
  call expect(shmem_atomic_fetch(counter, 0) == n * (n + 1) / 2, 'atomic_add')
  call shmem_barrier_all()
  call expect(shmem_atomic_fetch_add(wide, 2_c_int64_t, me) == 0, 'fetch_add')
  call expect(shmem_atomic_compare_swap(wide, 2_c_int64_t, 9_c_int64_t, me) == 2, 'cswap')
  call expect(shmem_atomic_swap(real_word, 1.25d0, me) == 0, 'swap')
  call expect(shmem_atomic_fetch(real_word, me) == 1.25d0, 'fetch')
  call shmem_atomic_set(SHMEM_CTX_DEFAULT, counter, 12, me)
  call shmem_atomic_xor(counter, 5, me)
  call shmem_quiet()
  call expect(counter == 9, 'atomic_xor')
  call shmem_barrier_all()

  ! Signals alone, with and without a context.
  wide = 0
  call shmem_barrier_all()
  call shmem_signal_add(wide, 2_c_int64_t, next)
  call shmem_signal_add(SHMEM_CTX_DEFAULT, wide, 3_c_int64_t, next)
  call expect(shmem_signal_wait_until(wide, SHMEM_CMP_GE, 5_c_int64_t) == 5, 'signal_add')
  call shmem_signal_set(wide, 9_c_int64_t, me)
  call shmem_quiet()
  call expect(shmem_signal_fetch(wide) == 9, 'signal_set')
  call shmem_barrier_all()

  ! Waiting: indices count from 1, 0 is none, and status may be absent.
  call expect(shmem_test_any(flags, 4, SHMEM_CMP_NE, 0) == 0, 'test_any of none')
  call shmem_barrier_all()
  call shmem_atomic_set(flags(3), 8, next)
  call expect(shmem_wait_until_any(flags, 4, SHMEM_CMP_NE, 0) == 3, 'wait_until_any')
  call expect(shmem_test_any(flags, 4_c_size_t, SHMEM_CMP_NE, 0, [0, 0, 1, 0]) == 0, 'status')
  i = int(shmem_wait_until_some(flags, 4, indices, SHMEM_CMP_EQ, 8))
  call expect(i == 1 .and. indices(1) == 3, 'wait_until_some')
  call shmem_wait_until(flags(3), SHMEM_CMP_GE, 8)
  call expect(shmem_test_all_vector(flags, 4, SHMEM_CMP_EQ, [0, 0, 8, 0]) /= 0, 'test_all_vector')

  ! Memory of the heap.
  address = shmem_malloc(800)
  call c_f_pointer(address, heap, [100])
  heap = me
  call shmem_barrier_all()
  call shmem_put(heap(2:), [real(c_double) :: 100 + me], 1, next)
  call shmem_barrier_all()
  call expect(heap(2) == 100 + before .and. heap(3) == me, 'put to the heap')
  call expect(shmem_addr_accessible(heap, next) /= 0, 'addr_accessible')
  address = shmem_ptr(heap, next)
  if (c_associated(address)) then
    call c_f_pointer(address, there, [100])
    call expect(there(2) == 100 + me, 'ptr')
  end if
  call shmem_free(c_loc(heap))

  ! Teams.
  status = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, evens)
  call expect((evens == SHMEM_TEAM_INVALID) .eqv. mod(me, 2) == 1, 'split_strided')
  if (evens /= SHMEM_TEAM_INVALID) then
    call expect(shmem_team_my_pe(evens) == me / 2, 'team_my_pe')
    call expect(shmem_team_translate_pe(evens, 0, SHMEM_TEAM_WORLD) == 0, 'translate_pe')
    status = shmem_team_sync(evens)
    call shmem_team_destroy(evens)
  end if
  shared = SHMEM_TEAM_SHARED
  call expect(shmem_team_n_pes(shared) >= 1, 'shared')

  ! One lock for all; the counter is not atomic.
  flags = 0
  call shmem_barrier_all()
  call shmem_set_lock(lock)
  call shmem_p(flags(1), shmem_g(flags(1), 0) + 1, 0)
  call shmem_clear_lock(lock)
  call shmem_barrier_all()
  call expect(shmem_g(flags(1), 0) == n, 'lock')

  call shmem_info_get_name(name)
  call expect(name(:7) == 'Tessera', 'name')
  call shmem_finalize()
  if (me == 0) print '(a)', 'passed'
end program module_test
