// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a program or tool cannot put its own routine in the place of a shmem_ name and reach
// the library's by the pshmem_ name, or when one library routine calls another by its public name.
// Linked with the shared library, and with the static one.
#include <pshmem.h>

#include "support/pe_test.hpp"

namespace {

int puts_seen = 0;
int waits_seen = 0;
int barriers_seen = 0;
int levels_seen = 0;

}  // namespace

// The tool: counts, and passes the call on.
extern "C" void shmem_int_put(int* dest, const int* source, size_t nelems, int pe) {
    ++puts_seen;
    pshmem_int_put(dest, source, nelems, pe);
}
extern "C" void shmem_int_wait_until(int* ivar, int cmp, int value) {
    ++waits_seen;
    pshmem_int_wait_until(ivar, cmp, value);
}
extern "C" void shmem_barrier_all(void) {
    ++barriers_seen;
    pshmem_barrier_all();
}
extern "C" void shmem_pcontrol(int level, ...) {
    levels_seen += level;
    pshmem_pcontrol(level);
}

namespace {

TEST(Profiling, ProgramsRoutineIsCalledAndReachesTheLibrary) {
    static int words[2];
    words[0] = words[1] = 0;
    pshmem_barrier_all();
    const int before = puts_seen;
    const int values[] = {7, 8};
    shmem_int_put(words, values, 2, (shmem_my_pe() + 1) % shmem_n_pes());
    EXPECT_EQ(puts_seen, before + 1);
    shmem_int_wait_until(&words[1], SHMEM_CMP_EQ, 8);
    EXPECT_EQ(waits_seen, 1);
    pshmem_barrier_all();
    EXPECT_EQ(words[0], 7);
}

// The overloads reach the program's routine, too.
TEST(Profiling, GenericNamesReachTheProgramsRoutine) {
    static int word;
    const int before = puts_seen;
    const int value = 3;
    shmem_put(&word, &value, 1, shmem_my_pe());
    EXPECT_EQ(puts_seen, before + 1);
    shmem_quiet();
    EXPECT_EQ(word, 3);
    pshmem_barrier_all();
}

TEST(Profiling, LibraryDoesNotCallItsOwnPublicNames) {
    const int before = barriers_seen;
    void* block = shmem_malloc(100);
    block = shmem_realloc(block, 10000);
    shmem_free(block);
    shmem_init();
    shmem_finalize();
    EXPECT_EQ(barriers_seen, before);
}

TEST(Profiling, ControlDoesNothing) {
    for (int level : {-1, 0, 1, 2, 3, 100}) pshmem_pcontrol(level, "more", 5, 2.5);
    shmem_pcontrol(2);
    EXPECT_EQ(levels_seen, 2);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
