// SPDX-License-Identifier: BSD-3-Clause
//
// A PE's place in the files of an oshrun job is for one program at a time: a PE may start several
// (oshrun sh -c "./a; ./b"), but two at once (./a | ./b) would use the same heap and the same
// flags. Called by runtime.cpp. Does nothing under other launchers.
#pragma once

namespace tessera {

// Takes the place until shmem_finalize closes the node file, and tells oshrun's timeout report that
// this PE is in shmem_init. Ends the job when another program is there. `where` names the routine.
// COST: five system calls.
void take_place(const char* where);

}  // namespace tessera
