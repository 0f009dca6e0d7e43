// SPDX-License-Identifier: BSD-3-Clause
//
// The one list of collective algorithms, and the entry points that use it. Adding an algorithm: one
// file under collectives/<collective>/, one row in table.cpp, one line in the tests.
#pragma once

#include <span>
#include <string_view>

#include "collectives/reduce/reduction.hpp"
#include "core/context.hpp"
#include "core/team.hpp"

namespace tessera::collectives {

struct SyncAlgorithm {
    std::string_view name;  // as in SHMEM_BARRIER_ALGORITHM
    std::string_view cost;  // a: one message between PEs, s: one context switch, p: PEs
    std::string_view best_when;
    SyncFunction run;
};

std::span<const SyncAlgorithm> sync_algorithms();

// The algorithm that `team` uses: the one that the user names, else the cheapest for its size and
// for the cores there are.
const SyncAlgorithm& choose_sync(const Team& team);

struct ReduceAlgorithmRow {
    std::string_view name;  // as in SHMEM_REDUCE_ALGORITHM
    std::string_view cost;  // also n: bytes, b: moving a byte, c: combining a byte
    std::string_view best_when;
    bool needs_links;  // of a team: no active sets
    bool any_order;    // results must not depend on the order
    Access best_access;
    void (*run)(const Reduction& call);
};
std::span<const ReduceAlgorithmRow> reduce_algorithms();

// The algorithm for a call; the same on all members.
const ReduceAlgorithmRow& choose_reduce(const Reduction& call, bool is_exact);

// dest on all members = source of member 0 op source of member 1 op ...; dest may be source.
// `is_exact`: the result does not depend on the order of the operations.
void reduce(const Group& group, void* dest, const void* source, std::size_t nelems,
            const Kernel& kernel, bool is_exact);

// Fixes the choices of a new team.
void prepare(Team& team);

// RETURNS when: all members of the team have called it; what each had stored before is visible to
// all.
// COST: one indirect call, then the algorithm's.
inline void sync(Team& team, const char* where) { team.sync(team, where); }

// quiet on the default context, then sync.
inline void barrier(Team& team, const char* where) {
    // On mapped memory the sync's own release and acquire complete what quiet would.
    if (address_map.needs_transport) [[unlikely]]
        default_context.quiet();
    team.sync(team, where);
}

}  // namespace tessera::collectives
