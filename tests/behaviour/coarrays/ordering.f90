! SPDX-License-Identifier: BSD-3-Clause
!
! Program order. Accesses of an image to the memory of another one happen in the order of its
! statements, without image control between them: it sees what it has put, and of two puts to the
! same variable the second one stays. Shapes differ, because they go different ways between nodes.
program ordering
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  use checks
  implicit none
  integer, parameter :: side = 24, rounds = 12
  integer :: word[*], square(side, side)[*], large(20000)[*]
  integer(atomic_int_kind) :: counter[*]
  integer :: me, n, other, k, got, i
  integer :: mine(side, side), seen(side, side), much(20000), back(20000)
  integer :: places(side)
  me = this_image()
  n = num_images()
  other = mod(me, n) + 1
  places = [(side + 1 - i, i=1, side)]
  word = 0
  square = 0
  large = 0
  counter = 0
  sync all
  do k = 1, rounds
    call words()
    call sections()
    call atomics()
    call lengths()
  end do
  sync all
  call check_equal(word, 3 * rounds, 'the last put of a word')
  call check(all(square == 5 * rounds), 'the last put of a section')
  call check(all(large == 7 * rounds), 'the last put of many words')
  call passed()

contains

  subroutine words()
    word[other] = k
    got = word[other]
    call check_equal(got, k, 'get behind put')
    word[other] = 2 * k
    word[other] = 3 * k
    got = word[other]
    call check_equal(got, 3 * k, 'get behind two puts')
    got = -1
    got = word[other]
    word[other] = -k
    call check_equal(got, 3 * k, 'get before put')
    word[other] = 3 * k
  end subroutine words

  subroutine sections()
    mine = k
    square(:, :)[other] = mine
    square(1:side:2, 1:side:3)[other] = 2 * mine(1:side:2, 1:side:3)
    seen = square(:, :)[other]
    call check_equal(sum(seen), k * side * side + k * (side / 2) * (side / 3), 'step behind block')
    square(places, 2)[other] = 3 * mine(:, 1)
    seen(:, 2) = square(:, 2)[other]
    call check(all(seen(:, 2) == 3 * k), 'block behind vector')
    square(4, :)[other] = 4 * mine(1, :)
    got = square(4, 2)[other]
    call check_equal(got, 4 * k, 'element behind row')
    square(4, 2)[other] = 9 * k
    seen(4, :) = square(4, :)[other]
    call check_equal(seen(4, 2), 9 * k, 'row behind element')
    square(:, :)[other] = 5 * mine
    seen = square(places, places)[other]
    call check(all(seen == 5 * k), 'vectors behind block')
  end subroutine sections

  subroutine atomics()
    counter[other] = 10 * k
    call atomic_add(counter[other], 1)
    got = counter[other]
    call check_equal(got, 10 * k + 1, 'get behind atomic_add behind put')
    call atomic_define(counter[other], k)
    counter[other] = 8 * k
    call atomic_fetch_add(counter[other], 1, got)
    call check_equal(got, 8 * k, 'atomic_fetch_add behind put behind atomic_define')
  end subroutine atomics

  subroutine lengths()
    much = k
    large(:)[other] = much
    much = 7 * k  ! the statement before is done with it
    large(10000)[other] = -k
    back(10000:10001) = large(10000:10001)[other]
    call check_equal(back(10000:10001), [-k, k], 'a few words behind many')
    large(:)[other] = much
    back = large(:)[other]
    call check(all(back == 7 * k), 'many words behind one')
  end subroutine lengths
end program ordering
