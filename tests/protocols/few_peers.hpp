// SPDX-License-Identifier: BSD-3-Clause
//
// Stands for the fabrics of transports/ofi/peers.hpp in GenMC. An EndpointInfo is made of words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/endpoint_slot.hpp"

namespace tessera {

inline constexpr std::size_t kSegments = 1;

struct Fingerprint {
    std::uint64_t program_digest = 0;
};
struct FabricSetup {
    int npes = 1;
    char* endpoint_table = nullptr;
    std::vector<std::byte> (*endpoint_info_of)(int pe) = nullptr;
    void check_settings(const Fingerprint& /*theirs*/, int /*whose*/) const {}
};

namespace ofi {

using fi_addr_t = std::uint64_t;

struct EndpointInfo {
    static constexpr std::uint64_t kMagic = 1;
    static constexpr std::size_t kAddressBytesMax = 8;

    std::uint64_t magic = kMagic;
    Fingerprint fingerprint;
    std::uint64_t message_key = 0;
    std::uint64_t admission_key = 0;
    std::uint64_t keys[kSegments] = {};
    std::uint64_t bases[kSegments] = {};
    std::uint64_t provider[1] = {};
    std::uint64_t address_bytes = 0;
    std::uint64_t address = 0;
};
// Its address of a PE is the number in the EndpointInfo.
struct Fabric {
    struct Address {
        std::uint64_t number;
        std::uint64_t bytes;
    };
    fi_addr_t add_peer(const Address& address, std::uint64_t /*admission_key*/) const {
        return address.number;
    }
};

}  // namespace ofi
}  // namespace tessera
