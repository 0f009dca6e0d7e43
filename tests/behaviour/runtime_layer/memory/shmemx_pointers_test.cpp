// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a global pointer means another object on another PE, does not survive being stored,
// swapped or moved, or when a routine of OpenSHMEM does not take the address that it gives.
#include <shmemx.h>

#include <cstdint>
#include <random>
#include <vector>

#include "support/pe_test.hpp"

namespace {

using tessera::test::shared_seed;

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }
int right() { return (me() + 1) % npes(); }
int left() { return (me() + npes() - 1) % npes(); }

long global_word;        // static data
shmemx_gptr_t shown[2];  // each PE shows these to the others

// Every PE shows two pointers; all read those of `pe`.
void show(shmemx_gptr_t first, shmemx_gptr_t second = SHMEMX_GPTR_NULL) {
    shmem_barrier_all();
    shown[0] = first;
    shown[1] = second;
    shmem_barrier_all();
}
shmemx_gptr_t shown_by(int pe, int which = 0) { return shmem_uint64_g(&shown[which], pe); }

void put(shmemx_gptr_t to, long value) {
    shmem_long_p(static_cast<long*>(shmemx_gptr_addr(to)), value, shmemx_gptr_pe(to));
}
long get(shmemx_gptr_t from) {
    return shmem_long_g(static_cast<long*>(shmemx_gptr_addr(from)), shmemx_gptr_pe(from));
}

TEST(Pointers, NullNamesNothing) {
    EXPECT_EQ(SHMEMX_GPTR_NULL, 0U);
    EXPECT_EQ(shmemx_gptr_of(nullptr, me()), SHMEMX_GPTR_NULL);
    EXPECT_EQ(shmemx_gptr_pe(SHMEMX_GPTR_NULL), -1);
    EXPECT_EQ(shmemx_gptr_addr(SHMEMX_GPTR_NULL), nullptr);
    EXPECT_EQ(shmemx_gptr_ptr(SHMEMX_GPTR_NULL), nullptr);
}

TEST(Pointers, NameSymmetricObjects) {
    auto* heap = static_cast<long*>(shmem_malloc(2 * sizeof(long)));
    for (long* object : {heap, heap + 1, &global_word}) {
        for (int pe = 0; pe < npes(); ++pe) {
            const shmemx_gptr_t pointer = shmemx_gptr_of(object, pe);
            EXPECT_NE(pointer, SHMEMX_GPTR_NULL);
            EXPECT_EQ(shmemx_gptr_pe(pointer), pe);
            EXPECT_EQ(shmemx_gptr_addr(pointer), object);
            EXPECT_EQ(shmemx_gptr_ptr(pointer), shmem_ptr(object, pe));
        }
        show(shmemx_gptr_of(object, right()));
        EXPECT_EQ(shown_by(left()), shmemx_gptr_of(object, me())) << "the same on every PE";
        put(shmemx_gptr_of(object, right()), me() + 100);
        shmem_barrier_all();
        EXPECT_EQ(*object, left() + 100);
        EXPECT_EQ(get(shmemx_gptr_of(object, right())), me() + 100);
    }
    shmem_free(heap);
}

// Blocks at different offsets on each PE.
TEST(Pointers, ReachLocalMemory) {
    void* heap = shmem_malloc(8);
    void* before = shmemx_local_malloc(static_cast<std::size_t>(me()) * 1000 + 1);
    auto* mine = static_cast<long*>(shmemx_local_calloc(3, sizeof(long)));
    ASSERT_NE(mine, nullptr);
    show(shmemx_gptr_of(&mine[0], me()), shmemx_gptr_of(&mine[1], me()));
    for (int pe = 0; pe < npes(); ++pe) {
        const shmemx_gptr_t counter = shown_by(pe, 0);
        EXPECT_EQ(shmemx_gptr_pe(counter), pe);
        EXPECT_EQ(shmemx_gptr_ptr(counter) != nullptr, shmem_ptr(heap, pe) != nullptr);
        shmem_long_atomic_add(static_cast<long*>(shmemx_gptr_addr(counter)), me() + 1, pe);
    }
    put(shown_by(right(), 1), me() + 7);
    shmem_barrier_all();
    EXPECT_EQ(mine[0], npes() * (npes() + 1) / 2);
    EXPECT_EQ(mine[1], left() + 7);
    EXPECT_EQ(shmemx_gptr_ptr(shown_by(me())), mine);
    shmem_barrier_all();
    shmemx_local_free(mine);
    shmemx_local_free(before);
    shmem_free(heap);
}

