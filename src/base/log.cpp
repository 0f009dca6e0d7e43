// SPDX-License-Identifier: BSD-3-Clause
//
// See log.hpp. The line goes out through warn(), which knows the prefix and writes it whole.
#include "base/log.hpp"

#include <cstdarg>
#include <cstdio>
#include <iterator>

#include "base/fatal.hpp"

namespace tessera {

// Longer messages are cut; the start says the most.
constexpr std::size_t kLogBytesMax = 1024;

static_assert(std::size(kSubsystemNames) == static_cast<std::size_t>(Subsystem::kCollectives) + 1);

SubsystemSet log_subsystems;

void log(Subsystem subsystem, const char* format, ...) {
    if (!log_enabled(subsystem)) return;
    char message[kLogBytesMax];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    warn("%s: %s", kSubsystemNames[static_cast<std::size_t>(subsystem)].data(), message);
}

}  // namespace tessera
