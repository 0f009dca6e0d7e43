// SPDX-License-Identifier: BSD-3-Clause
//
// The main function of programs that test memory which software keeps coherent: on the emulation
// unless SHMEM_HEAP says otherwise, so that mutants.txt can run them like any program.
#pragma once

#include <fcntl.h>
#include <shmem.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "support/pe_test.hpp"

namespace tessera::test {

// The settings must be there before the program begins. On several nodes, or with a heap that the
// caller names, it runs as it is.
inline void begin_on_emulation(char** argv) {
    const char* nodes = getenv("SHMEM_VIRTUAL_NODES");
    if (getenv("SHMEM_HEAP") != nullptr || (nodes != nullptr && atoi(nodes) > 1)) return;
    setenv("SHMEM_HEAP", "noncoherent-emulated", 1);
    // The members of these algorithms forward and combine in place.
    setenv("SHMEM_FCOLLECT_ALGORITHM", "ring", 0);
    setenv("SHMEM_REDUCE_ALGORITHM", "ring", 0);
    setenv("SHMEM_BROADCAST_ALGORITHM", "chain", 0);
    // The library has marked the files of the job, so that children do not get them.
    constexpr int kDescriptors = 256;
    for (int fd = 3; fd < kDescriptors; ++fd) fcntl(fd, F_SETFD, 0);
    execv("/proc/self/exe", argv);
    perror("execv");
    _exit(1);
}

// `level`: as for shmem_init_thread.
inline int run_on_emulation(int argc, char** argv, int level = SHMEM_THREAD_SINGLE) {
    begin_on_emulation(argv);
    testing::InitGoogleTest(&argc, argv);
    int provided = 0;
    shmem_init_thread(level, &provided);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (shmem_my_pe() != 0) delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new PeReporter);
    listeners.Append(new PeBarrier);
    const int result = RUN_ALL_TESTS();
    shmem_finalize();
    return result;
}

}  // namespace tessera::test
