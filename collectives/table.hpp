// SPDX-License-Identifier: BSD-3-Clause
//
// The one list of collective algorithms: name, restriction, cost. Adding one: a file under
// collectives/<collective>/, a cost in costs.cpp, a row in table.cpp, its name in
// src/core/config.hpp, a line in the tests. Which one a call uses is decided in choice.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "collectives/alltoall/direct.hpp"
#include "collectives/broadcast/direct.hpp"
#include "collectives/cost.hpp"
#include "collectives/group.hpp"
#include "collectives/reduce/reduction.hpp"
#include "collectives/scan/algorithms.hpp"
#include "core/team.hpp"

namespace tessera::collectives {

enum class Collective : std::uint8_t {
    kBarrier,
    kBroadcast,
    kCollect,
    kFcollect,
    kAlltoall,
    kScan,
    kReduce
};
inline constexpr std::size_t kCollectives = 7;
inline constexpr std::string_view kCollectiveNames[kCollectives] = {
    "barrier", "broadcast", "collect", "fcollect", "alltoall", "scan", "reduce"};

inline constexpr std::string_view kCollectiveSettings[kCollectives] = {
    "SHMEM_BARRIER_ALGORITHM",  "SHMEM_BROADCAST_ALGORITHM", "SHMEM_COLLECT_ALGORITHM",
    "SHMEM_FCOLLECT_ALGORITHM", "SHMEM_ALLTOALL_ALGORITHM",  "SHMEM_SCAN_ALGORITHM",
    "SHMEM_REDUCE_ALGORITHM"};
inline constexpr std::size_t kNoLimit = ~std::size_t{0};

// Where an algorithm can be used. As it stands: anywhere, also by active sets.
struct Restriction {
    bool links = false;                // teams whose members have links
    bool power_of_two = false;         // of members
    bool even = false;                 // number of members
    bool one_node = false;             // all members on one
    bool several_nodes = false;        // members on more than one
    bool nodes_in_order = false;       // members of a node follow each other
    bool contiguous = false;           // no alltoalls
    bool any_order = false;            // of operations: results must not depend on it
    bool in_order = true;              // combines in the order of the members, one after the other
    std::size_t total_max = kNoLimit;  // of all members' blocks together
    std::size_t bytes_max = kNoLimit;
};

// What the choice and the lists know of an algorithm.
struct Row {
    std::string_view name;       // as in SHMEM_<COLLECTIVE>_ALGORITHM
    std::string_view cost_text;  // a: a message, b: moving a byte, c: combining one, s: a switch
    std::string_view best_when;
    Restriction restriction;
    Cost (*cost)(const Shape& shape);
};
template <class Run>
struct Entry {
    Row row;
    Run run;
};

using BroadcastFunction = void (*)(const Group& group, void* dest, const void* source,
                                   std::size_t bytes, int root, RootDest root_dest);
using MoveFunction = void (*)(const Group& group, void* dest, const void* source,
                              std::size_t bytes);
struct AlltoallFunctions {
    MoveFunction contiguous;
    void (*strided)(const Group& group, void* dest, const void* source,
                    const StridedBlocks& blocks);  // nullptr where contiguous
};
using ScanFunction = void (*)(const Group& group, void* dest, const void* source,
                              std::size_t nelems, const Operation& sum, ScanKind kind);
struct ReduceFunction {
    void (*run)(const Reduction& call);
    std::size_t direct_from;  // auto takes put_get below so many bytes
};

// The rows, in the order of their setting's names. The first one has no restriction.
std::span<const Entry<SyncFunction>> barrier_algorithms();
std::span<const Entry<BroadcastFunction>> broadcast_algorithms();
std::span<const Entry<MoveFunction>> collect_algorithms();
std::span<const Entry<MoveFunction>> fcollect_algorithms();
std::span<const Entry<AlltoallFunctions>> alltoall_algorithms();
std::span<const Entry<ScanFunction>> scan_algorithms();
std::span<const Entry<ReduceFunction>> reduce_algorithms();

// The same without the functions.
const std::vector<const Row*>& rows_of(Collective collective);

}  // namespace tessera::collectives
