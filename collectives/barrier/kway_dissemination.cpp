// SPDX-License-Identifier: BSD-3-Clause
//
// Dissemination with k = 4: in round r every member tells the k-1 members that are 1, 2 and 3 times
// k^r places further, and waits for those as far back; it then has heard, directly or not, of the
// k^(r+1) - 1 members before it. Fewer rounds for more messages: good where the latency of a
// message is long and its overhead is small. Line 3r + j-1 belongs to the member j k^r places back.
// COST: ceil(log4 p) a on the longest path, 3 ceil(log4 p) messages of each member. Any p up to
// 2^20. Reference: Hoefler et al., "Fast Barrier Synchronization for InfiniBand", 2006.
#include "collectives/barrier/barrier.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/flags.hpp"

namespace tessera::collectives {
namespace {

constexpr int kWays = 4;
constexpr int kLinesInRound = kWays - 1;
constexpr std::int64_t kMembersMax = std::int64_t{1} << (kSyncRoundsMax / kLinesInRound * 2);
static_assert(kMembersMax == 1 << 20);

// Calls visit(distance, line) for the round's members, except those that other rounds have reached.
template <class Visit>
void for_each_way(const Team& team, std::int64_t stride, int round, Visit visit) {
    for (int way = 1; way < kWays && way * stride < team.npes; ++way)
        visit(static_cast<int>(way * stride), kLinesInRound * round + way - 1);
}

void sync_kway_dissemination(Team& team, const char* where) {
    const std::uint32_t number = ++team.syncs;
    TeamFlags& mine = team.my_flags();
    int round = 0;
    for (std::int64_t stride = 1; stride < team.npes; stride *= kWays, ++round) {
        for_each_way(team, stride, round, [&](int distance, int line) {
            const int index = team.my_index < team.npes - distance
                                  ? team.my_index + distance
                                  : team.my_index - (team.npes - distance);
            post_flag(team, index, line, number);
        });
        for_each_way(team, stride, round, [&](int /*distance*/, int line) {
            mine.arrival[line].gate.wait_for(number, where);
        });
    }
}

Cost barrier_kway_dissemination_cost(const TeamLayout& team, double /*bytes*/) {
    const double rounds = lg4(team.npes);
    const double off_node_levels =
        team.spans_nodes() ? rounds - std::floor(std::log2(team.largest_node) / 2) : 0;
    return {.latencies = 2.2 * (rounds - off_node_levels),
            .off_node_latencies = off_node_levels,
            .off_node_operations = 3 * team.largest_node * off_node_levels};
}

}  // namespace

extern constinit const Algorithm<Barrier> kBarrierKwayDissemination{
    {.name = "kway_dissemination",
     .formula = "log4 p a",
     .best_when = "several nodes of one PE",
     .cost = barrier_kway_dissemination_cost},
    sync_kway_dissemination};

}  // namespace tessera::collectives
