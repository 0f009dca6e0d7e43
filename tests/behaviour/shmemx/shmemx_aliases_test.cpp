// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an extension that OpenSHMEM 1.6 has without the x does something else than its model:
// another type or size, exchanged strides, another context, an exclusive scan for an inclusive one.
#include <pshmem.h>
#include <shmemx.h>

#include <complex>
#include <cstring>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/spec_types.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;

int right() { return (shmem_my_pe() + 1) % shmem_n_pes(); }
int left() { return (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes(); }

struct Blocks {
    const char* name;
    std::size_t element_bytes;
    bool has_context;
    void (*call)(shmem_ctx_t ctx, void* dest, const void* source, int pe);
};

// Strides, block size and count that differ from each other, so that none can stand for another.
constexpr std::ptrdiff_t kDst = 5;
constexpr std::ptrdiff_t kSst = 4;
constexpr std::size_t kBlock = 2;
constexpr std::size_t kCount = 3;
constexpr std::size_t kBytes = 16 * 16;

#define ROW(NAME, T, BYTES)                                                                      \
    {"shmemx_" #NAME, BYTES, false,                                                              \
     [](shmem_ctx_t, void* dest, const void* source, int pe) {                                   \
         shmemx_##NAME(static_cast<T*>(dest), static_cast<const T*>(source), kDst, kSst, kBlock, \
                       kCount, pe);                                                              \
     }},                                                                                         \
        {"shmemx_ctx_" #NAME, BYTES, true,                                                       \
         [](shmem_ctx_t ctx, void* dest, const void* source, int pe) {                           \
             shmemx_ctx_##NAME(ctx, static_cast<T*>(dest), static_cast<const T*>(source), kDst,  \
                               kSst, kBlock, kCount, pe);                                        \
         }},
#define TYPED_PUT(NAME, T) ROW(NAME##_ibput, T, sizeof(T))
#define SIZED_PUT(BITS) ROW(ibput##BITS, void, BITS / 8)
const Blocks kPuts[] = {SPEC_RMA_TYPES(TYPED_PUT) SPEC_SIZES(SIZED_PUT)};
#define TYPED_GET(NAME, T) ROW(NAME##_ibget, T, sizeof(T))
#define SIZED_GET(BITS) ROW(ibget##BITS, void, BITS / 8)
const Blocks kGets[] = {SPEC_RMA_TYPES(TYPED_GET) SPEC_SIZES(SIZED_GET)};
static_assert(std::size(kPuts) == (24 + 5) * 2 && std::size(kGets) == (24 + 5) * 2);

// The definition, one element after the other.
Bytes expected_blocks(const Bytes& source, std::size_t element_bytes) {
    Bytes dest(kBytes, kGuard);
    for (std::size_t block = 0; block < kCount; ++block) {
        std::memcpy(&dest.at(block * kDst * element_bytes),
                    &source.at(block * kSst * element_bytes), kBlock * element_bytes);
    }
    return dest;
}

alignas(16) unsigned char symmetric[kBytes];

// A context of a team whose PE numbers run the other way, so that a routine that ignores its
// context reaches another PE.
class Aliases : public testing::Test {
  protected:
    void SetUp() override {
        const int npes = shmem_n_pes();
        ASSERT_EQ(
            shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, nullptr, 0, &reversed_),
            0);
        ASSERT_EQ(shmem_team_create_ctx(reversed_, 0, &ctx_), 0);
    }
    void TearDown() override {
        shmem_barrier_all();
        shmem_team_destroy(reversed_);
    }
    // The number of PE `pe` in the routine.
    int number_of(int pe, bool has_context) const {
        return has_context ? shmem_n_pes() - 1 - pe : pe;
    }

    shmem_team_t reversed_ = SHMEM_TEAM_INVALID;
    shmem_ctx_t ctx_ = SHMEM_CTX_INVALID;
};

TEST_F(Aliases, BlockPuts) {
    std::size_t round = 0;
    for (const Blocks& put : kPuts) {
        std::memset(symmetric, kGuard, kBytes);
        shmem_barrier_all();
        alignas(16) unsigned char source[kBytes];
        fill(source, kBytes, shmem_my_pe(), right(), round);
        put.call(ctx_, symmetric, source, number_of(right(), put.has_context));
        shmem_ctx_quiet(ctx_);
        shmem_barrier_all();
        Bytes sent(kBytes);
        fill(sent.data(), kBytes, left(), shmem_my_pe(), round);
        const Bytes expected = expected_blocks(sent, put.element_bytes);
        ASSERT_EQ(difference(symmetric, expected.data(), kBytes), "") << put.name;
        shmem_barrier_all();
        ++round;
    }
}

TEST_F(Aliases, BlockGets) {
    std::size_t round = 0;
    for (const Blocks& get : kGets) {
        fill(symmetric, kBytes, shmem_my_pe(), 0, round);
        shmem_barrier_all();
        alignas(16) unsigned char dest[kBytes];
        std::memset(dest, kGuard, kBytes);
        get.call(ctx_, dest, symmetric, number_of(right(), get.has_context));
        Bytes there(kBytes);
        fill(there.data(), kBytes, right(), 0, round);
        const Bytes expected = expected_blocks(there, get.element_bytes);
        ASSERT_EQ(difference(dest, expected.data(), kBytes), "") << get.name;
        shmem_barrier_all();
        ++round;
    }
}

