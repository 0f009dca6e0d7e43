// SPDX-License-Identifier: BSD-3-Clause
//
// Which members of a team are on which node. Nodes in the order of their first PEs, members of a
// node in that of the team. The same on all members, but for `mine` and `index_on_node`. Regular
// teams need no arrays: the members of each node follow each other, and each node but the last has
// as many as the first.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tessera {

struct TeamNodes {
    int npes = 0;                  // members of the team
    int nodes = 0;                 // 0: one node, and nothing here is used
    int largest = 0;               // members on the node that has most
    int smallest = 0;              // members on the node that has fewest
    int mine = 0;                  // the node of this PE
    int index_on_node = 0;         // this PE's number among the members of its node
    bool is_in_order = true;       // Members of a node follow each other: members[i] is i.
    const int* members = nullptr;  // members of node 0, of node 1, ...; nullptr: is_in_order
    // Node k's are members[begins[k]] to members[begins[k + 1] - 1]; nullptr: begins[k] is k *
    // largest.
    const int* begins = nullptr;

    int count() const { return nodes; }
    int begin(int node) const {
        return begins != nullptr ? begins[node] : std::min(node * largest, npes);
    }
    int size(int node) const { return begin(node + 1) - begin(node); }
    int member(int node, int at) const {
        const int place = begin(node) + at;
        return members != nullptr ? members[place] : place;
    }
};

}  // namespace tessera
