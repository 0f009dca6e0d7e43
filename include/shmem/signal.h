// SPDX-License-Identifier: BSD-3-Clause
//
// Signaling operations (OpenSHMEM 1.6, 9.8): a put that tells its target when it has arrived, and
// updates of the signal alone. Part of <shmem.h>. Waiting is in shmem/sync.h.
//
// A signal object is a symmetric uint64_t, aligned to 8 bytes. Updates of one signal with the same
// operator exclude each other, and shmem_signal_fetch and all point-to-point synchronization
// see whole values; SET and ADD at the same time, or an atomic routine on the same word, have no
// such guarantee.
//
// ERRORS, for all: a PE number out of range, a range or signal that is not symmetric, a signal that
// is not aligned, or an unknown operator ends the job with a message. THREADS, for all: as the
// thread level and the context's options allow.

#ifndef SHMEM_INTERNAL_SIGNAL_H
#define SHMEM_INTERNAL_SIGNAL_H

#include "contexts.h"
#include "types.h"

/** Signal operator: the signal becomes the given value. */
#define SHMEM_SIGNAL_SET 0

/** Signal operator: the given value is added to the signal. */
#define SHMEM_SIGNAL_ADD 1

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copies nelems consecutive elements to another PE and then updates a signal there. When that PE
 * sees the new signal value, through a routine of this library, it may read the data. Earlier
 * operations are not ordered before the signal.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address on pe, aligned for its type; must not overlap the signal.
 * source     local address.
 * nelems     number of elements: of TYPE, of SIZE bits (putSIZE_signal), or bytes (putmem_signal).
 *            With 0 the signal is updated all the same.
 * sig_addr   symmetric address of the signal on pe.
 * signal     the value that the operator uses.
 * sig_op     SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD.
 * pe         target.
 *
 * RETURNS when: source may be reused. Data and signal delivered, in this order, by shmem_quiet.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.8, shmem_put_signal.
 */
// shmem_TYPENAME_put_signal, shmem_ctx_TYPENAME_put_signal
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                          \
    void shmem_##NAME##_put_signal(T* dest, const T* source, size_t nelems, uint64_t* sig_addr,  \
                                   uint64_t signal, int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;  \
    void shmem_ctx_##NAME##_put_signal(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, \
                                       uint64_t* sig_addr, uint64_t signal, int sig_op, int pe)  \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_putSIZE_signal, shmem_ctx_putSIZE_signal
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                \
    void shmem_put##BITS##_signal(void* dest, const void* source, size_t nelems,           \
                                  uint64_t* sig_addr, uint64_t signal, int sig_op, int pe) \
        SHMEM_INTERNAL_NOTHROW;                                                            \
    void shmem_ctx_put##BITS##_signal(shmem_ctx_t ctx, void* dest, const void* source,     \
                                      size_t nelems, uint64_t* sig_addr, uint64_t signal,  \
                                      int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

void shmem_putmem_signal(void* dest, const void* source, size_t nelems, uint64_t* sig_addr,
                         uint64_t signal, int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_putmem_signal(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                             uint64_t* sig_addr, uint64_t signal, int sig_op,
                             int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Starts the transfer and the update of the put_signal of the same kind.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address on pe, aligned for its type; must not overlap the signal.
 * source     local address; may not change before shmem_quiet.
 * nelems     number of elements: of TYPE, of SIZE bits, or bytes. With 0 the signal is updated all
 *            the same.
 * sig_addr   symmetric address of the signal on pe.
 * signal     the value that the operator uses.
 * sig_op     SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD.
 * pe         target.
 *
 * RETURNS when: at once. Source reusable, data and then signal delivered, by shmem_quiet.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.8, shmem_put_signal_nbi.
 */
// shmem_TYPENAME_put_signal_nbi, shmem_ctx_TYPENAME_put_signal_nbi
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                         \
    void shmem_##NAME##_put_signal_nbi(T* dest, const T* source, size_t nelems,                 \
                                       uint64_t* sig_addr, uint64_t signal, int sig_op, int pe) \
        SHMEM_INTERNAL_NOTHROW;                                                                 \
    void shmem_ctx_##NAME##_put_signal_nbi(shmem_ctx_t ctx, T* dest, const T* source,           \
                                           size_t nelems, uint64_t* sig_addr, uint64_t signal,  \
                                           int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_putSIZE_signal_nbi, shmem_ctx_putSIZE_signal_nbi
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                    \
    void shmem_put##BITS##_signal_nbi(void* dest, const void* source, size_t nelems,           \
                                      uint64_t* sig_addr, uint64_t signal, int sig_op, int pe) \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    void shmem_ctx_put##BITS##_signal_nbi(shmem_ctx_t ctx, void* dest, const void* source,     \
                                          size_t nelems, uint64_t* sig_addr, uint64_t signal,  \
                                          int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

void shmem_putmem_signal_nbi(void* dest, const void* source, size_t nelems, uint64_t* sig_addr,
                             uint64_t signal, int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_putmem_signal_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                                 uint64_t* sig_addr, uint64_t signal, int sig_op,
                                 int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Updates a signal on another PE without data: set overwrites it, add adds to it.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * sig_addr   symmetric address of the signal on pe.
 * signal     the new value (set), or the value to add (add).
 * pe         target.
 *
 * RETURNS when: at once. Delivered by shmem_quiet.
 * ERRORS, THREADS: see the top of this file.
 * OpenSHMEM 1.6, 9.8, shmem_signal_add, shmem_signal_set.
 */
void shmem_signal_add(uint64_t* sig_addr, uint64_t signal, int pe) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
                          int pe) SHMEM_INTERNAL_NOTHROW;
void shmem_signal_set(uint64_t* sig_addr, uint64_t signal, int pe) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
                          int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Reads a signal of the calling PE.
 *
 * sig_addr   symmetric address of the signal.
 *
 * RETURNS when: at once; local; the value. The data that came with it may be read.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.8, shmem_signal_fetch.
 */
uint64_t shmem_signal_fetch(const uint64_t* sig_addr) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SIGNAL_H
