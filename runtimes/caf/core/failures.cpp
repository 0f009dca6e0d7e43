// SPDX-License-Identifier: BSD-3-Clause
//
// Deaths of images (failures.hpp).

#include "core/failures.hpp"

#include <shmem.h>

#include <cstdio>

namespace tessera::caf {

std::atomic<const CollectiveCall*> CollectiveCall::current{nullptr};

void survive_failures() { shmemx_survive_failures(CollectiveCall::tell); }

bool is_dead(int pe) {
    const int deaths = count_deaths();
    for (int i = 0; i < deaths; ++i) {
        if (shmemx_failed_pe(i) == pe) return true;
    }
    return false;
}

bool has_dead_member(const Members& team) {
    const int deaths = count_deaths();
    for (int i = 0; i < deaths; ++i) {
        if (team.image_of(shmemx_failed_pe(i)) != 0) return true;
    }
    return false;
}

// The library tells of later deaths.
CollectiveCall::CollectiveCall(const Members& team, const char* routine, int reported)
    : team_(team),
      routine_(routine),
      reported_(reported),
      outer_(current.load(std::memory_order_relaxed)) {
    // Pairs with core/failures.cpp:tell.
    current.store(this, std::memory_order_release);
    look_for_members(reported_);
}

// Pairs with core/failures.cpp:tell.
CollectiveCall::~CollectiveCall() { current.store(outer_, std::memory_order_release); }

void CollectiveCall::tell(int /*pe*/) {
    // Pairs with core/failures.cpp:CollectiveCall and core/failures.cpp:~CollectiveCall.
    const CollectiveCall* call = current.load(std::memory_order_acquire);
    for (; call != nullptr; call = call->outer_) call->look_for_members(call->reported_);
}

// Ends the program if a member is among the deaths from the `first` on. This may be inside of a
// wait of the library, perhaps in its finalization, so nothing but the plain exit is left.
void CollectiveCall::look_for_members(int first) const {
    const int deaths = count_deaths();
    for (int i = first; i < deaths; ++i) {
        const int image = team_.image_of(shmemx_failed_pe(i));
        if (image != 0) {
            std::fprintf(stderr,
                         "[image %d] %s: the process of image %d has died during the call\n",
                         team_.this_image, routine_, image);
            std::fflush(nullptr);
            shmem_global_exit(1);
        }
    }
}

}  // namespace tessera::caf
