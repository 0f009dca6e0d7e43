// SPDX-License-Identifier: BSD-3-Clause
//
// See offload.hpp.
#include "progress/offload.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/copy.hpp"
#include "base/futex.hpp"
#include "base/no_wait.hpp"
#include "base/wait.hpp"
#include "core/address_map.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "progress/request.hpp"

namespace tessera {
namespace {

using heap::NodeCopy;
using heap::OffloadRing;
using heap::ProcessAddress;

// Shorter ones in private memory are copied by the PE: it could only copy them to another place,
// and that would take as long. Through the kernel a helper needs a system call for each piece.
constexpr std::size_t kPrivateBytesMin = std::size_t{256} << 10;

constexpr std::uintptr_t kGetBit = 1;
constexpr std::uintptr_t kFabricBit = 2;
static_assert(alignof(TransportContext) > (kGetBit | kFabricBit));

OffloadInvitation& invitation_of(int pe) {
    return segment_of(address_map.peers[pe].sleeper).offload;
}

// May miss a PE that falls asleep just now, which then does not help.
void wake_for_help(int pe) {
    InternalSegment& segment = segment_of(address_map.peers[pe].sleeper);
    const std::int64_t distance = segment.offload.sleeping_on.load(std::memory_order_relaxed);
    if (distance == 0) return;
    char* word = reinterpret_cast<char*>(&segment) + distance;
    futex_wake_all(*reinterpret_cast<std::atomic<std::uint32_t>*>(word));
}

bool copy_together_with_others(char* dest, const char* source, std::size_t bytes) {
    return address_map.offload->copy_together(dest, source, bytes);
}

// The bytes that a side of a section touches, from its first run on.
struct Reach {
    std::ptrdiff_t low = 0;
    std::size_t bytes = 0;
};
Reach local_reach(const Section& section) {
    Reach reach{.low = 0, .bytes = section.run_bytes};
    for (int i = 0; i < section.ndims; ++i) {
        const std::ptrdiff_t last =
            section.local[i] * static_cast<std::ptrdiff_t>(section.extents[i] - 1);
        reach.low += std::min<std::ptrdiff_t>(last, 0);
        reach.bytes += static_cast<std::size_t>(last < 0 ? -last : last);
    }
    return reach;
}

NodeCopy copy_between(const ProcessAddress& to, const ProcessAddress& from, std::size_t bytes) {
    return {.from = from.address,
            .to = to.address,
            .from_pid = from.pid,
            .to_pid = to.pid,
            .run_bytes = bytes};
}

void set_shape(NodeCopy& copy, const Section& section, bool is_put) {
    copy.run_bytes = section.run_bytes;
    copy.ndims = section.ndims;
    for (int i = 0; i < section.ndims; ++i) {
        copy.extents[i] = section.extents[i];
        copy.to_strides[i] = is_put ? section.remote[i] : section.local[i];
        copy.from_strides[i] = is_put ? section.local[i] : section.remote[i];
    }
}

}  // namespace

// ---- Life ----

Offload::Offload(Setup setup)
    : setup_(std::move(setup)),
      ring_(setup_.board.ring(setup_.local_index)),
      pid_(::getpid()),
      settled_(ring_.tickets()),
      fabric_context_(has_fabric() ? setup_.fabric->make_context({}) : nullptr) {
    if (setup_.invites_peers || setup_.invites_helpers) set_shared_copy(copy_together_with_others);
    if (!has_helpers()) return;
    // Where the kernel lets a process reach only its children (Yama): and the children of oshrun.
    ::prctl(PR_SET_PTRACER, static_cast<unsigned long>(setup_.parent), 0, 0, 0);
    const volatile std::uint64_t number = 0x7465737365726100 + static_cast<std::uint64_t>(pid_);
    unsigned cpu = 0;
    unsigned numa_node = 0;
    ::getcpu(&cpu, &numa_node);
    ring_.ask({.address = reinterpret_cast<std::uint64_t>(&number), .pid = pid_}, number,
              numa_node);
    setup_.board.ring_bell();
    wait_until([&] { return ring_.answer() != OffloadRing::Access::kUnknown; },
               "shmem_init (helpers)");
}

// ---- Taking ----

std::optional<std::uint64_t> Offload::heap_offset(const void* address, std::size_t bytes) const {
    const std::size_t heaps_bytes = setup_.heap_stride * setup_.local_pes.size();
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) -
                                 reinterpret_cast<std::uintptr_t>(setup_.maps.heaps);
    if (bytes > heaps_bytes || offset > heaps_bytes - bytes) return std::nullopt;
    return offset;
}

