// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a put-with-signal of any type, size and form delivers wrong data, raises the signal
// before the data is there, or updates the signal wrongly; and when signals alone or their reading
// go wrong.
#include <pshmem.h>

#include <cstring>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/spec_types.hpp"
#include "support/stream.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;
using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;
using tessera::test::Stream;

struct Routine {
    const char* name;
    std::size_t element_bytes;
    void (*call)(void* dest, const void* source, std::size_t nelems, std::uint64_t* signal,
                 std::uint64_t value, int op, int pe);
};

#define ROW(ROUTINE, CTX, T, BYTES)                                                          \
    {#ROUTINE, BYTES,                                                                        \
     [](void* dest, const void* source, std::size_t nelems, std::uint64_t* signal,           \
        std::uint64_t value, int op, int pe) {                                               \
         ROUTINE(CTX() static_cast<T*>(dest), static_cast<const T*>(source), nelems, signal, \
                 value, op, pe);                                                             \
     }},
#define FORMS(NAME, T, BYTES)                \
    SPEC_FORMS(ROW, NAME##_signal, T, BYTES) \
    SPEC_FORMS(ROW, NAME##_signal_nbi, T, BYTES)
#define TYPED(NAME, T) FORMS(NAME##_put, T, sizeof(T))
#define SIZED(BITS) FORMS(put##BITS, void, BITS / 8)
const Routine kPutSignals[] = {SPEC_RMA_TYPES(TYPED) SPEC_SIZES(SIZED) FORMS(putmem, void, 1)};
static_assert(std::size(kPutSignals) == (24 + 5 + 1) * 2 * 4);

constexpr std::size_t kBytes = 16 * 16;

// The signal of a test: behind the data that its put brings.
std::uint64_t* signal_in(const Region& region) {
    return reinterpret_cast<std::uint64_t*>(region.data + kBytes + 64);
}

// To the PE at the right, which looks as soon as its signal has come.
void check_put_signal(const Routine& put, const Region& data, const Region& signals,
                      std::size_t round) {
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    const int right = (me + 1) % npes;
    const std::size_t nelems = round % 15;
    const std::size_t bytes = nelems * put.element_bytes;
    std::uint64_t* signal = signal_in(signals);
    const std::uint64_t start = ~std::uint64_t{0} - round;
    std::memset(data.data, kGuard, kBytes);
    *signal = start;
    shmem_barrier_all();
    const bool adds = round / 15 % 2 == 1;
    const std::uint64_t value = (round + 5) * 0x100000001ULL;
    alignas(16) unsigned char source[kBytes];
    fill(source, bytes, me, right, round);
    put.call(data.data, nelems == 0 ? nullptr : source, nelems, signal, value,
             adds ? SHMEM_SIGNAL_ADD : SHMEM_SIGNAL_SET, right);
    const std::uint64_t expected_signal = adds ? start + value : value;
    ASSERT_EQ(shmem_signal_wait_until(signal, SHMEM_CMP_NE, start), expected_signal) << put.name;
    Bytes expected(kBytes, kGuard);
    fill(expected.data(), bytes, (me + npes - 1) % npes, me, round);
    ASSERT_EQ(difference(data.data, expected.data(), kBytes), "")
        << put.name << " of " << nelems << " to " << data.kind;
    shmem_barrier_all();
}

TEST(Signal, PutSignalInEveryForm) {
    std::size_t round = 0;
    for (const Routine& put : kPutSignals) {
        for (const Region& data : regions()) {
            for (const Region& signals : regions()) check_put_signal(put, data, signals, round++);
        }
        round += 7;  // Other lengths for the next one.
    }
}

TEST(Signal, PutSignalReachesEveryPe) {
    for (const Region& region : regions()) {
        auto* values = reinterpret_cast<std::uint64_t*>(region.data);
        auto* signals = values + shmem_n_pes();
        for (int pe = 0; pe < shmem_n_pes(); ++pe) values[pe] = signals[pe] = 0;
        shmem_barrier_all();
        const int me = shmem_my_pe();
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            auto value = static_cast<std::uint64_t>(1000 * me + pe);
            shmem_uint64_put_signal(&values[me], &value, 1, &signals[me], value + 1,
                                    SHMEM_SIGNAL_SET, pe);
        }
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            auto value = static_cast<std::uint64_t>(1000 * pe + me);
            shmem_signal_wait_until(&signals[pe], SHMEM_CMP_EQ, value + 1);
            ASSERT_EQ(values[pe], value) << "from PE " << pe << " to " << region.kind;
        }
        shmem_barrier_all();
    }
}

