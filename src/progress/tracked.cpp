// SPDX-License-Identifier: BSD-3-Clause
//
// See tracked.hpp.
#include "progress/tracked.hpp"

#include <atomic>
#include <cstring>

#include "core/issue.hpp"
#include "transports/apply_atomic.hpp"

namespace tessera {
namespace {

bool is_mapped(const void* address, std::size_t bytes, int pe, const char* where) {
    return bytes == 0 || address_map.remote(address, bytes, pe, where) != nullptr;
}

}  // namespace

void put_req_slow_path(const Context& context, void* dest, const void* source, std::size_t bytes,
                       int pe, shmemx_req_t* req, const char* where) {
    issue(context, {dest, source, bytes, pe}, {Direction::kPut, Returns::kAtOnce, req}, where);
}
void get_req_slow_path(const Context& context, void* dest, const void* source, std::size_t bytes,
                       int pe, shmemx_req_t* req, const char* where) {
    issue(context, {dest, source, bytes, pe}, {Direction::kGet, Returns::kAtOnce, req}, where);
}

// Where payload or signal are mapped, Context::put_signal() completes what is not.
void put_signal_req(const Context& context, void* dest, const void* source, std::size_t bytes,
                    const Signal& signal, int pe, shmemx_req_t* req, const char* where) {
    *req = SHMEMX_REQ_COMPLETE;
    if (Context::is_for_others(bytes) &&
        context.leave_put_signal(dest, source, bytes, signal, pe, where, req)) {
        return;
    }
    if (!address_map.needs_transport)
        return context.put_signal(dest, source, bytes, signal, pe, where);
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
    if (reinterpret_cast<std::uintptr_t>(request.dest) % request.bytes != 0)
        fail_alignment(request.dest, request.bytes, where);
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
