// SPDX-License-Identifier: BSD-3-Clause
//
// The part that shmem_ptr and shmem_team_ptr share.
#pragma once

namespace tessera::api {

// The pointer through which this PE loads and stores `pe`'s copy of the object (`pe`: number in the
// world), or nullptr when there is none. A bad PE number ends the job.
void* pointer_to(const void* address, int pe, const char* where);

}  // namespace tessera::api
