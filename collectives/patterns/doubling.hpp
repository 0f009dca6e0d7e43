// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive doubling through slots: in round s each participant exchanges its partial result with
// its partner 2^s further, and both combine, in the order of the participants. Participants outside
// the core give their part away and receive the result (patterns/core.hpp).
#pragma once

#include <cstddef>
#include <cstring>

#include "collectives/kernels/kernel.hpp"
#include "collectives/patterns/core.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {

// `part`: at first this participant's own, at the end the result; at most a slot. `member_of(i)` is
// the team's member that is participant i; `me` is this one's number.
template <class MemberOf>
void double_part(const Mailboxes& mailboxes, const Core& core, int me, MemberOf member_of,
                 const Kernel& kernel, char* part, std::size_t nelems) {
    const std::size_t bytes = nelems * kernel.element_bytes;
    const auto combine = [&](int round, int partner) {
        const char* theirs = mailboxes.receive(round);
        const bool is_lower = me < partner;
        kernel.combine_two(part, is_lower ? part : theirs, is_lower ? theirs : part, nelems);
    };
    if (core.is_outside()) {
        mailboxes.send(member_of(me + 1), Core::kFoldIn, part, bytes);
        std::memcpy(part, mailboxes.receive(Core::kFoldOut), bytes);
        return;
    }
    if (core.has_neighbour()) combine(Core::kFoldIn, me - 1);
    for (int round = 0; round < core.rounds(); ++round) {
        const int partner = core.partner_in(round);
        mailboxes.send(member_of(partner), round, part, bytes);
        combine(round, partner);
    }
    if (core.has_neighbour()) mailboxes.send(member_of(me - 1), Core::kFoldOut, part, bytes);
}

}  // namespace tessera::collectives
