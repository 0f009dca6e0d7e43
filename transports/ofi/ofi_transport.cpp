// SPDX-License-Identifier: BSD-3-Clause
//
// The transport between nodes: plain reads and writes by the provider, atomics by active messages
// (message.hpp) or, if the user wants, by the provider. What is under way for a context is in its
// channel:
//
//   transfers   reads, and writes that are not injected, until the provider has completed them
//   dirty       PEs that were written to since they were last confirmed. A small read behind the
//               writes, to the same PE, confirms them (order RAW); then they are in its memory.
//               Where the provider orders no reads behind writes, writes complete on delivery
//               instead.
//   updates     atomics without result, and small blocks of strided puts, in packets of one target
//   each. A packet sets out at once when
//               none is in flight, else when it is full or the one in flight is acknowledged: the
//               first is quick, and a stream fills packets.
//   fetches     atomics with a result
//
// COST: put and p of small size: one injected write. get, fetch: a round trip. fence: nothing when
// only puts are under way, else the acknowledgements. quiet: a round trip to each dirty PE, all at
// the same time. THREADS: any; a channel that is not shared has one user at a time, and takes no
// lock.
#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>

#include "base/fatal.hpp"
#include "transports/ofi/engine.hpp"
#include "transports/transport.hpp"

namespace tessera::ofi {
namespace {

constexpr int kSlots = 8;
constexpr int kDirtyMax = 64;
// More bytes than that are written and read in pieces, so that a silent network is noticed.
constexpr std::size_t kPieceBytesMax = std::size_t{16} << 20;
constexpr std::uint32_t kTransfersMax = 128;  // per channel
constexpr std::uint32_t kWritesMax = 256;     // between two confirmations
constexpr std::uint32_t kFetchesMax = 256;
constexpr std::size_t kScatteredBlockBytesMax = 256;

class OfiChannel final : public Channel {
  public:
    explicit OfiChannel(const ChannelOptions& options) : is_shared(options.is_shared) {
        for (PacketSlot& slot : slots) slot.unacked = &updates;
    }

    const bool is_shared;
    std::atomic<bool> is_batching{false};
    Counter transfers;
    std::atomic<std::uint32_t> updates{0};
    std::atomic<std::uint32_t> fetches{0};
    PacketSlot slots[kSlots];

    // Nothing is under way that a quiet would wait for but this.
    bool is_idle() const {
        return dirty_count_.load(std::memory_order_relaxed) == 0 && transfers.load() == 0;
    }

    // A write to `pe` has been posted. True: it is time to confirm().
    bool note_write(int pe, std::size_t bytes, const Capabilities& capabilities) {
        Guard guard(*this);
        if (bytes > capabilities.ordered_write_bytes) has_unordered_writes_ = true;
        int count = dirty_count_.load(std::memory_order_relaxed);
        if (!is_dirty(pe, count)) {
            dirty_[count++] = pe;
            dirty_count_.store(count, std::memory_order_relaxed);
        }
        return ++writes_ >= kWritesMax || count == kDirtyMax;
    }
    bool has_unordered_writes() const { return has_unordered_writes_; }

    // The dirty PEs, which are so no longer. `pes` has room for kDirtyMax.
    int take_dirty(int* pes) {
        Guard guard(*this);
        const int count = dirty_count_.load(std::memory_order_relaxed);
        std::copy_n(dirty_, count, pes);
        writes_ = 0;
        has_unordered_writes_ = false;
        dirty_count_.store(0, std::memory_order_relaxed);
        return count;
    }

    std::uint64_t confirmation = 0;  // what the reads behind writes read

  private:
    bool is_dirty(int pe, int count) const {
        // Most often the one before.
        for (int i = count - 1; i >= 0; --i) {
            if (dirty_[i] == pe) return true;
        }
        return false;
    }
    // A lock for channels that several threads use.
    class Guard {
      public:
        explicit Guard(OfiChannel& channel) : channel_(channel) {
            if (channel_.is_shared) channel_.lock_.lock();
        }
        ~Guard() {
            if (channel_.is_shared) channel_.lock_.unlock();
        }
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

      private:
        OfiChannel& channel_;
    };

