! SPDX-License-Identifier: BSD-3-Clause
!
! Teams: numbers and images of nested teams, access by the numbers of a team and by team=,
! synchronization of teams, allocation inside, critical constructs in sibling teams.
program teams
  use, intrinsic :: iso_fortran_env, only: team_type, lock_type, event_type, atomic_int_kind
  use checks
  implicit none
  type(team_type) :: half, quarter, single, again
  type(lock_type) :: guard[*]
  type(event_type) :: ready[*]
  integer(atomic_int_kind) :: count[*]
  integer :: value[*], total[*], me, n, color, i
  me = this_image()
  n = num_images()
  value = 100 + me
  call check_equal(team_number(), -1, 'number of the initial team')
  color = merge(2, 1, mod(me, 2) == 0)
  form team (color, half)
  sync all

  call inside()
  call nested()
  call allocation()
  call synchronization()
  call critical_in_siblings()
  call leaving_frees()
  call many_teams()
  call passed()

contains

  ! The images of the team with this number: odd ones in team 1, even ones in team 2.
  integer function global(image)
    integer, intent(in) :: image
    global = 2 * image - merge(0, 1, color == 2)
  end function global

  integer function size_of(which)
    integer, intent(in) :: which
    size_of = (n + merge(0, 1, which == 2)) / 2
  end function size_of

  subroutine inside()
    change team (half)
      call check_equal(team_number(), color, 'number of the team')
      call check_equal(num_images(), size_of(color), 'images of the team')
      call check_equal(global(this_image()), me, 'this_image in the team')
      call check_equal(team_number(half), color, 'number of a variable')
      do i = 1, num_images()
        call check_equal(value[i], 100 + global(i), 'coarray of the parent, by image of the team')
      end do
      sync all
      value[mod(this_image(), num_images()) + 1] = me
      sync all
      i = merge(num_images(), this_image() - 1, this_image() == 1)
      call check_equal(value, global(i), 'put by image of the team')
      call check_equal(image_status(num_images()), 0, 'image_status in the team')
    end team
    call check_equal(num_images(), n, 'images behind end team')
    call check_equal(this_image(), me, 'this_image behind end team')
    call check_equal(team_number(), -1, 'number behind end team')
    sync all
  end subroutine inside

  ! Teams in teams; the new ones in the reverse number of the parent's images.
  subroutine nested()
    integer :: mine, images
    value = me
    sync all
    change team (half)
      mine = this_image()
      images = num_images()
      form team (10 + mod(mine, 2), quarter)
      change team (quarter)
        call check_equal(team_number(), 10 + mod(mine, 2), 'number of the inner team')
        call check_equal(num_images(), (images + mod(mine, 2)) / 2, 'images of the inner team')
        i = 2 * this_image() - mod(mine, 2)
        call check_equal(i, mine, 'order of the inner team')
        call check_equal(value[this_image()], me, 'own value')
        form team (1000 + this_image(), single)
        change team (single)
          call check_equal(num_images(), 1, 'team of one image')
          call check_equal(value[1], me, 'value in the team of one image')
          sync team (quarter)
          sync team (half)
          sync all
        end team
        sync images (*)
      end team
      call check_equal(team_number(), color, 'number between two ends')
      ! The same team once more.
      change team (quarter)
        call check_equal(value[this_image()], me, 'value in the same team')
      end team
    end team
    sync all
  end subroutine nested

  ! Coarrays of a team are symmetric in it, of other sizes in other teams, and end with it.
  subroutine allocation()
    integer, allocatable :: a(:)[:], b(:, :)[:]
    real(kind(1d0)), allocatable :: outer(:)[:]
    integer :: right, left, repeat
    allocate (outer(5)[*])
    outer = me
    do repeat = 1, 5
      change team (half)
        right = mod(this_image(), num_images()) + 1
        left = merge(num_images(), this_image() - 1, this_image() == 1)
        allocate (a(color * 1000)[*])
        a = -1
        if (color == 1) then
          allocate (b(3, 7)[*])
          b = 0
          sync all
          b(2, 4)[right] = me
          sync all
          call check_equal(b(2, 4), global(left), 'coarray of one of the teams')
        end if
        sync all
        a(color * 1000)[right] = me
        outer(2)[right] = repeat + me
        sync all
        call check_equal(a(color * 1000), global(left), 'coarray of the team')
        call check_equal(nint(outer(2)), repeat + global(left), 'coarray of the parent')
        call check_equal(sum(a), -color * 1000 + 1 + global(left), 'the rest of it')
        if (mod(repeat, 2) == 0) deallocate (a)
      end team
      call check(.not. allocated(a) .or. mod(repeat, 2) == 1, 'deallocated in the team')
      if (allocated(a)) deallocate (a)
      if (allocated(b)) deallocate (b)
    end do
    call check_equal(nint(outer(1)), me, 'coarray of the initial team')
    deallocate (outer)
  end subroutine allocation

  subroutine synchronization()
    integer :: round
    total = 0
    count = 0
    sync all
    change team (half)
      do round = 1, 50
        call atomic_add(count[1], 1)
        sync all
        call check_equal(count[1], round * num_images(), 'atomics in the team')
        sync all
        event post (ready[mod(this_image(), num_images()) + 1])
        event wait (ready)
        lock (guard[num_images()])
        value[1] = value[1] + 1
        unlock (guard[num_images()])
        critical
          total[1] = total[1] + 1
        end critical
      end do
      sync team (half)
      sync images (*)
    end team
    sync all
    call check_equal(total, merge(50 * size_of(color), 0, me <= 2), 'critical in sibling teams')
    if (me <= 2) call check_equal(value, me + 50 * size_of(color), 'locks in sibling teams')
    sync all
  end subroutine synchronization

  ! A critical construct is one for all teams: a file exists in it, and nowhere else.
  subroutine critical_in_siblings()
    character(60) :: name
    integer :: unit, clock, round, status
    call system_clock(clock)
    call co_broadcast(clock, 1)
    write (name, '(a,i0)') '/tmp/tessera_critical_', clock
    change team (half)
      do round = 1, 20
        critical
          open (newunit=unit, file=name, status='new', iostat=status)
          call check_equal(status, 0, 'a file that no other image has in its critical construct')
          close (unit, status='delete')
        end critical
      end do
    end team
    sync all
  end subroutine critical_in_siblings

  ! 320 MiB in 64 MiB of team memory, because end team frees.
  subroutine leaving_frees()
    real(kind(1d0)), allocatable :: large(:)[:]
    integer :: round
    do round = 1, 20
      change team (half)
        allocate (large(2 * 1024**2)[*], stat=i)
        call check_equal(i, 0, 'room for a coarray of a team')
        large(1) = me
      end team
    end do
  end subroutine leaving_frees

  ! More teams than one could keep for ever in a small table.
  subroutine many_teams()
    integer :: group
    do group = 1, 300
      form team (mod(me, 3) + group, again)
      change team (again)
        call check_equal(value[this_image()], value, 'value in one of many teams')
      end team
    end do
    sync all
  end subroutine many_teams
end program teams
