// SPDX-License-Identifier: BSD-3-Clause
//
// Mistakes with registered segments, one for each name; segments_errors_test.py knows what the
// library must say. PE 1 makes them. The segment of PEs 0 and 1 has 24 bytes of PE 0 and 32 of
// PE 1.
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/named_cases.h"

static char memory[32];
static shmemx_segment_t segment;
static shmem_team_t pair;
static long value;
static char source[64];

static char* name_at(int pe, long offset) {
    return shmemx_gptr_addr(shmemx_gptr_add(shmemx_segment_gptr(segment, pe), offset));
}

CASE(put_behind) { shmem_putmem(name_at(0, 24), source, 1, 0); }
CASE(put_over_end) { shmem_putmem(name_at(0, 20), source, 5, 0); }
CASE(put_before) { shmem_putmem(name_at(0, 0) - 1, source, 1, 0); }
CASE(put_large_part) { shmem_putmem(name_at(1, 0), source, 32, 0); }
CASE(get_own_behind) { shmem_getmem(source, name_at(1, 30), 3, 1); }
CASE(atomic_behind) { shmem_long_atomic_inc((long*)name_at(0, 24), 0); }
CASE(put_nbi_behind) { shmem_putmem_nbi(name_at(0, 24), source, 1, 0); }
CASE(signal_behind) {
    shmem_putmem_signal(name_at(0, 0), source, 8, (uint64_t*)name_at(0, 24), 1, SHMEM_SIGNAL_SET,
                        0);
}
CASE(strided_behind) {
    const size_t extents[] = {4};
    const ptrdiff_t there[] = {8};
    const ptrdiff_t here[] = {1};
    shmemx_put_strided(name_at(0, 0), there, source, here, extents, 1, 1, 0);
}
CASE(request_behind) {
    shmemx_req_t req;
    shmemx_putmem_req(name_at(0, 17), source, 8, 0, &req);
}
CASE(accumulate_behind) {
    shmemx_accumulate(name_at(0, 0), source, 4, SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM, 0);
}
CASE(wait_behind) { shmem_long_wait_until((long*)name_at(1, 32), SHMEM_CMP_EQ, 1); }
CASE(misaligned) { shmem_long_atomic_inc((long*)name_at(0, 4), 0); }
CASE(wrong_pe) { shmem_putmem(name_at(0, 0), source, 1, 2); }
CASE(after_deregister) {
    char* name = name_at(0, 0);
    shmemx_deregister(segment);
    shmem_putmem(name, source, 1, 0);
}
CASE(deregister_twice) {
    shmemx_deregister(segment);
    shmemx_deregister(segment);
}
CASE(no_segment) { shmemx_deregister(77); }
CASE(gptr_of_stranger) { shmemx_segment_gptr(segment, 2); }
CASE(bytes_of_stranger) { shmemx_segment_bytes(segment, 2); }
CASE(gptr_bad_pe) { shmemx_segment_gptr(segment, 9); }
CASE(lock_name) { shmemx_mutex_lock((shmemx_mutex_t*)name_at(1, 0), 1); }
CASE(collective_name) {
    shmemx_allreduce(SHMEM_TEAM_WORLD, &value, name_at(1, 0), 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM);
}
CASE(register_null) { shmemx_register(SHMEM_TEAM_WORLD, NULL, 4, &segment); }
CASE(register_no_variable) { shmemx_register(SHMEM_TEAM_WORLD, memory, 4, NULL); }
CASE(register_wrap) { shmemx_register(SHMEM_TEAM_WORLD, memory, (size_t)-1, &segment); }
CASE(register_huge) { shmemx_register(SHMEM_TEAM_WORLD, memory, (size_t)1 << 45, &segment); }
CASE(register_stack) {
    char here[64] = "";
    const uintptr_t begin = (uintptr_t)here - 4096;
    shmemx_register(SHMEM_TEAM_WORLD, (void*)begin, 8192, &segment);
}
CASE(register_no_team) { shmemx_register(SHMEM_TEAM_INVALID, memory, 4, &segment); }
// The owner gives its memory back too early.
CASE(unmapped) { shmem_putmem(name_at(0, 0), source, 8, 0); }

// Right uses, with segments that are left to finalization. RETURNS: whether a put to the next PE
// has arrived.
static int use_segment(void) {
    const int me = shmem_my_pe();
    const int next = (me + 1) % shmem_n_pes();
    memory[8] = 0;
    if (shmemx_register(SHMEM_TEAM_WORLD, memory, sizeof memory, &segment) != 0) return 0;
    const char letter = 'a';
    shmem_putmem(name_at(next, 8), &letter, 1, next);
    shmem_long_atomic_inc((long*)name_at(next, 16), next);
    shmem_barrier_all();
    return memory[8] == letter;
}
static int init_again(void) {
    for (int round = 0; round < 3; ++round) {
        shmem_init();
        if (!use_segment()) return 1;
        shmem_finalize();
    }
    return 0;
}
static int end_without_finalize(void) {
    shmem_init();
    if (!use_segment()) shmem_global_exit(1);
    return 0;
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "early") == 0) shmemx_register(SHMEM_TEAM_WORLD, memory, 4, &segment);
    if (strcmp(name, "init_again") == 0) return init_again();
    if (strcmp(name, "end_without_finalize") == 0) return end_without_finalize();
    shmem_init();
    const int me = shmem_my_pe();
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &pair);
    void* mine = memory;
    if (strcmp(name, "unmapped") == 0)
        mine = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (me < 2 && shmemx_register(pair, mine, me == 0 ? 24 : 32, &segment) != 0) return 1;
    if (me == 0 && mine != (void*)memory) munmap(mine, 4096);
    shmem_barrier_all();
    if (me == 1) run_case(name);
    // The other member of collective mistakes.
    if (me == 0 && strstr(name, "deregister") != NULL) shmemx_deregister(segment);
    if (me == 2 && strcmp(name, "by_stranger") == 0) shmemx_segment_bytes(segment, 2);
    shmem_barrier_all();
    shmem_finalize();
    if (strcmp(name, "late") == 0) shmemx_deregister(1);
    return 0;
}
