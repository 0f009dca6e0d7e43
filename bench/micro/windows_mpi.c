// SPDX-License-Identifier: BSD-3-Clause
//
// The twin of micro/windows.c in plain MPI (bench/micro/windows_rows.h): MPI_Win_post, _start,
// _complete and _wait on memory of MPI_Win_allocate. latency_messages and bandwidth_messages are
// MPI_Send and MPI_Isend, as OSU's two-sided latency and bandwidth. The library decides when an
// origin waits for a late target, and its targets cannot see data before the end of the epoch.
#define _GNU_SOURCE
#include "bench/measure_mpi.h"
// Uses functions of the header above.
#include "bench/micro/windows_rows.h"

static MPI_Win window;
static MPI_Group origin, other, targets;  // process 0; of the first two, the other; 1 and up
static int targets_of_group;              // 0: the group is not made

static void make_targets(int k) {
    if (targets_of_group == k) return;
    if (targets_of_group > 0) MPI_Group_free(&targets);
    int* members = malloc(sizeof(int) * (size_t)k);
    if (!members) give_up("windows_mpi: no memory");
    for (int i = 0; i < k; ++i) members[i] = i + 1;
    targets = group_of(k, members);
    free(members);
    targets_of_group = k;
}

static void start(int k) {
    make_targets(k);
    MPI_Win_start(targets, 0, window);
}
static void complete(int k) {
    (void)k;
    MPI_Win_complete(window);
}
static void post(int k) {
    (void)k;
    MPI_Win_post(origin, 0, window);
}
static void wait_for_end(int k) {
    (void)k;
    MPI_Win_wait(window);
}

static void put_to(int pe, size_t bytes) {
    MPI_Put(source, (int)bytes, MPI_BYTE, pe, 0, (int)bytes, MPI_BYTE, window);
}
static void put_in_epoch(size_t bytes, int count) {
    MPI_Win_start(other, 0, window);
    for (int i = 0; i < count; ++i) put_to(1 - me, bytes);
    MPI_Win_complete(window);
}
static void expose(size_t bytes, int count) {
    (void)bytes;
    (void)count;
    MPI_Win_post(other, 0, window);
    MPI_Win_wait(window);
}

static MPI_Request requests[kBurst];
static MPI_Status statuses[kBurst];

static void send(size_t bytes, int count) {
    for (int i = 0; i < count; ++i)
        MPI_Isend(source, (int)bytes, MPI_BYTE, 1 - me, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(count, requests, statuses);
}
static void receive(size_t bytes, int count) {
    for (int i = 0; i < count; ++i)
        MPI_Irecv(memory, (int)bytes, MPI_BYTE, 1 - me, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(count, requests, statuses);
}
static void answer(int is_sender) {
    char byte = 0;
    if (is_sender) MPI_Recv(&byte, 1, MPI_BYTE, 1 - me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!is_sender) MPI_Send(&byte, 1, MPI_BYTE, 1 - me, 1, MPI_COMM_WORLD);
}

static void reach_all(int k) {
    start(k);
    for (int pe = 1; pe <= k; ++pe) put_to(pe, kLateBytes);
    MPI_Win_complete(window);
}

int main(int argc, char** argv) {
    static const struct Calls kCalls = {"", {start, post}, {complete, wait_for_end}};
    static const struct Transfer kTransfers[] = {
        {"window", put_in_epoch, expose, NULL},
        {"messages", send, receive, answer},
    };
    static const struct Late kLate = {"trigger", reach_all, post, NULL, wait_for_end};
    begin(argc, argv);
    options_end("");
    memory = window_memory(kBytesMax, &window);
    source = malloc(kBytesMax);
    if (!source) give_up("windows_mpi: no memory for a source");
    make_samples();
    const int first = 0, second = me == 0 ? 1 : 0;
    origin = group_of(1, &first);
    other = npes > 1 ? group_of(1, &second) : MPI_GROUP_EMPTY;
    measure_all_calls(&kCalls, 1);
    measure_all_transfers(kTransfers, 2);
    measure_all_late(&kLate, 1);
    MPI_Win_free(&window);
    free(source);
    end();
    return 0;
}