ProcessAddress Offload::local_place(const Transfer& transfer) const {
    const char* first = static_cast<const char*>(transfer.local);
    const Reach reach = transfer.section != nullptr ? local_reach(*transfer.section)
                                                    : Reach{.low = 0, .bytes = transfer.bytes};
    if (const auto low = heap_offset(first + reach.low, reach.bytes))
        return {.address = *low - static_cast<std::uint64_t>(reach.low)};
    return {.address = reinterpret_cast<std::uintptr_t>(first), .pid = pid_};
}

// nullopt: helpers cannot reach it.
std::optional<ProcessAddress> Offload::remote_place(const Transfer& transfer) const {
    // The caller has checked all of it.
    if (const auto offset = heap_offset(transfer.mapped, 1))
        return ProcessAddress{.address = *offset};
    const auto heap = heap_offset(address_map.peers[transfer.pe].heap, 1);
    if (transfer.there == 0 || !heap) return std::nullopt;
    const auto index = static_cast<std::size_t>(*heap / setup_.heap_stride);
    if (!reaches(static_cast<int>(index))) return std::nullopt;
    return ProcessAddress{.address = transfer.there, .pid = setup_.pids[index]};
}

bool Offload::add_signal(NodeCopy& copy, const Transfer& transfer) const {
    if (transfer.signal == nullptr) return true;
    const auto word = heap_offset(transfer.mapped_signal, sizeof(std::uint64_t));
    if (!word) return false;
    copy.signal_word = *word;
    copy.signal_value = transfer.signal->operand;
    copy.signal =
        transfer.signal->op == AtomicOp::kAdd ? NodeCopy::Signal::kAdd : NodeCopy::Signal::kSet;
    const auto* sleeper = reinterpret_cast<const char*>(address_map.peers[transfer.pe].sleeper);
    copy.sleeper = static_cast<std::uint64_t>(sleeper - setup_.maps.node);
    return true;
}

// nullopt: it is not for helpers.
std::optional<NodeCopy> Offload::describe(const Transfer& transfer) const {
    if (!has_helpers() || transfer.bytes < node_bytes_min_) return std::nullopt;
    const auto remote = remote_place(transfer);
    if (!remote) return std::nullopt;
    const ProcessAddress local = local_place(transfer);
    const bool is_put = transfer.direction == Direction::kPut;
    NodeCopy copy =
        copy_between(is_put ? *remote : local, is_put ? local : *remote, transfer.bytes);
    if (local.pid != 0 || remote->pid != 0) {
        const bool is_reached = local.pid == 0 || reaches_private_memory();
        if (!is_reached || transfer.bytes < kPrivateBytesMin || transfer.section != nullptr)
            return std::nullopt;
    }
    if (transfer.section != nullptr) {
        if (transfer.section->ndims > NodeCopy::kDimensionsMax) return std::nullopt;
        set_shape(copy, *transfer.section, is_put);
    }
    if (!add_signal(copy, transfer)) return std::nullopt;
    return copy;
}

bool Offload::suits_fabric(const Transfer& transfer, TransportContext& context) const {
    return has_fabric() && transfer.bytes >= fabric_bytes_min_ && transfer.section == nullptr &&
           // It would go on another context, which does not know of the fence.
           !setup_.fabric->is_behind_fence(context, transfer.pe);
}

