/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that crash or make a mistake: crash_probe KIND. The comment HERE and a word mark the
 * lines that a report must name. PE 1, or the only one, makes the mistake. */
#include <pthread.h>
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static long word;
static volatile int zero;
static int* volatile nowhere = (int*)16;
static void (*volatile no_function)(void);

static void write_nowhere(void) { *nowhere = 1; } /* HERE segv */

static void divide(void) { word = 7 / zero; } /* HERE fpe */

static void run_nonsense(void) { __builtin_trap(); } /* HERE ill */

static volatile char* page_behind_a_file(void) {
    FILE* empty = tmpfile();
    if (empty == NULL) abort();
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(empty), 0);
}
static void write_behind_a_file(volatile char* page) { page[8] = 1; } /* HERE bus */

static void tell_place(void) {
    char text[200];
    shmemx_call_place(text, sizeof text); /* HERE place */
    fprintf(stderr, "[%s]\n", text);
    shmemx_call_place(text, 7);
    fprintf(stderr, "[%s]\n", text);
}

static void give_up(void) { abort(); } /* HERE abrt */

static int recurse(volatile char* before) {
    volatile char room[512];
    room[0] = before[0];
    return recurse(room) + room[0]; /* HERE overflow */
}

static void* crash_in_thread(void* unused) {
    *nowhere = 2; /* HERE thread */
    return unused;
}

static void put_from_nowhere(void) {
    shmem_putmem(&word, nowhere, sizeof word, 0); /* HERE source */
}

static void put_to_bad_pe(void) { shmem_long_p(&word, 1, 99); } /* HERE pe */

static void put_to_stack(void) {
    long target = 0;
    shmem_long_put(&target, &word, 1, 0); /* HERE address */
}

static void own_handler(int number) {
    static const char kText[] = "the program's own handler\n";
    if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) abort();
    signal(number, SIG_DFL);
}

static void make_mistake(const char* kind) {
    pthread_t thread;
    if (strcmp(kind, "segv") == 0) write_nowhere();
    if (strcmp(kind, "fpe") == 0) divide();
    if (strcmp(kind, "ill") == 0) run_nonsense();
    if (strcmp(kind, "bus") == 0) write_behind_a_file(page_behind_a_file());
    if (strcmp(kind, "place") == 0) tell_place();
    if (strcmp(kind, "abrt") == 0) give_up();
    if (strcmp(kind, "overflow") == 0) word = recurse("");
    if (strcmp(kind, "thread") == 0 && pthread_create(&thread, NULL, crash_in_thread, NULL) == 0)
        pthread_join(thread, NULL);
    if (strcmp(kind, "source") == 0) put_from_nowhere();
    if (strcmp(kind, "call") == 0) no_function();  /* HERE call */
    if (strcmp(kind, "sent") == 0) raise(SIGSEGV); /* HERE sent */
    if (strcmp(kind, "pe") == 0) put_to_bad_pe();
    if (strcmp(kind, "address") == 0) put_to_stack();
    if (strcmp(kind, "own") == 0) {
        signal(SIGSEGV, own_handler);
        write_nowhere();
    }
    if (strcmp(kind, "own_before") == 0) write_nowhere();
}

int main(int argc, char** argv) {
    const char* kind = argc > 1 ? argv[1] : "";
    const struct rlimit small = {1 << 20, 1 << 20};
    if (strcmp(kind, "early") == 0) shmem_long_p(&word, 1, 0); /* HERE early */
    if (strcmp(kind, "overflow") == 0) setrlimit(RLIMIT_STACK, &small);
    if (strcmp(kind, "own_before") == 0) signal(SIGSEGV, own_handler);
    shmem_init();
    if (shmem_my_pe() == shmem_n_pes() - 1) make_mistake(kind);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
