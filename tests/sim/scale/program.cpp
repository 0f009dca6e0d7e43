// SPDX-License-Identifier: BSD-3-Clause
//
// The OpenSHMEM program of large jobs: each phase is one call of each PE (docs/run/scaling.md).
#include <shmem.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "base/wait_environment.hpp"
#include "base/wait_policy.hpp"
#include "phases.hpp"

namespace {

void drive() { tessera::drive_progress(); }

// While a PE runs nothing changes, so polling is in vain.
void poll_less() { tessera::wait_policy = {.pauses = 0, .yields = 1}; }

void check(bool is_right, const char* what) {
    if (is_right) return;
    std::printf("PE %d: %s is wrong\n", shmem_my_pe(), what);
    shmem_global_exit(1);
}

template <class Work>
void measure(const char* name, Work work) {
    tessera_scale_begin(name, drive);
    work();
    tessera_scale_end(drive);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* tessera_scale_wait_label() {
    const std::span<char> label = tessera::wait_environment.label;
    return label.empty() || label[0] == '\0' ? "no routine" : label.data();
}

int main() {
    poll_less();
    measure("shmem_init", [] { shmem_init(); });
    poll_less();
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    constexpr int kSomeMax = 1024;
    const int some = std::min(npes, kSomeMax);
    measure("first barrier_all", [] { shmem_barrier_all(); });
    measure("barrier_all", [] { shmem_barrier_all(); });
    measure("sync_all", [] { shmem_sync_all(); });
    auto* in = static_cast<long*>(shmem_malloc(some * sizeof(long)));
    auto* out = static_cast<long*>(shmem_malloc(some * sizeof(long)));
    auto* lock = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    for (int i = 0; i < some; ++i) in[i] = me;
    for (const char* name : {"first broadcast 8 B", "broadcast 8 B"})
        measure(name, [&] { shmem_long_broadcast(SHMEM_TEAM_WORLD, out, in, 1, 0); });
    check(out[0] == 0, "the broadcast");
    for (const char* name : {"first sum_reduce 8 B", "sum_reduce 8 B"})
        measure(name, [&] { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, out, in, 1); });
    check(out[0] == long{npes} * (npes - 1) / 2, "the sum");

    const int stride = npes / some;
    shmem_team_t team = SHMEM_TEAM_INVALID;
    measure("team_split_strided", [&] {
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, stride, some, nullptr, 0, &team);
    });
    const auto in_team = [&](auto work) {
        if (team != SHMEM_TEAM_INVALID) work();
    };
    for (const char* name : {"first fcollect 8 B, 1K", "fcollect 8 B, 1K"})
        measure(name, [&] { in_team([&] { shmem_long_fcollect(team, out, in, 1); }); });
    in_team([&] { check(out[some - 1] == long{some - 1} * stride, "fcollect"); });
    for (const char* name : {"first alltoall 8 B, 1K", "alltoall 8 B, 1K"})
        measure(name, [&] { in_team([&] { shmem_long_alltoall(team, out, in, 1); }); });
    in_team([&] { check(out[some - 1] == long{some - 1} * stride, "alltoall"); });
    measure("team_destroy", [&] { in_team([&] { shmem_team_destroy(team); }); });

    shmem_team_t all = SHMEM_TEAM_INVALID;
    measure("team of all PEs",
            [&] { shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, nullptr, 0, &all); });
    measure("its team_sync", [&] { shmem_team_sync(all); });
    shmem_team_destroy(all);
    shmem_team_t row = SHMEM_TEAM_INVALID;
    shmem_team_t column = SHMEM_TEAM_INVALID;
    measure("team_split_2d", [&] {
        shmem_team_split_2d(SHMEM_TEAM_WORLD, 128, nullptr, 0, &row, nullptr, 0, &column);
    });
    shmem_team_destroy(row);
    shmem_team_destroy(column);
    const int step = std::max(1, npes / 16);
    measure("lock, 16 PEs", [&] {
        if (me % step != 0) return;
        shmem_set_lock(lock);
        shmem_clear_lock(lock);
    });
    measure("shmem_finalize", [] { shmem_finalize(); });
    return 0;
}
