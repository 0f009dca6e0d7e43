// SPDX-License-Identifier: BSD-3-Clause
//
// The heaps of a Node (node.hpp): each PE maps the node's heap file so that its own range begins at
// the address that all PEs of the job agree on; the ranges of the others lie before and behind it.
// The PEs try one address after the other (heap/heap_address.hpp). Those of a node see after each
// try whether it was free on all of them, and the nodes tell each other the last try of theirs with
// what they exchange anyway (connect.cpp): where the first address is free, nothing waits for it.
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mempolicy.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "base/fatal.hpp"
#include "heap/address_space.hpp"
#include "session/node.hpp"
#include "settings/config.hpp"

namespace tessera {
namespace {

// The place of the last init's heaps. If the next init maps its heaps there as well, the inline
// maps of programs (memory/inline_maps.hpp) stay valid.
char* last_heaps = nullptr;

// Copies as much as fits.
template <std::size_t kBytes>
void copy_text(char (&to)[kBytes], const std::string& from) {
    to[from.copy(to, kBytes - 1)] = '\0';
}

}  // namespace

char* Node::heap(int local_index) const {
    return heap_map_.data() + static_cast<std::size_t>(local_index) * header_->heap_stride;
}

void Node::fail_to_map(const heap::NodeLayout& layout) {
    fatal(
        "shmem_init: cannot map the symmetric heaps, team and local memory of %d PEs with %llu "
        "bytes each: %s; lower SHMEM_SYMMETRIC_SIZE, SHMEM_TEAM_MEMORY_SIZE, "
        "SHMEM_LOCAL_MEMORY_SIZE, or raise the address space limit (ulimit -v)",
        layout.npes, static_cast<unsigned long long>(layout.range.bytes()), std::strerror(errno));
}

void Node::map_heaps(const heap::NodeLayout& layout) {
    const HeapMode& mode = config().heap;
    if (mode.kind == HeapKind::kEmulated && job_.nnodes > 1) {
        fatal(
            "shmem_init: SHMEM_HEAP=%s works with the PEs of one node, and this job has %d nodes; "
            "start it on one host without SHMEM_VIRTUAL_NODES, or take noncoherent:PATH",
            print_heap_mode(mode).c_str(), job_.nnodes);
    }
    const std::uintptr_t wanted = heap::heap_address_at(config().heap_address, heap_try_);
    // The own heap is aligned, so that its offsets are as aligned as its addresses.
    const std::size_t alignment = heap::heap_alignment(layout.range.heap_bytes);
    if (wanted % alignment != 0) {
        fatal("shmem_init: SHMEM_HEAP_ADDRESS=%s: take a multiple of 0x%zx for heaps of this size",
              print_heap_address(config().heap_address).c_str(), alignment);
    }
    if (!mode.is_coherent()) {
        own_heap_ = Mapping::private_memory(
            layout.range.bytes(),
            {.aligned_to = alignment, .aligned_at = 0, .wanted = reinterpret_cast<char*>(wanted)});
        if (!own_heap_.is_mapped()) fail_to_map(layout);
        if (wanted != 0 && own_heap_.data() != reinterpret_cast<char*>(wanted))
            note_obstacle(wanted, wanted, layout.range.bytes());
        if (mode.kind == HeapKind::kFile || heap_map_.is_mapped()) return;
    }
    const std::size_t before = static_cast<std::size_t>(job_.local_index) * layout.heap_stride;
    const std::size_t bytes = static_cast<std::size_t>(layout.npes) * layout.heap_stride;
    const bool is_agreed = mode.is_coherent() && wanted != 0;
    const std::uintptr_t begin = wanted > before ? wanted - before : 0;
    heap_map_ = Mapping::share(job_.heap_file.get(), 0, bytes,
                               {.aligned_to = alignment,
                                .aligned_at = before,
                                .wanted = is_agreed ? reinterpret_cast<char*>(begin) : last_heaps});
    if (!heap_map_.is_mapped()) fail_to_map(layout);
    if (is_agreed && heap_map_.data() + before != reinterpret_cast<char*>(wanted))
        note_obstacle(wanted, begin, bytes);
    if (layout.page_kind == heap::PageKind::kTransparentHuge)
        ::madvise(heap_map_.data(), heap_map_.bytes(), MADV_HUGEPAGE);
}

// `begin`: of all that the PE maps there.
void Node::note_obstacle(std::uintptr_t wanted, std::uintptr_t begin, std::size_t bytes) {
    std::string what = begin == 0 ? "" : heap::describe_mapping_in(begin, begin + bytes);
    if (what.empty()) what = "the process has too few addresses there (a limit, or a tool)";
    char address[32];
    std::snprintf(address, sizeof address, "0x%lx: ", wanted);
    if (!heap_obstacles_.empty()) heap_obstacles_ += "; ";
    heap_obstacles_ += address + what;
    is_obstructed_ = true;
}

void Node::publish_obstruction() const {
    if (!is_obstructed_) return;
    my_record().heap_obstructions |= 1U << heap_try_;
    copy_text(internal(job_.local_index).heap_obstacle, heap_obstacles_);
}

// REQUIRES: all PEs of the node have published what they have found at this try.
void Node::agree_on_heap_address(const char* where) {
    while (heap_try_ != heap::kNoHeapAddress) {
        std::uint32_t obstructions = 0;
        for (int i = 0; i < job_.nlocal; ++i) obstructions |= record(i).heap_obstructions;
        if ((obstructions >> heap_try_ & 1) == 0) return;
        try_next_heap_address(where);
    }
}

void Node::try_next_heap_address(const char* where) {
    const bool was_obstructed = std::exchange(is_obstructed_, false);
    if (heap::heap_address_at(config().heap_address, ++heap_try_) != 0) {
        map_heaps(*header_);
        publish_obstruction();
        barrier(where);
        return;
    }
    heap_try_ = heap::kNoHeapAddress;
    if (!config().heap_address.must_be_same()) {
        if (last_heaps != nullptr && heap_map_.data() != last_heaps) map_heaps(*header_);
        return;
    }
    if (!was_obstructed) barrier(where);  // Another PE ends the job.
    fatal(
        "%s: SHMEM_HEAP_ADDRESS=%s: the heap of this PE cannot lie where all PEs' could: %s; free "
        "these addresses on this PE, name others, or take any",
        where, print_heap_address(config().heap_address).c_str(), heap_obstacles_.c_str());
}

// REQUIRES: the operations of no PE use the heaps yet.
bool Node::follow_heap_tries(const HeapTries& tries, const char* where) {
    if (tries.last == heap::kNoHeapAddress) heap_try_ = heap::kNoHeapAddress;
    if (tries.first == tries.last || tries.last == heap::kNoHeapAddress) return false;
    if (heap_try_ != tries.last) {
        heap_try_ = tries.last - 1;
        try_next_heap_address(where);
        agree_on_heap_address(where);
        for (int i = 0; i < job_.nlocal; ++i) peers_[world_index(i)].heap = heap(i);
    }
    return true;
}

Node::HeapNote Node::heap_note() const {
    HeapNote note{.last_try = heap_try_, .pe = -1, .obstacle = {}};
    for (int i = 0; i < job_.nlocal && note.pe < 0; ++i) {
        if (record(i).heap_obstructions == 0) continue;
        note.pe = job_.local_pes[static_cast<std::size_t>(i)];
        std::memcpy(note.obstacle, internal(i).heap_obstacle, sizeof note.obstacle);
    }
    return note;
}

std::string Node::heap_address_text() const {
    if (has_one_heap_address()) {
        char text[64];
        std::snprintf(text, sizeof text, "0x%lx on all PEs",
                      heap::heap_address_at(config().heap_address, heap_try_));
        return text;
    }
    std::string text = "differs from PE to PE: ";
    const HeapNote mine = heap_note();
    const HeapNote& note = mine.pe < 0 ? note_of_other_node_ : mine;
    if (note.pe < 0) return text + "SHMEM_HEAP_ADDRESS=any";
    return text + "on PE " + std::to_string(note.pe) + " " + note.obstacle;
}

void Node::open_heaps() {
    last_heaps = heap_map_.data();
    if (!config().heap.is_coherent()) return;
    for (int pe : job_.local_pes) {
        peers_[static_cast<std::size_t>(pe)].heap_inline_limit =
            inline_limit_of(header_->range.bytes());
    }
}

void Node::bind_heap_to_numa_node() const {
    // Asks the system, not the facts: the first PE may not have written them yet.
    if (!heap_map_.is_mapped() || ::access("/sys/devices/system/node/node1", F_OK) != 0) return;
    unsigned cpu = 0;
    unsigned numa_node = 0;
    if (::getcpu(&cpu, &numa_node) != 0 || numa_node >= 64) return;
    // The policy is stored with the file, so peers that touch a page first place it here as well.
    unsigned long nodes = 1UL << numa_node;
    ::syscall(SYS_mbind, heap(job_.local_index), header_->heap_stride, MPOL_PREFERRED, &nodes,
              sizeof nodes * 8, 0);
}

}  // namespace tessera
