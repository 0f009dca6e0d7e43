// SPDX-License-Identifier: BSD-3-Clause
//
// A PE dies at any of its steps, or not at all, while it takes and gives back a mutex. Another one
// takes it twice, and abandons it the first time: it must get it each time, see what was done under
// it before, and be told of work that is half done. For GenMC alone: no thread of a program ends in
// the middle.
#include "base/failures.hpp"
#include "locks/mutex.hpp"
#include "pes.hpp"

namespace tessera::protocols {

constexpr int kStepsMax = 10;  // steps of the PE that dies

struct Harness;
extern Harness* the_harness;

struct Harness {
    Pes<2> pes;
    FailureLog log;
    std::atomic<int> fate;
    int number;
    int half_done;

    // The last turn alone ends its work.
    void work(int turns) {
        pes.begin();
        HeldLocks held(pes.my_nodes());
        pe_state.held_locks = &held;
        std::uint64_t* const word = pes.names();
        const Mutex mutex({.lock = word, .pe = 0}, Mutex::mapped_word(word, 0), "mutex");
        for (int i = 0; i < turns; ++i) {
            mutex.lock();
            check(half_done == 0 || mutex.is_inherited());
            check(half_done != 0 || !mutex.is_inherited() || failure_count() > 0);
            half_done = 1;
            step();
            ++number;
            if (i < turns - 1) {
                mutex.abandon();
            } else {
                half_done = 0;
                mutex.unlock();
            }
        }
    }
    void run() {
        pes.start();
        watch_failures(log, nullptr);
        the_harness = this;
        at_death = [] { append_failure(the_harness->log, 0, my_thread); };
        in_parallel(
            [this] {
                steps_left[my_thread] = fate.load(std::memory_order_relaxed);
                work(1);
            },
            [this] { work(2); },
            [this] {
                for (int i = 1; i <= kStepsMax; ++i) fate.store(i, std::memory_order_relaxed);
            });
    }
};
Harness* the_harness = nullptr;

}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
