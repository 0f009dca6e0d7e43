! SPDX-License-Identifier: BSD-3-Clause
!
! Images whose processes are killed while the others go on. One image after the other dies before or
! inside another procedure, until one is left; the first argument says which procedure is the first.
! The last image dies first, then image 1, on which counts and critical constructs lie.
program prif_killed
  use checks
  implicit none
  interface
    integer(c_int) function raise(signal) bind(C)
      import c_int
      integer(c_int), value :: signal
    end function
  end interface
  integer, parameter :: procedures = 9
  type(prif_coarray_handle) :: coarray, locks
  integer(c_int64_t), pointer :: data(:), words(:)
  integer(c_int64_t), target :: value
  integer(c_int), allocatable :: left(:)
  integer(c_int) :: victim, stat, i
  integer :: first, step
  character(len=8) :: argument

  call get_command_argument(1, argument)
  read (argument, *) first
  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=me)
  call prif_num_images(images)
  call make(4, coarray, data)
  call make(16, locks, words)
  left = [(i, i = 1, images)]
  do step = 0, images - 2
    victim = next_victim()
    left = pack(left, left /= victim)
    call die_in(modulo(first + step, procedures))
    call look_at_state()
  end do
  print "(a)", "passed"
  call prif_stop(.true._c_bool)

