// SPDX-License-Identifier: BSD-3-Clause
//
// See model.hpp.
#include "collectives/model.hpp"

#include <algorithm>

namespace tessera::collectives {
namespace {

// Context switches of an off-node message where PEs share cores: the progress threads of both sides
// need the cores as well. Measured: 15 to 70 us a message. osh_tune cannot measure it, because its
// own PEs never share cores.
constexpr double kOversubscribedOffNodeSwitches = 8;
// Share of the members of an oversubscribed node that wait for the copies of each other's messages.
constexpr double kOversubscribedOffNodeBytes = 0.5;

}  // namespace

Parts parts(const Cost& cost, const TeamLayout& team, double bytes,
            const MachineParameters& machine) {
    const double pes_per_core = std::max(1.0, team.largest_node / team.cores);
    // Where PEs share cores, the PE that a member waits for may be the last one to get a core.
    const double latency =
        team.is_oversubscribed() ? pes_per_core * machine.context_switch : machine.alpha;
    const double working = std::min(team.largest_node, team.cores);
    const double footprint = 2 * team.largest_node * bytes;
    const double beta = footprint > machine.cache_bytes ? machine.beta_memory : machine.beta;
    const double copied = std::max(cost.copied_critical_path, cost.copied_total / working);
    const double combined = std::max(cost.combined_critical_path, cost.combined_total / working);
    const double off_node_latency =
        machine.off_node_latency +
        (team.is_oversubscribed() ? kOversubscribedOffNodeSwitches * latency : 0);
    return {.waiting = cost.latencies * latency,
            .moving = copied * beta,
            .combining = combined * machine.gamma,
            .off_node =
                cost.off_node_latencies * off_node_latency +
                cost.off_node_operations * machine.off_node_overhead / working +
                cost.off_node_bytes * machine.off_node_gap_per_byte *
                    (team.is_oversubscribed() ? kOversubscribedOffNodeBytes * pes_per_core : 1)};
}

}  // namespace tessera::collectives
