// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the tests of threads. Within a PE, threads hand data to each other only through
// routines that release and acquire (signals, waits, collectives, joins), so that ThreadSanitizer
// can follow.
#pragma once

#include <pshmem.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace tessera::test {

inline constexpr int kThreadCounts[] = {2, 3, 4};
inline constexpr int kThreadsMax = 4;

// work(thread) in `count` threads at the same time. RETURNS when: all have ended.
template <class Work>
void run_threads(int count, Work work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
    for (std::thread& thread : threads) thread.join();
}

// A symmetric array for the test, zero on all PEs when the constructor returns. Collective.
template <class T>
class SymmetricArray {
  public:
    explicit SymmetricArray(std::size_t count)
        : data_(static_cast<T*>(shmem_calloc(count, sizeof(T)))) {}
    SymmetricArray(const SymmetricArray&) = delete;
    SymmetricArray& operator=(const SymmetricArray&) = delete;
    ~SymmetricArray() { shmem_free(data_); }

    T* get() const { return data_; }
    T& operator[](std::size_t i) const { return data_[i]; }

  private:
    T* data_;
};

// A word that no other combination of arguments has.
inline std::uint64_t word_of(int pe, int thread, int round, std::size_t i) {
    return (static_cast<std::uint64_t>(pe) << 48) + (static_cast<std::uint64_t>(thread) << 40) +
           (static_cast<std::uint64_t>(round) << 16) + i + 1;
}

}  // namespace tessera::test
