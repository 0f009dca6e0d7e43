// SPDX-License-Identifier: BSD-3-Clause
//
// Counting puts and gets, and performance counters of networks (include/shmemx.h). A counter is a
// signal word in the symmetric heap, so it costs as much as put-with-signal, and ends waits.
#include "api/allocation.hpp"
#include "api/entry.hpp"
#include "api/local_word.hpp"
#include "base/fatal.hpp"
#include "base/wait.hpp"
#include "collectives/barrier/barrier.hpp"
#include "shmemx.h"

// At the same place of the heap on all PEs, on a cache line of its own.
struct shmem_internal_ct {
    std::uint64_t count;
};

namespace tessera::api {
namespace {

// The handle is the address of the word; no member access, so that messages show a null handle.
std::uint64_t* word_of(shmemx_ct_t ct) { return reinterpret_cast<std::uint64_t*>(ct); }

Signal one_more(shmemx_ct_t ct) { return {word_of(ct), 1, SHMEM_SIGNAL_ADD}; }

// The store is local and comes before the barrier, so that no PE counts before it.
shmemx_ct_t create_counter(const char* where) {
    void* block = allocate_hinted(sizeof(shmem_internal_ct),
                                  SHMEM_MALLOC_SIGNAL_REMOTE | SHMEMX_MALLOC_NO_BARRIER, where);
    if (block == nullptr)
        fatal("%s: no room for a counter in the symmetric heap; raise SHMEM_SYMMETRIC_SIZE", where);
    auto* ct = static_cast<shmemx_ct_t>(block);
    ct->count = 0;
    collectives::barrier(world_team, where);
    return ct;
}

// The operations that a context has handed to its network. The one place to fill it: no transport
// of today counts them.
shmemx_pcntr_t counters_of(const Context&) { return {}; }

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;
using tessera::default_context;

SHMEM_ENTRY(void, shmemx_ct_create, shmemx_ct_t* ct) {
    tessera::check_initialized(SHMEM_WHERE);
    *ct = api::create_counter(SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_ct_free, shmemx_ct_t* ct) {
    api::free_block(*ct, SHMEM_WHERE);
    *ct = nullptr;
}

SHMEM_ENTRY(void, shmemx_putmem_ct, shmemx_ct_t ct, void* dest, const void* source, size_t len,
            int pe) {
    default_context.put_signal(dest, source, len, api::one_more(ct), pe, SHMEM_WHERE);
}

// The get has read its last byte before the count changes: the read-modify-write releases.
SHMEM_ENTRY(void, shmemx_getmem_ct, shmemx_ct_t ct, void* dest, const void* source, size_t len,
            int pe) {
    default_context.get(dest, source, len, pe, SHMEM_WHERE);
    default_context.update_signal(api::one_more(ct), pe, SHMEM_WHERE);
}

SHMEM_ENTRY(long, shmemx_ct_get, shmemx_ct_t ct) {
    tessera::drive_progress();  // A program may repeat it until the count is there.
    api::LocalWords<std::uint64_t> count(api::word_of(ct), 1, SHMEM_WHERE);
    return static_cast<long>(count.load(0));
}

// A signal, so that a thread of this PE that waits for the value wakes up.
SHMEM_ENTRY(void, shmemx_ct_set, shmemx_ct_t ct, long value) {
    default_context.update_signal(
        {api::word_of(ct), static_cast<std::uint64_t>(value), SHMEM_SIGNAL_SET},
        tessera::address_map.my_pe, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_ct_wait, shmemx_ct_t ct, long wait_for) {
    api::LocalWords<std::uint64_t> count(api::word_of(ct), 1, SHMEM_WHERE);
    tessera::wait_until([&] { return static_cast<long>(count.load(0)) >= wait_for; }, SHMEM_WHERE);
}

// shmemx_pcntr_get_{issued,completed}_{write,read}
#define DEFINE_COUNTER(NAME, FIELD)                                                     \
    SHMEM_ENTRY(void, shmemx_pcntr_get_##NAME, shmem_ctx_t ctx, uint64_t* cntr_value) { \
        tessera::check_initialized(SHMEM_WHERE);                                        \
        *cntr_value = api::counters_of(api::context_of(ctx, SHMEM_WHERE)).FIELD;        \
    }
DEFINE_COUNTER(issued_write, pending_put)
DEFINE_COUNTER(issued_read, pending_get)
DEFINE_COUNTER(completed_write, completed_put)
DEFINE_COUNTER(completed_read, completed_get)
#undef DEFINE_COUNTER

SHMEM_ENTRY(void, shmemx_pcntr_get_completed_target, uint64_t* cntr_value) {
    tessera::check_initialized(SHMEM_WHERE);
    *cntr_value = api::counters_of(default_context).target;
}

SHMEM_ENTRY(void, shmemx_pcntr_get_all, shmem_ctx_t ctx, shmemx_pcntr_t* pcntr) {
    tessera::check_initialized(SHMEM_WHERE);
    *pcntr = api::counters_of(api::context_of(ctx, SHMEM_WHERE));
}
