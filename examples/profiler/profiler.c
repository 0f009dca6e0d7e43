// SPDX-License-Identifier: BSD-3-Clause
//
// profiler: counts the OpenSHMEM calls of a program and the bytes they move. The program is not
// changed and need not be compiled again; README.md says how to use it.
//
// It works by the profiling interface of OpenSHMEM: each routine has two names, shmem_put and
// pshmem_put. The profiler defines the first ones. It comes before the library, so the program's
// calls end here, are counted, and go on to the second names. This file holds the numbers, follows
// the start and the end of the program, and prints the table; wrappers.c has all other routines.

#include "profiler.h"

#include <pshmem.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// The counts of one PE. Many threads may call the routines, hence the atomics; they are relaxed,
// since only the numbers themselves have to be right.
static atomic_ulong calls[kOperationCount], bytes_moved[kOperationCount];
static atomic_int is_on = 1;

// A copy of the numbers in symmetric memory, where PE 0 fetches it. A static variable would not do:
// those of a shared library are not symmetric.
struct numbers {
    unsigned long calls[kOperationCount], bytes[kOperationCount];
};
static struct numbers* published;

// OpenSHMEM 1.6 allows a program to initialize repeatedly; the table is printed at the last end.
static int initializations;

static const char* const kNames[] = {
#define NAME_OF(NAME) #NAME,
    OPERATIONS(NAME_OF)
#undef NAME_OF
};

void count_call(enum operation operation, size_t bytes) {
    if (!atomic_load_explicit(&is_on, memory_order_relaxed)) return;
    atomic_fetch_add_explicit(&calls[operation], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes_moved[operation], bytes, memory_order_relaxed);
}

static void read_numbers(struct numbers* numbers) {
    for (int i = 0; i < kOperationCount; i++) {
        numbers->calls[i] = atomic_load_explicit(&calls[i], memory_order_relaxed);
        numbers->bytes[i] = atomic_load_explicit(&bytes_moved[i], memory_order_relaxed);
    }
}

// ---- The table ----------------------------------------------------------------------------------

// The file of PROFILER_OUTPUT, or stderr. PE 0 empties the file at the start; later output is
// appended.
static FILE* open_output(const char* mode) {
    const char* name = getenv("PROFILER_OUTPUT");
    FILE* file = name != NULL && name[0] != '\0' ? fopen(name, mode) : stderr;
    if (file == NULL) fprintf(stderr, "profiler: cannot write %s\n", name);
    return file != NULL ? file : stderr;
}

static void close_output(FILE* file) {
    if (file != stderr) {
        fclose(file);
    } else {
        fflush(stderr);
    }
}

static void print_line(FILE* file, int i, const char* pe, const struct numbers* numbers) {
    fprintf(file, "%-24s %6s %14lu %18lu\n", kNames[i], pe, numbers->calls[i], numbers->bytes[i]);
}

// PE 0 prints, for each operation that was used, a line for each PE that used it and their sum.
static void print_table(const struct numbers* of_pe, int pe_count) {
    FILE* file = open_output("a");
    struct numbers total = {{0}, {0}};
    fprintf(file, "OpenSHMEM calls of %d PE%s\n", pe_count, pe_count == 1 ? "" : "s");
    fprintf(file, "%-24s %6s %14s %18s\n", "operation", "PE", "calls", "bytes");
    for (int i = 0; i < kOperationCount; i++) {
        for (int pe = 0; pe < pe_count; pe++) {
            if (of_pe[pe].calls[i] == 0) continue;
            char number[16];
            snprintf(number, sizeof number, "%d", pe);
            print_line(file, i, number, &of_pe[pe]);
            total.calls[i] += of_pe[pe].calls[i];
            total.bytes[i] += of_pe[pe].bytes[i];
        }
        if (total.calls[i] > 0) print_line(file, i, "all", &total);
    }
    close_output(file);
}

// Called by all PEs while the library still works.
static void report(void) {
    if (published == NULL) return;
    read_numbers(published);
    pshmem_barrier_all();  // All numbers are there.
    if (pshmem_my_pe() == 0) {
        int pe_count = pshmem_n_pes();
        struct numbers* of_pe = calloc((size_t)pe_count, sizeof *of_pe);
        for (int pe = 0; of_pe != NULL && pe < pe_count; pe++)
            pshmem_getmem(&of_pe[pe], published, sizeof *of_pe, pe);
        if (of_pe != NULL) {
            print_table(of_pe, pe_count);
        } else {
            fprintf(stderr, "profiler: no memory for the table\n");
        }
        free(of_pe);
    }
    pshmem_barrier_all();  // PE 0 has fetched them.
    pshmem_free(published);
    published = NULL;
}

// The numbers of this PE alone, in the middle of a run. The other PEs have no part in it.
static void print_own_numbers(void) {
    struct numbers numbers;
    read_numbers(&numbers);
    char pe[16];
    snprintf(pe, sizeof pe, "%d", pshmem_my_pe());
    FILE* file = open_output("a");
    for (int i = 0; i < kOperationCount; i++) {
        if (numbers.calls[i] > 0) print_line(file, i, pe, &numbers);
    }
    close_output(file);
}

// ---- Start and end ------------------------------------------------------------------------------

static void start(void) {
    if (initializations++ > 0) return;
    if (pshmem_my_pe() == 0) close_output(open_output("w"));
    // The barrier inside of this comes before any other output.
    published = pshmem_malloc(sizeof *published);
    if (published == NULL && pshmem_my_pe() == 0)
        fprintf(stderr, "profiler: no symmetric memory, so there will be no table\n");
}

void shmem_init(void) {
    pshmem_init();
    start();
}

int shmem_init_thread(int requested, int* provided) {
    int status = pshmem_init_thread(requested, provided);
    if (status == 0) start();
    return status;
}

void shmem_finalize(void) {
    if (initializations > 0 && --initializations == 0) report();
    pshmem_finalize();
}

// A program that calls start_pes need not finalize. The library does so when the program exits,
// after the exit handlers that are registered later.
static void report_at_exit(void) {
    int is_initialized = 0;
    pshmem_query_initialized(&is_initialized);
    if (is_initialized) report();
}

void start_pes(int npes) {
    int was_initialized = 0, is_initialized = 0;
    pshmem_query_initialized(&was_initialized);
    pstart_pes(npes);
    pshmem_query_initialized(&is_initialized);
    if (was_initialized || !is_initialized) return;  // Then it did nothing.
    start();
    atexit(report_at_exit);
}

// The program steers the profiler: 0 switches it off, 1 on, 2 prints what this PE has counted so
// far.
void shmem_pcontrol(int level, ...) {
    if (level <= 0) atomic_store(&is_on, 0);
    if (level == 1) atomic_store(&is_on, 1);
    if (level == 2) print_own_numbers();
}
