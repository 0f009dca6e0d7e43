! SPDX-License-Identifier: BSD-3-Clause
!
! Random sequences of PRIF procedures: strided accesses against a model, notifications, atomics,
! events, locks, sync images, teams, allocation and collectives. All images draw the same numbers,
! so each one knows what the others do in a round and what must come out.
!
!     CONTROL_SEED=7 CONTROL_ROUNDS=1000 oshrun -n 5 prif_random
module prif_random_parts
  use checks
  implicit none

  type(prif_coarray_handle) :: coarray, counters, locks
  integer(c_int64_t), pointer :: board(:), counts(:), words(:)
  integer :: round
  integer(c_int64_t) :: state
  integer, parameter :: cells = 600  ! words of `coarray`

contains

  ! Random numbers, the same on all images (Park and Miller 1988).
  subroutine start(seed)
    integer, intent(in) :: seed
    integer :: i, unused

    state = mod(abs(int(seed, c_int64_t) * 7919 + round * 15485863_c_int64_t), &
        2147483646_c_int64_t) + 1
    do i = 1, 5
      unused = draw(2)
    end do
  end subroutine

  integer function draw(limit)
    integer, intent(in) :: limit

    state = mod(state * 48271, 2147483647_c_int64_t)
    draw = int(mod(state / 8, int(limit, c_int64_t)))
  end function

  ! A matrix of numbers below a limit: what image i does to image j.
  function draw_matrix(limit) result(matrix)
    integer, intent(in) :: limit
    integer :: matrix(images, images), i, j

    do j = 1, images
      do i = 1, images
        matrix(i, j) = draw(limit)
      end do
    end do
  end function

  ! Each image writes a section of three dimensions to the next image and reads it back, each with
  ! strides of its own, some of them negative; the model writes and reads element by element.
  subroutine try_sections()
    integer(c_int64_t), target :: local(cells), back(cells)
    integer(c_int64_t) :: model(cells), expected(cells)
    integer(c_size_t) :: extents(3)
    integer(c_ptrdiff_t) :: remote(3), near(3), again(3)
    integer :: i, from, at, to, start_at(3)
    integer(c_int) :: image, stat
    integer(c_intptr_t) :: addresses(images)
    logical :: is_indirect, notifies

    do i = 1, images
      addresses(i) = address_on(i, board, 1)
    end do
    extents = [(int(draw(6), c_size_t), i = 1, 3)]
    call draw_strides(extents, remote, start_at(1))
    call draw_strides(extents, near, start_at(2))
    call draw_strides(extents, again, start_at(3))
    is_indirect = draw(2) == 1
    notifies = draw(2) == 1
    board = -me
    local = [(1000_c_int64_t * me + i, i = 1, cells)]
    call sync()
    image = next(me, 1)
    to = start_at(1)
    from = start_at(2)
    if (is_indirect .and. notifies) then
      call prif_put_strided_indirect_with_notify(image, addresses(image) + 8 * (to - 1), &
          8 * remote, c_loc(local(from)), 8 * near, word, extents, counters, 3 * word, stat)
    else if (is_indirect) then
      call prif_put_strided_indirect(image, addresses(image) + 8 * (to - 1), 8 * remote, &
          c_loc(local(from)), 8 * near, word, extents, stat)
    else if (notifies) then
      call prif_put_strided_with_notify(image, coarray, (to - 1) * word, 8 * remote, &
          c_loc(local(from)), 8 * near, word, extents, counters, 3 * word, stat)
    else
      call prif_put_strided(image, coarray, (to - 1) * word, 8 * remote, c_loc(local(from)), &
          8 * near, word, extents, stat)
    end if
    call check(stat == 0, "the stat of a put of a section")
    back = 0
    if (is_indirect) then
      call prif_get_strided_indirect(image, addresses(image) + 8 * (to - 1), 8 * remote, &
          c_loc(back(start_at(3))), 8 * again, word, extents, stat)
    else
      call prif_get_strided(image, coarray, (to - 1) * word, 8 * remote, &
          c_loc(back(start_at(3))), 8 * again, word, extents, stat)
    end if
    call check(stat == 0, "the stat of a get of a section")
    if (notifies) then
      call prif_notify_wait(c_loc(counts(4)), stat=stat)
      call check(stat == 0, "the stat of prif_notify_wait")
    else
      call sync()
    end if
    model = -me
    expected = 0
    do i = 0, int(product(extents)) - 1
      at = i
      associate (a => modulo(at, int(extents(1))), &
          b => modulo(at / int(extents(1)), int(extents(2))), &
          c => at / int(extents(1) * extents(2)))
        from = start_at(2) + int(a * near(1) + b * near(2) + c * near(3))
        to = start_at(1) + int(a * remote(1) + b * remote(2) + c * remote(3))
        model(to) = 1000_c_int64_t * next(me, -1) + from
        to = start_at(3) + int(a * again(1) + b * again(2) + c * again(3))
        expected(to) = local(from)
      end associate
    end do
    call check(all(board == model), "the elements of a section that was put")
    call check(all(back == expected), "the elements of a section that was got")
    call sync()
  end subroutine

  ! Strides in elements, dimension by dimension one behind the other or with gaps, in a random order
  ! of memory; the first element's place, from 1.
  subroutine draw_strides(extents, strides, first)
    integer(c_size_t), intent(in) :: extents(3)
    integer(c_ptrdiff_t), intent(out) :: strides(3)
    integer, intent(out) :: first
    integer :: order(3), i, k, reach

    order = [1, 2, 3]
    k = 1 + draw(3)
    order([1, k]) = order([k, 1])
    k = 2 + draw(2)
    order([2, k]) = order([k, 2])
    reach = 1
    first = 1
    do i = 1, 3
      k = order(i)
      strides(k) = reach + draw(2)
      reach = int(strides(k)) * max(1, int(extents(k)))
      if (draw(3) == 0) then
        strides(k) = -strides(k)
        first = first - int(strides(k)) * max(0, int(extents(k)) - 1)
      end if
    end do
  end subroutine

  ! Each image adds, and sets, clears and flips bits, on all others.
  subroutine try_atomics()
    integer :: adds(images, images), masks(images, images), flips(images, images)
    integer(c_int64_t) :: old
    integer(c_int) :: i

    adds = draw_matrix(100)
    masks = draw_matrix(65536)
    flips = draw_matrix(65536)
    board(1:3) = [0, 65536, 77]
    call sync()
    do i = 1, images
      if (mod(adds(me, i), 2) == 0) then
        call prif_atomic_add(i, coarray, 0 * word, int(adds(me, i), c_int64_t))
      else
        call prif_atomic_fetch_add(i, coarray, 0 * word, int(adds(me, i), c_int64_t), old)
        call check(old >= 0 .and. old <= sum(adds(:, i)) - adds(me, i), "the value before an add")
      end if
      call prif_atomic_or(i, coarray, 1 * word, int(masks(me, i), c_int64_t))
      call prif_atomic_fetch_xor(i, coarray, 2 * word, int(flips(me, i), c_int64_t), old)
    end do
    call sync()
    call check(board(1) == sum(adds(:, me)), "the sum by atomics")
    call check(board(2) == ior(65536, iany(masks(:, me))), "the or by atomics")
    call check(board(3) == ieor(77, iparity(flips(:, me))), "the xor by atomics")
    call sync()
  end subroutine

  ! Posts to all images; each waits for those to it in two portions. What was put before is there.
  subroutine try_events()
    integer :: posts(images, images), total, first, k
    integer(c_int64_t), target :: value
    integer(c_int64_t) :: count
    integer(c_int) :: i

    posts = draw_matrix(4)
    total = sum(posts(:, me))
    first = draw(1000000)
    first = merge(mod(first, max(1, total)), 0, total > 1)
    value = round
    do i = 1, images
      if (posts(me, i) > 0) call prif_put(i, coarray, (9 + me) * word, c_loc(value), word)
      do k = 1, posts(me, i)
        call prif_event_post(i, counters, 8 * word)
      end do
    end do
    if (first > 0) call prif_event_wait(c_loc(counts(9)), int(first, c_int64_t))
    if (total > first) call prif_event_wait(c_loc(counts(9)), int(total - first, c_int64_t))
    do i = 1, images
      if (posts(i, me) > 0) call check(board(10 + i) == round, "what was put before a post")
    end do
    call prif_event_query(c_loc(counts(9)), count)
    call check(count == 0, "the count behind the waits")
    call sync()
  end subroutine

  ! Counts under locks of other images, and in a critical construct.
  subroutine try_locks()
    integer :: adds(images, images)
    integer(c_size_t) :: lock
    integer(c_int) :: i, stat
    logical(c_bool) :: acquired

    adds = draw_matrix(3)
    lock = 64_c_size_t * draw(2)
    board(1:2) = 0
    call sync()
    do i = 1, images
      if (adds(me, i) == 0) cycle
      acquired = .false.
      if (adds(me, i) == 1) then
        call prif_lock(i, locks, lock)
      else
        do while (.not. acquired)
          call prif_lock(i, locks, lock, acquired)
        end do
      end if
      call prif_lock(i, locks, lock, stat=stat)
      call check(stat == PRIF_STAT_LOCKED, "the stat of a lock that this image has")
      call add(i, 0 * word, adds(me, i))
      call prif_unlock(i, locks, lock)
    end do
    call prif_critical(counters)
    call add(1, word, me)
    call prif_end_critical(counters)
    call sync()
    call check(board(1) == sum(adds(:, me)), "a count under a lock")
    if (me == 1) call check(board(2) == images * (images + 1) / 2, "a count of critical constructs")
    call sync()
  end subroutine

  ! Not atomic.
  subroutine add(image, offset, number)
    integer(c_int), intent(in) :: image
    integer(c_size_t), intent(in) :: offset
    integer, intent(in) :: number
    integer(c_int64_t), target :: value

    call prif_get(image, coarray, offset, c_loc(value), word)
    value = value + number
    call prif_put(image, coarray, offset, c_loc(value), word)
  end subroutine

  ! Images that share an edge of a random graph tell each other a number.
  subroutine try_sync_images()
    integer :: edges(images, images), i
    integer(c_int64_t), target :: value
    integer(c_int), allocatable :: neighbours(:)

    edges = draw_matrix(2)
    edges = max(edges, transpose(edges))
    neighbours = pack([(int(i, c_int), i = 1, images)], edges(:, me) == 1)
    value = round * 3 + me
    do i = 1, size(neighbours)
      call prif_put(neighbours(i), coarray, (9 + me) * word, c_loc(value), word)
    end do
    call prif_sync_images(neighbours)
    do i = 1, size(neighbours)
      call check(board(10 + neighbours(i)) == round * 3 + neighbours(i), "the data of a neighbour")
    end do
    call sync()
  end subroutine

  ! Teams of random members, in which others are formed; coarrays that end team frees.
  recursive subroutine try_teams(depth)
    integer, intent(in) :: depth
    type(prif_team_type) :: team
    type(prif_coarray_handle) :: inner
    integer(c_int64_t), pointer :: data(:)
    integer(c_int64_t), target :: value
    integer(c_int64_t) :: number, found, kept, next_number
    integer(c_int) :: n, index, right
    integer :: i, length, total

    call prif_num_images(n)
    call prif_this_image_no_coarray(this_image=index)
    number = 1
    do i = 1, n  ! All images draw all numbers.
      next_number = 1 + draw(3)
      if (i == index) number = next_number
    end do
    length = 1 + draw(300)
    kept = state
    call prif_form_team(number, team)
    call prif_change_team(team)
    call prif_team_number(team_number=found)
    call check(found == number, "the number of a team")
    if (depth > 1) then
      state = mod(kept + number, 2147483646_c_int64_t) + 1
      call try_teams(depth - 1)
    end if
    call make(length, inner, data)
    call prif_num_images(n)
    call prif_this_image_no_coarray(this_image=index)
    call prif_initial_team_index(inner, [int(modulo(index, n) + 1, c_int64_t)], right)
    value = me
    call prif_put(right, inner, (length - 1) * word, c_loc(value), word)
    call sync()
    total = me
    call prif_co_sum(total)
    call prif_get(right, inner, (length - 1) * word, c_loc(value), word)
    call check(value == me, "a coarray of a team")
    call check(data(length) >= 1 .and. data(length) <= images, "a put in a team")
    i = me
    call prif_co_max(i)
    call check(i <= total .and. i >= me, "prif_co_sum and prif_co_max in a team")
    call sync()
    if (mod(number + length, 2_c_int64_t) == 0) call prif_deallocate_coarray(inner)
    call prif_end_team()
    state = kept
  end subroutine

  ! Data of random lengths, up to some blocks of the library.
  subroutine try_collectives()
    integer(c_int64_t), allocatable, target :: a(:)
    real(c_double), allocatable :: r(:, :)
    procedure(prif_operation_wrapper_interface), pointer :: operation
    integer(c_int) :: image
    integer :: n, i

    n = draw(merge(20, 3000, draw(3) > 0))
    image = 1 + draw(images)
    allocate (a, source=[(int(me, c_int64_t) * i, i = 1, n)])
    call prif_co_sum(a, image)
    if (me == image) call check(all(a == [(images * (images + 1_c_int64_t) / 2 * i, i = 1, n)]), &
        "prif_co_sum")
    allocate (r(3, n))
    r = me + image / 4d0
    call prif_co_broadcast(r, image)
    call check(all(abs(r - image * 1.25d0) < 1d-9), "prif_co_broadcast")
    r = me
    call prif_co_min(r(2, :))
    call check(all(abs(r(2, :) - 1) < 1d-9) .and. all(abs(r(1, :) - me) < 1d-9), &
        "prif_co_min of a section")
    operation => keep_larger
    a = [(int(modulo(me * i, images), c_int64_t), i = 1, n + 1)]
    call prif_co_reduce_cptr(c_loc(a), word, size(a, kind=c_size_t), operation, c_null_ptr)
    do i = 1, n + 1
      call check(a(i) == maxval([(modulo(image * i, images), image = 1, images)]), &
          "prif_co_reduce_cptr")
    end do
  end subroutine

  subroutine keep_larger(arg1, arg2_and_out, count, cdata) bind(C)
    type(c_ptr), value :: arg1, arg2_and_out, cdata
    integer(c_size_t), value :: count
    integer(c_int64_t), pointer :: a(:), b(:)

    if (c_associated(cdata)) return
    call c_f_pointer(arg1, a, [count])
    call c_f_pointer(arg2_and_out, b, [count])
    b = max(a, b)
  end subroutine

  ! Coarrays of random sizes, an alias of one, and memory of one image; freed in one call or in two.
  subroutine try_allocation()
    type(prif_coarray_handle) :: large, small, alias
    integer(c_int64_t), pointer :: elements(:), one(:)
    integer(c_int64_t), target :: value
    type(c_ptr) :: memory
    integer(c_size_t) :: bytes
    integer(c_int) :: writer, i
    integer :: n, shift

    n = 1 + draw(2000)
    shift = draw(n)
    writer = 1 + draw(images)
    call make(n, large, elements)
    call make(1, small, one)
    bytes = 1 + draw(100000)
    call prif_allocate(bytes, memory)
    call prif_alias_create(large, [1_c_int64_t, 1_c_int64_t], [2_c_int64_t], shift * word, alias)
    if (me == writer) then
      do i = 1, images
        value = i * n
        call prif_put(i, alias, (n - 1 - shift) * word, c_loc(value), word)
        call prif_put(i, small, 0 * word, c_loc(value), word)
      end do
    end if
    call sync()
    call check(elements(n) == me * n .and. one(1) == me * n, "the data of a random allocation")
    call check(count(elements /= 0) == 1, "the rest of a random allocation")
    call prif_alias_destroy(alias)
    call prif_deallocate(memory)
    if (draw(2) == 0) then
      call prif_deallocate_coarrays([small, large])
    else
      call prif_deallocate_coarray(large)
      call prif_deallocate_coarray(small)
    end if
  end subroutine

