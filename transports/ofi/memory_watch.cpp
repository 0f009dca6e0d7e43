// SPDX-License-Identifier: BSD-3-Clause
//
// See memory_watch.hpp.
#include "transports/ofi/memory_watch.hpp"

#include <cstddef>

#include "base/clock.hpp"
#include "base/fatal.hpp"
#include "base/memory_left.hpp"

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
    if (is_memory_left(kBytes)) return;
    fatal(
        "libfabric takes no messages to other nodes, because the system gives it no more memory; "
        "raise the limits of memory (ulimit -d, ulimit -v), or start fewer PEs");
}

}  // namespace tessera::ofi
