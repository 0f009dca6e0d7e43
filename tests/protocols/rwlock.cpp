// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs read a number under a reader-writer lock, while a third one writes it.
#include "locks/rwlock.hpp"

#include "pes.hpp"

namespace tessera::protocols {
namespace {

struct Harness {
    Pes<3> pes;
    int numbers[2];

    void work(LockUse use) {
        pes.begin();
        HeldLocks held(pes.my_nodes());
        pe_state.held_locks = &held;
        RwLock lock(reinterpret_cast<RwLockWords*>(pes.names()), 0, 0, "rwlock");
        lock.lock(use);
        if (use == LockUse::kWriting) {
            ++numbers[0];
            ++numbers[1];
        } else {
            check(numbers[0] == numbers[1]);
        }
        lock.unlock(use);
    }
    void run() {
        pes.start();
        in_parallel([this] { work(LockUse::kReading); }, [this] { work(LockUse::kWriting); },
                    [this] { work(LockUse::kReading); });
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
