// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: operations on one word of a PE of this node, which a traced call does here in place of
// a call of the library. They are those of programs compiled with SHMEM_INLINE, by the same map of
// the node (include/shmem/inline.h, docs/inline.md). So a counted call takes about as long as the
// library's own. The map stays empty where the library cannot vouch for it, and each thread's rows
// keep what they need of it: a call then reads two lines, its row's and the inline limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/platform.hpp"
#include "part.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::trace {

// Asks the library of this process for the map. REQUIRES: shmem_init is done. Later calls do
// nothing.
void attach_map();

// Fills the routes of the rows, by PE.
void find_routes(std::span<Row> rows);

// Wakes `pe`, which was found asleep.
TESSERA_COLD void wake(int pe);

struct RemoteWord {
    char* address;  // as mapped here
    bool is_usual;  // else `address` is of no use
};

// The limit is 0 while the PE sleeps, before init, after finalize and in a child of fork().
TESSERA_INLINE RemoteWord find(const Route& route, const void* address) {
    const std::size_t offset = reinterpret_cast<std::size_t>(address) - route.base;
    return {.address = reinterpret_cast<char*>(route.heap + offset),
            .is_usual = offset < *route.limit};
}

// Whether operate() can do the call: p, g and the blocking atomics, of words.
template <class Result>
TESSERA_INLINE bool is_word_operation(const interpose::Call& call) {
    using Kind = interpose::Kind;
    using Code = interpose::Operation;
    const std::size_t bytes = call.element_bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return false;
    if (call.is_nbi || call.requests != nullptr || call.context != SHMEM_CTX_DEFAULT) return false;
    if (call.kind == Kind::kPut) {
        return std::is_void_v<Result> && __builtin_constant_p(call.source == nullptr) &&
               call.source == nullptr && call.count == 1;
    }
    if (call.kind == Kind::kGet) {
        return !std::is_void_v<Result> && __builtin_constant_p(call.dest == nullptr) &&
               call.dest == nullptr && call.count == 1;
    }
    if (call.kind != Kind::kAtomic || call.fetched != nullptr || bytes < 4) return false;
    if (call.is_fetching == std::is_void_v<Result>) return false;
    if (reinterpret_cast<std::size_t>(call.dest) % bytes != 0) return false;
    return call.operation != Code::kNone && call.operation != Code::kOther;
}

TESSERA_INLINE const void* symmetric_word(const interpose::Call& call) {
    return call.kind == interpose::Kind::kGet ? call.source : call.dest;
}

// The old value. Sequentially consistent, but for a set, which is relaxed, and a fetch, an acquire.
template <class Word>
TESSERA_INLINE Word change(const interpose::Call& call, Word* word) {
    using Code = interpose::Operation;
    const auto value = static_cast<Word>(call.value);
    switch (call.operation) {
        case Code::kFetch: return __atomic_load_n(word, __ATOMIC_ACQUIRE);
        case Code::kSet: __atomic_store_n(word, value, __ATOMIC_RELAXED); return 0;
        case Code::kSwap: return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
        case Code::kAdd: return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
        case Code::kAnd: return __atomic_fetch_and(word, value, __ATOMIC_SEQ_CST);
        case Code::kOr: return __atomic_fetch_or(word, value, __ATOMIC_SEQ_CST);
        case Code::kXor: return __atomic_fetch_xor(word, value, __ATOMIC_SEQ_CST);
        default: {
            auto old = static_cast<Word>(call.condition);
            __atomic_compare_exchange_n(word, &old, value, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST);
            return old;
        }
    }
}

// p is a relaxed store, g an acquire load. A word is one load or store, because waits may watch it.
template <class Word>
TESSERA_INLINE Word operate_on(const interpose::Call& call, char* address, const Route& route) {
    using Kind = interpose::Kind;
    typedef Word __attribute__((may_alias, aligned(1))) Any;
    if (call.kind == Kind::kPut) {
        *reinterpret_cast<volatile Any*>(address) = static_cast<Word>(call.value);
        return 0;
    }
    if (call.kind == Kind::kGet) {
        const Word value = *reinterpret_cast<const volatile Any*>(address);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        return value;
    }
    typedef Word __attribute__((may_alias)) Aligned;
    const Word old = change<Word>(call, reinterpret_cast<Aligned*>(address));
    // Exact behind a sequentially consistent atomic. Pairs with the fence in
    // src/base/wait.cpp:sleep_unless().
    if (call.operation != interpose::Operation::kFetch &&
        __atomic_load_n(route.limit, __ATOMIC_SEQ_CST) == 0) [[unlikely]]
        wake(call.pe);
    return old;
}

// REQUIRES: is_word_operation(call), and a usual place.
template <class Result>
TESSERA_INLINE Result operate(const interpose::Call& call, char* address, const Route& route) {
    std::uint64_t bits = 0;
    switch (call.element_bytes) {
        case 1: bits = operate_on<std::uint8_t>(call, address, route); break;
        case 2: bits = operate_on<std::uint16_t>(call, address, route); break;
        case 4: bits = operate_on<std::uint32_t>(call, address, route); break;
        default: bits = operate_on<std::uint64_t>(call, address, route); break;
    }
    if constexpr (!std::is_void_v<Result>) {
        Result result{};
        if constexpr (sizeof result <= sizeof bits) std::memcpy(&result, &bits, sizeof result);
        return result;
    }
}

}  // namespace tessera::trace
