// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a word that a PE of another node puts becomes visible twice: a program that waits for
// a flag by plain loads, clears it and goes on would find it set again. Run with split_memcpy.c
// preloaded (WORDS_TEST_PRELOADED=1), which makes that certain wherever a provider's memcpy stores
// the word; without it the machine's own memcpy is at work, and the test needs luck to fail.
// WORDS_TEST_ROUNDS: of each test.
#include <dlfcn.h>
#include <sched.h>
#include <shmem.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kWords = 3;  // in a strided put
constexpr std::size_t kStride = 2;
constexpr std::size_t kData = 100;

// Where the flags of all types are, in static data and in the heap.
struct Flags {
    alignas(64) char memory[64];
    std::uint64_t signal;
    long data[kData];
};
Flags in_statics;

using Watch = void (*)(const void*, std::size_t);
Watch find_watch() { return reinterpret_cast<Watch>(::dlsym(RTLD_DEFAULT, "split_memcpy_watch")); }
bool is_preloaded() { return std::getenv("WORDS_TEST_PRELOADED") != nullptr; }

int rounds() {
    const char* text = std::getenv("WORDS_TEST_ROUNDS");
    return text != nullptr ? std::atoi(text) : 10;
}

template <class Word>
Word look(Word* word) {
    return std::atomic_ref(*word).load(std::memory_order_acquire);
}

template <class Word>
void wait_and_clear(Word* word) {
    while (look(word) == 0) ::sched_yield();  // No call of the library.
    std::atomic_ref(*word).store(0, std::memory_order_relaxed);
}

// The calls of a type, by one name each.
#define DEFINE_CALLS(NAME, TYPE)                                                            \
    inline void p(TYPE* dest, TYPE value, int pe) { shmem_##NAME##_p(dest, value, pe); }    \
    inline void put(TYPE* dest, const TYPE* source, int pe) {                               \
        shmem_##NAME##_put(dest, source, 1, pe);                                            \
    }                                                                                       \
    inline void put_nbi(TYPE* dest, const TYPE* source, int pe) {                           \
        shmem_##NAME##_put_nbi(dest, source, 1, pe);                                        \
    }                                                                                       \
    inline void iput(TYPE* dest, const TYPE* source, int pe) {                              \
        shmem_##NAME##_iput(dest, source, kStride, 1, kWords, pe);                          \
    }                                                                                       \
    inline void put_signal(TYPE* dest, const TYPE* source, std::uint64_t* signal, int pe) { \
        shmem_##NAME##_put_signal(dest, source, 1, signal, 1, SHMEM_SIGNAL_SET, pe);        \
    }
DEFINE_CALLS(schar, signed char)
DEFINE_CALLS(short, short)
DEFINE_CALLS(int, int)
DEFINE_CALLS(long, long)
#undef DEFINE_CALLS

// All PEs put a flag to their right neighbours behind data, and wait for their own. `send` puts
// the flags of a round, the first `count` with the stride.
template <class Word, class Send>
void check_rounds(Flags& flags, std::size_t count, Send send) {
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    auto* words = reinterpret_cast<Word*>(flags.memory);
    std::memset(flags.memory, 0, sizeof flags.memory);
    if (Watch watch = find_watch()) watch(flags.memory, sizeof flags.memory);
    shmem_barrier_all();
    int came_back = 0;
    for (int round = 1; round <= rounds(); ++round) {
        long data[kData];
        for (long& word : data) word = round;
        shmem_long_put(flags.data, data, kData, right);
        shmem_fence();
        send(words, right);
        for (std::size_t i = 0; i < count; ++i) wait_and_clear(words + i * kStride);
        ASSERT_EQ(look(&flags.data[kData - 1]), round) << "the flag came before the data";
        shmem_barrier_all();
        for (std::size_t i = 0; i < count; ++i) {
            if (look(words + i * kStride) == 0) continue;
            ++came_back;
            wait_and_clear(words + i * kStride);
        }
        shmem_barrier_all();
    }
    EXPECT_EQ(came_back, 0) << "flags were set again after they had been cleared, in " << rounds()
                            << " rounds";
}

template <class Word>
class Words : public testing::Test {
  protected:
    void SetUp() override { in_heap_ = static_cast<Flags*>(shmem_calloc(1, sizeof(Flags))); }
    void TearDown() override { shmem_free(in_heap_); }
    template <class Send>
    void check(std::size_t count, Send send) {
        check_rounds<Word>(*in_heap_, count, [&](Word* to, int pe) { send(*in_heap_, to, pe); });
        check_rounds<Word>(in_statics, count, [&](Word* to, int pe) { send(in_statics, to, pe); });
    }
    static constexpr Word kOnes[kWords] = {1, 1, 1};

  private:
    Flags* in_heap_ = nullptr;
};
using Types = testing::Types<signed char, short, int, long>;
TYPED_TEST_SUITE(Words, Types);

TYPED_TEST(Words, P) {
    this->check(1, [](Flags&, TypeParam* to, int pe) { p(to, TypeParam{1}, pe); });
}
TYPED_TEST(Words, Put) {
    this->check(1, [this](Flags&, TypeParam* to, int pe) { put(to, this->kOnes, pe); });
}
TYPED_TEST(Words, PutNbi) {
    this->check(1, [this](Flags&, TypeParam* to, int pe) { put_nbi(to, this->kOnes, pe); });
}
TYPED_TEST(Words, StridedPut) {
    this->check(kWords, [this](Flags&, TypeParam* to, int pe) { iput(to, this->kOnes, pe); });
}
// The program looks at the data instead of the signal.
TYPED_TEST(Words, PutSignal) {
    this->check(1, [this](Flags& flags, TypeParam* to, int pe) {
        put_signal(to, this->kOnes, &flags.signal, pe);
    });
}

// Without a memcpy that stores twice the tests above find nothing.
TEST(SplitMemcpy, StoresTwice) {
    if (!is_preloaded()) GTEST_SKIP();
    Watch watch = find_watch();
    ASSERT_NE(watch, nullptr) << "split_memcpy is not preloaded";
    alignas(8) static char memory[8];
    watch(memory, sizeof memory);
    for (volatile std::size_t bytes : {2, 4, 8}) {
        auto* word = reinterpret_cast<short*>(memory);
        *word = 0;
        const long one = 1;
        std::thread copier([&] { std::memcpy(memory, &one, bytes); });
        wait_and_clear(word);
        copier.join();
        EXPECT_EQ(look(word), 1) << bytes << " bytes";
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
