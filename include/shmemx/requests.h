// SPDX-License-Identifier: BSD-3-Clause
//
// Requests: operations that a program tests and waits for one by one, where shmem_quiet completes
// all of a context. Part of <shmemx.h>; request_atomics.h has the atomics.
//
// A routine with _req does what the nonblocking routine without it does (_nbi in <shmem.h>), and
// sets a variable of the program, a request. A wait says how far the operation must have come:
//
//   SHMEMX_LOCAL    the source may be reused; the fetched data is there
//   SHMEMX_REMOTE   that, and the data is delivered and visible to all PEs
//
// A request ends when it has been waited for, or tested successfully, and its operation is complete
// in both ways: its variable becomes SHMEMX_REQ_COMPLETE. So a wait for SHMEMX_LOCAL may leave a
// request that a later wait for SHMEMX_REMOTE ends. shmemx_req_free gives a request up. A request
// that is SHMEMX_REQ_COMPLETE is complete in every way; all routines here take it.
//
// An operation on memory of the PE's node is complete when its routine returns, so its request is
// SHMEMX_REQ_COMPLETE at once. Only a wait for SHMEMX_REMOTE makes it visible, as shmem_quiet does.
// Between nodes a wait for one request waits for no other one. shmem_quiet, shmem_fence and
// barriers treat the operations like others of the context; after shmem_quiet their requests are
// complete, and end by a wait, a test or shmemx_req_free.
//
// ERRORS, for all: a request that has ended, one of another PE, any other value, NULL instead of a
// variable, and a wrong completion end the job with a message; so does an operation when 1,048,575
// requests are open. With SHMEM_DEBUG=1 finalization reports requests that were not waited for.
// THREADS, for all: as the thread level allows; one thread at a time uses a request. A routine that
// starts an operation: as the context's options allow, too.

#ifndef SHMEM_INTERNAL_SHMEMX_REQUESTS_H
#define SHMEM_INTERNAL_SHMEMX_REQUESTS_H

#include "../shmem/contexts.h"
#include "../shmem/types.h"

/** A request: an opaque handle of one word. A copy of it names the same operation. */
typedef struct shmem_internal_req* shmemx_req_t;

/** The value of a request that is complete in every way, or has ended. */
#define SHMEMX_REQ_COMPLETE SHMEM_INTERNAL_NO_HANDLE(shmemx_req_t)

/** How far an operation must have come: source reusable, fetched data there; */
#define SHMEMX_LOCAL 0
/** delivered and visible to all PEs, too. */
#define SHMEMX_REMOTE 1

