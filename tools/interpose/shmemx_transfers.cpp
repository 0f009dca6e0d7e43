// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers of shmemx.h: with requests and counters, strided and indexed, accumulate, epochs.
#include "tools/interpose/element_types.hpp"
#include "tools/interpose/forward.hpp"

namespace tessera::interpose {

#define REQUEST .requests = req, .request_count = 1

// ---- Copies with a request ----------------------------------------------------------------------

#define COPY(COLUMN, NAME, T, BYTES, KIND)                                                    \
    INTERPOSE_CTX_OF(shmemx_, (Counted::COLUMN), void, NAME,                                  \
                     (T * dest, const T* source, size_t nelems, int pe, shmemx_req_t* req),   \
                     (dest, source, nelems, pe, req), .kind = Kind::KIND, .is_nbi = true,     \
                     .dest = dest, .source = source, .element_bytes = BYTES, .count = nelems, \
                     .pe = pe, REQUEST)
#define PUT_SIGNAL(NAME, T, BYTES)                                                       \
    INTERPOSE_CTX_OF(shmemx_, (Counted::put_signal_nbi), void, NAME,                     \
                     (T * dest, const T* source, size_t nelems, uint64_t* sig_addr,      \
                      uint64_t signal, int sig_op, int pe, shmemx_req_t* req),           \
                     (dest, source, nelems, sig_addr, signal, sig_op, pe, req),          \
                     .kind = Kind::kPut, .is_nbi = true, .dest = dest, .source = source, \
                     .element_bytes = BYTES, .count = nelems, .pe = pe,                  \
                     .signal = {sig_addr, signal, sig_op}, REQUEST)
#define COPIES(PREFIX, SUFFIX, T, BYTES)                     \
    COPY(put_nbi, PREFIX##put##SUFFIX##_req, T, BYTES, kPut) \
    COPY(get_nbi, PREFIX##get##SUFFIX##_req, T, BYTES, kGet) \
    PUT_SIGNAL(PREFIX##put##SUFFIX##_signal_req, T, BYTES)
#define TYPED(NAME, T) COPIES(NAME##_, , T, sizeof(T))
SHMEM_INTERNAL_RMA_TYPES(TYPED)
COPIES(, mem, void, 1)
#undef TYPED
#undef COPIES
#undef PUT_SIGNAL
#undef COPY

// ---- Strided and indexed ------------------------------------------------------------------------

#define STRIDED(COLUMN, NAME, KIND, IS_NBI)                                                       \
    INTERPOSE_CTX_OF(                                                                             \
        shmemx_, (Counted::COLUMN), void, NAME,                                                   \
        (void* dest, const ptrdiff_t* dest_strides, const void* source,                           \
         const ptrdiff_t* source_strides, const size_t* extents, int ndims, size_t element_bytes, \
         int pe),                                                                                 \
        (dest, dest_strides, source, source_strides, extents, ndims, element_bytes, pe),          \
        .kind = Kind::KIND, .is_nbi = IS_NBI, .dest = dest, .source = source,                     \
        .element_bytes = element_bytes, .pe = pe,                                                 \
        .section = {dest_strides, source_strides, extents, ndims})
#define STRIDED_SIGNAL(COLUMN, NAME, IS_NBI)                                                      \
    INTERPOSE_CTX_OF(                                                                             \
        shmemx_, (Counted::COLUMN), void, NAME,                                                   \
        (void* dest, const ptrdiff_t* dest_strides, const void* source,                           \
         const ptrdiff_t* source_strides, const size_t* extents, int ndims, size_t element_bytes, \
         uint64_t* sig_addr, uint64_t signal, int sig_op, int pe),                                \
        (dest, dest_strides, source, source_strides, extents, ndims, element_bytes, sig_addr,     \
         signal, sig_op, pe),                                                                     \
        .kind = Kind::kPut, .is_nbi = IS_NBI, .dest = dest, .source = source,                     \
        .element_bytes = element_bytes, .pe = pe,                                                 \
        .section = {dest_strides, source_strides, extents, ndims},                                \
        .signal = {sig_addr, signal, sig_op})
#define STRIDED_REQ(COLUMN, NAME, KIND)                                                           \
    INTERPOSE_CTX_OF(                                                                             \
        shmemx_, (Counted::COLUMN), void, NAME,                                                   \
        (void* dest, const ptrdiff_t* dest_strides, const void* source,                           \
         const ptrdiff_t* source_strides, const size_t* extents, int ndims, size_t element_bytes, \
         int pe, shmemx_req_t* req),                                                              \
        (dest, dest_strides, source, source_strides, extents, ndims, element_bytes, pe, req),     \
        .kind = Kind::KIND, .is_nbi = true, .dest = dest, .source = source,                       \
        .element_bytes = element_bytes, .pe = pe,                                                 \
        .section = {dest_strides, source_strides, extents, ndims}, REQUEST)
#define INDEXED(COLUMN, NAME, KIND, IS_NBI)                                                       \
    INTERPOSE_CTX_OF(                                                                             \
        shmemx_, (Counted::COLUMN), void, NAME,                                                   \
        (void* dest, const shmemx_block_t* dest_blocks, size_t dest_count, const void* source,    \
         const shmemx_block_t* source_blocks, size_t source_count, int pe),                       \
        (dest, dest_blocks, dest_count, source, source_blocks, source_count, pe),                 \
        .kind = Kind::KIND, .is_nbi = IS_NBI, .dest = dest, .source = source, .element_bytes = 1, \
        .pe = pe, .blocks = {dest_blocks, dest_count, source_blocks, source_count})
#define INDEXED_SIGNAL(COLUMN, NAME, IS_NBI)                                                      \
    INTERPOSE_CTX_OF(                                                                             \
        shmemx_, (Counted::COLUMN), void, NAME,                                                   \
        (void* dest, const shmemx_block_t* dest_blocks, size_t dest_count, const void* source,    \
         const shmemx_block_t* source_blocks, size_t source_count, uint64_t* sig_addr,            \
         uint64_t signal, int sig_op, int pe),                                                    \
        (dest, dest_blocks, dest_count, source, source_blocks, source_count, sig_addr, signal,    \
         sig_op, pe),                                                                             \
        .kind = Kind::kPut, .is_nbi = IS_NBI, .dest = dest, .source = source, .element_bytes = 1, \
        .pe = pe, .blocks = {dest_blocks, dest_count, source_blocks, source_count},               \
        .signal = {sig_addr, signal, sig_op})
#define INDEXED_REQ(COLUMN, NAME, KIND)                                                         \
    INTERPOSE_CTX_OF(                                                                           \
        shmemx_, (Counted::COLUMN), void, NAME,                                                 \
        (void* dest, const shmemx_block_t* dest_blocks, size_t dest_count, const void* source,  \
         const shmemx_block_t* source_blocks, size_t source_count, int pe, shmemx_req_t* req),  \
        (dest, dest_blocks, dest_count, source, source_blocks, source_count, pe, req),          \
        .kind = Kind::KIND, .is_nbi = true, .dest = dest, .source = source, .element_bytes = 1, \
        .pe = pe, .blocks = {dest_blocks, dest_count, source_blocks, source_count}, REQUEST)
STRIDED(iput, put_strided, kPut, false)
STRIDED(iget, get_strided, kGet, false)
STRIDED(put_nbi, put_strided_nbi, kPut, true)
STRIDED(get_nbi, get_strided_nbi, kGet, true)
STRIDED_SIGNAL(put_signal, put_strided_signal, false)
STRIDED_SIGNAL(put_signal_nbi, put_strided_signal_nbi, true)
STRIDED_REQ(put_nbi, put_strided_req, kPut)
STRIDED_REQ(get_nbi, get_strided_req, kGet)
INDEXED(iput, put_indexed, kPut, false)
INDEXED(iget, get_indexed, kGet, false)
INDEXED(put_nbi, put_indexed_nbi, kPut, true)
INDEXED(get_nbi, get_indexed_nbi, kGet, true)
INDEXED_SIGNAL(put_signal, put_indexed_signal, false)
INDEXED_SIGNAL(put_signal_nbi, put_indexed_signal_nbi, true)
INDEXED_REQ(put_nbi, put_indexed_req, kPut)
INDEXED_REQ(get_nbi, get_indexed_req, kGet)
#undef STRIDED
#undef STRIDED_SIGNAL
#undef STRIDED_REQ
#undef INDEXED
#undef INDEXED_SIGNAL
#undef INDEXED_REQ

// ---- Accumulate ---------------------------------------------------------------------------------

#define ACCUMULATE(NAME, PARAMETERS, ARGUMENTS, IS_NBI, SOURCE, COUNT, RESULT, ...)             \
    INTERPOSE_CTX_OF(shmemx_, (Counted::atomic), void, NAME, PARAMETERS, ARGUMENTS,             \
                     .kind = Kind::kAccumulate, .operation = AtomicOperation::kOther,           \
                     .is_nbi = IS_NBI, .is_fetching = (RESULT) != nullptr, .dest = dest,        \
                     .source = SOURCE, .element_bytes = element_bytes_of(type), .count = COUNT, \
                     .pe = pe, .fetched = RESULT, __VA_ARGS__)
#define BOTH(NAME, PARAMETERS, ARGUMENTS, SOURCE, COUNT, RESULT)                      \
    ACCUMULATE(NAME, PARAMETERS, ARGUMENTS, false, SOURCE, COUNT, RESULT, .value = 0) \
    ACCUMULATE(NAME##_req, (INTERPOSE_LIST PARAMETERS, shmemx_req_t * req),           \
               (INTERPOSE_LIST ARGUMENTS, req), true, SOURCE, COUNT, RESULT, REQUEST)
BOTH(accumulate, (void* dest, const void* source, size_t nelems, int type, int op, int pe),
     (dest, source, nelems, type, op, pe), source, nelems, static_cast<void*>(nullptr))
BOTH(get_accumulate,
     (void* dest, const void* source, void* result, size_t nelems, int type, int op, int pe),
     (dest, source, result, nelems, type, op, pe), source, nelems, result)
BOTH(fetch_op, (void* dest, const void* value, void* result, int type, int op, int pe),
     (dest, value, result, type, op, pe), value, 1, result)
BOTH(compare_swap,
     (void* dest, const void* cond, const void* value, void* result, int type, int pe),
     (dest, cond, value, result, type, pe), value, 1, result)
#undef BOTH
#undef ACCUMULATE
#undef REQUEST

// ---- Counting puts and gets, epochs -------------------------------------------------------------

#define BYTES(COLUMN, NAME, KIND, FIRST_TYPE, FIRST, IS_NBI, ...)                                \
    INTERPOSE_COUNTED((Counted::COLUMN), void, NAME,                                             \
                      (FIRST_TYPE FIRST, void* dest, const void* source, size_t nbytes, int pe), \
                      (FIRST, dest, source, nbytes, pe), .kind = Kind::KIND, .is_nbi = IS_NBI,   \
                      .dest = dest, .source = source, .element_bytes = 1, .count = nbytes,       \
                      .pe = pe, __VA_ARGS__)
BYTES(put, shmemx_putmem_ct, kPut, shmemx_ct_t, ct, false, .lock = nullptr)
BYTES(get, shmemx_getmem_ct, kGet, shmemx_ct_t, ct, false, .lock = nullptr)
BYTES(put_nbi, shmemx_epoch_put, kPut, shmemx_epoch_t, epoch, true, .epoch = &epoch)
BYTES(get_nbi, shmemx_epoch_get, kGet, shmemx_epoch_t, epoch, true, .epoch = &epoch)
BYTES(put, shmemx_window_put, kPut, shmemx_window_t, window, false, .lock = nullptr)
BYTES(get, shmemx_window_get, kGet, shmemx_window_t, window, false, .lock = nullptr)
#undef BYTES

#define EPOCH(RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    INTERPOSE(RESULT, shmemx_epoch_##NAME, PARAMETERS, ARGUMENTS, .kind = Kind::kEpoch, __VA_ARGS__)
EPOCH(void, post, (const int* origins, size_t count, long options, shmemx_epoch_t* epoch),
      (origins, count, options, epoch), .pes = origins, .pe_count = count, .options = options,
      .epoch = epoch)
EPOCH(void, start, (const int* targets, size_t count, long options, shmemx_epoch_t* epoch),
      (targets, count, options, epoch), .pes = targets, .pe_count = count, .options = options,
      .epoch = epoch)
EPOCH(void, ready, (shmemx_epoch_t epoch, int pe), (epoch, pe), .pe = pe, .epoch = &epoch)
EPOCH(void, complete, (shmemx_epoch_t * epoch), (epoch), .epoch = epoch)
EPOCH(void, wait, (shmemx_epoch_t * epoch), (epoch), .epoch = epoch)
EPOCH(int, test, (shmemx_epoch_t * epoch), (epoch), .epoch = epoch)
#undef EPOCH

#define WINDOW(KIND, RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    INTERPOSE(RESULT, shmemx_window_##NAME, PARAMETERS, ARGUMENTS, .kind = Kind::KIND, __VA_ARGS__)
WINDOW(kEpoch, int, create, (shmem_team_t team, void* base, size_t nbytes, shmemx_window_t* window),
       (team, base, nbytes, window), .team = team, .dest = base, .size = nbytes)
WINDOW(kEpoch, void, destroy, (shmemx_window_t * window), (window), .options = 0)
WINDOW(kEpoch, void, post,
       (shmemx_window_t window, const int* origins, size_t count, long options,
        shmemx_epoch_t* epoch),
       (window, origins, count, options, epoch), .pes = origins, .pe_count = count,
       .options = options, .epoch = epoch)
WINDOW(kEpoch, void, start,
       (shmemx_window_t window, const int* targets, size_t count, long options,
        shmemx_epoch_t* epoch),
       (window, targets, count, options, epoch), .pes = targets, .pe_count = count,
       .options = options, .epoch = epoch)
WINDOW(kEpoch, void, barrier, (shmemx_window_t window, long options), (window, options),
       .options = options)
WINDOW(kCoherence, void, publish, (shmemx_window_t window), (window), .options = 0)
WINDOW(kCoherence, void, refresh, (shmemx_window_t window), (window), .options = 0)
#undef WINDOW

}  // namespace tessera::interpose
