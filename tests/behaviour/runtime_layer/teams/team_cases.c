// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of team_errors_test.py: team_cases CASE, with 3 PEs. The last PE makes the mistake;
// the others wait until the job ends. A mistake that goes unnoticed ends with code 0.
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

static const char* wanted;
static shmem_team_t team, other;

static int is(const char* name) { return strcmp(wanted, name) == 0; }

static void create(const int* pes, int npes) {
    shmemx_team_create(SHMEM_TEAM_WORLD, pes, npes, NULL, 0, &other);
}

// By the last PE only.
static void wrong_list(void) {
    const int twice[] = {2, 1, 2}, beyond[] = {2, 3}, negative[] = {-1, 2}, without[] = {0, 1};
    if (is("twice")) create(twice, 3);
    if (is("beyond")) create(beyond, 2);
    if (is("negative")) create(negative, 2);
    if (is("without")) create(without, 2);
    if (is("no_pes")) create(twice, 0);
    if (is("too_many")) create(twice, 4);
    if (is("null")) create(NULL, 2);
}

// By the last PE only; `block` is one of `team`, `others` one of `other`.
static void wrong_free(char* block, char* others) {
    static long word;
    if (is("free_inside")) shmemx_team_free(team, block + 64);
    if (is("free_of_other_team")) shmemx_team_free(team, others);
    if (is("free_static")) shmemx_team_free(team, &word);
    if (is("free_heap")) shmemx_team_free(team, shmem_malloc(8));
    if (is("free_never_allocated")) shmemx_team_free(team, others + 4096);
    if (is("shmem_free")) shmem_free(block);
    if (is("lock_outside")) shmem_set_lock((long*)(others + 4096));
    if (is("invalid_malloc")) shmemx_team_malloc(SHMEM_TEAM_INVALID, 8);
    if (is("invalid_free")) shmemx_team_free(SHMEM_TEAM_INVALID, block);
    if (is("invalid_size_0")) shmemx_team_malloc(SHMEM_TEAM_INVALID, 0);
}

int main(int argc, char** argv) {
    wanted = argc > 1 ? argv[1] : "";
    shmem_init();
    const int is_last = shmem_my_pe() == shmem_n_pes() - 1;
    if (is_last) wrong_list();
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &other);
    char* block = shmemx_team_malloc(team, 1000);
    char* others = shmemx_team_malloc(other, 100);
    if (is("free_twice")) shmemx_team_free(team, block);
    if (is_last && is("free_twice")) shmemx_team_free(team, block);
    if (is_last) wrong_free(block, others);
    if (is("other_size")) shmemx_team_malloc(team, is_last ? 100 : 200);
    if (is("other_alignment")) shmemx_team_align(team, is_last ? 256 : 512, 64);
    shmem_barrier_all();
    shmem_finalize();
    printf("not noticed\n");
    return 0;
}
