// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a stream of puts with signal raises a signal before its data is there, or when
// signals of several PEs at the same time are lost. signals_conformance_test.cpp has every type and
// form.
#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/stream.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;
using tessera::test::Stream;

// Adding by all PEs at once counts every message, with data or without.
TEST(Signal, AddsOfAllPesCount) {
    for (const Region& region : regions()) {
        auto* signal = reinterpret_cast<std::uint64_t*>(region.data);
        int data_count = shmem_n_pes();
        auto* data = reinterpret_cast<int*>(region.data + 4096);
        *signal = 0;
        shmem_barrier_all();
        const int steps = scaled(2000);
        for (int i = 0; i < steps; ++i) {
            for (int pe = 0; pe < shmem_n_pes(); ++pe) {
                int* dest = &data[shmem_my_pe()];
                if (i % 3 == 0) shmem_int_put_signal(dest, &i, 1, signal, 1, SHMEM_SIGNAL_ADD, pe);
                if (i % 3 == 1)
                    shmem_int_put_signal_nbi(dest, &i, 1, signal, 1, SHMEM_SIGNAL_ADD, pe);
                if (i % 3 == 2) {
                    shmem_int_p(dest, i, pe);
                    shmem_fence();
                    shmem_signal_add(signal, 1, pe);
                }
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
