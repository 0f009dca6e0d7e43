// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck (papers/004, 3.2.6): in round s member i of the 2^k sends what it has to member i - 2^s, so
// all data moves one way and everybody always has a neighbouring run of parts. Each member begins
// its run with its own part: another order on each, so the operation must not depend on it.
//
//   put_get  the part is sent to the other's mail
//   direct   the part is left in one's own mail, and the other combines it from there
//
// COST: T_BR = lg p a + n lg p b + n lg p c, and 2 more rounds unless p is a power of 2.
// Restrictions: a team with links, an operation whose result does not depend on the order.
// Reference: Bruck et al., "Efficient Algorithms for All-to-All Communications", 1997.
#include <cstring>

#include "collectives/reduce/algorithms.hpp"

namespace tessera::collectives {
namespace {

void combine(const Reduction& call, Chunk& part, const void* other, std::size_t bytes) {
    call.kernel.combine(part, other, bytes / call.element_bytes());
}

void run_chunk(const Reduction& call, const Core& core, Chunk& part, std::size_t bytes) {
    const int me = call.group.my_index();
    const Links links(call.group.team(), call.group.where());
    if (core.is_outside()) {
        links.send(me + 1, Core::kFoldIn, part, bytes);
        std::memcpy(part, links.receive(Core::kFoldOut), bytes);
        return;
    }
    if (core.has_neighbour()) combine(call, part, links.receive(Core::kFoldIn), bytes);
    const int mask = core.size() - 1;
    alignas(kCacheLineBytes) Chunk copy;
    for (int round = 0; round < core.rounds(); ++round) {
        const int to = core.index_of((core.rank() - (1 << round)) & mask);
        const int from = core.index_of((core.rank() + (1 << round)) & mask);
        if (call.access == Access::kPutGet) {
            links.send(to, round, part, bytes);
            combine(call, part, links.receive(round), bytes);
        } else {
            links.leave(round, part, bytes);
            links.post(LinkKind::kReady, round, to);
            links.wait(LinkKind::kReady, round);
            combine(call, part, links.left_by(from, round, bytes, copy), bytes);
        }
    }
    if (core.has_neighbour()) links.send(me - 1, Core::kFoldOut, part, bytes);
}

}  // namespace

void reduce_bruck(const Reduction& call) {
    const Core core(call.group.team());
    alignas(kCacheLineBytes) Chunk part;
    for_each_chunk(0, call.bytes(), [&](std::size_t at, std::size_t bytes) {
        std::memcpy(part, call.source + at, bytes);
        run_chunk(call, core, part, bytes);
        std::memcpy(call.dest + at, part, bytes);
    });
}

}  // namespace tessera::collectives
