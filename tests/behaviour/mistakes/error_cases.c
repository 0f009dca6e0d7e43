// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of errors_test.py. The last PE makes the one that the argument names; the others
// wait in a barrier until the job ends. A mistake that goes unnoticed ends with code 0.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long words[16];
static uint64_t signal_word;
static long lock;
static long psync[SHMEM_BARRIER_SYNC_SIZE];
static long* heap;  // 100 longs
static int other;   // a PE that is not this one, if there is one

// Wrong PE numbers.
static void pe_negative(void) { shmem_long_p(words, 1, -1); }
static void pe_large_put(void) { shmem_long_put(heap, words, 2, shmem_n_pes()); }
static void pe_large_get(void) { shmem_getmem(words, heap, 8, 1000000); }
static void pe_large_g(void) { shmem_double_g((double*)heap, 77); }
static void pe_large_put_nbi(void) { shmem_put64_nbi(heap, words, 1, 77); }
static void pe_large_get_nbi(void) { shmem_int_get_nbi((int*)words, (int*)heap, 1, 77); }
static void pe_large_iput(void) { shmem_long_iput(heap, words, 1, 1, 1, 77); }
static void pe_large_ibget(void) { shmem_long_ibget(words, heap, 1, 1, 1, 1, 77); }
static void pe_large_ctx(void) { shmem_ctx_long_put(SHMEM_CTX_DEFAULT, heap, words, 1, 77); }
static void pe_large_add(void) { shmem_long_atomic_add(heap, 1, 77); }
static void pe_large_fetch(void) { shmem_float_atomic_fetch((float*)heap, 77); }
static void pe_large_nbi(void) { shmem_long_atomic_fetch_inc_nbi(words, heap, 77); }
static void pe_large_signal(void) {
    shmem_long_put_signal(heap, words, 1, &signal_word, 1, SHMEM_SIGNAL_SET, 77);
}
static void pe_large_signal_add(void) { shmem_signal_add(&signal_word, 1, 77); }
static void pe_large_ptr(void) { shmem_ptr(heap, 77); }
static void pe_large_pe_quiet(void) {
    int pes[] = {0, 77};
    shmem_pe_quiet(pes, 2);
}

// Addresses that are not symmetric.
static void stack_p(void) {
    long here = 0;
    shmem_long_p(&here, 1, other);
}
static void stack_put(void) {
    long here[4] = {0};
    shmem_long_put(here, words, 4, other);
}
static void stack_get(void) {
    long here[4] = {0};
    shmem_long_get(words, here, 4, other);
}
static void stack_iget(void) {
    long here[4] = {0};
    shmem_long_iget(words, here, 1, 1, 2, other);
}
static void stack_atomic(void) {
    long here = 0;
    shmem_long_atomic_inc(&here, other);
}
static void stack_signal(void) {
    uint64_t here = 0;
    shmem_putmem_signal(heap, words, 8, &here, 1, SHMEM_SIGNAL_ADD, other);
}
static void stack_signal_fetch(void) {
    uint64_t here = 0;
    shmem_signal_fetch(&here);
}
static void stack_wait(void) {
    long here = 0;
    shmem_long_wait_until(&here, SHMEM_CMP_EQ, 1);
}
static void stack_wait_any(void) {
    int here[4] = {0};
    shmem_int_wait_until_any(here, 4, NULL, SHMEM_CMP_EQ, 1);
}
static void stack_test(void) {
    int here = 0;
    shmem_int_test(&here, SHMEM_CMP_EQ, 1);
}
static void stack_lock(void) {
    long here = 0;
    shmem_set_lock(&here);
}
static void stack_psync(void) {
    long here[SHMEM_BARRIER_SYNC_SIZE] = {0};
    shmem_barrier(0, 0, shmem_n_pes(), here);
}
static void malloc_put(void) {
    long* here = malloc(800);
    shmem_long_put(here, words, 4, other);
}
static void null_put(void) { shmem_long_put(NULL, words, 4, other); }
static void constant_put(void) { shmem_putmem((void*)(uintptr_t) "constant", words, 4, other); }
static void pointer_put(void) { shmem_long_put(shmem_ptr(heap, other), words, 4, other); }
static void pointer_static(void) { shmem_long_p(shmem_ptr(words, other), 4, other); }

