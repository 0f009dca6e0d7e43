! SPDX-License-Identifier: BSD-3-Clause
!
! Images that stop or fail while the others go on: states, lists, stat= of image control, a team of
! those that are left, locks of failed images. The last image stops or fails (the argument), the
! second one later, and at the end all but the first one.
program gone_images
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image, stat_failed_image, &
    team_type, lock_type, event_type, atomic_int_kind, int64
  use checks
  implicit none
  type(lock_type) :: guard[*]
  type(event_type) :: ready[*]
  integer(atomic_int_kind) :: tick[*]
  integer :: value[*], me, n, gone, stat, i, round
  integer, allocatable :: left(:)
  character(10) :: way
  logical :: fails
  call get_command_argument(1, way)
  fails = way == 'fail'
  gone = merge(stat_failed_image, stat_stopped_image, fails)
  me = this_image()
  n = num_images()
  value = 10 * me
  tick = 0
  call check_equal(image_status(n), 0, 'state of a running image')
  call check_equal(size(failed_images()) + size(stopped_images()), 0, 'no image is gone')
  call check_equal(num_images(failed=.true.), 0, 'no failed images')
  sync all
  if (n < 3) then
    call passed()
    stop
  end if

  if (me == n) then
    lock (guard[1])
    call leave()
  end if
  left = [(i, i=1, n - 1)]
  call without(n)
  if (fails) call team_of_the_rest()
  if (me == 2) call leave()
  left = pack(left, left /= 2)
  call without(2)
  if (fails) call team_of_the_rest()
  call tell_first(-1)
  if (me /= 1) call leave()
  call alone()
  print '(a)', 'passed'

contains

  ! The last image that is left stores to the first one. Atomic subroutines alone say so, and when.
  subroutine tell_first(number)
    integer, intent(in) :: number
    integer :: last
    last = left(size(left))
    if (me == 1) call atomic_define(tick[last], number)
    if (me == last) then
      call await_tick(number)
      value[1] = number
      sync memory
      call atomic_define(tick[1], number - 100)
    end if
    if (me == 1) call await_tick(number - 100)
  end subroutine tell_first

  subroutine await_tick(number)
    integer, intent(in) :: number
    integer(atomic_int_kind) :: seen
    seen = 0
    do while (seen /= number)
      call atomic_ref(seen, tick)
    end do
  end subroutine await_tick

  subroutine alone()
    integer, parameter :: looks = 200000  ! meanwhile the last image notices that it is the last
    do i = 2, n
      stat = 0
      do while (stat == 0)
        stat = image_status(i)
      end do
    end do
    do round = 1, looks
      stat = image_status(me)
    end do
    event wait (ready, stat=stat)
    call check_equal(stat, gone, 'stat of event wait without other images')
    call check_equal(value, -1, 'behind an event wait without other images')
  end subroutine alone

  subroutine leave()
    if (fails) fail image
    stop
  end subroutine leave

  ! Whatever the others do, they learn of it and go on.
  subroutine without(image)
    integer, intent(in) :: image
    do round = 1, 50
      stat = 0
      sync all (stat=stat)
      call check_equal(stat, gone, 'stat of sync all')
      if (me == 1) value[left(size(left))] = round
      sync images (left)
      if (me == left(size(left))) call check_equal(value, round, 'sync images of the rest')
      sync images (left)
    end do
    call tell_first(-image)
    sync images ([image], stat=stat)
    call check_equal(stat, gone, 'stat of sync images with it')
    if (me == 1) call check_equal(value, -image, 'behind sync images with it')
    sync images (left)
    call check_equal(image_status(image), gone, 'its state')
    if (image == n) call check_equal(value[n], 10 * n, 'its memory')
    call check_equal(list_gone(), expected_gone(image), 'images that are gone')
    call check_equal(size(list_others()), 0, 'images that are gone otherwise')
    call check_equal(num_images(failed=.true.), merge(n - size(left), 0, fails), 'failed images')
    call check_equal(num_images(failed=.false.), merge(size(left), n, fails), 'not failed')
    sync images (left)
    if (image == n) then
      lock (guard[1])
      unlock (guard[1])
    end if
    sync images (left)
  end subroutine without

  function list_gone() result(list)
    integer, allocatable :: list(:)
    if (fails) then
      list = failed_images()
    else
      list = stopped_images()
    end if
  end function list_gone

  function list_others() result(list)
    integer(int64), allocatable :: list(:)
    if (fails) then
      list = stopped_images(kind=int64)
    else
      list = failed_images(kind=int64)
    end if
  end function list_others

  function expected_gone(image) result(list)
    integer, intent(in) :: image
    integer, allocatable :: list(:)
    list = [image, n]
    if (image == n) list = [n]
  end function expected_gone

  ! A team without the failed images works as any other.
  subroutine team_of_the_rest()
    type(team_type) :: rest
    integer, allocatable :: heap(:)[:]
    form team (7, rest)
    change team (rest)
      call check_equal(num_images(), size(left), 'images of the team of the rest')
      call check_equal(left(this_image()), me, 'their order')
      allocate (heap(3)[*])
      heap(:)[mod(this_image(), num_images()) + 1] = this_image()
      sync all
      call check_equal(heap(3), merge(size(left), this_image() - 1, this_image() == 1), 'heap')
      sync all
      deallocate (heap)
    end team
  end subroutine team_of_the_rest
end program gone_images
