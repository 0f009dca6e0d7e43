! SPDX-License-Identifier: BSD-3-Clause
!
! Cobounds and cosubscripts.
submodule(prif:prif_core) prif_cobounds
  implicit none

contains

  module procedure prif_lcobound_with_dim
    integer(c_int64_t) :: found(1)

    call core_cobounds(coarray_handle%info, 0_c_int, dim_or_none(dim), 1_c_int, found)
    lcobound = found(1)
  end procedure

  module procedure prif_lcobound_no_dim
    call core_cobounds(coarray_handle%info, 0_c_int, 0_c_int, size(lcobounds, kind=c_int), &
        lcobounds)
  end procedure

  module procedure prif_ucobound_with_dim
    integer(c_int64_t) :: found(1)

    call core_cobounds(coarray_handle%info, 1_c_int, dim_or_none(dim), 1_c_int, found)
    ucobound = found(1)
  end procedure

  module procedure prif_ucobound_no_dim
    call core_cobounds(coarray_handle%info, 1_c_int, 0_c_int, size(ucobounds, kind=c_int), &
        ucobounds)
  end procedure

  module procedure prif_coshape
    integer(c_int64_t) :: found(size(sizes))

    call core_cobounds(coarray_handle%info, 2_c_int, 0_c_int, size(sizes, kind=c_int), found)
    sizes = found
  end procedure

  module procedure prif_this_image_with_coarray
    call core_cosubscripts(coarray_handle%info, team_value(team), 0_c_int, &
        size(cosubscripts, kind=c_int), cosubscripts)
  end procedure

  module procedure prif_this_image_with_dim
    integer(c_int64_t) :: found(1)

    call core_cosubscripts(coarray_handle%info, team_value(team), dim_or_none(dim), 1_c_int, found)
    cosubscript = found(1)
  end procedure

  module procedure prif_image_index
    image_index = core_image_index(coarray_handle%info, size(sub, kind=c_int), sub, c_null_ptr, &
        0_c_int)
  end procedure

  module procedure prif_image_index_with_team
    image_index = core_image_index(coarray_handle%info, size(sub, kind=c_int), sub, &
        team_value(team), 0_c_int)
  end procedure

  module procedure prif_image_index_with_team_number
    image_index = core_image_index_of_number(coarray_handle%info, size(sub, kind=c_int), sub, &
        team_number, 0_c_int)
  end procedure

  module procedure prif_initial_team_index
    initial_team_index = core_image_index(coarray_handle%info, size(sub, kind=c_int), sub, &
        c_null_ptr, 1_c_int, stat)
  end procedure

  module procedure prif_initial_team_index_with_team
    initial_team_index = core_image_index(coarray_handle%info, size(sub, kind=c_int), sub, &
        team_value(team), 1_c_int, stat)
  end procedure

  module procedure prif_initial_team_index_with_team_number
    initial_team_index = core_image_index_of_number(coarray_handle%info, size(sub, kind=c_int), &
        sub, team_number, 1_c_int, stat)
  end procedure

  ! The core takes 0 for all dimensions, so a caller's 0 becomes another wrong number.
  pure function dim_or_none(dim) result(asked)
    integer(c_int), intent(in) :: dim
    integer(c_int) :: asked

    asked = merge(-1_c_int, dim, dim == 0)
  end function

end submodule prif_cobounds
