// SPDX-License-Identifier: BSD-3-Clause
//
// Images whose processes have died (killed, crashed). The launcher keeps the others alive and tells
// the library (shmemx/failures.h); for a program such an image has failed, as after fail image. The
// difference: a dead process neither serves a barrier nor announces anything, so each statement
// that waits looks at the number of deaths.
//
// THREADS: any.

#pragma once

#include <shmemx.h>

#include <atomic>

#include "core/members.hpp"

namespace tessera::caf {

// Called by initialize(), last: from here on a death does not end the program.
void survive_failures();

// The processes that have died. Waits take it by `failures` and look again when it has changed.
inline int count_deaths() { return shmemx_failure_count(); }

// Whether the process of a PE has died. COST: a look at each death.
bool is_dead(int pe);
bool has_dead_member(const Members& team);

// Around calls of OpenSHMEM in which members of a team wait for each other, behind
// sync_members(). A member that dies inside of such a call ends the program with a message, because
// the call would not end. So does a member that has died before, but for the first `reported`
// deaths: the program has been told of these and goes on without them. THREADS: one at a time.
class CollectiveCall {
  public:
    CollectiveCall(const Members& team, const char* routine, int reported = 0);
    ~CollectiveCall();
    CollectiveCall(const CollectiveCall&) = delete;
    CollectiveCall& operator=(const CollectiveCall&) = delete;

  private:
    static void tell(int pe);  // The library calls it when a PE has died.
    friend void survive_failures();
    void look_for_members(int first) const;

    static std::atomic<const CollectiveCall*> current;
    const Members& team_;
    const char* routine_;
    int reported_;
    const CollectiveCall* outer_;
};

}  // namespace tessera::caf
