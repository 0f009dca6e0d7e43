/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs of DART that hang, with four units: hang_units KIND. The comment HERE and a word mark
 * the lines that a report must name. */
#include <dash/dart/if/dart.h>
#include <string.h>
#include <unistd.h>

static void work_for_ever(void) {
    for (;;) pause(); /* HERE work */
}

static void wait_for_all(void) { dart_barrier(DART_TEAM_ALL); /* HERE barrier */ }

static void wait_for_lock(dart_lock_t lock) { dart_lock_acquire(lock); /* HERE lock */ }

int main(int argc, char** argv) {
    dart_init(&argc, &argv);
    dart_global_unit_t me;
    dart_myid(&me);
    if (strcmp(argv[1], "lock of units") == 0) {
        dart_lock_t lock;
        dart_team_lock_init(DART_TEAM_ALL, &lock);
        if (me.id == 2) dart_lock_acquire(lock);
        dart_barrier(DART_TEAM_ALL);
        if (me.id == 1) wait_for_lock(lock);
    }
    if (me.id == 2) work_for_ever();
    wait_for_all();
    dart_exit();
    return 0;
}
