! SPDX-License-Identifier: BSD-3-Clause
!
! heat_images: heat spreads over a square plate, whose columns are divided among the images.
!
!     caf -O2 heat_images.f90 -o heat_images
!     cafrun -n 4 ./heat_images [SIZE [STEPS]]              (200 500)
!
! Each image has its columns and, beside them, a copy of its neighbours' outermost ones, the halo.
! In every step an image writes its own outermost columns into the halos of its neighbours, and
! waits for these two images only. No heat leaves the plate, so the total stays what it was.
program heat_images
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), allocatable :: plate(:, :)[:], next(:, :)
  real(real64) :: total, before
  integer :: n, steps, columns, first, step, i, j
  integer, allocatable :: neighbours(:)

  n = argument(1, 200)
  steps = argument(2, 500)
  if (n < num_images()) error stop 'heat_images: SIZE must be at least the number of images'
  first = first_column(this_image())
  columns = first_column(this_image() + 1) - first

  ! A coarray has the same bounds on all images: those of the image with most columns.
  allocate (plate(0:n + 1, 0:(n - 1) / num_images() + 2)[*], source=0.0_real64)
  allocate (next(n, columns))
  do j = 1, columns   ! hot in one quarter of the plate
    if (first + j - 1 <= n / 2) plate(1:n / 2, j) = 100
  end do
  before = sum(plate(1:n, 1:columns))
  call co_sum(before)
  neighbours = pack([this_image() - 1, this_image() + 1], &
                    [this_image() > 1, this_image() < num_images()])

  do step = 1, steps
    plate(0, 1:columns) = plate(1, 1:columns)      ! the edges reflect
    plate(n + 1, 1:columns) = plate(n, 1:columns)
    if (this_image() == 1) plate(:, 0) = plate(:, 1)
    if (this_image() == num_images()) plate(:, columns + 1) = plate(:, columns)
    if (this_image() > 1) then
      plate(1:n, columns_of(this_image() - 1) + 1)[this_image() - 1] = plate(1:n, 1)
    end if
    if (this_image() < num_images()) plate(1:n, 0)[this_image() + 1] = plate(1:n, columns)
    sync images (neighbours)
    do concurrent (j = 1:columns, i = 1:n)
      next(i, j) = plate(i, j) + 0.2_real64 * (plate(i - 1, j) + plate(i + 1, j) &
          + plate(i, j - 1) + plate(i, j + 1) - 4 * plate(i, j))
    end do
    plate(1:n, 1:columns) = next
    sync images (neighbours)   ! my neighbours have read their halos
  end do

  total = sum(plate(1:n, 1:columns))
  call co_sum(total)
  if (this_image() == 1) then
    print '(a,i0,a,f0.6)', 'Heat after ', steps, ' steps, relative to the start: ', total / before
    if (abs(total / before - 1) > 1e-10_real64) error stop 'heat_images: heat was lost'
  end if

contains

  ! Columns are dealt out evenly; the first images have one more.
  pure integer function first_column(image)
    integer, intent(in) :: image
    first_column = 1 + (image - 1) * (n / num_images()) + min(image - 1, mod(n, num_images()))
  end function first_column

  pure integer function columns_of(image)
    integer, intent(in) :: image
    columns_of = first_column(image + 1) - first_column(image)
  end function columns_of

  integer function argument(number, default)
    integer, intent(in) :: number, default
    character(20) :: text
    integer :: status
    argument = default
    call get_command_argument(number, text, status=status)
    if (status == 0) read (text, *) argument
  end function argument
end program heat_images
