// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets, with and without a signal (OpenSHMEM 1.6, 9.6 and 9.8).
#include "tools/interpose/forward.hpp"

namespace tessera::interpose {

// Copies of consecutive elements. PUT and GET are names without shmem_; T is void where elements
// have no type.
#define COPY(COLUMN, NAME, T, BYTES, ...)                                                         \
    INTERPOSE_CTX((Counted::COLUMN, pe, nelems * (BYTES)), void, NAME,                            \
                  (T * dest, const T* source, size_t nelems, int pe), (dest, source, nelems, pe), \
                  __VA_ARGS__, .dest = dest, .source = source, .element_bytes = BYTES,            \
                  .count = nelems, .pe = pe)
#define PUT_SIGNAL(COLUMN, NAME, T, BYTES, IS_NBI)                                                \
    INTERPOSE_CTX((Counted::COLUMN, pe, nelems * (BYTES)), void, NAME,                            \
                  (T * dest, const T* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, \
                   int sig_op, int pe),                                                           \
                  (dest, source, nelems, sig_addr, signal, sig_op, pe), .kind = Kind::kPut,       \
                  .is_nbi = IS_NBI, .dest = dest, .source = source, .element_bytes = BYTES,       \
                  .count = nelems, .pe = pe, .signal = {sig_addr, signal, sig_op})
#define COPIES(PUT, GET, T, BYTES)                                         \
    COPY(put, PUT, T, BYTES, .kind = Kind::kPut)                           \
    COPY(get, GET, T, BYTES, .kind = Kind::kGet)                           \
    COPY(put_nbi, PUT##_nbi, T, BYTES, .kind = Kind::kPut, .is_nbi = true) \
    COPY(get_nbi, GET##_nbi, T, BYTES, .kind = Kind::kGet, .is_nbi = true) \
    PUT_SIGNAL(put_signal, PUT##_signal, T, BYTES, false)                  \
    PUT_SIGNAL(put_signal_nbi, PUT##_signal_nbi, T, BYTES, true)

// Copies with strides, of elements and of blocks.
#define STRIDED_COPY(COLUMN, NAME, T, BYTES, KIND)                                                \
    INTERPOSE_CTX(                                                                                \
        (Counted::COLUMN, pe, nelems * (BYTES)), void, NAME,                                      \
        (T * dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe),         \
        (dest, source, dst, sst, nelems, pe), .kind = Kind::KIND, .dest = dest, .source = source, \
        .element_bytes = BYTES, .count = nelems, .dst = dst, .sst = sst, .pe = pe)
#define BLOCK_COPY(COLUMN, PREFIX, NAME, T, BYTES, KIND)                                       \
    INTERPOSE_CTX_OF(PREFIX, (Counted::COLUMN), void, NAME,                                    \
                     (T * dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,   \
                      size_t nblocks, int pe),                                                 \
                     (dest, source, dst, sst, bsize, nblocks, pe), .kind = Kind::KIND,         \
                     .dest = dest, .source = source, .element_bytes = BYTES, .count = nblocks, \
                     .block = bsize, .dst = dst, .sst = sst, .pe = pe)
#define STRIDED_COPIES(TYPED, SUFFIX, T, BYTES)                     \
    STRIDED_COPY(iput, TYPED##iput##SUFFIX, T, BYTES, kPut)         \
    STRIDED_COPY(iget, TYPED##iget##SUFFIX, T, BYTES, kGet)         \
    BLOCK_COPY(iput, shmem_, TYPED##ibput##SUFFIX, T, BYTES, kPut)  \
    BLOCK_COPY(iget, shmem_, TYPED##ibget##SUFFIX, T, BYTES, kGet)  \
    BLOCK_COPY(iput, shmemx_, TYPED##ibput##SUFFIX, T, BYTES, kPut) \
    BLOCK_COPY(iget, shmemx_, TYPED##ibget##SUFFIX, T, BYTES, kGet)

// shmem_TYPENAME_put and so on, shmem_TYPENAME_p, shmem_TYPENAME_g
#define TYPED(NAME, T)                                                                             \
    COPIES(NAME##_put, NAME##_get, T, sizeof(T))                                                   \
    STRIDED_COPIES(NAME##_, , T, sizeof(T))                                                        \
    INTERPOSE_CTX((Counted::p, pe, sizeof(T)), void, NAME##_p, (T * dest, T value, int pe),        \
                  (dest, value, pe), .kind = Kind::kPut, .dest = dest, .element_bytes = sizeof(T), \
                  .count = 1, .pe = pe, .value = bits_of(value))                                   \
    INTERPOSE_CTX((Counted::g, pe, sizeof(T)), T, NAME##_g, (const T* source, int pe),             \
                  (source, pe), .kind = Kind::kGet, .source = source, .element_bytes = sizeof(T),  \
                  .count = 1, .pe = pe)
SHMEM_INTERNAL_RMA_TYPES(TYPED)
#undef TYPED

// shmem_putSIZE and so on
#define SIZED(BITS, BYTES)                    \
    COPIES(put##BITS, get##BITS, void, BYTES) \
    STRIDED_COPIES(, BITS, void, BYTES)
SHMEM_INTERNAL_SIZES(SIZED)
#undef SIZED

COPIES(putmem, getmem, void, 1)

// Signals alone. shmemx_ has them under earlier names.
#define SIGNAL(PREFIX, NAME, OPERATION)                                                      \
    INTERPOSE_CTX_OF(PREFIX, (Counted::signal, pe), void, NAME,                              \
                     (uint64_t * sig_addr, uint64_t signal, int pe), (sig_addr, signal, pe), \
                     .kind = Kind::kSignal, .pe = pe, .signal = {sig_addr, signal, OPERATION})
SIGNAL(shmem_, signal_add, SHMEM_SIGNAL_ADD)
SIGNAL(shmem_, signal_set, SHMEM_SIGNAL_SET)
SIGNAL(shmemx_, signal_add, SHMEM_SIGNAL_ADD)
SIGNAL(shmemx_, signal_set, SHMEM_SIGNAL_SET)
#undef SIGNAL

// Reads the local signal, as an atomic fetch would.
INTERPOSE_COUNTED((Counted::fetching_atomic), uint64_t, shmem_signal_fetch,
                  (const uint64_t* sig_addr), (sig_addr), .kind = Kind::kAtomic,
                  .operation = AtomicOperation::kFetch, .is_fetching = true,
                  .dest = const_cast<uint64_t*>(sig_addr), .element_bytes = sizeof(uint64_t),
                  .count = 1, .pe = pshmem_my_pe())

#undef COPY
#undef PUT_SIGNAL
#undef COPIES
#undef STRIDED_COPY
#undef BLOCK_COPY
#undef STRIDED_COPIES

}  // namespace tessera::interpose
