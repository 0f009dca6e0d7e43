// SPDX-License-Identifier: BSD-3-Clause
//
// A hash table of linked chains over all PEs, without a lock. The heads of the chains are spread
// over the symmetric heaps; every PE allocates the nodes that it inserts from its own local memory,
// and global pointers link nodes of any PEs. An insertion is one compare-and-swap of a head; a
// search follows the chain by gets.
//
// Every PE inserts its keys while the others insert theirs, then looks up keys of all PEs, and keys
// that no PE has inserted.
//
//     oshcc -O2 hash_chains.c -o hash_chains
//     oshrun -n 4 ./hash_chains [KEYS_OF_A_PE]
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { kHeads = 64 };  // of a PE

struct node {
    shmemx_gptr_t next;
    uint64_t key;
    uint64_t value;
};

static shmemx_gptr_t heads[kHeads];  // 0 at first: SHMEMX_GPTR_NULL
static long found, wrong;            // the sums of all PEs, on PE 0

static uint64_t scrambled(uint64_t key) {
    key *= 0x9e3779b97f4a7c15U;
    return key ^ key >> 32;
}
static int pe_of(uint64_t key) { return (int)(scrambled(key) % (uint64_t)shmem_n_pes()); }
static shmemx_gptr_t* head_of(uint64_t key) {
    return &heads[scrambled(key) / (uint64_t)shmem_n_pes() % kHeads];
}

static void insert(uint64_t key, uint64_t value) {
    struct node* mine = shmemx_local_malloc(sizeof *mine);
    if (mine == NULL) {
        fprintf(stderr, "hash_chains: no local memory left; raise SHMEM_LOCAL_MEMORY_SIZE\n");
        shmem_global_exit(1);
    }
    mine->key = key;
    mine->value = value;
    const shmemx_gptr_t self = shmemx_gptr_of(mine, shmem_my_pe());
    const int pe = pe_of(key);
    shmemx_gptr_t first = shmem_uint64_atomic_fetch(head_of(key), pe);
    for (;;) {
        mine->next = first;
        shmem_fence();  // The node is complete before a PE can find it.
        const shmemx_gptr_t seen = shmem_uint64_atomic_compare_swap(head_of(key), first, self, pe);
        if (seen == first) return;
        first = seen;
    }
}

// Whether the key is there; then *value receives its value.
static int look_up(uint64_t key, uint64_t* value) {
    shmemx_gptr_t at = shmem_uint64_atomic_fetch(head_of(key), pe_of(key));
    while (at != SHMEMX_GPTR_NULL) {
        struct node node;
        shmem_getmem(&node, shmemx_gptr_addr(at), sizeof node, shmemx_gptr_pe(at));
        if (node.key == key) {
            *value = node.value;
            return 1;
        }
        at = node.next;
    }
    return 0;
}

int main(int argc, char** argv) {
    const long keys = argc > 1 ? atol(argv[1]) : 1000;
    shmem_init();
    if (keys <= 0 || keys > 1000000) {
        if (shmem_my_pe() == 0) fprintf(stderr, "usage: hash_chains [KEYS_OF_A_PE]\n");
        shmem_finalize();
        return 2;
    }
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    for (long i = 0; i < keys; ++i) insert((uint64_t)(i * npes + me), (uint64_t)(i + me * 7));
    shmem_barrier_all();

    long mine_found = 0;
    long mine_wrong = 0;
    for (long i = me; i < keys * npes; i += npes) {
        // Keys of another PE each time.
        const long key = (i + i / npes) % (keys * npes);
        uint64_t value = 0;
        if (look_up((uint64_t)key, &value)) ++mine_found;
        if (value != (uint64_t)(key / npes + key % npes * 7)) ++mine_wrong;
        if (look_up((uint64_t)(key + keys * npes), &value)) ++mine_wrong;
    }
    shmem_long_atomic_add(&found, mine_found, 0);
    shmem_long_atomic_add(&wrong, mine_wrong, 0);
    shmem_barrier_all();
    if (me == 0) {
        const int is_right = found == keys * npes && wrong == 0;
        printf("%ld keys in chains over %d PEs, %ld found: %s\n", keys * npes, npes, found,
               is_right ? "right" : "WRONG");
        if (!is_right) shmem_global_exit(1);
    }
    shmem_finalize();
    return 0;
}
