// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind the row `ofi` of transports/fabric_list.hpp. transport.cpp has reads, writes and
// their completion, messages.cpp the operations by active messages, updates.cpp those of them that
// gather in packets, sections.cpp strided and indexed transfers by both.
#pragma once

#include <rdma/fi_rma.h>

#include <span>
#include <string>
#include <vector>

#include "base/mutexes.hpp"
#include "transports/fabric_transport.hpp"
#include "transports/ofi/completion_queue.hpp"
#include "transports/ofi/context.hpp"
#include "transports/ofi/endpoint_info.hpp"
#include "transports/ofi/message_handlers.hpp"
#include "transports/ofi/message_sender.hpp"
#include "transports/ofi/packet_pool.hpp"
#include "transports/ofi/peer_watchdog.hpp"
#include "transports/ofi/peers.hpp"
#include "transports/ofi/progress_thread.hpp"
#include "transports/ofi/section_cost.hpp"

namespace tessera::ofi {

class OfiTransport final : public FabricTransport {
  public:
    explicit OfiTransport(FabricSetup setup);
    ~OfiTransport() override { watchdog_.leave(); }

    const char* name() const override { return "ofi"; }
    std::unique_ptr<TransportContext> make_context(
        const TransportContext::Options& options) override {
        return std::make_unique<OfiContext>(options, pool_);
    }

