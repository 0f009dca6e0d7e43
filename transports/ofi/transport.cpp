// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp. The transport between nodes: plain reads and writes by the provider,
// single words and atomics by active messages (message.hpp); words by the provider where its
// hardware writes them whole, atomics where the user wants that. An OfiContext has the operations
// under way for a context:
//
//   transfers   reads, and writes that are not injected, until the provider has completed them
//   dirty       PEs that were written to since they were last confirmed. A small read behind the
//               writes, to the same PE, confirms them (order RAW); then they are in its memory.
//               Where the provider orders no reads behind writes, writes complete on delivery
//               instead.
//   updates     words, atomics without result, and small blocks of strided puts, in packets of one
//               target each. A packet is sent at once when few are in flight, else when it is full
//               or those in flight are acknowledged: the first ones are quick, and a stream fills
//               packets.
//   fetches     atomics with a result
//
// COST: p: a message, or a part of one. put of small size: one injected write. get, fetch: a round
// trip. fence: nothing; but when messages to a PE are under way, the next put of more than a word
// to it is a message, too, or beyond 4 KiB waits until they are acknowledged. quiet: a round trip
// to each PE, all at the same time. THREADS: any; a context that is not shared has one user at a
// time, and takes no lock.
#include "transports/ofi/transport.hpp"

#include <rdma/fi_rma.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"

