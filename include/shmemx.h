// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions of the Tessera library to OpenSHMEM. Every name here begins with shmemx_ or SHMEMX_,
// or is an implementation name as in <shmem.h>. The names in this file are those that other
// libraries offer too, with the same arguments, so that programs and tools written for those run
// unchanged. The layer for PGAS runtimes has a header for each area in shmemx/.
//
// Unless a routine says otherwise it may be called only between initialization and finalization; a
// call outside ends the program with a message.

#ifndef SHMEM_INTERNAL_SHMEMX_H
#define SHMEM_INTERNAL_SHMEMX_H

#include "shmem.h"
#include "shmemx/strided.h"
// Again, since <shmem.h> removed its type tables at its end.
#include "shmem/types.h"

// The layer for PGAS runtimes (docs/runtimes/runtime-layer.md).
#include "shmemx/init.h"

/** The version of Tessera that the headers belong to, the one named in SHMEM_VENDOR_STRING. */
#define SHMEMX_VERSION_MAJOR 1
#define SHMEMX_VERSION_MINOR 0
#define SHMEMX_VERSION_PATCH 0

#ifndef SHMEMX_TEAM_OBJECTS
/** A predefined team: the PEs that run on the node of this PE, itself included, in PE order. */
#define SHMEMX_TEAM_NODE SHMEM_INTERNAL_HANDLE(shmem_team_t, 3)
#else
#ifdef __cplusplus
extern "C" {
#endif
/** The same as an object: shmem/teams.h. */
extern const shmem_team_t SHMEMX_TEAM_NODE;
#ifdef __cplusplus
}
#endif
#endif

/** Context option, a hint: a nonblocking put may copy a short source, to be done with it sooner. */
#define SHMEMX_CTX_BOUNCE_BUFFER (1L << 31)

/**
 * Hint of shmem_malloc_with_hints: without the barrier on exit. The call still has to be made by
 * all PEs in the same order; the block may be used remotely only after the next synchronization.
 * With SHMEM_DEBUG=1 the call waits for all PEs all the same, to compare their arguments.
 */
#define SHMEMX_MALLOC_NO_BARRIER (1L << 2)

#ifdef __cplusplus
extern "C" {
#endif

// ---- Time, names and states -------------------------------------------------------------------

/**
 * The time in seconds since some moment in the past, the same moment for all PEs of a node.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: any thread, at any time.
 */
double shmemx_wtime(void) SHMEM_INTERNAL_NOTHROW;

/**
 * The name of the node that the PE runs on, a string of the library's own.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: any thread, at any time.
 */
char* shmemx_nodename(void) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_query_initialized under the name it had before OpenSHMEM 1.6.
 *
 * initialized  receives 1 between initialization and the last finalization, otherwise 0.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: any thread, at any time.
 */
void shmemx_query_initialized(int* initialized) SHMEM_INTERNAL_NOTHROW;

/** A function that gives a number of the calling thread, another one in each thread. */
typedef uint64_t (*shmemx_gettid_t)(void);

/**
 * Tells how to identify the calling thread, for programs whose threads are not those of the system.
 * The library needs it only where it checks that a private context stays with its thread.
 *
 * gettid_fn  the function; NULL: the system's threads, the default.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: one thread, before it creates contexts; also
 * before initialization.
 */
void shmemx_register_gettid(shmemx_gettid_t gettid_fn) SHMEM_INTERNAL_NOTHROW;

/**
 * The name of the algorithm that a collective takes, as in SHMEM_<COLLECTIVE>_ALGORITHM.
 *
 * team     a team that the PE belongs to.
 * routine  the name of the routine: "shmem_double_sum_reduce", "shmem_barrier_all",
 *          "shmemx_allgather"; of the reductions of shmemx.h: for sums of doubles.
 * bytes    of the vector that a PE contributes; alltoall: of a block. Of barriers it is ignored.
 *
 * The library decides at the team's first call of this kind and size, so there is no name before.
 *
 * RETURNS when: at once; local. A string of the library's own, or NULL: no such call has been made,
 * or the routine is no blocking collective. ERRORS: a bad team ends the job with a message.
 * THREADS: as collectives on the team.
 */
const char* shmemx_collective_algorithm(shmem_team_t team, const char* routine,
                                        size_t bytes) SHMEM_INTERNAL_NOTHROW;

// ---- Routines that are in OpenSHMEM 1.6 without the x -----------------------------------------

/**
 * shmem_ibput and shmem_ibget: copies of blocks with strides, to and from another PE. Same
 * arguments, same results (shmem/rma.h).
 *
 * RETURNS when: ibput: source may be reused; ibget: dest holds the data.
 * ERRORS, THREADS: as those routines.
 */
// shmemx_TYPENAME_{ibput,ibget}, shmemx_ctx_TYPENAME_{ibput,ibget}
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                      \
    void shmemx_##NAME##_ibput(T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst,       \
                               size_t bsize, size_t nblocks, int pe) SHMEM_INTERNAL_NOTHROW; \
    void shmemx_ctx_##NAME##_ibput(shmem_ctx_t ctx, T* dest, const T* source, ptrdiff_t dst, \
                                   ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)      \
        SHMEM_INTERNAL_NOTHROW;                                                              \
    void shmemx_##NAME##_ibget(T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst,       \
                               size_t bsize, size_t nblocks, int pe) SHMEM_INTERNAL_NOTHROW; \
    void shmemx_ctx_##NAME##_ibget(shmem_ctx_t ctx, T* dest, const T* source, ptrdiff_t dst, \
                                   ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)      \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmemx_{ibput,ibget}SIZE, shmemx_ctx_{ibput,ibget}SIZE
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                     \
    void shmemx_ibput##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,       \
                            size_t bsize, size_t nblocks, int pe) SHMEM_INTERNAL_NOTHROW;       \
    void shmemx_ctx_ibput##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, \
                                ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)            \
        SHMEM_INTERNAL_NOTHROW;                                                                 \
    void shmemx_ibget##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,       \
                            size_t bsize, size_t nblocks, int pe) SHMEM_INTERNAL_NOTHROW;       \
    void shmemx_ctx_ibget##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, \
                                ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)            \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * shmem_signal_add and shmem_signal_set: updates of a signal on another PE. Same arguments, same
 * results (shmem/signal.h).
 *
 * RETURNS when: at once. Delivered by shmem_quiet. ERRORS, THREADS: as those routines.
 */
