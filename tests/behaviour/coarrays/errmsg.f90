! SPDX-License-Identifier: BSD-3-Clause
!
! stat= and errmsg=: each statement that can fail sets both, in variables of each form, and leaves
! errmsg= alone when it succeeds. gfortran 12 passes errmsg= of some statements in ways of its own.
program errmsg
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image, lock_type, event_type, &
    stat_locked, stat_locked_other_image
  use checks
  implicit none
  character(*), parameter :: untouched = 'untouched'
  type(lock_type) :: guard[*]
  type(event_type) :: event[*]
  integer, allocatable :: list(:)[:]
  character(60), save :: static
  character(60) :: automatic
  character(:), allocatable :: allocated_text
  character(60), target :: aim
  character(:), pointer :: pointer_text
  integer :: me, n, stat, value, both(2)
  me = this_image()
  n = num_images()
  both = me
  allocate (character(60) :: allocated_text)
  pointer_text => aim
  call images_twice(static)
  call images_twice(automatic)
  call images_twice(allocated_text)
  call images_twice(pointer_text)
  call images_twice_short(static(3:9))
  call directly()
  call successes()
  call locks()
  if (n > 1) call with_stopped_image(static, allocated_text)
  if (n == 1) call passed()

contains

  subroutine images_twice(text)
    character(*), intent(inout) :: text
    text = untouched
    sync images (both, stat=stat, errmsg=text)
    call check(stat /= 0, 'stat of sync images')
    call check(index(text, 'is in the list twice') > 0, 'errmsg of sync images: ' // text)
  end subroutine images_twice

  ! No byte behind the variable changes.
  subroutine images_twice_short(text)
    character(*), intent(inout) :: text
    static = repeat('-', 60)
    sync images (both, stat=stat, errmsg=text)
    call check_equal(text, 'image ' // achar(iachar('0') + mod(me, 10)), 'short errmsg')
    call check_equal(static(1:2) // static(10:), repeat('-', 53), 'around a short errmsg')
  end subroutine images_twice_short

  subroutine directly()
    integer(8) :: wide
    character(60) :: own
    own = untouched
    sync images (both, stat=stat, errmsg=own)
    call check(index(own, 'is in the list twice') > 0, 'own errmsg: ' // own)
    automatic = untouched
    sync images (both, stat=stat, errmsg=automatic)
    call check(index(automatic, 'is in the list twice') > 0, 'errmsg of the host: ' // automatic)
    sync images (both, stat=stat, errmsg=allocated_text)
    call check(index(allocated_text, 'is in the list twice') > 0, 'allocatable: ' // allocated_text)
    sync images (both, stat=wide, errmsg=pointer_text)
    call check(index(pointer_text, 'is in the list twice') > 0, 'pointer: ' // pointer_text)
    call check(wide /= 0, 'stat of kind 8')
    sync images (both, stat=stat)
    call check(stat /= 0, 'stat without errmsg')
  end subroutine directly

  subroutine successes()
    static = untouched
    stat = 77
    sync all (stat=stat, errmsg=static)
    call check_equal(stat, 0, 'stat of sync all')
    sync images (*, stat=stat, errmsg=static)
    sync images (me, stat=stat, errmsg=static)
    sync memory (stat=stat, errmsg=static)
    lock (guard[me], stat=stat, errmsg=static)
    unlock (guard[me], stat=stat, errmsg=static)
    event post (event, stat=stat, errmsg=static)
    event wait (event, stat=stat, errmsg=static)
    allocate (list(3)[*], stat=stat, errmsg=static)
    call check_equal(stat, 0, 'stat of allocate')
    call co_sum(value, stat=stat, errmsg=static)
    call co_broadcast(value, 1, stat=stat, errmsg=static)
    deallocate (list, stat=stat, errmsg=static)
    call check_equal(stat, 0, 'stat of deallocate')
    call check_equal(trim(static), untouched, 'errmsg behind success')
  end subroutine successes

  subroutine locks()
    lock (guard[me])
    static = untouched
    lock (guard[me], stat=stat, errmsg=static)
    call check_equal(stat, stat_locked, 'stat of lock')
    call check(index(static, 'already') > 0, 'errmsg of lock: ' // static)
    sync all
    if (n > 1) then
      static = untouched
      unlock (guard[mod(me, n) + 1], stat=stat, errmsg=static)
      call check_equal(stat, stat_locked_other_image, 'stat of unlock')
      call check(index(static, 'not this image') > 0, 'errmsg of unlock: ' // static)
    end if
    sync all
    unlock (guard[me])
    sync all
    static = untouched
    unlock (guard[mod(me, n) + 1], stat=stat, errmsg=static)
    call check(stat /= 0, 'stat of unlock')
    call check(index(static, 'no image has locked') > 0, 'errmsg of unlock: ' // static)
  end subroutine locks

  subroutine told(text, statement)
    character(*), intent(in) :: text, statement
    call check_equal(stat, stat_stopped_image, 'stat of ' // statement)
    call check_equal(trim(text), 'an image of the team has stopped', 'errmsg of ' // statement)
  end subroutine told

  ! The last image stops. Arguments of collective subroutines: see docs/run/coarrays.md.
  subroutine with_stopped_image(text, other)
    character(*), intent(inout) :: text
    character(:), allocatable, intent(inout) :: other
    character(12) :: word
    sync all
    if (me == n) stop
    text = untouched
    sync all (stat=stat, errmsg=text)
    call told(text, 'sync all')
    text = untouched
    sync images (n, stat=stat, errmsg=text)
    call told(text, 'sync images')
    text = untouched
    sync images (*, stat=stat, errmsg=text)
    call told(text, 'sync images (*)')
    text = untouched
    allocate (list(3)[*], stat=stat, errmsg=text)
    call told(text, 'allocate')
    text = untouched
    value = me
    call co_sum(value, stat=stat, errmsg=text)
    call told(text, 'co_sum')
    other = repeat('-', 60)
    call co_max(value, stat=stat, errmsg=other)
    call told(other, 'co_max')
    text = untouched
    word = 'word'
    call co_min(word, stat=stat, errmsg=text)
    call told(text, 'co_min of characters')
    text = untouched
    call co_broadcast(value, 1, stat=stat, errmsg=text)
    call told(text, 'co_broadcast')
    text = untouched
    call co_reduce(value, add, stat=stat, errmsg=text)
    call told(text, 'co_reduce')
    ! Passed by value: the variable stays as it was, and so does what lies around it.
    static = untouched
    call co_sum(value, stat=stat, errmsg=static)
    call check_equal(stat, stat_stopped_image, 'stat of co_sum')
    call check_equal(trim(static), untouched, 'errmsg of co_sum by value')
    if (me == 1) print '(a)', 'passed'
  end subroutine with_stopped_image

  pure integer function add(a, b)
    integer, intent(in) :: a, b
    add = a + b
  end function add
end program errmsg
