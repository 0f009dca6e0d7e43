// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: operations with a request. As in context.hpp they take one decision, is the target
// mapped? Then the operation is complete when it returns, and the request is a constant: this costs
// a store. Else one virtual call with an Operation. `req` is the program's variable, checked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/context.hpp"
#include "progress/request.hpp"

namespace tessera {

void put_req_slow_path(const Context& context, void* dest, const void* source, std::size_t bytes,
                       int pe, shmemx_req_t* req, const char* where);
void get_req_slow_path(const Context& context, void* dest, const void* source, std::size_t bytes,
                       int pe, shmemx_req_t* req, const char* where);

TESSERA_INLINE void put_req(const Context& context, void* dest, const void* source,
                            std::size_t bytes, int pe, shmemx_req_t* req, const char* where) {
    const int target = context.world_pe(pe, where);
    *req = SHMEMX_REQ_COMPLETE;
    if (bytes <= kShortBytesMax) {
        if (char* remote = address_map.mapped(dest, target)) [[likely]]
            return copy_short(remote, source, bytes);
    } else if (char* remote = address_map.mapped_heap(dest, bytes, target)) [[likely]] {
        if (Context::is_for_others(bytes)) [[unlikely]]
            return put_req_slow_path(context, dest, source, bytes, target, req, where);
        return copy_long(remote, source, bytes);
    }
    put_req_slow_path(context, dest, source, bytes, target, req, where);
}

TESSERA_INLINE void get_req(const Context& context, void* dest, const void* source,
                            std::size_t bytes, int pe, shmemx_req_t* req, const char* where) {
    const int target = context.world_pe(pe, where);
    *req = SHMEMX_REQ_COMPLETE;
    // The get is complete when it returns; later loads must not pass it.
    if (bytes <= kShortBytesMax) {
        if (const char* remote = address_map.mapped(source, target)) [[likely]]
            return copy_short_and_acquire(dest, remote, bytes);
    } else if (const char* remote = address_map.mapped_heap(source, bytes, target)) [[likely]] {
        if (Context::is_for_others(bytes)) [[unlikely]]
            return get_req_slow_path(context, dest, source, bytes, target, req, where);
        return copy_long_and_acquire(dest, remote, bytes);
    }
    get_req_slow_path(context, dest, source, bytes, target, req, where);
}

void put_signal_req(const Context& context, void* dest, const void* source, std::size_t bytes,
                    const Signal& signal, int pe, shmemx_req_t* req, const char* where);

// `result` receives the old value, request.bytes of it, unless it is nullptr.
void atomic_req(const Context& context, const AtomicRequest& request, void* result, int pe,
                shmemx_req_t* req, const char* where);

}  // namespace tessera
