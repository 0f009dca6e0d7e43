// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of request_errors_test.py, and uses that are right. All PEs do the same. A mistake
// that goes unnoticed ends with code 0.
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/named_cases.h"

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

CASE(no_request) {
    shmemx_req_t req = (shmemx_req_t)word;
    shmemx_req_wait(&req, SHMEMX_LOCAL);
}
CASE(no_request_in_array) {
    shmemx_req_t reqs[2] = {SHMEMX_REQ_COMPLETE, (shmemx_req_t)(uintptr_t)77};
    shmemx_req_waitany(reqs, 2, SHMEMX_LOCAL);
}
CASE(ended) {
    shmemx_req_t req = open_request();
    shmemx_req_t copy = req;
    shmemx_req_wait(&req, SHMEMX_REMOTE);
    shmemx_req_wait(&copy, SHMEMX_REMOTE);
}
CASE(freed_twice) {
    shmemx_req_t req = open_request();
    shmemx_req_t copy = req;
    shmemx_req_free(&req);
    shmemx_req_free(&copy);
}
CASE(of_another_pe) {
    static shmemx_req_t theirs;
    shmemx_req_t mine = open_request();
    shmem_putmem(&theirs, &mine, sizeof mine, next_pe());
    shmem_barrier_all();
    int is_complete = 0;
    shmemx_req_test(&theirs, SHMEMX_LOCAL, &is_complete);
}
CASE(bad_completion) {
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    shmemx_req_wait(&req, 2);
}
CASE(no_variable) { shmemx_long_put_req(word, word + 1, 1, next_pe(), NULL); }
CASE(no_variable_to_wait) { shmemx_req_wait(NULL, SHMEMX_LOCAL); }
CASE(no_array) { shmemx_req_waitall(NULL, 3, SHMEMX_REMOTE); }
CASE(no_indices) {
    shmemx_req_t reqs[2] = {SHMEMX_REQ_COMPLETE, SHMEMX_REQ_COMPLETE};
    shmemx_req_waitsome(reqs, 2, SHMEMX_REMOTE, NULL);
}
CASE(no_answer) {
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    shmemx_req_test(&req, SHMEMX_REMOTE, NULL);
}
CASE(no_source) {
    shmemx_req_t req;
    shmemx_long_put_req(word, NULL, 1, next_pe(), &req);
}
CASE(no_fetch) {
    shmemx_req_t req;
    shmemx_long_atomic_fetch_req(NULL, word, next_pe(), &req);
}
CASE(bad_pe) {
    shmemx_req_t req;
    shmemx_long_get_req(word + 1, word, 1, shmem_n_pes(), &req);
}
CASE(not_symmetric) {
    long local = 0;
    shmemx_req_t req;
    shmemx_long_put_req(&local, word, 1, next_pe(), &req);
}
CASE(past_the_end) {
    shmemx_req_t req;
    shmemx_long_put_req(word, word, (size_t)1 << 61, next_pe(), &req);
}
CASE(unaligned) {
    shmemx_req_t req;
    shmemx_long_atomic_inc_req((long*)(void*)(bytes + 1), next_pe(), &req);
}
CASE(accumulate_type) { shmemx_accumulate(word, word, 1, 14, SHMEMX_OP_SUM, next_pe()); }
CASE(accumulate_op) {
    shmemx_accumulate(word, word, 1, SHMEMX_TYPE_DOUBLE, SHMEMX_OP_AND, next_pe());
}
CASE(accumulate_no_op_code) {
    shmemx_accumulate(word, word, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_MAXLOC, next_pe());
}
CASE(accumulate_no_source) {
    shmemx_accumulate(word, NULL, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, next_pe());
}
CASE(accumulate_unaligned) {
    shmemx_accumulate(bytes + 2, word, 1, SHMEMX_TYPE_FLOAT, SHMEMX_OP_SUM, next_pe());
}
CASE(accumulate_past_the_end) {
    shmemx_accumulate(word, word, SIZE_MAX / 4, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, next_pe());
}
CASE(get_accumulate_no_result) {
    shmemx_get_accumulate(word, word, NULL, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_NO_OP, next_pe());
}
CASE(get_accumulate_no_source) {
    long result;
    shmemx_get_accumulate(word, NULL, &result, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, next_pe());
}
CASE(fetch_op_wide) {
    long double value = 1;
    shmemx_fetch_op(bytes, &value, &value, SHMEMX_TYPE_LONG_DOUBLE, SHMEMX_OP_SUM, next_pe());
}
CASE(fetch_op_no_value) {
    shmemx_fetch_op(word, NULL, word + 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, next_pe());
}
CASE(compare_swap_float) {
    float value = 1;
    shmemx_compare_swap(bytes, &value, &value, &value, SHMEMX_TYPE_FLOAT, next_pe());
}
CASE(compare_swap_unaligned) {
    short value = 1;
    shmemx_compare_swap(bytes + 1, &value, &value, &value, SHMEMX_TYPE_INT16, next_pe());
}

// Nothing is wrong, but with SHMEM_DEBUG=1 finalize has something to say.
CASE(forgotten) {
    open_request();
    open_request();
}
// Right: requests that are given up, or complete by quiet and waited for.
CASE(all_is_well) {
    shmemx_req_t reqs[3] = {open_request(), open_request(), open_request()};
    shmemx_req_free(&reqs[0]);
    shmem_quiet();
    shmemx_req_waitall(reqs, 3, SHMEMX_REMOTE);
}

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[2], "before_init") == 0) {
        shmemx_req_t req = SHMEMX_REQ_COMPLETE;
        shmemx_req_wait(&req, SHMEMX_LOCAL);
    }
    shmem_init();
    if (argc >= 2) run_case(argv[1]);
    shmem_finalize();
    return 0;
}
