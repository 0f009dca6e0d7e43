// SPDX-License-Identifier: BSD-3-Clause
//
// Library setup, exit and query, and thread support (OpenSHMEM 1.6, 9.1 and 9.2).
#include "shmem/setup.h"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "api/entry.hpp"
#include "api/pointer.hpp"
#include "api/setup.hpp"
#include "base/fatal.hpp"
#include "collectives/choice.hpp"
#include "collectives/select.hpp"
#include "core/pe_state.hpp"
#include "memory/external_heap.hpp"
#include "memory/segments.hpp"
#include "progress/offload.hpp"
#include "progress/request.hpp"
#include "session/failures.hpp"
#include "session/runtime.hpp"
#include "shmem/deprecated.h"

namespace tessera::api {
namespace {

void initialize_world(int level, const char* where) {
    initialize(level, where);
    if (takes_measured_helper_sizes()) {
        const collectives::MachineParameters& machine = collectives::machine();
        use_measured_helper_sizes(static_cast<std::uint64_t>(machine.helper_bytes),
                                  static_cast<std::uint64_t>(machine.off_node_helper_bytes));
    }
    collectives::prepare(world_team);
    collectives::prepare(*pe_state.shared_team);
    collectives::prepare(*pe_state.node_team);
    if (address_map.my_pe != 0 || !config().info) return print_startup_info({});
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < kCollectives; ++i) {
        const auto collective = static_cast<Collective>(i);
        outcomes.push_back(
            {variable_of(collective).name, collectives::choices_of(collective, world_team)});
    }
    print_startup_info(outcomes);
}

// Programs finalize twice, or before any init where they only print their options, and children of
// fork() inherit exit handlers that finalize. There is nothing to end, so nothing is done.
void finalize(const char* where) {
    if (!is_initialized()) {
        if (config().debug)
            warn("%s: there is no matching shmem_init, so the call does nothing", where);
        return;
    }
    if (!ends_alone()) collectives::barrier(world_team, where);
    if (!finalize_is_last()) return;
    drive_until([] { return pe_state.background->is_empty(); }, where);
    destroy_all_contexts();
    default_context.quiet();
    close_requests(where);
    destroy_all_teams();
    close_runtime();
}

// start_pes programs need not finalize (OpenSHMEM 1.6, start_pes).
void finalize_at_exit() {
    if (is_initialized()) finalize("exit");
}

bool is_pe(int pe) { return pe >= 0 && static_cast<std::uint32_t>(pe) < address_map.npes; }

}  // namespace

int initialize_at_level(int requested, int* provided, const char* where) {
    if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) {
        fatal(
            "%s: requested thread level %d is none of SHMEM_THREAD_SINGLE, FUNNELED, "
            "SERIALIZED, MULTIPLE",
            where, requested);
    }
    initialize_world(requested, where);
    if (provided != nullptr) *provided = thread_level();
    return 0;
}

void* pointer_to(const void* address, int pe, const char* where) {
    serve_other_nodes();  // A program may repeat it and load what it finds.
    check_pe(pe, where);
    const Peer& peer = address_map.peers[pe];
    auto start = reinterpret_cast<std::uintptr_t>(address);
    if (pe == address_map.my_pe && address_map.contains(address, 1))
        return const_cast<void*>(address);
    if (address_map.in_heap(address, 1))
        return peer.heap_inline_limit != 0 ? peer.heap + (start - address_map.heap_base) : nullptr;
    if (address_map.in_statics(address, 1))
        return peer.statics != nullptr ? peer.statics + (start - address_map.static_base) : nullptr;
    if (is_segment_name(address)) return segments().find(address, pe);
    const ExternalHeap* external = find_external_heap(address, 1);
    return external != nullptr ? mapped_of(*external, address, pe) : nullptr;
}

}  // namespace tessera::api

namespace api = tessera::api;
using tessera::address_map;

SHMEM_ENTRY(void, shmem_init, void) { api::initialize_world(SHMEM_THREAD_SINGLE, SHMEM_WHERE); }

SHMEM_ENTRY(int, shmem_init_thread, int requested, int* provided) {
    return api::initialize_at_level(requested, provided, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmem_query_thread, int* provided) { *provided = tessera::thread_level(); }

SHMEM_ENTRY(void, shmem_query_initialized, int* initialized) {
    *initialized = tessera::is_initialized() ? 1 : 0;
}

SHMEM_ENTRY(void, shmem_finalize, void) { api::finalize(SHMEM_WHERE); }

SHMEM_ENTRY(void, shmem_global_exit, int status) { tessera::global_exit(status); }

SHMEM_ENTRY(int, shmem_my_pe, void) {
    tessera::check_initialized(SHMEM_WHERE);
    return address_map.my_pe;
}
SHMEM_ENTRY(int, shmem_n_pes, void) {
    tessera::check_initialized(SHMEM_WHERE);
    return static_cast<int>(address_map.npes);
}

SHMEM_ENTRY(int, shmem_pe_accessible, int pe) {
    tessera::check_initialized(SHMEM_WHERE);
    return api::is_pe(pe) && address_map.runs_my_program(pe) ? 1 : 0;
}

SHMEM_ENTRY(int, shmem_addr_accessible, const void* addr, int pe) {
    tessera::check_initialized(SHMEM_WHERE);
    if (!api::is_pe(pe)) return 0;
    if (address_map.in_heap(addr, 1)) return 1;
    if (address_map.in_statics(addr, 1)) return address_map.runs_my_program(pe) ? 1 : 0;
    if (tessera::is_segment_name(addr)) return tessera::segments().has(addr, pe) ? 1 : 0;
    const tessera::ExternalHeap* external = tessera::find_external_heap(addr, 1);
    return external != nullptr && tessera::is_registered_by(pe, *external, addr) ? 1 : 0;
}

SHMEM_ENTRY(void*, shmem_ptr, const void* dest, int pe) {
    return api::pointer_to(dest, pe, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmem_info_get_version, int* major, int* minor) {
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}
SHMEM_ENTRY(void, shmem_info_get_name, char* name) {
    std::memcpy(name, SHMEM_VENDOR_STRING, sizeof SHMEM_VENDOR_STRING);
}

// Deprecated since 1.2.
SHMEM_ENTRY(void, start_pes, int) {
    if (tessera::runtime_phase() != tessera::Phase::kBeforeInit) return;
    api::initialize_world(SHMEM_THREAD_SINGLE, SHMEM_WHERE);
    std::atexit(api::finalize_at_exit);
}
SHMEM_ENTRY(int, _my_pe, void) {
    tessera::check_initialized(SHMEM_WHERE);
    return address_map.my_pe;
}
SHMEM_ENTRY(int, _num_pes, void) {
    tessera::check_initialized(SHMEM_WHERE);
    return static_cast<int>(address_map.npes);
}