// Lengths. The heap has 4 MiB, and the memory behind it as much.
static void long_heap_put(void) { shmem_long_put(heap, words, (1 << 20) + 1, other); }
static void long_heap_get(void) { shmem_getmem(words, heap, (size_t)1 << 40, other); }
static void long_static_get(void) { shmem_long_get(heap, words, (size_t)1 << 30, other); }
static void long_wraps(void) { shmem_long_put(heap, words, ((size_t)1 << 61) + 1, other); }
static void long_wraps_signal(void) {
    shmem_put128_signal(heap, words, ((size_t)1 << 60) + 1, &signal_word, 1, SHMEM_SIGNAL_SET,
                        other);
}
static void long_stride(void) { shmem_long_iput(heap, words, (ptrdiff_t)1 << 40, 1, 2, other); }
static void long_stride_wraps(void) {
    shmem_long_iget(words, heap, 1, (ptrdiff_t)1 << 61, 9, other);
}
static void long_wait(void) {
    shmem_long_wait_until_all(heap, (size_t)1 << 62, NULL, SHMEM_CMP_EQ, 0);
}
static void pe_static(void) { shmem_long_p(words, 1, other); }  // fails if another program is there
static void below_heap(void) { shmem_char_p((char*)heap - 4096 * 1024, 1, other); }

// Alignment.
static void unaligned_atomic(void) { shmem_long_atomic_add((long*)((char*)heap + 4), 1, other); }
static void unaligned_fetch(void) { shmem_int_atomic_fetch((int*)((char*)words + 1), other); }
static void unaligned_signal(void) { shmem_signal_set((uint64_t*)((char*)heap + 1), 1, other); }
static void unaligned_wait(void) { shmem_int_wait_until((int*)((char*)heap + 2), SHMEM_CMP_EQ, 0); }
static void unaligned_lock(void) { shmem_test_lock((long*)((char*)heap + 4)); }

// Values.
static void cmp_wait(void) { shmem_long_wait_until(words, 99, 0); }
static void cmp_test(void) { shmem_int_test((int*)words, -1, 0); }
static void cmp_some(void) {
    size_t indices[4];
    shmem_long_test_some(words, 4, indices, NULL, 7, 0);
}
static void cmp_signal(void) { shmem_signal_wait_until(&signal_word, 1000, 0); }
static void signal_op(void) { shmem_long_put_signal(heap, words, 1, &signal_word, 1, 7, other); }
static void stride_zero(void) { shmem_long_iput(heap, words, 0, 1, 2, other); }
static void stride_negative(void) { shmem_iget64(words, heap, 1, -2, 2, other); }
static void stride_overlaps(void) { shmem_long_ibput(heap, words, 2, 3, 3, 2, other); }
static void ctx_invalid(void) { shmem_ctx_long_put(SHMEM_CTX_INVALID, heap, words, 1, other); }
static void ctx_invalid_atomic(void) { shmem_ctx_int_atomic_inc(SHMEM_CTX_INVALID, (int*)heap, 0); }
static void ctx_invalid_signal(void) {
    shmem_ctx_signal_set(SHMEM_CTX_INVALID, &signal_word, 1, other);
}
static void set_negative(void) { shmem_barrier(-1, 0, 1, psync); }
static void set_large(void) { shmem_sync(0, 0, shmem_n_pes() + 1, psync); }
static void set_stride(void) { shmem_sync(0, 40, 2, psync); }
// Called by all PEs, of which the last one is not in the set.
static void outside_of_set(void) {
    const int size = shmem_n_pes() - 1;
    const int is_inside = shmem_my_pe() < size;
    static long sum;
    static long row[4];
    shmem_barrier(0, 0, size, psync);
    words[0] = words[1] = 1;
    shmem_long_sum_to_all(&sum, words, 1, 0, 0, size, row, psync);
    shmem_sync(0, 0, size, psync);
    shmem_fcollect64(row, words, 1, 0, 0, size, psync);
    shmem_barrier(0, 0, size, psync);
    shmem_broadcast64(row, words, 1, 0, 0, 0, size, psync);
    shmem_barrier(0, 0, size, psync);
    shmem_alltoalls64(row, words, 1, 1, 1, 0, 0, size, psync);
    if (sum != (is_inside ? size : 0) || row[0] != is_inside) shmem_global_exit(7);
}

