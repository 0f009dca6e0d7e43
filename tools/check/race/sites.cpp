// SPDX-License-Identifier: BSD-3-Clause
//
// See sites.hpp. A packed site is a mark, the kind of access, the offset in the program or library,
// and the end of its path, with the mark between them.
#include "tools/check/race/sites.hpp"

#include <errno.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tools/check/places.hpp"

namespace tessera::check::race {

namespace {

constexpr char kMark = '\1';
constexpr std::size_t kPathMax = 180;  // Store::kSiteBytes has room for it

// The program or a library, by one of its addresses or by the end of its path.
struct Module {
    std::uintptr_t address = 0;
    std::string path;
    std::uintptr_t base = 0;
    bool is_found = false;
};

// The loader has no name for the main program. Programs of one job may differ.
std::string path_end_of(const dl_phdr_info& info) {
    std::string_view path = info.dlpi_name;
    if (path.empty()) path = program_invocation_short_name;
    return std::string(path.substr(path.size() - std::min(path.size(), kPathMax)));
}

bool holds(const dl_phdr_info& info, std::uintptr_t address) {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        const auto& header = info.dlpi_phdr[i];
        if (header.p_type == PT_LOAD &&
            address - (info.dlpi_addr + header.p_vaddr) < header.p_memsz) {
            return true;
        }
    }
    return false;
}

int find_module(dl_phdr_info* info, std::size_t, void* into) {
    auto& module = *static_cast<Module*>(into);
    std::string path = path_end_of(*info);
    bool is_it = module.address != 0 ? holds(*info, module.address) : path == module.path;
    if (!is_it) return 0;
    module.path = std::move(path);
    module.base = info->dlpi_addr;
    module.is_found = true;
    return 1;
}

}  // namespace

std::string pack_site(const interpose::Call& call) {
    Module module;
    module.address = reinterpret_cast<std::uintptr_t>(call.site);
    dl_iterate_phdr(find_module, &module);
    char offset[32];
    std::snprintf(offset, sizeof offset, "%lx",
                  static_cast<unsigned long>(module.address - module.base));
    return kMark + std::string(call.routine) + kMark + offset + kMark + module.path;
}

std::string unpack_site(const std::string& text) {
    if (text.empty() || text[0] != kMark) return text;
    const std::size_t offset_at = text.find(kMark, 1) + 1;
    const std::size_t path_at = text.find(kMark, offset_at) + 1;
    if (offset_at == 0 || path_at == 0) return text;
    const std::string access = text.substr(1, offset_at - 2);
    const std::string offset = text.substr(offset_at, path_at - 1 - offset_at);
    Module module;
    module.path = text.substr(path_at);
    dl_iterate_phdr(find_module, &module);
    if (!module.is_found) return access + " at " + module.path + "+0x" + offset;
    const std::uintptr_t site = module.base + std::strtoull(offset.c_str(), nullptr, 16);
    return access + " at " + place_of(reinterpret_cast<const void*>(site));
}

}  // namespace tessera::check::race
