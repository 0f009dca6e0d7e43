/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program of DART that goes through puts, gets, atomics, locks, teams, collectives and
 * allocation, and checks each value: busy_units [--sequences K] [--seed S]. All units draw the same
 * random numbers. */
#include <dash/dart/if/dart.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWords = 1000 };

static unsigned long drawn_state;
static long me, units, current_round;

/* The same number, at least 0 and less than the limit, in all units. */
static long drawn(long limit) {
    drawn_state = drawn_state * 6364136223846793005UL + 1442695040888963407UL;
    return (long)((drawn_state >> 33) % (unsigned long)limit);
}

static void expect(long value, long expected, const char* what) {
    if (value == expected) return;
    fprintf(stderr, "unit %ld: %s in round %ld is %ld, not %ld\n", me, what, current_round, value,
            expected);
    dart_abort(3);
}

static dart_gptr_t word_of(dart_gptr_t memory, long unit, long word) {
    dart_gptr_setunit(&memory, DART_TEAM_UNIT_ID((int)unit));
    dart_gptr_incaddr(&memory, word * (long)sizeof(long));
    return memory;
}

static void transfer_around(dart_gptr_t memory, long* own) {
    long source[kWords], copy[kWords];
    const long next = (me + 1) % units, before = (me + units - 1) % units;
    const size_t length = (size_t)(1 + drawn(kWords));
    for (size_t i = 0; i < length; ++i) source[i] = me * 1000 + current_round;
    dart_put_blocking(word_of(memory, next, 0), source, length, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_barrier(DART_TEAM_ALL);
    expect(own[0], before * 1000 + current_round, "the first word put");
    expect(own[length - 1], before * 1000 + current_round, "the last word put");
    dart_handle_t handle;
    dart_get_handle(copy, word_of(memory, next, 0), length, DART_TYPE_LONG, DART_TYPE_LONG,
                    &handle);
    dart_wait_local(&handle);
    expect(copy[length - 1], me * 1000 + current_round, "the last word read");
    dart_barrier(DART_TEAM_ALL);
}

static void count_on(dart_gptr_t memory, long unit, dart_lock_t lock, const long* own,
                     long* counted) {
    const long one = 1;
    long old;
    dart_accumulate(word_of(memory, unit, kWords), &one, 1, DART_TYPE_LONG, DART_OP_SUM);
    dart_fetch_and_op(word_of(memory, unit, kWords + 1), &one, &old, DART_TYPE_LONG, DART_OP_SUM);
    dart_lock_acquire(lock);
    dart_get_blocking(&old, word_of(memory, unit, kWords + 2), 1, DART_TYPE_LONG, DART_TYPE_LONG);
    ++old;
    dart_put_blocking(word_of(memory, unit, kWords + 2), &old, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_lock_release(lock);
    dart_flush_all(memory);
    dart_barrier(DART_TEAM_ALL);
    if (me == unit) {
        *counted += units;
        expect(own[kWords], *counted, "a counter of accumulates");
        expect(own[kWords + 1], *counted, "a counter of fetches");
        expect(own[kWords + 2], *counted, "a counter under a lock");
    }
    dart_barrier(DART_TEAM_ALL);
}

static void reduce(void) {
    long value = me + 1, sum = 0;
    dart_allreduce(&value, &sum, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL);
    expect(sum, units * (units + 1) / 2, "a sum");
    const long root = drawn(units);
    value = me;
    dart_bcast(&value, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID((int)root), DART_TEAM_ALL);
    expect(value, root, "a broadcast word");
}

/* A team of the first units, with memory of its own. */
static void work_in_team(long members) {
    dart_group_t group;
    dart_team_t team;
    dart_group_create(&group);
    for (int unit = 0; unit < members; ++unit)
        dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit));
    dart_team_create(DART_TEAM_ALL, group, &team);
    dart_group_destroy(&group);
    if (me >= members) return;
    dart_gptr_t memory;
    const size_t length = (size_t)(1 + drawn(kWords));
    dart_team_memalloc_aligned(team, length, DART_TYPE_LONG, &memory);
    const long other = (me + 1) % members;
    long value = me;
    dart_put_blocking(word_of(memory, other, (long)length - 1), &value, 1, DART_TYPE_LONG,
                      DART_TYPE_LONG);
    dart_barrier(team);
    dart_get_blocking(&value, word_of(memory, me, (long)length - 1), 1, DART_TYPE_LONG,
                      DART_TYPE_LONG);
    expect(value, (me + members - 1) % members, "a word of a team");
    dart_barrier(team);
    dart_team_memfree(memory);
    dart_team_destroy(&team);
}

int main(int argc, char** argv) {
    long rounds = LONG_MAX;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--sequences") == 0) rounds = atol(argv[i + 1]);
        if (strcmp(argv[i], "--seed") == 0) drawn_state = strtoul(argv[i + 1], NULL, 10);
    }
    dart_init(&argc, &argv);
    dart_global_unit_t unit;
    size_t size;
    dart_myid(&unit);
    dart_size(&size);
    me = unit.id;
    units = (long)size;
    dart_gptr_t memory;
    dart_lock_t lock;
    void* own;
    dart_team_memalloc_aligned(DART_TEAM_ALL, kWords + 3, DART_TYPE_LONG, &memory);
    dart_gptr_getaddr(word_of(memory, me, 0), &own);
    memset(own, 0, (kWords + 3) * sizeof(long));
    dart_team_lock_init(DART_TEAM_ALL, &lock);
    dart_barrier(DART_TEAM_ALL);
    long counted = 0;
    for (current_round = 0; current_round < rounds; ++current_round) {
        transfer_around(memory, own);
        count_on(memory, drawn(units), lock, own, &counted);
        reduce();
        const unsigned long before_team = drawn_state;
        work_in_team(1 + drawn(units));
        /* The members of the team have drawn more. */
        drawn_state = before_team + 1;
    }
    dart_barrier(DART_TEAM_ALL);
    dart_team_lock_destroy(&lock);
    dart_team_memfree(memory);
    if (me == 0) puts("busy_units: all as expected");
    dart_exit();
    return 0;
}
