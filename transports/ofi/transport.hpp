// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind the row `ofi` of transports/fabric_list.hpp: it decides which of its parts takes
// an operation. Each part has its own state, and knows those above it in the list of members;
// context.hpp has what a context has under way in them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/mutexes.hpp"
#include "transports/fabric_transport.hpp"
#include "transports/ofi/endpoint_info.hpp"
#include "transports/ofi/peer_watchdog.hpp"
#include "transports/ofi/progress_thread.hpp"
#include "transports/ofi/sections.hpp"
#include "transports/ofi/tracked.hpp"

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
                     const Section& section, Returns returns, int pe) override {
        sections_.put(own(context), remote, local, section, returns, pe);
    }
    void get_section(TransportContext& context, const char* remote, char* local,
                     const Section& section, Returns returns, int pe) override {
        sections_.get(own(context), remote, local, section, returns, pe);
    }
    void get_section_tracked(TransportContext& context, const char* remote, char* local,
                             const Section& section, int pe, Operation& operation) override;
    void put_pieces(TransportContext& context, char* remote, const char* local, BlockPairs pieces,
                    Returns returns, int pe) override {
        sections_.put_pieces(own(context), remote, local, pieces, returns, pe);
    }
    void get_pieces(TransportContext& context, const char* remote, char* local, BlockPairs pieces,
                    Returns returns, int pe) override {
        sections_.get_pieces(own(context), remote, local, pieces, returns, pe);
    }
    std::uint64_t atomic(TransportContext& context, const AtomicRequest& request, int pe) override;
    void atomic_nbi(TransportContext& context, const AtomicRequest& request, void* result,
                    int pe) override;
    void accumulate(TransportContext& context, const Accumulation& what, int pe) override {
        sections_.accumulate(own(context), what, pe);
    }
    void put_signal(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                    const AtomicRequest& signal, int pe) override;
    void put_tracked(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                     int pe, Operation& operation) override;
    void get_tracked(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                     int pe, Operation& operation) override;
    void atomic_tracked(TransportContext& context, const AtomicRequest& request, void* result,
                        int pe, Operation& operation) override {
        tracked_.atomic(own(context), request, result, pe, operation);
    }
    void put_signal_tracked(TransportContext& context, void* dest, const void* source,
                            std::size_t bytes, const AtomicRequest& signal, int pe,
                            Operation& operation) override;
    void track_issued(TransportContext& context, int pe, Operation& operation) override {
        tracked_.track_issued(own(context), pe, operation);
    }
    void set_batching(TransportContext& context, bool is_on, std::size_t total) override {
        own(context).is_batching.store(is_on, std::memory_order_relaxed);
        own(context).batch_remaining.store(total, std::memory_order_relaxed);
        if (!is_on) messages_.flush(own(context));
    }
    void release_batch(TransportContext& context) override { messages_.flush(own(context)); }
    void fence(TransportContext& context) override { messages_.fence(own(context)); }
    void quiet(TransportContext& context) override { messages_.quiet(own(context)); }
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
        return Messages::is_behind_fence(own(context), own(context).slot_of(pe));
    }
    void leave() override { watchdog_.leave(); }
    Region register_memory(void* start, std::size_t bytes) override;
    void unregister_memory(const Region& region) override;
    std::string description() const override { return describe(fabric_.capabilities()); }
    const std::string& provider() const override { return fabric_.capabilities().provider; }

  private:
    // A put that must not be a write. RETURNS: whether it is under way.
    bool try_put_by_message(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                            Returns returns, int pe) {
        return updates_.try_put(context, dest, source, bytes, returns, pe) ||
               (Messages::is_behind_fence(context, context.slot_of(pe)) &&
                sections_.try_put_behind(context, dest, source, bytes, pe));
    }

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
    Rma rma_;
    PutCoalescer puts_;
    GetCoalescer gets_;
    Messages messages_;
    Updates updates_;
    Sections sections_;
    Tracked tracked_;
    ProgressThread progress_thread_;  // ends first
};

}  // namespace tessera::ofi
