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
auto forward(Call& call, Library library) {
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

// forward() to the routine of the library, whose arguments the observer leaves alone.
template <auto kRoutine, class... Arguments>
auto forward_to(Call& call, Arguments... arguments) {
    return forward(call, [=] { return kRoutine(arguments...); });
}

// forward() for routines that return memory: the program gets the address that the observer leaves.
template <class Library>
void* forward_memory(Call& call, Library library) {
    forward(call, library);
    return reinterpret_cast<void*>(call.result);
}

}  // namespace tessera::interpose

#define INTERPOSE_LIST(...) __VA_ARGS__
#define INTERPOSE_BEHIND_CALL(...) call __VA_OPT__(, ) __VA_ARGS__
#define INTERPOSE_EXPORT extern "C" __attribute__((visibility("default")))

#define INTERPOSE_BY(FORWARDED, RESULT, NAME, CONTEXT, PARAMETERS, ...) \
    INTERPOSE_EXPORT RESULT NAME PARAMETERS {                           \
        Call call{.routine = #NAME,                                     \
                  .site = __builtin_return_address(0),                  \
                  .context = CONTEXT,                                   \
                  __VA_ARGS__};                                         \
        return FORWARDED;                                               \
    }

#define INTERPOSE_WITH(RESULT, NAME, CONTEXT, PARAMETERS, ARGUMENTS, ...)                     \
    INTERPOSE_BY(forward_to<p##NAME>(INTERPOSE_BEHIND_CALL ARGUMENTS), RESULT, NAME, CONTEXT, \
                 PARAMETERS, __VA_ARGS__)
// The library gets what the observer has left in `call`.
#define INTERPOSE_CHANGED(FORWARD, RESULT, NAME, PARAMETERS, ARGUMENTS, ...)     \
    INTERPOSE_BY(FORWARD(call, [&] { return p##NAME ARGUMENTS; }), RESULT, NAME, \
                 SHMEM_CTX_DEFAULT, PARAMETERS, __VA_ARGS__)

// One routine.
#define INTERPOSE(RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    INTERPOSE_WITH(RESULT, NAME, SHMEM_CTX_DEFAULT, PARAMETERS, ARGUMENTS, __VA_ARGS__)

// PREFIX##NAME and its form with a context in front; PREFIX is shmem_ or shmemx_.
#define INTERPOSE_CTX_OF(PREFIX, RESULT, NAME, PARAMETERS, ARGUMENTS, ...)                        \
    INTERPOSE_WITH(RESULT, PREFIX##NAME, SHMEM_CTX_DEFAULT, PARAMETERS, ARGUMENTS, __VA_ARGS__)   \
    INTERPOSE_WITH(RESULT, PREFIX##ctx_##NAME, ctx, (shmem_ctx_t ctx, INTERPOSE_LIST PARAMETERS), \
                   (ctx, INTERPOSE_LIST ARGUMENTS), __VA_ARGS__)
#define INTERPOSE_CTX(RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    INTERPOSE_CTX_OF(shmem_, RESULT, NAME, PARAMETERS, ARGUMENTS, __VA_ARGS__)
