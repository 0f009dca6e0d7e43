// SPDX-License-Identifier: BSD-3-Clause
//
// The table of RMA and put-with-signal routines (routine_table.hpp). A row is made by pasting
// names: shmem_ + int_ + put for a type, shmem_ + put + 32 for a size, shmem_ + put + mem.
#include "random/routine_table.hpp"
#include "support/spec_types.hpp"

namespace tessera::random {
namespace {

// Both forms of a routine.
#define CALL(NAME, ...) \
    (ctx != nullptr ? shmem_ctx_##NAME(*ctx, __VA_ARGS__) : shmem_##NAME(__VA_ARGS__))
#define MOVE(NAME, T)                                                                     \
    [](OptionalContext ctx, void* dest, const void* source, std::size_t nelems, int pe) { \
        CALL(NAME, static_cast<T*>(dest), static_cast<const T*>(source), nelems, pe);     \
    }
#define PUT_SIGNAL(NAME, T)                                                                   \
    [](OptionalContext ctx, void* dest, const void* source, std::size_t nelems,               \
       const SignalArguments& signal, int pe) {                                               \
        CALL(NAME, static_cast<T*>(dest), static_cast<const T*>(source), nelems, signal.word, \
             signal.value, signal.op, pe);                                                    \
    }
#define STRIDED(NAME, T)                                                                      \
    [](OptionalContext ctx, void* dest, const void* source, const Strides& strides, int pe) { \
        CALL(NAME, static_cast<T*>(dest), static_cast<const T*>(source), strides.dest,        \
             strides.source, strides.blocks, pe);                                             \
    }
#define BLOCK_STRIDED(NAME, T)                                                                \
    [](OptionalContext ctx, void* dest, const void* source, const Strides& strides, int pe) { \
        CALL(NAME, static_cast<T*>(dest), static_cast<const T*>(source), strides.dest,        \
             strides.source, strides.block, strides.blocks, pe);                              \
    }
#define P(NAME, T)                                                            \
    [](OptionalContext ctx, void* dest, const void* value, int pe) {          \
        CALL(NAME, static_cast<T*>(dest), *static_cast<const T*>(value), pe); \
    }
#define G(NAME, T)                                                               \
    [](OptionalContext ctx, void* value, const void* source, int pe) {           \
        *static_cast<T*>(value) = CALL(NAME, static_cast<const T*>(source), pe); \
    }

template <class T>
inline constexpr bool kHasPadding = false;
template <>
inline constexpr bool kHasPadding<long double> = true;

#define TYPE_ROW(NAME, T)                                       \
    RmaRoutines{.name = #NAME,                                  \
                .element_bytes = sizeof(T),                     \
                .alignment = alignof(T),                        \
                .has_values = !kHasPadding<T>,                  \
                .has_strides = true,                            \
                .put = MOVE(NAME##_put, T),                     \
                .put_nbi = MOVE(NAME##_put_nbi, T),             \
                .get = MOVE(NAME##_get, T),                     \
                .get_nbi = MOVE(NAME##_get_nbi, T),             \
                .p = P(NAME##_p, T),                            \
                .g = G(NAME##_g, T),                            \
                .iput = STRIDED(NAME##_iput, T),                \
                .iget = STRIDED(NAME##_iget, T),                \
                .ibput = BLOCK_STRIDED(NAME##_ibput, T),        \
                .ibget = BLOCK_STRIDED(NAME##_ibget, T),        \
                .put_signal = PUT_SIGNAL(NAME##_put_signal, T), \
                .put_signal_nbi = PUT_SIGNAL(NAME##_put_signal_nbi, T)},
#define SIZE_ROW(BITS)                                              \
    RmaRoutines{.name = #BITS,                                      \
                .element_bytes = (BITS) / 8,                        \
                .alignment = (BITS) / 8,                            \
                .has_values = false,                                \
                .has_strides = true,                                \
                .put = MOVE(put##BITS, void),                       \
                .put_nbi = MOVE(put##BITS##_nbi, void),             \
                .get = MOVE(get##BITS, void),                       \
                .get_nbi = MOVE(get##BITS##_nbi, void),             \
                .p = nullptr,                                       \
                .g = nullptr,                                       \
                .iput = STRIDED(iput##BITS, void),                  \
                .iget = STRIDED(iget##BITS, void),                  \
                .ibput = BLOCK_STRIDED(ibput##BITS, void),          \
                .ibget = BLOCK_STRIDED(ibget##BITS, void),          \
                .put_signal = PUT_SIGNAL(put##BITS##_signal, void), \
                .put_signal_nbi = PUT_SIGNAL(put##BITS##_signal_nbi, void)},

const RmaRoutines kRows[] = {SPEC_RMA_TYPES(TYPE_ROW) SPEC_SIZES(SIZE_ROW) RmaRoutines{
    .name = "mem",
    .element_bytes = 1,
    .alignment = 1,
    .has_values = false,
    .has_strides = false,
    .put = MOVE(putmem, void),
    .put_nbi = MOVE(putmem_nbi, void),
    .get = MOVE(getmem, void),
    .get_nbi = MOVE(getmem_nbi, void),
    .p = nullptr,
    .g = nullptr,
    .iput = nullptr,
    .iget = nullptr,
    .ibput = nullptr,
    .ibget = nullptr,
    .put_signal = PUT_SIGNAL(putmem_signal, void),
    .put_signal_nbi = PUT_SIGNAL(putmem_signal_nbi, void)}};

}  // namespace

std::span<const RmaRoutines> rma_routines() { return kRows; }

}  // namespace tessera::random
