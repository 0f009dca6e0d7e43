// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a symmetric object has different addresses on the PEs, or when a PE cannot use
// another PE's pointer to symmetric memory as its own. tests/system/addresses has the jobs whose
// PEs cannot have their heaps at one address.
#include <shmemx.h>

#include <algorithm>
#include <vector>

#include "support/pe_test.hpp"

namespace {

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }

struct Node {
    long value;
    Node* next;  // as the PE that has allocated it sees it
    int pe_of_next;
};

// Each PE's first node, for the others.
Node* head;

// Nodes of this PE alone, behind so much other memory that their offsets differ from PE to PE.
Node* allocate_node() {
    static_cast<void>(shmemx_local_malloc(static_cast<std::size_t>(me() + 1) * 1000));
    return static_cast<Node*>(shmemx_local_calloc(1, sizeof(Node)));
}

TEST(Addresses, SymmetricObjectsHaveTheSameOnAllPes) {
    static unsigned long mine;
    std::vector<void*> blocks = {shmem_malloc(8), shmem_align(4096, 100000),
                                 shmemx_team_malloc(SHMEM_TEAM_WORLD, 1 << 20)};
    for (void* block : blocks) {
        mine = reinterpret_cast<unsigned long>(block);
        shmem_barrier_all();
        for (int pe = 0; pe < npes(); ++pe) EXPECT_EQ(shmem_ulong_g(&mine, pe), mine) << pe;
        shmem_barrier_all();
    }
    shmemx_team_free(SHMEM_TEAM_WORLD, blocks[2]);
    shmem_free(blocks[1]);
    shmem_free(blocks[0]);
}

TEST(Addresses, PointersOfOtherPesAreTakenAsOwnOnes) {
    static long* published;
    // Local memory: only its owner knows the offset.
    static_cast<void>(shmemx_local_malloc(static_cast<std::size_t>(me() * me()) * 100 + 1));
    auto* words = static_cast<long*>(shmemx_local_calloc(64, sizeof(long)));
    published = words;
    shmem_barrier_all();
    for (int pe = 0; pe < npes(); ++pe) {
        long* theirs = nullptr;
        shmem_getmem(&theirs, &published, sizeof theirs, pe);
        shmem_long_p(theirs + me() % 32, me() + 1, pe);
        const long pair[2] = {100 + me(), 200 + me()};
        if (me() < 8) shmem_long_put(theirs + 32 + 2 * me(), pair, 2, pe);
        shmem_long_atomic_add(theirs + 63, 1, pe);
    }
    shmem_barrier_all();
    const int writers = std::min(npes(), 8);
    EXPECT_EQ(words[63], npes());
    for (int pe = 0; pe < writers; ++pe) {
        EXPECT_EQ(words[32 + 2 * pe], 100 + pe);
        EXPECT_EQ(words[33 + 2 * pe], 200 + pe);
    }
    for (int pe = 0; pe < std::min(npes(), 32); ++pe) EXPECT_EQ(words[pe] % 32, (pe + 1) % 32);
    shmem_barrier_all();
    shmemx_local_free(words);
}

// Adds this PE's nodes in front of the list that begins in PE 0's `head`, under a lock.
void push_nodes(int count) {
    static long lock;
    static int pe_of_head;
    for (int i = 0; i < count; ++i) {
        Node* node = allocate_node();
        node->value = me() * 1000 + i;
        shmem_set_lock(&lock);
        shmem_getmem(&node->next, &head, sizeof head, 0);
        node->pe_of_next = shmem_int_g(&pe_of_head, 0);
        shmem_putmem(&head, &node, sizeof node, 0);
        shmem_int_p(&pe_of_head, me(), 0);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    // The list as each PE sees it: pointers of all PEs.
    std::vector<long> values;
    Node* next = nullptr;
    shmem_getmem(&next, &head, sizeof head, 0);
    int pe = shmem_int_g(&pe_of_head, 0);
    while (next != nullptr) {
        Node node{};
        shmem_getmem(&node, next, sizeof node, pe);
        values.push_back(node.value);
        next = node.next;
        pe = node.pe_of_next;
    }
    std::ranges::sort(values);
    ASSERT_EQ(values.size(), static_cast<std::size_t>(npes() * count));
    for (int i = 0; i < npes() * count; ++i)
        EXPECT_EQ(values[static_cast<std::size_t>(i)], i / count * 1000 + i % count);
}

TEST(Addresses, AListLiesSpreadOverThePes) { push_nodes(npes() > 16 ? 2 : 10); }

// This PE's own address of an object is also that by which it loads and stores there.
TEST(Addresses, ShmemPtrOfTheOwnPeIsTheAddressItself) {
    auto* word = static_cast<long*>(shmem_malloc(sizeof(long)));
    EXPECT_EQ(shmem_ptr(word, me()), word);
    shmem_free(word);
}

// Last, because it initializes again.
TEST(Addresses, ThoseOfTheNextInitAreTheSame) {
    void* const before = shmem_malloc(8);
    shmem_finalize();
    shmem_init();
    EXPECT_EQ(shmem_malloc(8), before);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
