// SPDX-License-Identifier: BSD-3-Clause
//
// See team_slots.hpp.
#include "teams/team_slots.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"

namespace tessera {
namespace {

constexpr int kOfferedMax = 64;

constexpr std::uint64_t kPredefined = (std::uint64_t{1} << kFirstFreeTeamSlot) - 1;
constexpr std::uint32_t kWholeWords = kTeamSlots / 64;  // the slots behind them are never used

// The lowest bits, as many as `room` allows.
std::uint64_t lowest_bits(std::uint64_t bits, int room) {
    while (std::popcount(bits) > room) bits &= ~(std::uint64_t{1} << (63 - std::countl_zero(bits)));
    return bits;
}

// Eight of 64 bits, on average, which look random. The numbers are those of SplitMix64.
std::uint64_t an_eighth(std::uint64_t seed) {
    std::uint64_t bits = ~std::uint64_t{0};
    for (int i = 0; i < 3; ++i) {
        seed += 0x9E3779B97F4A7C15;
        seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9;
        seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EB;
        seed ^= seed >> 31;
        bits &= seed;
    }
    return bits;
}

}  // namespace

void SlotOffer::combine(const SlotOffer& other) {
    for (std::size_t i = 0; i < kWords; ++i) free[i] &= other.free[i];
    numbers.syncs = std::max(numbers.syncs, other.numbers.syncs);
    numbers.mailbox_calls = std::max(numbers.mailbox_calls, other.numbers.mailbox_calls);
    first_free = std::max(first_free, other.first_free);  // kNone is the highest
}

std::optional<std::uint32_t> SlotOffer::lowest() const {
    for (std::uint32_t i = 0; i < kWords; ++i) {
        if (free[i] != 0)
            return base + i * 64 + static_cast<std::uint32_t>(std::countr_zero(free[i]));
    }
    return std::nullopt;
}

std::uint32_t SlotOffer::next_base() const {
    return first_free == kNone ? kNone : std::max(first_free, base + 64);
}

SlotOffer SlotSearch::offer() const {
    return team_slots().offer(base_, is_thin_ ? std::optional(key_) : std::nullopt);
}

bool SlotSearch::move_on(const SlotOffer& common) {
    is_thin_ = !is_thin_;
    if (!is_thin_) base_ = common.next_base();
    return base_ != SlotOffer::kNone;
}

TeamSlots& team_slots() { return *pe_state.team_slots; }

std::uint64_t TeamSlots::free_in(std::uint32_t word) const {
    if (word >= kWholeWords) return 0;
    const std::uint64_t taken = word < taken_.size() ? taken_[word] : 0;
    return ~taken & ~(word == 0 ? kPredefined : 0);
}

void TeamSlots::take(std::uint32_t word, std::uint64_t bits) {
    if (bits == 0) return;
    if (taken_.size() <= word) taken_.resize(word + 1);
    taken_[word] |= bits;
}

SlotOffer TeamSlots::offer(std::uint32_t base, std::optional<std::uint64_t> thin_key) {
    std::lock_guard guard(lock_);
    SlotOffer offer{.numbers = highest_, .base = base};
    int room = kOfferedMax;
    std::uint32_t word = base / 64;
    std::uint32_t first = word;
    while (first < kWholeWords && free_in(first) == 0) ++first;
    if (first < kWholeWords) offer.first_free = first * 64;
    for (std::uint64_t& free : offer.free) {
        const std::uint64_t wanted = thin_key ? an_eighth(*thin_key + word) : ~std::uint64_t{0};
        free = lowest_bits(free_in(word) & wanted, room);
        room -= std::popcount(free);
        take(word++, free);
    }
    return offer;
}

void TeamSlots::settle(const SlotOffer& offer, std::optional<std::uint32_t> taken) {
    std::lock_guard guard(lock_);
    std::uint32_t word = offer.base / 64;
    for (std::uint64_t offered : offer.free) {
        if (taken && *taken / 64 == word) offered &= ~(std::uint64_t{1} << *taken % 64);
        if (offered != 0) taken_[word] &= ~offered;
        ++word;
    }
}

void TeamSlots::release(std::uint32_t slot, const TeamNumbers& numbers) {
    std::lock_guard guard(lock_);
    taken_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
    highest_.syncs = std::max(highest_.syncs, numbers.syncs);
    highest_.mailbox_calls = std::max(highest_.mailbox_calls, numbers.mailbox_calls);
}

}  // namespace tessera
