// SPDX-License-Identifier: BSD-3-Clause
//
// The datagrams between PEs: each is a Message and, behind it, the data of kPut, kAccumulate and
// kAnswer. Each but kGate is answered by a kAnswer with the same token: kGet with
// the data, kAtomic with the old value, kAccumulate with the old elements if it asks for them,
// kPut with nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transports/fabric_transport.hpp"
#include "transports/loopback/socket.hpp"

namespace tessera::loopback {

enum class MessageKind : std::uint8_t { kPut = 1, kGet, kAtomic, kAccumulate, kGate, kAnswer };

struct Message {
    std::uint64_t key = 0;     // key of the receiver
    std::uint64_t token = 0;   // token of the request
    std::uint64_t offset = 0;  // in the segment
    AtomicRequest atomic{};    // kAtomic: all but `dest`; kAccumulate: the element
    std::uint32_t number = 0;  // kGate; kAccumulate: not 0 asks for the old elements
    std::uint32_t bytes = 0;   // kGet
    std::int32_t source = 0;   // PE
    MessageKind kind{};
    std::uint8_t segment = 0;
};

// A sixth of the smallest default socket buffer, so that several are under way.
inline constexpr std::size_t kDataBytesMax = std::size_t{32} << 10;

// A PE publishes this about itself, once per init.
struct EndpointInfo {
    Fingerprint fingerprint;
    std::uint64_t key = 0;  // messages to this PE begin with it
    Socket::Name name = 0;
};

}  // namespace tessera::loopback
