// SPDX-License-Identifier: BSD-3-Clause
//
// See node.hpp.
#include "session/node.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/bits.hpp"
#include "base/endpoint_slot.hpp"
#include "base/fatal.hpp"
#include "session/program_digest.hpp"
#include "settings/config.hpp"
#include "transports/node_transports.hpp"

namespace tessera {

Node::Node(launch::Job& job, const char* where)
    : job_(job),
      my_statics_(heap::static_data()),
      heap_try_(config().heap_address.kind == HeapAddressKind::kAny ? heap::kNoHeapAddress : 0) {
    map_files();
    publish_record(where);
    if (my_record().inits > 1) {
        // The memory is that of an earlier program in the same place (`oshrun sh -c "./a; ./b"`),
        // or from before shmem_finalize. Other PEs may still be in a barrier that this PE has left,
        // and read its flags there. When all have come, no PE needs the memory any more.
        barrier(where);
        empty_offload_ring(where);
        release_memory();
    }
    publish_settings();
    barrier(where);
    check_settings();
    agree_on_heap_address(where);
    if (config().heap.is_coherent()) map_statics();
    fill_peers();
    if (job_.launcher != launch::Launcher::kOshrun && job_.local_index == 0) discover_topology();
    bind_heap_to_numa_node();
}

const topology::Facts& Node::facts() const {
    return *reinterpret_cast<const topology::Facts*>(node_map_.data() + header_->facts_offset);
}

InternalSegment& Node::internal(int local_index) const {
    char* start = node_map_.data() + header_->internal_offset;
    return *reinterpret_cast<InternalSegment*>(start + static_cast<std::size_t>(local_index) *
                                                           header_->internal_bytes);
}

InternalSegment& Node::internal_of(int world_pe) const {
    // Ascending, see launch/job.hpp.
    auto position = std::lower_bound(job_.local_pes.begin(), job_.local_pes.end(), world_pe);
    return internal(static_cast<int>(position - job_.local_pes.begin()));
}

heap::PeLocation& Node::location_of_other_node(int world_pe) const {
    char* table = node_map_.data() + heap::locations_offset(*header_);
    return reinterpret_cast<heap::PeLocation*>(table)[world_pe];
}

heap::OffloadBoard& Node::offload_board() const {
    return *reinterpret_cast<heap::OffloadBoard*>(node_map_.data() +
                                                  heap::offload_offset(*header_));
}

InlineLimit* Node::my_inline_limit() const {
    const std::size_t index = heap::inline_limit_index(job_.pe, job_.local_pes);
    auto* limits = reinterpret_cast<InlineLimit*>(node_map_.data() + header_->inline_limits_offset);
    return index != heap::kNoInlineLimit ? limits + index : nullptr;
}

void Node::barrier(const char* where) const {
    header_->startup.barrier(static_cast<std::uint32_t>(job_.nlocal), where);
}

void Node::map_files() {
    // The header has all sizes, so it is read before it is mapped.
    heap::NodeLayout header;
    if (::pread(job_.node_file.get(), static_cast<void*>(&header), sizeof header, 0) !=
            static_cast<ssize_t>(sizeof header) ||
        header.magic != heap::kNodeMagic) {
        fatal(
            "shmem_init: the shared file of this node was made by another version of Tessera; use "
            "the oshrun of the library that the program is linked with");
    }
    map_heaps(header);
    node_map_ = Mapping::share(job_.node_file.get(), 0, header.static_offset);
    if (!node_map_.is_mapped()) fail_to_map(header);
    header_ = reinterpret_cast<heap::NodeHeader*>(node_map_.data());
    records_ = reinterpret_cast<heap::PeRecord*>(node_map_.data() + header_->records_offset);
}

std::uint64_t Node::static_slot(int local_index) const {
    return header_->static_offset +
           static_cast<std::uint64_t>(local_index) * header_->static_slot_bytes;
}

char* Node::map_static_copy(int local_index) {
    static_maps_.resize(static_cast<std::size_t>(job_.nlocal));
    if (!runs_my_program(local_index) || my_statics_.bytes == 0) return nullptr;
    Mapping& copy = static_maps_[static_cast<std::size_t>(local_index)];
    copy = Mapping::share(job_.node_file.get(), static_slot(local_index), my_statics_.bytes);
    if (!copy.is_mapped())
        fatal("shmem_init: cannot map the public copies of static data: %s", std::strerror(errno));
    return copy.data();
}

char* Node::map_page_marks(int local_index, std::size_t bytes) {
    mark_maps_.resize(static_cast<std::size_t>(job_.nlocal));
    Mapping& marks = mark_maps_[static_cast<std::size_t>(local_index)];
    marks = Mapping::share(
        job_.node_file.get(),
        static_slot(local_index) + align_up(record(local_index).static_bytes, page_bytes()), bytes);
    if (!marks.is_mapped())
        fatal("shmem_init: cannot map the marks of changed pages: %s", std::strerror(errno));
    return marks.data();
}

void Node::use_copies(Transport& transport, std::span<char* const> heaps) {
    make_transport_table();
    std::fill_n(transport_table_.get(), job_.npes, &transport);
    for (const int pe : job_.local_pes) {
        const auto index = static_cast<std::size_t>(pe);
        peers_[index].heap = heaps[index];
    }
}

// Helpers may still copy for an earlier program that has ended without a word; PEs do not.
void Node::empty_offload_ring(const char* where) const {
    heap::OffloadRing& ring = offload_board().ring(job_.local_index);
    ring.close();
    wait_until([&] { return ring.is_empty(); }, where);
    ring.reopen();
}

void Node::release_memory() const {
    auto local = static_cast<off_t>(job_.local_index);
    auto punch = [](int fd, off_t offset, std::uint64_t bytes) {
        ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
                    static_cast<off_t>(bytes));
    };
    auto internal_bytes = static_cast<off_t>(header_->internal_bytes);
    punch(job_.node_file.get(),
          static_cast<off_t>(header_->internal_offset) + local * internal_bytes,
          header_->internal_bytes);
    // The slots of all PEs: the PEs of the next job have other addresses.
    if (local == 0) {
        punch(job_.node_file.get(), static_cast<off_t>(header_->endpoints_offset),
              header_->npes_of_job * kEndpointSlotBytes);
        punch(job_.node_file.get(), static_cast<off_t>(heap::locations_offset(*header_)),
              header_->npes_of_job * sizeof(heap::PeLocation));
    }
    punch(job_.heap_file.get(), local * static_cast<off_t>(header_->heap_stride),
          header_->heap_stride);
}

