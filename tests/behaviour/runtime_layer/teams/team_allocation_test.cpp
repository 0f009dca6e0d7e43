// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a block of a team's memory is not symmetric for the members, overlaps another one,
// has lost its contents, is refused although there is room, or is not given back; and when other
// PEs than the members have to take part.
#include <gtest/gtest.h>
#include <shmemx.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kTeamMemoryBytes = std::size_t{4} << 20;  // SHMEM_TEAM_MEMORY_SIZE

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }

shmem_team_t create(const std::vector<int>& members) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmemx_team_create(SHMEM_TEAM_WORLD, members.data(), static_cast<int>(members.size()),
                                 nullptr, 0, &team),
              0);
    return team;
}

// A PE and its right neighbour on the ring.
std::vector<int> pair_at(int first) { return {first, (first + 1) % npes()}; }

bool is_in(const std::vector<int>& members) {
    for (int pe : members) {
        if (pe == me()) return true;
    }
    return false;
}

// Each member writes to its right neighbour in the team, by all kinds of routines.
void check_symmetric(shmem_team_t team, long* block) {
    const int size = shmem_team_n_pes(team);
    const int index = shmem_team_my_pe(team);
    const int right = shmem_team_translate_pe(team, (index + 1) % size, SHMEM_TEAM_WORLD);
    const int left = (index + size - 1) % size;
    std::memset(block, 0, 8 * sizeof(long));
    shmem_team_sync(team);
    shmem_long_p(block, index + 1, right);
    const long two[2] = {index + 2L, index + 3L};
    shmem_long_put_signal(block + 1, two, 2, reinterpret_cast<uint64_t*>(block + 3), 1,
                          SHMEM_SIGNAL_ADD, right);
    shmem_signal_wait_until(reinterpret_cast<uint64_t*>(block + 3), SHMEM_CMP_EQ, 1);
    EXPECT_EQ(block[1], left + 2);
    EXPECT_EQ(block[2], left + 3);
    EXPECT_EQ(shmem_long_atomic_fetch_add(block + 4, 5, right), 0);
    shmem_long_wait_until(block + 4, SHMEM_CMP_EQ, 5);
    shmem_quiet();
    shmem_team_sync(team);
    EXPECT_EQ(block[0], left + 1);
    EXPECT_EQ(shmem_long_g(block, right), index + 1);
    if (auto* mapped = static_cast<long*>(shmem_ptr(block, right))) {
        EXPECT_EQ(mapped[4], 5);
    }
    EXPECT_EQ(shmem_addr_accessible(block, right), 1);
    shmem_team_sync(team);
    EXPECT_EQ(shmem_long_sum_reduce(team, block + 5, block + 4, 1), 0);
    EXPECT_EQ(block[5], 5L * size);
    for (int round = 0; round < 20; ++round) {
        shmem_set_lock(block + 6);
        const int first = shmem_team_translate_pe(team, 0, SHMEM_TEAM_WORLD);
        shmem_long_p(block + 7, shmem_long_g(block + 7, first) + 1, first);
        shmem_clear_lock(block + 6);
    }
    shmem_team_sync(team);
    EXPECT_EQ(block[7], index == 0 ? 20L * size : 0L);
    shmem_team_sync(team);
}

TEST(TeamMemory, IsSymmetricForTheMembers) {
    for (int first = 0; first < npes(); ++first) {
        const std::vector<int> members = npes() > 1 ? pair_at(first) : std::vector<int>{0};
        if (!is_in(members)) continue;
        shmem_team_t team = create(members);
        auto* block = static_cast<long*>(shmemx_team_malloc(team, 8 * sizeof(long)));
        ASSERT_NE(block, nullptr);
        check_symmetric(team, block);
        shmemx_team_free(team, block);
        shmem_team_destroy(team);
    }
}

TEST(TeamMemory, PredefinedTeams) {
    for (shmem_team_t team : {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEMX_TEAM_NODE}) {
        auto* block = static_cast<long*>(shmemx_team_malloc(team, 8 * sizeof(long)));
        ASSERT_NE(block, nullptr);
        check_symmetric(team, block);
        shmemx_team_free(team, block);
    }
}

// A member that has not come yet may still put to the block of one that has.
TEST(TeamMemory, FreeWaitsForAllMembers) {
    static long has_freed = 0;  // symmetric
    const int last = npes() - 1;
    has_freed = 0;
    void* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, 64);
    ASSERT_NE(block, nullptr);
    if (me() == last && npes() > 1) {
        // Often enough that PE 0 has time to come back from the free if it does not wait.
        for (int check = 0; check < 2000; ++check) {
            ASSERT_EQ(shmem_long_atomic_fetch(&has_freed, last), 0) << "before this PE frees";
            std::this_thread::yield();
        }
    }
    shmemx_team_free(SHMEM_TEAM_WORLD, block);
    if (me() == 0) shmem_long_atomic_set(&has_freed, 1, last);
    shmem_barrier_all();
}

