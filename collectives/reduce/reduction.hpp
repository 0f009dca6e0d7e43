// SPDX-License-Identifier: BSD-3-Clause
//
// One call of a reduction, as its algorithms see it, and the steps that they share. Another PE's
// array is read in place if this PE maps it, else through a get (Ravichandrasekaran 2015, 3.2.9).
#pragma once

#include <cstring>

#include "collectives/group.hpp"
#include "collectives/kernels/kernel.hpp"
#include "collectives/patterns/core.hpp"
#include "collectives/reduce/operand.hpp"
#include "core/context.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {

struct Reduction {
    const Group& group;
    char* dest;
    const char* source;  // dest, or apart from it
    std::size_t nelems;
    const Kernel& kernel;
    // For private arrays, where Restriction::lands: source and dest are one staged vector, and this
    // member wants the bytes [wanted_begin, wanted_end) of the result at `wanted`.
    bool lands = false;
    char* wanted = nullptr;
    std::size_t wanted_begin = 0;
    std::size_t wanted_end = 0;

    std::size_t element_bytes() const { return kernel.element_bytes; }
    std::size_t bytes() const { return nelems * kernel.element_bytes; }

    // `bytes` of `address` (symmetric) of member `index`: in place, or copied to `copy`.
    // REQUIRES: bytes <= kChunkBytes.
    const char* operand(int index, const void* address, std::size_t count, Chunk& copy) const {
        return tessera::operand(address, count, group.world_pe(index), copy, group.where());
    }
    void put(int index, char* address, const void* data, std::size_t count) const {
        collective_context.put(address, data, count, group.world_pe(index), group.where());
    }
};

// dest[begin, end) of this member = dest of `left` op dest of `right`, in bytes; one of both is
// this member. The order is the same on both sides.
void combine_with(const Reduction& call, int partner, std::size_t begin, std::size_t end);

// dest = source, where they differ.
inline void begin_in_dest(const Reduction& call) {
    if (call.dest != call.source) std::memcpy(call.dest, call.source, call.bytes());
}

// A reduction in dest by the 2^k members of the core, which run `reduce_core(mailboxes)`. Members
// outside the core give their array to their right neighbours, and find the result in it
// (Ravichandrasekaran 2015, 3.2.5).
template <class ReduceCore>
void reduce_folded(const Reduction& call, const Core& core, ReduceCore reduce_core) {
    const int me = call.group.my_index();
    const Mailboxes mailboxes(call.group.team(), call.group.where());
    begin_in_dest(call);
    if (core.is_outside()) {
        mailboxes.post(GateKind::kReady, Core::kFoldIn, me + 1);
        return mailboxes.wait(GateKind::kDone, Core::kFoldOut);
    }
    if (core.has_neighbour()) {
        mailboxes.wait(GateKind::kReady, Core::kFoldIn);
        combine_with(call, me - 1, 0, call.bytes());
    }
    reduce_core(mailboxes);
    if (core.has_neighbour()) {
        call.put(me - 1, call.dest, call.dest, call.bytes());
        mailboxes.post(GateKind::kDone, Core::kFoldOut, me - 1);
    }
}

}  // namespace tessera::collectives
