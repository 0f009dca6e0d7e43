// SPDX-License-Identifier: BSD-3-Clause
//
// DART, the runtime interface of the DASH template library, version 3.2.0. This header includes the
// whole interface. Tessera's DART and every other one have the same names, types and layouts, so a
// program that includes the headers of DASH runs on this library, and the other way round.
//
// Conventions, for all routines: they return DART_OK, or an error whose reason stands on stderr.
// Where DART does not run, those that name a team, a unit or memory return DART_ERR_NOTINIT.
// Unit numbers count in a team (dart_team_unit_t) or in the program (dart_global_unit_t).
// "Collective" routines are called by all units of the team, in the same order. THREADS: any thread
// at any time, except where a routine says otherwise; collectives: one thread per team at a time.
//
// Errors in collectives: all units of the team return the error, or the program ends. A unit checks
// its arguments before it sends anything. If all units have a mistake, each returns its error, and
// nothing has happened. If only some have one, the others wait for them inside the call, so the
// program ends with the message of a unit that has made the mistake. A unit that names no team
// returns DART_ERR_INVAL at once: it has no other units.
//
// Handles (types, operations, groups, locks, allocators): a value that no routine has given, and a
// copy of a handle that has ended, is DART_ERR_INVAL in all routines.

#ifndef DASH_DART_IF_DART_H
#define DASH_DART_IF_DART_H

/** The version of the interface. */
#define DART_VERSION_STR "3.2.0"
/** When the file that includes this header was compiled. */
#define DART_BUILD_STR (__DATE__ " " __TIME__)

#include "dart_communication.h"
#include "dart_config.h"
#include "dart_globmem.h"
#include "dart_initialization.h"
#include "dart_locality.h"
#include "dart_synchronization.h"
#include "dart_team_group.h"
#include "dart_types.h"

#endif  // DASH_DART_IF_DART_H
