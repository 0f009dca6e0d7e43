// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind the row `ofi` of transports/fabric_list.hpp. transport.cpp has reads, writes and
// their completion, messages.cpp the operations by active messages.
#pragma once

#include <span>
#include <string>
#include <vector>

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
    void put_strided(TransportContext& context, void* dest, const void* source,
                     const Strided& shape, int pe) override;
    void get_strided(TransportContext& context, void* dest, const void* source,
                     const Strided& shape, int pe) override;
    std::uint64_t atomic(TransportContext& context, const AtomicRequest& request, int pe) override;
    void atomic_nbi(TransportContext& context, const AtomicRequest& request, void* result,
                    int pe) override;
    void put_signal(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                    const AtomicRequest& signal, int pe) override;
    void set_batching(TransportContext& context, bool is_on, std::size_t total) override {
        own(context).is_batching.store(is_on, std::memory_order_relaxed);
        own(context).batch_remaining.store(total, std::memory_order_relaxed);
        if (!is_on) flush(own(context));
    }
    void release_batch(TransportContext& context) override { flush(own(context)); }
    void fence(TransportContext& context) override;
    void quiet(TransportContext& context) override;
    void progress() override { queue_.progress(); }

    void post_gate(const Gate& gate, std::uint32_t number, int pe) override;
    void post_gate_behind(TransportContext& context, const Gate& gate, std::uint32_t number,
                          int pe) override;
    bool runs_my_program(int pe) override {
        return peers_[pe].program_digest == setup_.program_digest;
    }
    std::vector<std::byte> endpoint_info() const override {
        const auto bytes = std::as_bytes(std::span(&endpoint_info_, 1));
        return {bytes.begin(), bytes.end()};
    }
    void start() override {
        handlers_.start();
        if (setup_.has_progress_thread) progress_thread_.start();
    }
    void leave() override { watchdog_.leave(); }
    std::string description() const override;
    const std::string& provider() const override;

  private:
    struct Target {
        std::uint64_t address;
        std::uint64_t key;
    };
    const Capabilities& capabilities() const { return fabric_.capabilities(); }
    fid_ep* endpoint() const { return fabric_.endpoint(); }
    Target target_of(const RemotePeer& peer, const void* address) const;
    const RemotePeer& peer_with(const void* address, int pe);

    // Whether a read behind it confirms a write of `bytes` bytes.
    bool confirms(std::size_t bytes) const {
        return confirms_by_reads_ && bytes <= capabilities().ordered_read_bytes;
    }
    bool injects(std::size_t bytes) const {
        return confirms_by_reads_ && bytes <= capabilities().inject_write_bytes;
    }
    void inject(OfiContext& context, const RemotePeer& peer, void* dest, const void* source,
                std::size_t bytes, int pe);
    void write(OfiContext& context, Counter& counter, const void* source, std::size_t bytes,
               Target target, int pe);
    ssize_t write_delivered(const RemotePeer& peer, const void* source, std::size_t bytes,
                            Target target, std::uint64_t flags, Completion* completion);
    void read(Counter& counter, void* dest, std::size_t bytes, Target target, int pe);
    template <class Post>
    void post_counted(Counter& counter, int pe, Post call);
    void scatter(OfiContext& context, void* dest, const void* source, const Strided& shape, int pe);
    void strided(OfiContext& context, char* local, const char* remote, const Strided& shape, int pe,
                 bool is_put);
    void written(OfiContext& context, std::size_t bytes, int pe) {
        if (context.note_write(pe, bytes, capabilities())) confirm(context);
    }
    void confirm(OfiContext& context);

    // Words that a program may wait for are stored by the target's CPU if the provider does not
    // write them whole, and sessions pack words; collectives end with a gate behind their data.
    bool goes_as_word(const OfiContext& context, const void* dest, std::size_t bytes) const;
    static AtomicRequest word_of(void* dest, const void* source, std::size_t bytes);
    // RETURNS: whether the put has been sent as a message. Else the caller writes.
    bool put_by_message(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                        int pe);
    // RETURNS: whether the get is done. Else the caller reads.
    bool get_by_message(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                        int pe);
    void update(OfiContext& context, std::span<const AtomicRequest> requests, int pe);
    // Sends the packet that the slot gathers, if there is one. REQUIRES: the guard of the context.
    void send_open(PacketSlot& slot);
    // RETURNS when: all messages of the slot have set out.
    void flush(OfiContext& context, PacketSlot& slot);
    void flush(OfiContext& context);
    // From here on writes to a PE wait for the messages that were sent to it before: see fence().
    void fence_messages(OfiContext& context);
    // Whether a write by the provider could be earlier than messages in front of a fence.
    bool is_behind_fence(OfiContext& context, PacketSlot& slot);
    // RETURNS when: the PE has executed the messages of the context.
    void settle(OfiContext& context, int pe);
    std::uint64_t fetch_now(OfiContext& context, const AtomicRequest& request, int pe);
    void send_fetch(const AtomicRequest& request, const FetchEntry& fetch, int pe);
    // Sends a packet of the slot, or a message of at most kSmallMessageBytes.
    void send(Packet* packet, PacketSlot& slot);
    void send(Header& header, std::size_t bytes, int pe);
    bool takes_provider_atomics(const AtomicRequest& request) const {
        return setup_.provider_atomics &&
               !(setup_.static_lock != nullptr &&
                 setup_.segments.offset_of(request.dest).segment == Segment::kStatics);
    }
    void provider_atomic(Counter& counter, const AtomicRequest& request, void* result, int pe);
    void wait_for(const Counter& counter) {
        queue_.wait([&] { return counter.load() == 0; });
    }

    // In the order in which they need each other; the progress thread ends first.
    const FabricSetup setup_;
    Fabric fabric_;
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
};

// `call(completion)` posts an operation that completes into the counter.
template <class Post>
void OfiTransport::post_counted(Counter& counter, int pe, Post call) {
    constexpr std::uint32_t kPostedMax = 128;
    if (counter.load() >= kPostedMax) {
        queue_.wait([&] { return counter.load() < kPostedMax; });
    }
    counter.pending.fetch_add(1, std::memory_order_relaxed);
    queue_.post([&] { return call(static_cast<Completion*>(&counter)); }, pe);
}

}  // namespace tessera::ofi
