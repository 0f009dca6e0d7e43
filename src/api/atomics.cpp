// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic memory operations (OpenSHMEM 1.6, 9.7), with their deprecated names. On mapped memory each
// is one CPU atomic; the nonblocking forms are complete when they return.
#include "shmem/atomics.h"

#include "api/entry.hpp"
#include "api/extents.hpp"
#include "shmem/deprecated.h"

using tessera::default_context;
using tessera::OldValue;
using tessera::api::context_of;

namespace {

// Where a nonblocking operation leaves the old value.
template <class T>
TESSERA_INLINE T* result(T* fetch, const char* where) {
    tessera::api::check_local("fetch", fetch, 1, where);
    return fetch;
}

}  // namespace

// shmem_TYPENAME_atomic_{fetch,set,swap}, shmem_ctx_ and _nbi forms
#define DEFINE_EXTENDED(NAME, T)                                                                  \
    SHMEM_ENTRY(T, shmem_##NAME##_atomic_fetch, const T* source, int pe) {                        \
        return default_context.fetch(source, pe, SHMEM_WHERE);                                    \
    }                                                                                             \
    SHMEM_ENTRY(T, shmem_ctx_##NAME##_atomic_fetch, shmem_ctx_t ctx, const T* source, int pe) {   \
        return context_of(ctx, SHMEM_WHERE).fetch(source, pe, SHMEM_WHERE);                       \
    }                                                                                             \
    SHMEM_ENTRY(void, shmem_##NAME##_atomic_set, T* dest, T value, int pe) {                      \
        default_context.set(dest, value, pe, SHMEM_WHERE);                                        \
    }                                                                                             \
    SHMEM_ENTRY(void, shmem_ctx_##NAME##_atomic_set, shmem_ctx_t ctx, T* dest, T value, int pe) { \
        context_of(ctx, SHMEM_WHERE).set(dest, value, pe, SHMEM_WHERE);                           \
    }                                                                                             \
    SHMEM_ENTRY(T, shmem_##NAME##_atomic_swap, T* dest, T value, int pe) {                        \
        return default_context.swap(dest, value, pe, SHMEM_WHERE);                                \
    }                                                                                             \
    SHMEM_ENTRY(T, shmem_ctx_##NAME##_atomic_swap, shmem_ctx_t ctx, T* dest, T value, int pe) {   \
        return context_of(ctx, SHMEM_WHERE).swap(dest, value, pe, SHMEM_WHERE);                   \
    }                                                                                             \
    SHMEM_ENTRY(void, shmem_##NAME##_atomic_fetch_nbi, T* fetch, const T* source, int pe) {       \
        default_context.fetch<OldValue::kLater>(source, pe, SHMEM_WHERE,                          \
                                                result(fetch, SHMEM_WHERE));                      \
    }                                                                                             \
    SHMEM_ENTRY(void, shmem_ctx_##NAME##_atomic_fetch_nbi, shmem_ctx_t ctx, T* fetch,             \
                const T* source, int pe) {                                                        \
        context_of(ctx, SHMEM_WHERE)                                                              \
            .fetch<OldValue::kLater>(source, pe, SHMEM_WHERE, result(fetch, SHMEM_WHERE));        \
    }                                                                                             \
    SHMEM_ENTRY(void, shmem_##NAME##_atomic_swap_nbi, T* fetch, T* dest, T value, int pe) {       \
        default_context.swap<OldValue::kLater>(dest, value, pe, SHMEM_WHERE,                      \
                                               result(fetch, SHMEM_WHERE));                       \
    }                                                                                             \
    SHMEM_ENTRY(void, shmem_ctx_##NAME##_atomic_swap_nbi, shmem_ctx_t ctx, T* fetch, T* dest,     \
                T value, int pe) {                                                                \
        context_of(ctx, SHMEM_WHERE)                                                              \
            .swap<OldValue::kLater>(dest, value, pe, SHMEM_WHERE, result(fetch, SHMEM_WHERE));    \
    }
SHMEM_INTERNAL_AMO_EXT_TYPES(DEFINE_EXTENDED)
#undef DEFINE_EXTENDED

