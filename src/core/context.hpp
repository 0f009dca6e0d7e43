// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the operations of a context on bytes and words. Every routine of src/api ends here, and
// takes one decision: is the target mapped? Then it is a plain load, store or CPU atomic, and done;
// otherwise one virtual call of the peer's transport.
//
// On mapped memory nothing is left pending, but for atomics that a session holds back and transfers
// that others do (progress/offload.hpp): fence is a release fence, quiet a full one. The operations
// that transports have under way for a context are in its TransportContext. Orders on weakly
// ordered processors: puts are relaxed stores (fence, quiet, put_signal and barrier order them);
// gets and fetches acquire, because they are complete when they return and the program's next
// operations must not read earlier; read-modify-writes are seq_cst, so that they see whether the
// target sleeps (base/wait.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/cancellation.hpp"
#include "base/copy.hpp"
#include "base/platform.hpp"
#include "base/section_copy.hpp"
#include "base/wait.hpp"
#include "core/address_map.hpp"
#include "core/atomic_batch.hpp"
#include "core/operation_types.hpp"
#include "memory/segments.hpp"
#include "shmem/signal.h"
#include "shmemx/requests.h"
#include "teams/team.hpp"
#include "transports/fabric_transport.hpp"

namespace tessera {

static_assert(kShortBytesMax == kShortCopyBytesMax);

// A waiter acquires what atomics, fence and quiet release, and sleeps only if no atomic has come.
// Pairs with api/local_word.hpp:load, base/wait.cpp:sleep_unless, core/context.hpp:fetch and
// core/context.hpp:fence.
class Context {
  public:
    // The default context: all PEs of the world.
    constexpr Context() = default;
    // A context of a team; PE numbers count within it. `transport_context` lives as long as the
    // context.
    Context(Team& team, TransportContext& transport_context)
        : team_(&team), transport_context_(&transport_context) {}
    // Another context of the world.
    explicit Context(TransportContext& transport_context)
        : transport_context_(&transport_context) {}

    // Where a session holds back atomics on mapped memory; nullptr: it does not.
    void hold_atomics_in(AtomicBatch* batch) { batch_ = batch; }
    // Performs the held atomics. COST without any: nothing for the default context, else a load.
    TESSERA_INLINE void perform_held() const {
        if (batch_ != nullptr) [[unlikely]]
            batch_->perform();
    }

    Team& team() const { return team_ != nullptr ? *team_ : world_team; }

    // The PE's number in the world. This function checks the number for a team's context; for the
    // default context the operation checks it.
    TESSERA_INLINE int world_pe(int pe, const char* where) const {
        return team_ == nullptr ? pe : team_->checked_world_pe(pe, where);
    }

    // RETURNS when: source reusable (on this node: delivered).
    TESSERA_INLINE void put(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where) const {
        pe = world_pe(pe, where);
        if (bytes <= kShortBytesMax) {
            if (char* remote = address_map.mapped(dest, pe)) [[likely]]
                return copy_short(remote, source, bytes);
        } else if (char* remote = address_map.mapped_heap(dest, bytes, pe)) [[likely]] {
            return copy_long(remote, source, bytes);
        }
        put_slow_path(dest, source, bytes, pe, where, this);
    }

    // RETURNS when: the data is in `dest`.
    TESSERA_INLINE void get(void* dest, const void* source, std::size_t bytes, int pe,
                            const char* where) const {
        pe = world_pe(pe, where);
        // A get is complete when it returns; later loads must not pass it.
        if (bytes <= kShortBytesMax) {
            if (const char* remote = address_map.mapped(source, pe)) [[likely]]
                return copy_short_and_acquire(dest, remote, bytes);
        } else if (const char* remote = address_map.mapped_heap(source, bytes, pe)) [[likely]] {
            return copy_long_and_acquire(dest, remote, bytes);
        }
        get_slow_path(dest, source, bytes, pe, where, this);
    }

