// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a constant or header that the specification deprecates but still requires is gone, or
// start_pes does something while the library runs. The conformance programs call all deprecated
// routines; start_pes without finalize is in exit_test.py.
#include <mpp/shmem.h>
#include <mpp/shmemx.h>
#include <pshmem.h>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

// One word written by put, as a flag behind its data, as in programs from before signals.
TEST(Deprecated, PutAsAFlag) {
    for (const Region& region : regions()) {
        long* words = reinterpret_cast<long*>(region.data);
        words[0] = words[100] = 0;
        shmem_barrier_all();
        const int right = (shmem_my_pe() + 1) % shmem_n_pes();
        for (long round = 1; round <= scaled(500); ++round) {
            shmem_long_put(&words[0], &round, 1, right);
            shmem_fence();
            shmem_long_put(&words[100], &round, 1, right);
            shmem_long_wait_until(&words[100], SHMEM_CMP_GE, round);
            ASSERT_GE(words[0], round) << region.kind;
        }
        shmem_barrier_all();
    }
}

TEST(Deprecated, CacheRoutinesDoNothing) {
    static long word = 5;
    shmem_set_cache_inv();
    shmem_set_cache_line_inv(&word);
    shmem_udcflush();
    shmem_udcflush_line(&word);
    shmem_clear_cache_line_inv(&word);
    shmem_clear_cache_inv();
    EXPECT_EQ(word, 5);
}

TEST(Deprecated, StartOfARunningLibraryDoesNothing) {
    start_pes(0);
    pstart_pes(17);
    EXPECT_EQ(_num_pes(), shmem_n_pes());
}

// Usable as array bounds, and equal to their successors.
TEST(Deprecated, Constants) {
    static long psync[SHMEM_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE +
                      SHMEM_BARRIER_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE +
                      SHMEM_ALLTOALLS_SYNC_SIZE + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    psync[0] = SHMEM_SYNC_VALUE;
    EXPECT_EQ(psync[0], _SHMEM_SYNC_VALUE);
    EXPECT_EQ(_SHMEM_BCAST_SYNC_SIZE, SHMEM_BCAST_SYNC_SIZE);
    EXPECT_EQ(_SHMEM_REDUCE_SYNC_SIZE, SHMEM_REDUCE_SYNC_SIZE);
    EXPECT_EQ(_SHMEM_BARRIER_SYNC_SIZE, SHMEM_BARRIER_SYNC_SIZE);
    EXPECT_EQ(_SHMEM_COLLECT_SYNC_SIZE, SHMEM_COLLECT_SYNC_SIZE);
    EXPECT_EQ(_SHMEM_REDUCE_MIN_WRKDATA_SIZE, SHMEM_REDUCE_MIN_WRKDATA_SIZE);
    EXPECT_EQ(_SHMEM_MAJOR_VERSION, SHMEM_MAJOR_VERSION);
    EXPECT_EQ(_SHMEM_MINOR_VERSION, SHMEM_MINOR_VERSION);
    EXPECT_EQ(_SHMEM_MAX_NAME_LEN, SHMEM_MAX_NAME_LEN);
    EXPECT_STREQ(_SHMEM_VENDOR_STRING, SHMEM_VENDOR_STRING);
    EXPECT_EQ(_SHMEM_CMP_EQ, SHMEM_CMP_EQ);
    EXPECT_EQ(_SHMEM_CMP_NE, SHMEM_CMP_NE);
    EXPECT_EQ(_SHMEM_CMP_LT, SHMEM_CMP_LT);
    EXPECT_EQ(_SHMEM_CMP_LE, SHMEM_CMP_LE);
    EXPECT_EQ(_SHMEM_CMP_GT, SHMEM_CMP_GT);
    EXPECT_EQ(_SHMEM_CMP_GE, SHMEM_CMP_GE);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
