// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a scan gives a wrong element, writes beyond its array, or mixes up two calls that
// follow each other without a barrier. The algorithm is that of the settings; the runs of this
// program go through all of them. Lengths, forms, places and delays are random, from a printed
// seed.
#include <shmem.h>

#include <algorithm>
#include <cmath>
#include <complex>
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

constexpr std::size_t kElementsMax = std::size_t{1} << 18;
constexpr std::size_t kGuardElements = 4;

// Around the ends of chunks as well: these hold 1024 elements of 8 bytes.
constexpr std::size_t kLengths[] = {0,    1,    2,    3,    7,    64,   127, 129,
                                    1000, 1023, 1024, 1025, 2047, 2500, 4099};

struct Arrays {
    unsigned long* source;
    unsigned long* dest;
};
Arrays allocate() {
    const std::size_t bytes = (kElementsMax + kGuardElements) * sizeof(long);
    return {.source = static_cast<unsigned long*>(shmem_malloc(bytes)),
            .dest = static_cast<unsigned long*>(shmem_malloc(bytes))};
}
void release(const Arrays& arrays) {
    shmem_free(arrays.source);
    shmem_free(arrays.dest);
}

// One call on the team; its result is checked, and the PEs wait for each other only in the scan.
void check_call(shmem_team_t team, const std::vector<int>& members, const Arrays& arrays,
                std::size_t nelems, unsigned choices, unsigned call) {
    const bool is_in_place = choices % 3 == 0;
    const bool is_inclusive = choices / 3 % 2 == 0;
    const int me = shmem_my_pe();
    unsigned long* source = is_in_place ? arrays.dest : arrays.source;
    std::fill_n(arrays.dest, nelems + kGuardElements, 0xA5A5A5A5UL);
    for (std::size_t i = 0; i < nelems; ++i) source[i] = contribution(me, i, call);
    const int status = is_inclusive ? shmem_ulong_sum_inscan(team, arrays.dest, source, nelems)
                                    : shmem_ulong_sum_exscan(team, arrays.dest, source, nelems);
    ASSERT_EQ(status, 0);
    const auto end = std::find(members.begin(), members.end(), me) + (is_inclusive ? 1 : 0);
    for (std::size_t i = 0; i < nelems; ++i) {
        unsigned long expected = 0;
        for (auto member = members.begin(); member != end; ++member)
            expected += contribution(*member, i, call);
        ASSERT_EQ(arrays.dest[i], expected)
            << "element " << i << " of " << nelems << (is_inclusive ? ", inclusive" : ", exclusive")
            << ", call " << call << (is_in_place ? ", in place" : "");
        if (is_in_place) continue;
        ASSERT_EQ(source[i], contribution(me, i, call)) << "source " << i << " has changed";
    }
    for (std::size_t i = nelems; i < nelems + kGuardElements; ++i)
        ASSERT_EQ(arrays.dest[i], 0xA5A5A5A5UL) << "beyond " << nelems << " elements";
}

std::vector<int> whole_world() {
    std::vector<int> members;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) members.push_back(pe);
    return members;
}

// Between two calls each PE only changes its own arrays, which the scan allows it to.
TEST(Scan, CallsFollowEachOtherWithoutABarrier) {
    const Arrays arrays = allocate();
    const std::vector<int> members = whole_world();
    Script script(tessera::test::shared_seed(), kLengths);
    std::mt19937 own(static_cast<unsigned>(shmem_my_pe()) + 1);
    for (int i = 0; i < tessera::test::scaled(2000); ++i) {
        dawdle(own);
        const std::size_t nelems = script.length();
        check_call(SHMEM_TEAM_WORLD, members, arrays, nelems, script.number(),
                   static_cast<unsigned>(i));
        if (HasFatalFailure()) return;
    }
    release(arrays);
}

