! SPDX-License-Identifier: BSD-3-Clause
!
! The functions of C++ (../procedures), and what several procedures need. A function that returns an
! integer(c_int) as a code returns 0, or has an error: then tell() sets the message. Without stat
! an error does not return. Handles go as pointers: flang 19 passes a derived type by value on the
! stack in another way than C.
submodule(prif) prif_core
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_loc, c_null_char
  implicit none

  interface
    integer(c_int) function core_message(text) &
        bind(C, name="tessera_prif_message")
      import
      character(kind=c_char), intent(out) :: text(*)
    end function
    subroutine core_check_running(routine) &
        bind(C, name="tessera_prif_check_running")
      import
      character(kind=c_char), intent(in) :: routine(*)
    end subroutine
    subroutine core_report_exceptions() &
        bind(C, name="tessera_prif_report_exceptions")
      import
    end subroutine
    subroutine core_error_stop(code) &
        bind(C, name="tessera_prif_error_stop")
      import
      integer(c_int), value :: code
    end subroutine
    subroutine core_fail_image() &
        bind(C, name="tessera_prif_fail_image")
      import
    end subroutine
    integer(c_int) function core_num_images(team) &
        bind(C, name="tessera_prif_num_images")
      import
      type(c_ptr), value :: team
    end function
    integer(c_int) function core_num_images_of_number(number) &
        bind(C, name="tessera_prif_num_images_of_number")
      import
      integer(c_int64_t), value :: number
    end function
    integer(c_int) function core_this_image(team) &
        bind(C, name="tessera_prif_this_image")
      import
      type(c_ptr), value :: team
    end function
    integer(c_int) function core_image_status(image, team) &
        bind(C, name="tessera_prif_image_status")
      import
      integer(c_int), value :: image
      type(c_ptr), value :: team
    end function
    integer(c_int) function core_gone_images(has_failed, team, list) &
        bind(C, name="tessera_prif_gone_images")
      import
      integer(c_int), value :: has_failed
      type(c_ptr), value :: team
      integer(c_int), intent(out) :: list(*)
    end function
    integer(c_int) function core_sync_all(stat) &
        bind(C, name="tessera_prif_sync_all")
      import
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_sync_team(team, stat) &
        bind(C, name="tessera_prif_sync_team")
      import
      type(c_ptr), value :: team
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_sync_memory(stat) &
        bind(C, name="tessera_prif_sync_memory")
      import
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_sync_images(count, images, stat) &
        bind(C, name="tessera_prif_sync_images")
      import
      integer(c_int), value :: count
      integer(c_int), intent(in) :: images(*)
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_deallocate_coarrays(count, handles, routine, stat) &
        bind(C, name="tessera_prif_deallocate_coarrays")
      import
      integer(c_int), value :: count
      type(prif_coarray_handle), intent(in) :: handles(*)
      character(kind=c_char), intent(in) :: routine(*)
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_allocate(bytes, memory, stat) &
        bind(C, name="tessera_prif_allocate")
      import
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(inout) :: memory
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_deallocate(memory, stat) &
        bind(C, name="tessera_prif_deallocate")
      import
      type(c_ptr), value :: memory
      integer(c_int), intent(out), optional :: stat
    end function
    subroutine core_alias_create(source, lower_count, lower, upper_count, upper, distance, alias) &
        bind(C, name="tessera_prif_alias_create")
      import
      type(c_ptr), value :: source
      integer(c_int), value :: lower_count, upper_count
      integer(c_int64_t), intent(in) :: lower(*), upper(*)
      integer(c_size_t), value :: distance
      type(prif_coarray_handle), intent(inout) :: alias
    end subroutine
    subroutine core_alias_destroy(alias) &
        bind(C, name="tessera_prif_alias_destroy")
      import
      type(c_ptr), value :: alias
    end subroutine
    subroutine core_set_context_data(handle, context) &
        bind(C, name="tessera_prif_set_context_data")
      import
      type(c_ptr), value :: handle, context
    end subroutine
    type(c_ptr) function core_get_context_data(handle) &
        bind(C, name="tessera_prif_get_context_data")
      import
      type(c_ptr), value :: handle
    end function
    integer(c_size_t) function core_size_bytes(handle) &
        bind(C, name="tessera_prif_size_bytes")
      import
      type(c_ptr), value :: handle
    end function
    type(c_ptr) function core_local_data_pointer(handle) &
        bind(C, name="tessera_prif_local_data_pointer")
      import
      type(c_ptr), value :: handle
    end function
    subroutine core_cobounds(handle, bound, dim, count, result) &
        bind(C, name="tessera_prif_cobounds")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: bound, dim, count
      integer(c_int64_t), intent(out) :: result(*)
    end subroutine
    subroutine core_cosubscripts(handle, team, dim, count, result) &
        bind(C, name="tessera_prif_cosubscripts")
      import
      type(c_ptr), value :: handle, team
      integer(c_int), value :: dim, count
      integer(c_int64_t), intent(out) :: result(*)
    end subroutine
    integer(c_int) function core_image_index(handle, count, sub, team, is_initial, stat) &
        bind(C, name="tessera_prif_image_index")
      import
      type(c_ptr), value :: handle, team
      integer(c_int), value :: count, is_initial
      integer(c_int64_t), intent(in) :: sub(*)
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_image_index_of_number(handle, count, sub, number, is_initial, &
        stat) &
        bind(C, name="tessera_prif_image_index_of_number")
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: count, is_initial
      integer(c_int64_t), intent(in) :: sub(*)
      integer(c_int64_t), value :: number
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_get(image, handle, where, buffer, bytes, form, stat) &
        bind(C, name="tessera_prif_get")
      import
      integer(c_int), value :: image, form
      type(c_ptr), value :: handle, buffer
      integer(c_int64_t), value :: where
      integer(c_size_t), value :: bytes
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_put(image, handle, where, buffer, bytes, form, notify_handle, &
        notify_where, stat) &
        bind(C, name="tessera_prif_put")
      import
      integer(c_int), value :: image, form
      type(c_ptr), value :: handle, buffer, notify_handle
      integer(c_int64_t), value :: where, notify_where
      integer(c_size_t), value :: bytes
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_get_strided(image, handle, where, rank, remote_strides, &
        buffer, local_strides, element_bytes, extents, form, stat) &
        bind(C, name="tessera_prif_get_strided")
      import
      integer(c_int), value :: image, rank, form
      type(c_ptr), value :: handle, buffer
      integer(c_int64_t), value :: where
      integer(c_ptrdiff_t), intent(in) :: remote_strides(*), local_strides(*)
      integer(c_size_t), value :: element_bytes
      integer(c_size_t), intent(in) :: extents(*)
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_put_strided(image, handle, where, rank, remote_strides, &
        buffer, local_strides, element_bytes, extents, form, notify_handle, notify_where, stat) &
        bind(C, name="tessera_prif_put_strided")
      import
      integer(c_int), value :: image, rank, form
      type(c_ptr), value :: handle, buffer, notify_handle
      integer(c_int64_t), value :: where, notify_where
      integer(c_ptrdiff_t), intent(in) :: remote_strides(*), local_strides(*)
      integer(c_size_t), value :: element_bytes
      integer(c_size_t), intent(in) :: extents(*)
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_atomic(operation, image, handle, where, is_address, value, &
        compare, old, stat) &
        bind(C, name="tessera_prif_atomic")
      import
      integer(c_int), value :: operation, image, is_address
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: where, value, compare
      integer(c_int64_t), intent(out), optional :: old
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_event_post(image, handle, where, is_address, stat) &
        bind(C, name="tessera_prif_event_post")
      import
      integer(c_int), value :: image, is_address
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: where
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_event_wait(variable, until_count, is_notify, stat) &
        bind(C, name="tessera_prif_event_wait")
      import
      type(c_ptr), value :: variable
      integer(c_int64_t), value :: until_count
      integer(c_int), value :: is_notify
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_event_query(variable, count, stat) &
        bind(C, name="tessera_prif_event_query")
      import
      type(c_ptr), value :: variable
      integer(c_int64_t), intent(inout) :: count
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_lock(image, handle, where, is_address, acquired_lock, stat) &
        bind(C, name="tessera_prif_lock")
      import
      integer(c_int), value :: image, is_address
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: where
      logical(c_bool), intent(out), optional :: acquired_lock
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_unlock(image, handle, where, is_address, stat) &
        bind(C, name="tessera_prif_unlock")
      import
      integer(c_int), value :: image, is_address
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: where
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_critical(handle, stat) &
        bind(C, name="tessera_prif_critical")
      import
      type(c_ptr), value :: handle
      integer(c_int), intent(out), optional :: stat
    end function
    subroutine core_end_critical(handle) &
        bind(C, name="tessera_prif_end_critical")
      import
      type(c_ptr), value :: handle
    end subroutine
    integer(c_int) function core_form_team(number, new_index, team, stat) &
        bind(C, name="tessera_prif_form_team")
      import
      integer(c_int64_t), value :: number
      integer(c_int), value :: new_index
      type(c_ptr), intent(inout) :: team
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_change_team(team, stat) &
        bind(C, name="tessera_prif_change_team")
      import
      type(c_ptr), value :: team
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_end_team(stat) &
        bind(C, name="tessera_prif_end_team")
      import
      integer(c_int), intent(out), optional :: stat
    end function
    type(c_ptr) function core_get_team(level, asked) &
        bind(C, name="tessera_prif_get_team")
      import
      integer(c_int), value :: level, asked
    end function
    integer(c_int64_t) function core_team_number(team) &
        bind(C, name="tessera_prif_team_number")
      import
      type(c_ptr), value :: team
    end function
    integer(c_int) function core_cfi_combine(combine, a, result_image, stat) &
        bind(C, name="tessera_prif_cfi_combine")
      import
      integer(c_int), value :: combine, result_image
      type(*), intent(inout) :: a(..)
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_cfi_broadcast(a, source_image, stat) &
        bind(C, name="tessera_prif_cfi_broadcast")
      import
      type(*), intent(inout) :: a(..)
      integer(c_int), value :: source_image
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_broadcast_bytes(data, bytes, source_image, stat) &
        bind(C, name="tessera_prif_broadcast_bytes")
      import
      type(c_ptr), value :: data
      integer(c_size_t), value :: bytes
      integer(c_int), value :: source_image
      integer(c_int), intent(out), optional :: stat
    end function
  end interface

contains

  ! The message of the last error. There are two routines, because gfortran 12 passes no length of
  ! an optional argument on to another optional one.
  subroutine tell(errmsg)
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=512) :: text
    integer :: length

    if (.not. present(errmsg)) return
    length = core_message(text)
    errmsg = text(1:length)
  end subroutine

  subroutine tell_in_allocatable(errmsg_alloc)
    character(len=:), intent(inout), allocatable :: errmsg_alloc
    character(kind=c_char, len=512) :: text
    integer :: length

    length = core_message(text)
    errmsg_alloc = text(1:length)
  end subroutine

  ! The core's name of a team; null: the argument is absent.
  function team_value(team) result(value)
    type(prif_team_type), intent(in), optional :: team
    type(c_ptr) :: value

    value = c_null_ptr
    if (.not. present(team)) return
    if (associated(team%info)) then
      value = c_loc(team%info)
    else
      value = transfer(-1_c_intptr_t, value)
    end if
  end function

end submodule prif_core
