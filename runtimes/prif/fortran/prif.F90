! SPDX-License-Identifier: BSD-3-Clause
!
! PRIF, the Parallel Runtime Interface for Fortran, revision 0.8: the procedures that compilers call
! for coarrays, and that programs may call. docs/runtimes/prif.md describes the module. The
! submodules beside it have the bodies, which call functions of C++ (../procedures). Uses intrinsic
! modules only, so that one module file is all that a compiler needs.
module prif
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_int, c_int64_t, c_intptr_t, &
      c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t
  use, intrinsic :: iso_fortran_env, only: stat_failed_image, stat_locked, &
      stat_locked_other_image, stat_stopped_image, stat_unlocked
#ifdef __flang__
  use, intrinsic :: iso_fortran_env, only: current_team, initial_team, parent_team, &
      stat_unlocked_failed_image
#endif
  implicit none
  private

  public :: prif_init, prif_register_stop_callback, prif_stop, prif_error_stop
  public :: prif_fail_image, prif_num_images, prif_num_images_with_team
  public :: prif_num_images_with_team_number, prif_this_image_no_coarray
  public :: prif_this_image_with_coarray, prif_this_image_with_dim, prif_failed_images
  public :: prif_stopped_images, prif_image_status, prif_allocate_coarray, prif_allocate
  public :: prif_deallocate_coarray, prif_deallocate_coarrays, prif_deallocate
  public :: prif_alias_create, prif_alias_destroy, prif_set_context_data
  public :: prif_get_context_data, prif_size_bytes, prif_local_data_pointer
  public :: prif_lcobound_with_dim, prif_lcobound_no_dim, prif_ucobound_with_dim
  public :: prif_ucobound_no_dim, prif_coshape, prif_image_index, prif_image_index_with_team
  public :: prif_image_index_with_team_number, prif_initial_team_index
  public :: prif_initial_team_index_with_team, prif_initial_team_index_with_team_number
  public :: prif_get, prif_get_indirect, prif_put, prif_put_indirect, prif_put_with_notify
  public :: prif_put_with_notify_indirect, prif_put_indirect_with_notify
  public :: prif_put_indirect_with_notify_indirect, prif_get_strided
  public :: prif_get_strided_indirect, prif_put_strided, prif_put_strided_indirect
  public :: prif_put_strided_with_notify, prif_put_strided_with_notify_indirect
  public :: prif_put_strided_indirect_with_notify
  public :: prif_put_strided_indirect_with_notify_indirect, prif_atomic_add
  public :: prif_atomic_add_indirect, prif_atomic_and, prif_atomic_and_indirect
  public :: prif_atomic_or, prif_atomic_or_indirect, prif_atomic_xor, prif_atomic_xor_indirect
  public :: prif_atomic_fetch_add, prif_atomic_fetch_add_indirect, prif_atomic_fetch_and
  public :: prif_atomic_fetch_and_indirect, prif_atomic_fetch_or
  public :: prif_atomic_fetch_or_indirect, prif_atomic_fetch_xor
  public :: prif_atomic_fetch_xor_indirect, prif_atomic_define_int
  public :: prif_atomic_define_int_indirect, prif_atomic_ref_int, prif_atomic_ref_int_indirect
  public :: prif_atomic_cas_int, prif_atomic_cas_int_indirect, prif_atomic_define_logical
  public :: prif_atomic_define_logical_indirect, prif_atomic_ref_logical
  public :: prif_atomic_ref_logical_indirect, prif_atomic_cas_logical
  public :: prif_atomic_cas_logical_indirect, prif_sync_all, prif_sync_images, prif_sync_team
  public :: prif_sync_memory, prif_event_post, prif_event_post_indirect, prif_event_wait
  public :: prif_event_query, prif_notify_wait, prif_lock, prif_lock_indirect, prif_unlock
  public :: prif_unlock_indirect, prif_critical, prif_end_critical
  public :: prif_form_team, prif_change_team
  public :: prif_end_team, prif_get_team, prif_team_number, prif_co_sum, prif_co_min
  public :: prif_co_max, prif_co_min_character, prif_co_max_character, prif_co_broadcast
  public :: prif_co_broadcast_cptr, prif_co_reduce, prif_co_reduce_cptr
  public :: prif_stop_callback_interface, prif_operation_wrapper_interface, &
      prif_coarray_cleanup_interface

  integer(c_int), parameter, public :: PRIF_VERSION_MAJOR = 0
  integer(c_int), parameter, public :: PRIF_VERSION_MINOR = 8

  integer, parameter, public :: PRIF_ATOMIC_INT_KIND = 8
  integer, parameter, public :: PRIF_ATOMIC_LOGICAL_KIND = 8

  ! The constants of the compiler, where it has them; gfortran's STAT_UNLOCKED is that of success.
