// SPDX-License-Identifier: BSD-3-Clause
//
// See endpoint_info.hpp.
#include "transports/ofi/endpoint_info.hpp"

#include <cstring>
#include <vector>

#include "base/fatal.hpp"
#include "base/random_number.hpp"

namespace tessera::ofi {

EndpointInfo describe_endpoint(const FabricSetup& setup, Fabric& fabric) {
    EndpointInfo info;
    info.fingerprint = setup.fingerprint;
    info.message_key = random_number();
    info.admission_key = fabric.admission_key();
    const std::string& provider = fabric.capabilities().provider;
    provider.copy(info.provider, sizeof info.provider - 1);
    for (std::size_t i = 0; i < kSegments; ++i) {
        const FabricMemory& memory = setup.segments[static_cast<Segment>(i)];
        if (memory.bytes == 0) continue;
        const Region region = fabric.register_memory(memory.start, memory.bytes);
        info.keys[i] = region.key;
        info.bases[i] = region.remote_base;
    }
    const std::vector<std::byte> address = fabric.address();
    if (address.size() > EndpointInfo::kAddressBytesMax) {
        fatal("shmem_init: addresses of the provider %s have %zu bytes; at most %zu are expected",
              provider.c_str(), address.size(), EndpointInfo::kAddressBytesMax);
    }
    info.address_bytes = static_cast<std::uint32_t>(address.size());
    std::memcpy(info.address, address.data(), address.size());
    return info;
}

}  // namespace tessera::ofi
