// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a barrier or sync lets a PE go before all others have come or leaves out what it
// completes; when fence or quiet, of any context, does not order or complete; and when a lock lets
// two PEs in (OpenSHMEM 1.6, 9.10, 9.12, 9.13, 10).
#include <sched.h>

#include <vector>

#include "conformance/conditions.hpp"
#include "conformance/groups.hpp"
#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "conformance/views.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

// A routine that all PEs of a group meet in.
struct Barrier {
    int id;
    bool completes_puts;  // a barrier; else a sync
    int (*call)(const Group& group);
};
#define BARRIER(NAME, COMPLETES, CALL)                                         \
    Barrier {                                                                  \
        ID_##NAME, COMPLETES, []([[maybe_unused]] const Group& group) -> int { \
            called(ID_##NAME);                                                 \
            return CALL;                                                       \
        }                                                                      \
    }
#define ACTIVE_SET group.start, group.log_stride, group.size(), psync()
const Barrier kWorldBarriers[] = {
    BARRIER(shmem_barrier_all, true, (shmem_barrier_all(), kNoStatus)),
    BARRIER(pshmem_barrier_all, true, (pshmem_barrier_all(), kNoStatus)),
    BARRIER(shmem_sync_all, false, (shmem_sync_all(), kNoStatus)),
    BARRIER(pshmem_sync_all, false, (pshmem_sync_all(), kNoStatus))};
const Barrier kTeamSyncs[] = {BARRIER(shmem_team_sync, false, shmem_team_sync(group.team)),
                              BARRIER(pshmem_team_sync, false, pshmem_team_sync(group.team))};
const Barrier kActiveSetBarriers[] = {
    BARRIER(shmem_barrier, true, (shmem_barrier(ACTIVE_SET), kNoStatus)),
    BARRIER(pshmem_barrier, true, (pshmem_barrier(ACTIVE_SET), kNoStatus)),
    BARRIER(shmem_sync, false, (shmem_sync(ACTIVE_SET), kNoStatus)),
    BARRIER(pshmem_sync, false, (pshmem_sync(ACTIVE_SET), kNoStatus))};

// Round after round, with another PE late each time: a PE that leaves the barrier must find that
// all members have come to this round, by their earlier stores and nonblocking puts. Barriers
// follow each other at once, with the same pSync.
void check_barrier(const Barrier& barrier, const Group& group) {
    constexpr unsigned kRounds = 12;
    auto* round_of = reinterpret_cast<std::uint64_t*>(next_region().data);  // stored by its PE
    std::uint64_t* put_by = round_of + 16;                                  // by PE, put by others
    const int me = shmem_my_pe();
    *round_of = 0;
    std::fill(put_by, put_by + shmem_n_pes(), 0);
    change_psync();
    shmem_barrier_all();
    for (std::uint64_t round = 1; round <= kRounds && group.is_member(); ++round) {
        come_late_in_turn(static_cast<unsigned>(round));
        *static_cast<volatile std::uint64_t*>(round_of) = round;
        std::vector<std::uint64_t> sources(group.pes.size(), round);
        for (std::size_t i = 0; i < group.pes.size(); ++i)
            shmem_uint64_put_nbi(put_by + me, &sources[i], 1, group.pes[i]);
        if (!barrier.completes_puts) shmem_quiet();
        EXPECT_EQ(barrier.call(group), 0) << name_of(barrier.id);
        for (int pe : group.pes) {
            EXPECT_GE(shmem_uint64_g(round_of, pe), round)
                << name_of(barrier.id) << ", " << group.name << ": PE " << pe << " has not come";
            EXPECT_GE(*static_cast<volatile std::uint64_t*>(put_by + pe), round)
                << name_of(barrier.id) << ", " << group.name << ": the put of PE " << pe;
        }
    }
    shmem_barrier_all();
    expect_psync_restored();
}

TEST(Barrier, of_the_world) {
    for (const Barrier& barrier : kWorldBarriers) check_barrier(barrier, team_groups().front());
}
TEST(Barrier, of_teams) {
    for (const Barrier& barrier : kTeamSyncs) {
        for (const Group& group : team_groups()) check_barrier(barrier, group);
    }
}
TEST(Barrier, of_active_sets) {
    for (const Barrier& barrier : kActiveSetBarriers) {
        for (const Group& group : active_set_groups()) check_barrier(barrier, group);
    }
}

