// SPDX-License-Identifier: BSD-3-Clause
//
// The library's own threads: they take no signals of the program, and must not call its functions.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace tessera {

// Whether the calling thread is one of them.
inline thread_local bool is_library_thread = false;

template <class Body>
std::thread start_library_thread(Body body) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // A thread begins with its starter's mask.
    std::thread thread([body = std::move(body)]() mutable {
        is_library_thread = true;
        body();
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace tessera
