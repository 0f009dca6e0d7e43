// SPDX-License-Identifier: BSD-3-Clause
//
// The letters between simulated PEs. Each but kGate is answered by a kAnswer with the same
// `request`: kGet with the data, kAtomic with the old value, kAccumulate with the old elements if
// it asks for them, kPut with nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transports/transport.hpp"

namespace tessera::sim {

enum class LetterKind : std::uint8_t { kPut, kGet, kAtomic, kAccumulate, kGate, kAnswer };

// A request of the sender, which its answer ends. All PEs lie in one process, so the letter that
// carries the address of this comes back with it.
struct Request {
    void* result = nullptr;  // where the data of the answer goes
    std::atomic<std::uint32_t>* pending = nullptr;
    std::atomic<std::uint32_t>* of_operation = nullptr;  // a count of an Operation, or none
};

struct Letter {
    LetterKind kind{};
    int source = 0;  // PE
    std::size_t segment = 0;
    std::uint64_t offset = 0;
    std::size_t bytes = 0;     // kGet
    AtomicRequest atomic{};    // kAtomic: all but `dest`; kAccumulate: the element
    std::uint32_t number = 0;  // kGate
    bool wants_old = false;    // kAccumulate
    Request* request = nullptr;
    std::vector<std::byte> data{};
};

}  // namespace tessera::sim
