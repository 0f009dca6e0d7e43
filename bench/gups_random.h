// SPDX-License-Identifier: BSD-3-Clause
//
// The random sequence of HPCC RandomAccess, for gups.c and gups_threads.c: element n is the
// polynomial x^n over GF(2), modulo x^64 + x^2 + x + 1, its coefficients as bits. So the next
// element is one shift, and any element is found by squaring (to start each PE at its own place).
#pragma once

#include <stdint.h>

static inline uint64_t next_random(uint64_t random) {
    return (random << 1) ^ (random >> 63 ? UINT64_C(7) : 0);
}

// The product of two polynomials, by Horner's rule over the bits of b.
static inline uint64_t random_product(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    for (int bit = 63; bit >= 0; --bit) {
        product = next_random(product);
        if (b >> bit & 1) product ^= a;
    }
    return product;
}

// Element n of the sequence, which next_random continues.
static inline uint64_t random_at(uint64_t n) {
    uint64_t power = 1, square = 2;
    for (; n; n >>= 1) {
        if (n & 1) power = random_product(power, square);
        square = random_product(square, square);
    }
    return power;
}
