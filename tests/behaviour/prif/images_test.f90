! SPDX-License-Identifier: BSD-3-Clause
!
! Queries about images, and the sync procedures.
module images_test
  use checks
  implicit none

contains

  subroutine test_images()
    integer(c_int) :: n, i, stat
    integer(c_int), allocatable :: list(:)
    type(prif_team_type) :: team
    character(len=40) :: errmsg
    character(len=:), allocatable :: text

    call prif_num_images(n)
    call check(n == images, "prif_num_images")
    call prif_get_team(team=team)
    call prif_num_images_with_team(team, n)
    call check(n == images, "prif_num_images_with_team")
    call prif_num_images_with_team_number(-1_c_int64_t, n)
    call check(n == images, "prif_num_images_with_team_number")
    call prif_this_image_no_coarray(team, i)
    call check(i == me, "prif_this_image_no_coarray of a team")
    do i = 1, images
      call prif_image_status(i, image_status=stat)
      call check(stat == 0, "prif_image_status")
    end do
    call prif_failed_images(failed_images=list)
    call check(size(list) == 0, "prif_failed_images")
    call prif_stopped_images(team, list)
    call check(size(list) == 0, "prif_stopped_images")

    errmsg = "kept"
    stat = 1
    call prif_sync_all(stat, errmsg)
    call check(stat == 0 .and. errmsg == "kept", "prif_sync_all")
    stat = 1
    call prif_sync_memory(stat)
    call check(stat == 0, "prif_sync_memory")
    call prif_sync_team(team, stat=stat)
    call check(stat == 0, "prif_sync_team")
    if (images > 2) call prif_sync_images([me, next(me, 1), next(me, -1)])
    stat = 1
    i = merge(me + 1, me - 1, modulo(me, 2) == 1)
    call prif_sync_images([merge(me, i, i > images)], stat)
    call check(stat == 0, "prif_sync_images")
    call prif_sync_images([integer(c_int) ::])
    call prif_sync_images()

    call prif_sync_images([me, me], stat, errmsg)
    call check(stat > 0 .and. index(errmsg, "is in image_set twice") > 0, "an image twice")
    call prif_sync_images([images + 1], stat, errmsg_alloc=text)
    call check(stat > 0 .and. stat /= PRIF_STAT_STOPPED_IMAGE, "the stat of no image")
    call check(index(text, "does not exist") > 0, "the message of no image")
    call prif_init(stat)
    call check(stat == PRIF_STAT_ALREADY_INIT, "a second prif_init")
    call sync()
  end subroutine

end module images_test
