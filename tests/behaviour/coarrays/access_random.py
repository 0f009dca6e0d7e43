#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the coarray program access_random.f90: random sections of five arrays, got, put, and
copied from image to image. A statement has fixed kinds of subscripts, so one is written for each
combination of scalars, ranges and vectors; the program draws the combination and the bounds.

    access_random.py OUTPUT.f90
"""
import itertools
import sys

# Name, element type, lower bounds, whether vector subscripts compile (gfortran 12 crashes on
# those of fixed arrays behind a component).
ARRAYS = [
    ("a", "integer(int32)", (-2, 3, 0), True),
    ("d", "real(real64)", (0, -4, 2), True),
    ("x%c", "real(real32)", (1, 0, -3), True),
    ("x%m", "integer(int64)", (5, 1, 1), False),
    ("w(2, 1)%c", "integer(int16)", (-1, 1, 7), True),
]
EXTENTS = (12, 10, 8)
SCALAR, RANGE, VECTOR = range(3)

HEAD = """! SPDX-License-Identifier: BSD-3-Clause
!
! Written by access_random.py.
program access_random
  use, intrinsic :: iso_fortran_env, only: int16, int32, int64, real32, real64
  use checks
  implicit none
  integer, parameter :: extents(3) = [12, 10, 8], cases = 5000
  integer, parameter :: lower(3, 5) = reshape([{lowers}], [3, 5])
  type :: parts
    real(real32), allocatable :: c(:, :, :)
    integer(int64) :: m(5:16, 1:10, 1:8)
  end type parts
  type :: other
    integer(int16), allocatable :: c(:, :, :)
  end type other
  ! One dimension of a section: the positions from 1 on, and how the statement says it.
  type :: selection
    integer :: n, l, u, s, p(12), v(12)
  end type selection
  integer(int32) :: a(-2:9, 3:12, 0:7)[*]
  real(real64), allocatable :: d(:, :, :)[:]
  type(parts) :: x[*]
  type(other), allocatable :: w(:, :)[:]
  integer :: seed[*], t(12, 10, 8), original(12, 10, 8, 5), expected(12, 10, 8)
  integer :: me, images, round, array, source, shift, image, form, count
  integer(int64) :: state
  type(selection) :: q(3), z(3)
  character(20) :: argument

  me = this_image()
  images = num_images()
  if (me == 1) then
    call get_environment_variable('ACCESS_SEED', argument)
    if (argument /= '') then
      read (argument, *) seed
    else
      call system_clock(seed)
      seed = mod(abs(seed), 1000000)
    end if
    print '(a,i0)', 'ACCESS_SEED=', seed
  end if
  allocate (d(0:11, -4:5, 2:9)[*])
  allocate (x%c(1:12, 0:9, -3:4))
  allocate (w(3, 0:1)[*])
  allocate (w(2, 1)%c(-1:10, 1:10, 7:14))
  sync all
  seed = seed[1]
  do array = 1, 5
    original(:, :, :, array) = contents(me, array)
    call restore(array)
  end do
  sync all
  count = 0
  round = 0
  do while (count < cases)
    round = round + 1
    call start(me, round)
    do array = 1, 5
      image = 1 + draw(images)
      call select_section(array, .false., .false., q, form)
      t = -1
      call get(array, form, image)
      expected = contents(image, array)
      call check_values(t(1:q(1)%n, 1:q(2)%n, 1:q(3)%n), &
        expected(q(1)%p(1:q(1)%n), q(2)%p(1:q(2)%n), q(3)%p(1:q(3)%n)), 'get')
    end do
    sync all
    shift = mod(round, images)
    image = 1 + mod(me - 1 + shift, images)
    call start(me, -round)
    do array = 1, 5
      call select_section(array, .true., .false., q, form)
      call fill(me, array)
      call put(array, form, image)
    end do
    sync all
    image = 1 + mod(me - 1 - shift + images, images)
    call start(image, -round)
    do array = 1, 5
      call select_section(array, .true., .false., q, form)
      call fill(image, array)
      expected = original(:, :, :, array)
      expected(q(1)%p(1:q(1)%n), q(2)%p(1:q(2)%n), q(3)%p(1:q(3)%n)) = &
        t(1:q(1)%n, 1:q(2)%n, 1:q(3)%n)
      call check_values(now(array), expected, 'put')
      call restore(array)
    end do
    sync all
    ! From one image to another: targets are arrays 1, 3 and 5; sources 2 and 4, 4 only for
    ! components, because gfortran 12 takes a wrong address for them otherwise.
    image = 1 + mod(me - 1 + shift, images)
    call start(me, round + 1000000)
    do array = 1, 5, 2
      call select_section(array, .true., .true., q, form)
      source = merge(2 + 2 * mod(round, 2), 4, array == 1)
      call select_like(q, source, z)
      call copy(array, source, image, 1 + draw(images))
    end do
    sync all
    image = 1 + mod(me - 1 - shift + images, images)
    call start(image, round + 1000000)
    do array = 1, 5, 2
      call select_section(array, .true., .true., q, form)
      source = merge(2 + 2 * mod(round, 2), 4, array == 1)
      call select_like(q, source, z)
      expected = contents(1 + draw(images), source)
      t(1:q(1)%n, 1:q(2)%n, 1:q(3)%n) = &
        expected(z(1)%p(1:z(1)%n), z(2)%p(1:z(2)%n), z(3)%p(1:z(3)%n))
      expected = original(:, :, :, array)
      expected(q(1)%p(1:q(1)%n), q(2)%p(1:q(2)%n), q(3)%p(1:q(3)%n)) = &
        t(1:q(1)%n, 1:q(2)%n, 1:q(3)%n)
      call check_values(now(array), expected, 'copy')
      call restore(array)
    end do
    count = count + 13 * images
    sync all
  end do
  call passed()

