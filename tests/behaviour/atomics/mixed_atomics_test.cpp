// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an update is lost because some PEs change a word by the CPU's atomics (those of its
// node) and others over the fabric. All integer types, 10^7 operations in all: each PE adds to one
// word, most of the time without waiting for the result.
#include <pshmem.h>

#include <cstdint>
#include <type_traits>

#include "support/pe_test.hpp"

namespace {

constexpr int kOperations = 10'000'000;
constexpr int kTypes = 12;                // IntegerTypes
constexpr int kOperationsOffNode = 2000;  // for each PE and type; each is a message, or packed

bool is_on_node_of_first() {
    return shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_SHARED) >= 0;
}

// PEs of PE 0's node, and others.
struct Sides {
    int on_node = 0;
    int off_node = 0;
};
Sides count_sides() {
    static int is_on_node;
    is_on_node = is_on_node_of_first() ? 1 : 0;
    shmem_barrier_all();
    Sides sides;
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        (shmem_int_g(&is_on_node, pe) != 0 ? sides.on_node : sides.off_node) += 1;
    return sides;
}

// One operation that adds `value`, in all the ways there are.
template <class T>
void add(T* word, T value, int way) {
    T old{};
    switch (way) {
        case 0: shmem_atomic_fetch_add(word, value, 0); return;
        case 1:
            for (T seen = shmem_atomic_fetch(word, 0);;) {
                using Unsigned = std::make_unsigned_t<T>;
                const T sum =
                    static_cast<T>(static_cast<Unsigned>(seen) + static_cast<Unsigned>(value));
                old = shmem_atomic_compare_swap(word, seen, sum, 0);
                if (old == seen) return;
                seen = old;
            }
        default: shmem_atomic_add(word, value, 0);
    }
}

template <class T>
class MixedAtomics : public testing::Test {};
using IntegerTypes =
    testing::Types<int, long, long long, unsigned, unsigned long, unsigned long long, std::int32_t,
                   std::int64_t, std::uint32_t, std::uint64_t, std::size_t, std::ptrdiff_t>;
TYPED_TEST_SUITE(MixedAtomics, IntegerTypes);

TYPED_TEST(MixedAtomics, LoseNothing) {
    static TypeParam word;
    word = 0;
    const Sides sides = count_sides();
    ASSERT_GT(sides.off_node, 0) << "run it with several nodes";
    const bool is_on_node = is_on_node_of_first();
    const int on_node_operations =
        (kOperations / kTypes - sides.off_node * kOperationsOffNode) / sides.on_node + 1;
    const int operations = is_on_node ? on_node_operations : kOperationsOffNode;
    const auto value = static_cast<TypeParam>(shmem_my_pe() + 1);
    shmem_barrier_all();
    for (int i = 0; i < operations; ++i) add(&word, value, i % 20);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        std::uint64_t expected = 0;
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            const bool on_node =
                shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED) >= 0;
            const auto count =
                static_cast<std::uint64_t>(on_node ? on_node_operations : kOperationsOffNode);
            expected += count * static_cast<std::uint64_t>(pe + 1);
        }
        EXPECT_EQ(word, static_cast<TypeParam>(expected));
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
