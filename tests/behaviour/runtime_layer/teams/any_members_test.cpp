// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a team of any members in any order is not the team that was asked for, or when a
// routine that takes a team treats it unlike others; when creations that go on at the same time
// meet each other; and when a PE that is in no list has to take part.
#include <gtest/gtest.h>
#include <shmemx.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "support/pe_test.hpp"

namespace {

using Members = std::vector<int>;

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }

int index_of(const Members& members, int pe) {
    const auto found = std::ranges::find(members, pe);
    return found != members.end() ? static_cast<int>(found - members.begin()) : -1;
}

// Numbers, translations, and one of each kind of collective. `words` and `sums`: symmetric arrays
// that no other team uses meanwhile.
void check_team(shmem_team_t team, const Members& members, long* words, long* sums) {
    const auto size = static_cast<int>(members.size());
    const int mine = index_of(members, me());
    ASSERT_EQ(shmem_team_n_pes(team), size);
    ASSERT_EQ(shmem_team_my_pe(team), mine);
    for (int pe = 0; pe < npes(); ++pe)
        ASSERT_EQ(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team), index_of(members, pe)) << pe;
    for (int i = 0; i < size; ++i) {
        const int pe = members[static_cast<std::size_t>(i)];
        ASSERT_EQ(shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD), pe) << i;
    }
    ASSERT_EQ(shmem_team_translate_pe(team, size, SHMEM_TEAM_WORLD), -1);
    shmem_team_sync(team);
    long word = me();
    words[npes()] = word;
    ASSERT_EQ(shmem_long_fcollect(team, words, words + npes(), 1), 0);
    for (int i = 0; i < size; ++i) ASSERT_EQ(words[i], members[static_cast<std::size_t>(i)]) << i;
    ASSERT_EQ(shmem_long_sum_reduce(team, sums, words + npes(), 1), 0);
    ASSERT_EQ(sums[0], std::accumulate(members.begin(), members.end(), 0L));
    const int root = size / 2;
    ASSERT_EQ(shmem_long_broadcast(team, sums + 1, words + npes(), 1, root), 0);
    ASSERT_EQ(sums[1], members[static_cast<std::size_t>(root)]);
    shmem_team_sync(team);
}

// A context of the team, and a team of the team in reverse order.
void check_parts(shmem_team_t team, const Members& members, long* words, long* sums) {
    const auto size = static_cast<int>(members.size());
    const int right = (index_of(members, me()) + 1) % size;
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_team_create_ctx(team, 0, &ctx), 0);
    shmem_ctx_long_p(ctx, sums + 2, me() + 1000L, right);
    shmem_ctx_quiet(ctx);
    shmem_team_sync(team);
    const int left = (index_of(members, me()) + size - 1) % size;
    ASSERT_EQ(sums[2], members[static_cast<std::size_t>(left)] + 1000L);
    shmem_ctx_destroy(ctx);
    shmem_team_t reverse = SHMEM_TEAM_INVALID;
    ASSERT_EQ(
        shmem_team_split_strided(team, size - 1, size > 1 ? -1 : 1, size, nullptr, 0, &reverse), 0);
    const Members backwards(members.rbegin(), members.rend());
    check_team(reverse, backwards, words, sums);
    shmem_team_destroy(reverse);
}

struct Arrays {
    long* words =
        static_cast<long*>(shmem_malloc(sizeof(long) * (static_cast<std::size_t>(npes()) + 1)));
    long* sums = static_cast<long*>(shmem_malloc(sizeof(long) * 3));
    Arrays() = default;
    Arrays(const Arrays&) = delete;
    Arrays& operator=(const Arrays&) = delete;
    ~Arrays() {
        shmem_free(sums);
        shmem_free(words);
    }
};

shmem_team_t create(const Members& members, shmem_team_t parent = SHMEM_TEAM_WORLD) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmemx_team_create(parent, members.data(), static_cast<int>(members.size()), nullptr,
                                 0, &team),
              0);
    EXPECT_NE(team, SHMEM_TEAM_INVALID);
    return team;
}

Members all_pes() {
    Members pes(static_cast<std::size_t>(npes()));
    std::iota(pes.begin(), pes.end(), 0);
    return pes;
}

TEST(SplitColor, OrdersByKeyThenByTheParent) {
    Arrays arrays;
    for (int colors = 1; colors <= 3; ++colors) {
        for (int way = 0; way < 4; ++way) {
            const auto color_of = [&](int pe) { return way == 3 && pe == 0 ? -1 : pe % colors; };
            const auto key_of = [&](int pe) {
                return way == 0 ? 0 : way == 1 ? -pe : (pe * 5) % 3 - 1;
            };
            Members members;
            for (int pe : all_pes()) {
                if (color_of(pe) == color_of(me())) members.push_back(pe);
            }
            std::ranges::stable_sort(members, {}, key_of);
            shmem_team_t team = SHMEM_TEAM_WORLD;
            ASSERT_EQ(shmemx_team_split_color(SHMEM_TEAM_WORLD, color_of(me()), key_of(me()),
                                              nullptr, 0, &team),
                      0);
            if (color_of(me()) < 0) {
                ASSERT_EQ(team, SHMEM_TEAM_INVALID);
                continue;
            }
            check_team(team, members, arrays.words, arrays.sums);
            check_parts(team, members, arrays.words, arrays.sums);
            shmem_team_destroy(team);
        }
    }
}

TEST(SplitColor, NoMembersAtAll) {
    shmem_team_t team = SHMEM_TEAM_WORLD;
    ASSERT_EQ(shmemx_team_split_color(SHMEM_TEAM_WORLD, -1, 0, nullptr, 0, &team), 0);
    ASSERT_EQ(team, SHMEM_TEAM_INVALID);
    ASSERT_NE(shmemx_team_split_color(SHMEM_TEAM_INVALID, 0, 0, nullptr, 0, &team), 0);
}

