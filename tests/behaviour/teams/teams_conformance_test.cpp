// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a split puts other PEs into a team, or in another order, than its arguments say, when
// a query gives another number, or when arguments that name no team are not refused (OpenSHMEM 1.6,
// 9.4; shmem_team_ptr of 9.1).
#include <algorithm>
#include <vector>

#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

using Config = shmem_team_config_t;

// The chapter's routines, by their shmem_ or pshmem_ names.
struct Teams {
    int (*my_pe)(shmem_team_t team);
    int (*n_pes)(shmem_team_t team);
    int (*get_config)(shmem_team_t team, long mask, Config* config);
    int (*translate_pe)(shmem_team_t from, int pe, shmem_team_t to);
    int (*split_strided)(shmem_team_t parent, int start, int stride, int size, const Config* config,
                         long mask, shmem_team_t* team);
    int (*split_2d)(shmem_team_t parent, int xrange, const Config* xconfig, long xmask,
                    shmem_team_t* xteam, const Config* yconfig, long ymask, shmem_team_t* yteam);
    void (*destroy)(shmem_team_t team);
    void* (*ptr)(shmem_team_t team, const void* dest, int pe);
};
#define TEAMS(P)                                                                    \
    Teams {                                                                         \
        ROUTINE(P##shmem_team_my_pe), ROUTINE(P##shmem_team_n_pes),                 \
            ROUTINE(P##shmem_team_get_config), ROUTINE(P##shmem_team_translate_pe), \
            ROUTINE(P##shmem_team_split_strided), ROUTINE(P##shmem_team_split_2d),  \
            ROUTINE(P##shmem_team_destroy), ROUTINE(P##shmem_team_ptr)              \
    }
const Teams kNames[] = {TEAMS(), TEAMS(p)};

std::vector<int> all_pes() {
    std::vector<int> pes;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) pes.push_back(pe);
    return pes;
}

int index_in(const std::vector<int>& pes, int pe) {
    auto found = std::find(pes.begin(), pes.end(), pe);
    return found == pes.end() ? -1 : static_cast<int>(found - pes.begin());
}

// The members of the team, by their numbers in the world and in the team's order, are `pes`; and
// the team works. On a PE outside of the team: the handle is SHMEM_TEAM_INVALID.
void expect_members(const Teams& teams, shmem_team_t team, const std::vector<int>& pes) {
    static std::uint64_t words[2];  // symmetric
    const int mine = index_in(pes, shmem_my_pe());
    EXPECT_EQ(team != SHMEM_TEAM_INVALID, mine >= 0);
    if (mine < 0 || team == SHMEM_TEAM_INVALID) return;
    const int size = static_cast<int>(pes.size());
    EXPECT_EQ(teams.n_pes(team), size);
    EXPECT_EQ(teams.my_pe(team), mine);
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        EXPECT_EQ(teams.translate_pe(SHMEM_TEAM_WORLD, pe, team), index_in(pes, pe));
    for (int i = 0; i < size; ++i) {
        const int pe = pes[static_cast<std::size_t>(i)];
        EXPECT_EQ(teams.translate_pe(team, i, SHMEM_TEAM_WORLD), pe);
        EXPECT_EQ(teams.ptr(team, &words[0], i), shmem_ptr(&words[0], pe));
    }
    EXPECT_EQ(teams.translate_pe(team, size, SHMEM_TEAM_WORLD), -1);
    EXPECT_EQ(teams.translate_pe(team, -1, SHMEM_TEAM_WORLD), -1);
    // All members, and no other PEs, take part in its collectives.
    words[0] = std::uint64_t{1} << shmem_my_pe();
    std::uint64_t expected = 0;
    for (int pe : pes) expected |= std::uint64_t{1} << pe;
    EXPECT_EQ(shmem_uint64_sum_reduce(team, &words[1], &words[0], 1), 0);
    EXPECT_EQ(words[1], expected);
}

TEST(Team, predefined) {
    for (const Teams& teams : kNames) {
        expect_members(teams, SHMEM_TEAM_WORLD, all_pes());
        // The team has the PEs whose heap this PE can load and store.
        auto* object = static_cast<int*>(shmem_malloc(sizeof(int)));
        std::vector<int> reachable;
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            if (shmem_ptr(object, pe) != nullptr) reachable.push_back(pe);
        }
        expect_members(teams, SHMEM_TEAM_SHARED, reachable);
        shmem_free(object);
    }
    // The handles may initialize static objects.
    static const shmem_team_t handles[] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEM_TEAM_INVALID};
    EXPECT_TRUE(handles[0] != handles[1] && handles[1] != handles[2] && handles[0] != handles[2]);
}

void check_strided(const Teams& teams, shmem_team_t parent, const std::vector<int>& parent_pes,
                   int start, int stride, int size) {
    shmem_team_t team = SHMEM_TEAM_WORLD;
    EXPECT_EQ(teams.split_strided(parent, start, stride, size, nullptr, 0, &team), 0)
        << "start " << start << ", stride " << stride << ", size " << size;
    std::vector<int> pes;
    for (int i = 0; i < size; ++i)
        pes.push_back(parent_pes[static_cast<std::size_t>(start + i * stride)]);
    expect_members(teams, team, pes);
    teams.destroy(team);
}

// Every start, stride and size that name PEs of the world, and of a team backwards.
TEST(Team, split_strided) {
    const int npes = shmem_n_pes();
    for (const Teams& teams : kNames) {
        shmem_team_t backwards = SHMEM_TEAM_INVALID;
        ASSERT_EQ(teams.split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, nullptr, 0, &backwards),
                  0);
        std::vector<int> backwards_pes = all_pes();
        std::reverse(backwards_pes.begin(), backwards_pes.end());
        for (int start = 0; start < npes; ++start) {
            check_strided(teams, SHMEM_TEAM_WORLD, all_pes(), start, 0, 1);
            for (int stride = -npes; stride <= npes; ++stride) {
                int most = 1;
                while (stride != 0 && start + most * stride >= 0 && start + most * stride < npes)
                    ++most;
                check_strided(teams, SHMEM_TEAM_WORLD, all_pes(), start, stride, most);
                if (stride % 2 == 0 || most < 3) continue;
                check_strided(teams, backwards, backwards_pes, start, stride, most - 1);
            }
        }
        teams.destroy(backwards);
    }
}

