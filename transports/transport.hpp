// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of a transport: how a PE reaches memory that it has not mapped. Mapped memory never
// comes here (core/context.hpp stores to it directly), so a call of these virtual functions is the
// only indirection on a transport's path. A transport is made during init with everything it needs
// as constructor arguments and knows no globals of the library.
//
// Addresses: `dest` and `source` of the remote side are symmetric addresses of the CALLING PE,
// already bounds-checked; the transport translates them for `pe`, a world PE number.
//
// Ordering: nothing is ordered but by fence(). Atomicity: "one word, one path": every atomic on a
// word that a transport serves goes through that transport, also those of the PE that owns the
// word.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera {

enum class AtomicOp : std::uint8_t { kFetch, kSet, kSwap, kCompareSwap, kAdd, kAnd, kOr, kXor };

struct AtomicRequest {
    void* dest = nullptr;   // symmetric address, aligned to `bytes`
    std::size_t bytes = 8;  // 4 or 8
    AtomicOp op = AtomicOp::kFetch;
    std::uint64_t operand = 0;    // value bits, zero-extended
    std::uint64_t condition = 0;  // kCompareSwap: swap when the old value equals this
};

// What the operation leaves in the word that held `old`. Bits above request.bytes are zero.
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

class Transport {
  public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    virtual const char* name() const = 0;

    // RETURNS when: the source is reusable.
    virtual void put(void* dest, const void* source, std::size_t bytes, int pe) = 0;
    // RETURNS when: the data is in `dest`.
    virtual void get(void* dest, const void* source, std::size_t bytes, int pe) = 0;
    // RETURNS: at once; source reusable, or data in `dest`, after quiet().
    virtual void put_nbi(void* dest, const void* source, std::size_t bytes, int pe) = 0;
    virtual void get_nbi(void* dest, const void* source, std::size_t bytes, int pe) = 0;

    // RETURNS: the old value when the operation has been executed. Float and double travel as bits
    // (kFetch, kSet and kSwap only).
    virtual std::uint64_t atomic(const AtomicRequest& request, int pe) = 0;

    // Orders earlier puts and atomics before later ones to the same PE.
    virtual void fence() = 0;
    // RETURNS when: everything issued before is complete and visible to all PEs.
    virtual void quiet() = 0;
    // Moves things on without blocking. Called by every slow wait.
    virtual void progress() = 0;
};

// The transports that exist; each is made by one function here, so that nobody but its own folder
// knows its class.

// transports/self: this PE's own memory, when it cannot be a plain store because other PEs reach
// the same words through a transport. `lock` serialises atomics on them, in every PE.
std::unique_ptr<Transport> make_self_transport(std::atomic<std::uint32_t>& lock);

// transports/shm: another process of this node whose static data is not mapped: the kernel copies
// (process_vm_readv, process_vm_writev), atomics are done under the owner's lock.
struct ShmTarget {
    int pid = 0;
    std::uintptr_t base = 0;                     // of the memory in that process
    std::atomic<std::uint32_t>* lock = nullptr;  // in shared memory
};
// `targets` by world PE (entries of PEs that are never addressed may be empty); `local_base` is
// where the same memory starts in this process.
std::unique_ptr<Transport> make_shm_transport(std::vector<ShmTarget> targets,
                                              std::uintptr_t local_base);

}  // namespace tessera
