! SPDX-License-Identifier: BSD-3-Clause
!
! Allocation: stat= and errmsg=, sizes of 0, move_alloc, the end of a scope, teams, dummy arguments,
! what free() of the compiler gets, memory that is used again.
module shapes
  implicit none
  type :: list
    integer, allocatable :: v(:)
  end type list
contains
  ! Does not know that its argument is part of a coarray: gfortran calls malloc, free and realloc.
  subroutine resize(v, n)
    integer, allocatable, intent(inout) :: v(:)
    integer, intent(in) :: n
    if (allocated(v)) deallocate (v)
    allocate (v(n))
    v = n
  end subroutine resize
end module shapes

program access_memory
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
  use, intrinsic :: iso_fortran_env, only: int64, team_type
  use checks
  use shapes
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:], s[:], huge_one(:)[:]
  type(list) :: x[*]
  type(team_type) :: half
  character(100) :: message
  integer :: me, n, next, i, status

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1

  allocate (huge_one(2000000000_8 * 1000000)[*], stat=status, errmsg=message)
  call check(status /= 0, 'an allocation that is too large sets stat')
  call check(index(message, 'no room') > 0, 'errmsg: ' // trim(message))
  call check(.not. allocated(huge_one), 'not allocated after an error')

  do i = 1, 30
    allocate (a(i)[*], s[*], stat=status)
    call check_equal(status, 0, 'stat of allocate')
    a = me * i
    s = me + i
    sync all
    call check_equal(a(i)[next], next * i, 'element')
    call check_equal(s[next], next + i, 'scalar')
    deallocate (a, s, stat=status)
    call check_equal(status, 0, 'stat of deallocate')
  end do

  allocate (a(0)[*])
  call check_equal(size(a), 0, 'size 0')
  deallocate (a)

  allocate (a(-2:5)[*], b(3)[*])
  a = [(100 * me + i, i=-2, 5)]
  call move_alloc(a, b)
  call check(.not. allocated(a) .and. allocated(b), 'move_alloc')
  sync all
  call check_equal(b(-2)[next], 100 * next - 2, 'after move_alloc')
  b(5)[next] = -me
  sync all
  call check_equal(b(5), -merge(n, me - 1, me == 1), 'put after move_alloc')
  deallocate (b)
  do i = 1, 6
    call scope(i)
  end do

  ! In a team, and what end team frees.
  form team (1 + mod(me - 1, 2), half)
  do i = 1, 6
    call in_team(i)
  end do

  ! A component that a procedure has allocated by malloc is of use on its own image only.
  allocate (x%v(4))
  x%v = me
  sync all
  call check_equal(x[next]%v(4), next, 'component')
  sync all
  call resize(x%v, 7)
  call check_equal(x%v, [(7, i=1, 7)], 'component resized by a procedure')
  deallocate (x%v)
  allocate (x%v(9))
  x%v = 5 * me
  sync all
  call check_equal(x[next]%v(9), 5 * next, 'component allocated again')

  sync all

  ! An allocation by an assignment is of one image alone, although gfortran calls it collective.
  if (me == n) then
    do i = 1, 100
      deallocate (x%v)
      x%v = [i, me]
    end do
  end if
  sync all
  call check_equal(x[n]%v(1), 100, 'component that an assignment has allocated')
  sync all
  call undefined_token()
  call passed()

contains

  ! gfortran leaves the tokens of components of allocated elements undefined: what was there
  ! before. Here that is the token of another component, the last word of an element of type list.
  subroutine undefined_token()
    type(list), allocatable, target :: lists(:)[:]
    integer(int64), pointer :: words(:, :)
    allocate (lists(3)[*])
    allocate (lists(1)%v(4))
    call c_f_pointer(c_loc(lists), words, [storage_size(lists) / 64, 3])
    words(size(words, 1), 2) = words(size(words, 1), 1)
    allocate (lists(2)%v(4))
    lists(2)%v = 2 * me
    deallocate (lists(1)%v)
    allocate (lists(3)%v(4))
    lists(3)%v = 3 * me
    sync all
    call check_equal(lists(2)[next]%v(1), 2 * next, 'component with a token of another one')
    call check_equal(lists(3)[next]%v(1), 3 * next, 'component allocated last')
    sync all
  end subroutine undefined_token

  subroutine scope(k)
    integer, intent(in) :: k
    integer, allocatable :: local(:)[:]
    type(list), allocatable :: lists(:)[:]
    allocate (local(k)[*])
    local = k * me
    allocate (lists(2)[*])
    allocate (lists(2)%v(k))
    lists(2)%v = me - k
    sync all
    call check_equal(local(k)[next], k * next, 'local coarray')
    call check_equal(lists(2)[next]%v(k), next - k, 'component of a local coarray')
    call with_dummy(local, k)
    sync all
  end subroutine scope

  subroutine with_dummy(dummy, k)
    integer, intent(in) :: k
    integer, intent(inout) :: dummy(:)[*]
    call check_equal(dummy(1)[next], k * next, 'dummy coarray')
    sync all
    dummy(k)[next] = me
    sync all
    call check_equal(dummy(k), merge(n, me - 1, me == 1), 'put to a dummy coarray')
  end subroutine with_dummy

  subroutine in_team(k)
    integer, intent(in) :: k
    integer, allocatable :: t(:)[:], kept(:)[:]
    integer :: after
    change team (half)
      after = mod(this_image(), num_images()) + 1
      allocate (t(k)[*], kept(2 * k)[*])
      t = 1000 * this_image() + mod(me - 1, 2)
      kept = me
      sync all
      call check_equal(t(k)[after], 1000 * after + mod(me - 1, 2), 'coarray of a team')
      sync all
      t(1)[after] = this_image()
      sync all
      call check_equal(t(1), mod(this_image() - 2 + num_images(), num_images()) + 1, &
        'put in a team')
      if (mod(k, 2) == 0) deallocate (t, kept)
    end team
  end subroutine in_team
end program access_memory
