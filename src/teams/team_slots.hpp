// SPDX-License-Identifier: BSD-3-Clause
//
// The slots of this PE's internal segment that its teams have their flags in. The members of a new
// team agree on one slot that is free on all of them: each offers some of its free slots, and the
// lowest one that all have offered is taken. An offer is exclusive until it is settled, so two
// threads of a PE that make two teams at the same time never offer the same slot. That can leave
// nothing in common: one PE offers the low slots for the first team, another PE for the second. So
// every second offer is thin: an eighth of the slots, drawn by the team's key, which all its
// members know. Two keys draw different ones, whichever thread comes first.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/mutexes.hpp"
#include "teams/team.hpp"

namespace tessera {

// Free slots from `base` on: bit i is slot base + i. As a message between PEs: no padding.
struct SlotOffer {
    static constexpr std::uint32_t kWords = 8;
    static constexpr std::uint32_t kSlots = kWords * 64;
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    std::array<std::uint64_t, kWords> free{};
    TeamNumbers numbers;  // how far this PE's teams have counted
    std::uint32_t base = 0;
    std::uint32_t first_free = kNone;  // a multiple of 64 at or before this PE's first free slot

    // Keeps the slots that are free in both offers, and the larger counters.
    void combine(const SlotOffer& other);
    // The slot to take; nullopt: none is in common.
    std::optional<std::uint32_t> lowest() const;
    // Where to look when none is in common; kNone: some PE has no slot left.
    std::uint32_t next_base() const;
};
static_assert(sizeof(SlotOffer) == 88);

// A member of a new team offers slots by this, until all members have one in common.
class SlotSearch {
  public:
    // `key` is the same on all members; no other team that this PE is making has it.
    explicit SlotSearch(std::uint64_t key) : key_(key) {}
    SlotOffer offer() const;
    // `common`, of all offers, has no slot: the next offer differs. false: no slot is left.
    bool move_on(const SlotOffer& common);

  private:
    std::uint64_t key_;
    std::uint32_t base_ = 0;
    bool is_thin_ = false;
};

// Which slots are free. The session owns it. THREADS: any.
class TeamSlots {
  public:
    // Takes at most 64 slots, from `base` on, out of the free ones. With a key the offer is thin.
    SlotOffer offer(std::uint32_t base, std::optional<std::uint64_t> thin_key);
    // Puts them back, but for `taken`.
    void settle(const SlotOffer& offer, std::optional<std::uint32_t> taken);
    // The end of a team: its slot is free, and it has counted to these numbers.
    void release(std::uint32_t slot, const TeamNumbers& numbers);

  private:
    // With lock_.
    std::uint64_t free_in(std::uint32_t word) const;
    void take(std::uint32_t word, std::uint64_t bits);

    ShortMutex lock_;  // Held for a few instructions; never while waiting for another PE.
    // Bit i of word k: slot 64 k + i has a team or is offered. Slots behind the last word are free.
    std::vector<std::uint64_t> taken_;
    TeamNumbers highest_;
};
// REQUIRES: between init and finalize.
TeamSlots& team_slots();

}  // namespace tessera
