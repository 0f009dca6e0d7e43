! SPDX-License-Identifier: BSD-3-Clause
!
! co_broadcast of derived types with allocatable components. gfortran calls the library for each
! component, with a descriptor whose span and offset are what lay on the stack before: from -O1 on
! those of another statement.
module types
  use, intrinsic :: iso_fortran_env
  implicit none
  type :: parts
    integer, allocatable :: v(:)
    real, allocatable :: w(:, :)
    real(real64), allocatable :: s
    integer :: plain = 0
  end type parts
  type :: nested
    type(parts) :: a
    integer(int8), allocatable :: bytes(:)
    type(parts), allocatable :: list(:)
    type(parts), allocatable :: one
  end type nested
  type :: pair
    integer :: i
    real(real64) :: x
  end type pair

contains

  subroutine fill(p, n, value)
    type(parts), intent(inout) :: p
    integer, intent(in) :: n, value
    allocate (p%v(n), p%w(n, 3), p%s)
    p%v = value
    p%w = value
    p%s = value
    p%plain = value
  end subroutine fill

  logical function is_filled(p, n, value)
    type(parts), intent(in) :: p
    integer, intent(in) :: n, value
    is_filled = allocated(p%v) .and. allocated(p%w) .and. allocated(p%s)
    if (.not. is_filled) return
    is_filled = size(p%v) == n .and. all(p%v == value) .and. size(p%w) == 3 * n .and. &
                all(p%w == value) .and. p%s == value .and. p%plain == value
  end function is_filled

  ! Leaves a value everywhere on the stack above.
  subroutine dirty(value)
    integer(int64), intent(in) :: value
    integer(int64) :: junk(256)
    junk = value
    call keep(junk)
  end subroutine dirty
  subroutine keep(junk)
    integer(int64), intent(inout) :: junk(:)
    if (junk(1) == huge(junk)) print *, junk
  end subroutine keep

  subroutine broadcast(p, source)
    type(parts), intent(inout) :: p
    integer, intent(in) :: source
    call co_broadcast(p, source_image=source)
  end subroutine broadcast

  ! Descriptors of other spans, at the places that those of the components get.
  subroutine broadcast_behind_others(p, source, n)
    type(parts), intent(inout) :: p
    integer, intent(in) :: source, n
    real(real64) :: x(n)
    integer(int8) :: b(n)
    character(3) :: c(n)
    x = 1
    b = 1
    c = 'abc'
    call co_sum(x)
    call co_broadcast(p, source_image=source)
    call co_max(b)
    call co_broadcast(p, source_image=source)
    call co_max(c(1:n)(2:2))
    call co_broadcast(p, source_image=source)
  end subroutine broadcast_behind_others
end module types

program broadcast_components
  use checks
  use types
  implicit none
  type(nested), save :: x[*]
  integer, parameter :: sizes(5) = [1, 2, 10, 200, 5000]
  integer(int64), parameter :: junk(8) = [-1, 0, 1, 8, 16, 24, 64, 4096]
  integer :: me, n, i, k
  me = this_image()
  n = num_images()
  do i = 1, size(sizes)
    do k = 1, size(junk)
      call flat(sizes(i), junk(k))
    end do
    call in_objects(sizes(i))
  end do
  call at_starts_of_pages()
  call unallocated()
  call in_coarray()
  call pointers()
  call passed()

