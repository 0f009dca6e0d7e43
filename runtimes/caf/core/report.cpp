// SPDX-License-Identifier: BSD-3-Clause
//
// Messages, stat= and errmsg=, and the end of a program with an error (report.hpp).

#include "core/report.hpp"

#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "core/hooks.hpp"

// libgfortran: writes out all units if unit is NULL.
extern "C" __attribute__((weak)) void _gfortran_flush_i4(int* unit);

namespace tessera::caf {
namespace {

constexpr std::size_t kMessageBytes = 512;

// Where teams are in use, the message also names the number in the initial team.
[[noreturn]] void stop_with_message(const char* routine, const char* text) {
    char place[kMessageBytes] = "";
    shmemx_call_place(place, sizeof place);
    char message[2 * kMessageBytes];
    std::snprintf(message, sizeof message, "%s%s%s", text, place[0] != 0 ? ", " : "", place);
    if (detail::image_number == 0) {
        std::fprintf(stderr, "Coarray error in %s: %s\n", routine, message);
    } else if (detail::team_number < 0) {
        std::fprintf(stderr, "[image %d] %s: %s\n", detail::image_number, routine, message);
    } else {
        std::fprintf(stderr, "[image %d, image %d of team %lld] %s: %s\n", detail::image_number,
                     detail::image_in_team, static_cast<long long>(detail::team_number), routine,
                     message);
    }
    end_with_error(1);
}

void* flush_units(void*) {
    if (_gfortran_flush_i4 != nullptr) _gfortran_flush_i4(nullptr);
    if (detail::at_error != nullptr) detail::at_error();
    return nullptr;
}

// The statement may stand in a function that a write statement calls; this thread then holds the
// lock of its unit. So another thread flushes, and has a second for it.
void flush_units_if_possible() {
    if (_gfortran_flush_i4 == nullptr && detail::at_error == nullptr) return;
    pthread_t thread;
    if (::pthread_create(&thread, nullptr, flush_units, nullptr) != 0) return;
    std::timespec deadline{};
    ::clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    ::pthread_timedjoin_np(thread, nullptr, &deadline);
}

// As a character variable: cut or padded with blanks.
void assign_text(char* text, std::size_t bytes, const char* message) {
    const std::size_t used = std::min(std::strlen(message), bytes);
    std::memcpy(text, message, used);
    std::memset(text + used, ' ', bytes - used);
}

}  // namespace

void end_with_error(int code) {
    std::fflush(nullptr);
    if (phase != Phase::kRunning) std::exit(code);
    flush_units_if_possible();
    shmem_global_exit(code & 0xff);
    std::abort();  // Not reached.
}

void stop_with_error(const char* routine, const char* format, ...) {
    char message[kMessageBytes];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    stop_with_message(routine, message);
}

int report(const ErrorTarget& target, int code, const char* routine, const char* format, ...) {
    if (code == kOk) return report_ok(target);
    char message[kMessageBytes];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (target.stat == nullptr) stop_with_message(routine, message);
    *target.stat = code;
    if (target.errmsg != nullptr) assign_text(target.errmsg, target.errmsg_bytes, message);
    return code;
}

}  // namespace tessera::caf