void shmemx_signal_add(uint64_t* sig_addr, uint64_t signal, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
                           int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_signal_set(uint64_t* sig_addr, uint64_t signal, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
                           int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_sum_inscan and shmem_sum_exscan: sums over the PEs up to this one. Same arguments, same
 * results (shmem/collectives.h).
 *
 * RETURNS when: dest is complete and source reusable on this PE; 0.
 * ERRORS, THREADS: as those routines.
 */
// shmemx_TYPENAME_sum_inscan, shmemx_TYPENAME_sum_exscan
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                        \
    int shmemx_##NAME##_sum_inscan(shmem_team_t team, T* dest, const T* source, size_t nelems) \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    int shmemx_##NAME##_sum_exscan(shmem_team_t team, T* dest, const T* source, size_t nelems) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RED_SP_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// ---- Counting puts and gets -------------------------------------------------------------------
//
// A counter exists once on each PE. Puts and gets that name it add 1 to the counter of their
// target, so that a PE can wait for a number of them from any PEs.

/** An opaque handle of a counter, the same on all PEs that created it. */
typedef struct shmem_internal_ct* shmemx_ct_t;

/**
 * Creates a counter, 0 on each PE. Collective over all PEs, as shmem_malloc.
 *
 * ct         receives the counter.
 *
 * RETURNS when: all PEs have created theirs (barrier on exit).
 * ERRORS: no room in the symmetric heap ends the job with a message.
 * THREADS: one thread per PE at a time.
 */
void shmemx_ct_create(shmemx_ct_t* ct) SHMEM_INTERNAL_NOTHROW;

/**
 * Frees a counter. Collective over all PEs, as shmem_free.
 *
 * ct         the counter; becomes NULL.
 *
 * RETURNS when: all PEs have called it (barrier on entry). ERRORS: as shmem_free.
 * THREADS: one thread per PE at a time.
 */
void shmemx_ct_free(shmemx_ct_t* ct) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_putmem, which then adds 1 to the counter on pe. When pe sees the new
 * count, by shmemx_ct_get or shmemx_ct_wait, it may read the data.
 *
 * ct         the counter.
 * dest       symmetric address on pe.
 * source     local address.
 * len        bytes. With 0 only the counter changes.
 * pe         target.
 *
 * RETURNS when: source may be reused. Data and count delivered, in this order, by shmem_quiet.
 * ERRORS, THREADS: as shmem_putmem.
 */
void shmemx_putmem_ct(shmemx_ct_t ct, void* dest, const void* source, size_t len,
                      int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_getmem, which then adds 1 to the counter on pe. When pe sees the new
 * count, it may overwrite the data, which has been read.
 *
 * ct         the counter.
 * dest       local address.
 * source     symmetric address on pe.
 * len        bytes. With 0 only the counter changes.
 * pe         where source is read.
 *
 * RETURNS when: dest holds the data. Count delivered by shmem_quiet.
 * ERRORS, THREADS: as shmem_getmem.
 */
void shmemx_getmem_ct(shmemx_ct_t ct, void* dest, const void* source, size_t len,
                      int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Reads the counter of the calling PE.
 *
 * ct         the counter.
 *
 * RETURNS when: at once; local; its value. ERRORS: none. THREADS: as the thread level allows.
 */
long shmemx_ct_get(shmemx_ct_t ct) SHMEM_INTERNAL_NOTHROW;

/**
 * Sets the counter of the calling PE. Puts and gets towards it at the same time may be lost.
 *
 * ct         the counter.
 * value      its new value.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: as the thread level allows.
 */
void shmemx_ct_set(shmemx_ct_t ct, long value) SHMEM_INTERNAL_NOTHROW;

/**
 * Waits until the counter of the calling PE has reached a value.
 *
 * ct         the counter.
 * wait_for   the value.
 *
 * RETURNS when: the counter is wait_for or more. ERRORS: none.
 * THREADS: as the thread level allows; only the calling thread waits.
 */
void shmemx_ct_wait(shmemx_ct_t ct, long wait_for) SHMEM_INTERNAL_NOTHROW;

// ---- Performance counters ---------------------------------------------------------------------
//
// They count the operations that a context has handed to a network, and those that the network has
// reported as complete. Writes are puts, signals and atomics without a result; reads are gets and
// atomics with one. Loads and stores on the node of the PE are complete when the routine returns
// and are not counted.

/** The performance counters of a context, and of the PE as a target. */
typedef struct {
    /** Writes issued. */
    uint64_t pending_put;
    /** Reads issued. */
    uint64_t pending_get;
    /** Writes complete. */
    uint64_t completed_put;
    /** Reads complete. */
    uint64_t completed_get;
    /** Operations of other PEs that have reached this one, 0 where the network does not tell. */
    uint64_t target;
} shmemx_pcntr_t;

/**
 * Give the writes and reads that a context has issued, and how many of them are complete.
 *
 * ctx         the context.
 * cntr_value  receives the number, since the context was created.
 *
 * RETURNS when: at once; local. ERRORS: an invalid context ends the job with a message.
 * THREADS: as the thread level and the context's options allow.
 */
void shmemx_pcntr_get_issued_write(shmem_ctx_t ctx, uint64_t* cntr_value) SHMEM_INTERNAL_NOTHROW;
void shmemx_pcntr_get_issued_read(shmem_ctx_t ctx, uint64_t* cntr_value) SHMEM_INTERNAL_NOTHROW;
void shmemx_pcntr_get_completed_write(shmem_ctx_t ctx, uint64_t* cntr_value) SHMEM_INTERNAL_NOTHROW;
void shmemx_pcntr_get_completed_read(shmem_ctx_t ctx, uint64_t* cntr_value) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the number of operations of other PEs that a network has brought to this one.
 *
 * cntr_value  receives the number, 0 where the network does not tell.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: as the thread level allows.
 */
void shmemx_pcntr_get_completed_target(uint64_t* cntr_value) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives all performance counters at once.
 *
 * ctx        the context.
 * pcntr      receives the counters.
 *
 * RETURNS when: at once; local. ERRORS: an invalid context ends the job with a message.
 * THREADS: as the thread level and the context's options allow.
 */
void shmemx_pcntr_get_all(shmem_ctx_t ctx, shmemx_pcntr_t* pcntr) SHMEM_INTERNAL_NOTHROW;

// ---- External heaps ---------------------------------------------------------------------------
//
// Memory that the program has allocated itself becomes symmetric: the same distance from its base
// is the same object on all PEs. A program that has such memory
// initializes with shmemx_heap_preinit, shmemx_heap_create for each heap, shmemx_heap_postinit.

/** Kinds of memory: a GPU, through Level Zero. */
#define SHMEMX_EXTERNAL_HEAP_ZE 0
/** A GPU, through CUDA. */
#define SHMEMX_EXTERNAL_HEAP_CUDA 1
/** The host. */
#define SHMEMX_EXTERNAL_HEAP_HOST 2

/**
 * shmem_init and shmem_init_thread for a program with external heaps. The PEs have their numbers
 * and can communicate afterwards. shmem_finalize undoes it.
 *
 * requested, provided  as shmem_init_thread.
 *
 * RETURNS when: all PEs have called it; heap_preinit_thread: as shmem_init_thread.
 * ERRORS, THREADS: as shmem_init_thread.
 */
void shmemx_heap_preinit(void) SHMEM_INTERNAL_NOTHROW;
int shmemx_heap_preinit_thread(int requested, int* provided) SHMEM_INTERNAL_NOTHROW;

/**
 * Makes memory of the program symmetric. Collective over all PEs, in the same order and with the
 * same kind; base and size may differ. The memory must stay allocated until finalization, and is
 * not given out by shmem_malloc.
 *
 * base          start of the memory. Of the host: readable and writable, and on all PEs the same
 *               address modulo 16. It becomes a registered segment (shmemx/segments.h), whose rules
 *               hold; pages that a device uses must not be part of it.
 * size          bytes, more than 0. A PE reaches the bytes that its own memory and the other PE's
 *               both have.
 * device_type   SHMEMX_EXTERNAL_HEAP_ZE, _CUDA or _HOST.
 * device_index  number of the device, or -1 for none.
 *
 * RETURNS when: the memory is registered on this PE; symmetric after shmemx_heap_postinit.
 * ERRORS: an argument that is not allowed ends the job with a message. So does a later operation on
 * memory of a device that neither the host nor a network can reach.
 * THREADS: one thread per PE at a time.
 */
void shmemx_heap_create(void* base, size_t size, int device_type,
                        int device_index) SHMEM_INTERNAL_NOTHROW;

/**
 * Ends the set-up that shmemx_heap_preinit began: all external heaps are symmetric. Collective over
 * all PEs.
 *
 * RETURNS when: all PEs have called it. ERRORS: none. THREADS: one thread per PE at a time.
 */
void shmemx_heap_postinit(void) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

// ---- The layer for PGAS runtimes (docs/runtimes/runtime-layer.md) -----------------------------

#include "shmemx/accumulate.h"
#include "shmemx/coherence.h"
#include "shmemx/collectives.h"
#include "shmemx/epochs.h"
#include "shmemx/failures.h"
#include "shmemx/local_memory.h"
#include "shmemx/location.h"
#include "shmemx/mutex.h"
#include "shmemx/places.h"
#include "shmemx/pointers.h"
#include "shmemx/request_atomics.h"
#include "shmemx/requests.h"
#include "shmemx/segments.h"
#include "shmemx/team_memory.h"
#include "shmemx/teams.h"
#include "shmemx/types.h"
#include "shmemx/windows.h"

// ---- Type-generic names (shmem/generic.h) -----------------------------------------------------

#if defined(__cplusplus)
extern "C++" {
// The overloads of the names without the x choose the type.
template <class... Arguments>
inline void shmemx_ibput(Arguments... arguments) {
    shmem_ibput(arguments...);
}
template <class... Arguments>
inline void shmemx_ibget(Arguments... arguments) {
    shmem_ibget(arguments...);
}
template <class... Arguments>
inline int shmemx_sum_inscan(Arguments... arguments) {
    return shmem_sum_inscan(arguments...);
}
template <class... Arguments>
inline int shmemx_sum_exscan(Arguments... arguments) {
    return shmem_sum_exscan(arguments...);
}
inline void shmemx_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
    shmemx_ctx_signal_add(ctx, sig_addr, signal, pe);
}
inline void shmemx_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
    shmemx_ctx_signal_set(ctx, sig_addr, signal, pe);
}
}  // extern "C++"
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define shmemx_ibput(...) shmem_ibput(__VA_ARGS__)
#define shmemx_ibget(...) shmem_ibget(__VA_ARGS__)
#define shmemx_sum_inscan(...) shmem_sum_inscan(__VA_ARGS__)
#define shmemx_sum_exscan(...) shmem_sum_exscan(__VA_ARGS__)
#define shmemx_signal_add(...) shmem_signal_add(__VA_ARGS__)
#define shmemx_signal_set(...) shmem_signal_set(__VA_ARGS__)
#endif

#include "shmemx/generic.h"

#include "shmem/tables_end.h"

#endif  // SHMEM_INTERNAL_SHMEMX_H