// shmem_TYPENAME_atomic_{compare_swap,fetch_inc,inc,fetch_add,add}, shmem_ctx_ and _nbi forms
#define DEFINE_STANDARD(NAME, T)                                                                   \
    SHMEM_ENTRY(T, shmem_##NAME##_atomic_compare_swap, T* dest, T cond, T value, int pe) {         \
        return default_context.compare_swap(dest, cond, value, pe, SHMEM_WHERE);                   \
    }                                                                                              \
    SHMEM_ENTRY(T, shmem_ctx_##NAME##_atomic_compare_swap, shmem_ctx_t ctx, T* dest, T cond,       \
                T value, int pe) {                                                                 \
        return context_of(ctx, SHMEM_WHERE).compare_swap(dest, cond, value, pe, SHMEM_WHERE);      \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_##NAME##_atomic_compare_swap_nbi, T* fetch, T* dest, T cond, T value,  \
                int pe) {                                                                          \
        default_context.compare_swap<OldValue::kLater>(dest, cond, value, pe, SHMEM_WHERE,         \
                                                       result(fetch, SHMEM_WHERE));                \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_ctx_##NAME##_atomic_compare_swap_nbi, shmem_ctx_t ctx, T* fetch,       \
                T* dest, T cond, T value, int pe) {                                                \
        context_of(ctx, SHMEM_WHERE)                                                               \
            .compare_swap<OldValue::kLater>(dest, cond, value, pe, SHMEM_WHERE,                    \
                                            result(fetch, SHMEM_WHERE));                           \
    }                                                                                              \
    SHMEM_ENTRY(T, shmem_##NAME##_atomic_fetch_inc, T* dest, int pe) {                             \
        return default_context.fetch_add(dest, static_cast<T>(1), pe, SHMEM_WHERE);                \
    }                                                                                              \
    SHMEM_ENTRY(T, shmem_ctx_##NAME##_atomic_fetch_inc, shmem_ctx_t ctx, T* dest, int pe) {        \
        return context_of(ctx, SHMEM_WHERE).fetch_add(dest, static_cast<T>(1), pe, SHMEM_WHERE);   \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_##NAME##_atomic_inc, T* dest, int pe) {                                \
        default_context.fetch_add<OldValue::kIgnored>(dest, static_cast<T>(1), pe, SHMEM_WHERE);   \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_ctx_##NAME##_atomic_inc, shmem_ctx_t ctx, T* dest, int pe) {           \
        context_of(ctx, SHMEM_WHERE)                                                               \
            .fetch_add<OldValue::kIgnored>(dest, static_cast<T>(1), pe, SHMEM_WHERE);              \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_##NAME##_atomic_fetch_inc_nbi, T* fetch, T* dest, int pe) {            \
        default_context.fetch_add<OldValue::kLater>(dest, static_cast<T>(1), pe, SHMEM_WHERE,      \
                                                    result(fetch, SHMEM_WHERE));                   \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_ctx_##NAME##_atomic_fetch_inc_nbi, shmem_ctx_t ctx, T* fetch, T* dest, \
                int pe) {                                                                          \
        context_of(ctx, SHMEM_WHERE)                                                               \
            .fetch_add<OldValue::kLater>(dest, static_cast<T>(1), pe, SHMEM_WHERE,                 \
                                         result(fetch, SHMEM_WHERE));                              \
    }
SHMEM_INTERNAL_AMO_STD_TYPES(DEFINE_STANDARD)
#undef DEFINE_STANDARD