#ifdef __cplusplus
extern "C" {
#endif

// ---- Test and wait ----------------------------------------------------------------------------

/**
 * Tests whether an operation has come so far.
 *
 * req          the request; becomes SHMEMX_REQ_COMPLETE if it ends.
 * completion   SHMEMX_LOCAL or SHMEMX_REMOTE.
 * is_complete  receives 1 or 0.
 *
 * RETURNS when: at once. Drives progress. ERRORS, THREADS: see the top of this file.
 */
void shmemx_req_test(shmemx_req_t* req, int completion, int* is_complete) SHMEM_INTERNAL_NOTHROW;

/**
 * Waits until an operation has come so far.
 *
 * req         the request; becomes SHMEMX_REQ_COMPLETE if it ends.
 * completion  SHMEMX_LOCAL or SHMEMX_REMOTE.
 *
 * RETURNS when: the operation has come so far. ERRORS, THREADS: see the top of this file.
 */
void shmemx_req_wait(shmemx_req_t* req, int completion) SHMEM_INTERNAL_NOTHROW;

/**
 * Tests, or waits, for all operations of an array. Those that have come so far while others have
 * not may end in a test, too.
 *
 * reqs         the requests; those that end become SHMEMX_REQ_COMPLETE.
 * nreqs        their number. With 0 reqs may be NULL, and all are complete.
 * completion   SHMEMX_LOCAL or SHMEMX_REMOTE.
 * is_complete  testall: receives 1 if all have come so far, otherwise 0.
 *
 * RETURNS when: testall: at once; waitall: all have come so far.
 * ERRORS, THREADS: see the top of this file.
 */
void shmemx_req_testall(shmemx_req_t* reqs, size_t nreqs, int completion,
                        int* is_complete) SHMEM_INTERNAL_NOTHROW;
void shmemx_req_waitall(shmemx_req_t* reqs, size_t nreqs, int completion) SHMEM_INTERNAL_NOTHROW;

/**
 * Tests, or waits, for any one operation of an array, of those that are not SHMEMX_REQ_COMPLETE. A
 * request that stays after SHMEMX_LOCAL is told only once for SHMEMX_LOCAL.
 *
 * reqs        the requests; one that ends becomes SHMEMX_REQ_COMPLETE.
 * nreqs       their number. With 0 reqs may be NULL.
 * completion  SHMEMX_LOCAL or SHMEMX_REMOTE.
 *
 * RETURNS when: testany: at once; waitany: one has come so far, or there is none to wait for; the
 * index of one that has come so far, SIZE_MAX: there is none.
 * ERRORS, THREADS: see the top of this file.
 */
size_t shmemx_req_testany(shmemx_req_t* reqs, size_t nreqs, int completion) SHMEM_INTERNAL_NOTHROW;
size_t shmemx_req_waitany(shmemx_req_t* reqs, size_t nreqs, int completion) SHMEM_INTERNAL_NOTHROW;

/**
 * The same for some operations of an array: all that have come so far at the time.
 *
 * reqs        the requests; those that end become SHMEMX_REQ_COMPLETE.
 * nreqs       their number. With 0 reqs and indices may be NULL.
 * completion  SHMEMX_LOCAL or SHMEMX_REMOTE.
 * indices     receives the indices of those that have come so far, ascending; room for nreqs.
 *
 * RETURNS when: testsome: at once; waitsome: one has come so far, or there is none to wait for;
 * the number of indices. ERRORS, THREADS: see the top of this file.
 */
size_t shmemx_req_testsome(shmemx_req_t* reqs, size_t nreqs, int completion,
                           size_t* indices) SHMEM_INTERNAL_NOTHROW;
size_t shmemx_req_waitsome(shmemx_req_t* reqs, size_t nreqs, int completion,
                           size_t* indices) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives a request up: its operation goes on, and shmem_quiet completes it as others.
 *
 * req         the request; becomes SHMEMX_REQ_COMPLETE.
 *
 * RETURNS when: at once. ERRORS, THREADS: see the top of this file.
 */
void shmemx_req_free(shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

/**
 * Whether a value is a request of this PE that has not ended: for a runtime whose own routines
 * return an error for a handle that is none, where those here end the job.
 *
 * req         any value. SHMEMX_REQ_COMPLETE is no open request.
 *
 * RETURNS when: at once; local: 1 or 0. ERRORS: none. THREADS: see the top of this file.
 */
int shmemx_req_is_open(shmemx_req_t req) SHMEM_INTERNAL_NOTHROW;

// ---- Put and get ------------------------------------------------------------------------------

/**
 * shmem_put_nbi and shmem_get_nbi with a request.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       put: symmetric address on pe; get: local address.
 * source     put: local address; get: symmetric address on pe.
 * nelems     number of elements: of TYPE, or bytes (putmem_req, getmem_req).
 * pe         the other PE.
 * req        receives the request.
 *
 * RETURNS when: at once, or when the network has room. put: source reusable after SHMEMX_LOCAL,
 * delivered after SHMEMX_REMOTE. get: dest holds the data after either.
 * ERRORS, THREADS: see the top of this file, and shmem/rma.h.
 */
// shmemx_TYPENAME_{put,get}_req, shmemx_ctx_TYPENAME_{put,get}_req
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                        \
    void shmemx_##NAME##_put_req(T* dest, const T* source, size_t nelems, int pe,              \
                                 shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;                    \
    void shmemx_ctx_##NAME##_put_req(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, \
                                     int pe, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;        \
    void shmemx_##NAME##_get_req(T* dest, const T* source, size_t nelems, int pe,              \
                                 shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;                    \
    void shmemx_ctx_##NAME##_get_req(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, \
                                     int pe, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

void shmemx_putmem_req(void* dest, const void* source, size_t nelems, int pe,
                       shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_putmem_req(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, int pe,
                           shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_getmem_req(void* dest, const void* source, size_t nelems, int pe,
                       shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_getmem_req(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, int pe,
                           shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_put_signal_nbi with a request. SHMEMX_REMOTE means that data and signal are delivered.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address on pe.
 * source     local address.
 * nelems     number of elements: of TYPE, or bytes (putmem_signal_req).
 * sig_addr   symmetric address of the signal word on pe.
 * signal     the value for the signal word.
 * sig_op     SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD.
 * pe         target.
 * req        receives the request.
 *
 * RETURNS when: as put. ERRORS, THREADS: see the top of this file, and shmem/signal.h.
 */
// shmemx_TYPENAME_put_signal_req, shmemx_ctx_TYPENAME_put_signal_req
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                          \
    void shmemx_##NAME##_put_signal_req(T* dest, const T* source, size_t nelems,                 \
                                        uint64_t* sig_addr, uint64_t signal, int sig_op, int pe, \
                                        shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;               \
    void shmemx_ctx_##NAME##_put_signal_req(                                                     \
        shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, uint64_t* sig_addr,            \
        uint64_t signal, int sig_op, int pe, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

void shmemx_putmem_signal_req(void* dest, const void* source, size_t nelems, uint64_t* sig_addr,
                              uint64_t signal, int sig_op, int pe,
                              shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_putmem_signal_req(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                                  uint64_t* sig_addr, uint64_t signal, int sig_op, int pe,
                                  shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_REQUESTS_H
