// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a reduction gives a wrong element, different bits on two PEs, or mixes up two calls
// that follow each other without a barrier. The algorithm and the access are those of the settings;
// the runs of this program go through all of them. Lengths, teams, places and delays are random.
#include <shmem.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "collectives/script.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::contribution;
using tessera::test::dawdle;
using tessera::test::Script;

constexpr std::size_t kElementsMax = std::size_t{1} << 20;

constexpr std::size_t kLengths[] = {0, 1, 2, 3, 7, 64, 127, 129, 1000, 1024, 2047, 2500, 4099};

struct Arrays {
    unsigned long* source;
    unsigned long* dest;
};

// One call on the team; its result is checked, and the PEs wait for each other only in the
// reduction.
void check_call(shmem_team_t team, const std::vector<int>& members, const Arrays& arrays,
                Script& script, unsigned call) {
    const std::size_t nelems = script.length();
    const bool is_in_place = script.number() % 3 == 0;
    const int operation = static_cast<int>(script.number() % 3);
    const int me = shmem_my_pe();
    unsigned long* source = is_in_place ? arrays.dest : arrays.source;
    for (std::size_t i = 0; i < nelems; ++i) source[i] = contribution(me, i, call);
    switch (operation) {
        case 0: shmem_ulong_sum_reduce(team, arrays.dest, source, nelems); break;
        case 1: shmem_ulong_max_reduce(team, arrays.dest, source, nelems); break;
        default: shmem_ulong_xor_reduce(team, arrays.dest, source, nelems); break;
    }
    for (std::size_t i = 0; i < nelems; ++i) {
        unsigned long expected = contribution(members[0], i, call);
        for (std::size_t k = 1; k < members.size(); ++k) {
            const unsigned long other = contribution(members[k], i, call);
            expected = operation == 0   ? expected + other
                       : operation == 1 ? std::max(expected, other)
                                        : expected ^ other;
        }
        ASSERT_EQ(arrays.dest[i], expected)
            << "element " << i << " of " << nelems << ", operation " << operation << ", call "
            << call << (is_in_place ? ", in place" : "");
    }
}

Arrays allocate() {
    return {.source = static_cast<unsigned long*>(shmem_malloc(kElementsMax * sizeof(long))),
            .dest = static_cast<unsigned long*>(shmem_malloc(kElementsMax * sizeof(long)))};
}
void release(const Arrays& arrays) {
    shmem_free(arrays.source);
    shmem_free(arrays.dest);
}

// Between two calls each PE only changes its own arrays, which the reduction allows it to.
TEST(Reduce, CallsFollowEachOtherWithoutABarrier) {
    const Arrays arrays = allocate();
    std::vector<int> members;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) members.push_back(pe);
    Script script(tessera::test::shared_seed(), kLengths);
    std::mt19937 own(static_cast<unsigned>(shmem_my_pe()) + 1);
    for (int i = 0; i < tessera::test::scaled(3000); ++i) {
        dawdle(own);
        check_call(SHMEM_TEAM_WORLD, members, arrays, script, static_cast<unsigned>(i));
        if (HasFatalFailure()) return;
    }
    release(arrays);
}

// Two halves reduce at the same time, and all together now and then.
TEST(Reduce, TeamsDoNotMix) {
    const Arrays arrays = allocate();
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    shmem_team_t half = SHMEM_TEAM_INVALID;
    shmem_team_t mine = SHMEM_TEAM_INVALID;
    for (int start = 0; start < std::min(npes, 2); ++start) {
        ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 2, (npes - start + 1) / 2,
                                           nullptr, 0, &half),
                  0);
        if (half != SHMEM_TEAM_INVALID) mine = half;
    }
    std::vector<int> all;
    std::vector<int> halves;
    for (int pe = 0; pe < npes; ++pe) {
        all.push_back(pe);
        if (pe % 2 == me % 2) halves.push_back(pe);
    }
    Script together(tessera::test::shared_seed() + 1, kLengths);
    Script apart(tessera::test::shared_seed() + 2 + static_cast<unsigned long>(me % 2), kLengths);
    std::mt19937 own(static_cast<unsigned>(me) + 100);
    for (int i = 0; i < tessera::test::scaled(2000); ++i) {
        dawdle(own);
        const auto call = static_cast<unsigned>(i);
        if (i % 5 == 0) {
            check_call(SHMEM_TEAM_WORLD, all, arrays, together, call);
        } else {
            check_call(mine, halves, arrays, apart, call);
        }
        if (HasFatalFailure()) return;
    }
    shmem_team_destroy(mine);
    release(arrays);
}

// A million elements; and the bits of a sum whose value depends on the order.
TEST(Reduce, LongVectorsHaveTheSameBitsEverywhere) {
    auto* source = static_cast<double*>(shmem_malloc(kElementsMax * sizeof(double)));
    auto* dest = static_cast<double*>(shmem_malloc(kElementsMax * sizeof(double)));
    std::mt19937_64 random(tessera::test::shared_seed() * 31 +
                           static_cast<unsigned long>(shmem_my_pe()));
    std::uniform_real_distribution<double> spread(-1e10, 1e10);
    for (std::size_t nelems : {std::size_t{5}, std::size_t{10007}, kElementsMax}) {
        for (std::size_t i = 0; i < nelems; ++i) source[i] = spread(random);
        shmem_double_sum_reduce(SHMEM_TEAM_WORLD, dest, source, nelems);
        shmem_barrier_all();  // PE 0 may still be in the reduction.
        std::vector<double> first(nelems);
        shmem_double_get(first.data(), dest, nelems, 0);
        ASSERT_EQ(std::memcmp(first.data(), dest, nelems * sizeof(double)), 0) << nelems;
        shmem_barrier_all();
    }
    shmem_free(source);
    shmem_free(dest);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
