// SPDX-License-Identifier: BSD-3-Clause
//
// See fuzz.hpp. The linker's --wrap makes calls of NAME those of __wrap_NAME, and gives the
// original the name __real_NAME (CMakeLists.txt). Messages are formatted, because bad arguments
// are findings.
#include <cstdarg>

#include "base/fatal.hpp"
#include "fuzz/fuzz.hpp"

namespace {

thread_local bool has_input = false;

void format_message(const char* format, va_list arguments) {
    char text[4096];
    std::vsnprintf(text, sizeof text, format, arguments);
}

}  // namespace

namespace tessera::fuzz {

Input::Input() { has_input = true; }
Input::~Input() { has_input = false; }

}  // namespace tessera::fuzz

#define TAKE_MESSAGE(FORMAT)           \
    va_list arguments;                 \
    va_start(arguments, FORMAT);       \
    format_message(FORMAT, arguments); \
    va_end(arguments)

extern "C" {

[[noreturn]] void __real__exit(int code);
[[noreturn]] void __wrap__exit(int code) {
    if (has_input) throw tessera::fuzz::Ended();
    __real__exit(code);
}

// tessera::end_job, fatal, fatal_lost_peer, warn
[[noreturn]] void __wrap__ZN7tessera7end_jobEiNS_5CauseE(int code, tessera::Cause) {
    __wrap__exit(code);
}
[[noreturn]] void __wrap__ZN7tessera5fatalEPKcz(const char* format, ...) {
    TAKE_MESSAGE(format);
    __wrap__exit(1);
}
[[noreturn]] void __wrap__ZN7tessera15fatal_lost_peerEPKcz(const char* format, ...) {
    TAKE_MESSAGE(format);
    __wrap__exit(1);
}
void __wrap__ZN7tessera4warnEPKcz(const char* format, ...) { TAKE_MESSAGE(format); }

// tessera::caf::stop_with_error
[[noreturn]] void __wrap__ZN7tessera3caf15stop_with_errorEPKcS2_z(const char*, const char* format,
                                                                  ...) {
    TAKE_MESSAGE(format);
    __wrap__exit(1);
}

}  // extern "C"
