// SPDX-License-Identifier: BSD-3-Clause
//
// Messages, stat= and errmsg= (runtime.hpp).

#include <shmemx.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "core/runtime.hpp"
#include "core/team.hpp"
#include "core/termination.hpp"

namespace tessera::caf {
namespace {

constexpr std::size_t kMessageBytes = 512;

// Where teams are in use, the message also names the number in the initial team.
[[noreturn]] void stop_with_message(const char* routine, const char* text) {
    char place[kMessageBytes] = "";
    shmemx_call_place(place, sizeof place);
    char message[2 * kMessageBytes];
    std::snprintf(message, sizeof message, "%s%s%s", text, place[0] != 0 ? ", " : "", place);
    if (detail::current == nullptr) {
        std::fprintf(stderr, "Coarray error in %s: %s\n", routine, message);
    } else if (current_team().is_initial()) {
        std::fprintf(stderr, "[image %d] %s: %s\n", this_image(), routine, message);
    } else {
        std::fprintf(stderr, "[image %d, image %d of team %d] %s: %s\n", initial_team().this_image,
                     this_image(), current_team().number, routine, message);
    }
    end_with_error(1);
}

// As a character variable: cut or padded with blanks.
void assign_text(char* text, std::size_t bytes, const char* message) {
    const std::size_t used = std::min(std::strlen(message), bytes);
    std::memcpy(text, message, used);
    std::memset(text + used, ' ', bytes - used);
}

}  // namespace

void stop_with_error(const char* routine, const char* format, ...) {
    char message[kMessageBytes];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    stop_with_message(routine, message);
}

int report(const ErrorTarget& target, int code, const char* routine, const char* format, ...) {
    if (code == kOk) {
        return report_ok(target);
    }
    char message[kMessageBytes];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (target.stat == nullptr) {
        stop_with_message(routine, message);
    }
    *target.stat = code;
    if (target.errmsg != nullptr) {
        assign_text(target.errmsg, target.errmsg_bytes, message);
    }
    return code;
}

}  // namespace tessera::caf
