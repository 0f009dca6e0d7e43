// SPDX-License-Identifier: BSD-3-Clause
//
// The routines that initialize share this (setup.cpp, shmemx_init.cpp).
#pragma once

namespace tessera::api {

// shmem_init_thread. A thread level that is none ends the job.
int initialize_at_level(int requested, int* provided, const char* where);

}  // namespace tessera::api
