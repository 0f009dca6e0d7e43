! SPDX-License-Identifier: BSD-3-Clause
!
! Collective subroutines that cannot do what the program wants. Each way, named by the argument,
! ends the job with a message.
program broadcast_errors
  use checks
  implicit none
  type :: parts
    integer, allocatable :: v(:)
  end type parts
  type :: text
    character(:), allocatable :: c
  end type text
  type :: texts
    character(:), allocatable :: c(:)
  end type texts
  type :: object
    integer :: n
    type(parts), allocatable :: list(:)
  end type object
  type :: pointers
    integer, pointer :: p
  end type pointers
  type :: pair
    integer :: i
    real(8) :: x
  end type pair
  integer :: me
  character(40) :: way
  me = this_image()
  call get_command_argument(1, way)
  select case (way)
  case ('unallocated component'); call component(merge(3, 0, me == 1))
  case ('unallocated at the source'); call component(merge(0, 3, me == 1))
  case ('few elements'); call component(merge(3, 2, me == 1))
  case ('many elements'); call component(merge(3000, 2, me == 1))
  case ('large and unallocated'); call component(merge(3000, 0, me == 1))
  case ('list of objects'); call list()
  case ('length'); call length()
  case ('lengths'); call lengths()
  case ('pointer in co_reduce'); call reduce_pointer()
  case ('component of elements'); call sum_components()
  case default; error stop 'no such way'
  end select
  call passed()

contains

  subroutine component(n)
    integer, intent(in) :: n
    type(parts) :: p
    if (n > 0) then
      allocate (p%v(n))
      p%v = me
    end if
    call co_broadcast(p, 1)
    print *, allocated(p%v)
  end subroutine component

  subroutine list()
    type(object) :: o
    integer :: i
    o%n = me
    allocate (o%list(merge(3, 2, me == 1)))
    do i = 1, size(o%list)
      allocate (o%list(i)%v(3))
    end do
    call co_broadcast(o, 1)
    print *, o%n
  end subroutine list

  subroutine length()
    type(text) :: t
    t%c = repeat(achar(64 + me), 5)
    call co_broadcast(t, 1)
    print *, t%c
  end subroutine length

  subroutine lengths()
    type(texts) :: t
    allocate (character(5) :: t%c(3))
    t%c = repeat(achar(64 + me), 5)
    call co_broadcast(t, 1)
    print *, t%c
  end subroutine lengths

  subroutine reduce_pointer()
    type(pointers) :: p
    allocate (p%p)
    p%p = me
    call co_reduce(p, first)
    print *, p%p
  end subroutine reduce_pointer
  pure type(pointers) function first(p, q)
    type(pointers), intent(in) :: p, q
    allocate (first%p)
    first%p = min(p%p, q%p)
  end function first

  subroutine sum_components()
    type(pair) :: p(3)
    p%x = me
    call co_sum(p%x)
    print *, p%x
  end subroutine sum_components
end program broadcast_errors
