// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when SHMEM_REDUCE_REPRODUCIBLE takes algorithms from reductions that do not round: maxima
// and minima of real numbers keep the algorithm that is named. Which one has run shows by a NaN,
// the one value for which the order counts. Runs with four PEs and recursive doubling.
#include <shmem.h>

#include <limits>

#include "support/pe_test.hpp"

namespace {

// In the order of the members: ((1 max 0) max NaN) max 2 is 2, because the left operand stays when
// the right one is NaN. By recursive doubling: (1 max 0) max (NaN max 2) is 1 max NaN, so 1.
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kContributions[] = {1, 0, kNan, 2};
double source, dest, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
long psync[SHMEM_REDUCE_SYNC_SIZE];

TEST(ReduceOrder, MaximaKeepTheNamedAlgorithm) {
    ASSERT_EQ(shmem_n_pes(), 4);
    source = kContributions[shmem_my_pe()];
    ASSERT_EQ(shmem_double_max_reduce(SHMEM_TEAM_WORLD, &dest, &source, 1), 0);
    EXPECT_EQ(dest, 1);
    source = -source;
    ASSERT_EQ(shmem_double_min_reduce(SHMEM_TEAM_WORLD, &dest, &source, 1), 0);
    EXPECT_EQ(dest, -1);
}

// The deprecated form goes the same way.
TEST(ReduceOrder, ToAllKeepsTheNamedAlgorithm) {
    for (long& word : psync) word = SHMEM_SYNC_VALUE;
    source = kContributions[shmem_my_pe()];
    shmem_barrier_all();
    shmem_double_max_to_all(&dest, &source, 1, 0, 0, 4, work, psync);
    EXPECT_EQ(dest, 1);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
