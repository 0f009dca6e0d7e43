! SPDX-License-Identifier: BSD-3-Clause
!
! Collectives. An array goes to descriptor.c as it is. The pointer to a procedure: see memory.F90.
submodule(prif:prif_core) prif_collectives
  use, intrinsic :: iso_c_binding, only: c_funloc, c_funptr
  implicit none

  interface
    integer(c_int) function core_cfi_reduce(a, wrapper, cdata, result_image, stat) &
        bind(C, name="tessera_prif_cfi_reduce")
      import
      type(*), intent(inout) :: a(..)
      type(c_funptr), value :: wrapper
      type(c_ptr), value :: cdata
      integer(c_int), value :: result_image
      integer(c_int), intent(out), optional :: stat
    end function
    integer(c_int) function core_reduce_bytes(data, element_bytes, elements, wrapper, cdata, &
        result_image, stat) &
        bind(C, name="tessera_prif_reduce_bytes")
      import
      type(c_ptr), value :: data, cdata
      integer(c_size_t), value :: element_bytes, elements
      type(c_funptr), value :: wrapper
      integer(c_int), value :: result_image
      integer(c_int), intent(out), optional :: stat
    end function
  end interface

contains

  module procedure prif_co_sum
    if (core_cfi_combine(0_c_int, a, image_or_all(result_image), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_co_min
    if (core_cfi_combine(1_c_int, a, image_or_all(result_image), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_co_max
    if (core_cfi_combine(2_c_int, a, image_or_all(result_image), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_co_min_character
    if (core_cfi_combine(1_c_int, a, image_or_all(result_image), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_co_max_character
    if (core_cfi_combine(2_c_int, a, image_or_all(result_image), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_co_broadcast
    if (core_cfi_broadcast(a, source_image, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_co_broadcast_cptr
    if (core_broadcast_bytes(a_ptr, size_in_bytes, source_image, stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_co_reduce
    procedure(prif_operation_wrapper_interface), pointer :: wrapper

    wrapper => operation_wrapper
    if (core_cfi_reduce(a, c_funloc(wrapper), cdata, image_or_all(result_image), &
        stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_co_reduce_cptr
    procedure(prif_operation_wrapper_interface), pointer :: wrapper

    wrapper => operation_wrapper
    if (core_reduce_bytes(a_ptr, element_size, element_count, c_funloc(wrapper), cdata, &
        image_or_all(result_image), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  ! 0: the result comes to all images. A caller's 0 becomes another wrong number.
  pure function image_or_all(result_image) result(image)
    integer(c_int), intent(in), optional :: result_image
    integer(c_int) :: image

    image = 0
    if (present(result_image)) image = merge(-1_c_int, result_image, result_image == 0)
  end function

end submodule prif_collectives