// nullopt: others have enough to do.
std::optional<std::uint64_t> Offload::reserve(std::uintptr_t owner) {
    const auto ticket = ring_.reserve();
    // Relaxed: only a thread that knows of this transfer completes it.
    if (ticket) owners_[*ticket % OffloadRing::kEntries].store(owner, std::memory_order_relaxed);
    return ticket;
}

Offload::Work* Offload::free_work() {
    for (Work& work : works_) {
        if (work.try_take()) return &work;
    }
    return nullptr;
}

bool Offload::try_take(const Transfer& transfer, TransportContext& context, shmemx_req_t* req,
                       const char* where) {
    if (std::ranges::find(setup_.excluded, &context) != setup_.excluded.end()) return false;
    const bool is_by_fabric = transfer.mapped == nullptr;
    std::optional<NodeCopy> copy;
    if (is_by_fabric ? !suits_fabric(transfer, context) : !(copy = describe(transfer)))
        return false;
    Work* work = nullptr;
    if ((is_by_fabric || req != nullptr) && (work = free_work()) == nullptr) return false;
    ring_.prefetch();
    setup_.board.prefetch();
    const bool is_put = transfer.direction == Direction::kPut;
    const auto ticket = reserve(reinterpret_cast<std::uintptr_t>(&context) |
                                (is_put ? 0 : kGetBit) | (is_by_fabric ? kFabricBit : 0));
    if (!ticket) {
        if (work != nullptr) work->release();
        return false;
    }
    address_map.expects_completion.store(true, std::memory_order_relaxed);
    if (is_by_fabric) {
        ring_.post_whole(*ticket, heap::kFabricDriver);
    } else {
        auto* local = static_cast<char*>(transfer.local);
        sides_[*ticket % OffloadRing::kEntries] =
            is_put ? Sides{transfer.mapped, local} : Sides{local, transfer.mapped};
        ring_.post(*ticket, *copy, heap::kOwner | heap::kHelper);
        setup_.board.ring_bell();
    }
    if (work == nullptr) return true;
    work->start(*this, *ticket, transfer);
    Request* request = req != nullptr ? &open_request(where) : nullptr;
    pe_state.background->add(*work, request != nullptr ? request->operation : without_request_);
    if (is_by_fabric) setup_.fabric->wake_thread();
    if (request != nullptr) *req = publish(*request);
    return true;
}

void Offload::Work::start(Offload& home, std::uint64_t ticket, const Transfer& transfer) {
    home_ = &home;
    ticket_ = ticket;
    transfer_ = transfer;
    if (transfer.signal != nullptr) signal_ = *transfer.signal;
    piece_.reset();
}

// A post waits where the provider is busy, and drives progress meanwhile.
void Offload::Work::post() {
    FabricTransport& fabric = *home_->setup_.fabric;
    TransportContext& context = *home_->fabric_context_;
    const auto& [direction, local, remote, mapped, there, bytes, pe, section, signal, word] =
        transfer_;
    if (direction == Direction::kGet)
        return fabric.get_tracked(context, local, remote, bytes, pe, operation_);
    if (signal == nullptr) return fabric.put_tracked(context, remote, local, bytes, pe, operation_);
    fabric.put_signal_tracked(context, remote, local, bytes, signal_, pe, operation_);
}

bool Offload::Work::advance() {
    OffloadRing& ring = home_->ring_;
    if (transfer_.mapped != nullptr) return ring.is_complete(ticket_);
    if (!piece_) {
        // One thread at a time comes here: it gets the ticket's only piece.
        piece_ = ring.claim(ticket_, heap::kFabricDriver);
        post();
    }
    if (!operation_.is_remote()) return false;
    ring.finish(*piece_, [](const NodeCopy& /*none*/) {});
    return true;
}

// ---- Copies that wait ----

