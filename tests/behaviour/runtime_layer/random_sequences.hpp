// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences that all PEs draw alike: each PE carries out the steps that are its own. A check
// that fails names seed and sequence, and ends the job; TESSERA_TEST_SEED repeats a run.
#pragma once

#include <shmemx.h>

#include <cstdio>
#include <cstdlib>
#include <random>

namespace tessera::test {

inline unsigned long seed;  // symmetric
inline int me;
inline int npes;
inline int sequence_number;

inline void expect(const char* check, long expected, long found) {
    if (expected == found) return;
    std::fprintf(stderr, "[pe %d of %d] seed %lu, sequence %d: %s: expected %ld, found %ld\n", me,
                 npes, seed, sequence_number, check, expected, found);
    std::fflush(stderr);
    shmem_global_exit(1);
    std::abort();
}

// Calls run(random) for each sequence. REQUIRES: shmem_init has been called.
template <class Run>
void run_sequences(int sequences, Run run) {
    me = shmem_my_pe();
    npes = shmem_n_pes();
    if (me == 0) {
        const char* text = std::getenv("TESSERA_TEST_SEED");
        seed = text != nullptr ? std::strtoul(text, nullptr, 10) : std::random_device()();
        std::printf("TESSERA_TEST_SEED=%lu, %d sequences\n", seed, sequences);
        for (int pe = 1; pe < npes; ++pe) shmem_ulong_p(&seed, seed, pe);
    }
    shmem_barrier_all();
    std::mt19937 random(static_cast<unsigned>(seed));
    for (sequence_number = 0; sequence_number < sequences; ++sequence_number) run(random);
}

}  // namespace tessera::test
