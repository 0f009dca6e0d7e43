// SPDX-License-Identifier: BSD-3-Clause
//
// The constants of the compiler's module prif for the codes of the core. The Fortran layer passes
// them at the start.

#pragma once

namespace tessera::prif {

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
void set_stat_values(const StatValues& values);

// The constant for a code of the core (caf::Stat); a code that has none stands for itself.
int value_of(int code);

}  // namespace tessera::prif
