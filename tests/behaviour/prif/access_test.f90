! SPDX-License-Identifier: BSD-3-Clause
!
! Puts and gets: contiguous and strided, of coarrays and of addresses, and all that notify.
module access_test
  use checks
  implicit none

contains

  subroutine test_contiguous()
    type(prif_coarray_handle) :: coarray
    integer(c_int64_t), pointer :: data(:)
    integer(c_int64_t), target :: values(3)
    integer(c_intptr_t) :: address
    integer(c_int) :: stat, image
    character(len=90) :: errmsg
    character(len=:), allocatable :: text

    call make(8, coarray, data)
    values = [10, 20, 30] * int(me, c_int64_t)
    call prif_put(next(me, 1), coarray, 2 * word, c_loc(values), 3 * word)
    call sync()
    call check(all(data == [0, 0, 10, 20, 30, 0, 0, 0] * next(me, -1)), "prif_put")
    call prif_get(next(me, 2), coarray, 3 * word, c_loc(values), 2 * word, stat)
    call check(stat == 0 .and. all(values(1:2) == [20, 30] * next(me, 1)), "prif_get")
    call sync()
    do image = 1, images
      address = address_on(image, data, 6)
      values = me
      if (next(image, -1) == me) then
        call prif_put_indirect(image, address, c_loc(values), word, stat)
        call check(stat == 0, "the stat of prif_put_indirect")
      end if
      call sync()
      call prif_get_indirect(image, address - word, c_loc(values), 3 * word)
      call check(all(values == [30_c_int64_t * next(image, -1), int(next(image, -1), c_int64_t), &
          0_c_int64_t]), "prif_get_indirect")
      call sync()
    end do
    ! The order of an image's own accesses.
    do image = 1, 20
      values = image
      call prif_put(next(me, 1), coarray, 0 * word, c_loc(values), word)
    end do
    call prif_get(next(me, 1), coarray, 0 * word, c_loc(values(2)), word)
    call check(values(2) == 20, "a get behind puts")
    call prif_put(me, coarray, 7 * word, c_loc(values), 0_c_size_t)

    errmsg = "kept"
    call prif_put(images + 1, coarray, 0 * word, c_loc(values), word, stat, errmsg)
    call check(stat > 0 .and. index(errmsg, "does not exist") > 0, "a put to no image")
    call prif_get(me, coarray, 7 * word, c_loc(values), 2 * word, stat, errmsg_alloc=text)
    call check(stat > 0 .and. index(text, "beyond the coarray") > 0, "a get beyond the coarray")
    call prif_put_indirect(me, transfer(c_loc(values), address), c_loc(values), word, stat, &
        errmsg)
    call check(stat > 0 .and. index(errmsg, "lie in no memory") > 0, "a put to other memory")
    call sync()
    call prif_deallocate_coarray(coarray)
  end subroutine

  ! A local matrix of 3 x 2, backwards in its second dimension, goes to every second element of rows
  ! of 8.
  subroutine test_strided()
    type(prif_coarray_handle) :: coarray
    integer(c_int64_t), pointer :: data(:)
    integer(c_int64_t), target :: values(3, 2), back(3, 2)
    integer(c_ptrdiff_t) :: strides(2)
    integer(c_intptr_t) :: address
    integer(c_size_t) :: extents(2)
    integer(c_int) :: image, stat
    integer :: i

    call make(24, coarray, data)
    values = reshape([(int(10 * me + i, c_int64_t), i = 1, 6)], [3, 2])
    strides = [2, 8] * int(word)
    extents = [3, 2]
    call prif_put_strided(next(me, 1), coarray, word, strides, c_loc(values(1, 2)), &
        [word, -3 * word], word, extents)
    call sync()
    i = 10 * next(me, -1)
    call check(all(data(2:6:2) == [i + 4, i + 5, i + 6]), "the first row of prif_put_strided")
    call check(all(data(10:14:2) == [i + 1, i + 2, i + 3]), "the second row of prif_put_strided")
    call check(count(data /= 0) == 6, "what prif_put_strided leaves")
    call prif_get_strided(next(me, 1), coarray, 13 * word, -strides, c_loc(back), &
        [word, 3 * word], word, extents, stat)
    i = 10 * me
    call check(stat == 0 .and. all(back == reshape([i + 3, i + 2, i + 1, i + 6, i + 5, i + 4], &
        [3, 2])), "prif_get_strided backwards")
    call sync()
    do image = 1, images
      address = address_on(image, data, 17)
      if (next(image, -1) == me) then
        call prif_put_strided_indirect(image, address, [3 * word], c_loc(values), [word], word, &
            [2_c_size_t])
      end if
      call sync()
      back = 0
      call prif_get_strided_indirect(image, address, [3 * word], c_loc(back), [2 * word], word, &
          [2_c_size_t])
      i = 10 * next(image, -1)
      call check(all(back(:, 1) == [i + 1, 0, i + 2]), "the indirect strided forms")
      call sync()
    end do
    ! Rank 0 is one element; an extent of 0 none.
    call prif_put_strided(me, coarray, 23 * word, [integer(c_ptrdiff_t) ::], c_loc(values), &
        [integer(c_ptrdiff_t) ::], word, [integer(c_size_t) ::])
    call check(data(24) == values(1, 1), "a section of rank 0")
    call prif_put_strided(me, coarray, 23 * word, [word], c_loc(values(2, 1)), [word], word, &
        [0_c_size_t])
    call check(data(24) == values(1, 1), "an empty section")
    call prif_put_strided(me, coarray, 0 * word, [-word], c_loc(values), [word], word, &
        [2_c_size_t], stat)
    call check(stat > 0, "a section that begins before the coarray")
    call prif_get_strided(me, coarray, 0 * word, [word], c_loc(back), [word], word, extents, stat)
    call check(stat > 0, "strides and extents of different sizes")
    call sync()
    call prif_deallocate_coarray(coarray)
  end subroutine

  ! Element 1 is the notify variable. Each round one of the forms.
  subroutine test_notify()
    type(prif_coarray_handle) :: coarray, notes
    integer(c_int64_t), pointer :: data(:), counts(:)
    integer(c_int64_t), target :: values(2)
    integer(c_intptr_t) :: addresses(images), counters(images)
    integer(c_int) :: image, to, stat
    integer(c_int64_t) :: n
    integer :: form

    call make(4, coarray, data)
    call make(9, notes, counts)
    do image = 1, images
      addresses(image) = address_on(image, data, 2)
      counters(image) = address_on(image, counts, 9)
    end do
    to = next(me, 1)
    do form = 1, 8
      values = [100 * form, form] * int(me, c_int64_t)
      n = merge(2, 0, form > 4)  ! strided puts go to elements 2 and 4
      associate (local => c_loc(values), remote => addresses(to), counter => counters(to), &
          at => 8 * word, bytes => 2 * word, strides => [2 * word], dense => [word], &
          extents => [2_c_size_t])
        select case (form)
        case (1); call prif_put_with_notify(to, coarray, word, local, bytes, notes, at)
        case (2); call prif_put_with_notify_indirect(to, coarray, word, local, bytes, counter, stat)
        case (3); call prif_put_indirect_with_notify(to, remote, local, bytes, notes, at)
        case (4); call prif_put_indirect_with_notify_indirect(to, remote, local, bytes, counter)
        case (5)
          call prif_put_strided_with_notify(to, coarray, word, strides, local, dense, word, &
              extents, notes, at)
        case (6)
          call prif_put_strided_with_notify_indirect(to, coarray, word, strides, local, dense, &
              word, extents, counter, stat)
        case (7)
          call prif_put_strided_indirect_with_notify(to, remote, strides, local, dense, word, &
              extents, notes, at)
        case (8)
          call prif_put_strided_indirect_with_notify_indirect(to, remote, strides, local, dense, &
              word, extents, counter)
        end select
      end associate
      call prif_notify_wait(c_loc(counts(9)))
      values = [100 * form, form] * int(next(me, -1), c_int64_t)
      call check(data(2) == values(1), "the data of a put that notifies")
      call check(data(merge(4, 3, form > 4)) == values(2), "the end of the data of such a put")
      call prif_event_query(c_loc(counts(9)), n)
      call check(n == 0, "the count behind prif_notify_wait")
      call sync()
    end do
    ! An empty section notifies as well; a wait takes several.
    do form = 1, 3
      call prif_put_strided_with_notify(to, coarray, word, [word], c_loc(values), [word], word, &
          [0_c_size_t], notes, 8 * word)
    end do
    call prif_notify_wait(c_loc(counts(9)), 3_c_int64_t, stat)
    call check(stat == 0, "prif_notify_wait of three")
    call prif_put_with_notify(me, coarray, word, c_loc(values), word, notes, 4_c_size_t, stat)
    call check(stat > 0, "a notify variable that is not aligned")
    call sync()
    call prif_deallocate_coarrays([coarray, notes])
  end subroutine

end module access_test
