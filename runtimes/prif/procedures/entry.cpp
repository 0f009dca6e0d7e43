// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of PRIF's procedures (entry.hpp).

#include "procedures/entry.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "procedures/stat_values.hpp"

namespace tessera::prif {
namespace {

// The last error of this thread.
thread_local char message[kMessageBytes];

}  // namespace

void detail::stop_outside(const char* routine) {
    caf::stop_with_error(routine, caf::phase == caf::Phase::kBefore
                                      ? "the images do not run yet; call prif_init first"
                                      : "the image has ended its execution");
}

int fail(int* stat, int code, const char* routine, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (stat == nullptr) caf::stop_with_error(routine, "%s", message);
    *stat = value_of(code);
    return code;
}

caf::Team& team_of(const void* value, const char* routine) {
    if (value == nullptr) return caf::current_team();
    caf::Team* team = caf::find_team(value);
    if (team == nullptr) {
        caf::stop_with_error(routine,
                             "the team argument holds no team; prif_form_team and prif_get_team "
                             "make some");
    }
    return *team;
}

// The text of the last error of this thread, for a buffer of kMessageBytes. RETURNS: its length.
PRIF_ENTRY int tessera_prif_message(char* text) {
    const std::size_t length = std::strlen(message);
    std::memcpy(text, message, length);
    return static_cast<int>(length);
}

}  // namespace tessera::prif
