// SPDX-License-Identifier: BSD-3-Clause
//
// Each call as steps of the detector, and the reports. Which calls synchronize which PEs is decided
// here, by the kind of the call.
#include "tools/check/race/races.hpp"

#include <mutex>
#include <string_view>

#include "tools/check/memory.hpp"
#include "tools/check/race/advice.hpp"
#include "tools/check/race/exchange.hpp"
#include "tools/check/race/steps.hpp"
#include "tools/check/report.hpp"

namespace tessera::check::race {

namespace {

using interpose::Call;
using interpose::Kind;
using interpose::Memory;

struct State {
    std::mutex mutex;
    Detector detector;
    bool is_open = false;
};
State& state = *new State;

void tell(const Call& call, const Found& found) {
    if (found.race) {
        const Race& race = *found.race;
        Advice advice = advice_for(race.earlier, race.now, race.is_after);
        auto line = [](const Access& access, const std::string& text) {
            return "PE " + std::to_string(access.pe) + " " + verb_of(access.touch) + " it: " + text;
        };
        report(call, advice.mistake,
               {"memory: " + object_at(race.place.address) + ", on PE " +
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

// The team whose members all learn from each other by the call.
shmem_team_t meeting_of(const Call& call) {
    switch (call.kind) {
        case Kind::kBarrier:
        case Kind::kSync:
        case Kind::kCollective: return team_of(call);
        case Kind::kAllocate:
        case Kind::kReallocate:
            return call.memory == Memory::kLocal ? SHMEM_TEAM_INVALID : call.team;
        case Kind::kFree:
            return call.memory == Memory::kLocal || call.dest == nullptr ? SHMEM_TEAM_INVALID
                                                                         : call.team;
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
           call.kind == Kind::kFinalize || (is_memory && call.memory != Memory::kLocal);
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
}

void end() {
    if (state.is_open) state.detector.close();
    state.is_open = false;
    end_exchange();
}

void before(const Call& call) {
    if (!is_on()) return;
    Detector& detector = state.detector;
    Found found;
    {
        std::lock_guard guard(state.mutex);
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
    found.race = detector.take_race();
    tell(call, found);
}

}  // namespace tessera::check::race
