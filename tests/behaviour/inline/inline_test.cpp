// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when bodies that SHMEM_INLINE puts into a program (include/shmem/inline.h) move other
// bytes than the library, are used where only the library can help, leave a waiting PE asleep, or
// cannot be turned off. That all routines do what they should is tested by the conformance
// programs, which are compiled with SHMEM_INLINE as well.
#define SHMEM_INLINE
#include <pshmem.h>
#include <sched.h>
#include <shmem.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kBytes = 192;

int right() { return (shmem_my_pe() + 1) % shmem_n_pes(); }
int left() { return (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes(); }
bool is_debug() { return std::getenv("SHMEM_DEBUG") != nullptr; }
// Not inline: read anew at each call.
[[gnu::noinline]] std::size_t inline_limit_of(int pe) { return *shmem_internal_limit(pe); }
[[gnu::noinline]] bool is_usual(const void* address, int pe) {
    return shmem_internal_find(address, pe).is_usual != 0;
}
int this_pe = 0;  // once it is known
bool has_limit() { return inline_limit_of(this_pe) != 0; }

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

// The target has fallen asleep by then: a p would leave it asleep if it did not call.
TEST(Inline, SleepingPeHasNoLimit) {
    auto* word = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    for (long round = 1; round <= 10; ++round) {
        if (shmem_my_pe() == 0) {
            for (int pe = 1; pe < shmem_n_pes(); ++pe) {
                if (shmem_ptr(word, pe) == nullptr) continue;
                while (inline_limit_of(pe) != 0) ::sched_yield();
            }
            for (int pe = 1; pe < shmem_n_pes(); ++pe) shmem_long_p(word, round, pe);
        } else {
            shmem_long_wait_until(word, SHMEM_CMP_EQ, round);
            EXPECT_EQ(has_limit(), !is_debug());
        }
        shmem_barrier_all();
    }
    shmem_free(word);
}

TEST(Inline, OnlyMappedHeapsAreUsual) {
    auto* bytes = static_cast<char*>(shmem_calloc(1, 1));
    char* heap = reinterpret_cast<char*>(shmem_internal_inline_map.heap_base);
    for (int pe = -2; pe < 1200; ++pe) {
        const bool is_mapped = pe >= 0 && pe < shmem_n_pes() && shmem_ptr(bytes, pe) != nullptr;
        // Others may sleep.
        if (pe != shmem_my_pe() && is_mapped) continue;
        EXPECT_EQ(is_usual(bytes, pe), is_mapped && !is_debug()) << pe;
    }
    for (int pe : {INT_MIN, INT_MAX}) EXPECT_FALSE(is_usual(bytes, pe)) << pe;
    if (!is_debug()) {
        const int me = shmem_my_pe();
        EXPECT_TRUE(is_usual(heap, me));
        EXPECT_FALSE(is_usual(heap - 1, me));
        EXPECT_TRUE(is_usual(heap + inline_limit_of(me) - 1, me));
        EXPECT_FALSE(is_usual(heap + inline_limit_of(me), me));
        EXPECT_NE(
            shmem_ptr(heap + inline_limit_of(me) - 1 + SHMEM_INTERNAL_INLINE_BYTES_MAX - 1, me),
            nullptr);
    }
    shmem_free(bytes);
}

TEST(Inline, AnotherLayoutStaysEmpty) {
    static struct shmem_internal_inline_map map;
    const auto limits_of = [](const struct shmem_internal_inline_map& of) {
        return reinterpret_cast<std::size_t>(of.no_limits) + of.limits;
    };
    shmem_internal_inline_attach(&map, SHMEM_INTERNAL_INLINE_LAYOUT + 1);
    EXPECT_EQ(map.heap_base, 0u);
    EXPECT_EQ(map.limits, 0u);
    shmem_internal_inline_attach(&map, SHMEM_INTERNAL_INLINE_LAYOUT);
    EXPECT_EQ(map.heap_base, shmem_internal_inline_map.heap_base);
    EXPECT_EQ(map.origin, shmem_internal_inline_map.origin);
    EXPECT_EQ(limits_of(map) == limits_of(shmem_internal_inline_map), !is_debug());
    EXPECT_TRUE(std::equal(std::begin(map.heaps), std::end(map.heaps),
                           std::begin(shmem_internal_inline_map.heaps)));
    shmem_internal_inline_detach(&map);
}

TEST(Inline, ChildOfForkHasNoLimit) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(has_limit() ? 1 : 0);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(has_limit(), !is_debug());
}

// In one function, where the compiler may keep what it knows from one to the next.
bool sessions_are_right() {
    for (long session = 1; session <= 3; ++session) {
        shmem_init();
        auto* words = static_cast<long*>(shmem_calloc(8, sizeof(long)));
        for (long i = 0; i < 8; ++i)
            shmem_long_p(words + i, 100 * session + 10 * shmem_my_pe() + i, right());
        shmem_barrier_all();
        bool is_right = has_limit() == !is_debug();
        for (long i = 0; i < 8; ++i) {
            is_right = is_right && words[i] == 100 * session + 10 * left() + i &&
                       shmem_long_g(words + i, right()) == 100 * session + 10 * shmem_my_pe() + i;
        }
        shmem_barrier_all();
        shmem_finalize();
        if (!is_right || has_limit()) return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (has_limit()) return 3;
    shmem_init();
    this_pe = shmem_my_pe();
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (shmem_my_pe() != 0) delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new tessera::test::PeReporter);
    listeners.Append(new tessera::test::PeBarrier);
    const int result = RUN_ALL_TESTS();
    shmem_finalize();
    if (has_limit()) return 4;
    return result != 0 || sessions_are_right() ? result : 5;
}
