// SPDX-License-Identifier: BSD-3-Clause
//
// locks: one PE at a time (OpenSHMEM 1.6, 9.13).
//
//     oshcc locks.c -o locks
//     oshrun -n 4 ./locks
//
// The PEs write into a log on PE 0. An entry takes several operations, so a lock keeps the others
// away meanwhile. The lock is one symmetric long, zero at first.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "locks: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kEntries = 30 };

struct entry {
    int pe, number;
};

static long lock, other_lock;
static int used;
static long held_by;

// Adds an entry on PE 0. The puts are complete when the lock is cleared.
static void add_entry(struct entry* entries, struct entry entry) {
    shmem_set_lock(&lock);
    require(shmem_long_atomic_swap(&held_by, shmem_my_pe() + 1, 0) == 0, "two PEs hold the lock");
    int place = shmem_int_g(&used, 0);
    shmem_putmem(&entries[place], &entry, sizeof entry, 0);
    shmem_int_p(&used, place + 1, 0);
    shmem_long_atomic_set(&held_by, 0, 0);
    shmem_clear_lock(&lock);
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    struct entry* entries = shmem_calloc((size_t)pe_count * kEntries, sizeof *entries);
    require(entries != NULL, "memory");
    for (int i = 0; i < kEntries; i++) add_entry(entries, (struct entry){.pe = me, .number = i});
    shmem_barrier_all();

    if (me == 0) {
        require(used == pe_count * kEntries, "the number of entries");
        for (int pe = 0; pe < pe_count; pe++) {
            int number = 0;  // The entries of one PE are in its order.
            for (int i = 0; i < used; i++) {
                if (entries[i].pe == pe) require(entries[i].number == number++, "the order");
            }
            require(number == kEntries, "the entries of a PE");
        }
    }

    // shmem_test_lock does not wait: it returns 0 on the PE that gets the lock.
    static int winners;
    if (shmem_test_lock(&other_lock) == 0) {
        shmem_int_atomic_inc(&winners, 0);
        shmem_sync_all();
        shmem_clear_lock(&other_lock);
    } else {
        shmem_sync_all();
    }
    shmem_barrier_all();
    if (me == 0) {
        require(winners == 1, "shmem_test_lock");
        printf("locks: right, %d entries\n", used);
    }
    shmem_free(entries);
    shmem_finalize();
    return 0;
}
