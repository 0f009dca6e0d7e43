// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when one of the three cures of the ping-pong in docs/runtimes/noncoherent.md hangs: a PE
// resets its flag with nothing that publishes the reset before the peer's answer.
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

long flag;

enum class Cure { kFence, kCounting, kAtomic };

void reset(Cure cure) {
    if (cure == Cure::kAtomic) return shmem_long_atomic_set(&flag, 0, shmem_my_pe());
    if (cure == Cure::kCounting) return;
    flag = 0;
    shmem_fence();
}

// Each PE with an even number plays with the next one, if there is one.
void play(Cure cure) {
    const int me = shmem_my_pe();
    const int peer = me ^ 1;
    flag = 0;
    shmem_barrier_all();
    for (long round = 1; round <= tessera::test::scaled(1000) && peer < shmem_n_pes(); ++round) {
        const long mark = cure == Cure::kCounting ? round : 1;
        if (me > peer) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, mark);
        reset(cure);
        shmem_long_p(&flag, mark, peer);
        if (me < peer) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, mark);
    }
    shmem_barrier_all();
}

TEST(PingPong, FenceBehindTheReset) { play(Cure::kFence); }
TEST(PingPong, RoundsThatCountUpwards) { play(Cure::kCounting); }
TEST(PingPong, AtomicReset) { play(Cure::kAtomic); }

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
