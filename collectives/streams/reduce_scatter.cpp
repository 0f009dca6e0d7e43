// SPDX-License-Identifier: BSD-3-Clause
//
// Each member receives its block from every member and combines them in the order of the members.
// All members send at the same time, each piece to all members before the next piece, the right
// neighbour first. So the streams hold whatever a receiver is not ready for, and the order of the
// receives costs nothing.
// COST: (p-1) a + n (p-1)/p (b + c) for vectors of n bytes.
#include "collectives/streams/call.hpp"

namespace tessera::collectives {
namespace {

Pieces block_of(const RuntimeCall& call, int member) {
    return {call.out.bytes_of(member, call.element_bytes), call.element_bytes, call.slot_bytes};
}

// Groups of the longest block that this member sends.
std::uint32_t rounds(const RuntimeCall& call) {
    std::uint32_t most = 0;
    for (int i = 0; i < call.npes; ++i) most = std::max(most, block_of(call, i).groups());
    return most;
}

std::uint32_t others(const RuntimeCall& call) { return static_cast<std::uint32_t>(call.npes) - 1; }

// The parts of an element are the same for all blocks.
std::uint32_t parts_of(const RuntimeCall& call) { return block_of(call, call.me).parts(); }

// dest is the block of member 0, which must leave before the result comes.
bool is_in_place(const RuntimeCall& call) { return call.dest == call.out.start && call.me != 0; }

// The receiver of a step: the right neighbour first; in place all members begin with member 0,
// which waits for none of them.
int receiver(const RuntimeCall& call, std::uint32_t step) {
    const auto place = static_cast<int>(step);
    if (call.dest == call.out.start) return place < call.me ? place : place + 1;
    return (call.me + 1 + place) % call.npes;
}

std::uint32_t count_sends(const RuntimeCall& call) {
    return rounds(call) * others(call) * parts_of(call);
}

std::uint32_t count_receives(const RuntimeCall& call) {
    return block_of(call, call.me).count() * static_cast<std::uint32_t>(call.npes);
}

Message send(const RuntimeCall& call, std::uint32_t number) {
    const std::uint32_t parts = parts_of(call);
    const std::uint32_t group = number / parts / others(call);
    const std::uint32_t step = number / parts % others(call);
    const int to = receiver(call, step);
    const Pieces block = block_of(call, to);
    if (group >= block.groups()) return {};
    return block.send(to, call.out.at(to, call.element_bytes), group * parts + number % parts);
}

Message receive(const RuntimeCall& call, std::uint32_t number) {
    const Pieces block = block_of(call, call.me);
    const std::uint32_t parts = block.parts();
    const auto npes = static_cast<std::uint32_t>(call.npes);
    const int from = static_cast<int>(number / parts % npes);
    const std::uint32_t group = number / parts / npes;
    const std::uint32_t piece = group * parts + number % parts;
    const Action action = from == 0 ? Action::kCopy : Action::kCombineBehind;
    Message message = from == call.me ? block.own(call.out.at(call.me, call.element_bytes),
                                                  call.dest, piece, action)
                                      : block.receive(from, call.dest, piece, action);
    if (from == 0 && is_in_place(call)) {
        message.needs = group * others(call) * parts + number % parts + 1;
    }
    return message;
}

}  // namespace

const Schedule kReduceScatterSchedule = {.name = "pairwise",
                                         .count_sends = count_sends,
                                         .count_receives = count_receives,
                                         .send = send,
                                         .receive = receive};

}  // namespace tessera::collectives
