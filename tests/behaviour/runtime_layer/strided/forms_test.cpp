// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a strided or indexed transfer of a usual form (a face, a transpose, long runs, any
// number of dimensions, nothing) goes wrong, overtakes a fence, or counts PEs in the wrong team.
// shapes_test.cpp has the unusual forms.
#include <array>

#include "runtime_layer/strided/shapes.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;
using tessera::test::kRegionBytes;
using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;
using tessera::test::Shape;

int right() { return (shmem_my_pe() + 1) % shmem_n_pes(); }
int left() { return (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes(); }

Shape shape_of(std::size_t element_bytes, std::vector<std::size_t> extents,
               std::vector<std::ptrdiff_t> dest, std::vector<std::ptrdiff_t> source) {
    Shape shape{.extents = std::move(extents),
                .element_bytes = element_bytes,
                .dest = {.strides = std::move(dest)},
                .source = {.strides = std::move(source)}};
    place(shape.dest, shape);
    place(shape.source, shape);
    return shape;
}

void put(unsigned char* dest, const unsigned char* source, const Shape& shape, int pe) {
    shmemx_put_strided(dest + shape.dest.start, shape.dest.strides.data(),
                       source + shape.source.start, shape.source.strides.data(),
                       shape.extents.data(), shape.ndims(), shape.element_bytes, pe);
}
void get(unsigned char* dest, const unsigned char* source, const Shape& shape, int pe) {
    shmemx_get_strided(dest + shape.dest.start, shape.dest.strides.data(),
                       source + shape.source.start, shape.source.strides.data(),
                       shape.extents.data(), shape.ndims(), shape.element_bytes, pe);
}

// Puts to the right and gets from there, of heap and static memory.
void check(const Shape& shape) {
    SCOPED_TRACE(text_of(shape));
    const std::size_t bytes = std::max(shape.dest.span, shape.source.span) + 16;
    ASSERT_LE(bytes, kRegionBytes);
    Bytes mine(bytes);
    Bytes expected(bytes);
    for (const Region& region : regions()) {
        std::memset(region.data, kGuard, bytes);
        fill(mine.data(), bytes, shmem_my_pe(), 1, 0);
        shmem_barrier_all();
        put(region.data, mine.data(), shape, right());
        shmem_barrier_all();
        std::fill(expected.begin(), expected.end(), kGuard);
        fill(mine.data(), bytes, left(), 1, 0);
        model(expected.data(), mine.data(), shape);
        ASSERT_EQ(difference(region.data, expected.data(), bytes), "") << "put " << region.kind;
        fill(region.data, bytes, shmem_my_pe(), 2, 0);
        shmem_barrier_all();
        Bytes dest(bytes, kGuard);
        get(dest.data(), region.data, shape, right());
        std::fill(expected.begin(), expected.end(), kGuard);
        fill(mine.data(), bytes, right(), 2, 0);
        model(expected.data(), mine.data(), shape);
        ASSERT_EQ(difference(dest.data(), expected.data(), bytes), "") << "get " << region.kind;
        shmem_barrier_all();
    }
}

TEST(Strided, EveryNumberOfDimensions) {
    for (int ndims = 0; ndims <= SHMEMX_NDIMS_MAX; ++ndims) {
        Shape shape;
        shape.element_bytes = 3;
        std::ptrdiff_t stride = 4;
        for (int i = 0; i < ndims; ++i, stride *= 2) {
            shape.extents.push_back(2);
            shape.dest.strides.push_back(i % 3 == 0 ? -stride : stride);
            // The same dimensions in the opposite order.
            const std::ptrdiff_t opposite = std::ptrdiff_t{4} << (ndims - 1 - i);
            shape.source.strides.push_back(i % 4 == 1 ? -opposite : opposite);
        }
        place(shape.dest, shape);
        place(shape.source, shape);
        check(shape);
    }
}

TEST(Strided, MatricesAndFaces) {
    check(shape_of(8, {64, 64}, {1024, 16}, {1024, 16}));  // every second element of each row
    check(shape_of(8, {64, 64}, {1024, 16}, {512, 8}));
    check(shape_of(8, {64, 64}, {512, 8}, {512, 8}));  // all of it
    check(shape_of(8, {32, 8}, {2048, 8}, {512, 8}));  // blocks of rows
    // Faces of 32 x 32 x 16 doubles.
    check(shape_of(8, {32, 16}, {128, 8}, {128, 8}));
    check(shape_of(8, {32, 16}, {4096, 8}, {4096, 8}));
    check(shape_of(8, {32, 32}, {4096, 128}, {4096, 128}));
    check(shape_of(8, {32, 32}, {4096, 128}, {256, 8}));
}

TEST(Strided, Transposes) {
    for (std::size_t bytes : {1, 2, 4, 8, 16, 24}) {
        const auto step = static_cast<std::ptrdiff_t>(bytes);
        check(shape_of(bytes, {90, 70}, {70 * step, step}, {step, 90 * step}));
        check(shape_of(bytes, {9, 20, 30}, {600 * step, 30 * step, step},
                       {step, 9 * step, 180 * step}));
    }
}

TEST(Strided, LongRuns) {
    for (std::size_t bytes : {300, 1000, 4000, 4060, 5000, 70000}) {
        const auto stride = static_cast<std::ptrdiff_t>(bytes + 64);
        check(shape_of(bytes, {3, 2}, {2 * stride, stride}, {3 * stride, stride}));
    }
}

// One element, and one row, to many places.
TEST(Strided, SourceStridesOfZero) {
    check(shape_of(8, {50, 40}, {400, 8}, {0, 0}));
    check(shape_of(8, {50, 40}, {400, 8}, {0, 8}));
    check(shape_of(8, {50, 40}, {400, 8}, {8, 0}));
}

TEST(Strided, NothingToMoveNeedsNoMemory) {
    const std::size_t some[] = {3, 0, 2};
    const std::ptrdiff_t strides[] = {0, 0, 0};
    const int last = shmem_n_pes() - 1;
    shmemx_put_strided(nullptr, strides, nullptr, strides, some, 3, 8, last);
    shmemx_get_strided(nullptr, strides, nullptr, strides, some, 3, 8, last);
    shmemx_put_strided(nullptr, strides, nullptr, strides, some, 1, 0, last);
    shmemx_get_strided_nbi(nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, last);
    const shmemx_block_t none[] = {{5, 0}, {-7, 0}};
    shmemx_put_indexed(nullptr, nullptr, 0, nullptr, nullptr, 0, last);
    shmemx_get_indexed(nullptr, none, 2, nullptr, none, 1, last);
}

TEST(Strided, NothingToMoveUpdatesTheSignalAllTheSame) {
    static std::uint64_t signals[2];  // symmetric
    const std::size_t none = 0;
    const std::ptrdiff_t stride = 0;
    shmemx_put_strided_signal(nullptr, &stride, nullptr, &stride, &none, 1, 8, &signals[0], 3,
                              SHMEM_SIGNAL_SET, right());
    shmemx_put_indexed_signal(nullptr, nullptr, 0, nullptr, nullptr, 0, &signals[1], 4,
                              SHMEM_SIGNAL_ADD, right());
    shmem_signal_wait_until(&signals[0], SHMEM_CMP_EQ, 3);
    shmem_signal_wait_until(&signals[1], SHMEM_CMP_EQ, 4);
    shmem_barrier_all();
}

// Messages, then what the provider writes, to the same bytes; and the other way round.
TEST(Strided, FencesKeepTheOrderOfStridedAndOtherPuts) {
    constexpr std::size_t kBytes = 8192;
    const Shape shape = shape_of(8, {kBytes / 16}, {16}, {16});
    unsigned char* dest = regions()[0].data;
    Bytes first(kBytes);
    Bytes second(kBytes);
    Bytes expected(kBytes);
    for (int round = 0; round < scaled(60); ++round) {
        const auto number = static_cast<std::size_t>(round);
        fill(first.data(), kBytes, shmem_my_pe(), right(), 2 * number);
        fill(second.data(), kBytes, shmem_my_pe(), right(), 2 * number + 1);
        const std::size_t length = round % 3 == 0 ? kBytes : round % 3 == 1 ? 2000 : 40;
        const bool strided_first = round % 2 == 0;
        shmem_barrier_all();
        if (strided_first) {
            put(dest, first.data(), shape, right());
            shmem_fence();
            shmem_putmem(dest, second.data(), length, right());
        } else {
            shmem_putmem(dest, second.data(), kBytes, right());
            shmem_fence();
            put(dest, first.data(), shape, right());
        }
        shmem_barrier_all();
        fill(first.data(), kBytes, left(), shmem_my_pe(), 2 * number);
        fill(second.data(), kBytes, left(), shmem_my_pe(), 2 * number + 1);
        std::memcpy(expected.data(), strided_first ? dest : second.data(), kBytes);
        model(expected.data(), first.data(), shape);
        if (strided_first) std::memcpy(expected.data(), second.data(), length);
        ASSERT_EQ(difference(dest, expected.data(), kBytes), "") << "round " << round;
    }
}

// Runs that are too long for messages go by the provider, which must not write them in front of
// messages to the same bytes.
TEST(Strided, LongRunsStayBehindMessagesInFrontOfAFence) {
    constexpr std::size_t kBytes = 65536;
    const Shape words = shape_of(8, {kBytes / 16}, {16}, {16});
    const Shape runs = shape_of(kBytes / 4 - 100, {4}, {kBytes / 4}, {kBytes / 4});
    unsigned char* dest = regions()[0].data;
    Bytes first(kBytes);
    Bytes second(kBytes);
    Bytes expected(kBytes);
    for (int round = 0; round < scaled(30); ++round) {
        const auto number = static_cast<std::size_t>(round);
        fill(first.data(), kBytes, shmem_my_pe(), right(), 2 * number);
        fill(second.data(), kBytes, shmem_my_pe(), right(), 2 * number + 1);
        shmem_barrier_all();
        put(dest, first.data(), words, right());
        shmem_fence();
        put(dest, second.data(), runs, right());
        shmem_barrier_all();
        fill(first.data(), kBytes, left(), shmem_my_pe(), 2 * number);
        fill(second.data(), kBytes, left(), shmem_my_pe(), 2 * number + 1);
        std::memcpy(expected.data(), dest, kBytes);
        model(expected.data(), first.data(), words);
        model(expected.data(), second.data(), runs);
        ASSERT_EQ(difference(dest, expected.data(), kBytes), "") << "round " << round;
    }
}

// A target may wait for words that a strided put writes.
TEST(Strided, WordsArriveWhole) {
    constexpr std::size_t kWords = 64;
    static long words[2 * kWords];  // symmetric
    const std::size_t extent = kWords;
    const std::ptrdiff_t there = 2 * sizeof(long);
    const std::ptrdiff_t here = sizeof(long);
    for (long round = 1; round <= scaled(200); ++round) {
        std::array<long, kWords> values;
        values.fill(static_cast<long>(static_cast<unsigned long>(round) * 0x0101010101010101UL));
        shmemx_put_strided(words, &there, values.data(), &here, &extent, 1, sizeof(long), right());
        for (std::size_t i = 0; i < kWords; ++i)
            shmem_long_wait_until(&words[2 * i], SHMEM_CMP_EQ, values[i]);
        shmem_barrier_all();
    }
}

TEST(Strided, PesCountInTheTeamOfTheContext) {
    shmem_team_t odd = SHMEM_TEAM_INVALID;
    const int members = shmem_n_pes() / 2;
    if (members == 0) return;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, members, nullptr, 0, &odd);
    static long cell[2];  // symmetric
    cell[0] = cell[1] = -1;
    shmem_barrier_all();
    const int me = shmem_team_my_pe(odd);
    if (me >= 0) {
        shmem_ctx_t context = SHMEM_CTX_INVALID;
        ASSERT_EQ(shmem_team_create_ctx(odd, 0, &context), 0);
        const long values[] = {me, me + 100};
        const std::size_t extent = 2;
        const std::ptrdiff_t stride = sizeof(long);
        const int next = (me + 1) % members;
        shmemx_ctx_put_strided(context, cell, &stride, values, &stride, &extent, 1, sizeof(long),
                               next);
        static std::uint64_t signal;  // symmetric
        shmemx_ctx_put_strided_signal(context, cell + 1, &stride, &values[1], &stride, &extent, 0,
                                      sizeof(long), &signal, 7, SHMEM_SIGNAL_SET, next);
        shmem_ctx_quiet(context);
        EXPECT_EQ(shmem_uint64_atomic_fetch(&signal, 1 + 2 * next), 7);
        const shmemx_block_t whole = {0, 2 * sizeof(long)};
        long seen[2] = {};
        shmemx_ctx_get_indexed(context, seen, &whole, 1, cell, &whole, 1, next);
        EXPECT_EQ(seen[0], me);
        EXPECT_EQ(seen[1], me + 100);
        shmem_ctx_destroy(context);
    }
    shmem_barrier_all();
    if (me >= 0) {
        EXPECT_EQ(cell[0], (me + members - 1) % members);
        shmem_team_destroy(odd);
    } else {
        EXPECT_EQ(cell[0], -1);
    }
}

// More answers than a get asks for at a time.
TEST(Strided, ManyNonblockingGets) {
    constexpr std::size_t kGets = 8;
    constexpr std::size_t kBytes = 40000;
    unsigned char* source = regions()[0].data;
    fill(source, kGets * kBytes, shmem_my_pe(), 3, 0);
    shmem_barrier_all();
    const Shape shape = shape_of(8, {kBytes / 24}, {24}, {24});
    Bytes dest(kGets * kBytes, kGuard);
    for (std::size_t i = 0; i < kGets; ++i) {
        shmemx_get_strided_nbi(dest.data() + i * kBytes, shape.dest.strides.data(),
                               source + i * kBytes, shape.source.strides.data(),
                               shape.extents.data(), 1, 8, right());
    }
    shmem_quiet();
    Bytes there(kGets * kBytes);
    fill(there.data(), there.size(), right(), 3, 0);
    Bytes expected(kGets * kBytes, kGuard);
    for (std::size_t i = 0; i < kGets; ++i)
        model(expected.data() + i * kBytes, there.data() + i * kBytes, shape);
    EXPECT_EQ(difference(dest.data(), expected.data(), expected.size()), "");
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