// Locks.
static void lock_twice(void) {
    shmem_set_lock(&lock);
    shmem_set_lock(&lock);
}
static void lock_clear_free(void) { shmem_clear_lock(&lock); }
static void lock_clear_twice(void) {
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    shmem_clear_lock(&lock);
}

// The heap. All PEs make these calls, so that the mistake is not the missing partner.
static void free_twice(void) {
    shmem_free(heap);
    shmem_free(heap);
}
static void free_middle(void) {
    shmem_free(heap + 2);
    shmem_free(heap + 2);  // The block is still there, and there is no second warning.
    shmem_free(heap);
}
static void free_room(void) {
    const void* blocks[3] = {shmem_malloc(5000000), shmem_calloc(1000000, 5), NULL};
    blocks[2] = shmem_realloc(heap, 5000000);
    if (blocks[0] != NULL || blocks[1] != NULL || blocks[2] != NULL) shmem_global_exit(7);
    shmem_free(heap);
}
static void free_static(void) { shmem_free(words); }
static void free_stack(void) {
    long here = 0;
    shmem_free(&here);
}
static void realloc_static(void) { heap = shmem_realloc(words, 100); }
static void free_pointer(void) { shmem_free(shmem_ptr(heap, other)); }
static void realloc_freed(void) {
    shmem_free(heap);
    heap = shmem_realloc(heap, 100);
}
static void align_three(void) { heap = shmem_align(24, 100); }
static void level_unknown(void) {
    int provided;
    shmem_init_thread(7, &provided);
}
// SHMEM_DEBUG=1
static void sizes_differ(void) { heap = shmem_malloc((size_t)(8 + 100 * shmem_my_pe())); }

// Outside of init and finalize.
static void early_my_pe(void) { shmem_my_pe(); }
static void early_n_pes(void) { shmem_n_pes(); }
static void early_put(void) { shmem_long_put(words, words + 8, 1, 0); }
static void early_get(void) { shmem_getmem(words, words + 8, 1, 0); }
static void early_p(void) { shmem_int_p((int*)words, 1, 0); }
static void early_iput(void) { shmem_long_iput(words, words + 8, 1, 1, 1, 0); }
static void early_atomic(void) { shmem_long_atomic_inc(words, 0); }
static void early_signal(void) { shmem_signal_set(&signal_word, 1, 0); }
static void early_signal_fetch(void) { shmem_signal_fetch(&signal_word); }
static void early_wait(void) { shmem_long_wait_until(words, SHMEM_CMP_EQ, 0); }
static void early_test(void) { shmem_long_test(words, SHMEM_CMP_EQ, 0); }
static void early_malloc(void) { heap = shmem_malloc(8); }
static void early_calloc(void) { heap = shmem_calloc(1, 8); }
static void early_realloc(void) { heap = shmem_realloc(NULL, 8); }
static void early_free(void) { shmem_free(words); }
static void early_barrier(void) { shmem_barrier_all(); }
static void early_sync(void) { shmem_sync_all(); }
static void early_set(void) { shmem_barrier(0, 0, 1, psync); }
static void early_fence(void) { shmem_fence(); }
static void early_quiet(void) { shmem_quiet(); }
static void early_ctx_quiet(void) { shmem_ctx_quiet(SHMEM_CTX_DEFAULT); }
static void early_pe_quiet(void) {
    int pe = 0;
    shmem_pe_quiet(&pe, 1);
}
static void early_lock(void) { shmem_set_lock(&lock); }
static void early_ptr(void) { shmem_ptr(words, 0); }
static void early_accessible(void) { shmem_pe_accessible(0); }
static void early_addr_accessible(void) { shmem_addr_accessible(words, 0); }

// In a child of a PE. The child ends with a message, the job does not end.
static void in_a_child(void (*run)(void)) {
    int status = 0;
    if (fork() == 0) {
        run();
        _exit(0);
    }
    wait(&status);
    printf("child: %d\n", WEXITSTATUS(status));
    fflush(stdout);
}
static void child_put(void) { in_a_child(pe_static); }
static void global_exit(void) { shmem_global_exit(3); }
static void child_global_exit(void) { in_a_child(global_exit); }
static void nothing(void) {}

typedef struct {
    const char* name;
    void (*run)(void);
} Case;
#define CASE(NAME) {#NAME, NAME},

