// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of a transport, through which a PE reaches memory that it has not mapped. Mapped
// memory never comes here (core/context.hpp stores to it directly), so a call of these virtual
// functions is the only indirection on a transport's path. A transport is made during init with
// everything it needs as constructor arguments and knows no globals of the library.
//
// Addresses: `dest` and `source` of the remote side are symmetric addresses of the CALLING PE,
// already bounds-checked; the transport translates them for `pe`, a world PE number.
//
// Ordering: nothing is ordered but by fence(), and fence and quiet concern the operations of one
// TransportContext. THREADS: any, but a context that was made for one thread at a time. Atomicity:
// "one word, one path": every atomic on a word that a transport serves goes through that transport,
// also those of the PE that owns the word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace tessera {

enum class AtomicOp : std::uint8_t { kFetch, kSet, kSwap, kCompareSwap, kAdd, kAnd, kOr, kXor };

struct AtomicRequest {
    void* dest = nullptr;   // symmetric address, aligned to `bytes`
    std::size_t bytes = 8;  // 4 or 8
    AtomicOp op = AtomicOp::kFetch;
    std::uint64_t operand = 0;    // value bits, zero-extended
    std::uint64_t condition = 0;  // kCompareSwap: swap when the old value equals this
};

// The value that the operation leaves in the word that held `old`. Bits above request.bytes are
// zero.
inline std::uint64_t atomic_result(const AtomicRequest& request, std::uint64_t old) {
    std::uint64_t mask = request.bytes == 4 ? 0xffffffffU : ~std::uint64_t{0};
    switch (request.op) {
        case AtomicOp::kFetch: return old;
        case AtomicOp::kSet:
        case AtomicOp::kSwap: return request.operand;
        case AtomicOp::kCompareSwap: return old == request.condition ? request.operand : old;
        case AtomicOp::kAdd: return (old + request.operand) & mask;
        case AtomicOp::kAnd: return old & request.operand;
        case AtomicOp::kOr: return old | request.operand;
        case AtomicOp::kXor: return old ^ request.operand;
    }
    return old;
}

// Two strides and a count, in elements: see shmem_iput and shmem_ibput (OpenSHMEM 1.6, 9.6).
struct Strided {
    std::ptrdiff_t dest_stride = 1;
    std::ptrdiff_t source_stride = 1;
    std::size_t block_elements = 1;
    std::size_t blocks = 0;
    std::size_t element_bytes = 1;
};

// Calls `transfer(dest, source, bytes)` for each block.
template <class Transfer>
void for_each_block(char* dest, const char* source, const Strided& shape, Transfer transfer) {
    const auto element = static_cast<std::ptrdiff_t>(shape.element_bytes);
    const std::size_t block_bytes = shape.block_elements * shape.element_bytes;
    for (std::size_t i = 0; i < shape.blocks; ++i) {
        transfer(dest, source, block_bytes);
        dest += shape.dest_stride * element;
        source += shape.source_stride * element;
    }
}

// The operations that one OpenSHMEM context has under way in a transport. A transport that
// completes every operation before its call returns ignores it.
class TransportContext {
  public:
    struct Options {
        bool is_shared = true;  // by several threads at the same time
        bool is_internal =
            false;  // collectives: no program looks at what is put before a gate tells
    };
    TransportContext() = default;
    TransportContext(const TransportContext&) = delete;
    TransportContext& operator=(const TransportContext&) = delete;
    virtual ~TransportContext() = default;
};

class Transport {
  public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    virtual const char* name() const = 0;

    // For a new context. Its operations must be complete (quiet) before it is destroyed.
    virtual std::unique_ptr<TransportContext> make_context(
        const TransportContext::Options& /*options*/) {
        return std::make_unique<TransportContext>();
    }

    // A word of 1, 2, 4 or 8 bytes at an aligned address is stored whole and once, so that programs
    // may wait for it and overwrite it; of longer puts each byte may be stored more than once.
    // RETURNS when: the source is reusable.
    virtual void put(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                     int pe) = 0;
    // Sees earlier puts and atomics of the same context.
    // RETURNS when: the data is in `dest`.
    virtual void get(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                     int pe) = 0;
    // RETURNS: at once; source reusable, or data in `dest`, after quiet().
    virtual void put_nbi(TransportContext& context, void* dest, const void* source,
                         std::size_t bytes, int pe) = 0;
    virtual void get_nbi(TransportContext& context, void* dest, const void* source,
                         std::size_t bytes, int pe) = 0;

    // Many blocks at once; they return like put and get.
    virtual void put_strided(TransportContext& context, void* dest, const void* source,
                             const Strided& shape, int pe) {
        for_each_block(static_cast<char*>(dest), static_cast<const char*>(source), shape,
                       [&](char* to, const char* from, std::size_t bytes) {
                           put(context, to, from, bytes, pe);
                       });
    }
    virtual void get_strided(TransportContext& context, void* dest, const void* source,
                             const Strided& shape, int pe) {
        for_each_block(static_cast<char*>(dest), static_cast<const char*>(source), shape,
                       [&](char* to, const char* from, std::size_t bytes) {
                           get(context, to, from, bytes, pe);
                       });
    }

    // RETURNS: the old value when the operation has been executed. Float and double travel as bits
    // (kFetch, kSet and kSwap only).
    virtual std::uint64_t atomic(TransportContext& context, const AtomicRequest& request,
                                 int pe) = 0;
    // RETURNS: at once. The operation is executed, and the old value (request.bytes of it) at
    // `result` unless that is nullptr, after quiet().
    virtual void atomic_nbi(TransportContext& context, const AtomicRequest& request, void* result,
                            int pe) {
        const std::uint64_t old = atomic(context, request, pe);
        if (result != nullptr) std::memcpy(result, &old, request.bytes);
    }

    // put, then the atomic, in this order at the target. RETURNS like put.
    virtual void put_signal(TransportContext& context, void* dest, const void* source,
                            std::size_t bytes, const AtomicRequest& signal, int pe) {
        put(context, dest, source, bytes, pe);
        quiet(context);
        atomic(context, signal, pe);
    }

    // A hint (sessions, OpenSHMEM 1.6, 9.9): many small puts and atomics follow; they may wait for
    // each other until fence() or quiet(), or until `total` of them have come.
    virtual void set_batching(TransportContext& /*context*/, bool /*is_on*/,
                              std::size_t /*total*/) {}

    // Sends what batching holds back. RETURNS: at once.
    virtual void release_batch(TransportContext& /*context*/) {}

    // Orders earlier puts and atomics before later ones to the same PE.
    virtual void fence(TransportContext& context) = 0;
    // RETURNS when: everything issued before is complete and visible to all PEs.
    virtual void quiet(TransportContext& context) = 0;
    // Drives progress without blocking. Called by every slow wait.
    virtual void progress() = 0;
};

}  // namespace tessera
