// SPDX-License-Identifier: BSD-3-Clause
//
// Gather, scatter, broadcast, allgather and alltoall, with equal parts or not, on one node: each
// member reads its parts where the others have exposed them, or writes them there, its right
// neighbour's first.
// COST: a, p lines of flags; n b for the n bytes that a member gets; a copy of a short source, or a
// sync after a long one.
#include <algorithm>

#include "base/copy.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/collect/collect.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/exchange/exchange.hpp"
#include "collectives/shared_arrays/shared_arrays.hpp"

namespace tessera::collectives {
namespace {

// The bytes of an array: those of its longest part, and those from its start to the end of the last
// part.
struct Extent {
    std::size_t longest = 0;
    std::size_t end = 0;
};
Extent extent_of(const RuntimeCall& call, const MemberParts& parts) {
    if (parts.only == kNoMember) return {};
    if (parts.counts == nullptr) {
        const bool is_one = parts.only != kAllMembers || parts.stride == 0;
        const auto count = static_cast<std::size_t>(is_one ? 1 : call.npes);
        return {.longest = parts.bytes, .end = count * parts.bytes};
    }
    Extent extent;
    for (int i = 0; i < call.npes; ++i) {
        const std::size_t bytes = parts.bytes_of(i, call.element_bytes);
        const auto begin = static_cast<std::size_t>(parts.at(i, call.element_bytes) - parts.start);
        if (bytes > 0) extent.end = std::max(extent.end, begin + bytes);
        extent.longest = std::max(extent.longest, bytes);
    }
    return extent;
}

// The call writes to the source while others may read it: an alltoall in place.
bool writes_to_source(const RuntimeCall& call) {
    return call.out.start == call.in.start && call.out.stride != 0 && call.in.only == kAllMembers;
}

// Members write long parts to the dests, if all are within reach. Then the lines of a source stay
// with their owner, and lines of a dest are fetched by loads, which do not wait for each other;
// where others read a source, the owner's next stores to it wait one for the other. Not if all take
// from one member, because then that one would do the work of all.
bool may_be_written(const RuntimeCall& call, const Extent& source, const Extent& dest) {
    const bool has_one_giver = call.in.only >= 0;
    const bool is_long = source.end > kSlotBytes || dest.longest > kSlotBytes;
    return is_long && !has_one_giver && !writes_to_source(call);
}

void take_part(const RuntimeCall& call, const SharedArrays& arrays, int index) {
    const std::size_t bytes = call.in.bytes_of(index, call.element_bytes);
    char* const dest = call.in.at(index, call.element_bytes);
    if (bytes == 0) return;
    const char* part = arrays.part_of(index, 0);
    if (index == call.me && part == dest) return;
    copy_bytes(dest, part, bytes);
}

void give_part(const RuntimeCall& call, const SharedArrays& arrays, int index) {
    const std::size_t bytes = call.out.bytes_of(index, call.element_bytes);
    const char* part = call.out.at(index, call.element_bytes);
    if (bytes == 0) return;
    char* const dest = arrays.place_in(index);
    if (index == call.me && part == dest) return;
    copy_bytes(dest, part, bytes);
}

// Calls visit(index) for the members of the parts, the right neighbour first.
template <class Visit>
void for_each_member(const RuntimeCall& call, const MemberParts& parts, Visit visit) {
    for (int i = 0, index = call.me; i < call.npes; ++i) {
        index = index + 1 == call.npes ? 0 : index + 1;
        if (parts.only == kAllMembers || parts.only == index) visit(index);
    }
}

}  // namespace

namespace {

bool exchange_exposed(Team& team, const RuntimeCall& call, const char* where) {
    const Extent source = extent_of(call, call.out);
    const Extent dest = extent_of(call, call.in);
    const bool may_write = may_be_written(call, source, dest);
    const SharedArrays arrays(team,
                              {.start = call.out.start,
                               .bytes = source.end,
                               .displacements = call.out.displacements,
                               .element_bytes = call.element_bytes,
                               .stride = call.out.stride,
                               .changes = writes_to_source(call),
                               .copied_bytes_max = kLongCopyBytesMax,
                               .dest = may_write ? call.in.start : nullptr,
                               .dest_bytes = dest.end,
                               .dest_parts = may_write ? &call.in : nullptr},
                              where);
    if (!arrays.has_only_copies() && arrays.has_all_dests()) {
        for_each_member(call, call.out, [&](int index) { give_part(call, arrays, index); });
        arrays.finish(true);
        return true;
    }
    if (!arrays.is_complete()) return false;
    for_each_member(call, call.in, [&](int index) { take_part(call, arrays, index); });
    arrays.finish();
    return true;
}

// Members take `n` bytes from `members` of them.
Cost moves_cost(const TeamLayout& team, double members, double n) {
    const Cost meeting = flags_from_all(team) + Cost{.latencies = kExposing};
    if (n <= static_cast<double>(kSlotBytes)) {
        return meeting + Cost{.copied_critical_path = kMailboxPush / 4 * members * n} +
               each_member(team, members * n / 2, 0);
    }
    return meeting + syncs(1, team) + each_member(team, kGather * members * n, 0);
}
Cost from_one_cost(const TeamLayout& team, double n) { return moves_cost(team, 1, n); }
Cost from_all_cost(const TeamLayout& team, double n) { return moves_cost(team, team.npes, n); }
Cost to_root_cost(const TeamLayout& team, double n) {
    return moves_cost(team, 1, n) + Cost{.copied_critical_path = (team.npes - 1) * n};
}

constexpr AlgorithmTraits traits(CostFunction cost, std::string_view formula) {
    return {.name = "exposed",
            .formula = formula,
            .best_when = "one node; any arrays",
            .restriction = kExposed,
            .cost = cost,
            .exposed = exchange_exposed};
}
constexpr std::string_view kFromOne = "a + n b, and a sync";
constexpr std::string_view kFromAll = "a + p n b, and a sync";

}  // namespace

extern constinit const Algorithm<Broadcast> kBroadcastExposed{traits(from_one_cost, kFromOne), {}};
extern constinit const Algorithm<Fcollect> kFcollectExposed{traits(from_all_cost, kFromAll), {}};
extern constinit const Algorithm<Alltoall> kAlltoallExposed{
    contiguous(traits(from_all_cost, kFromAll)), {}};
extern constinit const Algorithm<Gather> kGatherExposed{traits(to_root_cost, kFromAll), {}};
extern constinit const Algorithm<Scatter> kScatterExposed{traits(from_one_cost, kFromOne), {}};
extern constinit const Algorithm<Allgatherv> kAllgathervExposed{traits(from_all_cost, kFromAll),
                                                                {}};
extern constinit const Algorithm<Alltoallv> kAlltoallvExposed{traits(from_all_cost, kFromAll), {}};

}  // namespace tessera::collectives
