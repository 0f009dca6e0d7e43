// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of request_errors_test.py, and uses that are right. All PEs do the same. A mistake
// that goes unnoticed ends with code 0.
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long word[4];
static _Alignas(16) unsigned char bytes[64];

static int next_pe(void) { return (shmem_my_pe() + 1) % shmem_n_pes(); }

// A request that is open: towards another node. Where the PE waits for a core, its progress thread
// may complete an operation before the routine returns.
static shmemx_req_t open_request(void) {
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    while (req == SHMEMX_REQ_COMPLETE) shmemx_long_atomic_inc_req(word, next_pe(), &req);
    return req;
}

static void no_request(void) {
    shmemx_req_t req = (shmemx_req_t)word;
    shmemx_req_wait(&req, SHMEMX_LOCAL);
}
static void no_request_in_array(void) {
    shmemx_req_t reqs[2] = {SHMEMX_REQ_COMPLETE, (shmemx_req_t)(uintptr_t)77};
    shmemx_req_waitany(reqs, 2, SHMEMX_LOCAL);
}
static void ended(void) {
    shmemx_req_t req = open_request();
    shmemx_req_t copy = req;
    shmemx_req_wait(&req, SHMEMX_REMOTE);
    shmemx_req_wait(&copy, SHMEMX_REMOTE);
}
static void freed_twice(void) {
    shmemx_req_t req = open_request();
    shmemx_req_t copy = req;
    shmemx_req_free(&req);
    shmemx_req_free(&copy);
}
static void of_another_pe(void) {
    static shmemx_req_t theirs;
    shmemx_req_t mine = open_request();
    shmem_putmem(&theirs, &mine, sizeof mine, next_pe());
    shmem_barrier_all();
    int is_complete = 0;
    shmemx_req_test(&theirs, SHMEMX_LOCAL, &is_complete);
}
static void bad_completion(void) {
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    shmemx_req_wait(&req, 2);
}
static void no_variable(void) { shmemx_long_put_req(word, word + 1, 1, next_pe(), NULL); }
static void no_variable_to_wait(void) { shmemx_req_wait(NULL, SHMEMX_LOCAL); }
static void no_array(void) { shmemx_req_waitall(NULL, 3, SHMEMX_REMOTE); }
static void no_indices(void) {
    shmemx_req_t reqs[2] = {SHMEMX_REQ_COMPLETE, SHMEMX_REQ_COMPLETE};
    shmemx_req_waitsome(reqs, 2, SHMEMX_REMOTE, NULL);
}
static void no_answer(void) {
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    shmemx_req_test(&req, SHMEMX_REMOTE, NULL);
}
static void no_source(void) {
    shmemx_req_t req;
    shmemx_long_put_req(word, NULL, 1, next_pe(), &req);
}
static void no_fetch(void) {
    shmemx_req_t req;
    shmemx_long_atomic_fetch_req(NULL, word, next_pe(), &req);
}
static void bad_pe(void) {
    shmemx_req_t req;
    shmemx_long_get_req(word + 1, word, 1, shmem_n_pes(), &req);
}
static void not_symmetric(void) {
    long local = 0;
    shmemx_req_t req;
    shmemx_long_put_req(&local, word, 1, next_pe(), &req);
}
static void past_the_end(void) {
    shmemx_req_t req;
    shmemx_long_put_req(word, word, (size_t)1 << 61, next_pe(), &req);
}
static void unaligned(void) {
    shmemx_req_t req;
    shmemx_long_atomic_inc_req((long*)(void*)(bytes + 1), next_pe(), &req);
}
static void accumulate_type(void) {
    shmemx_accumulate(word, word, 1, 14, SHMEMX_OP_SUM, next_pe());
}
static void accumulate_op(void) {
    shmemx_accumulate(word, word, 1, SHMEMX_TYPE_DOUBLE, SHMEMX_OP_AND, next_pe());
}
static void accumulate_no_op_code(void) {
    shmemx_accumulate(word, word, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_MAXLOC, next_pe());
}
static void accumulate_no_source(void) {
    shmemx_accumulate(word, NULL, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, next_pe());
}
static void accumulate_unaligned(void) {
    shmemx_accumulate(bytes + 2, word, 1, SHMEMX_TYPE_FLOAT, SHMEMX_OP_SUM, next_pe());
}
static void accumulate_past_the_end(void) {
    shmemx_accumulate(word, word, SIZE_MAX / 4, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, next_pe());
}
static void get_accumulate_no_result(void) {
    shmemx_get_accumulate(word, word, NULL, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_NO_OP, next_pe());
}
static void get_accumulate_no_source(void) {
    long result;
    shmemx_get_accumulate(word, NULL, &result, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, next_pe());
}
static void fetch_op_wide(void) {
    long double value = 1;
    shmemx_fetch_op(bytes, &value, &value, SHMEMX_TYPE_LONG_DOUBLE, SHMEMX_OP_SUM, next_pe());
}
static void fetch_op_no_value(void) {
    shmemx_fetch_op(word, NULL, word + 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, next_pe());
}
static void compare_swap_float(void) {
    float value = 1;
    shmemx_compare_swap(bytes, &value, &value, &value, SHMEMX_TYPE_FLOAT, next_pe());
}
static void compare_swap_unaligned(void) {
    short value = 1;
    shmemx_compare_swap(bytes + 1, &value, &value, &value, SHMEMX_TYPE_INT16, next_pe());
}

// Nothing is wrong, but with SHMEM_DEBUG=1 finalize has something to say.
static void forgotten(void) {
    open_request();
    open_request();
}
// Right: requests that are given up, or complete by quiet and waited for.
static void all_is_well(void) {
    shmemx_req_t reqs[3] = {open_request(), open_request(), open_request()};
    shmemx_req_free(&reqs[0]);
    shmem_quiet();
    shmemx_req_waitall(reqs, 3, SHMEMX_REMOTE);
}

#define CASE(NAME) \
    { #NAME, NAME }
static const struct {
    const char* name;
    void (*run)(void);
} cases[] = {CASE(no_request),
             CASE(no_request_in_array),
             CASE(ended),
             CASE(freed_twice),
             CASE(of_another_pe),
             CASE(bad_completion),
             CASE(no_variable),
             CASE(no_variable_to_wait),
             CASE(no_array),
             CASE(no_indices),
             CASE(no_answer),
             CASE(no_source),
             CASE(no_fetch),
             CASE(bad_pe),
             CASE(not_symmetric),
             CASE(past_the_end),
             CASE(unaligned),
             CASE(accumulate_type),
             CASE(accumulate_op),
             CASE(accumulate_no_op_code),
             CASE(accumulate_no_source),
             CASE(accumulate_unaligned),
             CASE(accumulate_past_the_end),
             CASE(get_accumulate_no_result),
             CASE(get_accumulate_no_source),
             CASE(fetch_op_wide),
             CASE(fetch_op_no_value),
             CASE(compare_swap_float),
             CASE(compare_swap_unaligned),
             CASE(forgotten),
             CASE(all_is_well)};

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[2], "before_init") == 0) {
        shmemx_req_t req = SHMEMX_REQ_COMPLETE;
        shmemx_req_wait(&req, SHMEMX_LOCAL);
    }
    shmem_init();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (argc >= 2 && strcmp(argv[1], cases[i].name) == 0) cases[i].run();
    }
    shmem_finalize();
    return 0;
}
