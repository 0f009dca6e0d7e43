// SPDX-License-Identifier: BSD-3-Clause
//
// See context.hpp: signals, and the slow paths to transports.
#include "core/context.hpp"

#include "base/fatal.hpp"
#include "core/issue.hpp"
#include "core/sync_copies.hpp"
#include "memory/segments.hpp"
#include "progress/offload.hpp"
#include "progress/request.hpp"
#include "shmem/signal.h"
#include "transports/apply_atomic.hpp"

namespace tessera {

TransportContext* Context::default_transport_context = nullptr;
Context collective_context;
Context stream_context;

// The library's own operations are parts of collectives, which other PEs wait for.
void Context::offer_end(const TransportContext& context) {
    if (!may_be_cancelled) [[likely]]
        return;
    const bool is_of_library = &context == &collective_context.transport_context() ||
                               &context == &stream_context.transport_context();
    if (!is_of_library) cancellation_point();
}

void issue(const Context& context, const Transfer& transfer, const TransferForm& form,
           const char* where) {
    const auto& [dest, source, bytes, pe] = transfer;
    check_pe(pe, where);
    if (bytes == 0) return;
    // const_cast: of a put the local side is only read.
    void* remote = form.is_put() ? dest : const_cast<void*>(source);
    void* local = form.is_put() ? const_cast<void*>(source) : dest;
    char* mapped = address_map.remote(remote, bytes, pe, where, form.direction);
    const Sides sides{remote, local, mapped};
    if (leave_to_others(context, sides, bytes, nullptr, form, pe, where)) return;
    if (mapped != nullptr) {
        if (form.is_put()) return copy_bytes(mapped, local, bytes);
        copy_bytes(local, mapped, bytes);
        // Later loads come behind this get. Pairs with core/context.hpp:fence.
        return std::atomic_thread_fence(std::memory_order_acquire);
    }
    Transport& way = Context::transport(pe, remote);
    TransportContext& under_way = context.transport_context();
    if (form.request != nullptr) {
        Request& request = open_request(where);
        form.is_put() ? way.put_tracked(under_way, dest, source, bytes, pe, request.operation)
                      : way.get_tracked(under_way, dest, source, bytes, pe, request.operation);
        *form.request = publish(request);
        return;
    }
    if (form.returns == Returns::kAtOnce) {
        form.is_put() ? way.put_nbi(under_way, dest, source, bytes, pe)
                      : way.get_nbi(under_way, dest, source, bytes, pe);
    } else {
        form.is_put() ? way.put(under_way, dest, source, bytes, pe)
                      : way.get(under_way, dest, source, bytes, pe);
    }
    Context::offer_end(under_way);
}

void Context::put_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where, const Context* context) {
    issue(*context, {dest, source, bytes, pe}, {Direction::kPut, Returns::kComplete}, where);
}
void Context::get_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where, const Context* context) {
    issue(*context, {dest, source, bytes, pe}, {Direction::kGet, Returns::kComplete}, where);
}
void Context::put_nbi_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where, const Context* context) {
    issue(*context, {dest, source, bytes, pe}, {Direction::kPut, Returns::kAtOnce}, where);
}
void Context::get_nbi_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where, const Context* context) {
    issue(*context, {dest, source, bytes, pe}, {Direction::kGet, Returns::kAtOnce}, where);
}

namespace {

// Whether the fabric's thread may do it. REQUIRES: the memory is not mapped.
bool is_by_fabric(const void* address, int pe) {
    return &Context::transport(pe, address) == address_map.fabric && !is_registered(address);
}

// A name of registered memory as the PE has it; else 0.
std::uintptr_t address_there(const void* remote, int pe) {
    if (!is_segment_name(remote)) return 0;
    return segments().find_there(segments().offset_of(remote), pe).address;
}

}  // namespace

bool leave_to_others(const Context& context, const Sides& sides, std::size_t bytes,
                     const Section* section, const TransferForm& form, int pe, const char* where) {
    if (form.returns == Returns::kComplete || !Context::is_for_others(bytes)) return false;
    if (sides.mapped == nullptr && !is_by_fabric(sides.remote, pe)) return false;
    const Offload::Transfer transfer{
        .direction = form.direction,
        .local = sides.local,
        .remote = sides.remote,
        .mapped = sides.mapped,
        .there = sides.mapped != nullptr ? address_there(sides.remote, pe) : 0,
        .bytes = bytes,
        .pe = pe,
        .section = section};
    return address_map.offload->try_take(transfer, context.transport_context(), form.request,
                                         where);
}