    std::mutex lock_;
    std::uint32_t writes_ = 0;  // since the last confirm()
    std::atomic<bool> has_unordered_writes_{false};
    std::atomic<int> dirty_count_{0};  // changed under the lock
    int dirty_[kDirtyMax];
};

OfiChannel& own(Channel& channel) { return static_cast<OfiChannel&>(channel); }

class OfiTransport final : public FabricTransport {
  public:
    explicit OfiTransport(FabricSetup setup)
        : setup_(std::move(setup)),
          engine_(setup_),
          capabilities_(engine_.capabilities()),
          endpoint_(engine_.fabric().endpoint()),
          confirms_by_reads_(capabilities_.read_after_write),
          piece_bytes_(std::min(capabilities_.max_rma_bytes, kPieceBytesMax)) {
        if (!confirms_by_reads_ && !capabilities_.delivery_complete) {
            fatal(
                "shmem_init: the provider %s cannot tell when data has arrived; choose another "
                "one by SHMEM_OFI_PROVIDER",
                capabilities_.provider.c_str());
        }
        if (setup_.provider_atomics &&
            !(capabilities_.atomics && capabilities_.atomics_are_cpu_atomics)) {
            fatal(
                "shmem_init: SHMEM_AMO_PATH=fabric, but the provider %s has no atomics that are "
                "known to work together with the processor's; use SHMEM_AMO_PATH=am",
                capabilities_.provider.c_str());
        }
    }

    const char* name() const override { return "ofi"; }
    std::unique_ptr<Channel> make_channel(const ChannelOptions& options) override {
        return std::make_unique<OfiChannel>(options);
    }

    void put(Channel& channel, void* dest, const void* source, std::size_t bytes, int pe) override;
    void get(Channel& channel, void* dest, const void* source, std::size_t bytes, int pe) override;
    void put_nbi(Channel& channel, void* dest, const void* source, std::size_t bytes,
                 int pe) override;
    void get_nbi(Channel& channel, void* dest, const void* source, std::size_t bytes,
                 int pe) override;
    void put_strided(Channel& channel, void* dest, const void* source, const Strided& shape,
                     int pe) override;
    void get_strided(Channel& channel, void* dest, const void* source, const Strided& shape,
                     int pe) override;
    std::uint64_t atomic(Channel& channel, const AtomicRequest& request, int pe) override;
    void atomic_nbi(Channel& channel, const AtomicRequest& request, void* result, int pe) override;
    void put_signal(Channel& channel, void* dest, const void* source, std::size_t bytes,
                    const AtomicRequest& signal, int pe) override;
    void set_batching(Channel& channel, bool is_on) override {
        own(channel).is_batching.store(is_on, std::memory_order_relaxed);
        if (!is_on) flush(own(channel));
    }
    void fence(Channel& channel) override;
    void quiet(Channel& channel) override;
    void progress() override { engine_.progress(); }

