// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind make_ofi_transport(). ofi_transport.cpp has reads, writes and their completion,
// ofi_messages.cpp what goes by active messages.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "transports/ofi/engine.hpp"
#include "transports/ofi/ofi_context.hpp"
#include "transports/transport.hpp"

namespace tessera::ofi {

class OfiTransport final : public FabricTransport {
  public:
    explicit OfiTransport(FabricSetup setup);

    const char* name() const override { return "ofi"; }
    std::unique_ptr<TransportContext> make_context(
        const TransportContext::Options& options) override {
        return std::make_unique<OfiContext>(options);
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
        own(context).batch_left.store(total, std::memory_order_relaxed);
        if (!is_on) flush(own(context));
    }
    void release_batch(TransportContext& context) override { flush(own(context)); }
    void fence(TransportContext& context) override;
    void quiet(TransportContext& context) override;
    void progress() override { engine_.progress(); }

    void post_gate(const Gate& gate, std::uint32_t number, int pe) override;
    void post_gate_behind(TransportContext& context, const Gate& gate, std::uint32_t number,
                          int pe) override;
    bool runs_my_program(int pe) override {
        return engine_.peers()[pe].program_digest == setup_.program_digest;
    }
    std::vector<std::byte> endpoint_info() const override {
        const auto bytes = std::as_bytes(std::span(&engine_.endpoint_info(), 1));
        return {bytes.begin(), bytes.end()};
    }
    void start() override { engine_.start(); }
    void leave() override { engine_.leave(); }
    std::string description() const override;
    const std::string& provider() const override;

  private:
    struct Target {
        std::uint64_t address;
        std::uint64_t key;
    };
    struct Position {
        Segment segment;
        std::size_t offset;
    };
    Position position_of(const void* address) const;
    Target target_of(const RemotePeer& peer, const void* address) const;
    const RemotePeer& peer_with(const void* address, int pe);

    // Whether a write of so many bytes is confirmed by a read behind it.
    bool confirms(std::size_t bytes) const {
        return confirms_by_reads_ && bytes <= capabilities_.ordered_read_bytes;
    }
    bool injects(std::size_t bytes) const {
        return confirms_by_reads_ && bytes <= capabilities_.inject_write_bytes;
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
        if (context.note_write(pe, bytes, capabilities_)) confirm(context);
    }
    void confirm(OfiContext& context);

    // Words that a program may wait for are stored by the target's CPU if the provider does not
    // write them whole, and sessions pack words; collectives end with a gate behind their data.
    bool goes_as_word(const OfiContext& context, const void* dest, std::size_t bytes) const;
    static AtomicRequest word_of(void* dest, const void* source, std::size_t bytes);
    // RETURNS: whether the put has set out as a message. Else the caller writes.
    bool put_by_message(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                        int pe);
    // RETURNS: whether the get is done. Else the caller reads.
    bool get_by_message(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                        int pe);
    void update(OfiContext& context, std::span<const AtomicRequest> requests, int pe);
    // What has gathered for a slot sets out. REQUIRES: the guard of the context.
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
    void fetch(const AtomicRequest& request, PendingFetch& pending, int pe);
    bool takes_provider_atomics(const AtomicRequest& request) const {
        return setup_.provider_atomics && !(setup_.static_lock != nullptr &&
                                            position_of(request.dest).segment == Segment::kStatics);
    }
    void provider_atomic(Counter& counter, const AtomicRequest& request, void* result, int pe);
    void wait_for(const Counter& counter) {
        engine_.wait([&] { return counter.load() == 0; });
    }

    const FabricSetup setup_;
    Engine engine_;
    const Capabilities& capabilities_;
    fid_ep* const endpoint_;
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
        engine_.wait([&] { return counter.load() < kPostedMax; });
    }
    counter.pending.fetch_add(1, std::memory_order_relaxed);
    engine_.post([&] { return call(static_cast<Completion*>(&counter)); }, pe);
}

}  // namespace tessera::ofi
