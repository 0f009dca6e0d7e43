// SPDX-License-Identifier: BSD-3-Clause
//
// The record of a PE in an oshrun job's node file is for one program at a time: a PE may start
// several (oshrun sh -c "./a; ./b"), but two at once (./a | ./b) would use the same heap and the
// same flags. Called by runtime.cpp. Does nothing under other launchers.
#pragma once

namespace tessera {

// Locks this PE's record until shmem_finalize closes the node file, and notes for oshrun's timeout
// report that this PE is in shmem_init. Ends the job when another program holds the record. `where`
// names the routine.
// COST: five system calls.
void lock_pe_record(const char* where);

}  // namespace tessera
