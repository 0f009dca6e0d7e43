! SPDX-License-Identifier: BSD-3-Clause
!
! How long teams live, with team memory for some 560 of them: a team whose variable form team
! defines again gives its memory back, wherever the variable lies, and comes back where a copy of
! the variable is used. Beyond 256 teams collective subroutines take another way.
program team_lifetimes
  use, intrinsic :: iso_fortran_env, only: team_type
  use checks
  implicit none
  integer, parameter :: rounds = 120
  type holder
    type(team_type) :: team
  end type holder
  type(team_type) :: outer, first, second, many(440)
  type(holder), allocatable :: held(:)
  integer :: me, n
  me = this_image()
  n = num_images()
  call module_variable()
  call local_variable()
  call component_of_allocatable()
  call nested()
  call formed_in_another_team()
  call different_variables()
  call copies()
  call inside_of_its_block()
  call allocated_behind_end_team()
  call many_alive()
  call passed()

contains

  ! Sums over the images of a team of this number.
  subroutine use_team(team, number)
    type(team_type), intent(in) :: team
    integer, intent(in) :: number
    integer :: s
    change team (team)
      s = 1
      call co_sum(s)
      call check_equal(s, num_images(), 'co_sum in the team')
      call check_equal(team_number(), number, 'team_number')
    end team
  end subroutine use_team

  subroutine module_variable()
    integer :: i
    do i = 1, 280
      form team (mod(me + i, 2) + 1, outer)
      call use_team(outer, mod(me + i, 2) + 1)
    end do
  end subroutine module_variable

  subroutine local_variable()
    integer :: i
    do i = 1, rounds
      call form_and_use(mod(me + i, 3) + 1)
    end do
  end subroutine local_variable

  subroutine form_and_use(number)
    integer, intent(in) :: number
    type(team_type) :: team
    form team (number, team)
    call use_team(team, number)
  end subroutine form_and_use

  subroutine component_of_allocatable()
    integer :: i
    allocate (held(2))
    do i = 1, rounds
      form team (mod(me, 2) + 1, held(2)%team)
      call use_team(held(2)%team, mod(me, 2) + 1)
    end do
  end subroutine component_of_allocatable

  ! The inner teams go with the outer ones.
  subroutine nested()
    integer :: i, j
    do i = 1, 12
      form team (mod(me + i, 2) + 1, outer)
      change team (outer)
        do j = 1, 4
          form team (mod(this_image() + j, 2) + 1, first)
          call use_team(first, mod(this_image() + j, 2) + 1)
          form team (j, second)
          call use_team(second, j)
        end do
      end team
    end do
  end subroutine nested

  ! The variable is defined again where its team cannot be given back; that happens later.
  subroutine formed_in_another_team()
    integer :: i
    form team (mod(me, 2) + 1, outer)
    do i = 1, rounds
      form team (i, first)
      call use_team(first, i)
      change team (outer)
        form team (i + 1, first)
        call use_team(first, i + 1)
      end team
    end do
  end subroutine formed_in_another_team

  ! The images of a team have it in different variables, and define them again at different times.
  subroutine different_variables()
    integer :: i, at
    do i = 1, rounds
      at = mod(me * i, 5) + 1
      form team (mod(me + i, 2) + 1, many(at))
      call use_team(many(at), mod(me + i, 2) + 1)
    end do
  end subroutine different_variables

  ! Copies name the same team, whatever happens to the variable.
  subroutine copies()
    type(team_type) :: copy(20)
    integer, save :: x[*]
    integer :: i, round
    do i = 1, size(copy)
      form team (mod((me - 1) / i, 2) + 1, first)
      copy(i) = first
    end do
    form team (7, first)
    form team (8, first)
    do round = 1, 3
      do i = 1, size(copy)
        call check_equal(team_number(copy(i)), mod((me - 1) / i, 2) + 1, 'number of a copy')
        call use_team(copy(i), mod((me - 1) / i, 2) + 1)
        sync team (copy(i))
        change team (copy(i))
          x = this_image()
          sync all
          call check_equal(x[num_images()], num_images(), 'get in a copy')
        end team
      end do
      form team (round, first)
      sync team (copy(round))
    end do
  end subroutine copies

  ! The current team stays.
  subroutine inside_of_its_block()
    integer :: i
    do i = 1, 25
      form team (mod(me + i, 2) + 1, outer)
      change team (outer)
        form team (3, outer)
        call check_equal(team_number(), mod(me + i, 2) + 1, 'number of the current team')
        call use_team(outer, 3)
        sync all
      end team
    end do
  end subroutine inside_of_its_block

  ! Fortran 2018, 11.1.5.2 and 9.7.3.2: end team deallocates what was allocated in its block.
  subroutine allocated_behind_end_team()
    integer, allocatable, save :: list(:)[:], scalar[:], kept(:)[:]
    integer :: i, round
    allocate (kept(4)[*])
    kept = me
    form team (mod(me, 2) + 1, outer)
    do round = 1, 3
      change team (outer)
        allocate (list(10 * round)[*], scalar[*])
        list = this_image()
        scalar = round
        sync all
        do i = 1, num_images()
          call check_equal(list(10 * round)[i], i, 'list')
        end do
        call check_equal(scalar[1], round, 'scalar')
        sync all
      end team
      call check(.not. allocated(list), 'list is allocated behind end team')
      call check(.not. allocated(scalar), 'scalar is allocated behind end team')
      call check(allocated(kept), 'an outer coarray is not allocated behind end team')
    end do
    allocate (list(3)[*])
    list = me
    sync all
    call check_equal(list(3)[n], n, 'list of the initial team')
    deallocate (list)
    call check_equal(kept(4)[n], n, 'kept')
    deallocate (kept)
  end subroutine allocated_behind_end_team

  subroutine many_alive()
    integer, parameter :: long = 3000
    integer :: values(long), i
    character(2000) :: text
    real(8) :: x
    do i = 1, size(many)
      form team (mod(me, 2) + 1, many(i))
    end do
    change team (many(size(many)))
      values = this_image()
      call co_sum(values)
      call check_equal(values(long), num_images() * (num_images() + 1) / 2, 'co_sum')
      values = this_image()
      call co_max(values, 1)
      if (this_image() == 1) call check_equal(values(long), num_images(), 'co_max')
      values = this_image()
      call co_broadcast(values, num_images())
      call check_equal(values(long), num_images(), 'co_broadcast')
      text = achar(64 + this_image())
      text(2000:) = achar(64 + this_image())
      call co_min(text)
      call check_equal(text, 'A' // repeat(' ', 1998) // 'A', 'co_min')
      x = this_image()
      call co_reduce(x, add)
      call check_equal(x, num_images() * (num_images() + 1) / 2.0_8, 'co_reduce')
    end team
  end subroutine many_alive

  pure real(8) function add(a, b)
    real(8), intent(in) :: a, b
    add = a + b
  end function add
end program team_lifetimes
