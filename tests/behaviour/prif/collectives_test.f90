! SPDX-License-Identifier: BSD-3-Clause
!
! Collectives: types, sections, operations of the program, results on one image or on all.
module collectives_test
  use checks
  implicit none

  type :: pair
    integer :: weight
    character(len=5) :: name
  end type

contains

  ! The pair with the larger weight, in arg2_and_out. cdata counts the elements.
  subroutine larger(arg1, arg2_and_out, count, cdata) bind(C)
    type(c_ptr), value :: arg1, arg2_and_out, cdata
    integer(c_size_t), value :: count
    type(pair), pointer :: a(:), b(:)
    integer(c_int), pointer :: calls

    call c_f_pointer(arg1, a, [count])
    call c_f_pointer(arg2_and_out, b, [count])
    where (a%weight > b%weight)
      b%weight = a%weight
      b%name = a%name
    end where
    if (.not. c_associated(cdata)) return
    call c_f_pointer(cdata, calls)
    calls = calls + 1
  end subroutine

  ! Keeps the order of the images: the first operand's digits come before the second's.
  subroutine append(arg1, arg2_and_out, count, cdata) bind(C)
    type(c_ptr), value :: arg1, arg2_and_out, cdata
    integer(c_size_t), value :: count
    integer(c_int64_t), pointer :: a(:), b(:)
    integer(c_int64_t) :: shift
    integer :: i

    if (c_associated(cdata)) return
    call c_f_pointer(arg1, a, [count])
    call c_f_pointer(arg2_and_out, b, [count])
    do i = 1, int(count)
      shift = 10
      do while (shift <= b(i))
        shift = shift * 10
      end do
      b(i) = a(i) * shift + b(i)
    end do
  end subroutine

  subroutine test_numbers()
    integer :: i4, whole(4, 3)
    integer(1) :: i1
    integer(8) :: large(400)
    real(8) :: r8
    complex(4) :: c4
    character(len=3) :: text(2)
    integer(c_int) :: stat
    integer :: sum_of_images
    character(len=90) :: errmsg
    type(pair) :: derived

    sum_of_images = images * (images + 1) / 2
    i4 = me
    call prif_co_sum(i4)
    call check(i4 == sum_of_images, "prif_co_sum of integers")
    i1 = int(-me, 1)
    call prif_co_min(i1, stat=stat)
    call check(i1 == -images .and. stat == 0, "prif_co_min of small integers")
    r8 = me / 4d0
    call prif_co_max(r8)
    call check(abs(r8 - images / 4d0) < 1d-9, "prif_co_max of reals")
    c4 = cmplx(me, -me)
    call prif_co_sum(c4, images)
    if (me == images) call check(abs(c4 - cmplx(sum_of_images, -sum_of_images)) < 1e-3, &
        "prif_co_sum of complex numbers on one image")
    large = me
    call prif_co_sum(large)
    call check(all(large == sum_of_images), "prif_co_sum of a large array")
    whole = 1
    call prif_co_sum(whole(1:3:2, :))
    call check(all(whole(1:3:2, :) == images) .and. all(whole(2:4:2, :) == 1), &
        "prif_co_sum of a section")
    text = [character(len=3) :: "abc", "xyz"]
    text(1)(3:3) = achar(iachar("a") + me)
    call prif_co_max_character(text)
    call check(text(1) == "ab" // achar(iachar("a") + images), "prif_co_max_character")
    text(2)(1:1) = achar(iachar("a") + me)
    call prif_co_min_character(text, 1, stat)
    if (me == 1) call check(text(2) == "byz", "prif_co_min_character")
    derived = pair(1, "one")
    call prif_co_sum(derived, stat=stat, errmsg=errmsg)
    call check(stat > 0 .and. index(errmsg, "no such operation") > 0, "prif_co_sum of a type")
    call prif_co_sum(i4, images + 1, stat)
    call check(stat > 0, "result_image beyond the team")
  end subroutine

  subroutine test_broadcast_and_reduce()
    procedure(prif_operation_wrapper_interface), pointer :: operation
    type(pair) :: pairs(3)
    integer(c_int), target :: calls
    integer(c_int64_t), target :: digits(4)
    integer(c_int64_t) :: wanted
    integer(c_int) :: stat
    integer :: i

    pairs = pair(me, "none")
    pairs(2)%name = "other"
    if (me == images) pairs(2)%name = "mine"
    call prif_co_broadcast(pairs(1:3:2), images)
    call check(all(pairs%weight == [images, me, images]), "prif_co_broadcast of a section")
    call prif_co_broadcast(pairs, images, stat)
    call check(stat == 0 .and. pairs(2)%name == "mine", "prif_co_broadcast")
    call prif_co_broadcast(pairs, images + 1, stat)
    call check(stat > 0, "source_image beyond the team")

    operation => larger
    calls = 0
    pairs%weight = [me, -me, modulo(me * 5, images)]
    do i = 1, 3
      write (pairs(i)%name, "(i0)") me
    end do
    call prif_co_reduce(pairs, operation, c_loc(calls), stat=stat)
    call check(stat == 0 .and. pairs(1)%weight == images .and. pairs(2)%weight == -1, &
        "prif_co_reduce")
    call check(pairs(2)%name == "1", "the name of prif_co_reduce")

    operation => append
    digits = me
    call prif_co_reduce_cptr(c_loc(digits), word, 4_c_size_t, operation, c_null_ptr)
    wanted = 1
    do i = 2, images
      wanted = wanted * 10 + i
    end do
    call check(all(digits == wanted), "the order of prif_co_reduce_cptr")
    digits = me
    call prif_co_reduce(digits(1:3:2), operation, c_null_ptr, images)
    if (me == images) call check(all(digits(1:3:2) == wanted) .and. digits(2) == me, &
        "prif_co_reduce of a section on one image")
    digits = me
    call prif_co_broadcast_cptr(c_loc(digits), 2 * word, images, stat)
    call check(stat == 0 .and. all(digits == [images, images, me, me]), "prif_co_broadcast_cptr")
  end subroutine

end module collectives_test
