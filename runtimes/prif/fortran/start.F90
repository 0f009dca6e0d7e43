! SPDX-License-Identifier: BSD-3-Clause
!
! Start and end.
submodule(prif:prif_core) prif_start
  use, intrinsic :: iso_c_binding, only: c_funloc, c_funptr
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  implicit none

  interface
    integer(c_int) function core_init(values, flush, stat) &
        bind(C, name="tessera_prif_init")
      import
      integer(c_int), intent(in) :: values(8)
      type(c_funptr), value :: flush
      integer(c_int), intent(out), optional :: stat
    end function
    subroutine core_stop(code, callbacks) &
        bind(C, name="tessera_prif_stop")
      import
      integer(c_int), value :: code
      type(c_funptr), value :: callbacks
    end subroutine
  end interface

  type :: kept_callback
    procedure(prif_stop_callback_interface), pointer, nopass :: callback => null()
  end type

  ! Newest first.
  type(kept_callback), allocatable :: callbacks(:)

  ! The arguments of prif_stop; not allocated: absent.
  logical(c_bool) :: kept_quiet
  integer(c_int), allocatable :: kept_int
  character(len=:), allocatable :: kept_char

contains

  module procedure prif_init
    integer(c_int) :: code

    code = core_init([PRIF_STAT_FAILED_IMAGE, PRIF_STAT_STOPPED_IMAGE, PRIF_STAT_LOCKED, &
        PRIF_STAT_LOCKED_OTHER_IMAGE, PRIF_STAT_UNLOCKED, PRIF_STAT_UNLOCKED_FAILED_IMAGE, &
        PRIF_STAT_OUT_OF_MEMORY, PRIF_STAT_ALREADY_INIT], c_funloc(flush_units), stat)
  end procedure

  module procedure prif_register_stop_callback
    type(kept_callback) :: newest

    call core_check_running("prif_register_stop_callback"//c_null_char)
    newest%callback => callback
    if (allocated(callbacks)) then
      callbacks = [newest, callbacks]
    else
      callbacks = [newest]
    end if
  end procedure

  module procedure prif_stop
    integer(c_int) :: code

    call core_check_running("prif_stop"//c_null_char)
    if (.not. quiet) call print_code(output_unit, "STOP", stop_code_int, stop_code_char)
    kept_quiet = quiet
    if (present(stop_code_int)) kept_int = stop_code_int
    if (present(stop_code_char)) kept_char = stop_code_char
    code = 0
    if (present(stop_code_int)) code = stop_code_int
    call core_stop(code, c_funloc(run_callbacks_of_stop))
  end procedure

  module procedure prif_error_stop
    integer(c_int) :: code

    call core_check_running("prif_error_stop"//c_null_char)
    if (.not. quiet) call print_code(error_unit, "ERROR STOP", stop_code_int, stop_code_char)
    call run_callbacks(.true._c_bool, quiet, stop_code_int, stop_code_char)
    code = 1
    if (present(stop_code_int)) code = stop_code_int
    call core_error_stop(code)
  end procedure

  module procedure prif_fail_image
    call core_check_running("prif_fail_image"//c_null_char)
    call core_fail_image()
  end procedure

  ! A stop without a code prints only exceptions.
  subroutine print_code(unit, statement, stop_code_int, stop_code_char)
    integer, intent(in) :: unit
    character(len=*), intent(in) :: statement
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char

    call core_report_exceptions()
    if (present(stop_code_int)) write (unit, "(a, 1x, i0)") statement, stop_code_int
    if (present(stop_code_char)) write (unit, "(a, 1x, a)") statement, stop_code_char
    flush (unit)
  end subroutine

  subroutine run_callbacks(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    integer :: i

    if (.not. allocated(callbacks)) return
    do i = 1, size(callbacks)
      call callbacks(i)%callback(is_error_stop, quiet, stop_code_int, stop_code_char)
    end do
  end subroutine

  ! The core calls it before an error ends all images.
  subroutine flush_units() bind(C, name="")
    flush (output_unit)
    flush (error_unit)
  end subroutine

  ! The core calls it when all images have stopped or failed.
  subroutine run_callbacks_of_stop() bind(C, name="")
    call run_callbacks(.false._c_bool, kept_quiet, kept_int, kept_char)
    flush (output_unit)
  end subroutine

end submodule prif_start
