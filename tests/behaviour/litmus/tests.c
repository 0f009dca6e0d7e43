// SPDX-License-Identifier: BSD-3-Clause
//
// The litmus tests. x, y, z are words of a cell (litmus.h); a role writes to those of another PE.
// The comment of a test says what it is for, where its name does not.
#include <stddef.h>

#include "litmus/litmus.h"

static const long kOne = 1;

// ---- Two PEs: role 0 writes data and a flag, role 1 waits for the flag and reads the data. ----

static long put_and_set(int role, Cell* cell, void (*order)(void)) {
    if (role == 0) {
        shmem_long_p(&cell->x, 1, PE(1));
        order();
        raise_flag(&cell->y, 1);
        return 0;
    }
    await_flag(&cell->y);
    return load(&cell->x);
}
static long put_fence_set(int role, Cell* cell) { return put_and_set(role, cell, with_fence); }
static long put_quiet_set(int role, Cell* cell) { return put_and_set(role, cell, with_quiet); }
static long put_set(int role, Cell* cell) { return put_and_set(role, cell, with_nothing); }

static long long_put_fence_set(int role, Cell* cell) {
    if (role == 1) {
        await_flag(&cell->y);
        return of_data(cell);
    }
    long data[kData];
    fill(data);
    shmem_long_put(cell->data, data, kData, PE(1));
    shmem_fence();
    raise_flag(&cell->y, 1);
    return 0;
}

static long put_fence_set_test(int role, Cell* cell) {
    if (role == 0) return put_fence_set(role, cell);
    while (shmem_long_test(&cell->y, SHMEM_CMP_EQ, 1) == 0) sched_yield();
    return load(&cell->x);
}

// Programs from before OpenSHMEM 1.5 wait for words that `p` writes.
static long put_fence_put(int role, Cell* cell) {
    if (role == 1) {
        await_flag(&cell->y);
        return load(&cell->x);
    }
    shmem_long_p(&cell->x, 1, PE(1));
    shmem_fence();
    shmem_long_p(&cell->y, 1, PE(1));
    return 0;
}
static long put_fence_put_loads(int role, Cell* cell) {
    if (role == 0) return put_fence_put(role, cell);
    return poll_by_loads(&cell->y) ? load(&cell->x) : 2;
}
// Atomics against loads of the same word, which the text calls undefined.
static long put_fence_set_loads(int role, Cell* cell) {
    if (role == 0) return put_fence_set(role, cell);
    return poll_by_loads(&cell->y) ? load(&cell->x) : 2;
}
static long put_put_loads(int role, Cell* cell) {
    if (role == 1) return poll_by_loads(&cell->y) ? load(&cell->x) : 2;
    shmem_long_p(&cell->x, 1, PE(1));
    shmem_long_p(&cell->y, 1, PE(1));
    return 0;
}

// A store through shmem_ptr is a "memory store" of the text.
static long store_fence_set(int role, Cell* cell) {
    long* x = role == 0 ? shmem_ptr(&cell->x, PE(1)) : NULL;
    if (role == 1) {
        await_flag(&cell->y);
        return load(&cell->x);
    }
    if (x != NULL) {
        store(x, 1);
    } else {
        shmem_long_p(&cell->x, 1, PE(1));
    }
    shmem_fence();
    raise_flag(&cell->y, 1);
    return 0;
}
static long own_store(int role, Cell* cell, void (*order)(void)) {
    if (role == 1) {
        await_flag(&cell->y);
        return shmem_long_g(&cell->x, PE(0));
    }
    store(&cell->x, 1);
    order();
    raise_flag(&cell->y, 1);
    return 0;
}
static long own_store_quiet_set_get(int role, Cell* cell) {
    return own_store(role, cell, with_quiet);
}
static long own_store_set_get(int role, Cell* cell) { return own_store(role, cell, with_nothing); }
static long own_store_sync_get(int role, Cell* cell) {
    if (role == 0) store(&cell->x, 1);
    shmem_sync_all();
    return role == 1 ? shmem_long_g(&cell->x, PE(0)) : 0;
}
static long put_sync(int role, Cell* cell) {
    if (role == 0) shmem_long_p(&cell->x, 1, PE(1));
    shmem_sync_all();
    return role == 1 ? load(&cell->x) : 0;
}

