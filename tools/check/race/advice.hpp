// SPDX-License-Identifier: BSD-3-Clause
//
// Words for the user: the name of a race, and the synchronization that is missing. Pure.
#pragma once

#include "tools/check/race/shadow.hpp"

namespace tessera::check::race {

struct Advice {
    const char* mistake;
    const char* missing;
};

// `is_after`: the PE that makes the new access knows that the earlier call came before, but not
// that its effect is complete.
Advice advice_for(const Access& earlier, const Access& now, bool is_after);

// "reads", "writes", "reads atomically", "updates atomically".
const char* verb_of(Touch touch);

}  // namespace tessera::check::race