// Every other PE, in the order of the world, at the same time as the rest; a scan by all now and
// then, and reductions between them, which use the same mailboxes.
TEST(Scan, TeamsAndCollectivesDoNotMix) {
    const Arrays arrays = allocate();
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    shmem_team_t mine = SHMEM_TEAM_INVALID;
    for (int start = 0; start < std::min(npes, 2); ++start) {
        shmem_team_t half = SHMEM_TEAM_INVALID;
        ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 2, (npes - start + 1) / 2,
                                           nullptr, 0, &half),
                  0);
        if (half != SHMEM_TEAM_INVALID) mine = half;
    }
    std::vector<int> halves;
    for (int pe = me % 2; pe < npes; pe += 2) halves.push_back(pe);
    const std::vector<int> all = whole_world();
    Script together(tessera::test::shared_seed() + 1, kLengths);
    Script apart(tessera::test::shared_seed() + 2 + static_cast<unsigned long>(me % 2), kLengths);
    std::mt19937 own(static_cast<unsigned>(me) + 100);
    for (int i = 0; i < tessera::test::scaled(1500); ++i) {
        dawdle(own);
        const bool is_for_all = i % 5 == 0;
        Script& script = is_for_all ? together : apart;
        const shmem_team_t team = is_for_all ? SHMEM_TEAM_WORLD : mine;
        const std::size_t nelems = script.length();
        check_call(team, is_for_all ? all : halves, arrays, nelems, script.number(),
                   static_cast<unsigned>(i));
        if (HasFatalFailure()) return;
        if (script.number() % 3 != 0) continue;
        arrays.source[0] = 1;
        shmem_ulong_sum_reduce(team, arrays.dest, arrays.source, 1);
        ASSERT_EQ(arrays.dest[0], (is_for_all ? all : halves).size());
    }
    shmem_team_destroy(mine);
    release(arrays);
}

// Longer than all that can be under way at once.
TEST(Scan, LongVectors) {
    const Arrays arrays = allocate();
    const std::vector<int> members = whole_world();
    unsigned call = 0;
    for (std::size_t nelems : {std::size_t{30001}, kElementsMax - 1}) {
        if (shmem_n_pes() > 9 && nelems > 100000) continue;
        for (unsigned choices : {0U, 1U, 3U, 4U}) {
            check_call(SHMEM_TEAM_WORLD, members, arrays, nelems, choices, ++call);
            if (HasFatalFailure()) return;
        }
    }
    release(arrays);
}

// Sums that are exact in any order, but not with the PEs in another place or twice.
template <class T>
void check_values(int (*inscan)(shmem_team_t, T*, const T*, size_t),
                  int (*exscan)(shmem_team_t, T*, const T*, size_t)) {
    constexpr std::size_t kElements = 1100;
    auto* source = static_cast<T*>(shmem_malloc(kElements * sizeof(T)));
    auto* dest = static_cast<T*>(shmem_malloc(kElements * sizeof(T)));
    for (bool is_inclusive : {true, false}) {
        const int end = shmem_my_pe() + (is_inclusive ? 1 : 0);
        for (std::size_t i = 0; i < kElements; ++i)
            source[i] = static_cast<T>((shmem_my_pe() + 1) * (shmem_my_pe() + 1) + i % 7);
        ASSERT_EQ((is_inclusive ? inscan : exscan)(SHMEM_TEAM_WORLD, dest, source, kElements), 0);
        for (std::size_t i = 0; i < kElements; ++i) {
            T expected{};
            for (int pe = 0; pe < end; ++pe)
                expected = static_cast<T>(expected + static_cast<T>((pe + 1) * (pe + 1) + i % 7));
            ASSERT_EQ(dest[i], expected) << "element " << i << " of PE " << shmem_my_pe();
        }
    }
    shmem_free(source);
    shmem_free(dest);
}

TEST(Scan, TypesOfAllSizes) {
    check_values<signed char>(shmem_schar_sum_inscan, shmem_schar_sum_exscan);
    check_values<short>(shmem_short_sum_inscan, shmem_short_sum_exscan);
    check_values<float>(shmem_float_sum_inscan, shmem_float_sum_exscan);
    check_values<double>(shmem_double_sum_inscan, shmem_double_sum_exscan);
    check_values<long double>(shmem_longdouble_sum_inscan, shmem_longdouble_sum_exscan);
}

// Zeros keep their sign where only zeros of that sign are added; the exclusive form begins with +0.
TEST(Scan, SignsOfZeros) {
    static double source[2];
    static double dest[2];
    source[0] = -0.0;
    source[1] = shmem_my_pe() == 1 ? 0.0 : -0.0;
    ASSERT_EQ(shmem_double_sum_inscan(SHMEM_TEAM_WORLD, dest, source, 2), 0);
    EXPECT_TRUE(std::signbit(dest[0]));
    EXPECT_EQ(std::signbit(dest[1]), shmem_my_pe() == 0);
    ASSERT_EQ(shmem_double_sum_exscan(SHMEM_TEAM_WORLD, dest, source, 2), 0);
    EXPECT_FALSE(std::signbit(dest[0]));
    EXPECT_FALSE(std::signbit(dest[1]));
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
