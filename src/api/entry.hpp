// SPDX-License-Identifier: BSD-3-Clause
//
// The macro that makes a public routine, for every file of src/api. Bodies carry the
// strong pshmem_ name; the shmem_ name is a weak alias, so that a profiler can replace it
// (OpenSHMEM 1.6, 10).
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/handles.hpp"
#include "base/byte_count.hpp"

// Opens the body of one public routine. No exception leaves it, as the headers declare.
#define SHMEM_ENTRY(RESULT, NAME, ...)                                                           \
    extern "C" SHMEM_INTERNAL_NOTHROW                                                            \
        __attribute__((visibility("default"), weak, alias("p" #NAME))) RESULT NAME(__VA_ARGS__); \
    extern "C" SHMEM_INTERNAL_NOTHROW __attribute__((visibility("default")))                     \
    RESULT p##NAME(__VA_ARGS__)

// The name that the program called, for messages: the body's name without its leading p.
#define SHMEM_WHERE (__func__ + 1)
