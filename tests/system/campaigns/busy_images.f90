! SPDX-License-Identifier: BSD-3-Clause
!
! A coarray program that goes through puts, gets, atomics, locks, critical, events, teams,
! collectives and allocation, and checks each value: busy_images [--sequences K] [--seed S]. All
! images draw the same random numbers.
program busy_images
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: words = 1000
  integer :: data(words)[*], counter[*], guarded[*], total[*], round, rounds, me, images, next
  integer :: counted, locked
  type(lock_type) :: guard[*]
  type(event_type) :: arrived[*]

  call read_arguments()
  me = this_image()
  images = num_images()
  next = mod(me, images) + 1
  counter = 0
  guarded = 0
  total = 0
  counted = 0
  locked = 0
  sync all
  do round = 1, rounds
    call transfer_around()
    call count_on(1 + drawn(images))
    call tell_neighbours()
    call work_in_teams(1 + drawn(3))
    call reduce()
    call allocate_for(1 + drawn(words))
  end do
  sync all
  if (me == 1) print '(a)', 'busy_images: all as expected'
contains
  subroutine read_arguments()
    character(20) :: name, value
    integer :: at, seed, size
    integer, allocatable :: state(:)
    rounds = huge(rounds)
    seed = 1
    do at = 1, command_argument_count(), 2
      call get_command_argument(at, name)
      call get_command_argument(at + 1, value)
      if (name == '--sequences') read (value, *) rounds
      ! Seeds of 32 bits without a sign fit into no integer.
      if (name == '--seed') read (value(:min(len_trim(value), 8)), *) seed
    end do
    call random_seed(size=size)
    allocate (state(size), source=seed)
    call random_seed(put=state)
  end subroutine

  ! The same number, at least 0 and less than the limit, on all images.
  integer function drawn(limit)
    integer, intent(in) :: limit
    real :: number
    call random_number(number)
    drawn = min(int(number * limit), limit - 1)
  end function

  subroutine expect(value, expected, what)
    integer, intent(in) :: value, expected
    character(*), intent(in) :: what
    if (value == expected) return
    write (error_unit, '(a, i0, 3a, i0, a, i0, a, i0)') 'image ', me, ': ', what, ' in round ', &
      round, ' is ', value, ', not ', expected
    error stop 3
  end subroutine

  subroutine transfer_around()
    integer :: length, step, before, copy(words)
    length = 1 + drawn(words)
    step = 1 + drawn(4)
    before = mod(me + images - 2, images) + 1
    data(:length:step)[next] = me * 1000 + round
    sync all
    call expect(maxval(data(:length:step)), before * 1000 + round, 'the largest word put')
    call expect(minval(data(:length:step)), before * 1000 + round, 'the least word put')
    copy(:length) = data(:length)[next]
    call expect(copy(1), me * 1000 + round, 'a word read')
    sync all
  end subroutine

  subroutine count_on(image)
    integer, intent(in) :: image
    integer :: seen
    call atomic_add(counter[image], 1)
    lock (guard[image])
    guarded[image] = guarded[image] + 1
    unlock (guard[image])
    critical
      total[1] = total[1] + 1
    end critical
    sync all
    if (me == image) then
      counted = counted + images
      call atomic_ref(seen, counter)
      call expect(seen, counted, 'a counter of atomics')
      call expect(guarded, counted, 'a counter under a lock')
    end if
    locked = locked + images
    if (me == 1) call expect(total, locked, 'a counter of critical')
    sync all
  end subroutine

  subroutine tell_neighbours()
    integer :: before
    before = mod(me + images - 2, images) + 1
    event post (arrived[next])
    event wait (arrived)
    if (next /= before .and. images > 2) then
      sync images ([before, next])
    else if (next /= me) then
      sync images (next)
    end if
  end subroutine

  subroutine work_in_teams(teams)
    use, intrinsic :: iso_fortran_env, only: team_type
    integer, intent(in) :: teams
    type(team_type) :: part
    integer :: members, image, expected
    form team (1 + mod(me, teams), part)
    change team (part)
      members = 1
      call co_sum(members)
      call expect(members, num_images(), 'the number of members')
    end team
    sync all  ! form team goes on without images that have died, and this ends the program.
    expected = 0
    do image = 1, images
      if (mod(image, teams) == mod(me, teams)) expected = expected + 1
    end do
    call expect(members, expected, 'the size of a team')
  end subroutine

  subroutine reduce()
    integer :: values(100), source
    values = me
    call co_sum(values)
    call expect(values(100), images * (images + 1) / 2, 'a sum')
    values = me
    call co_max(values)
    call expect(values(50), images, 'a maximum')
    source = 1 + drawn(images)
    values = me
    call co_broadcast(values, source)
    call expect(values(1), source, 'a broadcast word')
  end subroutine

  subroutine allocate_for(length)
    integer, intent(in) :: length
    integer, allocatable :: other(:)[:]
    allocate (other(length)[*])
    other = me
    sync all
    call expect(other(length)[next], next, 'a word of an allocated coarray')
    deallocate (other)
  end subroutine
end program busy_images
