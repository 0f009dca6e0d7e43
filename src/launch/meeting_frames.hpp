// SPDX-License-Identifier: BSD-3-Clause
//
// The messages between the PEs of a group and its meeting point, over one TCP connection a PE.
//
//   PE                           meeting point
//   Hello                   -->  ends the connection unless the key, npes and pe are right
//   kFence, values          -->  when all PEs have sent theirs, to each:
//                           <--  kFence, the values of PE 0, of PE 1, ...
//   kGoodbye                -->  when all PEs have sent theirs, to each:
//                           <--  kGoodbye; both sides close
//   kAbort, Abort           -->  to all others:
//                           <--  kAbort, Abort
// A connection that ends without kGoodbye is a PE that has died: the other PEs get kAbort.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::launch {

struct Hello {
    static constexpr std::uint32_t kMagic = 0x54534831;

    std::uint32_t magic = kMagic;
    std::int32_t pe = 0;
    std::int32_t npes = 0;
    std::array<std::uint8_t, 16> key{};
    std::uint32_t unused = 0;
};
static_assert(sizeof(Hello) == 32);

enum class FrameKind : std::uint32_t { kFence = 1, kGoodbye = 2, kAbort = 3 };

struct FrameHeader {
    FrameKind kind = FrameKind::kFence;
    std::uint32_t unused = 0;
    std::uint64_t bytes = 0;  // bytes that follow
};
static_assert(sizeof(FrameHeader) == 16);

struct Abort {
    enum class Reason : std::int32_t {
        kAsked = 0,    // the PE has said why
        kDied = 1,     // its connection has ended
        kGroup = 2,    // two processes have its number, or its npes differs
        kMissing = 3,  // only `pe` PEs have come in time
    };
    std::int32_t pe = -1;
    std::int32_t code = 1;
    Reason reason = Reason::kAsked;
};

// The limit of the values that one PE puts between two fences: a few EndpointInfos.
inline constexpr std::uint64_t kFenceBytesMax = std::uint64_t{1} << 16;
inline constexpr int kGroupPesMax = 1 << 20;

// All bytes, or false with errno. Blocks; never raises SIGPIPE.
bool send_all(int socket, std::span<const std::byte> bytes);
bool receive_all(int socket, std::span<std::byte> bytes);
bool send_frame(int socket, FrameKind kind, std::span<const std::byte> bytes);

// By PE and key.
using FenceValues = std::map<std::pair<int, std::string>, std::vector<std::byte>>;
// Adds those that the meeting point's kFence brings. A value whose sizes cannot be right is left
// out, with all behind it of the same PE.
void read_values(std::span<const std::byte> all, int npes, FenceValues& values);

}  // namespace tessera::launch