contains

  ! Random numbers that every image can draw for every other one (Park and Miller 1988).
  subroutine start(image, round)
    integer, intent(in) :: image, round
    integer :: i, unused
    state = mod(abs(int(seed, int64) * 7919 + image * 104729_int64 + round * 15485863_int64), &
      2147483646_int64) + 1
    do i = 1, 5
      unused = draw(2)
    end do
  end subroutine start

  integer function draw(limit)
    integer, intent(in) :: limit
    state = mod(state * 48271, 2147483647_int64)
    draw = int(mod(state / 8, int(limit, int64)))
  end function draw

  function contents(image, array) result(values)
    integer, intent(in) :: image, array
    integer :: values(12, 10, 8), i
    values = reshape([(mod(i * 7 + image * 131 + array * 1009, 8191), i=1, size(values))], extents)
  end function contents

  subroutine fill(image, array)
    integer, intent(in) :: image, array
    integer :: i
    t = reshape([(-mod(i * 3 + image * 17 + array * 101 + round, 8000), i=1, size(t))], extents)
  end subroutine fill

  ! A random section: each dimension has one subscript (0), a range (1) or a vector (2). A section
  ! that is written to has no element twice.
  subroutine select_section(array, is_written, has_ranges_only, section, form)
    integer, intent(in) :: array
    logical, intent(in) :: is_written, has_ranges_only
    type(selection), intent(out) :: section(3)
    integer, intent(out) :: form
    integer :: dim, i, j, k, kind, e, temporary, order(12)
    form = 0
    do dim = 1, 3
      e = extents(dim)
      kind = merge(2, 3, array == 4)
      kind = draw(kind)
      if (has_ranges_only) kind = 1
      form = 3 * form + kind
      associate (s => section(dim))
        s%p = 1
        s%v = 0
        s%s = 1
        select case (kind)
        case (0)
          s%n = 1
          s%l = 1 + draw(e)
          s%u = s%l
          s%p(1) = s%l
        case (1)
          s%l = 1 + draw(e)
          s%u = 1 + draw(e)
          s%s = 1 + draw(4)
          ! One in 8 ranges is empty.
          if (draw(8) /= 0 .neqv. s%u > s%l) s%s = -s%s
          if (draw(8) == 0) then
            s%l = 1
            s%u = e
            s%s = 1
          end if
          s%n = max(0, (s%u - s%l + s%s) / s%s)
          s%p(1:s%n) = [(s%l + (i - 1) * s%s, i=1, s%n)]
        case (2)
          s%n = 1 + draw(e)
          order = [(i, i=1, 12)]
          do i = 1, s%n
            j = i + draw(e - i + 1)
            temporary = order(i)
            order(i) = order(j)
            order(j) = temporary
          end do
          s%p(1:s%n) = order(1:s%n)
          if (.not. is_written) then
            k = 1 + draw(s%n)
            s%p(k) = s%p(1)
          end if
        end select
        s%l = s%l + lower(dim, array) - 1
        s%u = s%u + lower(dim, array) - 1
        s%v(1:s%n) = s%p(1:s%n) + lower(dim, array) - 1
      end associate
    end do
  end subroutine select_section

  ! Ranges with the numbers of elements of another section.
  subroutine select_like(like, array, section)
    type(selection), intent(in) :: like(3)
    integer, intent(in) :: array
    type(selection), intent(out) :: section(3)
    integer :: dim, i, room
    do dim = 1, 3
      associate (s => section(dim))
        s%n = like(dim)%n
        room = (extents(dim) - 1) / max(1, s%n - 1)
        s%s = 1 + draw(min(3, room))
        s%p = 1
        i = 1 + draw(extents(dim) - max(0, s%n - 1) * s%s)
        s%l = i
        s%u = i + (s%n - 1) * s%s
        if (draw(2) == 0) then
          i = s%l
          s%l = s%u
          s%u = i
          s%s = -s%s
          if (s%n == 0) then
            s%l = 1
            s%u = 2
          end if
        end if
        s%p(1:s%n) = [(s%l + (i - 1) * s%s, i=1, s%n)]
        s%l = s%l + lower(dim, array) - 1
        s%u = s%u + lower(dim, array) - 1
      end associate
    end do
  end subroutine select_like

  subroutine check_values(actual, wanted, action)
    integer, intent(in) :: actual(:, :, :), wanted(:, :, :)
    character(*), intent(in) :: action
    character(100) :: text
    if (all(actual == wanted)) return
    write (text, '(2a,i0,a,3i0,a,i0)') action, ' of array ', array, ', form ', form / 9, &
      mod(form / 3, 3), mod(form, 3), ', round ', round
    call check(.false., trim(text))
  end subroutine check_values
