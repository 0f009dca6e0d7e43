// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a get_accumulate computes a wrong element, brings another one than the old one,
// changes or reads neighbours, or gives two PEs the same old element.
#include <shmemx.h>

#include <algorithm>
#include <complex>
#include <type_traits>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

int next_pe() { return (shmem_my_pe() + 1) % shmem_n_pes(); }

template <class T>
std::vector<int> operations() {
    std::vector<int> ops = {SHMEMX_OP_SUM, SHMEMX_OP_PROD, SHMEMX_OP_REPLACE, SHMEMX_OP_NO_OP};
    if (!kIsComplex<T>) ops.insert(ops.end(), {SHMEMX_OP_MIN, SHMEMX_OP_MAX});
    if (std::is_integral_v<T>) ops.insert(ops.end(), {SHMEMX_OP_AND, SHMEMX_OP_OR, SHMEMX_OP_XOR});
    return ops;
}

template <class T>
T combined(int op, T a, T b) {
    switch (op) {
        case SHMEMX_OP_SUM: return static_cast<T>(a + b);
        case SHMEMX_OP_PROD: return static_cast<T>(a * b);
        case SHMEMX_OP_REPLACE: return b;
        default: break;
    }
    if constexpr (!kIsComplex<T>) {
        if (op == SHMEMX_OP_MIN) return std::min(a, b);
        if (op == SHMEMX_OP_MAX) return std::max(a, b);
    }
    if constexpr (std::is_integral_v<T>) {
        if (op == SHMEMX_OP_AND) return static_cast<T>(a & b);
        if (op == SHMEMX_OP_OR) return static_cast<T>(a | b);
        if (op == SHMEMX_OP_XOR) return static_cast<T>(a ^ b);
    }
    return a;
}

// Small numbers: exact in every type.
template <class T>
T before(std::size_t i) {
    return static_cast<T>(static_cast<float>(i % 11));
}
template <class T>
T addend(std::size_t i) {
    return static_cast<T>(static_cast<float>(i % 7 + 1));
}

// From each PE to the next one, by the form that `turn` says.
template <class T>
void call(T* dest, const T* source, T* result, std::size_t count, int type, int op, int turn) {
    if (op == SHMEMX_OP_NO_OP) source = nullptr;
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    switch (turn % 3) {
        case 0: return shmemx_get_accumulate(dest, source, result, count, type, op, next_pe());
        case 1:
            return shmemx_ctx_get_accumulate(SHMEM_CTX_DEFAULT, dest, source, result, count, type,
                                             op, next_pe());
        default:
            shmemx_get_accumulate_req(dest, source, result, count, type, op, next_pe(), &req);
            shmemx_req_wait(&req, SHMEMX_LOCAL);
    }
}

template <class T>
void check(int type, T* dest, std::size_t count, int turn) {
    for (int op : operations<T>()) {
        for (std::size_t i = 0; i < count + 2; ++i) dest[i] = before<T>(i);
        shmem_barrier_all();
        std::vector<T> source(count);
        std::vector<T> result(count + 2, T(99));
        for (std::size_t i = 0; i < count; ++i) source[i] = addend<T>(i);
        call(dest + 1, source.data(), result.data() + 1, count, type, op, turn++);
        EXPECT_EQ(result.front(), T(99));
        EXPECT_EQ(result.back(), T(99));
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(result[i + 1], before<T>(i + 1)) << "type " << type << " op " << op;
        shmem_barrier_all();
        EXPECT_EQ(dest[0], before<T>(0));
        EXPECT_EQ(dest[count + 1], before<T>(count + 1));
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(dest[i + 1], combined<T>(op, before<T>(i + 1), addend<T>(i)))
                << "type " << type << " op " << op << " element " << i;
        }
        shmem_barrier_all();
    }
}

TEST(GetAccumulate, AllTypesAndOperations) {
    const auto check_type = [](auto type_tag, int type) {
        using T = decltype(type_tag);
        for (const Region& region : regions()) {
            int turn = type;
            for (std::size_t count : {1, 2, 1500})
                check<T>(type, reinterpret_cast<T*>(region.data), count, turn++);
        }
    };
    check_type(std::int8_t{}, SHMEMX_TYPE_INT8);
    check_type(std::int16_t{}, SHMEMX_TYPE_INT16);
    check_type(std::int32_t{}, SHMEMX_TYPE_INT32);
    check_type(std::int64_t{}, SHMEMX_TYPE_INT64);
    check_type(std::uint8_t{}, SHMEMX_TYPE_UINT8);
    check_type(std::uint16_t{}, SHMEMX_TYPE_UINT16);
    check_type(std::uint32_t{}, SHMEMX_TYPE_UINT32);
    check_type(std::uint64_t{}, SHMEMX_TYPE_UINT64);
    check_type(float{}, SHMEMX_TYPE_FLOAT);
    check_type(double{}, SHMEMX_TYPE_DOUBLE);
    check_type(static_cast<long double>(0), SHMEMX_TYPE_LONG_DOUBLE);
    check_type(std::complex<float>{}, SHMEMX_TYPE_COMPLEX_FLOAT);
    check_type(std::complex<double>{}, SHMEMX_TYPE_COMPLEX_DOUBLE);
}

