// SPDX-License-Identifier: BSD-3-Clause
//
// GoogleTest for programs of several PEs: every PE runs the same tests in the same order. Only PE 0
// reports progress. A failed check of any PE is printed with the PE's number and ends the whole job
// at once, because the others would wait for it in the next barrier.
#pragma once

#include <gtest/gtest.h>
#include <shmem.h>

#include <cstdio>
#include <cstdlib>

namespace tessera::test {

class PeReporter : public testing::EmptyTestEventListener {
  public:
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.failed()) return;
        std::fprintf(stderr, "[pe %d of %d] %s:%d: %s\n", shmem_my_pe(), shmem_n_pes(),
                     result.file_name(), result.line_number(), result.message());
        std::fflush(stderr);
        shmem_global_exit(1);
    }
};

// Keeps PEs together between tests, so that one test's traffic cannot reach the next one.
class PeBarrier : public testing::EmptyTestEventListener {
  public:
    void OnTestStart(const testing::TestInfo&) override { shmem_barrier_all(); }
    void OnTestEnd(const testing::TestInfo&) override { shmem_barrier_all(); }
};

// A seed that all PEs agree on and that PE 0 prints: TESSERA_TEST_SEED, or PE 0's choice.
// Collective when called first.
inline unsigned long shared_seed() {
    static unsigned long seed;  // symmetric
    static bool is_known;
    if (is_known) return seed;
    is_known = true;
    if (shmem_my_pe() == 0) {
        const char* text = std::getenv("TESSERA_TEST_SEED");
        auto choice = static_cast<unsigned long>(testing::UnitTest::GetInstance()->random_seed());
        seed = text != nullptr ? std::strtoul(text, nullptr, 10) : (choice + 1) * 2654435761UL;
        for (int pe = 1; pe < shmem_n_pes(); ++pe) shmem_ulong_p(&seed, seed, pe);
        std::printf("TESSERA_TEST_SEED=%lu\n", seed);
    }
    shmem_barrier_all();
    return seed;
}

// The program's argument: how often a random test runs its sequences; 0: none was given.
inline int repeats_wanted = 0;
inline int repeats(int otherwise) { return repeats_wanted > 0 ? repeats_wanted : otherwise; }

}  // namespace tessera::test

// The main function of a PE test. `level` as for shmem_init_thread.
#define TESSERA_PE_TEST_MAIN(level)                                                           \
    int main(int argc, char** argv) {                                                         \
        testing::InitGoogleTest(&argc, argv);                                                 \
        if (argc > 1) tessera::test::repeats_wanted = std::atoi(argv[1]);                     \
        int provided = 0;                                                                     \
        shmem_init_thread(level, &provided);                                                  \
        auto& listeners = testing::UnitTest::GetInstance()->listeners();                      \
        if (shmem_my_pe() != 0) delete listeners.Release(listeners.default_result_printer()); \
        listeners.Append(new tessera::test::PeReporter);                                      \
        listeners.Append(new tessera::test::PeBarrier);                                       \
        int result = RUN_ALL_TESTS();                                                         \
        shmem_finalize();                                                                     \
        return result;                                                                        \
    }
