// SPDX-License-Identifier: BSD-3-Clause
//
// This program shows in which orders PEs see the operations of others: litmus tests of the memory
// model. It is plain OpenSHMEM 1.6, so that every library compiles it:
//
//     oshcc -I tests/behaviour -pthread tests/behaviour/litmus/*.c -o litmus
//     oshrun -n 4 ./litmus [--rounds N] [--seed N] [--only NAME] [--promises coherent|all]
//
// It counts the outcomes of each test over many rounds, in which the PEs change roles, and prints
// them with the verdict of the specification. It ends with 1 when it has seen a forbidden outcome,
// or one of which Tessera promises that it does not occur (--promises).
#include "litmus/litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCells = 64, kPolls = 200, kCodes = 256, kTestsMax = 64 };

int pe_of_role[kRolesMax];
shmem_ctx_t first_context = SHMEM_CTX_INVALID, second_context = SHMEM_CTX_INVALID;

static int me, pes;
static long rounds = 256;
static uint64_t seed = 1;
static const char* only;
static Promise promises = NO_PROMISE;

static Cell* cells;                               // symmetric
static long numbers[kRolesMax * kCells];          // symmetric; PE 0 gets those of all roles
static long counts[kTestsMax][kOutcomesMax + 1];  // PE 0's; the last one: outcomes not in the list
static int has_given_up;                          // a poll of this batch

static uint64_t random_number(void) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return seed >> 33;
}

void jitter(void) {
    for (volatile uint64_t left = random_number() % 128; left > 0;) left = left - 1;
}

int poll_by_loads(const long* word) {
    for (int i = 0; i < kPolls; ++i) {
        if (load(word) != 0) return 1;
        if (has_given_up) return 0;
        sched_yield();
    }
    has_given_up = 1;
    return 0;
}

// The PEs other than the first `roles` ones from `shift` on have no role.
static int take_roles(const Litmus* test, int shift) {
    int role = kRolesMax;
    for (int i = 0; i < test->roles % ALL_PES; ++i) {
        pe_of_role[i] = (shift + i) % pes;
        if (pe_of_role[i] == me) role = i;
    }
    return role;
}

// The roles start at the same time, or nearly.
static void meet(int roles, Cell* cell) {
    for (int i = 0; i < roles; ++i) shmem_long_atomic_inc(&cell->meeting, pe_of_role[i]);
    while (shmem_long_test(&cell->meeting, SHMEM_CMP_EQ, roles) == 0) sched_yield();
}

static void run_cells(const Litmus* test, int role) {
    long mine[kCells];
    has_given_up = 0;
    if (role == kRolesMax && test->roles < ALL_PES) {
        shmem_barrier_all();
    } else {
        for (int i = 0; i < kCells; ++i) {
            if (role < kRolesMax) meet(test->roles % ALL_PES, &cells[i]);
            jitter();
            mine[i] = test->run(role, &cells[i]);
        }
        shmem_barrier_all();
    }
    if (role == kRolesMax) return;
    for (int i = 0; i < kCells && test->after != NULL; ++i) mine[i] = test->after(role, &cells[i]);
    shmem_long_put(&numbers[role * kCells], mine, kCells, 0);
}

static void count(const Litmus* test, long* of_test) {
    for (int i = 0; i < kCells; ++i) {
        long code = 0;
        for (int role = test->roles % ALL_PES; role-- > 0;)
            code = code * 4 + numbers[role * kCells + i];
        const Outcome* outcomes = test->outcomes;
        int found = 0;
        while (found < kOutcomesMax &&
               (outcomes[found].text == NULL || outcomes[found].code != code)) {
            ++found;
        }
        ++of_test[found];
        if (found == kOutcomesMax)
            fprintf(stderr, "litmus: %s: outcome %ld is not in the list\n", test->name, code);
    }
}

static void run_batch(const Litmus* test, long* of_test, int shift) {
    memset(cells, 0, kCells * sizeof *cells);
    const int role = take_roles(test, shift);
    shmem_barrier_all();
    run_cells(test, role);
    shmem_barrier_all();
    if (me == 0) count(test, of_test);
}

// RETURNS: whether it must not be.
static int report(const Litmus* test, const long* of_test) {
    static const char* const kVerdicts[] = {"expected", "allowed", "open", "forbidden"};
    static const char* const kPromises[] = {"-", "never on coherent memory", "never"};
    int is_bad = of_test[kOutcomesMax] > 0;
    for (int i = 0; i < kOutcomesMax && test->outcomes[i].text != NULL; ++i) {
        const Outcome* outcome = &test->outcomes[i];
        const int is_promised = outcome->promise != NO_PROMISE && promises != NO_PROMISE &&
                                (outcome->promise == NEVER || promises == COHERENT);
        const int is_wrong = outcome->verdict == FORBIDDEN || is_promised;
        const char* promise =
            outcome->verdict == FORBIDDEN ? kPromises[NEVER] : kPromises[outcome->promise];
        printf("%-28s  %-26s  %-10s  %-26s  %10ld%s\n", test->name, outcome->text,
               kVerdicts[outcome->verdict], promise, of_test[i],
               is_wrong && of_test[i] > 0 ? "  WRONG" : "");
        is_bad |= is_wrong && of_test[i] > 0;
    }
    return is_bad;
}

static void read_options(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0) rounds = atol(argv[i + 1]);
        if (strcmp(argv[i], "--seed") == 0) seed = strtoull(argv[i + 1], NULL, 0);
        if (strcmp(argv[i], "--only") == 0) only = argv[i + 1];
        if (strcmp(argv[i], "--promises") == 0)
            promises = strcmp(argv[i + 1], "coherent") == 0 ? COHERENT : NEVER;
    }
}

int main(int argc, char** argv) {
    int level = 0;
    read_options(argc, argv);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
    me = shmem_my_pe();
    pes = shmem_n_pes();
    if (level != SHMEM_THREAD_MULTIPLE || pes < kRolesMax) {
        fprintf(stderr, "litmus: needs %d PEs and SHMEM_THREAD_MULTIPLE\n", kRolesMax);
        shmem_global_exit(1);
    }
    if (me == 0) printf("litmus: %ld rounds of each test, --seed %ju\n", rounds, (uintmax_t)seed);
    seed += (uint64_t)me * 1000003;
    cells = shmem_align(64, kCells * sizeof *cells);
    if (cells == NULL || shmem_ctx_create(0, &first_context) != 0 ||
        shmem_ctx_create(0, &second_context) != 0) {
        fprintf(stderr, "litmus: no memory, or no contexts\n");
        shmem_global_exit(1);
    }
    int is_bad = 0;
    for (int i = 0; i < litmus_count; ++i) {
        const Litmus* test = &litmus_tests[i];
        if (only != NULL && strcmp(only, test->name) != 0) continue;
        for (int batch = 0; batch * kCells < rounds; ++batch) run_batch(test, counts[i], batch);
        if (me == 0) is_bad |= report(test, counts[i]);
    }
    fflush(stdout);
    if (is_bad) shmem_global_exit(1);
    shmem_barrier_all();
    shmem_ctx_destroy(first_context);
    shmem_ctx_destroy(second_context);
    shmem_free(cells);
    shmem_finalize();
    return 0;
}
