// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation and free of symmetric memory (OpenSHMEM 1.6, 9.3), of team and local memory, and
// segments (shmemx.h). The observer may change sizes and addresses.
#include "tools/interpose/forward.hpp"

namespace tessera::interpose {

#define ALLOCATE(NAME, PARAMETERS, ARGUMENTS, ...)                                                 \
    INTERPOSE_CHANGED(forward_memory, void*, NAME, PARAMETERS, ARGUMENTS, .kind = Kind::kAllocate, \
                      __VA_ARGS__)
#define REALLOCATE(NAME, ...)                                                \
    INTERPOSE_CHANGED(forward_memory, void*, NAME, (void* ptr, size_t size), \
                      (call.dest, call.size), .kind = Kind::kReallocate, __VA_ARGS__)
#define FREE(NAME, ...)                                                                   \
    INTERPOSE_CHANGED(forward, void, NAME, (void* ptr), (call.dest), .kind = Kind::kFree, \
                      __VA_ARGS__)

#define WORLD .team = SHMEM_TEAM_WORLD
ALLOCATE(shmem_malloc, (size_t size), (call.size), WORLD, .size = size)
ALLOCATE(shmalloc, (size_t size), (call.size), WORLD, .size = size)
ALLOCATE(shmem_align, (size_t alignment, size_t size), (alignment, call.size), WORLD, .size = size,
         .alignment = alignment)
ALLOCATE(shmemalign, (size_t alignment, size_t size), (alignment, call.size), WORLD, .size = size,
         .alignment = alignment)
ALLOCATE(shmem_malloc_with_hints, (size_t size, long hints), (call.size, hints), WORLD,
         .size = size, .options = hints)
REALLOCATE(shmem_realloc, WORLD, .dest = ptr, .size = size)
REALLOCATE(shrealloc, WORLD, .dest = ptr, .size = size)
FREE(shmem_free, WORLD, .dest = ptr)
FREE(shfree, WORLD, .dest = ptr)

// The bytes of an array. A product that is no size_t is 0 here, and the library's to refuse.
static size_t product(size_t count, size_t size) {
    size_t bytes = 0;
    return __builtin_mul_overflow(count, size, &bytes) ? 0 : bytes;
}
// The arguments of a calloc of `call.size` bytes, or the program's own.
#define ARRAY call.size != 0 ? 1 : count, call.size != 0 ? call.size : size

ALLOCATE(shmem_calloc, (size_t count, size_t size), (ARRAY), WORLD, .size = product(count, size))

// ---- Team and local memory ----------------------------------------------------------------------

#define OF_TEAM .team = team
ALLOCATE(shmemx_team_malloc, (shmem_team_t team, size_t size), (team, call.size), OF_TEAM,
         .memory = Memory::kTeam, .size = size)
ALLOCATE(shmemx_team_align, (shmem_team_t team, size_t alignment, size_t size),
         (team, alignment, call.size), OF_TEAM, .memory = Memory::kTeam, .size = size,
         .alignment = alignment)
ALLOCATE(shmemx_team_calloc, (shmem_team_t team, size_t count, size_t size), (team, ARRAY), OF_TEAM,
         .memory = Memory::kTeam, .size = product(count, size))
INTERPOSE_CHANGED(forward, void, shmemx_team_free, (shmem_team_t team, void* ptr),
                  (team, call.dest), .kind = Kind::kFree, OF_TEAM, .dest = ptr,
                  .memory = Memory::kTeam)

#define LOCAL .memory = Memory::kLocal
ALLOCATE(shmemx_local_malloc, (size_t size), (call.size), LOCAL, .size = size)
ALLOCATE(shmemx_local_calloc, (size_t count, size_t size), (ARRAY), LOCAL,
         .size = product(count, size))
ALLOCATE(shmemx_local_align, (size_t alignment, size_t size), (alignment, call.size), LOCAL,
         .size = size, .alignment = alignment)
REALLOCATE(shmemx_local_realloc, .dest = ptr, LOCAL, .size = size)
FREE(shmemx_local_free, .dest = ptr, LOCAL)

// ---- Segments and coherence ---------------------------------------------------------------------

INTERPOSE(int, shmemx_register,
          (shmem_team_t team, void* base, size_t bytes, shmemx_segment_t* segment),
          (team, base, bytes, segment), .kind = Kind::kRegister, .team = team, .dest = base,
          .size = bytes)
INTERPOSE(void, shmemx_deregister, (shmemx_segment_t segment), (segment), .kind = Kind::kRegister)
INTERPOSE(void, shmemx_heap_create, (void* base, size_t size, int device_type, int device_index),
          (base, size, device_type, device_index), .kind = Kind::kRegister,
          .team = SHMEM_TEAM_WORLD, .dest = base, .size = size)
INTERPOSE(void, shmemx_writeback, (const void* ptr, size_t nbytes), (ptr, nbytes),
          .kind = Kind::kCoherence, .source = ptr, .size = nbytes)
INTERPOSE(void, shmemx_invalidate, (const void* ptr, size_t nbytes), (ptr, nbytes),
          .kind = Kind::kCoherence, .source = ptr, .size = nbytes)
#undef ALLOCATE
#undef REALLOCATE
#undef FREE
#undef WORLD
#undef OF_TEAM
#undef LOCAL
#undef ARRAY

}  // namespace tessera::interpose
