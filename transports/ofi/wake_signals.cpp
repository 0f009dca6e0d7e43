// SPDX-License-Identifier: BSD-3-Clause
//
// See wake_signals.hpp. The replacements of libfabric's calls. Calls in this file itself are the
// ordinary ones.
#include "transports/ofi/wake_signals.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>

#include "base/log.hpp"
#include "transports/ofi/imports.hpp"
#include "transports/ofi/library.hpp"

namespace tessera::ofi {
namespace {

// Pairs with a higher descriptor stay ordinary ones.
constexpr int kDescriptorsMax = 4096;
// Whether the descriptor belongs to a standing signal. Relaxed: libfabric hands a descriptor to its
// other threads by its own locks, and a descriptor that is closed is in no use.
constinit std::atomic<bool> g_is_signal[kDescriptorsMax];
constinit thread_local bool t_makes_signals = false;

void mark(int descriptor, bool is_signal) {
    g_is_signal[descriptor].store(is_signal, std::memory_order_relaxed);
}

int socketpair_standing(int domain, int type, int protocol, int* pair) {
    const int result = ::socketpair(domain, type, protocol, pair);
    if (result != 0 || !t_makes_signals) return result;
    const bool fits = pair[0] < kDescriptorsMax && pair[1] < kDescriptorsMax;
    if (fits && ::write(pair[1], "", 1) == 1) {
        mark(pair[0], true);
        mark(pair[1], true);
    }
    return 0;
}

ssize_t write_or_stand(int descriptor, const void* data, std::size_t bytes) {
    if (StandingSignals::has(descriptor)) [[likely]]
        return static_cast<ssize_t>(bytes);
    return ::write(descriptor, data, bytes);
}

ssize_t read_or_stand(int descriptor, void* data, std::size_t bytes) {
    if (StandingSignals::has(descriptor)) [[likely]] {
        std::memset(data, 0, bytes);
        return static_cast<ssize_t>(bytes);
    }
    return ::read(descriptor, data, bytes);
}

int close_unmarked(int descriptor) {
    if (StandingSignals::has(descriptor)) mark(descriptor, false);
    return ::close(descriptor);
}

bool replace_calls() {
    const Import imports[] = {{"socketpair", reinterpret_cast<void*>(&socketpair_standing)},
                              {"write", reinterpret_cast<void*>(&write_or_stand)},
                              {"read", reinterpret_cast<void*>(&read_or_stand)},
                              {"close", reinterpret_cast<void*>(&close_unmarked)}};
    return replace_imports(reinterpret_cast<const void*>(library().getinfo), imports);
}

}  // namespace

bool StandingSignals::has(int descriptor) {
    return descriptor >= 0 && descriptor < kDescriptorsMax &&
           g_is_signal[descriptor].load(std::memory_order_relaxed);
}

StandingSignals::Scope::Scope(bool is_wanted) {
    if (!is_wanted) return;
    static const bool is_replaced = replace_calls();
    if (!is_replaced) log(Subsystem::kFabric, "this libfabric's calls of write cannot be replaced");
    t_makes_signals = is_replaced;
}
StandingSignals::Scope::~Scope() { t_makes_signals = false; }

}  // namespace tessera::ofi
