! SPDX-License-Identifier: BSD-3-Clause
!
! Teams: numbers of 64 bits, siblings, images of the initial team in accesses, end team.
module teams_test
  use checks
  use memory_test, only: clean_up, cleaned
  implicit none

  integer(c_int64_t), parameter :: large = 2_c_int64_t**40

contains

  ! Images with odd numbers in one team, backwards, those with even ones in another.
  subroutine test_teams()
    type(prif_team_type) :: team, initial, found, copy
    type(prif_coarray_handle) :: coarray, inner
    procedure(prif_coarray_cleanup_interface), pointer :: cleanup
    integer(c_int64_t), pointer :: data(:), inner_data(:)
    integer(c_int64_t), target :: value
    integer(c_int64_t) :: number, own, other, sub(1)
    type(c_ptr) :: memory
    integer(c_int) :: n, image, index, odd, stat
    character(len=80) :: errmsg

    call make(1, coarray, data)
    call prif_get_team(team=initial)
    call prif_team_number(team_number=number)
    call check(number == -1, "the number of the initial team")
    odd = (images + 1) / 2
    own = large + modulo(me, 2)
    other = large + modulo(me + 1, 2)
    if (modulo(me, 2) == 1) then
      index = odd - (me - 1) / 2
      call prif_form_team(own, team, index)
    else
      index = me / 2
      call prif_form_team(own, team, stat=stat)
      call check(stat == 0, "prif_form_team")
    end if
    copy = team
    call prif_num_images_with_team(initial, n)
    call prif_sync_team(team)
    call prif_change_team(copy)

    call prif_team_number(team_number=number)
    call check(number == own, "the number of a team")
    call prif_team_number(initial, number)
    call check(number == -1, "the number of the initial team in another one")
    call prif_num_images(n)
    call check(n == merge(odd, images / 2, modulo(me, 2) == 1), "prif_num_images in a team")
    call prif_num_images_with_team_number(own, n)
    call check(n == merge(odd, images / 2, modulo(me, 2) == 1), "the images of the own number")
    call prif_this_image_no_coarray(this_image=image)
    call check(image == index, "prif_this_image_no_coarray in a team")
    call prif_this_image_no_coarray(initial, image)
    call check(image == me, "prif_this_image_no_coarray of the initial team")
    call prif_get_team(PRIF_PARENT_TEAM, found)
    call prif_team_number(found, number)
    call check(number == -1, "the parent team")
    call prif_get_team(PRIF_INITIAL_TEAM, found)
    call prif_num_images_with_team(found, image)
    call check(image == images, "the initial team")
    call prif_get_team(PRIF_CURRENT_TEAM, found)
    call prif_team_number(found, number)
    call check(number == own, "the current team")

    ! Coarrays of the team, and the images that cosubscripts name.
    call make(2, inner, inner_data)
    sub = 1
    call prif_initial_team_index(inner, sub, image)
    call check(image == merge(2 * odd - 1, 2, modulo(me, 2) == 1), "image 1 of the team")
    value = 1000 * me
    call prif_put(image, inner, word, c_loc(value), word)
    call sync()
    if (index == 1) call check(modulo(inner_data(2), 1000_c_int64_t) == 0 .and. &
        inner_data(2) > 0, "a put in a team")
    if (images > 1) then
      call prif_num_images_with_team_number(other, image)
      call check(image == images - n, "the images of a sibling")
      call prif_initial_team_index_with_team_number(inner, sub, other, image, stat)
      call check(image == merge(2, 2 * odd - 1, modulo(me, 2) == 1), "image 1 of a sibling")
      ! A sibling has another coarray at the same time, and none of this one.
      call prif_get(image, inner, 0 * word, c_loc(value), word, stat, errmsg)
      call check(stat > 0 .and. index_of("has no part", errmsg), "a get from a sibling")
      call prif_image_index_with_team_number(inner, [99_c_int64_t], other, image)
      call check(image == 0, "no image of a sibling")
      ! The coarray of the initial team reaches all.
      call prif_get(next(me, 1), coarray, 0 * word, c_loc(value), word)
    end if
    call prif_image_index_with_team(inner, [int(images, c_int64_t)], initial, image)
    call check(image == images, "an index of the initial team")
    call prif_deallocate_coarray(coarray, stat, errmsg)
    call check(stat > 0 .and. index_of("another team", errmsg), "a coarray of another team")
    call prif_change_team(copy, stat)
    call check(stat > 0, "a change to the current team")

    cleanup => clean_up
    cleaned = 0
    call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t], 8_c_size_t, cleanup, inner, memory)
    call prif_end_team(stat)
    call check(stat == 0 .and. cleaned == 1, "the final procedure at prif_end_team")
    call prif_num_images(n)
    call check(n == images, "prif_num_images behind a team")
    call prif_end_team(stat)
    call check(stat > 0, "the end of the initial team")
    call prif_form_team(0_c_int64_t, found, stat=stat, errmsg=errmsg)
    call check(stat > 0 .and. index_of("positive", errmsg), "team number 0")
    call prif_form_team(5_c_int64_t, found, images + 1, stat, errmsg)
    call check(stat > 0 .and. index_of("new_index", errmsg), "new_index beyond the team")
    ! The team again.
    call prif_change_team(team, stat)
    call check(stat == 0, "a second prif_change_team")
    call prif_end_team()
    call prif_deallocate_coarray(coarray)
  end subroutine

  logical function index_of(text, message)
    character(len=*), intent(in) :: text, message

    index_of = index(message, text) > 0
  end function

end module teams_test
