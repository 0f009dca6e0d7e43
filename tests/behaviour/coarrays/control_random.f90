! SPDX-License-Identifier: BSD-3-Clause
!
! Random sequences of statements that control images: atomics, events, locks, sync images, teams,
! allocation, components and collectives. All images draw the same numbers, so each one knows what
! the others do in a round and what must come out.
!
!     CONTROL_SEED=7 CONTROL_ROUNDS=1000 oshrun -n 5 control_random
module control_random_parts
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, int32, int64, lock_type, &
    real64, team_type
  use checks
  implicit none
  type :: parts
    integer, allocatable :: v(:)
    real(real64), allocatable :: m(:, :)
    integer :: n = 0
  end type parts
  integer(atomic_int_kind) :: bits(3)[*]
  type(event_type) :: events(2)[*]
  type(lock_type) :: guards(2)[*]
  type(parts) :: p(2)[*]
  integer :: counters(2)[*], board(64)[*]
  integer :: me, images, round
  integer(int64) :: state

contains

  ! Random numbers, the same on all images (Park and Miller 1988).
  subroutine start(seed)
    integer, intent(in) :: seed
    integer :: i, unused
    state = mod(abs(int(seed, int64) * 7919 + round * 15485863_int64), 2147483646_int64) + 1
    do i = 1, 5
      unused = draw(2)
    end do
  end subroutine start

  integer function draw(limit)
    integer, intent(in) :: limit
    state = mod(state * 48271, 2147483647_int64)
    draw = int(mod(state / 8, int(limit, int64)))
  end function draw

  ! A matrix of numbers below a limit: what image i does to image j.
  function draw_matrix(n, limit) result(matrix)
    integer, intent(in) :: n, limit
    integer :: matrix(n, n), i, j
    do j = 1, n
      do i = 1, n
        matrix(i, j) = draw(limit)
      end do
    end do
  end function draw_matrix

  ! Each image adds, and sets, clears and flips bits, on all others.
  subroutine try_atomics()
    integer :: adds(images, images), masks(images, images), flips(images, images), i
    integer(atomic_int_kind) :: old, value
    adds = draw_matrix(images, 100)
    masks = draw_matrix(images, 65536)
    flips = draw_matrix(images, 65536)
    call atomic_define(bits(1), 0)
    call atomic_define(bits(2), 65536)
    call atomic_define(bits(3), 77)
    sync all
    do i = 1, images
      if (mod(adds(me, i), 2) == 0) then
        call atomic_add(bits(1)[i], adds(me, i))
      else
        call atomic_fetch_add(bits(1)[i], adds(me, i), old)
        call check(old >= 0 .and. old <= sum(adds(:, i)) - adds(me, i), 'atomic_fetch_add: old')
      end if
      call atomic_or(bits(2)[i], masks(me, i))
      call atomic_fetch_xor(bits(3)[i], flips(me, i), old)
    end do
    sync all
    call atomic_ref(value, bits(1))
    call check_equal(value, sum(adds(:, me)), 'atomic_add')
    call atomic_ref(value, bits(2))
    call check_equal(value, ior(65536, iany(masks(:, me))), 'atomic_or')
    call atomic_ref(value, bits(3))
    call check_equal(value, ieor(77, iparity(flips(:, me))), 'atomic_xor')
  end subroutine try_atomics

  ! Posts to all images; each waits for those to it in two portions. What was put before is there.
  subroutine try_events()
    integer :: posts(images, images), element, i, k, total, first, count
    posts = draw_matrix(images, 4)
    element = 1 + draw(2)
    total = sum(posts(:, me))
    first = draw(1000000)
    do i = 1, images
      if (posts(me, i) > 0 .and. me <= size(board)) board(me)[i] = round
      do k = 1, posts(me, i)
        event post (events(element)[i])
      end do
    end do
    first = merge(mod(first, max(1, total)), 0, total > 1)
    if (first > 0) event wait (events(element), until_count=first)
    if (total > first) event wait (events(element), until_count=total - first)
    do i = 1, min(images, size(board))
      if (posts(i, me) > 0) call check_equal(board(i), round, 'what was put before a post')
    end do
    call event_query(events(element), count)
    call check_equal(count, 0, 'event_query')
  end subroutine try_events

  ! Counters under locks of other images, and in a critical construct.
  subroutine try_locks()
    integer :: adds(images, images), element, i, status
    logical :: has_lock
    adds = draw_matrix(images, 3)
    element = 1 + draw(2)
    counters = 0
    sync all
    do i = 1, images
      if (adds(me, i) == 1) then
        lock (guards(element)[i])
      else if (adds(me, i) == 2) then
        has_lock = .false.
        do while (.not. has_lock)
          lock (guards(element)[i], acquired_lock=has_lock)
        end do
      else
        cycle
      end if
      lock (guards(element)[i], stat=status)
      call check(status /= 0, 'stat of a lock that this image has')
      counters(element)[i] = counters(element)[i] + adds(me, i)
      unlock (guards(element)[i])
    end do
    critical
      counters(3 - element)[1] = counters(3 - element)[1] + me
    end critical
    sync all
    call check_equal(counters(element), sum(adds(:, me)), 'counter under a lock')
    if (me == 1) call check_equal(counters(3 - element), images * (images + 1) / 2, 'critical')
  end subroutine try_locks

  ! Images that share an edge of a random graph tell each other a number.
  subroutine try_sync_images()
    integer :: edges(images, images), i
    integer, allocatable :: neighbours(:)
    edges = draw_matrix(images, 2)
    edges = max(edges, transpose(edges))
    neighbours = pack([(i, i=1, images)], edges(:, me) == 1)
    do i = 1, size(neighbours)
      if (me <= size(board)) board(me)[neighbours(i)] = round * 3 + me
    end do
    sync images (neighbours)
    do i = 1, size(neighbours)
      if (neighbours(i) > size(board)) cycle
      call check_equal(board(neighbours(i)), round * 3 + neighbours(i), 'sync images')
    end do
  end subroutine try_sync_images

  ! Teams of random members, in which others are formed; coarrays that end team frees. (gfortran 12
  ! has one `c` for all depths, so inner ones come first.)
  recursive subroutine try_teams(depth)
    integer, intent(in) :: depth
    type(team_type) :: team
    integer, allocatable :: c(:)[:]
    integer :: n, number, next, i, length, total
    integer(int64) :: kept
    n = num_images()
    number = 1
    do i = 1, n  ! All images draw all numbers.
      next = 1 + draw(3)
      if (i == this_image()) number = next
    end do
    length = 1 + draw(300)
    kept = state
    form team (number, team)
    change team (team)
      call check_equal(team_number(), number, 'team_number')
      if (depth > 1) then
        state = mod(kept + number, 2147483646_int64) + 1
        call try_teams(depth - 1)
      end if
      allocate (c(length)[*])
      next = mod(this_image(), num_images()) + 1
      c(:)[next] = [(1000 * me + i, i=1, length)]
      sync all
      total = me
      call co_sum(total)
      i = c(length) / 1000
      call check(i >= 1 .and. i <= images .and. mod(c(length), 1000) == length, 'coarray of a team')
      if (this_image() > 1) call check_equal(c(1)[next], 1000 * me + 1, 'get in a team')
      i = merge(me, 0, this_image() == num_images())
      call co_max(i)
      call check(i <= total, 'co_sum and co_max in a team')
      if (mod(number + length, 2) == 0) deallocate (c)
    end team
    state = kept
  end subroutine try_teams

  ! Data of random lengths, up to some blocks of the library.
  subroutine try_collectives()
    integer :: n, image, i, lowest(2)
    integer(int64), allocatable :: a(:)
    real(real64), allocatable :: r(:, :)
    character(:), allocatable :: text
    n = draw(merge(20, 3000, draw(3) > 0))
    image = 1 + draw(images)
    a = [(int(me, int64) * i, i=1, n)]
    call co_sum(a, result_image=image)
    if (me == image) then
      call check(all(a == [(int(images, int64) * (images + 1) / 2 * i, i=1, n)]), 'co_sum')
    end if
    allocate (r(3, n))
    r = me + image / 4.0_real64
    call co_broadcast(r, image)
    call check(all(r == image * 1.25_real64), 'co_broadcast')
    r = me
    call co_min(r(2, :))
    call check(all(r(2, :) == 1) .and. all(r(1, :) == me), 'co_min of a section')
    lowest = [me, -me]
    call co_max(lowest)
    call check_equal(lowest, [images, -1], 'co_max')
    text = repeat(achar(96 + mod(me, 26)), 1 + mod(n, 40))
    call co_broadcast(text, image)
    call check(text == repeat(achar(96 + mod(image, 26)), 1 + mod(n, 40)), 'co_broadcast of text')
    call co_reduce(image, larger)
    call check(image >= 1 .and. image <= images, 'co_reduce')
  end subroutine try_collectives

  pure integer function larger(a, b)
    integer, intent(in) :: a, b
    larger = max(a, b)
  end function larger

  ! Coarrays of random sizes; a random image writes each element of the others' part.
  subroutine try_allocation()
    integer, allocatable :: c(:, :)[:], s[:]
    integer(int64), allocatable :: moved(:)[:], from(:)[:]
    integer :: n, m, i, j, writer, status
    n = draw(40)
    m = 1 + draw(20)
    writer = 1 + draw(images)
    allocate (c(0:n, m)[*], s[*], stat=status)
    call check_equal(status, 0, 'allocate')
    allocate (from(-n:m)[*])
    from = me
    c = -1
    sync all
    if (me == writer) then
      do i = 1, images
        do j = 1, m
          c(::2, j)[i] = i * j
        end do
        s[i] = n
      end do
    end if
    call move_alloc(from, moved)
    sync all
    do j = 1, m
      call check(all(c(::2, j) == me * j) .and. all(c(1::2, j) == -1), 'put to an allocated array')
    end do
    call check_equal(s, n, 'put to an allocated scalar')
    i = mod(me, images) + 1
    call check(all(moved(-n:)[i] == i), 'move_alloc')
    if (mod(n, 2) == 0) deallocate (c)
  end subroutine try_allocation

  ! Components that images allocate, resize and free for themselves, each with its own size.
  subroutine try_components()
    integer :: sizes(images, images), element, image, i, n
    integer, allocatable :: got(:)
    real(real64) :: one
    sizes = draw_matrix(images, 60)
    element = 1 + draw(2)
    image = 1 + draw(images)
    n = 1 + sizes(me, 1)
    select case (draw(3))
    case (0)
      if (allocated(p(element)%v)) deallocate (p(element)%v)
      allocate (p(element)%v(n))
      p(element)%v = [(me * 100 + i, i=1, n)]
    case (1)
      p(element)%v = [(me * 100 + i, i=1, n)]
    case (2)
      if (allocated(p(element)%v)) deallocate (p(element)%v)
      p(element)%v = [(me * 100 + i, i=1, n)]
    end select
    if (allocated(p(element)%m)) deallocate (p(element)%m)
    if (mod(sizes(me, images), 3) > 0) then
      allocate (p(element)%m(0:n, 2))
      p(element)%m = me + 0.5_real64
    end if
    p(element)%n = n
    sync all
    n = 1 + sizes(image, 1)
    call check_equal(p(element)[image]%n, n, 'component')
    got = p(element)[image]%v
    call check(size(got) == n .and. all(got == [(image * 100 + i, i=1, n)]), 'component of a size')
    call check(allocated(p(element)[image]%m) .eqv. mod(sizes(image, images), 3) > 0, 'allocated')
    if (mod(sizes(image, images), 3) > 0) then
      one = p(element)[image]%m(n, 2)
      call check(one == image + 0.5_real64, 'element of a component')
    end if
    sync all
    image = mod(me, images) + 1
    n = 1 + sizes(image, 1)
    p(element)[image]%v(n:1:-2) = -me
    sync all
    image = mod(me - 2 + images, images) + 1
    n = 1 + sizes(me, 1)
    call check(all(p(element)%v(n:1:-2) == -image), 'put to a component')
    call check(all(p(element)%v(n - 1:1:-2) == [(me * 100 + i, i=n - 1, 1, -2)]), 'put beside')
  end subroutine try_components
end module control_random_parts

program control_random
  use control_random_parts
  implicit none
  integer :: rounds, seed[*]

  me = this_image()
  images = num_images()
  rounds = number_of('CONTROL_ROUNDS', 60)
  if (me == 1) then
    call system_clock(seed)
    seed = number_of('CONTROL_SEED', mod(abs(seed), 1000000))
    print '(a,i0)', 'CONTROL_SEED=', seed
  end if
  sync all
  seed = seed[1]
  do round = 1, rounds
    call start(seed)
    select case (draw(8))
    case (0)
      call try_atomics()
    case (1)
      call try_events()
    case (2)
      call try_locks()
    case (3)
      call try_sync_images()
    case (4)
      call try_teams(1 + draw(3))
    case (5)
      call try_collectives()
    case (6)
      call try_allocation()
    case (7)
      call try_components()
    end select
    sync all
  end do
  call passed()

contains

  ! The value of an environment variable, or a default.
  integer function number_of(name, default)
    character(*), intent(in) :: name
    integer, intent(in) :: default
    character(20) :: text
    number_of = default
    call get_environment_variable(name, text)
    if (text /= '') read (text, *) number_of
  end function number_of
end program control_random
