// SPDX-License-Identifier: BSD-3-Clause
//
// Reads and writes by the provider, its atomics where the user wants those, and the confirmation of
// writes: a small read behind them, to the same PE (order RAW). When it is complete, the writes are
// in that PE's memory. Where the provider orders no reads behind writes, writes complete on
// delivery instead. THREADS: any.
#pragma once

#include <rdma/fi_rma.h>

#include <algorithm>

#include "transports/ofi/completion_queue.hpp"
#include "transports/ofi/context.hpp"
#include "transports/ofi/peers.hpp"

namespace tessera::ofi {

struct Target {
    std::uint64_t address;
    std::uint64_t key;
};

class Rma {
  public:
    // Ends the job where the provider lacks what the settings need.
    Rma(const FabricSetup& setup, Fabric& fabric, Peers& peers, CompletionQueue& queue);

    const Capabilities& capabilities() const { return fabric_.capabilities(); }
    fid_ep* endpoint() const { return fabric_.endpoint(); }
    SegmentOffset offset_of(const void* address) const {
        return setup_.segments.offset_of(address);
    }
    Target target_of(const void* address, int pe);
    // Ends the job if the address is static data, and PE `pe` runs another program.
    const RemotePeer& peer_with(const void* address, int pe);

    void put(OfiContext& context, void* dest, const void* source, std::size_t bytes,
             Returns returns, int pe);
    void get(OfiContext& context, void* dest, const void* source, std::size_t bytes,
             Returns returns, int pe);
    // One operation, which the caller counts. The write completes when the data is in the target's
    // memory.
    void write_alone(Completion& completion, void* dest, const void* source, std::size_t bytes,
                     int pe);
    void read_alone(Completion& completion, void* dest, const void* source, std::size_t bytes,
                    int pe);
    bool takes_atomics(const AtomicRequest& request) const;
    // The old value goes to `result`, unless that is nullptr.
    void atomic(const AtomicRequest& request, void* result, int pe);

    // `Done`: a Counter, or a PartCompletion. Writes complete when the source is reusable, or on
    // delivery. RETURNS: whether a read must confirm them.
    template <class Done>
    bool write(OfiContext& context, Done& done, const void* source, std::size_t bytes,
               Target target, int pe);
    template <class Done>
    void read(Done& done, void* dest, std::size_t bytes, Target target, int pe);
    // Counts an operation that the caller posts. RETURNS when: there is room for it.
    void begin(Counter& counter) {
        wait_for_room(counter);
        counter.pending.fetch_add(1, std::memory_order_relaxed);
    }
    void begin(PartCompletion& part) {
        begin(part.context);
        part.count.fetch_add(1, std::memory_order_relaxed);
    }
    // `call(context)` posts an operation that completes into `done`.
    template <class Done, class Post>
    void post(Done& done, int pe, Post call) {
        begin(done);
        post_alone(done, pe, call);
    }
    // Whether a read behind it confirms a write of `bytes` bytes.
    bool confirms(std::size_t bytes) const { return bytes <= confirmed_bytes_max_; }
    bool injects(std::size_t bytes) const { return bytes <= injected_bytes_max_; }
    // A write of that many bytes, which a read must confirm, has been posted.
    void written(OfiContext& context, std::size_t bytes, int pe) {
        if (context.note_write(pe, bytes, capabilities())) confirm(context);
    }
    // Posts a read behind the writes to each dirty PE; when all transfers are complete, so are
    // these.
    void confirm(OfiContext& context);
    // A word of each PE that no PE writes to.
    const std::uint64_t* confirmation_word() const { return setup_.confirmation_word; }
    // A read of it behind the writes to `pe`.
    template <class Done>
    void confirm_to(Done& done, OfiContext& context, int pe) {
        read(done, &context.confirmation, sizeof context.confirmation,
             target_of(confirmation_word(), pe), pe);
    }
    void wait_for(const Counter& counter) {
        queue_.wait([&] { return counter.load() == 0; });
    }

    // The target executes messages in the order in which they set out, and behind the writes that
    // set out before; writes keep their order, too. Writes may be earlier than messages.
    const bool keeps_order;
    const std::size_t piece_bytes;     // longer transfers are several reads or writes
    const std::size_t pieces_at_once;  // most pieces in one read or write
    // Up to that size a write keeps its order and may complete on delivery; 0: none.
    const std::size_t delivered_bytes_max;

  private:
    void wait_for_room(const Counter& counter) {
        constexpr std::uint32_t kPostedMax = 128;
        if (counter.load() < kPostedMax) return;
        queue_.wait([&] { return counter.load() < kPostedMax; });
    }
    // Posts a write that completes when the data is in the target's memory.
    ssize_t write_delivered(const RemotePeer& peer, const void* source, std::size_t bytes,
                            Target target, void* context);
    template <class Post>
    void post_alone(Completion& completion, int pe, Post call) {
        queue_.post([&] { return fabric_.start(&completion, call); }, pe);
    }

    const FabricSetup& setup_;
    Fabric& fabric_;
    Peers& peers_;
    CompletionQueue& queue_;
    const std::size_t confirmed_bytes_max_;
    const std::size_t injected_bytes_max_;
};

}  // namespace tessera::ofi
