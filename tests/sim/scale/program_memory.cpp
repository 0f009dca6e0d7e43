// SPDX-License-Identifier: BSD-3-Clause
//
// Part of the program: tells the simulation of its allocations, and of the time before its
// constructors. The linker gives it the calls of malloc() and its kin (--wrap).
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "phases.hpp"

// NOLINTBEGIN: the names are those of the linker.
extern "C" {
void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __real_realloc(void* block, std::size_t bytes);
void __real_free(void* block);

// The program's DT_INIT.
__attribute__((visibility("default"), used)) void tessera_scale_loaded() {
    tessera_scale_take_image(reinterpret_cast<const void*>(&tessera_scale_loaded));
}

void* __wrap_malloc(std::size_t bytes) {
    void* block = __real_malloc(bytes);
    tessera_scale_allocated(block, static_cast<long>(malloc_usable_size(block)));
    return block;
}
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
    void* block = __real_calloc(count, bytes);
    tessera_scale_allocated(block, static_cast<long>(malloc_usable_size(block)));
    return block;
}
void __wrap_free(void* block) {
    tessera_scale_allocated(block, -static_cast<long>(malloc_usable_size(block)));
    __real_free(block);
}
void* __wrap_realloc(void* block, std::size_t bytes) {
    tessera_scale_allocated(block, -static_cast<long>(malloc_usable_size(block)));
    void* moved = __real_realloc(block, bytes);
    tessera_scale_allocated(moved, static_cast<long>(malloc_usable_size(moved)));
    return moved;
}
}

void* operator new(std::size_t bytes) { return __wrap_malloc(bytes); }
void operator delete(void* block) noexcept { __wrap_free(block); }
void operator delete(void* block, std::size_t) noexcept { __wrap_free(block); }
void* operator new[](std::size_t bytes) { return __wrap_malloc(bytes); }
void operator delete[](void* block) noexcept { __wrap_free(block); }
void operator delete[](void* block, std::size_t) noexcept { __wrap_free(block); }
// NOLINTEND