TEST(SplitColor, KeepsItsConfiguration) {
    const shmem_team_config_t config{.num_contexts = 7};
    shmem_team_t team = SHMEM_TEAM_INVALID;
    ASSERT_EQ(
        shmemx_team_split_color(SHMEM_TEAM_WORLD, 0, 0, &config, SHMEM_TEAM_NUM_CONTEXTS, &team),
        0);
    shmem_team_config_t read{};
    ASSERT_EQ(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &read), 0);
    EXPECT_EQ(read.num_contexts, 7);
    shmem_team_destroy(team);
}

// Each PE is in a random part of the PEs; those of no part do nothing.
TEST(Create, AnyOrderAnySubsetAtTheSameTime) {
    Arrays arrays;
    std::mt19937 random(static_cast<unsigned>(tessera::test::shared_seed()));
    for (int round = 0; round < 30; ++round) {
        Members pes = all_pes();
        std::ranges::shuffle(pes, random);
        const std::size_t parts = 1 + random() % 3;
        const std::size_t length = std::max<std::size_t>(1, pes.size() / parts);
        for (std::size_t begin = 0; begin < pes.size(); begin += length) {
            const std::size_t end = std::min(begin + length, pes.size());
            const Members part(pes.begin() + static_cast<long>(begin),
                               pes.begin() + static_cast<long>(end));
            const bool is_left_out = (round + begin) % 5 == 4;
            if (index_of(part, me()) < 0 || is_left_out) continue;
            shmem_team_t team = create(part);
            check_team(team, part, arrays.words, arrays.sums);
            check_parts(team, part, arrays.words, arrays.sums);
            shmem_team_destroy(team);
        }
    }
}

// Without a collective, so nothing holds members back before they come again.
TEST(Create, TheSameListManyTimes) {
    Members odd;
    for (int pe : all_pes()) {
        if (pe % 2 == 1 || npes() == 1) odd.push_back(pe);
    }
    Members backwards(odd.rbegin(), odd.rend());
    if (index_of(odd, me()) < 0) return;
    for (int round = 0; round < 200; ++round) {
        shmem_team_t first = create(odd);
        shmem_team_t second = create(backwards);
        if (round % 10 == 0) shmem_team_sync(second);
        shmem_team_destroy(first);
        shmem_team_destroy(second);
    }
}

TEST(Create, CountsInItsParent) {
    Arrays arrays;
    Members even;
    for (int pe = 0; pe < npes(); pe += 2) even.insert(even.begin(), pe);
    if (me() % 2 != 0) return;
    shmem_team_t parent = create(even);
    const auto size = static_cast<int>(even.size());
    if (shmem_team_my_pe(parent) != 0) {  // The parent's PE 0 does nothing.
        Members numbers;
        Members world;
        for (int i = size - 1; i > 0; --i) {
            numbers.push_back(i);
            world.push_back(even[static_cast<std::size_t>(i)]);
        }
        shmem_team_t team = create(numbers, parent);
        check_team(team, world, arrays.words, arrays.sums);
        shmem_team_destroy(team);
    }
    shmem_team_sync(parent);
    shmem_team_destroy(parent);
}

// Pairs around a ring: each PE is in two teams, and its partners come at other times.
TEST(Create, OverlappingPairs) {
    Arrays arrays;
    if (npes() < 3) return;
    const int right = (me() + 1) % npes();
    const int left = (me() + npes() - 1) % npes();
    for (int round = 0; round < 20; ++round) {
        // The pair of PE 0 and its right neighbour comes first, then in the order of the ring.
        const Members with_left{left, me()};
        const Members with_right{me(), right};
        const bool begins = me() == 0;
        shmem_team_t first = create(begins ? with_right : with_left);
        shmem_team_t second = create(begins ? with_left : with_right);
        // In the same order, since each check waits for the partner.
        check_team(first, begins ? with_right : with_left, arrays.words, arrays.sums);
        check_team(second, begins ? with_left : with_right, arrays.words, arrays.sums);
        shmem_team_destroy(first);
        shmem_team_destroy(second);
        shmem_barrier_all();
    }
}

// More teams than one offer of slots has room for, on some PEs only.
TEST(Create, ManyTeamsAtOnce) {
    Arrays arrays;
    const Members alone{me()};
    std::vector<shmem_team_t> mine;
    const int count = me() % 2 == 0 ? 150 : 3;
    for (int i = 0; i < count; ++i) mine.push_back(create(alone));
    const Members pes = all_pes();
    shmem_team_t team = create(pes);
    check_team(team, pes, arrays.words, arrays.sums);
    shmem_team_destroy(team);
    for (shmem_team_t each : mine) shmem_team_destroy(each);
}

// Two threads of each PE make teams at the same time, of other lists.
TEST(Create, FromTwoThreads) {
    const Members forwards = all_pes();
    const Members backwards(forwards.rbegin(), forwards.rend());
    const Members rotated = [&] {
        Members pes = forwards;
        std::ranges::rotate(pes, pes.begin() + 1);
        return pes;
    }();
    if (npes() < 3) return;  // Two of the lists are equal.
    const auto make = [](const Members& members) {
        for (int i = 0; i < 40; ++i) {
            shmem_team_t team = create(members);
            EXPECT_EQ(shmem_team_my_pe(team), index_of(members, me()));
            shmem_team_sync(team);
            shmem_team_destroy(team);
        }
    };
    std::thread other(make, backwards);
    std::thread third(make, rotated);
    make(forwards);
    other.join();
    third.join();
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
