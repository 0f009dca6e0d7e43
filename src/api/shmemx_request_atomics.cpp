// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics with a request (include/shmemx/request_atomics.h). Types end here: below, an atomic is a
// word of 4 or 8 bytes.
#include "shmemx/request_atomics.h"

#include "api/entry.hpp"
#include "api/extents.hpp"
#include "api/request_variable.hpp"
#include "progress/tracked.hpp"

using tessera::AtomicOp;
using tessera::default_context;
using tessera::api::context_of;

namespace {

struct Words {
    AtomicOp op;
    bool has_result;
};

// `fetch` is nullptr only for operations without a result.
template <class T>
void perform(const tessera::Context& context, const Words& words, T* fetch, const T* object,
             T value, T condition, int pe, shmemx_req_t* req, const char* where) {
    if (words.has_result) tessera::api::check_local("fetch", fetch, 1, where);
    const tessera::AtomicRequest request{.dest = const_cast<T*>(object),
                                         .bytes = sizeof(T),
                                         .op = words.op,
                                         .operand = tessera::to_bits(value),
                                         .condition = tessera::to_bits(condition)};
    tessera::atomic_req(context, request, fetch, pe, tessera::api::checked_variable(req, where),
                        where);
}

}  // namespace

// The two forms of a routine. PARAMETERS are those between ctx and pe; FETCH, OBJECT, VALUE and
// CONDITION say what they mean.
#define UNPAREN(...) __VA_ARGS__
#define DEFINE_FORMS(NAME, T, OP, HAS_RESULT, PARAMETERS, FETCH, OBJECT, VALUE, CONDITION)         \
    SHMEM_ENTRY(void, shmemx_##NAME, UNPAREN PARAMETERS, int pe, shmemx_req_t* req) {              \
        perform<T>(default_context, {AtomicOp::OP, HAS_RESULT}, FETCH, OBJECT, VALUE, CONDITION,   \
                   pe, req, SHMEM_WHERE);                                                          \
    }                                                                                              \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, UNPAREN PARAMETERS, int pe,              \
                shmemx_req_t* req) {                                                               \
        perform<T>(context_of(ctx, SHMEM_WHERE), {AtomicOp::OP, HAS_RESULT}, FETCH, OBJECT, VALUE, \
                   CONDITION, pe, req, SHMEM_WHERE);                                               \
    }
#define DEFINE_FETCHING(NAME, T, OP)                                                    \
    DEFINE_FORMS(NAME, T, OP, true, (T * fetch, T * dest, T value), fetch, dest, value, \
                 static_cast<T>(0))
#define DEFINE_SILENT(NAME, T, OP) \
    DEFINE_FORMS(NAME, T, OP, false, (T * dest, T value), nullptr, dest, value, static_cast<T>(0))

// shmemx_TYPENAME_atomic_{fetch,set,swap}_req
#define DEFINE_EXTENDED(NAME, T)                                                                \
    DEFINE_FORMS(NAME##_atomic_fetch_req, T, kFetch, true, (T * fetch, const T* source), fetch, \
                 source, static_cast<T>(0), static_cast<T>(0))                                  \
    DEFINE_SILENT(NAME##_atomic_set_req, T, kSet)                                               \
    DEFINE_FETCHING(NAME##_atomic_swap_req, T, kSwap)
SHMEM_INTERNAL_AMO_EXT_TYPES(DEFINE_EXTENDED)
#undef DEFINE_EXTENDED

// shmemx_TYPENAME_atomic_{compare_swap,fetch_inc,inc,fetch_add,add}_req
#define DEFINE_STANDARD(NAME, T)                                                                 \
    DEFINE_FORMS(NAME##_atomic_compare_swap_req, T, kCompareSwap, true,                          \
                 (T * fetch, T * dest, T cond, T value), fetch, dest, value, cond)               \
    DEFINE_FORMS(NAME##_atomic_fetch_inc_req, T, kAdd, true, (T * fetch, T * dest), fetch, dest, \
                 static_cast<T>(1), static_cast<T>(0))                                           \
    DEFINE_FORMS(NAME##_atomic_inc_req, T, kAdd, false, (T * dest), nullptr, dest,               \
                 static_cast<T>(1), static_cast<T>(0))                                           \
    DEFINE_FETCHING(NAME##_atomic_fetch_add_req, T, kAdd)                                        \
    DEFINE_SILENT(NAME##_atomic_add_req, T, kAdd)
SHMEM_INTERNAL_AMO_STD_TYPES(DEFINE_STANDARD)
#undef DEFINE_STANDARD

// shmemx_TYPENAME_atomic_{fetch_and,and,fetch_or,or,fetch_xor,xor}_req
#define DEFINE_BITWISE(NAME, T)                           \
    DEFINE_FETCHING(NAME##_atomic_fetch_and_req, T, kAnd) \
    DEFINE_SILENT(NAME##_atomic_and_req, T, kAnd)         \
    DEFINE_FETCHING(NAME##_atomic_fetch_or_req, T, kOr)   \
    DEFINE_SILENT(NAME##_atomic_or_req, T, kOr)           \
    DEFINE_FETCHING(NAME##_atomic_fetch_xor_req, T, kXor) \
    DEFINE_SILENT(NAME##_atomic_xor_req, T, kXor)
SHMEM_INTERNAL_AMO_BIT_TYPES(DEFINE_BITWISE)
#undef DEFINE_BITWISE
#undef DEFINE_SILENT
#undef DEFINE_FETCHING
#undef DEFINE_FORMS
#undef UNPAREN
