// SPDX-License-Identifier: BSD-3-Clause
//
// See message_handlers.hpp.
#include "transports/ofi/message_handlers.hpp"

#include <cstring>

#include "base/fatal.hpp"
#include "base/shared_lock.hpp"
#include "transports/apply_atomic.hpp"

namespace tessera::ofi {
namespace {

// Each word by one store, and only once: the program may wait for it, and overwrite it at once.
template <class Word>
void scatter_words(char* dest, const char* source, const ScatterBody& body) {
    for (std::uint32_t block = 0; block < body.blocks; ++block, dest += body.stride) {
        for (std::uint32_t at = 0; at < body.block_bytes; at += sizeof(Word)) {
            Word word;
            std::memcpy(&word, source, sizeof word);
            source += sizeof word;
            // Relaxed: order comes from the messages that follow.
            std::atomic_ref(*reinterpret_cast<Word*>(dest + at))
                .store(word, std::memory_order_relaxed);
        }
    }
}

// By the largest words that all blocks consist of.
void scatter(char* dest, const char* source, const ScatterBody& body) {
    const std::uint64_t all =
        reinterpret_cast<std::uintptr_t>(dest) | body.stride | body.block_bytes;
    switch (all & -all & 7) {
        case 0: return scatter_words<std::uint64_t>(dest, source, body);
        case 4: return scatter_words<std::uint32_t>(dest, source, body);
        case 2: return scatter_words<std::uint16_t>(dest, source, body);
        default: return scatter_words<std::uint8_t>(dest, source, body);
    }
}

}  // namespace

MessageHandlers::MessageHandlers(const FabricSetup& setup, std::uint64_t message_key,
                                 Fabric& fabric, PacketPool& pool, const MessageSender& sender,
                                 PeerWatchdog& watchdog)
    : setup_(setup),
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
    const ssize_t result = fi_recv(fabric_.endpoint(), buffer.bytes, sizeof buffer.bytes, nullptr,
                                   FI_ADDR_UNSPEC, static_cast<Completion*>(&buffer));
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
        case MessageKind::kFetch:
            if (bytes >= sizeof(Fetch)) execute_fetch(static_cast<const Fetch&>(header));
            return;
        case MessageKind::kReply:
            if (bytes >= sizeof(Reply)) take_reply(static_cast<const Reply&>(header));
            return;
        case MessageKind::kAck: return take_ack(header);
        case MessageKind::kGate:
            if (bytes >= sizeof(GateMessage)) {
                execute_gate(static_cast<const GateMessage&>(header));
            }
            return;
        case MessageKind::kPing: {
            Header answer_to{.kind = MessageKind::kAck, .count = 0, .token = 0};
            return answer(answer_to, sizeof answer_to, header.source);
        }
    }
}

void MessageHandlers::execute_updates(const Header& header, std::size_t bytes) {
    const auto* updates = reinterpret_cast<const Update*>(
        reinterpret_cast<const std::byte*>(&header) + sizeof header);
    if (bytes < sizeof header + header.count * sizeof(Update)) return;
    for (std::uint16_t i = 0; i < header.count; ++i) {
        execute_atomic(RemoteWord(updates[i].word), updates[i].operand, 0);
    }
    finish_updates(header);
}

void MessageHandlers::finish_updates(const Header& header) {
    wake_program();
    Header ack{.kind = MessageKind::kAck, .count = header.count, .token = header.token};
    answer(ack, sizeof ack, header.source);
}

void MessageHandlers::wake_program() {
    if (setup_.sleeper->is_sleeping()) setup_.sleeper->wake();
}

void MessageHandlers::execute_scatter(const Header& header, std::size_t bytes) {
    const auto* body = reinterpret_cast<const ScatterBody*>(&header + 1);
    if (bytes < sizeof header + sizeof *body) return;
    const std::uint64_t data_bytes = bytes - sizeof header - sizeof *body;
    if (body->blocks == 0 || body->block_bytes == 0 ||
        std::uint64_t{body->blocks} * body->block_bytes > data_bytes) {
        return;
    }
    std::uint64_t span = 0;
    if (__builtin_mul_overflow(body->stride, std::uint64_t{body->blocks} - 1, &span) ||
        __builtin_add_overflow(span, std::uint64_t{body->block_bytes}, &span)) {
        return;
    }
    const RemoteWord first(body->first);
    char* dest = setup_.segments.checked_address(first.segment(), first.offset(), span);
    if (dest == nullptr) return;
    scatter(dest, reinterpret_cast<const char*>(body + 1), *body);
    finish_updates(header);
}