end module prif_random_parts

program prif_random
  use prif_random_parts
  implicit none
  integer(c_int) :: stat
  integer :: rounds, seed

  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=me)
  call prif_num_images(images)
  call make(cells, coarray, board)
  call make(16, counters, counts)
  call make(16, locks, words)
  rounds = number_of("CONTROL_ROUNDS", 60)
  call system_clock(seed)
  seed = number_of("CONTROL_SEED", mod(abs(seed), 1000000))
  call prif_co_broadcast(seed, 1)
  if (me == 1) print "(a, i0)", "CONTROL_SEED=", seed
  do round = 1, rounds
    call start(seed)
    select case (draw(8))
    case (0)
      call try_sections()
    case (1)
      call try_atomics()
    case (2)
      call try_events()
    case (3)
      call try_locks()
    case (4)
      call try_sync_images()
    case (5)
      call try_teams(1 + draw(2))
    case (6)
      call try_collectives()
    case (7)
      call try_allocation()
    end select
  end do
  call sync()
  if (me == 1) print "(a)", "passed"
  call prif_stop(.true._c_bool)

contains

  integer function number_of(variable, default)
    character(len=*), intent(in) :: variable
    integer, intent(in) :: default
    character(len=20) :: text
    integer :: status

    number_of = default
    call get_environment_variable(variable, text, status=status)
    if (status == 0) read (text, *) number_of
  end function

end program
