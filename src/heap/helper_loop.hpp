// SPDX-License-Identifier: BSD-3-Clause
//
// The work of a helper: it copies what the PEs of its node leave to it (heap/offload_board.hpp). It
// begins with the PEs of its own NUMA node. Under oshrun a helper is a process
// (tools/oshrun/helper_process.cpp), under other launchers a thread of the node's first PE
// (session/helper_threads.hpp). THREADS: run() by one, stop() by any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heap/offload_board.hpp"

namespace tessera::heap {

class HelperLoop {
  public:
    struct Setup {
        OffloadBoard& board;
        NodeMaps maps;
        std::size_t npes = 0;    // PEs of the node
        std::size_t number = 0;  // number of the helper on its node
        // The kernel refuses to reach a PE's private memory. Does not return.
        void (*fail)(const char* message) = nullptr;
    };
    explicit HelperLoop(const Setup& setup) : setup_(setup), looked_up_to_(setup.npes) {}

    // RETURNS when: stop() was called, and all pieces that this helper has claimed are copied.
    void run();
    void stop();

  private:
    bool look_at_rings();
    bool look_at(std::size_t index);
    void copy(OffloadRing& ring, const OffloadRing::Piece& piece) const;

    const Setup setup_;
    std::vector<std::uint64_t> looked_up_to_;  // by ring: all tickets before are claimed
    std::atomic<bool> must_stop_{false};
};

}  // namespace tessera::heap
