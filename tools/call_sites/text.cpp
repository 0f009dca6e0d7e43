// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of call sites and symbols, and the search for the call that entered the library.
#include <algorithm>
#include <cstdio>

#include "call_sites.hpp"

namespace tessera::call_sites {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string hexadecimal(std::uint64_t number) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
}

// The library's headers with inline code.
constexpr std::string_view kHeaders[] = {"/shmem/generic_cxx.h", "/shmem/inline.h",
                                         "/shmemx/generic.h"};
constexpr std::string_view kLibraries[] = {"libtessera", "libsma", "liboshmem", "libcaf_tessera",
                                           "libdart-tessera"};
// Names that no program has, and those that it may have; of these, what has no line, or the line of
// a library's source, belongs to the library.
constexpr std::string_view kOwnNames[] = {"tessera::", "pshmem_", "pshmemx_", "_gfortran_caf_",
                                          "__shmem_MOD_"};
constexpr std::string_view kNames[] = {"shmem_", "shmemx_", "start_pes", "dart_"};
constexpr std::string_view kSources[] = {"/src/api/", "/runtimes/"};
constexpr std::string_view kSystemFolders[] = {"/lib/", "/lib64/", "/usr/lib", "/usr/local/lib"};

// The libraries that Debian installs lie in a folder of the system, too.
bool is_library(const std::string& module) {
    const std::string name = base_name(module);
    return std::ranges::any_of(kLibraries, [&](auto start) { return name.starts_with(start); });
}

}  // namespace

bool is_of_library(const Site& site) {
    if (is_library(site.module)) return true;
    if (std::ranges::any_of(kHeaders, [&](auto end) { return site.file.ends_with(end); }))
        return true;
    const auto begins = [&](auto start) { return site.function.starts_with(start); };
    // Names of templates begin with the type of the result.
    const bool is_template = site.function.find(" tessera::") != std::string::npos;
    if (is_template || std::ranges::any_of(kOwnNames, begins)) return true;
    const auto lies_in = [&](auto folder) { return site.file.find(folder) != std::string::npos; };
    return std::ranges::any_of(kNames, begins) &&
           (site.line == 0 || std::ranges::any_of(kSources, lies_in));
}

bool is_of_system(const Site& site) {
    if (is_library(site.module)) return false;
    return site.module.empty() || std::ranges::any_of(kSystemFolders, [&](auto folder) {
               return site.module.starts_with(folder);
           });
}

std::string text_of(const Site& site) {
    std::string place;
    if (site.line > 0) {
        place = base_name(site.file) + ":" + std::to_string(site.line);
    } else if (!site.module.empty()) {
        place = base_name(site.module) + "+" + hexadecimal(site.module_offset);
    } else {
        place = hexadecimal(site.address);
    }
    return site.function.empty() ? place : site.function + " (" + place + ")";
}

std::string text_of(const Symbol& symbol) {
    return symbol.offset == 0 ? symbol.name : symbol.name + "+" + std::to_string(symbol.offset);
}

std::optional<Entry> entry_of(const Stack& stack, const std::vector<std::string_view>& prefixes) {
    std::optional<Entry> entry;
    for (std::size_t i = 0; i + 1 < stack.calls.size(); ++i) {
        for (std::string_view prefix : prefixes) {
            if (!stack.calls[i].function.starts_with(prefix)) continue;
            entry = {.routine = stack.calls[i].function, .caller = stack.calls[i + 1]};
        }
    }
    return entry;
}

}  // namespace tessera::call_sites
