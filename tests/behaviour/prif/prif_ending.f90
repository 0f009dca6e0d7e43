! SPDX-License-Identifier: BSD-3-Clause
!
! The ways to end, and mistakes without stat; prif_ending_test.py names one and knows what the
! program prints.
module stop_callbacks
  use iso_c_binding
  use iso_fortran_env, only: output_unit
  use prif
  use checks, only: check, me, images
  implicit none

contains

  subroutine print_callback(name, is_error_stop, quiet, stop_code_int, stop_code_char)
    character(len=*), intent(in) :: name
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char

    if (me /= images) return
    write (output_unit, "(2a, 2(1x, l1))", advance="no") name, ":", is_error_stop, quiet
    if (present(stop_code_int)) write (output_unit, "(1x, i0)", advance="no") stop_code_int
    if (present(stop_code_char)) write (output_unit, "(1x, a)", advance="no") stop_code_char
    write (output_unit, "(a)") ""
  end subroutine

  subroutine first(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char

    call print_callback("first", is_error_stop, quiet, stop_code_int, stop_code_char)
  end subroutine

  subroutine second(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char

    call print_callback("second", is_error_stop, quiet, stop_code_int, stop_code_char)
  end subroutine

  ! This image fails, or its process is killed.
  subroutine die(how)
    character(len=*), intent(in) :: how
    interface
      integer(c_int) function raise(signal) bind(C)
        import c_int
        integer(c_int), value :: signal
      end function
    end interface
    integer(c_int) :: ignored

    if (index(how, "killed") == 0) call prif_fail_image()
    ignored = raise(9_c_int)
  end subroutine

end module stop_callbacks

program ending
  use iso_c_binding
  use iso_fortran_env, only: error_unit, output_unit
  use prif
  use stop_callbacks
  implicit none
  procedure(prif_stop_callback_interface), pointer :: callback
  procedure(prif_coarray_cleanup_interface), pointer :: none
  type(prif_coarray_handle) :: coarray, foreign, locks
  type(prif_team_type) :: team
  type(c_ptr) :: memory
  integer(c_int64_t), target :: value
  integer(c_int64_t), pointer :: data, words(:)
  integer(c_int), allocatable :: list(:)
  integer(c_int) :: stat
  character(len=40) :: how

  call get_command_argument(1, how)
  if (how == "before_init") call prif_sync_all()
  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=me)
  call prif_num_images(images)
  callback => first
  call prif_register_stop_callback(callback)
  callback => second
  call prif_register_stop_callback(callback)
  none => null()
  call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t], 8_c_size_t, none, coarray, memory)
  call c_f_pointer(memory, data)
  data = 0
  value = 0
  call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t], 192_c_size_t, none, locks, memory)
  call c_f_pointer(memory, words, [24])
  words = 0
  call prif_sync_all()

  select case (how)
  case ("stop")
    call prif_stop(.true._c_bool)
  case ("stop_code")
    write (output_unit, "(a)", advance="no") "kept "
    call prif_stop(.false._c_bool, 7_c_int)
  case ("stop_text")
    call prif_stop(.false._c_bool, stop_code_char="good bye")
  case ("stop_waits")
    ! Image 1 stops last; the others see its put all the same.
    if (me == 1) call prif_event_wait(c_loc(data), int(images - 1, c_int64_t))
    if (me /= 1) call prif_event_post(1, coarray, 0_c_size_t)
    call prif_stop(.true._c_bool)
  case ("error_stop")
    write (output_unit, "(a)", advance="no") "kept "
    if (me == images) call prif_error_stop(.false._c_bool, 9_c_int)
    call prif_sync_all()
  case ("error_stop_text")
    if (me == images) call prif_error_stop(.false._c_bool, stop_code_char="broken")
    call prif_sync_all()
  case ("error_stop_quiet")
    if (me == images) call prif_error_stop(.true._c_bool)
    call prif_sync_all()
  case ("fail_image")
    if (me == images) call prif_fail_image()
    call prif_sync_all(stat)
    if (stat /= PRIF_STAT_FAILED_IMAGE) error stop "the stat of prif_sync_all"
    call prif_put(images, coarray, 0_c_size_t, c_loc(value), 8_c_size_t, stat)
    if (stat /= PRIF_STAT_FAILED_IMAGE) error stop "the stat of prif_put"
    call prif_image_status(images, image_status=stat)
    if (stat /= PRIF_STAT_FAILED_IMAGE) error stop "prif_image_status"
    call prif_failed_images(failed_images=list)
    if (size(list) /= 1) error stop "prif_failed_images"
    call prif_form_team(1_c_int64_t, team, stat=stat)
    if (stat /= PRIF_STAT_FAILED_IMAGE) error stop "the stat of prif_form_team"
    call prif_change_team(team)
    call prif_num_images(stat)
    if (stat /= images - 1) error stop "prif_num_images of those that are left"
    call prif_end_team()
    call prif_stop(.true._c_bool)
  case ("stopped")
    if (me == images) call prif_stop(.true._c_bool)
    call prif_sync_images([images], stat)
    if (stat /= PRIF_STAT_STOPPED_IMAGE) error stop "the stat of prif_sync_images"
    call prif_sync_all(stat)
    if (stat /= PRIF_STAT_STOPPED_IMAGE) error stop "the stat of prif_sync_all"
    call prif_stopped_images(stopped_images=list)
    if (size(list) /= 1 .or. any(list /= images)) error stop "prif_stopped_images"
    ! Its memory is still there.
    call prif_get(images, coarray, 0_c_size_t, c_loc(value), 8_c_size_t, stat)
    if (stat /= 0) error stop "the stat of prif_get"
    call prif_sync_all(stat)
    call prif_stop(.true._c_bool)
  case ("failed_holder", "killed_holder")
    call test_failed_holder()
    if (me == 1) print "(a)", "passed"
    call prif_stop(.true._c_bool)
  case ("failed_with_many", "killed_with_many")
    call test_failed_with_many()
    if (me == 1) print "(a)", "passed"
    call prif_stop(.true._c_bool)
  case ("failed_untold")
    if (me == images) call prif_lock(1, locks, 0_c_size_t)
    if (me == images) call die(how)
    call prif_sync_all(stat)
    call prif_lock(1, locks, 0_c_size_t)
  case ("failed_critical")
    if (me == images) call prif_critical(locks)
    if (me == images) call die(how)
    call prif_sync_all(stat)
    call prif_critical(locks)
  case ("lock_twice")
    call prif_lock(1, locks, 0_c_size_t)
    call prif_lock(1, locks, 0_c_size_t)
  case ("unlock_free")
    call prif_unlock(1, locks, 64_c_size_t)
  case ("unlock_other")
    if (me == 1) call prif_lock(2, locks, 64_c_size_t)
    call prif_sync_all()
    if (me /= 1) call prif_unlock(2, locks, 64_c_size_t)
    call prif_sync_all()
  case ("lock_null")
    call prif_lock(1, foreign, 0_c_size_t)
  case ("critical_small")
    call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t], 4_c_size_t, none, foreign, memory)
    call prif_critical(foreign)
  case ("end_critical")
    call prif_end_critical(locks)
  case ("put_image")
    write (output_unit, "(a)", advance="no") "kept "
    call prif_put(images + 1, coarray, 0_c_size_t, c_loc(value), 8_c_size_t)
  case ("put_range")
    call prif_put(1, coarray, 4_c_size_t, c_loc(value), 8_c_size_t)
  case ("put_null")
    call prif_put(1, foreign, 0_c_size_t, c_loc(value), 8_c_size_t)
  case ("put_freed")
    foreign = coarray
    call prif_deallocate_coarray(coarray)
    call prif_put(1, foreign, 0_c_size_t, c_loc(value), 8_c_size_t)
  case ("no_team")
    call prif_change_team(team)
  case ("dim")
    call prif_lcobound_with_dim(coarray, 2_c_int, value)
  case ("sizes")
    call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t], 8_c_size_t * me, none, foreign, memory)
  end select
  write (error_unit, "(a)") "no end"

