// SPDX-License-Identifier: BSD-3-Clause
//
// Which PEs of a job share a node: a node is named by its first PE. Launchers that give a node
// neighbouring PEs need no memory for each PE: nodes of one length are a formula, others a list of
// nodes. Any other placement is a list of PEs. launch/ makes it; teams, and all that asks which
// node a PE is on, read it. THREADS: any, as it is constant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace tessera {

class NodeNames {
  public:
    // All PEs are on one node.
    NodeNames() = default;
    // Each node has neighbours. `begins`: the first PEs of the nodes, ascending, from 0.
    static NodeNames of_runs(std::vector<int> begins, int npes) {
        NodeNames names;
        names.npes_ = npes;
        names.nodes_ = static_cast<int>(begins.size());
        names.length_ = names.nodes_ > 1 ? begins[1] : npes;
        for (std::size_t k = 0; k < begins.size(); ++k) {
            const bool is_equal = begins[k] == static_cast<int>(k) * names.length_;
            const bool is_last_too_long = npes - begins.back() > names.length_;
            if (is_equal && !is_last_too_long) continue;
            names.length_ = 0;
            names.begins_ = std::move(begins);
            break;
        }
        return names;
    }
    // `first_pes`: by PE, the first one of its node.
    static NodeNames of_pes(std::vector<int> first_pes) {
        const auto npes = static_cast<int>(first_pes.size());
        if (std::ranges::is_sorted(first_pes)) {
            first_pes.erase(std::unique(first_pes.begin(), first_pes.end()), first_pes.end());
            return of_runs(std::move(first_pes), npes);
        }
        NodeNames names;
        names.first_pes_ = std::move(first_pes);
        return names;
    }

    // COST: a division, lg nodes, or a load.
    int first_pe(int pe) const {
        if (length_ != 0) return pe / length_ * length_;
        if (!begins_.empty()) return *std::prev(std::ranges::upper_bound(begins_, pe));
        return first_pes_.empty() ? 0 : first_pes_[static_cast<std::size_t>(pe)];
    }

    // 0: the PEs of a node are no neighbours, or there is one node.
    int nodes() const { return nodes_; }
    // These two REQUIRE nodes().
    int node_of(int pe) const {
        if (length_ != 0) return pe / length_;
        return static_cast<int>(std::ranges::upper_bound(begins_, pe) - begins_.begin()) - 1;
    }
    // The first PE of a node; of node nodes(): the number of PEs.
    int begin(int node) const {
        if (node == nodes_) return npes_;
        return length_ != 0 ? node * length_ : begins_[static_cast<std::size_t>(node)];
    }

    bool operator==(const NodeNames&) const = default;

  private:
    int npes_ = 0;
    int nodes_ = 0;
    int length_ = 0;              // PEs of each node but the last; 0: they differ
    std::vector<int> begins_;     // by node; empty: a formula
    std::vector<int> first_pes_;  // by PE; empty: the nodes are runs, or there is one
};

}  // namespace tessera
