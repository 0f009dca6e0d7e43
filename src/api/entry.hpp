// SPDX-License-Identifier: BSD-3-Clause
//
// What every file of src/api starts with: the macro that makes a public routine, and the context
// behind a handle. Bodies carry the strong pshmem_ name; the shmem_ name is a weak alias, so that
// a profiler can replace it (OpenSHMEM 1.6, 10).
#pragma once

#include "core/context.hpp"
#include "shmem/contexts.h"

// Opens the body of one public routine. No exception leaves it.
#define SHMEM_ENTRY(RESULT, NAME, ...)                                                \
    extern "C" __attribute__((visibility("default"), nothrow, weak,                   \
                              alias("p" #NAME))) RESULT NAME(__VA_ARGS__);            \
    extern "C" __attribute__((visibility("default"), nothrow)) RESULT p##NAME(__VA_ARGS__)

// The name that the program called, for messages: the body's name without its leading p.
#define SHMEM_WHERE (__func__ + 1)

namespace tessera::api {

[[noreturn]] TESSERA_COLD void fail_context(shmem_ctx_t ctx, const char* where);

// The context behind a handle. COST: a compare for SHMEM_CTX_DEFAULT.
TESSERA_INLINE const Context& context_of(shmem_ctx_t ctx, const char* where) {
    if (ctx != SHMEM_CTX_DEFAULT) [[unlikely]] fail_context(ctx, where);
    return default_context;
}

}  // namespace tessera::api
