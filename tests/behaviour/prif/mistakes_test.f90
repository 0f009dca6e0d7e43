! SPDX-License-Identifier: BSD-3-Clause
!
! The stat of each procedure that names memory of an image or an image: 0 without an error, and what
! an image, an offset or an address that names nothing gives, with either message.
module mistakes_test
  use checks
  implicit none

  character(len=100) :: errmsg
  character(len=:), allocatable :: text
  integer(c_int) :: stat = -1
  private :: errmsg, text, stat

contains

  subroutine accepted()
    call check(stat == 0, "the stat of success")
    stat = -1
  end subroutine

  ! words: of the message.
  subroutine refused(words)
    character(len=*), intent(in), optional :: words

    call check(stat > 0, "the stat of a mistake")
    stat = -1
    if (.not. present(words)) return
    if (allocated(text)) then
      call check(index(text, words) > 0, "the text " // text)
      deallocate (text)
    else
      call check(index(errmsg, words) > 0, "the text " // errmsg)
    end if
    errmsg = ""
  end subroutine

  subroutine test_mistakes_of_atomics()
    type(prif_coarray_handle) :: coarray
    integer(c_int64_t), pointer :: data(:)
    integer(c_int64_t) :: number
    logical(PRIF_ATOMIC_LOGICAL_KIND) :: flag
    logical(PRIF_ATOMIC_LOGICAL_KIND), parameter :: yes = .true.
    integer(c_intptr_t) :: at

    call make(1, coarray, data)
    at = transfer(c_loc(data(1)), at)
    call prif_atomic_add(me, coarray, 0 * word, 1_8, stat)
    call accepted()
    call prif_atomic_add(me, coarray, word, 1_8, stat)
    call refused()
    call prif_atomic_add_indirect(me, at, 1_8, stat)
    call accepted()
    call prif_atomic_add_indirect(0, at, 1_8, stat)
    call refused()
    call prif_atomic_and(me, coarray, 0 * word, 1_8, stat)
    call accepted()
    call prif_atomic_and(me, coarray, word, 1_8, stat)
    call refused()
    call prif_atomic_and_indirect(me, at, 1_8, stat)
    call accepted()
    call prif_atomic_and_indirect(0, at, 1_8, stat)
    call refused()
    call prif_atomic_or(me, coarray, 0 * word, 1_8, stat)
    call accepted()
    call prif_atomic_or(me, coarray, word, 1_8, stat)
    call refused()
    call prif_atomic_or_indirect(me, at, 1_8, stat)
    call accepted()
    call prif_atomic_or_indirect(0, at, 1_8, stat)
    call refused()
    call prif_atomic_xor(me, coarray, 0 * word, 1_8, stat)
    call accepted()
    call prif_atomic_xor(me, coarray, word, 1_8, stat)
    call refused()
    call prif_atomic_xor_indirect(me, at, 1_8, stat)
    call accepted()
    call prif_atomic_xor_indirect(0, at, 1_8, stat)
    call refused()
    call prif_atomic_fetch_add(me, coarray, 0 * word, 1_8, number, stat)
    call accepted()
    call prif_atomic_fetch_add(me, coarray, word, 1_8, number, stat)
    call refused()
    call prif_atomic_fetch_add_indirect(me, at, 1_8, number, stat)
    call accepted()
    call prif_atomic_fetch_add_indirect(0, at, 1_8, number, stat)
    call refused()
    call prif_atomic_fetch_and(me, coarray, 0 * word, 1_8, number, stat)
    call accepted()
    call prif_atomic_fetch_and(me, coarray, word, 1_8, number, stat)
    call refused()
    call prif_atomic_fetch_and_indirect(me, at, 1_8, number, stat)
    call accepted()
    call prif_atomic_fetch_and_indirect(0, at, 1_8, number, stat)
    call refused()
    call prif_atomic_fetch_or(me, coarray, 0 * word, 1_8, number, stat)
    call accepted()
    call prif_atomic_fetch_or(me, coarray, word, 1_8, number, stat)
    call refused()
    call prif_atomic_fetch_or_indirect(me, at, 1_8, number, stat)
    call accepted()
    call prif_atomic_fetch_or_indirect(0, at, 1_8, number, stat)
    call refused()
    call prif_atomic_fetch_xor(me, coarray, 0 * word, 1_8, number, stat)
    call accepted()
    call prif_atomic_fetch_xor(me, coarray, word, 1_8, number, stat)
    call refused()
    call prif_atomic_fetch_xor_indirect(me, at, 1_8, number, stat)
    call accepted()
    call prif_atomic_fetch_xor_indirect(0, at, 1_8, number, stat)
    call refused()
    call prif_atomic_define_int(me, coarray, 0 * word, 1_8, stat)
    call accepted()
    call prif_atomic_define_int(me, coarray, word, 1_8, stat)
    call refused()
    call prif_atomic_define_int_indirect(me, at, 1_8, stat)
    call accepted()
    call prif_atomic_define_int_indirect(0, at, 1_8, stat)
    call refused()
    call prif_atomic_ref_int(me, coarray, 0 * word, number, stat)
    call accepted()
    call prif_atomic_ref_int(me, coarray, word, number, stat)
    call refused()
    call prif_atomic_ref_int_indirect(me, at, number, stat)
    call accepted()
    call prif_atomic_ref_int_indirect(0, at, number, stat)
    call refused()
    call prif_atomic_cas_int(me, coarray, 0 * word, number, 0_8, 1_8, stat)
    call accepted()
    call prif_atomic_cas_int(me, coarray, word, number, 0_8, 1_8, stat)
    call refused()
    call prif_atomic_cas_int_indirect(me, at, number, 0_8, 1_8, stat)
    call accepted()
    call prif_atomic_cas_int_indirect(0, at, number, 0_8, 1_8, stat)
    call refused()
    call prif_atomic_define_logical(me, coarray, 0 * word, yes, stat)
    call accepted()
    call prif_atomic_define_logical(me, coarray, word, yes, stat)
    call refused()
    call prif_atomic_define_logical_indirect(me, at, yes, stat)
    call accepted()
    call prif_atomic_define_logical_indirect(0, at, yes, stat)
    call refused()
    call prif_atomic_ref_logical(me, coarray, 0 * word, flag, stat)
    call accepted()
    call prif_atomic_ref_logical(me, coarray, word, flag, stat)
    call refused()
    call prif_atomic_ref_logical_indirect(me, at, flag, stat)
    call accepted()
    call prif_atomic_ref_logical_indirect(0, at, flag, stat)
    call refused()
    call prif_atomic_cas_logical(me, coarray, 0 * word, flag, yes, yes, stat)
    call accepted()
    call prif_atomic_cas_logical(me, coarray, word, flag, yes, yes, stat)
    call refused()
    call prif_atomic_cas_logical_indirect(me, at, flag, yes, yes, stat)
    call accepted()
    call prif_atomic_cas_logical_indirect(0, at, flag, yes, yes, stat)
    call refused()
    call sync()
    call prif_deallocate_coarray(coarray)
  end subroutine

  subroutine test_mistakes_of_accesses()
    type(prif_coarray_handle) :: coarray
    integer(c_int64_t), pointer :: data(:)
    integer(c_int64_t), target :: value
    integer(c_size_t), parameter :: one(1) = 1, far(2) = [2_c_size_t**40, 2_c_size_t**40]
    integer(c_ptrdiff_t), parameter :: dense(1) = 8, steps(2) = 8
    integer(c_intptr_t) :: at, other

    value = 1
    call make(2, coarray, data)
    at = transfer(c_loc(data(1)), at)
    other = transfer(c_loc(value), other)
    associate (local => c_loc(value), next_word => 8_c_size_t, behind => 16_c_size_t)
      call prif_get(me, coarray, 0 * word, local, word, stat)
      call accepted()
      call prif_get(images + 1, coarray, 0 * word, local, word, stat, errmsg_alloc=text)
      call refused("image_num")
      call prif_get(me, coarray, behind, local, word, stat, errmsg)
      call refused("beyond the coarray")
      call prif_get_indirect(me, at, local, word, stat)
      call accepted()
      call prif_get_indirect(images + 1, at, local, word, stat, errmsg)
      call refused("image_num")
      call prif_get_indirect(me, other, local, word, stat, errmsg_alloc=text)
      call refused("lie in no memory")
      call prif_get_strided(me, coarray, 0 * word, dense, local, dense, word, one, stat)
      call accepted()
      call prif_get_strided(images + 1, coarray, 0 * word, dense, local, dense, word, one, stat, &
          errmsg_alloc=text)
      call refused("image_num")
      call prif_get_strided(me, coarray, behind, dense, local, dense, word, one, stat, errmsg)
      call refused("beyond the coarray")
      call prif_get_strided_indirect(me, at, dense, local, dense, word, one, stat)
      call accepted()
      call prif_get_strided_indirect(images + 1, at, dense, local, dense, word, one, stat, errmsg)
      call refused("image_num")
      call prif_get_strided_indirect(me, other, dense, local, dense, word, one, stat, &
          errmsg_alloc=text)
      call refused("lie in no memory")
      call prif_put(me, coarray, 0 * word, local, word, stat)
      call accepted()
      call prif_put(images + 1, coarray, 0 * word, local, word, stat, errmsg_alloc=text)
      call refused("image_num")
      call prif_put(me, coarray, behind, local, word, stat, errmsg)
      call refused("beyond the coarray")
      call prif_put_indirect(me, at, local, word, stat)
      call accepted()
      call prif_put_indirect(images + 1, at, local, word, stat, errmsg)
      call refused("image_num")
      call prif_put_indirect(me, other, local, word, stat, errmsg_alloc=text)
      call refused("lie in no memory")
      call prif_put_strided(me, coarray, 0 * word, dense, local, dense, word, one, stat)
      call accepted()
      call prif_put_strided(images + 1, coarray, 0 * word, dense, local, dense, word, one, stat, &
          errmsg_alloc=text)
      call refused("image_num")
      call prif_put_strided(me, coarray, behind, dense, local, dense, word, one, stat, errmsg)
      call refused("beyond the coarray")
      call prif_put_strided_indirect(me, at, dense, local, dense, word, one, stat)
      call accepted()
      call prif_put_strided_indirect(images + 1, at, dense, local, dense, word, one, stat, errmsg)
      call refused("image_num")
      call prif_put_strided_indirect(me, other, dense, local, dense, word, one, stat, &
          errmsg_alloc=text)
      call refused("lie in no memory")
      call prif_put_with_notify(me, coarray, 0 * word, local, word, coarray, next_word, stat)
      call accepted()
      call prif_put_with_notify(images + 1, coarray, 0 * word, local, word, coarray, next_word, &
          stat, errmsg_alloc=text)
      call refused("image_num")
      call prif_put_with_notify(me, coarray, behind, local, word, coarray, next_word, stat, errmsg)
      call refused("beyond the coarray")
      value = 7
      call prif_put_with_notify(me, coarray, 0 * word, local, word, coarray, behind, stat, errmsg)
      call refused()
      call check(data(1) /= 7, "the data of a put whose notify variable is wrong")
      value = 1
      call prif_put_with_notify_indirect(me, coarray, 0 * word, local, word, at + 8, stat)
      call accepted()
      call prif_put_with_notify_indirect(images + 1, coarray, 0 * word, local, word, at + 8, &
          stat, errmsg)
      call refused("image_num")
      call prif_put_with_notify_indirect(me, coarray, behind, local, word, at + 8, stat, &
          errmsg_alloc=text)
      call refused("beyond the coarray")
      value = 7
      call prif_put_with_notify_indirect(me, coarray, 0 * word, local, word, other, stat, errmsg)
      call refused()
      call check(data(1) /= 7, "the data of a put whose notify variable is wrong")
      value = 1
      call prif_put_indirect_with_notify(me, at, local, word, coarray, next_word, stat)
      call accepted()
      call prif_put_indirect_with_notify(images + 1, at, local, word, coarray, next_word, stat, &
          errmsg_alloc=text)
      call refused("image_num")
      call prif_put_indirect_with_notify(me, other, local, word, coarray, next_word, stat, errmsg)
      call refused("lie in no memory")
      value = 7
      call prif_put_indirect_with_notify(me, at, local, word, coarray, behind, stat, errmsg)
      call refused()
      call check(data(1) /= 7, "the data of a put whose notify variable is wrong")
      value = 1
      call prif_put_indirect_with_notify_indirect(me, at, local, word, at + 8, stat)
      call accepted()
      call prif_put_indirect_with_notify_indirect(images + 1, at, local, word, at + 8, stat, errmsg)
      call refused("image_num")
      call prif_put_indirect_with_notify_indirect(me, other, local, word, at + 8, stat, &
          errmsg_alloc=text)
      call refused("lie in no memory")
      value = 7
      call prif_put_indirect_with_notify_indirect(me, at, local, word, other, stat, errmsg)
      call refused()
      call check(data(1) /= 7, "the data of a put whose notify variable is wrong")
      value = 1
      call prif_put_strided_with_notify(me, coarray, 0 * word, dense, local, dense, word, one, &
          coarray, next_word, stat)
      call accepted()
      call prif_put_strided_with_notify(images + 1, coarray, 0 * word, dense, local, dense, word, &
          one, coarray, next_word, stat, errmsg_alloc=text)
      call refused("image_num")
      call prif_put_strided_with_notify(me, coarray, behind, dense, local, dense, word, one, &
          coarray, next_word, stat, errmsg)
      call refused("beyond the coarray")
      value = 7
      call prif_put_strided_with_notify(me, coarray, 0 * word, dense, local, dense, word, one, &
          coarray, behind, stat, errmsg)
      call refused()
      call check(data(1) /= 7, "the data of a put whose notify variable is wrong")
      value = 1
      call prif_put_strided_with_notify_indirect(me, coarray, 0 * word, dense, local, dense, &
          word, one, at + 8, stat)
      call accepted()
      call prif_put_strided_with_notify_indirect(images + 1, coarray, 0 * word, dense, local, &
          dense, word, one, at + 8, stat, errmsg)
      call refused("image_num")
      call prif_put_strided_with_notify_indirect(me, coarray, behind, dense, local, dense, word, &
          one, at + 8, stat, errmsg_alloc=text)
      call refused("beyond the coarray")
      value = 7
      call prif_put_strided_with_notify_indirect(me, coarray, 0 * word, dense, local, dense, &
          word, one, other, stat, errmsg)
      call refused()
      call check(data(1) /= 7, "the data of a put whose notify variable is wrong")
      value = 1
      call prif_put_strided_indirect_with_notify(me, at, dense, local, dense, word, one, coarray, &
          next_word, stat)
      call accepted()
      call prif_put_strided_indirect_with_notify(images + 1, at, dense, local, dense, word, one, &
          coarray, next_word, stat, errmsg_alloc=text)
      call refused("image_num")
      call prif_put_strided_indirect_with_notify(me, other, dense, local, dense, word, one, &
          coarray, next_word, stat, errmsg)
      call refused("lie in no memory")
      value = 7
      call prif_put_strided_indirect_with_notify(me, at, dense, local, dense, word, one, coarray, &
          behind, stat, errmsg)
      call refused()
      call check(data(1) /= 7, "the data of a put whose notify variable is wrong")
      value = 1
      call prif_put_strided_indirect_with_notify_indirect(me, at, dense, local, dense, word, one, &
          at + 8, stat)
      call accepted()
      call prif_put_strided_indirect_with_notify_indirect(images + 1, at, dense, local, dense, &
          word, one, at + 8, stat, errmsg)
      call refused("image_num")
      call prif_put_strided_indirect_with_notify_indirect(me, other, dense, local, dense, word, &
          one, at + 8, stat, errmsg_alloc=text)
      call refused("lie in no memory")
      value = 7
      call prif_put_strided_indirect_with_notify_indirect(me, at, dense, local, dense, word, one, &
          other, stat, errmsg)
      call refused()
      call check(data(1) /= 7, "the data of a put whose notify variable is wrong")
      value = 1
      ! Memory that begins in a coarray and ends beyond all of them.
      call prif_get_indirect(me, at, local, 2_c_size_t**45, stat, errmsg)
      call refused("lie in no memory")
      call prif_get_strided(me, coarray, 0 * word, steps, local, steps, word, far, stat, errmsg)
      call refused("larger than any memory")
      call prif_put_strided_indirect(me, at, [2_c_ptrdiff_t**40], local, dense, word, 2 * one, &
          stat, errmsg)
      call refused("lie in no memory")
      call prif_put_strided(me, coarray, 0 * word, dense, local, dense, word, 3 * one, stat, errmsg)
      call refused("beyond the coarray")
      call prif_get_strided(me, coarray, 0 * word, steps, local, dense, word, one, stat, errmsg)
      call refused("not of one size")
    end associate
    call sync()
    call prif_deallocate_coarray(coarray)
  end subroutine

  subroutine test_mistakes_of_others()
    type(prif_coarray_handle) :: coarray
    integer(c_int64_t), pointer :: data(:)
    integer(c_int64_t), target :: value
    procedure(prif_operation_wrapper_interface), pointer :: operation
    type(prif_team_type) :: team
    character(len=2) :: name
    integer(c_intptr_t) :: at
    integer(c_int) :: image
    logical(c_bool) :: acquired

    call make(2, coarray, data)
    at = transfer(c_loc(data(1)), at)
    call prif_event_post(me, coarray, 0 * word, stat)
    call accepted()
    call prif_event_post_indirect(me, at, stat)
    call accepted()
    call prif_event_post_indirect(me, at + 4, stat, errmsg)
    call refused("not aligned")
    call prif_event_query(c_loc(data(1)), value, stat)
    call accepted()
    call prif_event_query(c_loc(value), value, stat)
    call refused()
    call prif_event_wait(c_loc(data(1)), stat=stat)
    call accepted()
    call prif_notify_wait(c_loc(data(1)), stat=stat)
    call accepted()
    call prif_notify_wait(c_loc(value), stat=stat, errmsg_alloc=text)
    call refused("lie in no memory")
    call prif_lock_indirect(me, at, acquired, stat)
    call accepted()
    call prif_unlock_indirect(me, at, stat)
    call accepted()

    operation => no_operation
    value = me
    call prif_co_sum(value, stat=stat)
    call accepted()
    call prif_co_max(value, stat=stat)
    call accepted()
    name = "ab"
    call prif_co_max_character(name, stat=stat)
    call accepted()
    call prif_co_max_character(name, images + 1, stat, errmsg)
    call refused("result_image")
    call prif_co_min_character(name, -1, stat, errmsg_alloc=text)
    call refused("result_image")
    call prif_co_min_character(name, 0, stat)
    call refused()
    call prif_co_reduce_cptr(c_loc(value), word, 1_c_size_t, operation, c_null_ptr, stat=stat)
    call accepted()
    operation => null()
    call prif_co_reduce_cptr(c_loc(value), word, 1_c_size_t, operation, c_null_ptr, stat=stat, &
        errmsg=errmsg)
    call refused("operation_wrapper")

    call prif_get_team(team=team)
    call prif_initial_team_index(coarray, [1_c_int64_t], image, stat)
    call accepted()
    call prif_initial_team_index_with_team(coarray, [0_c_int64_t], team, image, stat)
    call refused()
    call prif_initial_team_index_with_team_number(coarray, [images + 1_c_int64_t], -1_c_int64_t, &
        image, stat)
    call refused()
    call sync()
    call prif_deallocate_coarray(coarray)
    call test_large_cobounds()
  end subroutine

  subroutine no_operation(arg1, arg2_and_out, count, cdata) bind(C)
    type(c_ptr), value :: arg1, arg2_and_out, cdata
    integer(c_size_t), value :: count

    if (count == 0 .or. same(arg1, arg2_and_out) .or. c_associated(cdata)) return
  end subroutine

  ! Products of coextents that no integer holds, and cosubscripts far away.
  subroutine test_large_cobounds()
    procedure(prif_coarray_cleanup_interface), pointer :: none
    type(prif_coarray_handle) :: coarray
    type(c_ptr) :: memory
    integer(c_int64_t), parameter :: large = 2_c_int64_t**40, most = huge(large)
    integer(c_int64_t) :: upper(3), sub(3)
    integer(c_int) :: image

    none => null()
    call prif_allocate_coarray([1_c_int64_t, 1_c_int64_t, -3_c_int64_t], [large, large], &
        8_c_size_t, none, coarray, memory, stat)
    call accepted()
    call prif_ucobound_no_dim(coarray, upper)
    call check(all(upper == [large, large, -3_c_int64_t]), "the cobounds of large coextents")
    call prif_this_image_with_coarray(coarray, cosubscripts=sub)
    call check(all(sub == [int(me, c_int64_t), 1_c_int64_t, -3_c_int64_t]), "large coextents")
    call prif_image_index(coarray, sub, image)
    call check(image == me, "the image of large coextents")
    call prif_image_index(coarray, [1_c_int64_t, 2_c_int64_t, -3_c_int64_t], image)
    call check(image == 0, "no image in the second layer")
    call prif_image_index(coarray, [large, large, most], image)
    call check(image == 0, "no image far away")
    call prif_image_index(coarray, [1_c_int64_t, 1_c_int64_t, -most - 1], image)
    call check(image == 0, "no image far away on the other side")
    call prif_deallocate_coarray(coarray)
    call prif_allocate_coarray([-most, 1_c_int64_t], [most], 8_c_size_t, none, coarray, memory, &
        stat, errmsg)
    call refused("coextent")
  end subroutine

end module mistakes_test
