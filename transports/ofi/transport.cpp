// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp. The transport between nodes: plain reads and writes by the provider; single
// words, atomics and short puts by active messages (message.hpp), words and short puts by the
// provider where its hardware writes words whole, atomics where the user wants that. An OfiContext
// has the operations under way for a context:
//
//   transfers   reads, and writes that are not injected, until the provider has completed them
//   dirty       PEs that were written to since they were last confirmed. A small read behind the
//               writes, to the same PE, confirms them (order RAW); then they are in its memory.
//               Where the provider orders no reads behind writes, writes complete on delivery
//               instead.
//   updates     words, atomics without result, short puts, and short runs of strided puts, in
//               packets of one target each. A packet is sent at once when few are in flight, else
//               when it is full or those in flight are acknowledged: the first ones are quick, and
//               a stream fills packets. A short put with nothing in flight before it is a write,
//               which counts as a packet (updates.cpp).
//   fetches     atomics with a result
//   gathers     parts of strided gets, and gets of up to 32 KiB that a quiet completes: the first
//               one is a read, those behind it gather in lists, or in one read
//               (short_transfers.cpp)
//   gathered_puts  the same for puts that are no updates: the first one is a write, those behind it
//               gather in one write, and writes of full vectors are transfers
//
// COST: p, put of at most 2020 bytes: a message, or a part of one; a short get right behind it,
// too. put: one write. get, fetch: a round trip. fence: nothing; but when messages to a PE are
// under way, the next put of more than a word to it is a message, too, or beyond 4 KiB waits until
// they are acknowledged. quiet: a round trip to each PE, all at the same time. THREADS: any; a
// context that is not shared has one user at a time, and takes no lock.
#include "transports/ofi/transport.hpp"

#include <rdma/fi_rma.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "transports/ofi/interfaces.hpp"

