! SPDX-License-Identifier: BSD-3-Clause
!
! What flang 22 translates of coarrays: it makes the calls of PRIF itself (-fcoarray).
program flang_coarrays
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image, team_type
  implicit none
  type(team_type) :: half
  integer :: me, images, value, stat, members

  me = this_image()
  images = num_images()
  value = me
  call co_sum(value)
  call check(value == images * (images + 1) / 2, "co_sum")
  value = me
  call co_max(value)
  call check(value == images, "co_max")
  value = -me
  call co_min(value, result_image=images)
  if (me == images) call check(value == -images, "co_min")
  value = me
  call co_broadcast(value, images)
  call check(value == images, "co_broadcast")
  sync images (*)
  sync memory

  ! Odd images, and even ones.
  members = (images + mod(me, 2)) / 2
  form team (1 + mod(me, 2), half)
  change team (half)
    call check(num_images() == members, "num_images in a team")
    value = 1
    call co_sum(value)
    call check(value == members, "co_sum in a team")
    sync all
  end team
  sync team (half)
  call check(this_image() == me, "this_image behind a team")

  if (me == images .and. images > 1) stop
  sync all (stat=stat)
  call check(stat == merge(stat_stopped_image, 0, images > 1), "stat where an image has stopped")
  if (me == 1) print "(a)", "passed"

contains

  subroutine check(is_right, what)
    logical, intent(in) :: is_right
    character(len=*), intent(in) :: what

    if (is_right) return
    print "(a, i0, 2a)", "image ", this_image(), ": wrong: ", what
    error stop
  end subroutine

end program
