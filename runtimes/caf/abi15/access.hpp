// SPDX-License-Identifier: BSD-3-Clause
//
// y[j] = x[i], whose entry GCC 15 and 16 call with other arguments (version.cpp).

#pragma once

#include <cstddef>

#include "abi12/descriptor.hpp"

namespace tessera::caf {

struct Side {
    caf_token_t token;
    const Descriptor* descriptor;
    const std::size_t* length;
    int image;
    int accessor;
    void* add_data;
    std::size_t add_bytes;
    int* stat;
    caf_team_t* team;
    const int* team_number;
};

// source_bytes: of a scalar. THREADS: any.
void transfer_between(const Side& dest, const Side& source, std::size_t source_bytes,
                      bool is_scalar);

}  // namespace tessera::caf
