// SPDX-License-Identifier: BSD-3-Clause
//
// The shell's limits (ulimit) under which oshrun runs. libpmix, libevent and std::thread crash
// under small limits, so oshrun checks the limits first. Called by start.cpp and osh_info --doctor.
#pragma once

#include <sys/resource.h>

#include <array>

namespace tessera::oshrun {

// A soft limit as the user had it; the PEs get it back.
struct SavedLimit {
    decltype(RLIMIT_NOFILE) resource = RLIMIT_NOFILE;
    rlimit before{};
    bool is_changed = false;
};
inline constexpr std::size_t kRaisedLimits = 3;
using SavedLimits = std::array<SavedLimit, kRaisedLimits>;

// Raises soft limits as far as the hard ones allow. Ends oshrun with a message when one of them is
// too small to start `npes` PEs.
SavedLimits raise_limits(int npes);

// Open files without which no job of `npes` PEs starts, and those that it can use.
rlim_t open_files_min(int npes);
rlim_t open_files_wanted(int npes);

}  // namespace tessera::oshrun
