// SPDX-License-Identifier: BSD-3-Clause
//
// Groups: sets of units, local to the unit that makes them, ascending by the unit's number in the
// program. Teams: groups that communicate; their units count from 0 in the same order.

#ifndef DASH_DART_IF_DART_TEAM_GROUP_H
#define DASH_DART_IF_DART_TEAM_GROUP_H

#include "dart_types.h"
#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Groups -----------------------------------------------------------------------------------

/** A group. */
typedef struct dart_group_struct* dart_group_t;

/** No group. */
#define DART_GROUP_NULL ((struct dart_group_struct*)NULL)

/**
 * Make a group: an empty one; a copy; the units of either group; the units of both groups.
 *
 * group, gout  receives the group, which dart_group_destroy ends.
 * gin, g1, g2  groups.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: a null pointer or group; DART_ERR_NOMEM.
 */
dart_ret_t dart_group_create(dart_group_t* group) DART_NOTHROW;
dart_ret_t dart_group_clone(const dart_group_t gin, dart_group_t* gout) DART_NOTHROW;
dart_ret_t dart_group_union(const dart_group_t g1, const dart_group_t g2,
                            dart_group_t* gout) DART_NOTHROW;
dart_ret_t dart_group_intersect(const dart_group_t g1, const dart_group_t g2,
                                dart_group_t* gout) DART_NOTHROW;

/**
 * Ends a group.
 *
 * group   the group; becomes DART_GROUP_NULL, which does nothing.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: NULL, or no group.
 */
dart_ret_t dart_group_destroy(dart_group_t* group) DART_NOTHROW;

/**
 * Add a unit, which may be in the group already; remove a unit; ask for a unit.
 *
 * g         the group.
 * unitid    a number in the program; before the first dart_init any number, 0 or more.
 * ismember  receives 1 or 0.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: a null pointer or group, or a unit that is none.
 */
dart_ret_t dart_group_addmember(dart_group_t g, dart_global_unit_t unitid) DART_NOTHROW;
dart_ret_t dart_group_delmember(dart_group_t g, dart_global_unit_t unitid) DART_NOTHROW;
dart_ret_t dart_group_ismember(const dart_group_t g, dart_global_unit_t unitid,
                               int32_t* ismember) DART_NOTHROW;

/**
 * Tell the number of units, and the units, ascending.
 *
 * g        the group.
 * size     receives the number.
 * unitids  receives the units.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: a null pointer or group.
 */
dart_ret_t dart_group_size(const dart_group_t g, size_t* size) DART_NOTHROW;
dart_ret_t dart_group_getmembers(const dart_group_t g, dart_global_unit_t* unitids) DART_NOTHROW;

/**
 * Splits a group into groups of consecutive units, each of ceil(size / n) units but the last.
 *
 * g       the group.
 * n       groups that are wanted; 1 or more.
 * nout    receives the number of groups that have units.
 * gout    receives n groups, behind `nout` empty ones. The program ends all of them.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: a null pointer or group, or n is 0; DART_ERR_NOMEM.
 */
dart_ret_t dart_group_split(const dart_group_t g, size_t n, size_t* nout,
                            dart_group_t* gout) DART_NOTHROW;

/**
 * Splits a group by the domains of a scope. With fewer groups than domains, a group has the units
 * of consecutive domains.
 *
 * g       the group.
 * domain  the domain whose parts count.
 * scope   the kind of the parts.
 * n       groups that are wanted; 1 or more.
 * nout    receives the number of groups that are made: n, or the number of parts if that is less.
 * gout    receives that many groups; empty ones for parts without units of the group.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: a null pointer or group, n is 0, or no part of that scope.
 */
dart_ret_t dart_group_locality_split(const dart_group_t g, dart_domain_locality_t* domain,
                                     dart_locality_scope_t scope, size_t n, size_t* nout,
                                     dart_group_t* gout) DART_NOTHROW;

// ---- Teams ------------------------------------------------------------------------------------

/** The team of all units, and no team. */
#define DART_TEAM_ALL ((dart_team_t)0)
#define DART_TEAM_NULL ((dart_team_t)-1)

/**
 * Gives the units of a team.
 *
 * teamid  the team.
 * group   receives a new group.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such team; DART_ERR_NOMEM.
 */
dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t* group) DART_NOTHROW;

/**
 * Makes a team. Collective over the parent.
 *
 * teamid   the parent.
 * group    the units of the new team, all of the parent; the same on all units, or different
 *          groups without a common unit. DART_GROUP_NULL: DART_ERR_INVAL at once, locally. An
 *          empty one that dart_group_split has made: DART_TEAM_NULL at once, locally.
 * newteam  receives the team; DART_TEAM_NULL on units that are not in the group.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such parent, no group, or units that are not in the parent;
 * DART_ERR_NOMEM; the same on all units of the new team: DART_ERR_OTHER: a unit is in as many teams
 * as can have collectives (some 2300; some 250, if the team has more than 224 units), or no number
 * is left for a team.
 */
dart_ret_t dart_team_create(dart_team_t teamid, const dart_group_t group,
                            dart_team_t* newteam) DART_NOTHROW;

/**
 * Ends a team, with the global memory that it still has. Collective.
 *
 * teamid  the team; becomes DART_TEAM_NULL, which does nothing.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such team, or DART_TEAM_ALL.
 */
dart_ret_t dart_team_destroy(dart_team_t* teamid) DART_NOTHROW;

/**
 * Makes a team of the same units. Collective.
 *
 * team     the team.
 * newteam  receives the new team.
 *
 * RETURNS: as dart_team_create.
 */
dart_ret_t dart_team_clone(dart_team_t team, dart_team_t* newteam) DART_NOTHROW;

/**
 * Tell the calling unit's number in a team, or in the program, and the number of units.
 *
 * teamid  the team.
 * myid    receives the number, -1 with an error.
 * size    receives the number of units, 0 with an error.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such team; DART_ERR_NOTINIT: DART does not run.
 */
dart_ret_t dart_team_myid(dart_team_t teamid, dart_team_unit_t* myid) DART_NOTHROW;
dart_ret_t dart_team_size(dart_team_t teamid, size_t* size) DART_NOTHROW;
dart_ret_t dart_myid(dart_global_unit_t* myid) DART_NOTHROW;
dart_ret_t dart_size(size_t* size) DART_NOTHROW;

/**
 * Translate between the numbers in a team and in the program.
 *
 * team      the team.
 * localid   the number in the team; g2l: receives it, -1 for units that are not in the team.
 * globalid  the number in the program; l2g: receives it, -1 with an error.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such team; l2g: no such unit.
 */
dart_ret_t dart_team_unit_l2g(dart_team_t team, dart_team_unit_t localid,
                              dart_global_unit_t* globalid) DART_NOTHROW;
dart_ret_t dart_team_unit_g2l(dart_team_t team, dart_global_unit_t globalid,
                              dart_team_unit_t* localid) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_TEAM_GROUP_H
