// SPDX-License-Identifier: BSD-3-Clause
//
// See table.hpp.
#include "collectives/table.hpp"

#include "collectives/barrier/central.hpp"
#include "collectives/barrier/dissemination.hpp"
#include "core/config.hpp"

namespace tessera::collectives {
namespace {

constexpr SyncAlgorithm kSyncAlgorithms[] = {
    {"central", "p a + s", "more PEs than cores: each PE is switched to once", sync_central},
    {"dissemination", "ceil(log2 p) a", "a core for each PE", sync_dissemination},
};

const SyncAlgorithm& named(std::string_view name) {
    for (const SyncAlgorithm& algorithm : kSyncAlgorithms) {
        if (algorithm.name == name) return algorithm;
    }
    __builtin_unreachable();  // config.cpp accepts no other name.
}

}  // namespace

std::span<const SyncAlgorithm> sync_algorithms() { return kSyncAlgorithms; }

const SyncAlgorithm& choose_sync(const Team& team) {
    if (!team.is_on_one_node) return named("dissemination");
    BarrierAlgorithm wanted = config().barrier_algorithm;
    if (wanted != BarrierAlgorithm::kAuto) {
        return named(kBarrierAlgorithmNames[static_cast<std::size_t>(wanted)]);
    }
    return named(team.more_members_than_cores ? "central" : "dissemination");
}

void prepare(Team& team) {
    find_partners(team);
    if (team.sync == nullptr) team.sync = choose_sync(team).run;
}

}  // namespace tessera::collectives
