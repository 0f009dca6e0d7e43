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

static char memory[32];
static shmemx_segment_t segment;
static shmem_team_t pair;
static long value;
static char source[64];

static char* name_at(int pe, long offset) {
    return shmemx_gptr_addr(shmemx_gptr_add(shmemx_segment_gptr(segment, pe), offset));
}

static void put_behind(void) { shmem_putmem(name_at(0, 24), source, 1, 0); }
static void put_over_end(void) { shmem_putmem(name_at(0, 20), source, 5, 0); }
static void put_before(void) { shmem_putmem(name_at(0, 0) - 1, source, 1, 0); }
static void put_large_part(void) { shmem_putmem(name_at(1, 0), source, 32, 0); }
static void get_own_behind(void) { shmem_getmem(source, name_at(1, 30), 3, 1); }
static void atomic_behind(void) { shmem_long_atomic_inc((long*)name_at(0, 24), 0); }
static void put_nbi_behind(void) { shmem_putmem_nbi(name_at(0, 24), source, 1, 0); }
static void signal_behind(void) {
    shmem_putmem_signal(name_at(0, 0), source, 8, (uint64_t*)name_at(0, 24), 1, SHMEM_SIGNAL_SET,
                        0);
}
static void strided_behind(void) {
    const size_t extents[] = {4};
    const ptrdiff_t there[] = {8};
    const ptrdiff_t here[] = {1};
    shmemx_put_strided(name_at(0, 0), there, source, here, extents, 1, 1, 0);
}
static void request_behind(void) {
    shmemx_req_t req;
    shmemx_putmem_req(name_at(0, 17), source, 8, 0, &req);
}
static void accumulate_behind(void) {
    shmemx_accumulate(name_at(0, 0), source, 4, SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM, 0);
}
static void wait_behind(void) { shmem_long_wait_until((long*)name_at(1, 32), SHMEM_CMP_EQ, 1); }
static void misaligned(void) { shmem_long_atomic_inc((long*)name_at(0, 4), 0); }
static void wrong_pe(void) { shmem_putmem(name_at(0, 0), source, 1, 2); }
static void after_deregister(void) {
    char* name = name_at(0, 0);
    shmemx_deregister(segment);
    shmem_putmem(name, source, 1, 0);
}
static void deregister_twice(void) {
    shmemx_deregister(segment);
    shmemx_deregister(segment);
}
static void no_segment(void) { shmemx_deregister(77); }
static void gptr_of_stranger(void) { shmemx_segment_gptr(segment, 2); }
static void bytes_of_stranger(void) { shmemx_segment_bytes(segment, 2); }
static void gptr_bad_pe(void) { shmemx_segment_gptr(segment, 9); }
static void lock_name(void) { shmemx_mutex_lock((shmemx_mutex_t*)name_at(1, 0), 1); }
static void collective_name(void) {
    shmemx_allreduce(SHMEM_TEAM_WORLD, &value, name_at(1, 0), 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM);
}
static void register_null(void) { shmemx_register(SHMEM_TEAM_WORLD, NULL, 4, &segment); }
static void register_no_variable(void) { shmemx_register(SHMEM_TEAM_WORLD, memory, 4, NULL); }
static void register_wrap(void) { shmemx_register(SHMEM_TEAM_WORLD, memory, (size_t)-1, &segment); }
static void register_huge(void) {
    shmemx_register(SHMEM_TEAM_WORLD, memory, (size_t)1 << 45, &segment);
}
static void register_stack(void) {
    char here[64] = "";
    const uintptr_t begin = (uintptr_t)here - 4096;
    shmemx_register(SHMEM_TEAM_WORLD, (void*)begin, 8192, &segment);
}
static void register_no_team(void) { shmemx_register(SHMEM_TEAM_INVALID, memory, 4, &segment); }
// The owner gives its memory back too early.
static void unmapped(void) { shmem_putmem(name_at(0, 0), source, 8, 0); }

static const struct {
    const char* name;
    void (*make)(void);
} cases[] = {
#define CASE(NAME) \
    { #NAME, NAME }
    CASE(put_behind),        CASE(put_over_end),      CASE(put_before),
    CASE(put_large_part),    CASE(get_own_behind),    CASE(atomic_behind),
    CASE(put_nbi_behind),    CASE(signal_behind),     CASE(strided_behind),
    CASE(request_behind),    CASE(accumulate_behind), CASE(wait_behind),
    CASE(misaligned),        CASE(wrong_pe),          CASE(after_deregister),
    CASE(deregister_twice),  CASE(no_segment),        CASE(gptr_of_stranger),
    CASE(bytes_of_stranger), CASE(gptr_bad_pe),       CASE(lock_name),
    CASE(collective_name),   CASE(register_null),     CASE(register_no_variable),
    CASE(register_wrap),     CASE(register_huge),     CASE(register_stack),
    CASE(register_no_team),  CASE(unmapped),
#undef CASE
};

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
    if (strcmp(name, "unmapped") == 0) {
        mine = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (me < 2 && shmemx_register(pair, mine, me == 0 ? 24 : 32, &segment) != 0) return 1;
    if (me == 0 && mine != (void*)memory) munmap(mine, 4096);
    shmem_barrier_all();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (me == 1 && strcmp(name, cases[i].name) == 0) cases[i].make();
    }
    // The other member of collective mistakes.
    if (me == 0 && strstr(name, "deregister") != NULL) shmemx_deregister(segment);
    if (me == 2 && strcmp(name, "by_stranger") == 0) shmemx_segment_bytes(segment, 2);
    shmem_barrier_all();
    shmem_finalize();
    if (strcmp(name, "late") == 0) shmemx_deregister(1);
    return 0;
}
