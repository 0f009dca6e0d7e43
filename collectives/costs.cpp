// SPDX-License-Identifier: BSD-3-Clause
//
// See costs.hpp. In the formulas p: members, m: members of a node, q = p - m: members elsewhere,
// N: nodes, n: bytes.
#include "collectives/costs.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/links.hpp"
#include "collectives/reduce/algorithms.hpp"
#include "collectives/reduce/operand.hpp"
#include "collectives/reduce/ring.hpp"

namespace tessera::collectives {
namespace {

constexpr double kRadix = 4;         // of k-nomial and k-ary trees
constexpr double kSyncRound = 1.25;  // of a wait: everybody at the same time
// Where PEs share cores: all must come before anybody goes on.
constexpr double kCrowdedSync = 1.4;
constexpr double kCrowdedFlag = 0.1;     // of a wait: for each flag that one looks at
constexpr double kCrowdedFromOne = 0.6;  // of a wait: for one that has run already
constexpr double kCrowdedHops = 1.8;     // A node that passes bytes on waits for a core to do it.
// Bytes written to where another PE reads them next, against bytes read from where they have lain.
constexpr double kPush = 7.0;
// The same in short messages: the processor foresees nothing. PEs that share a core share its
// cache: of messages from everybody half cross to another core.
constexpr double kMail = 14;
constexpr double kPassOn = 1.15;         // What has just come, against one's own.
constexpr double kGather = 1.25;         // Others' blocks, against one's own to others.
constexpr double kFarSync = 0.6;         // of a fabric wait: nothing but flags is on its way
constexpr double kDelivery = 1.5;        // fabric waits: until a put has arrived and said so
constexpr double kTreeLevel = 0.8;       // of a wait: some of a level come early
constexpr double kPiece = 1000;          // What beginning to read or write somewhere else costs.
constexpr double kKnomialPiece = 57344;  // of a long vector, read by one get
constexpr double kLine = 64;             // The least that is moved.

double lg(double x) { return std::ceil(std::log2(x)); }
double log_radix(double x) { return std::ceil(std::log2(x) / std::log2(kRadix)); }
double pieces(double bytes, double piece) { return std::max(1.0, std::ceil(bytes / piece)); }
double chunks(double bytes) { return pieces(bytes, static_cast<double>(kChunkBytes)); }
double elsewhere(const Shape& s) { return s.npes - s.local; }
bool is_power_of_two(double x) { return std::exp2(lg(x)) == x; }
// Rounds of an exchange by pairs: where x is no power of two, two more fold what is left over.
double folds(double x) { return is_power_of_two(x) ? 0 : 2; }
double exchange_rounds(double x) { return std::floor(std::log2(x)) + folds(x); }
// Rounds of lg p that stay on the node, and those that do not.
double near_rounds(const Shape& s) { return lg(s.local); }
// Of a member of a tree between nodes.
double far_children(const Shape& s) { return std::min(kRadix, s.nodes) - 1; }
double far_rounds(const Shape& s) { return lg(s.npes) - lg(std::min(s.local, s.npes)); }

Cost syncs(double count, const Shape& s) {
    if (s.spans_nodes()) {
        return {.waits = count * 2 * (s.is_crowded() ? 1 : lg(s.local)),
                .fabric_waits = count * kFarSync * lg(s.nodes)};
    }
    return {.waits = count * (s.is_crowded() ? kCrowdedSync : kSyncRound * lg(s.npes))};
}

// Everybody waits for a flag of everybody.
Cost from_all(const Shape& s) {
    return {.waits = s.is_crowded() ? 1 + kCrowdedFlag * s.npes : 1.3 + 0.5 * (s.npes - 2)};
}

// A member copies and combines so much itself; all members do.
Cost all_work(const Shape& s, double copied, double combined) {
    return {.copied = copied,
            .copied_in_all = s.local * copied,
            .combined = combined,
            .combined_in_all = s.local * combined};
}

// Waits of a ring for pieces that are on their way while PEs work, but for the first: none where
// each PE has a core. Else what comes waits for its receiver's turn.
double ring_turns(const Shape& s, double blocks, double block_bytes) {
    if (!s.is_crowded()) return 0;
    return 2 * blocks * std::max(0.0, block_bytes / static_cast<double>(ring_piece_bytes()) - 1);
}

Cost fabric(const Shape& s, double waits, double posts, double bytes) {
    if (!s.spans_nodes()) return {};
    return {.fabric_waits = waits, .fabric_posts = posts, .fabric_bytes = bytes};
}

}  // namespace

namespace barrier_cost {
Cost central(const Shape& s) {
    // The counter's line goes round.
    return {.waits = s.is_crowded() ? kCrowdedSync : 1 + 0.5 * s.npes};
}
Cost dissemination(const Shape& s) {
    return {.waits = near_rounds(s),
            .fabric_waits = far_rounds(s),
            .fabric_posts = s.local * far_rounds(s)};
}
Cost kway_dissemination(const Shape& s) {
    const double rounds = log_radix(s.npes);
    const double far = s.spans_nodes() ? rounds - std::floor(std::log2(s.local) / 2) : 0;
    return {.waits = 2.2 * (rounds - far), .fabric_waits = far, .fabric_posts = 3 * s.local * far};
}
Cost tree(const Shape& s) {
    return {.waits = 2 * 1.5 * log_radix(s.local),
            .fabric_waits = 2 * log_radix(s.nodes),
            .fabric_posts = s.spans_nodes() ? kRadix * log_radix(s.nodes) : 0};
}
Cost hierarchical(const Shape& s) {
    return syncs(1, s) + Cost{.fabric_posts = s.spans_nodes() ? lg(s.nodes) : 0};
}
}  // namespace barrier_cost

namespace broadcast_cost {
Cost direct(const Shape& s) {
    const double n = s.bytes;
    return syncs(2, s) + all_work(s, n, 0) + fabric(s, 1, 1, elsewhere(s) * n);
}
Cost linear(const Shape& s) {
    const double n = s.bytes;
    const double all = kPush * (s.npes - 1) * n;
    return syncs(1, s) +
           Cost{
               .waits = s.is_crowded() ? kCrowdedFromOne : 1, .copied = all, .copied_in_all = all} +
           fabric(s, kDelivery, elsewhere(s), elsewhere(s) * n);
}
Cost knomial(const Shape& s) {
    const double n = s.bytes;
    const double far = log_radix(s.nodes);
    return Cost{.waits = 2 * (s.is_crowded() ? 1 : kTreeLevel) * log_radix(s.local),
                .copied = kPush * (kRadix - 1) / 2 * log_radix(s.local) * n,
                .copied_in_all = kPush * (s.local - 1) * n} +
           fabric(s, 2 * far * (1 + 0.05 * (s.local - 1)), far_children(s) * far,
                  (s.is_crowded() ? kCrowdedHops : 1.1) * far_children(s) * far * n);
}
Cost scatter_allgather(const Shape& s) {
    const double n = s.bytes;
    const double p = s.npes;
    return Cost{.waits = 2 * log_radix(p) + p - 1} + all_work(s, kPush * (n + n * (p - 1) / p), 0) +
           fabric(s, log_radix(s.nodes) + p - 1, p, 2 * n);
}
Cost chain(const Shape& s) {
    const double n = s.bytes;
    const double count = pieces(n, static_cast<double>(pipeline_piece_bytes()));
    const double piece = n / count;
    return syncs(1, s) + Cost{.waits = s.npes - 2 + count} + all_work(s, kPush * n, 0) +
           Cost{.copied = (s.npes - 1) * piece} +
           fabric(s, s.nodes - 2 + kDelivery, count,
                  s.is_crowded() ? kCrowdedHops * (s.nodes - 1) * n : n + (s.nodes - 1) * piece);
}
Cost hierarchical(const Shape& s) {
    const double n = s.bytes;
    const double far = log_radix(s.nodes);
    return syncs(1, s) + Cost{.waits = s.is_crowded() ? 1 : lg(s.local)} + all_work(s, n, 0) +
           fabric(s, far - 1 + kDelivery, far_children(s) * far, 1.2 * far_children(s) * far * n);
}
Cost mail(const Shape& s) {
    const double slots = pieces(s.bytes, static_cast<double>(kLeftSlotBytes));
    const double syncs_a_call = slots / kLeftSlots;
    return Cost{.waits =
                    syncs(1, s).waits * syncs_a_call + (s.is_crowded() ? kCrowdedFromOne : 1)} +
           Cost{.copied = kMail * s.bytes};
}
}  // namespace broadcast_cost

namespace fcollect_cost {
Cost direct(const Shape& s) {
    const double n = s.bytes;
    return syncs(2, s) + all_work(s, kGather * s.npes * n, 0) +
           fabric(s, 1, s.local * elsewhere(s), s.local * elsewhere(s) * n);
}
Cost linear(const Shape& s) {
    const double n = s.bytes;
    return syncs(2, s) + all_work(s, s.npes * n, 0) +
           fabric(s, kDelivery, s.local * elsewhere(s), s.local * elsewhere(s) * n);
}
Cost ring(const Shape& s) {
    const double n = s.bytes;
    return Cost{.waits = s.npes} + all_work(s, kPassOn * s.npes * n, 0) +
           fabric(s, 1.3 * (s.npes - 1) / s.local, s.npes - 1, (s.npes - 1) * n);
}
Cost bruck(const Shape& s) {
    const double n = s.bytes;
    return Cost{.waits = near_rounds(s) + 1} + all_work(s, kPassOn * s.npes * n, 0) +
           fabric(s, lg(s.npes), s.local * lg(s.npes), s.local * elsewhere(s) * n);
}
Cost recursive_doubling(const Shape& s) {
    const double n = s.bytes;
    return Cost{.waits = near_rounds(s) + 1} + all_work(s, kPassOn * s.npes * n, 0) +
           fabric(s, 1.1 * far_rounds(s), s.local * far_rounds(s), s.local * elsewhere(s) * n);
}
Cost neighbor_exchange(const Shape& s) {
    const double n = s.bytes;
    const double far = s.local > 1 ? s.npes / 4 : s.npes / 2;  // Every other step.
    return Cost{.waits = s.npes / 2 + 1 - (s.spans_nodes() ? far : 0)} +
           all_work(s, kPassOn * s.npes * n, 0) + fabric(s, 1.1 * far, s.npes / 2, s.npes * n);
}
Cost hierarchical(const Shape& s) {
    const double n = s.bytes;
    return syncs(1, s) + Cost{.waits = 2 * (s.is_crowded() ? 1 : lg(s.local))} +
           all_work(s, s.npes * n, 0) + fabric(s, lg(s.nodes), elsewhere(s), elsewhere(s) * n);
}
Cost mail(const Shape& s) {
    const double all = s.npes * s.bytes;  // read by one PE of a core for all of its PEs
    return from_all(s) + Cost{.copied = kMail / 2 * all} + all_work(s, all / 2, 0);
}
}  // namespace fcollect_cost

namespace collect_cost {
Cost direct(const Shape& s) { return fcollect_cost::direct(s) + fabric(s, elsewhere(s), 0, 0); }
Cost linear(const Shape& s) { return fcollect_cost::linear(s) + fabric(s, elsewhere(s), 0, 0); }
Cost ring(const Shape& s) {
    return fcollect_cost::ring(s) + Cost{.waits = near_rounds(s)} +
           fabric(s, lg(s.npes), lg(s.npes), 0);
}
Cost hierarchical(const Shape& s) {
    return fcollect_cost::hierarchical(s) + Cost{.waits = near_rounds(s)} +
           fabric(s, lg(s.npes), s.local * lg(s.npes), 0);
}
}  // namespace collect_cost

namespace alltoall_cost {
Cost direct(const Shape& s) {
    const double n = s.bytes;
    return syncs(2, s) + all_work(s, s.npes * n, 0) +
           fabric(s, 1, s.local * elsewhere(s), s.local * elsewhere(s) * n);
}
Cost pairwise(const Shape& s) { return fcollect_cost::linear(s); }
Cost bruck(const Shape& s) {
    const double n = s.bytes;
    const double round_bytes = s.npes / 2 * n;
    return Cost{.waits = near_rounds(s)} +
           all_work(s, (3 * round_bytes * lg(s.npes)) + (2 * s.npes * n), 0) +
           fabric(s, far_rounds(s) + 0.5 * near_rounds(s), s.local * far_rounds(s) + s.local - 1,
                  s.local * round_bytes * lg(s.npes));
}
Cost hierarchical(const Shape& s) {
    const double n = s.bytes;
    return syncs(1, s) + Cost{.waits = s.is_crowded() ? 1 : lg(s.local)} +
           all_work(s, 3 * s.npes * n, 0) +
           fabric(s, kDelivery, s.local * (s.nodes - 1), s.local * elsewhere(s) * n);
}
Cost mail(const Shape& s) {
    const double all = s.npes * s.bytes;
    return from_all(s) + all_work(s, kMail / 2 * all + 2 * all, 0);
}
}  // namespace alltoall_cost

namespace scan_cost {
Cost slice(const Shape& s) {
    const double n = s.bytes;
    const double count = chunks(n / s.npes) * elsewhere(s);
    return syncs(2, s) + all_work(s, n, n) +
           fabric(s, count, count, 2 * s.local * elsewhere(s) * n / s.npes);
}
Cost linear(const Shape& s) {
    const double n = s.bytes;
    const double count = chunks(n);
    return syncs(1, s) + Cost{.waits = s.npes - 1 + count} + all_work(s, 2 * n, n) +
           fabric(s, s.nodes - 1, count, n);
}
Cost recursive_doubling(const Shape& s) {
    const double n = s.bytes;
    const double rounds = lg(s.npes);
    return syncs(1, s) + Cost{.waits = (s.is_crowded() ? 0 : 1) + chunks(n) * near_rounds(s)} +
           all_work(s, kMail * n + 2 * n * rounds, 1.5 * n * rounds) +
           fabric(s, rounds, s.local * chunks(n) * rounds, s.local * n * rounds);
}
Cost hierarchical(const Shape& s) {
    const double n = s.bytes;
    const double m = s.local;
    const double times = chunks(n);
    const double rounds = times * lg(s.nodes);
    return Cost{.waits = times * 2 * (s.is_crowded() ? 1 : lg(m)),
                .copied = m * n,
                .copied_in_all = m * n,
                .combined = 2 * m * n,
                .combined_in_all = 2 * m * n} +
           fabric(s, rounds, rounds, lg(s.nodes) * n);
}
}  // namespace scan_cost

namespace reduce_cost {
Cost slice(const Shape& s) {
    const double n = s.bytes;
    if (n <= 512) {  // Each combines all of it.
        return syncs(2, s) + all_work(s, n, s.npes * n) +
               fabric(s, elsewhere(s), s.local * elsewhere(s), s.local * elsewhere(s) * n);
    }
    const double count = chunks(n / s.npes) * elsewhere(s);
    return syncs(2, s) + all_work(s, n + 2 * s.npes * kPiece, n) +
           fabric(s, 2 * count, 0, 2 * s.local * elsewhere(s) * n / s.npes);
}
Cost flat_tree(const Shape& s) {
    const double n = s.bytes;
    const double p = s.npes;
    return syncs(2, s) +
           Cost{.copied = p * (n + 2 * kLine),
                .copied_in_all = p * (n + 2 * kLine),
                .combined = (p - 1) * n,
                .combined_in_all = (p - 1) * n} +
           fabric(s, 2 * chunks(n) * elsewhere(s), 0, elsewhere(s) * n);
}
Cost recursive_doubling(const Shape& s) {
    const double n = s.bytes;
    const double rounds = exchange_rounds(s.npes);
    // Partners less than m apart are on the same node only where m is a power of two.
    const double near = !s.spans_nodes() ? rounds : is_power_of_two(s.local) ? lg(s.local) : 0;
    const double far = rounds - near;
    if (n <= static_cast<double>(kChunkBytes)) {
        return Cost{.waits = near} + all_work(s, kMail * n * rounds + 2 * n, n * rounds) +
               fabric(s, far, s.local * far, s.local * n * far);
    }
    // "Left computes": half of the members work.
    return Cost{.waits = 2 * near,
                .copied = n * rounds,
                .copied_in_all = s.local / 2 * n * rounds,
                .combined = n * rounds,
                .combined_in_all = s.local / 2 * n * rounds} +
           fabric(s, (2 + 2 * chunks(n)) * far, 0, s.local * n * far);
}
Cost bruck(const Shape& s) {
    const double n = s.bytes;
    const double rounds = exchange_rounds(s.npes);
    return Cost{.waits = chunks(n) * (near_rounds(s) + folds(s.npes))} +
           all_work(s, kMail * n * rounds + 2 * n, n * rounds) +
           fabric(s, chunks(n) * lg(s.npes), s.local * chunks(n) * lg(s.npes),
                  s.local * n * lg(s.npes));
}
Cost rabenseifner(const Shape& s) {
    const double n = s.bytes;
    const double p = s.npes;
    const double fold = folds(s.npes) / 2 * n;
    const double far = far_rounds(s);
    const double moved = n * (s.nodes - 1) / s.nodes;  // of a node, each way
    return Cost{.waits = 2 * (near_rounds(s) + folds(s.npes))} +
           all_work(s, 2 * n * (p - 1) / p + fold, n * (p - 1) / p + fold) +
           Cost{.combined = n / p} +  // In the merged step the left one combines for both.
           fabric(s, 3 * far + (s.is_crowded() ? s.local : 1) * chunks(moved / s.local),
                  s.local * far, 2 * moved);
}
Cost ring(const Shape& s) {
    const double n = s.bytes;
    const double p = s.npes;
    const double moved = n * (p - 1) / p;
    return Cost{.waits = 2 * (p - 1)} + all_work(s, 2 * moved, moved) +
           fabric(s, 2 * (p - 1) + ring_turns(s, p - 1, n / p), 2 * (p - 1), 2 * moved);
}
Cost knomial(const Shape& s) {
    const double n = s.bytes;
    const double levels = log_radix(s.local);
    const double far = log_radix(s.nodes);
    const double most = (kRadix - 1) / 2;
    const double count = pieces(n, kRadix * static_cast<double>(kChunkBytes));
    const bool is_short = n <= static_cast<double>(kChunkBytes);  // Long ones are got.
    // As in ring_turns(): elsewhere pieces overlap.
    const double turns = s.is_crowded() && !is_short ? pieces(n, kKnomialPiece) : 0;
    return Cost{.waits = 2 * levels + count - 1,
                .copied = most * levels * n + n + (is_short ? kMail * (s.local - 1) * n : 0),
                .copied_in_all = (s.local - 1) * n,
                .combined = most * levels * n,
                .combined_in_all = (s.local - 1) * n} +
           fabric(s, (is_short ? 3.4 : 4) * far + turns, far_children(s) * far * chunks(n),
                  far_children(s) * far * n);
}
Cost hierarchical(const Shape& s) {
    const double n = s.bytes;
    const double m = s.local;
    const bool is_short = n <= static_cast<double>(kHierarchicalShortBytes);
    const double times = is_short ? chunks(n) : 1;
    const Cost meeting{.waits = times * 2 * (s.is_crowded() ? 1 : lg(m))};
    if (is_short) {  // The first members alone.
        const double rounds = times * exchange_rounds(s.nodes);
        return meeting +
               Cost{.copied = m * n,
                    .copied_in_all = m * n,
                    .combined = m * n,
                    .combined_in_all = m * n} +
               fabric(s, rounds, rounds, rounds * n);
    }
    const double moved = n * (s.nodes - 1) / s.nodes;
    // The lanes of a node take turns, each for every piece.
    const double turns = 0.75 * m * (m - 1) * ring_turns(s, s.nodes - 1, n / m / s.nodes);
    return meeting + all_work(s, n * (m - 1) / m, n) +
           fabric(s, 2 * (s.nodes - 1) + turns, 2 * (s.nodes - 1), 2 * moved);
}
Cost mail(const Shape& s) {
    return from_all(s) + Cost{.copied = kMail / 2 * s.npes * s.bytes} +
           all_work(s, s.npes * (s.bytes + kLine), s.npes * s.bytes);
}
}  // namespace reduce_cost

}  // namespace tessera::collectives
