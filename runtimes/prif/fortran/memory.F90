! SPDX-License-Identifier: BSD-3-Clause
!
! Allocation, aliases, and what a handle knows.
! 
! A pointer to a procedure is copied before c_funloc: gfortran up to 15.2 takes the address of a
! dummy pointer itself (GCC bug 124652).
submodule(prif:prif_core) prif_memory
  use, intrinsic :: iso_c_binding, only: c_funloc, c_funptr, c_null_funptr
  implicit none

  interface
    integer(c_int) function core_allocate_coarray(lower_count, lower, upper_count, upper, &
        bytes, cleanup, coarray_handle, memory, stat) &
        bind(C, name="tessera_prif_allocate_coarray")
      import
      integer(c_int), value :: lower_count, upper_count
      integer(c_int64_t), intent(in) :: lower(*), upper(*)
      integer(c_size_t), value :: bytes
      type(c_funptr), value :: cleanup
      type(prif_coarray_handle), intent(inout) :: coarray_handle
      type(c_ptr), intent(inout) :: memory
      integer(c_int), intent(out), optional :: stat
    end function
  end interface

contains

  module procedure prif_allocate_coarray
    procedure(prif_coarray_cleanup_interface), pointer :: cleanup
    type(c_funptr) :: wrapper

    cleanup => final_proc
    wrapper = c_null_funptr
    if (associated(cleanup)) wrapper = c_funloc(cleanup)
    allocated_memory = c_null_ptr
    if (core_allocate_coarray(size(lcobounds, kind=c_int), lcobounds, &
        size(ucobounds, kind=c_int), ucobounds, size_in_bytes, wrapper, coarray_handle, &
        allocated_memory, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_allocate
    allocated_memory = c_null_ptr
    if (core_allocate(size_in_bytes, allocated_memory, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_deallocate_coarray
    if (core_deallocate_coarrays(1_c_int, [coarray_handle], &
        "prif_deallocate_coarray"//c_null_char, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_deallocate_coarrays
    if (core_deallocate_coarrays(size(coarray_handles, kind=c_int), coarray_handles, &
        "prif_deallocate_coarrays"//c_null_char, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_deallocate
    if (core_deallocate(mem, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_alias_create
    call core_alias_create(source_handle%info, size(alias_lcobounds, kind=c_int), &
        alias_lcobounds, size(alias_ucobounds, kind=c_int), alias_ucobounds, &
        data_pointer_offset, alias_handle)
  end procedure

  module procedure prif_alias_destroy
    call core_alias_destroy(alias_handle%info)
  end procedure

  module procedure prif_set_context_data
    call core_set_context_data(coarray_handle%info, context_data)
  end procedure

  module procedure prif_get_context_data
    context_data = core_get_context_data(coarray_handle%info)
  end procedure

  module procedure prif_size_bytes
    data_size = core_size_bytes(coarray_handle%info)
  end procedure

  module procedure prif_local_data_pointer
    local_data = core_local_data_pointer(coarray_handle%info)
  end procedure

end submodule prif_memory
