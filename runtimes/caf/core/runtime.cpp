// SPDX-License-Identifier: BSD-3-Clause
//
// The start of the images (runtime.hpp). The first call usually comes from an ELF constructor of
// the program, so nothing here reads the arguments of main or calls libgfortran.

#include "core/runtime.hpp"

#include <shmem.h>
#include <shmemx.h>

#include "core/failures.hpp"
#include "core/hooks.hpp"
#include "core/image_state.hpp"
#include "core/remote_pointer.hpp"
#include "core/self_launch.hpp"
#include "core/team.hpp"
#include "core/termination.hpp"

namespace tessera::caf::detail {
namespace {

// Barriers and locks look at mapped words without a routine of the library. Where software keeps
// memory coherent, nothing is mapped by shmem_ptr(), and other PEs see public copies alone.
void refuse_noncoherent_memory() {
    const int other = (shmem_my_pe() + 1) % shmem_n_pes();
    void* own = shmem_malloc(1);
    const bool is_coherent =
        shmem_ptr(own, other) != nullptr || shmemx_public_ptr(own, other) == nullptr;
    shmem_free(own);
    if (is_coherent) return;
    if (shmem_my_pe() == 0) {
        stop_with_error("start",
                        "coarrays need memory that the hardware keeps coherent; set SHMEM_HEAP to "
                        "shared, or leave it out");
    }
    shmem_barrier_all();  // Image 1 ends the job.
}

}  // namespace

void initialize() {
    launch_images_if_wanted();
    int provided = 0;
    // Programs call coarray routines from OpenMP threads although the standard is silent on it.
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    phase = Phase::kRunning;
    refuse_noncoherent_memory();
    make_image_state(shmem_my_pe(), shmem_n_pes());
    make_initial_team();
    start_remote_pointers();
    if (at_start != nullptr) at_start();
    watch_exit();
    survive_failures();
}

}  // namespace tessera::caf::detail
