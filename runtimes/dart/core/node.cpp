// SPDX-License-Identifier: BSD-3-Clause
#include "core/node.hpp"

#include <sched.h>
#include <shmemx.h>

#include <algorithm>

namespace tessera::dart {

Node node;

namespace {

int processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : CPU_SETSIZE;
}

// Whether units of the node share processors. A unit that is bound to a core shares only that one.
bool is_oversubscribed(char* symmetric, int units_of_node) {
    shmemx_location_t mine;
    shmemx_pe_location(shmem_my_pe(), &mine);
    if (mine.core < 0) return units_of_node > processors();
    int units_of_core = 0;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        if (shmem_ptr(symmetric, pe) != nullptr) {
            shmemx_location_t other;
            shmemx_pe_location(pe, &other);
            units_of_core += other.core == mine.core || other.core < 0 ? 1 : 0;
        }
    }
    return units_of_core > 1;
}

}  // namespace

void find_node(char* symmetric) {
    const int npes = shmem_n_pes();
    int last = 0;
    node.first_unit = npes;
    for (int pe = 0; pe < npes; ++pe) {
        if (shmem_ptr(symmetric, pe) != nullptr) {
            node.first_unit = std::min(node.first_unit, pe);
            last = pe;
            ++node.units;
        }
    }
    const int other = (shmem_my_pe() + 1) % npes;
    node.is_coherent =
        shmem_ptr(symmetric, other) != nullptr || shmemx_public_ptr(symmetric, other) == nullptr;
    const bool is_mapped = node.units > 0 && node.is_coherent;
    node.count = is_mapped ? static_cast<std::uint32_t>(last - node.first_unit + 1) : 0;
    node.distances = new std::ptrdiff_t[node.count];
    for (std::uint32_t i = 0; i < node.count; ++i) {
        const void* mapped = shmem_ptr(symmetric, node.first_unit + static_cast<int>(i));
        node.distances[i] =
            mapped == nullptr
                ? Node::kNotMapped
                : static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(mapped) -
                                              reinterpret_cast<std::uintptr_t>(symmetric));
    }
    node.has_other_nodes = node.units < npes;
    node.is_oversubscribed = is_oversubscribed(symmetric, node.units);
}

}  // namespace tessera::dart