contains

  integer(c_int) function next_victim()
    select case (step)
    case (0)
      next_victim = images
    case (1)
      next_victim = 1
    case default
      next_victim = left(min(2, size(left)))
    end select
  end function

  subroutine die()
    integer(c_int) :: ignored

    ignored = raise(9_c_int)
  end subroutine

  subroutine check_failed(stat, what)
    integer(c_int), intent(in) :: stat
    character(len=*), intent(in) :: what

    call check(stat == PRIF_STAT_FAILED_IMAGE, "the stat of " // what)
  end subroutine

  subroutine sync_rest()
    call prif_sync_all(stat)
    call check_failed(stat, "prif_sync_all")
  end subroutine

  subroutine die_in(procedure)
    integer, intent(in) :: procedure
    character(len=80) :: errmsg

    ! In the others the victim dies later.
    if (me == victim .and. all(procedure /= [3, 4, 8])) call die()
    select case (procedure)
    case (0)
      call prif_sync_all(stat, errmsg)
      call check_failed(stat, "prif_sync_all")
      call check(index(errmsg, "has failed") > 0, "the message of prif_sync_all")
    case (1)
      call prif_sync_images([victim], stat)
      call check_failed(stat, "prif_sync_images")
    case (2)
      call prif_event_wait(c_loc(data(1)), stat=stat)
      call check_failed(stat, "prif_event_wait")
    case (3)
      call die_with_lock()
    case (4)
      call die_in_critical()
    case (5)
      call check_collectives()
    case (6)
      call check_memory()
    case (7)
      call check_accesses()
    case (8)
      do i = 1, 20
        call prif_sync_all(stat)
        if (step == 0) call check(stat == 0, "the stat before the death")
        value = me
        call prif_put(left(1), coarray, 3 * word, c_loc(value), word, stat)
      end do
      if (me == victim) call die()
      call sync_rest()
    end select
  end subroutine

  ! One image that is left is told of the lock.
  subroutine die_with_lock()
    integer(c_int) :: round

    if (me == left(1)) data(1:2) = 0
    call prif_sync_all(stat)
    if (me == victim) then
      call prif_lock(left(1), locks, 0_c_size_t)
      call die()
    end if
    call sync_rest()
    do round = 1, 20
      call prif_lock(left(1), locks, 0_c_size_t, stat=stat)
      call check(stat == 0 .or. stat == PRIF_STAT_UNLOCKED_FAILED_IMAGE, "the stat of prif_lock")
      call prif_get(left(1), coarray, 0 * word, c_loc(value), word)
      value = value + 1
      call prif_put(left(1), coarray, 0 * word, c_loc(value), word)
      if (stat /= 0) call prif_atomic_add(left(1), coarray, word, 1_8)
      call prif_unlock(left(1), locks, 0_c_size_t, stat)
      call check(stat == 0, "the stat of prif_unlock")
    end do
    call sync_rest()
    if (me == left(1)) call check(all(data(1:2) == [20 * size(left), 1]), "a dead image's lock")
    if (me == left(1)) data(1:2) = 0
    call sync_rest()
  end subroutine

  subroutine die_in_critical()
    integer :: round

    if (me == left(1)) data(1:2) = 0
    call prif_sync_all(stat)
    do round = 1, 20
      call prif_critical(locks, stat)
      call check(stat == 0 .or. stat == PRIF_STAT_FAILED_IMAGE, "the stat of prif_critical")
      if (me == victim .and. round == 10) call die()
      if (me /= victim) then
        call prif_get(left(1), coarray, 0 * word, c_loc(value), word)
        value = value + 1
        call prif_put(left(1), coarray, 0 * word, c_loc(value), word)
        if (stat /= 0) call prif_atomic_add(left(1), coarray, word, 1_8)
      end if
      call prif_end_critical(locks)
    end do
    call sync_rest()
    ! One image is told, if one has entered the construct behind the death.
    if (me == left(1)) call check(data(1) == 20 * size(left) .and. data(2) <= 1, &
        "the critical construct of a dead image")
    call prif_critical(locks, stat)
    if (stat /= 0) call prif_atomic_add(left(1), coarray, word, 1_8)
    call prif_end_critical(locks)
    call sync_rest()
    if (me == left(1)) call check(data(2) == 1, "the images that are told of a critical construct")
    if (me == left(1)) data(1:2) = 0
    call sync_rest()
  end subroutine

  subroutine check_collectives()
    procedure(prif_operation_wrapper_interface), pointer :: operation
    integer(c_int64_t), allocatable, target :: large(:)
    integer :: small

    small = 1
    allocate (large(10000), source=1_c_int64_t)
    call prif_co_sum(small, stat=stat)
    call check_failed(stat, "prif_co_sum")
    call prif_co_max(large, stat=stat)
    call check_failed(stat, "prif_co_max")
    call prif_co_min(large, left(1), stat)
    call check_failed(stat, "prif_co_min")
    call prif_co_broadcast(large, left(1), stat)
    call check_failed(stat, "prif_co_broadcast")
    call prif_co_broadcast_cptr(c_loc(large), word, left(1), stat)
    call check_failed(stat, "prif_co_broadcast_cptr")
    operation => keep
    call prif_co_reduce(large, operation, c_null_ptr, stat=stat)
    call check_failed(stat, "prif_co_reduce")
    call prif_co_reduce_cptr(c_loc(large), word, 9_c_size_t, operation, c_null_ptr, stat=stat)
    call check_failed(stat, "prif_co_reduce_cptr")
  end subroutine

  subroutine keep(arg1, arg2_and_out, count, cdata) bind(C)
    type(c_ptr), value :: arg1, arg2_and_out, cdata
    integer(c_size_t), value :: count

    if (count == 0 .or. c_associated(arg1, arg2_and_out) .or. c_associated(cdata)) return
  end subroutine

  subroutine check_memory()
    procedure(prif_coarray_cleanup_interface), pointer :: none
    type(prif_coarray_handle) :: heap
    type(prif_team_type) :: team
    type(c_ptr) :: memory

    none => null()
    call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t], 80_c_size_t, none, heap, memory, stat)
    call check_failed(stat, "prif_allocate_coarray")
    call prif_deallocate_coarray(locks, stat)
    call check_failed(stat, "prif_deallocate_coarray")
    call prif_deallocate_coarrays([coarray, locks], stat)
    call check_failed(stat, "prif_deallocate_coarrays")
    call prif_get_team(team=team)
    call prif_sync_team(team, stat)
    call check_failed(stat, "prif_sync_team")
  end subroutine

  subroutine check_accesses()
    integer(c_intptr_t) :: address

    call sync_rest()
    address = transfer(c_loc(data(1)), address)
    call prif_put(victim, coarray, 0 * word, c_loc(value), word, stat)
    call check_failed(stat, "prif_put")
    call prif_get(victim, coarray, 0 * word, c_loc(value), word, stat)
    call check_failed(stat, "prif_get")
    call prif_put_strided(victim, coarray, 0 * word, [word], c_loc(value), [word], word, &
        [1_c_size_t], stat)
    call check_failed(stat, "prif_put_strided")
    call prif_get_strided(victim, coarray, 0 * word, [word], c_loc(value), [word], word, &
        [1_c_size_t], stat)
    call check_failed(stat, "prif_get_strided")
    call prif_put_with_notify(victim, coarray, 0 * word, c_loc(value), word, coarray, word, stat)
    call check_failed(stat, "prif_put_with_notify")
    call prif_atomic_fetch_add(victim, coarray, 0 * word, 1_8, value, stat)
    call check_failed(stat, "prif_atomic_fetch_add")
    call prif_event_post(victim, coarray, 0 * word, stat)
    call check_failed(stat, "prif_event_post")
    call prif_lock(victim, locks, 0_c_size_t, stat=stat)
    call check_failed(stat, "prif_lock")
  end subroutine

  ! What the others know of those that have died, and a team without them.
  subroutine look_at_state()
    type(prif_team_type) :: rest
    type(prif_coarray_handle) :: heap
    integer(c_int64_t), pointer :: elements(:)
    integer(c_int), allocatable :: failed(:)
    integer(c_int) :: n, index
    integer :: total

    call prif_image_status(victim, image_status=stat)
    call check_failed(stat, "prif_image_status")
    call prif_failed_images(failed_images=failed)
    call check(size(failed) == images - size(left) .and. any(failed == victim), &
        "prif_failed_images")
    call prif_sync_images(left, stat)
    call check(stat == 0, "the stat of prif_sync_images without the dead ones")
    call prif_form_team(int(step + 1, c_int64_t), rest, stat=stat)
    call check_failed(stat, "prif_form_team")
    call prif_change_team(rest, stat)
    call check(stat == 0, "the stat of prif_change_team")
    call prif_num_images(n)
    call check(n == size(left), "the images of the team of the rest")
    call prif_this_image_no_coarray(this_image=index)
    call make(100, heap, elements)
    value = index
    call prif_put(left(modulo(index, n) + 1), heap, 99 * word, c_loc(value), word, stat)
    call check(stat == 0, "the stat of prif_put in the team of the rest")
    call sync()
    call check(elements(100) == merge(n, index - 1, index == 1), "the data of the rest")
    total = index
    call prif_co_sum(total)
    call check(total == n * (n + 1) / 2, "prif_co_sum of the rest")
    call prif_deallocate_coarray(heap, stat)
    call check(stat == 0, "the stat of prif_deallocate_coarray in the team of the rest")
    call prif_end_team(stat)
    call check(stat == 0, "the stat of prif_end_team")
    call prif_sync_images(left, stat)
    call check(stat == 0, "the stat of prif_sync_images behind the team")
  end subroutine

end program