"""


def subscript(kind, dim, name="q"):
    part = f"{name}({dim})%"
    if kind == SCALAR:
        return part + "l"
    if kind == RANGE:
        return f"{part}l:{part}u:{part}s"
    return f"{part}v(1:{part}n)"


def local(form):
    return "t(" + ", ".join("1" if kind == SCALAR else f"1:q({dim})%n"
                            for dim, kind in enumerate(form, 1)) + ")"


def statements(routine, write_statement):
    lines = [f"  subroutine {routine}(array, form, image)",
             "    integer, intent(in) :: array, form, image",
             "    select case (27 * array + form)"]
    for array, (name, _, _, has_vectors) in enumerate(ARRAYS, 1):
        for form in itertools.product(range(3), repeat=3):
            if VECTOR in form and not has_vectors:
                continue
            number = 27 * array + 9 * form[0] + 3 * form[1] + form[2]
            selected = ", ".join(subscript(kind, dim) for dim, kind in enumerate(form, 1))
            base, _, component = name.partition("%")
            remote = (f"{base}[image]%{component}({selected})" if component
                      else f"{base}({selected})[image]")
            lines += [f"    case ({number})", "      " + write_statement(remote, local(form))]
    return lines + ["    end select", f"  end subroutine {routine}", ""]


def copies():
    lines = ["  subroutine copy(array, source, image, from)",
             "    integer, intent(in) :: array, source, image, from",
             "    select case (10 * array + source)"]

    def remote(array, name, image):
        selected = ", ".join(subscript(RANGE, dim, name) for dim in (1, 2, 3))
        base, _, component = ARRAYS[array - 1][0].partition("%")
        return (f"{base}[{image}]%{component}({selected})" if component
                else f"{base}({selected})[{image}]")

    for target, sources in ((1, (2, 4)), (3, (4,)), (5, (4,))):
        for source in sources:
            lines += [f"    case ({10 * target + source})",
                      f"      {remote(target, 'q', 'image')} = {remote(source, 'z', 'from')}"]
    return lines + ["    end select", "  end subroutine copy", ""]


def whole_arrays():
    lines = ["  subroutine restore(array)", "    integer, intent(in) :: array",
             "    select case (array)"]
    for array, (name, kind, _, _) in enumerate(ARRAYS, 1):
        lines += [f"    case ({array})", f"      {name}(:, :, :) = original(:, :, :, {array})"]
    lines += ["    end select", "  end subroutine restore", "",
              "  function now(array) result(values)", "    integer, intent(in) :: array",
              "    integer :: values(12, 10, 8)", "    select case (array)"]
    for array, (name, _, _, _) in enumerate(ARRAYS, 1):
        lines += [f"    case ({array})", f"      values = int({name}(:, :, :))"]
    return lines + ["    end select", "  end function now", ""]


def main():
    lowers = ", ".join(str(bound) for _, _, bounds, _ in ARRAYS for bound in bounds)
    lines = [HEAD.replace("{lowers}", lowers)]
    lines += statements("get", lambda remote, here: f"{here} = {remote}")
    lines += statements("put", lambda remote, here: f"{remote} = {here}")
    lines += copies() + whole_arrays() + ["end program access_random", ""]
    with open(sys.argv[1], "w", encoding="utf-8") as output:
        output.write("\n".join(lines))


if __name__ == "__main__":
    main()
