// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that a PE's part in a collective reads and writes (ranges.hpp).
#include <algorithm>
#include <string_view>

#include "tools/check/ranges.hpp"

namespace tessera::check {
namespace {

using interpose::Call;

std::size_t member_count(const Call& call) {
    if (call.set.size > 0) return static_cast<std::size_t>(call.set.size);
    return static_cast<std::size_t>(std::max(pshmem_team_n_pes(call.team), 0));
}

// ---- Collectives of shmemx.h --------------------------------------------------------------------

// Which PEs use an argument, and whether it has a block for each member.
struct Use {
    bool is_of_root;
    bool has_blocks;
};

struct Moves {
    std::string_view start;  // start of the routine's name, without shmemx_ and i
    Use dest;
    Use source;
};

constexpr Use kOne{.is_of_root = false, .has_blocks = false};
constexpr Use kAll{.is_of_root = false, .has_blocks = true};
constexpr Use kOneOfRoot{.is_of_root = true, .has_blocks = false};
constexpr Use kAllOfRoot{.is_of_root = true, .has_blocks = true};

// A name that begins with another one comes first.
constexpr Moves kMoves[] = {
    {"broadcast", kOne, kOneOfRoot}, {"gather", kAllOfRoot, kOne}, {"scatter", kOne, kAllOfRoot},
    {"allgather", kAll, kOne},       {"alltoall", kAll, kAll},     {"reduce_scatter", kOne, kAll},
    {"reduce", kOneOfRoot, kOne},    {"allreduce", kOne, kOne},
};

const Moves* moves_of(const Call& call) {
    std::string_view name = call.routine;
    name.remove_prefix(std::string_view("shmemx_").size());
    if (call.is_nbi) name.remove_prefix(1);
    const auto* found = std::ranges::find_if(
        kMoves, [&](const Moves& moves) { return name.starts_with(moves.start); });
    return found != std::end(kMoves) ? found : nullptr;
}

// The members' blocks lie in one array, or where a list says.
struct Argument {
    const char* name;
    const void* start;
    const std::size_t* counts;
    const std::size_t* displs;
    bool is_written;
};

void add_argument(const Call& call, const Argument& argument, bool has_blocks, std::size_t own,
                  RangeList& ranges) {
    // They may be in place, also in a part of the other argument.
    const Side side{.is_written = argument.is_written, .is_dense = false};
    const std::size_t members = member_count(call);
    if (!has_blocks || argument.counts == nullptr) {
        const std::size_t blocks = has_blocks ? members : 1;
        ranges.add(argument.name, argument.start, blocks * own * call.element_bytes, side);
        return;
    }
    if (argument.start == nullptr || argument.displs == nullptr) return;
    for (std::size_t i = 0; i < members; ++i) {
        ranges.add(
            argument.name,
            static_cast<const char*>(argument.start) + argument.displs[i] * call.element_bytes,
            argument.counts[i] * call.element_bytes, side);
    }
}

void add_extension(const Call& call, RangeList& ranges) {
    const Moves* moves = moves_of(call);
    const int me = pshmem_team_my_pe(call.team);
    if (moves == nullptr || me < 0) return;
    const interpose::Lists& lists = call.lists;
    std::size_t own = call.count;
    // In a list for both sides, this PE's entry is the count of its own block.
    const std::size_t* counts =
        lists.dest_counts != nullptr ? lists.dest_counts : lists.source_counts;
    if (call.root < 0 && counts != nullptr) own = counts[me];
    const auto takes_part = [&](const Use& use) { return !use.is_of_root || me == call.root; };
    if (takes_part(moves->dest)) {
        add_argument(call, {"dest", call.dest, lists.dest_counts, lists.dest_displs, true},
                     moves->dest.has_blocks, own, ranges);
    }
    if (takes_part(moves->source)) {
        add_argument(call, {"source", call.source, lists.source_counts, lists.source_displs, false},
                     moves->source.has_blocks, own, ranges);
    }
}

}  // namespace

void add_collective(const Call& call, RangeList& ranges) {
    const std::string_view routine = call.routine;
    const auto has = [&](std::string_view part) {
        return routine.find(part) != std::string_view::npos;
    };
    if (routine.starts_with("shmemx_") && !has("scan")) return add_extension(call, ranges);
    const Side dest{.is_written = true};
    const Side source{};
    const std::size_t members = member_count(call);
    const std::size_t bytes = call.count * call.element_bytes;
    const bool is_alltoall = has("alltoall");
    const std::size_t source_elements = is_alltoall ? members * call.count : call.count;
    const bool gathers = is_alltoall || has("fcollect");
    const std::size_t dest_elements = gathers ? members * call.count : call.count;
    if (has("alltoalls") && call.count > 0) {
        const auto strided = [&](std::size_t elements, ptrdiff_t stride) {
            const std::size_t step = stride > 0 ? static_cast<std::size_t>(stride) : 0;
            return ((elements - 1) * step + 1) * call.element_bytes;
        };
        ranges.add("dest", call.dest, strided(dest_elements, call.dst),
                   {.is_written = true, .is_dense = call.dst == 1});
        ranges.add("source", call.source, strided(source_elements, call.sst),
                   {.is_dense = call.sst == 1});
    } else if (has("broadcast") && call.set.size > 0 &&
               pshmem_my_pe() == call.set.start + (call.root << call.set.log_stride)) {
        ranges.add("source", call.source, bytes, source);  // The root's dest is not touched.
    } else {
        ranges.add("dest", call.dest, dest_elements * call.element_bytes, dest);
        ranges.add("source", call.source, source_elements * call.element_bytes, source);
    }
    const std::size_t work =
        std::max(call.count / 2 + 1, std::size_t{SHMEM_REDUCE_MIN_WRKDATA_SIZE});
    ranges.add("pWrk", call.work, work * call.element_bytes, dest);
}

}  // namespace tessera::check