TEST(Pointers, MoveAndMeasure) {
    auto* words = static_cast<long*>(shmem_malloc(100 * sizeof(long)));
    const shmemx_gptr_t first = shmemx_gptr_of(words, right());
    for (std::ptrdiff_t i : {0, 1, 50, 99}) {
        const auto bytes = i * static_cast<std::ptrdiff_t>(sizeof(long));
        const shmemx_gptr_t moved = shmemx_gptr_add(first, bytes);
        EXPECT_EQ(moved, shmemx_gptr_of(words + i, right()));
        EXPECT_EQ(shmemx_gptr_diff(moved, first), bytes);
        EXPECT_EQ(shmemx_gptr_diff(first, moved), -bytes);
        EXPECT_EQ(shmemx_gptr_add(moved, -bytes), first);
    }
    const shmemx_gptr_t fixed = shmemx_gptr_of(&shown[0], me());
    EXPECT_EQ(shmemx_gptr_add(fixed, sizeof shown[0]), shmemx_gptr_of(&shown[1], me()));
    EXPECT_NE(shmemx_gptr_of(words, me()), fixed);
    shmem_free(words);
}

// All PEs push nodes in front of one list by compare-and-swap, as a program with locks of its own.
TEST(Pointers, AreSwappedAtomically) {
    struct Node {
        shmemx_gptr_t next;
        long value;
    };
    static shmemx_gptr_t head;  // only PE 0's instance counts
    constexpr int kNodes = 20;
    head = SHMEMX_GPTR_NULL;
    shmem_barrier_all();
    std::vector<Node*> nodes;
    for (int i = 0; i < kNodes; ++i) {
        nodes.push_back(static_cast<Node*>(shmemx_local_malloc(sizeof(Node))));
        nodes.back()->value = me() * kNodes + i;
        const shmemx_gptr_t mine = shmemx_gptr_of(nodes.back(), me());
        shmemx_gptr_t seen = shmem_uint64_atomic_fetch(&head, 0);
        while (true) {
            nodes.back()->next = seen;
            shmem_fence();
            const shmemx_gptr_t found = shmem_uint64_atomic_compare_swap(&head, seen, mine, 0);
            if (found == seen) break;
            seen = found;
        }
    }
    shmem_barrier_all();
    std::vector<int> times(static_cast<std::size_t>(kNodes * npes()));
    shmemx_gptr_t at = shmem_uint64_g(&head, 0);
    while (at != SHMEMX_GPTR_NULL) {
        Node node;
        shmem_getmem(&node, shmemx_gptr_addr(at), sizeof node, shmemx_gptr_pe(at));
        ASSERT_GE(node.value, 0);
        ASSERT_LT(node.value, kNodes * npes());
        ASSERT_EQ(++times[static_cast<std::size_t>(node.value)], 1);
        at = node.next;
    }
    for (int count : times) EXPECT_EQ(count, 1);
    shmem_barrier_all();
    for (Node* node : nodes) shmemx_local_free(node);
}

// Pointers to random bytes of all kinds, against addresses that the test computes itself.
TEST(Pointers, RandomPlacesAgreeWithAddresses) {
    constexpr std::size_t kBytes = 100'000;
    static char fixed[kBytes];
    auto* heap = static_cast<char*>(shmem_malloc(kBytes));
    std::mt19937_64 random(shared_seed() + static_cast<unsigned long>(me()));
    for (int i = 0; i < 2000; ++i) {
        char* start = random() % 2 == 0 ? heap : fixed;
        const std::size_t from = random() % kBytes;
        const std::size_t to = random() % kBytes;
        const int pe = static_cast<int>(random() % static_cast<unsigned>(npes()));
        const auto bytes = static_cast<std::ptrdiff_t>(to) - static_cast<std::ptrdiff_t>(from);
        const shmemx_gptr_t pointer = shmemx_gptr_add(shmemx_gptr_of(start + from, pe), bytes);
        ASSERT_EQ(shmemx_gptr_addr(pointer), start + to);
        ASSERT_EQ(shmemx_gptr_pe(pointer), pe);
        ASSERT_EQ(shmemx_gptr_ptr(pointer), shmem_ptr(start + to, pe));
        ASSERT_EQ(pointer == shmemx_gptr_of(start + from, pe), from == to);
        ASSERT_EQ(shmemx_gptr_diff(pointer, shmemx_gptr_of(start, pe)),
                  static_cast<std::ptrdiff_t>(to));
    }
    shmem_free(heap);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
