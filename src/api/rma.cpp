// SPDX-License-Identifier: BSD-3-Clause
//
// Remote memory access (OpenSHMEM 1.6, 9.6). Types end here: below, a put is bytes. Only p and g
// keep theirs, because a word must be stored and loaded whole.
#include "shmem/rma.h"

#include "api/entry.hpp"
#include "api/extents.hpp"

using tessera::byte_count;
using tessera::default_context;
using tessera::Strided;
using tessera::api::check_local;
using tessera::api::context_of;

// shmem_TYPENAME_put, shmem_ctx_TYPENAME_put, and the same for get, put_nbi, get_nbi. LOCAL is the
// argument that is memory of the calling PE.
#define DEFINE_CONTIGUOUS(OP, NAME, DEST, SOURCE, BYTES, LOCAL)                                    \
    SHMEM_ENTRY(void, shmem_##NAME, DEST dest, SOURCE source, size_t nelems, int pe) {             \
        check_local(#LOCAL, LOCAL, nelems, SHMEM_WHERE);                                           \
        default_context.OP(dest, source, byte_count<BYTES>(nelems), pe, SHMEM_WHERE);              \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_ctx_##NAME, shmem_ctx_t ctx, DEST dest, SOURCE source, size_t nelems,  \
                int pe) {                                                                          \
        check_local(#LOCAL, LOCAL, nelems, SHMEM_WHERE);                                           \
        context_of(ctx, SHMEM_WHERE).OP(dest, source, byte_count<BYTES>(nelems), pe, SHMEM_WHERE); \
    }
#define DEFINE_PUT(...) DEFINE_CONTIGUOUS(__VA_ARGS__, source)
#define DEFINE_GET(...) DEFINE_CONTIGUOUS(__VA_ARGS__, dest)
#define DEFINE_TYPED(NAME, T)                                    \
    DEFINE_PUT(put, NAME##_put, T*, const T*, sizeof(T))         \
    DEFINE_GET(get, NAME##_get, T*, const T*, sizeof(T))         \
    DEFINE_PUT(put_nbi, NAME##_put_nbi, T*, const T*, sizeof(T)) \
    DEFINE_GET(get_nbi, NAME##_get_nbi, T*, const T*, sizeof(T))
SHMEM_INTERNAL_RMA_TYPES(DEFINE_TYPED)
#undef DEFINE_TYPED

// shmem_putSIZE, shmem_ctx_putSIZE, and the same for get and _nbi
#define DEFINE_SIZED(BITS, BYTES)                                   \
    DEFINE_PUT(put, put##BITS, void*, const void*, BYTES)           \
    DEFINE_GET(get, get##BITS, void*, const void*, BYTES)           \
    DEFINE_PUT(put_nbi, put##BITS##_nbi, void*, const void*, BYTES) \
    DEFINE_GET(get_nbi, get##BITS##_nbi, void*, const void*, BYTES)
SHMEM_INTERNAL_SIZES(DEFINE_SIZED)
#undef DEFINE_SIZED

DEFINE_PUT(put, putmem, void*, const void*, 1)
DEFINE_GET(get, getmem, void*, const void*, 1)
DEFINE_PUT(put_nbi, putmem_nbi, void*, const void*, 1)
DEFINE_GET(get_nbi, getmem_nbi, void*, const void*, 1)
#undef DEFINE_PUT
#undef DEFINE_GET
#undef DEFINE_CONTIGUOUS

// shmem_TYPENAME_p, shmem_TYPENAME_g, and their shmem_ctx_ forms
#define DEFINE_ELEMENT(NAME, T)                                                          \
    SHMEM_ENTRY(void, shmem_##NAME##_p, T* dest, T value, int pe) {                      \
        default_context.p(dest, value, pe, SHMEM_WHERE);                                 \
    }                                                                                    \
    SHMEM_ENTRY(void, shmem_ctx_##NAME##_p, shmem_ctx_t ctx, T* dest, T value, int pe) { \
        context_of(ctx, SHMEM_WHERE).p(dest, value, pe, SHMEM_WHERE);                    \
    }                                                                                    \
    SHMEM_ENTRY(T, shmem_##NAME##_g, const T* source, int pe) {                          \
        return default_context.g(source, pe, SHMEM_WHERE);                               \
    }                                                                                    \
    SHMEM_ENTRY(T, shmem_ctx_##NAME##_g, shmem_ctx_t ctx, const T* source, int pe) {     \
        return context_of(ctx, SHMEM_WHERE).g(source, pe, SHMEM_WHERE);                  \
    }
SHMEM_INTERNAL_RMA_TYPES(DEFINE_ELEMENT)
#undef DEFINE_ELEMENT

// One element every dst and sst: blocks of one.
#define STRIDED_SHAPE(BYTES) \
    Strided { .dest_stride = dst, .source_stride = sst, .blocks = nelems, .element_bytes = (BYTES) }
// shmem_TYPENAME_iput, shmem_iputSIZE and the same for iget, with their shmem_ctx_ forms
#define DEFINE_STRIDED(OP, NAME, DEST, SOURCE, BYTES, LOCAL)                                      \
    SHMEM_ENTRY(void, shmem_##NAME, DEST dest, SOURCE source, ptrdiff_t dst, ptrdiff_t sst,       \
                size_t nelems, int pe) {                                                          \
        check_local(#LOCAL, LOCAL, nelems, SHMEM_WHERE);                                          \
        default_context.OP(dest, source, STRIDED_SHAPE(BYTES), pe, SHMEM_WHERE);                  \
    }                                                                                             \
    SHMEM_ENTRY(void, shmem_ctx_##NAME, shmem_ctx_t ctx, DEST dest, SOURCE source, ptrdiff_t dst, \
                ptrdiff_t sst, size_t nelems, int pe) {                                           \
        check_local(#LOCAL, LOCAL, nelems, SHMEM_WHERE);                                          \
        context_of(ctx, SHMEM_WHERE).OP(dest, source, STRIDED_SHAPE(BYTES), pe, SHMEM_WHERE);     \
    }
#define DEFINE_TYPED(NAME, T)                                                 \
    DEFINE_STRIDED(put_strided, NAME##_iput, T*, const T*, sizeof(T), source) \
    DEFINE_STRIDED(get_strided, NAME##_iget, T*, const T*, sizeof(T), dest)
SHMEM_INTERNAL_RMA_TYPES(DEFINE_TYPED)
#undef DEFINE_TYPED
#define DEFINE_SIZED(BITS, BYTES)                                              \
    DEFINE_STRIDED(put_strided, iput##BITS, void*, const void*, BYTES, source) \
    DEFINE_STRIDED(get_strided, iget##BITS, void*, const void*, BYTES, dest)
SHMEM_INTERNAL_SIZES(DEFINE_SIZED)
#undef DEFINE_SIZED
#undef DEFINE_STRIDED
#undef STRIDED_SHAPE

#define BLOCK_SHAPE(BYTES)                                                                    \
    Strided {                                                                                 \
        .dest_stride = dst, .source_stride = sst, .block_elements = bsize, .blocks = nblocks, \
        .element_bytes = (BYTES)                                                              \
    }
// shmem_TYPENAME_ibput, shmem_ibputSIZE and the same for ibget, with their shmem_ctx_ forms
#define DEFINE_BLOCKS(OP, NAME, DEST, SOURCE, BYTES, LOCAL)                                       \
    SHMEM_ENTRY(void, shmem_##NAME, DEST dest, SOURCE source, ptrdiff_t dst, ptrdiff_t sst,       \
                size_t bsize, size_t nblocks, int pe) {                                           \
        if (bsize != 0) check_local(#LOCAL, LOCAL, nblocks, SHMEM_WHERE);                         \
        default_context.OP(dest, source, BLOCK_SHAPE(BYTES), pe, SHMEM_WHERE);                    \
    }                                                                                             \
    SHMEM_ENTRY(void, shmem_ctx_##NAME, shmem_ctx_t ctx, DEST dest, SOURCE source, ptrdiff_t dst, \
                ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) {                            \
        if (bsize != 0) check_local(#LOCAL, LOCAL, nblocks, SHMEM_WHERE);                         \
        context_of(ctx, SHMEM_WHERE).OP(dest, source, BLOCK_SHAPE(BYTES), pe, SHMEM_WHERE);       \
    }
#define DEFINE_TYPED(NAME, T)                                                 \
    DEFINE_BLOCKS(put_strided, NAME##_ibput, T*, const T*, sizeof(T), source) \
    DEFINE_BLOCKS(get_strided, NAME##_ibget, T*, const T*, sizeof(T), dest)
SHMEM_INTERNAL_RMA_TYPES(DEFINE_TYPED)
#undef DEFINE_TYPED
#define DEFINE_SIZED(BITS, BYTES)                                              \
    DEFINE_BLOCKS(put_strided, ibput##BITS, void*, const void*, BYTES, source) \
    DEFINE_BLOCKS(get_strided, ibget##BITS, void*, const void*, BYTES, dest)
SHMEM_INTERNAL_SIZES(DEFINE_SIZED)
#undef DEFINE_SIZED
#undef DEFINE_BLOCKS
#undef BLOCK_SHAPE
