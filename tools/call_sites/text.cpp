// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of call sites and symbols, and the search for the call that entered the library.
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

}  // namespace

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
