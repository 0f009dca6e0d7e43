// SPDX-License-Identifier: BSD-3-Clause
//
// What the Fortran layer says at the start about its compiler.

#pragma once

namespace tessera::prif {

// The constants of the compiler's module prif.
struct StatValues {
    int failed = 0;
    int stopped = 0;
    int locked = 0;
    int locked_other_image = 0;
    int unlocked = 0;
    int unlocked_failed_image = 0;
    int out_of_memory = 0;
    int already_init = 0;
};
const StatValues& stat_values();

}  // namespace tessera::prif