// The PE at the other end of a copy between this PE's heap and another one.
std::optional<int> Offload::peer_of(const NodeCopy& copy) const {
    if (!setup_.invites_peers || copy.to_pid != 0 || copy.from_pid != 0) return std::nullopt;
    const auto to = static_cast<int>(copy.to / setup_.heap_stride);
    const auto from = static_cast<int>(copy.from / setup_.heap_stride);
    if ((to == setup_.local_index) == (from == setup_.local_index)) return std::nullopt;
    const int pe = setup_.local_pes[static_cast<std::size_t>(to == setup_.local_index ? from : to)];
    // One invitation at a time; a PE that has one is busy enough.
    return invitation_of(pe).ticket.load(std::memory_order_relaxed) == 0 ? std::optional(pe)
                                                                         : std::nullopt;
}

bool Offload::copy_together(char* dest, const char* source, std::size_t bytes) {
    if (no_wait_state.depth != 0) return false;  // A handler of messages, for instance.
    const auto place_of = [&](const char* address) {
        const auto offset = heap_offset(address, bytes);
        return offset ? ProcessAddress{.address = *offset}
                      : ProcessAddress{.address = reinterpret_cast<std::uintptr_t>(address),
                                       .pid = pid_};
    };
    const ProcessAddress to = place_of(dest);
    const ProcessAddress from = place_of(source);
    const NodeCopy copy = copy_between(to, from, bytes);
    const std::optional<int> peer = peer_of(copy);
    // Memory of others that is not in the heap file is mapped here, so it counts as this PE's own.
    const bool have_helpers = setup_.invites_helpers && (to.pid == 0 || from.pid == 0) &&
                              ((to.pid == 0 && from.pid == 0) || reaches_private_memory());
    if (!peer && !have_helpers) return false;
    const auto ticket = reserve(0);
    if (!ticket) return false;
    sides_[*ticket % OffloadRing::kEntries] = {dest, source};
    ring_.post(*ticket, copy,
               heap::kOwner | (peer ? heap::kPeer : 0) | (have_helpers ? heap::kHelper : 0));
    if (have_helpers) setup_.board.ring_bell();
    bool has_invited = false;
    if (peer) {
        const std::uint64_t here = *ticket << OffloadInvitation::kRingBits |
                                   (static_cast<std::uint64_t>(setup_.local_index) + 1);
        std::uint64_t none = 0;
        // Relaxed: the peer claims by the ring what it reads in help_inviter().
        has_invited = invitation_of(*peer).ticket.compare_exchange_strong(
            none, here, std::memory_order_relaxed);
        if (has_invited) wake_for_help(*peer);
    }
    while (copy_a_piece_of(*ticket)) {
    }
    wait_until([&] { return ring_.is_complete(*ticket); }, "a copy shared with another PE");
    if (has_invited) invitation_of(*peer).ticket.store(0, std::memory_order_relaxed);
    return true;
}

bool Offload::help_inviter() {
    const std::uint64_t seen =
        invitation_of(address_map.my_pe).ticket.load(std::memory_order_relaxed);
    if (seen == 0) return false;
    constexpr std::uint64_t kRingMask = (std::uint64_t{1} << OffloadInvitation::kRingBits) - 1;
    OffloadRing& ring = setup_.board.ring(static_cast<int>(seen & kRingMask) - 1);
    const auto piece = ring.claim(seen >> OffloadInvitation::kRingBits, heap::kPeer);
    if (!piece) return false;
    // Both sides are in heaps.
    heap::copy_piece_of_node(*piece->job, piece->number, OffloadRing::kPiecesMax, setup_.maps);
    finish(ring, *piece);
    return true;
}

// ---- Completion ----

void Offload::finish(OffloadRing& ring, const OffloadRing::Piece& piece) const {
    ring.finish(piece, [&](const NodeCopy& copy) { send_signal(copy, setup_.maps); });
}

