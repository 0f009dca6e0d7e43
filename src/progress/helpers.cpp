// SPDX-License-Identifier: BSD-3-Clause
//
// See helpers.hpp.
#include "progress/helpers.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/wait.hpp"
#include "core/address_map.hpp"
#include "progress/deferred_transfers.hpp"
#include "progress/request.hpp"

namespace tessera {
namespace {

using heap::HelperCopy;
using heap::HelperRing;

// Shorter ones in private memory are copied by the PE: it could only copy them to another place,
// and that would take as long. Through the kernel a helper needs a system call for each piece.
constexpr std::size_t kPrivateBytesMin = std::size_t{256} << 10;

constexpr std::uintptr_t kGetBit = 1;

}  // namespace

Helpers::Helpers(Setup setup)
    : setup_(std::move(setup)),
      ring_(setup_.board.ring(setup_.local_index)),
      pid_(::getpid()),
      settled_(ring_.tickets()) {
    // Where the kernel lets a process reach only its children (Yama): and the children of oshrun.
    ::prctl(PR_SET_PTRACER, static_cast<unsigned long>(setup_.parent), 0, 0, 0);
    const volatile std::uint64_t number = 0x7465737365726100 + static_cast<std::uint64_t>(pid_);
    ring_.ask({.address = reinterpret_cast<std::uint64_t>(&number), .number = number, .pid = pid_});
    setup_.board.ring_bell();
    wait_until([&] { return ring_.answer() != HelperRing::Access::kUnknown; },
               "shmem_init (helpers)");
    reaches_private_memory_ = ring_.answer() == HelperRing::Access::kAllowed;
}

void Helpers::abandon(HelperRing& ring) {
    const std::uint64_t tickets = ring.tickets();
    for (std::uint64_t t = HelperRing::first_open(tickets); t < tickets; ++t) {
        while (const auto piece = ring.claim(t)) {
            ring.finish(*piece, [](const HelperCopy& /*copy*/) {});
        }
    }
    // A ticket that was taken, but not posted, has no claims, and its entry stays out of use.
    for (std::uint64_t t = HelperRing::first_open(tickets); t < tickets; ++t) {
        wait_until([&] { return ring.is_complete(t) || !ring.is_claimed(t); },
                   "shmem_init (helpers)");
    }
}

std::optional<std::uint64_t> Helpers::heap_offset(const void* address, std::size_t bytes) const {
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) -
                                 reinterpret_cast<std::uintptr_t>(setup_.maps.heaps);
    if (bytes > setup_.heaps_bytes || offset > setup_.heaps_bytes - bytes) return std::nullopt;
    return offset;
}

std::optional<HelperCopy> Helpers::describe(const Copy& copy,
                                            const TransportContext& context) const {
    if (copy.bytes < bytes_min_) return std::nullopt;
    if (std::ranges::find(setup_.excluded, &context) != setup_.excluded.end()) return std::nullopt;
    HelperCopy result{.kind = copy.kind, .pid = pid_, .bytes = copy.bytes};
    const auto remote = heap_offset(copy.remote, copy.bytes);
    if (!remote) return std::nullopt;
    result.remote = *remote;
    if (const auto local = heap_offset(copy.local, copy.bytes)) {
        result.local = *local;
    } else {
        if (!reaches_private_memory_ || copy.bytes < kPrivateBytesMin) return std::nullopt;
        result.is_private = true;
        result.local = reinterpret_cast<std::uintptr_t>(copy.local);
    }
    if (copy.signal.word == nullptr) return result;
    const auto word = heap_offset(copy.signal.word, sizeof(std::uint64_t));
    if (!word) return std::nullopt;
    result.signal_word = *word;
    result.signal_value = copy.signal.value;
    result.signal = copy.signal.is_add ? HelperCopy::Signal::kAdd : HelperCopy::Signal::kSet;
    result.sleeper = static_cast<std::uint64_t>(static_cast<const char*>(copy.signal.sleeper) -
                                                setup_.maps.node);
    return result;
}

