! SPDX-License-Identifier: BSD-3-Clause
!
! Events, and several threads that wait for one notify variable (with -fopenmp).
module events_test
  use checks
  implicit none

contains

  subroutine test_events()
    type(prif_coarray_handle) :: events, coarray
    integer(c_int64_t), pointer :: counts(:), data(:)
    integer(c_int64_t), target :: value
    integer(c_intptr_t) :: address
    integer(c_int64_t) :: n
    integer(c_int) :: image, stat
    integer :: i

    call make(16, events, counts)
    call make(1, coarray, data)
    ! All post to all. The data comes before the post.
    value = 10 + me
    call prif_put(next(me, 1), coarray, 0 * word, c_loc(value), word)
    do image = 1, images
      call prif_event_post(image, events, 8 * word)
    end do
    call prif_event_wait(c_loc(counts(9)), int(images, c_int64_t), stat)
    call check(stat == 0 .and. data(1) == 10 + next(me, -1), "the data before a post")
    call prif_event_query(c_loc(counts(9)), n, stat)
    call check(n == 0 .and. stat == 0, "the count behind prif_event_wait")
    call sync()
    do image = 1, images
      address = address_on(image, counts, 1)
      if (next(image, -1) == me) then
        do i = 1, 3
          call prif_event_post_indirect(image, address, stat)
          call check(stat == 0, "prif_event_post_indirect")
        end do
      end if
    end do
    call prif_event_wait(c_loc(counts(1)))
    call prif_event_wait(c_loc(counts(1)), -5_c_int64_t)
    call prif_event_wait(c_loc(counts(1)), 1_c_int64_t)
    call prif_event_query(c_loc(counts(1)), n)
    call check(n == 0, "the count behind three waits")
    call prif_event_post(me, events, 16 * word, stat)
    call check(stat > 0, "a post beyond the coarray")
    call prif_event_wait(c_loc(value), stat=stat)
    call check(stat > 0, "a wait for other memory")
    call sync()
    if (images == 1) then
      call prif_event_wait(c_loc(counts(2)), stat=stat)
      call check(stat == PRIF_STAT_STOPPED_IMAGE, "a wait that no image can end")
    end if
    !$ call test_threads(coarray, events, counts)
    call prif_deallocate_coarrays([events, coarray])
  end subroutine

  ! Three threads wait for 10 notifications each, two of them for the same count.
  subroutine test_threads(coarray, notes, counts)
    type(prif_coarray_handle), intent(in) :: coarray, notes
    integer(c_int64_t), pointer, intent(in) :: counts(:)
    integer(c_int64_t), target :: value
    integer(c_int64_t) :: n
    integer(c_int) :: to
    integer :: thread, i

    to = next(me, 1)
    !$omp parallel do num_threads(4) schedule(static, 1) private(i, value)
    do thread = 1, 4
      do i = 1, 10
        select case (thread)
        case (1, 2)
          call prif_notify_wait(c_loc(counts(4)))
        case (3)
          call prif_notify_wait(c_loc(counts(12)))
        case (4)
          value = i
          call prif_put_with_notify(to, coarray, 0 * word, c_loc(value), word, notes, 3 * word)
          call prif_put_with_notify(to, coarray, 0 * word, c_loc(value), word, notes, 3 * word)
          call prif_put_with_notify(to, coarray, 0 * word, c_loc(value), word, notes, 11 * word)
        end select
      end do
    end do
    !$omp end parallel do
    call prif_event_query(c_loc(counts(4)), n)
    call check(n == 0, "the count behind the threads")
    call prif_event_query(c_loc(counts(12)), n)
    call check(n == 0, "the other count behind the threads")
    call sync()
  end subroutine

end module events_test
