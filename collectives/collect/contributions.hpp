// SPDX-License-Identifier: BSD-3-Clause
//
// A collect's dest, as the members' contributions of different sizes one behind the other: the
// sizes are exchanged first, by Bruck's algorithm through slots, so that every member knows
// where each block begins. For the algorithms that pass blocks on. THREADS: like Mailboxes. Lives
// for one collective.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collectives/group.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {

class Contributions {
  public:
    static constexpr int kMembersMax = 1024;  // whose sizes fit into one slot

    // `bytes`: of this member. REQUIRES: at most kMembersMax members.
    // RETURNS when: all members have begun. COST: ceil(lg p) a.
    Contributions(const Group& group, const Mailboxes& mailboxes, void* dest, std::size_t bytes)
        : group_(group), dest_(static_cast<char*>(dest)) {
        const int npes = group.npes();
        const int me = group.my_index();
        std::uint64_t sizes[kMembersMax];  // sizes[i]: the block of member me + i
        sizes[0] = bytes;
        int round = 0;
        // In round s each member receives the sizes of the member 2^s further.
        for (int have = 1; have < npes; have *= 2, ++round) {
            const std::size_t some =
                sizeof sizes[0] * static_cast<std::size_t>(std::min(have, npes - have));
            mailboxes.send((me - have + npes) % npes, round, sizes, some);
            std::memcpy(sizes + have, mailboxes.receive(round), some);
        }
        begins_[0] = 0;
        for (int i = 0; i < npes; ++i) begins_[i + 1] = begins_[i] + sizes[(i - me + npes) % npes];
        group.check_room(dest, begins_[npes]);
    }

    void fill_in(const void* source) const { put(group_.my_index(), source, group_.my_index()); }
    // One block, from this member's dest to that of member `index`.
    void pass_on(int block, int index) const { put(block, dest_ + begins_[block], index); }

  private:
    void put(int block, const void* source, int index) const {
        const std::size_t bytes = begins_[block + 1] - begins_[block];
        if (bytes == 0) return;
        collective_context.put(dest_ + begins_[block], source, bytes, group_.world_pe(index),
                               group_.where());
    }

    static_assert(kMembersMax * sizeof(std::uint64_t) <= kSlotBytes);

    const Group& group_;
    char* dest_;
    std::uint64_t begins_[kMembersMax + 1];
};

}  // namespace tessera::collectives
