// SPDX-License-Identifier: BSD-3-Clause
//
// See message_handlers.hpp.
#include "transports/ofi/message_handlers.hpp"

#include <cstring>
#include <limits>

#include "base/fatal.hpp"
#include "transports/ofi/store_words.hpp"

namespace tessera::ofi {

MessageHandlers::MessageHandlers(const FabricSetup& setup, std::uint64_t message_key,
                                 Fabric& fabric, PacketPool& pool, const MessageSender& sender,
                                 PeerWatchdog& watchdog)
    : setup_(setup),
      memory_(setup),
      message_key_(message_key),
      fabric_(fabric),
      pool_(pool),
      sender_(sender),
      watchdog_(watchdog) {}

void MessageHandlers::start() {
    for (int i = 0; i < kReceives; ++i) {
        receives_.push_back(std::make_unique<Receive>());
        post_receive(*receives_.back());
    }
}

void MessageHandlers::post_receive(Receive& buffer) {
    const ssize_t result = fabric_.start(static_cast<Completion*>(&buffer), [&](void* context) {
        return fi_recv(fabric_.endpoint(), buffer.bytes, sizeof buffer.bytes, nullptr,
                       FI_ADDR_UNSPEC, context);
    });
    if (result == -FI_EAGAIN) {
        unposted_.push_back(&buffer);
    } else if (result != 0 && !is_leaving()) {
        fatal("cannot receive from other nodes: %s", error_text(result));
    }
}

void MessageHandlers::receive(Receive& buffer, std::size_t bytes) {
    const auto& header = *reinterpret_cast<const Header*>(buffer.bytes);
    // A process that does not know the key is no PE of this job.
    if (bytes >= sizeof(Header) && header.key == message_key_ && header.source >= 0 &&
        header.source < setup_.npes) {
        execute(header, bytes);
    }
    post_receive(buffer);
}

void MessageHandlers::drop(Receive& buffer) {
    if (!is_leaving()) post_receive(buffer);
}

void MessageHandlers::execute(const Header& header, std::size_t bytes) {
    switch (header.kind) {
        case MessageKind::kUpdates: return execute_updates(header, bytes);
        case MessageKind::kScatter: return execute_scatter(header, bytes);
        case MessageKind::kScatterList: return execute_scatter_list(header, bytes);
        case MessageKind::kGather: return execute_gather(header, bytes);
        case MessageKind::kGatherList: return execute_gather_list(header, bytes);
        case MessageKind::kGathered: return take_gathered(header, bytes);
        case MessageKind::kAccumulate: return execute_accumulate(header, bytes);
        case MessageKind::kGetAccumulate: return execute_get_accumulate(header, bytes);
        case MessageKind::kFetch:
            if (bytes >= sizeof(Fetch)) execute_fetch(static_cast<const Fetch&>(header));
            return;
        case MessageKind::kReply:
            if (bytes >= sizeof(Reply)) take_reply(static_cast<const Reply&>(header));
            return;
        case MessageKind::kAck:
            if (bytes >= sizeof(Ack)) take_ack(static_cast<const Ack&>(header));
            return;
        case MessageKind::kGate:
            if (bytes >= sizeof(GateMessage)) execute_gate(static_cast<const GateMessage&>(header));
            return;
        case MessageKind::kPutWithGates:
            if (bytes >= sizeof(PutWithGatesMessage))
                execute_put_with_gates(static_cast<const PutWithGatesMessage&>(header), bytes);
            return;
        case MessageKind::kPing: {
            Ack here{};
            here.kind = MessageKind::kAck;
            return answer(here, sizeof here, header.source);
        }
        case MessageKind::kReads:
        case MessageKind::kWrites: return;  // no messages
    }
}

void MessageHandlers::execute_updates(const Header& header, std::size_t bytes) {
    const auto* at = reinterpret_cast<const std::byte*>(&header + 1);
    const std::byte* end = reinterpret_cast<const std::byte*>(&header) + bytes;
    for (std::uint16_t i = 0; i < header.count; ++i) {
        Update update;
        if (static_cast<std::size_t>(end - at) < sizeof update) return;
        std::memcpy(&update, at, sizeof update);
        at += sizeof update;
        const RemoteWord word(update.word);
        if (!word.is_put_of_bytes()) {
            execute_atomic(word, update.operand, 0);
            continue;
        }
        const std::uint64_t size = update.operand;
        if (size > kUpdateBytesMax || static_cast<std::size_t>(end - at) < padded(size)) return;
        char* dest = setup_.segments.checked_address(word.segment(), word.offset(), size);
        if (dest != nullptr) store_bytes(dest, reinterpret_cast<const char*>(at), size);
        at += padded(size);
    }
    finish_updates(header);
}

void MessageHandlers::finish_updates(const Header& header) {
    // Before the look whether this PE sleeps, as an atomic of the processor would be. Pairs with
    // base/wait.cpp:sleep_unless.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    memory_.wake_program();
    const bool fits = ack_pe_ == header.source && ack_.token == header.token &&
                      ack_.count + header.count <= std::numeric_limits<std::uint16_t>::max();
    if (!fits) send_ack();
    ack_pe_ = header.source;
    ack_.token = header.token;
    ack_.count = static_cast<std::uint16_t>(ack_.count + header.count);
    ++ack_.packets;
}

void MessageHandlers::send_ack() {
    if (ack_.packets == 0) return;
    ack_.kind = MessageKind::kAck;
    answer(ack_, sizeof ack_, ack_pe_);
    ack_ = {};
}

// `old`: nullptr, or room for the elements from before. RETURNS: bytes of the elements; 0 if the
// message makes no sense.
std::size_t MessageHandlers::accumulate(const Header& header, std::size_t bytes, void* old) {
    const auto* body = reinterpret_cast<const AccumulateBody*>(&header + 1);
    if (bytes < sizeof header + sizeof *body) return 0;
    const Element element{.type = body->type, .op = body->op};
    const ElementKernel* kernel = element.kernel();
    const std::uint64_t data_bytes =
        kernel != nullptr ? std::uint64_t{body->nelems} * kernel->bytes : 0;
    if (data_bytes > bytes - sizeof header - sizeof *body) return 0;
    const bool is_done = memory_.accumulate(
        target_of(RemoteWord(body->first)),
        {.source = body + 1, .nelems = body->nelems, .element = element, .result = old});
    if (!is_done) return 0;
    // Before the look whether this PE sleeps, as an atomic of the processor would be. Pairs with
    // base/wait.cpp:sleep_unless.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return data_bytes;
}

void MessageHandlers::execute_accumulate(const Header& header, std::size_t bytes) {
    if (accumulate(header, bytes, nullptr) != 0) finish_updates(header);
}

void MessageHandlers::execute_get_accumulate(const Header& header, std::size_t bytes) {
    Packet* packet = start_answer(header);
    const std::size_t answered = accumulate(header, bytes, packet->bytes + packet->size);
    if (answered == 0) return pool_.put_back(packet);
    memory_.wake_program();
    packet->size += static_cast<std::uint32_t>(answered);
    answer(packet);
}

void MessageHandlers::execute_fetch(const Fetch& fetch) {
    Reply reply{};
    reply.kind = MessageKind::kReply;
    reply.token = fetch.token;
    reply.value = execute_atomic(RemoteWord(fetch.body.word), fetch.body.operand,
                                 fetch.body.condition, unpack_element(fetch.count));
    memory_.wake_program();
    answer(reply, sizeof reply, fetch.source);
}

void MessageHandlers::execute_gate(const GateMessage& message) {
    memory_.post_gate(internal(message.offset), message.number);
}

void MessageHandlers::execute_put_with_gates(const PutWithGatesMessage& message,
                                             std::size_t bytes) {
    const std::size_t data_bytes = bytes - sizeof message;
    if (data_bytes > 0) {
        const auto segment = static_cast<std::size_t>(Segment::kInternal);
        char* dest = setup_.segments.checked_address(segment, message.dest, data_bytes);
        if (dest == nullptr) return;
        std::memcpy(dest, &message + 1, data_bytes);
    }
    memory_.post_gate(internal(message.gate), message.number);
    if (message.other_gate == PutWithGatesMessage::kNoGate) return;
    memory_.post_gate(internal(message.other_gate), message.other_number);
}

void MessageHandlers::take_reply(const Reply& reply) {
    FetchEntry* entry = pool_.find_fetch(reply.token);
    if (entry == nullptr || entry->object.pending == nullptr)
        fatal_unknown_token(reply.source, reply.token);
    const PendingFetch fetch = entry->object;
    if (fetch.result != nullptr) std::memcpy(fetch.result, &reply.value, fetch.bytes);
    if (fetch.is_pooled) {
        pool_.put_back(*entry);
    } else {
        entry->retire();
    }
    // The value is there, and the token is retired: the waiter may use the entry of its context
    // again. Pairs with transports/ofi/messages.cpp:fetch, transports/ofi/context.hpp:has_messages
    // and transports/operation.hpp:is_local.
    if (fetch.of_operation != nullptr) fetch.of_operation->fetch_sub(1, std::memory_order_release);
    fetch.pending->fetch_sub(1, std::memory_order_release);
}

void MessageHandlers::take_ack(const Ack& ack) {
    if (ack.token == 0) return watchdog_.heard(ack.source);
    PacketSlot* named = pool_.find_slot(ack.token);
    if (named == nullptr || ack.packets == 0 ||
        named->in_flight.load(std::memory_order_relaxed) % PacketSlot::kOneWrite < ack.packets ||
        named->unacked->load(std::memory_order_relaxed) < ack.count) {
        fatal_unknown_token(ack.source, ack.token);
    }
    finish(*named, static_cast<std::uint32_t>(ack.packets) * PacketSlot::kOnePacket, ack.count);
}

void MessageHandlers::finish(PacketSlot& slot, std::uint32_t in_flight, std::uint32_t updates) {
    std::atomic<std::uint32_t>& unacked = *slot.unacked;
    // This was the last in flight: send the updates that have gathered meanwhile. seq_cst on
    // in_flight and open: this thread or the one that fills sees the other. Pairs with
    // transports/ofi/updates.cpp:store and transports/ofi/packet_pool.hpp:count_in_flight.
    if (slot.in_flight.fetch_sub(in_flight, std::memory_order_seq_cst) == in_flight) {
        slot.held.fetch_add(1, std::memory_order_seq_cst);
        Packet* packet = slot.open.exchange(nullptr, std::memory_order_seq_cst);
        if (packet == nullptr || try_send_packet(packet, slot)) {
            // It is on its way. Pairs with transports/ofi/packet_pool.hpp:is_all_sent.
            slot.held.fetch_sub(1, std::memory_order_release);
        } else {
            packets_.emplace_back(packet, &slot);
        }
    }
    // Last: the context may end when all its updates are acknowledged. Pairs with
    // transports/ofi/context.hpp:has_messages.
    unacked.fetch_sub(updates, std::memory_order_release);
}

bool MessageHandlers::try_send_packet(Packet* packet, PacketSlot& slot) {
    // Pairs with transports/ofi/packet_pool.hpp:has_in_flight_only.
    slot.in_flight.fetch_add(PacketSlot::kOnePacket, std::memory_order_seq_cst);
    const int pe = packet->pe;
    const ssize_t result = sender_.try_send(*packet);
    if (result == -FI_EAGAIN) {
        slot.in_flight.fetch_sub(PacketSlot::kOnePacket, std::memory_order_seq_cst);
        return false;
    }
    if (result != 0) MessageSender::fail(result, pe);
    return true;
}

void MessageHandlers::answer(Header& header, std::size_t bytes, int pe) {
    sender_.address(header, pe);
    if (answers_.empty()) {
        const ssize_t result = sender_.try_send(&header, bytes, pe);
        if (result == 0) return;
        if (result != -FI_EAGAIN) {
            if (is_leaving()) return;
            MessageSender::fail(result, pe);
        }
    }
    PostponedAnswer later{.pe = pe, .bytes = bytes, .message = {}};
    std::memcpy(later.message, &header, bytes);
    answers_.push_back(later);
}

void MessageHandlers::send_postponed() {
    std::size_t sent = 0;
    for (; sent < answers_.size(); ++sent) {
        const PostponedAnswer& later = answers_[sent];
        const ssize_t result = sender_.try_send(later.message, later.bytes, later.pe);
        if (result == -FI_EAGAIN) break;
        if (result != 0) MessageSender::fail(result, later.pe);
    }
    answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(sent));
    sent = 0;
    for (; sent < packets_.size(); ++sent) {
        auto [packet, slot] = packets_[sent];
        if (!try_send_packet(packet, *slot)) break;
        // Pairs with transports/ofi/packet_pool.hpp:is_all_sent.
        slot->held.fetch_sub(1, std::memory_order_release);
    }
    packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(sent));
    send_postponed_gathered();
    std::vector<Receive*> unposted;
    unposted.swap(unposted_);
    for (Receive* buffer : unposted) post_receive(*buffer);
    if (has_postponed()) {
        memory_watch_.look();
    } else {
        memory_watch_.reset();
    }
}

}  // namespace tessera::ofi
