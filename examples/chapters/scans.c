// SPDX-License-Identifier: BSD-3-Clause
//
// scans: sums over the PEs before this one (OpenSHMEM 1.6, 9.10).
//
//     oshcc scans.c -o scans
//     oshrun -n 4 ./scans
//
// Every PE has some lines of text for a file that PE 0 keeps in memory. The exclusive scan of the
// lengths tells each PE where its part begins, so that all can write at the same time.

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "scans: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

static size_t length, begin, end;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();

    char text[256] = "";
    for (int i = 0; i <= me % 3; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "line %d of PE %d\n", i, me);
    }
    length = strlen(text);
    require(shmem_size_sum_exscan(SHMEM_TEAM_WORLD, &begin, &length, 1) == 0, "its value");
    require(shmem_size_sum_inscan(SHMEM_TEAM_WORLD, &end, &length, 1) == 0, "its value");
    require(end == begin + length, "with and without the own length");
    if (me == 0) require(begin == 0, "the first PE");

    // The end of the last PE is the size of the file.
    static size_t size;
    shmem_size_broadcast(SHMEM_TEAM_WORLD, &size, &end, 1, pe_count - 1);
    char* file = shmem_calloc(size + 1, 1);
    require(file != NULL, "memory");
    shmem_putmem(file + begin, text, length, 0);
    shmem_barrier_all();

    if (me == 0) {
        const char* next = file;
        for (int pe = 0; pe < pe_count; pe++) {
            for (int i = 0; i <= pe % 3; i++) {
                char line[64];
                int line_length = snprintf(line, sizeof line, "line %d of PE %d\n", i, pe);
                require(strncmp(next, line, (size_t)line_length) == 0, "a line");
                next += line_length;
            }
        }
        require(next == file + size, "the length of the file");
        printf("scans: right, %zu bytes\n", size);
    }
    shmem_free(file);
    shmem_finalize();
    return 0;
}