// clang-format off
static const Case kCases[] = {
    CASE(pe_negative) CASE(pe_large_put) CASE(pe_large_get) CASE(pe_large_g)
    CASE(pe_large_put_nbi) CASE(pe_large_get_nbi) CASE(pe_large_iput) CASE(pe_large_ibget)
    CASE(pe_large_ctx) CASE(pe_large_add) CASE(pe_large_fetch) CASE(pe_large_nbi)
    CASE(pe_large_signal) CASE(pe_large_signal_add) CASE(pe_large_ptr) CASE(pe_large_pe_quiet)
    CASE(stack_p) CASE(stack_put) CASE(stack_get) CASE(stack_iget) CASE(stack_atomic)
    CASE(stack_signal) CASE(stack_signal_fetch) CASE(stack_wait) CASE(stack_wait_any)
    CASE(stack_test) CASE(stack_lock) CASE(stack_psync) CASE(malloc_put) CASE(null_put)
    CASE(constant_put) CASE(pointer_put) CASE(pointer_static) CASE(long_heap_put)
    CASE(long_heap_get) CASE(long_static_get) CASE(long_wraps) CASE(long_wraps_signal)
    CASE(long_stride) CASE(long_stride_wraps) CASE(long_wait) CASE(below_heap) CASE(pe_static)
    CASE(unaligned_atomic) CASE(unaligned_fetch) CASE(unaligned_signal) CASE(unaligned_wait)
    CASE(unaligned_lock) CASE(cmp_wait) CASE(cmp_test) CASE(cmp_some) CASE(cmp_signal)
    CASE(signal_op) CASE(stride_zero) CASE(stride_negative) CASE(stride_overlaps)
    CASE(ctx_invalid) CASE(ctx_invalid_atomic) CASE(ctx_invalid_signal) CASE(set_negative)
    CASE(set_large) CASE(set_stride) CASE(outside_of_set) CASE(lock_twice) CASE(lock_clear_free)
    CASE(lock_clear_twice) CASE(free_twice) CASE(free_middle) CASE(free_room) CASE(free_static)
    CASE(free_pointer) CASE(free_stack) CASE(realloc_static) CASE(realloc_freed)
    CASE(align_three) CASE(level_unknown)
    CASE(sizes_differ) CASE(early_my_pe) CASE(early_n_pes) CASE(early_put) CASE(early_get)
    CASE(early_p) CASE(early_iput) CASE(early_atomic) CASE(early_signal)
    CASE(early_signal_fetch) CASE(early_wait) CASE(early_test) CASE(early_malloc)
    CASE(early_calloc) CASE(early_realloc) CASE(early_free) CASE(early_barrier) CASE(early_sync)
    CASE(early_set) CASE(early_fence) CASE(early_quiet) CASE(early_ctx_quiet)
    CASE(early_pe_quiet) CASE(early_lock) CASE(early_ptr) CASE(early_accessible)
    CASE(early_addr_accessible) CASE(child_put) CASE(child_global_exit)
    CASE(nothing)
};
// clang-format on

static void (*find(const char* name))(void) {
    for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
        if (strcmp(kCases[i].name, name) == 0) return kCases[i].run;
    }
    fprintf(stderr, "error_cases: there is no case %s\n", name);
    exit(99);
}

static int starts_with(const char* text, const char* start) {
    return strncmp(text, start, strlen(start)) == 0;
}

// error_cases CASE [late]: `late` runs an early_ case after shmem_finalize instead.
int main(int argc, char** argv) {
    void (*run)(void) = find(argc > 1 ? argv[1] : "");
    const int is_late = argc > 2;
    const int is_outside = starts_with(argv[1], "early_");
    const int is_collective = starts_with(argv[1], "outside_") || starts_with(argv[1], "free_") ||
                              starts_with(argv[1], "realloc_") || starts_with(argv[1], "align_") ||
                              starts_with(argv[1], "sizes_");
    if (is_outside && !is_late) run();
    shmem_init();
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    other = (me + 1) % npes;
    heap = shmem_malloc(100 * sizeof(long));
    if (!is_outside && (me == npes - 1 || is_collective)) run();
    shmem_barrier_all();
    shmem_finalize();
    if (is_outside && is_late && me == npes - 1) run();
    return 0;
}
