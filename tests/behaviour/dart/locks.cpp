// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of teams: a counter that units and threads increment without atomics stays right, and wrong
// calls return errors.
#include <thread>

#include "together.hpp"

namespace {

// A plain read and a plain write of unit 0's counter, under the lock.
void increment(dart_gptr_t counter) {
    long value = 0;
    OK(dart_get_blocking(&value, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    ++value;
    OK(dart_put_blocking(counter, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
}

void count_under_lock(dart_lock_t lock, dart_gptr_t counter, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        std::int32_t is_locked = 0;
        if (i % 3 == 0) OK(dart_lock_try_acquire(lock, &is_locked));
        if (is_locked == 0) OK(dart_lock_acquire(lock));
        increment(counter);
        OK(dart_lock_release(lock));
    }
}

void check_errors(dart_lock_t lock) {
    std::int32_t result = -1;
    INVALID(dart_lock_release(lock));
    OK(dart_lock_acquire(lock));
    INVALID(dart_lock_acquire(lock));
    INVALID(dart_lock_try_acquire(lock, &result));
    CHECK(result == 1);
    OK(dart_lock_release(lock));
    INVALID(dart_lock_acquire(DART_LOCK_NULL));
    INVALID(dart_lock_release(DART_LOCK_NULL));
    INVALID(dart_lock_try_acquire(DART_LOCK_NULL, &result));
    INVALID(dart_team_lock_init(30000, &lock));
    CHECK(lock == DART_LOCK_NULL);
    OK(dart_team_lock_destroy(&lock));
}

void count_in_team(dart_team_t team, int threads) {
    constexpr int kRounds = 20;
    dart_gptr_t counter = DART_GPTR_NULL;
    dart_lock_t lock = DART_LOCK_NULL;
    OK(dart_team_memalloc_aligned(team, 1, DART_TYPE_LONG, &counter));
    OK(dart_team_lock_init(team, &lock));
    CHECK(dart_lock_initialized(lock));
    if (id_in(team) == 0) *address_of<long>(counter) = 0;
    OK(dart_barrier(team));
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
        others.emplace_back([=] { count_under_lock(lock, counter, kRounds); });
    count_under_lock(lock, counter, kRounds);
    for (std::thread& thread : others) thread.join();
    OK(dart_barrier(team));
    if (id_in(team) == 0)
        CHECK(*address_of<long>(counter) == long{kRounds} * threads * size_of(team));
    check_errors(lock);
    OK(dart_barrier(team));
    OK(dart_team_lock_destroy(&lock));
    CHECK(lock == DART_LOCK_NULL && !dart_lock_initialized(lock));
    OK(dart_team_memfree(counter));
}

// A unit that has the lock excludes a try of another one.
void check_exclusion() {
    dart_lock_t lock = DART_LOCK_NULL;
    OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
    std::int32_t result = 0;
    if (me() == 0) OK(dart_lock_acquire(lock));
    check_meet();
    if (me() != 0) {
        OK(dart_lock_try_acquire(lock, &result));
        CHECK(result == 0);
    }
    check_meet();
    if (me() == 0) OK(dart_lock_release(lock));
    OK(dart_team_lock_destroy(&lock));
}

}  // namespace

// A lock that the program has when dart_exit comes is ended behind the next start.
dart_lock_t kept = DART_LOCK_NULL;

void test_locks() {
    CHECK(!dart_lock_initialized(kept));
    OK(dart_team_lock_destroy(&kept));
    count_in_team(DART_TEAM_ALL, 1);
    count_in_team(DART_TEAM_ALL, 3);
    dart_team_t odd = team_of(units() > 1 ? 1 : 0, 2);
    dart_lock_t lock = DART_LOCK_NULL;
    if (odd != DART_TEAM_NULL) {
        count_in_team(odd, 1);
        OK(dart_team_lock_init(odd, &lock));
    }
    OK(dart_team_destroy(&odd));
    OK(dart_team_lock_destroy(&lock));
    check_exclusion();
    OK(dart_team_lock_init(DART_TEAM_ALL, &kept));
}
