// SPDX-License-Identifier: BSD-3-Clause
//
// The checker: an observer of all calls (interpose/call.hpp) that PEs preload. Each part looks at
// the calls that concern it. A part that is added is called here.
//   collectives.cpp  calls that do not match      memory.cpp, blocks.cpp  symmetric memory
//   teams.cpp        teams and contexts           locks.cpp               locks
//   active_sets.cpp  pSync                        race/                   races
//   threads.cpp      threads                      profiling_names.cpp     calls by pshmem_ names
//   report.cpp       what the user reads
#include <atomic>

#include "tools/check/active_sets.hpp"
#include "tools/check/collectives.hpp"
#include "tools/check/locks.hpp"
#include "tools/check/memory.hpp"
#include "tools/check/places.hpp"
#include "tools/check/race/races.hpp"
#include "tools/check/report.hpp"
#include "tools/check/teams.hpp"
#include "tools/check/threads.hpp"
#include "tools/interpose/begun.hpp"
#include "tools/interpose/call.hpp"

// The library looks for this name: SHMEM_CHECK without the checker is a mistake
// (session/checker.cpp).
extern "C" __attribute__((visibility("default"))) void shmem_internal_checker() {}

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Caller;
using interpose::Kind;

// Counts the program's initializations, which nest. 0: the checker is off.
std::atomic<int> initializations = 0;

__attribute__((constructor)) void note_begin() { interpose::has_begun = true; }

bool is_on() { return initializations.load(std::memory_order_relaxed) > 0; }

void begin(const Call& call) {
    int is_initialized = 0;
    pshmem_query_initialized(&is_initialized);
    if (is_initialized == 0) return;
    interpose::require_begun("--check");
    const bool repeats = std::string_view(call.routine) == "start_pes";
    if (is_on()) {
        if (!repeats) initializations.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    set_pe(pshmem_my_pe());
    begin_threads();
    begin_teams();
    begin_collectives();
    begin_memory();
    race::begin();
    initializations.store(1, std::memory_order_relaxed);
}

void finalize(const Call& call) {
    race::before(call);
    if (initializations.fetch_sub(1, std::memory_order_relaxed) > 1) return;
    race::end();
    check_zones(call);
    end_locks(call);
    end_teams(call);
    end_memory();
    end_collectives();
}

bool is_memory(const Call& call) {
    return call.kind == Kind::kAllocate || call.kind == Kind::kReallocate ||
           call.kind == Kind::kFree;
}

bool is_lock(const Call& call) {
    return call.kind == Kind::kLock || call.kind == Kind::kTryLock || call.kind == Kind::kUnlock;
}

void check_before(Call& call) {
    before_threads(call);
    before_handles(call);
    if (is_collective(call)) before_collective(call);
    check_arguments(call);
    check_sync_array(call);
    if (call.kind == Kind::kFree) check_freed_locks(call, freed_bytes(call));
    if (is_memory(call)) before_memory(call);
    if (is_lock(call)) before_lock(call);
    if (call.kind == Kind::kBarrier) check_zones(call);
    if (call.kind == Kind::kTeamDestroy) end_team_memory(call);
    note_synchronization(call);
    if (call.kind != Kind::kFinalize) race::before(call);
    if (call.kind == Kind::kFinalize) finalize(call);
}

// The runtime of coarrays then accesses all memory by calls, which are looked at, as between nodes.
void hide_from_coarrays(Call& call) {
    const bool is_mapped = pshmem_ptr(call.source, call.pe) != nullptr;  // else: a public copy
    if (call.caller == Caller::kCoarrays && is_mapped) call.result = 0;
}

void check_after(Call& call) {
    if (call.kind == Kind::kAddress) hide_from_coarrays(call);
    after_threads(call);
    if (is_memory(call)) after_memory(call);
    if (is_lock(call)) after_lock(call);
    after_handles(call);
    if (is_collective(call)) after_collective(call);
    race::after(call);
}

}  // namespace
}  // namespace tessera::check

namespace tessera::interpose {

void before(Call& call) {
    if (!check::is_on()) return;
    check::find_caller(call);
    check::check_before(call);
}

void after(Call& call) {
    if (call.kind == Kind::kInit) check::begin(call);
    if (check::is_on()) check::check_after(call);
}

}  // namespace tessera::interpose
