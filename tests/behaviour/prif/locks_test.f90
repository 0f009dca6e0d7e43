! SPDX-License-Identifier: BSD-3-Clause
!
! Locks and critical constructs: exclusion, acquired_lock, the stat of each mistake. Locks of images
! that have failed: prif_ending.f90.
module locks_test
  use checks
  implicit none

  integer, parameter :: rounds = 60
  integer(c_size_t), parameter :: lock_bytes = 64

contains

  subroutine test_locks()
    type(prif_coarray_handle) :: locks, counter
    integer(c_int64_t), pointer :: words(:), counts(:)
    integer(c_intptr_t) :: first, third
    integer :: i

    call make(24, locks, words)
    call make(3, counter, counts)
    third = address_on(1, words, 17)
    do i = 1, rounds
      call prif_lock(images, locks, lock_bytes)
      call increment(1, 1)
      call prif_unlock(images, locks, lock_bytes)
      call prif_lock_indirect(1, third)
      call increment(images, 2)
      call prif_unlock_indirect(1, third)
      call try_until_locked()
      call increment(1, 3)
      call prif_unlock(1, locks, 0_c_size_t)
    end do
    call sync()
    if (me == 1) call check(counts(1) == rounds * images, "a count under a lock")
    if (me == images) call check(counts(2) == rounds * images, "a count under a lock by address")
    if (me == 1) call check(counts(3) == rounds * images, "a count under a lock that was tried")
    call sync()
    first = address_on(1, words, 1)
    call test_states(locks, first)
    call test_several(locks)
    call test_mistakes(locks, third)
    call sync()
    call check(all(words == 0), "locks that are free")
    call prif_deallocate_coarrays([locks, counter])

  contains

    ! Not atomic.
    subroutine increment(image, element)
      integer(c_int), intent(in) :: image
      integer, intent(in) :: element
      integer(c_int64_t), target :: value

      call prif_get(image, counter, (element - 1) * word, c_loc(value), word)
      value = value + 1
      call prif_put(image, counter, (element - 1) * word, c_loc(value), word)
    end subroutine

    subroutine try_until_locked()
      logical(c_bool) :: acquired

      do
        call prif_lock(1, locks, 0_c_size_t, acquired)
        if (acquired) return
      end do
    end subroutine
  end subroutine

  ! The lock on image 1, which image `images` holds.
  subroutine test_states(locks, first)
    type(prif_coarray_handle), intent(in) :: locks
    integer(c_intptr_t), intent(in) :: first
    character(len=90) :: errmsg
    character(len=:), allocatable :: text
    logical(c_bool) :: acquired
    integer(c_int) :: stat

    if (me == images) then
      errmsg = "kept"
      stat = 1
      call prif_lock(1, locks, 0_c_size_t, stat=stat, errmsg=errmsg)
      call check(stat == 0 .and. errmsg == "kept", "prif_lock of a free lock")
      call prif_lock(1, locks, 0_c_size_t, stat=stat, errmsg=errmsg)
      call check(stat == PRIF_STAT_LOCKED .and. &
          index(errmsg, "has locked the variable on image 1 already") > 0, "an own lock")
      acquired = .true.
      call prif_lock_indirect(1, first, acquired, stat, errmsg_alloc=text)
      call check(stat == PRIF_STAT_LOCKED .and. .not. acquired .and. index(text, "already") > 0, &
          "acquired_lock of an own lock")
    end if
    call sync()
    if (me /= images) then
      acquired = .true.
      stat = 1
      call prif_lock(1, locks, 0_c_size_t, acquired, stat)
      call check(stat == 0 .and. .not. acquired, "acquired_lock of another image's lock")
      call prif_unlock(1, locks, 0_c_size_t, stat, errmsg)
      call check(stat == PRIF_STAT_LOCKED_OTHER_IMAGE, "prif_unlock of another image's lock")
      call check(index(errmsg, "has locked the variable on image 1, not this image") > 0, &
          "the message of prif_unlock")
      call prif_unlock_indirect(1, first, stat, errmsg_alloc=text)
      call check(stat == PRIF_STAT_LOCKED_OTHER_IMAGE .and. index(text, "not this image") > 0, &
          "prif_unlock_indirect of another image's lock")
    end if
    call sync()
    if (me == images) then
      stat = 1
      call prif_unlock_indirect(1, first, stat)
      call check(stat == 0, "prif_unlock_indirect")
      call prif_unlock(1, locks, 0_c_size_t, stat, errmsg)
      call check(stat == PRIF_STAT_UNLOCKED .and. index(errmsg, "no image has locked") > 0, &
          "prif_unlock of a free lock")
      acquired = .false.
      call prif_lock_indirect(1, first, acquired)
      call check(logical(acquired), "acquired_lock of a free lock")
      call prif_unlock(1, locks, 0_c_size_t)
    end if
    call sync()
  end subroutine

  ! One image after the other holds three locks, and gives them back in another order.
  subroutine test_several(locks)
    type(prif_coarray_handle), intent(in) :: locks
    logical(c_bool) :: acquired
    integer :: holder, i

    do holder = 1, images
      if (me == holder) then
        do i = 0, 2
          call prif_lock(next(me, i), locks, i * lock_bytes, acquired)
          call check(logical(acquired), "one of several locks")
        end do
        call prif_unlock(next(me, 1), locks, lock_bytes)
        call prif_unlock(next(me, 2 * modulo(me, 2)), locks, 2 * modulo(me, 2) * lock_bytes)
        call prif_unlock(next(me, 2 - 2 * modulo(me, 2)), locks, (2 - 2 * modulo(me, 2)) &
            * lock_bytes)
      end if
      call sync()
    end do
  end subroutine

  subroutine test_mistakes(locks, third)
    type(prif_coarray_handle), intent(in) :: locks
    integer(c_intptr_t), intent(in) :: third
    integer(c_int64_t), target :: value
    character(len=90) :: errmsg
    integer(c_int) :: stat

    call prif_lock(images + 1, locks, 0_c_size_t, stat=stat, errmsg=errmsg)
    call check(stat > 0 .and. index(errmsg, "does not exist") > 0, "a lock of no image")
    call prif_unlock(0, locks, 0_c_size_t, stat)
    call check(stat > 0, "prif_unlock of no image")
    call prif_lock(me, locks, 3 * lock_bytes, stat=stat)
    call check(stat > 0, "a lock beyond the coarray")
    call prif_lock_indirect(1, third + 4, stat=stat, errmsg=errmsg)
    call check(stat > 0 .and. index(errmsg, "not aligned") > 0, "a lock that is not aligned")
    call prif_unlock_indirect(1, third + 4, stat)
    call check(stat > 0, "prif_unlock of a lock that is not aligned")
    call prif_lock_indirect(me, transfer(c_loc(value), third), stat=stat, errmsg=errmsg)
    call check(stat > 0 .and. index(errmsg, "lie in no memory") > 0, "a lock in other memory")
  end subroutine

  ! A lock in an image's own memory, which the others reach by its address.
  subroutine test_own_lock()
    integer(c_int64_t), pointer :: data(:)
    integer(c_size_t) :: bytes
    integer(c_intptr_t) :: lock, count
    type(c_ptr) :: memory
    integer(c_int64_t), target :: value
    integer :: i

    bytes = 2 * word
    call prif_allocate(bytes, memory)
    call c_f_pointer(memory, data, [2])
    data = 0
    lock = address_on(images, data, 1)
    count = address_on(images, data, 2)
    do i = 1, rounds
      call prif_lock_indirect(images, lock)
      call prif_get_indirect(images, count, c_loc(value), word)
      value = value + 1
      call prif_put_indirect(images, count, c_loc(value), word)
      call prif_unlock_indirect(images, lock)
    end do
    call sync()
    if (me == images) call check(data(2) == rounds * images, "a count under a lock in own memory")
    call sync()
    call prif_deallocate(memory)
  end subroutine

  ! One image of all teams is in a critical construct at a time.
  subroutine test_critical()
    type(prif_coarray_handle) :: critical, counter
    type(prif_team_type) :: team
    integer(c_int64_t), pointer :: words(:), counts(:)
    integer(c_int64_t), target :: value
    character(len=90) :: errmsg
    integer(c_int) :: stat
    integer :: i

    call make(8, critical, words)
    call make(1, counter, counts)
    call prif_form_team(int(1 + modulo(me, 2), c_int64_t), team)
    call prif_change_team(team)
    do i = 1, rounds
      stat = 1
      if (modulo(i, 2) == 0) then
        call prif_critical(critical, stat)
        call check(stat == 0, "prif_critical")
      else
        call prif_critical(critical)
      end if
      call prif_get(images, counter, 0 * word, c_loc(value), word)
      value = value + 1
      call prif_put(images, counter, 0 * word, c_loc(value), word)
      if (i == 1) then
        call prif_critical(critical, stat, errmsg)
        call check(stat > 0 .and. index(errmsg, "in the critical construct already") > 0, &
            "a critical construct in itself")
      end if
      call prif_end_critical(critical)
    end do
    call prif_end_team()
    call sync()
    if (me == images) call check(counts(1) == rounds * images, "a count in a critical construct")
    call prif_deallocate_coarrays([critical, counter])
  end subroutine

end module locks_test
