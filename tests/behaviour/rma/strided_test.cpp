// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a strided or block-strided put or get mixes up some pair of strides, block size or
// count, or touches an element that is not its own. rma_conformance_test.cpp has every form.
#include <pshmem.h>

#include <cstring>
#include <random>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/spec_types.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;
using tessera::test::Region;
using tessera::test::regions;

struct Shape {
    std::ptrdiff_t dst = 1;
    std::ptrdiff_t sst = 1;
    std::size_t bsize = 1;
    std::size_t nblocks = 0;
};

// A strided routine with its type forgotten. Those without a block size are given 1.
struct Routine {
    const char* name;
    std::size_t element_bytes;
    bool has_blocks;
    void (*call)(void* dest, const void* source, const Shape& shape, int pe);
};

#define ROW(ROUTINE, CTX, T, BYTES, HAS_BLOCKS, BLOCK)                                         \
    {#ROUTINE, BYTES, HAS_BLOCKS, [](void* dest, const void* source, const Shape& s, int pe) { \
         ROUTINE(CTX() static_cast<T*>(dest), static_cast<const T*>(source), s.dst, s.sst,     \
                 BLOCK() s.nblocks, pe);                                                       \
     }},
#define ELEMENTS()
#define BLOCKS() s.bsize,
#define FORMS(NAME, T, BYTES) SPEC_FORMS(ROW, NAME, T, BYTES, false, ELEMENTS)
#define BLOCK_FORMS(NAME, T, BYTES) SPEC_FORMS(ROW, NAME, T, BYTES, true, BLOCKS)

#define TYPED_PUT(NAME, T) FORMS(NAME##_iput, T, sizeof(T)) BLOCK_FORMS(NAME##_ibput, T, sizeof(T))
#define SIZED_PUT(BITS) FORMS(iput##BITS, void, BITS / 8) BLOCK_FORMS(ibput##BITS, void, BITS / 8)
const Routine kPuts[] = {SPEC_RMA_TYPES(TYPED_PUT) SPEC_SIZES(SIZED_PUT)};
static_assert(std::size(kPuts) == (24 + 5) * 2 * 4);

#define TYPED_GET(NAME, T) FORMS(NAME##_iget, T, sizeof(T)) BLOCK_FORMS(NAME##_ibget, T, sizeof(T))
#define SIZED_GET(BITS) FORMS(iget##BITS, void, BITS / 8) BLOCK_FORMS(ibget##BITS, void, BITS / 8)
const Routine kGets[] = {SPEC_RMA_TYPES(TYPED_GET) SPEC_SIZES(SIZED_GET)};
static_assert(std::size(kGets) == (24 + 5) * 2 * 4);

// The definition in the specification, one element after the other.
void apply(Bytes& dest, const Bytes& source, const Shape& shape, std::size_t element_bytes) {
    for (std::size_t block = 0; block < shape.nblocks; ++block) {
        for (std::size_t i = 0; i < shape.bsize; ++i) {
            std::size_t to = block * static_cast<std::size_t>(shape.dst) + i;
            std::size_t from = block * static_cast<std::size_t>(shape.sst) + i;
            std::memcpy(&dest.at(to * element_bytes), &source.at(from * element_bytes),
                        element_bytes);
        }
    }
}

constexpr std::size_t kBytes = 1536;  // 96 elements of 16 bytes
constexpr std::size_t kElements = 96;

// Every pair of strides from 1 to 5, then random ones. The shape fits into kElements.
Shape shape_for(const Routine& routine, std::size_t round, std::mt19937_64& random) {
    Shape shape;
    shape.dst = static_cast<std::ptrdiff_t>(1 + round % 5);
    shape.sst = static_cast<std::ptrdiff_t>(1 + round / 5 % 5);
    if (routine.has_blocks) {
        shape.bsize = 1 + random() % 5;
        shape.dst += static_cast<std::ptrdiff_t>(shape.bsize) - 1;
        shape.sst += static_cast<std::ptrdiff_t>(shape.bsize) - 1;
    }
    std::ptrdiff_t stride = shape.dst > shape.sst ? shape.dst : shape.sst;
    std::size_t most = (kElements - shape.bsize) / static_cast<std::size_t>(stride) + 1;
    shape.nblocks = random() % 4 == 0 ? most : random() % (most + 1);
    return shape;
}

