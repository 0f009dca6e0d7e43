// SPDX-License-Identifier: BSD-3-Clause
//
// Strided transfers in several dimensions, and of lists of blocks (include/shmemx/strided.h).
#include "api/entry.hpp"
#include "api/handles.hpp"
#include "api/request_variable.hpp"
#include "core/strided_transfer.hpp"
#include "shmemx.h"

using tessera::Block;
using tessera::Context;
using tessera::default_context;
using tessera::Direction;
using tessera::Returns;
using tessera::api::checked_variable;
using tessera::api::context_of;

namespace {

// The layout is the same (core/strided_transfer.cpp).
std::span<const Block> list_of(const shmemx_block_t* blocks, size_t count) {
    return {reinterpret_cast<const Block*>(blocks), count};
}

}  // namespace

#define STRIDED_PARAMETERS                                                                       \
    void *dest, const ptrdiff_t *dest_strides, const void *source,                               \
        const ptrdiff_t *source_strides, const size_t *extents, int ndims, size_t element_bytes, \
        int pe
#define TRANSFER_STRIDED(CONTEXT, DIRECTION, RETURNS, REQ)                                    \
    tessera::transfer_strided(                                                                \
        CONTEXT, {dest, dest_strides, source, source_strides, extents, ndims, element_bytes}, \
        {Direction::DIRECTION, Returns::RETURNS, REQ}, pe, SHMEM_WHERE)

#define INDEXED_PARAMETERS                                                                   \
    void *dest, const shmemx_block_t *dest_blocks, size_t n_dest_blocks, const void *source, \
        const shmemx_block_t *source_blocks, size_t n_source_blocks, int pe
#define TRANSFER_INDEXED(CONTEXT, DIRECTION, RETURNS, REQ)                        \
    tessera::transfer_indexed(CONTEXT,                                            \
                              {dest, list_of(dest_blocks, n_dest_blocks), source, \
                               list_of(source_blocks, n_source_blocks)},          \
                              {Direction::DIRECTION, Returns::RETURNS, REQ}, pe, SHMEM_WHERE)

// shmemx_{put,get}_{strided,indexed}, their _nbi forms, and shmemx_ctx_ forms
#define DEFINE_TRANSFER(KIND, NAME, DIRECTION, RETURNS)                             \
    SHMEM_ENTRY(void, shmemx_##NAME, KIND##_PARAMETERS) {                           \
        TRANSFER_##KIND(default_context, DIRECTION, RETURNS, nullptr);              \
    }                                                                               \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, KIND##_PARAMETERS) {      \
        TRANSFER_##KIND(context_of(ctx, SHMEM_WHERE), DIRECTION, RETURNS, nullptr); \
    }
DEFINE_TRANSFER(STRIDED, put_strided, kPut, kComplete)
DEFINE_TRANSFER(STRIDED, put_strided_nbi, kPut, kAtOnce)
DEFINE_TRANSFER(STRIDED, get_strided, kGet, kComplete)
DEFINE_TRANSFER(STRIDED, get_strided_nbi, kGet, kAtOnce)
DEFINE_TRANSFER(INDEXED, put_indexed, kPut, kComplete)
DEFINE_TRANSFER(INDEXED, put_indexed_nbi, kPut, kAtOnce)
DEFINE_TRANSFER(INDEXED, get_indexed, kGet, kComplete)
DEFINE_TRANSFER(INDEXED, get_indexed_nbi, kGet, kAtOnce)
#undef DEFINE_TRANSFER

// shmemx_{put,get}_{strided,indexed}_req and their shmemx_ctx_ forms
#define DEFINE_TRANSFER_REQ(KIND, NAME, DIRECTION)                                                \
    SHMEM_ENTRY(void, shmemx_##NAME, KIND##_PARAMETERS, shmemx_req_t* req) {                      \
        TRANSFER_##KIND(default_context, DIRECTION, kAtOnce, checked_variable(req, SHMEM_WHERE)); \
    }                                                                                             \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, KIND##_PARAMETERS, shmemx_req_t* req) { \
        TRANSFER_##KIND(context_of(ctx, SHMEM_WHERE), DIRECTION, kAtOnce,                         \
                        checked_variable(req, SHMEM_WHERE));                                      \
    }
DEFINE_TRANSFER_REQ(STRIDED, put_strided_req, kPut)
DEFINE_TRANSFER_REQ(STRIDED, get_strided_req, kGet)
DEFINE_TRANSFER_REQ(INDEXED, put_indexed_req, kPut)
DEFINE_TRANSFER_REQ(INDEXED, get_indexed_req, kGet)
#undef DEFINE_TRANSFER_REQ
#undef TRANSFER_STRIDED
#undef STRIDED_PARAMETERS
#undef TRANSFER_INDEXED
#undef INDEXED_PARAMETERS
