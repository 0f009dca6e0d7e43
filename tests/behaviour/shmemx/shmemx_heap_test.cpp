// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when memory of the program that became an external heap loses its contents, lies at
// another place for one PE than for the other, or cannot be used by one kind of operation that the
// symmetric heap allows. Its base differs from PE to PE.
#include <sched.h>
#include <shmemx.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/stream.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kRegionBytes;
using tessera::test::Region;
using tessera::test::scaled;

const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
// More than two times what is copied at once (heap/shared_pages.hpp), mostly untouched.
constexpr std::size_t kLargeBytes = (std::size_t{130} << 20);

// The memory that main() has made external heaps of, and one heap of a device.
unsigned char* mapped;     // kRegionBytes from mmap
unsigned char* allocated;  // 3 pages from aligned_alloc
unsigned char* large;      // kLargeBytes from mmap
// Small heaps of odd addresses, of other sizes on each PE.
constexpr int kSmallHeaps = 20;
unsigned char* small[kSmallHeaps];
std::size_t small_bytes(int heap, int pe) {
    return 40 + 8 * static_cast<std::size_t>(heap) + 3 * static_cast<std::size_t>(pe);
}
char* const kDevice = reinterpret_cast<char*>(std::uintptr_t{1} << 45);

int right() { return (shmem_my_pe() + 1) % shmem_n_pes(); }
int left() { return (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes(); }

Region external() { return {"an external heap", mapped}; }

// First of all tests: the values that main() wrote before the memory became symmetric.
TEST(ExternalHeap, ContentsStay) {
    const int me = shmem_my_pe();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        Bytes expected(kRegionBytes);
        fill(expected.data(), kRegionBytes, pe, 1, 0);
        Bytes seen(kRegionBytes);
        shmem_getmem(seen.data(), mapped, kRegionBytes, pe);
        ASSERT_EQ(difference(seen.data(), expected.data(), kRegionBytes), "") << "of PE " << pe;
        fill(expected.data(), 3 * kPage, pe, 2, 0);
        shmem_getmem(seen.data(), allocated, 3 * kPage, pe);
        ASSERT_EQ(difference(seen.data(), expected.data(), 3 * kPage), "") << "of PE " << pe;
        for (std::size_t i = 0; i < kLargeBytes; i += kLargeBytes / 7)
            ASSERT_EQ(shmem_uchar_g(&large[i], pe), i == 0 ? 7 : 0);
        ASSERT_EQ(shmem_uchar_g(&large[kLargeBytes - 1], pe), 8 + pe);
    }
    EXPECT_EQ(mapped[5], tessera::test::pattern(me, 1, 0, 5));
    EXPECT_EQ(large[kLargeBytes - 1], 8 + me);
}

TEST(ExternalHeap, PutsAndGetsOfAllSizes) {
    std::size_t round = 1;
    for (std::size_t bytes :
         {std::size_t{1}, std::size_t{8}, std::size_t{100}, kPage, kRegionBytes / 2 - 64}) {
        const std::size_t offset = 24 + round;
        Bytes source(bytes);
        fill(source.data(), bytes, shmem_my_pe(), right(), round);
        shmem_putmem(mapped + offset, source.data(), bytes, right());
        shmem_putmem_nbi(mapped + kRegionBytes / 2 + offset, source.data(), bytes, right());
        shmem_barrier_all();
        Bytes expected(bytes);
        fill(expected.data(), bytes, left(), shmem_my_pe(), round);
        ASSERT_EQ(difference(mapped + offset, expected.data(), bytes), "");
        ASSERT_EQ(difference(mapped + kRegionBytes / 2 + offset, expected.data(), bytes), "");
        Bytes seen(bytes);
        shmem_getmem(seen.data(), mapped + offset, bytes, right());
        ASSERT_EQ(difference(seen.data(), source.data(), bytes), "");
        shmem_getmem_nbi(seen.data(), mapped + kRegionBytes / 2 + offset, bytes, shmem_my_pe());
        shmem_quiet();
        ASSERT_EQ(difference(seen.data(), expected.data(), bytes), "");
        shmem_barrier_all();
        ++round;
    }
}

TEST(ExternalHeap, EndsOfTheMemory) {
    shmem_barrier_all();
    shmem_uchar_p(&allocated[0], static_cast<unsigned char>(shmem_my_pe() + 1), right());
    shmem_uchar_p(&allocated[3 * kPage - 1], static_cast<unsigned char>(shmem_my_pe() + 2),
                  right());
    shmem_barrier_all();
    EXPECT_EQ(allocated[0], left() + 1);
    EXPECT_EQ(allocated[3 * kPage - 1], left() + 2);
    EXPECT_EQ(shmem_uchar_g(&allocated[0], right()), shmem_my_pe() + 1);
}

