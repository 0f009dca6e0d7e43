// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck, for small blocks: few messages, but each block travels several times. Block i is the one
// that has i places to go. In round s everybody sends the blocks whose number has bit s to the
// member 2^s further, in one message, and gets as many in their place; after the last round every
// block is where it belongs.
// COST: ceil(lg p) (a + n p/2 b) for blocks of n bytes, and 2 n p b to pack and unpack them in each
// round; n p^2/2 lg p b by all PEs. Restriction: a team with links; n p <= 16384, so that the half
// of the blocks fits into one mail. Reference: as collect/bruck.cpp.
#include <cstring>

#include "collectives/alltoall/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {
namespace {

static_assert(kAlltoallBruckBytes / 2 <= kMailBytesMin);

}  // namespace

void alltoall_bruck(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const int npes = group.npes();
    const int me = group.my_index();
    const auto member = [&](int distance) { return (me + distance + npes) % npes; };
    alignas(kCacheLineBytes) char travelling[kAlltoallBruckBytes];
    alignas(kCacheLineBytes) char message[kAlltoallBruckBytes / 2];
    const auto block = [&](int i) { return travelling + static_cast<std::size_t>(i) * bytes; };
    for (int i = 0; i < npes; ++i) {
        const std::size_t at = static_cast<std::size_t>(member(i)) * bytes;
        std::memcpy(block(i), static_cast<const char*>(source) + at, bytes);
    }
    const Links links(group.team(), group.where());
    int round = 0;
    for (int bit = 1; bit < npes; bit *= 2, ++round) {
        std::size_t packed = 0;
        for (int i = bit; i < npes; ++i) {
            if ((i & bit) == 0) continue;
            std::memcpy(message + packed, block(i), bytes);
            packed += bytes;
        }
        links.send(member(bit), round, message, packed);
        const char* got = links.receive(round);
        for (int i = bit; i < npes; ++i) {
            if ((i & bit) == 0) continue;
            std::memcpy(block(i), got, bytes);
            got += bytes;
        }
    }
    for (int i = 0; i < npes; ++i) {
        const std::size_t at = static_cast<std::size_t>(member(-i)) * bytes;
        std::memcpy(static_cast<char*>(dest) + at, block(i), bytes);
    }
}

}  // namespace tessera::collectives
