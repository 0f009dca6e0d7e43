! SPDX-License-Identifier: BSD-3-Clause
!
! What does each procedure of PRIF cost? The rows of coarrays/statements.f90 by calls of PRIF, for
! any library that has its module.
!
!     prifc -O2 bench/prif/prif_statements.f90 -o prif_statements
!     oshrun -n 2 ./prif_statements [--quick]
!
! Images 1 to n/2 are paired with the others. Transfers and locks go from the first image of a pair
! to the second one, while the others wait. Times are those of image 1, of one call.
program prif_statements
  use iso_c_binding
  use iso_fortran_env, only: int64, output_unit, real64
  use prif
  implicit none
  integer(c_size_t), parameter :: side = 128, most = 1048576, word = 8, none = 0
  type(prif_coarray_handle) :: line, counts, locks
  type(c_ptr) :: line_memory, counts_memory, locks_memory
  integer(c_int64_t), allocatable, target :: local(:)
  integer(c_int64_t), pointer :: elements(:)
  integer(c_int) :: me, images, partner, stat
  integer(c_size_t) :: bytes
  integer(c_intptr_t) :: address
  logical :: is_first, is_quick
  character(len=20) :: option

  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=me)
  call prif_num_images(images)
  call get_command_argument(1, option)
  is_quick = option == "--quick"
  call make(most, line, line_memory)
  call make(8192_c_size_t, counts, counts_memory)
  call make(1024_c_size_t, locks, locks_memory)
  allocate (local(most / word), source=1_c_int64_t)
  is_first = me <= images / 2
  partner = me
  if (me <= images / 2 * 2 .and. images > 1) &
      partner = merge(me + images / 2, me - images / 2, is_first)
  ! The address of the line on the partner.
  call prif_put(partner, counts, 512 * word, addresses_of(line_memory), word)
  call prif_sync_all()
  call c_f_pointer(counts_memory, elements, [1024])
  address = int(elements(513), c_intptr_t)

  bytes = 8
  do while (bytes <= most)
    call measure("put", "bytes", int(bytes))
    call measure("get", "bytes", int(bytes))
    bytes = bytes * 8
  end do
  call measure("put_indirect", "bytes", 8)
  call measure("get_indirect", "bytes", 8)
  call measure("put_with_stat", "bytes", 8)
  call measure("put_row", "elements", int(side))
  call measure("get_row", "elements", int(side))
  call measure("put_notify_round_trip", "images", 2)
  call measure("event_round_trip", "images", 2)
  call measure("sync_all", "images", images)
  call measure("sync_images", "images", 2)
  call measure("lock_unlock", "images", 2)
  call measure("critical", "images", images)
  call measure("atomic_add", "bytes", 8)
  call measure("atomic_fetch_add", "bytes", 8)
  call measure("co_sum", "elements", 1)
  call measure("co_sum", "elements", 1024)
  call measure("co_broadcast", "elements", 1)
  call measure("co_broadcast", "elements", 1024)
  call measure("allocate_deallocate", "bytes", 8192)
  call prif_sync_all()
  if (me == 1) print "(a)", "@ end"
  call prif_stop(.true._c_bool)

