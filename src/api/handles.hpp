// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind the handles of teams and contexts (OpenSHMEM 1.6, 9.4 and 9.5). Predefined
// handles are small constants (include/shmem/teams.h, contexts.h, shmemx.h), the others are
// addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "core/context.hpp"
#include "core/team.hpp"
#include "shmem/contexts.h"
#include "shmem/teams.h"

// A context that the program created.
struct shmem_internal_ctx {
    static constexpr std::uint64_t kMagic = 0x7465737365726163;

    std::uint64_t magic = kMagic;               // cleared by destroy
    std::unique_ptr<tessera::Channel> channel;  // of the context
    tessera::Context context;
    long options = 0;
    // While a session holds back atomics on mapped memory, and the thread that started it.
    std::unique_ptr<tessera::AtomicBatch> batch;
    std::thread::id session_thread;
    std::uint64_t owner = 0;  // SHMEM_DEBUG: the thread that created it (api/thread_number.hpp)
};

namespace tessera::api {

// SHMEMX_TEAM_NODE of shmemx.h, which is not included here because it brings every overload.
inline const auto kNodeTeamHandle = reinterpret_cast<shmem_team_t>(3);

[[noreturn]] TESSERA_COLD void fail_context(shmem_ctx_t ctx, const char* where);
[[noreturn]] TESSERA_COLD void fail_team(const char* where);

// The context behind a handle; an invalid one ends the job.
// COST: a compare for SHMEM_CTX_DEFAULT, two and a load for others.
TESSERA_INLINE const Context& context_of(shmem_ctx_t ctx, const char* where) {
    if (ctx == SHMEM_CTX_DEFAULT) [[likely]]
        return default_context;
    if (ctx == SHMEM_CTX_INVALID || ctx->magic != shmem_internal_ctx::kMagic) [[unlikely]] {
        fail_context(ctx, where);
    }
    return ctx->context;
}

// The team behind a handle, nullptr for SHMEM_TEAM_INVALID.
inline Team* team_or_null(shmem_team_t team) {
    if (team == SHMEM_TEAM_WORLD) return &world_team;
    if (team == SHMEM_TEAM_SHARED) return &shared_team;
    if (team == kNodeTeamHandle) return &node_team;
    return reinterpret_cast<Team*>(team);
}

// The same where the specification wants a team; SHMEM_TEAM_INVALID ends the job.
inline Team& team_of(shmem_team_t team, const char* where) {
    check_initialized(where);
    if (team == SHMEM_TEAM_INVALID) [[unlikely]]
        fail_team(where);
    return *team_or_null(team);
}

inline shmem_team_t handle_of(Team& team) {
    if (&team == &world_team) return SHMEM_TEAM_WORLD;
    if (&team == &shared_team) return SHMEM_TEAM_SHARED;
    if (&team == &node_team) return kNodeTeamHandle;
    return reinterpret_cast<shmem_team_t>(&team);
}

// Ends the program's contexts: those of one team, or all. For team_destroy and finalize.
void destroy_contexts_of(const Team& team);
void destroy_all_contexts();
// Ends all teams that the program has left. For finalize.
void destroy_all_teams();

}  // namespace tessera::api