TEST(ExternalHeap, AnyNumberOfAnySize) {
    for (int heap = 0; heap < kSmallHeaps; ++heap) {
        unsigned char* mine = small[heap];
        shmem_uchar_p(mine + small_bytes(heap, 0) - 1,
                      static_cast<unsigned char>(heap + 100 * shmem_my_pe()), right());
        shmem_ulong_atomic_add(reinterpret_cast<unsigned long*>(mine), 5, right());
        shmem_barrier_all();
        EXPECT_EQ(mine[small_bytes(heap, 0) - 1], static_cast<unsigned char>(heap + 100 * left()));
        EXPECT_EQ(shmem_ulong_atomic_fetch(reinterpret_cast<unsigned long*>(mine), right()), 5U);
        EXPECT_EQ(shmem_addr_accessible(mine + small_bytes(heap, 0) - 1, right()), 1);
        const shmemx_gptr_t pointer = shmemx_gptr_of(mine + 8, right());
        const unsigned char value = 77;
        shmem_putmem(shmemx_gptr_addr(pointer), &value, 1, right());
        shmem_barrier_all();
        EXPECT_EQ(mine[8], 77);
    }
}

TEST(ExternalHeap, Strided) {
    auto* words = reinterpret_cast<long*>(mapped);
    std::memset(words, 0, 64 * sizeof *words);
    shmem_barrier_all();
    const long source[] = {1, 2, 3, 4, 5, 6};
    shmem_long_iput(words, source, 3, 2, 3, right());
    shmem_long_ibput(words + 20, source, 4, 3, 2, 2, right());
    shmem_barrier_all();
    EXPECT_EQ(words[0], 1);
    EXPECT_EQ(words[3], 3);
    EXPECT_EQ(words[6], 5);
    EXPECT_EQ(words[20] * 10 + words[21], 12);
    EXPECT_EQ(words[24] * 10 + words[25], 45);
    long got[3] = {};
    shmem_long_iget(got, words, 1, 3, 3, right());
    EXPECT_EQ(got[0] * 100 + got[1] * 10 + got[2], 135);
}

// All add to the same words of PE 0 at the same time.
TEST(ExternalHeap, Atomics) {
    auto* words = reinterpret_cast<unsigned long*>(mapped);
    auto* ints = reinterpret_cast<unsigned*>(mapped + 512);
    if (shmem_my_pe() == 0) std::memset(mapped, 0, 1024);
    shmem_barrier_all();
    const int rounds = scaled(3000);
    for (int i = 0; i < rounds; ++i) {
        shmem_ulong_atomic_add(&words[0], 3, 0);
        shmem_ulong_atomic_fetch_inc(&words[1], 0);
        shmem_uint_atomic_add(&ints[0], 5, 0);
        unsigned long seen = shmem_ulong_atomic_fetch(&words[2], 0);
        unsigned long before = ~seen;
        while (before != seen) {
            before = seen;
            seen = shmem_ulong_atomic_compare_swap(&words[2], before, before + 1, 0);
        }
    }
    shmem_barrier_all();
    const auto total = static_cast<unsigned long>(rounds) * static_cast<unsigned>(shmem_n_pes());
    EXPECT_EQ(shmem_ulong_atomic_fetch(&words[0], 0), 3 * total);
    EXPECT_EQ(shmem_ulong_atomic_fetch(&words[1], 0), total);
    EXPECT_EQ(shmem_ulong_atomic_fetch(&words[2], 0), total);
    EXPECT_EQ(shmem_uint_atomic_fetch(&ints[0], 0), 5 * static_cast<unsigned>(total));
}

// Messages whose flag must not overtake them: data in one external heap, flags in another.
TEST(ExternalHeap, StreamsWithSignals) {
    const Region flags{"the large heap", large + (std::size_t{64} << 20) - kRegionBytes / 2};
    tessera::test::Stream stream = tessera::test::make_stream(external(), flags);
    const std::string wrong = tessera::test::run_stream(
        stream, scaled(1000),
        [&](std::uint64_t* dest, const std::uint64_t* source, std::size_t nelems,
            std::uint64_t number, int pe) {
            shmem_uint64_put_signal(dest, source, nelems, stream.flag, number, SHMEM_SIGNAL_SET,
                                    pe);
        },
        [&](std::uint64_t number) { shmem_signal_wait_until(stream.flag, SHMEM_CMP_GE, number); });
    EXPECT_EQ(wrong, "");
    shmem_barrier_all();
    std::memset(flags.data, 0, kRegionBytes);
}

