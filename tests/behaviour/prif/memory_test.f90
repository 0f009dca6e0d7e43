! SPDX-License-Identifier: BSD-3-Clause
!
! Coarrays: allocation, final procedures, context data, cobounds, aliases; an image's own memory.
module memory_test
  use checks
  implicit none

  integer, target :: cleaned = 0
  integer(c_size_t) :: cleaned_bytes = 0
  logical :: has_context = .false.

contains

  subroutine clean_up(handle) bind(C)
    type(prif_coarray_handle), value :: handle
    type(c_ptr) :: context

    cleaned = cleaned + 1
    call prif_size_bytes(handle, cleaned_bytes)
    call prif_get_context_data(handle, context)
    has_context = same(context, c_loc(cleaned))
  end subroutine

  subroutine test_coarrays()
    type(prif_coarray_handle) :: one, two, alias, alias_of_alias
    procedure(prif_coarray_cleanup_interface), pointer :: cleanup
    integer(c_int64_t), pointer :: data(:)
    type(c_ptr) :: memory, context
    integer(c_size_t) :: bytes
    integer(c_int) :: stat
    character(len=90) :: errmsg
    type(prif_coarray_handle) :: no_coarrays(0)
    integer, target :: anything

    call make(5, one, data)
    call prif_size_bytes(one, bytes)
    call check(bytes == 40, "prif_size_bytes")
    call prif_local_data_pointer(one, memory)
    call check(same(memory, c_loc(data(1))), "prif_local_data_pointer")
    call prif_get_context_data(one, context)
    call check(.not. c_associated(context), "the first context")
    call prif_alias_create(one, [0_c_int64_t, 2_c_int64_t], [1_c_int64_t], 16_c_size_t, alias)
    context = c_loc(anything)
    call prif_set_context_data(alias, context)
    call prif_get_context_data(one, context)
    call check(same(context, c_loc(anything)), "the context of an alias")
    call prif_local_data_pointer(alias, memory)
    call check(same(memory, c_loc(data(3))), "the data of an alias")
    call prif_alias_create(alias, [1_c_int64_t], [7_c_int64_t], 8_c_size_t, alias_of_alias)
    call prif_local_data_pointer(alias_of_alias, memory)
    call check(same(memory, c_loc(data(4))), "the data of an alias of an alias")
    call prif_size_bytes(alias_of_alias, bytes)
    call check(bytes == 40, "the size of an alias")
    call prif_alias_destroy(alias)
    call prif_alias_destroy(alias_of_alias)

    cleanup => clean_up
    call prif_allocate_coarray([1_c_int64_t], [int(images, c_int64_t)], 0_c_size_t, cleanup, two, &
        memory)
    context = c_loc(cleaned)
    call prif_set_context_data(two, context)
    call prif_deallocate_coarrays([two, one], stat)
    call check(stat == 0 .and. cleaned == 1 .and. cleaned_bytes == 0, "the final procedure")
    call check(has_context, "the context in the final procedure")
    call prif_deallocate_coarrays(no_coarrays)

    errmsg = "kept"
    call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t], 2_c_size_t**60, cleanup, one, memory, &
        stat, errmsg)
    call check(stat == PRIF_STAT_OUT_OF_MEMORY, "the stat of too much memory")
    call check(index(errmsg, "out of memory") > 0, "the message of too much memory")
    call prif_allocate_coarray([3_c_int64_t, 1_c_int64_t], [2_c_int64_t], 8_c_size_t, cleanup, &
        one, memory, stat, errmsg)
    call check(stat > 0 .and. index(errmsg, "cobound") > 0, "an upper cobound below the lower one")
    call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t], 8_c_size_t, cleanup, one, memory, stat)
    call check(stat == 0, "the stat of an allocation")
    call prif_alias_create(one, [1_c_int64_t], [1_c_int64_t], 0_c_size_t, alias)
    call prif_deallocate_coarray(alias, stat, errmsg)
    call check(stat > 0 .and. index(errmsg, "alias") > 0, "deallocation of an alias")
    call prif_deallocate_coarray(one)
    call check(cleaned == 2 .and. cleaned_bytes == 8, "the second final procedure")
    call prif_alias_destroy(alias)
  end subroutine

  subroutine test_own_memory()
    type(c_ptr) :: memory
    integer(c_int) :: stat
    character(len=:), allocatable :: text

    call prif_allocate(100_c_size_t, memory, stat)
    call check(stat == 0 .and. c_associated(memory), "prif_allocate")
    call prif_deallocate(memory)
    call prif_deallocate(memory, stat, errmsg_alloc=text)
    call check(stat > 0 .and. index(text, "prif_allocate") > 0, "a second prif_deallocate")
    call prif_allocate(2_c_size_t**60, memory, stat, errmsg_alloc=text)
    call check(stat == PRIF_STAT_OUT_OF_MEMORY, "the stat of too much own memory")
    call check(index(text, "out of memory") > 0, "the message of too much own memory")
    call prif_allocate(0_c_size_t, memory)
    call prif_deallocate(memory, stat)
    call check(stat == 0, "prif_deallocate")
  end subroutine

  ! Corank 3 with the coextents 2, 1 and what the number of images asks for.
  subroutine test_cobounds()
    type(prif_coarray_handle) :: coarray
    procedure(prif_coarray_cleanup_interface), pointer :: none
    type(prif_team_type) :: team
    type(c_ptr) :: memory
    integer(c_int64_t) :: lower(3), upper(3), sub(3), one
    integer(c_size_t) :: sizes(3)
    integer(c_int) :: image, i, stat
    integer(c_int64_t) :: layers

    none => null()
    layers = (images + 1) / 2
    call prif_allocate_coarray([-1_c_int64_t, 5_c_int64_t, 2_c_int64_t], &
        [0_c_int64_t, 5_c_int64_t], 8_c_size_t, none, coarray, memory)
    call prif_lcobound_no_dim(coarray, lower)
    call check(all(lower == [-1, 5, 2]), "prif_lcobound_no_dim")
    call prif_ucobound_no_dim(coarray, upper)
    call check(all(upper == [0_c_int64_t, 5_c_int64_t, 1 + layers]), "prif_ucobound_no_dim")
    call prif_coshape(coarray, sizes)
    call check(all(sizes == [2_c_int64_t, 1_c_int64_t, layers]), "prif_coshape")
    do i = 1, 3
      call prif_lcobound_with_dim(coarray, i, one)
      call check(one == lower(i), "prif_lcobound_with_dim")
      call prif_ucobound_with_dim(coarray, i, one)
      call check(one == upper(i), "prif_ucobound_with_dim")
    end do
    call prif_this_image_with_coarray(coarray, cosubscripts=sub)
    call check(all(sub == [-1_c_int64_t + modulo(me - 1, 2), 5_c_int64_t, &
        2_c_int64_t + (me - 1) / 2]), "prif_this_image_with_coarray")
    do i = 1, 3
      call prif_this_image_with_dim(coarray, i, cosubscript=one)
      call check(one == sub(i), "prif_this_image_with_dim")
    end do
    call prif_get_team(team=team)
    call prif_image_index(coarray, sub, image)
    call check(image == me, "prif_image_index")
    call prif_image_index_with_team(coarray, sub, team, image)
    call check(image == me, "prif_image_index_with_team")
    call prif_image_index_with_team_number(coarray, sub, -1_c_int64_t, image)
    call check(image == me, "prif_image_index_with_team_number")
    call prif_initial_team_index(coarray, sub, image)
    call check(image == me, "prif_initial_team_index")
    call prif_initial_team_index_with_team(coarray, sub, team, image, stat)
    call check(image == me .and. stat == 0, "prif_initial_team_index_with_team")
    call prif_initial_team_index_with_team_number(coarray, sub, -1_c_int64_t, image, stat)
    call check(image == me .and. stat == 0, "prif_initial_team_index_with_team_number")
    do i = 1, 3
      sub = lower
      sub(i) = lower(i) - 1
      call prif_image_index(coarray, sub, image)
      call check(image == 0, "cosubscripts below the bounds")
      sub(i) = upper(i) + 1
      call prif_image_index(coarray, sub, image)
      call check(image == 0, "cosubscripts above the bounds")
      call prif_initial_team_index(coarray, sub, image, stat)
      call check(stat > 0, "the stat of cosubscripts above the bounds")
    end do
    sub = upper
    call prif_image_index(coarray, sub, image)
    call check(image == merge(images, 0, modulo(images, 2) == 0), "the last cosubscripts")
    call prif_deallocate_coarray(coarray)
  end subroutine

end module memory_test
