// SPDX-License-Identifier: BSD-3-Clause
//
// The comparisons of waits and tests (OpenSHMEM 1.6, 9.11), and the result that each must have.
#pragma once

#include <shmem.h>

namespace tessera::test {

template <class T>
bool holds(T a, int cmp, T b) {
    switch (cmp) {
        case SHMEM_CMP_EQ: return a == b;
        case SHMEM_CMP_NE: return a != b;
        case SHMEM_CMP_LT: return a < b;
        case SHMEM_CMP_LE: return a <= b;
        case SHMEM_CMP_GT: return a > b;
        default: return a >= b;
    }
}

inline constexpr int kComparisons[] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_LT,
                                       SHMEM_CMP_LE, SHMEM_CMP_GT, SHMEM_CMP_GE};

}  // namespace tessera::test
