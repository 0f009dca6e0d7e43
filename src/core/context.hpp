// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: what a context does with bytes and words. Every routine of src/api ends here, and takes
// one decision: is the target mapped? Then it is a plain load, store or CPU atomic, and done;
// otherwise one virtual call of the peer's transport.
//
// On mapped memory nothing is left pending, so contexts need no state: fence is a release fence, quiet
// a full one. Orders on weakly ordered processors: puts and non-fetching atomics are relaxed stores
// (fence/quiet/put_signal/barrier order them); gets and fetching atomics acquire, because they are
// complete when they return and what the program issues next must not be read earlier.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/copy.hpp"
#include "base/platform.hpp"
#include "core/address_map.hpp"
#include "transports/transport.hpp"

namespace tessera {

// Values that one instruction loads or stores: the sizes that p, g and waits treat as whole words.
template <class T>
inline constexpr bool kIsWord = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0;

template <class T>
TESSERA_INLINE std::uint64_t to_bits(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T>
TESSERA_INLINE T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

// Two strides and a count, in elements: see shmem_iput and shmem_ibput (OpenSHMEM 1.6, 9.6).
struct Strided {
    std::ptrdiff_t dest_stride = 1;
    std::ptrdiff_t source_stride = 1;
    std::size_t block_elements = 1;
    std::size_t blocks = 0;
    std::size_t element_bytes = 1;
};

// What a put-with-signal does to the signal word.
struct Signal {
    std::uint64_t* word = nullptr;  // symmetric
    std::uint64_t value = 0;
    int op = 0;                     // SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD
};

class Context {
  public:
    // The PE's number in the world. `pe` outside the context's team ends the job.
    TESSERA_INLINE int world_pe(int pe, const char* where) const {
        if (static_cast<std::uint32_t>(pe) >= address_map.npes) [[unlikely]] fail_pe(pe, where);
        return pe;
    }

    // RETURNS when: source reusable (on this node: delivered).
    TESSERA_INLINE void put(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where) const {
        pe = world_pe(pe, where);
        if (bytes == 0) return;
        if (char* remote = address_map.remote(dest, bytes, pe, where)) [[likely]] {
            copy_bytes(remote, source, bytes);
        } else {
            transport(pe).put(dest, source, bytes, pe);
        }
    }

    // RETURNS when: the data is in `dest`.
    TESSERA_INLINE void get(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where) const {
        pe = world_pe(pe, where);
        if (bytes == 0) return;
        if (const char* remote = address_map.remote(source, bytes, pe, where)) [[likely]] {
            copy_bytes(dest, remote, bytes);
            // A get is complete when it returns; later loads must not pass it.
            std::atomic_thread_fence(std::memory_order_acquire);
        } else {
            transport(pe).get(dest, source, bytes, pe);
        }
    }

    TESSERA_INLINE void put_nbi(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where) const {
        pe = world_pe(pe, where);
        if (bytes == 0) return;
        if (char* remote = address_map.remote(dest, bytes, pe, where)) [[likely]] {
            copy_bytes(remote, source, bytes);
        } else {
            transport(pe).put_nbi(dest, source, bytes, pe);
        }
    }

    TESSERA_INLINE void get_nbi(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where) const {
        pe = world_pe(pe, where);
        if (bytes == 0) return;
        if (const char* remote = address_map.remote(source, bytes, pe, where)) [[likely]] {
            copy_bytes(dest, remote, bytes);
        } else {
            transport(pe).get_nbi(dest, source, bytes, pe);
        }
    }

    // COST on this node: a call, four compares, a store.
    template <class T>
    TESSERA_INLINE void p(T* dest, T value, int pe, const char* where) const {
        pe = world_pe(pe, where);
        if (char* remote = address_map.remote(dest, sizeof(T), pe, where)) [[likely]] {
            if constexpr (kIsWord<T>) {
                // Single-copy atomic: waits may watch the word. Ordered by fence, quiet, barrier.
                __atomic_store(reinterpret_cast<T*>(remote), &value, __ATOMIC_RELAXED);
            } else {
                std::memcpy(remote, &value, sizeof(T));
            }
        } else {
            transport(pe).put(dest, &value, sizeof(T), pe);
        }
    }

    template <class T>
    TESSERA_INLINE T g(const T* source, int pe, const char* where) const {
        pe = world_pe(pe, where);
        T value;
        if (char* remote = address_map.remote(source, sizeof(T), pe, where)) [[likely]] {
            if constexpr (kIsWord<T>) {
                __atomic_load(reinterpret_cast<T*>(remote), &value, __ATOMIC_ACQUIRE);
            } else {
                std::memcpy(&value, remote, sizeof(T));
                std::atomic_thread_fence(std::memory_order_acquire);
            }
        } else {
            transport(pe).get(&value, source, sizeof(T), pe);
        }
        return value;
    }

    // Strided and block-strided transfers; strides are checked. strided.cpp.
    void put_strided(void* dest, const void* source, const Strided& shape, int pe,
                     const char* where) const;
    void get_strided(void* dest, const void* source, const Strided& shape, int pe,
                     const char* where) const;

    // One atomic operation of `T` (4 or 8 bytes). `local` works on a std::atomic_ref<T> of the mapped
    // word; `op`, `operand` and `condition` say the same to a transport.
    template <class T, class Local>
    TESSERA_INLINE T atomic(T* dest, int pe, AtomicOp op, T operand, T condition, const char* where,
                            Local&& local) const {
        static_assert(sizeof(T) == 4 || sizeof(T) == 8);
        pe = world_pe(pe, where);
        if (reinterpret_cast<std::uintptr_t>(dest) % sizeof(T) != 0) [[unlikely]] {
            fail_alignment(dest, sizeof(T), where);
        }
        if (char* remote = address_map.remote(dest, sizeof(T), pe, where)) [[likely]] {
            return local(std::atomic_ref<T>(*reinterpret_cast<T*>(remote)));
        }
        AtomicRequest request{.dest = dest,
                              .bytes = sizeof(T),
                              .op = op,
                              .operand = to_bits(operand),
                              .condition = to_bits(condition)};
        return from_bits<T>(transport(pe).atomic(request, pe));
    }

    template <class T>
    TESSERA_INLINE T fetch(const T* source, int pe, const char* where) const {
        return atomic(const_cast<T*>(source), pe, AtomicOp::kFetch, T{}, T{}, where,
                      [](auto word) { return word.load(std::memory_order_acquire); });
    }
    template <class T>
    TESSERA_INLINE void set(T* dest, T value, int pe, const char* where) const {
        atomic(dest, pe, AtomicOp::kSet, value, T{}, where, [=](auto word) {
            word.store(value, std::memory_order_relaxed);
            return T{};
        });
    }
    template <class T>
    TESSERA_INLINE T swap(T* dest, T value, int pe, const char* where) const {
        return atomic(dest, pe, AtomicOp::kSwap, value, T{}, where, [=](auto word) {
            return word.exchange(value, std::memory_order_acq_rel);
        });
    }
    template <class T>
    TESSERA_INLINE T compare_swap(T* dest, T condition, T value, int pe, const char* where) const {
        return atomic(dest, pe, AtomicOp::kCompareSwap, value, condition, where, [=](auto word) {
            T seen = condition;
            word.compare_exchange_strong(seen, value, std::memory_order_acq_rel,
                                         std::memory_order_acquire);
            return seen;
        });
    }
    template <class T>
    TESSERA_INLINE T fetch_add(T* dest, T value, int pe, const char* where) const {
        return atomic(dest, pe, AtomicOp::kAdd, value, T{}, where, [=](auto word) {
            return word.fetch_add(value, std::memory_order_acq_rel);
        });
    }
    template <class T>
    TESSERA_INLINE T fetch_and(T* dest, T value, int pe, const char* where) const {
        return atomic(dest, pe, AtomicOp::kAnd, value, T{}, where, [=](auto word) {
            return word.fetch_and(value, std::memory_order_acq_rel);
        });
    }
    template <class T>
    TESSERA_INLINE T fetch_or(T* dest, T value, int pe, const char* where) const {
        return atomic(dest, pe, AtomicOp::kOr, value, T{}, where, [=](auto word) {
            return word.fetch_or(value, std::memory_order_acq_rel);
        });
    }
    template <class T>
    TESSERA_INLINE T fetch_xor(T* dest, T value, int pe, const char* where) const {
        return atomic(dest, pe, AtomicOp::kXor, value, T{}, where, [=](auto word) {
            return word.fetch_xor(value, std::memory_order_acq_rel);
        });
    }

    // Delivers `bytes`, then updates the signal word, in that order (OpenSHMEM 1.6, 9.8).
    void put_signal(void* dest, const void* source, std::size_t bytes, const Signal& signal, int pe,
                    const char* where) const;
    void update_signal(const Signal& signal, int pe, const char* where) const;

    // Orders earlier puts, atomics and stores before later ones, per target PE.
    // Pairs with the acquire of waits, gets and fetching atomics in other PEs.
    TESSERA_INLINE void fence() const {
        std::atomic_thread_fence(std::memory_order_release);
        if (address_map.needs_transport) [[unlikely]] fence_transports();
    }
    // Completes everything issued before; also orders it before later loads.
    TESSERA_INLINE void quiet() const {
        if (address_map.needs_transport) [[unlikely]] quiet_transports();
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }

  private:
    static Transport& transport(int pe) { return *address_map.peers[pe].transport; }
    static void fence_transports();
    static void quiet_transports();
};

inline constexpr Context default_context;

}  // namespace tessera