static long put_nbi_barrier(int role, Cell* cell) {
    if (role == 0) shmem_long_put_nbi(&cell->x, &kOne, 1, PE(1));
    return 0;
}
static long x_of_role_1(int role, Cell* cell) { return role == 1 ? load(&cell->x) : 0; }

// ---- One PE sees its own operations. ----

// 2: the put has read its source behind the quiet.
static long put_nbi_quiet_get(int role, Cell* cell) {
    if (role == 1) return 0;
    long source = 1;
    shmem_long_put_nbi(&cell->x, &source, 1, PE(1));
    shmem_quiet();
    source = 2;
    return shmem_long_g(&cell->x, PE(1));
}
static long put_get(int role, Cell* cell) {
    if (role == 1) return 0;
    shmem_long_p(&cell->x, 1, PE(1));
    return shmem_long_g(&cell->x, PE(1));
}
static long put_put(int role, Cell* cell) {
    if (role == 1) return 0;
    shmem_long_p(&cell->x, 2, PE(1));
    shmem_long_p(&cell->x, 1, PE(1));
    return 0;
}
static long x_is_1(int role, Cell* cell) { return role == 1 ? load(&cell->x) == 1 : 0; }

// ---- A third PE. ----

static void with_pe_quiet(void) { shmem_pe_quiet(&PE(1), 1); }
static long put_to_another(int role, Cell* cell, void (*order)(void)) {
    if (role == 0) {
        shmem_long_p(&cell->x, 1, PE(1));
        order();
        raise_flag(&cell->y, 2);
    }
    if (role != 2) return 0;
    await_flag(&cell->y);
    return shmem_long_g(&cell->x, PE(1));
}
static long put_quiet_set_get(int role, Cell* cell) {
    return put_to_another(role, cell, with_quiet);
}
static long put_pe_quiet_set_get(int role, Cell* cell) {
    return put_to_another(role, cell, with_pe_quiet);
}
static long put_fence_set_get(int role, Cell* cell) {
    return put_to_another(role, cell, with_fence);
}

// Role 0 writes to role 2, but tells role 1, which tells role 2.
static long by_way_of_another(int role, Cell* cell, void (*order)(void)) {
    if (role == 0) {
        shmem_long_p(&cell->x, 1, PE(2));
        order();
        raise_flag(&cell->y, 1);
        return 0;
    }
    await_flag(role == 1 ? &cell->y : &cell->z);
    if (role == 2) return load(&cell->x);
    raise_flag(&cell->z, 2);
    return 0;
}
static long relay_quiet(int role, Cell* cell) { return by_way_of_another(role, cell, with_quiet); }
static long relay_fence(int role, Cell* cell) { return by_way_of_another(role, cell, with_fence); }
// Role 1 has seen the word, and tells role 2, which asks for it.
static long relay_seen(int role, Cell* cell) {
    if (role == 0) raise_flag(&cell->x, 1);
    if (role == 0) return 0;
    await_flag(role == 1 ? &cell->x : &cell->y);
    if (role == 2) return shmem_long_atomic_fetch(&cell->x, PE(1));
    raise_flag(&cell->y, 2);
    return 0;
}

