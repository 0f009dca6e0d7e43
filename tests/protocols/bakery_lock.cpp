// SPDX-License-Identifier: BSD-3-Clause
//
// Two nodes add to a number under the lock; one of them does so twice.
#include "transports/noncoherent/bakery_lock.hpp"

#include "protocol.hpp"

namespace tessera::protocols {
namespace {

using noncoherent::BakeryLine;
using noncoherent::BakeryLock;

constexpr noncoherent::Policy kPolicy{noncoherent::Access::kCoherent};

struct Harness {
    BakeryLine lines[2];
    int number;

    void add(int node) {
        const BakeryLock lock(kPolicy, lines, {.mine = node, .count = 2});
        ++number;
    }
    void run() {
        in_parallel([this] { add(0); },
                    [this] {
                        add(1);
                        add(1);
                    });
        check(number == 3);
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
