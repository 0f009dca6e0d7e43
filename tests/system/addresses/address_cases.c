// SPDX-License-Identifier: BSD-3-Clause
//
// Prints the address of a symmetric block on each PE, and has PE 0 use the pointer of the last PE
// as its own. TAKEN=PE:ADDRESS,... : before shmem_init these PEs map a page there. REPEAT:
// initializes again. ADDRESSES_ONLY: uses no pointer.
#define _GNU_SOURCE
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int a_static_variable;

static void take_addresses(void) {
    const char* self = getenv("SHMEM_MY_PE");
    const char* list = getenv("TAKEN");
    while (list != NULL && *list != '\0') {
        char* end;
        const long pe = strtol(list, &end, 10);
        void* address = (void*)strtoul(end + 1, &end, 16);
        list = *end == ',' ? end + 1 : end;
        if (self == NULL || pe != atol(self)) continue;
        if (mmap(address, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                 0) != address) {
            perror("mmap");
            exit(3);
        }
    }
}

static void use_pointers(void) {
    static long* published;
    static long* theirs;
    shmem_init();
    published = (long*)shmem_malloc(sizeof(long));
    *published = 0;
    shmem_barrier_all();
    const int last = shmem_n_pes() - 1;
    shmem_getmem(&theirs, &published, sizeof theirs, last);
    printf("PE %d: heap %p, static %p, main %p\n", shmem_my_pe(), (void*)published,
           (void*)&a_static_variable, (void*)(size_t)&use_pointers);
    fflush(stdout);
    shmem_barrier_all();
    if (getenv("ADDRESSES_ONLY") == NULL) {
        if (shmem_my_pe() == 0) shmem_long_p(theirs, 42, last);
        shmem_barrier_all();
        if (shmem_my_pe() == last && *published != 42) exit(4);
    }
    shmem_finalize();
}

int main(void) {
    take_addresses();
    use_pointers();
    if (getenv("REPEAT") != NULL) use_pointers();
    return 0;
}
