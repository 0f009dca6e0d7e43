// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs add to a number under a mutex.
#include "locks/mutex.hpp"

#include "pes.hpp"

namespace tessera::protocols {
namespace {

struct Harness {
    Pes<2> pes;
    int number;

    void work(int turns) {
        pes.begin();
        HeldLocks held(pes.my_nodes());
        pe_state.held_locks = &held;
        std::uint64_t* const word = pes.names();
        const Mutex mutex({.lock = word, .pe = 0}, Mutex::mapped_word(word, 0), "mutex");
        for (int i = 0; i < turns; ++i) {
            mutex.lock();
            ++number;
            mutex.unlock();
        }
    }
    void run() {
        pes.start();
        in_parallel([this] { work(1); }, [this] { work(1); });
        check(number == 2);
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
