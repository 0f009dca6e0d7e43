! SPDX-License-Identifier: BSD-3-Clause
!
! ring_shmem: OpenSHMEM from Fortran. A token goes round all PEs, and each adds its number.
!
!     oshfort ring_shmem.f90 -o ring_shmem
!     oshrun -n 4 ./ring_shmem [ROUNDS]
!
! Put-with-signal moves the token and tells its receiver in one call. A variable that other PEs
! write is symmetric, so it has `save`, and it is a target, because the compiler must not keep it in
! a register.
program ring_shmem
  use shmem
  use, intrinsic :: iso_c_binding, only: c_int64_t
  implicit none
  integer(c_int64_t), save, target :: token(2) = 0, arrived = 0
  integer(c_int64_t) :: signal, expected
  integer :: me, pes, next, rounds, round, status
  character(20) :: text

  call shmem_init()
  me = shmem_my_pe()
  pes = shmem_n_pes()
  next = mod(me + 1, pes)
  rounds = 3
  call get_command_argument(1, text, status=status)
  if (status == 0) read (text, *) rounds

  do round = 1, rounds
    if (me > 0 .or. round > 1) then
      signal = shmem_signal_wait_until(arrived, SHMEM_CMP_GE, count_of(round))
    end if
    token = token + [me, 1]   ! the sum of the PEs' numbers, and the number of additions
    call shmem_put_signal(token, token, size(token), arrived, 1_c_int64_t, SHMEM_SIGNAL_OP_ADD, &
        next)
  end do

  if (me == 0) then
    signal = shmem_signal_wait_until(arrived, SHMEM_CMP_GE, int(rounds, c_int64_t))
    expected = int(rounds, c_int64_t) * pes * (pes - 1) / 2
    print '(a,i0,a,i0)', 'The token has been on ', token(2), ' PEs; their numbers add up to ', &
        token(1)
    if (token(1) /= expected .or. token(2) /= rounds * pes) call shmem_global_exit(1)
  end if
  call shmem_finalize()

contains

  ! How often the token has come to this PE before its turn in a round. PE 0 begins the first one.
  integer(c_int64_t) function count_of(round)
    integer, intent(in) :: round
    count_of = merge(round - 1, round, me == 0)
  end function count_of
end program ring_shmem
