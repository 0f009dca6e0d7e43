// SPDX-License-Identifier: BSD-3-Clause
//
// Programs compiled with SHMEM_INLINE ask the library for a map and then store without a call
// (docs/inline.md). Here they do not reach the library: their map stays empty, so that every
// operation is a call, which the observer sees.
#define SHMEM_INLINE
#include "shmem.h"

extern "C" __attribute__((visibility("default"))) void shmem_internal_inline_attach(
    shmem_internal_inline_map* /*map*/, int /*layout*/) {}

extern "C" __attribute__((visibility("default"))) void shmem_internal_inline_detach(
    shmem_internal_inline_map* /*map*/) {}
