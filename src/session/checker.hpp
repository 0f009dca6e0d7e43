// SPDX-License-Identifier: BSD-3-Clause
//
// SHMEM_CHECK and the checker (tools/check), which programs have only when they are started with
// it: as a library that PEs preload.
#pragma once

// "symmetric heap", "team memory", "local memory", or nullptr for other memory: the part of this
// PE's own range that holds the address. For the checker, which knows the blocks in these parts.
extern "C" __attribute__((visibility("default"))) const char* shmem_internal_part_of(
    const void* address);

namespace tessera {

// Ends the job with a message where SHMEM_CHECK asks for the checker and the PE has not loaded it,
// or has a bad value.
void require_checker(const char* where);

}  // namespace tessera
