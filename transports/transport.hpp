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

#include "base/block_pairs.hpp"
#include "base/elements.hpp"
#include "base/section.hpp"
#include "transports/operation.hpp"

namespace tessera {

enum class AtomicOp : std::uint8_t {
    kFetch,
    kSet,
    kSwap,
    kCompareSwap,
    kAdd,
    kAnd,
    kOr,
    kXor,
    kElement  // operation of an ElementKernel
};

// A type and an operation of base/elements.hpp. From the wire, any numbers.
struct Element {
    std::uint8_t type = 0;
    std::uint8_t op = 0;
    const ElementKernel* kernel() const { return element_kernel(type, op); }
};

// An array of elements onto another one. REQUIRES: element.kernel() is not nullptr.
struct Accumulation {
    void* dest = nullptr;  // symmetric, aligned to the kernel's alignment
    const void* source = nullptr;
    std::size_t nelems = 0;
    Element element;
    void* result = nullptr;          // receives the old elements, unless nullptr
    Operation* operation = nullptr;  // these come with its local completion, unless nullptr
};

struct AtomicRequest {
    void* dest = nullptr;   // symmetric address, aligned to `bytes`
    std::size_t bytes = 8;  // 4 or 8; 1 or 2 only with kCompareSwap and kElement
    AtomicOp op = AtomicOp::kFetch;
    std::uint64_t operand = 0;    // value bits, zero-extended
    std::uint64_t condition = 0;  // kCompareSwap: swap when the old value equals this
    Element element{};            // kElement; then dest is aligned as the kernel says
};

// The value that the operation leaves in the word that held `old`. Bits above request.bytes are
// zero.
inline std::uint64_t atomic_result(const AtomicRequest& request, std::uint64_t old) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * request.bytes);
    switch (request.op) {
        case AtomicOp::kFetch: return old;
        case AtomicOp::kSet:
        case AtomicOp::kSwap: return request.operand;
        case AtomicOp::kCompareSwap: return old == request.condition ? request.operand : old;
        case AtomicOp::kAdd: return (old + request.operand) & mask;
        case AtomicOp::kAnd: return old & request.operand;
        case AtomicOp::kOr: return old | request.operand;
        case AtomicOp::kXor: return old ^ request.operand;
        case AtomicOp::kElement:
            request.element.kernel()->combine(reinterpret_cast<char*>(&old),
                                              reinterpret_cast<const char*>(&request.operand), 1);
            return old;
    }
    return old;
}

// When an operation of several parts returns: like put and get, or like put_nbi and get_nbi.
enum class Returns : std::uint8_t { kComplete, kAtOnce };

// The operations that one OpenSHMEM context has under way in a transport. A transport that
// completes every operation before its call returns ignores it.
class TransportContext {
  public:
    struct Options {
        bool is_shared = true;  // by several threads at the same time
        bool is_internal =
            false;  // collectives: no program looks at what is put before a gate tells
        bool is_without_stores = false;  // SHMEM_CTX_NOSTORE
    };
    TransportContext() = default;
    explicit TransportContext(const Options& options)
        : is_without_stores(options.is_without_stores) {}
    TransportContext(const TransportContext&) = delete;
    TransportContext& operator=(const TransportContext&) = delete;
    virtual ~TransportContext() = default;

