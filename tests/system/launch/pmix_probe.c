// SPDX-License-Identifier: BSD-3-Clause
//
// A PMIx client for the launch tests: puts a number, fences, gets the numbers of all. Then the last
// rank obeys the first argument: abort CODE, leave (exits without PMIx_Finalize).
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t me;

static void check(pmix_status_t status, const char* what) {
    if (status == PMIX_SUCCESS) return;
    fprintf(stderr, "pmix_probe: %s: %s\n", what, PMIx_Error_string(status));
    _exit(1);
}

static unsigned number_of(pmix_rank_t rank, const char* key) {
    pmix_proc_t other = me;
    other.rank = rank;
    pmix_value_t* value = NULL;
    check(PMIx_Get(&other, key, NULL, 0, &value), key);
    unsigned number = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return number;
}

int main(int argc, char** argv) {
    const char* trick = argc > 1 ? argv[1] : "";
    check(PMIx_Init(&me, NULL, 0), "PMIx_Init");
    unsigned size = number_of(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    pmix_value_t mine;
    memset(&mine, 0, sizeof mine);
    mine.type = PMIX_UINT32;
    mine.data.uint32 = me.rank * 10;
    check(PMIx_Put(PMIX_GLOBAL, "probe", &mine), "PMIx_Put");
    check(PMIx_Commit(), "PMIx_Commit");
    pmix_info_t collect;
    bool yes = true;
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    check(PMIx_Fence(NULL, 0, &collect, 1), "PMIx_Fence");
    unsigned sum = 0;
    for (unsigned rank = 0; rank < size; ++rank) sum += number_of(rank, "probe");
    printf("rank %u of %u sum %u app %u\n", me.rank, size, sum, number_of(me.rank, PMIX_APPNUM));
    fflush(stdout);
    if (me.rank == size - 1) {
        if (strcmp(trick, "abort") == 0) PMIx_Abort(atoi(argv[2]), "on purpose", NULL, 0);
        if (strcmp(trick, "leave") == 0) return 0;
    }
    if (trick[0] != '\0') {
        for (;;) pause();
    }
    check(PMIx_Finalize(NULL, 0), "PMIx_Finalize");
    return 0;
}