    TESSERA_INLINE void put_nbi(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where) const {
        pe = world_pe(pe, where);
        if (bytes <= kShortBytesMax) {
            if (char* remote = address_map.mapped(dest, pe)) [[likely]]
                return copy_short(remote, source, bytes);
        } else if (char* remote = address_map.mapped_heap(dest, bytes, pe)) [[likely]] {
            if (is_for_others(bytes)) [[unlikely]]
                return put_nbi_slow_path(dest, source, bytes, pe, where, this);
            return copy_long(remote, source, bytes);
        }
        put_nbi_slow_path(dest, source, bytes, pe, where, this);
    }

    TESSERA_INLINE void get_nbi(void* dest, const void* source, std::size_t bytes, int pe,
                                const char* where) const {
        pe = world_pe(pe, where);
        if (bytes <= kShortBytesMax) {
            if (const char* remote = address_map.mapped(source, pe)) [[likely]]
                return copy_short(dest, remote, bytes);
        } else if (const char* remote = address_map.mapped_heap(source, bytes, pe)) [[likely]] {
            if (is_for_others(bytes)) [[unlikely]]
                return get_nbi_slow_path(dest, source, bytes, pe, where, this);
            return copy_long(dest, remote, bytes);
        }
        get_nbi_slow_path(dest, source, bytes, pe, where, this);
    }

    // Wakes the target like an atomic does: programs of before 1.5 wait for words written by p.
    // COST on this node: a call, two compares, a store, a load.
    template <class T>
    TESSERA_INLINE void p(T* dest, T value, int pe, const char* where) const {
        static_assert(sizeof(T) <= kShortBytesMax);
        pe = world_pe(pe, where);
        if (char* remote = address_map.mapped(dest, pe)) [[likely]] {
            Sleeper* sleeper = sleeper_of(pe);
            store(remote, value);
            return wake_if_sleeping(sleeper);
        }
        p_slow_path(dest, value, pe, where, this);
    }

    template <class T>
    TESSERA_INLINE T g(const T* source, int pe, const char* where) const {
        static_assert(sizeof(T) <= kShortBytesMax);
        pe = world_pe(pe, where);
        if (char* remote = address_map.mapped(source, pe)) [[likely]]
            return load<T>(remote);
        return g_slow_path(source, pe, where, this);
    }

    // Strided and block-strided transfers of one dimension; strides are checked.
    // core/strided_transfer.hpp has those of several.
    void put_strided(void* dest, const void* source, const Strided& shape, int pe,
                     const char* where) const;
    void get_strided(void* dest, const void* source, const Strided& shape, int pe,
                     const char* where) const;

    // One atomic operation of `T` (4 or 8 bytes). `local` works on a std::atomic_ref<T> of the
    // mapped word; `request` says the same to a transport. Changes wake the target PE if it sleeps.
    // COST on this node: a call, three compares, the CPU's atomic, a load.
    template <OldValue kOld = OldValue::kReturned, class T, class Local>
    TESSERA_INLINE T atomic(const Atomic<T>& request, int pe, const char* where, Local local,
                            T* later = nullptr) const {
        static_assert(sizeof(T) == 4 || sizeof(T) == 8);
        pe = world_pe(pe, where);
        char* remote = address_map.mapped(request.dest, pe);
        if (remote == nullptr || !is_aligned(request.dest)) [[unlikely]]
            return from_bits<T>(atomic_slow_path(request_of(request), pe, where, kOld, later));
        // Before the atomic: processors do not load beyond it.
        Sleeper* sleeper = sleeper_of(pe);
        if (batch_ != nullptr) [[unlikely]] {
            if (kOld == OldValue::kIgnored && AtomicBatch::takes(request.op)) {
                batch_->add(request.op, remote, sizeof(T), to_bits(request.operand), sleeper);
                return T{};
            }
            batch_->perform();  // One PE's atomics on a word stay in order.
        }
        T old = local(std::atomic_ref<T>(*reinterpret_cast<T*>(remote)));
        if constexpr (kOld == OldValue::kLater) *later = old;
        return request.op == AtomicOp::kFetch ? old : wake_and_return(sleeper, old);
    }