contains

  subroutine make(bytes, handle, memory)
    integer(c_size_t), intent(in) :: bytes
    type(prif_coarray_handle), intent(out) :: handle
    type(c_ptr), intent(out) :: memory
    procedure(prif_coarray_cleanup_interface), pointer :: no_procedure
    integer(c_int64_t), pointer :: zeros(:)

    no_procedure => null()
    call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], bytes, no_procedure, &
        handle, memory)
    call c_f_pointer(memory, zeros, [bytes / word])
    zeros = 0
    call prif_sync_all()
  end subroutine

  ! Where an address lies, for a put.
  type(c_ptr) function addresses_of(memory)
    type(c_ptr), intent(in) :: memory

    local(1) = transfer(memory, local(1))
    addresses_of = c_loc(local)
  end function

  ! The number of repetitions is such that a sample takes some time; image 1 chooses it.
  subroutine measure(name, xname, x)
    character(len=*), intent(in) :: name, xname
    integer, intent(in) :: x
    real(real64) :: times(merge(9, 25, is_quick)), seconds
    integer :: n, i

    n = 1
    do
      seconds = min(time_of(name, x, n), time_of(name, x, n))
      if (seconds >= merge(1d-3, 5d-3, is_quick) .or. n >= 100000000) exit
      n = n * 4
    end do
    do i = 1, size(times)
      times(i) = time_of(name, x, n) / n * 1d9
    end do
    if (me /= 1) return
    call sort(times)
    print "(3a, i0, 3a, i0, a, 3(a, g0.7), a, i0)", "@ measure=prif_", name, " x=", x, " xname=", &
        xname, " npes=", images, " unit=ns better=lower", " median=", times(size(times) / 2 + 1), &
        " q1=", times(size(times) / 4 + 1), " q3=", times(size(times) * 3 / 4 + 1), &
        " samples=", size(times)
    flush (output_unit)
  end subroutine

  subroutine sort(values)
    real(real64), intent(inout) :: values(:)
    integer :: i, j

    do i = 1, size(values) - 1
      j = i - 1 + minloc(values(i:), 1)
      values([i, j]) = values([j, i])
    end do
  end subroutine

  ! The time that image 1 needs, the same on all images.
  real(real64) function time_of(name, x, n)
    character(len=*), intent(in) :: name
    integer, intent(in) :: x, n
    integer(int64) :: start, now, rate

    call prif_sync_all()
    call system_clock(start, rate)
    call sample(name, x, n)
    call system_clock(now)
    time_of = real(now - start, real64) / real(rate, real64)
    call prif_co_broadcast(time_of, 1)
  end function

  subroutine sample(name, x, n)
    character(len=*), intent(in) :: name
    integer, intent(in) :: x, n

    select case (name)
    case ("put_notify_round_trip", "event_round_trip")
      if (images > 1) call exchange(name, n)
    case ("sync_all", "sync_images", "critical", "co_sum", "co_broadcast", "allocate_deallocate")
      call synchronize(name, x, n)
    case default
      if (is_first .or. images == 1) call use_alone(name, x, n)
    end select
  end subroutine

  subroutine use_alone(name, x, n)
    character(len=*), intent(in) :: name
    integer, intent(in) :: x, n
    integer(c_size_t) :: size_of
    integer(c_int64_t) :: old
    integer :: i

    size_of = int(x, c_size_t)
    select case (name)
    case ("put")
      do i = 1, n
        call prif_put(partner, line, none, c_loc(local), size_of)
      end do
    case ("get")
      do i = 1, n
        call prif_get(partner, line, none, c_loc(local), size_of)
      end do
    case ("put_indirect")
      do i = 1, n
        call prif_put_indirect(partner, address, c_loc(local), size_of)
      end do
    case ("get_indirect")
      do i = 1, n
        call prif_get_indirect(partner, address, c_loc(local), size_of)
      end do
    case ("put_with_stat")
      do i = 1, n
        call prif_put(partner, line, none, c_loc(local), size_of, stat)
      end do
    case ("put_row")
      do i = 1, n
        call prif_put_strided(partner, line, none, [8 * side], c_loc(local), [8 * side], word, &
            [size_of])
      end do
    case ("get_row")
      do i = 1, n
        call prif_get_strided(partner, line, none, [8 * side], c_loc(local), [8 * side], word, &
            [size_of])
      end do
    case ("lock_unlock")
      do i = 1, n
        call prif_lock(partner, locks, none)
        call prif_unlock(partner, locks, none)
      end do
    case ("atomic_add")
      do i = 1, n
        call prif_atomic_add(partner, counts, none, 1_c_int64_t)
      end do
    case ("atomic_fetch_add")
      do i = 1, n
        call prif_atomic_fetch_add(partner, counts, none, 1_c_int64_t, old)
      end do
    end select
  end subroutine

  ! To the partner and back.
  subroutine exchange(name, n)
    character(len=*), intent(in) :: name
    integer, intent(in) :: n
    integer :: i

    if (partner == me) return
    do i = 1, n
      if (.not. is_first) call await(name)
      if (name == "event_round_trip") then
        call prif_event_post(partner, counts, 16_c_size_t)
      else
        call prif_put_with_notify(partner, line, none, c_loc(local), word, counts, 16_c_size_t)
      end if
      if (is_first) call await(name)
    end do
  end subroutine

  subroutine await(name)
    character(len=*), intent(in) :: name

    if (name == "event_round_trip") then
      call prif_event_wait(c_loc(elements(3)))
    else
      call prif_notify_wait(c_loc(elements(3)))
    end if
  end subroutine

  ! What all images do together.
  subroutine synchronize(name, x, n)
    character(len=*), intent(in) :: name
    integer, intent(in) :: x, n
    real(real64) :: sums(1024)
    type(prif_coarray_handle) :: block
    type(c_ptr) :: memory
    procedure(prif_coarray_cleanup_interface), pointer :: no_procedure
    integer :: i

    no_procedure => null()
    sums = 0
    do i = 1, n
      select case (name)
      case ("sync_all")
        call prif_sync_all()
      case ("sync_images")
        call prif_sync_images([partner])
      case ("critical")
        call prif_critical(locks)
        call prif_end_critical(locks)
      case ("co_sum")
        call prif_co_sum(sums(1:x))
      case ("co_broadcast")
        call prif_co_broadcast(sums(1:x), 1)
      case ("allocate_deallocate")
        call prif_allocate_coarray([1_c_int64_t], [integer(c_int64_t) ::], int(x, c_size_t), &
            no_procedure, block, memory)
        call prif_deallocate_coarray(block)
      end select
    end do
  end subroutine

end program