static long fence_two_fetches(int role, Cell* cell) {
    if (role == 0) {
        raise_flag(&cell->x, 1);
        shmem_fence();
        raise_flag(&cell->y, 1);
    }
    if (role != 2) return 0;
    const long y = shmem_long_atomic_fetch(&cell->y, PE(1));
    return y + 2 * shmem_long_atomic_fetch(&cell->x, PE(1));
}
static long fence_two_gets(int role, Cell* cell) {
    if (role == 0) {
        shmem_long_p(&cell->x, 1, PE(1));
        shmem_fence();
        shmem_long_p(&cell->y, 1, PE(1));
    }
    if (role != 2) return 0;
    const long y = shmem_long_g(&cell->y, PE(1));
    return y + 2 * shmem_long_g(&cell->x, PE(1));
}

// Roles 2 and 3 see two independent words change in different orders.
static long independent_words(int role, Cell* cell) {
    if (role == 0) raise_flag(&cell->x, 2);
    if (role == 1) raise_flag(&cell->y, 3);
    if (role < 2) return 0;
    long* first = role == 2 ? &cell->x : &cell->y;
    long* second = role == 2 ? &cell->y : &cell->x;
    const int first_pe = PE(role), second_pe = PE(5 - role);
    const long before = shmem_long_atomic_fetch(first, first_pe);
    return before == 1 && shmem_long_atomic_fetch(second, second_pe) == 0;
}

// ---- Loads and stores cross. ----

static long store_buffering(int role, Cell* cell, void (*order)(void)) {
    long* mine = role == 0 ? &cell->y : &cell->x;
    long* other = role == 0 ? &cell->x : &cell->y;
    raise_flag(other, 1 - role);
    order();
    return shmem_long_atomic_fetch(mine, PE(role));
}
static long crossing_quiet(int role, Cell* cell) { return store_buffering(role, cell, with_quiet); }
static long crossing_fence(int role, Cell* cell) { return store_buffering(role, cell, with_fence); }
// A fence does not order the get before it.
static long get_nbi_fence_set(int role, Cell* cell) {
    if (role == 1) {
        await_flag(&cell->y);
        store(&cell->x, 1);
        return 0;
    }
    long got = 2;
    shmem_long_get_nbi(&got, &cell->x, 1, PE(1));
    shmem_fence();
    raise_flag(&cell->y, 1);
    shmem_quiet();
    return got;
}

// ---- One word. ----

static long two_sets(int role, Cell* cell) {
    if (role == 0) {
        shmem_long_atomic_set(&cell->x, 1, PE(1));
        shmem_fence();
        shmem_long_atomic_set(&cell->x, 2, PE(1));
    }
    if (role != 2) return 0;
    const long first = shmem_long_atomic_fetch(&cell->x, PE(1));
    return shmem_long_atomic_fetch(&cell->x, PE(1)) < first;
}
static long two_sets_loads(int role, Cell* cell) {
    if (role == 0) return two_sets(role, cell);
    const long first = load(&cell->x);
    return load(&cell->x) < first;
}
static long two_increments(int role, Cell* cell) {
    return shmem_long_atomic_fetch_inc(&cell->x, PE(0)) + 0 * role;
}
// Atomics of the library against those of the language.
static long language_atomics(int role, Cell* cell) {
    if (role == 0) {
        shmem_long_atomic_inc(&cell->x, PE(1));
    } else {
        __atomic_fetch_add(&cell->x, 1, __ATOMIC_RELAXED);
    }
    return 0;
}
static long x_is_2(int role, Cell* cell) { return role == 1 ? load(&cell->x) == 2 : 0; }

static long lock_hand_over(int role, Cell* cell) {
    shmem_set_lock(&cell->z);
    const long before = shmem_long_g(&cell->x, PE(1));
    shmem_long_p(&cell->x, before + 1, PE(1));
    shmem_clear_lock(&cell->z);
    return 0 * role;
}
static long x_is_3(int role, Cell* cell) { return role == 1 ? load(&cell->x) == 3 : 0; }

// ---- The list. In an outcome's code the number of role 1 counts 4 times, that of role 2 16. ----

