// SPDX-License-Identifier: BSD-3-Clause
//
// The cost model. An algorithm counts the work of a call (Cost) as a function of the team and the
// bytes; a machine is a set of parameters; seconds() composes both. The parameters are alpha, beta
// and gamma of the literature on one node, and the latency, overhead and gap per byte of LogGP
// between nodes. docs/code/collectives.md derives the counts; osh_tune measures the parameters.
// Reference: Alexandrov et al., "LogGP: Incorporating Long Messages into the LogP Model", 1995.
#pragma once

#include <cstddef>

namespace tessera::collectives {

// Times in seconds. The defaults are those of an ordinary server with sockets between nodes.
struct MachineParameters {
    double alpha = 60e-9;             // from setting a flag until another PE of the node sees it
    double context_switch = 0.6e-6;   // to the waiting PE, where PEs share a core
    double beta = 0.02e-9;            // copying a byte between PEs of the node, from cache
    double beta_memory = 0.06e-9;     // the same from memory
    double gamma = 0.01e-9;           // combining a byte with another: sum of doubles
    double cache_bytes = 8e6;         // the caches of all PEs of the node together
    double off_node_latency = 15e-6;  // LogGP L + 2 o: a message of a few bytes
    double off_node_gap_per_byte = 0.2e-9;  // LogGP G: a byte through a node's link
    double off_node_overhead = 5e-6;        // LogGP o: handing an operation to the fabric
    // Not part of the model: from these sizes on helpers save a PE time, on its node and between
    // nodes (progress/offload.hpp); 0: not measured.
    double helper_bytes = 0;
    double off_node_helper_bytes = 0;
    bool operator==(const MachineParameters&) const = default;
};

// The members of a team, as the model sees them.
struct TeamLayout {
    double npes = 1;
    double nodes = 1;
    double largest_node = 1;  // members on the node that has most
    double cores = 1;         // cores that these members can use

    bool is_oversubscribed() const { return largest_node > cores; }
    bool spans_nodes() const { return nodes > 1; }
    double off_node_members() const { return npes - largest_node; }
};

// The work of one call. "Critical path": on the longest chain of steps that depend on each other.
// "Total": by all members of a node together, which share its cores.
struct Cost {
    double latencies = 0;  // waits for a flag of another member of the node, on the critical path
    double copied_critical_path = 0;  // bytes
    double copied_total = 0;
    double combined_critical_path = 0;
    double combined_total = 0;
    double off_node_latencies = 0;   // waits for a message of another node, on the critical path
    double off_node_operations = 0;  // handed to the fabric by all members of a node together
    double off_node_bytes = 0;       // through the busiest node's link, in the busier direction

    friend Cost operator+(const Cost& a, const Cost& b) {
        return {.latencies = a.latencies + b.latencies,
                .copied_critical_path = a.copied_critical_path + b.copied_critical_path,
                .copied_total = a.copied_total + b.copied_total,
                .combined_critical_path = a.combined_critical_path + b.combined_critical_path,
                .combined_total = a.combined_total + b.combined_total,
                .off_node_latencies = a.off_node_latencies + b.off_node_latencies,
                .off_node_operations = a.off_node_operations + b.off_node_operations,
                .off_node_bytes = a.off_node_bytes + b.off_node_bytes};
    }
};

// A call's cost. `bytes`: of the vector for broadcast, scan and reduce; of one member's
// contribution for collect and fcollect; of a block for alltoall; 0 for a barrier.
using CostFunction = Cost (*)(const TeamLayout& team, double bytes);

// The time of a call of this cost, in seconds.
struct Parts {
    double waiting, moving, combining, off_node;
    double sum() const { return waiting + moving + combining + off_node; }
};
Parts parts(const Cost& cost, const TeamLayout& team, double bytes,
            const MachineParameters& machine);
inline double seconds(const Cost& cost, const TeamLayout& team, double bytes,
                      const MachineParameters& machine) {
    return parts(cost, team, bytes, machine).sum();
}

}  // namespace tessera::collectives
