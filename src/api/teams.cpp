// SPDX-License-Identifier: BSD-3-Clause
//
// Team management (OpenSHMEM 1.6, 9.4). A split only names the members; collectives/
// team_create.hpp makes the team.
#include "shmem/teams.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api/entry.hpp"
#include "api/pointer.hpp"
#include "api/team_handles.hpp"
#include "base/fatal.hpp"
#include "collectives/select.hpp"
#include "collectives/streams/engine.hpp"
#include "shmem/setup.h"

namespace tessera::api {
namespace {

// Out of memory ends the job: the other members have the team already.
shmem_team_t keep(OpenTeam team, const char* where) {
    const auto added = open_teams.add(std::move(team));
    if (added.object == nullptr) fatal("%s: no memory for the handle of another team", where);
    (*added.object)->handle = added.handle;
    return handle_of(**added.object);
}

// nullptr: another thread was first.
OpenTeam try_take(std::uint64_t handle) {
    OpenTeam* open = open_teams.detach(handle);
    if (open == nullptr) return nullptr;
    OpenTeam taken = std::move(*open);
    open_teams.recycle(open);
    return taken;
}

// Collective over `parent`. The status is the same on all its PEs.
int create(Team& parent, const collectives::StridedMembers& members,
           const Configuration& configuration, shmem_team_t* new_team, const char* where) {
    return hand_out(collectives::create_team(parent, members, where), configuration, new_team,
                    where);
}

// Whether start, stride and size name PEs of the parent.
bool is_team(const Team& parent, int start, int stride, int size) {
    const auto npes = static_cast<long>(parent.npes);
    const long last = start + (size - 1L) * stride;
    return size > 0 && start >= 0 && start < npes && last >= 0 && last < npes &&
           (stride != 0 || size == 1);
}

// Ends a team that the program made, and its contexts.
void destroy(Team& team) {
    destroy_contexts_of(team);
    if (OpenTeam taken = try_take(team.handle)) collectives::destroy_team(std::move(taken));
}

}  // namespace

constinit HandleTable<OpenTeam, kTeamKind> open_teams;

int hand_out(collectives::NewTeam made, const Configuration& configuration, shmem_team_t* new_team,
             const char* where) {
    if (made.team) {
        made.team->num_contexts = configuration.num_contexts();
        *new_team = keep(std::move(made.team), where);
    }
    return made.succeeded ? 0 : 1;
}

namespace {

// 101: before other constructors of the program, which may call the library.
[[gnu::constructor(101)]] void reserve_teams() { open_teams.reserve(); }

}  // namespace

void fail_team(shmem_team_t team, const char* where) {
    check_initialized(where);
    if (team == SHMEM_TEAM_INVALID) {
        fatal(
            "%s: team is SHMEM_TEAM_INVALID; only members of a team may use it (was this PE left "
            "out of a split?)",
            where);
    }
    auto* const value = static_cast<void*>(team);
    if (open_teams.has_ended(bits_of(team))) {
        fatal("%s: team %p was destroyed; a team lasts until shmem_team_destroy or shmem_finalize",
              where, value);
    }
    if (open_contexts.find(bits_of(team)) != nullptr) {
        fatal("%s: team %p is a context, not a team; shmem_ctx_get_team returns its team", where,
              value);
    }
    fatal(
        "%s: team %p is not a team; pass SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, or a handle from "
        "shmem_team_split_strided, shmem_team_split_2d, shmemx_team_split_color or "
        "shmemx_team_create",
        where, value);
}

void destroy_all_teams() {
    std::vector<std::uint64_t> ending;
    open_teams.for_each([&](std::uint64_t handle, const OpenTeam&) { ending.push_back(handle); });
    for (std::uint64_t handle : ending) try_take(handle);
}

}  // namespace tessera::api

namespace api = tessera::api;
using tessera::Team;

SHMEM_ENTRY(int, shmem_team_my_pe, shmem_team_t team) {
    tessera::check_initialized(SHMEM_WHERE);
    const Team* found = api::team_or_null(team, SHMEM_WHERE);
    return found != nullptr ? found->my_index : -1;
}

SHMEM_ENTRY(int, shmem_team_n_pes, shmem_team_t team) {
    tessera::check_initialized(SHMEM_WHERE);
    const Team* found = api::team_or_null(team, SHMEM_WHERE);
    return found != nullptr ? found->npes : -1;
}

