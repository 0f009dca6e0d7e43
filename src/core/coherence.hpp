// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the duties of this PE at a sync point where software keeps its memory coherent
// (transports/noncoherent/duties.hpp has the table). Fence and quiet come there as to any fabric.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "core/address_map.hpp"
#include "launch/job.hpp"
#include "transports/noncoherent_transport.hpp"

namespace tessera {

class Node;
struct Team;

using noncoherent::SyncPoint;

// COST where the hardware keeps memory coherent: a load and a branch.
TESSERA_INLINE void perform_duty(SyncPoint point) {
    if (address_map.coherence != nullptr) [[unlikely]]
        address_map.coherence->perform(point);
}

// For a new team: where software keeps memory coherent, the duties come around its sync.
void add_duties_to_sync(Team& team);

// WaitEnvironment::progress where software keeps memory coherent.
void drive_coherence();

// ---- For init (core/node.cpp) ----

// The file or device of SHMEM_HEAP=noncoherent:PATH, with room for `bytes` bytes.
Fd open_public_heaps(const std::string& path, std::uint64_t bytes);
// This PE's part of it.
struct PublicHeap {
    char* start = nullptr;
    std::uint64_t offset = 0;  // in the file
    std::uint64_t bytes = 0;
};
// Locks the part against other jobs and fills it with zeros.
void empty_public_heap(int file, const std::string& path, const PublicHeap& mine);

struct CoherenceParts {
    const Node& node;
    const launch::Job& job;
    char* own_heap = nullptr;  // the private copy
    // Each PE of the node has one of its static data; nullptr: that PE runs another program.
    std::vector<char*> public_statics;
};
std::unique_ptr<noncoherent::NoncoherentTransport> make_coherence(const CoherenceParts& parts);

}  // namespace tessera
