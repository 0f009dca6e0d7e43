// SPDX-License-Identifier: BSD-3-Clause
//
// See helper_ring.hpp.
#include "heap/helper_ring.hpp"

#include "base/futex.hpp"

namespace tessera::heap {
namespace {

constexpr unsigned kGenerationShift = 32;
constexpr std::uint64_t kPieceMask = 0xffffffff;
constexpr unsigned kSignalShift = 8;
constexpr unsigned kPrivateShift = 16;
constexpr std::uint32_t kByteMask = 0xff;

}  // namespace

std::optional<std::uint64_t> HelperRing::reserve() {
    std::uint64_t ticket = tickets_.load(std::memory_order_relaxed);
    for (;;) {
        const Entry& entry = entry_of(ticket);
        // Acquire: pairs with the release in finish(), behind which no process writes to the entry.
        if (entry.done.load(std::memory_order_acquire) != generation_of(ticket) - 1) {
            const std::uint64_t now = tickets_.load(std::memory_order_relaxed);
            if (now == ticket) return std::nullopt;
            ticket = now;  // Another thread has taken the ticket.
            continue;
        }
        // Release: pairs with tickets(); its readers find the entry free or posted.
        if (tickets_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_release,
                                           std::memory_order_relaxed)) {
            return ticket;
        }
    }
}

void HelperRing::post(std::uint64_t ticket, const HelperCopy& copy) {
    Entry& entry = entry_of(ticket);
    const std::uint64_t generation = generation_of(ticket);
    // The entry's last copy has no piece left while the members change: it may have had fewer than
    // this one, and a helper may still look at it. Release: a claim that reads this store reads the
    // members of the last copy or later ones. Relaxed, the store would end the release sequence of
    // that copy's post, and a claim could read members from before it. Pairs with claim().
    entry.claim.store((generation - 1) << kGenerationShift | kPieceMask, std::memory_order_release);
    entry.what.store(static_cast<std::uint32_t>(copy.kind) |
                         static_cast<std::uint32_t>(copy.signal) << kSignalShift |
                         static_cast<std::uint32_t>(copy.is_private) << kPrivateShift,
                     std::memory_order_release);
    entry.pid.store(copy.pid, std::memory_order_release);
    entry.local.store(copy.local, std::memory_order_release);
    entry.remote.store(copy.remote, std::memory_order_release);
    entry.bytes.store(copy.bytes, std::memory_order_release);
    entry.signal_word.store(copy.signal_word, std::memory_order_release);
    entry.signal_value.store(copy.signal_value, std::memory_order_release);
    entry.sleeper.store(copy.sleeper, std::memory_order_release);
    // Release: pairs with the acquire in claim(). The program's stores to the source come before.
    entry.claim.store(generation << kGenerationShift, std::memory_order_release);
}

HelperCopy HelperRing::copy_in(const Entry& entry) {
    const std::uint32_t what = entry.what.load(std::memory_order_acquire);
    return {.kind = static_cast<HelperCopy::Kind>(what & kByteMask),
            .signal = static_cast<HelperCopy::Signal>(what >> kSignalShift & kByteMask),
            .is_private = (what >> kPrivateShift) != 0,
            .pid = entry.pid.load(std::memory_order_acquire),
            .local = entry.local.load(std::memory_order_acquire),
            .remote = entry.remote.load(std::memory_order_acquire),
            .bytes = entry.bytes.load(std::memory_order_acquire),
            .signal_word = entry.signal_word.load(std::memory_order_acquire),
            .signal_value = entry.signal_value.load(std::memory_order_acquire),
            .sleeper = entry.sleeper.load(std::memory_order_acquire)};
}

std::optional<HelperRing::Piece> HelperRing::claim(std::uint64_t ticket) {
    Entry& entry = entry_of(ticket);
    std::uint64_t seen = entry.claim.load(std::memory_order_acquire);
    while (seen >> kGenerationShift == generation_of(ticket)) {
        const Piece piece{.copy = copy_in(entry), .ticket = ticket, .number = seen & kPieceMask};
        if (piece.number >= piece_count(piece.copy.bytes)) return std::nullopt;
        if (entry.claim.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) {
            return piece;
        }
    }
    return std::nullopt;
}

bool HelperRing::is_claimed(std::uint64_t ticket) const {
    const Entry& entry = entry_of(ticket);
    const std::uint64_t seen = entry.claim.load(std::memory_order_acquire);
    const auto ahead =
        static_cast<std::int32_t>((seen >> kGenerationShift) - generation_of(ticket));
    if (ahead != 0) return ahead > 0;
    return (seen & kPieceMask) >= piece_count(entry.bytes.load(std::memory_order_acquire));
}

void HelperRing::ask(const Proof& proof) {
    answer_.store(Access::kUnknown, std::memory_order_relaxed);
    proof_ = proof;
    asked_.store(1, std::memory_order_release);
}

void HelperBoard::ring_bell() {
    bell.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0) futex_wake_one(bell);
}

void HelperBoard::wake_all() {
    bell.fetch_add(1, std::memory_order_seq_cst);
    futex_wake_all(bell);
}

void HelperBoard::sleep_at(std::uint32_t seen) {
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    if (bell.load(std::memory_order_seq_cst) == seen) futex_wait(bell, seen);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace tessera::heap
