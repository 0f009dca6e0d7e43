// SPDX-License-Identifier: BSD-3-Clause
//
// The life of this PE: init, finalize, exit, and the objects that live between them. The data path
// does not come here: it reads address_map (core/address_map.hpp), which init fills.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "heap/allocator.hpp"
#include "heap/node_file.hpp"
#include "settings/config.hpp"
#include "teams/team.hpp"
#include "transports/fabric_transport.hpp"

namespace tessera::heap {
class TeamMemory;
}  // namespace tessera::heap

namespace tessera {

enum class Phase { kBeforeInit, kInitialized, kFinalized, kForkedChild };

Phase runtime_phase();

// Joins the job, maps the node's memory and fills address_map. Collective. Counts: the n-th init
// only raises the count (OpenSHMEM 1.6, 9.1). Errors end the job with a message.
// RETURNS when: every PE of the job has come here.
void initialize(int thread_level, const char* where);
// SHMEM_INFO and SHMEM_VERSION, on PE 0 at the first init; `outcomes` are choices of higher layers.
void print_startup_info(std::span<const Outcome> outcomes);
bool is_initialized();  // THREADS: any, any time.
int thread_level();

// Lowers the count; true when this was the last one, and close_runtime() must follow.
bool finalize_is_last();
// Waits for all PEs, leaves the job, gives the memory back. Init may come again.
void close_runtime();

// shmem_global_exit: ends all PEs from any state, `code` reaches the environment.
[[noreturn]] void global_exit(int code);

// REQUIRES for all below: initialized.
heap::Allocator& heap_allocator();
heap::TeamMemory& team_memory();

// This PE's part of the heap file: where the symmetric heap, team memory and local memory begin and
// end, as offsets, the same on all PEs.
const heap::MemoryRange& memory_range();
// The address of an offset of this PE's range, and the offset of an address.
char* heap_address(std::size_t offset);
std::size_t heap_offset(const void* address);

// SHMEM_DEBUG: PEs publish their last collective allocation, meet, and compare. The second function
// returns a PE whose digest differs, or -1.
void publish_allocation_digest(std::uint64_t digest);
int pe_with_other_allocation(std::uint64_t digest);

// Whether this PE maps the memory of PE `world_pe`.
bool is_on_this_node(int world_pe);
// The first PE of the node of PE `world_pe`, which names the node.
int first_pe_of_node(int world_pe);

// Facts of this machine for the choice of algorithms: the cores for each PE, less than 1 where PEs
// share; and the caches of all PEs of the node together, in bytes, 0 where not known.
double cores_per_pe();
std::size_t cache_bytes();
// The provider that reaches other nodes, as SHMEM_OFI_PROVIDER names it; "": there are none.
std::string_view fabric_provider();

// For a new context; it belongs to the caller, who quiets it before it ends.
std::unique_ptr<TransportContext> make_transport_context(const TransportContext::Options& options);

}  // namespace tessera
