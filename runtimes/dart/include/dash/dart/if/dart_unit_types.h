// SPDX-License-Identifier: BSD-3-Clause
//
// Units, which are the processes of a program, and teams of them.

#ifndef DASH_DART_IF_DART_UNIT_TYPES_H
#define DASH_DART_IF_DART_UNIT_TYPES_H

#include <stdint.h>

#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The number of a unit: a process of the program. */
typedef int32_t dart_unit_t;

/** The number of no unit. */
#define DART_UNDEFINED_UNIT_ID ((dart_unit_t)(-1))

/** The number of a unit in the program. */
typedef struct dart_global_unit {
#ifdef __cplusplus
    constexpr dart_global_unit() : id(DART_UNDEFINED_UNIT_ID) {}
    constexpr dart_global_unit(dart_unit_t number) : id(number) {}
#endif
    dart_unit_t id;
} dart_global_unit_t;

/** The number of a unit in a team. */
typedef struct dart_local_unit {
#ifdef __cplusplus
    constexpr dart_local_unit() : id(DART_UNDEFINED_UNIT_ID) {}
    constexpr dart_local_unit(dart_unit_t number) : id(number) {}
#endif
    dart_unit_t id;
} dart_team_unit_t;

/** Makes a number in a team out of a plain one. */
DART_INLINE dart_team_unit_t dart_create_team_unit(dart_unit_t unit) {
    dart_team_unit_t made = {unit};
    return made;
}

/** Makes a number in the program out of a plain one. */
DART_INLINE dart_global_unit_t dart_create_global_unit(dart_unit_t unit) {
    dart_global_unit_t made = {unit};
    return made;
}

#define DART_TEAM_UNIT_ID(unit) (dart_create_team_unit(unit))
#define DART_GLOBAL_UNIT_ID(unit) (dart_create_global_unit(unit))
#define DART_UNDEFINED_TEAM_UNIT_ID DART_TEAM_UNIT_ID(DART_UNDEFINED_UNIT_ID)
#define DART_UNDEFINED_GLOBAL_UNIT_ID DART_GLOBAL_UNIT_ID(DART_UNDEFINED_UNIT_ID)

/** The number of a team; the same on all its units. */
typedef int16_t dart_team_t;

/** The number of no team. */
#define DART_UNDEFINED_TEAM_ID ((dart_team_t)(-1))

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_UNIT_TYPES_H
