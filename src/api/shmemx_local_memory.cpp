// SPDX-License-Identifier: BSD-3-Clause
//
// Local memory (include/shmemx/local_memory.h). memory/local_memory.hpp does the work.
#include <cstring>

#include "api/entry.hpp"
#include "base/byte_count.hpp"
#include "core/address_map.hpp"
#include "memory/local_memory.hpp"
#include "shmemx.h"

SHMEM_ENTRY(void*, shmemx_local_malloc, size_t size) {
    tessera::check_initialized(SHMEM_WHERE);
    return tessera::allocate_local(size);
}

SHMEM_ENTRY(void*, shmemx_local_calloc, size_t count, size_t size) {
    tessera::check_initialized(SHMEM_WHERE);
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
    void* block = tessera::allocate_local(bytes);
    if (block != nullptr) std::memset(block, 0, bytes);
    return block;
}

SHMEM_ENTRY(void*, shmemx_local_align, size_t alignment, size_t size) {
    tessera::check_initialized(SHMEM_WHERE);
    return tessera::allocate_local_aligned(alignment, size);
}

SHMEM_ENTRY(void*, shmemx_local_realloc, void* ptr, size_t size) {
    tessera::check_initialized(SHMEM_WHERE);
    if (ptr == nullptr) return tessera::allocate_local(size);
    if (size != 0) return tessera::resize_local(ptr, size, SHMEM_WHERE);
    tessera::free_local(ptr, SHMEM_WHERE);
    return nullptr;
}

SHMEM_ENTRY(void, shmemx_local_free, void* ptr) {
    tessera::check_initialized(SHMEM_WHERE);
    tessera::free_local(ptr, SHMEM_WHERE);
}
