// SPDX-License-Identifier: BSD-3-Clause
//
// Harness of a lock between PEs: two PEs add to a number under it, one of them `kTurns` times.
#pragma once

#include "pes.hpp"

namespace tessera::protocols {

// `Lock` is made by each PE, from its Pes, and has lock() and unlock().
template <class Lock, int kTurns>
struct UnderLock {
    Pes<2> pes;
    int number;

    void work(int turns) {
        pes.begin();
        Lock lock(pes);
        for (int i = 0; i < turns; ++i) {
            lock.lock();
            ++number;
            lock.unlock();
        }
    }
    void run() {
        pes.start();
        in_parallel([this] { work(1); }, [this] { work(kTurns); });
        check(number == 1 + kTurns);
    }
};

}  // namespace tessera::protocols
