// SPDX-License-Identifier: BSD-3-Clause
//
// The node as this PE has mapped it: the shared files, and the records, heaps, internal segments
// and static data of all its PEs. Made by initialize(), gone with the last finalize. Only init and
// exit use it; the data path reads address_map, which it fills.
#pragma once

#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "core/address_map.hpp"
#include "core/internal_segment.hpp"
#include "heap/node_file.hpp"
#include "heap/offload_board.hpp"
#include "heap/static_data.hpp"
#include "launch/job.hpp"
#include "topology/topology.hpp"
#include "transports/transport.hpp"

namespace tessera {

class Node {
  public:
    // Maps the files of `job`, publishes this PE's record and meets the others of the node; after
    // that every peer's memory is reachable. Errors end the job.
    // `where` names the routine that initializes.
    Node(launch::Job& job, const char* where);
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    heap::NodeHeader& header() const { return *header_; }
    const topology::Facts& facts() const;
    heap::PeRecord& record(int local_index) const { return records_[local_index]; }
    heap::PeRecord& my_record() const { return records_[job_.local_index]; }
    InternalSegment& internal(int local_index) const;
    // By number in the world. REQUIRES: a PE of this node.
    InternalSegment& internal_of(int world_pe) const;
    // This PE's limit; nullptr: there are too many PEs.
    InlineLimit* my_inline_limit() const;
    // The PE's heap; of a non-coherent one the public copy, unless that lies in a public file.
    char* heap(int local_index) const;
    // As the program of this PE sees it.
    char* own_heap() const {
        return own_heap_.is_mapped() ? own_heap_.data() : heap(job_.local_index);
    }
    // Whether the heaps of all PEs of the job lie at the same address on each of them, as far as
    // follow_heap_tries() knows; and the reason, in words.
    bool has_one_heap_address() const { return heap_try_ != heap::kNoHeapAddress; }
    std::string heap_address_text() const;
    // Nodes tell each other this about the addresses.
    struct HeapNote {
        std::uint32_t last_try;  // heap::kNoHeapAddress: none was free on all PEs of the node
        std::int32_t pe;         // a PE on which an address was not free; -1: there is none
        char obstacle[sizeof(InternalSegment::heap_obstacle)];
    };
    HeapNote heap_note() const;
    void note_other_node(const HeapNote& theirs) { note_of_other_node_ = theirs; }
    // The first and the last one of all nodes' tries.
    struct HeapTries {
        std::uint32_t first;
        std::uint32_t last;
    };
    // RETURNS: whether nodes change the address, and so must connect again.
    bool follow_heap_tries(const HeapTries& tries, const char* where);
    // Maps the PE's slot of the node file, for the public copy of its static data. nullptr: the PE
    // runs another program.
    char* map_static_copy(int local_index);
    // Maps memory behind the public copy in the PE's slot, for marks of its pages.
    char* map_page_marks(int local_index, std::size_t bytes);
    // From here on operations take the transport to the public copies of all PEs. `heaps`: theirs,
    // by number in the world.
    void use_copies(Transport& transport, std::span<char* const> heaps);

    // Without oshrun: the first PE discovers the topology again, because it now knows the PUs that
    // all PEs together may use (launchers bind each PE before it starts).
    void discover_topology();
    // The text in which slow waits write their names for oshrun; "shmem_init" before this call,
    // empty after it.
    std::span<char> wait_label() const;
    // All PEs of the node meet.
    void barrier(const char* where) const;
    // Gives the pages of this PE's heap and internal segment back to the system; the first PE
    // empties the tables of EndpointInfos and PeLocations.
    void release_memory() const;

    // One entry for each PE of the job. address_map.peers points to it.
    const Peer* peers() const { return peers_; }
    // Gives the peers their inline limits. REQUIRES: header()'s range is what all nodes have
    // agreed on.
    void open_heaps();
    // The table of EndpointInfos that the PEs of the node share (transports/ofi).
    char* endpoint_table() const { return node_map_.data() + header_->endpoints_offset; }
    // plan.helpers == 0: the node has none.
    heap::OffloadBoard& offload_board() const;
    // The mapped files; helpers have them, too.
    heap::NodeMaps maps() const { return {.node = node_map_.data(), .heaps = heap_map_.data()}; }
    // The entry that this node keeps for a PE of another node (session/locations.hpp).
    heap::PeLocation& location_of_other_node(int world_pe) const;
    // Two transports that reach static data that could not be mapped, of this PE and of the others;
    // empty when all is mapped.
    const std::vector<std::unique_ptr<Transport>>& transports() const { return transports_; }
    bool statics_are_mapped() const { return transports_.empty() && !own_heap_.is_mapped(); }
    // address_map.transports points to it.
    Transport* const* transport_table() const { return transport_table_.get(); }

  private:
    void empty_offload_ring(const char* where) const;
    void map_files();
    // node_heaps.cpp.
    [[noreturn]] static void fail_to_map(const heap::NodeLayout& layout);
    void map_heaps(const heap::NodeLayout& layout);
    void note_obstacle(std::uintptr_t wanted, std::uintptr_t begin, std::size_t bytes);
    void publish_obstruction() const;
    void agree_on_heap_address(const char* where);
    void try_next_heap_address(const char* where);
    void publish_record(const char* where) const;
    void publish_settings() const;
    void check_settings() const;
    void bind_heap_to_numa_node() const;
    bool runs_my_program(int local_index) const;
    void map_statics();
    char* map_static_of(int local_index);
    void make_static_transports();
    void make_transport_table();
    void fill_peers();
    std::size_t world_index(int local_index) const;
    std::uint64_t static_slot(int local_index) const;  // its place in the node file

    launch::Job& job_;
    const heap::StaticData& my_statics_;
    Mapping node_map_;
    Mapping heap_map_;  // none with SHMEM_HEAP=noncoherent:PATH
    Mapping own_heap_;  // the private copy of a non-coherent one
    // The number of the address that the PEs try to have their heaps at, or kNoHeapAddress.
    std::uint32_t heap_try_;
    bool is_obstructed_ = false;  // It is not free on this PE.
    std::string heap_obstacles_;  // the texts on all of its tries that failed
    HeapNote note_of_other_node_{.last_try = 0, .pe = -1, .obstacle = {}};
    heap::NodeHeader* header_ = nullptr;
    heap::PeRecord* records_ = nullptr;
    std::vector<Mapping> static_maps_;  // by local index; own entry empty
    std::vector<Mapping> mark_maps_;    // by local index
    std::vector<char*> statics_;        // by local index; nullptr: not mapped
    std::vector<std::unique_ptr<Transport>> transports_;
    // Tables by world PE. Pages of zeros (PEs of other nodes) exist only when they are written to.
    struct Free {
        void operator()(void* table) const { std::free(table); }
    };
    std::unique_ptr<Transport*[], Free> transport_table_;  // nullptr when all is mapped
    std::unique_ptr<Peer[], Free> large_table_;            // nullptr when address_page has room
    Peer* peers_ = nullptr;
};

}  // namespace tessera