// A team begins anew for all of its members, whatever the teams did that some were in before
// and have destroyed: all PEs but one have met often.
TEST(Barrier, of_a_team_that_comes_after_others) {
    const int npes = shmem_n_pes();
    const int last = npes - 1;
    for (int round = 0; round < 6; ++round) {
        const bool without_first = round % 2 == 0;
        shmem_team_t before = SHMEM_TEAM_INVALID;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, without_first ? last : 0, without_first ? -1 : 1,
                                 last, nullptr, 0, &before);
        for (int i = 0; i < 20 && before != SHMEM_TEAM_INVALID; ++i) shmem_team_sync(before);
        shmem_team_destroy(before);
        Group all{.name = "after others", .pes = {}, .my_index = shmem_my_pe()};
        for (int pe = 0; pe < npes; ++pe) all.pes.push_back(pe);
        ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, nullptr, 0, &all.team), 0);
        for (const Barrier& barrier : kTeamSyncs) check_barrier(barrier, all);
        shmem_team_destroy(all.team);
    }
}

// Members of overlapping teams meet in different orders, and again and again: a PE that is ahead in
// one team must not be taken for one that has come in another.
TEST(Barrier, of_overlapping_teams) {
    const Group& lower = team_groups()[4];
    const Group& upper = team_groups()[5];
    ASSERT_EQ(lower.name, "lower half");
    auto* words = reinterpret_cast<std::uint64_t*>(next_region().data);
    words[0] = words[1] = words[2] = 0;
    shmem_barrier_all();
    const auto meet = [&](const Group& group, std::uint64_t* word, std::uint64_t round) {
        if (!group.is_member()) return;
        *static_cast<volatile std::uint64_t*>(word) = round;
        shmem_team_sync(group.team);
        for (int pe : group.pes) EXPECT_GE(shmem_uint64_g(word, pe), round) << group.name;
    };
    for (std::uint64_t round = 1; round <= 60; ++round) {
        come_late_in_turn(static_cast<unsigned>(round));
        meet(round % 3 == 0 ? upper : lower, words + (round % 3 == 0 ? 1 : 0), round);
        if (round % 2 == 0) meet(team_groups()[3], words + 2, round);
        meet(round % 3 == 0 ? lower : upper, words + (round % 3 == 0 ? 0 : 1), round);
    }
    shmem_barrier_all();
}

struct Ordering {
    int id;
    bool has_ctx;
    void (*call)();
};
#define ORDERING(NAME, HAS_CTX, ...) \
    Ordering {                       \
        ID_##NAME, HAS_CTX, [] {     \
            called(ID_##NAME);       \
            NAME(__VA_ARGS__);       \
        }                            \
    }
const Ordering kFences[] = {ORDERING(shmem_fence, false), ORDERING(pshmem_fence, false),
                            ORDERING(shmem_ctx_fence, true, current_ctx),
                            ORDERING(pshmem_ctx_fence, true, current_ctx)};
const Ordering kQuiets[] = {ORDERING(shmem_quiet, false), ORDERING(pshmem_quiet, false),
                            ORDERING(shmem_ctx_quiet, true, current_ctx),
                            ORDERING(pshmem_ctx_quiet, true, current_ctx)};
// All PEs of the context, by their numbers in its team.
int all_numbers[64];
std::size_t all_count = 0;
const Ordering kPeQuiets[] = {
    ORDERING(shmem_pe_quiet, false, all_numbers, all_count),
    ORDERING(pshmem_pe_quiet, false, all_numbers, all_count),
    ORDERING(shmem_ctx_pe_quiet, true, current_ctx, all_numbers, all_count),
    ORDERING(pshmem_ctx_pe_quiet, true, current_ctx, all_numbers, all_count)};

// Every PE of the context sends a message to every other one, then a word; a PE that sees the word
// must see the message.
void check_order(const Ordering& ordering, const View& view) {
    constexpr std::size_t kWords = 40;
    constexpr std::uint64_t kRounds = 5;
    const int me = shmem_my_pe();
    const std::size_t npes = static_cast<std::size_t>(shmem_n_pes());
    auto* flags = reinterpret_cast<std::uint64_t*>(next_region().data);
    std::uint64_t* messages = flags + npes;
    std::fill(flags, flags + npes, 0);
    shmem_barrier_all();
    view.use();
    all_count = view.pes.size();
    for (std::size_t i = 0; i < all_count; ++i) all_numbers[i] = static_cast<int>(i);
    for (std::uint64_t round = 1; round <= kRounds && !view.pes.empty(); ++round) {
        std::uint64_t* mine = messages + (round % 2 * npes + static_cast<std::size_t>(me)) * kWords;
        std::vector<std::uint64_t> source(kWords);
        for (std::size_t i = 0; i < kWords; ++i)
            source[i] = mix(round, i, static_cast<unsigned>(me));
        for (std::size_t number = 0; number < all_count; ++number) {
            const int pe = static_cast<int>(number);
            shmem_ctx_uint64_put_nbi(view.ctx, mine, source.data(), kWords, pe);
            ordering.call();
            shmem_ctx_uint64_atomic_set(view.ctx, flags + me, round, pe);
        }
        for (int from : view.pes) {
            shmem_uint64_wait_until(flags + from, SHMEM_CMP_GE, round);
            const std::uint64_t* theirs =
                messages + (round % 2 * npes + static_cast<std::size_t>(from)) * kWords;
            for (std::size_t i = 0; i < kWords; ++i) {
                EXPECT_EQ(theirs[i], mix(round, i, static_cast<unsigned>(from)))
                    << name_of(ordering.id) << ", " << view.name << ": word " << i << " from PE "
                    << from;
            }
        }
        view.quiet();
    }
    shmem_barrier_all();
}

