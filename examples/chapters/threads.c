// SPDX-License-Identifier: BSD-3-Clause
//
// threads: threads that communicate at the same time (OpenSHMEM 1.6, 9.2).
//
//     oshcc threads.c -o threads -pthread
//     oshrun -n 4 ./threads
//
// The program asks for the level SHMEM_THREAD_MULTIPLE and works with the level it gets: below
// MULTIPLE only the main thread calls the library.

#include <pthread.h>
#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "threads: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kThreads = 4, kRounds = 1000 };

static int arrived[kThreads];  // One counter for each thread number.
static int right;

static void* work(void* argument) {
    int* counter = argument;
    for (int i = 0; i < kRounds; i++) shmem_int_atomic_inc(counter, right);
    shmem_quiet();
    return NULL;
}

int main(void) {
    int provided, level;
    require(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0, "shmem_init_thread");
    shmem_query_thread(&level);
    require(level == provided && provided >= SHMEM_THREAD_SINGLE, "shmem_query_thread");
    right = (shmem_my_pe() + 1) % shmem_n_pes();

    if (provided == SHMEM_THREAD_MULTIPLE) {
        pthread_t threads[kThreads];
        for (int i = 0; i < kThreads; i++)
            require(pthread_create(&threads[i], NULL, work, &arrived[i]) == 0, "pthread_create");
        for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
    } else {
        for (int i = 0; i < kThreads; i++) work(&arrived[i]);
    }
    shmem_barrier_all();
    for (int i = 0; i < kThreads; i++) require(arrived[i] == kRounds, "an update is lost");

    if (shmem_my_pe() == 0) printf("threads: right, thread level %d\n", provided);
    shmem_finalize();
    return 0;
}