    template <OldValue kOld = OldValue::kReturned, class T>
    TESSERA_INLINE T fetch(const T* source, int pe, const char* where, T* later = nullptr) const {
        return atomic<kOld>(
            Atomic<T>{const_cast<T*>(source), AtomicOp::kFetch, T{}, T{}}, pe, where,
            [](auto word) { return word.load(std::memory_order_acquire); }, later);
    }
    template <class T>
    TESSERA_INLINE void set(T* dest, T value, int pe, const char* where) const {
        atomic<OldValue::kIgnored>(Atomic<T>{dest, AtomicOp::kSet, value, T{}}, pe, where,
                                   [=](auto word) {
                                       word.store(value, std::memory_order_relaxed);
                                       return T{};
                                   });
    }
    template <OldValue kOld = OldValue::kReturned, class T>
    TESSERA_INLINE T swap(T* dest, T value, int pe, const char* where, T* later = nullptr) const {
        return atomic<kOld>(
            Atomic<T>{dest, AtomicOp::kSwap, value, T{}}, pe, where,
            [=](auto word) { return word.exchange(value); }, later);
    }
    template <OldValue kOld = OldValue::kReturned, class T>
    TESSERA_INLINE T compare_swap(T* dest, T condition, T value, int pe, const char* where,
                                  T* later = nullptr) const {
        return atomic<kOld>(
            Atomic<T>{dest, AtomicOp::kCompareSwap, value, condition}, pe, where,
            [=](auto word) {
                T seen = condition;
                word.compare_exchange_strong(seen, value);
                return seen;
            },
            later);
    }
    template <OldValue kOld = OldValue::kReturned, class T>
    TESSERA_INLINE T fetch_add(T* dest, T value, int pe, const char* where,
                               T* later = nullptr) const {
        return atomic<kOld>(
            Atomic<T>{dest, AtomicOp::kAdd, value, T{}}, pe, where,
            [=](auto word) { return wanted<kOld>(word.fetch_add(value)); }, later);
    }
    template <OldValue kOld = OldValue::kReturned, class T>
    TESSERA_INLINE T fetch_and(T* dest, T value, int pe, const char* where,
                               T* later = nullptr) const {
        return atomic<kOld>(
            Atomic<T>{dest, AtomicOp::kAnd, value, T{}}, pe, where,
            [=](auto word) { return wanted<kOld>(word.fetch_and(value)); }, later);
    }
    template <OldValue kOld = OldValue::kReturned, class T>
    TESSERA_INLINE T fetch_or(T* dest, T value, int pe, const char* where,
                              T* later = nullptr) const {
        return atomic<kOld>(
            Atomic<T>{dest, AtomicOp::kOr, value, T{}}, pe, where,
            [=](auto word) { return wanted<kOld>(word.fetch_or(value)); }, later);
    }
    template <OldValue kOld = OldValue::kReturned, class T>
    TESSERA_INLINE T fetch_xor(T* dest, T value, int pe, const char* where,
                               T* later = nullptr) const {
        return atomic<kOld>(
            Atomic<T>{dest, AtomicOp::kXor, value, T{}}, pe, where,
            [=](auto word) { return wanted<kOld>(word.fetch_xor(value)); }, later);
    }

    // Delivers `bytes`, then updates the signal word, in that order (OpenSHMEM 1.6, 9.8).
    // COST of a short one on this node: a call, five compares, the copy, the CPU's atomic, a load.
    TESSERA_INLINE void put_signal(void* dest, const void* source, std::size_t bytes,
                                   const Signal& signal, int pe, const char* where) const {
        const int target = world_pe(pe, where);
        const bool is_usual =
            bytes <= kShortBytesMax && is_signal_op(signal.op) && is_aligned(signal.word);
        if (is_usual && batch_ == nullptr) [[likely]] {
            char* word = address_map.mapped(signal.word, target);
            char* remote = word != nullptr ? address_map.mapped(dest, target) : nullptr;
            if (remote != nullptr) [[likely]] {
                Sleeper* sleeper = sleeper_of(target);
                copy_short(remote, source, bytes);
                std::atomic_ref<std::uint64_t> target_word(*reinterpret_cast<std::uint64_t*>(word));
                if (signal.op == SHMEM_SIGNAL_SET) {
                    set_signal(target_word, signal.value);
                } else {
                    target_word.fetch_add(signal.value);
                }
                return wake_if_sleeping(sleeper);
            }
        }
        put_signal_slow_path(dest, source, bytes, signal, pe, where);
    }
    // The same; the source is reusable after quiet.
    TESSERA_INLINE void put_signal_nbi(void* dest, const void* source, std::size_t bytes,
                                       const Signal& signal, int pe, const char* where) const {
        if (is_for_others(bytes) && leave_put_signal(dest, source, bytes, signal, pe, where))
            [[unlikely]]
            return;
        put_signal(dest, source, bytes, signal, pe, where);
    }
    TESSERA_INLINE void update_signal(const Signal& signal, int pe, const char* where) const {
        const std::uint64_t value = signal.value;
        if (!is_signal_op(signal.op)) [[unlikely]]
            fail_signal_op(signal.op, where);
        if (signal.op == SHMEM_SIGNAL_ADD) {
            fetch_add<OldValue::kIgnored>(signal.word, value, pe, where);
            return;
        }
        atomic<OldValue::kIgnored>(Atomic<std::uint64_t>{signal.word, AtomicOp::kSet, value, 0}, pe,
                                   where, [=](auto word) {
                                       set_signal(word, value);
                                       return std::uint64_t{0};
                                   });
    }

