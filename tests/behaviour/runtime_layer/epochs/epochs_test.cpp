// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an access runs before its target has posted, when a wait ends before its origins have
// completed, or when a PE or an epoch takes the place of another one: posters that are only
// counted, and completions that are only counted, let other PEs or later epochs end an earlier one
// (both are defects of published implementations).
#include <pshmemx.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::scaled;

constexpr long kModes[] = {0, SHMEMX_EPOCH_IMMEDIATE, SHMEMX_EPOCH_DEFERRED};
constexpr int kPesMax = 64;

// Symmetric.
long inbox[kPesMax];  // from each PE
long version;         // this PE stores it before it posts
long go;

std::vector<int> all_pes(int first) {
    std::vector<int> pes(static_cast<std::size_t>(shmem_n_pes()));
    std::iota(pes.begin(), pes.end(), 0);
    std::rotate(pes.begin(), pes.begin() + first % shmem_n_pes(), pes.end());
    return pes;
}

// Each PE is target and origin of all, its own included. Without epochs values would be lost.
TEST(Epochs, AllPesPutToAll) {
    const int me = shmem_my_pe();
    const std::vector<int> pes = all_pes(me);
    for (const long mode : kModes) {
        shmem_barrier_all();
        for (long round = 1; round <= scaled(100); ++round) {
            shmemx_epoch_t exposure;
            shmemx_epoch_t access;
            const long options = round % 3 == 0 ? SHMEMX_EPOCH_NOSTORE : 0;
            shmemx_epoch_post(pes.data(), pes.size(), options, &exposure);
            pshmemx_epoch_start(pes.data(), pes.size(), mode, &access);
            const long value = round * 1000 + me;
            for (const int pe : pes) shmemx_epoch_put(access, &inbox[me], &value, sizeof value, pe);
            shmemx_epoch_complete(&access);
            ASSERT_EQ(access, SHMEMX_EPOCH_INVALID);
            if (round % 2 == 0) {
                shmemx_epoch_wait(&exposure);
            } else {
                while (shmemx_epoch_test(&exposure) == 0) {
                }
            }
            ASSERT_EQ(exposure, SHMEMX_EPOCH_INVALID);
            for (int pe = 0; pe < shmem_n_pes(); ++pe) ASSERT_EQ(inbox[pe], round * 1000 + pe);
        }
    }
}

// An origin sees the stores that its target made before it posted, and its get is complete after
// the epoch.
TEST(Epochs, GetsSeeWhatTheTargetStored) {
    const int npes = shmem_n_pes();
    const int next = (shmem_my_pe() + 1) % npes;
    const int before = (shmem_my_pe() + npes - 1) % npes;
    for (const long mode : kModes) {
        shmem_barrier_all();
        for (long round = 1; round <= scaled(100); ++round) {
            shmemx_epoch_t exposure;
            shmemx_epoch_t access;
            version = round * 1000 + shmem_my_pe();
            pshmemx_epoch_post(&before, 1, SHMEMX_EPOCH_NOPUT, &exposure);
            shmemx_epoch_start(&next, 1, mode | SHMEMX_EPOCH_NOPUT, &access);
            long seen = -1;
            if (mode == 0 && round % 2 == 0) {
                pshmemx_epoch_ready(access, next);
                seen = shmem_long_g(&version, next);
            } else {
                pshmemx_epoch_get(access, &seen, &version, sizeof seen, next);
            }
            pshmemx_epoch_complete(&access);
            ASSERT_EQ(seen, round * 1000 + next) << "mode " << mode;
            pshmemx_epoch_wait(&exposure);
        }
    }
}

// The first epoch of PE 0 is with the PEs that post late, the second one with the last PE, which
// posts at once. A counter of posts would take the last PE for a late one.
TEST(Epochs, APostOfAnotherPeDoesNotStartAnEpoch) {
    const int npes = shmem_n_pes();
    if (npes < 3) GTEST_SKIP() << "takes three PEs";
    const int me = shmem_my_pe();
    const int origin = 0;
    const int early = npes - 1;
    std::vector<int> late(static_cast<std::size_t>(npes) - 2);
    std::iota(late.begin(), late.end(), 1);
    for (const long mode : kModes) {
        version = 0;
        go = 0;
        shmem_barrier_all();
        shmemx_epoch_t epoch;
        if (me == origin) {
            shmemx_epoch_t second;
            shmem_long_wait_until(&go, SHMEM_CMP_EQ, 2);  // The last PE has posted.
            for (const int pe : late) shmem_long_atomic_set(&go, 1, pe);
            shmemx_epoch_start(late.data(), late.size(), mode, &epoch);
            std::vector<long> seen(late.size(), -1);
            for (std::size_t i = 0; i < late.size(); ++i)
                shmemx_epoch_get(epoch, &seen[i], &version, sizeof(long), late[i]);
            shmemx_epoch_complete(&epoch);
            for (const long each : seen) EXPECT_EQ(each, 1) << "It had not posted, mode " << mode;
            shmemx_epoch_start(&early, 1, mode, &second);
            shmemx_epoch_complete(&second);
        } else {
            if (me != early) {
                shmem_long_wait_until(&go, SHMEM_CMP_EQ, 1);
                version = 1;
            }
            shmemx_epoch_post(&origin, 1, 0, &epoch);
            if (me == early) shmem_long_p(&go, 2, origin);
            shmemx_epoch_wait(&epoch);
        }
        shmem_barrier_all();
    }
}

