! SPDX-License-Identifier: BSD-3-Clause
!
! What does each statement of coarray Fortran cost? Standard Fortran 2018, for any library.
!
!     caf -O2 -I bench/coarrays bench/coarrays/statements.f90 -o statements
!     cafrun -n 2 ./statements [--quick]
!
! Images 1 to n/2 are paired with the others, and all pairs work at the same time. Transfers go from
! the first image of a pair to the second one. Times are those of image 1, of one statement.
program statements
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, int64, lock_type, &
      output_unit, real64
  implicit none
  include 'reports_variables.inc'
  integer, parameter :: side = 128, most = 1048576 / 8
  real(real64), allocatable :: line(:)[:], square(:, :)[:]
  real(real64), allocatable :: mine(:, :), local(:)
  integer :: word[*], partner
  real(real64) :: agreed[*]   ! of measures.inc
  integer(atomic_int_kind) :: counter[*]
  type(lock_type) :: guard[*]
  type(event_type) :: arrived[*]
  logical :: is_first, is_paired
  real(real64) :: sums(1024)
  integer :: bytes

  call begin()
  allocate (line(most)[*], square(side, side)[*])
  allocate (mine(side, side), local(most))
  line = me
  square = me
  mine = -me
  local = -me
  sums = 0
  word = me
  counter = 0
  ! Pairs: 1 and 1 + n/2 and so on. An odd image stays alone, with itself.
  is_first = me <= images / 2
  is_paired = me <= images / 2 * 2 .and. images > 1
  partner = me
  if (is_paired) partner = merge(me + images / 2, me - images / 2, is_first)
  sync all

  call measure('put_word', 'bytes', 4)
  call measure('get_word', 'bytes', 4)
  bytes = 64
  do while (bytes <= most * 8)
    call measure('put', 'bytes', bytes)
    call measure('get', 'bytes', bytes)
    bytes = bytes * merge(128, 4, level == tiny)
  end do
  call check()

  ! Strided: elements of a row (the stride is a column), every second element of both dimensions,
  ! a block. `naive` is the same as put_step_2, one element in each statement.
  call measure('put_row', 'elements', side)
  call measure('get_row', 'elements', side)
  call measure('put_step_2', 'elements', 64 * 64)
  call measure('get_step_2', 'elements', 64 * 64)
  call measure('naive_step_2', 'elements', 64 * 64)
  call measure('put_block', 'elements', 64 * 64)
  call measure('get_block', 'elements', 64 * 64)

  call measure('sync_all', 'images', images)
  call measure('sync_images', 'images', 2)
  call measure('event_round_trip', 'images', 2)
  call measure('lock_unlock', 'images', 2)
  call measure('lock_contended', 'images', images)
  call measure('critical', 'images', images)
  call measure('atomic_add', 'bytes', 4)
  call measure('atomic_fetch_add', 'bytes', 4)
  call measure('co_sum', 'elements', 1)
  call measure('co_sum', 'elements', 1024)
  call measure('co_broadcast', 'elements', 1)
  call measure('co_broadcast', 'elements', 1024)
  call measure('allocate_deallocate', 'bytes', 8192)
  call finish()

