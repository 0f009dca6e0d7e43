// SPDX-License-Identifier: BSD-3-Clause
//
// The datagrams between PEs: each is a Message and, behind it, `bytes` bytes of data for kPut,
// kAccumulate, kGetAccumulate and kAnswer. Each but kGate is answered by a kAnswer with the same
// token: kGet with the data, kAtomic and kGetAccumulate with what was there before, kPut and
// kAccumulate with nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/setting_marks.hpp"
#include "transports/loopback/socket.hpp"
#include "transports/transport.hpp"

namespace tessera::loopback {

enum class MessageKind : std::uint8_t {
    kPut = 1,
    kGet,
    kAtomic,
    kAccumulate,
    kGetAccumulate,
    kGate,
    kAnswer
};

struct Message {
    std::uint64_t key = 0;        // of the receiver
    std::uint64_t token = 0;      // of the request
    std::uint64_t offset = 0;     // in the segment
    std::uint64_t operand = 0;    // kGate: the number
    std::uint64_t condition = 0;  // kAtomic
    std::int32_t source = 0;      // PE
    std::uint32_t bytes = 0;      // of the data, or of the word
    MessageKind kind{};
    std::uint8_t segment = 0;
    AtomicOp op{};
    Element element{};  // kAccumulate, kGetAccumulate, and AtomicOp::kElement
};

// A sixth of the smallest default socket buffer, so that several are under way.
inline constexpr std::size_t kDataBytesMax = std::size_t{32} << 10;

// A PE publishes this about itself, once per init.
struct EndpointInfo {
    std::uint64_t settings_digest = 0;
    SettingMarks setting_marks{};
    std::uint64_t program_digest = 0;
    std::uint64_t key = 0;  // messages to this PE begin with it
    Socket::Name name = 0;
};

}  // namespace tessera::loopback