// Nonzero and SHMEM_TEAM_INVALID on all PEs, and the parent is as it was.
TEST(Team, split_strided_refuses) {
    const int npes = shmem_n_pes();
    const int bad[][3] = {{0, 1, 0},         {0, 1, -1},       {0, 1, npes + 1}, {npes, 1, 1},
                          {-1, 1, 1},        {0, -1, 2},       {0, 0, 2},        {0, npes, 2},
                          {npes - 1, 1, 2},  {npes - 1, 2, 2}, {1, 1, npes},     {npes + 3, -1, 2},
                          {0, 1 << 30, 5},   {0, 1, 1 << 30},  {npes, 0, 1},     {-1, 0, 1},
                          {0, -(1 << 30), 3}};
    for (const Teams& teams : kNames) {
        for (const auto& [start, stride, size] : bad) {
            shmem_team_t team = SHMEM_TEAM_WORLD;
            EXPECT_NE(teams.split_strided(SHMEM_TEAM_WORLD, start, stride, size, nullptr, 0, &team),
                      0)
                << "start " << start << ", stride " << stride << ", size " << size;
            EXPECT_EQ(team, SHMEM_TEAM_INVALID);
        }
        expect_members(teams, SHMEM_TEAM_WORLD, all_pes());
    }
}

TEST(Team, split_2d) {
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    for (const Teams& teams : kNames) {
        for (int xrange = 1; xrange <= npes + 2; ++xrange) {
            shmem_team_t xteam = SHMEM_TEAM_INVALID;
            shmem_team_t yteam = SHMEM_TEAM_INVALID;
            EXPECT_EQ(
                teams.split_2d(SHMEM_TEAM_WORLD, xrange, nullptr, 0, &xteam, nullptr, 0, &yteam),
                0);
            const int columns = std::min(xrange, npes);
            std::vector<int> row;
            std::vector<int> column;
            for (int pe = 0; pe < npes; ++pe) {
                if (pe / columns == me / columns) row.push_back(pe);
                if (pe % columns == me % columns) column.push_back(pe);
            }
            expect_members(teams, xteam, row);
            expect_members(teams, yteam, column);
            teams.destroy(yteam);
            teams.destroy(xteam);
        }
        for (int xrange : {0, -1, -npes}) {
            shmem_team_t xteam = SHMEM_TEAM_WORLD;
            shmem_team_t yteam = SHMEM_TEAM_WORLD;
            EXPECT_NE(
                teams.split_2d(SHMEM_TEAM_WORLD, xrange, nullptr, 0, &xteam, nullptr, 0, &yteam),
                0);
            EXPECT_EQ(xteam, SHMEM_TEAM_INVALID);
            EXPECT_EQ(yteam, SHMEM_TEAM_INVALID);
        }
    }
}

// Teams of a PE that leaves no team, and of PEs that are in no second one.
TEST(Team, translates_between_teams) {
    const int npes = shmem_n_pes();
    for (const Teams& teams : kNames) {
        shmem_team_t even = SHMEM_TEAM_INVALID;
        shmem_team_t backwards = SHMEM_TEAM_INVALID;
        teams.split_strided(SHMEM_TEAM_WORLD, 0, 2, (npes + 1) / 2, nullptr, 0, &even);
        teams.split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, nullptr, 0, &backwards);
        for (int pe = 0; pe < npes && even != SHMEM_TEAM_INVALID; ++pe) {
            const int there = npes - 1 - pe;  // in the world
            EXPECT_EQ(teams.translate_pe(backwards, pe, even), there % 2 == 0 ? there / 2 : -1);
        }
        EXPECT_EQ(teams.translate_pe(backwards, 0, SHMEM_TEAM_INVALID), -1);
        EXPECT_EQ(teams.translate_pe(SHMEM_TEAM_INVALID, 0, backwards), -1);
        teams.destroy(even);
        teams.destroy(backwards);
    }
}

