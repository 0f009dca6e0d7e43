// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of shmemx_errors_test.py, one for each argument. All PEs make it, or the last one
// where the name begins with "one_". A mistake that goes unnoticed ends with code 0.
#include <pthread.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/named_cases.h"

static size_t page;
static char* memory;  // 4 pages of the program's own
static long word;     // symmetric

static char* device(void) { return (char*)((uintptr_t)1 << 45); }

static int is_last(void) { return shmem_my_pe() == shmem_n_pes() - 1; }

static void create(void* base, size_t size) {
    shmemx_heap_create(base, size, SHMEMX_EXTERNAL_HEAP_HOST, -1);
}

CASE(heap_no_size) { create(memory, 0); }
CASE(heap_no_base) { create(NULL, page); }
CASE(heap_past_the_end) { create((char*)-page, 2 * page); }
CASE(heap_bad_kind) { shmemx_heap_create(memory, page, 3, -1); }
CASE(heap_of_shmem_malloc) { create(shmem_align(page, page), page); }
CASE(heap_around_static_data) { create((char*)((uintptr_t)&word / page * page), page); }
CASE(heap_twice) {
    create(memory, 2 * page);
    create(memory + page, 2 * page);
}
CASE(heap_of_a_peer) {
    create(memory, 2 * page);
    create(shmem_ptr(memory, (shmem_my_pe() + 1) % shmem_n_pes()), page);
}
CASE(heap_device_twice) {
    shmemx_heap_create(device(), 100, SHMEMX_EXTERNAL_HEAP_ZE, 0);
    shmemx_heap_create(device() + 99, 100, SHMEMX_EXTERNAL_HEAP_ZE, 0);
}
CASE(heap_constant) {
    mprotect(memory + page, page, PROT_READ);
    create(memory, 4 * page);
}
CASE(heap_hole) {
    munmap(memory + page, page);
    create(memory, 4 * page);
}
CASE(heap_stack) {
    char here = 0;
    char* end = &here - (uintptr_t)&here % page + page;
    create(end - 8 * page, 8 * page);
}
CASE(one_heap_other_alignment) { create(memory + (is_last() ? 8 : 0), page); }
// The last PE's is too small for a put of another PE.
CASE(one_use_other_size) {
    create(memory, is_last() ? page : 2 * page);
    if (!is_last()) shmem_putmem(memory + page, memory, 8, shmem_n_pes() - 1);
}
CASE(one_heap_other_kind) {
    shmemx_heap_create(memory, page,
                       is_last() ? SHMEMX_EXTERNAL_HEAP_ZE : SHMEMX_EXTERNAL_HEAP_HOST, -1);
}

// Operations on memory of a device, and beyond the end of an external heap.
CASE(use_device_put) {
    shmemx_heap_create(device(), 4096, SHMEMX_EXTERNAL_HEAP_CUDA, 0);
    shmem_long_put((long*)device(), &word, 1, 0);
}
CASE(use_device_get) {
    shmemx_heap_create(device(), 4096, SHMEMX_EXTERNAL_HEAP_ZE, 0);
    shmem_long_get(&word, (long*)device(), 1, shmem_my_pe());
}
CASE(use_device_atomic) {
    shmemx_heap_create(device(), 4096, SHMEMX_EXTERNAL_HEAP_CUDA, 0);
    shmem_long_atomic_inc((long*)device(), 0);
}
CASE(use_device_wait) {
    shmemx_heap_create(device(), 4096, SHMEMX_EXTERNAL_HEAP_CUDA, 0);
    shmem_long_wait_until((long*)device(), SHMEM_CMP_EQ, 1);
}
CASE(use_past_the_end) {
    create(memory, 2 * page);
    shmem_putmem(memory + page, memory, page + 1, 0);
}
CASE(use_of_a_peer) {
    create(memory, 2 * page);
    shmem_putmem(shmem_ptr(memory, (shmem_my_pe() + 1) % shmem_n_pes()), memory, 8, 0);
}

CASE(counter_no_room) {
    shmemx_ct_t ct;
    for (;;) shmemx_ct_create(&ct);
}
CASE(counter_null) { shmemx_ct_wait(NULL, 1); }
CASE(counter_bad_pe) {
    shmemx_ct_t ct;
    shmemx_ct_create(&ct);
    shmemx_putmem_ct(ct, NULL, NULL, 0, 77);
}
CASE(counter_bad_address) {
    shmemx_ct_t ct;
    shmemx_ct_create(&ct);
    shmemx_getmem_ct(ct, memory, memory, 8, 0);
}
CASE(counter_freed_twice) {
    shmemx_ct_t ct;
    shmemx_ct_create(&ct);
    shmemx_ct_t again = ct;
    shmemx_ct_free(&ct);
    shmemx_ct_free(&again);
}
CASE(pcntr_invalid_context) {
    uint64_t value;
    shmemx_pcntr_get_issued_write(SHMEM_CTX_INVALID, &value);
}
CASE(team_node_destroyed) { shmem_team_destroy(SHMEMX_TEAM_NODE); }
CASE(late_postinit) {
    shmem_finalize();
    shmemx_heap_postinit();
}
CASE(late_create) {
    shmem_finalize();
    create(memory, page);
}
CASE(late_counter) {
    shmem_finalize();
    shmemx_ct_t ct;
    shmemx_ct_create(&ct);
}

// A private context in the hands of another thread, or of what the program takes for one.
static uint64_t thread_name = 111;
static uint64_t name_of_thread(void) { return thread_name; }
static void* destroy(void* ctx) {
    shmem_ctx_destroy((shmem_ctx_t)ctx);
    return NULL;
}
static void* start_session(void* ctx) {
    shmem_ctx_session_start((shmem_ctx_t)ctx, 0, NULL, 0);
    return NULL;
}
static void in_thread(void* (*work)(void*), void* argument) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, argument);
    pthread_join(thread, NULL);
}
static shmem_ctx_t private_context(void) {
    shmem_ctx_t ctx;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) exit(3);
    return ctx;
}
CASE(private_destroy) { in_thread(destroy, private_context()); }
CASE(private_session) { in_thread(start_session, private_context()); }
CASE(private_registered) {
    shmemx_register_gettid(name_of_thread);
    shmem_ctx_t ctx = private_context();
    thread_name = 222;
    shmem_ctx_destroy(ctx);
}
// No mistakes: threads that the program calls the same, the system's again, and a shared context.
CASE(fine_registered) {
    shmemx_register_gettid(name_of_thread);
    in_thread(destroy, private_context());
    shmemx_register_gettid(NULL);
    shmem_ctx_destroy(private_context());
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    in_thread(destroy, ctx);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    page = (size_t)sysconf(_SC_PAGESIZE);
    memory = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strncmp(argv[1], "early_", 6) == 0) {
        if (strcmp(argv[1], "early_postinit") == 0) shmemx_heap_postinit();
        if (strcmp(argv[1], "early_create") == 0) create(memory, page);
        if (strcmp(argv[1], "early_level") == 0) shmemx_heap_preinit_thread(77, NULL);
        return 0;
    }
    shmemx_heap_preinit_thread(SHMEM_THREAD_MULTIPLE, NULL);
    if (!run_case(argv[1])) return 2;
    shmem_finalize();
    return 0;
}