void MessageHandlers::execute_fetch(const Fetch& fetch) {
    Reply reply{};
    reply.kind = MessageKind::kReply;
    reply.token = fetch.token;
    reply.value =
        execute_atomic(RemoteWord(fetch.body.word), fetch.body.operand, fetch.body.condition);
    wake_program();
    answer(reply, sizeof reply, fetch.source);
}

std::uint64_t MessageHandlers::execute_atomic(RemoteWord word, std::uint64_t operand,
                                              std::uint64_t condition) {
    char* address = setup_.segments.checked_address(word.segment(), word.offset(), word.bytes());
    if (address == nullptr || reinterpret_cast<std::uintptr_t>(address) % word.bytes() != 0) {
        return 0;
    }
    const bool needs_lock = setup_.static_lock != nullptr &&
                            word.segment() == static_cast<std::size_t>(Segment::kStatics);
    if (!needs_lock) return apply_atomic(address, word.bytes(), word.op(), operand, condition);
    // Other PEs of this node read and write the word under this lock (transports/cma).
    SharedLock guard(*setup_.static_lock, "an atomic on static data");
    return apply_atomic(address, word.bytes(), word.op(), operand, condition);
}

void MessageHandlers::execute_gate(const GateMessage& message) {
    char* address = setup_.segments.checked_address(static_cast<std::size_t>(Segment::kInternal),
                                                    message.offset, sizeof(Gate));
    if (address == nullptr || message.offset % alignof(Gate) != 0) return;
    auto* gate = reinterpret_cast<Gate*>(address);
    if (!gate->has_reached(message.number)) gate->post(message.number);
}

void MessageHandlers::fail_token(const Header& answer) {
    fatal(
        "PE %d, on another node, answered an operation that this PE does not have under way "
        "(token %#llx): its memory or a message has been damaged",
        answer.source, static_cast<unsigned long long>(answer.token));
}

void MessageHandlers::take_reply(const Reply& reply) {
    FetchEntry* entry = pool_.find_fetch(reply.token);
    if (entry == nullptr || entry->object.pending == nullptr) fail_token(reply);
    const PendingFetch fetch = entry->object;
    if (fetch.result != nullptr) std::memcpy(fetch.result, &reply.value, fetch.bytes);
    if (fetch.is_pooled) {
        pool_.put_back(*entry);
    } else {
        entry->retire();
    }
    // Release: the value is there, and the token is retired. Pairs with the acquire of the waiter,
    // which may use the entry of its context again.
    fetch.pending->fetch_sub(1, std::memory_order_release);
}

void MessageHandlers::take_ack(const Header& ack) {
    if (ack.token == 0) return watchdog_.heard(ack.source);
    PacketSlot* named = pool_.find_slot(ack.token);
    if (named == nullptr || named->in_flight.load(std::memory_order_relaxed) == 0 ||
        named->unacked->load(std::memory_order_relaxed) < ack.count) {
        fail_token(ack);
    }
    PacketSlot& slot = *named;
    std::atomic<std::uint32_t>& unacked = *slot.unacked;
    // This was the last packet in flight: send the updates that have gathered meanwhile. seq_cst on
    // in_flight and open pairs with OfiTransport::update(): one of the two sees the other.
    if (slot.in_flight.fetch_sub(1, std::memory_order_seq_cst) == 1) {
        slot.held.fetch_add(1, std::memory_order_seq_cst);
        Packet* packet = slot.open.exchange(nullptr, std::memory_order_seq_cst);
        if (packet == nullptr || try_send_packet(packet, slot)) {
            // Release: it is on its way. Pairs with PacketSlot::is_all_sent().
            slot.held.fetch_sub(1, std::memory_order_release);
        } else {
            packets_.emplace_back(packet, &slot);
        }
    }
    // Last: the context may end when all its updates are acknowledged.
    unacked.fetch_sub(ack.count, std::memory_order_release);
}

bool MessageHandlers::try_send_packet(Packet* packet, PacketSlot& slot) {
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    const int pe = packet->pe;
    const ssize_t result = sender_.try_send(*packet);
    if (result == -FI_EAGAIN) {
        slot.in_flight.fetch_sub(1, std::memory_order_seq_cst);
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
        slot->held.fetch_sub(1, std::memory_order_release);  // As in take_ack().
    }
    packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(sent));
    std::vector<Receive*> unposted;
    unposted.swap(unposted_);
    for (Receive* buffer : unposted) post_receive(*buffer);
}

}  // namespace tessera::ofi
