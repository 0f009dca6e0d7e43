// SPDX-License-Identifier: BSD-3-Clause
//
// SHMEM_CHECK and the checker (tools/check), which programs have only when they are started with
// it: as a library that PEs preload.
#pragma once

namespace tessera {

// Ends the job with a message where SHMEM_CHECK asks for the checker and the PE has not loaded it,
// or has a bad value.
void require_checker(const char* where);

}  // namespace tessera
