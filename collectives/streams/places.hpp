// SPDX-License-Identifier: BSD-3-Clause
//
// Long parts do not go through slots. The receiver first names a place for each, in its dest where
// that is heap memory, else in local memory of its own; the sender puts the part there in long
// pieces, with an empty message behind each. A receiver without a place says so, and the part goes
// through slots. So the names come first in both sequences of a schedule, in the order of the
// partners. Sender and receiver know alike which parts are long.
#pragma once

#include "collectives/streams/call.hpp"

namespace tessera::collectives {

inline constexpr std::size_t kNoPlace = ~std::size_t{0};

inline bool is_long(const RuntimeCall& call, std::size_t bytes) {
    return bytes >= call.long_bytes_min;
}

inline Message name_place(const RuntimeCall& call, int from) {
    return {.peer = from,
            .source = reinterpret_cast<const char*>(&call.named[from]),
            .bytes = sizeof(std::size_t)};
}
inline Message hear_place(const RuntimeCall& call, int to) {
    return {.peer = to,
            .dest = reinterpret_cast<char*>(&call.places[to]),
            .bytes = sizeof(std::size_t)};
}

inline bool has_named(const RuntimeCall& call, int from, std::size_t bytes) {
    return is_long(call, bytes) && call.named[from] != kNoPlace;
}
inline bool has_place(const RuntimeCall& call, int to, std::size_t bytes) {
    return is_long(call, bytes) && call.places[to] != kNoPlace;
}

// Piece `number` of a long part of `bytes`. REQUIRES: has_place(), has_named().
inline Pieces long_pieces(const RuntimeCall& call, std::size_t bytes, std::size_t element_bytes) {
    return {bytes, element_bytes, call.long_piece_bytes};
}
inline Message send_long(const RuntimeCall& call, const Pieces& pieces, int to, const char* source,
                         std::uint32_t number) {
    if (number >= pieces.count()) return {};
    Message message = pieces.send(to, source, number);
    message.is_direct = true;
    message.place = call.places[to] + pieces.at(number);
    return message;
}
inline Message receive_long(const RuntimeCall& call, const Pieces& pieces, int from, char* dest,
                            std::uint32_t number, Action action) {
    if (number >= pieces.count()) return {};
    Message message = pieces.receive(from, dest, number, action);
    message.is_direct = true;
    message.source = call.base + call.named[from] + pieces.at(number);
    return message;
}

}  // namespace tessera::collectives