#define READER(NAME, VERDICT, PROMISE, TEXT)                                \
    {                                                                       \
#NAME, 2, NAME, NULL, {                                             \
            {4, EXPECTED, NO_PROMISE, "new"}, { 0, VERDICT, PROMISE, TEXT } \
        }                                                                   \
    }
#define POLLER(NAME, VERDICT, PROMISE)                                   \
    {                                                                    \
#NAME, 2, NAME, NULL, {                                          \
            {4, EXPECTED, NO_PROMISE, "new"},                            \
                {8, ALLOWED, NO_PROMISE, "loads do not see the flag"}, { \
                0, VERDICT, PROMISE, "old data"                          \
            }                                                            \
        }                                                                \
    }
#define THIRD(NAME, VERDICT, PROMISE)                                              \
    {                                                                              \
#NAME, 3, NAME, NULL, {                                                    \
            {16, EXPECTED, NO_PROMISE, "new"}, { 0, VERDICT, PROMISE, "old data" } \
        }                                                                          \
    }
#define AFTER(NAME, ROLES, CHECK, VERDICT, PROMISE, TEXT)                     \
    {                                                                         \
#NAME, ROLES, NAME, CHECK, {                                          \
            {4, EXPECTED, NO_PROMISE, "right"}, { 0, VERDICT, PROMISE, TEXT } \
        }                                                                     \
    }