struct Update {
    const char* name;
    void (*add)(std::uint64_t* signal, std::uint64_t value, int pe);
    void (*set)(std::uint64_t* signal, std::uint64_t value, int pe);
};
#define UPDATE(X, CTX)                                                                      \
    {#X, [](std::uint64_t* s, std::uint64_t value, int pe) { X##add(CTX() s, value, pe); }, \
     [](std::uint64_t* s, std::uint64_t value, int pe) { X##set(CTX() s, value, pe); }},
const Update kUpdates[] = {SPEC_FORMS(UPDATE, signal_)};

TEST(Signal, UpdatesWithoutData) {
    const int npes = shmem_n_pes();
    for (const Region& region : regions()) {
        for (const Update& update : kUpdates) {
            std::uint64_t* signal = signal_in(region);
            signal[0] = 3;
            signal[1] = 0;
            shmem_barrier_all();
            const int steps = scaled(500);
            for (int i = 0; i < steps; ++i) {
                for (int pe = 0; pe < npes; ++pe) update.add(&signal[0], 1ULL << 33, pe);
            }
            shmem_barrier_all();
            ASSERT_EQ(shmem_signal_fetch(&signal[0]),
                      3 + (static_cast<std::uint64_t>(steps * npes) << 33))
                << update.name << "add " << region.kind;
            update.set(&signal[1], ~std::uint64_t{0} - 5, (shmem_my_pe() + 1) % npes);
            ASSERT_EQ(shmem_signal_wait_until(&signal[1], SHMEM_CMP_GT, 0), ~std::uint64_t{0} - 5)
                << update.name << "set " << region.kind;
            ASSERT_EQ(pshmem_signal_fetch(&signal[1]), ~std::uint64_t{0} - 5);
            ASSERT_EQ(pshmem_signal_wait_until(&signal[1], SHMEM_CMP_NE, 0), ~std::uint64_t{0} - 5);
            shmem_barrier_all();
        }
    }
}

// put_signal with ADD by all PEs at once counts every message.
TEST(Signal, AddsOfAllPesCount) {
    for (const Region& region : regions()) {
        auto* signal = signal_in(region);
        int data_count = shmem_n_pes();
        auto* data = reinterpret_cast<int*>(region.data + 4096);
        *signal = 0;
        shmem_barrier_all();
        const int steps = scaled(2000);
        for (int i = 0; i < steps; ++i) {
            for (int pe = 0; pe < shmem_n_pes(); ++pe) {
                (i % 2 == 0 ? shmem_int_put_signal : shmem_int_put_signal_nbi)(
                    &data[shmem_my_pe()], &i, 1, signal, 1, SHMEM_SIGNAL_ADD, pe);
            }
            shmem_quiet();
        }
        const auto all = static_cast<std::uint64_t>(steps) * static_cast<unsigned>(data_count);
        ASSERT_EQ(shmem_signal_wait_until(signal, SHMEM_CMP_GE, all), all);
        for (int pe = 0; pe < data_count; ++pe) ASSERT_EQ(data[pe], steps - 1) << region.kind;
        shmem_barrier_all();
    }
}

template <class Put>
void check_stream(Put put, int op) {
    for (const Region& data : regions()) {
        for (const Region& flags : regions()) {
            Stream stream = tessera::test::make_stream(data, flags);
            std::string error = tessera::test::run_stream(
                stream, scaled(5000),
                [&](std::uint64_t* dest, const std::uint64_t* source, std::size_t words,
                    std::uint64_t number, int pe) {
                    put(dest, source, words, stream.flag, op == SHMEM_SIGNAL_SET ? number : 1, op,
                        pe);
                },
                [&](std::uint64_t number) {
                    shmem_signal_wait_until(stream.flag, SHMEM_CMP_GE, number);
                });
            ASSERT_EQ(error, "") << data.kind << ", signal in " << flags.kind;
        }
    }
}

TEST(Signal, NeverOvertakesItsData) {
    check_stream(shmem_uint64_put_signal, SHMEM_SIGNAL_SET);
    check_stream(shmem_uint64_put_signal, SHMEM_SIGNAL_ADD);
    check_stream(shmem_uint64_put_signal_nbi, SHMEM_SIGNAL_SET);
    check_stream(shmem_uint64_put_signal_nbi, SHMEM_SIGNAL_ADD);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
