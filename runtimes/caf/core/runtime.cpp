// SPDX-License-Identifier: BSD-3-Clause
//
// The start of the images (runtime.hpp). The first call usually comes from an ELF constructor of
// the program, so nothing here reads the arguments of main or calls libgfortran.

#include "core/runtime.hpp"

#include <shmem.h>

#include <cstdlib>

#include "core/failures.hpp"
#include "core/image_state.hpp"
#include "core/remote_pointer.hpp"
#include "core/self_launch.hpp"
#include "core/team.hpp"
#include "core/team_control.hpp"
#include "core/termination.hpp"

namespace tessera::caf::detail {

void initialize() {
    launch_images_if_wanted();
    int provided = 0;
    // Programs call coarray routines from OpenMP threads although the standard is silent on it.
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    is_initialized = true;
    make_image_state(shmem_my_pe(), shmem_n_pes());
    make_initial_team();
    start_remote_pointers();
    watch_exit();
    survive_failures();
}

}  // namespace tessera::caf::detail