TEST(ExternalHeap, WaitsAndTests) {
    auto* words = reinterpret_cast<int*>(allocated);
    std::memset(words, 0, 64);
    shmem_barrier_all();
    shmem_int_p(&words[3], 9, right());
    shmem_int_wait_until(&words[3], SHMEM_CMP_EQ, 9);
    EXPECT_EQ(shmem_int_test(&words[3], SHMEM_CMP_GT, 9), 0);
    shmem_int_atomic_set(&words[1], 4, right());
    EXPECT_NE(shmem_int_wait_until_any(words, 8, nullptr, SHMEM_CMP_GT, 0), SIZE_MAX);
    shmem_int_wait_until(&words[1], SHMEM_CMP_NE, 0);
    std::size_t indices[8];
    EXPECT_EQ(shmem_int_test_some(words, 8, indices, nullptr, SHMEM_CMP_GT, 0), 2U);
}

TEST(ExternalHeap, Collectives) {
    auto* source = reinterpret_cast<long*>(mapped);
    auto* dest = reinterpret_cast<long*>(mapped + kRegionBytes / 2);
    const int npes = shmem_n_pes();
    constexpr std::size_t kMany = 3000;
    for (std::size_t i = 0; i < kMany; ++i) source[i] = shmem_my_pe() + static_cast<long>(i);
    ASSERT_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, kMany), 0);
    for (std::size_t i = 0; i < kMany; ++i)
        ASSERT_EQ(dest[i], npes * (npes - 1) / 2 + npes * static_cast<long>(i));
    ASSERT_EQ(shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, kMany, npes - 1), 0);
    ASSERT_EQ(dest[kMany - 1], npes - 1 + static_cast<long>(kMany) - 1);
    ASSERT_EQ(shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, 5), 0);
    for (int pe = 0; pe < npes; ++pe) ASSERT_EQ(dest[pe * 5 + 4], pe + 4);
    ASSERT_EQ(shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, 2), 0);
    for (int pe = 0; pe < npes; ++pe) ASSERT_EQ(dest[pe * 2], pe + 2 * shmem_my_pe());
    ASSERT_EQ(shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest, source, 1), 0);
    EXPECT_EQ(dest[0], shmem_my_pe() * (shmem_my_pe() + 1) / 2);
}

TEST(ExternalHeap, Locks) {
    auto* lock = reinterpret_cast<long*>(mapped + 4096);
    auto* counter = reinterpret_cast<long*>(mapped + 8192);
    *lock = *counter = 0;
    shmem_barrier_all();
    const int rounds = scaled(300);
    for (int i = 0; i < rounds; ++i) {
        shmem_set_lock(lock);
        const long before = shmem_long_g(counter, 0);
        ::sched_yield();  // Another thread's turn, which must not come in.
        shmem_long_p(counter, before + 1, 0);
        shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    EXPECT_EQ(shmem_long_g(counter, 0), static_cast<long>(rounds) * shmem_n_pes());
}

TEST(ExternalHeap, PointersAndAccessibility) {
    mapped[7] = static_cast<unsigned char>(40 + shmem_my_pe());
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        auto* pointer = static_cast<unsigned char*>(shmem_ptr(&mapped[7], pe));
        const bool is_mapped =
            pe == shmem_my_pe() ||
            (shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEMX_TEAM_NODE) >= 0 &&
             std::getenv("SHMEM_SEGMENT_PAGES") == nullptr);
        ASSERT_EQ(pointer != nullptr, is_mapped);
        if (is_mapped) {
            EXPECT_EQ(*pointer, 40 + pe);
        }
        EXPECT_EQ(shmem_addr_accessible(&mapped[7], pe), 1);
        EXPECT_EQ(shmem_addr_accessible(&allocated[3 * kPage - 1], pe), 1);
        EXPECT_EQ(shmem_addr_accessible(&large[kLargeBytes - 1], pe), 1);
        // Memory of a device is registered and no more.
        EXPECT_EQ(shmem_addr_accessible(kDevice, pe), 0);
        EXPECT_EQ(shmem_ptr(kDevice, pe), nullptr);
    }
    EXPECT_EQ(shmem_ptr(&mapped[7], shmem_my_pe()), &mapped[7]);
    EXPECT_EQ(shmem_team_ptr(SHMEMX_TEAM_NODE, &mapped[7], shmem_team_my_pe(SHMEMX_TEAM_NODE)),
              &mapped[7]);
    long local = 0;
    EXPECT_EQ(shmem_addr_accessible(&local, 0), 0);
    EXPECT_EQ(shmem_ptr(&local, 0), nullptr);
    EXPECT_EQ(shmem_addr_accessible(&mapped[7], shmem_n_pes()), 0);
}

