// SPDX-License-Identifier: BSD-3-Clause
//
// See oshrun_client.hpp. The life pipe needs no thread: the kernel sends the signal that F_SETSIG
// names to the owner of an O_ASYNC pipe when the last writer closes it, and that signal may be
// SIGKILL. Owner and signal belong to the open file description, which the PEs share when they
// inherit it; opening the pipe again through /proc gives a description of this process alone.
#include "launch/oshrun_client.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/fd.hpp"

namespace tessera::launch {

void tell_oshrun(ControlMessage::Kind kind, int code) {
    const Inherited& job = *inherited();
    ControlMessage message{.kind = kind, .pe = job.pe, .pid = ::getpid(), .code = code};
    // If oshrun is gone there is no reader, and this process is about to be killed anyway.
    ssize_t written = ::write(job.control_fd, &message, sizeof message);
    static_cast<void>(written);
}

void die_with_oshrun(const Inherited& job) {
    static Fd& life = *new Fd;
    if (life) return;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", job.life_fd);
    life = Fd(::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!life) return;  // No /proc: the parent-death signal remains.
    ::fcntl(life.get(), F_SETOWN, ::getpid());
    ::fcntl(life.get(), F_SETSIG, SIGKILL);
    ::fcntl(life.get(), F_SETFL, O_NONBLOCK | O_ASYNC);
    // oshrun may have died before the signal was armed.
    pollfd hangup{.fd = life.get(), .events = POLLIN, .revents = 0};
    if (::poll(&hangup, 1, 0) > 0) ::kill(::getpid(), SIGKILL);
}

}  // namespace tessera::launch
