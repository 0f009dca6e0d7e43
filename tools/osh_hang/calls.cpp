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

// Inlined calls have an entry of their own.
std::vector<Site> calls_of(pid_t pid, const std::string& list) {
    call_sites::Process process(pid);
    std::vector<Site> calls;
    const char* rest = list.c_str();
    while (*rest != '\0') {
        char* end = nullptr;
        const std::uint64_t address = std::strtoull(rest, &end, 16);
        if (end == rest) break;
        for (Site& site : process.sites_of(address)) calls.push_back(std::move(site));
        rest = *end == ',' ? end + 1 : end;
    }
    return calls;
}

bool is_main(const Site& site) { return site.function == "main" || site.function == "MAIN__"; }

}  // namespace

std::string caller_text(pid_t pid, const std::string& list) {
    for (const Site& site : calls_of(pid, list)) {
        if (call_sites::is_of_library(site) || call_sites::is_of_system(site)) continue;
        return site.line > 0 ? "called by " + call_sites::text_of(site) : "";
    }
    return "";
}

std::string calls_text(pid_t pid, const std::string& list) {
    std::string text;
    std::size_t count = 0;
    for (const Site& site : calls_of(pid, list)) {
        text += (count > 0 ? "\n    " : "    ") + call_sites::text_of(site);
        if (is_main(site)) break;
        if (++count == kCallsMax) return text + "\n    ...";
    }
    return text;
}

}  // namespace tessera::osh_hang
