// SPDX-License-Identifier: BSD-3-Clause
//
// See places.hpp, and place_of() in report.hpp.
#include "tools/check/places.hpp"

#include <unistd.h>

#include <mutex>
#include <string_view>
#include <unordered_map>

#include "pshmem.h"
#include "tools/call_sites/call_sites.hpp"
#include "tools/check/report.hpp"

namespace tessera::check {
namespace {

std::mutex mutex;  // Process serves one thread at a time.

call_sites::Process& this_process() {
    static auto& process = *new call_sites::Process(::getpid());
    return process;
}

std::uint64_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

// Names are kept: a look into the debug information takes longer than the call itself.
std::string place_of(const void* site) {
    static auto& known = *new std::unordered_map<const void*, std::string>;
    std::lock_guard guard(mutex);
    std::string& text = known[site];
    if (text.empty()) text = call_sites::text_of(this_process().caller_at(number(site)));
    return text;
}

// By the function, as the runtimes may be linked into the program; or by the library, which may
// have lost the names of its inner functions.
bool is_of_runtime_at(const void* site) {
    std::lock_guard guard(mutex);
    const call_sites::Site place = this_process().caller_at(number(site));
    const auto begins = [](std::string_view text, auto... starts) {
        return (text.starts_with(starts) || ...);
    };
    const std::string library = place.module.substr(place.module.rfind('/') + 1);
    return begins(library, "libdart-tessera", "libcaf_tessera") ||
           begins(place.function, "dart_", "tessera::dart::", "_gfortran_caf_", "tessera::caf::");
}

std::optional<Variable> variable_at(const void* address) {
    static auto& known = *new std::unordered_map<const void*, std::optional<Variable>>;
    // Symmetric, and no block: the caller has looked. So it is static, or has no name.
    if (pshmem_addr_accessible(address, my_pe()) == 0) return std::nullopt;
    std::lock_guard guard(mutex);
    auto [found, is_new] = known.try_emplace(address);
    if (is_new) {
        const auto symbol = this_process().symbol_of(number(address));
        if (symbol) {
            found->second =
                Variable{call_sites::text_of(*symbol), static_cast<std::size_t>(symbol->offset),
                         static_cast<std::size_t>(symbol->bytes)};
        }
    }
    return found->second;
}

}  // namespace tessera::check
