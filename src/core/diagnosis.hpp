// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about a PE that only osh_hang reads, in the PE's internal segment and its teams' flags. The
// PE writes them once, when it knows them; addresses are those of its own memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

// How a PE's addresses are to be understood. Written by init before `is_complete` (release; pairs
// with the reader in tools/osh_hang), and stays.
struct PeFacts {
    std::atomic<std::uint32_t> is_complete;
    std::int32_t pe;                // number in the world
    std::uint64_t node_base;        // address of the node file
    std::uint64_t heap_base;        // address of the PE's own range
    std::uint64_t mailboxes_bytes;  // mailboxes of a team, TeamMailboxes::stride()
};

// The last collectives that a member has called on a team: the line behind its flags. Written by
// the member at each call, hot path, with plain stores of its own line; read as hints.
struct TeamCalls {
    static constexpr std::uint32_t kLast = 4;
    std::atomic<std::uint64_t> calls;          // since the slot was first used by this PE
    std::atomic<const char*> routines[kLast];  // call n, counted from 1, stands at [n % kLast]
    std::atomic<std::int32_t> roots[kLast];    // roots of broadcasts
    std::int32_t npes;                         // size of the team; 0: the slot was never used
    std::int32_t my_index;
    std::int32_t first_pe;  // number in the world of the team's first member
    std::int32_t last_pe;
    std::uint64_t first_call;  // `calls` when the team was made

    TESSERA_INLINE void note(const char* where) {
        const std::uint64_t number = calls.load(std::memory_order_relaxed) + 1;
        routines[number % kLast].store(where, std::memory_order_relaxed);
        calls.store(number, std::memory_order_relaxed);
    }
    void note_root(int root) {
        roots[calls.load(std::memory_order_relaxed) % kLast].store(root, std::memory_order_relaxed);
    }
    void begin(int members, int index, int first, int last) {
        npes = members;
        my_index = index;
        first_pe = first;
        last_pe = last;
        first_call = calls.load(std::memory_order_relaxed);
    }
};

}  // namespace tessera
