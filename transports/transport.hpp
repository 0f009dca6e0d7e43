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
// Ordering: nothing is ordered but by fence(), and fence and quiet concern the operations of one
// TransportContext. THREADS: any, but a context that was made for one thread at a time. Atomicity:
// "one word, one path": every atomic on a word that a transport serves goes through that transport,
// also those of the PE that owns the word.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/endpoint_slot.hpp"
#include "base/setting_marks.hpp"
#include "base/wait.hpp"

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
    // Sees what was put or changed before on the same context.
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
    // Moves things on without blocking. Called by every slow wait.
    virtual void progress() = 0;
};

// A transport between nodes. It also carries what the library itself needs there.
class FabricTransport : public Transport {
  public:
    // Posts `number` at the gate of PE `pe` that has the symmetric address of `gate`.
    // RETURNS: at once; ordered after nothing.
    virtual void post_gate(const Gate& gate, std::uint32_t number, int pe) = 0;
    // The same after everything that was put to this PE on the context has arrived there.
    virtual void post_gate_behind(TransportContext& context, const Gate& gate, std::uint32_t number,
                                  int pe) = 0;
    // Whether PE `pe` has the static data of this PE's program.
    virtual bool runs_my_program(int pe) = 0;
    // This PE's EndpointInfo: other PEs reach it with these bytes.
    virtual std::vector<std::byte> endpoint_info() const = 0;
    // From here on the EndpointInfos of all PEs are known, and this PE serves the others.
    virtual void start() = 0;
    // The other PEs may go from here on. REQUIRES: everything is complete.
    virtual void leave() = 0;
    // One line for SHMEM_INFO.
    virtual std::string description() const = 0;
    // What it runs on, as SHMEM_OFI_PROVIDER names it.
    virtual const std::string& provider() const = 0;
};

// The transports that exist; one function here makes each, so that only its own folder knows its
// class.

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

// transports/ofi: PEs of other nodes, by libfabric.
struct FabricMemory {
    char* start = nullptr;
    std::size_t bytes = 0;
};
struct FabricSetup {
    int pe = 0;
    int npes = 1;
    int place_on_host = 0;  // among the PEs of the host: spreads them over equal network cards
    // What other nodes may read and write; at the same offsets on all PEs.
    FabricMemory heap;
    FabricMemory statics;
    FabricMemory internal;  // the library's own
    // A word of `internal` that no PE writes to: what reads behind writes read.
    const std::uint64_t* unchanging = nullptr;
    // Not nullptr: atomics on static data take this lock (transports/self).
    std::atomic<std::uint32_t>* static_lock = nullptr;
    Sleeper* sleeper = nullptr;  // woken when a message has changed a word
    // Must be the same on all PEs, and on all PEs that touch each other's static data.
    std::uint64_t settings_digest = 0;
    SettingMarks setting_marks{};
    // Says how the settings of this PE differ from those with these marks on `pe`.
    std::string (*difference)(const SettingMarks& theirs, int pe) = nullptr;
    std::uint64_t program_digest = 0;
    // The user's hints (docs/environment.md).
    std::string provider;
    std::string fabric;
    std::string domain;
    std::string interface;
    std::string address;  // this host's towards the launcher; "": unknown
    bool provider_atomics = false;
    bool has_progress_thread = true;
    bool members_only =
        false;  // PEs of the job alone may connect, where the provider lets us see to it
    std::uint32_t timeout_s = 0;     // 0: for ever
    bool is_oversubscribed = false;  // more PEs than cores
    // A table of kEndpointSlotBytes per PE, zero at first, that the PEs of the node share.
    char* endpoint_table = nullptr;
    // The EndpointInfo of a PE as the launcher has it.
    std::function<std::vector<std::byte>(int pe)> endpoint_info_of;
};
std::unique_ptr<FabricTransport> make_ofi_transport(FabricSetup setup);

}  // namespace tessera
