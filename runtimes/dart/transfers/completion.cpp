// SPDX-License-Identifier: BSD-3-Clause
//
// dart_flush*, dart_wait*, dart_test*, dart_handle_free (dart_communication.h). Operations on
// mapped memory are complete when they return, unless OpenSHMEM leaves them to others: so their
// handles are NULL, and a flush is a fence.
#include <dash/dart/if/dart_communication.h>
#include <shmemx.h>

#include <algorithm>

#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/lookup.hpp"
#include "transfers/moves.hpp"
#include "transfers/ordering.hpp"
#include "transfers/pending.hpp"
#include "transfers/polling.hpp"
#include "transfers/recent_targets.hpp"
#include "transfers/target.hpp"

namespace tessera::dart {
namespace {

// The program will not ask for the remote side: a later flush completes it.
void give_up(dart_handle_t* handle) {
    if (*handle != DART_HANDLE_NULL) shmemx_req_free(request_of(handle));
}

// Whether each is NULL or names an operation that has not ended. ERRORS: says which one does not.
bool are_handles(dart_handle_t handles[], size_t n, const char* routine) {
    for (size_t i = 0; i < n; ++i) {
        if (handles[i] != DART_HANDLE_NULL && !shmemx_req_is_open(*request_of(&handles[i])))
            [[unlikely]] {
            fail(DART_ERR_INVAL, routine, "handle %zu, %p, names no operation that is under way", i,
                 static_cast<void*>(handles[i]));
            return false;
        }
    }
    return true;
}

// The operations of handles that are none, or NULL, are not waited for.
dart_ret_t wait_for_all(dart_handle_t handles[], size_t n, int completion, const char* routine) {
    if (handles == nullptr && n > 0) return fail(DART_ERR_INVAL, routine, "the handles are NULL");
    if (!are_handles(handles, n, routine)) [[unlikely]]
        return DART_ERR_INVAL;
    for (size_t i = 0; i < n; ++i) {
        if (handles[i] != DART_HANDLE_NULL) {
            shmemx_req_wait(request_of(&handles[i]), completion);
            give_up(&handles[i]);
        }
    }
    return DART_OK;
}

// One operation; no place of a handle is as no operation.
dart_ret_t wait_for(dart_handle_t* handle, int completion, const char* routine) {
    return wait_for_all(handle, handle == nullptr ? 0 : 1, completion, routine);
}

// RETURNS: false: an operation is under way. Then all handles stay, but those that have ended.
bool test_all(dart_handle_t handles[], size_t n, int completion) {
    const auto is_null = [](dart_handle_t handle) { return handle == DART_HANDLE_NULL; };
    if (std::all_of(handles, handles + n, is_null)) return true;
    int is_complete = 1;
    shmemx_req_testall(request_of(handles), n, completion, &is_complete);
    if (is_complete == 0) return false;
    for (size_t i = 0; i < n; ++i) give_up(&handles[i]);
    return true;
}

dart_ret_t test(dart_handle_t handles[], size_t n, int completion, int32_t* is_finished,
                const char* routine) {
    if (is_finished == nullptr) return fail_null(routine);
    *is_finished = 0;
    if (handles != nullptr && !are_handles(handles, n, routine)) [[unlikely]]
        return DART_ERR_INVAL;
    *is_finished = handles == nullptr || n == 0 || test_all(handles, n, completion) ? 1 : 0;
    if (*is_finished != 0 && completion == SHMEMX_REMOTE) order_stores();
    return DART_OK;
}

dart_ret_t complete_local(const dart_gptr_t& gptr, const char* routine) {
    if (segment_of_call(gptr, routine) == nullptr) [[unlikely]]
        return bad_argument();
    complete_pending();
    note_flush();
    return DART_OK;
}

}  // namespace

DART_ENTRY dart_ret_t dart_flush(dart_gptr_t gptr) {
    // The pointer names a unit and an allocation only; it may be anywhere beside them.
    gptr.addr_or_offs.offset = 0;
    if (gptr.segid == DART_SEGMENT_LOCAL) gptr.flags = 0;
    if (find_recent(gptr, 1) != nullptr || mapped_target(gptr, 0).mapped != nullptr) [[likely]] {
        left_on_node.complete();
        order_stores();
        note_flush();
        return DART_OK;
    }
    Target target;
    if (!find_target(gptr, 0, __func__, target)) return bad_argument();
    shmem_pe_quiet(&target.pe, 1);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_flush_all(dart_gptr_t gptr) {
    if (segment_of_call(gptr, __func__) == nullptr) [[unlikely]]
        return bad_argument();
    shmem_quiet();
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_flush_local(dart_gptr_t gptr) { return complete_local(gptr, __func__); }

DART_ENTRY dart_ret_t dart_flush_local_all(dart_gptr_t gptr) {
    return complete_local(gptr, __func__);
}

DART_ENTRY dart_ret_t dart_wait(dart_handle_t* handle) {
    order_stores();
    return wait_for(handle, SHMEMX_REMOTE, __func__);
}

DART_ENTRY dart_ret_t dart_waitall(dart_handle_t handles[], size_t n) {
    order_stores();
    return wait_for_all(handles, n, SHMEMX_REMOTE, __func__);
}

DART_ENTRY dart_ret_t dart_wait_local(dart_handle_t* handle) {
    return wait_for(handle, SHMEMX_LOCAL, __func__);
}

DART_ENTRY dart_ret_t dart_waitall_local(dart_handle_t handles[], size_t n) {
    return wait_for_all(handles, n, SHMEMX_LOCAL, __func__);
}

DART_ENTRY dart_ret_t dart_test(dart_handle_t* handleptr, int32_t* is_finished) {
    return test(handleptr, 1, SHMEMX_REMOTE, is_finished, __func__);
}

DART_ENTRY dart_ret_t dart_testall(dart_handle_t handles[], size_t n, int32_t* is_finished) {
    return test(handles, n, SHMEMX_REMOTE, is_finished, __func__);
}

DART_ENTRY dart_ret_t dart_test_local(dart_handle_t* handle, int32_t* result) {
    return test(handle, 1, SHMEMX_LOCAL, result, __func__);
}

DART_ENTRY dart_ret_t dart_testall_local(dart_handle_t handles[], size_t n, int32_t* result) {
    return test(handles, n, SHMEMX_LOCAL, result, __func__);
}

DART_ENTRY dart_ret_t dart_handle_free(dart_handle_t* handle) {
    if (handle == nullptr) return fail(DART_ERR_INVAL, __func__, "the place of the handle is NULL");
    if (!are_handles(handle, 1, __func__)) [[unlikely]]
        return DART_ERR_INVAL;
    give_up(handle);
    return DART_OK;
}

}  // namespace tessera::dart
