// SPDX-License-Identifier: BSD-3-Clause
//
// See calls.hpp.
#include "tools/osh_hang/calls.hpp"

#include <cstdlib>
#include <vector>

#include "tools/call_sites/call_sites.hpp"

namespace tessera::osh_hang {
namespace {

using call_sites::Site;

constexpr std::size_t kCallsMax = 16;

std::vector<std::uint64_t> addresses_in(const std::string& list) {
    std::vector<std::uint64_t> addresses;
    const char* rest = list.c_str();
    while (*rest != '\0') {
        char* end = nullptr;
        const std::uint64_t address = std::strtoull(rest, &end, 16);
        if (end == rest) break;
        addresses.push_back(address);
        rest = *end == ',' ? end + 1 : end;
    }
    return addresses;
}

bool is_of_program(const Site& site) {
    return !call_sites::is_of_library(site) && !call_sites::is_of_system(site);
}

bool is_main(const Site& site) { return site.function == "main" || site.function == "MAIN__"; }

}  // namespace

// Jobs end by mistakes, also in tests, so this reads no more than it must: of libraries the name.
std::string caller_text(pid_t pid, const std::string& list) {
    call_sites::Process process(pid);
    for (std::uint64_t address : addresses_in(list)) {
        if (!is_of_program(process.module_of(address))) continue;
        for (const Site& site : process.sites_of(address)) {
            if (!is_of_program(site)) continue;
            return site.line > 0 ? "called by " + call_sites::text_of(site) : "";
        }
    }
    return "";
}

std::string lines_text(const std::string& maps, const std::string& list) {
    call_sites::Process process(maps);
    std::string text;
    for (std::uint64_t address : addresses_in(list))
        text += call_sites::text_of(process.caller_at(address)) + "\n";
    return text;
}

std::string calls_text(pid_t pid, const std::string& list) {
    call_sites::Process process(pid);
    std::string text;
    std::size_t count = 0;
    for (std::uint64_t address : addresses_in(list)) {
        for (const Site& site : process.sites_of(address)) {  // inlined calls, too
            text += (count > 0 ? "\n    " : "    ") + call_sites::text_of(site);
            if (is_main(site)) return text;
            if (++count == kCallsMax) return text + "\n    ...";
        }
    }
    return text;
}

}  // namespace tessera::osh_hang
