// SPDX-License-Identifier: BSD-3-Clause
//
// See context.hpp: signals, and the slow paths to transports.
#include "core/context.hpp"

#include "base/fatal.hpp"
#include "core/context_without_stores.hpp"
#include "progress/deferred_transfers.hpp"
#include "progress/helpers.hpp"
#include "session/coherence.hpp"
#include "session/runtime.hpp"
#include "shmem/signal.h"

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

void Context::put_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where, const Context* context) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (char* remote = address_map.remote(dest, bytes, pe, where)) {
        return copy_bytes(remote, source, bytes);
    }
    transport(pe, dest).put(context->transport_context(), dest, source, bytes, pe);
    offer_end(context->transport_context());
}

void Context::get_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where, const Context* context) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (const char* remote = address_map.remote(source, bytes, pe, where)) {
        copy_bytes(dest, remote, bytes);
        return std::atomic_thread_fence(std::memory_order_acquire);
    }
    transport(pe, source).get(context->transport_context(), dest, source, bytes, pe);
    offer_end(context->transport_context());
}

void Context::put_nbi_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where, const Context* context) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (char* remote = address_map.remote(dest, bytes, pe, where)) {
        return copy_bytes(remote, source, bytes);
    }
    if (is_deferrable(dest, bytes, pe)) [[unlikely]] {
        const DeferredTransfers::Transfer put{
            .dest = dest, .source = source, .bytes = bytes, .pe = pe};
        if (address_map.deferred->take(put, context->transport_context())) return;
    }
    transport(pe, dest).put_nbi(context->transport_context(), dest, source, bytes, pe);
    offer_end(context->transport_context());
}

void Context::get_nbi_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where, const Context* context) {
    check_pe(pe, where);
    if (bytes == 0) return;
    if (const char* remote = address_map.remote(source, bytes, pe, where)) {
        return copy_bytes(dest, remote, bytes);
    }
    if (is_deferrable(source, bytes, pe)) [[unlikely]] {
        const DeferredTransfers::Transfer get{.kind = DeferredTransfers::Transfer::Kind::kGet,
                                              .dest = dest,
                                              .source = source,
                                              .bytes = bytes,
                                              .pe = pe};
        if (address_map.deferred->take(get, context->transport_context())) return;
    }
    transport(pe, source).get_nbi(context->transport_context(), dest, source, bytes, pe);
    offer_end(context->transport_context());
}

void Context::put_by_helper(char* remote, const void* source, std::size_t bytes,
                            const Context* context) {
    const Helpers::Copy copy{.local = source, .remote = remote, .bytes = bytes};
    if (address_map.helpers != nullptr &&
        address_map.helpers->take(copy, context->transport_context())) {
        return;
    }
    copy_large(remote, source, bytes);
}

void Context::get_by_helper(void* dest, const char* remote, std::size_t bytes,
                            const Context* context) {
    const Helpers::Copy copy{
        .kind = heap::HelperCopy::Kind::kGet, .local = dest, .remote = remote, .bytes = bytes};
    if (address_map.helpers != nullptr &&
        address_map.helpers->take(copy, context->transport_context())) {
        return;
    }
    copy_large(dest, remote, bytes);
}

// Mistakes are left to put_signal(), which reports them.
bool Context::put_signal_by_helper(void* dest, const void* source, std::size_t bytes,
                                   const Signal& signal, int pe, const char* where,
                                   shmemx_req_t* req) const {
    const int target = world_pe(pe, where);
    if (!is_signal_op(signal.op) || !is_aligned(signal.word)) return false;
    const char* remote = address_map.mapped_heap(dest, bytes, target);
    const char* word = address_map.mapped_heap(signal.word, sizeof *signal.word, target);
    if (remote == nullptr && word == nullptr && address_map.deferred != nullptr) {
        return put_signal_by_fabric(dest, source, bytes, signal, target, where, req);
    }
    if (remote == nullptr || word == nullptr || address_map.helpers == nullptr) return false;
    perform_held();  // One PE's atomics on a word stay in order.
    const Helpers::Copy copy{.local = source,
                             .remote = remote,
                             .bytes = bytes,
                             .signal = {.word = word,
                                        .is_add = signal.op == SHMEM_SIGNAL_ADD,
                                        .value = signal.value,
                                        .sleeper = sleeper_of(target)}};
    Helpers& helpers = *address_map.helpers;
    return req == nullptr ? helpers.take(copy, transport_context())
                          : helpers.take(copy, transport_context(), req, where);
}

// `pe` is a number in the world here, not yet checked.
bool Context::put_signal_by_fabric(void* dest, const void* source, std::size_t bytes,
                                   const Signal& signal, int pe, const char* where,
                                   shmemx_req_t* req) const {
    check_pe(pe, where);
    if (address_map.remote(dest, bytes, pe, where) != nullptr ||
        address_map.remote(signal.word, sizeof *signal.word, pe, where) != nullptr ||
        !is_deferrable(dest, bytes, pe) || !is_deferrable(signal.word, bytes, pe)) {
        return false;
    }
    perform_held();  // One PE's atomics on a word stay in order.
    const DeferredTransfers::Transfer put{.kind = DeferredTransfers::Transfer::Kind::kPutSignal,
                                          .dest = dest,
                                          .source = source,
                                          .bytes = bytes,
                                          .pe = pe,
                                          .signal = signal_update(signal, where)};
    DeferredTransfers& deferred = *address_map.deferred;
    return req == nullptr ? deferred.take(put, transport_context())
                          : deferred.take(put, transport_context(), req, where);
}

void Context::fence_slow_path(TransportContext& context) {
    serve_other_nodes();
    if (address_map.helpers != nullptr) {
        address_map.helpers->complete(context, Helpers::Which::kPuts);
        std::atomic_thread_fence(std::memory_order_release);
    }
    if (address_map.deferred != nullptr) {
        address_map.deferred->complete(context, DeferredTransfers::Which::kPuts);
    }
    if (&context == &context_without_stores()) return;
    if (address_map.fabric != nullptr) address_map.fabric->fence(context);
    perform_duty(SyncPoint::kFence);
    offer_end(context);
}

void Context::quiet_slow_path(TransportContext& context) {
    serve_other_nodes();
    if (address_map.helpers != nullptr) {
        address_map.helpers->complete(context, Helpers::Which::kAll);
    }
    if (address_map.deferred != nullptr) {
        address_map.deferred->complete(context, DeferredTransfers::Which::kAll);
    }
    if (&context == &context_without_stores()) return;
    if (address_map.fabric != nullptr) address_map.fabric->quiet(context);
    perform_duty(SyncPoint::kQuiet);
    offer_end(context);
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
