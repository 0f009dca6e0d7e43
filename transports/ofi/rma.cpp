// SPDX-License-Identifier: BSD-3-Clause
//
// See rma.hpp.
#include "transports/ofi/rma.hpp"

#include <rdma/fi_atomic.h>

#include <cstring>

#include "base/fatal.hpp"

namespace tessera::ofi {
namespace {

// More bytes than that are written and read in pieces, so that a silent network is noticed.
constexpr std::size_t kPieceBytesMax = std::size_t{16} << 20;

bool keeps_order_of(const Capabilities& facts) {
    return facts.read_after_write && facts.write_after_write && facts.send_after_write &&
           facts.send_after_send && facts.eager_message_bytes >= kPacketBytesMin;
}

// Calls visit(at, bytes) for the pieces of a transfer.
template <class Visit>
void for_each_piece(std::size_t bytes, std::size_t piece_bytes, Visit visit) {
    for (std::size_t at = 0; at < bytes; at += piece_bytes)
        visit(at, std::min(bytes - at, piece_bytes));
}

}  // namespace

Rma::Rma(const FabricSetup& setup, Fabric& fabric, Peers& peers, CompletionQueue& queue)
    : keeps_order(keeps_order_of(fabric.capabilities()) && !setup.provider_atomics),
      piece_bytes(std::min(fabric.capabilities().max_rma_bytes, kPieceBytesMax)),
      pieces_at_once(std::min(fabric.capabilities().iov_max, fabric.capabilities().rma_iov_max)),
      delivered_bytes_max(fabric.capabilities().delivery_complete &&
                                  fabric.capabilities().read_after_write
                              ? std::min({piece_bytes, fabric.capabilities().ordered_write_bytes,
                                          fabric.capabilities().ordered_read_bytes})
                              : 0),
      setup_(setup),
      fabric_(fabric),
      peers_(peers),
      queue_(queue),
      confirmed_bytes_max_(capabilities().read_after_write ? capabilities().ordered_read_bytes : 0),
      injected_bytes_max_(capabilities().read_after_write ? capabilities().inject_write_bytes : 0) {
    if (capabilities().has_rma && !capabilities().read_after_write &&
        !capabilities().delivery_complete) {
        fatal(
            "shmem_init: the provider %s cannot tell when data has arrived; choose another "
            "one by SHMEM_OFI_PROVIDER",
            capabilities().provider.c_str());
    }
    if (setup.provider_atomics &&
        !(capabilities().atomics && capabilities().atomics_are_cpu_atomics)) {
        fatal(
            "shmem_init: SHMEM_AMO_PATH=fabric, but the provider %s has no atomics that are "
            "known to work together with the processor's; use SHMEM_AMO_PATH=am",
            capabilities().provider.c_str());
    }
}

Target Rma::target_of(const void* address, int pe) {
    const SegmentOffset position = offset_of(address);
    if (position.segment == Segment::kNamed) [[unlikely]] {
        const SegmentNames::RemoteByte byte =
            setup_.segments.names->find_there(position.offset, pe);
        return {.address = byte.fabric_address, .key = byte.key};
    }
    const RemotePeer& peer = peers_[pe];
    const auto segment = static_cast<std::size_t>(position.segment);
    return {.address = peer.bases[segment] + position.offset, .key = peer.keys[segment]};
}

const RemotePeer& Rma::peer_with(const void* address, int pe) {
    const RemotePeer& peer = peers_[pe];
    if (offset_of(address).segment == Segment::kStatics &&
        peer.program_digest != setup_.fingerprint.program_digest) [[unlikely]] {
        fatal(
            "%p is static data, and PE %d runs another program, so it has no such variable; use "
            "memory from shmem_malloc between different programs",
            address, pe);
    }
    return peer;
}

ssize_t Rma::write_delivered(const RemotePeer& peer, const void* source, std::size_t bytes,
                             Target target, void* context) {
    const iovec local{.iov_base = const_cast<void*>(source), .iov_len = bytes};
    const fi_rma_iov remote{.addr = target.address, .len = bytes, .key = target.key};
    const fi_msg_rma message = vector_message(&local, &remote, 1, peer.address, context);
    return fi_writemsg(endpoint(), &message,
                       FI_DELIVERY_COMPLETE | (injects(bytes) ? FI_INJECT : 0));
}

void Rma::write_alone(Completion& completion, void* dest, const void* source, std::size_t bytes,
                      int pe) {
    const RemotePeer& peer = peer_with(dest, pe);
    const Target target = target_of(dest, pe);
    post_alone(completion, pe, [&](void* context) {
        return write_delivered(peer, source, bytes, target, context);
    });
}

void Rma::read_alone(Completion& completion, void* dest, const void* source, std::size_t bytes,
                     int pe) {
    const fi_addr_t address = peer_with(source, pe).address;
    const Target target = target_of(source, pe);
    post_alone(completion, pe, [&](void* context) {
        return fi_read(endpoint(), dest, bytes, nullptr, address, target.address, target.key,
                       context);
    });
}

template <class Done>
bool Rma::write(OfiContext& context, Done& done, const void* source, std::size_t bytes,
                Target target, int pe) {
    const RemotePeer& peer = peers_[pe];
    const char* from = static_cast<const char*>(source);
    bool needs_read = false;
    for_each_piece(bytes, piece_bytes, [&](std::size_t at, std::size_t piece) {
        const bool is_confirmed = confirms(piece);
        const Target there{target.address + at, target.key};
        post(done, pe, [&](void* operation) {
            if (!is_confirmed) return write_delivered(peer, from + at, piece, there, operation);
            return fi_write(endpoint(), from + at, piece, nullptr, peer.address, there.address,
                            there.key, operation);
        });
        // A fence, and a quiet, treat those of an Operation like other writes.
        if (is_confirmed) written(context, piece, pe);
        needs_read |= is_confirmed;
    });
    return needs_read;
}
template bool Rma::write(OfiContext&, Counter&, const void*, std::size_t, Target, int);
template bool Rma::write(OfiContext&, PartCompletion&, const void*, std::size_t, Target, int);

template <class Done>
void Rma::read(Done& done, void* dest, std::size_t bytes, Target target, int pe) {
    const fi_addr_t address = peers_[pe].address;
    for_each_piece(bytes, piece_bytes, [&](std::size_t at, std::size_t piece) {
        post(done, pe, [&](void* context) {
            return fi_read(endpoint(), static_cast<char*>(dest) + at, piece, nullptr, address,
                           target.address + at, target.key, context);
        });
    });
}
template void Rma::read(Counter&, void*, std::size_t, Target, int);
template void Rma::read(PartCompletion&, void*, std::size_t, Target, int);

// A single put completes on delivery: the quiet behind it then needs no read of its own. Other puts
// are only sent, and a read behind them confirms them all.
void Rma::put(OfiContext& context, void* dest, const void* source, std::size_t bytes,
              Returns returns, int pe) {
    const RemotePeer& peer = peer_with(dest, pe);
    const Target target = target_of(dest, pe);
    const bool is_injected = injects(bytes);
    const bool is_at_once = returns == Returns::kAtOnce;
    if ((is_injected || is_at_once) && bytes <= delivered_bytes_max && context.is_idle()) {
        return post(context.transfers, pe, [&](void* operation) {
            return write_delivered(peer, source, bytes, target, operation);
        });
    }
    if (is_injected) {
        queue_.post(
            [&] {
                return fi_inject_write(endpoint(), source, bytes, peer.address, target.address,
                                       target.key);
            },
            pe, CompletionQueue::kInjection);
        return written(context, bytes, pe);
    }
    Counter counter;
    write(context, is_at_once ? context.transfers : counter, source, bytes, target, pe);
    wait_for(counter);
}

void Rma::get(OfiContext& context, void* dest, const void* source, std::size_t bytes,
              Returns returns, int pe) {
    peer_with(source, pe);
    // A counter of its own: the get does not wait for the context's other operations.
    Counter counter;
    read(returns == Returns::kAtOnce ? context.transfers : counter, dest, bytes,
         target_of(source, pe), pe);
    wait_for(counter);
}

bool Rma::takes_atomics(const AtomicRequest& request) const {
    if (!setup_.provider_atomics || request.op == AtomicOp::kElement || request.bytes < 4)
        return false;
    const Segment segment = offset_of(request.dest).segment;
    // The PEs of the owner's node have its CPU do them (transports/registered).
    if (segment == Segment::kNamed) return false;
    return segment != Segment::kStatics || setup_.static_lock == nullptr;
}

// All of them fetch: the result is back when the operation has been executed. The provider may read
// the operand until then.
void Rma::atomic(const AtomicRequest& request, void* result, int pe) {
    const RemotePeer& peer = peer_with(request.dest, pe);
    const Target target = target_of(request.dest, pe);
    const fi_datatype type = request.bytes == 4 ? FI_UINT32 : FI_UINT64;
    std::uint64_t old = 0;
    Counter counter;
    post(counter, pe, [&](void* context) -> ssize_t {
        auto fetching = [&](fi_op op) {
            return fi_fetch_atomic(endpoint(), &request.operand, 1, nullptr, &old, nullptr,
                                   peer.address, target.address, target.key, type, op, context);
        };
        switch (request.op) {
            case AtomicOp::kFetch: return fetching(FI_ATOMIC_READ);
            case AtomicOp::kSet:
            case AtomicOp::kSwap: return fetching(FI_ATOMIC_WRITE);
            case AtomicOp::kAdd: return fetching(FI_SUM);
            case AtomicOp::kAnd: return fetching(FI_BAND);
            case AtomicOp::kOr: return fetching(FI_BOR);
            case AtomicOp::kXor: return fetching(FI_BXOR);
            case AtomicOp::kElement: break;  // takes_atomics()
            case AtomicOp::kCompareSwap:
                return fi_compare_atomic(endpoint(), &request.operand, 1, nullptr,
                                         &request.condition, nullptr, &old, nullptr, peer.address,
                                         target.address, target.key, type, FI_CSWAP, context);
        }
        return -FI_EINVAL;
    });
    wait_for(counter);
    if (result != nullptr) std::memcpy(result, &old, request.bytes);
}

void Rma::confirm(OfiContext& context) {
    int dirty[kDirtyMax];
    const int count = context.take_dirty(dirty);
    if (count == 0) return;
    for (int i = 0; i < count; ++i) confirm_to(context.transfers, context, dirty[i]);
    context.end_confirmation();
}

}  // namespace tessera::ofi