std::span<char> Node::wait_label() const {
    heap::PeRecord& record = my_record();
    record.waiting_in[0] = '\0';
    return record.waiting_in;
}

void Node::publish_record(const char* where) const {
    heap::PeRecord& record = my_record();
    // For all of shmem_init; its waits have no label of their own.
    std::strncpy(record.waiting_in, where, sizeof record.waiting_in - 1);
    record.pid = ::getpid();
    record.static_base = my_statics_.base;
    record.static_bytes = my_statics_.bytes;
    record.static_file_offset = my_statics_.file_offset;
    record.static_is_shared = my_statics_.shared ? 1 : 0;
    record.static_in_node_file = job_.launcher == launch::Launcher::kOshrun ? 1 : 0;
    record.program_digest = program_digest();
    record.settings_digest = settings_digest();
    record.heap_obstructions = 0;
    ++record.inits;
    // Pairs with tools/oshrun/verdict.cpp:state_of and tools/oshrun/ending.cpp:activity_text.
    record.state.store(heap::PeState::kInitialized, std::memory_order_release);
}

void Node::publish_settings() const {
    InternalSegment& mine = internal(job_.local_index);
    mine.setting_marks = setting_marks(config());
    publish_obstruction();
    if (job_.launcher == launch::Launcher::kOshrun) return;
    for (std::uint32_t pu : topology::affinity_of(0)) {
        if (pu / 64 < kAffinityWords) mine.affinity[pu / 64] |= std::uint64_t{1} << pu % 64;
    }
}

void Node::discover_topology() {
    topology::Sources sources;
    for (std::uint32_t pu = 0; pu < kAffinityWords * 64; ++pu) {
        for (int i = 0; i < job_.nlocal; ++i) {
            if ((internal(i).affinity[pu / 64] >> pu % 64 & 1) == 0) continue;
            sources.allowed_pus.push_back(pu);
            break;
        }
    }
    auto* facts = reinterpret_cast<topology::Facts*>(node_map_.data() + header_->facts_offset);
    *facts = topology::discover(sources);
    header_->usable_cores = facts->usable_cores;
}

void Node::check_settings() const {
    for (int i = 0; i < job_.nlocal; ++i) {
        if (record(i).settings_digest != my_record().settings_digest) {
            const std::string difference = settings_difference(
                internal(i).setting_marks, job_.local_pes[static_cast<std::size_t>(i)]);
            fatal("shmem_init: %s; start all PEs with the same environment", difference.c_str());
        }
    }
}

