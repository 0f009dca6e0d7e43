! SPDX-License-Identifier: BSD-3-Clause
!
! Atomics: each by coarray and by address, all images on words of image 1.
module atomics_test
  use checks
  implicit none

contains

  subroutine test_atomics()
    type(prif_coarray_handle) :: coarray
    integer(c_int64_t), pointer :: data(:)
    integer(c_intptr_t) :: address(9)
    integer(c_int64_t) :: mine, old, all_bits, wanted
    logical(PRIF_ATOMIC_LOGICAL_KIND) :: was
    integer(c_int) :: stat
    integer :: i

    call make(9, coarray, data)
    do i = 1, 9
      address(i) = address_on(1, data, i)
    end do
    mine = ishft(1_c_int64_t, me)
    all_bits = ishft(1_c_int64_t, images + 1) - 2
    if (me == 1) data = [0_c_int64_t, not(0_c_int64_t), 0_c_int64_t, all_bits, 0_c_int64_t, &
        0_c_int64_t, 0_c_int64_t, 0_c_int64_t, 0_c_int64_t]
    call sync()

    call prif_atomic_add(1, coarray, 0 * word, int(me, 8))
    call prif_atomic_add_indirect(1, address(1), -3_8, stat)
    call check(stat == 0, "prif_atomic_add_indirect")
    call prif_atomic_and(1, coarray, 1 * word, not(mine))
    call prif_atomic_and_indirect(1, address(2), not(mine * 2**16))
    call prif_atomic_or(1, coarray, 2 * word, mine)
    call prif_atomic_or_indirect(1, address(3), mine * 2**16, stat)
    call prif_atomic_xor(1, coarray, 3 * word, mine)
    call prif_atomic_xor_indirect(1, address(4), mine * 2**16)
    call sync()
    call prif_atomic_ref_int(1, coarray, 0 * word, old)
    call check(old == images * (images + 1) / 2 - 3 * images, "the sum")
    call prif_atomic_ref_int_indirect(1, address(2), old, stat)
    call check(old == not(all_bits * (1 + 2**16)) .and. stat == 0, "the and")
    call prif_atomic_ref_int(1, coarray, 2 * word, old)
    call check(old == all_bits * (1 + 2**16), "the or")
    call prif_atomic_ref_int(1, coarray, 3 * word, old)
    call check(old == all_bits * 2**16, "the xor")

    call prif_atomic_fetch_add(1, coarray, 4 * word, 1_8, old)
    call check(old >= 0 .and. old < 2 * images, "the value before prif_atomic_fetch_add")
    call prif_atomic_fetch_add_indirect(1, address(5), 1_8, old, stat)
    call check(old >= 1 .and. old < 2 * images, "the value before the indirect one")
    call prif_atomic_fetch_or(1, coarray, 5 * word, mine, old)
    call check(iand(old, mine) == 0, "the value before prif_atomic_fetch_or")
    call prif_atomic_fetch_and_indirect(1, address(6), not(mine), old)
    call check(iand(old, mine) /= 0, "the value before prif_atomic_fetch_and_indirect")
    call prif_atomic_fetch_xor(1, coarray, 5 * word, mine, old)
    call check(iand(old, mine) == 0, "the value before prif_atomic_fetch_xor")
    call prif_atomic_fetch_xor_indirect(1, address(6), mine, old)
    call check(iand(old, mine) /= 0, "the value before the indirect xor")
    call prif_atomic_fetch_or_indirect(1, address(6), mine, old)
    call check(iand(old, mine) == 0, "the value before the indirect or")
    call prif_atomic_fetch_and(1, coarray, 5 * word, not(mine), old, stat)
    call check(iand(old, mine) /= 0 .and. stat == 0, "the value before prif_atomic_fetch_and")

    ! Each image counts by compare and swap, once in each form.
    do i = 0, 1
      wanted = 0
      do
        if (i == 0) then
          call prif_atomic_cas_int(1, coarray, 6 * word, old, wanted, wanted + me)
        else
          call prif_atomic_cas_int_indirect(1, address(7), old, compare=wanted, new=wanted + me)
        end if
        if (old == wanted) exit
        wanted = old
      end do
    end do
    ! One image takes each flag.
    call prif_atomic_cas_logical(1, coarray, 7 * word, was, logical(.false., 8), logical(.true., 8))
    if (.not. was) call prif_atomic_add(1, coarray, 8 * word, 1_8)
    call sync()
    call prif_atomic_cas_logical_indirect(1, address(8), was, logical(.true., 8), &
        logical(.false., 8), stat)
    if (was) call prif_atomic_add(1, coarray, 8 * word, 1000_8)
    call sync()
    call prif_atomic_ref_int(1, coarray, 6 * word, old)
    call check(old == images * (images + 1), "the count by compare and swap")
    call prif_atomic_ref_int(1, coarray, 8 * word, old)
    call check(old == 1001, "the images that took the flag")
    call sync()

    if (me == images) then
      call prif_atomic_define_int(1, coarray, 0 * word, -7_8)
      call prif_atomic_define_int_indirect(1, address(2), 9_8)
      call prif_atomic_define_logical(1, coarray, 2 * word, logical(.true., 8))
      call prif_atomic_define_logical_indirect(1, address(4), logical(.false., 8), stat)
    end if
    call sync()
    call prif_atomic_ref_int(1, coarray, 0 * word, old)
    call check(old == -7, "prif_atomic_define_int")
    call prif_atomic_ref_int(1, coarray, 1 * word, old)
    call check(old == 9, "prif_atomic_define_int_indirect")
    call prif_atomic_ref_logical(1, coarray, 2 * word, was)
    call check(logical(was), "prif_atomic_define_logical")
    call prif_atomic_ref_logical_indirect(1, address(4), was, stat)
    call check(.not. logical(was) .and. stat == 0, "prif_atomic_define_logical_indirect")
    call prif_atomic_add(1, coarray, 9 * word, 1_8, stat)
    call check(stat > 0, "an atomic beyond the coarray")
    call prif_atomic_add(1, coarray, 4_c_size_t, 1_8, stat)
    call check(stat > 0, "an atomic that is not aligned")
    call sync()
    call prif_deallocate_coarray(coarray)
  end subroutine

end module atomics_test
