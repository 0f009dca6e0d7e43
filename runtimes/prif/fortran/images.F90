! SPDX-License-Identifier: BSD-3-Clause
!
! Queries about images, and the sync procedures.
submodule(prif:prif_core) prif_images
  implicit none

contains

  module procedure prif_num_images
    num_images = core_num_images(c_null_ptr)
  end procedure

  module procedure prif_num_images_with_team
    num_images = core_num_images(team_value(team))
  end procedure

  module procedure prif_num_images_with_team_number
    num_images = core_num_images_of_number(team_number)
  end procedure

  module procedure prif_this_image_no_coarray
    this_image = core_this_image(team_value(team))
  end procedure

  module procedure prif_failed_images
    call list_images(1_c_int, team, failed_images)
  end procedure

  module procedure prif_stopped_images
    call list_images(0_c_int, team, stopped_images)
  end procedure

  module procedure prif_image_status
    image_status = core_image_status(image, team_value(team))
  end procedure

  module procedure prif_sync_all
    if (core_sync_all(stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_sync_images
    integer(c_int) :: code

    if (present(image_set)) then
      code = core_sync_images(size(image_set, kind=c_int), image_set, stat)
    else
      code = core_sync_images(-1_c_int, [integer(c_int) ::], stat)
    end if
    if (code == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_sync_team
    if (core_sync_team(team_value(team), stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  module procedure prif_sync_memory
    if (core_sync_memory(stat) == 0) return
    call tell(errmsg)
    if (present(errmsg_alloc)) call tell_in_allocatable(errmsg_alloc)
  end procedure

  ! The images of a team that have failed, or stopped.
  subroutine list_images(has_failed, team, images)
    integer(c_int), intent(in) :: has_failed
    type(prif_team_type), intent(in), optional :: team
    integer(c_int), allocatable, intent(out) :: images(:)
    integer(c_int), allocatable :: found(:)
    integer(c_int) :: count

    allocate (found(core_num_images(team_value(team))))
    count = core_gone_images(has_failed, team_value(team), found)
    images = found(1:count)
  end subroutine

end submodule prif_images
