// SPDX-License-Identifier: BSD-3-Clause
//
// Undefined symbols of all loaded objects (imports.hpp). In the table of dynamic symbols they come
// before those that the hash table knows.

#include "core/imports.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace tessera::caf {
namespace {

struct Search {
    const char* const* names;
    int count;
};

struct Symbols {
    const ElfW(Sym) * table;
    const char* texts;
    std::size_t undefined;  // they are among the first so many
};

// The tables of an object. RETURNS: false for one without, and for the kernel's, whose addresses
// the dynamic linker has not adapted.
bool find_symbols(const dl_phdr_info& object, Symbols& symbols) {
    const ElfW(Dyn)* entry = nullptr;
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        if (object.dlpi_phdr[i].p_type == PT_DYNAMIC) {
            entry =
                reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
        }
    }
    const std::uint32_t* gnu_hash = nullptr;
    const std::uint32_t* hash = nullptr;
    symbols = {nullptr, nullptr, 0};
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
        const ElfW(Addr) address = entry->d_un.d_ptr;
        switch (entry->d_tag) {
            case DT_SYMTAB: symbols.table = reinterpret_cast<const ElfW(Sym)*>(address); break;
            case DT_STRTAB: symbols.texts = reinterpret_cast<const char*>(address); break;
            case DT_GNU_HASH: gnu_hash = reinterpret_cast<const std::uint32_t*>(address); break;
            case DT_HASH: hash = reinterpret_cast<const std::uint32_t*>(address); break;
            default: break;
        }
    }
    const bool is_adapted = reinterpret_cast<ElfW(Addr)>(symbols.table) > object.dlpi_addr;
    if (symbols.table == nullptr || symbols.texts == nullptr || !is_adapted ||
        (gnu_hash == nullptr && hash == nullptr)) {
        return false;
    }
    symbols.undefined = gnu_hash != nullptr ? gnu_hash[1] : hash[1];
    return true;
}

int look_at_object(dl_phdr_info* object, std::size_t, void* data) {
    const auto& [names, count] = *static_cast<const Search*>(data);
    Symbols symbols{};
    if (!find_symbols(*object, symbols)) return 0;
    for (std::size_t i = 1; i < symbols.undefined; ++i) {
        const ElfW(Sym)& symbol = symbols.table[i];
        for (int k = 0; symbol.st_shndx == SHN_UNDEF && k < count; ++k) {
            if (std::strcmp(symbols.texts + symbol.st_name, names[k]) == 0) return 1;
        }
    }
    return 0;
}

// Whether the static library is linked into a program or a shared library of its own. Then only
// the object files are there that it needs.
bool is_static() {
    Dl_info here{};
    return ::dladdr(reinterpret_cast<const void*>(&is_any_imported), &here) == 0 ||
           std::strstr(here.dli_fname, "libcaf_tessera") == nullptr;
}

}  // namespace

bool is_any_imported(const char* const* names, int count) {
    Search search{names, count};
    return is_static() || ::dl_iterate_phdr(look_at_object, &search) != 0;
}

}  // namespace tessera::caf
