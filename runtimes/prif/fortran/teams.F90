! SPDX-License-Identifier: BSD-3-Clause
!
! Teams.
submodule(prif:prif_core) prif_teams
  implicit none

contains

  module procedure prif_form_team
    type(c_ptr) :: found
    integer(c_int) :: index, code

    index = 0
    if (present(new_index)) index = new_index
    found = c_null_ptr
    code = core_form_team(team_number, index, found, stat)
    call set_team(found, team)
    if (code == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_change_team
    if (core_change_team(team_value(team), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_end_team
    if (core_end_team(stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_get_team
    integer(c_int) :: asked, number

    asked = PRIF_CURRENT_TEAM
    if (present(level)) asked = level
    select case (asked)
    case (PRIF_CURRENT_TEAM)
      number = 0
    case (PRIF_PARENT_TEAM)
      number = 1
    case (PRIF_INITIAL_TEAM)
      number = 2
    case default
      number = -1
    end select
    call set_team(core_get_team(number, asked), team)
  end procedure

  module procedure prif_team_number
    team_number = core_team_number(team_value(team))
  end procedure

  subroutine set_team(value, team)
    type(c_ptr), intent(in) :: value
    type(prif_team_type), intent(out) :: team

    if (c_associated(value)) call c_f_pointer(value, team%info)
  end subroutine

end submodule prif_teams
