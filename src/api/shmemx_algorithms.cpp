// SPDX-License-Identifier: BSD-3-Clause
//
// The name of a collective's algorithm (include/shmemx.h). Reads what collectives/select.cpp has
// chosen; no collective pays for it.
#include <optional>
#include <string_view>

#include "api/entry.hpp"
#include "api/handles.hpp"
#include "collectives/choice.hpp"
#include "shmemx.h"

namespace tessera::api {
namespace {

using collectives::OrderDependence;

struct Parsed {
    Collective collective;
    bool is_strided = false;
    OrderDependence dependence = OrderDependence::kNone;
    bool is_private = false;
};

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// How the result of shmem_TYPENAME_OPERATION_reduce depends on the order.
OrderDependence dependence_of(std::string_view routine) {
    const bool is_real = has(routine, "float") || has(routine, "double") || has(routine, "complex");
    if (!is_real) return OrderDependence::kNone;
    const bool is_extreme = has(routine, "_max_") || has(routine, "_min_");
    return is_extreme ? OrderDependence::kSpecialValues : OrderDependence::kRounding;
}

// Finds the collective of a routine of shmemx.h by the parts of its name; the longer parts come
// first. Reductions count as sums of doubles.
std::optional<Parsed> parse_runtime_routine(std::string_view routine) {
    struct Name {
        std::string_view part;
        Collective collective;
        OrderDependence dependence = OrderDependence::kNone;
    };
    static constexpr Name kNames[] = {
        {"broadcast", Collective::kBroadcast},
        {"allgatherv", Collective::kAllgatherv},
        {"allgather", Collective::kFcollect},
        {"alltoallv", Collective::kAlltoallv},
        {"alltoall", Collective::kAlltoall},
        {"reduce_scatter", Collective::kReduceScatter, OrderDependence::kRounding},
        {"allreduce", Collective::kReduce, OrderDependence::kRounding},
        {"reduce", Collective::kReduceToRoot, OrderDependence::kRounding},
        {"gather", Collective::kGather},
        {"scatter", Collective::kScatter},
    };
    for (const Name& name : kNames) {
        if (!has(routine, name.part)) continue;
        return Parsed{
            .collective = name.collective, .dependence = name.dependence, .is_private = true};
    }
    return {};
}

std::optional<Parsed> parse(std::string_view routine) {
    if (routine.starts_with("shmemx_")) return parse_runtime_routine(routine);
    if (!routine.starts_with("shmem_")) return {};
    if (has(routine, "barrier") || has(routine, "sync")) return Parsed{Collective::kBarrier};
    if (has(routine, "broadcast")) return Parsed{Collective::kBroadcast};
    if (has(routine, "fcollect")) return Parsed{Collective::kFcollect};
    if (has(routine, "collect")) return Parsed{Collective::kCollect};
    if (has(routine, "alltoall"))
        return Parsed{.collective = Collective::kAlltoall, .is_strided = has(routine, "alltoalls")};
    const bool is_scan = has(routine, "scan");
    if (!is_scan && !has(routine, "_reduce") && !has(routine, "_to_all")) return {};
    return Parsed{.collective = is_scan ? Collective::kScan : Collective::kReduce,
                  .is_strided = false,
                  .dependence = dependence_of(routine)};
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;

SHMEM_ENTRY(const char*, shmemx_collective_algorithm, shmem_team_t team, const char* routine,
            size_t bytes) {
    tessera::Team& own = api::team_of(team, SHMEM_WHERE);
    const auto parsed = api::parse(routine == nullptr ? "" : routine);
    if (!parsed) return nullptr;
    // The names of algorithms are literals, so they end with 0.
    const std::string_view name =
        tessera::collectives::chosen_algorithm(own, parsed->collective,
                                               {.is_strided = parsed->is_strided,
                                                .dependence = parsed->dependence,
                                                .bytes = bytes,
                                                .is_private = parsed->is_private});
    return name.empty() ? nullptr : name.data();
}
