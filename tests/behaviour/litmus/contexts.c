// SPDX-License-Identifier: BSD-3-Clause
//
// Litmus tests of signals, contexts and threads; see tests.c.
#include <pthread.h>
#include <stdlib.h>

#include "litmus/litmus.h"

static const long kOne = 1;
static long read_behind_flag(Cell* cell) {
    await_flag(&cell->y);
    return load(&cell->x);
}

// ---- Signals. ----

static void send_data(Cell* cell) {
    long data[kData];
    fill(data);
    shmem_long_put_signal(cell->data, data, kData, &cell->signal, 1, SHMEM_SIGNAL_SET, PE(1));
}
long put_signal(int role, Cell* cell) {
    if (role == 0) {
        send_data(cell);
        return 0;
    }
    shmem_signal_wait_until(&cell->signal, SHMEM_CMP_EQ, 1);
    return of_data(cell);
}
long put_signal_fetch(int role, Cell* cell) {
    if (role == 0) return put_signal(role, cell);
    while (shmem_signal_fetch(&cell->signal) == 0) sched_yield();
    return of_data(cell);
}
long put_signal_nbi(int role, Cell* cell) {
    static long data[kData];
    if (role == 1) return put_signal(role, cell);
    fill(data);
    shmem_long_put_signal_nbi(cell->data, data, kData, &cell->signal, 1, SHMEM_SIGNAL_ADD, PE(1));
    return 0;
}
static long put_and_signal(int role, Cell* cell, void (*order)(void)) {
    if (role == 1) {
        shmem_signal_wait_until(&cell->signal, SHMEM_CMP_EQ, 1);
        return load(&cell->x);
    }
    shmem_long_p(&cell->x, 1, PE(1));
    order();
    send_data(cell);
    return 0;
}
long put_fence_put_signal(int role, Cell* cell) { return put_and_signal(role, cell, with_fence); }
long put_put_signal(int role, Cell* cell) { return put_and_signal(role, cell, with_nothing); }

// ---- Contexts and threads. ----

static long two_contexts(int role, Cell* cell, shmem_ctx_t ordered, void (*order)(shmem_ctx_t),
                         shmem_ctx_t flag_context) {
    if (role == 1) return read_behind_flag(cell);
    shmem_ctx_long_p(first_context, &cell->x, 1, PE(1));
    order(ordered);
    shmem_ctx_long_atomic_set(flag_context, &cell->y, 1, PE(1));
    return 0;
}
long context_fence_set(int role, Cell* cell) {
    return two_contexts(role, cell, first_context, shmem_ctx_fence, first_context);
}
long context_quiet_other_set(int role, Cell* cell) {
    return two_contexts(role, cell, first_context, shmem_ctx_quiet, second_context);
}
long context_other_quiet_set(int role, Cell* cell) {
    return two_contexts(role, cell, second_context, shmem_ctx_quiet, second_context);
}

static void* put_x(void* cell) {
    shmem_long_put_nbi(&((Cell*)cell)->x, &kOne, 1, PE(1));
    return NULL;
}
static void* put_z_and_quiet(void* cell) {
    shmem_long_put_nbi(&((Cell*)cell)->z, &kOne, 1, PE(1));
    shmem_quiet();
    return NULL;
}
// The quiet of a thread completes what another thread did before.
long thread_put_quiet_set(int role, Cell* cell) {
    pthread_t thread;
    if (role == 1) return read_behind_flag(cell);
    if (pthread_create(&thread, NULL, put_x, cell) != 0) shmem_global_exit(1);
    pthread_join(thread, NULL);
    shmem_quiet();
    raise_flag(&cell->y, 1);
    return 0;
}
// Two threads are in a quiet at the same time.
long threads_quiet_set(int role, Cell* cell) {
    pthread_t thread;
    if (role == 1) return read_behind_flag(cell);
    if (pthread_create(&thread, NULL, put_z_and_quiet, cell) != 0) shmem_global_exit(1);
    put_x(cell);
    shmem_quiet();
    raise_flag(&cell->y, 1);
    pthread_join(thread, NULL);
    return 0;
}
