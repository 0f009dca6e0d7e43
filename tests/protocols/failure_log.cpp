// SPDX-License-Identifier: BSD-3-Clause
//
// oshrun appends two deaths to a log. Two threads of a PE look at it meanwhile, and one thread
// afterwards.
#include "base/failures.hpp"

#include "protocol.hpp"

namespace tessera::protocols {
namespace {

constexpr int kFirst = 5;
constexpr int kSecond = 7;

std::atomic<int> told[2];

void tell(int pe) {
    check(pe == kFirst || pe == kSecond);
    told[pe == kSecond].fetch_add(1, std::memory_order_relaxed);
}

struct Harness {
    FailureLog log;

    static void look() {
        look_for_failures();
        check(!is_dead(kSecond) || is_dead(kFirst));
    }
    void run() {
        told[0] = 0;
        told[1] = 0;
        watch_failures(log, &tell);
        in_parallel(
            [this] {
                append_failure(log, 0, kFirst);
                append_failure(log, 1, kSecond);
            },
            [] { look(); }, [] { look(); });
        look();
        check(told[0] == 1 && told[1] == 1);
        check(is_dead(kFirst) && is_dead(kSecond));
    }
};

}  // namespace
}  // namespace tessera::protocols

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
