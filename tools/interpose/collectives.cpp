// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives over teams (OpenSHMEM 1.6, 9.10) and over active sets, which are deprecated.
#include "tools/interpose/forward.hpp"

namespace tessera::interpose {

INTERPOSE(void, shmem_barrier_all, (void), (), .kind = Kind::kBarrier, .team = SHMEM_TEAM_WORLD)
INTERPOSE(void, shmem_sync_all, (void), (), .kind = Kind::kSync, .team = SHMEM_TEAM_WORLD)
INTERPOSE(int, shmem_team_sync, (shmem_team_t team), (team), .kind = Kind::kSync, .team = team)

// ---- Over teams ---------------------------------------------------------------------------------

// The members of a call on data of a team.
#define DATA(BYTES, COUNT)                                                   \
    .kind = Kind::kCollective, .team = team, .dest = dest, .source = source, \
    .element_bytes = BYTES, .count = COUNT

#define PLAIN(ROUTINE, T, BYTES)                                                           \
    INTERPOSE(int, ROUTINE, (shmem_team_t team, T * dest, const T* source, size_t nelems), \
              (team, dest, source, nelems), DATA(BYTES, nelems))

// PREFIX stands before the name and SUFFIX behind it: int_broadcast, broadcastmem.
#define MOVES(PREFIX, SUFFIX, T, BYTES)                                                            \
    PLAIN(shmem_##PREFIX##collect##SUFFIX, T, BYTES)                                               \
    PLAIN(shmem_##PREFIX##fcollect##SUFFIX, T, BYTES)                                              \
    PLAIN(shmem_##PREFIX##alltoall##SUFFIX, T, BYTES)                                              \
    INTERPOSE(int, shmem_##PREFIX##alltoalls##SUFFIX,                                              \
              (shmem_team_t team, T * dest, const T* source, ptrdiff_t dst, ptrdiff_t sst,         \
               size_t nelems),                                                                     \
              (team, dest, source, dst, sst, nelems), DATA(BYTES, nelems), .dst = dst, .sst = sst) \
    INTERPOSE(int, shmem_##PREFIX##broadcast##SUFFIX,                                              \
              (shmem_team_t team, T * dest, const T* source, size_t nelems, int root),             \
              (team, dest, source, nelems, root), DATA(BYTES, nelems), .root = root)
#define TYPED_MOVES(NAME, T) MOVES(NAME##_, , T, sizeof(T))
SHMEM_INTERNAL_RMA_TYPES(TYPED_MOVES)
MOVES(, mem, void, 1)
#undef TYPED_MOVES
#undef MOVES

// shmem_TYPENAME_{and,or,xor}_reduce
#define BITWISE(NAME, T)                           \
    PLAIN(shmem_##NAME##_and_reduce, T, sizeof(T)) \
    PLAIN(shmem_##NAME##_or_reduce, T, sizeof(T))  \
    PLAIN(shmem_##NAME##_xor_reduce, T, sizeof(T))
SHMEM_INTERNAL_RED_BIT_TYPES(BITWISE)
#undef BITWISE

// shmem_TYPENAME_{max,min}_reduce
#define ORDER(NAME, T)                             \
    PLAIN(shmem_##NAME##_max_reduce, T, sizeof(T)) \
    PLAIN(shmem_##NAME##_min_reduce, T, sizeof(T))
SHMEM_INTERNAL_RED_MM_TYPES(ORDER)
#undef ORDER

// shmem_TYPENAME_{sum,prod}_reduce, shmem_TYPENAME_sum_{in,ex}scan and their earlier names
#define SUM(NAME, T)                                \
    PLAIN(shmem_##NAME##_sum_reduce, T, sizeof(T))  \
    PLAIN(shmem_##NAME##_prod_reduce, T, sizeof(T)) \
    PLAIN(shmem_##NAME##_sum_inscan, T, sizeof(T))  \
    PLAIN(shmem_##NAME##_sum_exscan, T, sizeof(T))  \
    PLAIN(shmemx_##NAME##_sum_inscan, T, sizeof(T)) \
    PLAIN(shmemx_##NAME##_sum_exscan, T, sizeof(T))
SHMEM_INTERNAL_RED_SP_TYPES(SUM)
#undef SUM
#undef PLAIN
#undef DATA

// ---- Over active sets ---------------------------------------------------------------------------

#define SET int start, int log_stride, int pe_count
#define THE_SET start, log_stride, pe_count

INTERPOSE(void, shmem_barrier, (SET, long* sync), (THE_SET, sync), .kind = Kind::kBarrier,
          .set = {THE_SET}, .sync = sync)
INTERPOSE(void, shmem_sync, (SET, long* sync), (THE_SET, sync), .kind = Kind::kSync,
          .set = {THE_SET}, .sync = sync)

#define DATA(BYTES, COUNT)                                                       \
    .kind = Kind::kCollective, .set = {THE_SET}, .dest = dest, .source = source, \
    .element_bytes = BYTES, .count = COUNT

#define PLAIN(ROUTINE, BYTES)                                                                  \
    INTERPOSE(void, ROUTINE, (void* dest, const void* source, size_t nelems, SET, long* sync), \
              (dest, source, nelems, THE_SET, sync), DATA(BYTES, nelems), .sync = sync)

// shmem_{broadcast,collect,fcollect,alltoall,alltoalls}SIZE
#define MOVES(BITS, BYTES)                                                                       \
    PLAIN(shmem_collect##BITS, BYTES)                                                            \
    PLAIN(shmem_fcollect##BITS, BYTES)                                                           \
    PLAIN(shmem_alltoall##BITS, BYTES)                                                           \
    INTERPOSE(void, shmem_broadcast##BITS,                                                       \
              (void* dest, const void* source, size_t nelems, int root, SET, long* sync),        \
              (dest, source, nelems, root, THE_SET, sync), DATA(BYTES, nelems), .root = root,    \
              .sync = sync)                                                                      \
    INTERPOSE(void, shmem_alltoalls##BITS,                                                       \
              (void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, SET, \
               long* sync),                                                                      \
              (dest, source, dst, sst, nelems, THE_SET, sync), DATA(BYTES, nelems), .dst = dst,  \
              .sst = sst, .sync = sync)
SHMEM_INTERNAL_COLLECTIVE_SIZES(MOVES)
#undef MOVES
#undef PLAIN

#define TO_ALL(NAME, T, VERB)                                                     \
    INTERPOSE(void, shmem_##NAME##_##VERB##_to_all,                               \
              (T * dest, const T* source, int nreduce, SET, T* work, long* sync), \
              (dest, source, nreduce, THE_SET, work, sync),                       \
              DATA(sizeof(T), static_cast<size_t>(nreduce)), .sync = sync, .work = work)

// shmem_TYPENAME_{and,or,xor}_to_all
#define BITWISE(NAME, T) TO_ALL(NAME, T, and) TO_ALL(NAME, T, or) TO_ALL(NAME, T, xor)
SHMEM_INTERNAL_AS_BIT_TYPES(BITWISE)
#undef BITWISE

// shmem_TYPENAME_{max,min}_to_all
#define ORDER(NAME, T) TO_ALL(NAME, T, max) TO_ALL(NAME, T, min)
SHMEM_INTERNAL_AS_MM_TYPES(ORDER)
#undef ORDER

// shmem_TYPENAME_{sum,prod}_to_all
#define SUM(NAME, T) TO_ALL(NAME, T, sum) TO_ALL(NAME, T, prod)
SHMEM_INTERNAL_AS_SP_TYPES(SUM)
#undef SUM
#undef TO_ALL
#undef DATA
#undef SET
#undef THE_SET

}  // namespace tessera::interpose
