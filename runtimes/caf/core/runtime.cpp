// SPDX-License-Identifier: BSD-3-Clause
//
// The start of the images (runtime.hpp). The first call usually comes from an ELF constructor of
// the program, so nothing here reads the arguments of main or calls libgfortran.

#include "core/runtime.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <cstdint>

#include "core/failures.hpp"
#include "core/hooks.hpp"
#include "core/image_state.hpp"
#include "core/ordering.hpp"
#include "core/remote_pointer.hpp"
#include "core/self_launch.hpp"
#include "core/team.hpp"
#include "core/termination.hpp"

namespace tessera::caf::detail {
namespace {

// Where software keeps memory coherent, other images' memory has an address but is not mapped.
void find_coherence() {
    const int other = (shmem_my_pe() + 1) % shmem_n_pes();
    auto* word = static_cast<std::uint64_t*>(shmem_calloc(1, sizeof(std::uint64_t)));
    if (shmem_ptr(word, other) == nullptr && shmemx_public_ptr(word, other) != nullptr) {
        copied_word = word;
    } else {
        shmem_free(word);
    }
}

}  // namespace

void initialize() {
    launch_images_if_wanted();
    int provided = 0;
    // Programs call coarray routines from OpenMP threads although the standard is silent on it.
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    phase = Phase::kRunning;
    find_coherence();
    make_image_state(shmem_my_pe(), shmem_n_pes());
    make_initial_team();
    start_remote_pointers();
    if (at_start != nullptr) at_start();
    watch_exit();
    survive_failures();
}

}  // namespace tessera::caf::detail
