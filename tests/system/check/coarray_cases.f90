! SPDX-License-Identifier: BSD-3-Clause
!
! Coarray programs with mistakes that cafrun --check reports, and right ones, with three images:
! check_coarray_cases CASE. The comment HERE and a letter mark the lines that a report must name.
program coarray_cases
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type
  implicit none
  type :: record
    integer, allocatable :: part(:)
  end type record
  integer :: x(100)[*]
  type(event_type) :: ready[*]
  type(lock_type) :: guard[*]
  type(record) :: r[*]
  character(30) :: argument
  integer, allocatable :: heap(:)[:]
  real(8), allocatable :: sums(:)
  integer :: me, n, i

  call get_command_argument(1, argument)
  me = this_image()
  n = num_images()
  x = 0
  sync all
  select case (argument)
  case ('put_put')
    if (me > 1) x(7)[1] = me  ! HERE a
  case ('put_put_on_itself')
    if (me < 3) x(7)[1] = me  ! HERE a
  case ('put_get')
    if (me == 2) x(7)[1] = 1  ! HERE a
    if (me == 3) i = x(7)[1]  ! HERE b
  case ('sections')
    if (me == 2) x(10:60:2)[1] = 1  ! HERE a
    if (me == 3) x(40:20:-5)[1] = 2  ! HERE b
  case ('large')
    if (me == 2) x(1:100)[3] = 1  ! HERE a
    if (me == 1) x(90:100)[3] = 2  ! HERE b
  case ('one_lock')
    if (me == 2) then
      lock (guard[1])
      x(7)[1] = 1  ! HERE a
      unlock (guard[1])
    else if (me == 3) then
      x(7)[1] = 1  ! HERE b
    end if
  case ('allocated')
    allocate (heap(10)[*])
    if (me > 1) heap(3)[1] = me  ! HERE a
    sync all
  case ('sum')
    call co_sum_of(8)
  case ('large_sum')
    call co_sum_of(1000)
  case ('broadcast')
    call co_broadcast_of(8)
  case ('large_broadcast')
    call co_broadcast_of(1000)
  case ('right')
    call right()
  end select
  sync all
  if (me == 1) print '(a)', 'passed'
contains
  ! Image 2 has one element more.
  subroutine co_sum_of(elements)
    integer, intent(in) :: elements
    allocate (sums(merge(elements + 1, elements, me == 2)), source=1d0)
    call co_sum(sums)  ! HERE c
  end subroutine co_sum_of

  subroutine co_broadcast_of(elements)
    integer, intent(in) :: elements
    allocate (sums(merge(elements + 1, elements, me == 2)), source=1d0)
    call co_broadcast(sums, 1)  ! HERE d
  end subroutine co_broadcast_of

  ! Accesses to the same elements, each behind something that orders them.
  subroutine right()
    real(8) :: s(200)
    integer :: next, previous
    next = merge(1, me + 1, me == n)
    previous = merge(n, me - 1, me == 1)
    if (me == 1) x(1)[n] = 1
    sync all
    if (me == n) x(1)[n] = x(1)[n] + 1
    sync images (*)
    x(2:99)[next] = me
    if (x(5)[next] /= me) error stop 'own put'
    event post (ready[next])
    event wait (ready)
    if (x(5)[me] /= previous) error stop 'event'
    x(3:98) = x(2:97)[me]
    x(2:97)[me] = x(3:98)
    sync all
    do i = 1, 3
      lock (guard[1])
      x(100)[1] = x(100)[1] + 1
      unlock (guard[1])
      critical
        x(1)[n] = x(1)[n] + 1
      end critical
    end do
    sync all
    if (x(100)[1] /= 3 * n .or. x(1)[n] /= 2 + 3 * n) error stop 'locks'
    allocate (heap(10)[*], source=me)
    heap(2)[next] = heap(1)[next]
    sync all
    if (heap(2) /= me) error stop 'allocated'
    deallocate (heap)
    allocate (r%part(4), source=me)
    sync all
    if (r[next]%part(2) /= next) error stop 'component'
    sync all
    s = me
    call co_sum(s(1:3))
    call co_sum(s)
    call co_broadcast(s(1:3), min(2, n))
    call co_broadcast(s, n)
    call co_max(s, result_image=1)
  end subroutine right
end program coarray_cases
