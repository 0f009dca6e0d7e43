// SPDX-License-Identifier: BSD-3-Clause
//
// See memory_watch.hpp.
#include "transports/ofi/memory_watch.hpp"

#include <sys/mman.h>

#include <cstddef>

#include "base/clock.hpp"
#include "base/fatal.hpp"

namespace tessera::ofi {
namespace {

constexpr std::uint64_t kIntervalNs = 5'000'000'000;
// libfabric 1.17 (rxm) asks for 20 MiB at once.
constexpr std::size_t kBytes = std::size_t{24} << 20;

}  // namespace

void MemoryWatch::look() {
    const std::uint64_t now = now_ns();
    if (next_look_ns_ == 0) next_look_ns_ = now + kIntervalNs;
    if (now < next_look_ns_) return;
    next_look_ns_ = now + kIntervalNs;
    void* const memory =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        fatal(
            "libfabric takes no messages to other nodes, because the system gives it no more "
            "memory; raise the limits of memory (ulimit -d, ulimit -v), or start fewer PEs");
    }
    ::munmap(memory, kBytes);
}

}  // namespace tessera::ofi
