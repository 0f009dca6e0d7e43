// SPDX-License-Identifier: BSD-3-Clause
//
// Accesses of an image to contiguous bytes of another image's memory. The image's program order
// holds (ordering.hpp).
//
// THREADS: any. Hot path: on the node these are loads and stores.

#pragma once

#include <shmem.h>

#include <cstddef>
#include <cstring>

namespace tessera::caf {

// Copies contiguous bytes; sizes that are known at compile time are one load and one store.
inline void copy_bytes(void* dest, const void* source, std::size_t bytes) {
    switch (bytes) {
        case 4: std::memcpy(dest, source, 4); return;
        case 8: std::memcpy(dest, source, 8); return;
        default: std::memmove(dest, source, bytes);
    }
}

// Beyond this size OpenSHMEM's copy, which suits the processor and its caches, may be better than
// memmove.
inline constexpr std::size_t kPlainCopyBytesMax = 2048;

// Whether a transfer between local and mapped memory goes by loads and stores here. Memory of the
// image itself (mapped == symmetric) may overlap.
inline bool is_copied_here(std::size_t bytes, const void* mapped, const void* symmetric) {
    return mapped != nullptr && (bytes <= kPlainCopyBytesMax || mapped == symmetric);
}

// get_bytes() and put_bytes() where the memory is not mapped: between nodes, and under a tool that
// looks at all accesses (docs/run/checking.md).
void get_unmapped(void* dest, const void* source, std::size_t bytes, int pe);
void put_unmapped(void* dest, const void* source, std::size_t bytes, int pe);

// Reads contiguous bytes. source: symmetric address. RETURNS when: dest holds them.
inline void get_bytes(void* dest, const void* source, std::size_t bytes, int pe) {
    const void* mapped = shmem_ptr(source, pe);
    if (is_copied_here(bytes, mapped, source)) [[likely]]
        return copy_bytes(dest, mapped, bytes);
    if (mapped == nullptr) return get_unmapped(dest, source, bytes, pe);
    shmem_getmem(dest, source, bytes, pe);
}

// Writes contiguous bytes. dest: symmetric address. RETURNS when: source may be reused.
inline void put_bytes(void* dest, const void* source, std::size_t bytes, int pe) {
    void* mapped = shmem_ptr(dest, pe);
    if (is_copied_here(bytes, mapped, dest)) [[likely]]
        return copy_bytes(mapped, source, bytes);
    if (mapped == nullptr) return put_unmapped(dest, source, bytes, pe);
    shmem_putmem(dest, source, bytes, pe);  // done, and in order by itself
}

}  // namespace tessera::caf
