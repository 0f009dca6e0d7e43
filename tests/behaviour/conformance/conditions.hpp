// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the tests of waits: comparisons as the specification defines them, values of a type
// that lie on both sides of every sign and half of a word, and a neighbour that changes words while
// this PE waits for them.
#pragma once

#include <shmem.h>

#include <array>
#include <cstdint>
#include <limits>

#include "conformance/values.hpp"
#include "support/comparisons.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {

using test::holds;
using test::kComparisons;

template <class T>
std::array<T, 10> interesting_values() {
    constexpr int kHalf = sizeof(T) * 4;
    const T high = static_cast<T>(T{1} << kHalf);
    return {T{0},
            T{1},
            static_cast<T>(-1),
            std::numeric_limits<T>::min(),
            std::numeric_limits<T>::max(),
            static_cast<T>(std::numeric_limits<T>::max() - 1),
            static_cast<T>(std::numeric_limits<T>::max() / 2 + 1),
            high,
            static_cast<T>(high + 1),
            static_cast<T>(-high)};
}

// "before cmp limit" is false, "after cmp limit" true; they differ in the high half only where that
// is possible.
template <class T>
struct Change {
    int cmp;
    T limit;
    T before;
    T after;
};
template <class T>
std::array<Change<T>, 6> changes() {
    const T limit = static_cast<T>(T{1} << (sizeof(T) * 4 + 2));
    const T more = static_cast<T>(limit * 2);
    return {{{SHMEM_CMP_EQ, limit, 0, limit},
             {SHMEM_CMP_NE, limit, limit, more},
             {SHMEM_CMP_LT, limit, limit, 0},
             {SHMEM_CMP_LE, limit, more, limit},
             {SHMEM_CMP_GT, limit, limit, more},
             {SHMEM_CMP_GE, limit, 0, limit}}};
}

// Neighbours in turn: first the even PEs wait and the odd ones act, then the other way round. A PE
// without a neighbour sits out. All three are symmetric.
struct Meeting {
    std::uint64_t* go;    // the waiter is about to wait; the actor may act
    std::uint64_t* data;  // written by the actor before the word that ends the wait

    std::uint64_t turn = 0;

    // Collective. wait() waits and checks; act(partner) changes what the partner waits for.
    template <class Prepare, class Wait, class Act>
    void run(Prepare prepare, Wait wait, Act act) {
        const int me = shmem_my_pe();
        const int partner = me ^ 1;
        for (int phase = 0; phase < 2; ++phase) {
            ++turn;
            prepare();
            shmem_barrier_all();
            if (partner >= shmem_n_pes()) continue;
            if (me % 2 == phase) {
                shmem_signal_set(go, turn, partner);
                wait();
                EXPECT_EQ(*data, mix(turn, 1)) << "what came before the word is not there";
            } else {
                shmem_signal_wait_until(go, SHMEM_CMP_EQ, turn);
                shmem_uint64_p(data, mix(turn, 1), partner);
                shmem_fence();
                act(partner);
            }
        }
        shmem_barrier_all();
    }
};

// In heap memory that no test uses otherwise. The first call is collective.
inline Meeting& meeting() {
    static auto* words = static_cast<std::uint64_t*>(shmem_calloc(32, sizeof(std::uint64_t)));
    static Meeting meeting{words, words + 16};
    return meeting;
}

}  // namespace tessera::conformance
