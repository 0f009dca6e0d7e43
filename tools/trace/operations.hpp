// SPDX-License-Identifier: BSD-3-Clause
//
// The operations that a trace tells apart. The routines of all types and sizes, with and without a
// context, are one operation: put stands for shmem_int_put, shmem_ctx_put64, shmem_putmem and so
// on. osh_report reads the names from the trace, so a new row here is all that an operation needs.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::trace {

// The direction of a transfer, for its bandwidth. Nonblocking calls and atomics have none.
enum class Direction : std::uint8_t { kNone, kPut, kGet };

// X(NAME, DIRECTION); first the columns of interpose/counted.hpp, in their order.
#define TESSERA_TRACE_OPERATIONS(X) \
    X(put, kPut)                    \
    X(get, kGet)                    \
    X(p, kNone)                     \
    X(g, kNone)                     \
    X(put_nbi, kNone)               \
    X(get_nbi, kNone)               \
    X(iput, kNone)                  \
    X(iget, kNone)                  \
    X(put_signal, kPut)             \
    X(put_signal_nbi, kNone)        \
    X(signal, kNone)                \
    X(atomic, kNone)                \
    X(fetching_atomic, kNone)       \
    X(fence, kNone)                 \
    X(quiet, kNone)                 \
    X(test, kNone)                  \
    X(set_lock, kNone)              \
    X(test_lock, kNone)             \
    X(clear_lock, kNone)            \
    X(wait, kNone)                  \
    X(barrier, kNone)               \
    X(sync, kNone)                  \
    X(broadcast, kNone)             \
    X(collect, kNone)               \
    X(fcollect, kNone)              \
    X(alltoall, kNone)              \
    X(alltoalls, kNone)             \
    X(reduce, kNone)                \
    X(scan, kNone)                  \
    X(alloc, kNone)                 \
    X(free, kNone)                  \
    X(team, kNone)                  \
    X(context, kNone)               \
    X(init, kNone)                  \
    X(finalize, kNone)

enum class Operation : std::uint16_t {
#define TESSERA_TRACE_NAME(NAME, DIRECTION) NAME,
    TESSERA_TRACE_OPERATIONS(TESSERA_TRACE_NAME)
#undef TESSERA_TRACE_NAME
        kCount
};
inline constexpr auto kOperationCount = static_cast<std::uint32_t>(Operation::kCount);

struct OperationTraits {
    std::string_view name;
    Direction direction;
};

inline constexpr OperationTraits kOperations[] = {
#define TESSERA_TRACE_ROW(NAME, DIRECTION) {#NAME, Direction::DIRECTION},
    TESSERA_TRACE_OPERATIONS(TESSERA_TRACE_ROW)
#undef TESSERA_TRACE_ROW
};

constexpr const OperationTraits& traits_of(Operation operation) {
    return kOperations[static_cast<std::uint32_t>(operation)];
}

}  // namespace tessera::trace
