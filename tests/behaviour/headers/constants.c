// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a constant or handle cannot be used where the specification allows it: initializers
// of static objects, array bounds, case labels, #if and strings. constants_test.py compiles this
// file as every C and C++ standard and runs it; some checks are possible only at run time.

#include <shmemx.h>
#include <string.h>

#define IS_TRUE(NAME, CONDITION) typedef char is_true_##NAME[(CONDITION) ? 1 : -1]

// ---- Handles initialize static and thread-local objects, and members of them -------------------

static shmem_ctx_t ctx_default = SHMEM_CTX_DEFAULT;
static shmem_ctx_t ctx_invalid = SHMEM_CTX_INVALID;
static const shmem_team_t teams[] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED,
                                     SHMEMX_TEAM_NODE};
static struct {
    shmem_team_t team;
    shmem_ctx_t ctx;
} both = {SHMEM_TEAM_SHARED, SHMEM_CTX_DEFAULT};
static __thread shmem_ctx_t ctx_of_thread = SHMEM_CTX_INVALID;
static __thread shmem_team_t team_of_thread = SHMEM_TEAM_WORLD;

// ---- Configurations have the members of the specification ---------------------------------------

static shmem_team_config_t team_config = {1};
static shmem_ctx_session_config_t session_config = {SIZE_MAX};
static int* const num_contexts = &team_config.num_contexts;
static size_t* const total_ops = &session_config.total_ops;

// ---- Integer constants are usable as array bounds, case labels and in #if ----------------------

static long p_sync[SHMEM_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE +
                   SHMEM_BARRIER_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE +
                   SHMEM_ALLTOALLS_SYNC_SIZE];
static double p_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static char name_buffer[SHMEM_MAX_NAME_LEN];
static long first_sync = SHMEM_SYNC_VALUE;
static const char greeting[] = "Hello from " SHMEM_VENDOR_STRING ".";

#if SHMEM_MAJOR_VERSION != 1 || SHMEM_MINOR_VERSION != 6
#error "The version is that of the specification, 1.6."
#endif
#if !(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED &&     \
      SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED && \
      SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE)
#error "The thread levels increase strictly."
#endif

IS_TRUE(name_fits, sizeof(SHMEM_VENDOR_STRING) <= SHMEM_MAX_NAME_LEN);
IS_TRUE(largest_sync_size, SHMEM_SYNC_SIZE >= SHMEM_BCAST_SYNC_SIZE &&
                               SHMEM_SYNC_SIZE >= SHMEM_REDUCE_SYNC_SIZE &&
                               SHMEM_SYNC_SIZE >= SHMEM_BARRIER_SYNC_SIZE &&
                               SHMEM_SYNC_SIZE >= SHMEM_COLLECT_SYNC_SIZE &&
                               SHMEM_SYNC_SIZE >= SHMEM_ALLTOALL_SYNC_SIZE &&
                               SHMEM_SYNC_SIZE >= SHMEM_ALLTOALLS_SYNC_SIZE);

// ---- Options are single, distinct bits, as long as the long they are passed in -----------------

#define IS_BIT(VALUE) ((VALUE) > 0 && ((VALUE) & ((VALUE)-1)) == 0)
IS_TRUE(context_bits, IS_BIT(SHMEM_CTX_SERIALIZED) && IS_BIT(SHMEM_CTX_PRIVATE) &&
                          IS_BIT(SHMEM_CTX_NOSTORE) && IS_BIT(SHMEM_CTX_SESSION_BATCH));
IS_TRUE(context_bits_differ,
        (SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE | SHMEM_CTX_SESSION_BATCH) ==
            SHMEM_CTX_SERIALIZED + SHMEM_CTX_PRIVATE + SHMEM_CTX_NOSTORE + SHMEM_CTX_SESSION_BATCH);
IS_TRUE(mask_bits, IS_BIT(SHMEM_TEAM_NUM_CONTEXTS) && IS_BIT(SHMEM_CTX_SESSION_TOTAL_OPS));
IS_TRUE(hint_bits, IS_BIT(SHMEM_MALLOC_ATOMICS_REMOTE) && IS_BIT(SHMEM_MALLOC_SIGNAL_REMOTE) &&
                       (SHMEM_MALLOC_ATOMICS_REMOTE & SHMEM_MALLOC_SIGNAL_REMOTE) == 0);
#define IS_LONG(VALUE) (sizeof(VALUE) == sizeof(long))
IS_TRUE(options_are_long,
        IS_LONG(SHMEM_CTX_SERIALIZED) && IS_LONG(SHMEM_CTX_PRIVATE) && IS_LONG(SHMEM_CTX_NOSTORE) &&
            IS_LONG(SHMEM_CTX_SESSION_BATCH) && IS_LONG(SHMEM_CTX_SESSION_TOTAL_OPS) &&
            IS_LONG(SHMEM_TEAM_NUM_CONTEXTS) && IS_LONG(SHMEM_MALLOC_ATOMICS_REMOTE) &&
            IS_LONG(SHMEM_MALLOC_SIGNAL_REMOTE));