// nullopt: the helpers have enough to do.
std::optional<std::uint64_t> Helpers::post(const HelperCopy& copy,
                                           const TransportContext& context) {
    ring_.prefetch();
    setup_.board.prefetch();
    const auto ticket = ring_.reserve();
    if (!ticket) return std::nullopt;
    const std::uintptr_t kind = copy.kind == HelperCopy::Kind::kGet ? kGetBit : 0;
    // Relaxed: only a thread that knows of this operation completes it.
    owners_[*ticket % HelperRing::kEntries].store(reinterpret_cast<std::uintptr_t>(&context) | kind,
                                                  std::memory_order_relaxed);
    address_map.expects_completion.store(true, std::memory_order_relaxed);
    ring_.post(*ticket, copy);
    setup_.board.ring_bell();
    return ticket;
}

bool Helpers::take(const Copy& copy, const TransportContext& context) {
    const auto described = describe(copy, context);
    return described && post(*described, context);
}

Helpers::Ticket* Helpers::free_ticket() {
    for (Ticket& ticket : tickets_) {
        if (ticket.take()) return &ticket;
    }
    return nullptr;
}

bool Helpers::take(const Copy& copy, const TransportContext& context, shmemx_req_t* req,
                   const char* where) {
    const auto described = describe(copy, context);
    if (!described) return false;
    Ticket* work = free_ticket();
    if (work == nullptr) return false;
    const auto ticket = post(*described, context);
    if (!ticket) {
        work->release();
        return false;
    }
    work->start(ring_, *ticket);
    Request& request = open_request(where);
    start_background(*work, request.operation);
    *req = publish(request);
    return true;
}

bool Helpers::copy_a_piece_of(std::uint64_t ticket) {
    const auto piece = ring_.claim(ticket);
    if (piece) heap::copy_own_piece(ring_, *piece, setup_.maps);
    return piece.has_value();
}

template <class Visit>
void Helpers::for_each_open(Visit visit) {
    const std::uint64_t tickets = ring_.tickets();
    std::uint64_t ticket =
        std::max(settled_.load(std::memory_order_acquire), HelperRing::first_open(tickets));
    bool are_complete = true;
    for (; ticket < tickets; ++ticket) {
        if (!ring_.is_complete(ticket) && !visit(ticket)) return;
        are_complete = are_complete && ring_.is_complete(ticket);
        // Another thread may have moved it further; then this one looks at some tickets twice.
        if (are_complete) settled_.store(ticket + 1, std::memory_order_release);
    }
}

// First all that no helper has begun, then the waits.
template <class IsMeant>
void Helpers::complete_if(IsMeant is_meant) {
    for_each_open([&](std::uint64_t ticket) {
        while (is_meant(ticket) && copy_a_piece_of(ticket)) {
        }
        return true;
    });
    for_each_open([&](std::uint64_t ticket) {
        if (is_meant(ticket)) {
            wait_until([&] { return ring_.is_complete(ticket); }, "a copy by a helper");
        }
        return true;
    });
}

void Helpers::complete_open(const TransportContext& context, Which which) {
    complete_if([&](std::uint64_t ticket) {
        const std::uintptr_t owner =
            owners_[ticket % HelperRing::kEntries].load(std::memory_order_relaxed);
        const bool is_get = (owner & kGetBit) != 0;
        return (owner & ~kGetBit) == reinterpret_cast<std::uintptr_t>(&context) &&
               (which == Which::kAll || !is_get);
    });
}

void Helpers::expect_no_completion() {
    address_map.expects_completion.store(address_map.needs_transport, std::memory_order_relaxed);
}

void Helpers::complete_all() {
    complete_if([](std::uint64_t /*ticket*/) { return true; });
}

bool Helpers::copy_a_piece() {
    bool has_copied = false;
    for_each_open([&](std::uint64_t ticket) {
        has_copied = copy_a_piece_of(ticket);
        return !has_copied;
    });
    return has_copied;
}

bool takes_measured_helper_sizes() {
    return address_map.helpers != nullptr && address_map.helpers->bytes_min() == 0;
}

void use_measured_helper_sizes(std::uint64_t bytes, std::uint64_t off_node_bytes) {
    address_map.helpers->set_bytes_min(helper_bytes_min(bytes));
    address_map.helper_bytes_min = address_map.helpers->bytes_min();
    // Each of the two looks at its own.
    if (address_map.deferred != nullptr) {
        address_map.deferred->set_bytes_min(helper_bytes_min(off_node_bytes));
        address_map.helper_bytes_min =
            std::min(address_map.helper_bytes_min, address_map.deferred->bytes_min());
    }
}

bool help_helpers() { return address_map.helpers->copy_a_piece(); }

}  // namespace tessera
