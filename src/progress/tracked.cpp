// SPDX-License-Identifier: BSD-3-Clause
//
// See tracked.hpp.
#include "progress/tracked.hpp"

#include <atomic>
#include <cstring>

#include "base/copy.hpp"
#include "progress/deferred_transfers.hpp"
#include "progress/helpers.hpp"
#include "transports/apply_atomic.hpp"

namespace tessera {
namespace {

bool is_mapped(const void* address, std::size_t bytes, int pe, const char* where) {
    return bytes == 0 || address_map.remote(address, bytes, pe, where) != nullptr;
}

}  // namespace

// `pe` is a number in the world here, not yet checked.
void put_req_slow_path(const Context& context, void* dest, const void* source, std::size_t bytes,
                       int pe, shmemx_req_t* req, const char* where) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (char* remote = address_map.remote(dest, bytes, pe, where)) {
        return copy_bytes(remote, source, bytes);
    }
    if (Context::is_deferrable(dest, bytes, pe)) [[unlikely]] {
        const DeferredTransfers::Transfer put{
            .dest = dest, .source = source, .bytes = bytes, .pe = pe};
        if (address_map.deferred->take(put, context.transport_context(), req, where)) return;
    }
    Request& request = open_request(where);
    Context::transport(pe, dest).put_tracked(context.transport_context(), dest, source, bytes, pe,
                                             request.operation);
    *req = publish(request);
}

void get_req_slow_path(const Context& context, void* dest, const void* source, std::size_t bytes,
                       int pe, shmemx_req_t* req, const char* where) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (const char* remote = address_map.remote(source, bytes, pe, where)) {
        copy_bytes(dest, remote, bytes);
        return std::atomic_thread_fence(std::memory_order_acquire);
    }
    if (Context::is_deferrable(source, bytes, pe)) [[unlikely]] {
        const DeferredTransfers::Transfer get{.kind = DeferredTransfers::Transfer::Kind::kGet,
                                              .dest = dest,
                                              .source = source,
                                              .bytes = bytes,
                                              .pe = pe};
        if (address_map.deferred->take(get, context.transport_context(), req, where)) return;
    }
    Request& request = open_request(where);
    Context::transport(pe, source)
        .get_tracked(context.transport_context(), dest, source, bytes, pe, request.operation);
    *req = publish(request);
}

void put_req_by_helper(const Context& context, char* remote, const void* source, std::size_t bytes,
                       shmemx_req_t* req, const char* where) {
    const Helpers::Copy copy{.local = source, .remote = remote, .bytes = bytes};
    if (address_map.helpers != nullptr &&
        address_map.helpers->take(copy, context.transport_context(), req, where)) {
        return;
    }
    copy_large(remote, source, bytes);
}

void get_req_by_helper(const Context& context, void* dest, const char* remote, std::size_t bytes,
                       shmemx_req_t* req, const char* where) {
    const Helpers::Copy copy{
        .kind = heap::HelperCopy::Kind::kGet, .local = dest, .remote = remote, .bytes = bytes};
    if (address_map.helpers != nullptr &&
        address_map.helpers->take(copy, context.transport_context(), req, where)) {
        return;
    }
    copy_large(dest, remote, bytes);
    std::atomic_thread_fence(std::memory_order_acquire);
}

// Where payload or signal are mapped, Context::put_signal() completes what is not.
void put_signal_req(const Context& context, void* dest, const void* source, std::size_t bytes,
                    const Signal& signal, int pe, shmemx_req_t* req, const char* where) {
    *req = SHMEMX_REQ_COMPLETE;
    if (Context::is_for_helpers(bytes) &&
        context.put_signal_by_helper(dest, source, bytes, signal, pe, where, req)) {
        return;
    }
    if (!address_map.needs_transport) {
        return context.put_signal(dest, source, bytes, signal, pe, where);
    }
    const int target = context.world_pe(pe, where);
    check_pe(target, where);
    const bool word_is_mapped = is_mapped(signal.word, sizeof *signal.word, target, where);
    if (word_is_mapped) return context.put_signal(dest, source, bytes, signal, pe, where);
    if (is_mapped(dest, bytes, target, where) ||
        !Context::goes_one_way(dest, signal.word, target)) {
        context.put_signal(dest, source, bytes, signal, pe, where);
        return context.quiet();
    }
    const AtomicRequest update = context.signal_update(signal, where);
    Request& request = open_request(where);
    Context::transport(target, dest)
        .put_signal_tracked(context.transport_context(), dest, source, bytes, update, target,
                            request.operation);
    *req = publish(request);
}

void atomic_req(const Context& context, const AtomicRequest& request, void* result, int pe,
                shmemx_req_t* req, const char* where) {
    const int target = context.world_pe(pe, where);
    *req = SHMEMX_REQ_COMPLETE;
    char* remote = address_map.mapped(request.dest, target);
    if (remote == nullptr) remote = address_map.remote(request.dest, request.bytes, target, where);
    if (reinterpret_cast<std::uintptr_t>(request.dest) % request.bytes != 0) {
        fail_alignment(request.dest, request.bytes, where);
    }
    if (remote != nullptr) {
        context.perform_held();  // One PE's atomics on a word stay in order.
        // Before the atomic: processors do not load beyond it.
        Sleeper* sleeper = address_map.peers[target].sleeper;
        const std::uint64_t old =
            apply_atomic(remote, request.bytes, request.op, request.operand, request.condition);
        if (result != nullptr) std::memcpy(result, &old, request.bytes);
        if (request.op != AtomicOp::kFetch && sleeper->is_sleeping()) sleeper->wake();
        return;
    }
    Request& tracked = open_request(where);
    Context::transport(target, request.dest)
        .atomic_tracked(context.transport_context(), request, result, target, tracked.operation);
    *req = publish(tracked);
}

}  // namespace tessera