TEST(TeamMemory, AlignsAndClears) {
    for (std::size_t alignment = 1; alignment <= std::size_t{2} << 20; alignment *= 2) {
        auto* block = static_cast<char*>(shmemx_team_align(SHMEM_TEAM_WORLD, alignment, 100));
        ASSERT_NE(block, nullptr) << alignment;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
        std::memset(block, 0x55, 100);
        shmemx_team_free(SHMEM_TEAM_WORLD, block);
        auto* zeros = static_cast<char*>(shmemx_team_calloc(SHMEM_TEAM_WORLD, 50, 2));
        ASSERT_NE(zeros, nullptr);
        for (int i = 0; i < 100; ++i) ASSERT_EQ(zeros[i], 0) << i;
        shmemx_team_free(SHMEM_TEAM_WORLD, zeros);
    }
    EXPECT_EQ(shmemx_team_align(SHMEM_TEAM_WORLD, 3, 100), nullptr);
    EXPECT_EQ(shmemx_team_align(SHMEM_TEAM_WORLD, std::size_t{4} << 20, 100), nullptr);
    EXPECT_EQ(shmemx_team_calloc(SHMEM_TEAM_WORLD, SIZE_MAX / 2, 4), nullptr);
    EXPECT_EQ(shmemx_team_malloc(SHMEM_TEAM_WORLD, 0), nullptr);
    shmemx_team_free(SHMEM_TEAM_WORLD, nullptr);
}

TEST(TeamMemory, UpToTheWholePart) {
    for (int round = 0; round < 3; ++round) {
        void* all = shmemx_team_malloc(SHMEM_TEAM_WORLD, kTeamMemoryBytes);
        ASSERT_NE(all, nullptr);
        EXPECT_EQ(shmemx_team_malloc(SHMEM_TEAM_WORLD, 1), nullptr);
        shmemx_team_free(SHMEM_TEAM_WORLD, all);
        EXPECT_EQ(shmemx_team_malloc(SHMEM_TEAM_WORLD, kTeamMemoryBytes + 1), nullptr);
    }
}

// Only PE 0 has no room; all members get NULL, and others than its teams do not notice.
TEST(TeamMemory, ExhaustedOnOneMember) {
    const std::vector<int> alone{me()};
    shmem_team_t mine = create(alone);
    const std::size_t bytes = me() == 0 ? kTeamMemoryBytes : 64;
    ASSERT_NE(shmemx_team_malloc(mine, bytes), nullptr);
    EXPECT_EQ(shmemx_team_malloc(SHMEM_TEAM_WORLD, 64), nullptr);
    shmem_team_destroy(mine);
    void* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, kTeamMemoryBytes);
    EXPECT_NE(block, nullptr);
    shmemx_team_free(SHMEM_TEAM_WORLD, block);
}

// Each PE has taken other places, so that many free extents have nothing in common.
TEST(TeamMemory, FindsTheOnePlaceInCommon) {
    const std::vector<int> alone{me()};
    shmem_team_t mine = create(alone);
    constexpr std::size_t kPiece = 4096;
    constexpr std::size_t kPieces = kTeamMemoryBytes / kPiece;
    std::vector<void*> pieces;
    for (std::size_t i = 0; i < kPieces; ++i) pieces.push_back(shmemx_team_malloc(mine, kPiece));
    ASSERT_NE(pieces.back(), nullptr);
    const auto last = kPieces - 1;
    for (std::size_t i = 0; i < last; ++i) {
        const bool is_mine = static_cast<int>(i) % npes() == me();
        if (npes() > 1 && is_mine) shmemx_team_free(mine, pieces[i]);
    }
    shmemx_team_free(mine, pieces[last]);
    EXPECT_EQ(shmemx_team_malloc(SHMEM_TEAM_WORLD, kPiece + 1), nullptr);
    void* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, kPiece);
    EXPECT_EQ(block, pieces[last]);
    EXPECT_EQ(shmemx_team_malloc(SHMEM_TEAM_WORLD, 1), nullptr);
    shmemx_team_free(SHMEM_TEAM_WORLD, block);
    shmem_team_destroy(mine);
    shmem_barrier_all();
}

// Two threads of each PE allocate for two teams of all PEs, with room for one block only.
TEST(TeamMemory, ThreadsShareWhatThereIs) {
    shmem_team_t teams[2];
    for (shmem_team_t& team : teams)
        ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes(), nullptr, 0, &team), 0);
    const auto work = [](shmem_team_t team, std::size_t bytes) {
        for (int i = 0; i < 30; ++i) {
            auto* block = static_cast<char*>(shmemx_team_malloc(team, bytes));
            if (block == nullptr) continue;  // The other team has it.
            block[0] = static_cast<char>(i);
            block[bytes - 1] = static_cast<char>(i + 1);
            shmem_team_sync(team);
            EXPECT_EQ(block[0], static_cast<char>(i));
            EXPECT_EQ(block[bytes - 1], static_cast<char>(i + 1));
            shmemx_team_free(team, block);
        }
    };
    for (std::size_t bytes : {std::size_t{1000}, kTeamMemoryBytes / 4, kTeamMemoryBytes}) {
        std::thread other(work, teams[1], bytes);
        work(teams[0], bytes);
        other.join();
    }
    shmem_barrier_all();
    void* all = shmemx_team_malloc(SHMEM_TEAM_WORLD, kTeamMemoryBytes);
    EXPECT_NE(all, nullptr);
    shmemx_team_free(SHMEM_TEAM_WORLD, all);
    for (shmem_team_t team : teams) shmem_team_destroy(team);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
