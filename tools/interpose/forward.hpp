// SPDX-License-Identifier: BSD-3-Clause
//
// The macros that make the routines of this folder. Each holds one signature and one forwarding
// call; PARAMETERS and ARGUMENTS stand in parentheses. The other arguments of a macro initialize
// members of Call, in their order. The macros stand in namespace tessera::interpose; the routines
// have C linkage, so they are those that the program calls.
#pragma once

#define SHMEM_INTERNAL_TYPE_TABLES
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "shmem/types.h"
#include "tools/interpose/call.hpp"
#include "tools/interpose/counted.hpp"

namespace tessera::interpose {

// The bits of a value in the low bytes of a word; 0 for types that are longer than a word.
template <class T>
std::uint64_t bits_of(T value) {
    std::uint64_t bits = 0;
    if constexpr (sizeof(T) <= sizeof bits) std::memcpy(&bits, &value, sizeof value);
    return bits;
}

// Tells the observer, and calls the library in between.
template <class Library>
TESSERA_INLINE auto forward(Call& call, Library library) {
    before(call);
    if constexpr (std::is_void_v<decltype(library())>) {
        library();
        after(call);
    } else {
        auto result = library();
        call.result = bits_of(result);
        after(call);
        return result;
    }
}

// The same for a routine of the library, whose arguments the observer leaves alone. Inline, so that
// the routine is called and its address not taken: the loader looks for what is called when it is.
template <class Result, class... Parameters>
TESSERA_INLINE Result forward_to(Call& call, Result (*routine)(Parameters...),
                                 Parameters... arguments) {
    before(call);
    if constexpr (std::is_void_v<Result>) {
        routine(arguments...);
        after(call);
    } else {
        Result result = routine(arguments...);
        call.result = bits_of(result);
        after(call);
        return result;
    }
}

// forward() for routines that return memory: the program gets the address that the observer leaves.
template <class Library>
void* forward_memory(Call& call, Library library) {
    forward(call, library);
    return reinterpret_cast<void*>(call.result);
}

}  // namespace tessera::interpose

#define INTERPOSE_LIST(...) __VA_ARGS__
#define INTERPOSE_BEHIND_CALL(...) __VA_OPT__(, ) __VA_ARGS__
#define INTERPOSE_EXPORT extern "C" __attribute__((visibility("default")))

#define INTERPOSE_CALL(NAME, CONTEXT, COUNTED, ...)                                \
    Call call {                                                                    \
        .routine = #NAME, .site = __builtin_return_address(0), .context = CONTEXT, \
        .column = column_of COUNTED, __VA_ARGS__                                   \
    }

// COUNTED: (COLUMN, pe, bytes), in parentheses; (COLUMN) for calls that take longer than the
// observer; (Counted::kNone).
#define INTERPOSE_WITH(COUNTED, RESULT, NAME, CONTEXT, PARAMETERS, ARGUMENTS, ...) \
    [[gnu::noinline]] static RESULT NAME##_observed PARAMETERS {                   \
        INTERPOSE_CALL(NAME, CONTEXT, COUNTED, __VA_ARGS__);                       \
        return forward_to(call, p##NAME INTERPOSE_BEHIND_CALL ARGUMENTS);          \
    }                                                                              \
    INTERPOSE_EXPORT RESULT NAME PARAMETERS {                                      \
        if (is_counted COUNTED) return p##NAME ARGUMENTS;                          \
        return NAME##_observed ARGUMENTS;                                          \
    }
// The library gets what the observer has left in `call`.
#define INTERPOSE_CHANGED(FORWARD, RESULT, NAME, PARAMETERS, ARGUMENTS, ...)    \
    INTERPOSE_EXPORT RESULT NAME PARAMETERS {                                   \
        INTERPOSE_CALL(NAME, SHMEM_CTX_DEFAULT, (Counted::kNone), __VA_ARGS__); \
        return FORWARD(call, [&] { return p##NAME ARGUMENTS; });                \
    }

// One routine.
#define INTERPOSE_COUNTED(COUNTED, RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    INTERPOSE_WITH(COUNTED, RESULT, NAME, SHMEM_CTX_DEFAULT, PARAMETERS, ARGUMENTS, __VA_ARGS__)
#define INTERPOSE(RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    INTERPOSE_COUNTED((Counted::kNone), RESULT, NAME, PARAMETERS, ARGUMENTS, __VA_ARGS__)

// PREFIX##NAME and its form with a context in front; PREFIX is shmem_ or shmemx_.
#define INTERPOSE_CTX_OF(PREFIX, COUNTED, RESULT, NAME, PARAMETERS, ARGUMENTS, ...)               \
    INTERPOSE_COUNTED(COUNTED, RESULT, PREFIX##NAME, PARAMETERS, ARGUMENTS, __VA_ARGS__)          \
    INTERPOSE_WITH(COUNTED, RESULT, PREFIX##ctx_##NAME, ctx,                                      \
                   (shmem_ctx_t ctx, INTERPOSE_LIST PARAMETERS), (ctx, INTERPOSE_LIST ARGUMENTS), \
                   __VA_ARGS__)
#define INTERPOSE_CTX(COUNTED, RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    INTERPOSE_CTX_OF(shmem_, COUNTED, RESULT, NAME, PARAMETERS, ARGUMENTS, __VA_ARGS__)
