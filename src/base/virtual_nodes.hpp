// SPDX-License-Identifier: BSD-3-Clause
//
// SHMEM_VIRTUAL_NODES cuts the PEs of a host into nodes: runs of neighbours whose lengths differ by
// at most one. Position i of n goes to node i*k/n. Used by oshrun, which makes the files of each
// node, and by PEs, which must come to the same result (launch/, heap/static_data.cpp).
#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera {

// The number of nodes for `npes` PEs if the user asks for `wanted`: no node is empty.
constexpr int virtual_node_count(int npes, std::int64_t wanted) {
    return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max(npes, 1)));
}

// A node as a run of positions among the PEs of the host.
struct VirtualNode {
    int number = 0;
    int first = 0;
    int npes = 1;
};

// REQUIRES: 0 <= number < nodes <= npes.
constexpr VirtualNode virtual_node(int number, int npes, int nodes) {
    // The smallest position i with i*nodes/npes >= number.
    auto first_of = [&](std::int64_t node) {
        return static_cast<int>((node * npes + nodes - 1) / nodes);
    };
    return {.number = number,
            .first = first_of(number),
            .npes = first_of(std::int64_t{number} + 1) - first_of(number)};
}

// The node of the PE at `position`. REQUIRES: 0 <= position < npes, 1 <= nodes <= npes.
constexpr VirtualNode virtual_node_of(int position, int npes, int nodes) {
    return virtual_node(static_cast<int>(std::int64_t{position} * nodes / npes), npes, nodes);
}

}  // namespace tessera
