// SPDX-License-Identifier: BSD-3-Clause
//
// A PE publishes this about itself, once per init: its address, the keys of its memory, and
// what must agree between PEs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transports/fabric_transport.hpp"
#include "transports/ofi/fabric.hpp"

namespace tessera::ofi {

struct EndpointInfo {
    static constexpr std::uint64_t kMagic = 0x5465737365726137;  // "Tessera7"
    static constexpr std::size_t kAddressBytesMax = 120;

    std::uint64_t magic = kMagic;
    Fingerprint fingerprint;
    std::uint64_t message_key = 0;
    std::uint64_t admission_key = 0;  // admission.hpp; 0: any process may connect
    std::uint64_t keys[kSegments] = {};
    std::uint64_t bases[kSegments] = {};  // the address of the first byte of the segment
    char provider[20] = {};               // as far as it fits: different ones cannot talk
    std::uint32_t address_bytes = 0;
    std::byte address[kAddressBytesMax] = {};
};

// Registers this PE's memory with the fabric, and draws a key for its messages. RETURNS: all facts.
EndpointInfo describe_endpoint(const FabricSetup& setup, Fabric& fabric);

}  // namespace tessera::ofi