bool Offload::copy_a_piece_of(std::uint64_t ticket) {
    const auto piece = ring_.claim(ticket, heap::kOwner);
    if (!piece) return false;
    const Sides& sides = sides_[ticket % OffloadRing::kEntries];
    heap::copy_piece_between(sides.to, sides.from, *piece->job, piece->number,
                             OffloadRing::kPiecesMax);
    finish(ring_, *piece);
    return true;
}

template <class Visit>
void Offload::for_each_open(Visit visit) {
    const std::uint64_t tickets = ring_.tickets();
    // Another thread stores it. Pairs with progress/offload.cpp:for_each_open.
    std::uint64_t ticket =
        std::max(settled_.load(std::memory_order_acquire), OffloadRing::first_open(tickets));
    bool are_complete = true;
    for (; ticket < tickets; ++ticket) {
        if (!ring_.is_complete(ticket) && !visit(ticket)) return;
        are_complete = are_complete && ring_.is_complete(ticket);
        // Another thread may have moved it further; then this one looks at some tickets twice.
        // Pairs with progress/offload.hpp:is_idle and progress/offload.cpp:for_each_open.
        if (are_complete) settled_.store(ticket + 1, std::memory_order_release);
    }
}

void Offload::wait_for(std::uint64_t ticket) const {
    const auto is_complete = [&] { return ring_.is_complete(ticket); };
    const std::uintptr_t owner =
        owners_[ticket % OffloadRing::kEntries].load(std::memory_order_relaxed);
    if ((owner & kFabricBit) == 0) return wait_until(is_complete, "a copy by a helper");
    drive_until(is_complete, "a transfer by the fabric's thread");
}

// First all that no one has begun, then the waits.
template <class IsMeant>
void Offload::complete_if(IsMeant is_meant) {
    for_each_open([&](std::uint64_t ticket) {
        while (is_meant(ticket) && copy_a_piece_of(ticket)) {
        }
        return true;
    });
    for_each_open([&](std::uint64_t ticket) {
        if (is_meant(ticket)) wait_for(ticket);
        return true;
    });
}

void Offload::complete_open(const TransportContext& context, Which which) {
    complete_if([&](std::uint64_t ticket) {
        const std::uintptr_t owner =
            owners_[ticket % OffloadRing::kEntries].load(std::memory_order_relaxed);
        return (owner & ~(kGetBit | kFabricBit)) == reinterpret_cast<std::uintptr_t>(&context) &&
               (which == Which::kAll || (owner & kGetBit) == 0);
    });
}

void Offload::expect_no_completion() {
    address_map.expects_completion.store(address_map.needs_transport, std::memory_order_relaxed);
}

void Offload::complete_all() {
    complete_if([](std::uint64_t /*ticket*/) { return true; });
    drive_until(
        [&] {
            // The count of the operation goes down behind release().
            return std::ranges::all_of(works_, &Work::is_free) && without_request_.is_remote();
        },
        "a transfer by the fabric's thread");
    if (has_fabric()) setup_.fabric->quiet(*fabric_context_);
    set_shared_copy(nullptr);
}

bool Offload::copy_a_piece() {
    bool has_copied = false;
    for_each_open([&](std::uint64_t ticket) {
        has_copied = copy_a_piece_of(ticket);
        return !has_copied;
    });
    return has_copied;
}

// ---- Sizes ----

bool takes_measured_helper_sizes() {
    const Offload* offload = address_map.offload;
    return offload != nullptr && offload->has_helpers() && offload->node_bytes_min() == 0;
}

void use_measured_helper_sizes(std::uint64_t bytes, std::uint64_t off_node_bytes) {
    Offload& offload = *address_map.offload;
    offload.set_bytes_min(helper_bytes_min(bytes), helper_bytes_min(off_node_bytes));
    // Each kind of transfer is compared with its own again.
    address_map.helper_bytes_min =
        offload.has_fabric() ? std::min(offload.node_bytes_min(), offload.fabric_bytes_min())
                             : offload.node_bytes_min();
}

bool help_others() { return address_map.offload->help(); }

}  // namespace tessera