TEST(Team, config) {
    const int npes = shmem_n_pes();
    for (const Teams& teams : kNames) {
        const Config asked{.num_contexts = 7};
        const Config other{.num_contexts = 3};
        Config got{.num_contexts = -5};
        EXPECT_EQ(teams.get_config(SHMEM_TEAM_WORLD, 0, &got), 0);
        EXPECT_EQ(got.num_contexts, -5);
        EXPECT_EQ(teams.get_config(SHMEM_TEAM_WORLD, 0, nullptr), 0);

        shmem_team_t team = SHMEM_TEAM_INVALID;
        EXPECT_EQ(teams.split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, &asked, SHMEM_TEAM_NUM_CONTEXTS,
                                      &team),
                  0);
        EXPECT_EQ(teams.get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &got), 0);
        EXPECT_EQ(got.num_contexts, 7);
        teams.destroy(team);
        // Without the mask's bit the default: 0.
        EXPECT_EQ(teams.split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, &asked, 0, &team), 0);
        EXPECT_EQ(teams.get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &got), 0);
        EXPECT_EQ(got.num_contexts, 0);
        teams.destroy(team);

        shmem_team_t xteam = SHMEM_TEAM_INVALID;
        shmem_team_t yteam = SHMEM_TEAM_INVALID;
        EXPECT_EQ(teams.split_2d(SHMEM_TEAM_WORLD, 2, &asked, SHMEM_TEAM_NUM_CONTEXTS, &xteam,
                                 &other, SHMEM_TEAM_NUM_CONTEXTS, &yteam),
                  0);
        EXPECT_EQ(teams.get_config(xteam, SHMEM_TEAM_NUM_CONTEXTS, &got), 0);
        EXPECT_EQ(got.num_contexts, 7);
        EXPECT_EQ(teams.get_config(yteam, SHMEM_TEAM_NUM_CONTEXTS, &got), 0);
        EXPECT_EQ(got.num_contexts, 3);
        teams.destroy(xteam);
        teams.destroy(yteam);
    }
}

// The results for SHMEM_TEAM_INVALID.
TEST(Team, invalid) {
    static int object;  // symmetric
    for (const Teams& teams : kNames) {
        EXPECT_EQ(teams.my_pe(SHMEM_TEAM_INVALID), -1);
        EXPECT_EQ(teams.n_pes(SHMEM_TEAM_INVALID), -1);
        EXPECT_EQ(teams.translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD), -1);
        EXPECT_EQ(teams.translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID), -1);
        EXPECT_EQ(teams.ptr(SHMEM_TEAM_INVALID, &object, 0), nullptr);
        Config config{.num_contexts = 41};
        EXPECT_NE(teams.get_config(SHMEM_TEAM_INVALID, SHMEM_TEAM_NUM_CONTEXTS, &config), 0);
        EXPECT_EQ(config.num_contexts, 41);
        shmem_team_t team = SHMEM_TEAM_WORLD;
        EXPECT_NE(teams.split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, nullptr, 0, &team), 0);
        EXPECT_EQ(team, SHMEM_TEAM_INVALID);
        shmem_team_t xteam = SHMEM_TEAM_WORLD;
        shmem_team_t yteam = SHMEM_TEAM_WORLD;
        EXPECT_NE(teams.split_2d(SHMEM_TEAM_INVALID, 1, nullptr, 0, &xteam, nullptr, 0, &yteam), 0);
        EXPECT_EQ(xteam, SHMEM_TEAM_INVALID);
        EXPECT_EQ(yteam, SHMEM_TEAM_INVALID);
        teams.destroy(SHMEM_TEAM_INVALID);
    }
}

// Many teams at the same time, and places of destroyed ones used again: nothing is shared.
TEST(Team, many) {
    const int npes = shmem_n_pes();
    for (const Teams& teams : kNames) {
        std::vector<shmem_team_t> open(40, SHMEM_TEAM_INVALID);
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 0; i < open.size(); ++i) {
                const int start = static_cast<int>(i) % npes;
                if (open[i] != SHMEM_TEAM_INVALID && i % 2 == 0) {
                    teams.destroy(open[i]);
                    open[i] = SHMEM_TEAM_INVALID;
                }
                if (round > 0 && i % 2 == 1) continue;
                EXPECT_EQ(teams.split_strided(SHMEM_TEAM_WORLD, start, 1, npes - start, nullptr, 0,
                                              &open[i]),
                          0);
            }
            for (std::size_t i = 0; i < open.size(); i += 3) {
                const int start = static_cast<int>(i) % npes;
                std::vector<int> pes;
                for (int pe = start; pe < npes; ++pe) pes.push_back(pe);
                expect_members(teams, open[i], pes);
            }
        }
        for (shmem_team_t team : open) teams.destroy(team);
    }
}

}  // namespace
}  // namespace tessera::conformance