namespace tessera::ofi {
namespace {

// More bytes than that are written and read in pieces, so that a silent network is noticed.
constexpr std::size_t kPieceBytesMax = std::size_t{16} << 20;

Hints hints_of(const FabricSetup& setup) {
    return {.provider = setup.setting("SHMEM_OFI_PROVIDER"),
            .fabric = setup.setting("SHMEM_OFI_FABRIC"),
            .domain = setup.setting("SHMEM_OFI_DOMAIN"),
            .interface = setup.setting("SHMEM_OFI_INTERFACE"),
            .address = setup.address,
            .atomics = setup.provider_atomics,
            .sleeps = setup.has_progress_thread,
            .members_only = setup.setting("SHMEM_OFI_ADMISSION") == "on",
            .npes = setup.npes,
            .local_index = setup.index_on_host};
}

FabricOutlook look(const FabricSetup& setup) {
    const Capabilities chosen = choose(hints_of(setup)).capabilities;
    // A card without IP addresses is not reached by TCP, but the launcher's network is.
    return {.text = describe(chosen),
            .address = chosen.address.empty() ? choose_address("", setup.address) : chosen.address};
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
      progress_thread_(queue_, fabric_, watchdog_, setup_.background, setup_.prepare_thread),
      confirms_by_reads_(capabilities().read_after_write),
      keeps_order_(confirms_by_reads_ && capabilities().write_after_write &&
                   capabilities().send_after_write && capabilities().send_after_send &&
                   capabilities().eager_message_bytes >= kPacketBytesMin &&
                   !setup_.provider_atomics),
      piece_bytes_(std::min(capabilities().max_rma_bytes, kPieceBytesMax)),
      pieces_at_once_(std::min(capabilities().iov_max, capabilities().rma_iov_max)) {
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

OfiTransport::Target OfiTransport::target_of(const void* address, int pe) {
    const SegmentOffset position = setup_.segments.offset_of(address);
    if (position.segment == Segment::kNamed) [[unlikely]] {
        const SegmentNames::RemoteByte byte =
            setup_.segments.names->find_there(position.offset, pe);
        return {.address = byte.fabric_address, .key = byte.key};
    }
    const RemotePeer& peer = peers_[pe];
    const auto segment = static_cast<std::size_t>(position.segment);
    return {.address = peer.bases[segment] + position.offset, .key = peer.keys[segment]};
}

const RemotePeer& OfiTransport::peer_with(const void* address, int pe) {
    const RemotePeer& peer = peers_[pe];
    if (setup_.segments.offset_of(address).segment == Segment::kStatics &&
        peer.program_digest != setup_.fingerprint.program_digest) [[unlikely]] {
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
bool OfiTransport::completes_alone(const OfiContext& context, std::size_t bytes) const {
    return capabilities().delivery_complete && context.is_idle() &&
           bytes <= std::min(piece_bytes_, capabilities().ordered_write_bytes) && confirms(bytes);
}

void OfiTransport::inject(OfiContext& context, const RemotePeer& peer, void* dest,
                          const void* source, std::size_t bytes, int pe) {
    const Target target = target_of(dest, pe);
    if (completes_alone(context, bytes)) {
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
    if (put_by_message(mine, dest, source, bytes, Returns::kComplete, pe)) return;
    const RemotePeer& peer = peer_with(dest, pe);
    if (injects(bytes)) return inject(mine, peer, dest, source, bytes, pe);
    Counter counter;
    write(mine, counter, source, bytes, target_of(dest, pe), pe);
    wait_for(counter);
}

void OfiTransport::put_nbi(TransportContext& context, void* dest, const void* source,
                           std::size_t bytes, int pe) {
    OfiContext& mine = own(context);
    if (put_by_message(mine, dest, source, bytes, Returns::kAtOnce, pe)) return;
    if (put_gathered(mine, dest, source, bytes, pe)) return;
    const RemotePeer& peer = peer_with(dest, pe);
    if (injects(bytes)) return inject(mine, peer, dest, source, bytes, pe);
    if (completes_alone(mine, bytes)) {
        const Target target = target_of(dest, pe);
        return post_counted(mine.transfers, pe, [&](Completion* completion) {
            return write_delivered(peer, source, bytes, target, 0, completion);
        });
    }
    write(mine, mine.transfers, source, bytes, target_of(dest, pe), pe);
}

void OfiTransport::get(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                       int pe) {
    send_gathered_puts(own(context));
    if (get_by_message(own(context), dest, source, bytes, pe)) return;
    // A counter of its own: the get does not wait for the context's other operations.
    Counter counter;
    peer_with(source, pe);
    read(counter, dest, bytes, target_of(source, pe), pe);
    wait_for(counter);
}

void OfiTransport::get_nbi(TransportContext& context, void* dest, const void* source,
                           std::size_t bytes, int pe) {
    send_gathered_puts(own(context));
    if (get_gathered(own(context), dest, source, bytes, pe)) return;
    peer_with(source, pe);
    read(own(context).transfers, dest, bytes, target_of(source, pe), pe);
}

// Posts a read behind the writes to each dirty PE; when all transfers are complete, so are these.
void OfiTransport::confirm(OfiContext& context) {
    int dirty[kDirtyMax];
    const int count = context.take_dirty(dirty);
    if (count == 0) return;
    for (int i = 0; i < count; ++i) {
        read(context.transfers, &context.confirmation, sizeof context.confirmation,
             target_of(setup_.unchanging, dirty[i]), dirty[i]);
    }
    context.end_confirmation();
}

void OfiTransport::put_signal(TransportContext& context, void* dest, const void* source,
                              std::size_t bytes, const AtomicRequest& signal, int pe) {
    OfiContext& mine = own(context);
    if (goes_as_update(mine, bytes)) return update(mine, dest, source, bytes, signal, pe);
    put(context, dest, source, bytes, pe);
    if (!keeps_order_ || bytes > capabilities().ordered_write_bytes) quiet(context);
    atomic_nbi(context, signal, nullptr, pe);
}

void OfiTransport::fence(TransportContext& context) {
    OfiContext& mine = own(context);
    if (!keeps_order_ || mine.has_unordered_writes()) return quiet(context);
    send_gathered_puts(mine);
    // The target executes a message later; writes behind it may arrive earlier. So those writes
    // wait, if there are any, instead of the fence.
    fence_messages(mine);
}

void OfiTransport::quiet(TransportContext& context) {
    OfiContext& mine = own(context);
    const std::uint32_t unordered_writes = mine.unordered_writes();
    flush(mine);
    send_gathered_puts(mine);
    send_gathered_gets(mine);
    confirm(mine);
    queue_.wait([&] {
        return mine.transfers.load() == 0 && !mine.has_messages() &&
               mine.gathered_puts.load(std::memory_order_acquire) == 0 &&
               mine.gathers.load(std::memory_order_acquire) == 0;
    });
    if (mine.has_unordered_writes()) mine.complete_unordered(unordered_writes);
}

FabricTransport::Region OfiTransport::register_memory(void* start, std::size_t bytes) {
    const NoCancellation no_cancellation;
    std::lock_guard guard(registering_);
    const ofi::Region region = fabric_.register_memory(start, bytes);
    return {.handle = region.handle, .key = region.key, .base = region.remote_base};
}
void OfiTransport::unregister_memory(const Region& region) {
    const NoCancellation no_cancellation;
    std::lock_guard guard(registering_);
    fabric_.unregister_memory({.handle = static_cast<fid_mr*>(region.handle)});
}

std::string OfiTransport::description() const { return describe(capabilities()); }
const std::string& OfiTransport::provider() const { return capabilities().provider; }

extern const FabricEntry kFabric;
const FabricEntry kFabric = {
    .name = "ofi",
    .probe = [](const FabricSetup&) { return true; },  // If libfabric is missing, it says so.
    .make = [](FabricSetup setup) -> std::unique_ptr<FabricTransport> {
        return std::make_unique<OfiTransport>(std::move(setup));
    },
    .look = look};

}  // namespace tessera::ofi
