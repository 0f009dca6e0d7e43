// SPDX-License-Identifier: BSD-3-Clause
//
// See table.hpp. p: members, n: bytes, lg: logarithm to base 2, k: radix 4.
#include "collectives/table.hpp"

#include <array>

#include "collectives/alltoall/algorithms.hpp"
#include "collectives/barrier/algorithms.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/collect/algorithms.hpp"
#include "collectives/costs.hpp"
#include "collectives/reduce/algorithms.hpp"
#include "collectives/scan/algorithms.hpp"
#include "core/team_links.hpp"

namespace tessera::collectives {
namespace {

constexpr Restriction kAnywhere{};
constexpr Restriction kLinks{.links = true};
constexpr Restriction kLinksNodes{.links = true, .several_nodes = true};
constexpr Restriction kLinksMail{.links = true, .one_node = true, .bytes_max = kMailBytesMin};
constexpr Restriction kLinksAssociates{.links = true, .in_order = false};
constexpr std::size_t kAlways = 0;
constexpr std::size_t kNever = ~std::size_t{0};

constexpr Entry<SyncFunction> kBarrier[] = {
    {{"central",
      "p a + s",
      "more PEs than cores: each PE is switched to once",
      {.one_node = true},
      barrier_cost::central},
     sync_central},
    {{"dissemination", "lg p a", "a core for each PE", kAnywhere, barrier_cost::dissemination},
     sync_dissemination},
    {{"kway_dissemination", "log4 p a", "several nodes of one PE", kAnywhere,
      barrier_cost::kway_dissemination},
     sync_kway_dissemination},
    {{"tree", "2 log4 p a", "hardly ever: fewest messages", kAnywhere, barrier_cost::tree},
     sync_tree},
    {{"hierarchical", "lg N A + m a + 2 s", "several nodes of several PEs", kAnywhere,
      barrier_cost::hierarchical},
     sync_hierarchical},
};

constexpr Entry<BroadcastFunction> kBroadcast[] = {
    {{"direct", "2 syncs + n b", "one node", kAnywhere, broadcast_cost::direct}, broadcast_direct},
    {{"linear", "sync + (p-1) (a + n b)", "hardly ever: for comparison", kLinks,
      broadcast_cost::linear},
     broadcast_linear},
    {{"knomial", "2 log4 p a + 3 log4 p n b", "short messages", kLinks, broadcast_cost::knomial},
     broadcast_knomial},
    {{"scatter_allgather", "sync + 2 (p-1) a + 2 n b", "long messages, several nodes of one PE",
      kLinks, broadcast_cost::scatter_allgather},
     broadcast_scatter_allgather},
    {{"chain", "sync + (p-2+m) (a + n/m b)", "long messages, few nodes", kLinks,
      broadcast_cost::chain},
     broadcast_chain},
    {{"hierarchical", "sync + log4 N 3 (A + n B) + n b", "several nodes of several PEs",
      kLinksNodes, broadcast_cost::hierarchical},
     broadcast_hierarchical},
    {{"mail", "a + n b, and sync/32", "short messages, one node", kLinksMail, broadcast_cost::mail},
     broadcast_mail},
};

constexpr Entry<MoveFunction> kCollect[] = {
    {{"direct", "2 syncs + p n b", "one node", kAnywhere, collect_cost::direct}, collect_direct},
    {{"linear", "2 syncs + (p-1) (a + n b)", "several nodes", kAnywhere, collect_cost::linear},
     collect_linear},
    {{"ring", "(p + lg p) a + (p-1) n b", "long contributions, several nodes", kLinks,
      collect_cost::ring},
     collect_ring},
    {{"hierarchical", "2 lg p a + lg N A + n (p-m) B + p n b", "several nodes of several PEs",
      kLinksNodes, collect_cost::hierarchical},
     collect_hierarchical},
};

constexpr Entry<MoveFunction> kFcollect[] = {
    {{"direct", "2 syncs + p n b", "one node", kAnywhere, fcollect_cost::direct}, fcollect_direct},
    {{"linear", "2 syncs + (p-1) (a + n b)", "few PEs", kAnywhere, fcollect_cost::linear},
     fcollect_linear},
    {{"ring", "p a + (p-1) n b", "long contributions, several nodes", kLinks, fcollect_cost::ring},
     fcollect_ring},
    {{"bruck", "lg p a + (p-1) n b", "short contributions", kLinks, fcollect_cost::bruck},
     fcollect_bruck},
    {{"recursive_doubling",
      "lg p a + (p-1) n b",
      "short contributions, 2^k PEs",
      {.links = true, .power_of_two = true},
      fcollect_cost::recursive_doubling},
     fcollect_recursive_doubling},
    {{"neighbor_exchange",
      "(1 + p/2) a + (p-1) n b",
      "between bruck and ring",
      {.links = true, .even = true},
      fcollect_cost::neighbor_exchange},
     fcollect_neighbor_exchange},
    {{"hierarchical", "sync + lg N A + n (p-m) B + p n b", "several nodes of several PEs",
      kLinksNodes, fcollect_cost::hierarchical},
     fcollect_hierarchical},
    {{"mail", "a + p n b", "short contributions, one node", kLinksMail, fcollect_cost::mail},
     fcollect_mail},
};

constexpr Entry<AlltoallFunctions> kAlltoall[] = {
    {{"direct", "2 syncs + p n b", "one node", kAnywhere, alltoall_cost::direct},
     {alltoall_direct, alltoalls_direct}},
    {{"pairwise", "2 syncs + (p-1) (a + n b)", "several nodes", kAnywhere, alltoall_cost::pairwise},
     {alltoall_pairwise, alltoalls_pairwise}},
    {{"bruck",
      "lg p (a + p/2 n b)",
      "small blocks, several nodes",
      {.links = true, .contiguous = true, .total_max = kAlltoallBruckBytes},
      alltoall_cost::bruck},
     {alltoall_bruck, nullptr}},
    {{"hierarchical",
      "sync + (N-1) (A + m n B) + p n b",
      "small blocks, several nodes of several PEs",
      {.links = true,
       .several_nodes = true,
       .contiguous = true,
       .total_max = kAlltoallHierarchicalBytes},
      alltoall_cost::hierarchical},
     {alltoall_hierarchical, nullptr}},
    {{"mail",
      "a + 2 p n b",
      "small blocks, one node",
      {.links = true, .one_node = true, .contiguous = true, .total_max = kAlltoallMailBytes},
      alltoall_cost::mail},
     {alltoall_mail, nullptr}},
};

constexpr Entry<ScanFunction> kScan[] = {
    {{"slice", "2 syncs + n (b + c)", "one node", kAnywhere, scan_cost::slice}, scan_slice},
    {{"linear", "sync + (p-1+m) (a + n/m (b + c))", "long vectors, several nodes", kLinks,
      scan_cost::linear},
     scan_linear},
    {{"recursive_doubling", "sync + lg p (a + n b + n c)", "short vectors", kLinksAssociates,
      scan_cost::recursive_doubling},
     scan_recursive_doubling},
    {{"hierarchical",
      "lg N A + 2 lg m a + m n (2 c + b)",
      "short vectors, several nodes of several PEs",
      {.links = true, .several_nodes = true, .nodes_in_order = true, .in_order = false},
      scan_cost::hierarchical},
     scan_hierarchical},
};

constexpr Entry<ReduceFunction> kReduce[] = {
    {{"slice", "2 syncs + n (b + c)", "one node", kAnywhere, reduce_cost::slice},
     {reduce_slice, kAlways}},
    {{"flat_tree", "p a + 2 n (p-1) b + n (p-1) c", "hardly ever: for comparison", kAnywhere,
      reduce_cost::flat_tree},
     {reduce_flat_tree, kAlways}},
    {{"recursive_doubling", "lg p a + n lg p b + n lg p c", "short vectors", kLinksAssociates,
      reduce_cost::recursive_doubling},
     {reduce_recursive_doubling, kChunkBytes + 1}},
    {{"bruck",
      "lg p a + n lg p b + n lg p c",
      "as recursive_doubling, one-way traffic",
      {.links = true, .any_order = true, .in_order = false},
      reduce_cost::bruck},
     {reduce_bruck, kNever}},
    {{"rabenseifner", "2 lg p a + 2 n (p-1)/p b + n (p-1)/p c", "long vectors, several nodes",
      kLinksAssociates, reduce_cost::rabenseifner},
     {reduce_rabenseifner, kAlways}},
    {{"ring", "2 (p-1) a + 2 n (p-1)/p b + n (p-1)/p c", "long vectors, several nodes of one PE",
      kLinksAssociates, reduce_cost::ring},
     {reduce_ring, kAlways}},
    {{"knomial", "6 log4 p a + 6 log4 p n b + 3 log4 p n c", "hardly ever: for comparison",
      kLinksAssociates, reduce_cost::knomial},
     {reduce_knomial, kAlways}},
    {{"hierarchical",
      "2 (N-1) A + 2 n (N-1)/N B + n (b + c)",
      "several nodes of several PEs",
      {.links = true, .several_nodes = true, .in_order = false},
      reduce_cost::hierarchical},
     {reduce_hierarchical, kAlways}},
    {{"mail", "a + n b + n p c", "short vectors, one node", kLinksMail, reduce_cost::mail},
     {reduce_mail, kAlways}},
};

template <class Run>
std::vector<const Row*> rows(std::span<const Entry<Run>> entries) {
    std::vector<const Row*> result;
    for (const Entry<Run>& entry : entries) result.push_back(&entry.row);
    return result;
}

}  // namespace

std::span<const Entry<SyncFunction>> barrier_algorithms() { return kBarrier; }
std::span<const Entry<BroadcastFunction>> broadcast_algorithms() { return kBroadcast; }
std::span<const Entry<MoveFunction>> collect_algorithms() { return kCollect; }
std::span<const Entry<MoveFunction>> fcollect_algorithms() { return kFcollect; }
std::span<const Entry<AlltoallFunctions>> alltoall_algorithms() { return kAlltoall; }
std::span<const Entry<ScanFunction>> scan_algorithms() { return kScan; }
std::span<const Entry<ReduceFunction>> reduce_algorithms() { return kReduce; }

const std::vector<const Row*>& rows_of(Collective collective) {
    using Rows = std::array<std::vector<const Row*>, kCollectives>;
    static const Rows& all = *new Rows{rows(barrier_algorithms()),  rows(broadcast_algorithms()),
                                       rows(collect_algorithms()),  rows(fcollect_algorithms()),
                                       rows(alltoall_algorithms()), rows(scan_algorithms()),
                                       rows(reduce_algorithms())};
    return all[static_cast<std::size_t>(collective)];
}

}  // namespace tessera::collectives
