// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that no other process can guess: keys of messages, names of sockets.
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/fatal.hpp"

namespace tessera {

// THREADS: any. COST: a system call. Ends the job where the system has no random numbers.
inline std::uint64_t random_number() {
    std::uint64_t number = 0;
    while (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
        if (errno != EINTR) fatal("the system has no random numbers: %s", std::strerror(errno));
    }
    return number;
}

}  // namespace tessera
