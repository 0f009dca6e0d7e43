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
    if (shmem_my_pe() == shmem_n_pes() - 1) run_case(name);
    shmem_finalize();
    if (strcmp(name, "late") == 0) shmemx_epoch_complete(&epoch);
    return 0;
}
