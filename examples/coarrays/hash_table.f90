! SPDX-License-Identifier: BSD-3-Clause
!
! hash_table: a table of counters that is spread over the images, with a lock on each image.
!
!     caf -O2 hash_table.f90 -o hash_table
!     cafrun -n 4 ./hash_table [UPDATES]                    (1000 for each image)
!
! Every image counts pseudorandom keys. The key says on which image, and in which slots, its counter
! may be. An image locks the table of that image, looks for the key or the next free slot, and adds
! one. In the end the counters must add up to the number of updates, and each key must occur once.
program hash_table
  use, intrinsic :: iso_fortran_env, only: int64, lock_type
  implicit none
  type slot
    integer(int64) :: key = 0   ! 0: free
    integer(int64) :: count = 0
  end type slot
  type(slot), allocatable :: table(:)[:]
  type(lock_type) :: guard[*]
  integer :: updates, slots, i
  integer(int64) :: state, key, total

  updates = 1000
  if (command_argument_count() > 0) then
    block
      character(20) :: text
      call get_command_argument(1, text)
      read (text, *) updates
    end block
  end if
  slots = 2 * updates + 16
  allocate (table(slots)[*])
  sync all

  state = this_image()
  do i = 1, updates
    state = mod(state * 48271_int64, 2147483647_int64)
    key = 1 + mod(state, int(updates, int64))
    call count_key(key)
  end do
  sync all

  total = sum(table%count)
  call co_sum(total)
  if (total /= int(updates, int64) * num_images()) error stop 'hash_table: updates were lost'
  call check_own_table()
  if (this_image() == 1) print '(a,i0,a)', 'All ', total, ' updates are in the table'

contains

  pure integer function owner(key)
    integer(int64), intent(in) :: key
    owner = 1 + int(mod(key, int(num_images(), int64)))
  end function owner

  subroutine count_key(key)
    integer(int64), intent(in) :: key
    integer(int64) :: found
    integer :: image, i
    image = owner(key)
    i = 1 + int(mod(key * 31, int(slots, int64)))
    lock (guard[image])
    do
      found = table(i)[image]%key
      if (found == key .or. found == 0) exit
      i = mod(i, slots) + 1
    end do
    if (found == 0) table(i)[image]%key = key
    table(i)[image]%count = table(i)[image]%count + 1
    unlock (guard[image])
  end subroutine count_key

  subroutine check_own_table()
    integer :: i
    do i = 1, slots
      if (table(i)%key == 0) cycle
      if (owner(table(i)%key) /= this_image()) error stop 'hash_table: a key on a wrong image'
      if (count(table%key == table(i)%key) /= 1) error stop 'hash_table: a key occurs twice'
    end do
  end subroutine check_own_table
end program hash_table
