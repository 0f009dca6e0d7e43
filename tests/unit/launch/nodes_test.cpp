// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE gets its place wrong: the PEs of its node, or the number of its node. PEs would
// then wait for peers that wait for others.
#include "launch/nodes.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tessera::launch {
namespace {

using Pes = std::vector<int>;

TEST(PeList, ReadsWhatLaunchersWrite) {
    EXPECT_EQ(parse_pe_list("0"), Pes({0}));
    EXPECT_EQ(parse_pe_list("0,1,2"), Pes({0, 1, 2}));
    EXPECT_EQ(parse_pe_list("7,2,4"), Pes({2, 4, 7}));
    EXPECT_EQ(parse_pe_list("0-3,8,10-11"), Pes({0, 1, 2, 3, 8, 10, 11}));
}

TEST(PeList, RefusesAnythingElse) {
    for (const char* text : {"", "x", "1,x", "1;2", "-1", "3-1", "1-", "1 2", "0-99999999999",
                             "9999999999", "0-9999999,0-9999999"}) {
        EXPECT_EQ(parse_pe_list(text), Pes()) << text;
    }
}

TEST(Hosts, HaveEachPeOfTheJobOnce) {
    const auto are_hosts = [](const std::vector<Pes>& hosts) { return are_hosts_of_job(hosts, 3); };
    EXPECT_TRUE(are_hosts({{0, 2}, {1}}));
    EXPECT_FALSE(are_hosts({{0, 2}}));
    EXPECT_FALSE(are_hosts({{0, 2}, {2}}));
    EXPECT_FALSE(are_hosts({{0, 0, 1}}));
    EXPECT_FALSE(are_hosts({{0, 1, 3}}));
    EXPECT_FALSE(are_hosts({{-1, 0, 1}}));
}

Job placed(int pe, const Pes& host, int nodes_per_host) {
    Job job{.pe = pe, .npes = 100};
    place_on_host(job, host, nodes_per_host);
    return job;
}

TEST(Nodes, OneNodeIsTheHost) {
    Job job = placed(6, {2, 4, 6, 8}, 1);
    EXPECT_EQ(job.local_pes, Pes({2, 4, 6, 8}));
    EXPECT_EQ(job.nlocal, 4);
    EXPECT_EQ(job.local_index, 2);
    EXPECT_EQ(job.node, 0);
    EXPECT_EQ(job.nnodes, 1);
    EXPECT_EQ(job.npes_of_host, 4);
    EXPECT_EQ(job.nodes_of_host, 1);
}

TEST(Nodes, VirtualNodesDivideTheHost) {
    Job job = placed(9, {1, 3, 5, 7, 9}, 2);
    EXPECT_EQ(job.local_pes, Pes({7, 9}));
    EXPECT_EQ(job.nlocal, 2);
    EXPECT_EQ(job.local_index, 1);
    EXPECT_EQ(job.node, 1);
    EXPECT_EQ(job.nnodes, 2);
    EXPECT_EQ(job.npes_of_host, 5);
    EXPECT_EQ(job.nodes_of_host, 2);
    EXPECT_EQ(placed(5, {1, 3, 5, 7, 9}, 2).local_pes, Pes({1, 3, 5}));
    EXPECT_EQ(placed(5, {1, 3, 5, 7, 9}, 70).local_pes, Pes({5}));
    EXPECT_EQ(placed(5, {1, 3, 5, 7, 9}, 0).nlocal, 5);
}

TEST(Nodes, NodesAreNumberedByTheirFirstPe) {
    // Dealt out in turn, and listed in another order.
    const std::vector<Pes> hosts = {{1, 4, 7}, {2, 5}, {0, 3, 6}};
    int expected_node[] = {0, 1, 2, 0, 1, 2, 0, 1};
    for (const Pes& host : hosts) {
        for (int pe : host) {
            Job job = placed(pe, host, 1);
            place_among_hosts(job, hosts, 1);
            EXPECT_EQ(job.nnodes, 3);
            EXPECT_EQ(job.node, expected_node[pe]) << pe;
        }
    }
    // With virtual nodes: {0,3} {1,4} {2} {5} {6} {7}.
    int expected_virtual_node[] = {0, 1, 2, 0, 1, 3, 4, 5};
    for (const Pes& host : hosts) {
        for (int pe : host) {
            Job job = placed(pe, host, 2);
            place_among_hosts(job, hosts, 2);
            EXPECT_EQ(job.nnodes, 6);
            EXPECT_EQ(job.node, expected_virtual_node[pe]) << pe;
            EXPECT_EQ(job.nodes_of_host, 2);
        }
    }
}

// The members of a team find out by these names who shares a node with whom.
TEST(Nodes, NodesAreNamedByTheirFirstPe) {
    Job job{.pe = 0, .npes = 8};
    name_nodes(job, std::vector<Pes>{{1, 4, 7}, {2, 5}, {0, 3, 6}}, 1);
    EXPECT_EQ(job.node_names, NodeNames::of_pes({0, 1, 2, 0, 1, 2, 0, 1}));
    name_nodes(job, std::vector<Pes>{{1, 4, 7}, {2, 5}, {0, 3, 6}}, 2);
    EXPECT_EQ(job.node_names, NodeNames::of_pes({0, 1, 2, 0, 1, 5, 6, 7}));
}

// oshrun's PEs compute from two numbers the same as from the list of a host's PEs.
TEST(Nodes, TheOnlyHostNeedsNoLists) {
    for (int npes = 1; npes <= 9; ++npes) {
        Pes all(static_cast<std::size_t>(npes));
        std::iota(all.begin(), all.end(), 0);
        for (int nodes = 1; nodes <= npes; ++nodes) {
            for (int pe = 0; pe < npes; ++pe) {
                Job by_lists{.pe = pe, .npes = npes};
                place_on_host(by_lists, all, nodes);
                if (nodes > 1) name_nodes(by_lists, std::vector<Pes>{all}, nodes);
                Job job{.pe = pe, .npes = npes};
                place_on_only_host(job, nodes);
                EXPECT_EQ(job.local_pes, by_lists.local_pes);
                EXPECT_EQ(job.nlocal, by_lists.nlocal);
                EXPECT_EQ(job.local_index, by_lists.local_index);
                EXPECT_EQ(job.node, by_lists.node);
                EXPECT_EQ(job.nnodes, by_lists.nnodes);
                EXPECT_EQ(job.npes_of_host, by_lists.npes_of_host);
                EXPECT_EQ(job.nodes_of_host, by_lists.nodes_of_host);
                EXPECT_EQ(job.node_names, by_lists.node_names);
            }
        }
    }
}

}  // namespace
}  // namespace tessera::launch