    // The program promises that fence and quiet need not publish its stores to its own memory.
    const bool is_without_stores = false;
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
        const TransportContext::Options& options) {
        return std::make_unique<TransportContext>(options);
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

    // Many runs of bytes at once. `remote` and `local`: the addresses of the section's first run.
    virtual void put_section(TransportContext& context, char* remote, const char* local,
                             const Section& section, Returns returns, int pe) {
        for_each_index(section, 0, [&](std::ptrdiff_t there, std::ptrdiff_t here) {
            put_run(context, remote + there, local + here, section.run_bytes, returns, pe);
        });
    }
    virtual void get_section(TransportContext& context, const char* remote, char* local,
                             const Section& section, Returns returns, int pe) {
        for_each_index(section, 0, [&](std::ptrdiff_t there, std::ptrdiff_t here) {
            get_run(context, local + here, remote + there, section.run_bytes, returns, pe);
        });
    }
    // Many pieces of bytes at once. `remote` and `local`: the addresses from which they count.
    virtual void put_pieces(TransportContext& context, char* remote, const char* local,
                            BlockPairs pieces, Returns returns, int pe) {
        for (; !pieces.is_at_end(); pieces.advance()) {
            const auto [there, here, bytes] = pieces.piece();
            put_run(context, remote + there, local + here, bytes, returns, pe);
        }
    }
    virtual void get_pieces(TransportContext& context, const char* remote, char* local,
                            BlockPairs pieces, Returns returns, int pe) {
        for (; !pieces.is_at_end(); pieces.advance()) {
            const auto [there, here, bytes] = pieces.piece();
            get_run(context, local + here, remote + there, bytes, returns, pe);
        }
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

    // Each element atomically, in any order; against atomics on the same words, too.
    // RETURNS when: the source is reusable, and the old elements are at what.result, unless
    // what.operation tells when they are.
    virtual void accumulate(TransportContext& context, const Accumulation& what, int pe) = 0;

    // put, then the atomic, in this order at the target. RETURNS like put.
    virtual void put_signal(TransportContext& context, void* dest, const void* source,
                            std::size_t bytes, const AtomicRequest& signal, int pe) {
        put(context, dest, source, bytes, pe);
        quiet(context);
        atomic(context, signal, pe);
    }

    // ---- Operations that complete one by one ----
    //
    // Each is the operation of the same name without _tracked, counted in `operation` as well; so
    // fence and quiet treat it like any other. Several parts may go to one operation. Here: those
    // of a transport that has nothing under way when its calls return.
    // RETURNS: at once, or when there is room for one more operation.

    virtual void put_tracked(TransportContext& context, void* dest, const void* source,
                             std::size_t bytes, int pe, Operation& /*operation*/) {
        put(context, dest, source, bytes, pe);
        quiet(context);
    }
    virtual void get_tracked(TransportContext& context, void* dest, const void* source,
                             std::size_t bytes, int pe, Operation& /*operation*/) {
        get(context, dest, source, bytes, pe);
    }
    // `result` may be nullptr.
    virtual void atomic_tracked(TransportContext& context, const AtomicRequest& request,
                                void* result, int pe, Operation& /*operation*/) {
        const std::uint64_t old = atomic(context, request, pe);
        if (result != nullptr) std::memcpy(result, &old, request.bytes);
    }
    virtual void put_signal_tracked(TransportContext& context, void* dest, const void* source,
                                    std::size_t bytes, const AtomicRequest& signal, int pe,
                                    Operation& /*operation*/) {
        put_signal(context, dest, source, bytes, signal, pe);
        quiet(context);
    }
    // The operation becomes remotely complete when everything is that the context has issued to
    // `pe` before: for operations of many parts that travel in packets of several operations.
    virtual void track_issued(TransportContext& context, int /*pe*/, Operation& /*operation*/) {
        quiet(context);
    }

    virtual void get_section_tracked(TransportContext& context, const char* remote, char* local,
                                     const Section& section, int pe, Operation& operation) {
        for_each_index(section, 0, [&](std::ptrdiff_t there, std::ptrdiff_t here) {
            get_tracked(context, local + here, remote + there, section.run_bytes, pe, operation);
        });
    }
    virtual void get_pieces_tracked(TransportContext& context, const char* remote, char* local,
                                    BlockPairs pieces, int pe, Operation& operation) {
        for (; !pieces.is_at_end(); pieces.advance()) {
            const auto [there, here, bytes] = pieces.piece();
            get_tracked(context, local + here, remote + there, bytes, pe, operation);
        }
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

  private:
    void put_run(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                 Returns returns, int pe) {
        if (returns == Returns::kAtOnce) return put_nbi(context, dest, source, bytes, pe);
        put(context, dest, source, bytes, pe);
    }
    void get_run(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                 Returns returns, int pe) {
        if (returns == Returns::kAtOnce) return get_nbi(context, dest, source, bytes, pe);
        get(context, dest, source, bytes, pe);
    }
};

}  // namespace tessera
