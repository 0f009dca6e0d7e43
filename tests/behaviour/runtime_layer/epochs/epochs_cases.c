// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of epochs_errors_test.py, one for each argument, made by the last PE. A mistake that
// goes unnoticed ends with code 0.
#include <shmemx.h>
#include <stdlib.h>
#include <string.h>

#include "support/named_cases.h"

static long word;
static shmemx_epoch_t epoch;
static const int kFirst[] = {0};
static const int kTwice[] = {0, 1, 0};
static const int kBad[] = {0, 2};

static shmemx_window_t window;
static long other;
// The window begins behind the first two.
static long all[18];
static long* const part = all + 2;

// A window of this PE alone.
static shmem_team_t of_this_pe(void* base, size_t nbytes, shmemx_window_t* own) {
    const int me = shmem_my_pe();
    shmem_team_t team;
    shmemx_team_create(SHMEM_TEAM_WORLD, &me, 1, NULL, 0, &team);
    shmemx_window_create(team, base, nbytes, own);
    return team;
}

static void start(long options) { shmemx_epoch_start(kFirst, 1, options, &epoch); }

CASE(complete_without_start) { shmemx_epoch_complete(&epoch); }
CASE(wait_without_post) { shmemx_epoch_wait(&epoch); }
CASE(complete_twice) {
    start(0);
    shmemx_epoch_t again = epoch;
    shmemx_epoch_complete(&epoch);
    shmemx_epoch_complete(&again);
}
CASE(test_after_wait) {
    shmemx_epoch_post(NULL, 0, 0, &epoch);
    shmemx_epoch_t again = epoch;
    shmemx_epoch_wait(&epoch);
    shmemx_epoch_test(&again);
}
CASE(wait_for_access) {
    start(0);
    shmemx_epoch_wait(&epoch);
}
CASE(complete_exposure) {
    shmemx_epoch_post(kFirst, 1, 0, &epoch);
    shmemx_epoch_complete(&epoch);
}
CASE(stranger_put) {
    start(0);
    shmemx_epoch_put(epoch, &word, &word, sizeof word, 1);
}
CASE(stranger_ready) {
    start(0);
    shmemx_epoch_ready(epoch, 1);
}
CASE(bad_pe_get) {
    start(0);
    shmemx_epoch_get(epoch, &word, &word, sizeof word, 7);
}
CASE(post_twice) { shmemx_epoch_post(kTwice, 2 + 1, 0, &epoch); }
CASE(start_twice) {
    static const int pes[] = {1, 1};
    shmemx_epoch_start(pes, 2, 0, &epoch);
}
CASE(post_bad_pe) { shmemx_epoch_post(kBad, 2, 0, &epoch); }
CASE(null_list) { shmemx_epoch_post(NULL, 1, 0, &epoch); }
CASE(null_handle) { shmemx_epoch_start(kFirst, 1, 0, NULL); }
CASE(put_with_noput) {
    start(SHMEMX_EPOCH_NOPUT);
    shmemx_epoch_put(epoch, &word, &word, sizeof word, 0);
}
CASE(options_of_start) { shmemx_epoch_post(kFirst, 1, SHMEMX_EPOCH_IMMEDIATE, &epoch); }
CASE(options_of_post) { start(SHMEMX_EPOCH_NOSTORE); }
CASE(two_modes) { start(SHMEMX_EPOCH_IMMEDIATE | SHMEMX_EPOCH_DEFERRED); }
CASE(out_of_order) {
    shmemx_epoch_t second;
    start(0);
    shmemx_epoch_start(kFirst, 1, 0, &second);
    shmemx_epoch_complete(&second);
}
CASE(deferred_private) {
    start(SHMEMX_EPOCH_DEFERRED);
    shmemx_epoch_put(epoch, malloc(8), &word, 8, 0);
}
CASE(null_source) {
    start(0);
    shmemx_epoch_put(epoch, &word, NULL, 8, 0);
}
// The last PE's part has 8 bytes more than that of the first one, which has 120.
CASE(window_behind_part) {
    shmemx_window_start(window, kFirst, 1, 0, &epoch);
    shmemx_epoch_put(epoch, &part[15], &word, 8, 0);
}
CASE(window_before_part) {
    shmemx_window_start(window, kFirst, 1, SHMEMX_EPOCH_DEFERRED, &epoch);
    shmemx_epoch_get(epoch, &word, all + 1, 8, 0);
}
CASE(window_put_across) { shmemx_window_put(window, &part[14], part, 16, 0); }
CASE(window_get_private) { shmemx_window_get(window, part, calloc(1, 8), 8, 0); }
CASE(window_other_memory) { shmemx_window_get(window, part, &other, 8, 0); }
CASE(window_stranger) {
    shmemx_window_t own;
    of_this_pe(part, 8, &own);
    shmemx_window_start(own, kFirst, 1, 0, &epoch);
}
CASE(window_put_stranger) {
    shmemx_window_t own;
    of_this_pe(part, 8, &own);
    shmemx_window_put(own, part, &word, 8, 0);
}
CASE(window_invalid) { shmemx_window_post(SHMEMX_WINDOW_INVALID, kFirst, 1, 0, &epoch); }
CASE(window_foreign) { shmemx_window_barrier((shmemx_window_t)&word, 0); }
CASE(window_epoch_as_window) {
    start(0);
    shmemx_window_publish((shmemx_window_t)epoch);
}
CASE(window_destroyed) {
    shmemx_window_t own;
    of_this_pe(part, 8, &own);
    shmemx_window_t again = own;
    shmemx_window_destroy(&own);
    shmemx_window_refresh(again);
}
CASE(window_of_destroyed_team) {
    shmemx_window_t own;
    shmem_team_t team = of_this_pe(part, 8, &own);
    shmemx_window_start(own, NULL, 0, 0, &epoch);
    shmem_team_destroy(team);
    shmemx_epoch_complete(&epoch);
}
CASE(window_open_epoch) {
    shmemx_window_t own;
    of_this_pe(part, 8, &own);
    shmemx_window_start(own, NULL, 0, 0, &epoch);
    shmemx_window_destroy(&own);
}
static void expose_overlapping(long options) {
    shmemx_window_t own;
    of_this_pe(&part[2], 32, &own);
    shmemx_window_post(window, NULL, 0, options, &epoch);
    shmemx_window_post(own, NULL, 0, SHMEMX_EPOCH_NOPUT, &epoch);
}
CASE(window_conflict) { expose_overlapping(0); }
CASE(window_no_conflict) {
    expose_overlapping(SHMEMX_EPOCH_NOPUT);
    shmemx_window_post(window, kFirst, 2, 0, NULL);
}
CASE(window_private_base) {
    shmemx_window_t own;
    shmemx_window_create(SHMEM_TEAM_WORLD, malloc(8), 8, &own);
}
CASE(window_null_base) {
    shmemx_window_t own;
    shmemx_window_create(SHMEM_TEAM_WORLD, NULL, 8, &own);
}
CASE(window_null_handle) { shmemx_window_create(SHMEM_TEAM_WORLD, part, 8, NULL); }
CASE(window_options) { shmemx_window_barrier(window, SHMEMX_EPOCH_IMMEDIATE); }
CASE(hang_window) {
    shmemx_window_post(window, kFirst, 1, 0, &epoch);
    shmemx_epoch_wait(&epoch);
}
CASE(hang) {
    shmemx_epoch_post(kFirst, 1, 0, &epoch);
    shmemx_epoch_wait(&epoch);
}
CASE(hang_ready) {
    start(0);
    shmemx_epoch_ready(epoch, 0);
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "early") == 0) shmemx_epoch_post(NULL, 0, 0, &epoch);
    shmem_init();
    const size_t nbytes = 120 + 8 * (size_t)shmem_my_pe();
    shmemx_window_create(SHMEM_TEAM_WORLD, part, nbytes, &window);
    if (shmem_my_pe() == shmem_n_pes() - 1) run_case(name);
    shmem_finalize();
    if (strcmp(name, "late") == 0) shmemx_epoch_complete(&epoch);
    return 0;
}
