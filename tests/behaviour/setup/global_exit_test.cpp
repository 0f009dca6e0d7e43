// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when shmem_global_exit, called by one PE while the others wait for it or compute, does not
// end them all with its status, or loses what was printed (OpenSHMEM 1.6, 9.1, shmem_global_exit).
// Each run is told the caller, the name to use and the status; global_exit_test.py looks at what is
// left.
#include <pshmem.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
    if (argc < 4) return 99;
    shmem_init();
    const int caller = std::atoi(argv[1]);
    const bool profiled = std::strcmp(argv[2], "pshmem_global_exit") == 0;
    const int me = shmem_my_pe();
    if (me == caller) {
        std::printf("PE %d leaves without a newline", me);  // still in stdio's buffer
        if (profiled) pshmem_global_exit(std::atoi(argv[3]));
        shmem_global_exit(std::atoi(argv[3]));
    }
    if (me % 2 == 0) shmem_barrier_all();  // waits for ever
    for (;;) sched_yield();
}
