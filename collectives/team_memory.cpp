// SPDX-License-Identifier: BSD-3-Clause
//
// See team_memory.hpp. In a round each member shows its offer to all, and finds the same place in
// all offers.
#include "collectives/team_memory.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/bits.hpp"
#include "base/fatal.hpp"
#include "collectives/shown_lines.hpp"
#include "core/pe_state.hpp"
#include "heap/team_memory.hpp"
#include "memory/core_files.hpp"
#include "shmem/setup.h"

namespace tessera::collectives {
namespace {

using heap::TeamMemory;

// A member shows this to the others.
struct Shown {
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 0;
    std::uint32_t is_contended = 0;
    std::uint32_t count = 0;
    std::uint64_t limit = 0;
    TeamMemory::Extent extents[TeamMemory::kExtentsMax];
};

// The result of a round, the same on all members.
struct Round {
    std::size_t place = TeamMemory::kNoLimit;
    std::size_t limit = TeamMemory::kNoLimit;  // no place is below
    bool is_contended = false;
};

void check_arguments(const Team& team, std::span<const Shown> all, const Shown& mine,
                     const char* where) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].bytes == mine.bytes && all[i].alignment == mine.alignment) continue;
        fatal(
            "%s: PE %d of the team (PE %d of the world) asks for %llu bytes (rounded up) with "
            "alignment %llu, this PE for %llu with %llu; all members must give the same size and "
            "alignment, in the same order",
            where, static_cast<int>(i), team.world_pe(static_cast<int>(i)),
            static_cast<unsigned long long>(all[i].bytes),
            static_cast<unsigned long long>(all[i].alignment),
            static_cast<unsigned long long>(mine.bytes),
            static_cast<unsigned long long>(mine.alignment));
    }
}

// The first place from `place` on in one of the member's extents; kNoLimit: none.
std::size_t place_from(const Shown& shown, TeamMemory::Request request, std::size_t place) {
    request.from = place;
    for (std::uint32_t i = 0; i < shown.count; ++i) {
        const std::size_t found = request.place_in(shown.extents[i]);
        if (found != TeamMemory::kNoLimit) return found;
    }
    return TeamMemory::kNoLimit;
}

// The lowest place that all offer: each member that does not have it moves it up.
std::size_t common_place(std::span<const Shown> all, const TeamMemory::Request& request) {
    std::size_t place = request.from;
    for (std::size_t agreeing = 0; agreeing < all.size();) {
        for (const Shown& shown : all) {
            const std::size_t found = place_from(shown, request, place);
            if (found == TeamMemory::kNoLimit) return found;
            agreeing = found == place ? agreeing + 1 : 1;
            place = found;
            if (agreeing == all.size()) break;
        }
    }
    return place;
}

// `abstains`: this team leaves the memory to other teams in this round.
Round meet(Team& team, const TeamMemory::Request& request, bool abstains, const char* where) {
    Shown mine;
    mine.bytes = request.bytes;
    mine.alignment = request.alignment;
    mine.is_contended = 1;
    TeamMemory::Offer offer;
    if (!abstains) {
        bool is_contended = false;
        offer = team_memory().open_offer(request, is_contended);
        mine.is_contended = is_contended ? 1 : 0;
    }
    mine.count = static_cast<std::uint32_t>(offer.count);
    mine.limit = offer.limit;
    std::ranges::copy(offer.extents, mine.extents);
    const std::vector<Shown> all = show_to_all(team, mine, where);
    check_arguments(team, all, mine, where);
    Round round{.place = common_place(all, request)};
    for (const Shown& shown : all) {
        round.limit = std::min<std::size_t>(round.limit, shown.limit);
        round.is_contended = round.is_contended || shown.is_contended != 0;
    }
    if (!abstains) team_memory().close_offer(offer, round.place, request.bytes, &team);
    dump_up_to(UsedMemory::kTeam, team_memory().highest_end());
    return round;
}

// The same on all members, and another sequence for each team. Two teams that hide the last place
// from each other abstain at different times sooner or later.
bool draws_abstention(const Team& team) {
    const std::uint64_t name = static_cast<std::uint64_t>(team.world_pe(0)) << 32 | team.slot;
    return (mix_bits(mix_bits(name) + team.lines_shown) & 1) != 0;
}

}  // namespace

std::optional<std::size_t> allocate_team_memory(Team& team, std::size_t bytes,
                                                std::size_t alignment, const char* where) {
    constexpr std::size_t kUnit = TeamMemory::kUnit;
    constexpr std::size_t kExtentOfThreads = std::size_t{1} << 20;
    if (bytes > memory_range().team_bytes) return std::nullopt;
    TeamMemory::Request request{.bytes = round_up(bytes, kUnit),
                                .alignment = std::max(alignment, kUnit)};
    if (thread_level() == SHMEM_THREAD_MULTIPLE)
        request.extent_max = 2 * request.bytes + request.alignment + kExtentOfThreads;
    for (bool was_contended = false, abstains = false;;) {
        const Round round = meet(team, request, abstains, where);
        if (round.place != TeamMemory::kNoLimit) return round.place;
        was_contended = was_contended || round.is_contended;
        request.from = round.limit;
        abstains = false;
        if (round.limit != TeamMemory::kNoLimit) continue;
        if (!was_contended) return std::nullopt;
        request.from = 0;
        was_contended = false;
        abstains = draws_abstention(team);
    }
}

}  // namespace tessera::collectives
