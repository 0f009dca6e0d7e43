// SPDX-License-Identifier: BSD-3-Clause
//
// dart_team_locality_*, dart_domain_team_locality, dart_unit_locality (locality.hpp).

#include "locality/locality.hpp"

#include <dash/dart/if/dart_locality.h>

#include <map>
#include <mutex>

#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/lookup.hpp"
#include "locality/domain.hpp"
#include "locality/hardware.hpp"
#include "locality/team_tree.hpp"

namespace tessera::dart {
namespace {

std::map<dart_team_t, TeamLocality> localities;
std::mutex localities_mutex;

void free_tree(TeamLocality& locality) {
    if (locality.root != nullptr) free_domain(locality.root);
}

// RETURNS: the localities, made at the first call; nullptr: the team has none.
TeamLocality* locality_of(dart_team_t team_id, const char* routine) {
    const Team* team = team_of_call(team_id, routine);
    if (team == nullptr) return nullptr;
    const std::lock_guard guard(localities_mutex);
    const auto found = localities.find(team_id);
    if (found == localities.end()) {
        fail(DART_ERR_INVAL, routine, "team %d has no localities: call dart_team_locality_init",
             team_id);
        return nullptr;
    }
    if (found->second.root == nullptr) make_locality(found->second, *team);
    return &found->second;
}

}  // namespace

void start_locality() {
    start_locations();
    const std::lock_guard guard(localities_mutex);
    localities[DART_TEAM_ALL];
}

void end_locality(dart_team_t team) {
    const std::lock_guard guard(localities_mutex);
    if (const auto found = localities.find(team); found != localities.end()) {
        free_tree(found->second);
        localities.erase(found);
    }
}

void stop_locality() {
    const std::lock_guard guard(localities_mutex);
    for (auto& [team, locality] : localities) free_tree(locality);
    localities.clear();
}

DART_ENTRY dart_ret_t dart_team_locality_init(dart_team_t team) {
    if (team_of_call(team, __func__) == nullptr) return bad_argument();
    const std::lock_guard guard(localities_mutex);
    localities[team];
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_locality_finalize(dart_team_t team) {
    if (team_of_call(team, __func__) == nullptr) return bad_argument();
    const std::lock_guard guard(localities_mutex);
    const auto found = localities.find(team);
    if (found == localities.end())
        return fail(DART_ERR_INVAL, __func__, "team %d has no localities", team);
    free_tree(found->second);
    localities.erase(found);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_domain_team_locality(dart_team_t team, const char* domain_tag,
                                                dart_domain_locality_t** team_domain_out) {
    if (team_domain_out == nullptr || domain_tag == nullptr)
        return fail(DART_ERR_INVAL, __func__, "the tag, or the domain, is a null pointer");
    *team_domain_out = nullptr;
    TeamLocality* locality = locality_of(team, __func__);
    if (locality == nullptr) return bad_argument();
    *team_domain_out = find_domain(*locality->root, domain_tag);
    return *team_domain_out != nullptr ? DART_OK : DART_ERR_NOTFOUND;
}

DART_ENTRY dart_ret_t dart_unit_locality(dart_team_t team, dart_team_unit_t unit,
                                         dart_unit_locality_t** loc) {
    if (loc == nullptr) return fail(DART_ERR_INVAL, __func__, "loc is a null pointer");
    *loc = nullptr;
    TeamLocality* locality = locality_of(team, __func__);
    if (locality == nullptr) return bad_argument();
    const auto index = static_cast<std::size_t>(unit.id);
    if (unit.id < 0 || index >= locality->units.size()) {
        return fail(DART_ERR_INVAL, __func__, "unit %d is not in [0, %zu), the units of team %d",
                    unit.id, locality->units.size(), team);
    }
    *loc = &locality->units[index];
    return DART_OK;
}

}  // namespace tessera::dart