contains

  ! The last image ends while it holds two locks and is in a critical construct; others wait for
  ! one lock at that time. One image is told for each, and all get it.
  subroutine test_failed_holder()
    logical(c_bool) :: acquired
    integer(c_int) :: state
    integer :: i

    if (me == images) then
      call prif_lock(1, locks, 0_c_size_t)
      call prif_lock(1, locks, 64_c_size_t)
      call prif_critical(coarray)
    end if
    call prif_sync_all()
    if (me == images) then
      do i = 1, 1000
        call prif_atomic_ref_int(1, coarray, 0_c_size_t, value)
      end do
      call die(how)
    end if
    call prif_lock(1, locks, 0_c_size_t, stat=stat)
    call count_told(128_c_size_t, stat, PRIF_STAT_UNLOCKED_FAILED_IMAGE)
    call prif_unlock(1, locks, 0_c_size_t, stat)
    call check(stat == 0, "prif_unlock behind a failed holder")
    do
      call prif_lock(1, locks, 64_c_size_t, acquired, stat)
      if (acquired) exit
      call check(stat == 0, "the stat of a lock that is not acquired")
    end do
    call count_told(136_c_size_t, stat, PRIF_STAT_UNLOCKED_FAILED_IMAGE)
    call prif_unlock(1, locks, 64_c_size_t)
    call prif_critical(coarray, stat)
    call count_told(144_c_size_t, stat, PRIF_STAT_FAILED_IMAGE)
    call prif_end_critical(coarray)
    call prif_sync_all(stat)
    call check(stat == PRIF_STAT_FAILED_IMAGE, "the stat of prif_sync_all")
    if (me == 1) call check(all(words(17:19) == 1), "the number of images that were told")
    ! A lock on an image that has failed.
    call prif_lock(images, locks, 0_c_size_t, stat=state)
    call check(state == PRIF_STAT_FAILED_IMAGE, "a lock on an image that has failed")
    call prif_unlock(1, locks, 0_c_size_t, state)
    call check(state == PRIF_STAT_UNLOCKED, "prif_unlock behind the failure")
  end subroutine

  subroutine count_told(offset, stat, told)
    integer(c_size_t), intent(in) :: offset
    integer(c_int), intent(in) :: stat, told

    call check(stat == 0 .or. stat == told, "the stat of a lock of a failed holder")
    if (stat == told) call prif_atomic_add(1, locks, offset, 1_8)
  end subroutine

  ! 200 locks at once, none of which another image waits for. An unlock is no lock: it finds none.
  subroutine test_failed_with_many()
    type(prif_coarray_handle) :: many
    logical(c_bool) :: acquired
    integer(c_size_t) :: i
    integer :: told

    call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t], 1600_c_size_t, none, many, memory)
    call c_f_pointer(memory, words, [200])
    words = 0
    call prif_sync_all()
    if (me == images) then
      do i = 0, 199
        call prif_lock(1, many, 8 * i)
      end do
    end if
    call prif_sync_all()
    if (me == images) call die(how)
    call prif_sync_all(stat)
    told = 0
    if (me == 1) then
      do i = 0, 199
        call prif_unlock(1, many, 8 * i, stat)
        call check(stat == PRIF_STAT_UNLOCKED, "prif_unlock of a failed image's lock")
        call prif_lock(1, many, 8 * i, acquired, stat)
        call check(logical(acquired), "acquired_lock of a failed image's lock")
        if (stat == PRIF_STAT_UNLOCKED_FAILED_IMAGE) told = told + 1
        call prif_unlock(1, many, 8 * i)
        call prif_lock(1, many, 8 * i, acquired, stat)
        call check(acquired .and. stat == 0, "the lock behind that")
      end do
      call check(told == 200, "the number of locks that a failed image has left")
    end if
    call prif_sync_all(stat)
  end subroutine

end program
