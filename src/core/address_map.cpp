// SPDX-License-Identifier: BSD-3-Clause
//
// See address_map.hpp; memory/symmetric_addresses.cpp has the second choice, for memory beside the
// heap.
#include "core/address_map.hpp"

#include "base/fatal.hpp"
#include "base/wait_environment.hpp"
#include "core/phase.hpp"
#include "transports/fabric_transport.hpp"
#include "transports/noncoherent_transport.hpp"

namespace tessera {

constinit AddressPage address_page;

void look_at_other_nodes() {
    // A look takes as long as some ten operations on mapped memory. A program that sleeps between
    // its calls should not be late by many of its sleeps.
    constexpr unsigned kCallsPerLook = 8;
    static constinit thread_local unsigned calls = 0;
    if (++calls % kCallsPerLook == 0) drive_progress();
}

bool AddressMap::reaches_statics(int pe) const {
    const Peer& peer = peers[pe];
    if (peer.statics != nullptr) return true;
    if (coherence != nullptr) return coherence->has_statics_of(pe);
    // The fabric knows the programs of other nodes.
    const bool is_on_this_node = peer.heap != nullptr;
    return !is_on_this_node || (transports != nullptr && transports[pe] != nullptr);
}

bool AddressMap::runs_my_program(int pe) const {
    if (peers[pe].heap == nullptr) return fabric->runs_my_program(pe);
    return reaches_statics(pe) || static_bytes == 0;
}

AddressMap::Part AddressMap::part_of(const void* address) const {
    const std::uintptr_t offset = offset_of(address);
    if (offset >= heap_bytes) return {nullptr, 0};
    if (offset >= local_begin) return {"local memory", heap_base + heap_bytes};
    if (offset >= team_begin) return {"team memory", heap_base + local_begin};
    return {"symmetric heap", heap_base + team_begin};
}

void fail_pe(int pe, const char* where) {
    check_initialized(where);
    fatal("%s: pe %d is not in [0, %u)", where, pe, address_map.npes);
}

void fail_alignment(const void* address, std::size_t bytes, const char* where) {
    fatal("%s: address %p is not aligned to %zu bytes, as this operation needs", where, address,
          bytes);
}

void fail_not_initialized(const char* where) {
    switch (runtime_phase()) {
        case Phase::kForkedChild:
            fatal("%s: called in a child of fork(); only the parent is a PE", where);
        case Phase::kFinalized:
            fatal("%s: called after shmem_finalize; call shmem_init again first", where);
        default: fatal("%s: called before shmem_init", where);
    }
}

}  // namespace tessera
