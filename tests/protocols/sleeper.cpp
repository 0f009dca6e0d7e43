// SPDX-License-Identifier: BSD-3-Clause
//
// A PE waits for a word that two other PEs change by atomics. One looks for the sleeper as the
// library does (core/context.hpp), the other one at the inline limit, as include/shmem/inline.h
// does.
#include "base/sleeper.hpp"

#include "base/wait.hpp"
#include "protocol.hpp"

namespace tessera::protocols {
namespace {

struct Harness {
    Sleeper sleeper;
    InlineLimit limit;
    std::atomic<std::uint64_t> word;
    int data[2];

    static bool is_ready(void* harness) {
        return static_cast<Harness*>(harness)->word.load(std::memory_order_acquire) == 2;
    }
    void run() {
        limit.bytes.store(64, std::memory_order_relaxed);
        in_parallel(
            [this] {
                set_wait_environment(
                    {.sleeper = &sleeper, .inline_limit = &limit, .inline_limit_bytes = 64});
                wait_slowly(is_ready, this, "wait");
                check(data[0] == 1 && data[1] == 1);
            },
            [this] {
                data[0] = 1;
                word.fetch_add(1);
                if (sleeper.is_sleeping()) sleeper.wake();
            },
            [this] {
                data[1] = 1;
                word.fetch_add(1);
                if (limit.bytes.load() == 0) sleeper.wake();
            });
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
