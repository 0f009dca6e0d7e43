// SPDX-License-Identifier: BSD-3-Clause
//
// See offload_board.hpp.
#include "heap/offload_board.hpp"

#include "base/futex.hpp"

namespace tessera::heap {

// Pairs with heap/offload_board.cpp:sleep_at.
void OffloadBoard::ring_bell() {
    bell.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0) futex_wake_one(bell);
}

// Pairs with heap/offload_board.cpp:sleep_at.
void OffloadBoard::wake_all() {
    bell.fetch_add(1, std::memory_order_seq_cst);
    futex_wake_all(bell);
}

// Pairs with heap/offload_board.cpp:ring_bell and heap/offload_board.cpp:wake_all.
void OffloadBoard::sleep_at(std::uint32_t seen) {
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    if (bell.load(std::memory_order_seq_cst) == seen) futex_wait(bell, seen);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace tessera::heap
