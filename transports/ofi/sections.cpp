// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp: strided and indexed transfers. Short runs travel packed in messages, hundreds
// to each: the owner's CPU unpacks those of a put, and packs those of a get. Long runs are
// operations of the provider, several to each. section_cost.hpp has the choice.
//
// COST: put: a message for each packet, up to 16 under way. get: the same, and a round trip.
#include <algorithm>

#include "base/section_copy.hpp"
#include "transports/ofi/section_cost.hpp"
#include "transports/ofi/transport.hpp"

namespace tessera::ofi {
namespace {

// Answers that a PE asks for at a time: with their data they fill a socket's buffer.
constexpr std::uint32_t kGathersMax = 16;
// Longer pieces of lists are operations of their own.
constexpr std::size_t kListedBytesMax = 512;

}  // namespace

SectionWork OfiTransport::work_of(const Section& section) const {
    return {.runs = section.remote_runs().count(),
            .run_bytes = section.run_bytes,
            .ndims = section.ndims,
            .packet_bytes = capabilities().packet_bytes};
}

std::size_t OfiTransport::pieces_at_once(std::size_t run_bytes) const {
    if (run_bytes > kVectorRunBytesMax) return 1;
    return std::min({capabilities().iov_max, capabilities().rma_iov_max, kPiecesMax,
                     std::max(piece_bytes_ / run_bytes, std::size_t{1})});
}

// A word is a message where the provider does not write it whole (goes_as_word()).
bool OfiTransport::puts_packed(const OfiContext& context, const Section& section) const {
    const bool has_words = section.run_bytes <= sizeof(std::uint64_t);
    if (has_words && !capabilities().writes_words_whole && !context.is_internal) return true;
    return goes_packed(work_of(section), pieces_at_once(section.run_bytes));
}

void OfiTransport::put_section(TransportContext& context, char* remote, const char* local,
                               const Section& section, Returns returns, int pe) {
    OfiContext& mine = own(context);
    if (puts_packed(mine, section)) return scatter(mine, remote, local, section, pe);
    if (is_behind_fence(mine, mine.slot_of(pe))) settle(mine, pe);
    Counter counter;
    write_runs(mine, returns == Returns::kAtOnce ? mine.transfers : counter, remote, local, section,
               pe);
    wait_for(counter);
}

void OfiTransport::get_section(TransportContext& context, const char* remote, char* local,
                               const Section& section, Returns returns, int pe) {
    OfiContext& mine = own(context);
    const bool is_packed = goes_packed(work_of(section), pieces_at_once(section.run_bytes));
    if (is_packed) {
        std::atomic<std::uint32_t> pending{0};
        gather(mine, {.pending = returns == Returns::kAtOnce ? &mine.gathers : &pending}, remote,
               local, section, pe);
        queue_.wait([&] { return pending.load(std::memory_order_acquire) == 0; });
        return;
    }
    if (!mine.is_internal) settle(mine, pe);
    Counter counter;
    read_runs(returns == Returns::kAtOnce ? mine.transfers : counter, remote, local, section, pe);
    wait_for(counter);
}

// Long runs are reads of their own.
void OfiTransport::get_section_tracked(TransportContext& context, const char* remote, char* local,
                                       const Section& section, int pe, Operation& operation) {
    OfiContext& mine = own(context);
    if (!goes_packed(work_of(section), pieces_at_once(section.run_bytes))) {
        if (!mine.is_internal) settle(mine, pe);
        return Transport::get_section_tracked(context, remote, local, section, pe, operation);
    }
    gather(mine, {.pending = &mine.gathers, .of_operation = &operation.local}, remote, local,
           section, pe);
}

// ---- Operations of the provider ----

// Calls post(here, there, count) for the runs, as many at a time as the provider takes.
template <class Post>
void OfiTransport::for_each_vector(const char* remote, const char* local, const Section& section,
                                   int pe, Post post) {
    const Target target = target_of(remote, pe);
    const std::size_t at_once = pieces_at_once(section.run_bytes);
    iovec here[kPiecesMax];
    fi_rma_iov there[kPiecesMax];
    std::size_t count = 0;
    for_each_index(section, 0, [&](std::ptrdiff_t remote_offset, std::ptrdiff_t local_offset) {
        here[count] = {.iov_base = const_cast<char*>(local) + local_offset,
                       .iov_len = section.run_bytes};
        there[count] = {.addr = target.address + static_cast<std::uint64_t>(remote_offset),
                        .len = section.run_bytes,
                        .key = target.key};
        if (++count < at_once) return;
        post(here, there, count);
        count = 0;
    });
    if (count > 0) post(here, there, count);
}

void OfiTransport::write_runs(OfiContext& context, Counter& counter, char* remote,
                              const char* local, const Section& section, int pe) {
    const RemotePeer& peer = peer_with(remote, pe);
    for_each_vector(
        remote, local, section, pe,
        [&](const iovec* here, const fi_rma_iov* there, std::size_t count) {
            if (count == 1) {
                return write(context, counter, here->iov_base, here->iov_len,
                             {there->addr, there->key}, pe);
            }
            const std::size_t bytes = count * section.run_bytes;
            const bool is_confirmed = confirms(bytes);
            post_counted(counter, pe, [&](Completion* completion) {
                const fi_msg_rma message = vector_of(here, there, count, peer.address, completion);
                return fi_writemsg(endpoint(), &message, is_confirmed ? 0 : FI_DELIVERY_COMPLETE);
            });
            if (is_confirmed) written(context, bytes, pe);
        });
}

void OfiTransport::read_runs(Counter& counter, const char* remote, char* local,
                             const Section& section, int pe) {
    const RemotePeer& peer = peer_with(remote, pe);
    for_each_vector(
        remote, local, section, pe,
        [&](const iovec* here, const fi_rma_iov* there, std::size_t count) {
            if (count == 1) {
                return read(counter, here->iov_base, here->iov_len, {there->addr, there->key}, pe);
            }
            post_counted(counter, pe, [&](Completion* completion) {
                const fi_msg_rma message = vector_of(here, there, count, peer.address, completion);
                return fi_readmsg(endpoint(), &message, 0);
            });
        });
}

fi_msg_rma OfiTransport::vector_of(const iovec* here, const fi_rma_iov* there, std::size_t count,
                                   fi_addr_t address, Completion* completion) {
    return {.msg_iov = here,
            .desc = nullptr,
            .iov_count = count,
            .addr = address,
            .rma_iov = there,
            .rma_iov_count = count,
            .context = completion,
            .data = 0};
}

// ---- Messages ----

Packet* OfiTransport::start_message(MessageKind kind, int pe, const PacketSlot& slot) {
    Packet* packet = sender_.start_packet(pe, slot);
    packet->header().kind = kind;
    return packet;
}

// The target acknowledges it.
void OfiTransport::send_update(OfiContext& context, Packet* packet, PacketSlot& slot) {
    packet->header().count = 1;
    context.updates.fetch_add(1, std::memory_order_relaxed);
    send(packet, slot);
}

void OfiTransport::scatter(OfiContext& context, char* remote, const char* local,
                           const Section& section, int pe) {
    peer_with(remote, pe);
    PacketSlot& slot = context.slot_of(pe);
    flush(context, slot);
    const SegmentOffset position = setup_.segments.offset_of(remote);
    const Runs runs = section.remote_runs();
    const std::size_t total = runs.count();
    const std::size_t at_once =
        runs_per_message(section.run_bytes, section.ndims, capabilities().packet_bytes);
    for (std::size_t first = 0; first < total; first += at_once) {
        const std::size_t count = std::min(at_once, total - first);
        Packet* packet = start_message(MessageKind::kScatter, pe, slot);
        append_runs(*packet, position, runs, first, count);
        pack(reinterpret_cast<char*>(packet->bytes) + packet->size, local, section.local_runs(),
             first, count);
        packet->size += static_cast<std::uint32_t>(count * section.run_bytes);
        send_update(context, packet, slot);
    }
}

// The owner reads behind what this context has sent before.
void OfiTransport::start_gather(OfiContext& context, PacketSlot& slot) {
    const bool must_complete = !keeps_order_ || context.has_unordered_writes();
    if (!context.is_internal && must_complete) quiet(context);
    flush(context, slot);
}

// Sends the request and counts the answer, when few enough are under way.
void OfiTransport::send_gather(Packet* packet, PendingGather& gather) {
    std::atomic<std::uint32_t>& pending = *gather.pending;
    queue_.wait([&] { return pending.load(std::memory_order_relaxed) < kGathersMax; });
    pending.fetch_add(1, std::memory_order_relaxed);
    if (gather.of_operation != nullptr) {
        gather.of_operation->fetch_add(1, std::memory_order_relaxed);
    }
    packet->header().token = pool_.take_gather(gather).token.load(std::memory_order_relaxed);
    queue_.post([&] { return sender_.try_send(*packet); }, packet->pe);
}

void OfiTransport::gather(OfiContext& context, PendingGather mine, const char* remote, char* local,
                          const Section& section, int pe) {
    peer_with(remote, pe);
    PacketSlot& slot = context.slot_of(pe);
    start_gather(context, slot);
    const SegmentOffset position = setup_.segments.offset_of(remote);
    const Runs runs = section.remote_runs();
    const std::size_t total = runs.count();
    const std::size_t at_once =
        runs_per_message(section.run_bytes, section.ndims, capabilities().packet_bytes);
    mine.base = local;
    mine.run_bytes = section.run_bytes;
    mine.ndims = section.ndims;
    std::copy_n(section.extents, section.ndims, mine.extents);
    std::copy_n(section.local, section.ndims, mine.strides);
    for (std::size_t first = 0; first < total; first += at_once) {
        mine.first = first;
        mine.count = std::min(at_once, total - first);
        mine.bytes = mine.count * section.run_bytes;
        Packet* packet = start_message(MessageKind::kGather, pe, slot);
        append_runs(*packet, position, runs, first, mine.count);
        send_gather(packet, mine);
    }
}

// ---- Lists ----

ListEntry OfiTransport::entry_of(const char* remote, std::size_t bytes) const {
    const SegmentOffset at = setup_.segments.offset_of(remote);
    return {.word = RemoteWord::pack(at.segment, at.offset, 1, AtomicOp::kSet), .bytes = bytes};
}

void OfiTransport::put_pieces(TransportContext& context, char* remote, const char* local,
                              BlockPairs pieces, Returns returns, int pe) {
    OfiContext& mine = own(context);
    peer_with(remote + pieces.piece().remote, pe);
    PacketSlot& slot = mine.slot_of(pe);
    flush(mine, slot);
    Counter own_counter;
    Counter& counter = returns == Returns::kAtOnce ? mine.transfers : own_counter;
    Packet* packet = nullptr;
    for (; !pieces.is_at_end(); pieces.advance()) {
        const auto [there, here, bytes] = pieces.piece();
        if (bytes > kListedBytesMax) {
            if (is_behind_fence(mine, slot)) settle(mine, pe);
            write(mine, counter, local + here, bytes, target_of(remote + there, pe), pe);
            continue;
        }
        const std::size_t needed = sizeof(ListEntry) + padded(bytes);
        if (packet != nullptr && !packet->has_room(needed)) {
            send_update(mine, packet, slot);
            packet = nullptr;
        }
        if (packet == nullptr) packet = start_message(MessageKind::kScatterList, pe, slot);
        packet->append(entry_of(remote + there, bytes));
        packet->append_padded(local + here, bytes);
    }
    if (packet != nullptr) send_update(mine, packet, slot);
    wait_for(own_counter);
}

void OfiTransport::get_pieces(TransportContext& context, const char* remote, char* local,
                              BlockPairs pieces, Returns returns, int pe) {
    OfiContext& mine = own(context);
    peer_with(remote + pieces.piece().remote, pe);
    PacketSlot& slot = mine.slot_of(pe);
    start_gather(mine, slot);
    if (!mine.is_internal) settle(mine, pe);
    Counter own_counter;
    std::atomic<std::uint32_t> own_pending{0};
    Counter& counter = returns == Returns::kAtOnce ? mine.transfers : own_counter;
    std::atomic<std::uint32_t>& pending = returns == Returns::kAtOnce ? mine.gathers : own_pending;
    Packet* packet = nullptr;
    PendingGather gather{.pending = &pending};
    const std::size_t answer_bytes_max = capabilities().packet_bytes - sizeof(Header);
    for (; !pieces.is_at_end(); pieces.advance()) {
        const auto [there, here, bytes] = pieces.piece();
        if (bytes > kListedBytesMax) {
            read(counter, local + here, bytes, target_of(remote + there, pe), pe);
            continue;
        }
        if (packet != nullptr && (gather.bytes + bytes > answer_bytes_max || packet->is_full())) {
            send_gather(packet, gather);
            packet = nullptr;
        }
        if (packet == nullptr) {
            packet = start_message(MessageKind::kGatherList, pe, slot);
            gather.list = pool_.take();
            gather.bytes = gather.count = 0;
        }
        packet->append(entry_of(remote + there, bytes));
        gather.entries()[gather.count++] = {.start = local + here, .bytes = bytes};
        gather.bytes += bytes;
    }
    if (packet != nullptr) send_gather(packet, gather);
    wait_for(own_counter);
    queue_.wait([&] { return own_pending.load(std::memory_order_acquire) == 0; });
}

}  // namespace tessera::ofi
