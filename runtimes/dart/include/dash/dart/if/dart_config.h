// SPDX-License-Identifier: BSD-3-Clause
//
// Settings of DART that a program may change.

#ifndef DASH_DART_IF_DART_CONFIG_H
#define DASH_DART_IF_DART_CONFIG_H

#include "dart_types.h"
#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Settings. */
typedef struct {
    /** Whether DART prints messages about what it does. Errors are always printed. */
    int log_enabled;
} dart_config_t;

/**
 * Gives the settings of this unit.
 *
 * config_out  receives their address, which never changes.
 *
 * Local; also before dart_init and after dart_exit.
 */
void dart_config(dart_config_t** config_out) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_CONFIG_H
