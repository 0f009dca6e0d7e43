// SPDX-License-Identifier: BSD-3-Clause
//
// Harnesses of protocols include this (docs/code/protocols.md). A harness is a class whose members
// are the shared memory, zeros at first, and whose run() is one execution. A program repeats run()
// with threads that begin together. For GenMC, which tries all executions, a header of this name
// in shadows/ takes its place.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

namespace tessera::protocols {

inline void check(bool holds, int line = __builtin_LINE()) {
    if (holds) return;
    std::fprintf(stderr, "the check in line %d of the harness fails\n", line);
    std::abort();
}

template <class Ready>
void await(Ready ready) {
    while (!ready()) ::sched_yield();
}

inline constexpr int kThreadsMax = 4;
inline constexpr bool kIsExhaustive = false;  // all executions are tried
inline thread_local int my_thread = 0;

template <class... Work>
void in_parallel(Work... work) {
    std::atomic<int> missing{sizeof...(work)};
    int number = 0;
    const auto start = [&missing](int thread, auto& one) {
        my_thread = thread;
        missing.fetch_sub(1);
        await([&] { return missing.load() == 0; });
        one();
    };
    std::thread threads[] = {
        std::thread([&start, &work, thread = number++] { start(thread, work); })...};
    for (std::thread& thread : threads) thread.join();
}

template <class Harness>
int explore() {
    constexpr int kRuns = 2000;
    static Harness harness;
    for (int i = 0; i < kRuns; ++i) (new (&harness) Harness{})->run();
    std::printf("%d executions\n", kRuns);
    return 0;
}

}  // namespace tessera::protocols
