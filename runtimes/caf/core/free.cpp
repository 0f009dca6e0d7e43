// SPDX-License-Identifier: BSD-3-Clause
//
// free() and realloc() of the program. gfortran allocates a component of a coarray by the library,
// but frees it by free() at the end of a scope, in an assignment, and in a procedure whose dummy
// argument is no coarray. Memory of components is local memory of OpenSHMEM, so these two take the
// place of libc's, whose functions they call for any other memory. Everything else of malloc stays
// libc's.
//
// A preloaded malloc, valgrind or AddressSanitizer has its own free() in front of this one. So caf
// links with --wrap=free as well: then the program's calls come to __wrap_free() first.
//
// THREADS: any. Hot path: two comparisons.

#include <dlfcn.h>

#include <cstddef>

#include "core/coarray.hpp"
#include "core/remote_pointer.hpp"

namespace {

using Free = void (*)(void*);
using Reallocate = void* (*)(void*, std::size_t);

// dlsym may free memory itself; then the names that glibc has for itself serve.
extern "C" void __libc_free(void*);
extern "C" void* __libc_realloc(void*, std::size_t);

enum class Which {
    kNext,   // behind this library: libc's, or that of a tool which replaces it
    kFirst,  // the first one of the whole program
};

template <Which kWhich, class Function>
Function find(const char* name, Function while_searching) {
    static Function found = nullptr;
    static thread_local bool is_searching = false;
    if (found != nullptr) return found;
    if (is_searching) return while_searching;
    is_searching = true;
    auto* symbol =
        reinterpret_cast<Function>(dlsym(kWhich == Which::kNext ? RTLD_NEXT : RTLD_DEFAULT, name));
    found = symbol != nullptr ? symbol : while_searching;
    is_searching = false;
    return found;
}

// NULL until this library's constructor has run. Constructors of libraries that it uses come before
// it, and call dlsym: that frees the text of an earlier error, so the first free() of a process may
// come from inside of dlsym, which must not be called again there.
Free next_free = nullptr;

[[gnu::constructor(101)]] void find_next_free() {
    next_free = find<Which::kNext, Free>("free", __libc_free);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void free(void* address) noexcept {
    if (tessera::caf::is_in_components(address)) [[unlikely]]
        return tessera::caf::free_by_address(address);
    if (next_free != nullptr) [[likely]] {
        next_free(address);  // Before, the few bytes stay.
    }
}

extern "C" __attribute__((visibility("default"))) void* realloc(void* address,
                                                                std::size_t bytes) noexcept {
    if (tessera::caf::is_in_components(address)) [[unlikely]]
        return tessera::caf::reallocate_by_address(address, bytes);
    return find<Which::kNext, Reallocate>("realloc", __libc_realloc)(address, bytes);
}

extern "C" __attribute__((visibility("default"))) void __wrap_free(void* address) noexcept {
    if (tessera::caf::is_in_components(address)) [[unlikely]]
        return tessera::caf::free_by_address(address);
    find<Which::kFirst, Free>("free", __libc_free)(address);
}

extern "C" __attribute__((visibility("default"))) void* __wrap_realloc(void* address,
                                                                       std::size_t bytes) noexcept {
    if (tessera::caf::is_in_components(address)) [[unlikely]]
        return tessera::caf::reallocate_by_address(address, bytes);
    return find<Which::kFirst, Reallocate>("realloc", __libc_realloc)(address, bytes);
}