// The overloads of C++; generics_test.c has those of C11.
TEST_F(Aliases, GenericBlocks) {
    static long words[8];
    std::memset(words, 0, sizeof words);
    shmem_barrier_all();
    const long sent[] = {10, 11, 12, 13, 14, 15};
    shmemx_ibput(words, sent, 2, 3, 1, 2, right());
    shmemx_ibput(ctx_, words + 4, sent, 2, 3, 1, 2, number_of(right(), true));
    shmem_barrier_all();
    const long expected[] = {10, 0, 13, 0, 10, 0, 13, 0};
    EXPECT_EQ(std::memcmp(words, expected, sizeof words), 0);
    long got[8] = {};
    shmemx_ibget(got, words, 3, 2, 1, 2, right());
    EXPECT_EQ(got[0], 10);
    EXPECT_EQ(got[3], 13);
    shmemx_ibget(ctx_, got + 1, words, 3, 2, 1, 2, number_of(right(), true));
    EXPECT_EQ(got[1], 10);
    EXPECT_EQ(got[4], 13);
}

TEST_F(Aliases, Signals) {
    static std::uint64_t signals[4];
    std::memset(signals, 0, sizeof signals);
    shmem_barrier_all();
    const int there = number_of(right(), true);
    shmemx_signal_set(&signals[0], 40, right());
    shmemx_signal_add(&signals[0], 2, right());
    const auto me = static_cast<std::uint64_t>(shmem_my_pe());
    shmemx_ctx_signal_set(ctx_, &signals[1], 50 * me, there);
    shmemx_ctx_signal_add(ctx_, &signals[1], 3, there);
    // Overloads with a context.
    shmemx_signal_set(ctx_, &signals[2], 60 * me, there);
    shmemx_signal_add(ctx_, &signals[2], 4, there);
    shmem_ctx_quiet(ctx_);
    shmem_barrier_all();
    EXPECT_EQ(signals[0], 42U);
    const auto sender = static_cast<std::uint64_t>(left());
    EXPECT_EQ(signals[1], 50 * sender + 3);
    EXPECT_EQ(signals[2], 60 * sender + 4);
    EXPECT_EQ(signals[3], 0U);
    // All PEs add to the one of PE 0.
    shmem_barrier_all();
    shmemx_signal_add(&signals[3], 1, 0);
    if (shmem_my_pe() == 0) {
        EXPECT_EQ(shmem_signal_wait_until(&signals[3], SHMEM_CMP_EQ,
                                          static_cast<std::uint64_t>(shmem_n_pes())),
                  static_cast<std::uint64_t>(shmem_n_pes()));
    }
}

// The complex types have no arithmetic in standard C++; their real and imaginary parts do.
template <class T>
T value_of(int i) {
    return static_cast<T>(i);
}
#define COMPLEX_VALUE(T, PART)                                                   \
    template <>                                                                  \
    T value_of<T>(int i) {                                                       \
        const PART parts[2] = {static_cast<PART>(i), static_cast<PART>(-2 * i)}; \
        T value;                                                                 \
        std::memcpy(&value, parts, sizeof value);                                \
        return value;                                                            \
    }
COMPLEX_VALUE(shmem_internal_complexd, double)
COMPLEX_VALUE(shmem_internal_complexf, float)
#undef COMPLEX_VALUE

template <class T>
using Scan = int (*)(shmem_team_t, T*, const T*, std::size_t);

// PE i gives i + 1 and 3 * (i + 1), as member i of the team.
template <class T>
void check_scan(Scan<T> scan, bool is_inclusive, const char* name, shmem_team_t team) {
    static T dest[2];
    static T source[2];
    const int me = shmem_team_my_pe(team);
    source[0] = value_of<T>(me + 1);
    source[1] = value_of<T>(3 * (me + 1));
    dest[0] = dest[1] = value_of<T>(99);
    shmem_barrier_all();
    ASSERT_EQ(scan(team, dest, source, 2), 0) << name;
    const int sum = is_inclusive ? (me + 1) * (me + 2) / 2 : me * (me + 1) / 2;
    ASSERT_TRUE(dest[0] == value_of<T>(sum)) << name;
    ASSERT_TRUE(dest[1] == value_of<T>(3 * sum)) << name;
}

TEST_F(Aliases, Scans) {
    int types = 0;
#define CHECK(NAME, T)                                                                          \
    check_scan<T>(shmemx_##NAME##_sum_inscan, true, "shmemx_" #NAME "_sum_inscan", reversed_);  \
    check_scan<T>(shmemx_##NAME##_sum_exscan, false, "shmemx_" #NAME "_sum_exscan", reversed_); \
    ++types;
    SPEC_RMA_TYPES(CHECK)
    CHECK(complexd, shmem_internal_complexd)
    CHECK(complexf, shmem_internal_complexf)
#undef CHECK
    EXPECT_EQ(types, 26);
}

TEST_F(Aliases, GenericScans) {
    static int sums[2];
    static int mine;
    mine = shmem_my_pe() + 1;
    shmem_barrier_all();
    ASSERT_EQ(shmemx_sum_inscan(SHMEM_TEAM_WORLD, &sums[0], &mine, 1), 0);
    ASSERT_EQ(shmemx_sum_exscan(SHMEM_TEAM_WORLD, &sums[1], &mine, 1), 0);
    EXPECT_EQ(sums[0], mine * (mine + 1) / 2);
    EXPECT_EQ(sums[1], mine * (mine - 1) / 2);
}

TEST_F(Aliases, QueryInitialized) {
    int initialized = -1;
    shmemx_query_initialized(&initialized);
    EXPECT_EQ(initialized, 1);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
