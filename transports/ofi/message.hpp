// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages: the traffic between PEs of different nodes besides plain reads and writes of
// memory. The target's CPU executes them, so their atomics use the same instructions as those of
// its own node. Every message starts with the receiver's key; the receiver drops others (a stray
// process can send to an endpoint, but not guess 64 bits).
//
//   kUpdates  Header, count x Update     executed in order; answered by kAck
//   kScatter  Header, ScatterBody, data  blocks of a strided put; answered by kAck
//   kFetch    Header, FetchBody          answered by kReply
//   kReply    Header, ReplyBody
//   kAck      Header                     count: executed updates
//   kGate     Header, GateBody           not answered
//   kPing     Header                     answered by kAck of 0
// All but the first two are small enough to be injected by every provider. Byte order and layout
// are those of the processor: the PEs of a job run on one kind of machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transports/fabric_segments.hpp"
#include "transports/transport.hpp"

namespace tessera::ofi {

enum class MessageKind : std::uint16_t {
    kUpdates = 1,
    kScatter,
    kFetch,
    kReply,
    kAck,
    kGate,
    kPing
};

struct Header {
    std::uint64_t key = 0;    // of the receiver
    std::int32_t source = 0;  // PE
    MessageKind kind{};
    std::uint16_t count = 0;
    std::uint64_t token = 0;  // comes back with the answer
};
static_assert(sizeof(Header) == 24);

// A word of the target, and the operation on it, in 64 bits.
class RemoteWord {
  public:
    // REQUIRES: bytes is 1, 2, 4 or 8; offset < 2^54.
    static std::uint64_t pack(Segment segment, std::size_t offset, std::size_t bytes, AtomicOp op) {
        return static_cast<std::uint64_t>(offset) << 10 | static_cast<std::uint64_t>(op) << 4 |
               static_cast<std::uint64_t>(__builtin_ctzll(bytes)) << 2 |
               static_cast<std::uint64_t>(segment);
    }
    explicit RemoteWord(std::uint64_t bits) : bits_(bits) {}
    std::size_t segment() const { return bits_ & 3; }
    std::size_t bytes() const { return std::size_t{1} << (bits_ >> 2 & 3); }
    AtomicOp op() const { return static_cast<AtomicOp>(bits_ >> 4 & 63); }
    std::size_t offset() const { return bits_ >> 10; }

  private:
    std::uint64_t bits_;
};

struct Update {
    std::uint64_t word;  // RemoteWord
    std::uint64_t operand;
};

// Blocks of `block_bytes` that follow each other in the message go to addresses `stride` bytes
// apart.
struct ScatterBody {
    std::uint64_t first;  // RemoteWord: where the first block goes
    std::uint64_t stride;
    std::uint32_t block_bytes;
    std::uint32_t blocks;
};

struct FetchBody {
    std::uint64_t word;  // RemoteWord
    std::uint64_t operand;
    std::uint64_t condition;
};
struct Fetch : Header {
    FetchBody body;
};
static_assert(sizeof(Fetch) == 48);

struct Reply : Header {
    std::uint64_t value;
};
static_assert(sizeof(Reply) == 32);

struct GateMessage : Header {
    std::uint64_t offset;  // in the internal segment
    std::uint32_t number;
    std::uint32_t unused = 0;
};
static_assert(sizeof(GateMessage) == 40);

// The least that a provider must inject.
inline constexpr std::size_t kSmallMessageBytes = sizeof(Fetch);

// Size of the largest kUpdates message, and of a receive buffer.
inline constexpr std::size_t kPacketBytes = 4096;
inline constexpr std::size_t kScatterBytesMax = kPacketBytes - sizeof(Header) - sizeof(ScatterBody);
inline constexpr std::size_t kUpdatesMax = (kPacketBytes - sizeof(Header)) / sizeof(Update);

}  // namespace tessera::ofi
