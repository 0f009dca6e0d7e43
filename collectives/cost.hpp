// SPDX-License-Identifier: BSD-3-Clause
//
// The cost model: what a collective costs is counted by its algorithm (table.cpp) in a few
// quantities, and a machine is a price for each. docs/collectives.md derives the counts; osh_tune
// measures the prices.
#pragma once

#include <cstddef>

namespace tessera::collectives {

// The prices, in seconds. The defaults are those of an ordinary server with sockets between nodes.
struct Machine {
    double alpha = 60e-9;         // a flag set by one PE until another of the node has seen it
    double switching = 0.6e-6;    // to the PE that waits, where PEs share a core
    double beta = 0.02e-9;        // copying a byte between PEs of the node, from cache
    double beta_far = 0.06e-9;    // the same from memory
    double gamma = 0.01e-9;       // combining a byte with another: sum of doubles
    double cache_bytes = 8e6;     // how much stays in cache, for all PEs of the node together
    double fabric_alpha = 15e-6;  // a message of a few bytes to another node
    double fabric_beta = 0.2e-9;  // a byte through a node's link
    double fabric_ready = 5e-6;   // handing an operation to the fabric
    bool operator==(const Machine&) const = default;
};

// Who takes part, as the model sees it.
struct Shape {
    double npes = 1;
    double nodes = 1;
    double local = 1;  // members on the node that has most
    double cores = 1;  // that these can use
    double bytes = 0;  // of a vector, a contribution, or a block

    bool is_crowded() const { return local > cores; }
    bool spans_nodes() const { return nodes > 1; }
};

// What one call needs. "In turn": on the longest chain of things that wait for each other. "In
// all": by all members of a node together, which share its cores.
struct Cost {
    double waits = 0;   // for a member of the node, in turn
    double copied = 0;  // bytes, in turn
    double copied_in_all = 0;
    double combined = 0;
    double combined_in_all = 0;
    double fabric_waits = 0;  // for another node, in turn
    double fabric_posts = 0;  // operations that the members of a node hand to the fabric, in all
    double fabric_bytes = 0;  // through the busiest node's link, in the busier direction

    friend Cost operator+(const Cost& a, const Cost& b) {
        return {.waits = a.waits + b.waits,
                .copied = a.copied + b.copied,
                .copied_in_all = a.copied_in_all + b.copied_in_all,
                .combined = a.combined + b.combined,
                .combined_in_all = a.combined_in_all + b.combined_in_all,
                .fabric_waits = a.fabric_waits + b.fabric_waits,
                .fabric_posts = a.fabric_posts + b.fabric_posts,
                .fabric_bytes = a.fabric_bytes + b.fabric_bytes};
    }
};

// What a call of this cost takes, in seconds.
double seconds(const Cost& cost, const Shape& shape, const Machine& machine);

// Where that comes from, for those who ask why: "waits 1.2 us, copies 3.4 us".
struct Parts {
    double waiting, moving, combining, fabric;
};
Parts parts(const Cost& cost, const Shape& shape, const Machine& machine);

}  // namespace tessera::collectives
