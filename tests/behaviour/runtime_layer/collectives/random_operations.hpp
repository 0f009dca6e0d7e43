// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of random_collectives_test.cpp, of the library and of the program, with their
// results by the test itself.
#pragma once

#include <shmemx.h>

#include <cstring>

namespace tessera::test {

struct Map {
    uint64_t a, b;
};
// x -> a x + b: associative, not commutative. user_data: the number of maps in an element.
inline void compose(void* inout, const void* in, size_t nelems, void* user_data) {
    auto* left = static_cast<Map*>(inout);
    const auto* right = static_cast<const Map*>(in);
    for (size_t i = 0; i < nelems * *static_cast<size_t*>(user_data); ++i)
        left[i] = {left[i].a * right[i].a, left[i].a * right[i].b + left[i].b};
}
// Adds elements of 3 bytes.
inline void add_bytes(void* inout, const void* in, size_t nelems, void*) {
    auto* left = static_cast<unsigned char*>(inout);
    const auto* right = static_cast<const unsigned char*>(in);
    for (size_t i = 0; i < 3 * nelems; ++i)
        left[i] = static_cast<unsigned char>(left[i] + right[i]);
}

struct Operation {
    int type = 0, op = 0;  // 0: `own`
    shmemx_op_t own{};
    size_t bytes = 0;
    // left = left op right, by the test.
    void (*combine)(void* left, const void* right, size_t nelems, void* user_data) = nullptr;
};

template <class T, class Op>
inline void combine_each(void* inout, const void* in, size_t nelems, Op op) {
    for (size_t i = 0; i < nelems; ++i) {
        T left, right;
        std::memcpy(&left, static_cast<char*>(inout) + i * sizeof(T), sizeof(T));
        std::memcpy(&right, static_cast<const char*>(in) + i * sizeof(T), sizeof(T));
        left = op(left, right);
        std::memcpy(static_cast<char*>(inout) + i * sizeof(T), &left, sizeof(T));
    }
}
inline void sum_int32(void* a, const void* b, size_t n, void*) {
    combine_each<uint32_t>(a, b, n, [](uint32_t x, uint32_t y) { return x + y; });
}
inline void xor_uint64(void* a, const void* b, size_t n, void*) {
    combine_each<uint64_t>(a, b, n, [](uint64_t x, uint64_t y) { return x ^ y; });
}
inline void min_int8(void* a, const void* b, size_t n, void*) {
    combine_each<int8_t>(a, b, n, [](int8_t x, int8_t y) { return y < x ? y : x; });
}
inline void minloc_int16(void* a, const void* b, size_t n, void*) {
    using Pair = shmemx_int16_loc_t;
    combine_each<Pair>(a, b, n, [](Pair x, Pair y) {
        const bool is_less = y.value < x.value || (y.value == x.value && y.location < x.location);
        return is_less ? y : x;
    });
}
inline void last(void* a, const void* b, size_t n, void*) { std::memcpy(a, b, 4 * n); }

inline size_t maps_of[] = {1, 2, 600};  // The last element is longer than a message may be.

inline Operation operation(size_t which) {
    switch (which) {
        case 0: return {SHMEMX_TYPE_INT32, SHMEMX_OP_SUM, {}, 4, sum_int32};
        case 1: return {SHMEMX_TYPE_UINT64, SHMEMX_OP_XOR, {}, 8, xor_uint64};
        case 2: return {SHMEMX_TYPE_INT8, SHMEMX_OP_MIN, {}, 1, min_int8};
        case 3: return {SHMEMX_TYPE_INT16, SHMEMX_OP_MINLOC, {}, 16, minloc_int16};
        case 4: return {SHMEMX_TYPE_FLOAT, SHMEMX_OP_REPLACE, {}, 4, last};
        case 5: return {0, 0, {add_bytes, nullptr, 3, 1}, 3, add_bytes};
        default: break;
    }
    size_t* maps = &maps_of[which - 6];
    return {0, 0, {compose, maps, *maps * sizeof(Map), 0}, *maps * sizeof(Map), compose};
}
inline constexpr size_t kOperations = 9;

}  // namespace tessera::test
