// SPDX-License-Identifier: BSD-3-Clause
//
// See reduction.hpp.
#include "collectives/reduce/reduction.hpp"

namespace tessera::collectives {

void combine_with(const Reduction& call, int partner, std::size_t begin, std::size_t end) {
    alignas(kCacheLineBytes) Chunk copy;
    const bool is_lower = call.group.my_index() < partner;
    for_each_chunk(begin, end, [&](std::size_t at, std::size_t bytes) {
        char* mine = call.dest + at;
        const char* theirs = call.operand(partner, mine, bytes, copy);
        call.kernel.combine_two(mine, is_lower ? mine : theirs, is_lower ? theirs : mine,
                                bytes / call.element_bytes());
    });
}

}  // namespace tessera::collectives
