// SPDX-License-Identifier: BSD-3-Clause
//
// Three threads add to a number under a SharedLock.
#include "base/shared_lock.hpp"

#include "protocol.hpp"

namespace tessera::protocols {
namespace {

struct Harness {
    std::atomic<std::uint32_t> word;
    int number;

    void add() {
        const SharedLock lock(word, "lock");
        ++number;
    }
    void run() {
        in_parallel([this] { add(); }, [this] { add(); }, [this] { add(); });
        check(number == 3);
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
