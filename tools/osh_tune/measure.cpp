// SPDX-License-Identifier: BSD-3-Clause
//
// See measure.hpp. Each number is the median of some batches of some milliseconds.
#include "tools/osh_tune/measure.hpp"

#include <sched.h>
#include <shmem.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/library_thread.hpp"
#include "collectives/kernels/kernel.hpp"
#include "core/address_map.hpp"
#include "core/pe_state.hpp"

namespace tessera::osh_tune {
namespace {

constexpr int kBatches = 9;
constexpr std::size_t kBytesInCache = std::size_t{64} << 10;
constexpr std::size_t kBytesInMemory = std::size_t{32} << 20;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

// Seconds per repeat of body(repeats).
template <class Body>
double median_seconds(long repeats, Body body) {
    std::vector<double> times;
    body(repeats / 8 + 1);
    for (int i = 0; i < kBatches; ++i) {
        const double start = now();
        body(repeats);
        times.push_back((now() - start) / static_cast<double>(repeats));
    }
    std::nth_element(times.begin(), times.begin() + kBatches / 2, times.end());
    return times[kBatches / 2];
}

void print(const char* name, double value) { std::printf("%s %.9g\n", name, value); }
void print_fabric() { std::printf("fabric %s\n", std::string(fabric_provider()).c_str()); }

// A word goes to the other PE and back: half of that. Both PEs call it.
double one_way(long* words, long repeats) {
    const int me = shmem_my_pe();
    static long number = 0;  // The same on both PEs.
    return median_seconds(repeats,
                          [&](long count) {
                              for (long i = 0; i < count; ++i) {
                                  ++number;
                                  if (me == 0) shmem_long_p(words, number, 1);
                                  shmem_long_wait_until(words, SHMEM_CMP_GE, number);
                                  if (me == 1) shmem_long_p(words, number, 0);
                              }
                          }) /
           2;
}

// Two threads on one core hand a word to each other by yielding. Pairs with
// tools/osh_tune/measure.cpp:context_switch.
double context_switch() {
    cpu_set_t before;
    cpu_set_t one;
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    constexpr long kRepeats = 2000;
    std::atomic<long> word{0};
    const long total = 2 * (kBatches * kRepeats + kRepeats / 8 + 1);
    std::thread other = start_thread([&] {
        for (long i = 1; i < total; i += 2) {
            // Pairs with tools/osh_tune/measure.cpp:context_switch, the other thread.
            while (word.load(std::memory_order_acquire) != i) ::sched_yield();
            word.store(i + 1, std::memory_order_release);
        }
    });
    long number = 0;
    const double time = median_seconds(kRepeats, [&](long count) {
        for (long i = 0; i < count; ++i) {
            word.store(number + 1, std::memory_order_release);
            number += 2;
            while (word.load(std::memory_order_acquire) != number) ::sched_yield();
        }
    });
    other.join();
    sched_setaffinity(0, sizeof before, &before);
    return time / 2;
}

// Per byte, of copies of `bytes` from the other PE.
double copying(char* symmetric, char* local, std::size_t bytes, long repeats) {
    return median_seconds(repeats,
                          [&](long count) {
                              for (long i = 0; i < count; ++i)
                                  shmem_getmem(local, symmetric, bytes, 1);
                          }) /
           static_cast<double>(bytes);
}

double combining() {
    constexpr std::size_t kElements = 1024;
    std::vector<double> sum(kElements, 1);
    const std::vector<double> other(kElements, 1e-9);
    const collectives::Kernel& kernel =
        collectives::kernel_of(collectives::Operator::kSum, collectives::element_of<double>());
    return median_seconds(5000,
                          [&](long count) {
                              for (long i = 0; i < count; ++i)
                                  kernel.combine(sum.data(), other.data(), kElements);
                          }) /
           (kElements * sizeof(double));
}

// The parts that both PEs run come first; PE 1 then waits in the barrier.
void measure_node(char* block, long* words) {
    const double alpha = one_way(words, 20000);
    if (shmem_my_pe() == 0) {
        std::vector<char> local(kBytesInMemory, 0);
        print("alpha", alpha);
        print("context_switch", context_switch());
        print("beta", copying(block, local.data(), kBytesInCache, 200));
        print("beta_memory", copying(block, local.data(), kBytesInMemory, 2));
        print("gamma", combining());
    }
}

void measure_fabric(char* block, long* words) {
    const double alpha = one_way(words, 1000);
    if (shmem_my_pe() != 0) return;
    const std::vector<char> local(kBlockBytes, 1);
    print_fabric();
    print("off_node_latency", alpha);
    const double stream = median_seconds(32, [&](long count) {
        for (long i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i % 8) * kBlockBytes;
            shmem_putmem_nbi(block + at, local.data(), kBlockBytes, 1);
        }
        shmem_quiet();
    });
    print("off_node_gap_per_byte", stream / static_cast<double>(kBlockBytes));
    const double post = median_seconds(2000, [&](long count) {
        for (long i = 0; i < count; ++i) shmem_putmem_nbi(block, local.data(), 64, 1);
        shmem_quiet();
    });
    print("off_node_overhead", post);
}

// ---- Helpers ----

constexpr std::size_t kHelperBytesMin = 4096;
constexpr std::size_t kHelperBytesMax = std::size_t{2} << 20;

void compute_for(double seconds) {
    const double end = now() + seconds;
    while (now() < end) {
    }
}

// Puts of PE 0 to the last PE, itself if it is the only one.
struct Puts {
    char* source = nullptr;
    char* dest = nullptr;
    int target = 0;

