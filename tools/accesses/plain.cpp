// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that gcc and clang call before each load and store of code that they compile with
// -fsanitize=thread, and the copies of libc that such code calls. The names are those of the
// compilers' interface; the sanitizer's own library is not linked.
//
// THREADS: any. Before main() as well: nothing here needs a constructor.
#include <cstddef>
#include <cstring>

#include "seen.hpp"

using tessera::accesses::Kind;
using tessera::accesses::see;
using tessera::accesses::see_range;

constinit tessera::accesses::Table shmem_internal_accesses
    __attribute__((visibility("default"))) = {
        .version = tessera::accesses::Table::kVersion,
        .zone_count = 0,
        .zones = {},
        .tell = nullptr,
        .epoch = 0,
        .seen = {},
};

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define SITE __builtin_return_address(0)

// __tsan_read4, __tsan_unaligned_read4, __tsan_volatile_read4 and so on: a load or store of BYTES.
#define DEFINE_ACCESS(NAME, BYTES, KIND) \
    EXPORTED void NAME(void* address) { see(address, BYTES, KIND, SITE); }
// __tsan_read_write4: both, as in x += 1.
#define DEFINE_ACCESSES(BYTES)                                               \
    DEFINE_ACCESS(__tsan_read##BYTES, BYTES, Kind::kLoad)                    \
    DEFINE_ACCESS(__tsan_write##BYTES, BYTES, Kind::kStore)                  \
    DEFINE_ACCESS(__tsan_read_write##BYTES, BYTES, Kind::kStore)             \
    DEFINE_ACCESS(__tsan_unaligned_read##BYTES, BYTES, Kind::kLoad)          \
    DEFINE_ACCESS(__tsan_unaligned_write##BYTES, BYTES, Kind::kStore)        \
    DEFINE_ACCESS(__tsan_unaligned_read_write##BYTES, BYTES, Kind::kStore)   \
    DEFINE_ACCESS(__tsan_volatile_read##BYTES, BYTES, Kind::kLoad)           \
    DEFINE_ACCESS(__tsan_volatile_write##BYTES, BYTES, Kind::kStore)         \
    DEFINE_ACCESS(__tsan_unaligned_volatile_read##BYTES, BYTES, Kind::kLoad) \
    DEFINE_ACCESS(__tsan_unaligned_volatile_write##BYTES, BYTES, Kind::kStore)
DEFINE_ACCESSES(1)
DEFINE_ACCESSES(2)
DEFINE_ACCESSES(4)
DEFINE_ACCESSES(8)
DEFINE_ACCESSES(16)
#undef DEFINE_ACCESSES
#undef DEFINE_ACCESS

EXPORTED void __tsan_read_range(void* address, std::size_t bytes) {
    see_range(address, bytes, Kind::kLoad, SITE);
}
EXPORTED void __tsan_write_range(void* address, std::size_t bytes) {
    see_range(address, bytes, Kind::kStore, SITE);
}
EXPORTED void __tsan_vptr_read(void** address) { see(address, sizeof *address, Kind::kLoad, SITE); }
EXPORTED void __tsan_vptr_update(void** address, void*) {
    see(address, sizeof *address, Kind::kStore, SITE);
}

// Calls that need no work here.
EXPORTED void __tsan_init() {}
EXPORTED void __tsan_func_entry(void*) {}
EXPORTED void __tsan_func_exit() {}
EXPORTED void __tsan_ignore_thread_begin() {}
EXPORTED void __tsan_ignore_thread_end() {}

// ---- Copies -------------------------------------------------------------------------------------
// The linker gives the program's calls of memcpy to __wrap_memcpy (--wrap: cmake/wrapper.in); newer
// compilers call __tsan_memcpy themselves. The call below is libc's.

static void see_copy(void* dest, const void* source, std::size_t bytes, const void* site) {
    see_range(source, bytes, Kind::kLoad, site);
    see_range(dest, bytes, Kind::kStore, site);
}

// memcpy and memmove, and their forms for -D_FORTIFY_SOURCE, whose check of the size is left out.
#define DEFINE_COPY(NAME, ROUTINE, ...)                                                  \
    EXPORTED void* NAME(void* dest, const void* source, std::size_t bytes __VA_ARGS__) { \
        see_copy(dest, source, bytes, SITE);                                             \
        return ROUTINE(dest, source, bytes);                                             \
    }
DEFINE_COPY(__wrap_memcpy, std::memcpy)
DEFINE_COPY(__wrap_memmove, std::memmove)
DEFINE_COPY(__wrap___memcpy_chk, std::memcpy, , std::size_t)
DEFINE_COPY(__wrap___memmove_chk, std::memmove, , std::size_t)
DEFINE_COPY(__tsan_memcpy, std::memcpy)
DEFINE_COPY(__tsan_memmove, std::memmove)
#undef DEFINE_COPY

#define DEFINE_SET(NAME, ...)                                                   \
    EXPORTED void* NAME(void* dest, int value, std::size_t bytes __VA_ARGS__) { \
        see_range(dest, bytes, Kind::kStore, SITE);                             \
        return std::memset(dest, value, bytes);                                 \
    }
DEFINE_SET(__wrap_memset)
DEFINE_SET(__wrap___memset_chk, , std::size_t)
DEFINE_SET(__tsan_memset)
#undef DEFINE_SET
