// SPDX-License-Identifier: BSD-3-Clause
//
// See segments.hpp. The members agree on names that are free on all: each proposes the first place
// that is free on it, and they take the highest. A member where that place is in use says so in a
// second round, and all try again behind it.
#include "collectives/segments.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/shown_lines.hpp"
#include "core/pe_state.hpp"
#include "settings/config.hpp"

namespace tessera::collectives {
namespace {

// Names come in pages. One more page than needed is between two segments, so that no small
// overrun of one is an access to another.
constexpr std::size_t kPage = 4096;
// A segment of no byte has names, too.
std::size_t names_for(std::size_t bytes) { return round_up(bytes + kPartAlignment, kPage) + kPage; }

// A member shows this to the others.
struct Shown {
    std::uint64_t place = 0;
    SegmentPart part{};
    // Second round:
    std::uint64_t is_mine = 0;  // this member has the agreed place
    std::uintptr_t table = 0;   // table of the parts, for its node; 0: it has none
};

// Without the parts of the others.
RegisteredSegment segment_of(const Team& team, const std::vector<Shown>& all,
                             const FabricTransport::Region& region) {
    RegisteredSegment segment;
    segment.team = &team;
    segment.my_index = team.my_index;
    segment.mine = all[static_cast<std::size_t>(team.my_index)].part;
    segment.region = region;
    for (const Shown& shown : all) {
        segment.begin = std::max<std::size_t>(segment.begin, shown.place);
        segment.end = std::max(segment.end, names_for(shown.part.bytes));
    }
    segment.end += segment.begin;
    return segment;
}

std::vector<SegmentPart> parts_of(const std::vector<Shown>& all) {
    std::vector<SegmentPart> parts;
    parts.reserve(all.size());
    for (const Shown& shown : all) parts.push_back(shown.part);
    return parts;
}

bool shares_table(const Team& team) {
    return team.npes >= kSharedTableMembers && team.largest_node > 1;
}

// The table as this member keeps it. The keeper of its node has shared one, or could not.
SegmentTable table_of(const Team& team, const std::vector<Shown>& answers, SegmentTable&& mine) {
    if (mine.shared != nullptr) return std::move(mine);
    if (shares_table(team)) {
        const int keeper = keeper_of_table(team);
        const std::uintptr_t address = answers[static_cast<std::size_t>(keeper)].table;
        if (address != 0 && keeper != team.my_index) {
            SegmentTable table =
                segments().view_table(team.world_pe(keeper), address, answers.size());
            if (table.view.start != nullptr) return table;
        }
    }
    return {.own = parts_of(answers), .count = answers.size()};
}

// Opens all ways to this PE's part.
Shown open_part(const Team& team, SegmentPart mine, std::size_t pages_min,
                FabricTransport::Region& region) {
    if (team.largest_node > 1) segments().open_transport();
    // First, because the fabric may keep the pages that it finds.
    const bool wants_pages = team.largest_node > 1 && config().segment_pages;
    segments().share_part(mine, wants_pages ? pages_min : heap::SharedPages::kNever);
    region = open_region(team, mine);
    mine.fabric_address = region.base;
    mine.key = region.key;
    return {.part = mine};
}

}  // namespace

std::optional<std::size_t> register_segment(Team& team, SegmentPart mine, std::size_t pages_min,
                                            const char* where) {
    FabricTransport::Region region;
    Shown shown = open_part(team, mine, pages_min, region);
    SegmentTable table;
    std::size_t from = Segments::kBehindLast;
    std::size_t names = names_for(mine.bytes);  // later: the most that a member needs
    for (bool is_from_start = false;;) {
        shown.place = segments().propose(from, names);
        const std::vector<Shown> all = show_to_all(team, shown, where);
        RegisteredSegment segment = segment_of(team, all, region);
        if (segment.begin == Segments::kNone) {
            if (is_from_start) break;
            is_from_start = true;
            from = 0;
            continue;
        }
        if (table.shared == nullptr && shares_table(team) &&
            keeper_of_table(team) == team.my_index) {
            table = segments().share_table(parts_of(all));
            shown.table = reinterpret_cast<std::uintptr_t>(table.shared);
        }
        const std::size_t begin = segment.begin;
        names = segment.end - begin;
        shown.is_mine = segments().try_claim(std::move(segment)) ? 1 : 0;
        const std::vector<Shown> answers = show_to_all(team, shown, where);
        if (std::ranges::all_of(answers, [](const Shown& one) { return one.is_mine != 0; })) {
            segments().complete(begin, table_of(team, answers, std::move(table)));
            return begin;
        }
        if (shown.is_mine != 0) segments().try_take(begin);
        from = shown.is_mine != 0 ? begin : begin + kPage;
    }
    RegisteredSegment unfinished;
    unfinished.mine = shown.part;
    unfinished.table = std::move(table);
    unfinished.region = region;
    segments().release(unfinished);
    return std::nullopt;
}

void deregister_segment(Team& team, std::size_t begin, const char* where) {
    barrier(team, where);  // No member uses it any more.
    auto segment = segments().try_take(begin);
    if (segment) segments().release(*segment);
}

}  // namespace tessera::collectives
