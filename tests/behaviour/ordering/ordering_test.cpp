// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when fence, quiet or pe_quiet lets a later flag overtake earlier puts, stores or atomics,
// or when quiet returns before nonblocking operations are complete.
#include <pshmem.h>
#include <sched.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/stream.hpp"

namespace {

using tessera::test::regions;
using tessera::test::scaled;
using tessera::test::Stream;

// The ordering call, towards `pe`, which is the only target.
struct Order {
    const char* name;
    bool completes;  // quiet, which also completes nonblocking gets
    void (*run)(int pe);
};
const Order kOrders[] = {
    {"shmem_fence", false, [](int) { shmem_fence(); }},
    {"shmem_ctx_fence", false, [](int) { shmem_ctx_fence(SHMEM_CTX_DEFAULT); }},
    {"pshmem_fence", false, [](int) { pshmem_fence(); }},
    {"pshmem_ctx_fence", false, [](int) { pshmem_ctx_fence(SHMEM_CTX_DEFAULT); }},
    {"shmem_quiet", true, [](int) { shmem_quiet(); }},
    {"shmem_ctx_quiet", true, [](int) { shmem_ctx_quiet(SHMEM_CTX_DEFAULT); }},
    {"pshmem_quiet", true, [](int) { pshmem_quiet(); }},
    {"pshmem_ctx_quiet", true, [](int) { pshmem_ctx_quiet(SHMEM_CTX_DEFAULT); }},
    {"shmem_pe_quiet", true, [](int pe) { shmem_pe_quiet(&pe, 1); }},
    {"shmem_ctx_pe_quiet", true, [](int pe) { shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, &pe, 1); }},
    {"pshmem_pe_quiet", true, [](int pe) { pshmem_pe_quiet(&pe, 1); }},
    {"pshmem_ctx_pe_quiet", true, [](int pe) { pshmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, &pe, 1); }},
};

// The operation before it: moves a message.
struct Move {
    const char* name;
    void (*run)(std::uint64_t* dest, const std::uint64_t* source, std::size_t words, int pe);
};
const Move kMoves[] = {
    {"put", [](std::uint64_t* dest, const std::uint64_t* source, std::size_t words,
               int pe) { shmem_uint64_put(dest, source, words, pe); }},
    {"put_nbi", [](std::uint64_t* dest, const std::uint64_t* source, std::size_t words,
                   int pe) { shmem_uint64_put_nbi(dest, source, words, pe); }},
    {"putmem", [](std::uint64_t* dest, const std::uint64_t* source, std::size_t words,
                  int pe) { shmem_putmem(dest, source, words * sizeof *dest, pe); }},
    {"iput", [](std::uint64_t* dest, const std::uint64_t* source, std::size_t words,
                int pe) { shmem_uint64_iput(dest, source, 1, 1, words, pe); }},
    {"p",
     [](std::uint64_t* dest, const std::uint64_t* source, std::size_t words, int pe) {
         for (std::size_t i = 0; i < words; ++i) shmem_uint64_p(&dest[i], source[i], pe);
     }},
    {"atomic_set",
     [](std::uint64_t* dest, const std::uint64_t* source, std::size_t words, int pe) {
         for (std::size_t i = 0; i < words; ++i) shmem_uint64_atomic_set(&dest[i], source[i], pe);
     }},
    {"a store through shmem_ptr",
     [](std::uint64_t* dest, const std::uint64_t* source, std::size_t words, int pe) {
         void* mapped = shmem_ptr(dest, pe);
         if (mapped != nullptr) {
             std::memcpy(mapped, source, words * sizeof *dest);
         } else {
             shmem_uint64_put(dest, source, words, pe);
         }
     }},
};

// The operation after it: raises the flag by one, to `number`.
void raise_flag(std::size_t way, std::uint64_t* flag, std::uint64_t number, int pe) {
    switch (way % 5) {
        case 0: return shmem_uint64_atomic_set(flag, number, pe);
        case 1: return shmem_uint64_atomic_inc(flag, pe);
        case 2: return shmem_signal_set(flag, number, pe);
        case 3: return shmem_signal_add(flag, 1, pe);
        default: shmem_uint64_atomic_fetch_add(flag, 1, pe);
    }
}

// How the other side learns of it.
void await_flag(std::size_t way, std::uint64_t* flag, std::uint64_t number) {
    switch (way % 3) {
        case 0: return shmem_uint64_wait_until(flag, SHMEM_CMP_GE, number);
        case 1: shmem_signal_wait_until(flag, SHMEM_CMP_GE, number); return;
        default:
            while (shmem_uint64_test(flag, SHMEM_CMP_GE, number) == 0) ::sched_yield();
    }
}

TEST(Ordering, NothingIsOvertaken) {
    std::size_t way = 0;
    for (const Move& move : kMoves) {
        for (const Order& order : kOrders) {
            ++way;
            Stream stream = tessera::test::make_stream(regions()[way % 2], regions()[way / 2 % 2]);
            std::string error = tessera::test::run_stream(
                stream, scaled(400),
                [&](std::uint64_t* dest, const std::uint64_t* source, std::size_t words,
                    std::uint64_t number, int pe) {
                    move.run(dest, source, words, pe);
                    order.run(pe);
                    raise_flag(way, stream.flag, number, pe);
                },
                [&](std::uint64_t number) { await_flag(way, stream.flag, number); });
            ASSERT_EQ(error, "") << move.name << ", then " << order.name << ", way " << way;
        }
    }
}

TEST(Ordering, QuietCompletesGets) {
    auto* words = reinterpret_cast<long*>(regions()[0].data);
    for (int i = 0; i < 100; ++i) words[i] = 1000L * shmem_my_pe() + i;
    shmem_barrier_all();
    for (const Order& order : kOrders) {
        if (!order.completes) continue;
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            long got[100] = {};
            long fetched = -1;
            shmem_long_get_nbi(got, words, 100, pe);
            shmem_long_atomic_fetch_nbi(&fetched, &words[7], pe);
            order.run(pe);
            for (int i = 0; i < 100; ++i) ASSERT_EQ(got[i], 1000L * pe + i) << order.name;
            ASSERT_EQ(fetched, 1000L * pe + 7) << order.name;
        }
    }
}

TEST(Ordering, NothingToDo) {
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    pshmem_ctx_fence(SHMEM_CTX_INVALID);
    pshmem_ctx_quiet(SHMEM_CTX_INVALID);
    const int pe = 0;
    shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, &pe, 1);
    shmem_pe_quiet(nullptr, 0);
    shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, nullptr, 0);
}

TEST(Ordering, PeQuietOfSeveralPes) {
    auto* words = reinterpret_cast<int*>(regions()[0].data);
    auto* flags = reinterpret_cast<unsigned int*>(regions()[1].data);
    const int npes = shmem_n_pes();
    for (int pe = 0; pe < npes; ++pe) words[pe] = -1;
    *flags = 0;
    shmem_barrier_all();
    const int mine = 100 + shmem_my_pe();
    std::vector<int> all(static_cast<std::size_t>(npes));
    std::iota(all.rbegin(), all.rend(), 0);
    for (int pe : all) shmem_int_put_nbi(&words[shmem_my_pe()], &mine, 1, pe);
    shmem_pe_quiet(all.data(), all.size());
    for (int pe : all) shmem_uint_atomic_inc(flags, pe);
    shmem_uint_wait_until(flags, SHMEM_CMP_EQ, static_cast<unsigned>(npes));
    for (int pe = 0; pe < npes; ++pe) ASSERT_EQ(words[pe], 100 + pe);
    shmem_barrier_all();
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