bool Node::runs_my_program(int local_index) const {
    const heap::PeRecord& peer = record(local_index);
    return peer.program_digest == my_record().program_digest &&
           peer.static_bytes == my_statics_.bytes;
}

void Node::map_statics() {
    auto count = static_cast<std::size_t>(job_.nlocal);
    static_maps_.resize(count);
    statics_.assign(count, nullptr);
    bool all_mapped = true;
    for (int i = 0; i < job_.nlocal; ++i) {
        if (!runs_my_program(i)) continue;  // Its variables are not ours (MPMD).
        if (i == job_.local_index) {
            // If the others cannot map the data, this PE must reach it as they do.
            bool is_common = my_statics_.shared || count == 1;
            statics_[static_cast<std::size_t>(i)] =
                is_common ? reinterpret_cast<char*>(my_statics_.base) : nullptr;
        } else {
            statics_[static_cast<std::size_t>(i)] = map_static_of(i);
        }
        all_mapped = all_mapped && statics_[static_cast<std::size_t>(i)] != nullptr;
    }
    // One word, one path: when a PE could not share its data, atomics on static data of all PEs,
    // also a PE's own, take a transport.
    if (!all_mapped) make_static_transports();
}

char* Node::map_static_of(int local_index) {
    const heap::PeRecord& peer = record(local_index);
    if (peer.static_is_shared == 0) return nullptr;
    auto index = static_cast<std::size_t>(local_index);
    int file = peer.static_in_node_file != 0      ? job_.node_file.get()
               : index < job_.static_files.size() ? job_.static_files[index].get()
                                                  : -1;
    if (file < 0) return nullptr;
    static_maps_[index] = Mapping::share(file, peer.static_file_offset, peer.static_bytes);
    return static_maps_[index].data();
}

void Node::make_static_transports() {
    const int first = job_.local_pes.front();
    std::vector<CmaTarget> targets(static_cast<std::size_t>(job_.local_pes.back() - first) + 1);
    for (int i = 0; i < job_.nlocal; ++i) {
        const heap::PeRecord& peer = record(i);
        const auto index =
            static_cast<std::size_t>(job_.local_pes[static_cast<std::size_t>(i)] - first);
        targets[index] = {.pid = peer.pid,
                          .base = static_cast<std::uintptr_t>(peer.static_base),
                          .lock = &internal(i).static_lock};
    }
    transports_.push_back(make_self_transport(internal(job_.local_index).static_lock));
    transports_.push_back(make_cma_transport(std::move(targets), first, my_statics_.base));
}

void Node::make_transport_table() {
    const auto npes = static_cast<std::size_t>(job_.npes);
    transport_table_.reset(static_cast<Transport**>(std::calloc(npes, sizeof(Transport*))));
    if (!transport_table_) fatal("shmem_init: out of memory for a table of %d PEs", job_.npes);
}

void Node::fill_peers() {
    const auto npes = static_cast<std::size_t>(job_.npes);
    if (npes <= AddressPage::kPeers) {
        peers_ = std::end(address_page.peers) - npes;
        std::fill_n(peers_, npes, Peer{});  // An earlier init may have used them.
    } else {
        large_table_.reset(static_cast<Peer*>(std::calloc(npes, sizeof(Peer))));
        peers_ = large_table_.get();
    }
    if (peers_ == nullptr) fatal("shmem_init: out of memory for a table of %d PEs", job_.npes);
    if (!transports_.empty()) make_transport_table();
    for (int i = 0; i < job_.nlocal; ++i) {
        Peer& peer = peers_[world_index(i)];
        peer.heap = heap_map_.is_mapped() ? heap(i) : nullptr;
        peer.sleeper = &internal(i).sleeper;
        if (!runs_my_program(i)) continue;           // Its variables are not ours (MPMD).
        if (!config().heap.is_coherent()) continue;  // use_copies()
        if (transports_.empty()) {
            peer.statics = statics_[static_cast<std::size_t>(i)];
        } else {
            transport_table_[world_index(i)] = transports_[i == job_.local_index ? 0 : 1].get();
        }
    }
}

std::size_t Node::world_index(int local_index) const {
    return static_cast<std::size_t>(job_.local_pes[static_cast<std::size_t>(local_index)]);
}

}  // namespace tessera
