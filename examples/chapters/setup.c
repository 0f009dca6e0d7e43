// SPDX-License-Identifier: BSD-3-Clause
//
// setup: starting, asking for the number of PEs, and ending (OpenSHMEM 1.6, 9.1).
//
//     oshcc setup.c -o setup
//     oshrun -n 4 ./setup
//
// A program may initialize the library more than once, as a library of its own would do: only the
// last shmem_finalize ends it. Here a helper does so while main() has done it already.

#include <shmem.h>
#include <stdio.h>
#include <string.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "setup: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

// A part of the program that does not know whether OpenSHMEM is already in use.
static int count_pes(void) {
    int was_initialized;
    shmem_query_initialized(&was_initialized);
    require(was_initialized == 1, "shmem_query_initialized");
    shmem_init();
    int pe_count = shmem_n_pes();
    shmem_finalize();  // Undoes the one above, no more.
    return pe_count;
}

int main(void) {
    static int number;  // Static variables are symmetric: every PE has one at the same address.
    int on_stack = 0, is_initialized;

    shmem_query_initialized(&is_initialized);
    shmem_init();
    require(is_initialized == 0, "initialized before shmem_init");
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    require(me >= 0 && me < pe_count && count_pes() == pe_count, "the numbers of the PEs");

    int major, minor;
    char name[SHMEM_MAX_NAME_LEN];
    shmem_info_get_version(&major, &minor);
    shmem_info_get_name(name);
    require(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION, "the version");
    require(strcmp(name, SHMEM_VENDOR_STRING) == 0, "the name of the library");

    for (int pe = 0; pe < pe_count; pe++) {
        require(shmem_pe_accessible(pe), "a PE cannot be reached");
        require(shmem_addr_accessible(&number, pe), "a static variable cannot be reached");
        require(!shmem_addr_accessible(&on_stack, pe), "the stack is symmetric");
    }
    require(!shmem_pe_accessible(pe_count), "a PE too many");

    // Where loads and stores reach another PE's memory, shmem_ptr tells the address.
    number = me;
    shmem_barrier_all();
    int right = (me + 1) % pe_count;
    const int* number_of_right = shmem_ptr(&number, right);
    if (number_of_right != NULL) require(*number_of_right == right, "shmem_ptr");
    require(shmem_ptr(&number, me) == &number, "the own address");
    shmem_barrier_all();

    if (me == 0)
        printf("setup: right, %d PEs of %s, OpenSHMEM %d.%d\n", pe_count, name, major, minor);
    shmem_finalize();
    shmem_query_initialized(&is_initialized);
    return is_initialized;  // 0
}
