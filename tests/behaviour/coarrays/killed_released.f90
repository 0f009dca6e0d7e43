! SPDX-License-Identifier: BSD-3-Clause
!
! A timer kills an image that releases others from sync all, at any moment. Those that it has not
! released must find the end of the statement by themselves: the others are ahead, and wait for them
! in sync images. The argument is the victim.
program killed_released
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  use, intrinsic :: iso_c_binding, only: c_int
  use checks
  implicit none
  interface
    integer(c_int) function ualarm(microseconds, interval) bind(c)
      import c_int
      integer(c_int), value :: microseconds, interval
    end function ualarm
  end interface
  integer :: rounds[*], victim, me, n, stat, i
  logical :: is_first
  real :: chance
  character(8) :: word
  call get_command_argument(1, word)
  read (word, *) victim
  me = this_image()
  n = num_images()
  rounds = 0
  call random_init(.false., .true.)
  call random_number(chance)
  sync all
  if (me == victim) i = ualarm(1 + int(chance * 20000, c_int), 0_c_int)
  do
    sync all (stat=stat)
    if (stat /= 0) exit
    rounds = rounds + 1
    call meet(mod(me, 2))
    call meet(mod(me + 1, 2))
  end do
  call check_equal(stat, stat_failed_image, 'stat at the death')
  sync all (stat=stat)
  call check_equal(stat, stat_failed_image, 'stat after the death')
  do i = 1, n
    if (i /= victim) call check_equal(rounds[i], rounds, 'statements before the death')
  end do
  is_first = me == merge(2, 1, victim == 1)
  if (is_first) print '(a)', 'passed'

contains

  ! With the image above, or below.
  subroutine meet(is_above)
    integer, intent(in) :: is_above
    integer :: other
    other = merge(me + 1, me - 1, is_above == 1)
    if (other >= 1 .and. other <= n .and. other /= victim) sync images (other, stat=stat)
  end subroutine meet
end program killed_released
