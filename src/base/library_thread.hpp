// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of the library and of its tools. Those of the library take no signals of the program, and
// must not call its functions.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <thread>
#include <utility>

#include "base/fatal.hpp"

namespace tessera {

// Whether the calling thread is one of the library's.
inline thread_local bool is_library_thread = false;

// Ends the job, with the limits in question, where the system refuses the thread.
template <class Body>
std::thread start_thread(Body body) {
    try {
        return std::thread(std::move(body));
    } catch (const std::system_error& error) {
        fatal(
            "the system refuses a thread (%s); raise the limits of threads and processes "
            "(ulimit -u, pids.max of the cgroup) or of memory (ulimit -v), or start fewer PEs",
            error.code().message().c_str());
    }
}

template <class Body>
std::thread start_library_thread(Body body) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // A thread begins with its starter's mask.
    std::thread thread = start_thread([body = std::move(body)]() mutable {
        is_library_thread = true;
        body();
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace tessera
