// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive doubling (papers/004, 3.2.5): in round s each member combines what it has with member
// rank xor 2^s, so that after lg p rounds everybody has everything. Two forms:
//
//   put_get  both send their part to the other's mail, chunk by chunk, and both combine
//   direct   "left computes": the member with the lower rank combines both arrays where they lie
//   and
//            writes the result to both; no mail, no copies
//
// COST: T_RD = lg p a + n lg p b + n lg p c, and 2 more rounds unless p is a power of 2. Any
// operation; all members compute the same bits. Restriction: a team with links.
#include <cstring>

#include "collectives/reduce/algorithms.hpp"

namespace tessera::collectives {
namespace {

// accumulator = accumulator and what member `index` sent in `round`, in the order of the members.
void combine_mail(const Reduction& call, const Links& links, int round, int index, Chunk& part,
                  std::size_t bytes) {
    const char* theirs = links.receive(round);
    const bool is_left = call.group.my_index() < index;
    call.kernel.combine_two(part, is_left ? part : theirs, is_left ? theirs : part,
                            bytes / call.element_bytes());
}

// One chunk, which begins and ends in `part`.
void double_chunk(const Reduction& call, const Core& core, Chunk& part, std::size_t bytes) {
    const int me = call.group.my_index();
    const Links links(call.group.team(), call.group.where());
    if (core.is_outside()) {
        links.send(me + 1, Core::kFoldIn, part, bytes);
        std::memcpy(part, links.receive(Core::kFoldOut), bytes);
        return;
    }
    if (core.has_neighbour()) combine_mail(call, links, Core::kFoldIn, me - 1, part, bytes);
    for (int round = 0; round < core.rounds(); ++round) {
        const int partner = core.index_of(core.rank() ^ (1 << round));
        links.send(partner, round, part, bytes);
        combine_mail(call, links, round, partner, part, bytes);
    }
    if (core.has_neighbour()) links.send(me - 1, Core::kFoldOut, part, bytes);
}

// The left one of two members computes for both.
void left_computes(const Reduction& call, const Links& links, int round, int partner) {
    if (call.group.my_index() > partner) {
        links.post(LinkKind::kReady, round, partner);
        return links.wait(LinkKind::kDone, round);
    }
    links.wait(LinkKind::kReady, round);
    combine_with(call, partner, 0, call.bytes());
    call.put(partner, call.dest, call.dest, call.bytes());
    links.post(LinkKind::kDone, round, partner);
}

void double_direct(const Reduction& call, const Core& core) {
    reduce_folded(call, core, [&](const Links& links) {
        for (int round = 0; round < core.rounds(); ++round) {
            left_computes(call, links, round, core.index_of(core.rank() ^ (1 << round)));
        }
    });
}

}  // namespace

void reduce_recursive_doubling(const Reduction& call) {
    const Core core(call.group.team());
    if (call.access == Access::kDirect) return double_direct(call, core);
    alignas(kCacheLineBytes) Chunk part;
    for_each_chunk(0, call.bytes(), [&](std::size_t at, std::size_t bytes) {
        std::memcpy(part, call.source + at, bytes);
        double_chunk(call, core, part, bytes);
        std::memcpy(call.dest + at, part, bytes);
    });
}

}  // namespace tessera::collectives
