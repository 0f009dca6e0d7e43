// SPDX-License-Identifier: BSD-3-Clause
//
// The objects behind the handles of teams and contexts (OpenSHMEM 1.6, 9.4 and 9.5). Predefined
// handles are small constants (include/shmem/teams.h, contexts.h, shmemx.h); the others name slots
// of the two tables here (base/handle_table.hpp), which recognise an invalid handle at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "base/handle_table.hpp"
#include "core/context.hpp"
#include "core/pe_state.hpp"
#include "shmem/contexts.h"
#include "shmem/teams.h"
#include "teams/team.hpp"

namespace tessera::api {

// A context that the program created.
struct OpenContext {
    Context context;
    std::shared_ptr<TransportContext> transport_context;
    long options = 0;
    std::uint64_t owner = 0;  // SHMEM_DEBUG: the thread that created it (api/thread_number.hpp)
    // While a session holds back atomics on mapped memory, and the thread that started it.
    std::unique_ptr<AtomicBatch> batch;
    std::thread::id session_thread;
    // The contexts with a session are a chain (contexts.cpp).
    bool has_session = false;
    OpenContext* previous = nullptr;
    OpenContext* next = nullptr;
};

// A team that the program made.
using OpenTeam = std::unique_ptr<Team>;

inline constexpr std::uint8_t kContextKind = 0xC7;
inline constexpr std::uint8_t kTeamKind = 0x7E;
extern HandleTable<OpenContext, kContextKind> open_contexts;
extern HandleTable<OpenTeam, kTeamKind> open_teams;

// The bits of a handle. REQUIRES: one of the C interface.
inline std::uint64_t bits_of(shmem_ctx_t ctx) { return reinterpret_cast<std::uint64_t>(ctx); }
inline std::uint64_t bits_of(shmem_team_t team) { return reinterpret_cast<std::uint64_t>(team); }

// SHMEMX_TEAM_NODE of shmemx.h, which is not included here because it brings every overload.
inline const auto kNodeTeamHandle = reinterpret_cast<shmem_team_t>(3);

// The message says what kind of value the handle is.
[[noreturn]] TESSERA_COLD void fail_context(shmem_ctx_t ctx, const char* where);
[[noreturn]] TESSERA_COLD void fail_team(shmem_team_t team, const char* where);

// A created context; any other handle ends the job.
TESSERA_INLINE OpenContext& open_context_of(shmem_ctx_t ctx, const char* where) {
    OpenContext* open = open_contexts.find(bits_of(ctx));
    if (open == nullptr) [[unlikely]]
        fail_context(ctx, where);
    return *open;
}

// The context behind a handle; an invalid one ends the job.
// COST: a compare for SHMEM_CTX_DEFAULT; two, two loads and an addition for others.
TESSERA_INLINE const Context& context_of(shmem_ctx_t ctx, const char* where) {
    if (ctx == SHMEM_CTX_DEFAULT) [[likely]]
        return default_context;
    return open_context_of(ctx, where).context;
}

// The team behind a handle, nullptr for SHMEM_TEAM_INVALID; an invalid handle ends the job.
// COST: three or four compares for predefined teams; two, two loads and an addition for others.
inline Team* team_or_null(shmem_team_t team, const char* where) {
    if (bits_of(team) <= bits_of(kNodeTeamHandle)) {
        if (team == SHMEM_TEAM_WORLD) return &world_team;
        if (team == SHMEM_TEAM_SHARED) return pe_state.shared_team;
        return team == kNodeTeamHandle ? pe_state.node_team : nullptr;
    }
    OpenTeam* open = open_teams.find(bits_of(team));
    if (open == nullptr) [[unlikely]]
        fail_team(team, where);
    return open->get();
}

// The same where the specification wants a team; SHMEM_TEAM_INVALID ends the job.
inline Team& team_of(shmem_team_t team, const char* where) {
    check_initialized(where);
    Team* found = team_or_null(team, where);
    if (found == nullptr) [[unlikely]]
        fail_team(team, where);
    return *found;
}

inline shmem_team_t handle_of(const Team& team) {
    if (&team == &world_team) return SHMEM_TEAM_WORLD;
    if (&team == pe_state.shared_team) return SHMEM_TEAM_SHARED;
    if (&team == pe_state.node_team) return kNodeTeamHandle;
    return reinterpret_cast<shmem_team_t>(team.handle);
}

// Ends the program's contexts: those of one team, or all. For team_destroy and finalize.
void destroy_contexts_of(Team& team);
void destroy_all_contexts();
// Ends all teams that the program has left. For finalize.
void destroy_all_teams();

}  // namespace tessera::api
