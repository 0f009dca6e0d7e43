// SPDX-License-Identifier: BSD-3-Clause
//
// Programs compiled with SHMEM_INLINE ask the library for a map and then store without a call
// (docs/run/inline.md). Here they do not reach the library: their map stays empty, so that every
// operation is a call, which the observer sees. Not of programs that clang compiled: there the
// inline code calls pshmem_ routines.

// The map, which nothing here reads, is declared in shmem/inline.h.
extern "C" __attribute__((visibility("default"))) void shmem_internal_inline_attach(
    void* /*map*/, int /*layout*/) {}

extern "C" __attribute__((visibility("default"))) void shmem_internal_inline_detach(void* /*map*/) {
}