    void put(TransportContext& context, void* dest, const void* source, std::size_t bytes,
             int pe) override;
    void get(TransportContext& context, void* dest, const void* source, std::size_t bytes,
             int pe) override;
    void put_nbi(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override;
    void get_nbi(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override;
    void put_section(TransportContext& context, char* remote, const char* local,
                     const Section& section, Returns returns, int pe) override;
    void get_section(TransportContext& context, const char* remote, char* local,
                     const Section& section, Returns returns, int pe) override;
    void get_section_tracked(TransportContext& context, const char* remote, char* local,
                             const Section& section, int pe, Operation& operation) override;
    void put_pieces(TransportContext& context, char* remote, const char* local, BlockPairs pieces,
                    Returns returns, int pe) override;
    void get_pieces(TransportContext& context, const char* remote, char* local, BlockPairs pieces,
                    Returns returns, int pe) override;
    std::uint64_t atomic(TransportContext& context, const AtomicRequest& request, int pe) override;
    void atomic_nbi(TransportContext& context, const AtomicRequest& request, void* result,
                    int pe) override;
    void accumulate(TransportContext& context, const Accumulation& what, int pe) override;
    void put_signal(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                    const AtomicRequest& signal, int pe) override;
    void put_tracked(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                     int pe, Operation& operation) override;
    void get_tracked(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                     int pe, Operation& operation) override;
    void atomic_tracked(TransportContext& context, const AtomicRequest& request, void* result,
                        int pe, Operation& operation) override;
    void put_signal_tracked(TransportContext& context, void* dest, const void* source,
                            std::size_t bytes, const AtomicRequest& signal, int pe,
                            Operation& operation) override;
    void track_issued(TransportContext& context, int pe, Operation& operation) override;
    void set_batching(TransportContext& context, bool is_on, std::size_t total) override {
        own(context).is_batching.store(is_on, std::memory_order_relaxed);
        own(context).batch_remaining.store(total, std::memory_order_relaxed);
        if (!is_on) flush(own(context));
    }
    void release_batch(TransportContext& context) override { flush(own(context)); }
    void fence(TransportContext& context) override;
    void quiet(TransportContext& context) override;
    void progress() override { queue_.progress(); }

    const std::atomic<std::uint32_t>* arrivals() const override { return &queue_.arrivals(); }
    void drive_until(bool (*is_done)(void*), void* state) override {
        queue_.wait([=] { return is_done(state); });
    }

    void post_gate(const Gate& gate, std::uint32_t number, int pe) override;
    void post_gate_behind(TransportContext& context, const Gate& gate, std::uint32_t number,
                          int pe) override;
    void put_with_gates(TransportContext& context, const PutWithGates& what, int pe) override;
    bool runs_my_program(int pe) override {
        return peers_[pe].program_digest == setup_.fingerprint.program_digest;
    }
    std::vector<std::byte> endpoint_info() const override {
        const auto bytes = std::as_bytes(std::span(&endpoint_info_, 1));
        return {bytes.begin(), bytes.end()};
    }
    void start() override {
        handlers_.start();
        if (setup_.has_progress_thread) progress_thread_.start();
    }
    void wake_thread() override { progress_thread_.wake(); }
    bool is_behind_fence(TransportContext& context, int pe) override {
        return is_behind_fence(own(context), own(context).slot_of(pe));
    }
    void leave() override { watchdog_.leave(); }
    Region register_memory(void* start, std::size_t bytes) override;
    void unregister_memory(const Region& region) override;
    std::string description() const override;
    const std::string& provider() const override;

  private:
    struct Target {
        std::uint64_t address;
        std::uint64_t key;
    };
    const Capabilities& capabilities() const { return fabric_.capabilities(); }
    fid_ep* endpoint() const { return fabric_.endpoint(); }
    Target target_of(const void* address, int pe);
    const RemotePeer& peer_with(const void* address, int pe);

    // Whether a read behind it confirms a write of `bytes` bytes.
    bool confirms(std::size_t bytes) const {
        return confirms_by_reads_ && bytes <= capabilities().ordered_read_bytes;
    }
    bool injects(std::size_t bytes) const {
        return confirms_by_reads_ && bytes <= capabilities().inject_write_bytes;
    }
    bool completes_alone(const OfiContext& context, std::size_t bytes) const;
    void inject(OfiContext& context, const RemotePeer& peer, void* dest, const void* source,
                std::size_t bytes, int pe);
    void write(OfiContext& context, Counter& counter, const void* source, std::size_t bytes,
               Target target, int pe);
    ssize_t write_delivered(const RemotePeer& peer, const void* source, std::size_t bytes,
                            Target target, std::uint64_t flags, Completion* completion);
    void read(Counter& counter, void* dest, std::size_t bytes, Target target, int pe);
    template <class Post>
    void post_counted(Counter& counter, int pe, Post call);
    template <class Post>
    void post_part(PartCompletion& part, int pe, Post call);
    // A read behind the writes to `pe`.
    void confirm_to(PartCompletion& part, OfiContext& context, int pe);

    // sections.cpp
    SectionWork work_of(const Section& section) const;
    std::size_t pieces_at_once(std::size_t run_bytes) const;
    bool puts_packed(const OfiContext& context, const Section& section) const;
    template <class Post>
    void for_each_vector(const char* remote, const char* local, const Section& section, int pe,
                         Post post);
    static fi_msg_rma vector_of(const iovec* here, const fi_rma_iov* there, std::size_t count,
                                fi_addr_t address, Completion* completion);
    void write_runs(OfiContext& context, Counter& counter, char* remote, const char* local,
                    const Section& section, int pe);
    void read_runs(Counter& counter, const char* remote, char* local, const Section& section,
                   int pe);
    Packet* start_message(MessageKind kind, int pe, const PacketSlot& slot);
    void send_update(OfiContext& context, Packet* packet, PacketSlot& slot);
    void scatter(OfiContext& context, char* remote, const char* local, const Section& section,
                 int pe);
    void start_gather(OfiContext& context, PacketSlot& slot);
    void send_gather(Packet* packet, PendingGather& gather);
    void gather(OfiContext& context, PendingGather of_get, const char* remote, char* local,
                const Section& section, int pe);
    ListEntry entry_of(const char* remote, std::size_t bytes) const;

    void written(OfiContext& context, std::size_t bytes, int pe) {
        if (context.note_write(pe, bytes, capabilities())) confirm(context);
    }
    void confirm(OfiContext& context);

    // Words that a program may wait for are stored by the target's CPU if the provider does not
    // write them whole, and sessions pack words; collectives end with a gate behind their data.
    bool takes_updates(const OfiContext& context) const {
        return (!capabilities().writes_words_whole && !context.is_internal) ||
               context.is_batching.load(std::memory_order_relaxed);
    }
    bool goes_as_word(const OfiContext& context, const void* dest, std::size_t bytes) const;
    bool goes_as_update(const OfiContext& context, std::size_t bytes) const;
    void write_first(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                     int pe);
    static AtomicRequest word_of(void* dest, const void* source, std::size_t bytes);
    // Both. RETURNS: whether the put is under way. Else the caller writes.
    bool put_update(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                    Returns returns, int pe);
    bool put_by_message(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                        Returns returns, int pe);
    // RETURNS: whether the get is done. Else the caller reads.
    bool get_by_message(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                        int pe);
    // short_transfers.cpp
    bool gathers_gets(const OfiContext& context, std::size_t bytes) const;
    bool gathers_puts(const OfiContext& context, std::size_t bytes) const;
    void read_first(GatherSlot& slot, void* dest, const void* source, std::size_t bytes, int pe);
    void write_first(GatherSlot& slot, void* dest, const void* source, std::size_t bytes, int pe);
    Packet* start_vector(MessageKind kind, GatherSlot& slot, int pe);
    Packet* start_list(GatherSlot& slot, int pe);
    bool has_room(const Packet& gets, std::size_t bytes, int pe) const;
    bool add_piece(Packet& packet, void* local, const void* remote, std::size_t bytes);
    bool add_get(Packet& gets, void* dest, const void* source, std::size_t bytes);
    void leave_gathered(Packet* gathered, GatherSlot& slot);
    PendingGather* pieces_of(const Packet& list) const;
    void send_gathered(Packet* gathered, GatherSlot& slot);
    void send_full_puts(OfiContext& context, Packet* puts, GatherSlot& slot);
    bool gather_put(OfiContext& context, void* dest, const void* source, std::size_t bytes, int pe);
    void send_open(GatherSlot& slot);
    // Sends the gets, or the puts, that the context gathers. RETURNS when: those puts have set out.
    void send_gathered_gets(OfiContext& context);
    void send_gathered_puts(OfiContext& context);
    // RETURNS: whether the put is under way. Else the caller writes.
    bool put_gathered(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                      int pe);
    // RETURNS: whether the get is under way. Else the caller reads.
    bool get_gathered(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                      int pe);
    class Filling;
    void update(OfiContext& context, const AtomicRequest& request, int pe);
    // A put and its signal.
    void update(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                const AtomicRequest& signal, int pe);
    void send_accumulate(OfiContext& context, const Accumulation& what, PendingGather old, int pe);
    // Sends the packet that the slot gathers, if there is one. REQUIRES: the guard of the context.
    void send_open(PacketSlot& slot);
    // RETURNS when: all messages of the slot have set out.
    void flush(OfiContext& context, PacketSlot& slot);
    void flush(OfiContext& context);
    // From here on writes to a PE wait for the messages that were sent to it before: see fence().
    void fence_messages(OfiContext& context);
    // Whether a write by the provider could be earlier than messages in front of a fence.
    bool is_behind_fence(OfiContext& context, PacketSlot& slot);
    static bool has_packets(OfiContext& context, const PacketSlot& slot);
    // RETURNS when: the PE has executed the messages of the context.
    void settle(OfiContext& context, int pe);
    std::uint64_t fetch_now(OfiContext& context, const AtomicRequest& request, int pe);
    void send_fetch(const AtomicRequest& request, const FetchEntry& fetch, int pe);
    // Sends a fetch of the context that is answered later.
    void post_fetch(OfiContext& context, const AtomicRequest& request, PendingFetch fetch, int pe);
    // Sends a packet of the slot, or a short message.
    void send(Packet* packet, PacketSlot& slot);
    void send(Header& header, std::size_t bytes, int pe);
    bool takes_provider_atomics(const AtomicRequest& request) const {
        if (!setup_.provider_atomics || request.op == AtomicOp::kElement || request.bytes < 4) {
            return false;
        }
        const Segment segment = setup_.segments.offset_of(request.dest).segment;
        // The PEs of the owner's node have its CPU do them (transports/registered).
        if (segment == Segment::kNamed) return false;
        return segment != Segment::kStatics || setup_.static_lock == nullptr;
    }
    void provider_atomic(Counter& counter, const AtomicRequest& request, void* result, int pe);
    // RETURNS when: one more operation may be posted.
    void wait_for_room(const Counter& counter) {
        constexpr std::uint32_t kPostedMax = 128;
        if (counter.load() < kPostedMax) return;
        queue_.wait([&] { return counter.load() < kPostedMax; });
    }
    void wait_for(const Counter& counter) {
        queue_.wait([&] { return counter.load() == 0; });
    }

    // In the order in which they need each other; the progress thread ends first.
    const FabricSetup setup_;
    Fabric fabric_;
    ShortMutex registering_;
    const EndpointInfo endpoint_info_;
    Peers peers_;
    PacketPool pool_;
    const MessageSender sender_;
    PeerWatchdog watchdog_;
    MessageHandlers handlers_;
    CompletionQueue queue_;
    ProgressThread progress_thread_;
    const bool confirms_by_reads_;
    // The target executes messages in the order in which they set out, and behind the writes that
    // set out before; writes keep their order, too. Writes may be earlier than messages.
    const bool keeps_order_;
    const std::size_t piece_bytes_;
    const std::size_t pieces_at_once_;  // of one read or write
};

// Both: `call(completion)` posts an operation that completes into the counter, or the part.
template <class Post>
void OfiTransport::post_counted(Counter& counter, int pe, Post call) {
    wait_for_room(counter);
    counter.pending.fetch_add(1, std::memory_order_relaxed);
    queue_.post([&] { return call(static_cast<Completion*>(&counter)); }, pe);
}
template <class Post>
void OfiTransport::post_part(PartCompletion& part, int pe, Post call) {
    wait_for_room(part.context);
    part.count.fetch_add(1, std::memory_order_relaxed);
    part.context.pending.fetch_add(1, std::memory_order_relaxed);
    queue_.post([&] { return call(static_cast<Completion*>(&part)); }, pe);
}

}  // namespace tessera::ofi
