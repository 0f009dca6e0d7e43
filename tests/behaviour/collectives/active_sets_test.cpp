// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when active sets of all PEs, which the world's team may serve, wait for ever or compute
// something else because PEs have different thread levels, because sets of some PEs come between,
// or after another init; and when two threads cannot use two pSync at once.
#include <shmem.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <thread>

namespace {

long psync[4][SHMEM_REDUCE_SYNC_SIZE];
long pwrk[2][SHMEM_REDUCE_MIN_WRKDATA_SIZE];
long source[2][2], dest[2][2];
constexpr int kRounds = 20;

void check(bool is_right, const char* what, int round) {
    if (is_right) return;
    std::fprintf(stderr, "active_sets_test: PE %d, round %d: %s\n", shmem_my_pe(), round, what);
    shmem_global_exit(1);
}

// Sums over PEs start, start + 1, ... of this round's numbers; `slot` has a pSync of its own.
void sum(int start, int size, int slot, int round) {
    const int me = shmem_my_pe();
    source[slot][0] = me + round;
    source[slot][1] = 100 * slot + 2 * me;
    shmem_long_sum_to_all(dest[slot], source[slot], 2, start, 0, size, pwrk[slot], psync[slot]);
    const long numbers = size * start + size * (size - 1) / 2;
    check(dest[slot][0] == numbers + size * static_cast<long>(round), "first sum", round);
    check(dest[slot][1] == size * 100L * slot + 2 * numbers, "second sum", round);
}

void use_sets() {
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    const int half = npes / 2;
    for (int round = 0; round < kRounds; ++round) {
        sum(0, npes, 0, round);
        // The two halves of the world, with the same pSync as the world in every other round.
        const int start = me < half ? 0 : half;
        const int slot = round % 2;
        if (slot == 0) shmem_barrier(0, 0, npes, psync[2]);
        sum(start, me < half ? half : npes - half, slot, round);
        shmem_barrier(0, 0, npes, psync[3]);
        for (int i : {0, 1, 3}) {  // Others may have begun the sync that follows.
            check(std::all_of(std::begin(psync[i]), std::end(psync[i]),
                              [](long word) { return word == SHMEM_SYNC_VALUE; }),
                  "a pSync is not as it was", round);
        }
        shmem_sync(0, 0, npes, psync[2]);
    }
}

// Each thread with a pSync of its own, in no order.
void use_two_at_once() {
    const auto sums = [](int slot) {
        for (int round = 0; round < kRounds; ++round) sum(0, shmem_n_pes(), slot, round);
    };
    std::thread other(sums, 1);
    sums(0);
    other.join();
}

}  // namespace

int main() {
    for (auto& words : psync) std::fill(std::begin(words), std::end(words), SHMEM_SYNC_VALUE);
    const char* rank = std::getenv("PMIX_RANK");
    const int expected_pe = rank != nullptr ? std::atoi(rank) : 0;
    // The PEs with many threads: none, PE 0, all but PE 0, all, none once more.
    const bool zero[] = {false, true, false, true, false};
    const bool others[] = {false, false, true, true, false};
    for (std::size_t i = 0; i < std::size(zero); ++i) {
        const bool many = expected_pe == 0 ? zero[i] : others[i];
        int provided = -1;
        shmem_init_thread(many ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
        if (provided < (many ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE)) return 2;
        use_sets();
        if (zero[i] && others[i]) use_two_at_once();
        shmem_finalize();
    }
    return 0;
}
