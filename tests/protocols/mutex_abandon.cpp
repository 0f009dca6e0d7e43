// SPDX-License-Identifier: BSD-3-Clause
//
// A PE abandons a mutex, and with it work that is half done. The next holder, and no later one,
// must be told so: whether it waits in the queue at that time, comes later, or only tries.
#include "locks/mutex.hpp"
#include "pes.hpp"

namespace tessera::protocols {

struct Harness {
    Pes<2> pes;
    int half_done;  // is there half done work? The checker wants words.
    int number;

    void hold(const Mutex& mutex, bool abandons) {
        check(mutex.is_inherited() == (half_done != 0));
        half_done = abandons ? 1 : 0;
        ++number;
        if (abandons) {
            mutex.abandon();
        } else {
            mutex.unlock();
        }
    }
    template <class Turns>
    void work(Turns turns) {
        pes.begin();
        HeldLocks held(pes.my_nodes());
        pe_state.held_locks = &held;
        std::uint64_t* const word = pes.names();
        turns(Mutex({.lock = word, .pe = 0}, Mutex::mapped_word(word, 0), "mutex"));
    }
    void run() {
        pes.start();
        in_parallel(
            [this] {
                work([this](const Mutex& mutex) {
                    mutex.lock();
                    hold(mutex, true);
                    if (mutex.try_lock()) hold(mutex, false);
                });
            },
            [this] {
                work([this](const Mutex& mutex) {
                    mutex.lock();
                    hold(mutex, false);
                });
            });
        check(number >= 2);
        const NodeName last(std::atomic_ref(*reinterpret_cast<std::uint64_t*>(pes.pes[0].heap))
                                .load(std::memory_order_relaxed));
        check(last == (half_done != 0 ? NodeName::abandoned() : NodeName()));
    }
};

}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
