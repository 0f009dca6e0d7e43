// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a program that finalizes and initializes again cannot give the same memory once more,
// when the second heap shows what the first one did, or when a heap of the first session is still
// known in the second.
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check(int is_right, const char* what, int session) {
    if (is_right) return;
    fprintf(stderr, "[pe %d] session %d: wrong: %s\n", shmem_my_pe(), session, what);
    shmem_global_exit(1);
}

int main(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t bytes = 8 * page;
    char* memory =
        mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    char* const halves[] = {memory, memory + bytes};
    memset(memory, 1, 2 * bytes);
    // Memory that this PE never touches: the other PEs' puts to it stay, too.
    char* untouched = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int session = 0; session < 5; ++session) {
        shmemx_heap_preinit();
        const int me = shmem_my_pe();
        const int right = (me + 1) % shmem_n_pes();
        for (int half = 0; half < 2; ++half)
            check(!shmem_addr_accessible(halves[half], me), "known before it is given", session);
        // One half or both, in changing order; sometimes parts of what was given before.
        char* first = halves[session % 2];
        char* second = halves[(session + 1) % 2];
        const size_t part = session == 3 ? 2 * page : bytes;
        shmemx_heap_create(first, part, SHMEMX_EXTERNAL_HEAP_HOST, -1);
        if (session != 2) shmemx_heap_create(second, part, SHMEMX_EXTERNAL_HEAP_HOST, -1);
        shmemx_heap_create(untouched, page, SHMEMX_EXTERNAL_HEAP_HOST, -1);
        shmemx_heap_postinit();
        check(shmem_char_g(untouched, right) == (session == 0 ? 0 : 77), "untouched", session);
        shmem_barrier_all();
        shmem_char_p(untouched, 77, right);
        check(first[0] == 1 && second[page] == 1 && first[bytes - 1] == 1, "contents", session);
        shmem_barrier_all();
        shmem_char_p(first, (char)(10 + me), right);
        shmem_char_p(first + page, 1, right);
        shmem_barrier_all();
        check(first[0] == 10 + (me + shmem_n_pes() - 1) % shmem_n_pes(), "put", session);
        check(second[0] == 1, "the other half", session);
        shmem_barrier_all();
        first[0] = 1;
        shmem_finalize();
    }
    const int is_kept = untouched[0] == 77;
    munmap(untouched, page);
    munmap(memory, 2 * bytes);
    return is_kept ? 0 : 1;
}