// shmem_TYPENAME_atomic_fetch_OP, shmem_TYPENAME_atomic_OP, shmem_ctx_ and _nbi forms
#define DEFINE_OPERATION(NAME, T, OP)                                                              \
    SHMEM_ENTRY(T, shmem_##NAME##_atomic_fetch_##OP, T* dest, T value, int pe) {                   \
        return default_context.fetch_##OP(dest, value, pe, SHMEM_WHERE);                           \
    }                                                                                              \
    SHMEM_ENTRY(T, shmem_ctx_##NAME##_atomic_fetch_##OP, shmem_ctx_t ctx, T* dest, T value,        \
                int pe) {                                                                          \
        return context_of(ctx, SHMEM_WHERE).fetch_##OP(dest, value, pe, SHMEM_WHERE);              \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_##NAME##_atomic_##OP, T* dest, T value, int pe) {                      \
        default_context.fetch_##OP<OldValue::kIgnored>(dest, value, pe, SHMEM_WHERE);              \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_ctx_##NAME##_atomic_##OP, shmem_ctx_t ctx, T* dest, T value, int pe) { \
        context_of(ctx, SHMEM_WHERE).fetch_##OP<OldValue::kIgnored>(dest, value, pe, SHMEM_WHERE); \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_##NAME##_atomic_fetch_##OP##_nbi, T* fetch, T* dest, T value,          \
                int pe) {                                                                          \
        default_context.fetch_##OP<OldValue::kLater>(dest, value, pe, SHMEM_WHERE,                 \
                                                     result(fetch, SHMEM_WHERE));                  \
    }                                                                                              \
    SHMEM_ENTRY(void, shmem_ctx_##NAME##_atomic_fetch_##OP##_nbi, shmem_ctx_t ctx, T* fetch,       \
                T* dest, T value, int pe) {                                                        \
        context_of(ctx, SHMEM_WHERE)                                                               \
            .fetch_##OP<OldValue::kLater>(dest, value, pe, SHMEM_WHERE,                            \
                                          result(fetch, SHMEM_WHERE));                             \
    }
#define DEFINE_ADD(NAME, T) DEFINE_OPERATION(NAME, T, add)
#define DEFINE_BITWISE(NAME, T)    \
    DEFINE_OPERATION(NAME, T, and) \
    DEFINE_OPERATION(NAME, T, or)  \
    DEFINE_OPERATION(NAME, T, xor)
SHMEM_INTERNAL_AMO_STD_TYPES(DEFINE_ADD)
SHMEM_INTERNAL_AMO_BIT_TYPES(DEFINE_BITWISE)
#undef DEFINE_ADD
#undef DEFINE_BITWISE
#undef DEFINE_OPERATION

// Deprecated since 1.4: shmem_TYPENAME_{fetch,set,swap}
#define DEFINE_OLD_EXTENDED(NAME, T)                                  \
    SHMEM_ENTRY(T, shmem_##NAME##_fetch, const T* source, int pe) {   \
        return default_context.fetch(source, pe, SHMEM_WHERE);        \
    }                                                                 \
    SHMEM_ENTRY(void, shmem_##NAME##_set, T* dest, T value, int pe) { \
        default_context.set(dest, value, pe, SHMEM_WHERE);            \
    }                                                                 \
    SHMEM_ENTRY(T, shmem_##NAME##_swap, T* dest, T value, int pe) {   \
        return default_context.swap(dest, value, pe, SHMEM_WHERE);    \
    }
SHMEM_INTERNAL_OLD_EXT_TYPES(DEFINE_OLD_EXTENDED)
#undef DEFINE_OLD_EXTENDED

// Deprecated since 1.4: shmem_TYPENAME_{cswap,finc,inc,fadd,add}
#define DEFINE_OLD_STANDARD(NAME, T)                                                             \
    SHMEM_ENTRY(T, shmem_##NAME##_cswap, T* dest, T cond, T value, int pe) {                     \
        return default_context.compare_swap(dest, cond, value, pe, SHMEM_WHERE);                 \
    }                                                                                            \
    SHMEM_ENTRY(T, shmem_##NAME##_finc, T* dest, int pe) {                                       \
        return default_context.fetch_add(dest, static_cast<T>(1), pe, SHMEM_WHERE);              \
    }                                                                                            \
    SHMEM_ENTRY(void, shmem_##NAME##_inc, T* dest, int pe) {                                     \
        default_context.fetch_add<OldValue::kIgnored>(dest, static_cast<T>(1), pe, SHMEM_WHERE); \
    }                                                                                            \
    SHMEM_ENTRY(T, shmem_##NAME##_fadd, T* dest, T value, int pe) {                              \
        return default_context.fetch_add(dest, value, pe, SHMEM_WHERE);                          \
    }                                                                                            \
    SHMEM_ENTRY(void, shmem_##NAME##_add, T* dest, T value, int pe) {                            \
        default_context.fetch_add<OldValue::kIgnored>(dest, value, pe, SHMEM_WHERE);             \
    }
SHMEM_INTERNAL_OLD_STD_TYPES(DEFINE_OLD_STANDARD)
#undef DEFINE_OLD_STANDARD
