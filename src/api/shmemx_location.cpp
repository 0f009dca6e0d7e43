// SPDX-License-Identifier: BSD-3-Clause
//
// The place of a PE (include/shmemx/location.h).
#include <cstring>

#include "api/entry.hpp"
#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "heap/pe_location.hpp"
#include "session/locations.hpp"
#include "shmemx.h"

static_assert(tessera::heap::kHostNameBytes == SHMEMX_HOST_NAME_MAX + 1);

SHMEM_ENTRY(void, shmemx_pe_location, int pe, shmemx_location_t* location) {
    tessera::check_pe(pe, SHMEM_WHERE);
    if (location == nullptr) {
        tessera::fatal("%s: location is a null pointer; pass the address of a shmemx_location_t",
                       SHMEM_WHERE);
    }
    const tessera::PlaceOfPe place = tessera::place_of_pe(pe, SHMEM_WHERE);
    *location = {};
    location->node = place.node;
    location->package = place.package;
    location->numa_domain = place.numa_domain;
    location->cache_cluster = place.cache_cluster;
    location->core = place.core;
    std::memcpy(location->host_name, place.host_name.c_str(), place.host_name.size() + 1);
}