    // RETURNS: the seconds of one without helpers.
    double time_alone(std::size_t bytes, long repeats) const {
        return median_seconds(repeats, [&](long count) {
            for (long i = 0; i < count; ++i) {
                shmem_putmem(dest, source, bytes, target);
                shmem_quiet();
            }
        });
    }
    // The seconds that one takes from the PE, which computes for `work` seconds meanwhile.
    double overhead(std::size_t bytes, double work, long repeats) const {
        const double whole = median_seconds(repeats, [&](long count) {
            for (long i = 0; i < count; ++i) {
                shmem_putmem_nbi(dest, source, bytes, target);
                compute_for(work);
                shmem_quiet();
            }
        });
        return whole - median_seconds(repeats, [&](long count) {
                   for (long i = 0; i < count; ++i) compute_for(work);
               });
    }
};

// Whether handing a put over costs the PE clearly less than doing it itself.
bool helper_saves_time(const Puts& puts, std::size_t bytes) {
    constexpr double kFraction = 0.9;
    constexpr double kBatchSeconds = 2e-3;
    constexpr double kSettleSeconds = 20e-6;
    const auto repeats_of = [](double seconds) {
        return std::max(2L, static_cast<long>(kBatchSeconds / seconds));
    };
    const double alone = puts.time_alone(bytes, repeats_of(puts.time_alone(bytes, 4)));
    // Time for the helper, which must fetch the lines from the PE's cache and may sleep at first.
    const double work = 8 * alone + kSettleSeconds;
    const double helped = puts.overhead(bytes, work, repeats_of(work));
    const std::size_t bytes_min = std::exchange(address_map.helper_bytes_min, SIZE_MAX);
    // Copies take longer between computations, by as much as these take of the caches.
    const double own = std::min(alone, puts.overhead(bytes, work, repeats_of(work)));
    address_map.helper_bytes_min = bytes_min;
    return helped < kFraction * own;
}

// The shortest size from which on all longer ones gain, too. Copies of 4 MiB and more are left out:
// there a PE that waits helps (SHMEM_SHARED_COPIES).
void measure_threshold(char* block) {
    if (shmem_my_pe() != 0) return;
    const Puts puts{.source = block, .dest = block + kHelperBytesMax, .target = shmem_n_pes() - 1};
    std::size_t shortest = 0;
    for (std::size_t bytes = kHelperBytesMax; bytes >= kHelperBytesMin; bytes /= 2) {
        if (!helper_saves_time(puts, bytes)) break;
        shortest = bytes;
    }
    if (shortest == 0) return;
    const bool is_off_node = shmem_ptr(block, puts.target) == nullptr;
    if (is_off_node) print_fabric();
    print(is_off_node ? "off_node_helper_bytes" : "helper_bytes", static_cast<double>(shortest));
}

// The memory of this PE, filled. Ends the job where it cannot be had.
char* begin_job(std::size_t bytes) {
    shmem_init();
    auto* block = static_cast<char*>(shmem_malloc(bytes));
    if (block == nullptr) {
        std::fprintf(stderr, "osh_tune: it needs %zu MiB of symmetric heap\n", bytes >> 20);
        shmem_global_exit(1);
    }
    std::memset(block, 1, bytes);
    shmem_barrier_all();
    return block;
}

void end_job() {
    std::fflush(stdout);
    shmem_barrier_all();
    shmem_finalize();
}

}  // namespace

int measure() {
    char* block = begin_job(kBytesInMemory);
    if (shmem_n_pes() != 2) {
        std::fprintf(stderr, "osh_tune: --measure is for osh_tune itself: 2 PEs, not %d\n",
                     shmem_n_pes());
        shmem_global_exit(2);
    }
    auto* words = static_cast<long*>(shmem_calloc(8, sizeof(long)));
    if (shmem_ptr(words, 1 - shmem_my_pe()) != nullptr) {
        measure_node(block, words);
    } else {
        measure_fabric(block, words);
    }
    end_job();
    return 0;
}

int measure_helpers() {
    char* block = begin_job(2 * kHelperBytesMax);
    measure_threshold(block);
    end_job();
    return 0;
}

}  // namespace tessera::osh_tune
