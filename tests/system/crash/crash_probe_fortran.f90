! SPDX-License-Identifier: BSD-3-Clause
!
! As crash_probe.c, in Fortran.
program crash_probe_fortran
    use shmem
    use, intrinsic :: iso_c_binding, only: c_long
    implicit none
    integer(c_long), save, target :: word(1) = 0

    call shmem_init()
    if (shmem_my_pe() == shmem_n_pes() - 1) call put_to_bad_pe()
    call shmem_barrier_all()
    call shmem_finalize()
contains
    subroutine put_to_bad_pe()
        call shmem_put(word, word, 1, 99)  ! HERE fortran
    end subroutine
end program
