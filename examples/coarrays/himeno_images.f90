! SPDX-License-Identifier: BSD-3-Clause
!
! himeno_images: the Himeno benchmark's Jacobi iteration for pressure, with coarrays.
!
!     caf -O3 himeno_images.f90 -o himeno_images
!     cafrun -n 4 ./himeno_images [NX NY NZ [STEPS]]        (65 65 65 20)
!
! The grid is cut into slabs along its last dimension, so that a face between two images is
! contiguous. A step puts both faces into the halos of the neighbours, meets these two images, and
! computes 34 operations for each inner point. The residual is the same to rounding on any number of
! images; the program checks that it shrinks and prints the speed.
program himeno_images
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  implicit none
  integer, parameter :: operations = 34
  real(real32), parameter :: omega = 0.8
  real(real32), allocatable :: p(:, :, :)[:]
  real(real32), allocatable :: a(:, :, :, :), b(:, :, :, :), c(:, :, :, :)
  real(real32), allocatable :: bnd(:, :, :), wrk1(:, :, :), wrk2(:, :, :)
  real(real64) :: residual, first_residual, seconds
  integer :: extent(4) = [65, 65, 65, 20], nx, ny, nz, steps, step, i, me, images, first, layers
  integer, allocatable :: neighbours(:)
  integer(int64) :: start, finish, rate
  character(20) :: text

  do i = 1, min(4, command_argument_count())
    call get_command_argument(i, text)
    read (text, *) extent(i)
  end do
  nx = extent(1)
  ny = extent(2)
  nz = extent(3)
  steps = extent(4)
  me = this_image()
  images = num_images()
  if (nz - 2 < images) error stop 'himeno_images: NZ must be at least the number of images + 2'

  first = first_layer(me)
  layers = first_layer(me + 1) - first
  call set_up()
  sync all
  call system_clock(start, rate)
  first_residual = 0
  do step = 1, steps
    residual = jacobi()
    if (step == 1) first_residual = residual
  end do
  call system_clock(finish)
  seconds = real(finish - start, real64) / real(rate, real64)
  call co_max(seconds)

  if (me == 1) then
    print '(a,i0,a,es12.5)', 'Residual after ', steps, ' steps: ', residual
    print '(a,f0.1)', 'MFLOPS: ', real(operations, real64) * (nx - 2) * (ny - 2) * (nz - 2) &
        * steps / seconds / 1e6_real64
    if (steps > 1 .and. .not. residual < first_residual) error stop 'himeno_images: it grows'
  end if

contains

  ! Inner layers 2 to nz - 1 are dealt out evenly.
  pure integer function first_layer(image)
    integer, intent(in) :: image
    first_layer = 2 + (image - 1) * ((nz - 2) / images) + min(image - 1, mod(nz - 2, images))
  end function first_layer

  subroutine set_up()
    integer :: k
    ! The same bounds on all images: those of the image with most layers, and two halos.
    allocate (p(nx, ny, 0:(nz - 3) / images + 2)[*])
    allocate (a(nx, ny, layers, 4), b(nx, ny, layers, 3), c(nx, ny, layers, 3))
    allocate (bnd(nx, ny, layers), wrk1(nx, ny, layers), wrk2(nx, ny, layers))
    a(:, :, :, 1:3) = 1
    a(:, :, :, 4) = 1.0 / 6.0
    b = 0
    c = 1
    bnd = 1
    wrk1 = 0
    wrk2 = 0
    do k = 0, layers + 1
      p(:, :, k) = real((first + k - 2)**2, real32) / real((nz - 1)**2, real32)
    end do
    neighbours = pack([me - 1, me + 1], [me > 1, me < images])
  end subroutine set_up

  real(real64) function jacobi()
    integer :: i, j, k
    real(real32) :: s0, ss
    jacobi = 0
    do k = 1, layers
      do j = 2, ny - 1
        do i = 2, nx - 1
          s0 = a(i, j, k, 1) * p(i + 1, j, k) + a(i, j, k, 2) * p(i, j + 1, k) &
              + a(i, j, k, 3) * p(i, j, k + 1) &
              + b(i, j, k, 1) * (p(i + 1, j + 1, k) - p(i + 1, j - 1, k) &
                                 - p(i - 1, j + 1, k) + p(i - 1, j - 1, k)) &
              + b(i, j, k, 2) * (p(i, j + 1, k + 1) - p(i, j - 1, k + 1) &
                                 - p(i, j + 1, k - 1) + p(i, j - 1, k - 1)) &
              + b(i, j, k, 3) * (p(i + 1, j, k + 1) - p(i - 1, j, k + 1) &
                                 - p(i + 1, j, k - 1) + p(i - 1, j, k - 1)) &
              + c(i, j, k, 1) * p(i - 1, j, k) + c(i, j, k, 2) * p(i, j - 1, k) &
              + c(i, j, k, 3) * p(i, j, k - 1) + wrk1(i, j, k)
          ss = (s0 * a(i, j, k, 4) - p(i, j, k)) * bnd(i, j, k)
          jacobi = jacobi + ss * ss
          wrk2(i, j, k) = p(i, j, k) + omega * ss
        end do
      end do
    end do
    if (size(neighbours) > 0) sync images (neighbours)   ! they have read their halos
    p(2:nx - 1, 2:ny - 1, 1:layers) = wrk2(2:nx - 1, 2:ny - 1, 1:layers)
    if (me > 1) p(:, :, first - first_layer(me - 1) + 1)[me - 1] = p(:, :, 1)
    if (me < images) p(:, :, 0)[me + 1] = p(:, :, layers)
    if (size(neighbours) > 0) sync images (neighbours)
    call co_sum(jacobi)
  end function jacobi
end program himeno_images
