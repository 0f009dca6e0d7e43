! SPDX-License-Identifier: BSD-3-Clause
!
! Breaks when a program whose interfaces have the names and the arguments of C, with c_ptr for
! addresses, no longer compiles with the module shmem, or moves an address instead of the data.
program address_test
  use shmem
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: n = 10
  integer(c_size_t), parameter :: nelems = n, nbytes = 8 * n
  integer(c_int64_t), save, target :: signal(2) = 0, counter = 0, flag = 0, row(n) = 0, source(n)
  integer(c_long), save, target :: lock = 0
  real(c_double), save, target :: sums(n) = 0, terms(n)
  integer(c_int64_t), target :: here(n)
  integer(c_int64_t), pointer :: block(:)
  type(c_ptr) :: heap, data
  integer(c_int) :: me, npes, right, left
  integer :: i

  call shmem_init()
  me = shmem_my_pe()
  npes = shmem_n_pes()
  right = mod(me + 1, npes)
  left = mod(me + npes - 1, npes)
  heap = shmem_malloc(nbytes)
  call c_f_pointer(heap, block, [n])
  source = [(100_c_int64_t * me + i, i = 1, n)]

  data = c_loc(source)
  call shmem_putmem_signal_nbi(heap, data, nbytes, c_loc(signal(1)), 1_c_int64_t, &
      SHMEM_SIGNAL_OP_SET, right)
  call expect(shmem_signal_wait_until(c_loc(signal(1)), SHMEM_CMP_EQ, 1_c_int64_t) == 1, 'signal')
  call expect(all(block == source + 100 * (left - me)), 'putmem_signal_nbi')
  call expect(shmem_signal_fetch(c_loc(signal(1))) == 1, 'signal_fetch')
  call shmem_barrier_all()

  call shmem_uint64_atomic_set(c_loc(flag), int(me + 1, c_int64_t), right)
  call shmem_int64_wait_until(c_loc(flag), SHMEM_CMP_EQ, int(left + 1, c_int64_t))
  call expect(shmem_long_atomic_fetch(c_loc(flag), right) == me + 1, 'atomic_fetch')
  do i = 1, n
    call shmem_longlong_atomic_inc(c_loc(counter), 0)
    call expect(shmem_size_atomic_fetch_add(c_loc(counter), 1_c_size_t, 0) >= 1, 'fetch_add')
  end do
  call shmem_barrier_all()
  if (me == 0) call expect(counter == 2 * n * npes, 'counter')

  call shmem_int64_put(c_loc(row), c_loc(source), nelems, right)
  call shmem_quiet()
  call shmem_getmem(c_loc(here), c_loc(row), nbytes, right)
  call expect(all(here == source), 'put, getmem')
  here = 0
  call shmem_get64_nbi(c_loc(here), c_loc(row), nelems, right)
  call shmem_quiet()
  call expect(all(here == source), 'get64_nbi')
  here = 0
  call shmem_uint32_iget(c_loc(here), c_loc(row), 2_c_ptrdiff_t, 2_c_ptrdiff_t, nelems, right)
  call expect(all(here == source), 'iget')
  call shmem_barrier_all()
  call shmem_putmem(heap, c_loc(source(3)), 8_c_size_t, right)
  call shmem_long_p(c_loc(block(2)), 7_c_long, right)
  call shmem_barrier_all()
  call expect(block(1) == 100 * left + 3 .and. block(2) == 7, 'putmem, p')
  call expect(shmem_longlong_g(c_loc(block(2)), left) == 7, 'g')

  terms = me
  call expect(shmem_double_sum_reduce(SHMEM_TEAM_WORLD, c_loc(sums), c_loc(terms), nelems) == 0, &
      'reduce fails')
  call expect(all(nint(sums) == npes * (npes - 1) / 2), 'reduce')
  call expect(shmem_broadcastmem(SHMEM_TEAM_WORLD, c_loc(row), c_loc(source), nbytes, 0) == 0, &
      'broadcastmem fails')
  call expect(all(row == [(i, i = 1, n)]), 'broadcastmem')

  call shmem_set_lock(c_loc(lock))
  call shmem_int64_p(c_loc(counter), shmem_int64_g(c_loc(counter), 0) + 1, 0)
  call shmem_quiet()
  call shmem_clear_lock(c_loc(lock))
  call shmem_barrier_all()
  if (me == 0) call expect(counter == (2 * n + 1) * npes, 'lock')

  call expect(c_associated(shmem_ptr(c_loc(block(2)), me), c_loc(block(2))), 'shmem_ptr')
  call expect(shmem_addr_accessible(heap, right) == 1, 'addr_accessible')
  call expect(shmem_addr_accessible(c_loc(here), right) == 0, 'addr_accessible of local memory')
  if (me == 0) print '(a)', 'passed'
  call shmem_free(heap)
  call shmem_finalize()

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    write (error_unit, '(a,i0,2a)') 'PE ', me, ': ', what
    flush (error_unit)
    call shmem_global_exit(1)
  end subroutine expect
end program address_test
