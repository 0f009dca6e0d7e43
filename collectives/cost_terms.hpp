// SPDX-License-Identifier: BSD-3-Clause
//
// Terms that the cost formulas of several algorithms share: costs of syncs and of common traffic,
// counts of rounds, and constants. A constant is a ratio between two kinds of work that the
// parameters of a machine do not distinguish; each was fitted to bench/algorithms.cpp on the
// machines that docs/code/performance.md names. In formulas p: members, m: members of a node, N:
// nodes, n: bytes.
#pragma once

#include <algorithm>
#include <cmath>

#include "collectives/model.hpp"

namespace tessera::collectives {

// Where PEs share cores: the cost of waiting for a PE that has already run since the caller's last
// context switch, as a fraction of waiting for a PE that has not. osh_tune cannot measure it,
// because its PEs do not share cores.
inline constexpr double kWaitForRunPe = 0.6;
// Where PEs share cores, a node that passes bytes on waits for a core to do it: the time of a hop,
// as a multiple of the time of the bytes alone.
inline constexpr double kOversubscribedHop = 1.8;
// The cost of writing a byte that another PE reads next, as a multiple of reading a byte that lies
// in memory: the writer fetches the reader's cache lines first.
inline constexpr double kPush = 7.0;
// The same in short messages, where the processor does not prefetch. Half of it if PEs share a core
// and so its cache.
inline constexpr double kMailboxPush = 14;
// The cost of reading the blocks of other members, as a multiple of writing own blocks to them.
inline constexpr double kGather = 1.25;
// The cost of copying bytes that have just arrived, as a multiple of copying this PE's own bytes.
inline constexpr double kForward = 1.15;
// The work of a call over streams beside its messages (a place in the background's table, counts,
// numbers), as bytes that the processor could copy in that time.
inline constexpr double kStreamCall = 16384;
// Off-node latencies until a put has arrived and its confirmation is back.
inline constexpr double kDelivery = 1.5;
// Bytes of a cache line, the smallest unit of transfer.
inline constexpr double kLine = 64;

inline double lg(double x) { return std::ceil(std::log2(x)); }
inline double lg4(double x) { return std::ceil(std::log2(x) / 2); }
inline double pieces(double bytes, double piece) { return std::max(1.0, std::ceil(bytes / piece)); }
inline bool is_power_of_two(double x) { return std::exp2(lg(x)) == x; }
// Rounds of an exchange by pairs: two more fold the members beyond the largest power of two.
inline double fold_rounds(double x) { return is_power_of_two(x) ? 0 : 2; }
inline double exchange_rounds(double x) { return std::floor(std::log2(x)) + fold_rounds(x); }
// Rounds of lg p whose partners are on the same node, and those whose partners are not.
inline double on_node_rounds(const TeamLayout& team) { return lg(team.largest_node); }
inline double off_node_rounds(const TeamLayout& team) {
    return lg(team.npes) - lg(std::min(team.largest_node, team.npes));
}
// Messages of a member of a tree of radix 4 between nodes, on each level.
inline double off_node_children(const TeamLayout& team) { return std::min(4.0, team.nodes) - 1; }

// `count` syncs of the team.
Cost syncs(double count, const TeamLayout& team);
// Every member waits for a flag of every member.
Cost flags_from_all(const TeamLayout& team);
// Each member copies `copied` and combines `combined` bytes.
Cost each_member(const TeamLayout& team, double copied, double combined);
// Two syncs, and each member puts `n` bytes to each.
Cost puts_to_all(const TeamLayout& team, double n);
// Messages over streams: each member sends `n` bytes to each other one.
Cost streams_to_all(const TeamLayout& team, double n);
// Traffic between nodes; nothing for a team on one node.
Cost off_node(const TeamLayout& team, double latencies, double operations, double bytes);

}  // namespace tessera::collectives
