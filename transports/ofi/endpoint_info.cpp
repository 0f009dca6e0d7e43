// SPDX-License-Identifier: BSD-3-Clause
//
// See endpoint_info.hpp.
#include "transports/ofi/endpoint_info.hpp"

#include <sys/random.h>

#include <cstring>
#include <vector>

#include "base/fatal.hpp"

namespace tessera::ofi {
namespace {

std::uint64_t random_key() {
    std::uint64_t key = 0;
    if (::getrandom(&key, sizeof key, 0) != static_cast<ssize_t>(sizeof key)) {
        fatal("shmem_init: the system has no random numbers to protect the PEs' memory with");
    }
    return key;
}

}  // namespace

EndpointInfo describe_endpoint(const FabricSetup& setup, Fabric& fabric) {
    EndpointInfo info;
    info.settings_digest = setup.settings_digest;
    info.setting_marks = setup.setting_marks;
    info.program_digest = setup.program_digest;
    info.message_key = random_key();
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