// PE 0 exposes its memory to PE 1, then to the last PE; that one completes first. A counter of
// completions would end the first epoch by it.
TEST(Epochs, ACompletionOfAnotherPeDoesNotEndAnEpoch) {
    const int npes = shmem_n_pes();
    if (npes < 3) GTEST_SKIP() << "takes three PEs";
    const int me = shmem_my_pe();
    const int target = 0;
    const int slow = 1;
    const int fast = npes - 1;
    for (const long mode : kModes) {
        inbox[slow] = 0;
        go = 0;
        shmem_barrier_all();
        if (me == target) {
            shmemx_epoch_t first;
            shmemx_epoch_t second;
            shmemx_epoch_post(&slow, 1, 0, &first);
            shmemx_epoch_post(&fast, 1, 0, &second);
            shmemx_epoch_wait(&second);
            EXPECT_EQ(shmemx_epoch_test(&first), 0) << "PE 1 waits for this PE.";
            shmem_long_atomic_set(&go, 1, slow);
            shmemx_epoch_wait(&first);
            EXPECT_EQ(inbox[slow], 7);
        } else if (me == slow || me == fast) {
            shmemx_epoch_t access;
            shmemx_epoch_start(&target, 1, mode, &access);
            const long value = 7;
            if (me == slow) {
                shmem_long_wait_until(&go, SHMEM_CMP_EQ, 1);
                shmemx_epoch_put(access, &inbox[slow], &value, sizeof value, target);
            }
            shmemx_epoch_complete(&access);
        }
        shmem_barrier_all();
    }
}

// Several epochs with one PE: the second completion of an origin does not end the first epoch of
// another one, and epochs end in any order on the target.
TEST(Epochs, SeveralEpochsWithTheSamePe) {
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    const int next = (me + 1) % npes;
    const int before = (me + npes - 1) % npes;
    for (int round = 0; round < scaled(100); ++round) {
        constexpr int kOpen = 5;
        shmemx_epoch_t exposures[kOpen];
        shmemx_epoch_t accesses[kOpen];
        static long values[kOpen];  // symmetric
        std::fill(std::begin(values), std::end(values), 0);
        shmem_barrier_all();
        for (shmemx_epoch_t& each : exposures) shmemx_epoch_post(&before, 1, 0, &each);
        for (shmemx_epoch_t& each : accesses) shmemx_epoch_start(&next, 1, 0, &each);
        for (int i = 0; i < kOpen; ++i) {
            const long value = i + 1;
            shmemx_epoch_put(accesses[i], &values[i], &value, sizeof value, next);
            shmemx_epoch_complete(&accesses[i]);
        }
        for (const int i : {3, 0, 4, 1, 2}) {
            shmemx_epoch_wait(&exposures[i]);
            for (int k = 0; k <= i; ++k) ASSERT_EQ(values[k], k + 1);
        }
        shmem_barrier_all();
    }
}

// An origin that accesses nothing need not wait for its targets, and may run ahead of them.
TEST(Epochs, EpochsWithoutAccessDoNotWait) {
    const std::vector<int> pes = all_pes(0);
    constexpr int kAhead = 100;
    for (const long mode : {0L, SHMEMX_EPOCH_DEFERRED, SHMEMX_EPOCH_NOPUT}) {
        shmem_barrier_all();
        for (int i = 0; i < kAhead; ++i) {
            shmemx_epoch_t access;
            shmemx_epoch_start(pes.data(), pes.size(), mode, &access);
            shmemx_epoch_complete(&access);
        }
        for (int i = 0; i < kAhead; ++i) {
            shmemx_epoch_t exposure;
            shmemx_epoch_post(pes.data(), pes.size(), 0, &exposure);
            pshmemx_epoch_wait(&exposure);
        }
    }
}

TEST(Epochs, EmptyListsAndNoBytes) {
    shmemx_epoch_t exposure;
    shmemx_epoch_t access;
    shmemx_epoch_post(nullptr, 0, 0, &exposure);
    shmemx_epoch_start(nullptr, 0, SHMEMX_EPOCH_IMMEDIATE, &access);
    EXPECT_EQ(pshmemx_epoch_test(&exposure), 1);
    shmemx_epoch_complete(&access);
    const int mine = shmem_my_pe();
    shmemx_epoch_post(&mine, 1, 0, &exposure);
    shmemx_epoch_start(&mine, 1, 0, &access);
    pshmemx_epoch_put(access, inbox, nullptr, 0, mine);
    EXPECT_EQ(shmemx_epoch_test(&exposure), 0);
    shmemx_epoch_complete(&access);
    EXPECT_EQ(shmemx_epoch_test(&exposure), 1);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
