// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when start_pes does not start the library, minds being called again, or when a program
// that never finalizes does not end, with all PEs (OpenSHMEM 1.6, 9.1, start_pes). A program of its
// own, because start_pes ends the library when the program exits. The argument says which of the
// two names comes first.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "conformance/routines.hpp"

using tessera::conformance::called;

namespace {

long counts[64];  // symmetric: by PE

// At exit, after the library has ended itself.
void leave() {
    int initialized = -1;
    shmem_query_initialized(&initialized);
    if (initialized == 0) return;
    std::fprintf(stderr, "start_pes: the library was not finalized at exit\n");
    _exit(1);
}

void start(bool profiled) {
    if (profiled) {
        called(ID_pstart_pes);
        pstart_pes(0);
    } else {
        called(ID_start_pes);
        start_pes(17);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const bool profiled_first = argc > 1 && std::strcmp(argv[1], "profiled") == 0;
    std::atexit(leave);  // Runs after the library's, which is registered later.
    start(profiled_first);
    start(!profiled_first);
    start(profiled_first);
    const int me = shmem_my_pe();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) shmem_long_p(counts + me, me + 1, pe);
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        if (counts[pe] == pe + 1) continue;
        std::fprintf(stderr, "start_pes: PE %d put %ld\n", pe, counts[pe]);
        shmem_global_exit(1);
    }
    const char* missing = tessera::conformance::first_not_called("start_pes");
    if (missing != nullptr) std::fprintf(stderr, "no test has called %s\n", missing);
    return missing == nullptr ? 0 : 1;
}
