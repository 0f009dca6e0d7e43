// SPDX-License-Identifier: BSD-3-Clause
//
// See places.hpp.
#include "tools/check/places.hpp"

#include <unistd.h>
#include <unwind.h>

#include <mutex>
#include <string_view>
#include <unordered_map>

#include "pshmem.h"
#include "tools/call_sites/call_sites.hpp"

namespace tessera::check {
namespace {

using interpose::Caller;

std::mutex mutex;  // Process serves one thread at a time.

call_sites::Process& this_process() {
    static auto& process = *new call_sites::Process(::getpid());
    return process;
}

std::uint64_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// By the function, as the runtimes may be linked into the program; or by the library, which may
// have lost the names of its inner functions.
Caller caller_of(const call_sites::Site& place) {
    const auto begins = [](std::string_view text, auto... starts) {
        return (text.starts_with(starts) || ...);
    };
    const std::string library = place.module.substr(place.module.rfind('/') + 1);
    if (begins(library, "libcaf_tessera") ||
        begins(place.function, "_gfortran_caf_", "tessera::caf::")) {
        return Caller::kCoarrays;
    }
    if (begins(library, "libdart-tessera") || begins(place.function, "dart_", "tessera::dart::"))
        return Caller::kDart;
    return Caller::kProgram;
}

// The code of the call that returns to `site`.
Caller caller_at(const void* site) {
    static auto& known = *new std::unordered_map<const void*, Caller>;
    std::lock_guard guard(mutex);
    const auto [found, is_new] = known.try_emplace(site);
    if (is_new) found->second = caller_of(this_process().caller_at(number(site)));
    return found->second;
}

// For the first call behind that of a runtime which the program makes.
struct Search {
    const void* runtime_site;
    bool is_behind = false;
    const void* program_site = nullptr;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* into) {
    auto& search = *static_cast<Search*>(into);
    const auto* site = reinterpret_cast<const void*>(_Unwind_GetIP(context));
    search.is_behind = search.is_behind || site == search.runtime_site;
    if (!search.is_behind || caller_at(site) != Caller::kProgram) return _URC_NO_REASON;
    search.program_site = site;
    return _URC_END_OF_STACK;
}

}  // namespace

// Names are kept: a look into the debug information takes longer than the call itself.
std::string place_of(const void* site) {
    static auto& known = *new std::unordered_map<const void*, std::string>;
    std::lock_guard guard(mutex);
    std::string& text = known[site];
    if (text.empty()) text = call_sites::text_of(this_process().caller_at(number(site)));
    return text;
}

void find_caller(interpose::Call& call) {
    call.caller = caller_at(call.site);
    const bool only_asks =
        call.kind == interpose::Kind::kQuery || call.kind == interpose::Kind::kAddress;
    if (call.caller == Caller::kProgram || only_asks) return;
    Search search{.runtime_site = call.site};
    _Unwind_Backtrace(look_at_frame, &search);
    if (search.program_site != nullptr) call.site = search.program_site;
}

std::optional<Variable> variable_at(const void* address) {
    static auto& known = *new std::unordered_map<const void*, std::optional<Variable>>;
    // Symmetric, and no block: the caller has looked. So it is static, or has no name.
    if (pshmem_addr_accessible(address, pshmem_my_pe()) == 0) return std::nullopt;
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