// Each element of PE 0 is a counter from which all PEs draw tickets: each ticket is drawn once.
// `draw_one` draws from element 0 in another way at the same time.
template <class T, class DrawOne>
void check_tickets(int type, DrawOne draw_one) {
    constexpr std::size_t kCounters = 5;
    const auto npes = static_cast<std::size_t>(shmem_n_pes());
    const int rounds = scaled(120);
    const std::size_t tickets = 2 * static_cast<std::size_t>(rounds) * npes;
    auto* counters = static_cast<T*>(shmem_calloc(kCounters + 1, sizeof(T)));
    auto* drawn = static_cast<unsigned*>(shmem_calloc(kCounters * tickets, sizeof(unsigned)));
    const auto note = [&](std::size_t counter, T ticket) {
        const auto number = static_cast<std::size_t>(ticket);
        ASSERT_LT(number, tickets);
        shmem_uint_atomic_inc(drawn + counter * tickets + number, 0);
    };
    const std::vector<T> ones(kCounters, T(1));
    std::vector<T> result(kCounters);
    for (int i = 0; i < rounds; ++i) {
        shmemx_get_accumulate(counters + 1, ones.data(), result.data(), kCounters, type,
                              SHMEMX_OP_SUM, 0);
        for (std::size_t k = 0; k < kCounters; ++k) note(k, result[k]);
        note(0, draw_one(counters + 1));
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        EXPECT_EQ(counters[0], T(0));
        for (std::size_t k = 0; k < kCounters; ++k) {
            const std::size_t count = k == 0 ? tickets : tickets / 2;
            EXPECT_EQ(static_cast<std::size_t>(counters[k + 1]), count);
            for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(drawn[k * tickets + i], 1U) << i;
        }
    }
    shmem_barrier_all();
    shmem_free(drawn);
    shmem_free(counters);
}

// The same by accumulates alone: types that no atomic of the specification has.
template <class T>
void check_own_tickets(int type) {
    check_tickets<T>(type, [type](T* counter) {
        const T one(1);
        T old(0);
        shmemx_get_accumulate(counter, &one, &old, 1, type, SHMEMX_OP_SUM, 0);
        return old;
    });
}

TEST(GetAccumulate, DrawsTicketsOnce) {
    check_tickets<std::uint64_t>(SHMEMX_TYPE_UINT64, [](std::uint64_t* counter) {
        return shmem_uint64_atomic_fetch_inc(counter, 0);
    });
    check_tickets<std::uint32_t>(SHMEMX_TYPE_UINT32, [](std::uint32_t* counter) {
        return shmem_uint32_atomic_fetch_inc(counter, 0);
    });
    check_own_tickets<std::uint16_t>(SHMEMX_TYPE_UINT16);
    check_own_tickets<double>(SHMEMX_TYPE_DOUBLE);
    check_own_tickets<long double>(SHMEMX_TYPE_LONG_DOUBLE);
}

// A fence orders a put behind a get_accumulate that is under way.
TEST(GetAccumulate, StaysBeforeAFence) {
    constexpr std::size_t kCount = 3000;
    auto* dest = static_cast<long*>(shmem_calloc(kCount, sizeof(long)));
    std::vector<long> result(kCount);
    for (long round = 1; round <= scaled(20); ++round) {
        const std::vector<long> source(kCount, 3);
        const std::vector<long> put(kCount, round);
        shmemx_req_t req = SHMEMX_REQ_COMPLETE;
        shmemx_get_accumulate_req(dest, source.data(), result.data(), kCount, SHMEMX_TYPE_INT64,
                                  SHMEMX_OP_SUM, next_pe(), &req);
        shmem_fence();
        shmem_long_put(dest, put.data(), kCount, next_pe());
        shmemx_req_wait(&req, SHMEMX_REMOTE);
        for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(result[i], round - 1) << i;
        shmem_barrier_all();
        for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(dest[i], round) << i;
        shmem_barrier_all();
    }
    shmem_free(dest);
}

TEST(GetAccumulate, OfNothingDoesNothing) {
    shmemx_req_t req = reinterpret_cast<shmemx_req_t>(1);
    shmemx_get_accumulate_req(nullptr, nullptr, nullptr, 0, SHMEMX_TYPE_FLOAT, SHMEMX_OP_SUM, 0,
                              &req);
    EXPECT_EQ(req, SHMEMX_REQ_COMPLETE);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
