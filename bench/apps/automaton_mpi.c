// SPDX-License-Identifier: BSD-3-Clause
//
// The automaton (bench/apps/automaton.h) in plain MPI, the twin of apps/automaton_windows.c:
// B.3.2 and B.3.1 of Christgau 2017.
//
//   automaton_windows   a window for each ghost line of each array; MPI_Win_post and _start behind
//                       the boundary lines, MPI_Put, the inner lines, _complete and _wait
//   automaton_messages  MPI_Isend and MPI_Irecv; the inner lines; MPI_Waitall
#define _GNU_SOURCE
#include "bench/measure_mpi.h"
// Uses functions of the header above.
#include "bench/apps/automaton.h"

static MPI_Win above[2], below[2];  // by array: the upper and the lower ghost line
static MPI_Group to_upper, to_lower;
static MPI_Request requests[4];
static MPI_Status statuses[4];

static int bytes_of_line(void) { return (int)stride; }

static void post_and_put(const struct Exchange* exchange, int to) {
    unsigned char* array = exchange->arrays[to];
    MPI_Win_post(to_upper, 0, above[to]);
    MPI_Win_post(to_lower, 0, below[to]);
    MPI_Win_start(to_upper, 0, below[to]);
    MPI_Win_start(to_lower, 0, above[to]);
    const int bytes = bytes_of_line();
    MPI_Put(array + stride, bytes, MPI_BYTE, upper, 0, bytes, MPI_BYTE, below[to]);
    MPI_Put(array + (size_t)my_lines * stride, bytes, MPI_BYTE, lower, 0, bytes, MPI_BYTE,
            above[to]);
}
static void complete_and_wait(const struct Exchange* exchange, int to) {
    (void)exchange;
    MPI_Win_complete(below[to]);
    MPI_Win_complete(above[to]);
    MPI_Win_wait(above[to]);
    MPI_Win_wait(below[to]);
}

// A line's tag is 0 on its way up, 1 on its way down.
static void send_lines(const struct Exchange* exchange, int to) {
    unsigned char* array = exchange->arrays[to];
    unsigned char *first = array + stride, *last = array + (size_t)my_lines * stride;
    const int bytes = bytes_of_line();
    MPI_Irecv(array, bytes, MPI_BYTE, upper, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(last + stride, bytes, MPI_BYTE, lower, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(first, bytes, MPI_BYTE, upper, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(last, bytes, MPI_BYTE, lower, 1, MPI_COMM_WORLD, &requests[3]);
}
static void wait_for_lines(const struct Exchange* exchange, int to) {
    (void)exchange;
    (void)to;
    MPI_Waitall(4, requests, statuses);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    automaton_begin();
    const MPI_Aint bytes = (MPI_Aint)stride;
    for (int i = 0; i < 2; ++i) {
        unsigned char* last = symmetric[i] + (size_t)(my_lines + 1) * stride;
        MPI_Win_create(symmetric[i], bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &above[i]);
        MPI_Win_create(last, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &below[i]);
    }
    to_upper = group_of(1, &upper);
    to_lower = group_of(1, &lower);
    const struct Exchange ways[] = {
        {"automaton_windows", {symmetric[0], symmetric[1]}, post_and_put, complete_and_wait},
        {"automaton_messages", {symmetric[0], symmetric[1]}, send_lines, wait_for_lines},
    };
    automaton_measure(ways, 2);
    MPI_Group_free(&to_upper);
    MPI_Group_free(&to_lower);
    for (int i = 0; i < 2; ++i) {
        MPI_Win_free(&above[i]);
        MPI_Win_free(&below[i]);
    }
    end();
    return 0;
}
