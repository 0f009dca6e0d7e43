// SPDX-License-Identifier: BSD-3-Clause
//
// Memory ordering (OpenSHMEM 1.6, 9.12). A context that is SHMEM_CTX_INVALID is allowed and does
// nothing.
#include "shmem/ordering.h"

#include "api/entry.hpp"

using tessera::default_context;
using tessera::api::context_of;

SHMEM_ENTRY(void, shmem_fence, void) {
    tessera::check_initialized(SHMEM_WHERE);
    default_context.fence();
}
SHMEM_ENTRY(void, shmem_ctx_fence, shmem_ctx_t ctx) {
    tessera::check_initialized(SHMEM_WHERE);
    if (ctx != SHMEM_CTX_INVALID) context_of(ctx, SHMEM_WHERE).fence();
}

SHMEM_ENTRY(void, shmem_quiet, void) {
    tessera::check_initialized(SHMEM_WHERE);
    default_context.quiet();
}
SHMEM_ENTRY(void, shmem_ctx_quiet, shmem_ctx_t ctx) {
    tessera::check_initialized(SHMEM_WHERE);
    if (ctx != SHMEM_CTX_INVALID) context_of(ctx, SHMEM_WHERE).quiet();
}

namespace {

// Mapped memory has nothing pending per PE, so one quiet completes the operations to any list.
void quiet_pes(const tessera::Context& context, const int* target_pes, size_t npes,
               const char* where) {
    tessera::check_initialized(where);
    for (size_t i = 0; i < npes; ++i)
        tessera::check_pe(context.world_pe(target_pes[i], where), where);
    if (npes > 0) context.quiet();
}

}  // namespace

SHMEM_ENTRY(void, shmem_pe_quiet, const int* target_pes, size_t npes) {
    quiet_pes(default_context, target_pes, npes, SHMEM_WHERE);
}
SHMEM_ENTRY(void, shmem_ctx_pe_quiet, shmem_ctx_t ctx, const int* target_pes, size_t npes) {
    if (ctx != SHMEM_CTX_INVALID)
        quiet_pes(context_of(ctx, SHMEM_WHERE), target_pes, npes, SHMEM_WHERE);
}
