// SPDX-License-Identifier: BSD-3-Clause
//
// How the PEs of a job without a launcher find each other: one process makes a unique id, which
// names its meeting point (meeting_point.hpp), and the program hands it to all PEs.
#pragma once

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <type_traits>

namespace tessera::launch {

inline constexpr int kUniqueIdAddresses = 23;

// The bytes of shmemx_uniqueid_t. Other hosts read them, so all hosts have one byte order.
struct UniqueId {
    static constexpr std::uint32_t kMagic = 0x54535549;  // "TSUI"

    std::uint32_t magic = 0;
    std::uint16_t port = 0;                             // TCP port, in host order
    std::uint16_t addresses = 0;                        // number of addresses in `address`
    std::uint64_t host = 0;                             // host_digest() of the meeting point's host
    std::array<std::uint8_t, 16> key{};                 // proves that a process was given this id
    std::array<in_addr, kUniqueIdAddresses> address{};  // IPv4, the loopback last
    std::uint32_t unused = 0;

    // Whether a meeting point may have made these bytes.
    bool is_right() const {
        return magic == kMagic && addresses >= 1 && addresses <= kUniqueIdAddresses;
    }
};
static_assert(std::is_trivially_copyable_v<UniqueId> && sizeof(UniqueId) == 128);

// Processes with the same digest share this machine's memory and its loopback network: the same
// boot, network namespace and process namespace.
std::uint64_t host_digest();

}  // namespace tessera::launch
