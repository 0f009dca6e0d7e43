// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the litmus programs. A test has 1 to 4 roles, each a PE that executes a few
// operations on a cell, whose symmetric words are 0 at first. Behind a meeting the roles know of
// each other by these words only. Each role returns a small number; the numbers together name the
// outcome.
#pragma once

#include <sched.h>
#include <shmem.h>
#include <stdint.h>

enum { kRolesMax = 4, kData = 300, kLine = 8 };

// Each word has a cache line of its own.
typedef struct {
    long x, line_of_x[kLine - 1];
    long y, line_of_y[kLine - 1];
    long z, line_of_z[kLine - 1];
    long meeting, line_of_meeting[kLine - 1];
    uint64_t signal, line_of_signal[kLine - 1];
    long data[kData], end_of_data[kLine - kData % kLine];
} Cell;

// EXPECTED: allowed, and nothing to speak of. OPEN: the text of OpenSHMEM 1.6 is silent, or calls
// the program undefined, as do the open questions of its issue 570.
typedef enum { EXPECTED, ALLOWED, OPEN, FORBIDDEN } Verdict;
// Whether Tessera promises that the outcome does not occur. COHERENT: on memory that the hardware
// keeps coherent.
typedef enum { NO_PROMISE, COHERENT, NEVER } Promise;

typedef struct {
    long code;  // sum of the numbers of the roles, each times 4^role
    Verdict verdict;
    Promise promise;
    const char* text;
} Outcome;

enum { kOutcomesMax = 4 };
typedef struct {
    const char* name;
    int roles;  // with ALL_PES, the PEs without a role call run(), too
    long (*run)(int role, Cell* cell);
    long (*after)(int role, Cell* cell);  // instead of run()'s number, behind a barrier; or NULL
    Outcome outcomes[kOutcomesMax];
} Litmus;
enum { ALL_PES = 16 };

extern const Litmus litmus_tests[];
extern const int litmus_count;

// For one batch of a test: the PE of a role.
extern int pe_of_role[kRolesMax];
// The contexts of the tests of contexts.
extern shmem_ctx_t first_context, second_context;

// Lets time pass, a little and different each time.
void jitter(void);

static inline long load(const long* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline void store(long* word, long value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
// Waits by loads for a word that is not 0. RETURNS: 0 if it stays 0, as it may.
int poll_by_loads(const long* word);

#define PE(ROLE) pe_of_role[ROLE]

static inline void raise_flag(long* flag, int role) { shmem_long_atomic_set(flag, 1, PE(role)); }
static inline void await_flag(long* flag) { shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1); }

static inline long of_data(const Cell* cell) {
    long ones = 0;
    for (int i = 0; i < kData; ++i) ones += load(&cell->data[i]);
    return ones == kData;
}
static inline void fill(long* data) {
    for (int i = 0; i < kData; ++i) data[i] = 1;
}
// The ways between data and flag.
static inline void with_fence(void) { shmem_fence(); }
static inline void with_quiet(void) { shmem_quiet(); }
static inline void with_nothing(void) {}

// In contexts.c.
long put_signal(int role, Cell* cell);
long put_signal_fetch(int role, Cell* cell);
long put_signal_nbi(int role, Cell* cell);
long put_fence_put_signal(int role, Cell* cell);
long put_put_signal(int role, Cell* cell);
long context_fence_set(int role, Cell* cell);
long context_quiet_other_set(int role, Cell* cell);
long context_other_quiet_set(int role, Cell* cell);
long thread_put_quiet_set(int role, Cell* cell);
long threads_quiet_set(int role, Cell* cell);
