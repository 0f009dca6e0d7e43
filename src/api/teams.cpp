// SPDX-License-Identifier: BSD-3-Clause
//
// Team management (OpenSHMEM 1.6, 9.4). A split only computes the list of members; collectives/
// team_create.hpp makes a team of any list.
#include "shmem/teams.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "api/entry.hpp"
#include "api/pointer.hpp"
#include "base/fatal.hpp"
#include "collectives/team_create.hpp"
#include "shmem/setup.h"

namespace tessera::api {
namespace {

std::mutex open_teams_lock;  // create and destroy only
auto& open_teams = *new std::vector<std::unique_ptr<Team>>;

shmem_team_t keep(std::unique_ptr<Team> team) {
    shmem_team_t handle = handle_of(*team);
    std::lock_guard guard(open_teams_lock);
    open_teams.push_back(std::move(team));
    return handle;
}

std::unique_ptr<Team> take(const Team& team) {
    std::lock_guard guard(open_teams_lock);
    auto position = std::find_if(open_teams.begin(), open_teams.end(),
                                 [&](const auto& open) { return open.get() == &team; });
    if (position == open_teams.end()) return nullptr;
    std::unique_ptr<Team> taken = std::move(*position);
    open_teams.erase(position);
    return taken;
}

struct Configuration {
    const shmem_team_config_t* config;
    long mask;

