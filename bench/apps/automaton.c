// SPDX-License-Identifier: BSD-3-Clause
//
// How long does a cellular automaton take whose lines lie distributed over the PEs
// (bench/apps/automaton.h)? By puts, a fence and flags: fence and flag stand for the paper's
// COMPLETE, the wait for its WAIT. Its POST is not needed: a neighbour that has this PE's line of
// the last step knows that its own was read.
#define _GNU_SOURCE
#include "bench/measure.h"
// Uses functions of the header above.
#include "bench/apps/automaton.h"

static long* arrived;  // symmetric: steps done by the upper and the lower neighbour

static void put_lines(const struct Exchange* exchange, int to) {
    unsigned char* array = exchange->arrays[to];
    shmem_putmem_nbi(below_upper(array), array + stride, stride, upper);
    shmem_putmem_nbi(array, array + (size_t)my_lines * stride, stride, lower);
}

static void wait_for_flags(const struct Exchange* exchange, int to) {
    static long done;  // steps of all runs, so that flags only grow
    (void)exchange;
    (void)to;
    ++done;
    shmem_fence();
    shmem_long_p(arrived + 1, done, upper);  // this PE is its lower neighbour
    shmem_long_p(arrived, done, lower);
    shmem_long_wait_until(arrived, SHMEM_CMP_GE, done);
    shmem_long_wait_until(arrived + 1, SHMEM_CMP_GE, done);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    automaton_begin();
    arrived = allocate(64, 64);
    const struct Exchange flags = {
        "automaton", {symmetric[0], symmetric[1]}, put_lines, wait_for_flags};
    automaton_measure(&flags, 1);
    end();
    return 0;
}
