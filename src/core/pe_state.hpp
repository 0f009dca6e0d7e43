// SPDX-License-Identifier: BSD-3-Clause
//
// The objects of this PE that session/ makes and hands down to the rooms below it, which know no
// session. start() fills the table as the objects come into being; close_runtime() empties it. Not
// for the hot path, which reads address_map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/node_names.hpp"
#include "core/address_map.hpp"
#include "heap/node_file.hpp"
#include "transports/fabric_transport.hpp"

namespace tessera::heap {
class Allocator;
class TeamMemory;
}  // namespace tessera::heap

namespace tessera {

class BackgroundList;
struct DumpedEnds;
class Epochs;
struct ExternalHeaps;
class HeldLocks;
struct InternalSegment;
struct ListBlocks;
struct Team;
class TeamSlots;

struct PeState {
    int pe = -1;
    int npes = 0;
    int npes_of_host = 1;
    int thread_level = 0;
    const Peer* peers = nullptr;  // by world PE; address_map has them when init is complete
    const NodeNames* node_names = nullptr;  // the session's
    InternalSegment* internal = nullptr;    // this PE's segment
    heap::NodeHeader* header = nullptr;     // header of the node's file
    std::size_t cache_bytes = 0;            // caches of the node; 0: not known
    FabricTransport* fabric = nullptr;      // nullptr: there are no other nodes
    heap::Allocator* allocator = nullptr;
    heap::TeamMemory* team_memory = nullptr;
    Epochs* epochs = nullptr;
    HeldLocks* held_locks = nullptr;
    BackgroundList* background = nullptr;
    DumpedEnds* dumped_ends = nullptr;
    ExternalHeaps* external_heaps = nullptr;  // nullptr: there are none
    ListBlocks* list_blocks = nullptr;
    TeamSlots* team_slots = nullptr;
    Team* shared_team = nullptr;  // SHMEM_TEAM_SHARED
    Team* node_team = nullptr;    // SHMEMX_TEAM_NODE
    // Whether the world's team serves active sets of all PEs: not with other nodes, nor with
    // threads that may use two pSync at once. The same in all PEs.
    bool world_serves_active_sets = false;
    FabricSetup (*describe_fabric)() = nullptr;  // describes a fabric that reaches this PE's memory
};
extern constinit PeState pe_state;

int thread_level();

// REQUIRES for all below: between init and finalize; within init, what they read is there.
heap::Allocator& heap_allocator();
heap::TeamMemory& team_memory();

// This PE's part of the heap file: where the symmetric heap, team memory and local memory begin and
// end, as offsets, the same on all PEs.
const heap::MemoryRange& memory_range();
// The address of an offset of this PE's range, and the offset of an address.
char* heap_address(std::size_t offset);
std::size_t heap_offset(const void* address);

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