// Contexts of teams translate the PE number before the memory is looked for.
TEST(ExternalHeap, ContextsAndThreads) {
    shmem_team_t reversed = SHMEM_TEAM_INVALID;
    const int npes = shmem_n_pes();
    ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, nullptr, 0, &reversed),
              0);
    auto* words = reinterpret_cast<long*>(mapped);
    std::memset(words, 0, 4 * sizeof *words);
    shmem_barrier_all();
    auto work = [&](int thread) {
        shmem_ctx_t ctx = SHMEM_CTX_INVALID;
        EXPECT_EQ(shmem_team_create_ctx(reversed, 0, &ctx), 0);
        for (int i = 0; i < 100; ++i)
            shmem_ctx_long_atomic_add(ctx, &words[thread], 1, npes - 1 - right());
        shmem_ctx_destroy(ctx);
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    shmem_barrier_all();
    EXPECT_EQ(words[0], 100);
    EXPECT_EQ(words[1], 100);
    shmem_team_destroy(reversed);
}

// The pages are still there when a child has ended.
TEST(ExternalHeap, ChildrenDoNotTakeThePagesAway) {
    mapped[9] = 1;
    ASSERT_EQ(std::system("true"), 0);
    shmem_barrier_all();
    shmem_uchar_p(&mapped[9], 2, right());
    shmem_barrier_all();
    EXPECT_EQ(mapped[9], 2);
}

unsigned char* map_memory(std::size_t bytes) {
    // At another place in each PE, and seldom at the start of a huge page.
    const std::size_t shift = kPage * (3 * static_cast<std::size_t>(shmem_my_pe()) + 1);
    void* space =
        ::mmap(nullptr, bytes + shift, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (space == MAP_FAILED) std::abort();
    return static_cast<unsigned char*>(space) + shift;
}

void make_heaps() {
    const int me = shmem_my_pe();
    mapped = map_memory(kRegionBytes);
    large = map_memory(kLargeBytes);
    allocated = static_cast<unsigned char*>(std::aligned_alloc(kPage, 3 * kPage));
    fill(mapped, kRegionBytes, me, 1, 0);
    fill(allocated, 3 * kPage, me, 2, 0);
    large[0] = 7;
    large[kLargeBytes - 1] = static_cast<unsigned char>(8 + me);
    shmemx_heap_create(mapped, kRegionBytes, SHMEMX_EXTERNAL_HEAP_HOST, -1);
    shmemx_heap_create(allocated, 3 * kPage, SHMEMX_EXTERNAL_HEAP_HOST, 0);
    shmemx_heap_create(kDevice + me * 4096, 12345, SHMEMX_EXTERNAL_HEAP_CUDA, 0);
    shmemx_heap_create(large, kLargeBytes, SHMEMX_EXTERNAL_HEAP_HOST, -1);
    for (int heap = 0; heap < kSmallHeaps; ++heap) {
        const std::size_t bytes = small_bytes(heap, me);
        small[heap] = static_cast<unsigned char*>(std::calloc(1, bytes + 8)) + 8;
        shmemx_heap_create(small[heap], bytes, SHMEMX_EXTERNAL_HEAP_HOST, -1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    int provided = -1;
    const int status = shmemx_heap_preinit_thread(SHMEM_THREAD_MULTIPLE, &provided);
    // The PEs have their numbers and the heap now, as programs for GPUs want it.
    void* block = shmem_malloc(100);
    if (status != 0 || provided != SHMEM_THREAD_MULTIPLE || block == nullptr) return 1;
    make_heaps();
    shmemx_heap_postinit();
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (shmem_my_pe() != 0) delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new tessera::test::PeReporter);
    listeners.Append(new tessera::test::PeBarrier);
    int result = RUN_ALL_TESTS();
    shmem_free(block);
    shmem_finalize();
    // The memory is the program's own again, with what it held last.
    const bool is_intact = mapped[9] == 2 && large[0] == 7;
    std::free(allocated);
    for (unsigned char* each : small) std::free(each - 8);
    return result != 0 ? result : is_intact ? 0 : 1;
}
