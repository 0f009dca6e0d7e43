// SPDX-License-Identifier: BSD-3-Clause
//
// One operation whose completion a program waits for on its own (progress/request.hpp). A transport
// counts in it the parts that are under way; other operations of the context are counted elsewhere,
// so that a wait for this one waits for no other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tessera {

// THREADS: the caller of the operation adds, before it hands the part over; the reader of a
// transport's answers subtracts. The object stays where it is until both counts are 0. Pairs with
// transports/ofi/completion.hpp:complete, transports/loopback/transport.cpp:take_answer and
// progress/background.cpp:finish.
struct Operation {
    static constexpr std::size_t kScratchBytes = 48;

    // Parts whose source is still in use, or whose result is not there; of some transports until
    // they are delivered.
    std::atomic<std::uint32_t> local{0};
    // Other parts that may not be delivered and visible yet.
    std::atomic<std::uint32_t> remote{0};
    // For the transport, while a count is not 0; from its first use on `has_scratch`.
    alignas(8) std::byte scratch[kScratchBytes];
    bool has_scratch = false;

    bool is_local() const { return local.load(std::memory_order_acquire) == 0; }
    bool is_remote() const { return remote.load(std::memory_order_acquire) == 0 && is_local(); }
};

}  // namespace tessera
