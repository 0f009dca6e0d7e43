// SPDX-License-Identifier: BSD-3-Clause
//
// Executes the messages of other PEs (message.hpp) and answers them. Nothing here waits; an answer
// that the provider has no room for is sent later. Messages are checked as if any process could
// have sent them: one without this PE's key is dropped, one that names memory outside the segments
// changes nothing, and an answer to an operation that this PE does not have under way ends the job.
// THREADS: the reader of the completion queue, one at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/wait.hpp"
#include "transports/fabric_transport.hpp"
#include "transports/ofi/endpoint_info.hpp"
#include "transports/ofi/memory_watch.hpp"
#include "transports/ofi/message_sender.hpp"
#include "transports/ofi/peer_watchdog.hpp"
#include "transports/served_memory.hpp"

namespace tessera::ofi {

// A buffer for one message.
struct Receive : Completion {
    Receive() : Completion(Kind::kReceive) {}
    alignas(8) std::byte bytes[kPacketBytesMax];
};

class MessageHandlers {
  public:
    MessageHandlers(const FabricSetup& setup, std::uint64_t message_key, Fabric& fabric,
                    PacketPool& pool, const MessageSender& sender, PeerWatchdog& watchdog);

    // Posts the receives: from here on messages come.
    void start();
    // Executes what the buffer holds, and posts it again.
    void receive(Receive& buffer, std::size_t bytes);
    // The target has executed packets of the slot that count `in_flight`, with `updates`.
    void finish(PacketSlot& slot, std::uint32_t in_flight, std::uint32_t updates);
    // A read, a write, or a list, of the slot is complete.
    void finish_transfer(GatherSlot& slot);
    // Acknowledges what has been executed since the last call: one message for several packets of
    // a sender, because each message costs more than the execution.
    void send_ack();
    // The buffer holds nothing of use.
    void drop(Receive& buffer);

    // Whether the provider had no room for something. send_postponed() may be needed several times.
    bool has_postponed() const {
        return !answers_.empty() || !packets_.empty() || !unposted_.empty() || !gathered_.empty();
    }
    void send_postponed();

    bool is_leaving() const { return watchdog_.is_leaving(); }

  private:
    // Receives that are posted. The provider hands over one message or a few at a time, so more
    // would only be more memory that a stream of long messages touches for the first time.
    static constexpr int kReceives = 16;

    struct PostponedAnswer {
        int pe;
        std::size_t bytes;
        alignas(8) std::byte message[kSmallMessageBytes];
    };

    void post_receive(Receive& buffer);
    void execute(const Header& header, std::size_t bytes);
    void execute_updates(const Header& header, std::size_t bytes);
    void execute_scatter(const Header& header, std::size_t bytes);
    void execute_scatter_list(const Header& header, std::size_t bytes);
    void execute_gather(const Header& header, std::size_t bytes);
    void execute_gather_list(const Header& header, std::size_t bytes);
    void take_gathered(const Header& header, std::size_t bytes);
    template <class Stride, class Visit>
    bool for_each_entry(const Header& header, std::size_t bytes, Stride stride, Visit visit) const;
    Packet* start_answer(const Header& request);
    void answer(Packet* packet);
    void send_postponed_gathered();
    void execute_accumulate(const Header& header, std::size_t bytes);
    void execute_get_accumulate(const Header& header, std::size_t bytes);
    std::size_t accumulate(const Header& header, std::size_t bytes, void* old);
    void execute_fetch(const Fetch& fetch);
    void execute_gate(const GateMessage& message);
    void execute_put_with_gates(const PutWithGatesMessage& message, std::size_t bytes);
    static ServedMemory::Target internal(std::uint64_t offset) {
        return {static_cast<std::size_t>(Segment::kInternal), offset};
    }
    std::uint64_t execute_atomic(RemoteWord word, std::uint64_t operand, std::uint64_t condition,
                                 Element element = {}) const {
        return memory_.atomic(target_of(word), {.bytes = word.bytes(),
                                                .op = word.op(),
                                                .operand = operand,
                                                .condition = condition,
                                                .element = element});
    }
    static ServedMemory::Target target_of(RemoteWord word) {
        return {word.segment(), word.offset()};
    }
    void take_reply(const Reply& reply);
    void take_ack(const Ack& ack);
    void answer(Header& header, std::size_t bytes, int pe);
    // For messages that have changed memory here: wakes the program if it waits, and notes that
    // send_ack() shall acknowledge them.
    void finish_updates(const Header& header);
    // False: the provider has no room.
    bool try_send_packet(Packet* packet, PacketSlot& slot);

    const FabricSetup& setup_;
    const ServedMemory memory_;
    const std::uint64_t message_key_;
    Fabric& fabric_;
    PacketPool& pool_;
    const MessageSender& sender_;
    PeerWatchdog& watchdog_;
    std::vector<std::unique_ptr<Receive>> receives_;
    // Postponed.
    std::vector<Receive*> unposted_;
    std::vector<PostponedAnswer> answers_;
    std::vector<std::pair<Packet*, PacketSlot*>> packets_;
    std::deque<Packet*> gathered_;
    MemoryWatch memory_watch_;  // while there is something postponed
    // send_ack() sends it to that PE; of no packets: nothing.
    Ack ack_{};
    int ack_pe_ = 0;
};

}  // namespace tessera::ofi
