// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions on one node: each member combines the exposed sources in the order of the members, in
// chunks that stay in its first-level cache. In a reduce_scatter each has its block. A short vector
// is combined by each member that wants the result; of a long one each member combines a share, and
// writes it to the dests, which must be within reach. So each element is the same everywhere.
// COST: a, p lines of flags; reduce_scatter, and shares: n (b + c); short vectors: n p c. A sync
// after a long vector.
#include <cstring>

#include "base/copy.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/reduce/to_owners.hpp"
#include "collectives/shared_arrays/shared_arrays.hpp"

namespace tessera::collectives {
namespace {

// Whole elements.
std::size_t chunk_bytes(const RuntimeCall& call) {
    return kChunkBytes / call.element_bytes * call.element_bytes;
}

// `result` = the bytes at `at` of all sources, in the order of the members; at most a chunk. It
// overlaps no source.
template <class SourceOf>
void combine_sources(const RuntimeCall& call, char* result, std::size_t at, std::size_t bytes,
                     SourceOf source_of) {
    constexpr std::size_t kAtOnce = 8;
    const std::size_t nelems = bytes / call.element_bytes;
    const void* sources[kAtOnce];
    std::size_t count = 0;
    for (int index = 0; index < call.npes; ++index) {
        sources[count++] = source_of(index, at);
        if (count < kAtOnce && index + 1 < call.npes) continue;
        call.function.combine_many(result, sources, count, nelems, call.element_bytes);
        sources[0] = result;
        count = 1;
    }
}

// The range [begin, end) of the parts, in bytes; visit(at, result, bytes) gets each chunk's result.
template <class SourceOf, class Visit>
void combine_range(const RuntimeCall& call, std::size_t begin, std::size_t end, SourceOf source_of,
                   Visit visit) {
    alignas(kCacheLineBytes) Chunk result;
    for (std::size_t at = begin; at < end; at += chunk_bytes(call)) {
        const std::size_t bytes = std::min(chunk_bytes(call), end - at);
        combine_sources(call, result, at, bytes, source_of);
        visit(at, result, bytes);
    }
}

// This member's share of a vector: whole elements, and whole cache lines where these are so.
struct Share {
    std::size_t begin;
    std::size_t end;
};
Share share_of(const RuntimeCall& call) {
    const std::size_t unit = call.element_bytes < kCacheLineBytes
                                 ? kCacheLineBytes / call.element_bytes * call.element_bytes
                                 : call.element_bytes;
    const auto npes = static_cast<std::size_t>(call.npes);
    const std::size_t units = (call.bytes + unit - 1) / unit;
    const std::size_t share = (units + npes - 1) / npes * unit;
    const std::size_t begin = std::min(static_cast<std::size_t>(call.me) * share, call.bytes);
    return {.begin = begin, .end = std::min(begin + share, call.bytes)};
}

SharedArrays expose_vector(Team& team, const RuntimeCall& call, const char* where) {
    return {
        team,
        {.start = call.source, .bytes = call.bytes, .dest = call.dest, .dest_bytes = call.bytes},
        where};
}

bool is_short(const RuntimeCall& call) { return call.bytes <= kSlotBytes; }

// Every source has been copied, so dest may be source.
void combine_whole(const RuntimeCall& call, const SharedArrays& arrays) {
    combine_range(
        call, 0, call.bytes, [&](int index, std::size_t at) { return arrays.source_of(index, at); },
        [&](std::size_t at, const char* result, std::size_t bytes) {
            std::memcpy(call.dest + at, result, bytes);
        });
}

template <class Write>
void combine_share(const RuntimeCall& call, const SharedArrays& arrays, Write write) {
    const Share share = share_of(call);
    combine_range(
        call, share.begin, share.end,
        [&](int index, std::size_t at) { return arrays.source_of(index, at); }, write);
}

bool allreduce_exposed(Team& team, const RuntimeCall& call, const char* where) {
    if (call.element_bytes > kChunkBytes) return false;
    const SharedArrays arrays = expose_vector(team, call, where);
    if (!arrays.is_complete()) return false;
    if (is_short(call)) {
        combine_whole(call, arrays);
        return true;
    }
    if (!arrays.has_all_dests()) return false;
    combine_share(call, arrays, [&](std::size_t at, const char* result, std::size_t bytes) {
        for (int i = 0, index = call.me; i < call.npes; ++i) {
            index = index + 1 == call.npes ? 0 : index + 1;
            copy_long(arrays.dest_of(index, at), result, bytes);
        }
    });
    arrays.finish(true);
    return true;
}

bool reduce_exposed(Team& team, const RuntimeCall& call, const char* where) {
    if (call.element_bytes > kChunkBytes) return false;
    const SharedArrays arrays = expose_vector(team, call, where);
    if (!arrays.is_complete()) return false;
    if (is_short(call)) {
        if (call.me == call.root) combine_whole(call, arrays);
        return true;
    }
    if (!arrays.has_dest_of(call.root)) return false;
    combine_share(call, arrays, [&](std::size_t at, const char* result, std::size_t bytes) {
        copy_long(arrays.dest_of(call.root, at), result, bytes);
    });
    arrays.finish(true);
    return true;
}

bool reduce_scatter_exposed(Team& team, const RuntimeCall& call, const char* where) {
    if (call.element_bytes > kChunkBytes) return false;
    const MemberParts& blocks = call.out;
    std::size_t end = blocks.stride * static_cast<std::size_t>(call.npes);
    for (int i = 0; blocks.counts != nullptr && i < call.npes; ++i) {
        const auto begin =
            static_cast<std::size_t>(blocks.at(i, call.element_bytes) - blocks.start);
        end = std::max(end, begin + blocks.bytes_of(i, call.element_bytes));
    }
    const SharedArrays arrays(team,
                              {.start = blocks.start,
                               .bytes = end,
                               .displacements = blocks.displacements,
                               .element_bytes = call.element_bytes,
                               .stride = blocks.stride,
                               .changes = call.dest == blocks.start,
                               .copied_bytes_max = kLongCopyBytesMax},
                              where);
    if (!arrays.is_complete()) return false;
    const std::size_t bytes = blocks.bytes_of(call.me, call.element_bytes);
    for (std::size_t at = 0; at < bytes; at += chunk_bytes(call)) {
        combine_sources(call, call.dest + at, at, std::min(chunk_bytes(call), bytes - at),
                        [&](int index, std::size_t begin) { return arrays.part_of(index, begin); });
    }
    arrays.finish();
    return true;
}

// Each member combines `n` bytes of all members; `shared`: its share of them, if they are many.
Cost combining_cost(const TeamLayout& team, double n, bool is_shared) {
    const Cost meeting = flags_from_all(team) + Cost{.latencies = kExposing};
    if (n <= static_cast<double>(kSlotBytes)) {
        return meeting + Cost{.copied_critical_path = kMailboxPush / 4 * team.npes * n} +
               each_member(team, team.npes * (n + kLine), team.npes * n);
    }
    const double combined = is_shared ? n : team.npes * n;
    return meeting + syncs(1, team) + each_member(team, kGather * combined, combined);
}
Cost reduce_cost(const TeamLayout& team, double n) { return combining_cost(team, n, true); }
Cost scatter_cost(const TeamLayout& team, double n) { return combining_cost(team, n, false); }

using Exposed = bool (*)(Team& team, const RuntimeCall& call, const char* where);
constexpr AlgorithmTraits traits(CostFunction cost, Exposed exposed) {
    return {.name = "exposed",
            .formula = "a + n p c, or a + sync + n (b + c)",
            .best_when = "one node; any arrays",
            .restriction = kExposed,
            .cost = cost,
            .exposed = exposed};
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceExposed{traits(reduce_cost, allreduce_exposed),
                                                        nullptr};
extern constinit const Algorithm<ReduceToRoot> kReduceToRootExposed{
    traits(reduce_cost, reduce_exposed), nullptr};
extern constinit const Algorithm<ReduceScatter> kReduceScatterExposed{
    traits(scatter_cost, reduce_scatter_exposed), nullptr};

}  // namespace tessera::collectives
