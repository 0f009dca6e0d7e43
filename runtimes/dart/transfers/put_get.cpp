// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: dart_put*, dart_get* (dart_communication.h). The usual case, elements of one basic type
// on mapped memory, ends here; moves.cpp has all others.
#include <dash/dart/if/dart_communication.h>
#include <shmem.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/entry.hpp"
#include "core/types.hpp"
#include "transfers/moves.hpp"
#include "transfers/ordering.hpp"
#include "transfers/pending.hpp"
#include "transfers/polling.hpp"
#include "transfers/recent_targets.hpp"
#include "transfers/target.hpp"
#include "transfers/words.hpp"

namespace tessera::dart {
namespace {

// More than that OpenSHMEM copies in its own way.
constexpr std::size_t kShortBytesMax = 512;
// From here on it may leave nonblocking copies to others (docs/run/progress.md).
constexpr std::size_t kLeftBytesMin = 4096;
// So many elements of any basic type have a size.
constexpr std::size_t kElementsMax = std::size_t{1} << 48;

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

template <Completion kCompletion>
[[gnu::noinline]] dart_ret_t put_long(char* dest, const void* src, std::size_t bytes, int pe,
                                      dart_handle_t* handle) {
    if (kCompletion != Completion::kBlocking && bytes >= kLeftBytesMin) {
        shmemx_req_t request = SHMEMX_REQ_COMPLETE;
        shmemx_putmem_req(dest, src, bytes, pe, &request);
        keep(request, handle);
    } else {
        shmem_putmem(dest, src, bytes, pe);
    }
    note_store(kCompletion);
    return DART_OK;
}

template <Completion kCompletion>
[[gnu::noinline]] dart_ret_t get_long(void* dest, const char* src, std::size_t bytes, int pe,
                                      dart_handle_t* handle) {
    if (kCompletion != Completion::kBlocking && bytes >= kLeftBytesMin) {
        shmemx_req_t request = SHMEMX_REQ_COMPLETE;
        shmemx_getmem_req(dest, src, bytes, pe, &request);
        keep(request, handle);
    } else {
        shmem_getmem(dest, src, bytes, pe);
    }
    return DART_OK;
}

[[gnu::noinline]] dart_ret_t pause_and_return() {
    detail::pause_poll(detail::polling);
    return DART_OK;
}

// Behind the load of a short get.
[[gnu::always_inline]] inline dart_ret_t note_load(const char* mapped) {
    // Later loads must not pass it. Pairs with transfers/ordering.hpp:order_stores.
    std::atomic_thread_fence(std::memory_order_acquire);
    return repeats_too_often(mapped) ? pause_and_return() : DART_OK;
}

// A function of its own, so that a get of a word saves no registers.
[[gnu::noinline]] dart_ret_t get_some(void* dest, const char* mapped, std::size_t bytes) {
    std::memcpy(dest, mapped, bytes);
    return note_load(mapped);
}

// Both copy between memory of the own unit and a mapped target, `offset` bytes behind `first`.
template <Completion kCompletion>
[[gnu::always_inline]] inline dart_ret_t put_to(const Target& first, std::uint64_t offset,
                                                const void* src, std::size_t bytes,
                                                dart_handle_t* handle) {
    if (kCompletion == Completion::kByHandle) *handle = DART_HANDLE_NULL;
    if (bytes > kShortBytesMax) [[unlikely]]
        return put_long<kCompletion>(first.address + offset, src, bytes, first.pe, handle);
    copy_bytes(first.mapped + offset, src, bytes);
    note_store(kCompletion);
    return DART_OK;
}

template <Completion kCompletion>
[[gnu::always_inline]] inline dart_ret_t get_from(void* dest, const Target& first,
                                                  std::uint64_t offset, std::size_t bytes,
                                                  dart_handle_t* handle) {
    if (kCompletion == Completion::kByHandle) *handle = DART_HANDLE_NULL;
    order_before_load();
    if (bytes > kShortBytesMax) [[unlikely]]
        return get_long<kCompletion>(dest, first.address + offset, bytes, first.pe, handle);
    const char* const mapped = first.mapped + offset;
    return copy_if_word(dest, mapped, bytes) ? note_load(mapped) : get_some(dest, mapped, bytes);
}

// RETURNS: whether the transfer is elements of one basic type, and has the place for its handle.
// `bytes` receives its size.
template <Completion kCompletion>
[[gnu::always_inline]] inline bool is_usual(const void* local, std::size_t nelem,
                                            dart_datatype_t src_type, dart_datatype_t dst_type,
                                            const dart_handle_t* handle, std::size_t& bytes) {
    if (src_type != dst_type || !is_basic(src_type) || nelem == 0 || nelem > kElementsMax ||
        local == nullptr || (kCompletion == Completion::kByHandle && handle == nullptr))
        [[unlikely]] {
        return false;
    }
    bytes = nelem * bytes_of_basic(src_type);
    return true;
}

// A put whose target the calling thread has not noted.
template <Completion kCompletion>
[[gnu::noinline]] dart_ret_t put_first(dart_gptr_t gptr, const void* src, std::size_t nelem,
                                       dart_datatype_t src_type, dart_datatype_t dst_type,
                                       dart_handle_t* handle, const char* routine) {
    std::size_t bytes = 0;
    if (is_usual<kCompletion>(src, nelem, src_type, dst_type, handle, bytes)) {
        const Target target = note_target(gptr, bytes);
        if (target.mapped != nullptr) return put_to<kCompletion>(target, 0, src, bytes, handle);
    }
    return move({.direction = Direction::kPut,
                 .completion = kCompletion,
                 .local = const_cast<void*>(src),
                 .gptr = gptr,
                 .elements = nelem,
                 .source_type = src_type,
                 .dest_type = dst_type,
                 .handle = handle},
                routine);
}

// The same for a get.
template <Completion kCompletion>
[[gnu::noinline]] dart_ret_t get_first(void* dest, dart_gptr_t gptr, std::size_t nelem,
                                       dart_datatype_t src_type, dart_datatype_t dst_type,
                                       dart_handle_t* handle, const char* routine) {
    std::size_t bytes = 0;
    if (is_usual<kCompletion>(dest, nelem, src_type, dst_type, handle, bytes)) {
        const Target target = note_target(gptr, bytes);
        if (target.mapped != nullptr) return get_from<kCompletion>(dest, target, 0, bytes, handle);
    }
    return move({.direction = Direction::kGet,
                 .completion = kCompletion,
                 .local = dest,
                 .gptr = gptr,
                 .elements = nelem,
                 .source_type = src_type,
                 .dest_type = dst_type,
                 .handle = handle},
                routine);
}

// `handle`: only for kByHandle.
template <Completion kCompletion>
[[gnu::always_inline]] inline dart_ret_t put(dart_gptr_t gptr, const void* src, std::size_t nelem,
                                             dart_datatype_t src_type, dart_datatype_t dst_type,
                                             dart_handle_t* handle, const char* routine) {
    std::size_t bytes = 0;
    if (is_usual<kCompletion>(src, nelem, src_type, dst_type, handle, bytes)) [[likely]] {
        if (const RecentTarget* recent = find_recent(gptr, bytes)) [[likely]]
            return put_to<kCompletion>(recent->first, gptr.addr_or_offs.offset, src, bytes, handle);
    }
    return put_first<kCompletion>(gptr, src, nelem, src_type, dst_type, handle, routine);
}

template <Completion kCompletion>
[[gnu::always_inline]] inline dart_ret_t get(void* dest, dart_gptr_t gptr, std::size_t nelem,
                                             dart_datatype_t src_type, dart_datatype_t dst_type,
                                             dart_handle_t* handle, const char* routine) {
    std::size_t bytes = 0;
    if (is_usual<kCompletion>(dest, nelem, src_type, dst_type, handle, bytes)) [[likely]] {
        if (const RecentTarget* recent = find_recent(gptr, bytes)) [[likely]] {
            return get_from<kCompletion>(dest, recent->first, gptr.addr_or_offs.offset, bytes,
                                         handle);
        }
    }
    return get_first<kCompletion>(dest, gptr, nelem, src_type, dst_type, handle, routine);
}

}  // namespace

DART_ENTRY dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void* src, size_t nelem,
                                        dart_datatype_t src_type, dart_datatype_t dst_type) {
    return put<Completion::kBlocking>(gptr, src, nelem, src_type, dst_type, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_put(dart_gptr_t gptr, const void* src, size_t nelem,
                               dart_datatype_t src_type, dart_datatype_t dst_type) {
    return put<Completion::kByFlush>(gptr, src, nelem, src_type, dst_type, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_put_handle(dart_gptr_t gptr, const void* src, size_t nelem,
                                      dart_datatype_t src_type, dart_datatype_t dst_type,
                                      dart_handle_t* handle) {
    return put<Completion::kByHandle>(gptr, src, nelem, src_type, dst_type, handle, __func__);
}

DART_ENTRY dart_ret_t dart_get_blocking(void* dest, dart_gptr_t gptr, size_t nelem,
                                        dart_datatype_t src_type, dart_datatype_t dst_type) {
    return get<Completion::kBlocking>(dest, gptr, nelem, src_type, dst_type, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_get(void* dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                               dart_datatype_t dst_type) {
    return get<Completion::kByFlush>(dest, gptr, nelem, src_type, dst_type, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_get_handle(void* dest, dart_gptr_t gptr, size_t nelem,
                                      dart_datatype_t src_type, dart_datatype_t dst_type,
                                      dart_handle_t* handle) {
    return get<Completion::kByHandle>(dest, gptr, nelem, src_type, dst_type, handle, __func__);
}

}  // namespace tessera::dart
