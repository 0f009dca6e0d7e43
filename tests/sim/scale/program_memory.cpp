// SPDX-License-Identifier: BSD-3-Clause
//
// Part of the program: tells the simulation of its allocations, and of the time before its
// constructors. The linker gives it the calls of malloc() and its kin (--wrap). All PEs of a node
// use the same descriptors of its files, of which a process has too few. The tables of handles are
// large blocks, too (src/base/handle_table.cpp), because a process has too few mappings.
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>

#include "phases.hpp"

// NOLINTBEGIN: the names are those of the linker.
extern "C" {
void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __real_realloc(void* block, std::size_t bytes);
void __real_free(void* block);

int __real_fcntl(int file, int command, ...);
int __real_close(int file);
void* __real_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                  off_t offset);
int __real_mprotect(void* address, std::size_t bytes, int protection);
int __real_madvise(void* address, std::size_t bytes, int advice);

int __wrap_fcntl(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void* argument = va_arg(list, void*);
    va_end(list);
    if (command == F_DUPFD_CLOEXEC && tessera_scale_is_node_file(file)) return file;
    return __real_fcntl(file, command, argument);
}
int __wrap_close(int file) { return tessera_scale_is_node_file(file) ? 0 : __real_close(file); }

// A PE of this program uses few of the places that a table has.
constexpr std::size_t kTableBytes = std::size_t{1} << 20;

void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                  off_t offset) {
    if (protection != PROT_READ || file >= 0 || bytes < kTableBytes)
        return __real_mmap(address, bytes, protection, flags, file, offset);
    void* table = tessera_scale_make_large(kTableBytes);
    return table != nullptr ? table : MAP_FAILED;
}
int __wrap_mprotect(void* address, std::size_t bytes, int protection) {
    const unsigned long left = tessera_scale_large_bytes(address);
    if (left == 0) return __real_mprotect(address, bytes, protection);
    if (bytes <= left) return 0;
    errno = ENOMEM;
    return -1;
}

// Parts that core files have are mappings of their own.
int __wrap_madvise(void* address, std::size_t bytes, int advice) {
    if (advice == MADV_DODUMP || advice == MADV_DONTDUMP) return 0;
    return __real_madvise(address, bytes, advice);
}

// The program's DT_INIT.
__attribute__((visibility("default"), used)) void tessera_scale_loaded() {
    tessera_scale_take_image(reinterpret_cast<const void*>(&tessera_scale_loaded));
}

void* __wrap_malloc(std::size_t bytes) {
    if (bytes >= kTesseraScaleLargeBytes) return tessera_scale_make_large(bytes);
    void* block = __real_malloc(bytes);
    tessera_scale_allocated(static_cast<long>(malloc_usable_size(block)));
    return block;
}
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
    if (count * bytes >= kTesseraScaleLargeBytes) return tessera_scale_make_large(count * bytes);
    void* block = __real_calloc(count, bytes);
    tessera_scale_allocated(static_cast<long>(malloc_usable_size(block)));
    return block;
}
void __wrap_free(void* block) {
    if (tessera_scale_large_bytes(block) != 0) return tessera_scale_free_large(block);
    tessera_scale_allocated(-static_cast<long>(malloc_usable_size(block)));
    __real_free(block);
}
void* __wrap_realloc(void* block, std::size_t bytes) {
    const std::size_t large_bytes = tessera_scale_large_bytes(block);
    const std::size_t old_bytes = large_bytes != 0 ? large_bytes : malloc_usable_size(block);
    void* moved = __wrap_malloc(bytes);
    if (moved == nullptr) return nullptr;
    if (block != nullptr) std::memcpy(moved, block, std::min(old_bytes, bytes));
    __wrap_free(block);
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
