// SPDX-License-Identifier: BSD-3-Clause
//
// See call_place.hpp. The unwinder is that of C++ exceptions, which takes no lock with the glibc of
// today (_dl_find_object).
#include "session/call_place.hpp"

#include <unistd.h>
#include <unwind.h>

#include <array>
#include <cstdint>
#include <cstdio>

#include "base/environment.hpp"
#include "base/fatal_place.hpp"
#include "base/interrupted_call.hpp"
#include "session/reporter.hpp"
#include "settings/config_parse.hpp"

namespace tessera {
namespace {

constexpr std::size_t kCallsMax = 32;
constexpr std::size_t kDigitsMax = 19;  // longest address, with 0x and a comma

struct Calls {
    std::array<std::uint64_t, kCallsMax> addresses;  // instructions, from the innermost outwards
    std::size_t count = 0;
    bool starts_at_signal = false;
    bool has_signal = false;
};

_Unwind_Reason_Code take_call(_Unwind_Context* context, void* into) {
    auto& calls = *static_cast<Calls*>(into);
    int is_before = 0;  // the address is that of the instruction itself: a signal interrupted it
    const std::uint64_t address = _Unwind_GetIPInfo(context, &is_before);
    if (address == 0) return _URC_END_OF_STACK;
    if (is_before != 0 && !calls.has_signal) {
        calls.has_signal = true;
        if (calls.starts_at_signal) calls.count = 0;
    }
    if (calls.count == kCallsMax) return _URC_END_OF_STACK;
    calls.addresses[calls.count++] = is_before != 0 ? address : address - 1;
    return _URC_NO_REASON;
}

// `option` says what osh_hang is to tell of the addresses.
void ask(const char* option, const Calls& calls, std::span<char> answer) {
    char list[kCallsMax * kDigitsMax] = "";
    std::size_t used = 0;
    for (std::size_t i = 0; i < calls.count; ++i) {
        used += static_cast<std::size_t>(
            std::snprintf(list + used, sizeof list - used, "%s0x%llx", i > 0 ? "," : "",
                          static_cast<unsigned long long>(calls.addresses[i])));
    }
    char pid[16];
    std::snprintf(pid, sizeof pid, "%d", static_cast<int>(::getpid()));
    const char* arguments[] = {nullptr, nullptr, option, list, pid, nullptr};
    ask_reporter(arguments, answer);
}

// Not by config(), which ends the job itself where a value is bad.
bool is_wanted() {
    const char* value = environment("SHMEM_BACKTRACE");
    return value == nullptr || parse_bool(value).value_or(true);
}

[[gnu::constructor]] void offer_to_fatal() { set_fatal_place(find_call_place); }

}  // namespace

void find_call_place(char* text, std::size_t bytes) {
    text[0] = '\0';
    if (!is_wanted()) return;
    Calls calls;
    _Unwind_Backtrace(take_call, &calls);
    ask("--caller-in", calls, {text, bytes});
}

void find_interrupted_calls(const void* context, const void* fault, std::span<char> text) {
    Calls calls;
    calls.starts_at_signal = true;
    // The unwinder would read the code that is not there.
    if (const std::uint64_t caller = return_address_of_bad_call(context, fault)) {
        calls.addresses[calls.count++] = caller - 1;
    } else {
        _Unwind_Backtrace(take_call, &calls);
    }
    ask("--calls", calls, text);
}

}  // namespace tessera