IS_TRUE(extension_bits,
        IS_BIT(SHMEMX_CTX_BOUNCE_BUFFER) && IS_BIT(SHMEMX_MALLOC_NO_BARRIER) &&
            IS_LONG(SHMEMX_CTX_BOUNCE_BUFFER) && IS_LONG(SHMEMX_MALLOC_NO_BARRIER) &&
            (SHMEMX_MALLOC_NO_BARRIER &
             (SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE)) == 0 &&
            (SHMEMX_CTX_BOUNCE_BUFFER & (SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE |
                                         SHMEM_CTX_NOSTORE | SHMEM_CTX_SESSION_BATCH)) == 0);

// ---- Values that binaries built for Sandia OpenSHMEM have in them -------------------------------
// A library that opens this one at run time (dlopen) passes them without our headers.

IS_TRUE(thread_values, SHMEM_THREAD_SINGLE == 0 && SHMEM_THREAD_FUNNELED == 1 &&
                           SHMEM_THREAD_SERIALIZED == 2 && SHMEM_THREAD_MULTIPLE == 3);
IS_TRUE(comparison_values, SHMEM_CMP_EQ == 1 && SHMEM_CMP_NE == 2 && SHMEM_CMP_GT == 3 &&
                               SHMEM_CMP_GE == 4 && SHMEM_CMP_LT == 5 && SHMEM_CMP_LE == 6);
IS_TRUE(signal_values, SHMEM_SIGNAL_SET == 0 && SHMEM_SIGNAL_ADD == 1);
IS_TRUE(context_values, SHMEM_CTX_PRIVATE == 1 && SHMEM_CTX_SERIALIZED == 2 &&
                            SHMEM_CTX_NOSTORE == 4 && SHMEM_TEAM_NUM_CONTEXTS == 1);
IS_TRUE(hint_values, SHMEM_MALLOC_ATOMICS_REMOTE == 1 && SHMEM_MALLOC_SIGNAL_REMOTE == 2);
IS_TRUE(heap_values, SHMEMX_EXTERNAL_HEAP_ZE == 0 && SHMEMX_EXTERNAL_HEAP_CUDA == 1);

// ---- The names of 1.3 are the same constants ---------------------------------------------------

IS_TRUE(old_names, _SHMEM_SYNC_VALUE == SHMEM_SYNC_VALUE &&
                       _SHMEM_BCAST_SYNC_SIZE == SHMEM_BCAST_SYNC_SIZE &&
                       _SHMEM_REDUCE_SYNC_SIZE == SHMEM_REDUCE_SYNC_SIZE &&
                       _SHMEM_BARRIER_SYNC_SIZE == SHMEM_BARRIER_SYNC_SIZE &&
                       _SHMEM_COLLECT_SYNC_SIZE == SHMEM_COLLECT_SYNC_SIZE &&
                       _SHMEM_REDUCE_MIN_WRKDATA_SIZE == SHMEM_REDUCE_MIN_WRKDATA_SIZE &&
                       _SHMEM_MAJOR_VERSION == SHMEM_MAJOR_VERSION &&
                       _SHMEM_MINOR_VERSION == SHMEM_MINOR_VERSION &&
                       _SHMEM_MAX_NAME_LEN == SHMEM_MAX_NAME_LEN && _SHMEM_CMP_EQ == SHMEM_CMP_EQ &&
                       _SHMEM_CMP_NE == SHMEM_CMP_NE && _SHMEM_CMP_LT == SHMEM_CMP_LT &&
                       _SHMEM_CMP_LE == SHMEM_CMP_LE && _SHMEM_CMP_GT == SHMEM_CMP_GT &&
                       _SHMEM_CMP_GE == SHMEM_CMP_GE);

// Two equal case labels are an error, so a compiled switch shows that the values differ.
static int comparison_index(int cmp) {
    switch (cmp) {
        case SHMEM_CMP_EQ: return 0;
        case SHMEM_CMP_NE: return 1;
        case SHMEM_CMP_LT: return 2;
        case SHMEM_CMP_LE: return 3;
        case SHMEM_CMP_GT: return 4;
        case SHMEM_CMP_GE: return 5;
        default: return -1;
    }
}

static int signal_index(int sig_op) {
    switch (sig_op) {
        case SHMEM_SIGNAL_SET: return 0;
        case SHMEM_SIGNAL_ADD: return 1;
        default: return -1;
    }
}

int main(void) {
    int ok = ctx_default == SHMEM_CTX_DEFAULT && ctx_invalid == SHMEM_CTX_INVALID &&
             ctx_default != ctx_invalid && ctx_of_thread == ctx_invalid;
    ok = ok && teams[0] == SHMEM_TEAM_INVALID && teams[1] == SHMEM_TEAM_WORLD &&
         teams[2] == SHMEM_TEAM_SHARED && team_of_thread == teams[1];
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < i; ++j) ok = ok && teams[i] != teams[j];
    }
    ok = ok && both.team == SHMEM_TEAM_SHARED && both.ctx == SHMEM_CTX_DEFAULT;
    ok = ok && *num_contexts == 1 && *total_ops == SIZE_MAX;
    ok = ok && comparison_index(SHMEM_CMP_GE) == 5 && signal_index(SHMEM_SIGNAL_ADD) == 1;
    ok = ok && strstr(greeting, SHMEM_VENDOR_STRING) != NULL;
    ok = ok && strcmp(_SHMEM_VENDOR_STRING, SHMEM_VENDOR_STRING) == 0;
    ok = ok && p_sync[0] == first_sync && p_work[0] == 0.0 && name_buffer[0] == '\0';
    return ok ? 0 : 1;
}