TEST(Ordering, fence) {
    for (const Ordering& fence : kFences) {
        for (const View& view : views(fence.has_ctx)) check_order(fence, view);
    }
}
TEST(Ordering, quiet) {
    for (const Ordering& quiet : kQuiets) {
        for (const View& view : views(quiet.has_ctx)) check_order(quiet, view);
    }
}
TEST(Ordering, pe_quiet) {
    for (const Ordering& quiet : kPeQuiets) {
        for (const View& view : views(quiet.has_ctx)) check_order(quiet, view);
    }
}
TEST(Ordering, nothing_to_order) {
    shmem_pe_quiet(nullptr, 0);
    current_ctx = SHMEM_CTX_INVALID;
    for (const Ordering& ordering :
         {kFences[2], kFences[3], kQuiets[2], kQuiets[3], kPeQuiets[2]}) {
        ordering.call();
    }
    current_ctx = SHMEM_CTX_DEFAULT;
}

struct Lock {
    void (*set)(long* lock);
    int (*test)(long* lock);
    void (*clear)(long* lock);
};
const Lock kLocks[] = {
    {ROUTINE(shmem_set_lock), ROUTINE(shmem_test_lock), ROUTINE(shmem_clear_lock)},
    {ROUTINE(pshmem_set_lock), ROUTINE(pshmem_test_lock), ROUTINE(pshmem_clear_lock)}};

// A counter that all PEs read and write, but never two at a time.
TEST(Lock, excludes) {
    constexpr int kTimes = 20;
    constexpr std::size_t kObjects = 3;  // at different addresses, so kept by different PEs
    const auto npes = static_cast<std::uint64_t>(shmem_n_pes());
    for (const Lock& lock : kLocks) {
        auto* objects = reinterpret_cast<long*>(next_region().data);
        auto* counters = reinterpret_cast<std::uint64_t*>(objects + 16);
        std::fill(objects, objects + kObjects, 0);
        std::fill(counters, counters + kObjects, 0);
        shmem_barrier_all();
        for (int time = 0; time < kTimes; ++time) {
            const std::size_t i = static_cast<std::size_t>(time) % kObjects;
            const int owner = static_cast<int>(i) % shmem_n_pes();
            if (time % 4 == 3) {
                while (lock.test(objects + i) != 0) sched_yield();
            } else {
                lock.set(objects + i);
            }
            std::uint64_t count = shmem_uint64_g(counters + i, owner);
            if (time % 5 == 0) sched_yield();
            ++count;
            shmem_uint64_put_nbi(counters + i, &count, 1, owner);
            lock.clear(objects + i);  // completes the put
        }
        shmem_barrier_all();
        for (std::size_t i = 0; i < kObjects; ++i) {
            const int owner = static_cast<int>(i) % shmem_n_pes();
            const std::uint64_t times = (kTimes - i + kObjects - 1) / kObjects;
            EXPECT_EQ(shmem_uint64_g(counters + i, owner), times * npes) << "lock " << i;
        }
        shmem_barrier_all();
    }
}

TEST(Lock, test_says_whether_it_is_free) {
    for (const Lock& lock : kLocks) {
        auto* object = reinterpret_cast<long*>(next_region().data);
        for (int holder = 0; holder < shmem_n_pes(); ++holder) {
            *object = 0;
            shmem_barrier_all();
            const bool is_holder = shmem_my_pe() == holder;
            EXPECT_EQ(is_holder ? lock.test(object) : 0, 0);
            shmem_barrier_all();
            EXPECT_EQ(is_holder ? 1 : lock.test(object), 1) << "PE " << holder << " holds it";
            shmem_barrier_all();
            if (is_holder) lock.clear(object);
            shmem_barrier_all();
        }
    }
}

TEST(Profiling, pcontrol) {
    for (int level = -1; level < 4; ++level) {
        called(ID_shmem_pcontrol);
        shmem_pcontrol(level);
        called(ID_pshmem_pcontrol);
        pshmem_pcontrol(level, "anything", 3.0);
    }
}

}  // namespace
}  // namespace tessera::conformance
