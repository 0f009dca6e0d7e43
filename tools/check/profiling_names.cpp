// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that the program makes by pshmem_ names come to the checker as well: before main(), the
// linker's slots for these names are turned to the shmem_ routines of the checker, in every object
// that the program loads at its start except the checker itself. (The library has its own entries,
// and calls none of them by a slot.) A report names such a call shmem_.
//
// Without that, the checker would miss a barrier by its pshmem_ name, and see races.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

namespace tessera::check {
namespace {

// The relocations of an object. The code reads one form, that with addends.
struct Tables {
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    const ElfW(Rela) * relocations[2] = {};  // relocations of data, and of calls
    std::size_t counts[2] = {};
    bool is_foreign_form = false;
};

template <class T>
const T* table_at(const dl_phdr_info& object, const ElfW(Dyn) & entry) {
    // The C library has added the load address already, except for objects of the kernel.
    return entry.d_un.d_ptr < object.dlpi_addr ? nullptr
                                               : reinterpret_cast<const T*>(entry.d_un.d_ptr);
}

Tables tables_of(const dl_phdr_info& object, const ElfW(Dyn) * entry) {
    Tables tables;
    for (; entry->d_tag != DT_NULL; ++entry) {
        switch (entry->d_tag) {
            case DT_SYMTAB: tables.symbols = table_at<ElfW(Sym)>(object, *entry); break;
            case DT_STRTAB: tables.names = table_at<char>(object, *entry); break;
            case DT_RELA: tables.relocations[0] = table_at<ElfW(Rela)>(object, *entry); break;
            case DT_RELASZ: tables.counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
            case DT_JMPREL: tables.relocations[1] = table_at<ElfW(Rela)>(object, *entry); break;
            case DT_PLTRELSZ: tables.counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
            case DT_PLTREL: tables.is_foreign_form = entry->d_un.d_val != DT_RELA; break;
            default: break;
        }
    }
    return tables;
}

// The slots of constants are read-only by now, those of the program's own tables are not.
void write_slot(void** slot, void* routine) {
    const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto page = reinterpret_cast<std::uintptr_t>(slot) & ~(page_bytes - 1);
    auto* start = reinterpret_cast<void*>(page);
    if (::mprotect(start, page_bytes, PROT_READ | PROT_WRITE) == 0) *slot = routine;
}

void turn_slots(const dl_phdr_info& object, const Tables& tables, void* checker) {
    for (int kind = 0; kind < 2; ++kind) {
        for (std::size_t i = 0; i < tables.counts[kind]; ++i) {
            const ElfW(Rela)& relocation = tables.relocations[kind][i];
            const auto number = relocation.r_info >> (sizeof(void*) == 8 ? 32 : 8);
            const ElfW(Sym)& symbol = tables.symbols[number];
            if (number == 0 || symbol.st_shndx != SHN_UNDEF) continue;
            const char* name = tables.names + symbol.st_name;
            const std::string_view text = name;
            if (!text.starts_with("psh") && text != "pstart_pes") continue;
            if (void* routine = ::dlsym(checker, name + 1)) {
                write_slot(reinterpret_cast<void**>(object.dlpi_addr + relocation.r_offset),
                           routine);
            }
        }
    }
}

int turn_slots_of(dl_phdr_info* object, std::size_t, void* checker) {
    const auto own = reinterpret_cast<std::uintptr_t>(&turn_slots_of);
    const ElfW(Dyn)* dynamic = nullptr;
    bool is_checker = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = object->dlpi_phdr[i];
        const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
        if (header.p_type == PT_LOAD && begin <= own && own < begin + header.p_memsz)
            is_checker = true;
    }
    if (dynamic == nullptr || is_checker) return 0;
    const Tables tables = tables_of(*object, dynamic);
    const bool is_complete = tables.symbols != nullptr && tables.names != nullptr &&
                             (tables.counts[0] == 0 || tables.relocations[0] != nullptr) &&
                             (tables.counts[1] == 0 || tables.relocations[1] != nullptr);
    if (is_complete && !tables.is_foreign_form) turn_slots(*object, tables, checker);
    return 0;
}

// The program's own shmem_ routines, if it has any, come first in a search by name alone.
__attribute__((constructor)) void turn_all_slots() {
    Dl_info self;
    if (::dladdr(reinterpret_cast<void*>(&turn_slots_of), &self) == 0) return;
    void* checker = ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (checker == nullptr) return;
    ::dl_iterate_phdr(turn_slots_of, checker);
    ::dlclose(checker);
}

}  // namespace
}  // namespace tessera::check
