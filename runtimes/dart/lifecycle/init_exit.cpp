// SPDX-License-Identifier: BSD-3-Clause
//
// dart_init, dart_exit (runtime.hpp).
#include <dash/dart/if/dart_initialization.h>
#include <shmem.h>
#include <shmemx.h>

#include <cstdio>
#include <cstdlib>

#include "allocators/allocators.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/lookup.hpp"
#include "core/node.hpp"
#include "core/runtime.hpp"
#include "locality/locality.hpp"
#include "locks/locks.hpp"
#include "memory/local_memory.hpp"
#include "messages/inbox.hpp"
#include "messages/message.hpp"
#include "teams/live_teams.hpp"
#include "transfers/wide_atomics.hpp"

namespace tessera::dart {
namespace {

constexpr std::size_t kAnchorBytes = 64;
dart_thread_support_level_t thread_level = DART_THREAD_SINGLE;

// At the end of the process. A program that ends with DART up has made a mistake, or has failed:
// OpenSHMEM then ends the job in its own way.
void finalize_at_exit(int status, void* /*unused*/) {
    int is_up = 0;
    shmem_query_initialized(&is_up);
    if (status == 0 && !is_running() && is_up != 0) shmem_finalize();
}

[[noreturn]] void fail_memory() {
    fatal("dart_init", "no memory is left in the symmetric heap; make SHMEM_SYMMETRIC_SIZE larger");
}

// The first dart_init of the process.
void start_openshmem() {
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    thread_level = provided == SHMEM_THREAD_MULTIPLE ? DART_THREAD_MULTIPLE : DART_THREAD_SINGLE;
    detail::my_unit = shmem_my_pe();
    detail::n_units = shmem_n_pes();
    detail::anchor = static_cast<char*>(shmem_calloc(1, kAnchorBytes));
    if (detail::anchor == nullptr) fail_memory();
    if (shmemx_allreduce(SHMEM_TEAM_WORLD, nullptr, nullptr, 0, SHMEMX_TYPE_INT32, SHMEMX_OP_MAX) !=
        0) {
        fatal("dart_init",
              "%d units are more than a team with collectives may have (docs/runtimes/dart.md)",
              n_units());
    }
    find_node(detail::anchor);
    if (!start_wide_atomics() || !start_inbox()) fail_memory();
    ::on_exit(finalize_at_exit, nullptr);
}

dart_ret_t start(const char* routine) {
    if (is_running())
        return fail(DART_ERR_OTHER, routine, "DART runs already; call dart_exit first");
    // Pairs with core/runtime.hpp:is_running.
    detail::is_running.store(true, std::memory_order_release);
    if (anchor() == nullptr) start_openshmem();
    ++detail::starts;
    start_teams();
    start_locality();
    // No message may come to a unit that is still in the dart_exit before.
    shmem_sync_all();
    log("DART runs: %d units, %d of them on this node", n_units(), node.units);
    return DART_OK;
}

}  // namespace

DART_ENTRY dart_ret_t dart_init(int* /*argc*/, char*** /*argv*/) { return start(__func__); }

DART_ENTRY dart_ret_t dart_init_thread(int* /*argc*/, char*** /*argv*/,
                                       dart_thread_support_level_t* thread_safety) {
    const dart_ret_t result = start(__func__);
    if (result == DART_OK && thread_safety != nullptr) *thread_safety = thread_level;
    return result;
}

// Behind the barrier no unit uses memory of another one.
DART_ENTRY dart_ret_t dart_exit() {
    if (!is_running()) return fail_not_running(__func__);
    shmem_barrier_all();
    stop_locality();
    stop_allocators();
    stop_locks();
    stop_inbox();
    stop_outbox();
    end_teams();
    end_local_memory();
    log("DART has ended");
    // Pairs with core/runtime.hpp:is_running.
    detail::is_running.store(false, std::memory_order_release);
    return DART_OK;
}

// Ends the job also before the first dart_init and after the last dart_exit.
DART_ENTRY void dart_abort(int errorcode) {
    int is_up = 0;
    shmem_query_initialized(&is_up);
    std::fflush(nullptr);
    if (is_up != 0) shmem_global_exit(errorcode);
    std::_Exit(errorcode);
}

DART_ENTRY bool dart_initialized() { return is_running(); }

}  // namespace tessera::dart
