// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of epochs_errors_test.py, one for each argument, made by the last PE. A mistake that
// goes unnoticed ends with code 0.
#include <shmemx.h>
#include <stdlib.h>
#include <string.h>

static long word;
static shmemx_epoch_t epoch;
static const int kFirst[] = {0};
static const int kTwice[] = {0, 1, 0};
static const int kBad[] = {0, 2};

static void start(long options) { shmemx_epoch_start(kFirst, 1, options, &epoch); }

static void complete_without_start(void) { shmemx_epoch_complete(&epoch); }
static void wait_without_post(void) { shmemx_epoch_wait(&epoch); }
static void complete_twice(void) {
    start(0);
    shmemx_epoch_t again = epoch;
    shmemx_epoch_complete(&epoch);
    shmemx_epoch_complete(&again);
}
static void test_after_wait(void) {
    shmemx_epoch_post(NULL, 0, 0, &epoch);
    shmemx_epoch_t again = epoch;
    shmemx_epoch_wait(&epoch);
    shmemx_epoch_test(&again);
}
static void wait_for_access(void) {
    start(0);
    shmemx_epoch_wait(&epoch);
}
static void complete_exposure(void) {
    shmemx_epoch_post(kFirst, 1, 0, &epoch);
    shmemx_epoch_complete(&epoch);
}
static void stranger_put(void) {
    start(0);
    shmemx_epoch_put(epoch, &word, &word, sizeof word, 1);
}
static void stranger_ready(void) {
    start(0);
    shmemx_epoch_ready(epoch, 1);
}
static void bad_pe_get(void) {
    start(0);
    shmemx_epoch_get(epoch, &word, &word, sizeof word, 7);
}
static void post_twice(void) { shmemx_epoch_post(kTwice, 2 + 1, 0, &epoch); }
static void start_twice(void) {
    static const int pes[] = {1, 1};
    shmemx_epoch_start(pes, 2, 0, &epoch);
}
static void post_bad_pe(void) { shmemx_epoch_post(kBad, 2, 0, &epoch); }
static void null_list(void) { shmemx_epoch_post(NULL, 1, 0, &epoch); }
static void null_handle(void) { shmemx_epoch_start(kFirst, 1, 0, NULL); }
static void put_with_noput(void) {
    start(SHMEMX_EPOCH_NOPUT);
    shmemx_epoch_put(epoch, &word, &word, sizeof word, 0);
}
static void options_of_start(void) { shmemx_epoch_post(kFirst, 1, SHMEMX_EPOCH_IMMEDIATE, &epoch); }
static void options_of_post(void) { start(SHMEMX_EPOCH_NOSTORE); }
static void two_modes(void) { start(SHMEMX_EPOCH_IMMEDIATE | SHMEMX_EPOCH_DEFERRED); }
static void out_of_order(void) {
    shmemx_epoch_t second;
    start(0);
    shmemx_epoch_start(kFirst, 1, 0, &second);
    shmemx_epoch_complete(&second);
}
static void deferred_private(void) {
    start(SHMEMX_EPOCH_DEFERRED);
    shmemx_epoch_put(epoch, malloc(8), &word, 8, 0);
}
static void null_source(void) {
    start(0);
    shmemx_epoch_put(epoch, &word, NULL, 8, 0);
}
static void hang(void) {
    shmemx_epoch_post(kFirst, 1, 0, &epoch);
    shmemx_epoch_wait(&epoch);
}
static void hang_ready(void) {
    start(0);
    shmemx_epoch_ready(epoch, 0);
}

static const struct {
    const char* name;
    void (*run)(void);
} kCases[] = {{"complete_without_start", complete_without_start},
              {"wait_without_post", wait_without_post},
              {"complete_twice", complete_twice},
              {"test_after_wait", test_after_wait},
              {"wait_for_access", wait_for_access},
              {"complete_exposure", complete_exposure},
              {"stranger_put", stranger_put},
              {"stranger_ready", stranger_ready},
              {"bad_pe_get", bad_pe_get},
              {"post_twice", post_twice},
              {"start_twice", start_twice},
              {"post_bad_pe", post_bad_pe},
              {"null_list", null_list},
              {"null_handle", null_handle},
              {"put_with_noput", put_with_noput},
              {"options_of_start", options_of_start},
              {"options_of_post", options_of_post},
              {"two_modes", two_modes},
              {"out_of_order", out_of_order},
              {"deferred_private", deferred_private},
              {"null_source", null_source},
              {"hang", hang},
              {"hang_ready", hang_ready}};

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "early") == 0) shmemx_epoch_post(NULL, 0, 0, &epoch);
    shmem_init();
    for (size_t i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
        if (strcmp(kCases[i].name, name) != 0 || shmem_my_pe() != shmem_n_pes() - 1) continue;
        kCases[i].run();
    }
    shmem_finalize();
    if (strcmp(name, "late") == 0) shmemx_epoch_complete(&epoch);
    return 0;
}
