! SPDX-License-Identifier: BSD-3-Clause
!
! All procedures of PRIF in one program, because the start of the images costs most.
program prif_test
  use access_test
  use atomics_test
  use checks
  use collectives_test
  use events_test
  use images_test
  use locks_test
  use memory_test
  use mistakes_test
  use teams_test
  implicit none
  integer(c_int) :: stat

  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=me)
  call prif_num_images(images)
  call check(stat == 0, "prif_init")
  call test_images()
  call test_coarrays()
  call test_own_memory()
  call test_cobounds()
  call test_contiguous()
  call test_strided()
  call test_notify()
  call test_atomics()
  call test_events()
  call test_locks()
  call test_own_lock()
  call test_critical()
  call test_teams()
  call test_mistakes_of_atomics()
  call test_mistakes_of_accesses()
  call test_mistakes_of_others()
  call test_numbers()
  call test_broadcast_and_reduce()
  call sync()
  if (me == 1) print "(a)", "passed"
  call prif_stop(.true._c_bool)
end program
