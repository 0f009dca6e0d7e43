// SPDX-License-Identifier: BSD-3-Clause
//
// Each call as steps of the detector, and the reports. Which calls synchronize which PEs is decided
// here, by the kind of the call.
#include "tools/check/race/races.hpp"

#include <mutex>
#include <string_view>

#include "tools/check/blocks.hpp"
#include "tools/check/memory.hpp"
#include "tools/check/race/advice.hpp"
#include "tools/check/race/exchange.hpp"
#include "tools/check/race/steps.hpp"
#include "tools/check/race/windows.hpp"
#include "tools/check/report.hpp"

// Defined in programs that oshcc --check has linked.
extern "C" __attribute__((weak)) tessera::accesses::Table shmem_internal_accesses;

namespace tessera::check::race {

namespace {

using interpose::Call;
using interpose::Kind;
using interpose::Memory;

struct State {
    std::mutex mutex;
    Detector detector;
    Windows windows;
    bool is_open = false;
};
State& state = *new State;
// Above 0: the thread is in a call of OpenSHMEM, or in the checker; a function of the program that
// runs there (an operator, a signal handler) accesses memory for the library, or at any moment.
thread_local int calls_under_way = 0;

void tell(const Call& call, const Found& found) {
    if (found.race) {
        const Race& race = *found.race;
        Advice advice = advice_for(race.earlier, race.now, race.is_after);
        auto line = [](const Access& access, const std::string& text) {
            return "PE " + std::to_string(access.pe) + " " + verb_of(access.touch) + " it: " + text;
        };
        report(call, advice.mistake,
               {"memory: " + object_at(race.place.address, race.place.pe) + ", on PE " +
                    std::to_string(race.place.pe),
                line(race.now, text_of(call)),
                line(race.earlier, state.detector.call_of(race.earlier)),
                std::string("missing: ") + advice.missing});
    }
    if (found.disturbed) {
        const Pending& transfer = found.disturbed->transfer;
        report(call, found.disturbed->mistake,
               {text_of(call), "the transfer: " + transfer.call,
                "missing: shmem_quiet, or a wait for its request, behind the transfer."});
    }
}

bool is_transfer(const Call& call) {
    return call.kind == Kind::kPut || call.kind == Kind::kGet || call.kind == Kind::kAtomic ||
           call.kind == Kind::kAccumulate || call.kind == Kind::kSignal;
}

bool is_lock(const Call& call) {
    return call.kind == Kind::kLock || call.kind == Kind::kTryLock || call.kind == Kind::kUnlock;
}

// Epochs, and collectives that a later call completes.
bool is_loose(const Call& call) {
    return call.kind == Kind::kEpoch || (call.kind == Kind::kCollective && call.is_nbi) ||
           (call.kind == Kind::kBarrier && call.is_nbi);
}

// Allocations and frees that do not synchronize: of nothing, of local memory, or by a hint.
bool is_local_memory_call(const Call& call) {
    if (call.memory == Memory::kLocal) return true;
    if (call.kind == Kind::kFree) return call.dest == nullptr;
    if (call.kind == Kind::kReallocate) return call.dest == nullptr && call.size == 0;
    return call.size == 0 || (call.options & SHMEMX_MALLOC_NO_BARRIER) != 0;
}

// Memory that other PEs reach.
bool allocates(const Call& call) {
    return (call.kind == Kind::kAllocate || call.kind == Kind::kReallocate) && call.result != 0 &&
           call.memory != Memory::kLocal;
}

// The team whose members all learn from each other by the call.
shmem_team_t meeting_of(const Call& call) {
    switch (call.kind) {
        case Kind::kBarrier:
        case Kind::kSync:
        case Kind::kCollective: return team_of(call);
        case Kind::kFinalize: return SHMEM_TEAM_WORLD;  // A finalize that is not the last.
        case Kind::kAllocate:
        case Kind::kReallocate:
        case Kind::kFree: return is_local_memory_call(call) ? SHMEM_TEAM_INVALID : call.team;
        case Kind::kTeamCreate: return call.pes != nullptr ? *call.new_teams[0] : call.team;
        case Kind::kTeamDestroy: return call.team;
        case Kind::kRegister:
            return std::string_view(call.routine) == "shmemx_register" ? call.team
                                                                       : SHMEM_TEAM_INVALID;
        default: return SHMEM_TEAM_INVALID;
    }
}

// Whether the call completes the operations of the default context, as a barrier does.
bool has_quiet(const Call& call) {
    bool is_memory =
        call.kind == Kind::kAllocate || call.kind == Kind::kReallocate || call.kind == Kind::kFree;
    return call.kind == Kind::kBarrier || call.kind == Kind::kUnlock || call.kind == Kind::kEpoch ||
           call.kind == Kind::kFinalize || (is_memory && !is_local_memory_call(call));
}

// The members' clocks, by a collective of the checker; without the mutex, as threads may be in
// collectives of several teams.
void meet(const Call& call, shmem_team_t team) {
    if (team == SHMEM_TEAM_INVALID || pshmem_team_n_pes(team) < 2) return;
    std::unique_lock guard(state.mutex);
    Clock clock = state.detector.clock();
    guard.unlock();
    bool is_broadcast = call.kind == Kind::kCollective && call.root >= 0 &&
                        std::string_view(call.routine).find("broadcast") != std::string_view::npos;
    Clock joined = is_broadcast ? take_from(team, clock, call.root) : join_of(team, clock);
    guard.lock();
    state.detector.join(joined);
}

// ---- Loads and stores of the program ------------------------------------------------------------

const char* name_of(accesses::Kind kind) {
    switch (kind) {
        case accesses::Kind::kLoad: return "a load";
        case accesses::Kind::kStore: return "a store";
        default: return "an atomic of the language";
    }
}

// The next accesses are new, and no other PE knows of them.
void begin_epoch() {
    state.detector.end_accesses();
    state.windows.begin_epoch();
}

bool is_on();

void check_access(const accesses::Access& access) {
    const auto address = reinterpret_cast<std::uintptr_t>(access.address);
    Found found;
    std::lock_guard guard(state.mutex);
    const Window* window = state.windows.find(address);
    if (window == nullptr && !state.windows.is_pending(address)) return;
    Call call{.routine = name_of(access.kind), .site = access.site};
    call.dest = reinterpret_cast<void*>(
        window == nullptr ? address : window->symmetric + (address - window->begin));
    call.size = access.bytes;
    call.pe = window == nullptr ? state.detector.pe() : window->pe;
    bool is_load =
        access.kind == accesses::Kind::kLoad || access.kind == accesses::Kind::kAtomicLoad;
    if (window != nullptr) check_block(call, !is_load);
    access_steps(state.detector, call, access.kind, found);
    if (access.kind != accesses::Kind::kLoad && access.kind != accesses::Kind::kStore)
        begin_epoch();
    found.race = state.detector.take_race();
    tell(call, found);
}

// accesses::Table::tell.
bool take_access(const accesses::Access& access) {
    if (calls_under_way > 0 || !is_on()) return false;
    ++calls_under_way;
    check_access(access);
    --calls_under_way;
    return true;
}

void open_windows() {
    if (&shmem_internal_accesses == nullptr) return;
    if (shmem_internal_accesses.version != accesses::Table::kVersion) {
        if (pshmem_my_pe() == 0) {
            note(
                "loads and stores are not looked at: oshcc --check of another version of Tessera "
                "has linked the program",
                {});
        }
        return;
    }
    state.windows.open(shmem_internal_accesses, pshmem_my_pe(), pshmem_n_pes());
    shmem_internal_accesses.tell = take_access;
}

bool is_on() {
    // A PE that has died takes no part in the checker's collectives.
    if (state.is_open && pshmemx_failure_count() > 0) state.is_open = false;
    return state.is_open;
}

}  // namespace

void begin() {
    if (pshmem_n_pes() > Store::kPesMax) {
        if (pshmem_my_pe() == 0) note("no races are looked for: the job has too many PEs", {});
        return;
    }
    state.is_open = state.detector.open(pshmem_my_pe(), pshmem_n_pes());
    if (!state.is_open && pshmem_my_pe() == 0)
        note("no races are looked for: set SHMEM_TEAM_MEMORY_SIZE to 256M or more", {});
    if (state.is_open) open_windows();
}

void end() {
    state.windows.close();
    if (state.is_open) state.detector.close();
    state.is_open = false;
    end_exchange();
}

void before(const Call& call) {
    if (!is_on()) return;
    ++calls_under_way;
    Detector& detector = state.detector;
    Found found;
    {
        std::lock_guard guard(state.mutex);
        begin_epoch();
        if (is_transfer(call)) {
            before_transfer(detector, call, found);
        } else if (call.kind == Kind::kFence) {
            detector.begin_step(call);
            detector.fence(lane_of(call));
        } else if (call.kind == Kind::kQuiet || call.kind == Kind::kContextDestroy) {
            detector.begin_step(call);
            complete(detector, lane_of(call), found);
        } else if (has_quiet(call)) {
            detector.begin_step(call);
            complete(detector, Lane::kDefault, found);
        }
        if (is_lock(call)) before_lock_call(detector, call);
        if (call.kind == Kind::kCollective) {
            detector.begin_step(call);
            collective_sources(detector, call, found);
        }
        if (is_loose(call)) detector.release_to_all();
        found.race = detector.take_race();
        tell(call, found);
    }
    if (call.kind == Kind::kTeamDestroy) meet(call, call.team);
}

void after(const Call& call) {
    if (!is_on()) return;
    Detector& detector = state.detector;
    if (call.kind != Kind::kTeamDestroy && !is_loose(call)) meet(call, meeting_of(call));
    Found found;
    std::lock_guard guard(state.mutex);
    begin_epoch();
    if (allocates(call)) {
        // `call.size` has the zones around the block.
        const std::size_t front = Blocks::front_of(call.alignment);
        state.windows.add_symmetric(call.result - front, call.size + front);
    }
    if (is_transfer(call)) after_transfer(detector, call);
    if (call.kind == Kind::kWait || call.kind == Kind::kTest) after_wait(detector, call);
    if (is_lock(call)) after_lock_call(detector, call);
    if (call.kind == Kind::kRequestWait || call.kind == Kind::kRequestTest) {
        detector.begin_step(call);
        complete(detector, Lane::kRequests, found);
        detector.acquire_from_all();
    }
    if (is_loose(call)) detector.acquire_from_all();
    if (call.kind == Kind::kCollective && !call.is_nbi) {
        detector.begin_step(call);
        collective_dests(detector, call, found);
    }
    state.windows.set_pending(detector.pending());
    found.race = detector.take_race();
    tell(call, found);
    // Behind init there was no before().
    if (calls_under_way > 0) --calls_under_way;
}

}  // namespace tessera::check::race
