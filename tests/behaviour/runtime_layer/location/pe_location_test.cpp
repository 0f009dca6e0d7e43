// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE is told another place of a PE than that PE itself, when nodes are numbered
// wrongly, or when the numbers do not follow the binding of the PE.
#include <pshmem.h>
#include <pshmemx.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>

#include "support/pe_test.hpp"

namespace {

shmemx_location_t own_place;  // symmetric

shmemx_location_t place_of(int pe) {
    shmemx_location_t place;
    std::memset(&place, 0x5a, sizeof place);
    shmemx_pe_location(pe, &place);
    return place;
}

bool same(const shmemx_location_t& left, const shmemx_location_t& right) {
    return left.node == right.node && left.package == right.package &&
           left.numa_domain == right.numa_domain && left.cache_cluster == right.cache_cluster &&
           left.core == right.core && std::strcmp(left.host_name, right.host_name) == 0;
}

// First of all, so that PEs ask others that may still be in their initialization.
TEST(Location, EveryPeTellsTheSame) {
    own_place = place_of(shmem_my_pe());
    shmem_barrier_all();
    for (int round = 0; round < 2; ++round) {  // The second one finds what the first one has kept.
        for (int i = 0; i < shmem_n_pes(); ++i) {
            const int pe = (shmem_my_pe() + i) % shmem_n_pes();
            shmemx_location_t theirs;
            shmem_getmem(&theirs, &own_place, sizeof theirs, pe);
            EXPECT_TRUE(same(place_of(pe), theirs)) << "PE " << pe;
        }
    }
    shmemx_location_t place;
    pshmemx_pe_location(shmem_my_pe(), &place);
    EXPECT_TRUE(same(place, own_place));
}

bool is_member(shmem_team_t team, int pe) {
    return shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team) >= 0;
}

// PEs of a node map each other's memory, if the hardware keeps it coherent. Nodes are numbered by
// their first PEs.
TEST(Location, NodesArePesThatShareMemory) {
    int nodes = 0;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        const int node = place_of(pe).node;
        EXPECT_EQ(node == place_of(shmem_my_pe()).node, is_member(SHMEMX_TEAM_NODE, pe));
        EXPECT_EQ(shmem_ptr(&own_place, pe) != nullptr, is_member(SHMEM_TEAM_SHARED, pe));
        EXPECT_GE(node, 0);
        EXPECT_LE(node, nodes) << "PE " << pe;
        if (node == nodes) ++nodes;
    }
}

TEST(Location, NamesTheHost) {
    char name[256] = "";
    ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
    name[SHMEMX_HOST_NAME_MAX] = '\0';
    EXPECT_STREQ(place_of(shmem_my_pe()).host_name, name);
}

// A part of the machine is named only when all that the PE may use lies in it.
TEST(Location, FollowsTheBinding) {
    const shmemx_location_t place = place_of(shmem_my_pe());
    cpu_set_t mask;
    ASSERT_EQ(::sched_getaffinity(0, sizeof mask, &mask), 0);
    if (CPU_COUNT(&mask) == 1) {
        EXPECT_GE(place.core, 0);
    }
    if (place.core >= 0) {
        EXPECT_GE(place.package, 0);
        EXPECT_GE(place.numa_domain, 0);
    }
    EXPECT_GE(place.core, -1);
    EXPECT_GE(place.cache_cluster, -1);
}

}  // namespace

// The first question comes before any barrier.
TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
