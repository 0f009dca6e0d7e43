// SPDX-License-Identifier: BSD-3-Clause
//
// The twin of protocol.hpp for GenMC. No constructor of a static object runs there, so these are constants.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

extern "C" {
long __VERIFIER_thread_create(const void* attributes, void* (*work)(void*), void* argument);
void* __VERIFIER_thread_join(long thread);
void* __VERIFIER_malloc(unsigned long bytes);
void __VERIFIER_assume(bool holds);
[[noreturn]] void __VERIFIER_assert_fail(const char* what, const char* file, int line);
inline int sched_yield() noexcept { return 0; }
}

namespace tessera::protocols {

[[noreturn]] inline void fail(int line) { __VERIFIER_assert_fail("check", "harness", line); }
inline void check(bool holds, int line = __builtin_LINE()) {
    if (!holds) fail(line);
}
// Executions in which it does not hold are left out.
inline void assume(bool holds) { __VERIFIER_assume(holds); }

enum class Progress : int {
    kRuns,
    kRests,  // It waits, and does nothing else until it is released.
    kStuck,  // It was not released when all others rested; or it has ended.
};
inline constexpr int kThreadsMax = 4;
inline constexpr bool kIsExhaustive = true;
inline constinit thread_local int my_thread = 0;
inline constinit std::atomic<Progress> progress[kThreadsMax]{};
inline constinit int threads = 0;

inline void assume_others(Progress least) {
    for (int i = 0; i < threads; ++i) {
        if (i != my_thread) assume(progress[i].load(std::memory_order_acquire) >= least);
    }
}
// The thread waits for `ready()`. Fails where it waits for ever, as all others do that have not
// ended. Executions in which another thread releases it are left out: they are the same as those in
// which it looks later.
template <class Ready>
void rest(Ready ready, int line = __builtin_LINE()) {
    progress[my_thread].store(Progress::kRests, std::memory_order_release);
    assume_others(Progress::kRests);
    assume(!ready());
    progress[my_thread].store(Progress::kStuck, std::memory_order_release);
    assume_others(Progress::kStuck);
    fail(line);
}

// RETURNS when: `ready()`.
template <class Ready>
void await(Ready ready, int line = __builtin_LINE()) {
    if (!ready()) rest(ready, line);
}

// A thread whose PE dies at one of its steps. Settings of a protocol put step() in front of them.
inline constinit int steps_left[kThreadsMax]{};  // by thread; 0: it lives on
inline constinit void (*at_death)() = nullptr;   // in the thread: what others learn of it
inline void step() {
    if (steps_left[my_thread] == 0 || --steps_left[my_thread] > 0) return;
    at_death();
    progress[my_thread].store(Progress::kStuck, std::memory_order_release);
    assume(false);
}

template <class Work>
struct Thread {
    Work work;
    int number;
    static void* start(void* thread) {
        auto* const self = static_cast<Thread*>(thread);
        my_thread = self->number;
        self->work();
        progress[self->number].store(Progress::kStuck, std::memory_order_release);
        return nullptr;
    }
    long begin() { return __VERIFIER_thread_create(nullptr, &start, this); }
};

// Each in a thread of its own. RETURNS when: all have returned.
template <class First, class Second>
void in_parallel(First first, Second second) {
    threads = 2;
    Thread<First> a{first, 0};
    Thread<Second> b{second, 1};
    const long ids[] = {a.begin(), b.begin()};
    for (long id : ids) __VERIFIER_thread_join(id);
}
template <class First, class Second, class Third>
void in_parallel(First first, Second second, Third third) {
    threads = 3;
    Thread<First> a{first, 0};
    Thread<Second> b{second, 1};
    Thread<Third> c{third, 2};
    const long ids[] = {a.begin(), b.begin(), c.begin()};
    for (long id : ids) __VERIFIER_thread_join(id);
}

template <class Harness>
int explore() {
    static constinit Harness harness{};
    harness.run();
    return 0;
}

}  // namespace tessera::protocols
