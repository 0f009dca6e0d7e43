// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that all PEs of a job map when they are on one host: a memfd of each PE, which the others
// open below /proc. It has no name, and ends with the last PE.
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::check::race {

class HostMemory {
  public:
    // Returns the parts of all PEs, whose bytes are 0; empty, on all PEs alike, when a PE cannot
    // map one of them. Collective over all PEs.
    std::vector<char*> open(int pe, int n_pes, std::size_t bytes);
    void close();

  private:
    std::vector<char*> parts_;
    std::size_t bytes_ = 0;
};

}  // namespace tessera::check::race
