// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages: the traffic between PEs of different nodes besides plain reads and writes of
// memory. The target's CPU executes them, so their atomics use the same instructions as those of
// its own node. Every message starts with the receiver's key; the receiver drops others (a stray
// process can send to an endpoint, but not guess 64 bits).
//
//   kUpdates  Header, count x {Update, for a put of bytes data padded to 8}   executed in order;
//                                        answered by kAck
//   kScatter  Header, runs, data         a part of a strided put (message_runs.hpp); kAck
//   kScatterList  Header, {ListEntry, data padded to 8}...   pieces of an indexed put; kAck
//   kGather   Header, runs               a part of a strided get; answered by kGathered
//   kGatherList   Header, ListEntry...   pieces of an indexed get; answered by kGathered
//   kGathered Header, data               as many bytes as the request has named
//   kAccumulate  Header, AccumulateBody, data  elements; kAck
//   kGetAccumulate  Header, AccumulateBody, data  the same; answered by kGathered: the old elements
//   kFetch    Header, FetchBody          answered by kReply; count: the Element, of kElement
//   kReply    Header, ReplyBody
//   kAck      Ack                        count: executed updates
//   kGate     GateMessage                not answered
//   kPutWithGates  PutWithGatesMessage, data  not answered
//   kPing     Header                     answered by kAck of 0
//   kReads, kWrites  never sent: a TransferVector (message_sender.hpp)
// kFetch, kReply, kAck, kGate and kPing are small enough to be injected by every provider. Byte
// order and layout are those of the processor: the PEs of a job run on one kind of machine.
#pragma once

#include <bit>
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
    kPing,
    kScatterList,
    kGather,
    kGatherList,
    kGathered,
    kAccumulate,
    kGetAccumulate,
    kPutWithGates,
    kReads,
    kWrites
};

struct Header {
    std::uint64_t key = 0;    // key of the receiver
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
    // The first byte of a put of bytes.
    static std::uint64_t pack_bytes(Segment segment, std::size_t offset) {
        return static_cast<std::uint64_t>(offset) << 10 | kPutBytes << 4 |
               static_cast<std::uint64_t>(segment);
    }
    explicit RemoteWord(std::uint64_t bits) : bits_(bits) {}
    bool is_put_of_bytes() const { return (bits_ >> 4 & 63) == kPutBytes; }
    std::size_t segment() const { return bits_ & 3; }
    std::size_t bytes() const { return std::size_t{1} << (bits_ >> 2 & 3); }
    AtomicOp op() const { return static_cast<AtomicOp>(bits_ >> 4 & 63); }
    std::size_t offset() const { return bits_ >> 10; }

  private:
    static constexpr std::uint64_t kPutBytes = 63;  // no AtomicOp
    std::uint64_t bits_;
};

// An atomic operation on a word, or a put of `operand` bytes, which follow.
struct Update {
    std::uint64_t word;  // RemoteWord
    std::uint64_t operand;
};
// Whether an atomic operation can store that put: the largest word is that of an Update.
inline bool is_word(const void* address, std::size_t bytes) {
    return bytes <= sizeof(std::uint64_t) && std::has_single_bit(bytes) &&
           reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

// Runs [first, first + count) of one side of a section (base/section.hpp). Behind it:
//
//   extents   ndims x uint64
//   strides   ndims x int64, none negative
struct RunsBody {
    std::uint64_t word;  // RemoteWord: the first byte of run 0
    std::uint64_t first;
    std::uint32_t run_bytes;
    std::uint16_t count;
    std::uint16_t ndims;
};
static_assert(sizeof(RunsBody) == 24);

// A piece of memory.
struct ListEntry {
    std::uint64_t word;  // RemoteWord: its first byte
    std::uint64_t bytes;
};
static_assert(sizeof(ListEntry) == 16);
inline ListEntry list_entry(SegmentOffset at, std::size_t bytes) {
    return {.word = RemoteWord::pack(at.segment, at.offset, 1, AtomicOp::kSet), .bytes = bytes};
}

// Elements that follow each other in the message go to the addresses from `first` on.
struct AccumulateBody {
    std::uint64_t first;  // RemoteWord
    std::uint32_t nelems;
    std::uint8_t type;  // type of an Element
    std::uint8_t op;
    std::uint16_t unused;
};
static_assert(sizeof(AccumulateBody) == 16);

struct FetchBody {
    std::uint64_t word;  // RemoteWord
    std::uint64_t operand;
    std::uint64_t condition;
};
// The Element of a kFetch, in Header::count.
inline std::uint16_t pack(Element element) {
    return static_cast<std::uint16_t>(element.type << 8 | element.op);
}
inline Element unpack_element(std::uint16_t bits) {
    return {.type = static_cast<std::uint8_t>(bits >> 8), .op = static_cast<std::uint8_t>(bits)};
}
struct Fetch : Header {
    FetchBody body;
};
static_assert(sizeof(Fetch) == 48);

// Acknowledges the packets with this token that the target has executed in a row.
struct Ack : Header {
    std::uint64_t packets;
};
static_assert(sizeof(Ack) == 32);

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

// Data for the internal segment, and gates that are posted behind it.
struct PutWithGatesMessage : Header {
    static constexpr std::uint64_t kNoGate = ~std::uint64_t{0};
    std::uint64_t dest;  // all three: offsets in the internal segment
    std::uint64_t gate;
    std::uint64_t other_gate;  // kNoGate: only one
    std::uint32_t number;
    std::uint32_t other_number;
};
static_assert(sizeof(PutWithGatesMessage) == 56);

// The least that a provider must inject.
inline constexpr std::size_t kSmallMessageBytes = sizeof(Fetch);

// Size of the largest message, and of a receive buffer. A stream of messages of 16 KiB moves as
// much as one of 4 KiB in half of the time.
inline constexpr std::size_t kPacketBytesMax = 16384;
// Where a provider takes longer ones by a further round trip, no message is longer than that
// (Capabilities::packet_bytes).
inline constexpr std::size_t kPacketBytesMin = 4096;
// One run by kScatter.
inline constexpr std::size_t kScatterBytesMax = kPacketBytesMin - sizeof(Header) - sizeof(RunsBody);
inline constexpr std::size_t kAccumulateBytesMax =
    kPacketBytesMin - sizeof(Header) - sizeof(AccumulateBody);
// The largest put that is an Update.
inline constexpr std::size_t kUpdateBytesMax = kPacketBytesMin - sizeof(Header) - sizeof(Update);

}  // namespace tessera::ofi