namespace tessera::ofi {
namespace {

// More bytes than that are written and read in pieces, so that a silent network is noticed.
constexpr std::size_t kPieceBytesMax = std::size_t{16} << 20;
// Blocks of at most so many bytes go in messages: hundreds to a message, where one operation of the
// provider takes four or eight.
constexpr std::size_t kScatteredBlockBytesMax = 256;

Hints hints_of(const FabricSetup& setup) {
    return {.provider = setup.setting("SHMEM_OFI_PROVIDER"),
            .fabric = setup.setting("SHMEM_OFI_FABRIC"),
            .domain = setup.setting("SHMEM_OFI_DOMAIN"),
            .interface = setup.setting("SHMEM_OFI_INTERFACE"),
            .address = setup.address,
            .atomics = setup.provider_atomics,
            .sleeps = setup.has_progress_thread,
            .members_only = setup.setting("SHMEM_OFI_ADMISSION") == "on",
            .local_index = setup.index_on_host};
}

}  // namespace

OfiTransport::OfiTransport(FabricSetup setup)
    : setup_(std::move(setup)),
      fabric_(hints_of(setup_)),
      endpoint_info_(describe_endpoint(setup_, fabric_)),
      peers_(setup_, endpoint_info_, fabric_),
      sender_(setup_.pe, fabric_, peers_, pool_),
      watchdog_(setup_.timeout_s, peers_, sender_),
      handlers_(setup_, endpoint_info_.message_key, fabric_, pool_, sender_, watchdog_),
      queue_(setup_.is_oversubscribed, fabric_, pool_, handlers_),
      progress_thread_(queue_, fabric_, watchdog_),
      confirms_by_reads_(capabilities().read_after_write),
      keeps_order_(confirms_by_reads_ && capabilities().write_after_write &&
                   capabilities().send_after_write && capabilities().send_after_send &&
                   capabilities().eager_message_bytes >= kPacketBytes && !setup_.provider_atomics),
      piece_bytes_(std::min(capabilities().max_rma_bytes, kPieceBytesMax)) {
    if (!confirms_by_reads_ && !capabilities().delivery_complete) {
        fatal(
            "shmem_init: the provider %s cannot tell when data has arrived; choose another "
            "one by SHMEM_OFI_PROVIDER",
            capabilities().provider.c_str());
    }
    if (setup_.provider_atomics &&
        !(capabilities().atomics && capabilities().atomics_are_cpu_atomics)) {
        fatal(
            "shmem_init: SHMEM_AMO_PATH=fabric, but the provider %s has no atomics that are "
            "known to work together with the processor's; use SHMEM_AMO_PATH=am",
            capabilities().provider.c_str());
    }
}

OfiTransport::Target OfiTransport::target_of(const RemotePeer& peer, const void* address) const {
    const SegmentOffset position = setup_.segments.offset_of(address);
    const auto segment = static_cast<std::size_t>(position.segment);
    return {.address = peer.bases[segment] + position.offset, .key = peer.keys[segment]};
}

const RemotePeer& OfiTransport::peer_with(const void* address, int pe) {
    const RemotePeer& peer = peers_[pe];
    if (setup_.segments.offset_of(address).segment == Segment::kStatics &&
        peer.program_digest != setup_.program_digest) [[unlikely]] {
        fatal(
            "%p is static data, and PE %d runs another program, so it has no such variable; use "
            "memory from shmem_malloc between different programs",
            address, pe);
    }
    return peer;
}

// Posts a write that completes when the data is in the target's memory.
ssize_t OfiTransport::write_delivered(const RemotePeer& peer, const void* source, std::size_t bytes,
                                      Target target, std::uint64_t flags, Completion* completion) {
    iovec local{.iov_base = const_cast<void*>(source), .iov_len = bytes};
    fi_rma_iov remote{.addr = target.address, .len = bytes, .key = target.key};
    const fi_msg_rma message{.msg_iov = &local,
                             .desc = nullptr,
                             .iov_count = 1,
                             .addr = peer.address,
                             .rma_iov = &remote,
                             .rma_iov_count = 1,
                             .context = completion,
                             .data = 0};
    return fi_writemsg(endpoint(), &message, FI_DELIVERY_COMPLETE | flags);
}

// Posts the writes; they complete when the source is reusable, or on delivery.
void OfiTransport::write(OfiContext& context, Counter& counter, const void* source,
                         std::size_t bytes, Target target, int pe) {
    const RemotePeer& peer = peers_[pe];
    const char* from = static_cast<const char*>(source);
    while (bytes > 0) {
        const std::size_t piece = std::min(bytes, piece_bytes_);
        const bool is_confirmed = confirms(piece);
        post_counted(counter, pe, [&](Completion* completion) {
            if (is_confirmed) {
                return fi_write(endpoint(), from, piece, nullptr, peer.address, target.address,
                                target.key, completion);
            }
            return write_delivered(peer, from, piece, target, 0, completion);
        });
        if (is_confirmed) written(context, piece, pe);
        from += piece;
        target.address += piece;
        bytes -= piece;
    }
}

void OfiTransport::read(Counter& counter, void* dest, std::size_t bytes, Target target, int pe) {
    const fi_addr_t address = peers_[pe].address;
    char* to = static_cast<char*>(dest);
    while (bytes > 0) {
        const std::size_t piece = std::min(bytes, piece_bytes_);
        post_counted(counter, pe, [&](Completion* completion) {
            return fi_read(endpoint(), to, piece, nullptr, address, target.address, target.key,
                           completion);
        });
        to += piece;
        target.address += piece;
        bytes -= piece;
    }
}

// A single put completes on delivery: the quiet behind it then needs no read of its own. Other puts
// are only sent, and a read behind them confirms them all.
void OfiTransport::inject(OfiContext& context, const RemotePeer& peer, void* dest,
                          const void* source, std::size_t bytes, int pe) {
    const Target target = target_of(peer, dest);
    if (capabilities().delivery_complete && context.is_idle()) {
        return post_counted(context.transfers, pe, [&](Completion* completion) {
            return write_delivered(peer, source, bytes, target, FI_INJECT, completion);
        });
    }
    queue_.post(
        [&] {
            return fi_inject_write(endpoint(), source, bytes, peer.address, target.address,
                                   target.key);
        },
        pe, CompletionQueue::kInjection);
    written(context, bytes, pe);
}

void OfiTransport::put(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                       int pe) {
    OfiContext& mine = own(context);
    if (put_by_message(mine, dest, source, bytes, pe)) return;
    const RemotePeer& peer = peer_with(dest, pe);
    if (injects(bytes)) return inject(mine, peer, dest, source, bytes, pe);
    Counter counter;
    write(mine, counter, source, bytes, target_of(peer, dest), pe);
    wait_for(counter);
}

void OfiTransport::put_nbi(TransportContext& context, void* dest, const void* source,
                           std::size_t bytes, int pe) {
    OfiContext& mine = own(context);
    if (put_by_message(mine, dest, source, bytes, pe)) return;
    const RemotePeer& peer = peer_with(dest, pe);
    if (injects(bytes)) return inject(mine, peer, dest, source, bytes, pe);
    write(mine, mine.transfers, source, bytes, target_of(peer, dest), pe);
}

void OfiTransport::get(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                       int pe) {
    if (get_by_message(own(context), dest, source, bytes, pe)) return;
    // A counter of its own: the get does not wait for the context's other operations.
    Counter counter;
    read(counter, dest, bytes, target_of(peer_with(source, pe), source), pe);
    wait_for(counter);
}

void OfiTransport::get_nbi(TransportContext& context, void* dest, const void* source,
                           std::size_t bytes, int pe) {
    read(own(context).transfers, dest, bytes, target_of(peer_with(source, pe), source), pe);
}

// Several blocks to an operation, as many as the provider takes. `shape` has the strides of the
// local and of the remote side as dest or source, as it is a put or a get.
void OfiTransport::strided(OfiContext& context, char* local, const char* remote,
                           const Strided& shape, int pe, bool is_put) {
    const RemotePeer& peer = peer_with(remote, pe);
    const Target target = target_of(peer, remote);
    const auto element = static_cast<std::ptrdiff_t>(shape.element_bytes);
    const std::ptrdiff_t local_step = (is_put ? shape.source_stride : shape.dest_stride) * element;
    const std::ptrdiff_t remote_step = (is_put ? shape.dest_stride : shape.source_stride) * element;
    const std::size_t block_bytes = shape.block_elements * shape.element_bytes;
    const bool is_confirmed = confirms(block_bytes * kPiecesMax);
    const std::size_t at_once =
        std::min({capabilities().iov_max, capabilities().rma_iov_max, kPiecesMax});
    for (std::size_t first = 0; first < shape.blocks; first += at_once) {
        const std::size_t count = std::min(at_once, shape.blocks - first);
        iovec here[kPiecesMax];
        fi_rma_iov there[kPiecesMax];
        for (std::size_t i = 0; i < count; ++i) {
            const auto block = static_cast<std::ptrdiff_t>(first + i);
            here[i] = {.iov_base = local + block * local_step, .iov_len = block_bytes};
            there[i] = {.addr = target.address + static_cast<std::uint64_t>(block * remote_step),
                        .len = block_bytes,
                        .key = target.key};
        }
        post_counted(context.transfers, pe, [&](Completion* completion) {
            const fi_msg_rma message{.msg_iov = here,
                                     .desc = nullptr,
                                     .iov_count = count,
                                     .addr = peer.address,
                                     .rma_iov = there,
                                     .rma_iov_count = count,
                                     .context = completion,
                                     .data = 0};
            if (!is_put) return fi_readmsg(endpoint(), &message, 0);
            return fi_writemsg(endpoint(), &message, is_confirmed ? 0 : FI_DELIVERY_COMPLETE);
        });
        if (is_put && is_confirmed) written(context, count * block_bytes, pe);
    }
    wait_for(context.transfers);
}

void OfiTransport::put_strided(TransportContext& context, void* dest, const void* source,
                               const Strided& shape, int pe) {
    const std::size_t block_bytes = shape.block_elements * shape.element_bytes;
    if (block_bytes > piece_bytes_) {
        return Transport::put_strided(context, dest, source, shape, pe);
    }
    if (block_bytes <= kScatteredBlockBytesMax) {
        return scatter(own(context), dest, source, shape, pe);
    }
    if (is_behind_fence(own(context), own(context).slot_of(pe))) settle(own(context), pe);
    strided(own(context), static_cast<char*>(const_cast<void*>(source)),
            static_cast<const char*>(dest), shape, pe, true);
}

void OfiTransport::get_strided(TransportContext& context, void* dest, const void* source,
                               const Strided& shape, int pe) {
    if (shape.block_elements * shape.element_bytes > piece_bytes_) {
        return Transport::get_strided(context, dest, source, shape, pe);
    }
    if (!own(context).is_internal) settle(own(context), pe);
    strided(own(context), static_cast<char*>(dest), static_cast<const char*>(source), shape, pe,
            false);
}

// Posts a read behind the writes to each dirty PE; when all transfers are complete, so are these.
void OfiTransport::confirm(OfiContext& context) {
    int dirty[kDirtyMax];
    const int count = context.take_dirty(dirty);
    for (int i = 0; i < count; ++i) {
        const RemotePeer& peer = peers_[dirty[i]];
        read(context.transfers, &context.confirmation, sizeof context.confirmation,
             target_of(peer, setup_.unchanging), dirty[i]);
    }
}

void OfiTransport::put_signal(TransportContext& context, void* dest, const void* source,
                              std::size_t bytes, const AtomicRequest& signal, int pe) {
    OfiContext& mine = own(context);
    if (keeps_order_ && goes_as_word(mine, dest, bytes)) {
        const AtomicRequest both[] = {word_of(dest, source, bytes), signal};
        return update(mine, both, pe);
    }
    put(context, dest, source, bytes, pe);
    if (!keeps_order_ || bytes > capabilities().ordered_write_bytes) quiet(context);
    atomic_nbi(context, signal, nullptr, pe);
}

void OfiTransport::fence(TransportContext& context) {
    OfiContext& mine = own(context);
    if (!keeps_order_ || mine.has_unordered_writes()) return quiet(context);
    // The target executes a message later; writes behind it may arrive earlier. So those writes
    // wait, if there are any, instead of the fence.
    fence_messages(mine);
}

void OfiTransport::quiet(TransportContext& context) {
    OfiContext& mine = own(context);
    flush(mine);
    confirm(mine);
    queue_.wait([&] { return mine.transfers.load() == 0 && !mine.has_messages(); });
}

std::string OfiTransport::description() const { return describe(capabilities()); }
const std::string& OfiTransport::provider() const { return capabilities().provider; }

extern const FabricEntry kFabric;
const FabricEntry kFabric = {
    .name = "ofi",
    .probe = [](const FabricSetup&) { return true; },  // If libfabric is missing, it says so.
    .make = [](FabricSetup setup) -> std::unique_ptr<FabricTransport> {
        return std::make_unique<OfiTransport>(std::move(setup));
    }};

}  // namespace tessera::ofi
