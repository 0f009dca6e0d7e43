! SPDX-License-Identifier: BSD-3-Clause
!
! Events and notifications.
submodule(prif:prif_core) prif_events
  implicit none

contains

  module procedure prif_event_post
    if (core_event_post(image_num, coarray_handle%info, int(offset, c_int64_t), 0_c_int, &
        stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_event_post_indirect
    if (core_event_post(image_num, c_null_ptr, int(event_var_ptr, c_int64_t), 1_c_int, &
        stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_event_wait
    if (core_event_wait(event_var_ptr, count_of(until_count), 0_c_int, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_event_query
    integer(c_int) :: code

    code = core_event_query(event_var_ptr, count, stat)
  end procedure

  module procedure prif_notify_wait
    if (core_event_wait(notify_var_ptr, count_of(until_count), 1_c_int, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  pure function count_of(until_count) result(count)
    integer(c_int64_t), intent(in), optional :: until_count
    integer(c_int64_t) :: count

    count = 1
    if (present(until_count)) count = until_count
  end function

end submodule prif_events
