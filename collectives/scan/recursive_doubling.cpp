// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive doubling: in round r member i sends the sum of the 2^r members up to itself to member
// i + 2^r, and adds the sum from member i - 2^r in front of its own. The exclusive form also keeps
// the received sums without its own source. All through slots, in chunks.
// COST: a sync, then lg p (a + n b + n c), exclusive lg p n c more; p lg p n bytes are moved by all
// together. Sums are those of neighbours, in order, but associated as a tree: floating point may
// differ from slice in the last bits. Restriction: a team with mailboxes, fewer than 2^22 members.
// Reference: Hillis, Steele, "Data parallel algorithms", 1986.
#include <bit>
#include <cstring>

#include "collectives/cost_terms.hpp"
#include "collectives/patterns/window.hpp"
#include "collectives/scan/scan.hpp"

namespace tessera::collectives {
namespace {

class Doubling {
  public:
    Doubling(const Group& group, const Kernel& sum, ScanKind kind, std::uint32_t chunks)
        : sum_(sum),
          kind_(kind),
          me_(group.my_index()),
          npes_(group.npes()),
          rounds_(std::bit_width(static_cast<unsigned>(npes_ - 1))),
          // As many places for each round as there are; one is enough for a lone member.
          places_(static_cast<std::uint32_t>(kMailboxRounds / (rounds_ > 0 ? rounds_ : 1))),
          chunks_(chunks),
          mailboxes_(group.team(), group.where(), chunks) {}

    // REQUIRES: all members have begun.
    void scan(std::uint32_t chunk, char* dest, const char* source, std::size_t bytes) {
        const std::size_t nelems = bytes / sum_.element_bytes;
        alignas(kCacheLineBytes) Chunk own;     // the sum up to this member
        alignas(kCacheLineBytes) Chunk before;  // without its own source
        std::memcpy(own, source, bytes);
        std::memset(before, 0, bytes);
        if (kind_ == ScanKind::kExclusive && me_ == 0) sum_.combine_two(own, before, own, nelems);
        bool is_first = true;
        for (int round = 0; round < rounds_; ++round) {
            const int distance = 1 << round;
            const Window window(mailboxes_, round,
                                {.count = places_,
                                 .bytes = kSlotBytes,
                                 .first = static_cast<std::uint32_t>(round),
                                 .stride = static_cast<std::uint32_t>(rounds_)},
                                chunks_);
            if (me_ < npes_ - distance) window.send(me_ + distance, chunk, own, bytes);
            if (me_ < distance) continue;
            const char* left = window.receive(chunk);
            sum_.combine_two(own, left, own, nelems);
            if (kind_ == ScanKind::kExclusive) {
                if (is_first) {
                    std::memcpy(before, left, bytes);
                } else {
                    sum_.combine_two(before, left, before, nelems);
                }
            }
            is_first = false;
            window.release(me_ - distance, chunk);
        }
        std::memcpy(dest, kind_ == ScanKind::kInclusive ? own : before, bytes);
    }

  private:
    const Kernel& sum_;
    ScanKind kind_;
    int me_;
    int npes_;
    int rounds_;
    std::uint32_t places_;
    std::uint32_t chunks_;
    Mailboxes mailboxes_;
};

void scan_recursive_doubling(const Group& group, void* dest, const void* source, std::size_t nelems,
                             const Kernel& sum, ScanKind kind) {
    if (nelems == 0) return;
    const std::size_t all_bytes = nelems * sum.element_bytes;
    group.sync();  // Then all members have begun, as mailboxes require.
    Doubling doubling(group, sum, kind, chunk_count(all_bytes));
    std::uint32_t chunk = 0;
    for_each_chunk(0, all_bytes, [&](std::size_t at, std::size_t bytes) {
        doubling.scan(chunk++, static_cast<char*>(dest) + at, static_cast<const char*>(source) + at,
                      bytes);
    });
}

Cost scan_recursive_doubling_cost(const TeamLayout& team, double n) {
    const double rounds = lg(team.npes);
    return syncs(1, team) +
           Cost{.latencies =
                    (team.is_oversubscribed() ? 0 : 1) + chunks(n) * on_node_rounds(team)} +
           each_member(team, kMailboxPush * n + 2 * n * rounds, 1.5 * n * rounds) +
           off_node(team, rounds, team.largest_node * chunks(n) * rounds,
                    team.largest_node * n * rounds);
}

}  // namespace

extern constinit const Algorithm<Scan> kScanRecursiveDoubling{
    {.name = "recursive_doubling",
     .formula = "sync + lg p (a + n b + n c)",
     .best_when = "short vectors",
     .restriction = kMailboxesAssociative,
     .cost = scan_recursive_doubling_cost},
    scan_recursive_doubling};

}  // namespace tessera::collectives
