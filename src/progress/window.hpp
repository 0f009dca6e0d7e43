// SPDX-License-Identifier: BSD-3-Clause
//
// A window (include/shmemx/windows.h): a part of each member's memory, and the counts of the epochs
// on it. Each member gives the window a number of its own, which chooses the gates in its internal
// segment, and shows it to the others with its part. So members need not agree on anything, and
// teams that have PEs in common may create windows at the same time.
//
// Memory: 24 bytes that the members have shown, of each member where they differ; and counts of 24
// bytes for each PE of the job, of which those of partners are touched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/sync_copies.hpp"
#include "teams/team.hpp"

namespace tessera {

// A member shows this to the others.
struct WindowPart {
    std::uint64_t begin = 0;  // address_bits_of() the first byte (memory/global_pointer.hpp)
    std::uint64_t bytes = 0;
    std::uint32_t number = 0;  // the member's number of the window; 0: it has none left
    // The epochs of the window count from here on: the numbers that the member's gates have reached
    // for an earlier window.
    std::uint32_t first_epoch = 0;
    bool operator==(const WindowPart&) const = default;
};

class Window {
  public:
    // The epochs with one PE, counted by this PE.
    struct Counts {
        std::uint32_t posted;
        std::uint32_t started;
        std::uint32_t completed;
        std::uint32_t place;       // this PE's place in the list of the last epoch with it
        std::uint64_t last_epoch;  // the serial of that epoch, of either kind
    };

    // Stands for no window: epochs on all memory, with all PEs.
    Window() : parts_(1) {}
    // `start`: this PE's part. `parts`: by member.
    Window(Team& team, void* start, std::vector<WindowPart> parts)
        : team_(&team), start_(start), parts_(std::move(parts)) {
        const bool are_alike =
            std::ranges::adjacent_find(parts_, std::not_equal_to()) == parts_.end();
        if (are_alike) parts_.resize(1);
    }

    bool has_range() const { return team_ != nullptr; }
    // REQUIRES: has_range().
    Team& team() const { return *team_; }
    bool has_member(int pe) const { return team_ == nullptr || team_->index_of(pe) >= 0; }
    // REQUIRES: has_member(pe), `pe` in the world.
    const WindowPart& part(int pe) const {
        if (parts_.size() == 1) return parts_.front();
        return parts_[static_cast<std::size_t>(team_->index_of(pe))];
    }
    const WindowPart& my_part() const { return part(address_map.my_pe); }

    // The counts of a PE of the world. REQUIRES: has_counts().
    Counts& counts(int pe) { return counts_[static_cast<std::size_t>(pe)]; }
    // RETURNS: false: out of memory.
    bool has_counts(int npes) {
        if (counts_ == nullptr) {
            counts_.reset(
                static_cast<Counts*>(std::calloc(static_cast<std::size_t>(npes), sizeof(Counts))));
        }
        return counts_ != nullptr;
    }
    // The highest number of an epoch with any PE.
    std::uint32_t last_number() const { return last_number_; }
    void count(std::uint32_t number) {
        if (number > last_number_) last_number_ = number;
    }

    // The copies of this PE's part meet (core/sync_copies.hpp); without a range those of all its
    // memory.
    void sync_part(SyncPoint point) const {
        has_range() ? sync_copies(point, start_, my_part().bytes) : sync_copies(point);
    }

    // Open epochs of this PE: all, those that expose its part, and those of them whose origins may
    // put.
    std::uint32_t open = 0;
    std::uint32_t exposures = 0;
    std::uint32_t writable = 0;

  private:
    struct Free {
        void operator()(Counts* counts) const { std::free(counts); }
    };

    Team* team_ = nullptr;
    void* start_ = nullptr;
    std::vector<WindowPart> parts_;           // one: the same on all members
    std::unique_ptr<Counts[], Free> counts_;  // by PE; pages of zeros exist when written to
    std::uint32_t last_number_ = 0;
};

}  // namespace tessera
