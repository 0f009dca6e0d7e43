! SPDX-License-Identifier: BSD-3-Clause
!
! Puts and gets. The forms are numbered as in ../procedures/access.cpp.
submodule(prif:prif_core) prif_access
  implicit none

contains

  module procedure prif_get
    if (core_get(image_num, coarray_handle%info, int(offset, c_int64_t), current_image_buffer, &
        size_in_bytes, 0_c_int, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_get_indirect
    if (core_get(image_num, c_null_ptr, int(remote_ptr, c_int64_t), current_image_buffer, &
        size_in_bytes, 1_c_int, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put
    if (core_put(image_num, coarray_handle%info, int(offset, c_int64_t), current_image_buffer, &
        size_in_bytes, 0_c_int, c_null_ptr, 0_c_int64_t, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_indirect
    if (core_put(image_num, c_null_ptr, int(remote_ptr, c_int64_t), current_image_buffer, &
        size_in_bytes, 1_c_int, c_null_ptr, 0_c_int64_t, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_with_notify
    if (core_put(image_num, coarray_handle%info, int(offset, c_int64_t), current_image_buffer, &
        size_in_bytes, 2_c_int, notify_coarray_handle%info, int(notify_offset, c_int64_t), &
        stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_with_notify_indirect
    if (core_put(image_num, coarray_handle%info, int(offset, c_int64_t), current_image_buffer, &
        size_in_bytes, 6_c_int, c_null_ptr, int(notify_ptr, c_int64_t), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_indirect_with_notify
    if (core_put(image_num, c_null_ptr, int(remote_ptr, c_int64_t), current_image_buffer, &
        size_in_bytes, 3_c_int, notify_coarray_handle%info, int(notify_offset, c_int64_t), &
        stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_indirect_with_notify_indirect
    if (core_put(image_num, c_null_ptr, int(remote_ptr, c_int64_t), current_image_buffer, &
        size_in_bytes, 7_c_int, c_null_ptr, int(notify_ptr, c_int64_t), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_get_strided
    if (core_get_strided(image_num, coarray_handle%info, int(offset, c_int64_t), &
        common_rank(size(remote_stride), size(current_image_stride), size(extent)), &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        0_c_int, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_get_strided_indirect
    if (core_get_strided(image_num, c_null_ptr, int(remote_ptr, c_int64_t), &
        common_rank(size(remote_stride), size(current_image_stride), size(extent)), &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        1_c_int, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_strided
    if (core_put_strided(image_num, coarray_handle%info, int(offset, c_int64_t), &
        common_rank(size(remote_stride), size(current_image_stride), size(extent)), &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        0_c_int, c_null_ptr, 0_c_int64_t, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_strided_indirect
    if (core_put_strided(image_num, c_null_ptr, int(remote_ptr, c_int64_t), &
        common_rank(size(remote_stride), size(current_image_stride), size(extent)), &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        1_c_int, c_null_ptr, 0_c_int64_t, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_strided_with_notify
    if (core_put_strided(image_num, coarray_handle%info, int(offset, c_int64_t), &
        common_rank(size(remote_stride), size(current_image_stride), size(extent)), &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        2_c_int, notify_coarray_handle%info, int(notify_offset, c_int64_t), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_strided_with_notify_indirect
    if (core_put_strided(image_num, coarray_handle%info, int(offset, c_int64_t), &
        common_rank(size(remote_stride), size(current_image_stride), size(extent)), &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        6_c_int, c_null_ptr, int(notify_ptr, c_int64_t), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_strided_indirect_with_notify
    if (core_put_strided(image_num, c_null_ptr, int(remote_ptr, c_int64_t), &
        common_rank(size(remote_stride), size(current_image_stride), size(extent)), &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        3_c_int, notify_coarray_handle%info, int(notify_offset, c_int64_t), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_put_strided_indirect_with_notify_indirect
    if (core_put_strided(image_num, c_null_ptr, int(remote_ptr, c_int64_t), &
        common_rank(size(remote_stride), size(current_image_stride), size(extent)), &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        7_c_int, c_null_ptr, int(notify_ptr, c_int64_t), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  ! The rank of a section; -1: the arrays that describe it differ in size.
  pure function common_rank(remote, current, extents) result(rank)
    integer, intent(in) :: remote, current, extents
    integer(c_int) :: rank

    rank = -1
    if (remote == extents .and. current == extents) rank = int(extents, c_int)
  end function

end submodule prif_access
