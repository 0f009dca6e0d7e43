// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when gates that were never posted count as reached after 2^30 collectives of a team: then
// algorithms that use them for the first time would not wait. The numbers are set, not counted up.
#include <gtest/gtest.h>
#include <shmem.h>

#include <optional>

#include "support/pe_test.hpp"
#include "teams/team.hpp"
#include "teams/team_slots.hpp"

namespace tessera {
namespace {

// All gates of the world's mailboxes lie this far behind.
void grow_old(Team& team) {
    shmem_barrier_all();
    team.mailbox_calls = 5 * kRenewAfter - 1;
    shmem_barrier_all();
}

// Sums in which no PE may read early: PEs other than the first come late, by turns.
void check_sums(int calls) {
    constexpr std::size_t kElements = 5000;
    auto* source = static_cast<long*>(shmem_malloc(kElements * sizeof(long)));
    auto* dest = static_cast<long*>(shmem_malloc(kElements * sizeof(long)));
    const long npes = shmem_n_pes();
    const long me = shmem_my_pe();
    for (long call = 0; call < calls; ++call) {
        volatile long work = 0;
        for (long i = 0; i < 100000 && call % npes == me; ++i) work = work + 1;
        const std::size_t nelems = call % 2 == 0 ? 3 : kElements;
        for (std::size_t i = 0; i < nelems; ++i) source[i] = me + call;
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, nelems);
        for (std::size_t i = 0; i < nelems; ++i)
            ASSERT_EQ(dest[i], npes * (npes - 1) / 2 + npes * call) << "call " << call;
    }
    shmem_free(source);
    shmem_free(dest);
}

TEST(LongLife, GatesThatWereNeverPostedAreNotReached) {
    grow_old(world_team);
    check_sums(200);
}

// The slots that all PEs offer. RETURNS when: all have shown theirs.
SlotOffer common_of(const SlotOffer& mine) {
    static SlotOffer shown;
    shown = mine;
    shmem_barrier_all();
    SlotOffer common = mine;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        SlotOffer theirs;
        shmem_getmem(&theirs, &shown, sizeof theirs, pe);
        common.combine(theirs);
    }
    shmem_barrier_all();
    return common;
}

// Two threads of each PE make a team each, and a different one always comes first.
TEST(LongLife, TwoTeamsAtATimeFindSlotsInAnyOrder) {
    SlotSearch searches[] = {SlotSearch(3), SlotSearch(4)};
    std::optional<std::uint32_t> found[2];
    for (int attempt = 0; attempt < 4 && !(found[0] && found[1]); ++attempt) {
        SlotOffer offers[2];
        for (int turn = 0; turn < 2; ++turn) {
            const int which = (turn + shmem_my_pe()) % 2;
            if (!found[which]) offers[which] = searches[which].offer();
        }
        for (int which : {0, 1}) {
            const SlotOffer common = common_of(offers[which]);
            if (found[which]) continue;
            found[which] = common.lowest();
            team_slots().settle(offers[which], found[which]);
            if (!found[which]) {
                EXPECT_TRUE(searches[which].move_on(common));
            }
        }
    }
    ASSERT_TRUE(found[0] && found[1]);
    EXPECT_NE(*found[0], *found[1]);
    for (const auto& slot : found) team_slots().release(*slot, {});
}

// A new team counts on from numbers that its flags have never seen, and its barrier uses lines that
// no other did.
TEST(LongLife, OldSlotsServeNewTeams) {
    for (std::uint64_t round = 0; round < 20; ++round) {
        const SlotOffer offer = SlotSearch(0).offer();
        const std::optional<std::uint32_t> slot = offer.lowest();
        ASSERT_TRUE(slot);
        team_slots().settle(offer, slot);
        const std::uint64_t number = (5 + round) * kRenewAfter + round;
        team_slots().release(*slot, {.syncs = number, .mailbox_calls = number});
        shmem_team_t team = SHMEM_TEAM_INVALID;
        ASSERT_EQ(
            shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), nullptr, 0, &team), 0);
        static long arrived;
        const long before = shmem_long_atomic_fetch(&arrived, 0);
        shmem_sync_all();
        volatile long work = 0;
        for (long i = 0; i < 100000 && static_cast<int>(round) % shmem_n_pes() == shmem_my_pe();
             ++i) {
            work = work + 1;
        }
        shmem_long_atomic_fetch_inc(&arrived, 0);
        shmem_team_sync(team);
        EXPECT_EQ(shmem_long_atomic_fetch(&arrived, 0), before + shmem_n_pes()) << round;
        shmem_team_sync(team);
        shmem_team_destroy(team);
    }
}

}  // namespace
}  // namespace tessera

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
