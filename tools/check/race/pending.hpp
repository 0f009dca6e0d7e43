// SPDX-License-Identifier: BSD-3-Clause
//
// The PE's own buffers of nonblocking transfers, in any memory: until the quiet, the PE must not
// write a source, nor use a dest. Calls of the program are compared with the list; stores are seen
// by a sum over the source, when the transfer starts and when it is completed.
//
// THREADS: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tools/check/race/clocks.hpp"

namespace tessera::check::race {

struct Pending {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    bool is_dest = false;
    Lane lane = Lane::kDefault;
    Op op = 0;
    int target = 0;         // whose memory the transfer is with
    std::string call;       // "shmem_putmem_nbi at main (line 9 of the program)"
    std::uint64_t sum = 0;  // checksum of a source; 0: none was made
};

class PendingList {
  public:
    static constexpr std::size_t kEntries = 1024;                   // beyond: forgets the oldest
    static constexpr std::size_t kSumBytes = std::size_t{1} << 20;  // longer sources have no sum

    void add(Pending pending);
    // The transfers that a use of these bytes by call `op` disturbs.
    std::vector<Pending> disturbed_by(const void* address, std::size_t bytes, bool is_write,
                                      Op op) const;
    // Ends the transfers of a lane.
    // RETURNS: those whose source has other contents than at the start.
    std::vector<Pending> complete(Lane lane);
    const std::deque<Pending>& entries() const { return entries_; }

  private:
    std::deque<Pending> entries_;
};

}  // namespace tessera::check::race
