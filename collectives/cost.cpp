// SPDX-License-Identifier: BSD-3-Clause
//
// See cost.hpp.
#include "collectives/cost.hpp"

#include <algorithm>

namespace tessera::collectives {
namespace {

constexpr double kCrowdedFabricSwitches = 8;  // measured: 15 to 70 us a message
constexpr double kCrowdedFabricBytes = 0.5;   // Those who copy wait for each other.

}  // namespace

Parts parts(const Cost& cost, const Shape& shape, const Machine& machine) {
    const double crowd = std::max(1.0, shape.local / shape.cores);
    // Where PEs share cores, all that are switched to before the one that is waited for come first.
    const double wait = shape.is_crowded() ? crowd * machine.switching : machine.alpha;
    const double working = std::min(shape.local, shape.cores);
    const double footprint = 2 * shape.local * shape.bytes;
    const double beta = footprint > machine.cache_bytes ? machine.beta_far : machine.beta;
    const double copied = std::max(cost.copied, cost.copied_in_all / working);
    const double combined = std::max(cost.combined, cost.combined_in_all / working);
    // Threads that serve the network want the cores as well, on both sides.
    const double fabric_wait =
        machine.fabric_alpha + (shape.is_crowded() ? kCrowdedFabricSwitches * wait : 0);
    return {.waiting = cost.waits * wait,
            .moving = copied * beta,
            .combining = combined * machine.gamma,
            .fabric = cost.fabric_waits * fabric_wait +
                      cost.fabric_posts * machine.fabric_ready / working +
                      cost.fabric_bytes * machine.fabric_beta *
                          (shape.is_crowded() ? kCrowdedFabricBytes * crowd : 1)};
}

double seconds(const Cost& cost, const Shape& shape, const Machine& machine) {
    const Parts all = parts(cost, shape, machine);
    return all.waiting + all.moving + all.combining + all.fabric;
}

}  // namespace tessera::collectives
