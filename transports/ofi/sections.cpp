// SPDX-License-Identifier: BSD-3-Clause
//
// See sections.hpp.
#include "transports/ofi/sections.hpp"

#include "base/section_copy.hpp"
#include "transports/ofi/message_runs.hpp"

namespace tessera::ofi {
namespace {

// Longer pieces of lists are operations of their own,
constexpr std::size_t kListedBytesMax = 512;
// and longer runs.
constexpr std::size_t kVectorRunBytesMax = std::size_t{64} << 10;

// The longest run that each message holds, in words.
constexpr std::size_t kPartBytes = runs_per_message(1, 1, kPacketBytesMin) / 16 * 16;

// The costs of both ways, in nanoseconds, measured with tcp;ofi_rxm and net. The choice depends on
// their ratios only (docs/measurements/runtime-layer.md).
// A message of a packet: to hand it to the provider, to receive it, and to acknowledge it.
constexpr double kPacketNs = 5000;
// Each byte of it is packed and unpacked.
constexpr double kPackedByteNs = 0.5;
// An operation of the provider, with several pieces, and its completion.
constexpr double kOperationNs = 4500;

Section one_run(std::size_t bytes) {
    Section section;
    section.run_bytes = bytes;
    return section;
}

}  // namespace

std::size_t Sections::pieces_at_once(std::size_t run_bytes) const {
    if (run_bytes > kVectorRunBytesMax) return 1;
    return std::min(rma_.pieces_at_once, std::max(rma_.piece_bytes / run_bytes, std::size_t{1}));
}

std::size_t Sections::runs_at_once(const Section& section) const {
    return runs_per_message(section.run_bytes, section.ndims, rma_.capabilities().packet_bytes);
}

bool Sections::goes_packed(const Section& section) const {
    const std::size_t in_packet = runs_at_once(section);
    if (section.run_bytes > kScatterBytesMax || in_packet == 0) return false;
    const std::size_t runs = section.remote_runs().count();
    const std::size_t in_operation = pieces_at_once(section.run_bytes);
    const auto packets = static_cast<double>((runs + in_packet - 1) / in_packet);
    const auto operations = static_cast<double>((runs + in_operation - 1) / in_operation);
    const auto bytes = static_cast<double>(runs) * static_cast<double>(section.run_bytes);
    return packets * kPacketNs + bytes * kPackedByteNs <= operations * kOperationNs;
}

// A word is a message where the provider does not write it whole (Updates::takes_word()).
bool Sections::puts_packed(const OfiContext& context, const Section& section) const {
    const bool has_words = section.run_bytes <= sizeof(std::uint64_t);
    if (has_words && !rma_.capabilities().writes_words_whole && !context.is_internal) return true;
    return goes_packed(section);
}

void Sections::put(OfiContext& context, char* remote, const char* local, const Section& section,
                   Returns returns, int pe) {
    if (puts_packed(context, section)) return scatter(context, remote, local, section, pe);
    if (!rma_.capabilities().has_rma) return scatter_long(context, remote, local, section, pe);
    if (Messages::is_behind_fence(context, context.slot_of(pe))) messages_.settle(context, pe);
    Counter counter;
    write_runs(context, returns == Returns::kAtOnce ? context.transfers : counter, remote, local,
               section, pe);
    rma_.wait_for(counter);
}

void Sections::get(OfiContext& context, const char* remote, char* local, const Section& section,
                   Returns returns, int pe) {
    if (goes_packed(section) || !rma_.capabilities().has_rma)
        return gather(context, remote, local, section, returns, pe);
    if (!context.is_internal) messages_.settle(context, pe);
    Counter counter;
    read_runs(returns == Returns::kAtOnce ? context.transfers : counter, remote, local, section,
              pe);
    rma_.wait_for(counter);
}

bool Sections::try_get_tracked(OfiContext& context, const char* remote, char* local,
                               const Section& section, int pe, Operation& operation) {
    const bool is_packed = goes_packed(section) || !rma_.capabilities().has_rma;
    if (is_packed) {
        gather_long(context, {.pending = &context.gathers, .of_operation = &operation.local},
                    remote, local, section, pe);
    } else if (!context.is_internal) {
        messages_.settle(context, pe);
    }
    return is_packed;
}

void Sections::put_run(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                       Returns returns, int pe) {
    put(context, static_cast<char*>(dest), static_cast<const char*>(source), one_run(bytes),
        returns, pe);
}

void Sections::get_run(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                       Returns returns, int pe) {
    get(context, static_cast<const char*>(source), static_cast<char*>(dest), one_run(bytes),
        returns, pe);
}

bool Sections::try_put_behind(OfiContext& context, void* dest, const void* source,
                              std::size_t bytes, int pe) {
    if (bytes > kScatterBytesMax) {
        messages_.settle(context, pe);
        return false;
    }
    scatter(context, static_cast<char*>(dest), static_cast<const char*>(source), one_run(bytes),
            pe);
    return true;
}

bool Sections::try_get_behind(OfiContext& context, void* dest, const void* source,
                              std::size_t bytes, int pe) {
    if (bytes > kScatterBytesMax) {
        messages_.settle(context, pe);
        return false;
    }
    gather(context, static_cast<const char*>(source), static_cast<char*>(dest), one_run(bytes),
           Returns::kComplete, pe);
    return true;
}

// ---- Operations of the provider ----

// Calls post(here, there, count) for the runs, as many at a time as the provider takes.
template <class Post>
void Sections::for_each_vector(const char* remote, const char* local, const Section& section,
                               int pe, Post post) {
    const Target target = rma_.target_of(remote, pe);
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

void Sections::write_runs(OfiContext& context, Counter& counter, char* remote, const char* local,
                          const Section& section, int pe) {
    const RemotePeer& peer = rma_.peer_with(remote, pe);
    for_each_vector(remote, local, section, pe,
                    [&](const iovec* here, const fi_rma_iov* there, std::size_t count) {
                        if (count == 1) {
                            rma_.write(context, counter, here->iov_base, here->iov_len,
                                       {there->addr, there->key}, pe);
                            return;
                        }
                        const std::size_t bytes = count * section.run_bytes;
                        const bool is_confirmed = rma_.confirms(bytes);
                        rma_.post(counter, pe, [&](void* operation) {
                            const fi_msg_rma message =
                                vector_message(here, there, count, peer.address, operation);
                            return fi_writemsg(rma_.endpoint(), &message,
                                               is_confirmed ? 0 : FI_DELIVERY_COMPLETE);
                        });
                        if (is_confirmed) rma_.written(context, bytes, pe);
                    });
}

void Sections::read_runs(Counter& counter, const char* remote, char* local, const Section& section,
                         int pe) {
    const RemotePeer& peer = rma_.peer_with(remote, pe);
    for_each_vector(remote, local, section, pe,
                    [&](const iovec* here, const fi_rma_iov* there, std::size_t count) {
                        if (count == 1) {
                            return rma_.read(counter, here->iov_base, here->iov_len,
                                             {there->addr, there->key}, pe);
                        }
                        rma_.post(counter, pe, [&](void* operation) {
                            const fi_msg_rma message =
                                vector_message(here, there, count, peer.address, operation);
                            return fi_readmsg(rma_.endpoint(), &message, 0);
                        });
                    });
}

// ---- Messages ----

void Sections::scatter(OfiContext& context, char* remote, const char* local, const Section& section,
                       int pe) {
    rma_.peer_with(remote, pe);
    PacketSlot& slot = context.slot_of(pe);
    messages_.flush(context, slot);
    const SegmentOffset position = rma_.offset_of(remote);
    const Runs runs = section.remote_runs();
    const std::size_t total = runs.count();
    const std::size_t at_once = runs_at_once(section);
    for (std::size_t first = 0; first < total; first += at_once) {
        const std::size_t count = std::min(at_once, total - first);
        Packet* packet = sender_.start_packet(MessageKind::kScatter, pe, slot.token);
        append_runs(*packet, position, runs, first, count);
        pack(reinterpret_cast<char*>(packet->bytes) + packet->size, local, section.local_runs(),
             first, count);
        packet->size += static_cast<std::uint32_t>(count * section.run_bytes);
        messages_.send_update(context, packet, slot);
    }
}

// Calls visit(remote_offset, local_offset, part) for sections whose runs fit a message.
template <class Visit>
void Sections::for_each_part(const Section& section, Visit visit) {
    if (section.run_bytes <= kScatterBytesMax && runs_at_once(section) != 0)
        return visit(0, 0, section);
    Section whole_parts = one_run(std::min(section.run_bytes, kPartBytes));
    whole_parts.ndims = 1;
    whole_parts.extents[0] = section.run_bytes / whole_parts.run_bytes;
    whole_parts.remote[0] = whole_parts.local[0] =
        static_cast<std::ptrdiff_t>(whole_parts.run_bytes);
    const std::size_t rest = section.run_bytes % whole_parts.run_bytes;
    const auto behind = static_cast<std::ptrdiff_t>(section.run_bytes - rest);
    for_each_index(section, 0, [&](std::ptrdiff_t remote, std::ptrdiff_t local) {
        visit(remote, local, whole_parts);
        if (rest != 0) visit(remote + behind, local + behind, one_run(rest));
    });
}

void Sections::scatter_long(OfiContext& context, char* remote, const char* local,
                            const Section& section, int pe) {
    for_each_part(section, [&](std::ptrdiff_t there, std::ptrdiff_t here, const Section& part) {
        scatter(context, remote + there, local + here, part, pe);
    });
}

void Sections::gather_long(OfiContext& context, PendingGather mine, const char* remote, char* local,
                           const Section& section, int pe) {
    for_each_part(section, [&](std::ptrdiff_t there, std::ptrdiff_t here, const Section& part) {
        send_gathers(context, mine, remote + there, local + here, part, pe);
    });
}

// The owner reads behind what this context has sent before.
void Sections::start_gather(OfiContext& context, PacketSlot& slot) {
    if (!context.is_internal && !messages_.keeps_order(context)) messages_.quiet(context);
    messages_.flush(context, slot);
}

void Sections::gather(OfiContext& context, const char* remote, char* local, const Section& section,
                      Returns returns, int pe) {
    std::atomic<std::uint32_t> pending{0};
    gather_long(context, {.pending = returns == Returns::kAtOnce ? &context.gathers : &pending},
                remote, local, section, pe);
    // Pairs with transports/ofi/message_sections.cpp:take_gathered.
    queue_.wait([&] { return pending.load(std::memory_order_acquire) == 0; });
}

void Sections::send_gathers(OfiContext& context, PendingGather mine, const char* remote,
                            char* local, const Section& section, int pe) {
    rma_.peer_with(remote, pe);
    PacketSlot& slot = context.slot_of(pe);
    start_gather(context, slot);
    const SegmentOffset position = rma_.offset_of(remote);
    const Runs runs = section.remote_runs();
    const std::size_t total = runs.count();
    const std::size_t at_once = runs_at_once(section);
    mine.base = local;
    mine.run_bytes = section.run_bytes;
    mine.ndims = section.ndims;
    std::copy_n(section.extents, section.ndims, mine.extents);
    std::copy_n(section.local, section.ndims, mine.strides);
    for (std::size_t first = 0; first < total; first += at_once) {
        mine.first = first;
        mine.count = std::min(at_once, total - first);
        mine.bytes = mine.count * section.run_bytes;
        Packet* packet = sender_.start_packet(MessageKind::kGather, pe, slot.token);
        append_runs(*packet, position, runs, first, mine.count);
        messages_.send_request(packet, mine);
    }
}

void Sections::accumulate(OfiContext& context, const Accumulation& what, int pe) {
    if (what.operation != nullptr) {
        // A fence, and a quiet, treat it like a fetch.
        return send_accumulate(
            context, what, {.pending = &context.fetches, .of_operation = &what.operation->local},
            pe);
    }
    std::atomic<std::uint32_t> pending{0};
    send_accumulate(context, what, {.pending = &pending}, pe);
    // Pairs with transports/ofi/message_sections.cpp:take_gathered.
    queue_.wait([&] { return pending.load(std::memory_order_acquire) == 0; });
}

// `old`: counts the answers with the old elements, where what.result asks for these.
void Sections::send_accumulate(OfiContext& context, const Accumulation& what, PendingGather old,
                               int pe) {
    rma_.peer_with(what.dest, pe);
    PacketSlot& slot = context.slot_of(pe);
    messages_.flush(context, slot);
    const bool is_get = what.result != nullptr;
    const auto kind = is_get ? MessageKind::kGetAccumulate : MessageKind::kAccumulate;
    const SegmentOffset position = rma_.offset_of(what.dest);
    const std::size_t element_bytes = what.element.kernel()->bytes;
    const std::size_t at_once = kAccumulateBytesMax / element_bytes;
    for (std::size_t first = 0; first < what.nelems; first += at_once) {
        const std::size_t count = std::min(at_once, what.nelems - first);
        const std::size_t offset = first * element_bytes;
        Packet* packet = sender_.start_packet(kind, pe, slot.token);
        const AccumulateBody body{
            .first =
                RemoteWord::pack(position.segment, position.offset + offset, 1, AtomicOp::kElement),
            .nelems = static_cast<std::uint32_t>(count),
            .type = what.element.type,
            .op = what.element.op,
            .unused = 0};
        packet->append_bytes(&body, sizeof body);
        packet->append_bytes(static_cast<const char*>(what.source) + offset, count * element_bytes);
        if (!is_get) {
            messages_.send_update(context, packet, slot);
            continue;
        }
        old.base = static_cast<char*>(what.result) + offset;
        old.bytes = old.run_bytes = count * element_bytes;
        old.count = 1;
        messages_.send_request(packet, old);
    }
}

// ---- Lists ----

void Sections::put_pieces(OfiContext& context, char* remote, const char* local, BlockPairs pieces,
                          Returns returns, int pe) {
    rma_.peer_with(remote + pieces.piece().remote, pe);
    PacketSlot& slot = context.slot_of(pe);
    messages_.flush(context, slot);
    Counter own_counter;
    Counter& counter = returns == Returns::kAtOnce ? context.transfers : own_counter;
    Packet* packet = nullptr;
    for (; !pieces.is_at_end(); pieces.advance()) {
        const auto [there, here, bytes] = pieces.piece();
        if (bytes > kListedBytesMax && !rma_.capabilities().has_rma) {
            put_run(context, remote + there, local + here, bytes, returns, pe);
            continue;
        }
        if (bytes > kListedBytesMax) {
            if (Messages::is_behind_fence(context, slot)) messages_.settle(context, pe);
            rma_.write(context, counter, local + here, bytes, rma_.target_of(remote + there, pe),
                       pe);
            continue;
        }
        const std::size_t needed = sizeof(ListEntry) + padded(bytes);
        if (packet != nullptr && !packet->has_room(needed)) {
            messages_.send_update(context, packet, slot);
            packet = nullptr;
        }
        if (packet == nullptr)
            packet = sender_.start_packet(MessageKind::kScatterList, pe, slot.token);
        packet->append(list_entry(rma_.offset_of(remote + there), bytes));
        packet->append_padded(local + here, bytes);
    }
    if (packet != nullptr) messages_.send_update(context, packet, slot);
    rma_.wait_for(own_counter);
}

void Sections::get_pieces(OfiContext& context, const char* remote, char* local, BlockPairs pieces,
                          Returns returns, int pe) {
    rma_.peer_with(remote + pieces.piece().remote, pe);
    PacketSlot& slot = context.slot_of(pe);
    start_gather(context, slot);
    if (!context.is_internal) messages_.settle(context, pe);
    Counter own_counter;
    std::atomic<std::uint32_t> own_pending{0};
    const bool is_nonblocking = returns == Returns::kAtOnce;
    Counter& counter = is_nonblocking ? context.transfers : own_counter;
    Packet* packet = nullptr;
    PendingGather gather{.pending = is_nonblocking ? &context.gathers : &own_pending};
    const std::size_t answer_bytes_max = rma_.capabilities().packet_bytes - sizeof(Header);
    for (; !pieces.is_at_end(); pieces.advance()) {
        const auto [there, here, bytes] = pieces.piece();
        if (bytes > kListedBytesMax && !rma_.capabilities().has_rma) {
            gather_long(context, {.pending = gather.pending}, remote + there, local + here,
                        one_run(bytes), pe);
            continue;
        }
        if (bytes > kListedBytesMax) {
            rma_.read(counter, local + here, bytes, rma_.target_of(remote + there, pe), pe);
            continue;
        }
        if (packet != nullptr && (gather.bytes + bytes > answer_bytes_max || packet->is_full())) {
            messages_.send_request(packet, gather);
            packet = nullptr;
        }
        if (packet == nullptr) {
            packet = sender_.start_packet(MessageKind::kGatherList, pe, slot.token);
            gather.list = pool_.take();
            gather.bytes = gather.count = 0;
        }
        packet->append(list_entry(rma_.offset_of(remote + there), bytes));
        gather.entries()[gather.count++] = {.start = local + here, .bytes = bytes};
        gather.bytes += bytes;
    }
    if (packet != nullptr) messages_.send_request(packet, gather);
    rma_.wait_for(own_counter);
    // Pairs with transports/ofi/message_sections.cpp:take_gathered.
    queue_.wait([&] { return own_pending.load(std::memory_order_acquire) == 0; });
}

}  // namespace tessera::ofi