contains

  subroutine flat(elements, value)
    integer, intent(in) :: elements
    integer(int64), intent(in) :: value
    type(parts) :: p
    call fill(p, elements, me)
    call dirty(value)
    call broadcast(p, n)
    call check(is_filled(p, elements, n), 'components')
    call fill_again(p, elements)
    call dirty(value)
    call broadcast_behind_others(p, 1, 7)
    call check(is_filled(p, elements, 1), 'components behind other statements')
  end subroutine flat

  ! The three blocks of an object take 5 * 16 bytes more than some pages, so one object of 256 has
  ! a block at the start of a page.
  subroutine at_starts_of_pages()
    integer, parameter :: elements = 1026
    type(parts) :: list(256)
    integer :: j
    do j = 1, size(list)
      call fill(list(j), elements, me)
    end do
    do j = 1, size(list)
      call broadcast_behind_others(list(j), 1, 7)
      call check(is_filled(list(j), elements, 1), 'components at starts of pages')
    end do
  end subroutine at_starts_of_pages

  subroutine fill_again(p, elements)
    type(parts), intent(inout) :: p
    integer, intent(in) :: elements
    deallocate (p%v, p%w, p%s)
    call fill(p, elements, me)
  end subroutine fill_again

  subroutine fill_all(t, elements)
    type(nested), intent(inout) :: t
    integer, intent(in) :: elements
    integer :: j
    call fill(t%a, elements, me)
    allocate (t%bytes(elements), t%list(4), t%one)
    t%bytes = int(me, int8)
    do j = 1, 4
      call fill(t%list(j), elements + j, 10 * me + j)
    end do
    call fill(t%one, elements, -me)
  end subroutine fill_all

  subroutine check_all(t, elements, source)
    type(nested), intent(in) :: t
    integer, intent(in) :: elements, source
    integer :: j
    call check(is_filled(t%a, elements, source), 'object in an object')
    call check(all(t%bytes == source), 'component of an object')
    do j = 1, 4
      call check(is_filled(t%list(j), elements + j, 10 * source + j), 'list of objects')
    end do
    call check(is_filled(t%one, elements, -source), 'allocatable object')
  end subroutine check_all

  subroutine in_objects(elements)
    integer, intent(in) :: elements
    type(nested) :: t
    call fill_all(t, elements)
    call co_broadcast(t, n)
    call check_all(t, elements, n)
    ! The memory is still this image's own: it changes alone, and is freed.
    t%a%v = me
    t%list(2)%w = me
    sync all
    call check(all(t%a%v == me) .and. all(t%list(2)%w == me), 'own memory')
    deallocate (t%list, t%one)
  end subroutine in_objects

  subroutine unallocated()
    type(parts) :: p
    p%plain = me
    call co_broadcast(p, n)
    call check(p%plain == n .and. .not. allocated(p%v) .and. .not. allocated(p%s), 'no component')
  end subroutine unallocated

  ! Components that other images reach: allocated here, where the compiler knows the coarray.
  subroutine in_coarray()
    integer :: next
    next = mod(me, n) + 1
    allocate (x%a%v(20), x%a%w(2, 2), x%a%s, x%list(2), x%one, x%bytes(3))
    allocate (x%list(1)%v(4), x%list(2)%v(5), x%list(1)%w(1, 1), x%list(2)%w(1, 1), x%list(1)%s)
    allocate (x%list(2)%s, x%one%v(6), x%one%w(1, 1), x%one%s)
    x%a%v = me
    x%list(2)%v = 2 * me
    x%one%v = 3 * me
    sync all
    call co_broadcast(x, n)
    call check(all(x%a%v == n), 'object in a coarray')
    call check(all(x%list(2)%v == 2 * n) .and. all(x%one%v == 3 * n), 'objects in a coarray')
    sync all
    x%a%v(3) = me
    x%list(2)%v(3) = me
    sync all
    i = x[next]%a%v(3)
    call check_equal(i, next, 'component of a coarray')
    i = x[next]%list(2)%v(3)
    call check_equal(i, next, 'component of an object of a coarray')
    sync all
    deallocate (x%list, x%one, x%bytes)
    allocate (x%bytes(me))
    call check_equal(size(x%bytes), me, 'allocated again')
  end subroutine in_coarray

  ! A pointer to parts of elements looks like a component whose span is left over.
  subroutine pointers()
    type(pair), target :: fixed(20)
    real(real64), pointer :: p(:)
    fixed%x = me
    fixed%i = -me
    p => fixed%x
    call co_broadcast(p, n)
    call check(all(fixed%x == n) .and. all(fixed%i == -me), 'pointer to components')
  end subroutine pointers
end program broadcast_components