// Wrong signals are left to put_signal(), which reports them.
bool Context::leave_put_signal(void* dest, const void* source, std::size_t bytes,
                               const Signal& signal, int pe, const char* where,
                               shmemx_req_t* req) const {
    const int target = world_pe(pe, where);
    if (!is_signal_op(signal.op) || !is_aligned(signal.word)) return false;
    char* mapped = address_map.remote(dest, bytes, target, where);
    char* word = address_map.remote(signal.word, sizeof *signal.word, target, where);
    const bool are_alike = mapped == nullptr ? word == nullptr && is_by_fabric(dest, target) &&
                                                   is_by_fabric(signal.word, target)
                                             : word != nullptr;
    if (!are_alike) return false;
    perform_held();  // One PE's atomics on a word stay in order.
    const AtomicRequest update = signal_update(signal, where);
    const Offload::Transfer put{.local = const_cast<void*>(source),
                                .remote = dest,
                                .mapped = mapped,
                                .there = mapped != nullptr ? address_there(dest, target) : 0,
                                .bytes = bytes,
                                .pe = target,
                                .signal = &update,
                                .mapped_signal = word};
    return address_map.offload->try_take(put, transport_context(), req, where);
}

void Context::fence_slow_path(TransportContext& context) {
    serve_other_nodes();
    if (address_map.offload != nullptr) {
        address_map.offload->complete(context, Offload::Which::kPuts);
        // Pairs with api/local_word.hpp:load.
        std::atomic_thread_fence(std::memory_order_release);
    }
    if (address_map.fabric != nullptr) address_map.fabric->fence(context);
    sync_copies(context.is_without_stores ? SyncPoint::kNoStore : SyncPoint::kFence);
    offer_end(context);
}

void Context::quiet_slow_path(TransportContext& context) {
    serve_other_nodes();
    if (address_map.offload != nullptr)
        address_map.offload->complete(context, Offload::Which::kAll);
    if (address_map.fabric != nullptr) address_map.fabric->quiet(context);
    sync_copies(context.is_without_stores ? SyncPoint::kNoStore : SyncPoint::kQuiet);
    offer_end(context);
}

std::uint64_t Context::atomic_slow_path(const AtomicRequest& request, int pe, const char* where,
                                        OldValue old_value, void* later) const {
    const auto& [dest, bytes, op, operand, condition, element] = request;
    char* remote = address_map.remote(dest, bytes, pe, where);
    if (reinterpret_cast<std::uintptr_t>(dest) % bytes != 0) fail_alignment(dest, bytes, where);
    if (remote != nullptr) {
        const std::uint64_t old = apply_atomic(remote, bytes, op, operand, condition);
        if (old_value == OldValue::kLater) std::memcpy(later, &old, bytes);
        if (op != AtomicOp::kFetch) wake_if_sleeping(sleeper_of(pe));
        return old;
    }
    Transport& way = transport(pe, dest);
    TransportContext& under_way = transport_context();
    std::uint64_t old = 0;
    if (old_value == OldValue::kReturned) {
        old = way.atomic(under_way, request, pe);
    } else {
        way.atomic_nbi(under_way, request, later, pe);
    }
    offer_end(under_way);
    return old;
}

// Payload and signal may take different paths: then the payload must have arrived before the signal
// is sent.
void Context::put_signal_slow_path(void* dest, const void* source, std::size_t bytes,
                                   const Signal& signal, int pe, const char* where) const {
    if (!address_map.needs_transport) {
        put(dest, source, bytes, pe, where);
        return update_signal(signal, pe, where);
    }
    const int target = world_pe(pe, where);
    check_pe(target, where);
    const bool data_is_mapped =
        bytes == 0 || address_map.remote(dest, bytes, target, where) != nullptr;
    const bool word_is_mapped =
        address_map.remote(signal.word, sizeof *signal.word, target, where) != nullptr;
    // A transport orders its own operations only.
    const bool is_one_way = data_is_mapped == word_is_mapped &&
                            (data_is_mapped || goes_one_way(dest, signal.word, target));
    if (data_is_mapped || word_is_mapped || !is_one_way) {
        const NoCancellationPoint not_between_payload_and_signal;
        put(dest, source, bytes, pe, where);
        if (!is_one_way) quiet();
        update_signal(signal, pe, where);
    } else {
        transport(target, dest)
            .put_signal(transport_context(), dest, source, bytes, signal_update(signal, where),
                        target);
    }
    if (address_map.fabric != nullptr) offer_end(transport_context());
}

AtomicRequest Context::signal_update(const Signal& signal, const char* where) {
    if (!is_aligned(signal.word)) fail_alignment(signal.word, sizeof *signal.word, where);
    if (!is_signal_op(signal.op)) fail_signal_op(signal.op, where);
    const AtomicOp op = signal.op == SHMEM_SIGNAL_SET ? AtomicOp::kSet : AtomicOp::kAdd;
    return {.dest = signal.word, .op = op, .operand = signal.value};
}

void Context::fail_signal_op(int op, const char* where) {
    fatal("%s: sig_op %d is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD", where, op);
}

}  // namespace tessera
