// SPDX-License-Identifier: BSD-3-Clause
//
// Messages (log.hpp), and dart_config, which switches them on.

#include "core/log.hpp"

#include <dash/dart/if/dart_config.h>
#include <shmem.h>
#include <shmemx.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "core/entry.hpp"

namespace tessera::dart {
namespace {

dart_config_t config{.log_enabled = 0};
constexpr std::size_t kMessageBytes = 512;

// A program that ignores results may fail millions of times.
constexpr int kFailuresPrinted = 1000;
std::atomic<int> failures = 0;

// -1 while OpenSHMEM does not run.
int my_number() {
    int is_up = 0;
    shmem_query_initialized(&is_up);
    return is_up != 0 ? shmem_my_pe() : -1;
}

// One write, so that lines of several units do not mix.
void print(const char* routine, const char* format, std::va_list arguments) {
    char message[kMessageBytes];
    std::vsnprintf(message, sizeof message, format, arguments);
    const char* separator = *routine != 0 ? ": " : "";
    std::fprintf(stderr, "[unit %d] %s%s%s\n", my_number(), routine, separator, message);
}

}  // namespace

dart_ret_t fail(dart_ret_t code, const char* routine, const char* format, ...) {
    const int failure = failures.fetch_add(1, std::memory_order_relaxed);
    if (failure >= kFailuresPrinted) {
        // Back to the limit, so that the number never wraps around.
        failures.store(kFailuresPrinted, std::memory_order_relaxed);
        return code;
    }
    std::va_list arguments;
    va_start(arguments, format);
    print(routine, format, arguments);
    va_end(arguments);
    if (failure == kFailuresPrinted - 1)
        std::fprintf(stderr, "[unit %d] DART prints no further errors of this unit\n", my_number());
    return code;
}

dart_ret_t fail_null(const char* routine) {
    return fail(DART_ERR_INVAL, routine, "the place for the result is NULL");
}

void fatal(const char* routine, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    print(routine, format, arguments);
    va_end(arguments);
    char place[kMessageBytes] = "";
    shmemx_call_place(place, sizeof place);
    if (place[0] != 0) std::fprintf(stderr, "[unit %d] %s\n", my_number(), place);
    shmem_global_exit(DART_EXIT_ABORT);
}

void log(const char* format, ...) {
    if (config.log_enabled == 0) return;
    std::va_list arguments;
    va_start(arguments, format);
    print("", format, arguments);
    va_end(arguments);
}

DART_ENTRY void dart_config(dart_config_t** config_out) {
    if (config_out != nullptr) *config_out = &config;
}

}  // namespace tessera::dart
