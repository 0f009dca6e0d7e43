// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a reduction of some type and operator is not the sequential result. All that the
// specification has; values are such that the result is exact in any order. The algorithm and the
// access are those of the settings; the runs of this program go through all of them.
#include <shmem.h>
#include <shmem/types.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kElementsMax = std::size_t{1} << 20;
constexpr std::size_t kBytesMax = kElementsMax * sizeof(double);

template <class T>
using Function = int (*)(shmem_team_t, T*, const T*, std::size_t);

template <class T>
inline constexpr bool kIsComplex = !std::is_arithmetic_v<T>;

// Makes a number that looks like no other.
std::uint64_t scramble(std::uint64_t word) {
    word = (word + 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
    word = (word ^ word >> 29) * 0x94D049BB133111EBU;
    return word ^ word >> 32;
}

// Whole numbers, so that sums of parts are exact; and factors whose products stay small.
template <class T>
T contribution(int pe, std::size_t i, bool is_factor) {
    const std::uint64_t word = scramble(static_cast<std::uint64_t>(pe) << 40 ^ i);
    const auto number = static_cast<unsigned>(word);
    const double sign = number % 2 == 0 ? 1 : -1;
    if constexpr (kIsComplex<T>) {
        using Real = std::conditional_t<sizeof(T) == 8, float, double>;
        const unsigned real = is_factor ? number / 2 % 2 : number / 2 % 9;
        const Real parts[2] = {static_cast<Real>(sign * real), 1};
        T value;
        std::memcpy(&value, parts, sizeof value);
        return value;
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(word >> 8);
    } else {
        return static_cast<T>(sign * (is_factor ? 1 + number / 2 % 2 : 1 + number / 2 % 1000));
    }
}

// Integers wrap around.
template <class T>
T add(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
    } else {
        return left + right;
    }
}
template <class T>
T multiply(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(left) * static_cast<std::uint64_t>(right));
    } else {
        return left * right;
    }
}

// Symmetric, enough for all types.
struct Arrays {
    Arrays() : source(shmem_malloc(kBytesMax)), dest(shmem_malloc(kBytesMax)) {}
    ~Arrays() {
        shmem_free(source);
        shmem_free(dest);
    }
    Arrays(const Arrays&) = delete;
    Arrays& operator=(const Arrays&) = delete;

    void* source;
    void* dest;
};

struct Call {
    const char* name;
    std::size_t nelems;
    bool is_factor;
    bool is_in_place;
};

template <class T, class Operation>
void check_call(const Arrays& arrays, const Call& call, Function<T> reduce, Operation operation) {
    T* dest = static_cast<T*>(arrays.dest);
    T* source = call.is_in_place ? dest : static_cast<T*>(arrays.source);
    const int me = shmem_my_pe();
    for (std::size_t i = 0; i < call.nelems; ++i)
        source[i] = contribution<T>(me, i, call.is_factor);
    ASSERT_EQ(reduce(SHMEM_TEAM_WORLD, dest, source, call.nelems), 0);
    // Checks some elements and the end of a long vector.
    const std::size_t stride = call.nelems <= 5000 ? 1 : 97;
    for (std::size_t k = 0; k < call.nelems + stride - 1; k += stride) {
        const std::size_t i = std::min(k, call.nelems - 1);
        T expected = contribution<T>(0, i, call.is_factor);
        for (int pe = 1; pe < shmem_n_pes(); ++pe)
            expected = operation(expected, contribution<T>(pe, i, call.is_factor));
        ASSERT_TRUE(dest[i] == expected) << call.name << ", element " << i << " of " << call.nelems
                                         << (call.is_in_place ? ", in place" : "");
    }
}

template <class T, class Operation>
void check_lengths(const Arrays& arrays, const char* name, bool is_factor, Function<T> reduce,
                   Operation operation) {
    for (std::size_t nelems : {0, 1, 2, 3, 65, 1000}) {
        for (bool is_in_place : {false, true}) {
            check_call<T>(arrays,
                          {.name = name,
                           .nelems = nelems,
                           .is_factor = is_factor,
                           .is_in_place = is_in_place},
                          reduce, operation);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

// shmem_TYPENAME_{and,or,xor}_reduce
TEST(ReduceTypes, Bitwise) {
    const Arrays arrays;
#define CHECK(NAME, T)                                                       \
    check_lengths<T>(arrays, #NAME " and", false, shmem_##NAME##_and_reduce, \
                     [](T a, T b) { return static_cast<T>(a & b); });        \
    check_lengths<T>(arrays, #NAME " or", false, shmem_##NAME##_or_reduce,   \
                     [](T a, T b) { return static_cast<T>(a | b); });        \
    check_lengths<T>(arrays, #NAME " xor", false, shmem_##NAME##_xor_reduce, \
                     [](T a, T b) { return static_cast<T>(a ^ b); });
    SHMEM_INTERNAL_RED_BIT_TYPES(CHECK)
#undef CHECK
}

// shmem_TYPENAME_{max,min}_reduce
TEST(ReduceTypes, Extremes) {
    const Arrays arrays;
#define CHECK(NAME, T)                                                       \
    check_lengths<T>(arrays, #NAME " max", false, shmem_##NAME##_max_reduce, \
                     [](T a, T b) { return a < b ? b : a; });                \
    check_lengths<T>(arrays, #NAME " min", false, shmem_##NAME##_min_reduce, \
                     [](T a, T b) { return b < a ? b : a; });
    SHMEM_INTERNAL_RED_MM_TYPES(CHECK)
#undef CHECK
}

// shmem_TYPENAME_{sum,prod}_reduce
TEST(ReduceTypes, Arithmetic) {
    const Arrays arrays;
#define CHECK(NAME, T)                                                                \
    check_lengths<T>(arrays, #NAME " sum", false, shmem_##NAME##_sum_reduce, add<T>); \
    check_lengths<T>(arrays, #NAME " prod", true, shmem_##NAME##_prod_reduce, multiply<T>);
    SHMEM_INTERNAL_RED_SP_TYPES(CHECK)
#undef CHECK
}

template <class T, class Operation>
void check_long(const Arrays& arrays, const char* name, Function<T> reduce, Operation operation) {
    // Beyond all rooms, pieces and chunks; and in pieces of odd length.
    const std::size_t longest = shmem_n_pes() <= 5 ? kElementsMax : 100003;
    for (std::size_t nelems : {std::size_t{1024}, std::size_t{9973}, longest}) {
        for (bool is_in_place : {false, true}) {
            check_call<T>(
                arrays,
                {.name = name, .nelems = nelems, .is_factor = false, .is_in_place = is_in_place},
                reduce, operation);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(ReduceTypes, LongVectors) {
    const Arrays arrays;
    check_long<long>(arrays, "long sum", shmem_long_sum_reduce, add<long>);
    check_long<double>(arrays, "double sum", shmem_double_sum_reduce, add<double>);
    check_long<unsigned char>(
        arrays, "uchar xor", shmem_uchar_xor_reduce,
        [](unsigned char a, unsigned char b) { return static_cast<unsigned char>(a ^ b); });
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