    // Orders earlier puts, atomics and stores before later ones, per target PE. Pairs with
    // api/local_word.hpp:load, base/copy.hpp:copy_short_and_acquire and core/context.hpp:fetch.
    TESSERA_INLINE void fence() const {
        perform_held();
        std::atomic_thread_fence(std::memory_order_release);
        if (address_map.needs_completion()) [[unlikely]]
            fence_slow_path(transport_context());
    }
    // Completes everything issued before; also orders it before later loads.
    TESSERA_INLINE void quiet() const {
        perform_held();
        if (address_map.needs_completion()) [[unlikely]]
            quiet_slow_path(transport_context());
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }

    // The operations that transports have under way for this context.
    TransportContext& transport_context() const {
        return transport_context_ != nullptr ? *transport_context_ : *default_transport_context;
    }

    // Belongs to the default context. init sets it.
    static TransportContext* default_transport_context;

    // Whether others are asked to transfer so many bytes (progress/offload.hpp). COST: up to
    // kPlainCopyBytesMax bytes nothing that copy_long() does not pay anyway.
    TESSERA_INLINE static bool is_for_others(std::size_t bytes) {
        return bytes > kPlainCopyBytesMax && bytes >= address_map.helper_bytes_min;
    }
    // Whether others take it; if not, nothing has happened. `req`: nullptr, or the program's
    // variable. REQUIRES: is_for_others(bytes).
    bool leave_put_signal(void* dest, const void* source, std::size_t bytes, const Signal& signal,
                          int pe, const char* where, shmemx_req_t* req = nullptr) const;

    // For memory of `pe` that is not mapped. REQUIRES: a number in the world, and an address that
    // address_map.remote() has checked.
    static Transport& transport(int pe, const void* address) {
        if (is_registered(address)) [[unlikely]]
            return segments().transport_to(pe);
        Transport* const* table = address_map.transports;
        return table != nullptr && table[pe] != nullptr ? *table[pe] : *address_map.fabric;
    }
    // Whether one transport reaches both.
    static bool goes_one_way(const void* first, const void* second, int pe) {
        return &transport(pe, first) == &transport(pe, second);
    }
    // The signal as transports take it; a wrong one ends the job.
    static AtomicRequest signal_update(const Signal& signal, const char* where);
    // The end of an operation on a transport. A cancelled thread may end here.
    static void offer_end(const TransportContext& context);

  private:
    // Without use of the old value the compiler need not fetch it: on x86 the operation then needs
    // no loop.
    template <OldValue kOld, class T>
    TESSERA_INLINE static T wanted(T old) {
        return kOld == OldValue::kIgnored ? T{} : old;
    }
    // REQUIRES: a number that the address map has found mapped.
    TESSERA_INLINE static Sleeper* sleeper_of(int pe) {
        return address_map.peers[static_cast<std::uint32_t>(pe)].sleeper;
    }

    template <class T>
    TESSERA_INLINE static bool is_aligned(const T* address) {
        return reinterpret_cast<std::uintptr_t>(address) % sizeof(T) == 0;
    }

