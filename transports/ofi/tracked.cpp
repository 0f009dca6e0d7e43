// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp: operations that complete one by one (transports/operation.hpp).
//
//   short put    completes on delivery, of at most 32 KiB; its source is reusable at once if it is
//                injected, else then, too
//   long put     one write completes when its source is reusable; a read behind it, to the same PE,
//                tells that it is delivered. Where the provider does not order reads behind writes,
//                or not behind long ones, the write completes on delivery, and that is both.
//   get          a read
//   word, atomic, signal   a message that is answered (kFetch), never a packet of several
//
// COST over the operation without _tracked: a long put one more read; a word or atomic a message of
// its own, where a stream of them would be packed.
#include <rdma/fi_rma.h>

#include <algorithm>
#include <new>

#include "transports/ofi/transport.hpp"

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

void OfiTransport::confirm_to(PartCompletion& part, OfiContext& context, int pe) {
    const Target target = target_of(setup_.unchanging, pe);
    post_part(part, pe, [&](Completion* completion) {
        return fi_read(endpoint(), &context.confirmation, sizeof context.confirmation, nullptr,
                       peers_[pe].address, target.address, target.key, completion);
    });
}

void OfiTransport::put_tracked(TransportContext& context, void* dest, const void* source,
                               std::size_t bytes, int pe, Operation& operation) {
    OfiContext& mine = own(context);
    if (goes_as_word(mine, dest, bytes)) {
        return atomic_tracked(context, word_of(dest, source, bytes), nullptr, pe, operation);
    }
    if (is_behind_fence(mine, mine.slot_of(pe))) settle(mine, pe);
    const RemotePeer& peer = peer_with(dest, pe);
    Target target = target_of(dest, pe);
    Parts& parts = parts_of(operation, mine);
    if (capabilities().delivery_complete && injects(bytes)) {
        return post_part(parts.remote, pe, [&](Completion* completion) {
            return write_delivered(peer, source, bytes, target, FI_INJECT, completion);
        });
    }
    if (capabilities().delivery_complete && bytes <= kShortBytesMax &&
        bytes <= capabilities().ordered_write_bytes && confirms(bytes)) {
        return post_part(parts.local, pe, [&](Completion* completion) {
            return write_delivered(peer, source, bytes, target, 0, completion);
        });
    }
    const char* from = static_cast<const char*>(source);
    bool needs_read = false;
    while (bytes > 0) {
        const std::size_t piece = std::min(bytes, piece_bytes_);
        const bool is_confirmed = confirms(piece);
        post_part(parts.local, pe, [&](Completion* completion) {
            if (!is_confirmed) return write_delivered(peer, from, piece, target, 0, completion);
            return fi_write(endpoint(), from, piece, nullptr, peer.address, target.address,
                            target.key, completion);
        });
        // A fence, and a quiet, treat it like other writes.
        if (is_confirmed) written(mine, piece, pe);
        needs_read |= is_confirmed;
        from += piece;
        target.address += piece;
        bytes -= piece;
    }
    if (needs_read) confirm_to(parts.remote, mine, pe);
}

void OfiTransport::get_tracked(TransportContext& context, void* dest, const void* source,
                               std::size_t bytes, int pe, Operation& operation) {
    OfiContext& mine = own(context);
    Parts& parts = parts_of(operation, mine);
    const RemotePeer& peer = peer_with(source, pe);
    Target target = target_of(source, pe);
    char* to = static_cast<char*>(dest);
    while (bytes > 0) {
        const std::size_t piece = std::min(bytes, piece_bytes_);
        post_part(parts.local, pe, [&](Completion* completion) {
            return fi_read(endpoint(), to, piece, nullptr, peer.address, target.address, target.key,
                           completion);
        });
        to += piece;
        target.address += piece;
        bytes -= piece;
    }
}

void OfiTransport::atomic_tracked(TransportContext& context, const AtomicRequest& request,
                                  void* result, int pe, Operation& operation) {
    // The provider may read the operand until the operation is complete, so wait for it.
    if (takes_provider_atomics(request)) return Transport::atomic_nbi(context, request, result, pe);
    std::atomic<std::uint32_t>& count = result != nullptr ? operation.local : operation.remote;
    count.fetch_add(1, std::memory_order_relaxed);
    post_fetch(own(context), request, {.result = result, .of_operation = &count}, pe);
}

void OfiTransport::put_signal_tracked(TransportContext& context, void* dest, const void* source,
                                      std::size_t bytes, const AtomicRequest& signal, int pe,
                                      Operation& operation) {
    put_tracked(context, dest, source, bytes, pe, operation);
    if (!keeps_order_ || bytes > capabilities().ordered_write_bytes) quiet(context);
    atomic_tracked(context, signal, nullptr, pe, operation);
}

// A fetch is executed behind all that has set out before; writes alone need no CPU of the target.
void OfiTransport::track_issued(TransportContext& context, int pe, Operation& operation) {
    OfiContext& mine = own(context);
    if (!keeps_order_ || mine.has_unordered_writes() || !confirms(piece_bytes_)) {
        return quiet(context);
    }
    send_gathered_puts(mine);
    if (!mine.slot_of(pe).is_idle() || mine.fetches.load(std::memory_order_acquire) != 0) {
        const AtomicRequest nothing{.dest = const_cast<std::uint64_t*>(setup_.unchanging)};
        return atomic_tracked(context, nothing, nullptr, pe, operation);
    }
    if (!mine.is_idle() || mine.gathered_puts.load(std::memory_order_acquire) != 0) {
        confirm_to(parts_of(operation, mine).remote, mine, pe);
    }
}

}  // namespace tessera::ofi
