// SPDX-License-Identifier: BSD-3-Clause
//
// The sentences of advice.hpp. The first row that fits a race gives them.
#include "tools/check/race/advice.hpp"

namespace tessera::check::race {

namespace {

Advice same_pe(const Access& earlier, const Access& now) {
    if (!is_write(earlier.touch)) {
        return {"a PE overwrites what its nonblocking get may still read",
                "shmem_quiet between the two calls: the get is complete only then."};
    }
    if (now.touch == Touch::kRead) {
        return {"a PE reads what its own put may not have written yet",
                "shmem_quiet between the two calls: a put is complete only then. A fence does not "
                "order gets."};
    }
    return {"two puts or atomics of a PE to the same memory may arrive in any order",
            "shmem_fence (or shmem_quiet) between the two calls, on the context of the first."};
}

Advice incomplete(const Access& earlier) {
    if (!is_write(earlier.touch)) {
        return {"memory is written that a nonblocking get may still read",
                "shmem_quiet of the reading PE after its get, before it tells the writing PE."};
    }
    return {"memory is used that a put may not have written yet",
            "the PE of the put tells other PEs before the put is complete: shmem_quiet on the "
            "put's context before the signal, atomic, lock release or sync (shmem_fence is enough "
            "if it is an update of a word of the same target, or use put-with-signal)."};
}

}  // namespace

Advice advice_for(const Access& earlier, const Access& now, bool is_after) {
    if (earlier.pe == now.pe) return same_pe(earlier, now);
    if (is_after) return incomplete(earlier);
    if (is_atomic(earlier.touch) != is_atomic(now.touch)) {
        return {"atomic and plain access to the same word at the same time",
                "atomics on both sides, or a synchronization between the two calls: atomics are "
                "atomic only towards other atomics."};
    }
    if (is_write(earlier.touch) && is_write(now.touch)) {
        return {"two PEs write the same memory at the same time",
                "a barrier, a signal or flag with a wait, an atomic or a lock between the two "
                "calls."};
    }
    return {"one PE reads memory while another PE writes it",
            "a barrier, a signal or flag with a wait, an atomic or a lock between the two calls; "
            "the writing PE completes its put first (shmem_quiet, barrier, put-with-signal)."};
}

const char* verb_of(Touch touch) {
    switch (touch) {
        case Touch::kRead: return "reads";
        case Touch::kWrite: return "writes";
        case Touch::kAtomicRead: return "reads atomically";
        default: return "updates atomically";
    }
}

}  // namespace tessera::check::race