    // Single-copy atomic for words: waits may watch them. Ordered by fence, quiet, barrier.
    template <class T>
    TESSERA_INLINE static void store(char* remote, T value) {
        if constexpr (kIsWord<T>) {
            __atomic_store(reinterpret_cast<T*>(remote), &value, __ATOMIC_RELAXED);
        } else {
            std::memcpy(remote, &value, sizeof(T));
        }
    }
    template <class T>
    TESSERA_INLINE static T load(const char* remote) {
        T value;
        if constexpr (kIsWord<T>) {
            __atomic_load(reinterpret_cast<const T*>(remote), &value, __ATOMIC_ACQUIRE);
        } else {
            std::memcpy(&value, remote, sizeof(T));
            std::atomic_thread_fence(std::memory_order_acquire);
        }
        return value;
    }

    // A load of a line that is hardly ever written; more only when the PE really sleeps.
    template <class T>
    TESSERA_INLINE static T wake_and_return(Sleeper* sleeper, T value) {
        if (sleeper->is_sleeping()) [[unlikely]]
            return wake<T>(sleeper, value);
        return value;
    }
    TESSERA_INLINE static void wake_if_sleeping(Sleeper* sleeper) {
        if (sleeper->is_sleeping()) [[unlikely]]
            sleeper->wake();
    }
    template <class T>
    TESSERA_COLD static T wake(Sleeper* sleeper, T value) {
        sleeper->wake();
        return value;
    }

    TESSERA_INLINE static bool is_signal_op(int op) {
        return op == SHMEM_SIGNAL_SET || op == SHMEM_SIGNAL_ADD;
    }
    // The payload is visible before the signal. Pairs with api/local_word.hpp:load.
    TESSERA_INLINE static void set_signal(std::atomic_ref<std::uint64_t> word,
                                          std::uint64_t value) {
        word.store(value, std::memory_order_release);
    }
    [[noreturn]] TESSERA_COLD static void fail_signal_op(int op, const char* where);
    void put_signal_slow_path(void* dest, const void* source, std::size_t bytes,
                              const Signal& signal, int pe, const char* where) const;

    // These complete or order the operations that others and transports have under way.
    static void fence_slow_path(TransportContext& context);
    static void quiet_slow_path(TransportContext& context);

    // All cases but mapped heap memory: static data, transports, mistakes; and transfers that are
    // left to others. `pe` is a number in the world, not yet checked. Reached by tail calls, so
    // that the paths above save no registers.
    static void put_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                              const char* where, const Context* context);
    static void get_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                              const char* where, const Context* context);
    static void put_nbi_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                                  const char* where, const Context* context);
    static void get_nbi_slow_path(void* dest, const void* source, std::size_t bytes, int pe,
                                  const char* where, const Context* context);

    template <class T>
    [[gnu::noinline]] static void p_slow_path(T* dest, T value, int pe, const char* where,
                                              const Context* context) {
        if (char* remote = address_map.remote(dest, sizeof(T), pe, where)) {
            store(remote, value);
            return wake_if_sleeping(sleeper_of(pe));
        }
        transport(pe, dest).put(context->transport_context(), dest, &value, sizeof(T), pe);
        offer_end(context->transport_context());
    }
    template <class T>
    [[gnu::noinline]] static T g_slow_path(const T* source, int pe, const char* where,
                                           const Context* context) {
        if (char* remote = address_map.remote(source, sizeof(T), pe, where, Direction::kGet))
            return load<T>(remote);
        T value;
        transport(pe, source).get(context->transport_context(), &value, source, sizeof(T), pe);
        offer_end(context->transport_context());
        return value;
    }
    // RETURNS: the old value, 0 unless it is returned. `later`: where it goes if it comes later.
    std::uint64_t atomic_slow_path(const AtomicRequest& request, int pe, const char* where,
                                   OldValue old_value, void* later) const;

    Team* team_ = nullptr;                           // nullptr: the world
    TransportContext* transport_context_ = nullptr;  // nullptr: default_transport_context
    AtomicBatch* batch_ = nullptr;
};

inline constexpr Context default_context;

// The context of collectives, so that they neither wait for the program's operations nor complete
// them. Set by init.
extern Context collective_context;

}  // namespace tessera