    int num_contexts() const {
        bool is_given = config != nullptr && (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0;
        return is_given ? config->num_contexts : 0;
    }
};

// Collective over `parent`. The status is the same on all its PEs.
int create(Team& parent, std::span<const int> world_pes, const Configuration& configuration,
           shmem_team_t* new_team, const char* where) {
    collectives::NewTeam made = collectives::create_team(parent, world_pes, where);
    if (made.team) {
        made.team->num_contexts = configuration.num_contexts();
        *new_team = keep(std::move(made.team));
    }
    return made.succeeded ? 0 : 1;
}

// Whether start, stride and size name PEs of the parent.
bool is_team(const Team& parent, int start, int stride, int size) {
    const auto npes = static_cast<long>(parent.npes);
    const long last = start + (size - 1L) * stride;
    return size > 0 && start >= 0 && start < npes && last >= 0 && last < npes &&
           (stride != 0 || size == 1);
}

// Member i is PE start + i * stride of the parent. Empty when this PE is none of them.
std::vector<int> strided_members(const Team& parent, int start, int stride, int size) {
    const int me = parent.world_pe(parent.my_index);
    std::vector<int> members;
    for (int i = 0; i < size; ++i) members.push_back(parent.world_pe(start + i * stride));
    if (std::find(members.begin(), members.end(), me) == members.end()) members.clear();
    return members;
}

void destroy(shmem_team_t team) {
    Team& doomed = *team_or_null(team);
    destroy_contexts_of(doomed);
    if (std::unique_ptr<Team> taken = take(doomed)) collectives::destroy_team(std::move(taken));
}

}  // namespace

void fail_team(const char* where) {
    fatal(
        "%s: team is SHMEM_TEAM_INVALID; only members of a team may use it (was this PE left out "
        "of "
        "a split, or the team destroyed?)",
        where);
}

void destroy_all_teams() {
    std::lock_guard guard(open_teams_lock);
    open_teams.clear();
}

}  // namespace tessera::api

namespace api = tessera::api;
using tessera::Team;

SHMEM_ENTRY(int, shmem_team_my_pe, shmem_team_t team) {
    tessera::check_initialized(SHMEM_WHERE);
    return team == SHMEM_TEAM_INVALID ? -1 : api::team_or_null(team)->my_index;
}

SHMEM_ENTRY(int, shmem_team_n_pes, shmem_team_t team) {
    tessera::check_initialized(SHMEM_WHERE);
    return team == SHMEM_TEAM_INVALID ? -1 : api::team_or_null(team)->npes;
}

SHMEM_ENTRY(int, shmem_team_get_config, shmem_team_t team, long config_mask,
            shmem_team_config_t* config) {
    tessera::check_initialized(SHMEM_WHERE);
    if (team == SHMEM_TEAM_INVALID) return 1;
    if ((config_mask & SHMEM_TEAM_NUM_CONTEXTS) != 0 && config != nullptr) {
        config->num_contexts = api::team_or_null(team)->num_contexts;
    }
    return 0;
}

SHMEM_ENTRY(int, shmem_team_translate_pe, shmem_team_t src_team, int src_pe,
            shmem_team_t dest_team) {
    tessera::check_initialized(SHMEM_WHERE);
    if (src_team == SHMEM_TEAM_INVALID || dest_team == SHMEM_TEAM_INVALID) return -1;
    const Team& source = *api::team_or_null(src_team);
    if (src_pe < 0 || src_pe >= source.npes) return -1;
    return api::team_or_null(dest_team)->index_of(source.world_pe(src_pe));
}

SHMEM_ENTRY(int, shmem_team_split_strided, shmem_team_t parent_team, int start, int stride,
            int size, const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team) {
    tessera::check_initialized(SHMEM_WHERE);
    *new_team = SHMEM_TEAM_INVALID;
    if (parent_team == SHMEM_TEAM_INVALID) return 1;
    Team& parent = *api::team_or_null(parent_team);
    if (!api::is_team(parent, start, stride, size)) return 1;
    std::vector<int> members = api::strided_members(parent, start, stride, size);
    return api::create(parent, members, {config, config_mask}, new_team, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmem_team_split_2d, shmem_team_t parent_team, int xrange,
            const shmem_team_config_t* xaxis_config, long xaxis_mask, shmem_team_t* xaxis_team,
            const shmem_team_config_t* yaxis_config, long yaxis_mask, shmem_team_t* yaxis_team) {
    tessera::check_initialized(SHMEM_WHERE);
    *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
    if (parent_team == SHMEM_TEAM_INVALID || xrange <= 0) return 1;
    Team& parent = *api::team_or_null(parent_team);
    // A grid with `columns` PEs in a row; the last row may be short. An x team is a row, a y team a
    // column.
    const int columns = std::min(xrange, parent.npes);
    const int x = parent.my_index % columns;
    const int y = parent.my_index / columns;
    const int row_size = std::min(columns, parent.npes - y * columns);
    const int column_size = (parent.npes - x + columns - 1) / columns;
    int status = api::create(parent, api::strided_members(parent, y * columns, 1, row_size),
                             {xaxis_config, xaxis_mask}, xaxis_team, SHMEM_WHERE);
    status |= api::create(parent, api::strided_members(parent, x, columns, column_size),
                          {yaxis_config, yaxis_mask}, yaxis_team, SHMEM_WHERE);
    if (status == 0) return 0;
    for (shmem_team_t* team : {xaxis_team, yaxis_team}) {
        if (*team != SHMEM_TEAM_INVALID) api::destroy(*team);
        *team = SHMEM_TEAM_INVALID;
    }
    return 1;
}

SHMEM_ENTRY(void, shmem_team_destroy, shmem_team_t team) {
    tessera::check_initialized(SHMEM_WHERE);
    if (team == SHMEM_TEAM_INVALID) return;
    if (team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED || team == api::kNodeTeamHandle) {
        tessera::fatal("%s: predefined teams cannot be destroyed", SHMEM_WHERE);
    }
    // A member who is ahead must not give its buffers to another team while somebody reads in them.
    Team& doomed = *api::team_or_null(team);
    if (doomed.linked != 0) doomed.sync(doomed, SHMEM_WHERE);
    api::destroy(team);
}

SHMEM_ENTRY(void*, shmem_team_ptr, shmem_team_t team, const void* dest, int pe) {
    tessera::check_initialized(SHMEM_WHERE);
    if (team == SHMEM_TEAM_INVALID) return nullptr;
    int world_pe = api::team_or_null(team)->checked_world_pe(pe, SHMEM_WHERE);
    return api::pointer_to(dest, world_pe, SHMEM_WHERE);
}
