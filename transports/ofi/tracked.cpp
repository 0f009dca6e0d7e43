// SPDX-License-Identifier: BSD-3-Clause
//
// See tracked.hpp.
#include "transports/ofi/tracked.hpp"

#include <new>

namespace tessera::ofi {
namespace {

// Up to that a read behind the write takes longer than the time by which its source would be
// reusable earlier.
constexpr std::size_t kShortBytesMax = std::size_t{32} << 10;

// The transport keeps these in an Operation while parts of it are under way.
struct Parts {
    Parts(Operation& operation, Counter& context)
        : local(operation.local, context), remote(operation.remote, context) {}
    PartCompletion local;
    PartCompletion remote;
};
static_assert(sizeof(Parts) <= Operation::kScratchBytes);
static_assert(alignof(Parts) <= 8);

// REQUIRES: all parts of an operation belong to one context.
Parts& parts_of(Operation& operation, OfiContext& context) {
    if (operation.has_scratch) return *std::launder(reinterpret_cast<Parts*>(operation.scratch));
    operation.has_scratch = true;
    return *new (operation.scratch) Parts(operation, context.transfers);
}

}  // namespace

void Tracked::put(OfiContext& context, void* dest, const void* source, std::size_t bytes, int pe,
                  Operation& operation) {
    if (updates_.takes_word(context, dest, bytes))
        return atomic(context, Updates::word_of(dest, source, bytes), nullptr, pe, operation);
    if (Messages::is_behind_fence(context, context.slot_of(pe))) messages_.settle(context, pe);
    Parts& parts = parts_of(operation, context);
    const bool is_injected = rma_.injects(bytes);
    if (rma_.capabilities().delivery_complete &&
        (is_injected || bytes <= std::min(kShortBytesMax, rma_.delivered_bytes_max))) {
        PartCompletion& part = is_injected ? parts.remote : parts.local;
        rma_.begin(part);
        return rma_.write_alone(part, dest, source, bytes, pe);
    }
    rma_.peer_with(dest, pe);
    const Target target = rma_.target_of(dest, pe);
    const bool needs_read = rma_.write(context, parts.local, source, bytes, target, pe);
    if (needs_read) rma_.confirm_to(parts.remote, context, pe);
}

void Tracked::get(OfiContext& context, void* dest, const void* source, std::size_t bytes, int pe,
                  Operation& operation) {
    rma_.peer_with(source, pe);
    rma_.read(parts_of(operation, context).local, dest, bytes, rma_.target_of(source, pe), pe);
}

void Tracked::atomic(OfiContext& context, const AtomicRequest& request, void* result, int pe,
                     Operation& operation) {
    if (rma_.takes_atomics(request)) return rma_.atomic(request, result, pe);
    std::atomic<std::uint32_t>& count = result != nullptr ? operation.local : operation.remote;
    count.fetch_add(1, std::memory_order_relaxed);
    messages_.post_fetch(context, request, {.result = result, .of_operation = &count}, pe);
}

void Tracked::signal(OfiContext& context, std::size_t bytes, const AtomicRequest& signal, int pe,
                     Operation& operation) {
    if (!rma_.keeps_order || bytes > rma_.capabilities().ordered_write_bytes)
        messages_.quiet(context);
    atomic(context, signal, nullptr, pe, operation);
}

// A fetch is executed behind all that has set out before; writes alone need no CPU of the target.
// Pairs with transports/ofi/message_handlers.cpp:take_reply.
void Tracked::track_issued(OfiContext& context, int pe, Operation& operation) {
    if (!messages_.keeps_order(context) || !rma_.confirms(rma_.piece_bytes))
        return messages_.quiet(context);
    puts_.send_all(context);
    if (!context.slot_of(pe).is_idle() || context.fetches.load(std::memory_order_acquire) != 0) {
        const AtomicRequest nothing{.dest = const_cast<std::uint64_t*>(rma_.confirmation_word())};
        return atomic(context, nothing, nullptr, pe, operation);
    }
    // Pairs with transports/ofi/message_sections.cpp:finish_transfer.
    if (!context.is_idle() || context.coalesced_puts.load(std::memory_order_acquire) != 0)
        rma_.confirm_to(parts_of(operation, context).remote, context, pe);
}

}  // namespace tessera::ofi
