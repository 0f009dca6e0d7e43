! SPDX-License-Identifier: BSD-3-Clause
!
! random_init: equal or different sequences on the images and in repetitions.
program random_numbers
  use, intrinsic :: iso_fortran_env, only: real64
  use checks
  implicit none
  real(real64) :: first(10)[*], second(10), of_other(10)
  integer :: me, n, i
  me = this_image()
  n = num_images()

  call random_init(repeatable=.true., image_distinct=.true.)
  call random_number(first)
  call random_init(.true., .true.)
  call random_number(second)
  call check(all(first == second), 'a repeatable sequence of each image')
  call check_others(.true., 'repeatable and distinct')

  call random_init(.true., .false.)
  call random_number(first)
  call check(any(first /= second) .or. me == n + 1, 'another sequence')
  call check_others(.false., 'repeatable and the same')

  call random_init(.false., .true.)
  call random_number(first)
  call random_init(.false., .true.)
  call random_number(second)
  call check(any(first /= second), 'sequences that do not repeat')
  call check_others(.true., 'not repeatable, distinct')

  call random_init(.false., .false.)
  call random_number(first)
  call check_others(.false., 'not repeatable, the same')
  call random_init(.false., .false.)
  call random_number(second)
  call check(any(first /= second), 'common sequences that do not repeat')
  call check(all(first >= 0 .and. first < 1), 'range')
  call passed()

contains

  subroutine check_others(is_distinct, what)
    logical, intent(in) :: is_distinct
    character(*), intent(in) :: what
    sync all
    do i = 1, n
      if (i == me) cycle
      of_other = first(:)[i]
      call check(all(of_other == first) .neqv. is_distinct, what)
    end do
    sync all
  end subroutine check_others
end program random_numbers
