// SPDX-License-Identifier: BSD-3-Clause
//
// See imports.hpp. The dynamic section of an object names its relocations: each has a symbol and
// the place that the loader has written the symbol's address to. A place is used only if it holds
// the address that the symbol's name has for this library, too, so the kind of relocation, which
// differs from processor to processor, need not be known.
#include "transports/ofi/imports.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/bits.hpp"
#include "base/fd.hpp"

namespace tessera::ofi {
namespace {

// One loaded object, as dl_iterate_phdr shows it.
struct Object {
    std::uintptr_t inside;  // looked for
    std::uintptr_t base = 0;
    const ElfW(Dyn) * dynamic = nullptr;
    std::uintptr_t read_only_begin = 0;  // protected by the loader after it was done
    std::uintptr_t read_only_end = 0;
};

int find_object(dl_phdr_info* info, std::size_t, void* result) {
    auto& object = *static_cast<Object*>(result);
    Object seen{.inside = object.inside, .base = info->dlpi_addr};
    bool is_it = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_LOAD && seen.inside - start < header.p_memsz) is_it = true;
        if (header.p_type == PT_DYNAMIC) seen.dynamic = reinterpret_cast<const ElfW(Dyn)*>(start);
        if (header.p_type == PT_GNU_RELRO) {
            seen.read_only_begin = start;
            seen.read_only_end = start + header.p_memsz;
        }
    }
    if (is_it) object = seen;
    return is_it ? 1 : 0;
}

// The value of an entry of the dynamic section, or 0.
std::uintptr_t value_of(const Object& object, std::intptr_t tag) {
    for (const ElfW(Dyn)* entry = object.dynamic; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == tag) return entry->d_un.d_ptr;
    }
    return 0;
}

// The same for an address: most loaders have added the base, some have not.
std::uintptr_t address_of(const Object& object, std::intptr_t tag) {
    const std::uintptr_t value = value_of(object, tag);
    return value != 0 && value < object.base ? value + object.base : value;
}

// The places in a table of relocations that hold the address `wanted` for the symbol `name`.
template <class Relocation>
void find_slots(const Object& object, std::uintptr_t table, std::size_t bytes, const char* name,
                void* wanted, std::vector<void**>& slots) {
    const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(address_of(object, DT_SYMTAB));
    const auto* names = reinterpret_cast<const char*>(address_of(object, DT_STRTAB));
    const auto* relocations = reinterpret_cast<const Relocation*>(table);
    if (symbols == nullptr || names == nullptr || relocations == nullptr) return;
    constexpr int kSymbolShift = sizeof(void*) == 8 ? 32 : 8;
    for (std::size_t i = 0; i < bytes / sizeof(Relocation); ++i) {
        const auto symbol = static_cast<std::size_t>(relocations[i].r_info >> kSymbolShift);
        if (symbol == 0 || std::strcmp(names + symbols[symbol].st_name, name) != 0) continue;
        auto* slot = reinterpret_cast<void**>(object.base + relocations[i].r_offset);
        if (*slot == wanted) slots.push_back(slot);
    }
}

std::vector<void**> slots_of(const Object& object, const char* name, void* wanted) {
    std::vector<void**> slots;
    const std::uintptr_t lazy = address_of(object, DT_JMPREL);
    const std::size_t lazy_bytes = value_of(object, DT_PLTRELSZ);
    if (value_of(object, DT_PLTREL) == DT_RELA) {
        find_slots<ElfW(Rela)>(object, lazy, lazy_bytes, name, wanted, slots);
    } else {
        find_slots<ElfW(Rel)>(object, lazy, lazy_bytes, name, wanted, slots);
    }
    find_slots<ElfW(Rela)>(object, address_of(object, DT_RELA), value_of(object, DT_RELASZ), name,
                           wanted, slots);
    find_slots<ElfW(Rel)>(object, address_of(object, DT_REL), value_of(object, DT_RELSZ), name,
                          wanted, slots);
    return slots;
}

bool store(const Object& object, void** slot, void* value) {
    const auto at = reinterpret_cast<std::uintptr_t>(slot);
    auto* page = reinterpret_cast<void*>(align_down(at, page_bytes()));
    const bool is_read_only = at >= object.read_only_begin && at < object.read_only_end;
    if (is_read_only && ::mprotect(page, page_bytes(), PROT_READ | PROT_WRITE) != 0) return false;
    // Relaxed: either address does for a call that another thread makes now.
    std::atomic_ref<void*>(*slot).store(value, std::memory_order_relaxed);
    if (is_read_only) ::mprotect(page, page_bytes(), PROT_READ);
    return true;
}

}  // namespace

bool replace_imports(const void* inside, std::span<const Import> imports) {
    Object object{.inside = reinterpret_cast<std::uintptr_t>(inside)};
    if (::dl_iterate_phdr(find_object, &object) == 0 || object.dynamic == nullptr) return false;
    std::vector<std::vector<void**>> slots;
    for (const Import& import : imports) {
        void* wanted = ::dlsym(RTLD_DEFAULT, import.name);
        slots.push_back(slots_of(object, import.name, wanted));
        if (wanted == nullptr || slots.back().empty()) return false;
    }
    for (std::size_t i = 0; i < imports.size(); ++i) {
        for (void** slot : slots[i]) {
            if (!store(object, slot, imports[i].replacement)) return false;
        }
    }
    return true;
}

}  // namespace tessera::ofi
