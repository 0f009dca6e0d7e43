// SPDX-License-Identifier: BSD-3-Clause
//
// A preloaded library is initialised last, just before main. A constructor of another library, such
// as one with coarrays, may start OpenSHMEM before. The tool has no objects then, so it refuses.
#pragma once

#include <shmem.h>

#include <cstdio>

namespace tessera::interpose {

// Set by a constructor of the tool.
inline constinit bool has_begun = false;

// Ends the job with a message if the tool's library is not initialised yet. option: of oshrun.
inline void require_begun(const char* option) {
    if (has_begun) return;
    std::fprintf(stderr,
                 "[pe %d] oshrun %s: a constructor of a shared library starts OpenSHMEM before the "
                 "tool is ready; link that library, which may have coarrays, statically into the "
                 "program, or run without %s\n",
                 pshmem_my_pe(), option, option);
    pshmem_global_exit(1);
}

}  // namespace tessera::interpose
