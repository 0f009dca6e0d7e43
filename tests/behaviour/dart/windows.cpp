// SPDX-License-Identifier: BSD-3-Clause
//
// Windows of SHMEM (shmemx/windows.h) on memory of DART, beside calls of DART. Unit i is PE i.
// Breaks when windows do not take this memory, or when one side misses what the other has changed.
#include <shmemx.h>

#include "onesided.hpp"

namespace {

// An epoch in which each unit puts to the next one.
void exchange(shmemx_window_t window, long* dest, long value) {
    const int target = next_unit();
    const int origin = previous_unit();
    shmemx_epoch_t exposure;
    shmemx_epoch_t access;
    shmemx_window_post(window, &origin, 1, 0, &exposure);
    shmemx_window_start(window, &target, 1, 0, &access);
    shmemx_epoch_put(access, dest, &value, sizeof value, target);
    shmemx_epoch_complete(&access);
    shmemx_epoch_wait(&exposure);
}

void test_kind(Memory::Kind kind) {
    constexpr std::size_t kWords = 3;
    const Memory words(kind, kWords * sizeof(long));
    long* const mine = words.own<long>();
    // Units have their memory at different addresses.
    const shmemx_gptr_t own = shmemx_gptr_of(mine, me());
    std::vector<shmemx_gptr_t> all(static_cast<std::size_t>(units()));
    OK(dart_allgather(&own, all.data(), sizeof own, DART_TYPE_BYTE, DART_TEAM_ALL));
    auto* const next =
        static_cast<long*>(shmemx_gptr_addr(all[static_cast<std::size_t>(next_unit())]));
    shmemx_window_t window;
    CHECK(shmemx_window_create(SHMEM_TEAM_WORLD, mine, kWords * sizeof(long), &window) == 0);
    for (long round = 1; round <= 20; ++round) {
        exchange(window, next, 1000 * round + me());
        CHECK(mine[0] == 1000 * round + previous_unit());
        check_meet();
        long got = 0;
        OK(dart_get_blocking(&got, words.of(next_unit()), 1, DART_TYPE_LONG, DART_TYPE_LONG));
        CHECK(got == 1000 * round + me());
        OK(dart_put_blocking(words.of(next_unit(), sizeof(long)), &round, 1, DART_TYPE_LONG,
                             DART_TYPE_LONG));
        check_meet();
        CHECK(mine[1] == round);
    }
    shmemx_window_destroy(&window);
}

}  // namespace

void test_windows() {
    test_kind(Memory::kAllocated);
    test_kind(Memory::kLocal);
}
