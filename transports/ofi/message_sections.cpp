// SPDX-License-Identifier: BSD-3-Clause
//
// See message_handlers.hpp: the messages of strided and indexed transfers, as the owner of the
// memory executes them, and the answers to this PE's own.
#include <cstring>

#include "base/section_copy.hpp"
#include "transports/ofi/message_handlers.hpp"
#include "transports/ofi/message_runs.hpp"
#include "transports/ofi/store_words.hpp"

namespace tessera::ofi {
namespace {

void store_runs(const NamedRuns& named) {
    const Runs& runs = named.runs;
    std::uint64_t all = reinterpret_cast<std::uintptr_t>(named.base) | runs.run_bytes;
    for (int i = 0; i < runs.ndims; ++i) all |= static_cast<std::uint64_t>(runs.strides[i]);
    const std::ptrdiff_t step = runs.ndims > 0 ? runs.strides[0] : 0;
    const char* data = named.data;
    with_word(all, [&](auto word) {
        for_each_line(runs, named.first, named.count, [&](std::ptrdiff_t at, std::size_t count) {
            char* dest = named.base + at;
            for (std::size_t i = 0; i < count; ++i, dest += step, data += runs.run_bytes)
                store_words<decltype(word)>(dest, data, runs.run_bytes);
        });
    });
}

}  // namespace

void MessageHandlers::execute_scatter(const Header& header, std::size_t bytes) {
    const auto named = named_runs(header, bytes, setup_.segments);
    if (!named || named->bytes() > named->data_bytes) return;
    store_runs(*named);
    finish_updates(header);
}

// Calls visit(address, bytes, rest) for the entries of the list, from `rest` on; `stride(bytes)`
// lies between one and the next. RETURNS: false at the first that makes no sense.
template <class Stride, class Visit>
bool MessageHandlers::for_each_entry(const Header& header, std::size_t bytes, Stride stride,
                                     Visit visit) const {
    const char* at = reinterpret_cast<const char*>(&header + 1);
    const char* end = reinterpret_cast<const char*>(&header) + bytes;
    while (at != end) {
        ListEntry entry;
        if (static_cast<std::size_t>(end - at) < sizeof entry) return false;
        std::memcpy(&entry, at, sizeof entry);
        at += sizeof entry;
        const RemoteWord word(entry.word);
        char* address = setup_.segments.checked_address(word.segment(), word.offset(), entry.bytes);
        if (address == nullptr || entry.bytes == 0 || entry.bytes > kPacketBytesMax) return false;
        if (static_cast<std::size_t>(end - at) < stride(entry.bytes)) return false;
        if (!visit(address, entry.bytes, at)) return false;
        at += stride(entry.bytes);
    }
    return true;
}

void MessageHandlers::execute_scatter_list(const Header& header, std::size_t bytes) {
    if (bytes < sizeof header) return;
    auto check = [](char*, std::size_t, const char*) { return true; };
    if (!for_each_entry(header, bytes, padded, check)) return;
    for_each_entry(header, bytes, padded, [](char* dest, std::size_t size, const char* data) {
        store_bytes(dest, data, size);
        return true;
    });
    finish_updates(header);
}

Packet* MessageHandlers::start_answer(const Header& request) {
    Packet* packet = pool_.take();
    packet->pe = request.source;
    packet->size = sizeof(Header);
    packet->header() = {.kind = MessageKind::kGathered, .count = 0, .token = request.token};
    sender_.address(packet->header(), request.source);
    return packet;
}

void MessageHandlers::execute_gather(const Header& header, std::size_t bytes) {
    const auto named = named_runs(header, bytes, setup_.segments);
    if (!named || named->bytes() > kPacketBytesMax - sizeof(Header)) return;
    Packet* packet = start_answer(header);
    pack(reinterpret_cast<char*>(packet->bytes) + packet->size, named->base, named->runs,
         named->first, named->count);
    packet->size += static_cast<std::uint32_t>(named->bytes());
    answer(packet);
}

void MessageHandlers::execute_gather_list(const Header& header, std::size_t bytes) {
    Packet* packet = start_answer(header);
    auto nothing = [](std::size_t) { return std::size_t{0}; };
    const bool is_good =
        for_each_entry(header, bytes, nothing, [&](char* source, std::size_t size, const char*) {
            if (packet->size + size > kPacketBytesMax) return false;
            std::memcpy(packet->bytes + packet->size, source, size);
            packet->size += static_cast<std::uint32_t>(size);
            return true;
        });
    if (!is_good) return pool_.put_back(packet);
    answer(packet);
}

void MessageHandlers::answer(Packet* packet) {
    if (gathered_.empty()) {
        const ssize_t result = sender_.try_send(*packet);
        if (result == 0) return;
        if (result != -FI_EAGAIN) {
            if (is_leaving()) return pool_.put_back(packet);
            MessageSender::fail(result, packet->pe);
        }
    }
    gathered_.push_back(packet);
}

void MessageHandlers::finish_transfer(GatherSlot& slot) {
    std::atomic<std::uint32_t>& unanswered = *slot.unanswered;
    // This was the last in flight: send what has gathered meanwhile. Pairs with
    // transports/ofi/coalescers.cpp:leave.
    if (slot.in_flight.fetch_sub(1, std::memory_order_seq_cst) == 1) {
        Packet* gathered = slot.open.exchange(nullptr, std::memory_order_seq_cst);
        if (gathered != nullptr) {
            slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
            answer(gathered);
        }
    }
    // The data is there. Last: the context may end. Pairs with transports/ofi/messages.cpp:quiet.
    unanswered.fetch_sub(1, std::memory_order_release);
}

void MessageHandlers::send_postponed_gathered() {
    while (!gathered_.empty()) {
        Packet* packet = gathered_.front();
        const int pe = packet->pe;
        const ssize_t result = sender_.try_send(*packet);
        if (result == -FI_EAGAIN) return;
        if (result != 0) MessageSender::fail(result, pe);
        gathered_.pop_front();
    }
}

void MessageHandlers::take_gathered(const Header& header, std::size_t bytes) {
    GatherEntry* entry = pool_.find_gather(header.token);
    if (entry == nullptr || entry->object.bytes != bytes - sizeof header)
        fatal_unknown_token(header.source, header.token);
    PendingGather& gather = entry->object;
    const char* data = reinterpret_cast<const char*>(&header + 1);
    if (gather.list != nullptr) {
        for (std::size_t i = 0; i < gather.count; ++i) {
            const LocalPiece& piece = gather.entries()[i];
            std::memcpy(piece.start, data, piece.bytes);
            data += piece.bytes;
        }
        pool_.put_back(gather.list);
    } else {
        unpack(gather.base, data, gather.runs(), gather.first, gather.count);
    }
    std::atomic<std::uint32_t>& pending = *gather.pending;
    std::atomic<std::uint32_t>* of_operation = gather.of_operation;
    GatherSlot* slot = gather.slot;
    pool_.put_back(*entry);
    if (slot != nullptr) return finish_transfer(*slot);
    // The data is there. Pairs with transports/ofi/sections.cpp:gather,
    // transports/ofi/messages.cpp:quiet and transports/operation.hpp:is_local.
    if (of_operation != nullptr) of_operation->fetch_sub(1, std::memory_order_release);
    pending.fetch_sub(1, std::memory_order_release);
}

}  // namespace tessera::ofi
