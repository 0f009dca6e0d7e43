// SPDX-License-Identifier: BSD-3-Clause
//
// Operations on elements of any basic type in memory that several PEs change at once: accumulate
// and fetch_op (include/shmemx/accumulate.h), for mapped memory and for the messages of other
// nodes.
//
// Elements of 1, 2, 4 and 8 bytes at addresses that are multiples of their size change by one
// compare-and-swap of the processor, so they are atomic for all that use atomics of the processor
// on the same memory, of whatever size. Where the processor has one of 16 bytes, it changes several
// neighbours at once. Other elements (of 16 bytes, and complex floats between two words) change
// under a lock, which every user of the memory takes; no other operation changes them atomically.
// THREADS: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tessera {

// The values are those of include/shmemx/types.h.
enum class ElementType : std::uint8_t {
    kNone,
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kUint8,
    kUint16,
    kUint32,
    kUint64,
    kFloat,
    kDouble,
    kLongDouble,
    kComplexFloat,
    kComplexDouble
};
enum class ElementOp : std::uint8_t {
    kNone,
    kSum,
    kProd,
    kMin,
    kMax,
    kAnd,
    kOr,
    kXor,
    kReplace,
    kNoOp
};

struct ElementKernel {
    std::size_t bytes;  // size of an element
    std::size_t alignment;
    // dest[i] = dest[i] op source[i], each element atomically; in any order. `dest` is aligned,
    // `source` need not be. Relaxed: the caller orders.
    void (*accumulate)(char* dest, const char* source, std::size_t nelems,
                       std::atomic<std::uint32_t>& lock);
    // The same where no other thread or process changes dest.
    void (*combine)(char* dest, const char* source, std::size_t nelems);
    // RETURNS: the old element. nullptr: an element has more than 8 bytes.
    std::uint64_t (*fetch)(char* dest, std::uint64_t operand, std::atomic<std::uint32_t>& lock);
    // Like accumulate, and `old`, of any alignment, receives the elements from before. With kNoOp
    // it may be `source`.
    void (*get_accumulate)(char* dest, const char* source, char* old, std::size_t nelems,
                           std::atomic<std::uint32_t>& lock);
};

// nullptr: there is no such type, or it does not have this operation. Any numbers are allowed.
const ElementKernel* element_kernel(int type, int op);

}  // namespace tessera
