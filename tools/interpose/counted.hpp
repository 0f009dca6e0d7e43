// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: calls of which programs make many, in a loop. An observer that counts them, as
// tools/trace does, gives each thread a table; a routine then changes one word and jumps into the
// library. The observer sees a call only where that word becomes negative, or the table has no
// place for it. Threads without a table, as those of tools/check, tell the observer every call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera::interpose {

// A column of the table. The routines of all types and sizes, with and without a context, are one:
// put stands for shmem_int_put, shmem_ctx_put64, shmem_putmem and so on.
enum class Counted : std::uint8_t {
    put,
    get,
    p,
    g,
    put_nbi,
    get_nbi,
    iput,
    iget,
    put_signal,
    put_signal_nbi,
    signal,
    atomic,
    fetching_atomic,
    fence,
    quiet,
    test,
    set_lock,
    test_lock,
    clear_lock,
    kNone,  // a call that the observer always sees
};

// The observer sees transfers of this size, of whose time it takes little.
inline constexpr std::uint64_t kCountedBytes = 64 * 1024;

// A row has calls with one PE: a line for the observer, then a line for each column. The first word
// of the observer's line points to a word: while that one is not 0, the observer is to see all
// writes to the PE. The first word of the other lines holds the calls that the observer need not
// see yet, times kTurn, plus the bytes of the calls since the last one that it saw. So one addition
// counts a call and its bytes, and the sign says that the observer is to see the call, which is
// counted then.
inline constexpr std::size_t kCountLineBytes = 64;
inline constexpr int kTurnBits = 30;
inline constexpr std::int64_t kTurn = std::int64_t{1} << kTurnBits;

using Watch = const std::atomic<std::uint64_t>;

// Whether the calls of a column may change memory of the PE.
constexpr bool is_write(Counted call) {
    return call == Counted::put || call == Counted::p || call == Counted::put_nbi ||
           call == Counted::iput ||
           (call >= Counted::put_signal && call <= Counted::fetching_atomic);
}

// The calling thread's table.
struct Table {
    char* rows = nullptr;  // one for each PE, and one for calls without a peer
    std::size_t row_bytes = 0;
    std::uint32_t npes = 0;
};
[[gnu::tls_model("initial-exec")]] extern thread_local constinit Table table;

// In place of the PE of a call that has none.
struct NoPeer {
    constexpr operator int() const { return -1; }
};

// Counts a call in a row. RETURNS: false if the observer is to see it.
TESSERA_INLINE bool is_counted_in(char* row, Counted call, std::uint64_t bytes) {
    const std::size_t line = 1 + static_cast<std::size_t>(call);
    auto& turn = *reinterpret_cast<std::int64_t*>(row + line * kCountLineBytes);
    turn += static_cast<std::int64_t>(bytes) - kTurn;
    return turn >= 0;
}
// Counts a call if the observer need not see it.
TESSERA_INLINE bool is_counted(Counted call, int pe, std::uint64_t bytes = 0) {
    const auto peer = static_cast<std::uint32_t>(pe);
    if (peer >= table.npes || bytes >= kCountedBytes) [[unlikely]]
        return false;
    char* row = table.rows + peer * table.row_bytes;
    // Relaxed, as the observer looks again.
    if (is_write(call) && (*reinterpret_cast<Watch**>(row))->load(std::memory_order_relaxed) != 0)
        [[unlikely]]
        return false;
    return is_counted_in(row, call, bytes);
}
TESSERA_INLINE bool is_counted(Counted call, NoPeer /*pe*/) {
    return table.rows != nullptr &&
           is_counted_in(table.rows + table.npes * table.row_bytes, call, 0);
}
// These calls take longer than the observer, which sees all of them.
constexpr bool is_counted(Counted /*call*/) { return false; }

constexpr Counted column_of(Counted call, ...) { return call; }

}  // namespace tessera::interpose