#ifdef __flang__
  integer(c_int), parameter, public :: PRIF_CURRENT_TEAM = current_team
  integer(c_int), parameter, public :: PRIF_PARENT_TEAM = parent_team
  integer(c_int), parameter, public :: PRIF_INITIAL_TEAM = initial_team
  integer(c_int), parameter, public :: PRIF_STAT_UNLOCKED = stat_unlocked
  integer(c_int), parameter, public :: PRIF_STAT_UNLOCKED_FAILED_IMAGE = stat_unlocked_failed_image
#else
  integer(c_int), parameter, public :: PRIF_INITIAL_TEAM = 0
  integer(c_int), parameter, public :: PRIF_PARENT_TEAM = 1
  integer(c_int), parameter, public :: PRIF_CURRENT_TEAM = 2
  integer(c_int), parameter, public :: PRIF_STAT_UNLOCKED = 4
  integer(c_int), parameter, public :: PRIF_STAT_UNLOCKED_FAILED_IMAGE = 9
#endif
  integer(c_int), parameter, public :: PRIF_STAT_FAILED_IMAGE = stat_failed_image
  integer(c_int), parameter, public :: PRIF_STAT_STOPPED_IMAGE = stat_stopped_image
  integer(c_int), parameter, public :: PRIF_STAT_LOCKED = stat_locked
  integer(c_int), parameter, public :: PRIF_STAT_LOCKED_OTHER_IMAGE = stat_locked_other_image
  integer(c_int), parameter, public :: PRIF_STAT_OUT_OF_MEMORY = 5
  integer(c_int), parameter, public :: PRIF_STAT_ALREADY_INIT = 7

  type, public, bind(C) :: prif_coarray_handle
    private
    type(c_ptr) :: info = c_null_ptr
  end type

  type, bind(C) :: prif_team_data
    integer(c_int) :: unused
  end type

  ! The pointer names a team of the core; it points to no memory.
  type, public :: prif_team_type
    private
    type(prif_team_data), pointer :: info => null()
  end type

  ! Counts and locks use the first 8 of 64 bytes, so those of a compiler with smaller types do, too.
  type, public :: prif_event_type
    private
    integer(c_int64_t) :: words(8) = 0
  end type

  type, public :: prif_notify_type
    private
    integer(c_int64_t) :: words(8) = 0
  end type

  type, public :: prif_lock_type
    private
    integer(c_int64_t) :: words(8) = 0
  end type

  type, public :: prif_critical_type
    private
    integer(c_int64_t) :: words(8) = 0
  end type

  abstract interface
    subroutine prif_stop_callback_interface(is_error_stop, quiet, stop_code_int, stop_code_char)
      import :: c_bool, c_int
      logical(c_bool), intent(in) :: is_error_stop, quiet
      integer(c_int), intent(in), optional :: stop_code_int
      character(len=*), intent(in), optional :: stop_code_char
    end subroutine

    ! arg2_and_out(i) = arg1(i) op arg2_and_out(i), for `count` elements
    subroutine prif_operation_wrapper_interface(arg1, arg2_and_out, count, cdata) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: arg1, arg2_and_out, cdata
      integer(c_size_t), value :: count
    end subroutine

    subroutine prif_coarray_cleanup_interface(handle) bind(C)
      import :: prif_coarray_handle
      type(prif_coarray_handle), value :: handle
    end subroutine
  end interface

  interface
    ! Start and end
    module subroutine prif_init(stat)
      integer(c_int), intent(out) :: stat
    end subroutine
    module subroutine prif_register_stop_callback(callback)
      procedure(prif_stop_callback_interface), pointer, intent(in) :: callback
    end subroutine
    module subroutine prif_stop(quiet, stop_code_int, stop_code_char)
      logical(c_bool), intent(in) :: quiet
      integer(c_int), intent(in), optional :: stop_code_int
      character(len=*), intent(in), optional :: stop_code_char
    end subroutine
    module subroutine prif_error_stop(quiet, stop_code_int, stop_code_char)
      logical(c_bool), intent(in) :: quiet
      integer(c_int), intent(in), optional :: stop_code_int
      character(len=*), intent(in), optional :: stop_code_char
    end subroutine
    module subroutine prif_fail_image()
    end subroutine

    ! Images
    module subroutine prif_num_images(num_images)
      integer(c_int), intent(out) :: num_images
    end subroutine
    module subroutine prif_num_images_with_team(team, num_images)
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: num_images
    end subroutine
    module subroutine prif_num_images_with_team_number(team_number, num_images)
      integer(c_int64_t), intent(in) :: team_number
      integer(c_int), intent(out) :: num_images
    end subroutine
    module subroutine prif_this_image_no_coarray(team, this_image)
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out) :: this_image
    end subroutine
    module subroutine prif_this_image_with_coarray(coarray_handle, team, cosubscripts)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(prif_team_type), intent(in), optional :: team
      integer(c_int64_t), intent(out) :: cosubscripts(:)
    end subroutine
    module subroutine prif_this_image_with_dim(coarray_handle, dim, team, cosubscript)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      type(prif_team_type), intent(in), optional :: team
      integer(c_int64_t), intent(out) :: cosubscript
    end subroutine
    module subroutine prif_failed_images(team, failed_images)
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out), allocatable :: failed_images(:)
    end subroutine
    module subroutine prif_stopped_images(team, stopped_images)
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out), allocatable :: stopped_images(:)
    end subroutine
    impure elemental module subroutine prif_image_status(image, team, image_status)
      integer(c_int), intent(in) :: image
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out) :: image_status
    end subroutine

    ! Memory
    module subroutine prif_allocate_coarray(lcobounds, ucobounds, size_in_bytes, final_proc, &
        coarray_handle, allocated_memory, stat, errmsg, errmsg_alloc)
      integer(c_int64_t), intent(in) :: lcobounds(:), ucobounds(:)
      integer(c_size_t), intent(in) :: size_in_bytes
      procedure(prif_coarray_cleanup_interface), pointer, intent(in) :: final_proc
      type(prif_coarray_handle), intent(out) :: coarray_handle
      type(c_ptr), intent(out) :: allocated_memory
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_allocate(size_in_bytes, allocated_memory, stat, errmsg, errmsg_alloc)
      integer(c_size_t) :: size_in_bytes
      type(c_ptr), intent(out) :: allocated_memory
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_deallocate_coarray(coarray_handle, stat, errmsg, errmsg_alloc)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_deallocate_coarrays(coarray_handles, stat, errmsg, errmsg_alloc)
      type(prif_coarray_handle), intent(in) :: coarray_handles(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_deallocate(mem, stat, errmsg, errmsg_alloc)
      type(c_ptr), intent(in) :: mem
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_alias_create(source_handle, alias_lcobounds, alias_ucobounds, &
        data_pointer_offset, alias_handle)
      type(prif_coarray_handle), intent(in) :: source_handle
      integer(c_int64_t), intent(in) :: alias_lcobounds(:), alias_ucobounds(:)
      integer(c_size_t), intent(in) :: data_pointer_offset
      type(prif_coarray_handle), intent(out) :: alias_handle
    end subroutine
    module subroutine prif_alias_destroy(alias_handle)
      type(prif_coarray_handle), intent(in) :: alias_handle
    end subroutine

    ! Coarray queries
    module subroutine prif_set_context_data(coarray_handle, context_data) bind(C)
      type(prif_coarray_handle), value :: coarray_handle
      type(c_ptr), value :: context_data
    end subroutine
    module subroutine prif_get_context_data(coarray_handle, context_data) bind(C)
      type(prif_coarray_handle), value :: coarray_handle
      type(c_ptr), intent(out) :: context_data
    end subroutine
    module subroutine prif_size_bytes(coarray_handle, data_size) bind(C)
      type(prif_coarray_handle), value :: coarray_handle
      integer(c_size_t), intent(out) :: data_size
    end subroutine
    module subroutine prif_local_data_pointer(coarray_handle, local_data) bind(C)
      type(prif_coarray_handle), value :: coarray_handle
      type(c_ptr), intent(out) :: local_data
    end subroutine
    module subroutine prif_lcobound_with_dim(coarray_handle, dim, lcobound)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(out) :: lcobound
    end subroutine
    module subroutine prif_lcobound_no_dim(coarray_handle, lcobounds)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(out) :: lcobounds(:)
    end subroutine
    module subroutine prif_ucobound_with_dim(coarray_handle, dim, ucobound)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(out) :: ucobound
    end subroutine
    module subroutine prif_ucobound_no_dim(coarray_handle, ucobounds)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(out) :: ucobounds(:)
    end subroutine
    module subroutine prif_coshape(coarray_handle, sizes)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(out) :: sizes(:)
    end subroutine
    module subroutine prif_image_index(coarray_handle, sub, image_index)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      integer(c_int), intent(out) :: image_index
    end subroutine
    module subroutine prif_image_index_with_team(coarray_handle, sub, team, image_index)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: image_index
    end subroutine
    module subroutine prif_image_index_with_team_number(coarray_handle, sub, team_number, &
        image_index)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:), team_number
      integer(c_int), intent(out) :: image_index
    end subroutine
    module subroutine prif_initial_team_index(coarray_handle, sub, initial_team_index, stat)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      integer(c_int), intent(out) :: initial_team_index
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_initial_team_index_with_team(coarray_handle, sub, team, &
        initial_team_index, stat)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: initial_team_index
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_initial_team_index_with_team_number(coarray_handle, sub, &
        team_number, initial_team_index, stat)
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:), team_number
      integer(c_int), intent(out) :: initial_team_index
      integer(c_int), intent(out), optional :: stat
    end subroutine

    ! Puts and gets
    module subroutine prif_get(image_num, coarray_handle, offset, current_image_buffer, &
        size_in_bytes, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset, size_in_bytes
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_get_indirect(image_num, remote_ptr, current_image_buffer, &
        size_in_bytes, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put(image_num, coarray_handle, offset, current_image_buffer, &
        size_in_bytes, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset, size_in_bytes
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_indirect(image_num, remote_ptr, current_image_buffer, &
        size_in_bytes, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_with_notify(image_num, coarray_handle, offset, &
        current_image_buffer, size_in_bytes, notify_coarray_handle, notify_offset, stat, &
        errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle, notify_coarray_handle
      integer(c_size_t), intent(in) :: offset, size_in_bytes, notify_offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_with_notify_indirect(image_num, coarray_handle, offset, &
        current_image_buffer, size_in_bytes, notify_ptr, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset, size_in_bytes
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_indirect_with_notify(image_num, remote_ptr, &
        current_image_buffer, size_in_bytes, notify_coarray_handle, notify_offset, stat, &
        errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes, notify_offset
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_indirect_with_notify_indirect(image_num, remote_ptr, &
        current_image_buffer, size_in_bytes, notify_ptr, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr, notify_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_get_strided(image_num, coarray_handle, offset, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, stat, errmsg, &
        errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset, element_size, extent(:)
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:), current_image_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_get_strided_indirect(image_num, remote_ptr, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, stat, errmsg, &
        errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:), current_image_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: element_size, extent(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_strided(image_num, coarray_handle, offset, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, stat, errmsg, &
        errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset, element_size, extent(:)
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:), current_image_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_strided_indirect(image_num, remote_ptr, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, stat, errmsg, &
        errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:), current_image_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: element_size, extent(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_strided_with_notify(image_num, coarray_handle, offset, &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        notify_coarray_handle, notify_offset, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle, notify_coarray_handle
      integer(c_size_t), intent(in) :: offset, element_size, extent(:), notify_offset
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:), current_image_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_strided_with_notify_indirect(image_num, coarray_handle, offset, &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        notify_ptr, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset, element_size, extent(:)
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:), current_image_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_strided_indirect_with_notify(image_num, remote_ptr, &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        notify_coarray_handle, notify_offset, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:), current_image_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: element_size, extent(:), notify_offset
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_put_strided_indirect_with_notify_indirect(image_num, remote_ptr, &
        remote_stride, current_image_buffer, current_image_stride, element_size, extent, &
        notify_ptr, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr, notify_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:), current_image_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: element_size, extent(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    ! Atomics
    module subroutine prif_atomic_add(image_num, coarray_handle, offset, value, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_add_indirect(image_num, atom_remote_ptr, value, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_and(image_num, coarray_handle, offset, value, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_and_indirect(image_num, atom_remote_ptr, value, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_or(image_num, coarray_handle, offset, value, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_or_indirect(image_num, atom_remote_ptr, value, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_xor(image_num, coarray_handle, offset, value, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_xor_indirect(image_num, atom_remote_ptr, value, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_fetch_add(image_num, coarray_handle, offset, value, old, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_fetch_add_indirect(image_num, atom_remote_ptr, value, old, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_fetch_and(image_num, coarray_handle, offset, value, old, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_fetch_and_indirect(image_num, atom_remote_ptr, value, old, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_fetch_or(image_num, coarray_handle, offset, value, old, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_fetch_or_indirect(image_num, atom_remote_ptr, value, old, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_fetch_xor(image_num, coarray_handle, offset, value, old, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_fetch_xor_indirect(image_num, atom_remote_ptr, value, old, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_define_int(image_num, coarray_handle, offset, value, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_define_int_indirect(image_num, atom_remote_ptr, value, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_ref_int(image_num, coarray_handle, offset, value, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_ref_int_indirect(image_num, atom_remote_ptr, value, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_cas_int(image_num, coarray_handle, offset, old, compare, new, &
        stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare, new
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_cas_int_indirect(image_num, atom_remote_ptr, old, compare, &
        new, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare, new
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_define_logical(image_num, coarray_handle, offset, value, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_define_logical_indirect(image_num, atom_remote_ptr, value, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_ref_logical(image_num, coarray_handle, offset, value, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_ref_logical_indirect(image_num, atom_remote_ptr, value, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_cas_logical(image_num, coarray_handle, offset, old, compare, &
        new, stat)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare, new
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_atomic_cas_logical_indirect(image_num, atom_remote_ptr, old, &
        compare, new, stat)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare, new
      integer(c_int), intent(out), optional :: stat
    end subroutine

    ! Synchronization
    module subroutine prif_sync_all(stat, errmsg, errmsg_alloc)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_sync_images(image_set, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in), optional :: image_set(:)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_sync_team(team, stat, errmsg, errmsg_alloc)
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_sync_memory(stat, errmsg, errmsg_alloc)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    ! Events and notifications
    module subroutine prif_event_post(image_num, coarray_handle, offset, stat, errmsg, &
        errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_event_post_indirect(image_num, event_var_ptr, stat, errmsg, &
        errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: event_var_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_event_wait(event_var_ptr, until_count, stat, errmsg, errmsg_alloc)
      type(c_ptr), intent(in) :: event_var_ptr
      integer(c_int64_t), intent(in), optional :: until_count
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_event_query(event_var_ptr, count, stat)
      type(c_ptr), intent(in) :: event_var_ptr
      integer(c_int64_t), intent(out) :: count
      integer(c_int), intent(out), optional :: stat
    end subroutine
    module subroutine prif_notify_wait(notify_var_ptr, until_count, stat, errmsg, errmsg_alloc)
      type(c_ptr), intent(in) :: notify_var_ptr
      integer(c_int64_t), intent(in), optional :: until_count
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    ! Locks and critical constructs
    module subroutine prif_lock(image_num, coarray_handle, offset, acquired_lock, stat, errmsg, &
        errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(c_bool), intent(out), optional :: acquired_lock
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_lock_indirect(image_num, lock_var_ptr, acquired_lock, stat, errmsg, &
        errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: lock_var_ptr
      logical(c_bool), intent(out), optional :: acquired_lock
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_unlock(image_num, coarray_handle, offset, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_unlock_indirect(image_num, lock_var_ptr, stat, errmsg, errmsg_alloc)
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: lock_var_ptr
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_critical(critical_coarray, stat, errmsg, errmsg_alloc)
      type(prif_coarray_handle), intent(in) :: critical_coarray
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_end_critical(critical_coarray)
      type(prif_coarray_handle), intent(in) :: critical_coarray
    end subroutine

    ! Teams
    module subroutine prif_form_team(team_number, team, new_index, stat, errmsg, errmsg_alloc)
      integer(c_int64_t), intent(in) :: team_number
      type(prif_team_type), intent(out) :: team
      integer(c_int), intent(in), optional :: new_index
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_change_team(team, stat, errmsg, errmsg_alloc)
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_end_team(stat, errmsg, errmsg_alloc)
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_get_team(level, team)
      integer(c_int), intent(in), optional :: level
      type(prif_team_type), intent(out) :: team
    end subroutine
    module subroutine prif_team_number(team, team_number)
      type(prif_team_type), intent(in), optional :: team
      integer(c_int64_t), intent(out) :: team_number
    end subroutine

    ! Collectives
    module subroutine prif_co_sum(a, result_image, stat, errmsg, errmsg_alloc)
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_co_min(a, result_image, stat, errmsg, errmsg_alloc)
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_co_max(a, result_image, stat, errmsg, errmsg_alloc)
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_co_min_character(a, result_image, stat, errmsg, errmsg_alloc)
      character(len=*, kind=c_char), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_co_max_character(a, result_image, stat, errmsg, errmsg_alloc)
      character(len=*, kind=c_char), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_co_broadcast(a, source_image, stat, errmsg, errmsg_alloc)
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in) :: source_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_co_broadcast_cptr(a_ptr, size_in_bytes, source_image, stat, errmsg, &
        errmsg_alloc)
      type(c_ptr), intent(in) :: a_ptr
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(in) :: source_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_co_reduce(a, operation_wrapper, cdata, result_image, stat, errmsg, &
        errmsg_alloc)
      type(*), intent(inout), target :: a(..)
      procedure(prif_operation_wrapper_interface), pointer, intent(in) :: operation_wrapper
      type(c_ptr), value :: cdata
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
    module subroutine prif_co_reduce_cptr(a_ptr, element_size, element_count, &
        operation_wrapper, cdata, result_image, stat, errmsg, errmsg_alloc)
      type(c_ptr), intent(in) :: a_ptr
      integer(c_size_t), intent(in) :: element_size, element_count
      procedure(prif_operation_wrapper_interface), pointer, intent(in) :: operation_wrapper
      type(c_ptr), value :: cdata
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(len=*), intent(inout), optional :: errmsg
      character(len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
  end interface

end module prif
