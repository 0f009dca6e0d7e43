// SPDX-License-Identifier: BSD-3-Clause
//
// See fatal.hpp. Formats into a buffer on the stack: no allocation, so it works when memory is
// gone. It reads the contents of stdout out of its buffer (glibc's names) and does not call
// fflush(), which would wait for locks and for a reader, and which a signal handler must not call.
#include "base/fatal.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/fatal_place.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMessageBytes = 2560;
constexpr std::size_t kCallBytes = 512;  // all of these, with the prefix and the ends of lines
constexpr int kReaderPatienceMs = 1000;

char message_prefix[32] = "";
std::atomic<const char*> fatal_advice{nullptr};
std::atomic<FatalPlace> fatal_place{nullptr};
std::atomic<JobAbort> job_abort{nullptr};
std::atomic<bool> job_is_ending{false};

void write_all(const char* rest, std::size_t left) {
    while (left > 0) {
        const ssize_t written = ::write(STDERR_FILENO, rest, left);
        if (written <= 0) return;  // there is no reader: nothing better to do
        rest += written;
        left -= static_cast<std::size_t>(written);
    }
}

// In one write, so that lines of several PEs do not mix. `place`: a second line, or "".
void write_lines(const char* place, const char* format, va_list arguments) {
    char line[kMessageBytes];
    const std::size_t second = *place != '\0' ? kCallBytes : 0;
    const std::size_t first_max = sizeof line - second - 2;
    int used = std::snprintf(line, first_max, "%s", message_prefix);
    int wanted = std::vsnprintf(line + used, first_max - static_cast<std::size_t>(used) + 1, format,
                                arguments);
    std::size_t length = static_cast<std::size_t>(used) + static_cast<std::size_t>(wanted);
    if (length > first_max) length = first_max;  // cut: the start says the most
    line[length++] = '\n';
    if (second != 0) {
        length += static_cast<std::size_t>(
            std::snprintf(line + length, second, "%s%s\n", message_prefix, place));
    }
    write_all(line, length);
}

// Gives up when nothing reads.
void write_while_read(int fd, const char* bytes, std::size_t count) {
    while (count > 0) {
        // A pipe that is ready takes this much without making the writer wait.
        const std::size_t piece = std::min<std::size_t>(count, PIPE_BUF);
        pollfd reader{.fd = fd, .events = POLLOUT, .revents = 0};
        if (::poll(&reader, 1, kReaderPatienceMs) <= 0) return;
        const ssize_t written = ::write(fd, bytes, piece);
        if (written <= 0) return;
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
}

void write_advice() {
    if (const char* advice = fatal_advice.load(std::memory_order_relaxed)) warn("%s", advice);
}

// The message, where the program made the call, and the advice.
void write_failure(const char* format, va_list arguments) {
    char place[kCallBytes - sizeof message_prefix - 2] = "";
    if (FatalPlace find = fatal_place.load(std::memory_order_relaxed)) find(place, sizeof place);
    write_lines(place, format, arguments);
    write_advice();
}

void save_stdout() {
    if (::ftrylockfile(stdout) != 0) return;  // Another thread is printing, perhaps for ever.
    const char* const start = stdout->_IO_write_base;
    const char* const end = stdout->_IO_write_ptr;
    if (end > start)
        write_while_read(::fileno_unlocked(stdout), start, static_cast<std::size_t>(end - start));
    // The lock stays: the written bytes must not be written again.
}

}  // namespace

void set_message_prefix(const char* prefix) {
    std::snprintf(message_prefix, sizeof message_prefix, "%s", prefix);
}

void set_fatal_advice(const char* advice) { fatal_advice.store(advice, std::memory_order_relaxed); }

void set_fatal_place(FatalPlace place) { fatal_place.store(place, std::memory_order_relaxed); }

// Pairs with base/fatal.cpp:end_job.
void set_job_abort(JobAbort hook) { job_abort.store(hook, std::memory_order_release); }

void warn(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_lines("", format, arguments);
    va_end(arguments);
}

void fatal(const char* format, ...) {
    save_stdout();
    va_list arguments;
    va_start(arguments, format);
    write_failure(format, arguments);
    va_end(arguments);
    end_job(kFatalExitCode);
}

void fatal_lost_peer(const char* format, ...) {
    save_stdout();
    va_list arguments;
    va_start(arguments, format);
    write_failure(format, arguments);
    va_end(arguments);
    end_job(kFatalExitCode, Cause::kLostPeer);
}

void end_job(int code, Cause cause) {
    // One thread ends the job; others that fail meanwhile wait here for the process to vanish.
    if (job_is_ending.exchange(true, std::memory_order_relaxed)) {
        for (;;) ::pause();
    }
    // Pairs with base/fatal.cpp:set_job_abort.
    if (JobAbort hook = job_abort.load(std::memory_order_acquire)) hook(code, cause);
    ::_exit(code);
}

}  // namespace tessera
