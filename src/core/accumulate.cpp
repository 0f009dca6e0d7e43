// SPDX-License-Identifier: BSD-3-Clause
//
// See accumulate.hpp.
#include "core/accumulate.hpp"

#include <atomic>
#include <cstring>

#include "base/byte_count.hpp"
#include "core/internal_segment.hpp"
#include "transports/apply_atomic.hpp"

namespace tessera {
namespace {

std::atomic<std::uint32_t>& element_lock_of(int pe) {
    return segment_of(address_map.peers[pe].sleeper).element_lock;
}

void check_alignment(const void* dest, std::size_t alignment, const char* where) {
    if (reinterpret_cast<std::uintptr_t>(dest) % alignment != 0) [[unlikely]]
        fail_alignment(dest, alignment, where);
}

// Behind changes of mapped memory. The fence stands between them and the look whether the PE
// sleeps. Pairs with base/wait.cpp:sleep_unless.
void wake(int pe) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    Sleeper* const sleeper = address_map.peers[pe].sleeper;
    if (sleeper->is_sleeping()) sleeper->wake();
}

// The element where this PE maps it; nullptr: it does not. `pe` counts in the world.
char* mapped_element(const Context& context, const AtomicRequest& request, int pe,
                     const char* where) {
    char* const remote = address_map.remote(request.dest, request.bytes, pe, where);
    const bool is_element = request.op == AtomicOp::kElement;
    check_alignment(request.dest, is_element ? request.element.kernel()->alignment : request.bytes,
                    where);
    if (remote != nullptr) context.perform_held();  // One PE's atomics on a word stay in order.
    return remote;
}

std::uint64_t update_mapped(char* remote, const AtomicRequest& request, int pe) {
    std::uint64_t old = 0;
    if (request.op == AtomicOp::kElement) {
        old = apply_element(remote, request.bytes, request.element, request.operand,
                            element_lock_of(pe));
    } else {
        old = apply_atomic(remote, request.bytes, request.op, request.operand, request.condition);
    }
    wake(pe);
    return old;
}

}  // namespace

void accumulate(const Context& context, const Accumulation& what, int pe, shmemx_req_t* req,
                const char* where) {
    const int target = context.world_pe(pe, where);
    check_pe(target, where);
    if (req != nullptr) *req = SHMEMX_REQ_COMPLETE;
    if (what.nelems == 0) return;
    const ElementKernel& kernel = *what.element.kernel();
    const std::size_t bytes = byte_count(what.nelems, kernel.bytes);
    char* const remote = address_map.remote(what.dest, bytes, target, where);
    check_alignment(what.dest, kernel.alignment, where);
    if (remote != nullptr) {
        context.perform_held();
        const auto* const source = static_cast<const char*>(what.source);
        std::atomic<std::uint32_t>& lock = element_lock_of(target);
        if (what.result == nullptr) {
            kernel.accumulate(remote, source, what.nelems, lock);
        } else {
            kernel.get_accumulate(remote, source, static_cast<char*>(what.result), what.nelems,
                                  lock);
        }
        return wake(target);
    }
    Transport& transport = Context::transport(target, what.dest);
    if (what.result != nullptr && req != nullptr) {
        Request& request = open_request(where);
        Accumulation tracked = what;
        tracked.operation = &request.operation;
        transport.accumulate(context.transport_context(), tracked, target);
        *req = publish(request);
        return;
    }
    transport.accumulate(context.transport_context(), what, target);
    if (req == nullptr) return;
    Request& request = open_request(where);
    transport.track_issued(context.transport_context(), target, request.operation);
    *req = publish(request);
}

std::uint64_t update_element(const Context& context, const AtomicRequest& request, int pe,
                             const char* where) {
    const int target = context.world_pe(pe, where);
    if (char* remote = mapped_element(context, request, target, where))
        return update_mapped(remote, request, target);
    return Context::transport(target, request.dest)
        .atomic(context.transport_context(), request, target);
}

void update_element_req(const Context& context, const AtomicRequest& request, void* result, int pe,
                        shmemx_req_t* req, const char* where) {
    const int target = context.world_pe(pe, where);
    *req = SHMEMX_REQ_COMPLETE;
    if (char* remote = mapped_element(context, request, target, where)) {
        const std::uint64_t old = update_mapped(remote, request, target);
        std::memcpy(result, &old, request.bytes);
        return;
    }
    Request& tracked = open_request(where);
    Context::transport(target, request.dest)
        .atomic_tracked(context.transport_context(), request, result, target, tracked.operation);
    *req = publish(tracked);
}

}  // namespace tessera
