! SPDX-License-Identifier: BSD-3-Clause
!
! Pointer components of coarrays whose targets are ordinary memory of an image: on the stack,
! static, allocated; whole, strided, scalar; with components of their own. Get, put and assignment
! from image to image.
program access_pointers
  use, intrinsic :: iso_fortran_env, only: real64
  use checks
  implicit none
  type :: leaf
    integer :: k
    integer, pointer :: deep(:)
    real(real64), allocatable :: z(:)
  end type leaf
  type :: parts
    integer, pointer :: p(:), grid(:, :), scalar
    character(5), pointer :: text(:)
    type(leaf), pointer :: leaves(:)
  end type parts
  type(parts) :: x[*]
  type(parts) :: w(3)[*]
  integer, save, target :: static(100)
  integer :: me, n, next, last
  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  last = mod(me - 2 + n, n) + 1
  nullify (x%p, x%grid, x%scalar, x%text, x%leaves)
  call on_stack(10 + me)
  call static_and_coarray_element()
  call allocated_grid()
  call long_rows()
  call scalars_and_text()
  call nested()
  call halo()
  call passed()

contains

  ! Arrays of another size on each image.
  subroutine on_stack(size_here)
    integer, intent(in) :: size_here
    integer, target :: local(size_here)
    integer :: got(4), i
    local = [(1000 * me + i, i=1, size_here)]
    x%p => local
    sync all
    call check_equal(x[next]%p(10 + next), 1000 * next + 10 + next, 'last element')
    got = x[next]%p(2:8:2)
    call check_equal(got, [(1000 * next + i, i=2, 8, 2)], 'stride')
    got = x[next]%p([5, 1, 9, 5])
    call check_equal(got, 1000 * next + [5, 1, 9, 5], 'vector subscript')
    sync all
    x[next]%p(3) = me
    x[next]%p(4:6) = -me
    x[next]%p(8:7) = 5
    x[next]%p(1:9:8) = [7.9, 8.9]
    sync all
    call check_equal(local(1:6), [7, 1000 * me + 2, last, -last, -last, -last], 'put')
    call check_equal(local(7:10), [1000 * me + 7, 1000 * me + 8, 8, 1000 * me + 10], 'put')
    sync all
    x[next]%p(1:3) = x[last]%p(4:6)
    sync all
    call check_equal(local(1:3), [(-image_before(last), i=1, 3)], 'from image to image')
    sync all
  end subroutine on_stack

  ! The image from which the one before has written into that one: last of last of `image`'s next.
  integer function image_before(image)
    integer, intent(in) :: image
    image_before = mod(mod(image - 2 + n, n) - 1 + n, n) + 1
  end function image_before

  subroutine static_and_coarray_element()
    static = me
    w(2)%p => static(10:100:10)
    sync all
    call check_equal(w(2)[next]%p(10), next, 'static target')
    w(2)[next]%p(2:3) = 20 + me
    sync all
    call check_equal(static(20:30:10), [20 + last, 20 + last], 'put to a strided target')
    call check_equal(static(21), me, 'neighbour of a strided target')
    sync all
  end subroutine static_and_coarray_element

  subroutine allocated_grid()
    integer, allocatable, target :: mine(:, :)
    integer :: got(3, 2), i
    allocate (mine(-1:me + 4, 7))
    mine = reshape([(100 * me + i, i=1, size(mine))], shape(mine))
    x%grid => mine
    sync all
    got = x[next]%grid(0:2, 3:4)
    do i = 1, 2
      call check_equal(got(:, i), 100 * next + [2, 3, 4] + (i + 1) * (next + 6), 'block')
    end do
    sync all
    x[next]%grid(1, :) = [(me * i, i=1, 7)]
    sync all
    call check_equal(mine(1, :), [(last * i, i=1, 7)], 'put of a row')
    call check_equal(mine(0, 2), 100 * me + 2 + me + 6, 'beside a row')
    x%grid => mine(me + 4:-1:-1, ::3)
    sync all
    call check_equal(x[next]%grid(next + 4, 2), me * 4, 'reversed and strided')
    sync all
  end subroutine allocated_grid

  ! More elements and bytes than one request takes.
  subroutine long_rows()
    integer, parameter :: length = 150000
    integer, pointer :: data(:)
    integer, allocatable :: got(:)
    integer :: i
    allocate (data(2 * length))
    data = [(me + i, i=1, 2 * length)]
    x%p => data
    sync all
    got = x[next]%p(:)
    call check(all(got == [(next + i, i=1, 2 * length)]), 'all of a long target')
    got = x[next]%p(2::20)
    call check(all(got == [(next + i, i=2, 2 * length, 20)]), 'each 20th of a long target')
    sync all
    x[next]%p(1::20) = -got
    x[next]%p(length + 2:length + 14) = 0
    sync all
    call check(all(data(1::20) == [(-(me + 20 * i - 18), i=1, size(got))]), 'put of each 20th')
    sync all
    deallocate (data)
  end subroutine long_rows

  subroutine scalars_and_text()
    integer, target :: one
    character(5), target :: words(4)
    character(7) :: long
    one = 5 * me
    words = 'word' // achar(iachar('0') + me)
    x%scalar => one
    x%text => words
    sync all
    call check(x[next]%scalar == 5 * next, 'scalar target')
    long = x[next]%text(3)
    call check_equal(long, 'word' // achar(iachar('0') + next) // '  ', 'text')
    sync all
    x[next]%scalar = me
    x[next]%text(2) = 'ab'
    sync all
    call check_equal(one, last, 'put to a scalar')
    call check_equal(words(2), 'ab   ', 'put of a text')
    call check_equal(words(1)(1:4), 'word', 'text beside')
    sync all
  end subroutine scalars_and_text

  subroutine nested()
    type(leaf), target :: leaves(3)
    integer, target :: deep(6)
    integer :: got(6), i
    do i = 1, 3
      leaves(i)%k = 10 * me + i
      nullify (leaves(i)%deep)
    end do
    deep = me
    leaves(2)%deep => deep
    allocate (leaves(3)%z(4))
    leaves(3)%z = me / 2.0_real64
    x%leaves => leaves
    sync all
    call check_equal(x[next]%leaves(2)%k, 10 * next + 2, 'component of a target')
    got = x[next]%leaves(2)%deep(:)
    call check_equal(got, [(next, i=1, 6)], 'target of a target')
    call check(x[next]%leaves(3)%z(4) == next / 2.0_real64, 'allocatable component of a target')
    call check(.not. allocated(x[next]%leaves(1)%z), 'unallocated component of a target')
    sync all
    x[next]%leaves(2)%deep(2:5) = [me, 2 * me, 3 * me, 4 * me]
    x[next]%leaves(3)%z(1) = 0.25_real64
    sync all
    call check_equal(deep, [me, last, 2 * last, 3 * last, 4 * last, me], 'put to target of target')
    call check_equal(leaves(3)%z(1), 0.25_real64, 'put to a component of a target')
    sync all
  end subroutine nested

  ! A ring in which each image puts into its neighbour and gets from it.
  subroutine halo()
    integer, parameter :: cells = 20
    integer, pointer :: field(:)
    integer :: step
    allocate (field(0:cells + 1))
    field = me
    x%p => field
    do step = 1, 20
      sync all
      x[next]%p(0) = field(cells) + step
      field(cells + 1) = x[next]%p(1)
      sync all
      call check_equal(field(0), last + step, 'left halo')
      call check_equal(field(cells + 1), next, 'right halo')
    end do
    sync all
    deallocate (field)
  end subroutine halo
end program access_pointers
