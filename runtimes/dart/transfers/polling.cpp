// SPDX-License-Identifier: BSD-3-Clause
#include "transfers/polling.hpp"

#include <sched.h>
#include <shmem.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

#include "core/node.hpp"
#include "core/runtime.hpp"

namespace tessera::dart {

void make_progress() {
    if (node.has_other_nodes) {
        // A test that is never true; a test makes progress.
        shmem_uint64_test(reinterpret_cast<std::uint64_t*>(anchor()), SHMEM_CMP_NE, 0);
    }
}

// Where no other process wants the processor, pauses become rarer: one costs more than 64 gets. The
// kernel counts each time that this thread had to leave the processor to another while it could
// run, in a yield too; how long a yield takes says less, because that differs from machine to
// machine.
void detail::pause_poll(Polling& state) {
    state.repeats = 0;
    if (node.is_oversubscribed) {
        ::sched_yield();
        rusage usage;
        ::getrusage(RUSAGE_THREAD, &usage);
        const bool is_alone = usage.ru_nivcsw == state.switches;
        state.switches = usage.ru_nivcsw;
        state.repeats_before_pause =
            is_alone ? std::min(2 * state.repeats_before_pause, kRepeatsMax) : kRepeatsMin;
    }
    make_progress();
}

}  // namespace tessera::dart
