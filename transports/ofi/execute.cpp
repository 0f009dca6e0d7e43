// SPDX-License-Identifier: BSD-3-Clause
//
// What this PE does for others: executes their messages and answers, while it holds the queue (see
// engine.hpp). Nothing here waits; what the provider has no room for is sent later. Messages are
// checked as if anybody could have sent them.
#include <cstring>

#include "base/fatal.hpp"
#include "base/shared_lock.hpp"
#include "base/wait.hpp"
#include "transports/ofi/engine.hpp"

namespace tessera::ofi {
namespace {

template <class Word>
std::uint64_t apply(void* address, AtomicOp op, std::uint64_t operand, std::uint64_t condition) {
    std::atomic_ref<Word> word(*static_cast<Word*>(address));
    const auto value = static_cast<Word>(operand);
    switch (op) {
        case AtomicOp::kFetch: return word.load();
        case AtomicOp::kSet:
        case AtomicOp::kSwap: return word.exchange(value);
        case AtomicOp::kCompareSwap: {
            auto seen = static_cast<Word>(condition);
            word.compare_exchange_strong(seen, value);
            return seen;
        }
        case AtomicOp::kAdd: return word.fetch_add(value);
        case AtomicOp::kAnd: return word.fetch_and(value);
        case AtomicOp::kOr: return word.fetch_or(value);
        case AtomicOp::kXor: return word.fetch_xor(value);
    }
    return 0;
}

std::uint64_t apply(void* address, std::size_t bytes, AtomicOp op, std::uint64_t operand,
                    std::uint64_t condition) {
    switch (bytes) {
        case 1: return apply<std::uint8_t>(address, op, operand, condition);
        case 2: return apply<std::uint16_t>(address, op, operand, condition);
        case 4: return apply<std::uint32_t>(address, op, operand, condition);
        default: return apply<std::uint64_t>(address, op, operand, condition);
    }
}

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

void Engine::post_receive(Receive& buffer) {
    const ssize_t result = fi_recv(fabric_.endpoint(), buffer.bytes, sizeof buffer.bytes, nullptr,
                                   FI_ADDR_UNSPEC, static_cast<Completion*>(&buffer));
    if (result == -FI_EAGAIN) {
        unposted_.push_back(&buffer);
    } else if (result != 0 && !is_leaving_.load(std::memory_order_relaxed)) {
        fatal("cannot receive from other nodes: %s", error_text(result));
    }
}

void Engine::receive(Receive& buffer, std::size_t bytes) {
    const auto& header = *reinterpret_cast<const Header*>(buffer.bytes);
    // Whoever does not know the key is no PE of this job.
    if (bytes >= sizeof(Header) && header.key == endpoint_info_.message_key && header.source >= 0 &&
        header.source < setup_.npes) {
        execute(header, bytes);
    }
    post_receive(buffer);
}

void Engine::execute(const Header& header, std::size_t bytes) {
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

void Engine::execute_updates(const Header& header, std::size_t bytes) {
    const auto* updates = reinterpret_cast<const Update*>(
        reinterpret_cast<const std::byte*>(&header) + sizeof header);
    if (bytes < sizeof header + header.count * sizeof(Update)) return;
    for (std::uint16_t i = 0; i < header.count; ++i) {
        execute_atomic(updates[i].place, updates[i].operand, 0);
    }
    finish_updates(header);
}

void Engine::finish_updates(const Header& header) {
    if (setup_.sleeper->is_sleeping()) setup_.sleeper->wake();
    Header ack{.kind = MessageKind::kAck, .count = header.count, .token = header.token};
    answer(ack, sizeof ack, header.source);
}

void Engine::execute_scatter(const Header& header, std::size_t bytes) {
    const auto* body = reinterpret_cast<const ScatterBody*>(&header + 1);
    if (bytes < sizeof header + sizeof *body) return;
    const std::uint64_t room = bytes - sizeof header - sizeof *body;
    const Place place(body->place);
    if (place.segment() >= kSegments || body->blocks == 0 || body->block_bytes == 0 ||
        std::uint64_t{body->blocks} * body->block_bytes > room) {
        return;
    }
    const FabricMemory& segment = memory_of(place.segment());
    std::uint64_t span = 0;
    if (__builtin_mul_overflow(body->stride, std::uint64_t{body->blocks} - 1, &span) ||
        __builtin_add_overflow(span, place.offset() + body->block_bytes, &span) ||
        span > segment.bytes) {
        return;
    }
    scatter(segment.start + place.offset(), reinterpret_cast<const char*>(body + 1), *body);
    finish_updates(header);
}

void Engine::execute_fetch(const Fetch& fetch) {
    Reply reply{};
    reply.kind = MessageKind::kReply;
    reply.token = fetch.token;
    reply.value = execute_atomic(fetch.body.place, fetch.body.operand, fetch.body.condition);
    if (setup_.sleeper->is_sleeping()) setup_.sleeper->wake();
    answer(reply, sizeof reply, fetch.source);
}

std::uint64_t Engine::execute_atomic(std::uint64_t place_bits, std::uint64_t operand,
                                     std::uint64_t condition) {
    const Place place(place_bits);
    if (place.segment() >= kSegments) return 0;
    const FabricMemory& segment = memory_of(place.segment());
    if (place.offset() + place.bytes() > segment.bytes) return 0;
    char* address = segment.start + place.offset();
    if (reinterpret_cast<std::uintptr_t>(address) % place.bytes() != 0) return 0;
    const bool needs_lock = setup_.static_lock != nullptr &&
                            place.segment() == static_cast<std::size_t>(Segment::kStatics);
    if (!needs_lock) return apply(address, place.bytes(), place.op(), operand, condition);
    // Other PEs of this node read and write the word under this lock (transports/shm).
    SharedLock guard(*setup_.static_lock, "an atomic on static data");
    return apply(address, place.bytes(), place.op(), operand, condition);
}

void Engine::execute_gate(const GateMessage& message) {
    if (message.offset % alignof(Gate) != 0 ||
        message.offset > setup_.internal.bytes - sizeof(Gate)) {
        return;
    }
    auto* gate = reinterpret_cast<Gate*>(setup_.internal.start + message.offset);
    if (!gate->has_reached(message.number)) gate->post(message.number);
}

void Engine::take_reply(const Reply& reply) {
    auto* fetch = reinterpret_cast<PendingFetch*>(reply.token);
    if (fetch == nullptr) return;
    if (fetch->result != nullptr) std::memcpy(fetch->result, &reply.value, fetch->bytes);
    std::atomic<std::uint32_t>* pending = fetch->pending;
    if (fetch->is_pooled) put_back(fetch);
    // Release: the value is there. Pairs with the acquire of whoever waits, who may now destroy
    // a fetch that is not pooled.
    pending->fetch_sub(1, std::memory_order_release);
}

void Engine::take_ack(const Header& ack) {
    if (ack.token == 0) {
        std::lock_guard guard(pings_lock_);
        std::erase(unanswered_pings_, ack.source);
        return;
    }
    auto& slot = *reinterpret_cast<PacketSlot*>(ack.token);
    std::atomic<std::uint32_t>& unacked = *slot.unacked;
    // The last packet in flight: what has gathered meanwhile sets out. seq_cst on in_flight and
    // open pairs with OfiTransport::update(): one of the two sees the other.
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

bool Engine::try_send_packet(Packet* packet, PacketSlot& slot) {
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    const int pe = packet->pe;
    const ssize_t result = post_packet(*packet);
    if (result == -FI_EAGAIN) {
        slot.in_flight.fetch_sub(1, std::memory_order_seq_cst);
        return false;
    }
    if (result != 0) fail_post(result, pe);
    return true;
}

void Engine::answer(Header& header, std::size_t bytes, int pe) {
    header.key = peers_[pe].message_key;
    header.source = setup_.pe;
    if (answers_.empty()) {
        const ssize_t result = send_copy(&header, bytes, pe);
        if (result == 0) return;
        if (result != -FI_EAGAIN) {
            if (is_leaving_.load(std::memory_order_relaxed)) return;
            fail_post(result, pe);
        }
    }
    Postponed later{.pe = pe, .bytes = bytes, .message = {}};
    std::memcpy(later.message, &header, bytes);
    answers_.push_back(later);
}

// What there was no room for. Several rounds may be needed.
void Engine::send_postponed() {
    std::size_t sent = 0;
    for (; sent < answers_.size(); ++sent) {
        const Postponed& later = answers_[sent];
        const ssize_t result = send_copy(later.message, later.bytes, later.pe);
        if (result == -FI_EAGAIN) break;
        if (result != 0) fail_post(result, later.pe);
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
