! SPDX-License-Identifier: BSD-3-Clause
!
! Locks and critical constructs.
submodule(prif:prif_core) prif_locks
  implicit none

contains

  module procedure prif_lock
    if (core_lock(image_num, coarray_handle%info, int(offset, c_int64_t), 0_c_int, &
        acquired_lock, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_lock_indirect
    if (core_lock(image_num, c_null_ptr, int(lock_var_ptr, c_int64_t), 1_c_int, &
        acquired_lock, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_unlock
    if (core_unlock(image_num, coarray_handle%info, int(offset, c_int64_t), 0_c_int, &
        stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_unlock_indirect
    if (core_unlock(image_num, c_null_ptr, int(lock_var_ptr, c_int64_t), 1_c_int, &
        stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_critical
    if (core_critical(critical_coarray%info, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_end_critical
    call core_end_critical(critical_coarray%info)
  end procedure

end submodule prif_locks