SHMEM_ENTRY(int, shmem_team_get_config, shmem_team_t team, long config_mask,
            shmem_team_config_t* config) {
    tessera::check_initialized(SHMEM_WHERE);
    const Team* found = api::team_or_null(team, SHMEM_WHERE);
    if (found == nullptr) return 1;
    if ((config_mask & SHMEM_TEAM_NUM_CONTEXTS) != 0 && config != nullptr)
        config->num_contexts = found->num_contexts;
    return 0;
}

SHMEM_ENTRY(int, shmem_team_translate_pe, shmem_team_t src_team, int src_pe,
            shmem_team_t dest_team) {
    tessera::check_initialized(SHMEM_WHERE);
    const Team* source = api::team_or_null(src_team, SHMEM_WHERE);
    const Team* dest = api::team_or_null(dest_team, SHMEM_WHERE);
    if (source == nullptr || dest == nullptr) return -1;
    if (src_pe < 0 || src_pe >= source->npes) return -1;
    return dest->index_of(source->world_pe(src_pe));
}

SHMEM_ENTRY(int, shmem_team_split_strided, shmem_team_t parent_team, int start, int stride,
            int size, const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team) {
    tessera::check_initialized(SHMEM_WHERE);
    *new_team = SHMEM_TEAM_INVALID;
    Team* parent = api::team_or_null(parent_team, SHMEM_WHERE);
    if (parent == nullptr || !api::is_team(*parent, start, stride, size)) return 1;
    return api::create(*parent, {.start = start, .stride = stride, .size = size},
                       {config, config_mask}, new_team, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmem_team_split_2d, shmem_team_t parent_team, int xrange,
            const shmem_team_config_t* xaxis_config, long xaxis_mask, shmem_team_t* xaxis_team,
            const shmem_team_config_t* yaxis_config, long yaxis_mask, shmem_team_t* yaxis_team) {
    tessera::check_initialized(SHMEM_WHERE);
    *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
    Team* const found = api::team_or_null(parent_team, SHMEM_WHERE);
    if (found == nullptr || xrange <= 0) return 1;
    Team& parent = *found;
    // A grid with `columns` PEs in a row; the last row may be short. An x team is a row, a y team a
    // column.
    const int columns = std::min(xrange, parent.npes);
    const int x = parent.my_index % columns;
    const int y = parent.my_index / columns;
    const int row_size = std::min(columns, parent.npes - y * columns);
    const int column_size = (parent.npes - x + columns - 1) / columns;
    int status = api::create(parent, {.start = y * columns, .stride = 1, .size = row_size},
                             {xaxis_config, xaxis_mask}, xaxis_team, SHMEM_WHERE);
    status |= api::create(parent, {.start = x, .stride = columns, .size = column_size},
                          {yaxis_config, yaxis_mask}, yaxis_team, SHMEM_WHERE);
    if (status == 0) return 0;
    for (shmem_team_t* team : {xaxis_team, yaxis_team}) {
        if (Team* made = api::team_or_null(*team, SHMEM_WHERE)) api::destroy(*made);
        *team = SHMEM_TEAM_INVALID;
    }
    return 1;
}

SHMEM_ENTRY(void, shmem_team_destroy, shmem_team_t team) {
    tessera::check_initialized(SHMEM_WHERE);
    if (team == SHMEM_TEAM_INVALID) return;
    if (team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED || team == api::kNodeTeamHandle)
        tessera::fatal("%s: predefined teams cannot be destroyed", SHMEM_WHERE);
    // A member that is ahead must not give its buffers, lists or memory to another team while
    // another PE uses them.
    Team& doomed = *api::team_or_null(team, SHMEM_WHERE);
    if (const std::uint32_t open = tessera::collectives::open_calls(doomed); open > 0) {
        tessera::fatal(
            "%s: %u nonblocking collectives of the team are under way; wait for their requests "
            "first",
            SHMEM_WHERE, open);
    }
    const auto first_call = static_cast<std::uint32_t>(doomed.first.mailbox_calls);
    const bool is_used_by_others = doomed.mailbox_calls != first_call || doomed.is_irregular() ||
                                   doomed.lines_shown != 0 ||
                                   tessera::collectives::has_used_streams(doomed);
    if (is_used_by_others) doomed.sync(doomed, SHMEM_WHERE);
    api::destroy(doomed);
}

SHMEM_ENTRY(void*, shmem_team_ptr, shmem_team_t team, const void* dest, int pe) {
    tessera::check_initialized(SHMEM_WHERE);
    const Team* found = api::team_or_null(team, SHMEM_WHERE);
    if (found == nullptr) return nullptr;
    int world_pe = found->checked_world_pe(pe, SHMEM_WHERE);
    return api::pointer_to(dest, world_pe, SHMEM_WHERE);
}
