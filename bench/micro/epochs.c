// SPDX-License-Identifier: BSD-3-Clause
//
// What does the synchronization of epochs take? Section 3.5.3 of Christgau 2017: PE 0 is the
// origin, PEs 1 to k are its targets, for k from 1 to all others; no communication, because that
// hides the costs of the deferred mode, and no barrier in the loop. Nanoseconds of PE 0, medians:
//
//   epoch_*        start and complete towards k targets that post and wait, in the modes trigger
//                  (the origin asks each target with shmemx_epoch_ready), immediate, deferred
//   post_k         one post for k origins, and the wait for them (PE 0 is the target)
//   sync_team      for comparison: shmem_team_sync of the same k + 1 PEs
//   flags          the same by hand: k flags by atomics there and back, and waits for them
#define _GNU_SOURCE
#include <shmemx.h>

#include "bench/measure.h"

enum { kPesMax = 1024, kSamplesMax = 1001 };

static int targets[kPesMax];
static long asked[kPesMax], answered[kPesMax];  // symmetric, by PE
static long rounds;
static double samples_ns[kSamplesMax];
static shmem_team_t team;

static void origin(int k, long options) {
    shmemx_epoch_t epoch;
    shmemx_epoch_start(targets, (size_t)k, options, &epoch);
    if (options == 0) {
        for (int i = 0; i < k; ++i) shmemx_epoch_ready(epoch, targets[i]);
    }
    shmemx_epoch_complete(&epoch);
}
static void target(void) {
    const int pe = 0;
    shmemx_epoch_t epoch;
    shmemx_epoch_post(&pe, 1, 0, &epoch);
    shmemx_epoch_wait(&epoch);
}
static void expose(int k) {
    shmemx_epoch_t epoch;
    shmemx_epoch_post(targets, (size_t)k, 0, &epoch);
    shmemx_epoch_wait(&epoch);
}
static void access_one(void) {
    const int pe = 0;
    shmemx_epoch_t epoch;
    shmemx_epoch_start(&pe, 1, 0, &epoch);
    shmemx_epoch_ready(epoch, 0);
    shmemx_epoch_complete(&epoch);
}
static void flags_of_origin(int k) {
    ++rounds;
    for (int i = 1; i <= k; ++i) {
        shmem_long_wait_until(&asked[i], SHMEM_CMP_GE, rounds);
    }
    for (int i = 1; i <= k; ++i) shmem_long_atomic_set(&answered[0], rounds, i);
}
static void flags_of_target(void) {
    ++rounds;
    shmem_long_atomic_set(&asked[me], rounds, 0);
    shmem_long_wait_until(&answered[0], SHMEM_CMP_GE, rounds);
}

enum { kTrigger, kImmediate, kDeferred, kPost, kSync, kFlags, kKinds };
static const char* const kNames[kKinds] = {"epoch_trigger", "epoch_immediate", "epoch_deferred",
                                           "post_k",        "sync_team",       "flags"};

static void step(int kind, int k) {
    static const long kOptions[] = {0, SHMEMX_EPOCH_IMMEDIATE, SHMEMX_EPOCH_DEFERRED};
    if (me > k) return;
    if (kind <= kDeferred) {
        if (me == 0) origin(k, kOptions[kind]);
        if (me != 0) target();
    } else if (kind == kPost) {
        if (me == 0) expose(k);
        if (me != 0) access_one();
    } else if (kind == kSync) {
        shmem_team_sync(team);
    } else {
        if (me == 0) flags_of_origin(k);
        if (me != 0) flags_of_target();
    }
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    if (npes > kPesMax) give_up("epochs: at most %d PEs", kPesMax);
    for (int i = 0; i < npes; ++i) targets[i] = i + 1;
    const int samples = by_level(5, 301, 1001);
    for (int k = 1; k < npes; k = k < 4 ? k + 1 : 2 * k) {
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, k + 1, NULL, 0, &team);
        for (int kind = 0; kind < kKinds; ++kind) {
            rounds = 0;
            for (int i = 0; i < npes; ++i) asked[i] = answered[i] = 0;
            shmem_barrier_all();
            for (int i = 0; i < samples; ++i) {
                const double start = now_ns();
                step(kind, k);
                samples_ns[i] = now_ns() - start;
            }
            shmem_barrier_all();
            report(kNames[kind], "targets", k, "ns", 1, samples_ns, samples, 0);
        }
        if (team != SHMEM_TEAM_INVALID) shmem_team_destroy(team);
    }
    end();
    return 0;
}
