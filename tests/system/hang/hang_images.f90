! SPDX-License-Identifier: BSD-3-Clause
!
! Coarray programs that hang, with four images: hang_images KIND. The comment HERE and a word mark
! the lines that a report must name.
program hang_images
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type
  implicit none
  type(event_type) :: ready[*]
  type(lock_type) :: guard[*]
  character(20) :: kind
  integer :: next, me

  call get_command_argument(1, kind)
  me = this_image()
  next = me + 1
  if (next > num_images()) next = 1
  select case (kind)
  case ('event')
    if (me == 2) event wait (ready)  ! HERE event
  case ('ring')
    sync images (next)  ! HERE ring
  case ('missing')
    if (me == 3) call work_for_ever()
  case ('lock')
    if (me == 2) lock (guard[1])
    sync all
    if (me == 2) call work_for_ever()
    if (me == 4) lock (guard[1])  ! HERE lock
  end select
  sync all  ! HERE all
contains
  subroutine work_for_ever()
    interface
      subroutine pause() bind(c)
      end subroutine
    end interface
    do
      call pause()  ! HERE work
    end do
  end subroutine
end program hang_images
