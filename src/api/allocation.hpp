// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of memory.cpp for other entries that need a block of the symmetric heap. Collective
// over the world team, as the routines of the same names.
#pragma once

#include <cstddef>

namespace tessera::api {

// shmem_malloc_with_hints. nullptr on all PEs when there is no room.
void* allocate_hinted(std::size_t bytes, long hints, const char* where);

// shmem_free.
void free_block(void* address, const char* where);

}  // namespace tessera::api