std::string text_of(const Routine& routine, const Shape& shape, const Region& region) {
    return std::string(routine.name) + " dst " + std::to_string(shape.dst) + " sst " +
           std::to_string(shape.sst) + " bsize " + std::to_string(shape.bsize) + " blocks " +
           std::to_string(shape.nblocks) + " " + region.kind;
}

// The random numbers are the same on all PEs, so each knows what the others do.
class Strided : public testing::Test {
  protected:
    Strided() : random_(tessera::test::shared_seed()) {}

    void check_put(const Routine& put, const Region& region, std::size_t round) {
        Shape shape = shape_for(put, round, random_);
        const int me = shmem_my_pe();
        const int distance = static_cast<int>(random_() % static_cast<unsigned>(shmem_n_pes()));
        const int to = (me + distance) % shmem_n_pes();
        const int from = (me - distance + shmem_n_pes()) % shmem_n_pes();
        std::memset(region.data, kGuard, kBytes);
        shmem_barrier_all();
        fill(source_.data(), kBytes, me, to, round);
        put.call(region.data, source_.data(), shape, to);
        shmem_barrier_all();
        Bytes expected(kBytes, kGuard);
        fill(source_.data(), kBytes, from, me, round);
        apply(expected, source_, shape, put.element_bytes);
        ASSERT_EQ(difference(region.data, expected.data(), kBytes), "")
            << text_of(put, shape, region);
    }

    void check_get(const Routine& get, const Region& region, std::size_t round) {
        Shape shape = shape_for(get, round, random_);
        const auto from = static_cast<int>(random_() % static_cast<unsigned>(shmem_n_pes()));
        fill(region.data, kBytes, shmem_my_pe(), 0, round);
        shmem_barrier_all();
        Bytes dest(kBytes, kGuard);
        get.call(dest.data(), region.data, shape, from);
        Bytes expected(kBytes, kGuard);
        fill(source_.data(), kBytes, from, 0, round);
        apply(expected, source_, shape, get.element_bytes);
        ASSERT_EQ(difference(dest.data(), expected.data(), kBytes), "")
            << text_of(get, shape, region) << " from PE " << from;
        shmem_barrier_all();
    }

    std::mt19937_64 random_;
    alignas(16) Bytes source_ = Bytes(kBytes);
};

TEST_F(Strided, EveryPairOfStridesAndBlocks) {
    for (std::size_t round = 0; round < 50; ++round) {
        const Region& region = regions()[round / 25];
        for (std::size_t i : {0, 4, 14, 16, 52}) {  // 4, 4, 8, 16 and 8 bytes, some with blocks.
            check_put(kPuts[8 * (i % 29) + (round % 2) * 4], region, round);
            check_get(kGets[8 * (i % 29) + (round % 2) * 4], region, round);
        }
    }
}

TEST_F(Strided, LargeBlocks) {
    constexpr std::size_t kBlock = 20000;
    constexpr std::size_t kStride = 30000;
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    const int left = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
    for (const Region& region : regions()) {
        Bytes source(3 * kStride);
        fill(source.data(), source.size(), shmem_my_pe(), right, 0);
        std::memset(region.data, kGuard, 4 * kStride);
        shmem_barrier_all();
        shmem_ibput8(region.data, source.data(), kStride, kBlock, kBlock, 3, right);
        shmem_barrier_all();
        Bytes expected(4 * kStride, kGuard);
        fill(source.data(), source.size(), left, shmem_my_pe(), 0);
        apply(expected, source, {kStride, kBlock, kBlock, 3}, 1);
        ASSERT_EQ(difference(region.data, expected.data(), expected.size()), "") << region.kind;
        shmem_barrier_all();
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
