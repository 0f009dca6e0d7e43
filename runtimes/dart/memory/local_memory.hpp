// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that dart_memalloc gives: each unit allocates for itself, and all units reach it.
#pragma once

#include <cstddef>

namespace tessera::dart {

// RETURNS: nullptr: no memory is left. THREADS: any, as for all here.
char* allocate_local(std::size_t bytes);
// RETURNS: false: `block` is not the start of a block in use.
bool free_local(char* block);
// Frees all blocks.
void end_local_memory();

}  // namespace tessera::dart
