! SPDX-License-Identifier: BSD-3-Clause
!
! Atomics. The operations are numbered as in ../procedures/atomics.cpp.
submodule(prif:prif_core) prif_atomics
  implicit none

  integer(c_int), parameter :: op_add = 0, op_and = 1, op_or = 2, &
      op_xor = 3, op_fetch_add = 4, op_fetch_and = 5, &
      op_fetch_or = 6, op_fetch_xor = 7, op_define_int = 8, &
      op_ref_int = 9, op_cas_int = 10, op_define_logical = 11, &
      op_ref_logical = 12, op_cas_logical = 13

contains

  module procedure prif_atomic_add
    integer(c_int) :: code

    code = core_atomic(op_add, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_and
    integer(c_int) :: code

    code = core_atomic(op_and, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_or
    integer(c_int) :: code

    code = core_atomic(op_or, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_xor
    integer(c_int) :: code

    code = core_atomic(op_xor, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_fetch_add
    integer(c_int) :: code

    code = core_atomic(op_fetch_add, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, value, 0_c_int64_t, old, stat)
  end procedure

  module procedure prif_atomic_fetch_and
    integer(c_int) :: code

    code = core_atomic(op_fetch_and, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, value, 0_c_int64_t, old, stat)
  end procedure

  module procedure prif_atomic_fetch_or
    integer(c_int) :: code

    code = core_atomic(op_fetch_or, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, value, 0_c_int64_t, old, stat)
  end procedure

  module procedure prif_atomic_fetch_xor
    integer(c_int) :: code

    code = core_atomic(op_fetch_xor, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, value, 0_c_int64_t, old, stat)
  end procedure

  module procedure prif_atomic_define_int
    integer(c_int) :: code

    code = core_atomic(op_define_int, image_num, coarray_handle%info, &
        int(offset, c_int64_t), 0_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_ref_int
    integer(c_int) :: code

    code = core_atomic(op_ref_int, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, 0_c_int64_t, 0_c_int64_t, value, stat)
  end procedure

  module procedure prif_atomic_cas_int
    integer(c_int) :: code

    code = core_atomic(op_cas_int, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, new, compare, old, stat)
  end procedure

  module procedure prif_atomic_define_logical
    integer(c_int) :: code

    code = core_atomic(op_define_logical, image_num, coarray_handle%info, &
        int(offset, c_int64_t), 0_c_int, word_of(value), 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_ref_logical
    integer(c_int64_t) :: word
    integer(c_int) :: code

    code = core_atomic(op_ref_logical, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, 0_c_int64_t, 0_c_int64_t, word, stat)
    value = word /= 0
  end procedure

  module procedure prif_atomic_cas_logical
    integer(c_int64_t) :: word
    integer(c_int) :: code

    code = core_atomic(op_cas_logical, image_num, coarray_handle%info, int(offset, c_int64_t), &
        0_c_int, word_of(new), word_of(compare), word, stat)
    old = word /= 0
  end procedure

  module procedure prif_atomic_add_indirect
    integer(c_int) :: code

    code = core_atomic(op_add, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_and_indirect
    integer(c_int) :: code

    code = core_atomic(op_and, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_or_indirect
    integer(c_int) :: code

    code = core_atomic(op_or, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_xor_indirect
    integer(c_int) :: code

    code = core_atomic(op_xor, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_fetch_add_indirect
    integer(c_int) :: code

    code = core_atomic(op_fetch_add, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, value, 0_c_int64_t, old, stat)
  end procedure

  module procedure prif_atomic_fetch_and_indirect
    integer(c_int) :: code

    code = core_atomic(op_fetch_and, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, value, 0_c_int64_t, old, stat)
  end procedure

  module procedure prif_atomic_fetch_or_indirect
    integer(c_int) :: code

    code = core_atomic(op_fetch_or, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, value, 0_c_int64_t, old, stat)
  end procedure

  module procedure prif_atomic_fetch_xor_indirect
    integer(c_int) :: code

    code = core_atomic(op_fetch_xor, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, value, 0_c_int64_t, old, stat)
  end procedure

  module procedure prif_atomic_define_int_indirect
    integer(c_int) :: code

    code = core_atomic(op_define_int, image_num, c_null_ptr, &
        int(atom_remote_ptr, c_int64_t), 1_c_int, value, 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_ref_int_indirect
    integer(c_int) :: code

    code = core_atomic(op_ref_int, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, 0_c_int64_t, 0_c_int64_t, value, stat)
  end procedure

  module procedure prif_atomic_cas_int_indirect
    integer(c_int) :: code

    code = core_atomic(op_cas_int, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, new, compare, old, stat)
  end procedure

  module procedure prif_atomic_define_logical_indirect
    integer(c_int) :: code

    code = core_atomic(op_define_logical, image_num, c_null_ptr, &
        int(atom_remote_ptr, c_int64_t), 1_c_int, word_of(value), 0_c_int64_t, stat=stat)
  end procedure

  module procedure prif_atomic_ref_logical_indirect
    integer(c_int64_t) :: word
    integer(c_int) :: code

    code = core_atomic(op_ref_logical, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, 0_c_int64_t, 0_c_int64_t, word, stat)
    value = word /= 0
  end procedure

  module procedure prif_atomic_cas_logical_indirect
    integer(c_int64_t) :: word
    integer(c_int) :: code

    code = core_atomic(op_cas_logical, image_num, c_null_ptr, int(atom_remote_ptr, c_int64_t), &
        1_c_int, word_of(new), word_of(compare), word, stat)
    old = word /= 0
  end procedure

  ! A logical value as compilers store it.
  pure function word_of(value) result(word)
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
    integer(c_int64_t) :: word

    word = merge(1_c_int64_t, 0_c_int64_t, value)
  end function

end submodule prif_atomics
