! SPDX-License-Identifier: BSD-3-Clause
!
! How fast is Himeno's pressure equation in OpenSHMEM? The same as himeno.f90 with the module
! shmem for its data and its halo: put-with-signal instead of coindexed assignments and sync images.
! It measures and reports with coarrays.
!
!     caf -O3 -I bench/coarrays bench/coarrays/himeno_shmem.f90 -o himeno_shmem
!     cafrun -n 4 ./himeno_shmem [--quick]
program himeno_shmem
  use shmem
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int64_t, c_loc, c_size_t
  use, intrinsic :: iso_fortran_env, only: int64, output_unit, real32, real64
  implicit none
  include 'reports_variables.inc'
  integer, parameter :: operations = 34
  real(real32), parameter :: omega = 0.8
  real(real32), pointer, contiguous :: p(:, :, :)   ! symmetric memory
  real(real32), allocatable :: a(:, :, :, :), b(:, :, :, :), c(:, :, :, :)
  real(real32), allocatable :: bnd(:, :, :), wrk1(:, :, :), wrk2(:, :, :)
  real(real64) :: residual, before, start, seconds
  real(real64), allocatable :: mflops(:)
  integer :: points, nx, ny, nz, step, sizes, i, k, first, layers, steps
  integer(c_int64_t), save, target :: read_signal = 0, halo_signal = 0
  integer(c_int64_t) :: exchanges = 0
  real(real64), save, target :: total, mine

  call begin()
  sizes = merge(1, merge(2, 3, level == quick), level == tiny)
  do i = 1, sizes
    points = 32 * 2**(i - 1) + 1
    if (points - 2 < images) cycle
    steps = merge(2, 400 / 8**(i - 1) + 4, level == tiny)
    call set_up()
    before = jacobi()
    allocate (mflops(merge(1, merge(7, 15, level == quick), level == tiny)))
    do k = 1, size(mflops)
      sync all
      start = now()
      do step = 1, steps
        residual = jacobi()
      end do
      seconds = now() - start
      mflops(k) = real(operations, real64) * real(points - 2, real64)**3 * steps / seconds / 1e6
    end do
    if (.not. residual < before) error stop 'himeno_shmem: the residual grows'
    call report('himeno', 'points', points, 'MFLOPS', 'higher', mflops)
    sync all
    call shmem_free(c_loc(p))
    deallocate (a, b, c, bnd, wrk1, wrk2, mflops)
  end do
  call finish()

contains

  include 'reports.inc'

  ! Inner layers 2 to nz - 1 are dealt out evenly.
  pure integer function first_layer(image)
    integer, intent(in) :: image
    first_layer = 2 + (image - 1) * ((nz - 2) / images) + min(image - 1, mod(nz - 2, images))
  end function first_layer

  subroutine set_up()
    real(real32), pointer :: block_of(:)
    integer(c_size_t) :: words
    integer :: k
    nx = points
    ny = points
    nz = points
    first = first_layer(me)
    layers = first_layer(me + 1) - first
    ! The same bounds on all images: those of the image with most layers, and two halos.
    words = int(nx, c_size_t) * ny * ((nz - 3) / images + 3)
    call c_f_pointer(shmem_malloc(4 * words), block_of, [words])
    p(1:nx, 1:ny, 0:(nz - 3) / images + 2) => block_of
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
    call shmem_barrier_all()
  end subroutine set_up

  ! The new pressures are in wrk2. An argument, because the compiler expects more of pointers.
  real(real64) function relax(p)
    real(real32), intent(in), contiguous :: p(:, :, 0:)
    integer :: i, j, k
    real(real32) :: s0, ss
    relax = 0
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
          relax = relax + ss * ss
          wrk2(i, j, k) = p(i, j, k) + omega * ss
        end do
      end do
    end do
  end function relax

  real(real64) function jacobi()
    integer :: i
    jacobi = relax(p)
    exchanges = exchanges + 1
    if (me > 1) call shmem_signal_add(read_signal, 1_c_int64_t, me - 2)
    if (me < images) call shmem_signal_add(read_signal, 1_c_int64_t, me)
    call wait_for(read_signal)   ! the neighbours have read their halos
    p(2:nx - 1, 2:ny - 1, 1:layers) = wrk2(2:nx - 1, 2:ny - 1, 1:layers)
    if (me > 1) call shmem_put_signal(p(:, :, first - first_layer(me - 1) + 1), p(:, :, 1), &
        nx * ny, halo_signal, 1_c_int64_t, SHMEM_SIGNAL_OP_ADD, me - 2)
    if (me < images) call shmem_put_signal(p(:, :, 0), p(:, :, layers), nx * ny, halo_signal, &
        1_c_int64_t, SHMEM_SIGNAL_OP_ADD, me)
    call wait_for(halo_signal)
    mine = jacobi
    i = shmem_sum_reduce(SHMEM_TEAM_WORLD, total, mine, 1)
    jacobi = total
  end function jacobi

  ! Until all neighbours have added to the signal in all exchanges.
  subroutine wait_for(signal)
    integer(c_int64_t), intent(inout), target :: signal
    integer(c_int64_t) :: found
    found = shmem_signal_wait_until(signal, SHMEM_CMP_GE, &
        exchanges * merge(1, 0, me > 1) + exchanges * merge(1, 0, me < images))
  end subroutine wait_for
end program himeno_shmem
