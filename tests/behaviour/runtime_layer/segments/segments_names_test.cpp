// SPDX-License-Identifier: BSD-3-Clause
//
// With a limit on addresses, so that a PE has few names. Breaks when names are not used again, when
// a live segment loses its names to a new one, or when the members do not all hear that none are
// left.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "part.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Part;
using tessera::test::shared_seed;

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Leaves room for less than 128 MiB of names.
void limit_addresses() {
    unsigned long pages = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(std::fscanf(file, "%lu", &pages), 1);
    std::fclose(file);
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + 127 * kMiB;
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
}

TEST(SegmentNames, AreUsedAgain) {
    // One memory for all: only names are in short supply.
    std::vector<unsigned char> memory(4 * kMiB);
    limit_addresses();
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    std::mt19937 random(static_cast<unsigned>(shared_seed()));
    std::vector<shmemx_segment_t> live;
    int refusals = 0;
    for (int round = 0; round < 400; ++round) {
        const std::size_t bytes = 1 + random() % (4 * kMiB);
        shmemx_segment_t segment = SHMEMX_SEGMENT_INVALID;
        const int result = shmemx_register(SHMEM_TEAM_WORLD, memory.data(), bytes, &segment);
        if (result == 0) {
            live.push_back(segment);
        } else {
            EXPECT_EQ(segment, SHMEMX_SEGMENT_INVALID);
            EXPECT_GE(live.size(), 3U);
            ++refusals;
        }
        // All live ones still name their first byte, and are as long as they were.
        for (const shmemx_segment_t each : live) {
            void* name = shmemx_gptr_addr(shmemx_segment_gptr(each, right));
            const auto value = static_cast<unsigned char>(random());
            shmem_putmem(name, &value, 1, right);
            shmem_barrier_all();
            EXPECT_EQ(memory[0], value);
            shmem_barrier_all();
        }
        const std::size_t most = refusals % 2 == 0 ? 30 : 5;
        while (live.size() > most || result != 0) {
            const std::size_t which = random() % live.size();
            shmemx_deregister(live[which]);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
            if (live.size() <= 3) break;
        }
    }
    EXPECT_GT(refusals, 0);
    for (const shmemx_segment_t each : live) shmemx_deregister(each);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
