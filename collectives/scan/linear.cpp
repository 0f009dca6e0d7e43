// SPDX-License-Identifier: BSD-3-Clause
//
// Linear: member i waits for the sum of those before it, adds its own source and sends the sum on.
// Long vectors go through this chain in chunks, so that all members work at the same time.
// COST: a sync, then (p - 1 + n/m) (a + m b + m c) for n bytes in chunks of m; 2 (p-1) n bytes are
// moved by all together. Adds one member after the other, as direct does: the same bits.
// Restriction: a team with mailboxes.
#include <cstring>

#include "collectives/cost_terms.hpp"
#include "collectives/patterns/window.hpp"
#include "collectives/scan/scan.hpp"

namespace tessera::collectives {
namespace {

struct Piece {
    char* dest;
    const char* source;
    std::size_t bytes;
};

// This member's part: writes dest, and to `onward` (which may be dest) the sum for the next member.
// `before`: the sum of the members before; nullptr: there are none.
const char* add_own(const Piece& piece, const char* before, const Kernel& sum, ScanKind kind,
                    Chunk& onward) {
    const std::size_t nelems = piece.bytes / sum.element_bytes;
    if (kind == ScanKind::kInclusive) {
        if (before != nullptr) {
            sum.combine_two(piece.dest, before, piece.source, nelems);
        } else if (piece.dest != piece.source) {
            std::memcpy(piece.dest, piece.source, piece.bytes);  // Keeps the sign of a zero.
        }
        return piece.dest;
    }
    if (before == nullptr) {
        std::memset(onward, 0, piece.bytes);
        sum.combine(onward, piece.source, nelems);
        std::memset(piece.dest, 0, piece.bytes);
    } else {
        sum.combine_two(onward, before, piece.source, nelems);
        std::memcpy(piece.dest, before, piece.bytes);
    }
    return onward;
}

void scan_linear(const Group& group, void* dest, const void* source, std::size_t nelems,
                 const Kernel& sum, ScanKind kind) {
    if (nelems == 0) return;
    const std::size_t all_bytes = nelems * sum.element_bytes;
    const std::uint32_t count = chunk_count(all_bytes);
    const int me = group.my_index();
    group.sync();  // Then all members have begun, as mailboxes require.
    const Mailboxes mailboxes(group.team(), group.where(), count);
    const Window window(mailboxes, 0, {.count = kMailboxRounds, .bytes = kSlotBytes}, count);
    alignas(kCacheLineBytes) Chunk onward;
    std::uint32_t chunk = 0;
    for_each_chunk(0, all_bytes, [&](std::size_t at, std::size_t bytes) {
        const Piece piece{.dest = static_cast<char*>(dest) + at,
                          .source = static_cast<const char*>(source) + at,
                          .bytes = bytes};
        const char* before = me > 0 ? window.receive(chunk) : nullptr;
        const char* after = add_own(piece, before, sum, kind, onward);
        if (before != nullptr) window.release(me - 1, chunk);
        if (me + 1 < group.npes()) window.send(me + 1, chunk, after, bytes);
        ++chunk;
    });
}

Cost scan_linear_cost(const TeamLayout& team, double n) {
    const double count = chunks(n);
    return syncs(1, team) + Cost{.latencies = team.npes - 1 + count} + each_member(team, 2 * n, n) +
           off_node(team, team.nodes - 1, count, n);
}

}  // namespace

extern constinit const Algorithm<Scan> kScanLinear{{.name = "linear",
                                                    .formula = "sync + (p-1+m) (a + n/m (b + c))",
                                                    .best_when = "long vectors, several nodes",
                                                    .restriction = kMailboxes,
                                                    .cost = scan_linear_cost},
                                                   scan_linear};

}  // namespace tessera::collectives
