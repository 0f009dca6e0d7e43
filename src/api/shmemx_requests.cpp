// SPDX-License-Identifier: BSD-3-Clause
//
// Requests, and put and get with them (include/shmemx/requests.h).
#include "shmemx/requests.h"

#include <span>

#include "api/entry.hpp"
#include "api/extents.hpp"
#include "api/request_variable.hpp"
#include "base/fatal.hpp"
#include "progress/request.hpp"
#include "progress/tracked.hpp"

using tessera::byte_count;
using tessera::Completion;
using tessera::default_context;
using tessera::api::check_local;
using tessera::api::checked_variable;
using tessera::api::context_of;

namespace tessera::api {

void fail_request_variable(const char* where) {
    check_initialized(where);
    fatal("%s: req is NULL; pass the address of a variable of type shmemx_req_t", where);
}

namespace {

std::span<shmemx_req_t> checked_array(shmemx_req_t* reqs, size_t nreqs, const char* where) {
    check_initialized(where);
    if (reqs == nullptr && nreqs != 0)
        fatal("%s: reqs is NULL, with nreqs %zu; pass an array", where, nreqs);
    return {reqs, nreqs};
}

size_t* checked_indices(size_t* indices, size_t nreqs, const char* where) {
    if (indices == nullptr && nreqs != 0)
        fatal("%s: indices is NULL, with nreqs %zu; pass an array", where, nreqs);
    return indices;
}

int* checked_answer(int* is_complete, const char* where) {
    if (is_complete == nullptr) fatal("%s: is_complete is NULL; pass an int", where);
    return is_complete;
}

[[gnu::noinline]] void wait(shmemx_req_t& request, Completion completion, const char* where) {
    drive_until([&] { return test_request(request, completion, where); }, where);
}

void drive_once() {
    drive_progress();
    advance_background();
}

// Both RETURN: the number of requests that have come so far, their indices in `indices`.
size_t test_some(std::span<shmemx_req_t> reqs, Completion completion, size_t* indices, size_t most,
                 const char* where) {
    serve_other_nodes();
    const Told told = tell_requests(reqs, completion, indices, most, where);
    if (told.count > 0 || !told.has_others) return told.count;
    release_held();
    drive_once();
    return tell_requests(reqs, completion, indices, most, where).count;
}
size_t wait_some(std::span<shmemx_req_t> reqs, Completion completion, size_t* indices, size_t most,
                 const char* where) {
    Told told;
    drive_until(
        [&] {
            told = tell_requests(reqs, completion, indices, most, where);
            return told.count > 0 || !told.has_others;
        },
        where);
    return told.count;
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;

SHMEM_ENTRY(void, shmemx_req_test, shmemx_req_t* req, int completion, int* is_complete) {
    tessera::check_initialized(SHMEM_WHERE);
    tessera::serve_other_nodes();
    shmemx_req_t& request = *checked_variable(req, SHMEM_WHERE);
    const Completion wanted = tessera::checked_completion(completion, SHMEM_WHERE);
    int& answer = *api::checked_answer(is_complete, SHMEM_WHERE);
    answer = tessera::test_request(request, wanted, SHMEM_WHERE) ? 1 : 0;
    if (answer != 0) return;
    tessera::release_held();
    api::drive_once();
    answer = tessera::test_request(request, wanted, SHMEM_WHERE) ? 1 : 0;
}

SHMEM_ENTRY(void, shmemx_req_wait, shmemx_req_t* req, int completion) {
    tessera::check_initialized(SHMEM_WHERE);
    shmemx_req_t& request = *checked_variable(req, SHMEM_WHERE);
    const Completion wanted = tessera::checked_completion(completion, SHMEM_WHERE);
    // Most often the operation was complete when its routine returned.
    if (request == SHMEMX_REQ_COMPLETE) [[likely]]
        return tessera::make_visible(wanted);
    api::wait(request, wanted, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_req_testall, shmemx_req_t* reqs, size_t nreqs, int completion,
            int* is_complete) {
    const std::span<shmemx_req_t> requests = api::checked_array(reqs, nreqs, SHMEM_WHERE);
    tessera::serve_other_nodes();
    const Completion wanted = tessera::checked_completion(completion, SHMEM_WHERE);
    int& answer = *api::checked_answer(is_complete, SHMEM_WHERE);
    answer = tessera::test_requests(requests, wanted, SHMEM_WHERE) ? 1 : 0;
    if (answer != 0) return;
    tessera::release_held();
    api::drive_once();
    answer = tessera::test_requests(requests, wanted, SHMEM_WHERE) ? 1 : 0;
}

SHMEM_ENTRY(void, shmemx_req_waitall, shmemx_req_t* reqs, size_t nreqs, int completion) {
    const std::span<shmemx_req_t> requests = api::checked_array(reqs, nreqs, SHMEM_WHERE);
    const Completion wanted = tessera::checked_completion(completion, SHMEM_WHERE);
    // One after the other: so each is looked at once after it is complete.
    const char* where = SHMEM_WHERE;
    size_t done = 0;
    tessera::drive_until(
        [&] {
            while (done < nreqs && tessera::test_request(requests[done], wanted, where)) ++done;
            return done == nreqs;
        },
        where);
}

SHMEM_ENTRY(size_t, shmemx_req_testany, shmemx_req_t* reqs, size_t nreqs, int completion) {
    const std::span<shmemx_req_t> requests = api::checked_array(reqs, nreqs, SHMEM_WHERE);
    const Completion wanted = tessera::checked_completion(completion, SHMEM_WHERE);
    size_t index = SIZE_MAX;
    api::test_some(requests, wanted, &index, 1, SHMEM_WHERE);
    return index;
}

SHMEM_ENTRY(size_t, shmemx_req_waitany, shmemx_req_t* reqs, size_t nreqs, int completion) {
    const std::span<shmemx_req_t> requests = api::checked_array(reqs, nreqs, SHMEM_WHERE);
    const Completion wanted = tessera::checked_completion(completion, SHMEM_WHERE);
    size_t index = SIZE_MAX;
    api::wait_some(requests, wanted, &index, 1, SHMEM_WHERE);
    return index;
}

SHMEM_ENTRY(size_t, shmemx_req_testsome, shmemx_req_t* reqs, size_t nreqs, int completion,
            size_t* indices) {
    const std::span<shmemx_req_t> requests = api::checked_array(reqs, nreqs, SHMEM_WHERE);
    const Completion wanted = tessera::checked_completion(completion, SHMEM_WHERE);
    api::checked_indices(indices, nreqs, SHMEM_WHERE);
    return api::test_some(requests, wanted, indices, nreqs, SHMEM_WHERE);
}

SHMEM_ENTRY(size_t, shmemx_req_waitsome, shmemx_req_t* reqs, size_t nreqs, int completion,
            size_t* indices) {
    const std::span<shmemx_req_t> requests = api::checked_array(reqs, nreqs, SHMEM_WHERE);
    const Completion wanted = tessera::checked_completion(completion, SHMEM_WHERE);
    api::checked_indices(indices, nreqs, SHMEM_WHERE);
    return api::wait_some(requests, wanted, indices, nreqs, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_req_is_open, shmemx_req_t req) {
    return tessera::is_open_request(req) ? 1 : 0;
}

SHMEM_ENTRY(void, shmemx_req_free, shmemx_req_t* req) {
    tessera::check_initialized(SHMEM_WHERE);
    tessera::free_request(*checked_variable(req, SHMEM_WHERE), SHMEM_WHERE);
}

// shmemx_TYPENAME_{put,get}_req, shmemx_{putmem,getmem}_req and their shmemx_ctx_ forms. LOCAL is
// the argument that is memory of the calling PE.
#define DEFINE_CONTIGUOUS(OP, NAME, DEST, SOURCE, BYTES, LOCAL)                                    \
    SHMEM_ENTRY(void, shmemx_##NAME, DEST dest, SOURCE source, size_t nelems, int pe,              \
                shmemx_req_t* req) {                                                               \
        check_local(#LOCAL, LOCAL, nelems, SHMEM_WHERE);                                           \
        tessera::OP(default_context, dest, source, byte_count<BYTES>(nelems), pe,                  \
                    checked_variable(req, SHMEM_WHERE), SHMEM_WHERE);                              \
    }                                                                                              \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, DEST dest, SOURCE source, size_t nelems, \
                int pe, shmemx_req_t* req) {                                                       \
        check_local(#LOCAL, LOCAL, nelems, SHMEM_WHERE);                                           \
        tessera::OP(context_of(ctx, SHMEM_WHERE), dest, source, byte_count<BYTES>(nelems), pe,     \
                    checked_variable(req, SHMEM_WHERE), SHMEM_WHERE);                              \
    }
#define DEFINE_TYPED(NAME, T)                                                   \
    DEFINE_CONTIGUOUS(put_req, NAME##_put_req, T*, const T*, sizeof(T), source) \
    DEFINE_CONTIGUOUS(get_req, NAME##_get_req, T*, const T*, sizeof(T), dest)
SHMEM_INTERNAL_RMA_TYPES(DEFINE_TYPED)
#undef DEFINE_TYPED
DEFINE_CONTIGUOUS(put_req, putmem_req, void*, const void*, 1, source)
DEFINE_CONTIGUOUS(get_req, getmem_req, void*, const void*, 1, dest)
#undef DEFINE_CONTIGUOUS

// shmemx_TYPENAME_put_signal_req, shmemx_putmem_signal_req and their shmemx_ctx_ forms
#define DEFINE_PUT_SIGNAL(NAME, DEST, SOURCE, BYTES)                                               \
    SHMEM_ENTRY(void, shmemx_##NAME, DEST dest, SOURCE source, size_t nelems, uint64_t* sig_addr,  \
                uint64_t signal, int sig_op, int pe, shmemx_req_t* req) {                          \
        check_local("source", source, nelems, SHMEM_WHERE);                                        \
        tessera::put_signal_req(default_context, dest, source, byte_count<BYTES>(nelems),          \
                                {sig_addr, signal, sig_op}, pe,                                    \
                                checked_variable(req, SHMEM_WHERE), SHMEM_WHERE);                  \
    }                                                                                              \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, DEST dest, SOURCE source, size_t nelems, \
                uint64_t* sig_addr, uint64_t signal, int sig_op, int pe, shmemx_req_t* req) {      \
        check_local("source", source, nelems, SHMEM_WHERE);                                        \
        tessera::put_signal_req(context_of(ctx, SHMEM_WHERE), dest, source,                        \
                                byte_count<BYTES>(nelems), {sig_addr, signal, sig_op}, pe,         \
                                checked_variable(req, SHMEM_WHERE), SHMEM_WHERE);                  \
    }
#define DEFINE_TYPED(NAME, T) DEFINE_PUT_SIGNAL(NAME##_put_signal_req, T*, const T*, sizeof(T))
SHMEM_INTERNAL_RMA_TYPES(DEFINE_TYPED)
#undef DEFINE_TYPED
DEFINE_PUT_SIGNAL(putmem_signal_req, void*, const void*, 1)
#undef DEFINE_PUT_SIGNAL
