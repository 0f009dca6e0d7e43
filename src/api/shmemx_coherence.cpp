// SPDX-License-Identifier: BSD-3-Clause
//
// Loads and stores to memory that software keeps coherent (include/shmemx/coherence.h).
#include <atomic>

#include "api/entry.hpp"
#include "api/pointer.hpp"
#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "core/sync_copies.hpp"
#include "shmemx.h"

namespace api = tessera::api;
using tessera::address_map;

namespace {

void check_range(const void* ptr, std::size_t nbytes, const char* where) {
    tessera::check_initialized(where);
    if (ptr == nullptr && nbytes > 0) {
        tessera::fatal(
            "%s: ptr is a null pointer, nbytes %zu; pass memory of this PE, or what "
            "shmemx_public_ptr returned",
            where, nbytes);
    }
}

}  // namespace

SHMEM_ENTRY(void*, shmemx_public_ptr, const void* addr, int pe) {
    void* mapped = api::pointer_to(addr, pe, SHMEM_WHERE);
    if (mapped != nullptr || address_map.coherence == nullptr) return mapped;
    return address_map.coherence->public_address(addr, pe);
}

// seq_cst: the caller may tell another PE, or look at what it told, by any means. Pairs with
// api/shmemx_coherence.cpp:shmemx_invalidate.
SHMEM_ENTRY(void, shmemx_writeback, const void* ptr, size_t nbytes) {
    check_range(ptr, nbytes, SHMEM_WHERE);
    if (address_map.coherence != nullptr)
        address_map.coherence->write_back(ptr, nbytes, SHMEM_WHERE);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

// Pairs with api/shmemx_coherence.cpp:shmemx_writeback.
SHMEM_ENTRY(void, shmemx_invalidate, const void* ptr, size_t nbytes) {
    check_range(ptr, nbytes, SHMEM_WHERE);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (address_map.coherence != nullptr)
        address_map.coherence->invalidate(ptr, nbytes, SHMEM_WHERE);
}