contains

  include 'reports.inc'
  include 'measures.inc'

  subroutine sample(name, x, n)
    character(*), intent(in) :: name
    integer, intent(in) :: x, n
    select case (name)
    case ('put_word', 'get_word', 'put', 'get')
      if (is_first .or. images == 1) call transfer(name, x, n)
    case ('put_row', 'get_row', 'put_step_2', 'get_step_2', 'naive_step_2', 'put_block', &
          'get_block')
      if (is_first .or. images == 1) call transfer_section(name, n)
    case ('lock_unlock', 'atomic_add', 'atomic_fetch_add')
      if (is_first .or. images == 1) call use_alone(name, n)
    case default
      call synchronize(name, x, n)
    end select
  end subroutine sample

  subroutine transfer(name, x, n)
    character(*), intent(in) :: name
    integer, intent(in) :: x, n
    integer :: i, count
    count = x / 8
    select case (name)
    case ('put_word')
      do i = 1, n
        word[partner] = i
      end do
    case ('get_word')
      do i = 1, n
        bytes = word[partner]
      end do
      bytes = 64
    case ('put')
      do i = 1, n
        line(1:count)[partner] = local(1:count)
      end do
    case ('get')
      do i = 1, n
        local(1:count) = line(1:count)[partner]
      end do
      local(1:count) = -me
    end select
  end subroutine transfer

  subroutine transfer_section(name, n)
    character(*), intent(in) :: name
    integer, intent(in) :: n
    integer :: i, j, k
    select case (name)
    case ('put_row')
      do i = 1, n
        square(3, :)[partner] = mine(3, :)
      end do
    case ('get_row')
      do i = 1, n
        mine(3, :) = square(3, :)[partner]
      end do
    case ('put_step_2')
      do i = 1, n
        square(1:side:2, 1:side:2)[partner] = mine(1:side:2, 1:side:2)
      end do
    case ('get_step_2')
      do i = 1, n
        mine(1:side:2, 1:side:2) = square(1:side:2, 1:side:2)[partner]
      end do
    case ('naive_step_2')
      do i = 1, n
        do k = 1, side, 2
          do j = 1, side, 2
            square(j, k)[partner] = mine(j, k)
          end do
        end do
      end do
    case ('put_block')
      do i = 1, n
        square(1:64, 1:64)[partner] = mine(1:64, 1:64)
      end do
    case ('get_block')
      do i = 1, n
        mine(1:64, 1:64) = square(1:64, 1:64)[partner]
      end do
    end select
  end subroutine transfer_section

  ! What one image of a pair does to the other one.
  subroutine use_alone(name, n)
    character(*), intent(in) :: name
    integer, intent(in) :: n
    integer(atomic_int_kind) :: old
    integer :: i
    select case (name)
    case ('lock_unlock')
      do i = 1, n
        lock (guard[partner])
        unlock (guard[partner])
      end do
    case ('atomic_add')
      do i = 1, n
        call atomic_add(counter[partner], 1)
      end do
    case ('atomic_fetch_add')
      do i = 1, n
        call atomic_fetch_add(counter[partner], 1, old)
      end do
    end select
  end subroutine use_alone

  ! What all images do together.
  subroutine synchronize(name, x, n)
    character(*), intent(in) :: name
    integer, intent(in) :: x, n
    real(real64), allocatable :: block_of(:)[:]
    integer :: i
    select case (name)
    case ('sync_all')
      do i = 1, n
        sync all
      end do
    case ('sync_images')
      if (.not. is_paired) return
      do i = 1, n
        sync images (partner)
      end do
    case ('event_round_trip')
      if (.not. is_paired) return
      do i = 1, n
        if (is_first) event post (arrived[partner])
        event wait (arrived)
        if (.not. is_first) event post (arrived[partner])
      end do
    case ('lock_contended')
      do i = 1, n
        lock (guard[1])
        unlock (guard[1])
      end do
    case ('critical')
      do i = 1, n
        critical
        end critical
      end do
    case ('co_sum')
      do i = 1, n
        call co_sum(sums(1:x))
      end do
    case ('co_broadcast')
      do i = 1, n
        call co_broadcast(sums(1:x), 1)
      end do
    case ('allocate_deallocate')
      do i = 1, n
        allocate (block_of(x / 8)[*])
        deallocate (block_of)
      end do
    end select
  end subroutine synchronize

  ! The puts of whole lines have arrived.
  subroutine check()
    sync all
    if (is_paired .and. .not. is_first) then
      if (line(1) /= -partner) error stop 'statements: a put did not arrive'
    end if
    sync all
  end subroutine check
end program statements
