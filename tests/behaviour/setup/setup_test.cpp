// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the library cannot be initialized again, loses static data between two lives, or
// answers wrongly about its addresses. setup_conformance_test.cpp has the counts of inits, numbers
// and names; ends of jobs are in exit_test.py.
#include <pshmem.h>

#include <cstring>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

int is_initialized() {
    int initialized = -1;
    shmem_query_initialized(&initialized);
    int twin = -1;
    pshmem_query_initialized(&twin);
    EXPECT_EQ(initialized, twin);
    return initialized;
}

int thread_level() {
    int level = -1;
    shmem_query_thread(&level);
    int twin = -1;
    pshmem_query_thread(&twin);
    EXPECT_EQ(level, twin);
    return level;
}

long symmetric_word = 5;
alignas(64) char symmetric_array[4096];

// Calls that a PE can make while the library is initialized.
void use_the_library() {
    ASSERT_EQ(is_initialized(), 1);
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    const int left = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
    auto* block = static_cast<long*>(shmem_calloc(1000, sizeof(long)));
    ASSERT_NE(block, nullptr);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(block[i], 0);
    shmem_barrier_all();
    shmem_long_p(&block[999], 100 + shmem_my_pe(), right);
    shmem_long_atomic_inc(&symmetric_word, right);
    shmem_barrier_all();
    ASSERT_EQ(block[999], 100 + left);
    shmem_free(block);
}

// Before the first init, between the last finalize and the next init, and with every level.
TEST(Setup, InitAndFinalizeMayBeRepeated) {
    ASSERT_EQ(is_initialized(), 1);
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    shmem_barrier_all();
    symmetric_word = 0;
    shmem_barrier_all();
    for (int round = 0; round < 12; ++round) {
        const int level = round % 4;
        shmem_finalize();
        ASSERT_EQ(is_initialized(), 0);
        int provided = -1;
        ASSERT_EQ((round < 6 ? shmem_init_thread : pshmem_init_thread)(level, &provided), 0);
        ASSERT_GE(provided, level);
        ASSERT_LE(provided, SHMEM_THREAD_MULTIPLE);
        ASSERT_EQ(thread_level(), provided);
        ASSERT_EQ(shmem_n_pes(), npes);
        ASSERT_EQ(shmem_my_pe(), me);
        use_the_library();
        ASSERT_EQ(symmetric_word, round + 1) << "Static data must survive.";
        shmem_barrier_all();
    }
}

TEST(Setup, Accessible) {
    int on_the_stack = 0;
    auto* block = static_cast<char*>(shmem_malloc(100));
    for (int (*accessible)(int) : {shmem_pe_accessible, pshmem_pe_accessible}) {
        for (int pe = 0; pe < shmem_n_pes(); ++pe) EXPECT_EQ(accessible(pe), 1);
        for (int pe : {-1, shmem_n_pes(), 1 << 30, -2147483647 - 1}) EXPECT_EQ(accessible(pe), 0);
    }
    for (auto* accessible : {shmem_addr_accessible, pshmem_addr_accessible}) {
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            EXPECT_EQ(accessible(block, pe), 1);
            EXPECT_EQ(accessible(block + 99, pe), 1);
            EXPECT_EQ(accessible(&symmetric_word, pe), 1);
            EXPECT_EQ(accessible(symmetric_array + 4095, pe), 1);
            EXPECT_EQ(accessible(&on_the_stack, pe), 0);
            EXPECT_EQ(accessible(nullptr, pe), 0);
            EXPECT_EQ(accessible("text", pe), 0);
            if (pe != shmem_my_pe() && shmem_ptr(block, pe) != nullptr) {
                EXPECT_EQ(accessible(shmem_ptr(block, pe), pe), 0) << "no symmetric address";
            }
        }
        EXPECT_EQ(accessible(block, -1), 0);
        EXPECT_EQ(accessible(block, shmem_n_pes()), 0);
    }
    shmem_free(block);
}

bool is_on_my_node(int pe) {
    return shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED) >= 0;
}

// Loads and stores through the pointer meet puts and gets. PEs of other nodes have none.
void check_pointer(char* object, std::size_t bytes, bool is_shared) {
    const int me = shmem_my_pe();
    EXPECT_EQ(shmem_ptr(object, me), object);
    EXPECT_EQ(pshmem_ptr(object + 5, me), object + 5);
    object[0] = static_cast<char>(me + 1);
    object[bytes - 1] = static_cast<char>(me + 2);
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        auto* first = static_cast<char*>(shmem_ptr(object, pe));
        auto* last = static_cast<char*>(shmem_ptr(object + bytes - 1, pe));
        ASSERT_EQ(first == nullptr, last == nullptr);
        const bool must_exist = pe == me || (is_shared && is_on_my_node(pe));
        ASSERT_EQ(first != nullptr, must_exist) << "PE " << pe;
        if (first == nullptr) continue;
        EXPECT_EQ(last - first, static_cast<std::ptrdiff_t>(bytes) - 1);
        EXPECT_EQ(*first, static_cast<char>(pe + 1));
        EXPECT_EQ(*last, static_cast<char>(pe + 2));
        first[1 + me] = static_cast<char>(10 * me + pe);
    }
    shmem_barrier_all();
    if (!is_shared) return;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        if (!is_on_my_node(pe)) continue;
        EXPECT_EQ(object[1 + pe], static_cast<char>(10 * pe + me));
    }
}

TEST(Setup, Pointers) {
    auto* block = static_cast<char*>(shmem_malloc(100000));
    check_pointer(block, 100000, true);
    shmem_free(block);
    // With SHMEM_STATIC_DATA=cma there are none.
    const char* how = std::getenv("SHMEM_STATIC_DATA");
    check_pointer(symmetric_array, sizeof symmetric_array,
                  how == nullptr || std::strcmp(how, "cma") != 0);
    int on_the_stack = 0;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        EXPECT_EQ(shmem_ptr(&on_the_stack, pe), nullptr);
        EXPECT_EQ(shmem_ptr(nullptr, pe), nullptr);
    }
}

// Asked before main has initialized anything.
const bool was_initialized_before_init = is_initialized() != 0;
TEST(Setup, NotInitializedBeforeInit) { EXPECT_FALSE(was_initialized_before_init); }

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
