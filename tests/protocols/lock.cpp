// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs add to a number under a lock of the specification, one of them twice.
#include "locks/lock.hpp"

#include "pes.hpp"

namespace tessera::protocols {
namespace {

struct Harness {
    Pes<2> pes;
    int number;

    void work(int turns) {
        pes.begin();
        Lock lock(reinterpret_cast<long*>(pes.names()), "lock");
        for (int i = 0; i < turns; ++i) {
            lock.set();
            ++number;
            default_context.quiet();
            lock.clear();
        }
    }
    void run() {
        pes.start();
        in_parallel([this] { work(1); }, [this] { work(2); });
        check(number == 3);
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
