// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the two parts of the profiler: the list of operations, and the function that counts.
// profiler.c holds the numbers and prints them, wrappers.c has the routines that count.

#pragma once

#include <stddef.h>

// Every operation that is counted, as X(NAME). The routines of all types, with and without a
// context, nonblocking ones apart, are one operation: shmem_put stands for shmem_int_put,
// shmem_ctx_put64, shmem_putmem and so on.
#define OPERATIONS(X)          \
    X(put)                     \
    X(p)                       \
    X(iput)                    \
    X(ibput)                   \
    X(get)                     \
    X(g)                       \
    X(iget)                    \
    X(ibget)                   \
    X(put_nbi)                 \
    X(get_nbi)                 \
    X(put_signal)              \
    X(put_signal_nbi)          \
    X(signal_add)              \
    X(signal_set)              \
    X(signal_fetch)            \
    X(signal_wait_until)       \
    X(atomic_fetch)            \
    X(atomic_set)              \
    X(atomic_swap)             \
    X(atomic_compare_swap)     \
    X(atomic_fetch_inc)        \
    X(atomic_inc)              \
    X(atomic_fetch_add)        \
    X(atomic_add)              \
    X(atomic_fetch_and)        \
    X(atomic_and)              \
    X(atomic_fetch_or)         \
    X(atomic_or)               \
    X(atomic_fetch_xor)        \
    X(atomic_xor)              \
    X(atomic_fetch_nbi)        \
    X(atomic_swap_nbi)         \
    X(atomic_compare_swap_nbi) \
    X(atomic_fetch_inc_nbi)    \
    X(atomic_fetch_add_nbi)    \
    X(atomic_fetch_and_nbi)    \
    X(atomic_fetch_or_nbi)     \
    X(atomic_fetch_xor_nbi)    \
    X(wait_until)              \
    X(wait_until_all)          \
    X(wait_until_any)          \
    X(wait_until_some)         \
    X(test)                    \
    X(test_all)                \
    X(test_any)                \
    X(test_some)               \
    X(fence)                   \
    X(quiet)                   \
    X(pe_quiet)                \
    X(barrier_all)             \
    X(sync_all)                \
    X(team_sync)               \
    X(barrier)                 \
    X(sync)                    \
    X(broadcast)               \
    X(collect)                 \
    X(fcollect)                \
    X(alltoall)                \
    X(alltoalls)               \
    X(and_reduce)              \
    X(or_reduce)               \
    X(xor_reduce)              \
    X(max_reduce)              \
    X(min_reduce)              \
    X(sum_reduce)              \
    X(prod_reduce)             \
    X(sum_inscan)              \
    X(sum_exscan)              \
    X(set_lock)                \
    X(test_lock)               \
    X(clear_lock)              \
    X(malloc)                  \
    X(calloc)                  \
    X(align)                   \
    X(malloc_with_hints)       \
    X(realloc)                 \
    X(free)                    \
    X(team_split_strided)      \
    X(team_split_2d)           \
    X(team_destroy)            \
    X(ctx_create)              \
    X(team_create_ctx)         \
    X(ctx_destroy)             \
    X(ctx_session_start)       \
    X(ctx_session_stop)

#define DECLARE_NUMBER(NAME) kOperation_##NAME,
enum operation { OPERATIONS(DECLARE_NUMBER) kOperationCount };
#undef DECLARE_NUMBER

// Counts one call that moves so many bytes, unless the program has switched the profiler off. May
// be called by any thread at any time.
void count_call(enum operation operation, size_t bytes);
