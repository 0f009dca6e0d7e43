// SPDX-License-Identifier: BSD-3-Clause
//
// Put with signal, and signals alone (OpenSHMEM 1.6, 9.8).
#include "shmem/signal.h"

#include "api/entry.hpp"
#include "api/extents.hpp"
#include "api/local_word.hpp"

using tessera::byte_count;
using tessera::default_context;
using tessera::api::check_local;
using tessera::api::context_of;

// OP: put_signal or put_signal_nbi of the context.
#define DEFINE_PUT_SIGNAL(OP, NAME, DEST, SOURCE, BYTES)                                          \
    SHMEM_ENTRY(void, shmem_##NAME, DEST dest, SOURCE source, size_t nelems, uint64_t* sig_addr,  \
                uint64_t signal, int sig_op, int pe) {                                            \
        check_local("source", source, nelems, SHMEM_WHERE);                                       \
        default_context.OP(dest, source, byte_count<BYTES>(nelems), {sig_addr, signal, sig_op},   \
                           pe, SHMEM_WHERE);                                                      \
    }                                                                                             \
    SHMEM_ENTRY(void, shmem_ctx_##NAME, shmem_ctx_t ctx, DEST dest, SOURCE source, size_t nelems, \
                uint64_t* sig_addr, uint64_t signal, int sig_op, int pe) {                        \
        check_local("source", source, nelems, SHMEM_WHERE);                                       \
        context_of(ctx, SHMEM_WHERE)                                                              \
            .OP(dest, source, byte_count<BYTES>(nelems), {sig_addr, signal, sig_op}, pe,          \
                SHMEM_WHERE);                                                                     \
    }
// shmem_TYPENAME_put_signal, shmem_ctx_TYPENAME_put_signal, and _nbi
#define DEFINE_TYPED(NAME, T)                                                 \
    DEFINE_PUT_SIGNAL(put_signal, NAME##_put_signal, T*, const T*, sizeof(T)) \
    DEFINE_PUT_SIGNAL(put_signal_nbi, NAME##_put_signal_nbi, T*, const T*, sizeof(T))
SHMEM_INTERNAL_RMA_TYPES(DEFINE_TYPED)
#undef DEFINE_TYPED
// shmem_putSIZE_signal, shmem_ctx_putSIZE_signal, and _nbi
#define DEFINE_SIZED(BITS, BYTES)                                                \
    DEFINE_PUT_SIGNAL(put_signal, put##BITS##_signal, void*, const void*, BYTES) \
    DEFINE_PUT_SIGNAL(put_signal_nbi, put##BITS##_signal_nbi, void*, const void*, BYTES)
SHMEM_INTERNAL_SIZES(DEFINE_SIZED)
#undef DEFINE_SIZED
DEFINE_PUT_SIGNAL(put_signal, putmem_signal, void*, const void*, 1)
DEFINE_PUT_SIGNAL(put_signal_nbi, putmem_signal_nbi, void*, const void*, 1)
#undef DEFINE_PUT_SIGNAL

SHMEM_ENTRY(void, shmem_signal_add, uint64_t* sig_addr, uint64_t signal, int pe) {
    default_context.update_signal({sig_addr, signal, SHMEM_SIGNAL_ADD}, pe, SHMEM_WHERE);
}
SHMEM_ENTRY(void, shmem_ctx_signal_add, shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
            int pe) {
    context_of(ctx, SHMEM_WHERE)
        .update_signal({sig_addr, signal, SHMEM_SIGNAL_ADD}, pe, SHMEM_WHERE);
}
SHMEM_ENTRY(void, shmem_signal_set, uint64_t* sig_addr, uint64_t signal, int pe) {
    default_context.update_signal({sig_addr, signal, SHMEM_SIGNAL_SET}, pe, SHMEM_WHERE);
}
SHMEM_ENTRY(void, shmem_ctx_signal_set, shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
            int pe) {
    context_of(ctx, SHMEM_WHERE)
        .update_signal({sig_addr, signal, SHMEM_SIGNAL_SET}, pe, SHMEM_WHERE);
}

SHMEM_ENTRY(uint64_t, shmem_signal_fetch, const uint64_t* sig_addr) {
    tessera::drive_progress();  // A program may repeat it until the signal is there.
    return tessera::api::LocalWords<uint64_t>(sig_addr, 1, SHMEM_WHERE).load(0);
}
