// SPDX-License-Identifier: BSD-3-Clause
//
// See table.hpp.
#include "collectives/table.hpp"

#include "collectives/barrier/central.hpp"
#include "collectives/barrier/dissemination.hpp"
#include "collectives/reduce/algorithms.hpp"
#include "core/config.hpp"

namespace tessera::collectives {
namespace {

constexpr SyncAlgorithm kSyncAlgorithms[] = {
    {"central", "p a + s", "more PEs than cores: each PE is switched to once", sync_central},
    {"dissemination", "ceil(log2 p) a", "a core for each PE", sync_dissemination},
};

constexpr ReduceAlgorithmRow kReduceAlgorithms[] = {
    {"slice", "2 syncs + n b + n c", "on one node; anywhere, where nothing else is possible", false,
     false, Access::kDirect, reduce_slice},
    {"flat_tree", "p a + 2 n (p-1) b + n (p-1) c", "hardly ever: for comparison", false, false,
     Access::kDirect, reduce_flat_tree},
    {"recursive_doubling", "lg p a + n lg p b + n lg p c", "short vectors, several nodes", true,
     false, Access::kPutGet, reduce_recursive_doubling},
    {"bruck", "lg p a + n lg p b + n lg p c", "as recursive_doubling, one-way traffic", true, true,
     Access::kPutGet, reduce_bruck},
    {"rabenseifner", "2 lg p a + 2 n (p-1)/p b + n (p-1)/p c", "long vectors, several nodes", true,
     false, Access::kDirect, reduce_rabenseifner},
};
constexpr std::size_t kShortVectorBytes = 1024;
constexpr int kFewMembers = 4;
constexpr std::size_t kLongVectorBytes = 16384;

const ReduceAlgorithmRow& reduce_row(ReduceAlgorithm which) {
    const std::string_view name = kReduceAlgorithmNames[static_cast<std::size_t>(which)];
    for (const ReduceAlgorithmRow& row : kReduceAlgorithms) {
        if (row.name == name) return row;
    }
    __builtin_unreachable();  // config.cpp accepts no other name.
}

const SyncAlgorithm& named(std::string_view name) {
    for (const SyncAlgorithm& algorithm : kSyncAlgorithms) {
        if (algorithm.name == name) return algorithm;
    }
    __builtin_unreachable();  // config.cpp accepts no other name.
}

Access access_for(const ReduceAlgorithmRow& row) {
    switch (config().reduce_access) {
        case ReduceAccess::kDirect: return Access::kDirect;
        case ReduceAccess::kPutGet: return Access::kPutGet;
        case ReduceAccess::kAuto: break;
    }
    return row.best_access;
}

// As measured with 2, 4 and 8 PEs on 2 cores (docs/collectives.md).
ReduceAlgorithm cheapest_reduce(const Reduction& call, bool has_links) {
    if (!has_links) return ReduceAlgorithm::kSlice;
    const Team& team = call.group.team();
    if (team.is_on_one_node) {
        const bool is_short = call.bytes() <= kShortVectorBytes && team.npes <= kFewMembers;
        return is_short ? ReduceAlgorithm::kRecursiveDoubling : ReduceAlgorithm::kSlice;
    }
    return call.bytes() < kLongVectorBytes ? ReduceAlgorithm::kRecursiveDoubling
                                           : ReduceAlgorithm::kRabenseifner;
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

std::span<const ReduceAlgorithmRow> reduce_algorithms() { return kReduceAlgorithms; }

const ReduceAlgorithmRow& choose_reduce(const Reduction& call, bool is_exact) {
    ReduceAlgorithm wanted = config().reduce_algorithm;
    const bool has_links = call.group.is_team() && call.group.team().has_links;
    if (wanted == ReduceAlgorithm::kAuto) wanted = cheapest_reduce(call, has_links);
    const ReduceAlgorithmRow& row = reduce_row(wanted);
    if (row.needs_links && !has_links) return reduce_row(ReduceAlgorithm::kSlice);
    if (row.any_order && !is_exact) return reduce_row(ReduceAlgorithm::kRecursiveDoubling);
    return row;
}

void reduce(const Group& group, void* dest, const void* source, std::size_t nelems,
            const Kernel& kernel, bool is_exact) {
    if (nelems == 0) return;
    Reduction call{.group = group,
                   .dest = static_cast<char*>(dest),
                   .source = static_cast<const char*>(source),
                   .nelems = nelems,
                   .kernel = kernel};
    const ReduceAlgorithmRow& row = choose_reduce(call, is_exact);
    call.access = access_for(row);
    row.run(call);
}

void prepare(Team& team) {
    find_partners(team);
    if (team.sync == nullptr) team.sync = choose_sync(team).run;
}

}  // namespace tessera::collectives
