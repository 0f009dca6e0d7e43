// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a reproducible reduction (SHMEM_REDUCE_REPRODUCIBLE=1, or the algorithms slice and
// flat_tree) is not what a plain loop over the members in their order gives, bit for bit: sums and
// products of types that round, where every other order, and every fused multiply-add, shows. The
// runs of this program are on several layouts with several algorithms; all must agree with the
// loop, so they agree with each other.
#include <shmem.h>
#include <shmem/types.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kElementsMax = 70001;

template <class T>
using Function = int (*)(shmem_team_t, T*, const T*, std::size_t);

// Numbers that look random, different for each seed.
class Numbers {
  public:
    explicit Numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U) {}
    std::uint64_t next() {
        state_ = (state_ + 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
        std::uint64_t word = (state_ ^ state_ >> 29) * 0x94D049BB133111EBU;
        return word ^ word >> 32;
    }

  private:
    std::uint64_t state_;
};

// Different magnitudes, all bits of the mantissa; products of 32 stay in the range of float.
template <class Real>
Real part(Numbers& numbers) {
    const std::uint64_t choice = numbers.next();
    const Real magnitude = static_cast<Real>(1U << choice % 7) / 16;
    const Real mantissa = 1 + static_cast<Real>(numbers.next()) / static_cast<Real>(0x1p64L);
    return (choice >> 32) % 2 == 0 ? magnitude * mantissa : -magnitude * mantissa;
}
template <class T>
T contribution(unsigned long seed, int pe, std::size_t i) {
    Numbers numbers(seed ^ static_cast<unsigned long>(pe) << 40 ^ i);
    if constexpr (std::is_floating_point_v<T>) {
        return part<T>(numbers);
    } else {
        using Real = std::conditional_t<sizeof(T) == 8, float, double>;
        const Real real = part<Real>(numbers);
        const Real parts[2] = {real, part<Real>(numbers)};
        T value;
        std::memcpy(&value, parts, sizeof value);
        return value;
    }
}

// A long double has bytes of no meaning.
template <class T>
constexpr std::size_t kBytesThatCount = std::is_same_v<T, long double> ? 10 : sizeof(T);

template <class T>
struct Arrays {
    T* source = static_cast<T*>(shmem_malloc(kElementsMax * sizeof(T)));
    T* dest = static_cast<T*>(shmem_malloc(kElementsMax * sizeof(T)));
};

template <class T, class Operation>
void check_team(shmem_team_t team, const std::vector<int>& members, const Arrays<T>& arrays,
                Function<T> reduce, Operation operation) {
    const unsigned long seed = tessera::test::shared_seed();
    for (std::size_t nelems : {std::size_t{1}, std::size_t{7}, std::size_t{65}, std::size_t{1000},
                               std::size_t{5003}, kElementsMax}) {
        const bool is_in_place = nelems % 2 == 0;
        T* source = is_in_place ? arrays.dest : arrays.source;
        for (std::size_t i = 0; i < nelems; ++i)
            source[i] = contribution<T>(seed, shmem_my_pe(), i);
        ASSERT_EQ(reduce(team, arrays.dest, source, nelems), 0);
        const std::size_t stride = nelems < 2000 ? 1 : 53;
        for (std::size_t i = 0; i < nelems; i += stride) {
            T expected = contribution<T>(seed, members[0], i);
            for (std::size_t k = 1; k < members.size(); ++k)
                expected = operation(expected, contribution<T>(seed, members[k], i));
            ASSERT_EQ(std::memcmp(&arrays.dest[i], &expected, kBytesThatCount<T>), 0)
                << "element " << i << " of " << nelems;
        }
    }
}

template <class T>
void check_type(Function<T> sum, Function<T> product) {
    const Arrays<T> arrays;
    std::vector<int> all;
    std::vector<int> halves;
    shmem_team_t half = SHMEM_TEAM_INVALID;
    shmem_team_t mine = SHMEM_TEAM_INVALID;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        all.push_back(pe);
        if (pe % 2 == shmem_my_pe() % 2) halves.push_back(pe);
    }
    for (int start = 0; start < std::min(shmem_n_pes(), 2); ++start) {
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 2, (shmem_n_pes() - start + 1) / 2,
                                 nullptr, 0, &half);
        if (half != SHMEM_TEAM_INVALID) mine = half;
    }
    auto add = [](T left, T right) { return left + right; };
    auto multiply = [](T left, T right) { return left * right; };
    check_team<T>(SHMEM_TEAM_WORLD, all, arrays, sum, add);
    check_team<T>(mine, halves, arrays, sum, add);
    check_team<T>(SHMEM_TEAM_WORLD, all, arrays, product, multiply);
    shmem_team_destroy(mine);
    shmem_free(arrays.source);
    shmem_free(arrays.dest);
}

TEST(ReduceReproducible, IsTheLoopOverTheMembers) {
    check_type<float>(shmem_float_sum_reduce, shmem_float_prod_reduce);
    check_type<double>(shmem_double_sum_reduce, shmem_double_prod_reduce);
    check_type<long double>(shmem_longdouble_sum_reduce, shmem_longdouble_prod_reduce);
    check_type<shmem_internal_complexf>(shmem_complexf_sum_reduce, shmem_complexf_prod_reduce);
    check_type<shmem_internal_complexd>(shmem_complexd_sum_reduce, shmem_complexd_prod_reduce);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
