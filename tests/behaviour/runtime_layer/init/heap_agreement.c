// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs on two nodes, one of which has more memory (heap_agreement_test.py). The default heap is
// that of the smaller node on both; stores behind it must be refused, also those that the compiler
// puts into the program. usage: heap_agreement PE ID GIB; PE 1 stores GIB behind its first block.
#define SHMEM_INLINE
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const int pe = atoi(argv[1]);
    shmemx_uniqueid_t id;
    if (strcmp(argv[2], "make") == 0) {
        shmemx_get_uniqueid(&id);
        for (size_t i = 0; i < sizeof id.bytes; ++i) printf("%02x", id.bytes[i]);
        printf("\n");
        fflush(stdout);
    } else {
        for (size_t i = 0; i < sizeof id.bytes; ++i) {
            unsigned byte = 0;
            sscanf(argv[2] + 2 * i, "%2x", &byte);
            id.bytes[i] = (unsigned char)byte;
        }
    }
    shmemx_init_uid(&id, pe, 2, SHMEM_THREAD_SINGLE, NULL);
    char* block = shmem_malloc(64);
    char* word = block + (strtoul(argv[3], NULL, 10) << 30);
    if (pe == 1) {
        shmem_long_p((long*)word, 1, pe);
        printf("stored\n");
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
