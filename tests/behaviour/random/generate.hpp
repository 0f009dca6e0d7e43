// SPDX-License-Identifier: BSD-3-Clause
//
// Makes a random program from a seed: the same one on every PE.
#pragma once

#include <cstdint>

#include "random/program.hpp"

namespace tessera::random {

struct GenerateOptions {
    int npes = 1;
    std::uint64_t seed = 1;
    int steps = 0;                 // 0: as many as the seed says
    bool shared_is_world = false;  // SHMEM_TEAM_SHARED has all PEs, and so takes part
};

Program generate(const GenerateOptions& options);

}  // namespace tessera::random
