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

// The sides of a transfer, and the same as the core takes them.
#define STRIDED_SIDES                                              \
    void *dest, const ptrdiff_t *dest_strides, const void *source, \
        const ptrdiff_t *source_strides, const size_t *extents, int ndims, size_t element_bytes
#define STRIDED_ARGUMENTS                                                         \
    tessera::StridedArguments {                                                   \
        dest, dest_strides, source, source_strides, extents, ndims, element_bytes \
    }
#define INDEXED_SIDES                                                                        \
    void *dest, const shmemx_block_t *dest_blocks, size_t n_dest_blocks, const void *source, \
        const shmemx_block_t *source_blocks, size_t n_source_blocks
#define INDEXED_ARGUMENTS                                                                          \
    tessera::IndexedArguments {                                                                    \
        dest, list_of(dest_blocks, n_dest_blocks), source, list_of(source_blocks, n_source_blocks) \
    }

// shmemx_{put,get}_{strided,indexed}, their _nbi forms, and shmemx_ctx_ forms
#define DEFINE_TRANSFER(KIND, NAME, DIRECTION, RETURNS)                               \
    SHMEM_ENTRY(void, shmemx_##NAME, KIND##_SIDES, int pe) {                          \
        tessera::transfer(default_context, KIND##_ARGUMENTS,                          \
                          {Direction::DIRECTION, Returns::RETURNS}, pe, SHMEM_WHERE); \
    }                                                                                 \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, KIND##_SIDES, int pe) {     \
        tessera::transfer(context_of(ctx, SHMEM_WHERE), KIND##_ARGUMENTS,             \
                          {Direction::DIRECTION, Returns::RETURNS}, pe, SHMEM_WHERE); \
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

// shmemx_put_{strided,indexed}_signal, their _nbi forms, and shmemx_ctx_ forms
#define DEFINE_PUT_SIGNAL(KIND, NAME, RETURNS)                                                     \
    SHMEM_ENTRY(void, shmemx_##NAME, KIND##_SIDES, uint64_t* sig_addr, uint64_t signal,            \
                int sig_op, int pe) {                                                              \
        tessera::put_with_signal(default_context, KIND##_ARGUMENTS, Returns::RETURNS,              \
                                 {sig_addr, signal, sig_op}, pe, SHMEM_WHERE);                     \
    }                                                                                              \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, KIND##_SIDES, uint64_t* sig_addr,        \
                uint64_t signal, int sig_op, int pe) {                                             \
        tessera::put_with_signal(context_of(ctx, SHMEM_WHERE), KIND##_ARGUMENTS, Returns::RETURNS, \
                                 {sig_addr, signal, sig_op}, pe, SHMEM_WHERE);                     \
    }
DEFINE_PUT_SIGNAL(STRIDED, put_strided_signal, kComplete)
DEFINE_PUT_SIGNAL(STRIDED, put_strided_signal_nbi, kAtOnce)
DEFINE_PUT_SIGNAL(INDEXED, put_indexed_signal, kComplete)
DEFINE_PUT_SIGNAL(INDEXED, put_indexed_signal_nbi, kAtOnce)
#undef DEFINE_PUT_SIGNAL

// shmemx_{put,get}_{strided,indexed}_req and their shmemx_ctx_ forms
#define DEFINE_TRANSFER_REQ(KIND, NAME, DIRECTION)                                            \
    SHMEM_ENTRY(void, shmemx_##NAME, KIND##_SIDES, int pe, shmemx_req_t* req) {               \
        tessera::transfer(                                                                    \
            default_context, KIND##_ARGUMENTS,                                                \
            {Direction::DIRECTION, Returns::kAtOnce, checked_variable(req, SHMEM_WHERE)}, pe, \
            SHMEM_WHERE);                                                                     \
    }                                                                                         \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, KIND##_SIDES, int pe,               \
                shmemx_req_t* req) {                                                          \
        tessera::transfer(                                                                    \
            context_of(ctx, SHMEM_WHERE), KIND##_ARGUMENTS,                                   \
            {Direction::DIRECTION, Returns::kAtOnce, checked_variable(req, SHMEM_WHERE)}, pe, \
            SHMEM_WHERE);                                                                     \
    }
DEFINE_TRANSFER_REQ(STRIDED, put_strided_req, kPut)
DEFINE_TRANSFER_REQ(STRIDED, get_strided_req, kGet)
DEFINE_TRANSFER_REQ(INDEXED, put_indexed_req, kPut)
DEFINE_TRANSFER_REQ(INDEXED, get_indexed_req, kGet)
#undef DEFINE_TRANSFER_REQ
#undef STRIDED_SIDES
#undef STRIDED_ARGUMENTS
#undef INDEXED_SIDES
#undef INDEXED_ARGUMENTS