    void post_gate(const Gate& gate, std::uint32_t number, int pe) override;
    bool runs_my_program(int pe) override {
        return engine_.peers()[pe].program_digest == setup_.program_digest;
    }
    std::vector<std::byte> card() const override {
        const auto bytes = std::as_bytes(std::span(&engine_.card(), 1));
        return {bytes.begin(), bytes.end()};
    }
    void start() override { engine_.start(); }
    void leave() override { engine_.leave(); }
    std::string description() const override;

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
    void inject(OfiChannel& channel, const RemotePeer& peer, void* dest, const void* source,
                std::size_t bytes, int pe);
    void write(OfiChannel& channel, Counter& counter, const void* source, std::size_t bytes,
               Target target, int pe);
    ssize_t write_delivered(const RemotePeer& peer, const void* source, std::size_t bytes,
                            Target target, std::uint64_t flags, Completion* context);
    void read(Counter& counter, void* dest, std::size_t bytes, Target target, int pe);
    template <class Post>
    void post_counted(Counter& counter, int pe, Post call);
    void scatter(OfiChannel& channel, void* dest, const void* source, const Strided& shape, int pe);
    void strided(OfiChannel& channel, char* local, const char* remote, const Strided& shape, int pe,
                 bool is_put);
    void written(OfiChannel& channel, std::size_t bytes, int pe) {
        if (channel.note_write(pe, bytes, capabilities_)) confirm(channel);
    }
    void confirm(OfiChannel& channel);
    bool is_batched(const OfiChannel& channel, const void* dest, std::size_t bytes) const {
        return channel.is_batching.load(std::memory_order_relaxed) && bytes <= 8 &&
               (bytes & (bytes - 1)) == 0 && reinterpret_cast<std::uintptr_t>(dest) % bytes == 0;
    }
    void pack(OfiChannel& channel, void* dest, const void* source, std::size_t bytes, int pe) {
        AtomicRequest request{.dest = dest, .bytes = bytes, .op = AtomicOp::kSet};
        std::memcpy(&request.operand, source, bytes);
        update(channel, request, pe);
    }
    void update(OfiChannel& channel, const AtomicRequest& request, int pe);
    void flush(OfiChannel& channel);
    void flush(PacketSlot& slot);
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
    const std::size_t piece_bytes_;
};

OfiTransport::Position OfiTransport::position_of(const void* address) const {
    const auto* at = static_cast<const char*>(address);
    auto offset_in = [at](const FabricMemory& memory) {
        return static_cast<std::size_t>(at - memory.start);
    };
    if (offset_in(setup_.heap) < setup_.heap.bytes) {
        return {Segment::kHeap, offset_in(setup_.heap)};
    }
    if (offset_in(setup_.statics) < setup_.statics.bytes) {
        return {Segment::kStatics, offset_in(setup_.statics)};
    }
    return {Segment::kInternal, offset_in(setup_.internal)};
}

OfiTransport::Target OfiTransport::target_of(const RemotePeer& peer, const void* address) const {
    const Position position = position_of(address);
    const auto segment = static_cast<std::size_t>(position.segment);
    return {.address = peer.bases[segment] + position.offset, .key = peer.keys[segment]};
}

const RemotePeer& OfiTransport::peer_with(const void* address, int pe) {
    const RemotePeer& peer = engine_.peers()[pe];
    if (position_of(address).segment == Segment::kStatics &&
        peer.program_digest != setup_.program_digest) [[unlikely]] {
        fatal(
            "%p is static data, and PE %d runs another program, so it has no such variable; use "
            "memory from shmem_malloc between different programs",
            address, pe);
    }
    return peer;
}

// `call(context)` posts an operation that completes into the counter.
template <class Post>
void OfiTransport::post_counted(Counter& counter, int pe, Post call) {
    if (counter.load() >= kTransfersMax) {
        engine_.wait([&] { return counter.load() < kTransfersMax; });
    }
    counter.pending.fetch_add(1, std::memory_order_relaxed);
    engine_.post([&] { return call(static_cast<Completion*>(&counter)); }, pe);
}

// Posts a write that completes when the data is in the target's memory.
ssize_t OfiTransport::write_delivered(const RemotePeer& peer, const void* source, std::size_t bytes,
                                      Target target, std::uint64_t flags, Completion* context) {
    iovec local{.iov_base = const_cast<void*>(source), .iov_len = bytes};
    fi_rma_iov remote{.addr = target.address, .len = bytes, .key = target.key};
    const fi_msg_rma message{.msg_iov = &local,
                             .desc = nullptr,
                             .iov_count = 1,
                             .addr = peer.address,
                             .rma_iov = &remote,
                             .rma_iov_count = 1,
                             .context = context,
                             .data = 0};
    return fi_writemsg(endpoint_, &message, FI_DELIVERY_COMPLETE | flags);
}

// Posts the writes; they complete when the source is reusable, or on delivery.
void OfiTransport::write(OfiChannel& channel, Counter& counter, const void* source,
                         std::size_t bytes, Target target, int pe) {
    const RemotePeer& peer = engine_.peers()[pe];
    const char* from = static_cast<const char*>(source);
    while (bytes > 0) {
        const std::size_t piece = std::min(bytes, piece_bytes_);
        const bool is_confirmed = confirms(piece);
        post_counted(counter, pe, [&](Completion* context) {
            if (is_confirmed) {
                return fi_write(endpoint_, from, piece, nullptr, peer.address, target.address,
                                target.key, context);
            }
            return write_delivered(peer, from, piece, target, 0, context);
        });
        if (is_confirmed) written(channel, piece, pe);
        from += piece;
        target.address += piece;
        bytes -= piece;
    }
}

void OfiTransport::read(Counter& counter, void* dest, std::size_t bytes, Target target, int pe) {
    const fi_addr_t address = engine_.peers()[pe].address;
    char* to = static_cast<char*>(dest);
    while (bytes > 0) {
        const std::size_t piece = std::min(bytes, piece_bytes_);
        post_counted(counter, pe, [&](Completion* context) {
            return fi_read(endpoint_, to, piece, nullptr, address, target.address, target.key,
                           context);
        });
        to += piece;
        target.address += piece;
        bytes -= piece;
    }
}

// A put that is alone completes on delivery: the quiet behind it then needs no read of its own.
// Others only set out, and a read behind them confirms them all.
void OfiTransport::inject(OfiChannel& channel, const RemotePeer& peer, void* dest,
                          const void* source, std::size_t bytes, int pe) {
    const Target target = target_of(peer, dest);
    if (capabilities_.delivery_complete && channel.is_idle()) {
        return post_counted(channel.transfers, pe, [&](Completion* context) {
            return write_delivered(peer, source, bytes, target, FI_INJECT, context);
        });
    }
    engine_.post(
        [&] {
            return fi_inject_write(endpoint_, source, bytes, peer.address, target.address,
                                   target.key);
        },
        pe);
    written(channel, bytes, pe);
}

void OfiTransport::put(Channel& channel, void* dest, const void* source, std::size_t bytes,
                       int pe) {
    OfiChannel& mine = own(channel);
    if (is_batched(mine, dest, bytes)) [[unlikely]]
        return pack(mine, dest, source, bytes, pe);
    const RemotePeer& peer = peer_with(dest, pe);
    if (injects(bytes)) return inject(mine, peer, dest, source, bytes, pe);
    Counter counter;
    write(mine, counter, source, bytes, target_of(peer, dest), pe);
    wait_for(counter);
}

void OfiTransport::put_nbi(Channel& channel, void* dest, const void* source, std::size_t bytes,
                           int pe) {
    OfiChannel& mine = own(channel);
    if (is_batched(mine, dest, bytes)) [[unlikely]]
        return pack(mine, dest, source, bytes, pe);
    const RemotePeer& peer = peer_with(dest, pe);
    if (injects(bytes)) return inject(mine, peer, dest, source, bytes, pe);
    write(mine, mine.transfers, source, bytes, target_of(peer, dest), pe);
}

void OfiTransport::get(Channel&, void* dest, const void* source, std::size_t bytes, int pe) {
    // A counter of its own: what else the channel has under way need not be waited for.
    Counter counter;
    read(counter, dest, bytes, target_of(peer_with(source, pe), source), pe);
    wait_for(counter);
}

void OfiTransport::get_nbi(Channel& channel, void* dest, const void* source, std::size_t bytes,
                           int pe) {
    read(own(channel).transfers, dest, bytes, target_of(peer_with(source, pe), source), pe);
}

// Several blocks to an operation, as many as the provider takes. `shape` has the strides of the
// local and of the remote side as dest or source, as it is a put or a get.
void OfiTransport::strided(OfiChannel& channel, char* local, const char* remote,
                           const Strided& shape, int pe, bool is_put) {
    const RemotePeer& peer = peer_with(remote, pe);
    const Target target = target_of(peer, remote);
    const auto element = static_cast<std::ptrdiff_t>(shape.element_bytes);
    const std::ptrdiff_t local_step = (is_put ? shape.source_stride : shape.dest_stride) * element;
    const std::ptrdiff_t remote_step = (is_put ? shape.dest_stride : shape.source_stride) * element;
    const std::size_t block_bytes = shape.block_elements * shape.element_bytes;
    const bool is_confirmed = confirms(block_bytes * kPiecesMax);
    const std::size_t at_once =
        std::min({capabilities_.iov_max, capabilities_.rma_iov_max, kPiecesMax});
    for (std::size_t first = 0; first < shape.blocks; first += at_once) {
        const std::size_t count = std::min(at_once, shape.blocks - first);
        iovec here[kPiecesMax];
        fi_rma_iov there[kPiecesMax];
        for (std::size_t i = 0; i < count; ++i) {
            const auto block = static_cast<std::ptrdiff_t>(first + i);
            here[i] = {.iov_base = local + block * local_step, .iov_len = block_bytes};
            there[i] = {.addr = target.address + static_cast<std::uint64_t>(block * remote_step),
                        .len = block_bytes,
                        .key = target.key};
        }
        post_counted(channel.transfers, pe, [&](Completion* context) {
            const fi_msg_rma message{.msg_iov = here,
                                     .desc = nullptr,
                                     .iov_count = count,
                                     .addr = peer.address,
                                     .rma_iov = there,
                                     .rma_iov_count = count,
                                     .context = context,
                                     .data = 0};
            if (!is_put) return fi_readmsg(endpoint_, &message, 0);
            return fi_writemsg(endpoint_, &message, is_confirmed ? 0 : FI_DELIVERY_COMPLETE);
        });
        if (is_put && is_confirmed) written(channel, count * block_bytes, pe);
    }
    wait_for(channel.transfers);
}

// Small blocks go in messages, and the target's CPU puts them in their places: hundreds to a
// message, where one operation of the provider takes four or eight.
void OfiTransport::scatter(OfiChannel& channel, void* dest, const void* source,
                           const Strided& shape, int pe) {
    peer_with(dest, pe);
    const Position position = position_of(dest);
    const auto element = static_cast<std::ptrdiff_t>(shape.element_bytes);
    const std::size_t block_bytes = shape.block_elements * shape.element_bytes;
    const std::size_t at_once = kScatterBytesMax / block_bytes;
    const auto stride = static_cast<std::uint64_t>(shape.dest_stride * element);
    const char* from = static_cast<const char*>(source);
    PacketSlot& slot = channel.slots[pe % kSlots];
    for (std::size_t first = 0; first < shape.blocks; first += at_once) {
        const std::size_t count = std::min(at_once, shape.blocks - first);
        Packet* packet = engine_.take_packet(pe, slot);
        packet->header().kind = MessageKind::kScatter;
        packet->header().count = 1;
        const ScatterBody body{
            .place =
                Place::pack(position.segment, position.offset + first * stride, 1, AtomicOp::kSet),
            .stride = stride,
            .block_bytes = static_cast<std::uint32_t>(block_bytes),
            .blocks = static_cast<std::uint32_t>(count)};
        std::memcpy(packet->bytes + packet->size, &body, sizeof body);
        packet->size += sizeof body;
        char* data = reinterpret_cast<char*>(packet->bytes) + packet->size;
        for_each_block(
            data, from,
            {.dest_stride = static_cast<std::ptrdiff_t>(shape.block_elements),
             .source_stride = shape.source_stride,
             .block_elements = shape.block_elements,
             .blocks = count,
             .element_bytes = shape.element_bytes},
            [](char* to, const char* block, std::size_t bytes) { std::memcpy(to, block, bytes); });
        packet->size += static_cast<std::uint32_t>(count * block_bytes);
        channel.updates.fetch_add(1, std::memory_order_relaxed);
        engine_.send_packet(packet, slot);
        from += static_cast<std::ptrdiff_t>(count) * shape.source_stride * element;
    }
}

void OfiTransport::put_strided(Channel& channel, void* dest, const void* source,
                               const Strided& shape, int pe) {
    const std::size_t block_bytes = shape.block_elements * shape.element_bytes;
    if (block_bytes > piece_bytes_) {
        return Transport::put_strided(channel, dest, source, shape, pe);
    }
    if (block_bytes <= kScatteredBlockBytesMax) {
        return scatter(own(channel), dest, source, shape, pe);
    }
    strided(own(channel), static_cast<char*>(const_cast<void*>(source)),
            static_cast<const char*>(dest), shape, pe, true);
}

void OfiTransport::get_strided(Channel& channel, void* dest, const void* source,
                               const Strided& shape, int pe) {
    if (shape.block_elements * shape.element_bytes > piece_bytes_) {
        return Transport::get_strided(channel, dest, source, shape, pe);
    }
    strided(own(channel), static_cast<char*>(dest), static_cast<const char*>(source), shape, pe,
            false);
}

// Posts a read behind the writes to each dirty PE; when all transfers are complete, so are these.
void OfiTransport::confirm(OfiChannel& channel) {
    int dirty[kDirtyMax];
    const int count = channel.take_dirty(dirty);
    for (int i = 0; i < count; ++i) {
        const RemotePeer& peer = engine_.peers()[dirty[i]];
        const auto internal = static_cast<std::size_t>(Segment::kInternal);
        read(channel.transfers, &channel.confirmation, sizeof channel.confirmation,
             {.address = peer.bases[internal], .key = peer.keys[internal]}, dirty[i]);
    }
}

void OfiTransport::update(OfiChannel& channel, const AtomicRequest& request, int pe) {
    peer_with(request.dest, pe);
    const Position position = position_of(request.dest);
    PacketSlot& slot = channel.slots[pe % kSlots];
    channel.updates.fetch_add(1, std::memory_order_relaxed);
    // Acquire: pairs with the exchange by which somebody left the packet.
    Packet* packet = slot.open.exchange(nullptr, std::memory_order_acquire);
    if (packet != nullptr && packet->pe != pe) {
        engine_.send_packet(packet, slot);
        packet = nullptr;
    }
    if (packet == nullptr) packet = engine_.take_packet(pe, slot);
    packet->append(
        {.place = Place::pack(position.segment, position.offset, request.bytes, request.op),
         .operand = request.operand});
    if (packet->is_full()) return engine_.send_packet(packet, slot);
    Packet* other = slot.open.exchange(packet, std::memory_order_seq_cst);
    if (other != nullptr) engine_.send_packet(other, slot);
    // Nothing in flight whose acknowledgement would send it. seq_cst: pairs with take_ack().
    if (slot.in_flight.load(std::memory_order_seq_cst) == 0 &&
        !channel.is_batching.load(std::memory_order_relaxed)) {
        flush(slot);
    }
}

void OfiTransport::flush(PacketSlot& slot) {
    Packet* packet = slot.open.exchange(nullptr, std::memory_order_seq_cst);
    if (packet != nullptr) engine_.send_packet(packet, slot);
}

void OfiTransport::flush(OfiChannel& channel) {
    if (channel.updates.load(std::memory_order_relaxed) == 0) return;
    for (PacketSlot& slot : channel.slots) flush(slot);
}

void OfiTransport::fetch(const AtomicRequest& request, PendingFetch& pending, int pe) {
    peer_with(request.dest, pe);
    const Position position = position_of(request.dest);
    Fetch message{};
    message.kind = MessageKind::kFetch;
    message.token = reinterpret_cast<std::uintptr_t>(&pending);
    message.body = {
        .place = Place::pack(position.segment, position.offset, request.bytes, request.op),
        .operand = request.operand,
        .condition = request.condition};
    engine_.send_small(message, sizeof message, pe);
}

std::uint64_t OfiTransport::atomic(Channel& channel, const AtomicRequest& request, int pe) {
    OfiChannel& mine = own(channel);
    std::uint64_t old = 0;
    if (takes_provider_atomics(request)) {
        Counter counter;
        provider_atomic(counter, request, &old, pe);
        wait_for(counter);
        return old;
    }
    // What this channel has gathered for the PE goes first, as a program expects.
    flush(mine.slots[pe % kSlots]);
    std::atomic<std::uint32_t> is_pending{1};
    PendingFetch pending{
        .result = &old, .bytes = request.bytes, .pending = &is_pending, .is_pooled = false};
    fetch(request, pending, pe);
    engine_.wait([&] { return is_pending.load(std::memory_order_acquire) == 0; });
    return old;
}

void OfiTransport::atomic_nbi(Channel& channel, const AtomicRequest& request, void* result,
                              int pe) {
    OfiChannel& mine = own(channel);
    // The provider may read the operand until the operation is complete, so it is waited for.
    if (takes_provider_atomics(request)) return Transport::atomic_nbi(channel, request, result, pe);
    if (result == nullptr) return update(mine, request, pe);
    flush(mine.slots[pe % kSlots]);
    engine_.wait([&] { return mine.fetches.load(std::memory_order_relaxed) < kFetchesMax; });
    mine.fetches.fetch_add(1, std::memory_order_relaxed);
    PendingFetch* pending = engine_.take_fetch();
    pending->result = result;
    pending->bytes = request.bytes;
    pending->pending = &mine.fetches;
    fetch(request, *pending, pe);
}

// All of them fetch: the result is back when the operation has been executed.
void OfiTransport::provider_atomic(Counter& counter, const AtomicRequest& request, void* result,
                                   int pe) {
    const RemotePeer& peer = peer_with(request.dest, pe);
    const Target target = target_of(peer, request.dest);
    const fi_datatype type = request.bytes == 4 ? FI_UINT32 : FI_UINT64;
    auto fetching = [&](fi_op op, Completion* context) {
        return fi_fetch_atomic(endpoint_, &request.operand, 1, nullptr, result, nullptr,
                               peer.address, target.address, target.key, type, op, context);
    };
    post_counted(counter, pe, [&](Completion* context) -> ssize_t {
        switch (request.op) {
            case AtomicOp::kFetch: return fetching(FI_ATOMIC_READ, context);
            case AtomicOp::kSet:
            case AtomicOp::kSwap: return fetching(FI_ATOMIC_WRITE, context);
            case AtomicOp::kAdd: return fetching(FI_SUM, context);
            case AtomicOp::kAnd: return fetching(FI_BAND, context);
            case AtomicOp::kOr: return fetching(FI_BOR, context);
            case AtomicOp::kXor: return fetching(FI_BXOR, context);
            case AtomicOp::kCompareSwap:
                return fi_compare_atomic(endpoint_, &request.operand, 1, nullptr,
                                         &request.condition, nullptr, result, nullptr, peer.address,
                                         target.address, target.key, type, FI_CSWAP, context);
        }
        return -FI_EINVAL;
    });
}

void OfiTransport::put_signal(Channel& channel, void* dest, const void* source, std::size_t bytes,
                              const AtomicRequest& signal, int pe) {
    put(channel, dest, source, bytes, pe);
    // A message is not executed before the writes that it follows have arrived, if the provider
    // keeps that order.
    const bool is_ordered = confirms_by_reads_ && capabilities_.send_after_write &&
                            bytes <= capabilities_.ordered_write_bytes && !setup_.provider_atomics;
    if (!is_ordered) quiet(channel);
    atomic_nbi(channel, signal, nullptr, pe);
}

void OfiTransport::fence(Channel& channel) {
    OfiChannel& mine = own(channel);
    const bool is_ordered = confirms_by_reads_ && capabilities_.write_after_write &&
                            capabilities_.send_after_write && !setup_.provider_atomics &&
                            !mine.has_unordered_writes();
    if (!is_ordered) return quiet(channel);
    // A message is executed when the target comes to it; writes behind it may be earlier.
    flush(mine);
    engine_.wait([&] {
        return mine.updates.load(std::memory_order_acquire) == 0 &&
               mine.fetches.load(std::memory_order_acquire) == 0;
    });
}

void OfiTransport::quiet(Channel& channel) {
    OfiChannel& mine = own(channel);
    flush(mine);
    confirm(mine);
    engine_.wait([&] {
        return mine.transfers.load() == 0 && mine.updates.load(std::memory_order_acquire) == 0 &&
               mine.fetches.load(std::memory_order_acquire) == 0;
    });
}

void OfiTransport::post_gate(const Gate& gate, std::uint32_t number, int pe) {
    GateMessage message{};
    message.kind = MessageKind::kGate;
    message.offset = position_of(&gate).offset;
    message.number = number;
    engine_.send_small(message, sizeof message, pe);
}

std::string OfiTransport::description() const { return describe(capabilities_); }

}  // namespace
}  // namespace tessera::ofi

namespace tessera {

std::unique_ptr<FabricTransport> make_ofi_transport(FabricSetup setup) {
    return std::make_unique<ofi::OfiTransport>(std::move(setup));
}

}  // namespace tessera
