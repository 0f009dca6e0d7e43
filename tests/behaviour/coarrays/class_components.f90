! SPDX-License-Identifier: BSD-3-Clause
!
! Components of type class(...) of coarrays. gfortran 12 allocates a scalar one with the token of
! the coarray, as if it were a coarray itself, and synchronizes all images behind it. With an
! argument the program makes a mistake that ends it.
module holders
  implicit none
  type :: base
    integer :: b = 1
  end type base
  type, extends(base) :: extended
    real(8) :: e(3) = 2
  end type extended
  type :: holder
    class(base), allocatable :: p
    class(base), allocatable :: q(:)
    class(*), allocatable :: u
    integer :: k = 0
  end type holder

contains

  subroutine allocate_in_dummy(h, value)
    type(holder), intent(inout) :: h[*]
    integer, intent(in) :: value
    allocate (extended :: h%p)
    h%p%b = value
  end subroutine allocate_in_dummy
end module holders

program class_components
  use checks
  use holders
  implicit none
  ! gfortran 12 makes nothing of the statement deallocate (h%p), so each part has its own coarray.
  type(holder), save :: fixed[*], every[*], argument[*], beside[*]
  ! It crashes at the end of their scope, so they have none.
  type(holder), allocatable :: list(:)[:], scalar[:]
  integer :: me, n, next
  character(20) :: way
  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  call get_command_argument(1, way)
  if (way /= '') call make_mistake()
  fixed%k = 11 * me
  every%k = 11 * me
  call on_one_image()
  call on_all_images()
  call in_allocatable_coarrays()
  call with_a_coarray()
  call passed()

contains

  ! The other images execute nothing: not even a sync all.
  subroutine on_one_image()
    if (me == 1) then
      allocate (extended :: fixed%p)
      allocate (fixed%u, source=3.5d0)
      fixed%p%b = 7
      call check(fixed%k == 11 .and. fixed%p%b == 7, 'the component of image 1')
    end if
    sync all
    call check_equal(fixed[next]%k, 11 * next, 'a component beside it')
  end subroutine on_one_image

  subroutine on_all_images()
    allocate (extended :: every%p, every%q(me))
    every%p%b = me
    every%q(me)%b = -me
    sync all
    call check_equal(every[next]%k, 11 * next, 'a component beside them')
    call check(every%p%b == me .and. every%q(me)%b == -me, 'components of all images')
    select type (p => every%p)
    type is (extended)
      call check(minval(p%e) == 2 .and. maxval(p%e) == 2, 'the extended type')
    class default
      call check(.false., 'the dynamic type')
    end select
    deallocate (every%q)
    call allocate_in_dummy(argument, 5 * me)
    call check_equal(argument%p%b, 5 * me, 'a component of a dummy argument')
  end subroutine on_all_images

  subroutine in_allocatable_coarrays()
    integer :: j
    allocate (list(4)[*], scalar[*])
    list%k = me
    scalar%k = -me
    sync all
    if (me == n) then
      do j = 1, 4
        allocate (extended :: list(j)%p)
        list(j)%p%b = 10 * me + j
      end do
      allocate (extended :: scalar%p)
      scalar%p%b = 99
      call check(all([(list(j)%p%b, j=1, 4)] == [(10 * me + j, j=1, 4)]), 'components of a list')
      call check(all(list%k == me) .and. scalar%k == -me, 'their coarrays')
    end if
    sync all
    call check(list(3)[next]%k == next .and. scalar[next]%k == -next, 'coarrays of others')
    sync all
  end subroutine in_allocatable_coarrays

  ! One statement that allocates a coarray as well: all images execute it.
  subroutine with_a_coarray()
    integer, allocatable :: c[:]
    allocate (extended :: beside%p)
    allocate (c[*])
    c = me
    sync all
    call check_equal(c[next], next, 'the coarray')
    call check_equal(beside%p%b, 1, 'the component')
    sync all
  end subroutine with_a_coarray

  subroutine make_mistake()
    integer :: value
    allocate (extended :: fixed%p, fixed%q(3))
    sync all
    value = 0
    select case (way)
    case ('get'); value = fixed[next]%p%b
    case ('put'); fixed[next]%p%b = 3
    case ('get from array'); value = fixed[next]%q(2)%b
    end select
    print *, value
    call passed()
  end subroutine make_mistake
end program class_components
