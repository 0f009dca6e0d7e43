// SPDX-License-Identifier: BSD-3-Clause
//
// Local memory: a PE allocates it for itself, and any PE reaches it by a global pointer
// (shmemx/pointers.h). Each PE has its own blocks, so the same address is another object on another
// PE, or none. SHMEM_LOCAL_MEMORY_SIZE sets its size.
//
// No routine here communicates. A block lasts until it is freed, or until finalization. A PE that
// frees a block has to know that no other PE uses it.

#ifndef SHMEM_INTERNAL_SHMEMX_LOCAL_MEMORY_H
#define SHMEM_INTERNAL_SHMEMX_LOCAL_MEMORY_H

#include "../shmem/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocate memory of the calling PE that other PEs can reach. The contents of malloc and align are
 * unspecified; those of calloc are zero.
 *
 * size       bytes, of calloc: of an element. A block is at most a quarter larger.
 * count      elements.
 * alignment  power of two; the alignments up to 2 MiB are always possible.
 *
 * RETURNS when: at once; local; the block, aligned to 16 bytes or to alignment. NULL when size or
 * count is 0, when alignment is not a power of two or too large, when count * size is more than a
 * size_t holds, or when local memory has no room: no free run of size bytes (and a quarter). A
 * block has at most 64 GiB.
 * ERRORS: none. THREADS: any at the same time, whatever the thread level.
 */
void* shmemx_local_malloc(size_t size) SHMEM_INTERNAL_NOTHROW;
void* shmemx_local_calloc(size_t count, size_t size) SHMEM_INTERNAL_NOTHROW;
void* shmemx_local_align(size_t alignment, size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * Changes the size of a block, which may move; the contents stay as far as both sizes go. Global
 * pointers to a block that has moved point to freed memory.
 *
 * ptr        a block of the calling PE; NULL: as shmemx_local_malloc.
 * size       its new bytes; 0: as shmemx_local_free.
 *
 * RETURNS when: at once; local; the block. NULL when there is no room (the old block stays as it
 * is), or when size is 0.
 * ERRORS: a ptr that is no block of the calling PE's local memory ends the job with a message.
 * THREADS: any at the same time, whatever the thread level.
 */
void* shmemx_local_realloc(void* ptr, size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * Frees a block.
 *
 * ptr        a block of the calling PE; NULL: nothing happens.
 *
 * RETURNS when: at once; local.
 * ERRORS: a ptr that is no block of the calling PE's local memory, or was freed already, ends the
 * job with a message. SHMEM_DEBUG=1 lists the blocks that are not freed at finalization.
 * THREADS: any at the same time, also another one than allocated, whatever the thread level.
 */
void shmemx_local_free(void* ptr) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_LOCAL_MEMORY_H
