// SPDX-License-Identifier: BSD-3-Clause
//
// What do teams of any members and their memory cost? All in syncs of the same team, measured by
// turns in the same run, medians:
//
//   team_malloc        shmemx_team_malloc of 4 KiB          aim: 3 syncs
//   team_free          shmemx_team_free                     (a quiet and a sync)
//   split_color        shmemx_team_split_color and shmem_team_destroy
//   create             shmemx_team_create and shmem_team_destroy
//   world malloc+free  shmem_malloc and shmem_free of 4 KiB, for comparison
//   p by team          ns of shmem_long_p by a context of the team, to the next PE
//
//   team_memory [ALLOCATIONS [TEAMS]]
//
// ALLOCATIONS: also so many allocations and frees by each of two teams, all PEs but the last and
// all but the first, and some by all PEs in between. TEAMS: also so many teams made and destroyed.
// The program prints how much private memory has grown.
#define _GNU_SOURCE
#include <malloc.h>
#include <shmemx.h>

#include "bench/reports.h"

enum { kSamples = 15, kRepeats = 200, kBlocks = 64 };

static shmem_team_t team;
static shmem_ctx_t ctx;
static void* blocks[kRepeats];
static int list[4096];
static long word;  // symmetric

static void do_sync(int i) {
    (void)i;
    shmem_team_sync(team);
}
static void do_malloc(int i) { blocks[i] = shmemx_team_malloc(team, 4096); }
static void do_free(int i) { shmemx_team_free(team, blocks[i]); }
static void do_split(int i) {
    shmem_team_t made;
    shmemx_team_split_color(team, 0, i, NULL, 0, &made);
    shmem_team_destroy(made);
}
static void do_create(int i) {
    shmem_team_t made;
    (void)i;
    shmemx_team_create(team, list, npes, NULL, 0, &made);
    shmem_team_destroy(made);
}
static void do_world(int i) {
    (void)i;
    shmem_free(shmem_malloc(4096));
}
static void do_p(int i) { shmem_ctx_long_p(ctx, &word, i, (me + 1) % npes); }

struct row {
    const char* name;
    void (*body)(int);
    int repeats;
    double us[kSamples];
};

static void measure_all(void) {
    static struct row rows[] = {
        {"sync", do_sync, kRepeats, {0}},         {"team_malloc", do_malloc, kRepeats, {0}},
        {"team_free", do_free, kRepeats, {0}},    {"split_color", do_split, kRepeats / 4, {0}},
        {"create", do_create, kRepeats / 4, {0}}, {"world malloc+free", do_world, kRepeats, {0}},
        {"p by team", do_p, 200000, {0}},
    };
    enum { kRows = sizeof rows / sizeof rows[0] };
    for (int sample = -1; sample < kSamples; ++sample) {
        for (int row = 0; row < kRows; ++row) {
            shmem_barrier_all();
            const double start = now_us();
            for (int i = 0; i < rows[row].repeats; ++i) rows[row].body(i);
            const double us = (now_us() - start) / rows[row].repeats;
            if (sample >= 0) rows[row].us[sample] = us;
        }
    }
    if (me != 0) return;
    const double sync = median(rows[0].us, kSamples);
    printf("%d PEs\n%-18s %10.3f us\n", npes, "sync", sync);
    for (int row = 1; row < kRows; ++row) {
        const double us = median(rows[row].us, kSamples);
        printf("%-18s %10.3f us  %6.2f syncs\n", rows[row].name, us, us / sync);
    }
}

static size_t allocated(void) {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static unsigned long next_random(unsigned long* state) {
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return *state >> 33;
}

// A team of the PEs [first, last], and its blocks. PEs outside have an invalid team.
struct holder {
    shmem_team_t team;
    unsigned long random;
    char* held[kBlocks];
};

static const char* lowest;
static const char* highest;

static void make_holder(struct holder* holder, int first, int last) {
    holder->random = (unsigned long)first + 1;
    const int is_member = first <= me && me <= last;
    shmemx_team_split_color(SHMEM_TEAM_WORLD, is_member ? 0 : -1, 0, NULL, 0, &holder->team);
}

// Frees one block and allocates another one, by random, the same on all members.
static void exchange_block(struct holder* holder, long done) {
    if (holder->team == SHMEM_TEAM_INVALID) return;
    char** block = &holder->held[next_random(&holder->random) % kBlocks];
    if (*block) shmemx_team_free(holder->team, *block);
    *block = shmemx_team_malloc(holder->team, 1 + next_random(&holder->random) % 20000);
    if (!*block) {
        fprintf(stderr, "PE %d: no block after %ld allocations\n", me, done);
        shmem_global_exit(1);
    }
    if (!lowest || *block < lowest) lowest = *block;
    if (!highest || *block > highest) highest = *block;
}

static void end_holder(struct holder* holder) {
    if (holder->team == SHMEM_TEAM_INVALID) return;
    for (int i = 0; i < kBlocks; ++i) {
        if (holder->held[i]) shmemx_team_free(holder->team, holder->held[i]);
    }
    shmem_team_destroy(holder->team);
}

static void churn(long wanted) {
    static struct holder front, back;
    make_holder(&front, 0, npes > 1 ? npes - 2 : 0);
    make_holder(&back, npes > 1 ? 1 : 0, npes - 1);
    size_t first = 0;
    for (long done = 0; done < wanted; ++done) {
        if (done == wanted / 10) first = allocated();
        exchange_block(&front, done);
        exchange_block(&back, done);
        if (done % 1000 == 0) shmemx_team_free(team, shmemx_team_malloc(team, 3000));
    }
    const long grown = (long)allocated() - (long)first;
    end_holder(&front);
    end_holder(&back);
    if (me == 0) {
        printf(
            "%ld allocations and frees by each team: %ld private bytes more than after a tenth, "
            "blocks within %ld KiB\n",
            wanted, grown, (long)(highest - lowest) / 1024);
    }
}

// By turns regular and in no order, so that lists of the node come and go as well.
static void churn_teams(long wanted) {
    size_t first = 0;
    for (long done = 0; done < wanted; ++done) {
        if (done == wanted / 10) first = allocated();
        shmem_team_t made;
        const int key = done % 2 ? me : (me * 7 + 3) % (npes + 2);
        shmemx_team_split_color(team, 0, key, NULL, 0, &made);
        shmem_team_destroy(made);
    }
    const long grown = (long)allocated() - (long)first;
    if (me == 0) {
        printf("%ld teams made and destroyed: %ld private bytes more than after a tenth\n", wanted,
               grown);
    }
}

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    for (int i = 0; i < npes && i < 4096; ++i) list[i] = npes - 1 - i;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
    shmem_team_create_ctx(team, 0, &ctx);
    measure_all();
    if (argc > 1) churn(atol(argv[1]));
    if (argc > 2) churn_teams(atol(argv[2]));
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
