// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM for harnesses of the coarray runtime: each thread is a PE, and the routines have the
// orders of src/core/context.hpp, though each PE maps the memory of all others. A harness may let
// one PE die.
#pragma once

#include <shmem.h>
#include <shmemx.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "protocol.hpp"

namespace tessera::protocols {

// The memory of all PEs, one behind the other. The harness sets it before its threads begin.
struct Symmetric {
    char* start;
    std::size_t bytes_of_pe;
    int npes;
};
inline constinit Symmetric symmetric{};

// 1: PE `dead_pe` has died.
inline constinit std::atomic<int> deaths{};
inline constinit int dead_pe = 0;

// The word of PE `pe` that this PE calls by `name`.
template <class T>
T* word_of(const T* name, int pe) {
    const std::ptrdiff_t distance =
        static_cast<std::ptrdiff_t>(symmetric.bytes_of_pe) * (pe - my_thread);
    return reinterpret_cast<T*>(const_cast<char*>(reinterpret_cast<const char*>(name)) + distance);
}
inline std::atomic_ref<std::uint64_t> at(const std::uint64_t* name, int pe) {
    return std::atomic_ref(*word_of(const_cast<std::uint64_t*>(name), pe));
}
inline bool holds(std::uint64_t word, int cmp, std::uint64_t value) {
    switch (cmp) {
        case SHMEM_CMP_NE: return word != value;
        case SHMEM_CMP_GT: return word > value;
        case SHMEM_CMP_GE: return word >= value;
        default: check(false); return false;
    }
}

}  // namespace tessera::protocols

extern "C" {

int shmem_my_pe(void) { return tessera::protocols::my_thread; }
int shmem_n_pes(void) { return tessera::protocols::symmetric.npes; }
void* shmem_ptr(const void* name, int pe) {
    return tessera::protocols::word_of(static_cast<const char*>(name), pe);
}
void shmem_fence(void) { std::atomic_thread_fence(std::memory_order_release); }
void shmem_quiet(void) { std::atomic_thread_fence(std::memory_order_seq_cst); }
std::uint64_t shmem_uint64_atomic_fetch(const std::uint64_t* name, int pe) {
    return tessera::protocols::at(name, pe).load(std::memory_order_acquire);
}
void shmem_uint64_atomic_set(std::uint64_t* name, std::uint64_t value, int pe) {
    tessera::protocols::at(name, pe).store(value, std::memory_order_relaxed);
}
std::uint64_t shmem_uint64_atomic_swap(std::uint64_t* name, std::uint64_t value, int pe) {
    return tessera::protocols::at(name, pe).exchange(value);
}
std::uint64_t shmem_uint64_atomic_fetch_add(std::uint64_t* name, std::uint64_t value, int pe) {
    return tessera::protocols::at(name, pe).fetch_add(value);
}
void shmem_uint64_atomic_add(std::uint64_t* name, std::uint64_t value, int pe) {
    tessera::protocols::at(name, pe).fetch_add(value);
}
std::uint64_t shmem_uint64_atomic_fetch_or(std::uint64_t* name, std::uint64_t value, int pe) {
    return tessera::protocols::at(name, pe).fetch_or(value);
}
void shmem_uint64_atomic_or(std::uint64_t* name, std::uint64_t value, int pe) {
    tessera::protocols::at(name, pe).fetch_or(value);
}
// A global pointer is the address of the word.
shmemx_gptr_t shmemx_gptr_of(const void* name, int pe) {
    return reinterpret_cast<shmemx_gptr_t>(shmem_ptr(name, pe));
}
void* shmemx_gptr_addr(shmemx_gptr_t pointer) {
    using tessera::protocols::symmetric;
    auto* const address = reinterpret_cast<char*>(pointer);
    const auto owner = static_cast<std::size_t>(address - symmetric.start) / symmetric.bytes_of_pe;
    return tessera::protocols::word_of(address,
                                       2 * tessera::protocols::my_thread - static_cast<int>(owner));
}
int shmemx_failure_count(void) {
    return tessera::protocols::deaths.load(std::memory_order_acquire);
}
int shmemx_failed_pe(int) { return tessera::protocols::dead_pe; }
int shmemx_wait_until_failure(std::uint64_t* word, int cmp, std::uint64_t value, int failures) {
    const auto holds = [=] {
        return tessera::protocols::holds(std::atomic_ref(*word).load(std::memory_order_acquire),
                                         cmp, value);
    };
    tessera::protocols::await([=] { return holds() || shmemx_failure_count() > failures; });
    return holds() ? 1 : 0;
}

}  // extern "C"