const Litmus litmus_tests[] = {
    READER(put_fence_set, FORBIDDEN, NEVER, "old data"),
    READER(put_quiet_set, FORBIDDEN, NEVER, "old data"),
    READER(put_set, ALLOWED, NO_PROMISE, "old data"),
    READER(long_put_fence_set, FORBIDDEN, NEVER, "old data"),
    READER(put_fence_set_test, FORBIDDEN, NEVER, "old data"),
    READER(put_fence_put, OPEN, NEVER, "old data"),
    POLLER(put_fence_put_loads, OPEN, NEVER),
    POLLER(put_fence_set_loads, OPEN, NEVER),
    POLLER(put_put_loads, OPEN, NO_PROMISE),
    READER(store_fence_set, FORBIDDEN, NEVER, "old data"),
    READER(own_store_quiet_set_get, FORBIDDEN, NEVER, "old data"),
    READER(own_store_set_get, ALLOWED, NO_PROMISE, "old data"),
    {"own_store_sync_get",
     ALL_PES + 2,
     own_store_sync_get,
     NULL,
     {{4, EXPECTED, NO_PROMISE, "new"}, {0, FORBIDDEN, NEVER, "old data"}}},
    {"put_sync",
     ALL_PES + 2,
     put_sync,
     NULL,
     {{4, EXPECTED, NO_PROMISE, "new"}, {0, ALLOWED, NO_PROMISE, "old data"}}},
    AFTER(put_nbi_barrier, 2, x_of_role_1, FORBIDDEN, NEVER, "old data"),
    READER(put_signal, FORBIDDEN, NEVER, "old data"),
    READER(put_signal_fetch, FORBIDDEN, NEVER, "old data"),
    READER(put_signal_nbi, FORBIDDEN, NEVER, "old data"),
    READER(put_fence_put_signal, FORBIDDEN, NEVER, "old data"),
    READER(put_put_signal, ALLOWED, NO_PROMISE, "old data"),
    {"put_nbi_quiet_get",
     2,
     put_nbi_quiet_get,
     NULL,
     {{1, EXPECTED, NO_PROMISE, "new"},
      {0, FORBIDDEN, NEVER, "old data"},
      {2, FORBIDDEN, NEVER, "source read behind quiet"}}},
    {"put_get",
     2,
     put_get,
     NULL,
     {{1, EXPECTED, NO_PROMISE, "new"}, {0, ALLOWED, NEVER, "old data"}}},
    AFTER(put_put, 2, x_is_1, ALLOWED, NO_PROMISE, "the first put is last"),
    THIRD(put_quiet_set_get, FORBIDDEN, NEVER),
    THIRD(put_pe_quiet_set_get, FORBIDDEN, NEVER),
    THIRD(put_fence_set_get, ALLOWED, NO_PROMISE),
    THIRD(relay_quiet, FORBIDDEN, NEVER),
    THIRD(relay_fence, ALLOWED, NO_PROMISE),
    THIRD(relay_seen, OPEN, NEVER),
    {"fence_two_fetches",
     3,
     fence_two_fetches,
     NULL,
     {{0, EXPECTED, NO_PROMISE, "both old"},
      {32, EXPECTED, NO_PROMISE, "only the first new"},
      {48, EXPECTED, NO_PROMISE, "both new"},
      {16, FORBIDDEN, NEVER, "only the second new"}}},
    {"fence_two_gets",
     3,
     fence_two_gets,
     NULL,
     {{0, EXPECTED, NO_PROMISE, "both old"},
      {32, EXPECTED, NO_PROMISE, "only the first new"},
      {48, EXPECTED, NO_PROMISE, "both new"},
      {16, OPEN, NEVER, "only the second new"}}},
    {"independent_words",
     4,
     independent_words,
     NULL,
     {{0, EXPECTED, NO_PROMISE, "one order"},
      {16, EXPECTED, NO_PROMISE, "x first"},
      {64, EXPECTED, NO_PROMISE, "y first"},
      {80, OPEN, NO_PROMISE, "two orders"}}},
    {"crossing_quiet",
     2,
     crossing_quiet,
     NULL,
     {{1, EXPECTED, NO_PROMISE, "role 0 sees it"},
      {4, EXPECTED, NO_PROMISE, "role 1 sees it"},
      {5, EXPECTED, NO_PROMISE, "both see it"},
      {0, FORBIDDEN, NEVER, "neither sees it"}}},
    {"crossing_fence",
     2,
     crossing_fence,
     NULL,
     {{1, EXPECTED, NO_PROMISE, "role 0 sees it"},
      {4, EXPECTED, NO_PROMISE, "role 1 sees it"},
      {5, EXPECTED, NO_PROMISE, "both see it"},
      {0, ALLOWED, NO_PROMISE, "neither sees it"}}},
    {"get_nbi_fence_set",
     2,
     get_nbi_fence_set,
     NULL,
     {{0, EXPECTED, NO_PROMISE, "old"}, {1, ALLOWED, NO_PROMISE, "the get sees the future"}}},
    {"two_sets",
     3,
     two_sets,
     NULL,
     {{0, EXPECTED, NO_PROMISE, "grows"}, {16, FORBIDDEN, NEVER, "goes back"}}},
    {"two_sets_loads",
     2,
     two_sets_loads,
     NULL,
     {{0, EXPECTED, NO_PROMISE, "grows"}, {4, OPEN, NEVER, "goes back"}}},
    {"two_increments",
     2,
     two_increments,
     NULL,
     {{1, EXPECTED, NO_PROMISE, "1, 0"},
      {4, EXPECTED, NO_PROMISE, "0, 1"},
      {0, FORBIDDEN, NEVER, "both 0"},
      {5, FORBIDDEN, NEVER, "both 1"}}},
    AFTER(language_atomics, 2, x_is_2, OPEN, COHERENT, "an increment is lost"),
    AFTER(lock_hand_over, 3, x_is_3, FORBIDDEN, NEVER, "a change is lost"),
    READER(context_fence_set, FORBIDDEN, NEVER, "old data"),
    READER(context_quiet_other_set, FORBIDDEN, NEVER, "old data"),
    READER(context_other_quiet_set, ALLOWED, NO_PROMISE, "old data"),
    READER(thread_put_quiet_set, FORBIDDEN, NEVER, "old data"),
    READER(threads_quiet_set, FORBIDDEN, NEVER, "old data"),
};
const int litmus_count = sizeof litmus_tests / sizeof litmus_tests[0];
