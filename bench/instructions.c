// SPDX-License-Identifier: BSD-3-Clause
//
// How many instructions does an operation within a node take? A thousand calls of each, for
// valgrind (bench/README.md has the commands). The target is the next PE; each family of calls
// stands in a function of its own, so that inlined code (SHMEM_INLINE) is counted as well, together
// with its loop. loop_only counts the loop alone.
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { kCalls = 1000, kBytesMax = 512 };

static char* block;
static char local[kBytesMax];
static long* word;
static int peer;
static volatile long sink;

#define FAMILY(NAME, CALL)                             \
    __attribute__((noinline)) static void NAME(void) { \
        for (int i = 0; i < kCalls; ++i) {             \
            CALL;                                      \
            __asm__ volatile("" ::: "memory");         \
        }                                              \
    }
FAMILY(loop_only, (void)i)
FAMILY(family_p, shmem_long_p(word, i, peer))
FAMILY(family_g, sink = shmem_long_g(word, peer))
FAMILY(family_put_8, shmem_putmem(block, local, 8, peer))
FAMILY(family_get_8, shmem_getmem(local, block, 8, peer))
FAMILY(family_put_64, shmem_putmem(block, local, 64, peer))
FAMILY(family_get_64, shmem_getmem(local, block, 64, peer))
FAMILY(family_put_512, shmem_putmem(block, local, 512, peer))
FAMILY(family_get_512, shmem_getmem(local, block, 512, peer))
FAMILY(family_fetch_add, sink = shmem_long_atomic_fetch_add(word, 1, peer))
FAMILY(family_swap, sink = shmem_long_atomic_swap(word, 1, peer))
FAMILY(family_set, shmem_long_atomic_set(word, 1, peer))
FAMILY(family_fence, shmem_fence())
FAMILY(family_quiet, shmem_quiet())

int main(void) {
    shmem_init();
    peer = (shmem_my_pe() + 1) % shmem_n_pes();
    block = shmem_align(4096, kBytesMax);
    word = shmem_align(64, sizeof *word);
    memset(block, 0, kBytesMax);
    shmem_barrier_all();
    loop_only();
    family_p();
    family_g();
    family_put_8();
    family_get_8();
    family_put_64();
    family_get_64();
    family_put_512();
    family_get_512();
    family_fetch_add();
    family_swap();
    family_set();
    family_fence();
    family_quiet();
    for (int i = 0; i < kCalls; ++i) shmem_barrier_all();
    shmem_finalize();
    return 0;
}
