// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: dart_put*, dart_get* (dart_communication.h). The usual case, few elements of one basic
// type on mapped memory, ends here; moves.cpp has all others.
#include <dash/dart/if/dart_communication.h>
#include <shmem.h>

#include "core/entry.hpp"
#include "core/types.hpp"
#include "transfers/moves.hpp"
#include "transfers/ordering.hpp"
#include "transfers/pending.hpp"
#include "transfers/polling.hpp"
#include "transfers/target.hpp"
#include "transfers/words.hpp"

namespace tessera::dart {
namespace {

// More than that OpenSHMEM copies in its own way.
constexpr std::size_t kShortBytesMax = 512;
// From here on it may leave nonblocking copies to others (docs/progress.md).
constexpr std::size_t kLeftBytesMin = 4096;

// A copy on mapped memory that may not be complete. `handle`: nullptr, a flush completes it.
void keep(shmemx_req_t request, dart_handle_t* handle) {
    if (request == SHMEMX_REQ_COMPLETE) return;
    left_on_node.note();
    if (handle != nullptr) {
        *request_of(handle) = request;
    } else {
        shmemx_req_free(&request);
    }
}

[[gnu::noinline]] void put_long(const Target& target, const void* src, std::size_t bytes,
                                dart_handle_t* handle) {
    shmemx_req_t request = SHMEMX_REQ_COMPLETE;
    shmemx_putmem_req(target.address, src, bytes, target.pe, &request);
    keep(request, handle);
}

[[gnu::noinline]] void get_long(void* dest, const Target& target, std::size_t bytes,
                                dart_handle_t* handle) {
    shmemx_req_t request = SHMEMX_REQ_COMPLETE;
    shmemx_getmem_req(dest, target.address, bytes, target.pe, &request);
    keep(request, handle);
}

// RETURNS: a target that is not mapped: this is not the usual case. `bytes` receives the size of
// the transfer.
inline Target usual_target(const dart_gptr_t& gptr, const void* local, std::size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type, std::size_t& bytes) {
    if (src_type != dst_type || !is_basic(src_type) || nelem == 0 || local == nullptr ||
        __builtin_mul_overflow(nelem, bytes_of_basic(src_type), &bytes)) [[unlikely]] {
        return {};
    }
    return mapped_target(gptr, bytes);
}

[[gnu::always_inline]] inline bool put_usual(Completion completion, const dart_gptr_t& gptr,
                                             const void* src, std::size_t nelem,
                                             dart_datatype_t src_type, dart_datatype_t dst_type,
                                             dart_handle_t* handle) {
    std::size_t bytes = 0;
    const Target target = usual_target(gptr, src, nelem, src_type, dst_type, bytes);
    if (target.mapped == nullptr) [[unlikely]]
        return false;
    if (bytes <= kShortBytesMax) {
        copy_bytes(target.mapped, src, bytes);
    } else if (completion != Completion::kBlocking && bytes >= kLeftBytesMin) {
        put_long(target, src, bytes, handle);
    } else {
        shmem_putmem(target.address, src, bytes, target.pe);
    }
    note_store(completion);
    return true;
}

[[gnu::always_inline]] inline bool get_usual(Completion completion, void* dest,
                                             const dart_gptr_t& gptr, std::size_t nelem,
                                             dart_datatype_t src_type, dart_datatype_t dst_type,
                                             dart_handle_t* handle) {
    std::size_t bytes = 0;
    const Target target = usual_target(gptr, dest, nelem, src_type, dst_type, bytes);
    if (target.mapped == nullptr) [[unlikely]]
        return false;
    order_before_load();
    if (bytes <= kShortBytesMax) {
        copy_bytes(dest, target.mapped, bytes);
        // Later loads must not pass it. Pairs with transfers/ordering.hpp:order_stores.
        std::atomic_thread_fence(std::memory_order_acquire);
        note_poll(target.mapped);
    } else if (completion != Completion::kBlocking && bytes >= kLeftBytesMin) {
        get_long(dest, target, bytes, handle);
    } else {
        shmem_getmem(dest, target.address, bytes, target.pe);
    }
    return true;
}

// `handle`: only for kByHandle.
[[gnu::always_inline]] inline dart_ret_t put(Completion completion, const dart_gptr_t& gptr,
                                             const void* src, std::size_t nelem,
                                             dart_datatype_t src_type, dart_datatype_t dst_type,
                                             dart_handle_t* handle, const char* routine) {
    const bool has_place = completion != Completion::kByHandle || handle != nullptr;
    if (completion == Completion::kByHandle && has_place) *handle = DART_HANDLE_NULL;
    if (has_place && put_usual(completion, gptr, src, nelem, src_type, dst_type, handle)) [[likely]]
        return DART_OK;
    return move({.direction = Direction::kPut,
                 .completion = completion,
                 .local = const_cast<void*>(src),
                 .gptr = gptr,
                 .elements = nelem,
                 .source_type = src_type,
                 .dest_type = dst_type,
                 .handle = handle},
                routine);
}

// The same for a get.
[[gnu::always_inline]] inline dart_ret_t get(Completion completion, void* dest,
                                             const dart_gptr_t& gptr, std::size_t nelem,
                                             dart_datatype_t src_type, dart_datatype_t dst_type,
                                             dart_handle_t* handle, const char* routine) {
    const bool has_place = completion != Completion::kByHandle || handle != nullptr;
    if (completion == Completion::kByHandle && has_place) *handle = DART_HANDLE_NULL;
    if (has_place && get_usual(completion, dest, gptr, nelem, src_type, dst_type, handle))
        [[likely]]
        return DART_OK;
    return move({.direction = Direction::kGet,
                 .completion = completion,
                 .local = dest,
                 .gptr = gptr,
                 .elements = nelem,
                 .source_type = src_type,
                 .dest_type = dst_type,
                 .handle = handle},
                routine);
}

}  // namespace

DART_ENTRY dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void* src, size_t nelem,
                                        dart_datatype_t src_type, dart_datatype_t dst_type) {
    return put(Completion::kBlocking, gptr, src, nelem, src_type, dst_type, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_put(dart_gptr_t gptr, const void* src, size_t nelem,
                               dart_datatype_t src_type, dart_datatype_t dst_type) {
    return put(Completion::kByFlush, gptr, src, nelem, src_type, dst_type, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_put_handle(dart_gptr_t gptr, const void* src, size_t nelem,
                                      dart_datatype_t src_type, dart_datatype_t dst_type,
                                      dart_handle_t* handle) {
    return put(Completion::kByHandle, gptr, src, nelem, src_type, dst_type, handle, __func__);
}

DART_ENTRY dart_ret_t dart_get_blocking(void* dest, dart_gptr_t gptr, size_t nelem,
                                        dart_datatype_t src_type, dart_datatype_t dst_type) {
    return get(Completion::kBlocking, dest, gptr, nelem, src_type, dst_type, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_get(void* dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                               dart_datatype_t dst_type) {
    return get(Completion::kByFlush, dest, gptr, nelem, src_type, dst_type, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_get_handle(void* dest, dart_gptr_t gptr, size_t nelem,
                                      dart_datatype_t src_type, dart_datatype_t dst_type,
                                      dart_handle_t* handle) {
    return get(Completion::kByHandle, dest, gptr, nelem, src_type, dst_type, handle, __func__);
}

}  // namespace tessera::dart
