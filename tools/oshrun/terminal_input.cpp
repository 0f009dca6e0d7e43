// SPDX-License-Identifier: BSD-3-Clause
//
// See terminal_input.hpp.
#include "terminal_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace tessera::oshrun {

bool TerminalInput::is_needed() { return ::isatty(STDIN_FILENO) == 1; }

Fd TerminalInput::open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    pipe_ = Fd(ends[1]);
    ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
    return Fd(ends[0]);
}

bool TerminalInput::wants_input() const {
    if (!pipe_ || is_over_ || !typed_.empty()) return false;
    pid_t foreground = ::tcgetpgrp(STDIN_FILENO);
    // A terminal that is not the controlling one (-1) has no foreground and stops no process.
    return foreground < 0 || foreground == ::getpgrp();
}

void TerminalInput::read() {
    char buffer[4096];
    ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (got > 0) {
        typed_.assign(buffer, static_cast<std::size_t>(got));
        write();
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        is_over_ = true;
        pipe_.reset();  // PE 0 sees the end of its input.
    }
}

void TerminalInput::write() {
    ssize_t written = ::write(pipe_.get(), typed_.data(), typed_.size());
    if (written > 0) {
        typed_.erase(0, static_cast<std::size_t>(written));
    } else if (errno != EAGAIN && errno != EINTR) {
        typed_.clear();
        pipe_.reset();  // PE 0 does not read any more.
    }
}

}  // namespace tessera::oshrun
