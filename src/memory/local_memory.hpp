// SPDX-License-Identifier: BSD-3-Clause
//
// This PE's local memory: blocks that it allocates for itself, without the other PEs, which reach
// them like all of its range (include/shmemx/local_memory.h). heap/local_allocator.hpp tiles the
// memory; each thread keeps some free blocks of each size up to kCachedBytesMax in a cache of its
// own, so that most calls take no lock. THREADS: any, all functions but close_local_memory().
#pragma once

#include <cstddef>

namespace tessera {

// nullptr: no room, or bytes is 0. REQUIRES: initialized, all of these.
void* allocate_local(std::size_t bytes);
// The same at a multiple of `alignment`; nullptr also when that is no power of two, or more than
// the alignment of local memory itself, which is 2 MiB or more.
void* allocate_local_aligned(std::size_t alignment, std::size_t bytes);
// nullptr, and the block as it was: no room.
void* resize_local(void* address, std::size_t bytes, const char* where);
// An address that is not that of a block ends the job. nullptr: nothing happens.
void free_local(void* address, const char* where);

// SHMEM_DEBUG: warns of the blocks that are still in use.
void report_local_leaks();
// Behind the last byte of the range that has ever been in a block of local memory.
std::size_t local_memory_end();
// For finalize: all blocks are gone. REQUIRES: no thread is in another function of these.
void close_local_memory();

}  // namespace tessera
