// SPDX-License-Identifier: BSD-3-Clause
//
// The places of all PEs in the machine (shmemx_pe_location). Each PE publishes its own when
// init ends. A node reads the place of another node's PE once, without that PE's CPU, and keeps it
// in the node file for all PEs of the node.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

// Numbers within the host; -1: not bound, or not known.
struct PlaceOfPe {
    std::int32_t node = 0;
    std::int32_t package = -1;
    std::int32_t numa_domain = -1;
    std::int32_t cache_cluster = -1;
    std::int32_t core = -1;
    std::string host_name;
};

// REQUIRES: the facts of the node are complete, and the internal segments of all PEs exist.
void publish_my_place();

// RETURNS when: the place is known: waits for a PE that is still in its init. `where` names the
// public routine. REQUIRES: initialized, a PE of the world. THREADS: any.
PlaceOfPe place_of_pe(int pe, const char* where);

}  // namespace tessera
