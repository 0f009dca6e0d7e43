// SPDX-License-Identifier: BSD-3-Clause
//
// The operations that a trace tells apart. The routines of all types and sizes, with and without a
// context, are one operation: put stands for shmem_int_put, shmem_ctx_put64, shmem_putmem and so
// on. osh_report reads the names from the trace, so a new row here is all that an operation needs.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::trace {

enum class Kind : std::uint8_t {
    kTransfer,    // moves data or an atomic to or from one PE; most calls are counted, some timed
    kShort,       // touches no particular PE; most calls are counted, some timed
    kWait,        // waits for a value or a lock: each call is timed
    kCollective,  // each call is timed, and numbered within its team
    kMemory,      // allocates or frees symmetric memory, so all PEs wait for each other
    kOther,       // teams, contexts: each call is timed
};

// The direction of a transfer, for its bandwidth. Nonblocking calls and atomics have none.
enum class Direction : std::uint8_t { kNone, kPut, kGet };

// X(NAME, KIND, DIRECTION)
#define TESSERA_TRACE_OPERATIONS(X)                                                          \
    X(put, kTransfer, kPut)                                                                  \
    X(get, kTransfer, kGet)                                                                  \
    X(p, kTransfer, kNone)                                                                   \
    X(g, kTransfer, kNone)                                                                   \
    X(put_nbi, kTransfer, kNone)                                                             \
    X(get_nbi, kTransfer, kNone)                                                             \
    X(iput, kTransfer, kNone)                                                                \
    X(iget, kTransfer, kNone)                                                                \
    X(put_signal, kTransfer, kPut)                                                           \
    X(put_signal_nbi, kTransfer, kNone)                                                      \
    X(signal, kTransfer, kNone)                                                              \
    X(atomic, kTransfer, kNone)                                                              \
    X(fetching_atomic, kTransfer, kNone)                                                     \
    X(fence, kShort, kNone)                                                                  \
    X(quiet, kShort, kNone)                                                                  \
    X(test, kShort, kNone)                                                                   \
    X(wait, kWait, kNone)                                                                    \
    X(set_lock, kWait, kNone)                                                                \
    X(test_lock, kShort, kNone)                                                              \
    X(clear_lock, kShort, kNone)                                                             \
    X(barrier, kCollective, kNone)                                                           \
    X(sync, kCollective, kNone)                                                              \
    X(broadcast, kCollective, kNone)                                                         \
    X(collect, kCollective, kNone)                                                           \
    X(fcollect, kCollective, kNone)                                                          \
    X(alltoall, kCollective, kNone)                                                          \
    X(alltoalls, kCollective, kNone)                                                         \
    X(reduce, kCollective, kNone)                                                            \
    X(scan, kCollective, kNone)                                                              \
    X(alloc, kMemory, kNone)                                                                 \
    X(free, kMemory, kNone)                                                                  \
    X(team, kOther, kNone)                                                                   \
    X(context, kOther, kNone)                                                                \
    X(init, kOther, kNone)                                                                   \
    X(finalize, kOther, kNone)

enum class Operation : std::uint16_t {
#define TESSERA_TRACE_NAME(NAME, KIND, DIRECTION) NAME,
    TESSERA_TRACE_OPERATIONS(TESSERA_TRACE_NAME)
#undef TESSERA_TRACE_NAME
        kCount
};
inline constexpr auto kOperationCount = static_cast<std::uint32_t>(Operation::kCount);

struct OperationTraits {
    std::string_view name;
    Kind kind;
    Direction direction;
};

inline constexpr OperationTraits kOperations[] = {
#define TESSERA_TRACE_ROW(NAME, KIND, DIRECTION) {#NAME, Kind::KIND, Direction::DIRECTION},
    TESSERA_TRACE_OPERATIONS(TESSERA_TRACE_ROW)
#undef TESSERA_TRACE_ROW
};

constexpr const OperationTraits& traits_of(Operation operation) {
    return kOperations[static_cast<std::uint32_t>(operation)];
}

}  // namespace tessera::trace
