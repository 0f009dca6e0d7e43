// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when bodies that SHMEM_INLINE puts into a program (include/shmem/inline.h) move other
// bytes than the library, are used where only the library can help, leave a waiting PE asleep, or
// cannot be turned off. That all routines do what they should is tested by the conformance
// programs, which are compiled with SHMEM_INLINE as well.
#define SHMEM_INLINE
#include <pshmem.h>
#include <shmem.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kBytes = 192;

int right() { return (shmem_my_pe() + 1) % shmem_n_pes(); }
int left() { return (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes(); }
bool is_debug() { return std::getenv("SHMEM_DEBUG") != nullptr; }
bool is_map_filled() { return shmem_internal_inline_page.map.npes != nullptr; }

long static_word = 0;  // symmetric

unsigned char byte_of(int pe, std::size_t i) {
    return static_cast<unsigned char>(17 * pe + 3 * static_cast<int>(i) + 1);
}

// kCount elements of T: a compile-time number, so that the copy is inline.
template <std::size_t kCount, class T, class Put, class Get>
void check_transfer(unsigned char* block, Put put, Get get) {
    alignas(16) unsigned char source[kBytes];
    for (std::size_t i = 0; i < kBytes; ++i) source[i] = byte_of(shmem_my_pe(), i);
    std::memset(block, 0, kBytes);
    shmem_barrier_all();
    put(reinterpret_cast<T*>(block + 16), reinterpret_cast<const T*>(source + 16), right());
    shmem_barrier_all();
    for (std::size_t i = 0; i < kBytes; ++i) {
        const bool is_inside = i >= 16 && i < 16 + kCount * sizeof(T);
        ASSERT_EQ(block[i], is_inside ? byte_of(left(), i) : 0)
            << kCount << " elements, byte " << i;
    }
    alignas(16) unsigned char back[kBytes] = {};
    get(reinterpret_cast<T*>(back + 16), reinterpret_cast<const T*>(block + 16), right());
    shmem_quiet();
    for (std::size_t i = 0; i < kBytes; ++i) {
        const bool is_inside = i >= 16 && i < 16 + kCount * sizeof(T);
        ASSERT_EQ(back[i], is_inside ? byte_of(shmem_my_pe(), i) : 0) << kCount << ", byte " << i;
    }
    shmem_barrier_all();
}

#define CHECK(T, PUT, GET, COUNT)                                              \
    check_transfer<COUNT, T>(                                                  \
        block, [](auto* to, auto* from, int pe) { PUT(to, from, COUNT, pe); }, \
        [](auto* to, auto* from, int pe) { GET(to, from, COUNT, pe); })
#define CHECK_ALL(T, PUT, GET) \
    CHECK(T, PUT, GET, 0);     \
    CHECK(T, PUT, GET, 1);     \
    CHECK(T, PUT, GET, 2);     \
    CHECK(T, PUT, GET, 3);     \
    CHECK(T, PUT, GET, 5);     \
    CHECK(T, PUT, GET, 8)

TEST(Inline, TransfersOfConstantSizes) {
    auto* block = static_cast<unsigned char*>(shmem_align(16, kBytes));
    CHECK_ALL(char, shmem_char_put, shmem_char_get);
    CHECK_ALL(short, shmem_short_put, shmem_short_get);
    CHECK_ALL(int, shmem_int_put_nbi, shmem_int_get_nbi);
    CHECK_ALL(long, shmem_long_put, shmem_long_get);
    CHECK_ALL(double, shmem_put, shmem_get);
    CHECK_ALL(long double, shmem_longdouble_put, shmem_longdouble_get);
    CHECK_ALL(unsigned char, shmem_putmem, shmem_getmem);
    CHECK_ALL(unsigned char, shmem_putmem_nbi, shmem_getmem_nbi);
    CHECK(unsigned char, shmem_putmem, shmem_getmem, 63);
    CHECK(unsigned char, shmem_putmem, shmem_getmem, 64);
    CHECK(unsigned char, shmem_putmem, shmem_getmem, 65);
    CHECK(std::uint32_t, shmem_put32, shmem_get32, 16);
    CHECK(std::uint32_t, shmem_put32, shmem_get32, 17);
    shmem_free(block);
}

// Outside of what is inline: static data, and the end of the heap.
TEST(Inline, OtherMemory) {
    shmem_long_p(&static_word, 100 + shmem_my_pe(), right());
    shmem_barrier_all();
    EXPECT_EQ(shmem_long_g(&static_word, right()), 100 + shmem_my_pe());
    EXPECT_EQ(static_word, 100 + left());
    shmem_barrier_all();
    EXPECT_EQ(shmem_long_atomic_fetch_add(&static_word, 5, right()), 100 + shmem_my_pe());
    shmem_barrier_all();
    EXPECT_EQ(static_word, 105 + left());
    shmem_barrier_all();
}

// The target sleeps in its wait by then; each operation in turn must wake it.
TEST(Inline, WakesWaiters) {
    auto* words = static_cast<long*>(shmem_calloc(4, sizeof(long)));
    for (long round = 1; round <= 20; ++round) {
        if (shmem_my_pe() == 0) {
            if (round % 5 == 0) ::usleep(20000);
            for (int pe = 1; pe < shmem_n_pes(); ++pe) {
                shmem_long_p(words, round, pe);
                shmem_long_atomic_inc(words + 1, pe);
                shmem_long_atomic_set(words + 2, round, pe);
                shmem_long_atomic_swap(words + 3, round, pe);
            }
        } else {
            for (int i = 0; i < 4; ++i) shmem_long_wait_until(words + i, SHMEM_CMP_EQ, round);
        }
        shmem_barrier_all();
    }
    shmem_free(words);
}

TEST(Inline, PointersAndTwinsAreTheLibrarys) {
    void (*p)(long*, long, int) = &shmem_long_p;
    void (*twin)(long*, long, int) = &pshmem_long_p;
    auto* word = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    p(word, 7, right());
    shmem_barrier_all();
    EXPECT_EQ(*word, 7);
    shmem_barrier_all();
    twin(word, 8, right());
    shmem_barrier_all();
    EXPECT_EQ(*word, 8);
    shmem_free(word);
}

TEST(Inline, MapIsFilledUnlessDebugging) { EXPECT_EQ(is_map_filled(), !is_debug()); }

TEST(Inline, AnotherLayoutStaysEmpty) {
    static struct shmem_internal_inline_map map;
    shmem_internal_inline_attach(&map, SHMEM_INTERNAL_INLINE_LAYOUT + 1);
    EXPECT_EQ(map.npes, nullptr);
    shmem_internal_inline_attach(&map, SHMEM_INTERNAL_INLINE_LAYOUT);
    EXPECT_EQ(map.npes != nullptr, !is_debug());
    shmem_internal_inline_detach(&map);
    EXPECT_EQ(map.npes, nullptr);
}

TEST(Inline, ChildOfForkHasNoMap) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(is_map_filled() ? 1 : 0);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(is_map_filled(), !is_debug());
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (is_map_filled()) return 3;
    shmem_init();
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (shmem_my_pe() != 0) delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new tessera::test::PeReporter);
    listeners.Append(new tessera::test::PeBarrier);
    const int result = RUN_ALL_TESTS();
    shmem_finalize();
    return is_map_filled() ? 4 : result;
}
