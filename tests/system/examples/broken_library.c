// SPDX-License-Identifier: BSD-3-Clause
//
// A library that is preloaded and does one thing wrong in each chapter, to show that the programs
// of examples/chapters notice. chapters_test.sh builds it and runs each program with it on 4 PEs.

#include <pshmem.h>
#include <string.h>

// setup
void shmem_info_get_version(int* major, int* minor) {
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION - 1;
}

// threads: one update of fifty is lost.
void shmem_int_atomic_inc(int* dest, int pe) {
    static int count;
    if (count++ % 50 != 49) pshmem_int_atomic_inc(dest, pe);
}

// memory: the first bytes are lost.
void* shmem_realloc(void* ptr, size_t size) {
    void* moved = pshmem_realloc(ptr, size);
    if (moved != NULL && size >= 8) memset(moved, 1, 8);
    return moved;
}

// teams
int shmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team) {
    int pe = pshmem_team_translate_pe(src_team, src_pe, dest_team);
    return pe > 0 ? pe - 1 : pe;
}

// contexts
void shmem_ctx_int_put_nbi(shmem_ctx_t ctx, int* dest, const int* source, size_t nelems, int pe) {
    pshmem_ctx_int_put_nbi(ctx, dest, source, nelems > 0 ? nelems - 1 : 0, pe);
}

// rma
void shmem_double_get(double* dest, const double* source, size_t nelems, int pe) {
    pshmem_double_get(dest, source, nelems > 0 ? nelems - 1 : 0, pe);
}

// strided: the two strides are swapped, and one is too large.
void shmem_int_iput(int* dest, const int* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,
                    int pe) {
    pshmem_int_iput(dest, source, sst, dst + 1, nelems > 0 ? nelems - 1 : 0, pe);
}

// atomics: every second number is lost.
int shmem_int_atomic_fetch_inc(int* dest, int pe) {
    return pshmem_int_atomic_fetch_add(dest, 2, pe);
}

// signals
void shmem_int_put_signal(int* dest, const int* source, size_t nelems, uint64_t* sig_addr,
                          uint64_t signal, int sig_op, int pe) {
    pshmem_int_put_signal(dest, source, nelems > 0 ? nelems - 1 : 0, sig_addr, signal, sig_op, pe);
}

// sessions: the first update is lost.
void shmem_ctx_ulong_atomic_inc(shmem_ctx_t ctx, unsigned long* dest, int pe) {
    static int count;
    if (count++ > 0) pshmem_ctx_ulong_atomic_inc(ctx, dest, pe);
}

// barrier, ordering
void shmem_int_p(int* dest, int value, int pe) { pshmem_int_p(dest, value + (pe == 1), pe); }

// broadcast: always from the first PE.
int shmem_double_broadcast(shmem_team_t team, double* dest, const double* source, size_t nelems,
                           int PE_root) {
    (void)PE_root;
    return pshmem_double_broadcast(team, dest, source, nelems, 0);
}

// collect: as if all PEs gave the same number.
int shmem_int_collect(shmem_team_t team, int* dest, const int* source, size_t nelems) {
    return pshmem_int_collect(team, dest, source, nelems > 1 ? 1 : nelems);
}

// alltoall
int shmem_long_alltoall(shmem_team_t team, long* dest, const long* source, size_t nelems) {
    return pshmem_long_alltoall(team, dest, source, nelems > 0 ? nelems - 1 : 0);
}

// reductions
int shmem_int_max_reduce(shmem_team_t team, int* dest, const int* source, size_t nreduce) {
    return pshmem_int_min_reduce(team, dest, source, nreduce);
}

// scans
int shmem_size_sum_exscan(shmem_team_t team, size_t* dest, const size_t* source, size_t nelems) {
    return pshmem_size_sum_inscan(team, dest, source, nelems);
}

// point_to_point: the first index is that of another element.
size_t shmem_int_wait_until_some(int* ivars, size_t nelems, size_t* indices, const int* status,
                                 int cmp, int cmp_value) {
    size_t count = pshmem_int_wait_until_some(ivars, nelems, indices, status, cmp, cmp_value);
    if (count > 0) indices[0] = indices[0] % (nelems - 1) + 1;
    return count;
}

// locks: all PEs seem to get it.
static int is_held;

void shmem_set_lock(long* lock) {
    pshmem_set_lock(lock);
    is_held = 1;
}

int shmem_test_lock(long* lock) {
    is_held = pshmem_test_lock(lock) == 0;
    return 0;
}

void shmem_clear_lock(long* lock) {
    if (is_held) pshmem_clear_lock(lock);
}
