// SPDX-License-Identifier: BSD-3-Clause
//
// fork() on stacks that lie in static data: of a signal handler, of a coroutine, of a thread. Other
// PEs map these pages, so parent and child would share a stack. Built and run by
// end_to_end_test.sh. If this breaks, a program with a usual crash handler hangs or dies in it.
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: pe %d: not true: %s\n", __FILE__, __LINE__, shmem_my_pe(), \
                    #condition);                                                               \
            shmem_global_exit(1);                                                              \
        }                                                                                      \
    } while (0)

enum { kRounds = 20, kStackBytes = 128 << 10, kThreads = 3, kExitCode = 7 };

// Odd places and sizes: no stack has its pages for itself.
static char odd_start[100];
static char handler_stack[kStackBytes + 40];
static long between;
static char coroutine_stack[kStackBytes + 24];
static char thread_stacks[kThreads][kStackBytes + 8];
static long value;
static long arrived;  // puts of the neighbour

static int status_of(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) != child) {
    }
    return status;
}

static int has_exited(int status, int code) {
    return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

// A deep call, so that parent and child both write to much of their stacks.
static long use_stack(int depth, long seed) {
    volatile long local[16];
    for (int i = 0; i < 16; ++i) local[i] = seed + i;
    long below = depth > 0 ? use_stack(depth - 1, seed + 1) : 0;
    for (int i = 0; i < 16; ++i) {
        if (local[i] != seed + i) abort();
    }
    return below + local[3] - seed;
}

// Parent and child have the same locals after the fork, and neither sees the other's changes.
static void fork_here(void) {
    volatile long local = 1;
    value = 1;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        local += 1;
        value += 10;
        use_stack(40, 1000);
        pid_t grandchild = fork();
        if (grandchild == 0) _exit(use_stack(20, 7) == 63 && local == 2 ? kExitCode : 1);
        if (!has_exited(status_of(grandchild), kExitCode)) _exit(2);
        _exit(local == 2 && value == 11 ? kExitCode : 3);
    }
    local += 2;
    value += 100;
    use_stack(40, 5000);
    CHECK(has_exited(status_of(child), kExitCode));
    CHECK(local == 3 && value == 101);
    child = fork();
    if (child == 0) {
        execlp("true", "true", (char*)0);
        _exit(4);
    }
    CHECK(has_exited(status_of(child), 0));
    CHECK(system("exit 3") == 3 << 8);
    FILE* pipe = popen("echo 123", "r");
    int number = 0;
    CHECK(pipe != NULL && fscanf(pipe, "%d", &number) == 1 && pclose(pipe) == 0 && number == 123);
}

static void on_signal(int number) {
    (void)number;
    fork_here();
}

static void check_handlers(void) {
    stack_t stack = {.ss_sp = handler_stack, .ss_size = kStackBytes};
    CHECK(sigaltstack(&stack, NULL) == 0);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < kRounds; ++i) raise(SIGUSR1);
}

static ucontext_t main_context, coroutine_context;
static int coroutine_is_child;

// The child also leaves the coroutine, to the stack of main.
static void run_coroutine(void) {
    fork_here();
    pid_t child = fork();
    coroutine_is_child = child == 0;
    if (child != 0) CHECK(has_exited(status_of(child), kExitCode));
}

static void check_coroutines(void) {
    for (int i = 0; i < kRounds; ++i) {
        CHECK(getcontext(&coroutine_context) == 0);
        coroutine_context.uc_stack.ss_sp = coroutine_stack + 8;
        coroutine_context.uc_stack.ss_size = kStackBytes;
        coroutine_context.uc_link = &main_context;
        makecontext(&coroutine_context, run_coroutine, 0);
        CHECK(swapcontext(&main_context, &coroutine_context) == 0);
        if (coroutine_is_child) _exit(kExitCode);
    }
}

static pthread_barrier_t barrier;

static void* run_thread(void* argument) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_barrier_wait(&barrier);  // All run.
    pthread_barrier_wait(&barrier);  // The main thread has forked.
    pthread_mutex_lock(&one_at_a_time);
    fork_here();
    pthread_mutex_t checking;  // knows its owner by the number in the thread's descriptor
    pthread_mutexattr_t kind;
    CHECK(pthread_mutexattr_init(&kind) == 0);
    CHECK(pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK) == 0);
    CHECK(pthread_mutex_init(&checking, &kind) == 0 && pthread_mutex_lock(&checking) == 0);
    fork_here();
    CHECK(pthread_mutex_unlock(&checking) == 0);
    pthread_mutex_unlock(&one_at_a_time);
    return argument;
}

static void check_threads(void) {
    for (int round = 0; round < 4; ++round) {
        pthread_t threads[kThreads];
        CHECK(pthread_barrier_init(&barrier, NULL, kThreads + 1) == 0);
        for (long i = 0; i < kThreads; ++i) {
            pthread_attr_t attributes;
            CHECK(pthread_attr_init(&attributes) == 0);
            CHECK(pthread_attr_setstack(&attributes, thread_stacks[i], kStackBytes) == 0);
            CHECK(pthread_create(&threads[i], &attributes, run_thread, (void*)i) == 0);
            CHECK(pthread_attr_destroy(&attributes) == 0);
        }
        pthread_barrier_wait(&barrier);
        fork_here();
        pthread_barrier_wait(&barrier);
        for (long i = 0; i < kThreads; ++i) {
            void* result = NULL;
            CHECK(pthread_join(threads[i], &result) == 0 && result == (void*)i);
        }
        pthread_barrier_destroy(&barrier);
        memset(thread_stacks, 0, sizeof thread_stacks);  // Ordinary memory again.
        fork_here();
    }
}

int main(void) {
    int provided = 0;
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
    int next = (shmem_my_pe() + 1) % shmem_n_pes();
    int previous = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
    check_handlers();
    check_coroutines();
    check_threads();
    shmem_barrier_all();
    shmem_long_p(&arrived, 10 + shmem_my_pe(), next);
    shmem_long_p(&between, 20 + shmem_my_pe(), next);
    shmem_putmem(odd_start, "put", 4, next);
    shmem_putmem(thread_stacks[1], "stack", 6, next);
    shmem_barrier_all();
    CHECK(arrived == 10 + previous && between == 20 + previous);
    CHECK(strcmp(odd_start, "put") == 0 && strcmp(thread_stacks[1], "stack") == 0);
    shmem_finalize();
    return 0;
}
