// SPDX-License-Identifier: BSD-3-Clause
//
// Each member receives its block from every member and combines them in the order of the members.
// All members send at the same time, each piece to all members before the next piece, the right
// neighbour first. So the streams hold whatever a receiver is not ready for, and the order of the
// receives costs nothing. Long blocks of short elements go to the places that their receivers name
// first (places.hpp).
// COST: (p-1) a + n (p-1)/p (b + c) for vectors of n bytes; with long blocks 2 (p-1) a.
#include "collectives/cost_terms.hpp"
#include "collectives/reduce/to_owners.hpp"
#include "collectives/streams/places.hpp"

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

// 0: it is not long.
std::size_t long_bytes(const RuntimeCall& call, int member) {
    const std::size_t bytes = call.out.bytes_of(member, call.element_bytes);
    return is_long(call, bytes) && parts_of(call) == 1 ? bytes : 0;
}

void count_places(RuntimeCall& call) {
    call.place_sends = long_bytes(call, call.me) > 0 ? others(call) : 0;
    call.place_receives = 0;
    for (int i = 0; i < call.npes; ++i) {
        if (i != call.me && long_bytes(call, i) > 0) call.place_receives = others(call);
    }
}

LongPart long_part(const RuntimeCall& call, int from) {
    if (from == call.me) return {};
    return {.bytes = long_bytes(call, call.me), .may_land = !is_in_place(call)};
}

std::uint32_t count_sends(const RuntimeCall& call) {
    return call.place_sends + rounds(call) * others(call) * parts_of(call);
}

std::uint32_t count_receives(const RuntimeCall& call) {
    return call.place_receives +
           block_of(call, call.me).count() * static_cast<std::uint32_t>(call.npes);
}

Message receive_name(const RuntimeCall& call, std::uint32_t number) {
    const int to = receiver(call, number);
    return long_bytes(call, to) > 0 ? hear_place(call, to) : Message{};
}

Message send(const RuntimeCall& call, std::uint32_t number) {
    if (number < call.place_sends) return name_place(call, receiver(call, number));
    number -= call.place_sends;
    const std::uint32_t parts = parts_of(call);
    const std::uint32_t group = number / parts / others(call);
    const std::uint32_t step = number / parts % others(call);
    const int to = receiver(call, step);
    char* const source = call.out.at(to, call.element_bytes);
    const std::size_t long_ones = long_bytes(call, to);
    Message message;
    if (has_place(call, to, long_ones)) {
        const Pieces pieces = long_pieces(call, long_ones, call.element_bytes);
        message = send_long(call, pieces, to, source, group);
    } else if (const Pieces block = block_of(call, to); group < block.groups()) {
        message = block.send(to, source, group * parts + number % parts);
    }
    // Until the place is known; then the message is asked for again.
    message.needs = long_ones > 0 ? step + 1 : 0;
    return message;
}

// The message of one member in a group of pieces.
Message receive_piece(const RuntimeCall& call, const Pieces& block, int from, std::uint32_t piece) {
    const Action action = from == 0 ? Action::kCopy : Action::kCombineBehind;
    if (from != call.me) return block.receive(from, call.dest, piece, action);
    return block.own(call.out.at(call.me, call.element_bytes), call.dest, piece, action);
}

// All members' blocks for this one have places, or none has.
bool has_places(const RuntimeCall& call) {
    const int other = call.me == 0 ? 1 : 0;
    return call.npes > 1 && has_named(call, other, long_bytes(call, call.me));
}

Message receive_long_piece(const RuntimeCall& call, int from, std::uint32_t piece) {
    const Pieces pieces = long_pieces(call, long_bytes(call, call.me), call.element_bytes);
    if (piece >= pieces.count()) return {};
    if (from == call.me) return receive_piece(call, pieces, from, piece);
    const Action action = from == 0 ? Action::kCopy : Action::kCombineBehind;
    return receive_long(call, pieces, from, call.dest, piece, action);
}

Message receive(const RuntimeCall& call, std::uint32_t number) {
    if (number < call.place_receives) return receive_name(call, number);
    number -= call.place_receives;
    const Pieces block = block_of(call, call.me);
    const std::uint32_t parts = block.parts();
    const auto npes = static_cast<std::uint32_t>(call.npes);
    const int from = static_cast<int>(number / parts % npes);
    const std::uint32_t group = number / parts / npes;
    if (has_places(call)) return receive_long_piece(call, from, group);
    Message message = receive_piece(call, block, from, group * parts + number % parts);
    if (from == 0 && is_in_place(call))
        message.needs = call.place_sends + group * others(call) * parts + number % parts + 1;
    return message;
}

}  // namespace

const Schedule kReduceScatterSchedule = {.name = "pairwise",
                                         .count_sends = count_sends,
                                         .count_receives = count_receives,
                                         .send = send,
                                         .receive = receive,
                                         .count_places = count_places,
                                         .long_part = long_part};

namespace {

Cost stream_reduce_scatter_cost(const TeamLayout& team, double n) {
    return streams_to_all(team, n) + each_member(team, 0, team.npes * n);
}

}  // namespace

extern constinit const Algorithm<ReduceScatter> kReduceScatterStream{
    {.name = "stream",
     .formula = "(p-1) a + p n (b + c)",
     .best_when = "nonblocking calls; any arrays",
     .restriction = kStreams,
     .cost = stream_reduce_scatter_cost,
     .schedule = &kReduceScatterSchedule},
    nullptr};

}  // namespace tessera::collectives
