// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when put or get of random or large sizes, or between symmetric memory of two PEs, writes
// or reads the wrong PE, place or length. rma_conformance_test.cpp has every type and form.
#include <array>
#include <cstring>
#include <memory>
#include <random>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;
using tessera::test::Region;
using tessera::test::regions;

// A window of a region that only I write, on every PE, and what it must hold.
struct Window {
    unsigned char* data;
    std::vector<Bytes> model;  // by PE
};

constexpr std::size_t kWindowBytes = 8192;

Window make_window(const Region& region) {
    Window window{region.data + kWindowBytes * static_cast<std::size_t>(shmem_my_pe()), {}};
    std::memset(region.data, 0, kWindowBytes * static_cast<std::size_t>(shmem_n_pes()));
    window.model.assign(static_cast<std::size_t>(shmem_n_pes()), Bytes(kWindowBytes, 0));
    return window;
}

// Lengths at which a copy changes its method, and others.
std::size_t random_length(std::mt19937_64& random) {
    constexpr std::size_t kEdges[] = {1,   2,   3,   4,   5,    7,    8,    9,    15,   16,  17,
                                      31,  32,  33,  63,  64,   65,   127,  128,  129,  255, 256,
                                      257, 511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097};
    if (random() % 2 == 0) return kEdges[random() % std::size(kEdges)];
    return 1 + random() % 600;
}

// Symmetric as well: each PE has them, with the same values.
constexpr std::size_t kConstants = 100;
const std::array<long, kConstants> constants = [] {
    std::array<long, kConstants> values{};
    for (std::size_t i = 0; i < kConstants; ++i) values[i] = static_cast<long>(i * i);
    return values;
}();

TEST(Rma, GetsReadConstants) {
    const int pe = (shmem_my_pe() + 1) % shmem_n_pes();
    std::array<long, kConstants> copies[4]{};
    shmem_long_get(copies[0].data(), constants.data(), kConstants, pe);
    shmem_getmem_nbi(copies[1].data(), constants.data(), sizeof constants, pe);
    for (std::size_t i = 0; i < kConstants; ++i) copies[2][i] = shmem_long_g(&constants[i], pe);
    shmem_long_iget(copies[3].data(), constants.data(), 2, 2, kConstants / 2, pe);
    shmem_long_iget(copies[3].data() + 1, constants.data() + 1, 2, 2, kConstants / 2, pe);
    shmem_quiet();
    for (const auto& copy : copies) EXPECT_EQ(copy, constants);
}

TEST(Rma, RandomTransfersAgreeWithAModel) {
    using tessera::test::scaled;
    std::mt19937_64 random(tessera::test::shared_seed() + static_cast<unsigned>(shmem_my_pe()));
    std::vector<Window> windows;
    for (const Region& region : regions()) windows.push_back(make_window(region));
    shmem_barrier_all();
    Bytes local(2 * kWindowBytes);
    for (int i = 0; i < scaled(6000); ++i) {
        Window& window = windows[random() % windows.size()];
        auto pe = random() % static_cast<std::size_t>(shmem_n_pes());
        Bytes& model = window.model[pe];
        std::size_t bytes = random_length(random);
        std::size_t offset = random() % (kWindowBytes - bytes + 1);
        unsigned char* here = local.data() + random() % kWindowBytes;
        if (random() % 3 == 0) {
            (random() % 2 == 0 ? shmem_getmem : shmem_getmem_nbi)(here, window.data + offset, bytes,
                                                                  static_cast<int>(pe));
            shmem_quiet();
            ASSERT_EQ(difference(here, model.data() + offset, bytes), "") << "get " << offset;
        } else {
            fill(here, bytes, shmem_my_pe(), static_cast<int>(pe), static_cast<std::size_t>(i));
            (random() % 2 == 0 ? shmem_putmem : shmem_putmem_nbi)(window.data + offset, here, bytes,
                                                                  static_cast<int>(pe));
            shmem_quiet();
            std::memcpy(model.data() + offset, here, bytes);
        }
    }
    for (const Window& window : windows) {
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            shmem_getmem(local.data(), window.data, kWindowBytes, pe);
            const Bytes& model = window.model[static_cast<std::size_t>(pe)];
            ASSERT_EQ(difference(local.data(), model.data(), kWindowBytes), "") << "PE " << pe;
        }
    }
    shmem_barrier_all();
}

// Between the heap and static data of two PEs, in all four combinations.
TEST(Rma, SourceAndDestMayBeSymmetric) {
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    const int left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    constexpr std::size_t kHalf = tessera::test::kRegionBytes / 2;
    constexpr std::size_t kBytes = 3001;
    for (const Region& from : regions()) {
        for (const Region& to : regions()) {
            fill(from.data, kBytes, me, right, 1);
            std::memset(to.data + kHalf, kGuard, kBytes + 1);
            shmem_barrier_all();
            shmem_putmem(to.data + kHalf, from.data, kBytes, right);
            shmem_barrier_all();
            Bytes expected(kBytes + 1, kGuard);
            fill(expected.data(), kBytes, left, me, 1);
            ASSERT_EQ(difference(to.data + kHalf, expected.data(), kBytes + 1), "")
                << from.kind << " to " << to.kind;
            std::memset(to.data + kHalf, kGuard, kBytes);
            shmem_getmem(to.data + kHalf, from.data, kBytes, left);
            ASSERT_EQ(difference(to.data + kHalf, expected.data(), kBytes + 1), "")
                << from.kind << " to " << to.kind;
            shmem_barrier_all();
        }
    }
}

void check_large(unsigned char* block, std::size_t bytes, const char* kind) {
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    const int left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    std::unique_ptr<unsigned char[]> source(new unsigned char[bytes + 64]);
    std::unique_ptr<unsigned char[]> expected(new unsigned char[bytes]);
    for (std::size_t skew : {0, 3}) {
        fill(source.get() + skew, bytes - skew, me, right, skew);
        fill(expected.get(), bytes - skew, left, me, skew);
        std::memset(block, kGuard, bytes);
        shmem_barrier_all();
        (skew == 0 ? shmem_putmem : shmem_putmem_nbi)(block, source.get() + skew, bytes - skew,
                                                      right);
        shmem_barrier_all();
        ASSERT_EQ(difference(block, expected.get(), bytes - skew), "") << kind << " put " << skew;
        for (std::size_t i = bytes - skew; i < bytes; ++i) ASSERT_EQ(block[i], kGuard) << kind;
        std::memset(source.get(), 0, bytes + 64);
        (skew == 0 ? shmem_getmem : shmem_getmem_nbi)(source.get() + skew, block, bytes - skew,
                                                      left);
        shmem_quiet();
        fill(expected.get(), bytes - skew, (left + shmem_n_pes() - 1) % shmem_n_pes(), left, skew);
        ASSERT_EQ(difference(source.get() + skew, expected.get(), bytes - skew), "")
            << kind << " get";
        shmem_barrier_all();
    }
}

TEST(Rma, LargeTransfers) {
    // 16 MiB, beyond every size at which the copy changes its method.
    std::size_t bytes = (std::size_t{16} << 20) / (shmem_n_pes() > 4 ? 8 : 1) + 24;
    auto* block = static_cast<unsigned char*>(shmem_malloc(bytes));
    ASSERT_NE(block, nullptr);
    check_large(block, bytes, "heap");
    shmem_free(block);
    check_large(tessera::test::static_region, tessera::test::kRegionBytes, "static data");
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
